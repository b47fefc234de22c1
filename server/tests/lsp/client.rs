//! A small language client: starts the binary and speaks the protocol over its pipes.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longer than anything should take, on a machine that is busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Client {
    pub child: Child,
    stdin: Option<ChildStdin>,
    incoming: Receiver<Value>,
    /// What arrived while something else was waited for.
    pub waiting: VecDeque<Value>,
    next_id: i64,
    /// What `workspace/configuration` answers.
    pub settings: Value,
    /// What a person picks who is asked to choose; nothing by default.
    pub pick: Value,
    /// Requests of the server that were answered, by method.
    pub asked: Vec<Value>,
    pub initialized: Value,
}

/// A client that can do everything.
pub fn full_capabilities() -> Value {
    json!({
        "general": {"positionEncodings": ["utf-16"]},
        "textDocument": {
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "completion": {"completionItem": {"snippetSupport": true}},
            "inlayHint": {},
            "semanticTokens": {"requests": {"full": true}, "tokenTypes": [],
                "tokenModifiers": [], "formats": ["relative"]},
            "publishDiagnostics": {"relatedInformation": true,
                "tagSupport": {"valueSet": [1, 2]}},
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
            "rename": {"prepareSupport": true},
        },
        "workspace": {
            "configuration": true, "applyEdit": true,
            "workspaceEdit": {"documentChanges": true},
            "codeLens": {"refreshSupport": true},
            "inlayHint": {"refreshSupport": true},
            "didChangeConfiguration": {"dynamicRegistration": true},
        },
        "window": {"workDoneProgress": true},
        "experimental": {"fencepost": {"status": true}},
    })
}

