//! Fences of the native dialect: statements of their own.

use super::lines::{indentation, line_end, rest_of_line, with_line};
use super::{NewFence, Place, Written};
use crate::ast::Test;
use crate::ast::native::{Block, Native, Stmt, StmtKind};
use crate::format::Edit;
use crate::span::Span;

/// Behind the opening brace.
fn start_of(block: &Block) -> u32 {
    block.span.start + 1
}

pub(crate) fn places(native: &Native) -> Vec<Place> {
    let mut places = Vec::new();
    for (thread, t) in native.threads.iter().enumerate() {
        t.body.each(&mut |block| {
            let ends = block.stmts.iter().map(|stmt| stmt.span.end);
            let all = std::iter::once(start_of(block)).chain(ends);
            places.extend(all.map(|at| Place { thread, at }));
        });
    }
    places
}

pub(crate) fn written(native: &Native) -> Vec<Written> {
    let mut found = Vec::new();
    for (thread, t) in native.threads.iter().enumerate() {
        t.body.each(&mut |block| {
            found.extend(block.stmts.iter().filter_map(|stmt| match stmt.kind {
                StmtKind::Fence(kind) => Some(Written {
                    thread,
                    kind,
                    span: stmt.span,
                }),
                _ => None,
            }));
        });
    }
    found
}

pub(crate) fn insert(native: &mut Native, fences: &[NewFence]) {
    for (thread, t) in native.threads.iter_mut().enumerate() {
        t.body.each_mut(&mut |block| {
            let mut stmts = Vec::with_capacity(block.stmts.len());
            let put = |at: u32, stmts: &mut Vec<Stmt>| {
                let place = Place { thread, at };
                let here = fences.iter().filter(|fence| fence.place == place);
                stmts.extend(here.map(|fence| Stmt {
                    kind: StmtKind::Fence(fence.kind),
                    span: Span::at(at),
                }));
            };
            put(start_of(block), &mut stmts);
            for stmt in std::mem::take(&mut block.stmts) {
                let at = stmt.span.end;
                stmts.push(stmt);
                put(at, &mut stmts);
            }
            block.stmts = stmts;
        });
    }
}

pub(crate) fn remove(native: &mut Native, spans: &[Span]) {
    for thread in &mut native.threads {
        thread.body.each_mut(&mut |block| {
            block.stmts.retain(|stmt| {
                !(matches!(stmt.kind, StmtKind::Fence(_)) && spans.contains(&stmt.span))
            });
        });
    }
}

pub(crate) fn insert_edits(
    text: &str,
    test: &Test,
    native: &Native,
    fences: &[NewFence],
) -> Vec<Edit> {
    let mut found = Vec::new();
    for (thread, t) in native.threads.iter().enumerate() {
        t.body.each(&mut |block| {
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
    let first = at == start_of(block);
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
    let fence = fence.kind.word();
    let (at, text) = match (rest_of_line(text, test, at), indent) {
        (Some(end), Some(indent)) => (end, format!("{}{indent}{fence};", line_end(text))),
        _ => (at, format!(" {fence};")),
    };
    Some(Edit {
        range: Span::at(at),
        text,
    })
}

pub(crate) fn remove_edits(text: &str, spans: &[Span]) -> Vec<Edit> {
    let edits = spans.iter().map(|span| Edit {
        range: with_line(text, *span),
        text: String::new(),
    });
    edits.collect()
}
