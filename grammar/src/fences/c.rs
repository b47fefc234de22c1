//! Fences of the C dialect: calls that stand as statements.
//!
//! The kernel's in a kernel test, C11's in a C11 test. A fence goes into a block: a statement
//! that an `if` holds without braces has no room beside it.

use super::lines::{indentation, line_end, rest_of_line, with_line};
use super::{NewFence, Place, Written};
use crate::ast::c::{Block, C, Expr, ExprKind, Stmt, StmtKind};
use crate::ast::native::FenceKind;
use crate::ast::{Ident, SmolStr, Test};
use crate::format::Edit;
use crate::span::Span;
use crate::words::c::{Action, Family, Fence, memory_order, primitive};

/// Where fences fit in a block: behind its declarations (or its brace, when it has none) and
/// behind every statement.
fn places_of(block: &Block) -> impl Iterator<Item = u32> {
    let declared = block
        .stmts
        .iter()
        .take_while(|stmt| only_declares(stmt))
        .count();
    let first = match declared.checked_sub(1) {
        Some(last) => block.stmts[last].span.end,
        None => block.span.start + 1,
    };
    let behind = block.stmts[declared..].iter().map(|stmt| stmt.span.end);
    std::iter::once(first).chain(behind)
}

/// `int r0;`, before which nothing happens.
fn only_declares(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Declare { items, .. } => items.iter().all(|item| item.value.is_none()),
        _ => false,
    }
}

pub(crate) fn places(c: &C) -> Vec<Place> {
    let mut places = Vec::new();
    for (thread, function) in c.functions.iter().enumerate() {
        function.body.each(&mut |block| {
            places.extend(places_of(block).map(|at| Place { thread, at }));
        });
    }
    places
}

pub(crate) fn written(c: &C) -> Vec<Written> {
    let mut found = Vec::new();
    for (thread, function) in c.functions.iter().enumerate() {
        function.body.each(&mut |block| {
            found.extend(block.stmts.iter().filter_map(|stmt| {
                Some(Written {
                    thread,
                    kind: kind_of(c.family, stmt)?,
                    span: stmt.span,
                })
            }));
        });
    }
    found
}

/// The fence that a statement is.
fn kind_of(family: Family, stmt: &Stmt) -> Option<FenceKind> {
    let StmtKind::Expr(expr) = &stmt.kind else {
        return None;
    };
    let ExprKind::Call { function, args } = &expr.bare().kind else {
        return None;
    };
    let fence = match primitive(&function.name, family)?.1 {
        Action::Fence(fence) => fence,
        Action::OrderedFence => match &args.first()?.bare().kind {
            ExprKind::Name(order) => memory_order(order)?.fence(),
            _ => return None,
        },
        _ => return None,
    };
    match fence {
        Fence::Full => Some(FenceKind::Full),
        Fence::StoreStore => Some(FenceKind::StoreStore),
        Fence::Nothing => None,
    }
}

/// What a new fence is called, and the argument it takes.
const fn spelling(family: Family, kind: FenceKind) -> (&'static str, Option<&'static str>) {
    match (family, kind) {
        (Family::Kernel, FenceKind::Full) => ("smp_mb", None),
        (Family::Kernel, FenceKind::StoreStore) => ("smp_wmb", None),
        (Family::C11, FenceKind::Full) => ("atomic_thread_fence", Some("memory_order_seq_cst")),
        (Family::C11, FenceKind::StoreStore) => {
            ("atomic_thread_fence", Some("memory_order_release"))
        }
    }
}

fn new_stmt(family: Family, kind: FenceKind, span: Span) -> Stmt {
    let (name, order) = spelling(family, kind);
    let expr = |kind| Expr { kind, span };
    let order = order.map(|order| expr(ExprKind::Name(SmolStr::new_static(order))));
    let call = ExprKind::Call {
        function: Ident {
            name: SmolStr::new_static(name),
            span,
        },
        args: order.into_iter().collect(),
    };
    Stmt {
        kind: StmtKind::Expr(Box::new(expr(call))),
        span,
    }
}

pub(crate) fn insert(c: &mut C, fences: &[NewFence]) {
    let family = c.family;
    for (thread, function) in c.functions.iter_mut().enumerate() {
        function.body.each_mut(&mut |block| {
            let mut places: Vec<u32> = places_of(block).collect();
            places.dedup();
            for at in places.into_iter().rev() {
                let place = Place { thread, at };
                let here = fences.iter().filter(|fence| fence.place == place);
                let new = here.map(|fence| new_stmt(family, fence.kind, Span::at(at)));
                let behind = block.stmts.partition_point(|stmt| stmt.span.end <= at);
                block.stmts.splice(behind..behind, new);
            }
        });
    }
}

pub(crate) fn remove(c: &mut C, spans: &[Span]) {
    let family = c.family;
    for function in &mut c.functions {
        function.body.each_mut(&mut |block| {
            block
                .stmts
                .retain(|stmt| kind_of(family, stmt).is_none() || !spans.contains(&stmt.span));
        });
    }
}

pub(crate) fn insert_edits(text: &str, test: &Test, c: &C, fences: &[NewFence]) -> Vec<Edit> {
    let mut found = Vec::new();
    for (thread, function) in c.functions.iter().enumerate() {
        function.body.each(&mut |block| {
            let here = |fence: &&NewFence| {
                fence.place.thread == thread && places_of(block).any(|at| at == fence.place.at)
            };
            found.extend(
                fences
                    .iter()
                    .filter(here)
                    .map(|fence| new_statement(text, test, c.family, block, fence)),
            );
        });
    }
    found
}

/// The edit that puts a fence into its block.
fn new_statement(text: &str, test: &Test, family: Family, block: &Block, fence: &NewFence) -> Edit {
    let at = fence.place.at;
    let before = block.stmts.iter().find(|stmt| stmt.span.end == at);
    let neighbour = before.or(block.stmts.first());
    let indent = neighbour.and_then(|stmt| indentation(text, stmt.span.start));
    let (name, order) = spelling(family, fence.kind);
    let call = format!("{name}({});", order.unwrap_or_default());
    let (at, text) = match (rest_of_line(text, test, at), indent) {
        (Some(end), Some(indent)) => (end, format!("{}{indent}{call}", line_end(text))),
        _ => (at, format!(" {call}")),
    };
    Edit {
        range: Span::at(at),
        text,
    }
}

pub(crate) fn remove_edits(text: &str, spans: &[Span]) -> Vec<Edit> {
    let edits = spans.iter().map(|span| Edit {
        range: with_line(text, *span),
        text: String::new(),
    });
    edits.collect()
}
