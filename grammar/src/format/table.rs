//! herd's columns of instructions, aligned: ` P0 | P1 ;`.

use super::herd::Spacing;
use super::layout::Printer;
use super::pieces::{Kind, Piece, Pieces};
use crate::ast::{Comment, CommentKind, Herd, Test};
use crate::span::Span;

/// A cell that is wider does not widen its column, but sticks out of it.
const WIDEST: usize = 100;

/// Padding may make a text so many times longer, or so many bytes. A table that
/// needs more (one wide cell over a million narrow ones) is not aligned.
const LONGEST: (usize, usize) = (8, 1 << 20);

pub(super) struct Table<'a> {
    text: &'a str,
    comments: &'a [Comment],
    /// From the first thread's name to the last row's semicolon.
    pub span: Span,
}

/// What a walk over the table comes by.
enum Event<'a> {
    /// A comment outside of all cells: beside the row before, or on its own line.
    Comment {
        text: &'a str,
        own_line: bool,
        blank: bool,
    },
    /// A cell's text with its blanks in order, and its column.
    Cell {
        text: &'a str,
        column: usize,
        /// The cell is the first of a row that has a blank line before it.
        blank: bool,
    },
    RowEnd,
}

impl<'a> Table<'a> {
    /// `herd` has at least one thread.
    pub fn new(text: &'a str, test: &'a Test, herd: &Herd) -> Self {
        let last = herd.rows.last().map_or(herd.threads_span, |row| row.span);
        let start = herd.threads_span.start;
        let from = test
            .comments
            .partition_point(|comment| comment.span.start < start);
        let comments = &test.comments[from..];
        // The semicolon ends the table, whether the last range has it or not.
        let end = Pieces::new(text, comments, &[])
            .without_pairs()
            .from(last.end.saturating_sub(1).max(start))
            .find(|piece| !piece.is_comment() && piece.text(text) == ";")
            .map_or(last.end, |semicolon| semicolon.span.end);
        Table {
            text,
            comments,
            span: Span::new(start, end),
        }
    }

    pub fn print(&self, printer: &mut Printer<'a, Spacing>) {
        let widths = self.widths();
        let mut first = true;
        self.walk(|event| match event {
            Event::Comment {
                text,
                own_line,
                blank,
            } => {
                if own_line {
                    printer.new_line(0, blank);
                } else {
                    printer.out().push(' ');
                }
                printer.out().push_str(text);
            }
            Event::Cell {
                text,
                column,
                blank,
            } => {
                if column == 0 {
                    let blank = blank || first && self.blank_before();
                    printer.new_line(0, blank);
                } else {
                    printer.out().push_str(" |");
                }
                first = false;
                let out = printer.out();
                out.push(' ');
                out.push_str(text);
                let width = widths.get(column).copied().unwrap_or(0);
                let missing = width.saturating_sub(width_of(text));
                out.extend(std::iter::repeat_n(' ', missing));
            }
            Event::RowEnd => printer.out().push_str(" ;"),
        });
    }

    /// Whether a blank line stands before the table.
    fn blank_before(&self) -> bool {
        let before = &self.text[..self.span.start as usize];
        let blanks = &before[before.trim_ascii_end().len()..];
        blanks.bytes().filter(|&byte| byte == b'\n').count() > 1
    }

    /// How wide the columns are; nothing when aligning them costs too much.
    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = Vec::new();
        let mut rows = 0;
        self.walk(|event| match event {
            Event::Cell { text, column, .. } => {
                let width = width_of(text);
                let width = if width > WIDEST { 0 } else { width };
                match widths.get_mut(column) {
                    Some(widest) => *widest = width.max(*widest),
                    None => widths.push(width),
                }
            }
            Event::RowEnd => rows += 1,
            Event::Comment { .. } => {}
        });
        let row: usize = widths.iter().sum();
        let (times, bytes) = LONGEST;
        if row.saturating_mul(rows) > self.span.len() as usize * times + bytes {
            widths.clear();
        }
        widths
    }

    fn walk(&self, mut visit: impl FnMut(Event<'_>)) {
        let mut pieces = Pieces::new(self.text, self.comments, &[])
            .without_pairs()
            .from(self.span.start)
            .until(self.span.end)
            .peekable();
        let mut cell = String::new();
        let mut column = 0;
        let mut row_begun = false;
        let mut row_blank = false;
        let mut any_row = false;
        let mut last: Option<Piece> = None;
        while let Some(piece) = pieces.next() {
            let text = piece.text(self.text);
            let between_rows = !row_begun && cell.is_empty();
            if let Kind::Comment(kind) = piece.kind
                && between_rows
            {
                let beside = any_row && piece.line_ends == 0;
                let ends_line = pieces.peek().is_none_or(|next| next.line_ends > 0);
                if beside || ends_line || kind == CommentKind::Line {
                    visit(Event::Comment {
                        text: text.trim_ascii_end(),
                        own_line: !beside,
                        blank: piece.line_ends > 1 && any_row,
                    });
                    continue;
                }
            }
            if between_rows {
                row_blank = piece.line_ends > 1 && any_row;
            }
            match text {
                "|" | ";" if piece.kind == Kind::Mark => {
                    visit(Event::Cell {
                        text: &cell,
                        column,
                        blank: row_blank && column == 0,
                    });
                    cell.clear();
                    last = None;
                    row_begun = text == "|";
                    if row_begun {
                        column += 1;
                    } else {
                        column = 0;
                        any_row = true;
                        visit(Event::RowEnd);
                    }
                    continue;
                }
                _ => {}
            }
            if last.is_some_and(|last| stand_apart(self.text, &last, &piece)) {
                cell.push(' ');
            }
            cell.push_str(text);
            last = Some(piece);
        }
    }
}

/// Whether a blank stays between two pieces of a cell. None is put where none was,
/// except beside a comment.
fn stand_apart(text: &str, before: &Piece, after: &Piece) -> bool {
    if before.is_comment() || after.is_comment() {
        return true;
    }
    before.span.end < after.span.start
        && !matches!(after.text(text), "," | "]" | ")" | ":")
        && !matches!(before.text(text), "," | "[" | "(")
}

/// How many columns a text takes; one with a line end in it fits no column.
fn width_of(text: &str) -> usize {
    if text.contains('\n') {
        WIDEST + 1
    } else {
        text.chars().count()
    }
}
