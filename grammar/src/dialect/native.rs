//! The native dialect: declarations, and threads of statements.

use super::{Context, Dialect, Fold, Node, ParamInfo, ThreadInfo, Tree, in_condition};
use crate::ast::Test;
use crate::ast::native::{Block, DeclKind, Init, Native, Part};
use crate::fences::{self, NewFence, Place, Written};
use crate::format::{self, Edit};
use crate::lexer::Mode;
use crate::read;
use crate::scan::{Piece, PieceKind};
use crate::span::Span;
use crate::symbols::{self, Builder};
use crate::words::{CONDITIONS, native::NATIVE as WORDS};

pub(super) static NATIVE: Dialect = Dialect {
    word: "litmus",
    meaning: "A test in the native dialect; its name follows.",
    read: read::native,
    mode: Mode::Native,
    words: &[WORDS, CONDITIONS],
    context,
    expects_in_comments: false,
    fixed_names: &[],
    register: |_| None,
    registers: &[],
};

impl Tree for Native {
    fn resolve(&self, test: &Test, builder: &mut Builder<'_>) {
        symbols::native::resolve(test, self, builder);
    }

    fn print(&self, text: &str, test: &Test) -> String {
        format::native::print(text, test, self)
    }

    fn threads(&self) -> Vec<ThreadInfo<'_>> {
        let threads = self.threads.iter().map(|thread| ThreadInfo {
            name: &thread.name,
            replicas: thread.replicas.as_ref().map(|replicas| replicas.span),
            shown: thread.name.name.to_string(),
            span: thread.span,
            code: thread.span,
        });
        threads.collect()
    }

    fn nodes(&self, visit: &mut dyn FnMut(Node)) {
        for decl in &self.decls {
            visit(node(decl.span, Fold::No));
            for item in &decl.items {
                visit(node(item.span, Fold::No));
                match &item.init {
                    Some(Init::Expr(expr)) => {
                        expr.each(&mut |inner| visit(node(inner.span, Fold::No)));
                    }
                    Some(Init::List { span, .. }) => visit(node(*span, Fold::No)),
                    None => {}
                }
            }
        }
        for thread in &self.threads {
            visit(node(thread.span, Fold::AboveLast));
            block_nodes(&thread.body, visit);
        }
    }

    fn params(&self) -> Vec<ParamInfo<'_>> {
        let params = self.decls.iter().filter(|d| d.kind == DeclKind::Param);
        let items = params.flat_map(|decl| &decl.items);
        let written = items.filter_map(|item| match &item.init {
            Some(Init::Expr(value)) => Some(ParamInfo {
                name: &item.name,
                written: value.span,
                span: item.span,
            }),
            _ => None,
        });
        written.collect()
    }

    fn places(&self) -> Vec<Place> {
        fences::native::places(self)
    }

    fn written(&self) -> Vec<Written> {
        fences::native::written(self)
    }

    fn insert(&mut self, fences: &[NewFence]) {
        fences::native::insert(self, fences);
    }

    fn remove(&mut self, spans: &[Span]) {
        fences::native::remove(self, spans);
    }

    fn insert_edits(&self, text: &str, test: &Test, fences: &[NewFence]) -> Vec<Edit> {
        fences::native::insert_edits(text, test, self, fences)
    }

    fn remove_edits(&self, text: &str, _: &Test, spans: &[Span]) -> Vec<Edit> {
        fences::native::remove_edits(text, spans)
    }
}

const fn node(span: Span, fold: Fold) -> Node {
    Node { span, fold }
}

fn block_nodes(block: &Block, visit: &mut dyn FnMut(Node)) {
    visit(node(block.span, Fold::No));
    for stmt in &block.stmts {
        visit(node(stmt.span, Fold::No));
        stmt.parts(&mut |part| match part {
            Part::Headed(span) => visit(node(span, Fold::AboveLast)),
            Part::Block(block) => block_nodes(block, visit),
            Part::Expr(expr) => expr.each(&mut |inner| visit(node(inner.span, Fold::No))),
            Part::Place(place) => {
                visit(node(place.span, Fold::No));
                if let Some(index) = &place.index {
                    index.each(&mut |inner| visit(node(inner.span, Fold::No)));
                }
            }
        });
    }
}

fn context<'t>(text: &'t str, before: &[Piece]) -> Context<'t> {
    let mut braces = 0u32;
    let mut parens = 0u32;
    let mut threads = 0u32;
    let mut item = "";
    for piece in before {
        match piece.span.text(text) {
            "{" => braces += 1,
            "}" => braces = braces.saturating_sub(1),
            "(" | "[" => parens += 1,
            ")" | "]" => parens = parens.saturating_sub(1),
            ";" if braces == 0 && parens == 0 => item = "",
            word if braces == 0 && piece.kind == PieceKind::Word => match word {
                "thread" => {
                    threads += 1;
                    item = word;
                    parens = 0;
                }
                "exists" | "forall" | "filter" | "locations" | "expect" => {
                    item = word;
                    parens = 0;
                }
                "shared" | "mutex" | "param" | "const" => item = word,
                _ => {}
            },
            _ => {}
        }
    }
    match item {
        "thread" if braces > 0 => Context::Body(threads.saturating_sub(1)),
        "expect" => Context::Expect,
        "exists" | "forall" | "filter" | "locations" if parens > 0 => in_condition(text, before),
        _ => Context::Top,
    }
}
