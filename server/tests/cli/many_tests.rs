//! A folder of two thousand tests in one go.

use std::fs;
use std::time::Instant;

use crate::{arg, empty_folder, run};

#[test]
fn two_thousand_tests_in_one_go() {
    let folder = empty_folder("two-thousand");
    for number in 0..2000 {
        let inner = folder.join(format!("{}", number / 100));
        fs::create_dir_all(&inner).expect("a folder can be made");
        // Each stores another value, so that each has an answer of its own.
        let text = format!(
            "litmus t{number}\nshared x, y;\nthread P0 {{ x = {number}; r = y; }}\n\
             thread P1 {{ y = 1; s = x; }}\nexists (P0:r = 0 /\\ P1:s = {number})\n\
             expect SC sometimes, TSO sometimes, PSO sometimes\n"
        );
        fs::write(inner.join(format!("t{number:04}.litmus")), text).expect("a test can be written");
    }
    let start = Instant::now();
    let answer = run(&["check", arg(&folder), "--format", "json"]);
    let took = start.elapsed();
    assert_eq!(answer.status, 0, "{}", answer.err);
    let lines: Vec<&str> = answer.out.lines().collect();
    assert_eq!(lines.len(), 2000);
    for line in lines {
        let test: serde_json::Value = serde_json::from_str(line).expect("a line is an object");
        assert_eq!(test["ok"], true, "{line}");
    }
    let human = run(&["check", arg(&folder)]);
    assert!(
        human.out.ends_with("\n2,000 tests: 2,000 fine\n"),
        "{}",
        human.out
    );
    let mut log = std::io::stderr();
    let _ = std::io::Write::write_all(&mut log, format!("2,000 tests took {took:?}\n").as_bytes());
}
