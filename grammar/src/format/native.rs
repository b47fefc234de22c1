//! The native dialect's layout: a statement a line, two spaces a level.

use super::layout::{Blank, Break, Printer, Rules};
use super::pieces::Pieces;
use crate::ast::Test;
use crate::ast::native::{Block, Native, Part, Stmt};
use crate::span::Span;
use crate::words::{Word, native::NATIVE};

const STEP: u32 = 2;

/// Deeper blocks are indented no further: two hundred levels of them would make a
/// large file a hundred times larger.
const DEEPEST: u32 = 40 * STEP;

pub(crate) fn print(text: &str, test: &Test, native: &Native) -> String {
    let mut breaks = Lines {
        text,
        breaks: Vec::new(),
    };
    breaks.test(test, native);
    let breaks = breaks.breaks;
    let mut opaque = vec![test.dialect_span, test.name.span];
    opaque.extend(test.doc.iter().map(|doc| doc.span));
    opaque.extend(
        test.conditions
            .iter()
            .filter_map(|condition| condition.name.as_ref())
            .map(|name| name.span),
    );
    opaque.sort_unstable();
    let mut printer = Printer::new(text, Spacing::default());
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    printer.run(
        Pieces::new(text, &test.comments, &opaque).from(start),
        &breaks,
    );
    printer.finish()
}

/// Collects where lines begin.
struct Lines<'a> {
    text: &'a str,
    breaks: Vec<Break>,
}

impl Lines<'_> {
    fn test(&mut self, test: &Test, native: &Native) {
        self.breaks.push(Break::line(test.dialect_span.start, 0));
        if let Some(doc) = &test.doc {
            self.breaks.push(Break {
                blank: Blank::Drop,
                ..Break::line(doc.span.start, 0)
            });
        }
        // (where it starts, whether it is a thread)
        let mut items: Vec<(u32, bool)> = Vec::new();
        items.extend(native.decls.iter().map(|decl| (decl.span.start, false)));
        items.extend(
            native
                .threads
                .iter()
                .map(|thread| (thread.span.start, true)),
        );
        items.extend(test.filter.iter().map(|filter| (filter.span.start, false)));
        items.extend(test.locations.iter().map(|list| (list.span.start, false)));
        items.extend(
            test.conditions
                .iter()
                .map(|condition| (condition.span.start, false)),
        );
        items.sort_unstable();
        // A thread stands apart from what is around it, and the first item from the
        // header.
        let mut apart = true;
        for (at, thread) in items {
            self.breaks.push(Break {
                blank: if apart || thread {
                    Blank::Force
                } else {
                    Blank::Keep
                },
                ..Break::line(at, 0)
            });
            apart = thread;
        }
        for condition in &test.conditions {
            let mut from = condition.span.end;
            for expect in &condition.expect {
                if let Some(at) = self.expect_between(test, from, expect.span.start) {
                    self.breaks.push(Break {
                        blank: Blank::Drop,
                        ..Break::line(at, 0)
                    });
                }
                from = expect.span.end;
            }
        }
        for thread in &native.threads {
            self.block(&thread.body, STEP);
        }
        self.breaks.sort_unstable_by_key(|line| line.at);
    }

    /// Where the word `expect` stands between two places, comments aside. The tree
    /// has no range for it: one clause may hold several expectations.
    fn expect_between(&self, test: &Test, from: u32, to: u32) -> Option<u32> {
        let first = test
            .comments
            .partition_point(|comment| comment.span.start < from);
        Pieces::new(self.text, &test.comments[first..], &[])
            .from(from)
            .until(to)
            .find(|piece| !piece.is_comment() && piece.text(self.text) == "expect")
            .map(|piece| piece.span.start)
    }

    fn block(&mut self, block: &Block, indent: u32) {
        for stmt in &block.stmts {
            self.stmt(stmt, indent);
        }
        let Span { start, end } = block.span;
        let inside = Span::new(start + 1, end.saturating_sub(1)).text(self.text);
        // `{}` and `{ /* nothing */ }` stay on their line.
        if !block.stmts.is_empty() || inside.trim_start().contains('\n') {
            self.breaks.push(Break {
                at: end.saturating_sub(1),
                indent: (indent - STEP).min(DEEPEST),
                comment_indent: indent.min(DEEPEST + STEP),
                blank: Blank::Drop,
            });
        }
    }

    fn stmt(&mut self, stmt: &Stmt, indent: u32) {
        self.breaks
            .push(Break::line(stmt.span.start, indent.min(DEEPEST)));
        stmt.parts(&mut |part| {
            if let Part::Block(block) = part {
                self.block(block, indent + STEP);
            }
        });
    }
}

/// What stands apart within a line, as in C; `0..N` and `P0:r0` do not.
#[derive(Default)]
struct Spacing {
    indent: u32,
    /// Whether a `-` that comes next is a sign.
    operand_due: bool,
    /// Whether the last piece is a sign, `~` or `!`.
    prefix: bool,
}

impl Rules for Spacing {
    const KEEPS_OPAQUE_LINES: bool = false;

    fn apart(&self, before: &str, after: &str) -> bool {
        if self.prefix {
            return false;
        }
        match (before, after) {
            (_, ";" | "," | ")" | "]" | ":" | ".." | "}") => false,
            ("(" | "[" | ":" | ".." | "{", _) => false,
            ("locations", "[") => true,
            (_, "[") => !is_word(before) && before != "]",
            (_, "(") => !is_function(before),
            _ => true,
        }
    }

    fn keeps_line_end(&self, before: &str, after: &str) -> bool {
        matches!(before, "," | ";") || is_connective(before) || is_connective(after)
    }

    fn opens(&self, piece: &str) -> bool {
        piece == "{"
    }

    fn begin_line(&mut self, indent: u32) {
        self.indent = indent;
        self.operand_due = true;
        self.prefix = false;
    }

    fn printed(&mut self, piece: &str) {
        self.prefix = matches!(piece, "~" | "!") || piece == "-" && self.operand_due;
        self.operand_due = match piece {
            ")" | "]" => false,
            "in" | "max" | "repeat" => true,
            _ => !is_word(piece),
        };
    }

    fn continuation(&self) -> u32 {
        if self.indent == 0 {
            STEP
        } else {
            // Deeper than a block would be, so that the two are told apart.
            self.indent + 2 * STEP
        }
    }
}

pub(super) fn is_connective(piece: &str) -> bool {
    matches!(piece, "/\\" | "\\/" | "&&" | "||")
}

fn is_word(piece: &str) -> bool {
    piece
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii())
}

fn is_function(piece: &str) -> bool {
    let word = NATIVE.iter().find(|word| word.text == piece);
    word.is_some_and(Word::is_call)
}
