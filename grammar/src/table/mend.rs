//! Gives a ragged row the right number of cells, and each instruction its column.

use std::ops::Range;

use memchr::memrchr;

use super::Table;
use crate::token::TokenKind;
use crate::words::x86::mnemonic_by_name;

/// Tokens that belong together, and where the cell begins.
type Piece = (Range<usize>, u32);

impl Table<'_, '_> {
    /// Afterwards there are as many cells as columns. Tables are written in straight
    /// columns, so a cell goes where it stands.
    pub(super) fn mend(&mut self) {
        let expected = self.herd.threads.len();
        let pieces: Vec<Piece> = std::mem::take(&mut self.cells)
            .into_iter()
            .zip(std::mem::take(&mut self.starts))
            .collect();
        let pieces = if pieces.len() < expected {
            self.split(pieces, expected)
        } else {
            self.join(pieces, expected)
        };
        let end = self.lexer.pos as u32;
        let mut cells = vec![self.tokens.len()..self.tokens.len(); expected];
        let mut starts = vec![end; expected];
        let pieces: Vec<Piece> = pieces
            .into_iter()
            .filter(|(cell, _)| !cell.is_empty())
            .collect();
        let mut next = 0;
        for (index, (cell, start)) in pieces.iter().take(expected).enumerate() {
            // Those behind it need a place too.
            let last = expected - (pieces.len() - index).min(expected - next);
            let column = self.column_of(self.tokens[cell.start].span.start, next..last + 1);
            cells[column] = cell.clone();
            starts[column] = *start;
            next = column + 1;
            if next == expected {
                break;
            }
        }
        self.cells = cells;
        self.starts = starts;
    }

    /// A bar is missing before an instruction that is not the first of its cell.
    fn split(&self, pieces: Vec<Piece>, expected: usize) -> Vec<Piece> {
        let mut missing = expected - pieces.len();
        let mut split = Vec::with_capacity(expected);
        for (mut cell, mut start) in pieces {
            while missing > 0 {
                let second = (cell.start + 1..cell.end).find(|&at| self.is_mnemonic(at));
                let Some(at) = second else { break };
                split.push((cell.start..at, start));
                cell.start = at;
                start = self.tokens[at].span.start;
                missing -= 1;
            }
            split.push((cell, start));
        }
        split
    }

    /// What starts like no instruction belongs to the cell before it.
    fn join(&self, pieces: Vec<Piece>, expected: usize) -> Vec<Piece> {
        let mut surplus = pieces.len() - expected;
        let mut joined: Vec<Piece> = Vec::with_capacity(expected);
        for (cell, start) in pieces {
            let stray = surplus > 0 && !cell.is_empty() && !self.starts_cell(cell.clone());
            match joined.last_mut() {
                Some((before, _)) if stray && before.start < before.end => {
                    before.end = cell.end;
                    surplus -= 1;
                }
                _ => joined.push((cell, start)),
            }
        }
        joined
    }

    /// The column whose name stands nearest to a place, counted from the line's start
    /// or from its end: one of them is right, whichever side the mistake is on.
    fn column_of(&self, offset: u32, range: Range<usize>) -> usize {
        let (left, right) = self.place(offset);
        let mut best = (u32::MAX, range.start);
        for column in range {
            let (name_left, name_right) = self.place(self.herd.threads[column].name.span.start);
            let distance = left.abs_diff(name_left).min(right.abs_diff(name_right));
            if distance < best.0 {
                best = (distance, column);
            }
        }
        best.1
    }

    /// How far a place is from the start and from the end of its line.
    fn place(&self, offset: u32) -> (u32, u32) {
        let text = self.lexer.text.as_bytes();
        let at = offset as usize;
        let start = memrchr(b'\n', &text[..at]).map_or(0, |newline| newline + 1);
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length);
        let length = text[at..end].trim_ascii_end().len();
        ((at - start) as u32, length as u32)
    }

    /// Whether tokens start as a cell does: with a mnemonic, a prefix or a label.
    fn starts_cell(&self, cell: Range<usize>) -> bool {
        let text = self.lexer.text;
        match &self.tokens[cell] {
            [name, colon, ..]
                if name.kind == TokenKind::Ident && colon.kind == TokenKind::Colon =>
            {
                true
            }
            [first, ..] => {
                first.kind == TokenKind::LockPrefix
                    || mnemonic_by_name(first.span.text(text)).is_some()
            }
            [] => false,
        }
    }

    /// Whether an instruction starts at a token that is not the first of its cell.
    fn is_mnemonic(&self, at: usize) -> bool {
        let token = self.tokens[at];
        let before = self.tokens[at - 1].kind;
        token.kind == TokenKind::LockPrefix
            || (token.kind == TokenKind::Ident
                && !matches!(before, TokenKind::LockPrefix | TokenKind::Colon)
                && mnemonic_by_name(token.span.text(self.lexer.text)).is_some())
    }
}
