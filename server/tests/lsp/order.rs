//! Edits take effect in order: thousands of them, interleaved with requests and cancels.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::client::Client;
use super::{HERD_SB, NATIVE_SB};

const URI: &str = "file:///t/order.litmus";

/// A small generator; the same seed gives the same run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

#[derive(Clone, Copy)]
enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
            Encoding::Utf32 => "utf-32",
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// Lines as the protocol has them: ended by `\n`, `\r\n` or `\r`. Gives the byte where each
/// starts and where its own text ends.
fn lines(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < bytes.len() {
        let width = match bytes[at] {
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
            b'\r' | b'\n' => 1,
            _ => 0,
        };
        if width > 0 {
            lines.push((start, at));
            start = at + width;
            at = start;
        } else {
            at += 1;
        }
    }
    lines.push((start, text.len()));
    lines
}

/// The byte of a position, clamped as the protocol says; inside a character, its start.
fn offset(text: &str, line: usize, column: usize, encoding: Encoding) -> usize {
    let lines = lines(text);
    let Some(&(start, end)) = lines.get(line) else {
        return text.len();
    };
    let mut units = 0;
    for (at, c) in text[start..end].char_indices() {
        units += encoding.width(c);
        if units > column {
            return start + at;
        }
    }
    end
}

const PIECES: [&str; 20] = [
    "x = 1;",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "🔒",
    "é",
    "\u{c}",
    "\u{2028}",
    "mfence;",
    "{",
    "}",
    "(*",
    "*)",
    "exists (x = 0)",
    "|",
    "litmus T\nshared x;\n",
    "\u{0}",
    "a\u{301}👩‍👩‍👧",
];

const REQUESTS: [&str; 8] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/documentSymbol",
    "textDocument/codeLens",
    "textDocument/semanticTokens/full",
    "textDocument/foldingRange",
    "textDocument/references",
    "fencepost/outcomes",
];

fn run(encoding: Encoding, steps: usize, seed: u64, start: &str) {
    let mut random = Random(seed);
    let mut client = Client::start_with(
        json!({
            "general": {"positionEncodings": [encoding.name()]},
            "textDocument": {"semanticTokens": {"requests": {}, "tokenTypes": [],
                "tokenModifiers": [], "formats": []}},
        }),
        json!({"check": {"run": "onType", "debounce": 0, "timeout": 0.05}}),
    );
    let mut text = start.to_owned();
    let mut version = 1;
    client.open(URI, &text);
    let mut expected: HashMap<i64, (i32, String)> = HashMap::new();
    let mut others: Vec<i64> = Vec::new();
    let mut versions: HashMap<i64, i32> = HashMap::new();
    for step in 0..steps {
        let mut changes = Vec::new();
        for _ in 0..1 + random.below(3) {
            let mut piece = String::new();
            for _ in 0..random.below(3) {
                piece += PIECES[random.below(PIECES.len())];
            }
            if random.below(200) == 0 || text.len() > 4_000 {
                text = if random.below(2) == 0 {
                    NATIVE_SB
                } else {
                    HERD_SB
                }
                .to_owned();
                changes.push(json!({"text": text}));
                continue;
            }
            let count = lines(&text).len();
            let mut place = || {
                (
                    random.below(count + 2),
                    if random.below(10) == 0 {
                        100_000
                    } else {
                        random.below(40)
                    },
                )
            };
            let (a, b) = (place(), place());
            let far = random.below(4) > 0;
            // Most edits are small; some run over lines.
            let b = if far { (a.0, a.1 + b.1 % 4) } else { b };
            let (from, to) = (a.min(b), a.max(b));
            let start = offset(&text, from.0, from.1, encoding);
            let end = offset(&text, to.0, to.1, encoding);
            text.replace_range(start.min(end)..start.max(end), &piece);
            changes.push(json!({"range": {
                "start": {"line": from.0, "character": from.1},
                "end": {"line": to.0, "character": to.1}}, "text": piece}));
        }
        version += 1;
        client.change(URI, version, Value::Array(changes));
        let id = client.ask("fencepost/text", json!({"textDocument": {"uri": URI}}));
        expected.insert(id, (version, text.clone()));
        for _ in 0..random.below(3) {
            let method = REQUESTS[random.below(REQUESTS.len())];
            let mut params = json!({"textDocument": {"uri": URI}, "position":
                {"line": random.below(30), "character": random.below(60)}});
            if method == "textDocument/references" {
                params["context"] = json!({"includeDeclaration": true});
            }
            let id = client.ask(method, params);
            if method == "fencepost/outcomes" {
                versions.insert(id, version);
            }
            others.push(id);
            if random.below(4) == 0 {
                client.notify("$/cancelRequest", json!({"id": id}));
            }
        }
        if random.below(50) == 0 {
            client.save(URI);
        }
        if step % 64 == 0 {
            client.drain();
            settle(&mut client, &mut expected);
        }
    }
    for id in expected.keys().copied().collect::<Vec<_>>() {
        let answer = client.answer(id).expect("the text is answered");
        compare(&answer, &expected[&id]);
    }
    for id in others {
        match client.answer(id) {
            Ok(answer) => {
                if let Some(version) = versions.get(&id) {
                    speaks_of(&answer, *version);
                }
            }
            Err(error) => assert_eq!(
                error["code"], -32800,
                "only a cancelled request fails: {error}"
            ),
        }
    }
    client.drain();
    let mut last = 0;
    for message in &client.waiting {
        assert!(
            message["params"]["message"]
                .as_str()
                .is_none_or(|m| !m.contains("failed")),
            "{message}"
        );
        if message["method"] == "textDocument/publishDiagnostics" {
            let told = message["params"]["version"].as_i64().expect("a version");
            assert!(
                told >= last,
                "diagnostics go back from version {last} to {told}"
            );
            last = told;
        }
    }
}

/// An answer is about the text at the time of the question; a result in it that is not says so.
fn speaks_of(outcomes: &Value, version: i32) {
    assert_eq!(outcomes["version"], version);
    for (name, model) in outcomes["models"].as_object().expect("models") {
        let checked = model["version"].as_i64();
        assert!(
            checked.is_none_or(|checked| checked <= i64::from(version)),
            "{name} of the future: {outcomes}"
        );
        if model["stale"] == false && checked.is_some() {
            assert_eq!(checked, Some(i64::from(version)), "{name}: {outcomes}");
        }
    }
}

/// Compares the answers that have arrived.
fn settle(client: &mut Client, expected: &mut HashMap<i64, (i32, String)>) {
    let mut left = std::collections::VecDeque::new();
    for message in std::mem::take(&mut client.waiting) {
        let id = message["id"]
            .as_i64()
            .filter(|_| message.get("method").is_none());
        match id.and_then(|id| expected.remove(&id)) {
            Some(wanted) => compare(&message["result"], &wanted),
            None => left.push_back(message),
        }
    }
    client.waiting = left;
}

fn compare(answer: &Value, (version, text): &(i32, String)) {
    assert_eq!(answer["version"], *version);
    assert_eq!(
        answer["text"].as_str(),
        Some(text.as_str()),
        "version {version}"
    );
}

#[test]
fn ten_thousand_edits_and_requests_leave_the_texts_equal() {
    run(Encoding::Utf16, 10_000, 0x5eed_0001, NATIVE_SB);
}

#[test]
fn so_do_edits_counted_in_bytes() {
    run(Encoding::Utf8, 2_000, 0x5eed_0002, HERD_SB);
}

#[test]
fn so_do_edits_counted_in_characters() {
    run(Encoding::Utf32, 2_000, 0x5eed_0003, HERD_SB);
}
