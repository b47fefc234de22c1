//! Compares two syntax trees without their ranges.

use fencepost_grammar::Test;

/// The tree as text, with every byte range left out: two texts that differ only in
/// blanks have the same shape.
pub fn shape(test: &Test) -> String {
    without_ranges(&format!("{test:#?}"))
}

/// Blots out each `12..34`, which is how a range prints itself.
fn without_ranges(dump: &str) -> String {
    let mut out = String::with_capacity(dump.len());
    for line in dump.lines() {
        let (label, value) = line.rsplit_once(' ').unwrap_or(("", line));
        let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_range = value
            .trim_end_matches(',')
            .split_once("..")
            .is_some_and(|(from, to)| number(from) && number(to));
        out.push_str(if is_range { label } else { line });
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_go_and_the_rest_stays() {
        let dump = "Int {\n    value: 1,\n    span: 12..34,\n    name: \"0..3\",\n    spans: [\n        0..1,\n    ],\n}";
        assert_eq!(
            without_ranges(dump),
            "Int {\n    value: 1,\n    span:\n    name: \"0..3\",\n    spans: [\n       \n    ],\n}\n"
        );
    }
}
