//! Stop answers at once, and nothing outlives its document, its server or its editor.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, PATIENCE, full_capabilities, insert};
use super::{ENDLESS, MANY_CLASSES};

const URI: &str = "file:///t/endless.litmus";
/// The promise: the cores are quiet so long after a stop.
const QUIET_AFTER: Duration = Duration::from_millis(100);

fn start() -> Client {
    let options = json!({"check": {"timeout": 0, "maxClasses": 0}});
    let mut client = Client::start_with(full_capabilities(), options);
    client.open(URI, ENDLESS);
    client.wait_state(URI, |state| state == "checking");
    let busy = cpu_over(&client, Duration::from_millis(400));
    assert!(busy > Duration::from_millis(50), "it explores: {busy:?}");
    client
}

/// The processor time that the server takes within a span.
fn cpu_over(client: &Client, span: Duration) -> Duration {
    let before = cpu(client);
    thread::sleep(span);
    cpu(client).saturating_sub(before)
}

/// User and system time of the process, from the kernel's table.
fn cpu(client: &Client) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", client.child.id()))
        .expect("the process is alive");
    // The name in parentheses may hold blanks; fields are counted behind it.
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

fn assert_quiet(client: &Client) {
    thread::sleep(QUIET_AFTER);
    let used = cpu_over(client, Duration::from_millis(500));
    assert!(used <= Duration::from_millis(30), "still busy: {used:?}");
}

#[test]
fn the_next_edit_stops_a_check() {
    let mut client = start();
    client.change(URI, 2, insert(0, 0, " "));
    assert_quiet(&client);
    client.wait_state(URI, |state| state == "cancelled");
}

#[test]
fn the_next_edit_stops_what_follows_the_verdicts() {
    let options = json!({"check": {"timeout": 0, "maxClasses": 0}});
    let mut client = Client::start_with(full_capabilities(), options);
    client.open_checked(URI, MANY_CLASSES);
    let busy = cpu_over(&client, Duration::from_millis(200));
    assert!(busy > Duration::from_millis(50), "it explores: {busy:?}");
    assert_ne!(client.outcomes(URI)["pending"], 0);
    client.change(URI, 2, insert(0, 0, " "));
    assert_quiet(&client);
    assert_eq!(client.outcomes(URI)["pending"], 0);
}

#[test]
fn closing_the_document_stops_a_check() {
    let mut client = start();
    client.close(URI);
    assert_quiet(&client);
    client.wait_state(URI, |state| state == "closed");
    let cleared = client.wait_diagnostics(URI, |params| params["version"].is_null());
    assert_eq!(cleared["diagnostics"], json!([]));
}

#[test]
fn the_command_stops_a_check() {
    let mut client = start();
    client
        .execute("fencepost.cancel", json!({"uri": URI}))
        .expect("an answer");
    assert_quiet(&client);
    let outcomes = client.outcomes(URI);
    assert_eq!(outcomes["state"], "cancelled");
    assert_eq!(outcomes["models"]["PSO"]["note"], "stopped");
}

#[test]
fn progress_is_shown_and_its_cancel_stops_the_check() {
    let mut client = start();
    let begin = client
        .wait(|m| m["method"] == "$/progress" && m["params"]["value"]["kind"] == "begin")
        .expect("progress");
    assert_eq!(begin["params"]["value"]["cancellable"], true);
    assert_eq!(begin["params"]["value"]["title"], "Checking endless.litmus");
    let token = begin["params"]["token"].clone();
    client.notify("window/workDoneProgress/cancel", json!({"token": token}));
    client
        .wait(|m| m["method"] == "$/progress" && m["params"]["value"]["kind"] == "end")
        .expect("its end");
    assert_quiet(&client);
    assert_eq!(client.outcomes(URI)["state"], "cancelled");
}

#[test]
fn a_quick_check_shows_no_progress() {
    let mut client = Client::start();
    client.open_checked(URI, super::NATIVE_SB);
    let shown = client.wait_for(Duration::from_millis(600), |m| m["method"] == "$/progress");
    assert_eq!(shown, None);
}

#[test]
fn shutdown_stops_a_check_and_exit_ends_the_process() {
    let mut client = start();
    client.request("shutdown", Value::Null).expect("an answer");
    assert_quiet(&client);
    let begin = Instant::now();
    client.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    let status = client.wait_exit(PATIENCE).expect("it ends");
    assert_eq!(status.code(), Some(0));
    assert!(
        begin.elapsed() < Duration::from_secs(2),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn exit_without_shutdown_is_an_error() {
    let mut client = start();
    client.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    let status = client.wait_exit(PATIENCE).expect("it ends");
    assert_eq!(status.code(), Some(1));
}

#[test]
fn a_closed_pipe_ends_everything() {
    let mut client = start();
    let begin = Instant::now();
    client.hang_up();
    let status = client.wait_exit(PATIENCE).expect("it ends");
    assert_eq!(status.code(), Some(1));
    assert!(
        begin.elapsed() < Duration::from_secs(3),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn an_edit_and_a_cancel_do_not_wait_behind_checks() {
    let mut client = start();
    let begin = Instant::now();
    for version in 2..50 {
        client.change(URI, version, insert(0, 0, "\n"));
        client.save(URI);
        assert_eq!(client.text(URI)["version"], version);
    }
    assert!(
        begin.elapsed() < Duration::from_secs(10),
        "{:?}",
        begin.elapsed()
    );
}
