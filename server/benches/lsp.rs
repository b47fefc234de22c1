//! How quick the server is, and how large it grows: `cargo bench -p fencepost --bench lsp`.
//!
//! Speaks to the binary over its pipes, as an editor does; every time is from the first byte
//! sent to the answer parsed.

// Not everything that the tests' client can do is measured.
#[allow(dead_code)]
#[path = "../tests/lsp/client.rs"]
mod client;

use std::io::Write;
use std::time::{Duration, Instant};

use client::{Client, full_capabilities};
use serde_json::{Value, json};

const SB: &str = include_str!("../../tests/litmus/native/SB.litmus");
/// Explores until it is stopped.
const ENDLESS: &str =
    "litmus endless\nshared x;\nthread W[i in 0..14] { r = fetch_add(x, 1); }\nexists (x = 14)\n";
const DOCUMENTS: usize = 200;
const SAMPLES: usize = 300;
const EDITS: i32 = 50_000;

fn main() {
    let mut table = Table::default();
    save_to_verdicts(&mut table);
    under_load(&mut table);
    memory(&mut table);
    table.print();
}

fn uri(index: usize) -> String {
    format!("file:///bench/{index}.litmus")
}

/// From save to all three verdicts at the client.
fn save_to_verdicts(table: &mut Table) {
    let mut client = Client::start();
    let uri = uri(0);
    client.open_checked(&uri, SB);
    client.wait_insights(&uri);
    let mut times = Vec::new();
    for _ in 0..SAMPLES {
        client.drain();
        client.waiting.clear();
        let begin = Instant::now();
        client.save(&uri);
        client.wait(|message| {
            message["method"] == "fencepost/status" && message["params"]["state"] == "done"
        });
        times.push(begin.elapsed());
        client.wait_insights(&uri);
    }
    table.time(
        "save to three verdicts, SB",
        times,
        Duration::from_millis(20),
    );
}

/// Edits and questions in one document while the others are open and some are checked.
fn under_load(table: &mut Table) {
    let options = json!({"check": {"timeout": 0, "maxClasses": 0}});
    let mut client = Client::start_with(full_capabilities(), options);
    for index in 0..DOCUMENTS {
        client.open(&uri(index), SB);
    }
    for index in 0..DOCUMENTS {
        client.wait_checked(&uri(index));
    }
    for index in 1..8 {
        client.open(&uri(index), ENDLESS);
    }
    let edited = uri(0);
    let place = json!({"textDocument": {"uri": edited}, "position": {"line": 7, "character": 4}});
    let (mut hovers, mut completions, mut diagnostics) = (Vec::new(), Vec::new(), Vec::new());
    for sample in 0..SAMPLES {
        let version = sample as i32 + 2;
        let begin = Instant::now();
        client.change(&edited, version, typed(sample));
        client.wait_diagnostics(&edited, |params| params["version"] == version);
        diagnostics.push(begin.elapsed());
        let begin = Instant::now();
        client
            .request("textDocument/hover", place.clone())
            .expect("a hover");
        hovers.push(begin.elapsed());
        let begin = Instant::now();
        client
            .request("textDocument/completion", place.clone())
            .expect("items");
        completions.push(begin.elapsed());
        client.drain();
        client.waiting.clear();
    }
    let under = format!("{DOCUMENTS} documents, checks running");
    table.time(
        &format!("hover, {under}"),
        hovers,
        Duration::from_millis(20),
    );
    table.time(
        &format!("completion, {under}"),
        completions,
        Duration::from_millis(20),
    );
    table.time(
        &format!("parse diagnostics, {under}"),
        diagnostics,
        Duration::from_millis(30),
    );
}

/// A letter typed into the documentation line, and taken away again.
fn typed(step: usize) -> Value {
    let at = json!({"line": 1, "character": 1});
    let behind = json!({"line": 1, "character": 2});
    if step.is_multiple_of(2) {
        json!([{"range": {"start": at, "end": at}, "text": "a"}])
    } else {
        json!([{"range": {"start": at, "end": behind}, "text": ""}])
    }
}

/// Resident memory over very many edits.
fn memory(table: &mut Table) {
    let mut client = Client::start();
    let uri = uri(0);
    client.open_checked(&uri, SB);
    let mut warm = 0;
    let begin = Instant::now();
    for edit in 0..EDITS {
        client.change(&uri, edit + 2, typed(edit as usize));
        if edit % 500 == 499 {
            // Not further ahead than an editor would be.
            client.text(&uri);
            client.drain();
            client.waiting.clear();
        }
        if edit == EDITS / 10 {
            warm = resident(&client);
        }
    }
    let each = begin.elapsed() / EDITS as u32;
    let grown = resident(&client).saturating_sub(warm);
    table.row(
        &format!("memory over {EDITS} edits"),
        &format!("{:.1} MB, grown by {:.1} MB", mega(warm), mega(grown)),
        "flat",
        grown < 8 << 20,
    );
    table.row("time of one edit", &format!("{each:?}"), "-", true);
}

fn mega(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// The resident set of the server, in bytes.
fn resident(client: &Client) -> u64 {
    let path = format!("/proc/{}/status", client.child.id());
    let status = std::fs::read_to_string(path).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    kilobytes.unwrap_or(0u64) * 1024
}

#[derive(Default)]
struct Table {
    rows: Vec<[String; 4]>,
}

impl Table {
    fn time(&mut self, what: &str, mut times: Vec<Duration>, limit: Duration) {
        times.sort_unstable();
        let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
        let found = format!(
            "p50 {:.2} ms, p95 {:.2} ms, max {:.2} ms",
            millis(at(50)),
            millis(at(95)),
            millis(at(100))
        );
        let wanted = format!("p95 < {} ms", limit.as_millis());
        self.row(what, &found, &wanted, at(95) < limit);
    }

    fn row(&mut self, what: &str, found: &str, wanted: &str, ok: bool) {
        let verdict = if ok { "ok" } else { "OVER" };
        self.rows
            .push([what, found, wanted, verdict].map(str::to_owned));
    }

    fn print(&self) {
        let mut out = std::io::stdout().lock();
        for [what, found, wanted, verdict] in &self.rows {
            // Nobody is there to be told that nobody is there.
            let _ = writeln!(out, "{what:<48} {found:<48} {wanted:<14} {verdict}");
        }
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
