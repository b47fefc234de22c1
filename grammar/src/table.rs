//! herd's init section and table: cut into entries, rows and cells, each parsed alone.
//!
//! A table is ragged only by mistake, so a row with a cell too few or too many
//! is mended where it can be (a missing `|` before a mnemonic, an empty cell too
//! many): the other columns keep their instructions.

use std::ops::Range;

use memchr::memmem;

use crate::actions::ident;
use crate::ast::herd::*;
use crate::ast::{Ident, SmolStr, ThreadRef, ThreadRefKind};
use crate::error::{Error, ErrorKind};
use crate::instruction::{HerdNode, mnemonic_by_name};
use crate::lexer::{Lexer, Mode, span};
use crate::limits::MAX_ERRORS;
use crate::parser::{herd_node, quote};
use crate::span::Span;
use crate::token::{Token, TokenKind};

/// Rows with a wrong number of cells that are reported: one mistake in the first
/// row makes every row wrong.
const MAX_ROW_ERRORS: usize = 2;

pub(crate) struct Table<'l, 't> {
    lexer: &'l mut Lexer<'t>,
    /// How operands are read when their spelling does not say.
    order: OperandOrder,
    herd: Herd,
    /// Whether something could not be read.
    damaged: bool,
    row_errors: usize,
    // The row at hand, kept to save allocations.
    tokens: Vec<Token>,
    cells: Vec<Range<usize>>,
    /// Where each cell of the row begins, for those that are empty.
    starts: Vec<u32>,
}

/// Reads the init section and the table; the lexer then stands before the conditions.
pub(crate) fn table(lexer: &mut Lexer<'_>, order: OperandOrder) -> (Herd, bool) {
    let mut table = Table {
        lexer,
        order,
        herd: Herd::default(),
        damaged: false,
        row_errors: 0,
        tokens: Vec::new(),
        cells: Vec::new(),
        starts: Vec::new(),
    };
    table.init();
    table.rows();
    (table.herd, table.damaged)
}

impl Table<'_, '_> {
    fn error(&mut self, kind: ErrorKind, span: Span) {
        self.damaged = true;
        if self.lexer.errors.len() < MAX_ERRORS {
            self.lexer.errors.push(Error::new(kind, span));
        }
    }

    fn missing(&mut self, section: &'static str) {
        let place = Span::at(self.lexer.pos as u32);
        self.error(ErrorKind::MissingSection { section }, place);
    }

    // ---- The init section ----

    fn init(&mut self) {
        self.herd.init_span = Span::at(self.lexer.pos as u32);
        if self.lexer.peek_byte() != Some(b'{') {
            self.missing("init section `{…}`");
            return;
        }
        let open = span(self.lexer.pos, self.lexer.pos + 1);
        self.lexer.pos += 1;
        let mut tokens = std::mem::take(&mut self.tokens);
        let mut list = false;
        loop {
            self.lexer.skip_trivia(Mode::Herd);
            let start = self.lexer.pos;
            let token = self.lexer.token(Mode::Herd);
            let kind = token.map(|token| token.kind);
            // The section ends at its brace; without one, where the table or a
            // condition starts.
            let runaway = match kind {
                None | Some(TokenKind::Bar) => true,
                Some(TokenKind::Semicolon) => is_thread_name(&tokens, self.lexer.text),
                Some(kind) => kind.starts_item(),
            };
            if runaway {
                let resume = match tokens.first() {
                    Some(first) if kind != Some(TokenKind::Exists) => first.span.start as usize,
                    _ => start,
                };
                if kind.is_none() || !is_table_start(&tokens, self.lexer.text) {
                    self.entry(&tokens);
                    self.lexer.pos = start;
                } else {
                    self.lexer.pos = resume;
                }
                self.error(ErrorKind::Unclosed { open: '{' }, open);
                break;
            }
            let Some(token) = token else { break };
            match token.kind {
                TokenKind::RBrace if !list => {
                    self.entry(&tokens);
                    break;
                }
                TokenKind::Semicolon => {
                    self.entry(&tokens);
                    tokens.clear();
                    list = false;
                    continue;
                }
                TokenKind::RBrace => list = false,
                TokenKind::LBrace => {
                    list = tokens.last().map(|token| token.kind) == Some(TokenKind::Assign);
                }
                _ => {}
            }
            tokens.push(token);
        }
        self.herd.init_span = Span::new(open.start, self.lexer.pos as u32);
        tokens.clear();
        self.tokens = tokens;
        // `{…};` is seen too.
        self.lexer.skip_trivia(Mode::Herd);
        if self.lexer.peek_byte() == Some(b';') {
            self.lexer.pos += 1;
        }
    }

