//! `fencepost fences` from the outside: output, exit status, `--apply`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;

const SB: &str = "litmus SB\n\nshared x, y;\n\nthread P0 {\n  x = 1; // raise\n  r0 = y;\n}\n\n\
                  thread P1 {\n  y = 1;\n  r1 = x;\n}\n\nexists (P0:r0 = 0 /\\ P1:r1 = 0)\n\
                  expect SC never, TSO sometimes\n";

const HERD_SB: &str = "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n \
                       MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                       exists (0:EAX=0 /\\ 1:EAX=0)\n";

/// A file of its own for a test.
fn file(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fences");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .arg("fences")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A call that is refused reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json(output: &Output) -> Json {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stdout)))
}

#[test]
fn json_has_cost_sets_and_proof() {
    let path = file("json.litmus", SB);
    let output = run(
        &[path.to_str().unwrap(), "--model", "tso", "--format", "json"],
        "",
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let found = json(&output);
    assert_eq!(found["model"], "TSO");
    assert_eq!(found["condition"], 0);
    assert_eq!(found["cost"], 2);
    assert_eq!(
        found["sets"],
        serde_json::json!([[
            {"thread": "P0", "after_line": 6, "kind": "mfence"},
            {"thread": "P1", "after_line": 11, "kind": "mfence"},
        ]])
    );
    assert_eq!(found["proof"]["classes"], 1);
    assert!(found["proof"]["rounds"].as_u64().unwrap() > 1);
    assert_eq!(found["more"], false);
    assert_eq!(found["applied"], false);
    assert_eq!(found["unneeded"]["alone"], serde_json::json!([]));
    assert_eq!(
        fs::read_to_string(path).unwrap(),
        SB,
        "nothing was asked to be written"
    );
}

#[test]
fn people_see_the_places() {
    let output = run(&["-"], SB);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let found = text(&output.stdout);
    assert!(found.contains("unreachable under TSO, PSO"), "{found}");
    assert!(found.contains("`mfence` in P0 and P1"), "{found}");
    assert!(
        found.contains("mfence in P0 after line 6: x = 1;"),
        "{found}"
    );
}

#[test]
fn apply_writes_the_fences_into_both_dialects() {
    let path = file("apply.litmus", SB);
    let output = run(&[path.to_str().unwrap(), "--apply"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let expected = SB
        .replace("x = 1; // raise\n", "x = 1; // raise\n  mfence;\n")
        .replace("y = 1;\n", "y = 1;\n  mfence;\n");
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    let said = text(&output.stdout);
    assert!(said.contains("its `expect` for TSO"), "{said}");

    // Again: there is nothing left to do.
    let output = run(&[path.to_str().unwrap(), "--apply", "--format", "json"], "");
    assert_eq!(json(&output)["cost"], 0);
    assert_eq!(json(&output)["sets"], serde_json::json!([[]]));
    assert_eq!(json(&output)["applied"], false);
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);

    let path = file("apply-herd.litmus", HERD_SB);
    let output = run(&[path.to_str().unwrap(), "--apply"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let expected = HERD_SB.replace(" MOV EAX,[y]", " MFENCE      | MFENCE      ;\n MOV EAX,[y]");
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    let left: Vec<_> = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".tmp") && name.contains("apply"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn apply_to_standard_input_prints_the_text() {
    let output = run(&["-", "--apply"], HERD_SB);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains("MFENCE      | MFENCE"));
    assert!(text(&output.stderr).contains("`mfence` in P0 and P1"));
}

#[test]
fn what_sc_reaches_is_refused_with_a_witness() {
    let reachable = SB.replace("P0:r0 = 0", "P0:r0 = 1");
    let output = run(&["-"], &reachable);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let found = text(&output.stdout);
    assert!(
        found.contains("no fence helps, it is reachable under SC"),
        "{found}"
    );
    assert!(found.contains("step"), "{found}");
    let output = run(&["-", "--format", "json"], &reachable);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let found = json(&output);
    assert_eq!(found["cost"], Json::Null);
    assert_eq!(
        found["outcome"],
        serde_json::json!({"P0:r0": 1, "P1:r1": 0})
    );
    assert!(!found["witness"]["steps"].as_array().unwrap().is_empty());
}

#[test]
fn robustness_needs_no_condition() {
    let none = SB.split("exists").next().unwrap().to_owned() + "locations [P0:r0; P1:r1;]\n";
    let output = run(&["-"], &none);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("--robust"), "{output:?}");
    let output = run(&["-", "--robust", "--format", "json"], &none);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(json(&output)["cost"], 2);
    assert_eq!(json(&output)["condition"], Json::Null);
}

#[test]
fn unneeded_fences_are_named() {
    let idle = SB.replace("r1 = x;\n", "r1 = x;\n  mfence;\n");
    let output = run(&["-"], &idle);
    let found = text(&output.stdout);
    assert!(
        found.contains(":13: this `mfence` is not needed under TSO, PSO"),
        "{found}"
    );
}

#[test]
fn bad_calls_and_files_exit_with_2() {
    for arguments in [
        &["/nowhere/x.litmus"][..],
        &["-", "--condition", "3"],
        &["-", "--model", "arm"],
        &["-", "--robust", "--condition", "0"],
        &[],
    ] {
        let output = run(arguments, SB);
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {output:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
    let output = run(&["-"], "litmus broken {");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn what_is_not_finished_exits_with_3() {
    let path = file("unfinished.litmus", SB);
    let output = run(
        &[path.to_str().unwrap(), "--max-classes", "1", "--apply"],
        "",
    );
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(text(&output.stdout).contains("not finished"), "{output:?}");
    assert_eq!(fs::read_to_string(path).unwrap(), SB);
}
