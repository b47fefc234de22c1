//! The formatter: one layout for a text, whatever blanks it was written with.
//!
//! It moves blanks and line ends and nothing else: the characters that are not
//! blank are the same before and after, in the same order ([`edits`] relies on
//! it). So every comment stays, an instruction keeps its spelling, and what is
//! printed reads as the same tree. Where a tree and its comments leave a choice,
//! what was written decides: a line end next to a logical connective or a comma
//! stays, blank lines stay (one of several), a comment stays beside its code or on
//! its own line.
//!
//! Line ends: the first one of a text decides for all of it, so a file with CRLF
//! keeps CRLF. A byte order mark stays.
//!
//! Time and memory are linear in the text. `native` and `herd` say where lines
//! begin (from the tree) and which pieces stand apart; `layout` prints by that,
//! from the cuts of `pieces`; `table` aligns herd's columns.

pub(crate) mod c;
mod edits;
pub(crate) mod herd;
mod layout;
pub(crate) mod native;
mod pieces;
mod table;
#[cfg(test)]
mod tests;

use crate::error::{Error, ErrorKind, Severity};
use crate::span::Span;
pub use edits::{Edit, edits};
use std::fmt;

/// Why a text was not formatted: it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// What is wrong, sorted by place; warnings are left out.
    pub errors: Vec<Error>,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not formatted, because it cannot be read")?;
        if let Some(first) = self.errors.first() {
            write!(f, ": {} ({})", first.message(), first.code())?;
        }
        match self.errors.len() {
            0 | 1 => Ok(()),
            2 => write!(f, ", and 1 more error"),
            n => write!(f, ", and {} more errors", n - 1),
        }
    }
}

impl std::error::Error for FormatError {}

/// Formats a text of either dialect; refuses one that has errors.
pub fn format(text: &str) -> Result<String, FormatError> {
    let parse = crate::parse(text);
    if parse.errors.iter().any(hides_tree) {
        let mut errors = parse.errors;
        errors.retain(hides_tree);
        return Err(FormatError { errors });
    }
    // The layout below knows one kind of line end.
    if text.contains('\r') {
        let crlf = first_line_end_is_crlf(text);
        let plain = text.replace("\r\n", "\n");
        let printed = print(&plain, &crate::parse(&plain));
        return Ok(if crlf {
            printed.replace('\n', "\r\n")
        } else {
            printed
        });
    }
    Ok(print(text, &parse))
}

/// Whether the error may keep a part of the text out of the tree. What is not modelled is
/// read all the same.
fn hides_tree(error: &Error) -> bool {
    error.severity() == Severity::Error && !matches!(error.kind, ErrorKind::NotModelled { .. })
}

/// The edits that format the lines which `range` touches, and no other line.
pub fn format_range(text: &str, range: Span) -> Result<Vec<Edit>, FormatError> {
    let printed = format(text)?;
    Ok(edits_of_lines(text, edits(text, &printed), range))
}

fn print(text: &str, parse: &crate::Parse) -> String {
    let tree = parse.test.body.tree();
    let printed = tree.map_or_else(|| text.to_owned(), |tree| tree.print(text, &parse.test));
    debug_assert!(
        edits::same_but_blanks(text, &printed),
        "the formatter changed more than blanks:\n{text}\n---\n{printed}"
    );
    printed
}

fn first_line_end_is_crlf(text: &str) -> bool {
    text.find('\n')
        .is_some_and(|at| at > 0 && text.as_bytes()[at - 1] == b'\r')
}

/// Those of `edits` that change the lines which `range` touches. The blanks before a
/// piece are on the piece's line; of those behind the last line, only what trails it.
fn edits_of_lines(text: &str, edits: Vec<Edit>, range: Span) -> Vec<Edit> {
    let bytes = text.as_bytes();
    let start = (range.start as usize).min(bytes.len());
    let end = (range.end as usize).clamp(start, bytes.len());
    let line_end = |byte: &u8| *byte == b'\n';
    let start = bytes[..start]
        .iter()
        .rposition(line_end)
        .map_or(0, |at| at + 1);
    let end = bytes[end..]
        .iter()
        .position(line_end)
        .map_or(bytes.len(), |at| end + at);
    let mut kept = Vec::new();
    for mut edit in edits {
        let span = edit.range.range();
        if span.end < start || span.start > end {
            continue;
        }
        if span.end > end {
            if !edit.text.contains('\n') {
                continue;
            }
            let crlf = end > span.start && bytes[end - 1] == b'\r';
            edit = Edit {
                range: Span::new(span.start as u32, end as u32 - u32::from(crlf)),
                text: String::new(),
            };
            if edit.range.is_empty() {
                continue;
            }
        }
        kept.push(edit);
    }
    kept
}