    fn entry(&mut self, tokens: &[Token]) {
        if tokens.is_empty() || self.lexer.errors.len() >= MAX_ERRORS {
            return;
        }
        let text = self.lexer.text;
        let errors = &mut self.lexer.errors;
        match herd_node(text, self.order, TokenKind::StartInit, tokens, errors) {
            Ok(HerdNode::Init(mut entry)) => {
                if let InitTarget::Register { thread, .. } = &mut entry.target {
                    number_thread(thread);
                }
                self.herd.init.push(*entry);
            }
            Ok(HerdNode::Cell(_)) => {}
            Err(failure) => {
                self.damaged = true;
                if tokens.get(failure.at).map(|token| token.kind) != Some(TokenKind::Bad) {
                    errors.push(failure.error(text, tokens, None));
                }
            }
        }
    }

    // ---- The table ----

    fn rows(&mut self) {
        while self.lexer.errors.len() < MAX_ERRORS {
            self.lexer.skip_trivia(Mode::Cells);
            if self.lexer.peek_byte().is_none() || at_tail(self.lexer) {
                break;
            }
            let start = self.lexer.pos as u32;
            self.row();
            let whole = Span::new(start, self.lexer.pos as u32);
            let empty = self.cells.len() == 1 && self.cells[0].is_empty();
            if self.herd.threads.is_empty() {
                if empty {
                    self.unexpected_semicolon();
                } else {
                    self.thread_names(whole);
                }
            } else if empty && self.herd.threads.len() > 1 {
                self.unexpected_semicolon();
            } else {
                self.instructions(whole);
            }
        }
        if self.herd.threads.is_empty() {
            self.missing("table of threads");
        }
    }

    fn unexpected_semicolon(&mut self) {
        let end = self.lexer.pos as u32;
        let found = SmolStr::new_static("`;`");
        let expected = SmolStr::new_static("a row of the table or a condition");
        self.error(
            ErrorKind::Unexpected { found, expected },
            Span::new(end.saturating_sub(1), end),
        );
    }

    /// Cuts one row into cells. It ends at its semicolon; without one, at a line
    /// end behind the last cell.
    fn row(&mut self) {
        self.tokens.clear();
        self.cells.clear();
        self.starts.clear();
        let columns = self.herd.threads.len();
        let mut first = 0;
        let mut cell_start = self.lexer.pos as u32;
        loop {
            let new_line = self.lexer.skip_trivia(Mode::Cells);
            let start = self.lexer.pos;
            let has_tokens = self.tokens.len() > first;
            if new_line && has_tokens {
                let last = self.tokens[self.tokens.len() - 1];
                let names = columns == 0 && is_thread_name(&self.tokens[first..], self.lexer.text);
                let complete = names || self.cells.len() + 1 == columns;
                let goes_on = matches!(last.kind, TokenKind::Comma | TokenKind::Colon);
                let separator = matches!(self.lexer.peek_byte(), Some(b'|' | b';') | None);
                if (complete && !goes_on && !separator) || at_tail(self.lexer) {
                    self.missing_semicolon(last.span.end);
                    break;
                }
            }
            let Some(token) = self.lexer.token(Mode::Cells) else {
                let end = self
                    .tokens
                    .last()
                    .map_or(start as u32, |token| token.span.end);
                self.missing_semicolon(end);
                break;
            };
            match token.kind {
                TokenKind::Semicolon => break,
                TokenKind::Bar => {
                    self.cells.push(first..self.tokens.len());
                    self.starts.push(cell_start);
                    first = self.tokens.len();
                    cell_start = token.span.end;
                }
                _ => self.tokens.push(token),
            }
        }
        self.cells.push(first..self.tokens.len());
        self.starts.push(cell_start);
    }

