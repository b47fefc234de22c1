//! herd's C dialect: an init section, and a function for each thread.

use super::{Context, Dialect, Fold, Node, ThreadInfo, Tree, in_condition};
use crate::ast::Test;
use crate::ast::c::{C as Functions, ExprKind, Stmt, StmtKind};
use crate::error::NameKind;
use crate::fences::{self, NewFence, Place, Written};
use crate::format::{self, Edit};
use crate::lexer::Mode;
use crate::scan::Piece;
use crate::span::Span;
use crate::symbols::{self, Builder};
use crate::words::c::{C11, CONTROL, KERNEL, ORDERS, TYPES, primitive};
use crate::words::{CONDITIONS, HERD, Word};

pub(super) static C: Dialect = Dialect {
    word: "C",
    meaning: "A test in herd's C dialect: a function for each thread, with the Linux kernel's or C11's primitives.",
    read: crate::c::read,
    mode: Mode::Around,
    words: &[CONDITIONS, HERD, CONTROL, TYPES, KERNEL, C11, ORDERS],
    context,
    expects_in_comments: true,
    fixed_names: &[(NameKind::Thread, "herd's threads are named by their number")],
    register: |_| None,
    registers: &[],
};

impl Tree for Functions {
    fn resolve(&self, test: &Test, builder: &mut Builder<'_>) {
        symbols::c::resolve(test, self, builder);
    }

    fn print(&self, text: &str, test: &Test) -> String {
        format::c::print(text, test, self)
    }

    fn threads(&self) -> Vec<ThreadInfo<'_>> {
        let threads = self.functions.iter().map(|function| ThreadInfo {
            name: &function.name,
            replicas: None,
            shown: function.number.to_string(),
            span: function.span,
            code: function.span,
        });
        threads.collect()
    }

    fn nodes(&self, visit: &mut dyn FnMut(Node)) {
        let mut add = |span, fold| visit(Node { span, fold });
        add(self.init_span, Fold::Whole);
        self.init.iter().for_each(|entry| add(entry.span, Fold::No));
        for function in &self.functions {
            add(function.span, Fold::AboveLast);
            add(function.params_span, Fold::No);
            let params = function.params.iter();
            params.for_each(|param| add(param.span, Fold::No));
            add(function.body.span, Fold::No);
            for stmt in &function.body.stmts {
                stmt.walk(&mut |stmt| stmt_nodes(stmt, &mut add));
            }
        }
    }

    fn mnemonics(&self) -> Vec<(Span, &'static Word)> {
        let mut found = Vec::new();
        self.exprs(&mut |expr| match &expr.kind {
            ExprKind::Call { function, .. } => {
                let known = primitive(&function.name, self.family);
                found.extend(known.map(|(word, _)| (function.span, word)));
            }
            ExprKind::Name(name) => {
                let order = ORDERS.iter().find(|word| word.text == name);
                found.extend(order.map(|word| (expr.span, word)));
            }
            _ => {}
        });
        found
    }

    fn word(&self, text: &str) -> Option<&'static Word> {
        primitive(text, self.family).map(|(word, _)| word)
    }

    fn places(&self) -> Vec<Place> {
        fences::c::places(self)
    }

    fn written(&self) -> Vec<Written> {
        fences::c::written(self)
    }

    fn insert(&mut self, fences: &[NewFence]) {
        fences::c::insert(self, fences);
    }

    fn remove(&mut self, spans: &[Span]) {
        fences::c::remove(self, spans);
    }

    fn insert_edits(&self, text: &str, test: &Test, fences: &[NewFence]) -> Vec<Edit> {
        fences::c::insert_edits(text, test, self, fences)
    }

    fn remove_edits(&self, text: &str, _: &Test, spans: &[Span]) -> Vec<Edit> {
        fences::c::remove_edits(text, spans)
    }
}

/// The nodes of one statement, without those of statements in it.
fn stmt_nodes(stmt: &Stmt, add: &mut impl FnMut(Span, Fold)) {
    let fold = match &stmt.kind {
        StmtKind::If { .. } | StmtKind::While { .. } | StmtKind::Block(_) => Fold::AboveLast,
        _ => Fold::No,
    };
    add(stmt.span, fold);
    if let StmtKind::Declare { items, .. } = &stmt.kind {
        items.iter().for_each(|item| add(item.span, Fold::No));
    }
    stmt.exprs(&mut |expr| add(expr.span, Fold::No));
}

fn context<'t>(text: &'t str, before: &[Piece]) -> Context<'t> {
    let mut braces = 0u32;
    let mut seen_init = false;
    let mut functions = 0u32;
    let mut conditions = false;
    for piece in before {
        match piece.span.text(text) {
            "{" => braces += 1,
            "}" => {
                braces = braces.saturating_sub(1);
                if braces == 0 {
                    functions += u32::from(seen_init);
                    seen_init = true;
                }
            }
            "exists" | "forall" | "filter" | "locations" | "final" if braces == 0 => {
                conditions = true;
            }
            _ => {}
        }
    }
    if conditions {
        in_condition(text, before)
    } else if !seen_init {
        Context::Init
    } else if braces > 0 {
        Context::Body(functions)
    } else {
        Context::Top
    }
}
