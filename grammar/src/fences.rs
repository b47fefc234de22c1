//! Fences in a tree: where one can be put, which are there, the tree with more or fewer.
//!
//! A [`Place`] is where a new fence goes: in the native dialect at the start of a block or
//! after a statement, in herd's dialect after a row's cell that is not empty. A fence that
//! [`insert`] puts there has the place's (empty) range, so that whoever lowers the tree can
//! tell it from those that were written. [`edits`] says how to change the text.

mod edits;
#[cfg(test)]
mod tests;

use crate::ast::herd::{Cell, Instruction, Op, OperandOrder, Row};
use crate::ast::native::{Block, FenceKind, Stmt, StmtKind};
use crate::ast::{Body, Herd, Native, Test};
use crate::span::Span;
pub use edits::{apply, fenced, insert_edits, remove_edits};

/// Where a fence can be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The thread as the source has it: a declaration, or a column.
    pub thread: usize,
    /// The end of what the fence follows: a statement, an opening brace, a row.
    pub at: u32,
}

/// A fence to be put at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NewFence {
    pub place: Place,
    pub kind: FenceKind,
}

/// A fence that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub thread: usize,
    pub kind: FenceKind,
    /// The statement, or the instruction without its labels.
    pub span: Span,
}

/// The name of a thread as the source has it, without the indices of its replicas.
pub fn thread_name(test: &Test, thread: usize) -> &str {
    match &test.body {
        Body::Native(native) => native
            .threads
            .get(thread)
            .map_or("", |t| t.name.name.as_str()),
        Body::Herd(herd) => herd
            .threads
            .get(thread)
            .map_or("", |t| t.name.name.as_str()),
        Body::Unknown => "",
    }
}

/// Every place of the test, by thread and then in order of place.
pub fn places(test: &Test) -> Vec<Place> {
    let mut places = Vec::new();
    match &test.body {
        Body::Native(native) => {
            for (thread, t) in native.threads.iter().enumerate() {
                each_block(&t.body, &mut |block| {
                    places.push(Place {
                        thread,
                        at: start_of(block),
                    });
                    places.extend(block.stmts.iter().map(|stmt| Place {
                        thread,
                        at: stmt.span.end,
                    }));
                });
            }
        }
        Body::Herd(herd) => {
            for thread in 0..herd.threads.len() {
                let rows = herd.rows.iter().filter(|row| follows(row, thread));
                places.extend(rows.map(|row| Place {
                    thread,
                    at: row.span.end,
                }));
            }
        }
        Body::Unknown => {}
    }
    places.sort_unstable();
    places
}

/// Every `mfence` and `sfence`, by thread and then in order of place.
pub fn written(test: &Test) -> Vec<Written> {
    let mut found = Vec::new();
    match &test.body {
        Body::Native(native) => {
            for (thread, t) in native.threads.iter().enumerate() {
                each_block(&t.body, &mut |block| {
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
        }
        Body::Herd(herd) => {
            for thread in 0..herd.threads.len() {
                let fences = herd
                    .column(thread)
                    .filter_map(|cell| cell.instruction.as_ref());
                found.extend(fences.filter_map(|instruction| {
                    Some(Written {
                        thread,
                        kind: kind_of(instruction.op)?,
                        span: instruction.span,
                    })
                }));
            }
        }
        Body::Unknown => {}
    }
    found.sort_unstable_by_key(|fence| (fence.thread, fence.span));
    found
}

/// The tree with more fences. What is not a place of the tree is left out.
pub fn insert(test: &Test, fences: &[NewFence]) -> Test {
    let mut test = test.clone();
    match &mut test.body {
        Body::Native(native) => insert_statements(native, fences),
        Body::Herd(herd) => insert_rows(herd, fences),
        Body::Unknown => {}
    }
    test
}

/// The tree without the fences that were written at these ranges.
pub fn remove(test: &Test, spans: &[Span]) -> Test {
    let mut test = test.clone();
    match &mut test.body {
        Body::Native(native) => {
            for thread in &mut native.threads {
                each_block_mut(&mut thread.body, &mut |block| {
                    block.stmts.retain(|stmt| {
                        !(matches!(stmt.kind, StmtKind::Fence(_)) && spans.contains(&stmt.span))
                    });
                });
            }
        }
        Body::Herd(herd) => {
            for cell in herd.rows.iter_mut().flat_map(|row| &mut row.cells) {
                cell.instruction
                    .take_if(|i| kind_of(i.op).is_some() && spans.contains(&i.span));
            }
        }
        Body::Unknown => {}
    }
    test
}

fn insert_statements(native: &mut Native, fences: &[NewFence]) {
    for (thread, t) in native.threads.iter_mut().enumerate() {
        each_block_mut(&mut t.body, &mut |block| {
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

fn insert_rows(herd: &mut Herd, fences: &[NewFence]) {
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
    Cell {
        labels: Vec::new(),
        instruction: Some(Box::new(Instruction {
            lock: None,
            op: match kind {
                FenceKind::Full => Op::Mfence,
                FenceKind::StoreStore => Op::Sfence,
            },
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

/// Behind the opening brace.
fn start_of(block: &Block) -> u32 {
    block.span.start + 1
}

/// The block and all within it.
fn each_block(block: &Block, visit: &mut impl FnMut(&Block)) {
    visit(block);
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::If { arms, otherwise } => {
                for arm in arms {
                    each_block(&arm.body, visit);
                }
                if let Some(block) = otherwise {
                    each_block(block, visit);
                }
            }
            StmtKind::While { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::Repeat { body, .. }
            | StmtKind::Block(body) => each_block(body, visit),
            _ => {}
        }
    }
}

fn each_block_mut(block: &mut Block, visit: &mut impl FnMut(&mut Block)) {
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::If { arms, otherwise } => {
                for arm in arms {
                    each_block_mut(&mut arm.body, visit);
                }
                if let Some(block) = otherwise {
                    each_block_mut(block, visit);
                }
            }
            StmtKind::While { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::Repeat { body, .. }
            | StmtKind::Block(body) => each_block_mut(body, visit),
            _ => {}
        }
    }
    visit(block);
}
