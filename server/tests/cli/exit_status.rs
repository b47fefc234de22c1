//! 0 as expected, 1 not so, 2 a bad file or call, 3 not finished; and which wins.

use crate::{SB, run};

const FAILING: &str = "tests/litmus-bad/failing-expectation.litmus";
const ASSERTION: &str = "tests/litmus-bad/failing-assertion.litmus";
const WRONG: &str = "tests/litmus-bad/syntax-error.litmus";
const LARGE: &str = "tests/litmus/native/3.SB.litmus";
const FORMATS: [&str; 5] = ["human", "herd", "json", "sarif", "junit"];

#[test]
fn zero_is_as_expected() {
    for format in FORMATS {
        let answer = run(&["check", SB, "--format", format]);
        assert_eq!(answer.status, 0, "{format}: {}", answer.err);
    }
}

#[test]
fn a_warning_alone_changes_no_status() {
    let file =
        std::env::temp_dir().join(format!("fencepost-warning-{}.litmus", std::process::id()));
    let text = "X86 T\n{ }\n P0         ;\n MOV EAX,$1 ;\nforall (0:EBX=0)\n";
    std::fs::write(&file, text).expect("the file can be written");
    let path = file.to_string_lossy();
    for format in FORMATS {
        let answer = run(&["check", &path, "--format", format]);
        assert_eq!(answer.status, 0, "{format}: {}", answer.err);
    }
    let answer = run(&["check", &path]);
    assert!(
        answer.out.contains("always under SC, TSO, PSO"),
        "{}",
        answer.out
    );
    assert!(answer.err.contains("warning[W0203]"), "{}", answer.err);
    assert!(answer.err.contains("did you mean `EAX`?"), "{}", answer.err);
    // Nothing else needs it.
    let _ = std::fs::remove_file(&file);
}

#[test]
fn one_is_an_expectation_or_assertion_that_fails() {
    for format in FORMATS {
        assert_eq!(
            run(&["check", FAILING, "--format", format]).status,
            1,
            "{format}"
        );
        assert_eq!(
            run(&["check", SB, ASSERTION, "--format", format]).status,
            1,
            "{format}"
        );
    }
    // The model that disagrees is not asked.
    assert_eq!(run(&["check", FAILING, "--model", "sc,pso"]).status, 0);
}

#[test]
fn two_is_a_file_or_call_that_is_wrong() {
    for format in FORMATS {
        assert_eq!(
            run(&["check", WRONG, "--format", format]).status,
            2,
            "{format}"
        );
    }
    assert_eq!(run(&["check", "no-such-file.litmus"]).status, 2);
    assert_eq!(run(&["check"]).status, 2);
    assert_eq!(run(&["chekc", SB]).status, 2);
}

#[test]
fn three_is_not_finished() {
    for format in FORMATS {
        let answer = run(&["check", LARGE, "--max-classes", "2", "--format", format]);
        assert_eq!(answer.status, 3, "{format}: {}", answer.out);
    }
}

#[test]
fn the_highest_wins_except_that_two_wins_over_three() {
    let limit = ["--max-classes", "3"];
    let status = |paths: &[&str]| {
        let mut args = vec!["check"];
        args.extend(paths);
        args.extend(limit);
        run(&args).status
    };
    assert_eq!(status(&[LARGE, FAILING]), 3);
    assert_eq!(status(&[FAILING, LARGE, SB]), 3);
    assert_eq!(status(&[LARGE, WRONG]), 2);
    assert_eq!(status(&[WRONG, FAILING]), 2);
}

#[test]
fn not_finished_is_never_called_never() {
    let answer = run(&["check", LARGE, "--max-classes", "3"]);
    for model in ["SC", "TSO", "PSO"] {
        let said = format!(
            "not finished under {model}: stopped after 3 classes, the limit; reachable so far: P0:r0="
        );
        assert!(answer.out.contains(&said), "{}", answer.out);
    }
    assert!(
        answer
            .out
            .contains("help: raise --timeout or --max-classes")
    );
    assert!(
        answer.out.contains('?'),
        "unseen is not denied: {}",
        answer.out
    );
    assert!(!answer.out.contains("never"), "{}", answer.out);
    let lines = run(&["check", LARGE, SB, "--max-classes", "3"]);
    assert!(lines.out.contains("2 not finished"), "{}", lines.out);
    let herd = run(&["check", LARGE, "--max-classes", "3", "--format", "herd"]);
    assert!(
        herd.out.contains("Unfinished 3.SB not finished under SC"),
        "{}",
        herd.out
    );
    assert!(!herd.out.contains("Never"), "{}", herd.out);
}

#[test]
fn a_time_that_runs_out_is_said() {
    let long = "tests/bench/lastzero.litmus";
    let answer = run(&["check", long, "--param", "N=25", "--timeout", "200ms"]);
    assert_eq!(answer.status, 3, "{}", answer.out);
    assert!(answer.out.contains("classes in 200 ms; "), "{}", answer.out);
}

#[test]
fn formatting_says_one_when_a_file_would_change() {
    assert_eq!(run(&["fmt", "--check", SB]).status, 0);
    let answer = crate::run_with_input(
        &["fmt", "--check", "-"],
        b"litmus t\nshared  x;\nthread P0 { x = 1; }\n",
    );
    assert_eq!(answer.status, 1, "{} {}", answer.out, answer.err);
    assert_eq!(run(&["fmt", "--check", WRONG]).status, 2);
}
