//! herd's x86 dialects, of 32 and 64 bits: an init section, and columns of instructions.

use super::{Context, Dialect, Fold, Node, ThreadInfo, Tree, in_condition};
use crate::ast::Test;
use crate::ast::herd::{Herd, OperandOrder};
use crate::ast::register::{register_by_name, register_name};
use crate::error::NameKind;
use crate::fences::{self, NewFence, Place, Written};
use crate::format::{self, Edit};
use crate::lexer::Mode;
use crate::read;
use crate::scan::Piece;
use crate::span::Span;
use crate::symbols::{self, Builder};
use crate::words::x86::{MNEMONICS, PREFIXES};
use crate::words::{CONDITIONS, HERD, TYPES, Word};

pub(super) static X86: Dialect = Dialect {
    word: "X86",
    meaning: "A test in herd's x86 dialect: columns of instructions.",
    read: |lexer, test, damage| read::herd(lexer, OperandOrder::DestinationFirst, test, damage),
    mode: Mode::Herd,
    words: &[CONDITIONS, HERD, TYPES, PREFIXES, MNEMONICS],
    context,
    expects_in_comments: true,
    fixed_names: &[
        (
            NameKind::Register,
            "x86's registers have the names they have",
        ),
        (NameKind::Thread, "herd's threads are named by their number"),
    ],
    register: |name| register_by_name(name).and_then(|(reg, view)| register_name(reg, view)),
    registers: &["eax", "ebx", "ecx", "edx", "rax", "rbx", "rcx", "rdx"],
};

pub(super) static X86_64: Dialect = Dialect {
    word: "X86_64",
    meaning: "A test in herd's x86 dialect: columns of instructions, 64-bit.",
    read: |lexer, test, damage| read::herd(lexer, OperandOrder::DestinationLast, test, damage),
    ..X86
};

impl Tree for Herd {
    fn resolve(&self, test: &Test, builder: &mut Builder<'_>) {
        symbols::herd::resolve(test, self, builder);
    }

    fn print(&self, text: &str, test: &Test) -> String {
        format::herd::print(text, test, self)
    }

    fn threads(&self) -> Vec<ThreadInfo<'_>> {
        let code = self.table_span();
        let threads = self.threads.iter().map(|thread| ThreadInfo {
            name: &thread.name,
            replicas: None,
            shown: thread.number.to_string(),
            span: thread.name.span,
            code,
        });
        threads.collect()
    }

    fn nodes(&self, visit: &mut dyn FnMut(Node)) {
        let mut add = |span, fold| visit(Node { span, fold });
        add(self.init_span, Fold::Whole);
        self.init.iter().for_each(|entry| add(entry.span, Fold::No));
        if !self.threads.is_empty() && !self.rows.is_empty() {
            add(self.table_span(), Fold::Whole);
        }
        for row in &self.rows {
            add(row.span, Fold::No);
            for cell in &row.cells {
                add(cell.span, Fold::No);
                if let Some(instruction) = &cell.instruction {
                    add(instruction.span, Fold::No);
                    let operands = instruction.operands.iter();
                    operands.for_each(|operand| add(operand.span, Fold::No));
                }
            }
        }
    }

    fn mnemonics(&self) -> Vec<(Span, &'static Word)> {
        let mut found = Vec::new();
        for instruction in self.instructions() {
            found.extend(instruction.lock.map(|span| (span, &PREFIXES[0])));
            found.push((instruction.mnemonic, instruction.word));
        }
        found
    }

    fn places(&self) -> Vec<Place> {
        fences::columns::places(self)
    }

    fn written(&self) -> Vec<Written> {
        fences::columns::written(self)
    }

    fn insert(&mut self, fences: &[NewFence]) {
        fences::columns::insert(self, fences);
    }

    fn remove(&mut self, spans: &[Span]) {
        fences::columns::remove(self, spans);
    }

    fn insert_edits(&self, text: &str, test: &Test, fences: &[NewFence]) -> Vec<Edit> {
        fences::columns::insert_edits(text, test, self, fences)
    }

    fn remove_edits(&self, text: &str, test: &Test, spans: &[Span]) -> Vec<Edit> {
        fences::columns::remove_edits(text, test, self, spans)
    }
}

fn context<'t>(text: &'t str, before: &[Piece]) -> Context<'t> {
    let mut braces = 0u32;
    let mut seen_init = false;
    let mut conditions = false;
    let mut bars = 0u32;
    let mut rows = 0u32;
    let mut in_cell = false;
    for piece in before {
        match piece.span.text(text) {
            "{" if !seen_init => braces += 1,
            "}" if !seen_init => {
                braces = braces.saturating_sub(1);
                seen_init = braces == 0;
            }
            "exists" | "forall" | "filter" | "locations" | "final" => conditions = true,
            _ if !seen_init || conditions => {}
            // Two of them have an empty cell between.
            sign @ ("|" | "||") => {
                bars += sign.len() as u32;
                in_cell = false;
            }
            ";" => {
                bars = 0;
                rows += 1;
                in_cell = false;
            }
            // A label's colon or the `lock` prefix: the instruction is still to come.
            ":" | "lock" | "LOCK" => in_cell = false,
            _ => in_cell = true,
        }
    }
    if conditions {
        in_condition(text, before)
    } else if !seen_init {
        Context::Init
    } else if rows == 0 {
        Context::Nowhere
    } else if in_cell {
        Context::Operand(bars)
    } else {
        Context::Instruction(bars)
    }
}
