//! Two runs print the same bytes, and so do one job and eight.

use crate::run;

#[test]
fn runs_and_numbers_of_jobs_do_not_show() {
    for format in ["human", "herd", "json", "sarif", "junit"] {
        let call = |jobs: &str| {
            let args = [
                "check",
                "tests/litmus",
                "tests/litmus-bad",
                "--format",
                format,
            ];
            let mut args = args.to_vec();
            args.extend(["--jobs", jobs]);
            let answer = run(&args);
            (answer.status, answer.out, answer.err)
        };
        let once = call("1");
        assert!(once.1.len() > 1000);
        assert_eq!(once, call("1"), "{format}: twice");
        assert_eq!(once, call("8"), "{format}: one job and eight");
    }
}

#[test]
fn witnesses_are_the_same_in_every_run() {
    for name in ["SB", "n6", "IRIW+mfences", "rmw/plain-counter"] {
        let file = format!("tests/litmus/native/{name}.litmus");
        for format in ["human", "json", "dot", "svg"] {
            let call = || {
                let answer = run(&["witness", &file, "--format", format]);
                (answer.out, answer.err)
            };
            assert_eq!(call(), call(), "{name} as {format}");
        }
    }
}
