//! The layout of C tests, as the kernel has it: tabs, a statement a line, the brace of a
//! function on its own line and every other behind its head.
//!
//! Line ends in the header and the init section are the writer's.

use super::herd;
use super::layout::{Blank, Break, Printer, Rules};
use super::pieces::Pieces;
use crate::ast::Test;
use crate::ast::c::{Block, C, ExprKind, Stmt, StmtKind};
use crate::span::Span;

/// One level: a tab.
const STEP: u32 = 8;

/// Deeper blocks are indented no further.
const DEEPEST: u32 = 40 * STEP;

pub(crate) fn print(text: &str, test: &Test, c: &C) -> String {
    let mut opaque = vec![test.dialect_span, test.name.span];
    opaque.extend(test.doc.iter().map(|doc| doc.span));
    opaque.extend(test.metadata.iter().map(|line| line.span));
    opaque.extend_from_slice(&test.blocks);
    opaque.sort_unstable();
    let mut lines = Lines {
        text,
        breaks: Vec::new(),
    };
    lines.test(test, c);
    let mut printer = Printer::new(text, Spacing::new(c));
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let pieces = Pieces::new(text, &test.comments, &opaque).from(start);
    printer.run(pieces, &lines.breaks);
    printer.finish()
}

/// Collects where lines begin.
struct Lines<'a> {
    text: &'a str,
    breaks: Vec<Break>,
}

impl Lines<'_> {
    fn test(&mut self, test: &Test, c: &C) {
        self.breaks.push(Break::line(test.dialect_span.start, 0));
        let header = test.metadata.iter().map(|line| line.span);
        self.breaks
            .extend(header.map(|span| Break::line(span.start, 0)));
        self.init(c);
        for function in &c.functions {
            self.breaks.push(Break {
                blank: Blank::Force,
                ..Break::line(function.span.start, 0)
            });
            self.breaks.push(Break {
                blank: Blank::Drop,
                ..Break::line(function.body.span.start, 0)
            });
            self.block(&function.body, 0, true);
        }
        let mut items: Vec<u32> = (test.filter.iter().map(|filter| filter.span.start))
            .chain(test.locations.iter().map(|list| list.span.start))
            .chain(test.conditions.iter().map(|condition| condition.span.start))
            .collect();
        items.sort_unstable();
        for (i, at) in items.into_iter().enumerate() {
            let blank = if i == 0 { Blank::Force } else { Blank::Keep };
            self.breaks.push(Break {
                blank,
                ..Break::line(at, 0)
            });
        }
        self.breaks.sort_unstable_by_key(|line| line.at);
    }

    /// An entry that begins its line still does.
    fn init(&mut self, c: &C) {
        let Span { start, end } = c.init_span;
        if c.init_span.is_empty() {
            return;
        }
        self.breaks.push(Break::line(start, 0));
        let mut whole = true;
        for entry in &c.init {
            if self.begins_line(entry.span.start) {
                self.breaks.push(Break::line(entry.span.start, STEP));
                whole = false;
            }
        }
        let close = end.saturating_sub(1);
        if !whole || self.begins_line(close) {
            self.breaks.push(Break {
                at: close,
                indent: 0,
                comment_indent: STEP,
                blank: Blank::Drop,
            });
        }
    }

    fn begins_line(&self, at: u32) -> bool {
        let before = &self.text[..at as usize];
        before[before.trim_end().len()..].contains('\n')
    }

    fn block(&mut self, block: &Block, indent: u32, function: bool) {
        for stmt in &block.stmts {
            self.line(stmt, indent + STEP);
        }
        let Span { start, end } = block.span;
        let inside = Span::new(start + 1, end.saturating_sub(1)).text(self.text);
        // `{}` and `{ /* nothing */ }` stay on their line.
        if function || !block.stmts.is_empty() || inside.trim_start().contains('\n') {
            self.breaks.push(Break {
                at: end.saturating_sub(1),
                indent: indent.min(DEEPEST),
                comment_indent: (indent + STEP).min(DEEPEST + STEP),
                blank: Blank::Drop,
            });
        }
    }

    /// A statement on a line of its own.
    fn line(&mut self, stmt: &Stmt, indent: u32) {
        self.breaks
            .push(Break::line(stmt.span.start, indent.min(DEEPEST)));
        self.stmt(stmt, indent);
    }

    /// What of a statement begins further lines.
    fn stmt(&mut self, stmt: &Stmt, indent: u32) {
        match &stmt.kind {
            StmtKind::Block(block) => self.block(block, indent, false),
            StmtKind::While { body, .. } => self.held(body, indent),
            StmtKind::If {
                then, otherwise, ..
            } => {
                self.held(then, indent);
                let Some(otherwise) = otherwise else { return };
                if !matches!(then.kind, StmtKind::Block(_)) {
                    let at = otherwise.keyword.start;
                    self.breaks.push(Break::line(at, indent.min(DEEPEST)));
                }
                match otherwise.stmt.kind {
                    StmtKind::If { .. } => self.stmt(&otherwise.stmt, indent),
                    _ => self.held(&otherwise.stmt, indent),
                }
            }
            _ => {}
        }
    }

    /// What an `if` or a `while` holds: a block behind it, or a statement below it.
    fn held(&mut self, stmt: &Stmt, indent: u32) {
        match &stmt.kind {
            StmtKind::Block(block) => self.block(block, indent, false),
            _ => self.line(stmt, indent + STEP),
        }
    }
}

