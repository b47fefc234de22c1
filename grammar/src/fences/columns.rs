//! Fences of herd's dialects: cells of the table, in rows of their own.

use super::lines::{line_end, rest_of_line, with_line};
use super::{NewFence, Place, Written};
use crate::ast::Test;
use crate::ast::herd::{Cell, Herd, Instruction, Op, OperandOrder, Row};
use crate::ast::native::FenceKind;
use crate::format::Edit;
use crate::span::Span;
use crate::words::x86::{Mnemonic, fence};

pub(crate) fn places(herd: &Herd) -> Vec<Place> {
    let mut places = Vec::new();
    for thread in 0..herd.threads.len() {
        let rows = herd.rows.iter().filter(|row| follows(row, thread));
        places.extend(rows.map(|row| Place {
            thread,
            at: row.span.end,
        }));
    }
    places
}

pub(crate) fn written(herd: &Herd) -> Vec<Written> {
    let mut found = Vec::new();
    for thread in 0..herd.threads.len() {
        let column = herd.column(thread);
        let instructions = column.filter_map(|cell| cell.instruction.as_ref());
        found.extend(instructions.filter_map(|instruction| {
            Some(Written {
                thread,
                kind: kind_of(instruction.op)?,
                span: instruction.span,
            })
        }));
    }
    found
}

pub(crate) fn remove(herd: &mut Herd, spans: &[Span]) {
    for cell in herd.rows.iter_mut().flat_map(|row| &mut row.cells) {
        cell.instruction
            .take_if(|i| kind_of(i.op).is_some() && spans.contains(&i.span));
    }
}

pub(crate) fn insert(herd: &mut Herd, fences: &[NewFence]) {
    let threads = herd.threads.len();
    let mut rows = Vec::with_capacity(herd.rows.len());
    for row in std::mem::take(&mut herd.rows) {
        let at = row.span.end;
        let here: Vec<_> = fences
            .iter()
            .filter(|fence| fence.place.at == at && follows(&row, fence.place.thread))
            .collect();
        rows.push(row);
        if here.is_empty() {
            continue;
        }
        let mut cells = vec![Cell::default(); threads];
        for fence in here {
            if let Some(cell) = cells.get_mut(fence.place.thread) {
                *cell = fence_cell(fence.kind, Span::at(at));
            }
        }
        rows.push(Row {
            cells,
            span: Span::at(at),
        });
    }
    herd.rows = rows;
}

fn fence_cell(kind: FenceKind, span: Span) -> Cell {
    let Mnemonic { word, op, .. } = fence(kind);
    Cell {
        labels: Vec::new(),
        instruction: Some(Box::new(Instruction {
            lock: None,
            op,
            word,
            width: None,
            source_width: None,
            mnemonic: span,
            operands: Vec::new(),
            order: OperandOrder::DestinationFirst,
            span,
        })),
        span,
        error: false,
    }
}

fn kind_of(op: Op) -> Option<FenceKind> {
    match op {
        Op::Mfence => Some(FenceKind::Full),
        Op::Sfence => Some(FenceKind::StoreStore),
        _ => None,
    }
}

/// Whether a fence can follow the row in a column: something is there.
fn follows(row: &Row, thread: usize) -> bool {
    row.cells
        .get(thread)
        .is_some_and(|cell| cell.instruction.is_some() || !cell.labels.is_empty())
}

pub(crate) fn insert_edits(text: &str, test: &Test, herd: &Herd, fences: &[NewFence]) -> Vec<Edit> {
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
            let word = fence.kind.word();
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
    for instruction in herd.instructions() {
        let mnemonic = instruction.mnemonic.text(text);
        if mnemonic.bytes().any(|byte| byte.is_ascii_lowercase()) {
            lower += 1;
        } else {
            upper += 1;
        }
    }
    upper > lower
}

pub(crate) fn remove_edits(text: &str, test: &Test, herd: &Herd, spans: &[Span]) -> Vec<Edit> {
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
