//! The layout of herd's x86 tests: header lines, init section, columns, conditions.
//!
//! What herd's own generators print stays as it is. Line ends in the header and the
//! init section are the writer's.

use super::layout::{Blank, Break, Printer, Rules};
use super::native::is_connective;
use super::pieces::Pieces;
use super::table::Table;
use crate::ast::{Herd, Test};
use crate::span::Span;
use crate::words::{CONDITIONS, HERD, Kind};

pub(crate) fn print(text: &str, test: &Test, herd: &Herd) -> String {
    let mut opaque = vec![test.dialect_span, test.name.span];
    opaque.extend(test.doc.iter().map(|doc| doc.span));
    opaque.extend(test.metadata.iter().map(|line| line.span));
    opaque.extend(
        herd.init
            .iter()
            .filter_map(|entry| entry.ty.as_ref())
            .map(|ty| ty.span),
    );
    opaque.extend_from_slice(&test.blocks);
    opaque.sort_unstable();

    let mut breaks = vec![Break::line(test.dialect_span.start, 0)];
    breaks.extend(
        test.metadata
            .iter()
            .map(|line| Break::line(line.span.start, 0)),
    );
    if !herd.init_span.is_empty() {
        breaks.push(Break::line(herd.init_span.start, 0));
    }
    let items = (test.filter.iter().map(|filter| filter.span))
        .chain(test.locations.iter().map(|list| list.span))
        .chain(test.conditions.iter().map(|condition| condition.span))
        .chain(test.blocks.iter().copied());
    breaks.extend(items.map(|span| Break::line(span.start, 0)));
    breaks.sort_unstable_by_key(|line| line.at);

    let init_close = herd.init_span.end.saturating_sub(1);
    let at = breaks.partition_point(|line| line.at < init_close);
    if !herd.init_span.is_empty() && closes_on_own_line(text, herd.init_span) {
        breaks.insert(
            at,
            Break {
                blank: Blank::Drop,
                ..Break::line(init_close, 0)
            },
        );
    }

    let mut printer = Printer::new(text, Spacing::default());
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let pieces = Pieces::new(text, &test.comments, &opaque).from(start);
    if herd.threads.is_empty() {
        printer.run(pieces, &breaks);
        return printer.finish();
    }
    let table = Table::new(text, test, herd);
    printer.run(pieces.clone().until(table.span.start), &breaks);
    table.print(&mut printer);
    printer.rules = Spacing::default();
    printer.run(pieces.from(table.span.end), &breaks);
    printer.finish()
}

/// Whether the `}` of the init section begins a line.
fn closes_on_own_line(text: &str, init: Span) -> bool {
    let inside = Span::new(init.start, init.end.saturating_sub(1)).text(text);
    let blanks = &inside[inside.trim_ascii_end().len()..];
    blanks.contains('\n')
}

/// What stands apart within a line: words and connectives. `0:EAX=1` does not.
#[derive(Default)]
pub(super) struct Spacing {
    /// Open `(`, which is also how far a continued condition is indented.
    parens: u32,
    brackets: u32,
    braces: u32,
}

impl Rules for Spacing {
    const KEEPS_OPAQUE_LINES: bool = true;

    fn apart(&self, before: &str, after: &str) -> bool {
        match (before, after) {
            ("{", "}") => false,
            // The init section has blanks inside its braces, a list in it has none.
            ("{", _) | (_, "}") => self.braces == 1,
            (_, ";" | "," | ")" | "]") => false,
            (";", _) => true,
            (_, "~") => !matches!(before, "(" | "~"),
            // `0:EAX`, but `tso: exists`.
            (":", _) => is_keyword(after),
            _ if is_connective(before) || is_connective(after) => true,
            (_, "[") => is_keyword(before),
            (_, "(") => is_word(before),
            (_, _) if is_keyword(before) => after != ":",
            _ => is_word(before) && is_word(after),
        }
    }

    fn keeps_line_end(&self, before: &str, after: &str) -> bool {
        // Words and strings that follow each other are the header's, or one of them
        // is a keyword; a block's lines are one opaque piece.
        matches!(before, ";" | "," | "{")
            || is_connective(before)
            || is_connective(after)
            || is_keyword(before)
            || self.parens + self.brackets + self.braces == 0
                && before != "~"
                && (is_word(before) || before == ")")
                && (is_word(after) || after == "(")
    }

    fn opens(&self, piece: &str) -> bool {
        piece == "{"
    }

    fn begin_line(&mut self, _indent: u32) {}

    fn printed(&mut self, piece: &str) {
        let (count, up) = match piece {
            "(" => (&mut self.parens, true),
            ")" => (&mut self.parens, false),
            "[" => (&mut self.brackets, true),
            "]" => (&mut self.brackets, false),
            "{" => (&mut self.braces, true),
            "}" => (&mut self.braces, false),
            _ => return,
        };
        *count = if up {
            *count + 1
        } else {
            count.saturating_sub(1)
        };
    }

    fn continuation(&self) -> u32 {
        self.parens
    }
}

/// Words that a condition begins with: what follows stands apart from them.
fn is_keyword(piece: &str) -> bool {
    let mut words = CONDITIONS.iter().chain(HERD);
    words.any(|word| word.kind == Kind::Condition && word.text == piece)
}

/// A name, a number, or something opaque: a string, a test's name.
fn is_word(piece: &str) -> bool {
    piece.bytes().next().is_some_and(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'"') || !byte.is_ascii()
    })
}
