//! Every command and format on the classic shapes, as it really prints.
//!
//! `UPDATE_EXPECT=1 cargo test -p fencepost` writes the files anew.

use crate::{run, run_with_input};
use expect_test::{ExpectFile, expect_file};

/// Standard output, then the rest where there is any.
fn check(args: &[&str], expected: ExpectFile) {
    let answer = run(args);
    let mut text = answer.out;
    if !answer.err.is_empty() {
        text += "--- standard error\n";
        text += &answer.err;
    }
    if answer.status != 0 {
        text += &format!("--- exit status {}\n", answer.status);
    }
    expected.assert_eq(&text);
}

const NATIVE: &str = "tests/litmus/native";

fn native(name: &str) -> String {
    format!("{NATIVE}/{name}.litmus")
}

#[test]
fn check_one_in_full() {
    check(
        &["check", &native("SB"), "--witness"],
        expect_file!["snapshots/check-SB.txt"],
    );
    check(
        &["check", &native("MP"), "--witness", "--model", "pso,sc"],
        expect_file!["snapshots/check-MP.txt"],
    );
    check(
        &["check", &native("IRIW")],
        expect_file!["snapshots/check-IRIW.txt"],
    );
    check(
        &["check", "tests/litmus/herd/2+2W.litmus", "--witness"],
        expect_file!["snapshots/check-2+2W.txt"],
    );
    check(
        &["check", &native("language/conditions")],
        expect_file!["snapshots/check-conditions.txt"],
    );
    check(
        &["check", &native("locks/deadlock-abba"), "--witness"],
        expect_file!["snapshots/check-deadlock.txt"],
    );
    check(
        &["check", &native("MP+spin")],
        expect_file!["snapshots/check-bound.txt"],
    );
}

#[test]
fn check_one_in_ascii() {
    check(
        &["check", &native("SB"), "--witness", "--ascii"],
        expect_file!["snapshots/check-SB-ascii.txt"],
    );
    check(
        &[
            "check",
            "--ascii",
            "tests/litmus-bad/unknown-register.litmus",
        ],
        expect_file!["snapshots/check-error-ascii.txt"],
    );
}

#[test]
fn check_a_folder() {
    check(
        &["check", "tests/litmus/native/locks", "tests/litmus/herd"],
        expect_file!["snapshots/check-folder.txt"],
    );
    check(
        &["check", "tests/litmus-bad"],
        expect_file!["snapshots/check-bad.txt"],
    );
    check(
        &[
            "check",
            "--quiet",
            "tests/litmus/native",
            "tests/litmus-bad/failing-assertion.litmus",
        ],
        expect_file!["snapshots/check-quiet.txt"],
    );
}

#[test]
fn check_what_fails() {
    check(
        &["check", "tests/litmus-bad/failing-expectation.litmus"],
        expect_file!["snapshots/check-failing.txt"],
    );
    check(
        &[
            "check",
            "tests/litmus-bad/failing-assertion.litmus",
            "--witness",
        ],
        expect_file!["snapshots/check-assertion.txt"],
    );
    check(
        &["check", "tests/litmus-bad/duplicate-names.litmus"],
        expect_file!["snapshots/check-errors.txt"],
    );
}

#[test]
fn check_in_every_format() {
    let paths = [
        &native("SB"),
        "tests/litmus/herd/SB.litmus",
        "tests/litmus/herd/SB-forall.litmus",
        "tests/litmus-bad/failing-expectation.litmus",
        "tests/litmus-bad/unknown-register.litmus",
    ];
    for (format, expected) in [
        ("herd", expect_file!["snapshots/check.herd.txt"]),
        ("json", expect_file!["snapshots/check.json"]),
        ("sarif", expect_file!["snapshots/check.sarif"]),
        ("junit", expect_file!["snapshots/check.junit.xml"]),
    ] {
        let mut args = vec!["check", "--format", format];
        args.extend(paths);
        check(&args, expected);
    }
    check(
        &[
            "check",
            "--format",
            "herd",
            "--model",
            "tso",
            "tests/litmus/herd/SB.litmus",
        ],
        expect_file!["snapshots/check-tso.herd.txt"],
    );
}