    fn missing_semicolon(&mut self, place: u32) {
        let found = match self.lexer.peek_byte() {
            None => SmolStr::new_static("the end"),
            Some(_) => SmolStr::new_static("another line"),
        };
        let expected = SmolStr::new_static("`;`");
        self.damaged = true;
        if self.lexer.errors.len() < MAX_ERRORS {
            self.lexer.errors.push(
                Error::new(ErrorKind::Unexpected { found, expected }, Span::at(place))
                    .suggest(Some(";")),
            );
        }
    }

    fn thread_names(&mut self, whole: Span) {
        self.herd.threads_span = whole;
        let text = self.lexer.text;
        for column in 0..self.cells.len() {
            let tokens = &self.tokens[self.cells[column].clone()];
            let number = match tokens {
                [token] => thread_number(token.span.text(text)),
                _ => None,
            };
            let place = Span::at(self.starts[column]);
            let name = match (tokens, number) {
                ([token], Some(_)) => ident(text, token.span.start, token.span.end),
                _ => Ident {
                    name: SmolStr::from(format!("P{column}")),
                    span: place,
                },
            };
            let problem = match tokens {
                _ if number.is_some() => None,
                [] => Some((SmolStr::new_static("an empty cell"), place)),
                [token, ..] => Some((quote(text, *token), token.span)),
            };
            if let Some((found, span)) = problem {
                let expected = SmolStr::new_static("a thread's name, as `P0`");
                self.error(ErrorKind::Unexpected { found, expected }, span);
            }
            let number = number.unwrap_or(column as u32);
            self.herd.threads.push(ThreadName { name, number });
        }
    }

    fn instructions(&mut self, whole: Span) {
        let expected = self.herd.threads.len();
        let found = self.cells.len();
        if found != expected {
            if self.row_errors < MAX_ROW_ERRORS {
                self.error(ErrorKind::RowLength { found, expected }, whole);
            }
            self.damaged = true;
            self.row_errors += 1;
            self.mend(expected);
        }
        let mut cells = Vec::with_capacity(self.cells.len());
        for column in 0..self.cells.len() {
            cells.push(self.cell(column));
        }
        self.herd.rows.push(Row { cells, span: whole });
    }

    /// Gives the row the right number of cells, and as many as possible their place.
    fn mend(&mut self, expected: usize) {
        if self.cells.len() < expected {
            // A bar is missing before an instruction that is not first in its cell.
            let mut column = 0;
            while column < self.cells.len() && self.cells.len() < expected {
                let cell = self.cells[column].clone();
                let second = (cell.start + 1..cell.end).find(|&at| self.is_mnemonic(at));
                if let Some(at) = second {
                    self.cells[column] = cell.start..at;
                    self.cells.insert(column + 1, at..cell.end);
                    self.starts.insert(column + 1, self.tokens[at].span.start);
                }
                column += 1;
            }
        }
        let surplus = self.cells.len().saturating_sub(expected);
        if surplus > 0 {
            let mut left = surplus;
            let mut kept = 0;
            for column in 0..self.cells.len() {
                if left > 0 && self.cells[column].is_empty() {
                    left -= 1;
                    continue;
                }
                self.cells.swap(kept, column);
                self.starts.swap(kept, column);
                kept += 1;
            }
            self.cells.truncate(kept.min(expected));
            self.starts.truncate(kept.min(expected));
        }
        let end = self.lexer.pos as u32;
        while self.cells.len() < expected {
            self.cells.push(self.tokens.len()..self.tokens.len());
            self.starts.push(end);
        }
    }