impl Client {
    /// Starts the server without saying a word.
    pub fn spawn() -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("standard output is piped");
        let (sender, incoming) = mpsc::channel();
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read_message(&mut stdout) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client {
            child,
            stdin,
            incoming,
            waiting: VecDeque::new(),
            next_id: 0,
            settings: Value::Null,
            pick: Value::Null,
            asked: Vec::new(),
            initialized: Value::Null,
        }
    }

    /// Starts and initializes a server with everything a client can have.
    pub fn start() -> Client {
        Client::start_with(full_capabilities(), Value::Null)
    }

    pub fn start_with(capabilities: Value, options: Value) -> Client {
        let mut client = Client::spawn();
        client.settings = options.clone();
        let answer = client.request(
            "initialize",
            json!({
                "processId": null, "rootUri": null, "capabilities": capabilities,
                "initializationOptions": options,
            }),
        );
        client.initialized = answer.expect("initialize is answered");
        client.notify("initialized", json!({}));
        client
    }

    pub fn send_raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the pipe is open");
        stdin.write_all(bytes).expect("the server reads");
        stdin.flush().expect("the server reads");
    }

    pub fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.send_raw(frame.as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request; its answer is to be fetched with [`Client::answer`].
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        let message = match params {
            Value::Null => json!({"jsonrpc": "2.0", "id": id, "method": method}),
            params => json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
        };
        self.send(&message);
        id
    }

    /// Waits for the answer to a request: its result, or its error.
    pub fn answer(&mut self, id: i64) -> Result<Value, Value> {
        let message = self
            .wait(|message| message["id"] == json!(id) && message.get("method").is_none())
            .unwrap_or_else(|| panic!("request {id} is answered"));
        match message.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(message["result"].clone()),
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Waits for a message that fits; others are kept, requests of the server answered.
    pub fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        self.wait_for(PATIENCE, fits)
    }

    pub fn wait_for(&mut self, patience: Duration, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        if let Some(at) = self.waiting.iter().position(&fits) {
            return self.waiting.remove(at);
        }
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = match self.incoming.recv_timeout(left) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            };
            self.serve(&message);
            if fits(&message) {
                return Some(message);
            }
            self.waiting.push_back(message);
        }
    }

    /// Takes in what has arrived, without waiting for more.
    pub fn drain(&mut self) {
        while let Ok(message) = self.incoming.try_recv() {
            self.serve(&message);
            self.waiting.push_back(message);
        }
    }

    /// Answers what the server asks.
    fn serve(&mut self, message: &Value) {
        let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) else {
            return;
        };
        let result = match method {
            "workspace/configuration" => json!([self.settings]),
            "workspace/applyEdit" => json!({"applied": true}),
            "window/showMessageRequest" => self.pick.clone(),
            "window/showDocument" => json!({"success": true}),
            _ => Value::Null,
        };
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
        self.asked.push(message.clone());
        // The server may be on its way out.
        if let Some(stdin) = &mut self.stdin {
            let body = answer.to_string();
            let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
            let _ = stdin
                .write_all(frame.as_bytes())
                .and_then(|()| stdin.flush());
        }
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        self.notify(
            "textDocument/didOpen",
            json!({"textDocument":
                {"uri": uri, "languageId": "litmus", "version": 1, "text": text}}),
        );
    }

    pub fn change(&mut self, uri: &str, version: i32, changes: Value) {
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": changes}),
        );
    }

    pub fn save(&mut self, uri: &str) {
        self.notify(
            "textDocument/didSave",
            json!({"textDocument": {"uri": uri}}),
        );
    }

    pub fn close(&mut self, uri: &str) {
        self.notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        );
    }

    /// Opens a text and waits until all three models have ended.
    pub fn open_checked(&mut self, uri: &str, text: &str) {
        self.open(uri, text);
        self.wait_checked(uri);
    }

    /// Waits until no model of the document is under way.
    pub fn wait_checked(&mut self, uri: &str) {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let state = self.outcomes(uri)["state"].clone();
            if state != "checking" && state != "idle" {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
        panic!("the check of {uri} does not end");
    }

    /// Waits until one model of the document is not under way, and gives its state.
    pub fn wait_model(&mut self, uri: &str, model: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let state = self.outcomes(uri)["models"][model]["state"].clone();
            if state != "checking" {
                return state;
            }
            assert!(Instant::now() < deadline, "{model} of {uri} does not end");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Asks until something holds.
    pub fn wait_until(&mut self, what: &str, holds: impl Fn(&mut Client) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(self) {
            assert!(Instant::now() < deadline, "waited for: {what}");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until what is computed after the verdicts is there.
    pub fn wait_insights(&mut self, uri: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.outcomes(uri)["pending"] != 0 {
            assert!(Instant::now() < deadline, "questions about {uri} stay open");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits for a status of the document that fits.
    pub fn wait_state(&mut self, uri: &str, fits: impl Fn(&str) -> bool) -> Value {
        let status = self
            .wait(|message| {
                message["method"] == "fencepost/status"
                    && message["params"]["uri"] == uri
                    && fits(message["params"]["state"].as_str().unwrap_or_default())
            })
            .expect("a status arrives");
        status["params"].clone()
    }

    /// The next diagnostics of a document that fit.
    pub fn wait_diagnostics(&mut self, uri: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let message = self
            .wait(|message| {
                message["method"] == "textDocument/publishDiagnostics"
                    && message["params"]["uri"] == uri
                    && fits(&message["params"])
            })
            .expect("diagnostics arrive");
        message["params"].clone()
    }

    /// Asks about a document.
    pub fn about(&mut self, uri: &str, method: &str, more: Value) -> Value {
        let mut params = more;
        params["textDocument"] = json!({"uri": uri});
        self.request(method, params)
            .unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    pub fn execute(&mut self, command: &str, argument: Value) -> Result<Value, Value> {
        self.request(
            "workspace/executeCommand",
            json!({"command": command, "arguments": [argument]}),
        )
    }

    pub fn outcomes(&mut self, uri: &str) -> Value {
        self.about(uri, "fencepost/outcomes", json!({}))
    }

    pub fn text(&mut self, uri: &str) -> Value {
        self.about(uri, "fencepost/text", json!({}))
    }

    /// Closes the pipe to the server.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits until the server has ended.
    pub fn wait_exit(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("the child can be asked") {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(5));
        }
        None
    }

    pub fn shut_down(&mut self) -> ExitStatus {
        self.request("shutdown", Value::Null)
            .expect("shutdown is answered");
        self.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
        self.wait_exit(PATIENCE).expect("the server ends")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed must not leave a server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_message(source: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if source.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim().parse().ok();
        }
    }
    let mut body = vec![0; length?];
    source.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("the server speaks JSON"))
}

/// A range around all of a test.
pub fn everything() -> Value {
    json!({"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}})
}

/// The changes of an edit that only adds.
pub fn insert(line: u32, character: u32, text: &str) -> Value {
    let at = json!({"line": line, "character": character});
    json!([{"range": {"start": at, "end": at}, "text": text}])
}

/// The position of the `$0` in a text, and the text without it. Columns are UTF-16.
pub fn cursor(marked: &str) -> (String, Value) {
    let at = marked.find("$0").expect("the fixture has a cursor");
    let text = marked.replacen("$0", "", 1);
    (text, position(&marked[..at]))
}

/// The position behind a text.
pub fn position(before: &str) -> Value {
    let line = before.matches('\n').count();
    let last = before.rsplit('\n').next().unwrap_or_default();
    json!({"line": line, "character": last.encode_utf16().count()})
}

/// The lines of a text that ranges of an answer start in, the ranges drawn under them.
pub fn draw(text: &str, ranges: &[Value]) -> String {
    let mut out = String::new();
    for (index, line) in text.lines().enumerate() {
        let mut marks = String::new();
        let mut on_line: Vec<(u64, u64)> = ranges
            .iter()
            .filter(|range| range["start"]["line"] == index)
            .map(|range| {
                let start = range["start"]["character"].as_u64().unwrap_or_default();
                let end = if range["end"]["line"] == index {
                    range["end"]["character"].as_u64().unwrap_or_default()
                } else {
                    line.encode_utf16().count() as u64
                };
                (start, end)
            })
            .collect();
        on_line.sort_unstable();
        for (start, end) in on_line {
            while (marks.chars().count() as u64) < start {
                marks.push(' ');
            }
            let drawn = (marks.chars().count() as u64).saturating_sub(start);
            let width = (end - start).max(1).saturating_sub(drawn);
            marks += &"^".repeat(width as usize);
        }
        if !marks.is_empty() {
            let number = index + 1;
            out += &format!("{number:<3}| {line}\n   | {marks}\n");
        }
    }
    out
}