/// What a sign is, which only the tree knows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// `*p`, `-1`
    Prefix,
    /// `a * b`
    Binary,
    /// The parenthesis behind a cast's type.
    CastEnd,
}

/// What stands apart within a line.
struct Spacing {
    signs: Vec<(u32, Sign)>,
    /// The init section, and where the functions end.
    init: Span,
    code_end: u32,
    /// The piece that comes next: where it starts, and what it is.
    at: u32,
    sign: Option<Sign>,
    /// What the piece before it is.
    last: Option<Sign>,
    /// The entries of the init section that have a type.
    typed: Vec<Span>,
    /// Conditions and header, as in herd's other dialects.
    herd: herd::Spacing,
    indent: u32,
}

impl Spacing {
    fn new(c: &C) -> Spacing {
        let mut signs = Vec::new();
        c.exprs(&mut |expr| match &expr.kind {
            ExprKind::Deref(_) | ExprKind::Address(_) | ExprKind::Unary { .. } => {
                signs.push((expr.span.start, Sign::Prefix));
            }
            ExprKind::Binary { op_span, .. } => signs.push((op_span.start, Sign::Binary)),
            ExprKind::Cast { close, .. } => signs.push((close.start, Sign::CastEnd)),
            _ => {}
        });
        signs.sort_unstable_by_key(|(at, _)| *at);
        Spacing {
            signs,
            init: c.init_span,
            code_end: c.functions.last().map_or(c.init_span.end, |f| f.span.end),
            at: 0,
            sign: None,
            last: None,
            typed: c
                .init
                .iter()
                .filter(|entry| entry.ty.is_some())
                .map(|entry| entry.span)
                .collect(),
            herd: herd::Spacing::default(),
            indent: 0,
        }
    }

    fn in_code(&self) -> bool {
        self.init.end <= self.at && self.at < self.code_end
    }

    fn in_init(&self) -> bool {
        self.init.start < self.at && self.at < self.init.end
    }

    fn in_typed(&self) -> bool {
        let next = self.typed.partition_point(|span| span.end <= self.at);
        let entry = self.typed.get(next);
        entry.is_some_and(|span| span.start <= self.at)
    }

    fn apart_in_code(&self, before: &str, after: &str) -> bool {
        if matches!(self.last, Some(Sign::Prefix | Sign::CastEnd)) {
            return false;
        }
        if self.sign == Some(Sign::Binary) || self.last == Some(Sign::Binary) {
            return true;
        }
        match (before, after) {
            (_, ";" | "," | ")" | "]" | "[") => false,
            ("(" | "[", _) => false,
            ("{", "}") => false,
            (_, "(") => matches!(before, "if" | "while" | "=" | "," | "return"),
            // The stars of a type stand before its name.
            ("*", _) => after != "*" && !is_word(after),
            _ => true,
        }
    }

    fn apart_in_init(&self, before: &str, after: &str) -> bool {
        match (before, after) {
            ("{", _) | (_, "}") => self.herd.apart(before, after),
            (_, ";" | ",") => false,
            (";" | ",", _) => true,
            ("=", _) | (_, "=") => self.in_typed(),
            (_, ")" | "]" | "[" | ":" | "(") | ("(" | "[" | ":" | "&" | "-" | "*", _) => false,
            (_, "*") => true,
            _ => self.herd.apart(before, after),
        }
    }
}

impl Rules for Spacing {
    const KEEPS_OPAQUE_LINES: bool = true;
    const TABS: bool = true;

    fn reach(&mut self, at: u32) {
        self.at = at;
        let found = self.signs.binary_search_by_key(&at, |(at, _)| *at);
        self.sign = found.ok().map(|index| self.signs[index].1);
    }

    fn apart(&self, before: &str, after: &str) -> bool {
        if self.in_code() {
            self.apart_in_code(before, after)
        } else if self.in_init() {
            self.apart_in_init(before, after)
        } else {
            self.herd.apart(before, after)
        }
    }

    fn keeps_line_end(&self, before: &str, after: &str) -> bool {
        if self.in_code() {
            before == "," || self.last == Some(Sign::Binary) || self.sign == Some(Sign::Binary)
        } else if self.in_init() {
            before == ","
        } else {
            self.herd.keeps_line_end(before, after)
        }
    }

    fn opens(&self, piece: &str) -> bool {
        piece == "{"
    }

    fn begin_line(&mut self, indent: u32) {
        self.indent = indent;
        self.last = None;
    }

    fn printed(&mut self, piece: &str) {
        self.last = self.sign;
        self.herd.printed(piece);
    }

    fn continuation(&self) -> u32 {
        if self.in_code() {
            self.indent + 2 * STEP
        } else if self.in_init() {
            2 * STEP
        } else {
            self.herd.continuation()
        }
    }
}

fn is_word(piece: &str) -> bool {
    piece
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii())
}
