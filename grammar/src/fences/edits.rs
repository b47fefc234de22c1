//! The edits that put fences into a text, or take them out.
//!
//! A new statement stands on its own line, indented as its neighbours, unless those share
//! a line; a new row has the bars of the row before it. Comments stay where they are. In a
//! text that was formatted, what comes out is formatted.

use super::{NewFence, Place, each_block, follows, kind_of};
use crate::ast::herd::{Cell, Row};
use crate::ast::native::{Block, FenceKind};
use crate::ast::{Body, Herd, Native, Test};
use crate::format::{Edit, FormatError, edits, format};
use crate::span::Span;

/// The edits that insert fences, in order of place. `test` is the tree of `text`.
pub fn insert_edits(text: &str, test: &Test, fences: &[NewFence]) -> Vec<Edit> {
    let raw = match &test.body {
        Body::Native(native) => new_statements(text, test, native, fences),
        Body::Herd(herd) => new_rows(text, test, herd, fences),
        Body::Unknown => Vec::new(),
    };
    keep_formatted(text, raw)
}

/// The text with fences inserted, formatted; refused where the text has errors.
pub fn fenced(text: &str, test: &Test, fences: &[NewFence]) -> Result<String, FormatError> {
    format(&apply(text, &insert_edits(text, test, fences)))
}

/// The edits that remove the fences written at these ranges, in order of place.
pub fn remove_edits(text: &str, test: &Test, spans: &[Span]) -> Vec<Edit> {
    let raw = match &test.body {
        Body::Native(_) => spans
            .iter()
            .map(|span| Edit {
                range: with_line(text, *span),
                text: String::new(),
            })
            .collect(),
        Body::Herd(herd) => without_cells(text, test, herd, spans),
        Body::Unknown => Vec::new(),
    };
    keep_formatted(text, raw)
}

/// The text after the edits, which are in order of place and apart.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for edit in edits {
        let range = edit.range.range();
        out.push_str(text.get(from..range.start).unwrap_or(""));
        out.push_str(&edit.text);
        from = range.end;
    }
    out.push_str(text.get(from..).unwrap_or(""));
    out
}

/// A text that was formatted stays so: its columns may have to become wider.
fn keep_formatted(text: &str, mut raw: Vec<Edit>) -> Vec<Edit> {
    raw.sort_by_key(|edit| edit.range);
    if raw.is_empty() || format(text).as_deref() != Ok(text) {
        return raw;
    }
    let changed = apply(text, &raw);
    match format(&changed) {
        Ok(formatted) if formatted != changed => edits(text, &formatted),
        _ => raw,
    }
}

fn word(kind: FenceKind) -> &'static str {
    match kind {
        FenceKind::Full => "mfence",
        FenceKind::StoreStore => "sfence",
    }
}

// ---- The native dialect ----

fn new_statements(text: &str, test: &Test, native: &Native, fences: &[NewFence]) -> Vec<Edit> {
    let mut found = Vec::new();
    for (thread, t) in native.threads.iter().enumerate() {
        each_block(&t.body, &mut |block| {
            for fence in fences.iter().filter(|fence| fence.place.thread == thread) {
                if let Some(edit) = new_statement(text, test, block, fence) {
                    found.push(edit);
                }
            }
        });
    }
    found
}

/// The edit that puts a fence into the block, when it belongs there.
fn new_statement(text: &str, test: &Test, block: &Block, fence: &NewFence) -> Option<Edit> {
    let Place { at, .. } = fence.place;
    let first = at == super::start_of(block);
    let neighbour = if first {
        block.stmts.first().map(|stmt| stmt.span)
    } else {
        Some(block.stmts.iter().find(|stmt| stmt.span.end == at)?.span)
    };
    let indent = match neighbour {
        Some(span) => indentation(text, span.start),
        // An empty block: beside its brace.
        None => None,
    };
    let fence = word(fence.kind);
    let (at, text) = match (rest_of_line(text, test, at), indent) {
        (Some(end), Some(indent)) => (end, format!("{}{indent}{fence};", line_end(text))),
        _ => (at, format!(" {fence};")),
    };
    Some(Edit {
        range: Span::at(at),
        text,
    })
}

/// The blanks before what begins its line at `start`; none when something precedes it there.
fn indentation(text: &str, start: u32) -> Option<&str> {
    let before = &text[..start as usize];
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    line.trim().is_empty().then_some(line)
}

