//! What the README shows is what the binary prints.

use std::fs;

use crate::{project, run};

/// The `text` block after a line.
fn block_after<'r>(readme: &'r str, line: &str) -> &'r str {
    let (_, rest) = readme
        .split_once(line)
        .unwrap_or_else(|| panic!("the README has no line {line:?}"));
    let (_, rest) = rest.split_once("```text\n").expect("its output follows");
    let (block, _) = rest.split_once("\n```").expect("the output ends");
    block
}

#[test]
fn the_tour_is_in_the_readme_as_it_is() {
    let readme = fs::read_to_string(project().join("README.md")).expect("there is a README");
    let answer = run(&[]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert_eq!(
        block_after(&readme, "cargo run --release\n"),
        answer.out.trim_end()
    );
}