#[test]
fn witness_in_every_format() {
    for (name, expected) in [
        ("SB", expect_file!["snapshots/witness-SB.txt"]),
        ("MP", expect_file!["snapshots/witness-MP.txt"]),
        ("2+2W", expect_file!["snapshots/witness-2+2W.txt"]),
        ("n6", expect_file!["snapshots/witness-n6.txt"]),
        (
            "rmw/plain-counter",
            expect_file!["snapshots/witness-counter.txt"],
        ),
    ] {
        check(&["witness", &native(name)], expected);
    }
    for (name, expected) in [
        ("SB", expect_file!["snapshots/witness-SB.svg"]),
        ("MP", expect_file!["snapshots/witness-MP.svg"]),
        ("2+2W", expect_file!["snapshots/witness-2+2W.svg"]),
    ] {
        check(&["witness", &native(name), "--format", "svg"], expected);
    }
    check(
        &["witness", &native("SB"), "--format", "dot"],
        expect_file!["snapshots/witness-SB.dot"],
    );
    check(
        &["witness", &native("SB"), "--format", "json"],
        expect_file!["snapshots/witness-SB.json"],
    );
    let iriw = native("IRIW");
    let some = "R0:r0=1;R0:r1=0;R1:r2=1;R1:r3=1";
    check(
        &[
            "witness",
            &iriw,
            "--model",
            "tso",
            "--outcome",
            some,
            "--format",
            "svg",
        ],
        expect_file!["snapshots/witness-IRIW.svg"],
    );
    check(
        &[
            "witness",
            &native("rmw/fetch_add-counter"),
            "--outcome",
            "count=3",
            "--format",
            "svg",
        ],
        expect_file!["snapshots/witness-rmw.svg"],
    );
}

#[test]
fn witness_of_what_goes_wrong() {
    check(
        &["witness", &native("locks/deadlock-abba"), "--deadlock"],
        expect_file!["snapshots/witness-deadlock.txt"],
    );
    check(
        &[
            "witness",
            "tests/litmus-bad/failing-assertion.litmus",
            "--assertion",
        ],
        expect_file!["snapshots/witness-assertion.txt"],
    );
    check(
        &["witness", &native("LB")],
        expect_file!["snapshots/witness-none.txt"],
    );
}

#[test]
fn fences_that_help_and_that_do_not() {
    check(
        &["fences", &native("SB")],
        expect_file!["snapshots/fences-SB.txt"],
    );
    check(
        &["fences", &native("SB"), "--format", "json"],
        expect_file!["snapshots/fences-SB.json"],
    );
    check(
        &["fences", &native("IRIW+mfences")],
        expect_file!["snapshots/fences-unneeded.txt"],
    );
    check(
        &["fences", &native("rmw/plain-counter")],
        expect_file!["snapshots/fences-no-help.txt"],
    );
}

#[test]
fn format_says_what_would_change() {
    let messy = b"litmus t\nshared   x ;\nthread P0{x=1;}\nexists(x=1)\n";
    let answer = run_with_input(&["fmt", "-"], messy);
    assert_eq!(answer.status, 0, "{}", answer.err);
    expect_file!["snapshots/fmt.txt"].assert_eq(&answer.out);
    check(
        &[
            "fmt",
            "--check",
            "tests/litmus-bad/syntax-error.litmus",
            &native("SB"),
        ],
        expect_file!["snapshots/fmt-errors.txt"],
    );
}

#[test]
fn examples_and_explanations() {
    check(&["example"], expect_file!["snapshots/example.txt"]);
    check(
        &["example", "MP"],
        expect_file!["../../../tests/litmus/native/MP.litmus"],
    );
    check(
        &["explain", "E0501"],
        expect_file!["snapshots/explain-E0501.txt"],
    );
    check(
        &["explain", "e0203"],
        expect_file!["snapshots/explain-E0203.txt"],
    );
}