/// Where the line that goes on at `at` ends, if only comments follow there.
fn rest_of_line(text: &str, test: &Test, at: u32) -> Option<u32> {
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

fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The range, with its line when nothing else is on it, else with the blanks before it.
fn with_line(text: &str, span: Span) -> Span {
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

// ---- herd's dialect ----

fn new_rows(text: &str, test: &Test, herd: &Herd, fences: &[NewFence]) -> Vec<Edit> {
    let upper = writes_upper_case(text, herd);
    let mut found = Vec::new();
    for row in &herd.rows {
        let here: Vec<&NewFence> = fences
            .iter()
            .filter(|fence| fence.place.at == row.span.end && follows(row, fence.place.thread))
            .collect();
        if here.is_empty() {
            continue;
        }
        let mut words = vec![String::new(); herd.threads.len()];
        for fence in here {
            let word = word(fence.kind);
            words[fence.place.thread] = if upper {
                word.to_uppercase()
            } else {
                word.to_owned()
            };
        }
        let end = row.span.end;
        found.push(match rest_of_line(text, test, end) {
            Some(at) => {
                let start = row.span.start as usize;
                let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
                let indent = &text[line..start];
                let indent = if indent.trim().is_empty() { indent } else { "" };
                let row = like(text, test, row, &words).unwrap_or_else(|| plain(&words));
                Edit {
                    range: Span::at(at),
                    text: format!("{}{indent}{row}", line_end(text)),
                }
            }
            None => Edit {
                range: Span::at(end),
                text: plain(&words),
            },
        });
    }
    found
}

/// A row whose bars stand below those of another row.
fn like(text: &str, test: &Test, row: &Row, words: &[String]) -> Option<String> {
    let start = row.span.start;
    let source = row.span.text(text);
    if source.contains('\n') || row.cells.len() != words.len() {
        return None;
    }
    // Where the bars are: not within a comment.
    let in_comment = |at: u32| {
        let after = test
            .comments
            .partition_point(|comment| comment.span.start <= at);
        after > 0 && at < test.comments[after - 1].span.end
    };
    let bars: Vec<usize> = source
        .char_indices()
        .filter(|(at, c)| matches!(c, '|' | ';') && !in_comment(start + *at as u32))
        .map(|(at, _)| at)
        .collect();
    if bars.len() != words.len() {
        return None;
    }
    let mut out = String::new();
    let mut from = 0;
    for ((word, cell), &bar) in words.iter().zip(&row.cells).zip(&bars) {
        let width = |text: &str| text.chars().count();
        let begin = if word.is_empty() {
            bar
        } else {
            (cell.span.start.saturating_sub(start) as usize).clamp(from, bar)
        };
        // Tabs stay, so that what follows them stays in its column.
        out.extend(
            source[from..begin]
                .chars()
                .map(|c| if c == '\t' { c } else { ' ' }),
        );
        out.push_str(word);
        if !word.is_empty() {
            let tail = &source[begin..bar];
            let blank = width(tail).saturating_sub(width(word)).max(1);
            // The blanks that the other cell ends with may be tabs.
            let kept: String = tail
                .chars()
                .skip(width(tail) - blank.min(width(tail)))
                .collect();
            if kept.contains('\t') && kept.trim().is_empty() {
                out.push_str(&kept);
            } else {
                out.extend(std::iter::repeat_n(' ', blank));
            }
        }
        out.push_str(&source[bar..=bar]);
        from = bar + 1;
    }
    Some(out)
}

/// A row beside others on its line, or where nothing can be aligned.
fn plain(words: &[String]) -> String {
    format!(" {} ;", words.join(" | "))
}

/// Whether the mnemonics of the file are in capitals, most of them.
fn writes_upper_case(text: &str, herd: &Herd) -> bool {
    let mut upper = 0;
    let mut lower = 0;
    let instructions = herd
        .rows
        .iter()
        .flat_map(|row| &row.cells)
        .filter_map(|cell| cell.instruction.as_ref());
    for instruction in instructions {
        let mnemonic = instruction.mnemonic.text(text);
        if mnemonic.bytes().any(|byte| byte.is_ascii_lowercase()) {
            lower += 1;
        } else {
            upper += 1;
        }
    }
    upper > lower
}

fn without_cells(text: &str, test: &Test, herd: &Herd, spans: &[Span]) -> Vec<Edit> {
    let mut found = Vec::new();
    for row in &herd.rows {
        let removed = |cell: &Cell| {
            cell.instruction
                .as_ref()
                .filter(|i| kind_of(i.op).is_some() && spans.contains(&i.span))
                .map(|i| i.span)
        };
        let gone: Vec<Span> = row.cells.iter().filter_map(removed).collect();
        if gone.is_empty() {
            continue;
        }
        let emptied = row.cells.iter().all(|cell| {
            cell.labels.is_empty() && (cell.instruction.is_none() || removed(cell).is_some())
        });
        let has_comment = test
            .comments
            .iter()
            .any(|comment| row.span.contains(comment.span));
        if emptied && !has_comment && rest_of_line(text, test, row.span.end) == Some(row.span.end) {
            found.push(Edit {
                range: with_line(text, row.span),
                text: String::new(),
            });
        } else {
            // The cell stays, so that the other columns stay where they are.
            found.extend(gone.iter().map(|span| Edit {
                range: *span,
                text: " ".repeat(span.text(text).chars().count()),
            }));
        }
    }
    found
}
