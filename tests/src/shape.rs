//! Compares two syntax trees without their ranges.

use fencepost_grammar::Test;

/// The tree as text, with every byte range left out: two texts that differ only in
/// blanks have the same shape.
pub fn shape(test: &Test) -> String {
    without_ranges(&format!("{test:?}"))
}

/// Where two shapes part, with some of what is around.
pub fn first_difference(old: &str, new: &str) -> Option<(String, String)> {
    let at = old.chars().zip(new.chars()).position(|(a, b)| a != b);
    let at = match at {
        Some(at) => at,
        None if old.len() == new.len() => return None,
        None => old.chars().count().min(new.chars().count()),
    };
    let around = |text: &str| text.chars().skip(at.saturating_sub(80)).take(160).collect();
    Some((around(old), around(new)))
}

/// Leaves out each `12..34`, which is how a range prints itself, outside of strings.
fn without_ranges(dump: &str) -> String {
    let mut out = String::with_capacity(dump.len());
    let mut rest = dump;
    while let Some(at) = rest.find(|c: char| c == '"' || c.is_ascii_digit()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if rest.starts_with('"') {
            let length = string_length(rest);
            out.push_str(&rest[..length]);
            length
        } else {
            let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
            let from = digits(rest);
            match rest[from..].strip_prefix("..").map(digits) {
                Some(to) if to > 0 => from + 2 + to,
                _ => {
                    out.push_str(&rest[..from]);
                    from
                }
            }
        };
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// How long the quoted string is that a text starts with.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_go_and_the_rest_stays() {
        let dump = r#"Int { value: 1, span: 12..34, name: "0..3 \" 4..5", spans: [0..1] }"#;
        assert_eq!(
            without_ranges(dump),
            r#"Int { value: 1, span: , name: "0..3 \" 4..5", spans: [] }"#
        );
    }

    #[test]
    fn a_difference_is_shown() {
        assert_eq!(first_difference("same", "same"), None);
        let (old, new) = first_difference("a1b", "a2b").expect("they differ");
        assert_eq!((old.as_str(), new.as_str()), ("a1b", "a2b"));
        assert!(first_difference("a", "ab").is_some());
    }
}
