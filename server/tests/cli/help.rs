//! Every command has help, and every help an example.

use crate::run;

#[test]
fn every_help_has_an_example() {
    let top = run(&["--help"]);
    assert_eq!(top.status, 0);
    assert!(top.out.contains("Examples:"), "{}", top.out);
    let (_, rest) = top
        .out
        .split_once("Commands:")
        .expect("the commands are listed");
    let commands: Vec<&str> = rest
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() >= 6, "{commands:?}");
    for command in commands {
        for flag in ["--help", "-h"] {
            let answer = run(&[command, flag]);
            assert_eq!(answer.status, 0, "{command}");
            assert!(
                answer.out.contains("Example"),
                "{command} {flag}: {}",
                answer.out
            );
        }
    }
}

#[test]
fn the_version_is_said() {
    let answer = run(&["--version"]);
    assert_eq!(
        answer.out,
        format!("fencepost {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn every_code_that_a_run_prints_has_a_page() {
    let answer = run(&[
        "check",
        "tests/litmus",
        "tests/litmus-bad",
        "--format",
        "sarif",
    ]);
    let log: serde_json::Value = serde_json::from_str(&answer.out).expect("SARIF is JSON");
    let results = log["runs"][0]["results"]
        .as_array()
        .expect("results are a list");
    assert!(!results.is_empty());
    for result in results {
        let code = result["ruleId"].as_str().expect("a result has a code");
        let page = run(&["explain", code]);
        assert_eq!(page.status, 0, "{code}");
        assert!(page.out.starts_with(&format!("{code}: ")), "{}", page.out);
    }
}