    fn is_mnemonic(&self, at: usize) -> bool {
        let token = self.tokens[at];
        let after_prefix = self.tokens[at - 1].kind == TokenKind::LockPrefix
            || self.tokens[at - 1].kind == TokenKind::Colon;
        token.kind == TokenKind::LockPrefix
            || (token.kind == TokenKind::Ident
                && !after_prefix
                && mnemonic_by_name(token.span.text(self.lexer.text)).is_some())
    }

    fn cell(&mut self, column: usize) -> Cell {
        let tokens = &self.tokens[self.cells[column].clone()];
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return Cell {
                span: Span::at(self.starts[column]),
                ..Cell::default()
            };
        };
        let broken = Cell {
            span: first.span.to(last.span),
            error: true,
            ..Cell::default()
        };
        if self.lexer.errors.len() >= MAX_ERRORS {
            return broken;
        }
        let text = self.lexer.text;
        let errors = &mut self.lexer.errors;
        match herd_node(text, self.order, TokenKind::StartCell, tokens, errors) {
            Ok(HerdNode::Cell(cell)) => {
                self.damaged |= cell.error;
                cell
            }
            Ok(HerdNode::Init(_)) => broken,
            Err(failure) => {
                self.damaged = true;
                if tokens.get(failure.at).map(|token| token.kind) != Some(TokenKind::Bad) {
                    errors.push(failure.error(text, tokens, None));
                }
                // Its labels are still where jumps go.
                let labels = tokens.windows(2).step_by(2).map_while(|pair| {
                    let label =
                        pair[0].kind == TokenKind::Ident && pair[1].kind == TokenKind::Colon;
                    label.then(|| ident(text, pair[0].span.start, pair[0].span.end))
                });
                Cell {
                    labels: labels.collect(),
                    ..broken
                }
            }
        }
    }
}

/// Whether the table is over: a condition, or a `<<…>>` block. A line with a bar
/// in it is still a row, whatever it starts with.
fn at_tail(lexer: &Lexer<'_>) -> bool {
    let rest = &lexer.text[lexer.pos..];
    if rest.starts_with("<<") {
        return true;
    }
    let word_end = rest
        .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .unwrap_or(rest.len());
    let known = rest.starts_with('~')
        || matches!(
            &rest[..word_end],
            "exists" | "forall" | "final" | "locations" | "filter"
        )
        || (&rest[..word_end] == "not" && rest[word_end..].trim_start().starts_with("exists"));
    known && {
        let line = &rest.as_bytes()[..lexer.line_end() - lexer.pos];
        !line.iter().enumerate().any(|(at, byte)| {
            *byte == b'|' && line.get(at + 1) != Some(&b'|') && (at == 0 || line[at - 1] != b'|')
        })
    }
}

/// `<<…>>`; gives its range, and an error when nothing closes it.
pub(crate) fn block(lexer: &mut Lexer<'_>) -> Span {
    let start = lexer.pos;
    let rest = &lexer.text.as_bytes()[start..];
    match memmem::find(rest, b">>") {
        Some(length) => lexer.pos = start + length + 2,
        None => {
            lexer.pos = lexer.text.len();
            lexer.errors.push(Error::new(
                ErrorKind::Unclosed { open: '<' },
                span(start, start + 2),
            ));
        }
    }
    span(start, lexer.pos)
}

fn is_thread_name(tokens: &[Token], text: &str) -> bool {
    matches!(tokens, [token] if thread_number(token.span.text(text)).is_some())
}

/// Whether tokens of the init section are in truth the table's first.
fn is_table_start(tokens: &[Token], text: &str) -> bool {
    tokens
        .first()
        .is_some_and(|token| thread_number(token.span.text(text)).is_some())
}

/// `P0`
fn thread_number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix('P')?;
    let numeric = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    numeric.then(|| digits.parse().ok()).flatten()
}

/// In herd's dialect `P0` and `0` are the same thread.
pub(crate) fn number_thread(thread: &mut ThreadRef) {
    if let ThreadRefKind::Name { name, index: None } = &thread.kind
        && let Some(number) = thread_number(&name.name)
    {
        thread.kind = ThreadRefKind::Number(number);
    }
}
