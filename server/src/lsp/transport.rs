//! Standard input and output: whole, valid messages in; whole messages out.
//!
//! tower-lsp's own reader ends for good at the first malformed message, holds whatever
//! length a header claims, and after `exit` waits for one more message. So two threads
//! of our own stand in front of it: what reaches tower-lsp is known to be a message, and
//! everything else is answered here, as the protocol says.

use std::io::{self, BufRead, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::task::{Context, Poll};

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{Notify, mpsc as async_mpsc};
use tower_lsp::jsonrpc::{Request, Response};

use super::log::{Level, Log};

/// A longer message is skipped and answered with an error: a text of 50 MB fits many times.
const MAX_MESSAGE: u64 = 512 << 20;
/// A longer header line is garbage.
const MAX_HEADER: u64 = 4096;
/// Messages read ahead of the server.
const READ_AHEAD: usize = 64;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;

/// How the conversation ends, seen from outside tower-lsp.
#[derive(Debug, Default)]
pub struct Ending {
    /// Woken by `exit`, by the end of input, and by output that nobody reads any more.
    pub over: Notify,
    shutdown_seen: AtomicBool,
    exit_seen: AtomicBool,
}

impl Ending {
    /// The protocol's exit status: 0 after `shutdown` and `exit`, else 1.
    pub fn status(&self) -> u8 {
        let orderly =
            self.shutdown_seen.load(Ordering::SeqCst) && self.exit_seen.load(Ordering::SeqCst);
        u8::from(!orderly)
    }
}

/// Messages on their way to the client.
#[derive(Debug, Clone)]
pub struct Output {
    frames: mpsc::Sender<Vec<u8>>,
    backlog: Arc<AtomicUsize>,
}

impl Output {
    /// Starts the thread that writes. It ends when all senders are gone or the pipe is closed.
    pub fn start(
        mut sink: impl Write + Send + 'static,
        ending: Arc<Ending>,
    ) -> (Output, std::thread::JoinHandle<()>) {
        let (frames, queue) = mpsc::channel::<Vec<u8>>();
        let backlog = Arc::new(AtomicUsize::new(0));
        let left = backlog.clone();
        let thread = std::thread::spawn(move || {
            for frame in queue {
                if sink.write_all(&frame).and_then(|()| sink.flush()).is_err() {
                    ending.over.notify_one();
                    return;
                }
                left.fetch_sub(1, Ordering::SeqCst);
            }
        });
        (Output { frames, backlog }, thread)
    }

    /// Messages the client has not taken yet.
    pub fn backlog(&self) -> usize {
        self.backlog.load(Ordering::SeqCst)
    }

    fn send(&self, frame: Vec<u8>) {
        self.backlog.fetch_add(1, Ordering::SeqCst);
        if self.frames.send(frame).is_err() {
            self.backlog.fetch_sub(1, Ordering::SeqCst);
        }
    }

    fn answer_error(&self, id: Value, code: i64, message: &str) {
        let body = json!({
            "jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message},
        })
        .to_string();
        self.send(format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes());
    }
}

/// What tower-lsp writes to: cuts its bytes into messages.
#[derive(Debug)]
pub struct OutputEnd {
    output: Output,
    pending: Vec<u8>,
}

impl OutputEnd {
    pub fn new(output: Output) -> OutputEnd {
        OutputEnd {
            output,
            pending: Vec::new(),
        }
    }

    /// The length of the first message in `pending`, headers included, when it is whole.
    fn whole_message(&self) -> Option<usize> {
        let header_end = find(&self.pending, b"\r\n\r\n")? + 4;
        let header = std::str::from_utf8(&self.pending[..header_end]).ok()?;
        let length: usize = header
            .lines()
            .find_map(|line| line.strip_prefix("Content-Length:"))?
            .trim()
            .parse()
            .ok()?;
        (self.pending.len() >= header_end + length).then_some(header_end + length)
    }
}

impl AsyncWrite for OutputEnd {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.pending.extend_from_slice(bytes);
        while let Some(length) = self.whole_message() {
            let rest = self.pending.split_off(length);
            let frame = std::mem::replace(&mut self.pending, rest);
            self.output.send(frame);
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// What tower-lsp reads from: messages that were found valid.
#[derive(Debug)]
pub struct InputEnd {
    messages: async_mpsc::Receiver<Vec<u8>>,
    current: Vec<u8>,
    taken: usize,
}

impl AsyncRead for InputEnd {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.taken == self.current.len() {
            match self.messages.poll_recv(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(Ok(())),
                Poll::Ready(Some(message)) => {
                    self.current = message;
                    self.taken = 0;
                }
            }
        }
        let count = buffer.remaining().min(self.current.len() - self.taken);
        buffer.put_slice(&self.current[self.taken..self.taken + count]);
        self.taken += count;
        Poll::Ready(Ok(()))
    }
}

/// Starts the thread that reads.
pub fn start_input(
    source: impl BufRead + Send + 'static,
    output: Output,
    ending: Arc<Ending>,
    log: Log,
) -> InputEnd {
    let (sender, messages) = async_mpsc::channel(READ_AHEAD);
    std::thread::spawn(move || {
        read_messages(source, &output, &ending, &log, |body| {
            let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
            frame.extend_from_slice(&body);
            sender.blocking_send(frame).is_ok()
        });
        ending.over.notify_one();
    });
    InputEnd {
        messages,
        current: Vec::new(),
        taken: 0,
    }
}

/// Reads until the end of input, `exit`, or a `deliver` that says nobody listens.
fn read_messages(
    mut source: impl BufRead,
    output: &Output,
    ending: &Ending,
    log: &Log,
    mut deliver: impl FnMut(Vec<u8>) -> bool,
) {
    while let Some(length) = read_header(&mut source, output) {
        if length > MAX_MESSAGE {
            log.write(
                Level::Error,
                &format!("skipped a message of {length} bytes"),
            );
            let skipped = io::copy(&mut (&mut source).take(length), &mut io::sink());
            output.answer_error(
                Value::Null,
                INVALID_REQUEST,
                &format!("a message of {length} bytes is too large"),
            );
            match skipped {
                Ok(n) if n == length => continue,
                _ => return,
            }
        }
        let mut body = Vec::new();
        match (&mut source).take(length).read_to_end(&mut body) {
            Ok(n) if n as u64 == length => {}
            _ => return,
        }
        match classify(&body) {
            Classified::Call {
                method,
                body: clean,
            } => {
                log.write_with(Level::Debug, || format!("<- {method} ({length} bytes)"));
                match method.as_str() {
                    "exit" => {
                        ending.exit_seen.store(true, Ordering::SeqCst);
                        return;
                    }
                    "shutdown" => ending.shutdown_seen.store(true, Ordering::SeqCst),
                    _ => {}
                }
                if !deliver(clean.unwrap_or(body)) {
                    return;
                }
            }
            Classified::Answer => {
                if !deliver(body) {
                    return;
                }
            }
            Classified::Bad { id, code, message } => {
                log.write(Level::Error, &format!("malformed message: {message}"));
                output.answer_error(id, code, &message);
            }
        }
    }
}

/// The length of the next message; `None` at the end of input. Headers without a usable
/// length cost one error answer, and reading goes on behind them.
fn read_header(source: &mut impl BufRead, output: &Output) -> Option<u64> {
    let mut length: Option<u64> = None;
    let mut garbage = false;
    loop {
        let mut line = Vec::new();
        let read = source.take(MAX_HEADER).read_until(b'\n', &mut line).ok()?;
        if read == 0 {
            return None;
        }
        if line == b"\r\n" || line == b"\n" {
            match length {
                Some(length) => return Some(length),
                None if garbage => {
                    output.answer_error(
                        Value::Null,
                        PARSE_ERROR,
                        "a message header without a valid Content-Length",
                    );
                    garbage = false;
                    continue;
                }
                None => continue,
            }
        }
        match content_length(&line) {
            Some(Some(value)) => length = Some(value),
            Some(None) => garbage = true,
            None => garbage |= length.is_none(),
        }
    }
}

/// `Some(None)`: the header is there and its value is none.
fn content_length(line: &[u8]) -> Option<Option<u64>> {
    let line = std::str::from_utf8(line).ok()?;
    let (name, value) = line.split_once(':')?;
    name.trim()
        .eq_ignore_ascii_case("content-length")
        .then(|| value.trim().parse().ok())
}

#[derive(Debug, PartialEq)]
enum Classified {
    /// A request or a notification; `body` when it had to be written anew.
    Call {
        method: String,
        body: Option<Vec<u8>>,
    },
    /// A response to what the server asked.
    Answer,
    Bad {
        id: Value,
        code: i64,
        message: String,
    },
}

/// Whether tower-lsp will be able to read a message; it must never see one that it cannot.
fn classify(body: &[u8]) -> Classified {
    if std::str::from_utf8(body).is_err() {
        return Classified::Bad {
            id: Value::Null,
            code: PARSE_ERROR,
            message: "the message is not UTF-8".to_owned(),
        };
    }
    match serde_json::from_slice::<Request>(body) {
        Ok(request) => {
            let method = request.method().to_owned();
            // Some clients write `null` where a method takes nothing; tower-lsp refuses it.
            let body = (request.params() == Some(&Value::Null)).then(|| without_params(request));
            return Classified::Call { method, body };
        }
        Err(error) if !error.is_data() => {
            return Classified::Bad {
                id: Value::Null,
                code: PARSE_ERROR,
                message: format!("the message is not JSON: {error}"),
            };
        }
        Err(_) => {}
    }
    if serde_json::from_slice::<Response>(body).is_ok() {
        return Classified::Answer;
    }
    let id = serde_json::from_slice::<Value>(body)
        .ok()
        .and_then(|value| value.get("id").cloned())
        .filter(|id| id.is_number() || id.is_string())
        .unwrap_or_default();
    Classified::Bad {
        id,
        code: INVALID_REQUEST,
        message: "the message is neither a request nor a response".to_owned(),
    }
}

fn without_params(request: Request) -> Vec<u8> {
    let (method, id, _) = request.into_parts();
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    if let Some(id) = id {
        message["id"] = json!(id);
    }
    message.to_string().into_bytes()
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds bytes; gives the methods that were delivered and the errors that were answered.
    fn feed(input: &[u8]) -> (Vec<String>, Vec<i64>, u8) {
        let ending = Arc::new(Ending::default());
        let (sender, frames) = mpsc::channel();
        let output = Output {
            frames: sender,
            backlog: Arc::default(),
        };
        let mut delivered = Vec::new();
        read_messages(
            io::BufReader::new(input),
            &output,
            &ending,
            &Log::off(),
            |body| {
                let value: Value = serde_json::from_slice(&body).unwrap();
                delivered.push(value["method"].as_str().unwrap_or("answer").to_owned());
                true
            },
        );
        drop(output);
        let errors = frames
            .iter()
            .map(|frame| {
                let start = find(&frame, b"\r\n\r\n").unwrap() + 4;
                let value: Value = serde_json::from_slice(&frame[start..]).unwrap();
                value["error"]["code"].as_i64().unwrap()
            })
            .collect();
        (delivered, errors, ending.status())
    }

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn malformed_messages_are_answered_and_the_next_is_read() {
        let good = frame(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#);
        for (bad, code) in [
            (frame("{"), PARSE_ERROR),
            (frame("\u{0}"), PARSE_ERROR),
            (frame("[]"), INVALID_REQUEST),
            (frame(r#"{"id":1}"#), INVALID_REQUEST),
            (
                frame(r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#),
                INVALID_REQUEST,
            ),
            ("Nonsense: 4\r\n\r\n".to_owned(), PARSE_ERROR),
            ("Content-Length: -4\r\n\r\n".to_owned(), PARSE_ERROR),
            (format!("{}\r\n\r\n", "x".repeat(10_000)), PARSE_ERROR),
        ] {
            let (delivered, errors, _) = feed(format!("{bad}{good}").as_bytes());
            assert_eq!(delivered, ["a"], "after {bad:?}");
            assert_eq!(errors, [code], "for {bad:?}");
        }
    }

    #[test]
    fn null_params_are_none() {
        let body = br#"{"jsonrpc":"2.0","id":"a","method":"shutdown","params":null}"#;
        let Classified::Call {
            body: Some(clean), ..
        } = classify(body)
        else {
            panic!("it is written anew");
        };
        assert_eq!(
            String::from_utf8(clean).unwrap(),
            r#"{"jsonrpc":"2.0","method":"shutdown","id":"a"}"#
        );
    }

    #[test]
    fn deep_nesting_is_no_stack_overflow() {
        let deep = frame(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{}{}}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        ));
        let (delivered, errors, _) = feed(deep.as_bytes());
        assert!(delivered.is_empty());
        assert_eq!(errors, [PARSE_ERROR]);
    }

    #[test]
    fn other_headers_and_answers_pass() {
        let body = r#"{"jsonrpc":"2.0","id":1,"result":null}"#;
        let input = format!(
            "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let (delivered, errors, status) = feed(input.as_bytes());
        assert_eq!(delivered, ["answer"]);
        assert!(errors.is_empty());
        assert_eq!(status, 1);
    }

    #[test]
    fn nothing_is_read_after_exit_and_only_shutdown_makes_it_orderly() {
        let exit = frame(r#"{"jsonrpc":"2.0","method":"exit"}"#);
        let shutdown = frame(r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#);
        let (delivered, _, status) = feed(format!("{exit}{shutdown}").as_bytes());
        assert!(delivered.is_empty());
        assert_eq!(status, 1);
        let (_, _, status) = feed(format!("{shutdown}{exit}").as_bytes());
        assert_eq!(status, 0);
    }

    #[test]
    fn a_length_that_lies_ends_the_input() {
        let (delivered, errors, _) = feed(b"Content-Length: 400\r\n\r\n{}");
        assert!(delivered.is_empty() && errors.is_empty());
        let (_, errors, _) = feed(b"Content-Length: 99999999999999\r\n\r\n{}");
        assert_eq!(errors, [INVALID_REQUEST]);
    }
}
