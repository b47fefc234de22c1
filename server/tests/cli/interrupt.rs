//! Ctrl-C ends a run at once and what was done is printed.
#![cfg(unix)]

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::{SB, fencepost};

#[test]
fn control_c_stops_and_prints_what_was_done() {
    // Millions of classes: it would run for minutes.
    let long = "tests/bench/lastzero.litmus";
    let mut command = fencepost(&["check", SB, long, "--param", "N=25", "--jobs", "2"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary runs");
    thread::sleep(Duration::from_millis(1500));
    let start = Instant::now();
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("there is a kill command");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    let took = start.elapsed();
    // The promise is 100 ms; a loaded machine that runs other tests beside it gets more.
    assert!(took < Duration::from_secs(2), "{took:?}");
    let _ = writeln!(std::io::stderr(), "Ctrl-C to exit: {} ms", took.as_millis());
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{out}{err}");
    assert!(out.contains("SB.litmus"), "what was done is printed: {out}");
    assert!(out.contains("1 fine"), "{out}");
    assert!(err.contains("stopped: 1 of 2 tests done"), "{err}");
    assert!(!out.contains("lastzero.litmus  never"), "{out}");
}
