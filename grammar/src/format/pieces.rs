//! Cuts a text into what a formatter must not tear apart: words, marks, comments.
//!
//! This knows less than the lexer on purpose. Where comments, strings and other
//! opaque text begin and end comes from the tree, so the two cannot disagree on it;
//! of the rest only the cuts between words and marks matter.

use crate::ast::{Comment, CommentKind};
use crate::span::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, a keyword or a number.
    Word,
    /// An operator or a bracket.
    Mark,
    /// Printed as it stands: a name with odd characters, a string, a header line.
    Opaque,
    Comment(CommentKind),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub kind: Kind,
    pub span: Span,
    /// Line ends between this piece and the one before it; 2 stands for more.
    pub line_ends: u8,
}

impl Piece {
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        self.span.text(text)
    }

    pub fn is_comment(&self) -> bool {
        matches!(self.kind, Kind::Comment(_))
    }
}

/// The pieces of `text` from `at` to `end`.
#[derive(Clone)]
pub(super) struct Pieces<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
    /// Sorted by place, as are the opaque ranges; those before `at` are skipped.
    comments: &'a [Comment],
    opaque: &'a [Span],
    /// Whether `||` and the like are one mark. Between the bars of herd's columns
    /// they are two.
    pairs: bool,
}

const PAIRS: [&[u8; 2]; 11] = [
    b"/\\", b"\\/", b"&&", b"||", b"==", b"!=", b"<=", b">=", b"<<", b">>", b"..",
];

impl<'a> Pieces<'a> {
    pub fn new(text: &'a str, comments: &'a [Comment], opaque: &'a [Span]) -> Self {
        Pieces {
            text: text.as_bytes(),
            at: 0,
            end: text.len(),
            comments,
            opaque,
            pairs: true,
        }
    }

    pub fn from(mut self, at: u32) -> Self {
        self.at = at as usize;
        self
    }

    pub fn until(mut self, end: u32) -> Self {
        self.end = (end as usize).min(self.text.len());
        self
    }

    pub fn without_pairs(mut self) -> Self {
        self.pairs = false;
        self
    }

    fn opaque_here(&mut self) -> Option<(Kind, Span)> {
        while self
            .comments
            .first()
            .is_some_and(|comment| (comment.span.start as usize) < self.at)
        {
            self.comments = &self.comments[1..];
        }
        while self
            .opaque
            .first()
            .is_some_and(|span| (span.start as usize) < self.at || span.is_empty())
        {
            self.opaque = &self.opaque[1..];
        }
        if let Some(comment) = self.comments.first()
            && comment.span.start as usize == self.at
        {
            return Some((Kind::Comment(comment.kind), comment.span));
        }
        match self.opaque.first() {
            Some(&span) if span.start as usize == self.at => Some((Kind::Opaque, span)),
            _ => None,
        }
    }

    fn word_or_mark(&self) -> (Kind, usize) {
        let rest = &self.text[self.at..self.end];
        let word = rest.iter().position(|&byte| !is_word(byte));
        match word.unwrap_or(rest.len()) {
            0 if self.pairs && PAIRS.iter().any(|pair| rest.starts_with(&pair[..])) => {
                (Kind::Mark, 2)
            }
            0 => (Kind::Mark, 1),
            length => (Kind::Word, length),
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let mut line_ends = 0;
        while self.at < self.end && self.text[self.at].is_ascii_whitespace() {
            if self.text[self.at] == b'\n' && line_ends < 2 {
                line_ends += 1;
            }
            self.at += 1;
        }
        if self.at >= self.end {
            return None;
        }
        let (kind, span) = self.opaque_here().unwrap_or_else(|| {
            let (kind, length) = self.word_or_mark();
            (kind, Span::new(self.at as u32, (self.at + length) as u32))
        });
        self.at = span.end as usize;
        Some(Piece {
            kind,
            span,
            line_ends,
        })
    }
}
