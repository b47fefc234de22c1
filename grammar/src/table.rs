//! herd's init section and table: cut into entries, rows and cells, each parsed alone.
//!
//! A table is ragged only by mistake, so a row with a cell too few or too many
//! is mended where it can be (a missing `|` before a mnemonic, an empty cell too
//! many): the other columns keep their instructions.

mod mend;

use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem};

use crate::actions::{abbreviate, ident};
use crate::ast::herd::*;
use crate::ast::{Ident, SmolStr, ThreadRef, ThreadRefKind};
use crate::error::{Error, ErrorKind};
use crate::header::{at_table, at_table_text};
use crate::instruction::HerdNode;
use crate::lexer::{Lexer, Mode, span};
use crate::limits::MAX_ERRORS;
use crate::parser::{herd_node, quote};
use crate::span::Span;
use crate::token::{Token, TokenKind};
use crate::words::x86::mnemonic_by_name;

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

/// What a token does in a row.
enum Role {
    Content,
    Bar,
    End,
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
            let new_line = self.lexer.skip_trivia(Mode::Herd);
            // The section ends at its brace; without one, at the line where the
            // table or a condition starts.
            let runaway = new_line && (at_table(self.lexer) || at_tail(self.lexer));
            let token = if runaway {
                None
            } else {
                self.lexer.token(Mode::Herd)
            };
            if token.is_none() {
                self.entry(&tokens);
                self.error(ErrorKind::Unclosed { open: '{' }, open);
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

    /// A brace too many ends the init section early: the table is still further down.
    fn find_table(&mut self) {
        let start = self.lexer.pos;
        loop {
            self.lexer.skip_line();
            self.lexer.skip_trivia(Mode::Herd);
            if self.lexer.peek_byte().is_none() || at_tail(self.lexer) {
                // There is none; what is here may be one with a bad first row.
                self.lexer.pos = start;
                self.lexer
                    .comments
                    .retain(|comment| (comment.span.start as usize) < start);
                return;
            }
            if at_table(self.lexer) {
                break;
            }
        }
        let line = self.lexer.text[start..]
            .lines()
            .next()
            .unwrap_or("")
            .trim_end();
        let found = SmolStr::from(format!("`{}`", abbreviate(line)));
        let expected = SmolStr::new_static("the table of threads");
        self.error(
            ErrorKind::Unexpected { found, expected },
            span(start, start + line.len()),
        );
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
        let mut empty = false;
        while self.lexer.errors.len() < MAX_ERRORS {
            let fresh = self.lexer.skip_trivia(Mode::Cells) || empty;
            if self.lexer.peek_byte().is_none() || at_tail(self.lexer) {
                break;
            }
            if self.sound_row() {
                empty = false;
                continue;
            }
            // Something is wrong with it: lines and columns now say more than the signs.
            let columns = self.herd.threads.len();
            if columns == 0 && !at_table(self.lexer) {
                self.find_table();
            } else if fresh && columns > 0 && past_table(self.lexer, columns) {
                break;
            }
            let start = self.lexer.pos as u32;
            self.row();
            let whole = Span::new(start, self.lexer.pos as u32);
            empty = self.cells.len() == 1 && self.cells[0].is_empty();
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

    /// Reads a row that has nothing wrong with it, wherever its lines end. Says whether
    /// there was one; if not, nothing is consumed.
    fn sound_row(&mut self) -> bool {
        let start = self.lexer.pos;
        let (errors, comments) = (self.lexer.errors.len(), self.lexer.comments.len());
        let (damaged, row_errors) = (self.damaged, self.row_errors);
        let sound = self.cut_at_signs() && {
            let whole = span(start, self.lexer.pos);
            if self.herd.threads.is_empty() {
                let name = |cell: &Range<usize>| {
                    cell.len() == 1 && self.is_thread(&self.tokens[cell.start])
                };
                // More names behind the semicolon: it should be a bar.
                let rest = self.lexer.text[self.lexer.pos..].trim_ascii_start();
                let sound = self.cells.iter().all(name) && !at_table_text(rest.as_bytes());
                if sound {
                    self.thread_names(whole);
                }
                sound
            } else {
                let row = self.herd.rows.len();
                self.instructions(whole);
                let sound = self.lexer.errors.len() == errors;
                if !sound {
                    self.herd.rows.truncate(row);
                }
                sound
            }
        };
        if !sound {
            self.lexer.pos = start;
            self.lexer.errors.truncate(errors);
            self.lexer.comments.truncate(comments);
            self.damaged = damaged;
            self.row_errors = row_errors;
        }
        sound
    }

    /// Cuts one row into cells by its bars and its semicolon alone. Gives up on what can
    /// be no row, so that looking for a lost semicolon does not read the whole file.
    fn cut_at_signs(&mut self) -> bool {
        const MAX_CELL_TOKENS: usize = 64;
        self.tokens.clear();
        self.cells.clear();
        self.starts.clear();
        let columns = self.herd.threads.len();
        let mut first = 0;
        let mut cell_start = self.lexer.pos as u32;
        loop {
            self.lexer.skip_trivia(Mode::Cells);
            let Some(token) = self.lexer.token(Mode::Cells) else {
                return false;
            };
            match token.kind {
                TokenKind::Bar | TokenKind::Semicolon => {
                    self.cells.push(first..self.tokens.len());
                    self.starts.push(cell_start);
                    first = self.tokens.len();
                    cell_start = token.span.end;
                    if token.kind == TokenKind::Semicolon {
                        return columns == 0 || self.cells.len() == columns;
                    }
                    if columns > 0 && self.cells.len() >= columns {
                        return false;
                    }
                }
                TokenKind::Bad => return false,
                _ if self.tokens.len() - first >= MAX_CELL_TOKENS => return false,
                _ => self.tokens.push(token),
            }
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
            let has_tokens = self.tokens.len() > first;
            if new_line
                && let Some(last) = self.tokens.last().copied()
                && self.ends_at_line(first, columns)
            {
                self.missing_semicolon(last.span.end);
                if !has_tokens {
                    // A bar stands where the semicolon should: no cell follows it.
                    return;
                }
                break;
            }
            let Some(token) = self.lexer.token(Mode::Cells) else {
                let end = self
                    .tokens
                    .last()
                    .map_or(cell_start, |token| token.span.end);
                self.missing_semicolon(end);
                break;
            };
            let role = match token.kind {
                TokenKind::Bar => Role::Bar,
                TokenKind::Semicolon => self.semicolon(token.span, columns),
                _ => Role::Content,
            };
            match role {
                Role::End => break,
                Role::Content => self.tokens.push(token),
                Role::Bar => {
                    self.cells.push(first..self.tokens.len());
                    self.starts.push(cell_start);
                    first = self.tokens.len();
                    cell_start = token.span.end;
                }
            }
        }
        self.cells.push(first..self.tokens.len());
        self.starts.push(cell_start);
    }

    /// Whether a row without its semicolon is over at this line end. An instruction
    /// may go on after a comma, and a label's may stand on the next line.
    fn ends_at_line(&self, first: usize, columns: usize) -> bool {
        if at_tail(self.lexer) {
            return true;
        }
        let cell = &self.tokens[first..];
        match self.lexer.peek_byte() {
            None | Some(b';') => return false,
            // The next cell of this row, or the first of another.
            Some(b'|') => return columns > 0 && self.cells.len() + 1 >= columns,
            _ => {}
        }
        if columns == 0 {
            // The first row has names and nothing else.
            let names = self
                .tokens
                .first()
                .is_some_and(|token| self.is_thread(token));
            return names && !at_table(self.lexer);
        }
        match cell.last() {
            None => self.cells.len() >= columns,
            Some(last) => {
                let goes_on = matches!(last.kind, TokenKind::Comma | TokenKind::Colon);
                self.cells.len() + 1 >= columns && !goes_on
            }
        }
    }

    /// A semicolon ends a row. In the middle of a row's line, with cells still missing,
    /// it stands in place of a bar or of what belongs into the cell.
    fn semicolon(&mut self, place: Span, columns: usize) -> Role {
        let rest = &self.lexer.text[self.lexer.pos..self.lexer.line_end()];
        let rest = rest.trim_start();
        let full = self.lexer.errors.len() >= MAX_ERRORS;
        if full || (self.tokens.is_empty() && self.cells.is_empty()) {
            return Role::End;
        }
        let missing = columns == 0 || self.cells.len() + 1 < columns;
        if missing && rest.starts_with('|') {
            return Role::Content;
        }
        let means_bar = if columns == 0 {
            at_table_text(rest.as_bytes())
        } else {
            missing && !rest.is_empty() && !rest.starts_with("(*")
        };
        if !means_bar {
            return Role::End;
        }
        let found = SmolStr::new_static("`;`");
        let expected = SmolStr::new_static("`|`");
        self.damaged = true;
        let error = Error::new(ErrorKind::Unexpected { found, expected }, place);
        self.lexer.errors.push(error.suggest(Some("|")));
        Role::Bar
    }

    fn is_thread(&self, token: &Token) -> bool {
        thread_number(token.span.text(self.lexer.text)).is_some()
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

    /// The first row. A cell with several names has lost a bar; one with none has lost
    /// its name, and its column stays if the numbers leave room for it.
    fn thread_names(&mut self, whole: Span) {
        self.herd.threads_span = whole;
        let text = self.lexer.text;
        let mut nameless: Vec<Span> = Vec::new();
        for cell in 0..self.cells.len() {
            let place = Span::at(self.starts[cell]);
            let mut named = false;
            let mut stray = None;
            for at in self.cells[cell].clone() {
                let token = self.tokens[at];
                let number = thread_number(token.span.text(text));
                let again = number.is_some_and(|number| {
                    let last = self.herd.threads.last();
                    last.is_some_and(|last| last.number == number)
                });
                match number {
                    Some(number) if !again => {
                        for place in nameless.drain(..) {
                            if (self.herd.threads.len() as u32) < number {
                                self.herd.threads.push(nameless_thread(&self.herd, place));
                            }
                        }
                        if named {
                            stray = stray.or(Some(token));
                        }
                        named = true;
                        let name = ident(text, token.span.start, token.span.end);
                        self.herd.threads.push(ThreadName { name, number });
                    }
                    _ => stray = stray.or(Some(token)),
                }
            }
            if !named {
                nameless.push(place);
            }
            let expected = SmolStr::new_static(if named {
                "`|` or `;`"
            } else {
                "a thread's name, as `P0`"
            });
            let (found, span) = match stray {
                Some(token) => (quote(text, token), token.span),
                None if !named => (SmolStr::new_static("an empty cell"), place),
                None => continue,
            };
            if stray.is_none_or(|token| token.kind != TokenKind::Bad) {
                self.error(ErrorKind::Unexpected { found, expected }, span);
            }
        }
        for place in nameless {
            self.herd.threads.push(nameless_thread(&self.herd, place));
        }
    }

    fn instructions(&mut self, whole: Span) {
        let expected = self.herd.threads.len();
        let found = self.cells.len();
        if found != expected {
            self.damaged = true;
            self.mend();
        }
        let errors = self.lexer.errors.len();
        let mut cells = Vec::with_capacity(self.cells.len());
        for column in 0..self.cells.len() {
            cells.push(self.cell(column));
        }
        // A bad cell says enough about its row.
        let silent = self.lexer.errors.len() > errors || self.row_errors >= MAX_ROW_ERRORS;
        if found != expected && !silent {
            self.row_errors += 1;
            self.error(ErrorKind::RowLength { found, expected }, whole);
        }
        self.herd.rows.push(Row { cells, span: whole });
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

/// Stands for a thread whose name could not be read.
fn nameless_thread(herd: &Herd, place: Span) -> ThreadName {
    let number = herd.threads.len() as u32;
    ThreadName {
        name: Ident {
            name: SmolStr::from(format!("P{number}")),
            span: place,
        },
        number,
    }
}

/// Whether a condition starts here, or a `<<…>>` block. A line with a bar in it is
/// still a row, whatever it starts with.
fn at_tail(lexer: &Lexer<'_>) -> bool {
    let rest = &lexer.text[lexer.pos..];
    if rest.starts_with("<<") {
        return true;
    }
    let word_end = rest
        .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .unwrap_or(rest.len());
    let word = &rest[..word_end];
    match word {
        "locations" => true,
        "exists" | "forall" | "final" | "filter" => !has_bar(line(lexer)),
        "not" => rest[word_end..].trim_start().starts_with("exists"),
        _ => rest.starts_with('~') && !has_bar(line(lexer)),
    }
}

fn line<'t>(lexer: &Lexer<'t>) -> &'t [u8] {
    &lexer.text.as_bytes()[lexer.pos..lexer.line_end()]
}

/// A bar that is not half of `||`.
fn has_bar(text: &[u8]) -> bool {
    memchr_iter(b'|', text)
        .any(|at| text.get(at + 1) != Some(&b'|') && (at == 0 || text[at - 1] != b'|'))
}

/// Whether no row starts here although no condition does either: the first word of
/// the conditions may be what is wrong.
fn past_table(lexer: &Lexer<'_>, columns: usize) -> bool {
    let rest = &lexer.text.as_bytes()[lexer.pos..];
    let row_end = memchr(b';', rest).unwrap_or(rest.len());
    if has_bar(&rest[..row_end]) || matches!(rest.first(), Some(b'|' | b';')) {
        return false;
    }
    let word_end = rest
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'.'))
        .unwrap_or(rest.len());
    let label = rest[word_end..].trim_ascii_start().starts_with(b":");
    let word = &lexer.text[lexer.pos..lexer.pos + word_end];
    let instruction =
        label || mnemonic_by_name(word).is_some() || word.eq_ignore_ascii_case("lock");
    if columns > 1 {
        return !instruction;
    }
    // One column has no bars to tell by; the line after it does.
    let next_line = rest[line(lexer).len()..].trim_ascii_start();
    let mut after = Lexer::new(lexer.text);
    after.pos = lexer.text.len() - next_line.len();
    word_end == 0 && (next_line.is_empty() || at_tail(&after))
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
