//! Where lines begin and end around a place of a text.

use crate::ast::Test;
use crate::span::Span;

/// The blanks before what begins its line at `start`; none when something precedes it there.
pub(super) fn indentation(text: &str, start: u32) -> Option<&str> {
    let before = &text[..start as usize];
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    line.trim().is_empty().then_some(line)
}

/// Where the line that goes on at `at` ends, if only comments follow there.
pub(super) fn rest_of_line(text: &str, test: &Test, at: u32) -> Option<u32> {
    let bytes = text.as_bytes();
    let mut pos = at as usize;
    let mut end = pos;
    loop {
        match bytes.get(pos) {
            None | Some(b'\n') => return Some(end as u32),
            Some(byte) if byte.is_ascii_whitespace() => pos += 1,
            Some(_) => {
                let comment = test
                    .comments
                    .binary_search_by_key(&(pos as u32), |comment| comment.span.start)
                    .ok()?;
                pos = test.comments[comment].span.end as usize;
                end = pos;
            }
        }
    }
}

pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The range, with its line when nothing else is on it, else with the blanks before it.
pub(super) fn with_line(text: &str, span: Span) -> Span {
    let before = &text[..span.start as usize];
    let after = &text[span.end as usize..];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line_rest = after.find('\n').map_or(after.len(), |at| at + 1);
    if before[line_start..].trim().is_empty() && after[..line_rest].trim().is_empty() {
        return Span::new(line_start as u32, span.end + line_rest as u32);
    }
    let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
    Span::new(span.start - blanks as u32, span.end)
}
