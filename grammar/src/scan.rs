//! A text cut into words, numbers, strings, comments and marks, without a tree.
//!
//! For what must work in the middle of a keystroke, when no tree has what it needs. It is the
//! parser's own lexer that cuts.

use crate::ast::{Comment, CommentKind};
use crate::c::Modal;
use crate::dialect::{Context, Dialect};
use crate::lexer::{Lexer, Mode};
use crate::span::Span;
use crate::token::TokenKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// A name or a reserved word.
    Word,
    Number,
    String,
    Comment,
    /// Anything else.
    Mark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    pub kind: PieceKind,
    pub span: Span,
    /// What is typed behind it still belongs to it: a line comment, or what is not closed.
    pub open: bool,
}

impl Piece {
    /// Whether what is typed at `offset` would be text in a comment or a string.
    pub fn holds(&self, offset: u32) -> bool {
        matches!(self.kind, PieceKind::Comment | PieceKind::String)
            && self.span.start < offset
            && (offset < self.span.end || self.open && offset == self.span.end)
    }
}

/// The pieces of a text in order; blanks are between them.
pub fn pieces<'t>(text: &'t str, dialect: &Dialect) -> Pieces<'t> {
    Pieces {
        lexer: Lexer::new(text),
        mode: dialect.mode,
        modal: (dialect.mode == Mode::Around).then(Modal::new),
        comments: Vec::new().into_iter(),
        unclosed: false,
        token: None,
    }
}

pub struct Pieces<'t> {
    lexer: Lexer<'t>,
    mode: Mode,
    /// Of a dialect that cuts a part of its texts otherwise.
    modal: Option<Modal>,
    /// Those before `token`.
    comments: std::vec::IntoIter<Comment>,
    /// The last of them, with which the text then ends.
    unclosed: bool,
    token: Option<Piece>,
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        if self.comments.as_slice().is_empty() && self.token.is_none() {
            self.advance();
        }
        let Some(comment) = self.comments.next() else {
            return self.token.take();
        };
        let last = self.comments.as_slice().is_empty();
        Some(Piece {
            kind: PieceKind::Comment,
            span: comment.span,
            open: comment.kind == CommentKind::Line || (last && self.unclosed),
        })
    }
}

impl Pieces<'_> {
    /// Reads the next token and the comments before it.
    fn advance(&mut self) {
        match &mut self.modal {
            Some(modal) => self.mode = modal.skip(&mut self.lexer),
            None => {
                self.lexer.skip_trivia(self.mode);
            }
        }
        self.unclosed = self.reported();
        self.comments = std::mem::take(&mut self.lexer.comments).into_iter();
        let token = self.lexer.token(self.mode);
        let unclosed = self.reported();
        if let (Some(modal), Some(token)) = (&mut self.modal, &token) {
            modal.read(token.kind);
        }
        self.token = token.map(|token| {
            let kind = match token.kind {
                TokenKind::Int => PieceKind::Number,
                TokenKind::Str => PieceKind::String,
                _ if is_name(token.span.text(self.lexer.text)) => PieceKind::Word,
                _ => PieceKind::Mark,
            };
            Piece {
                kind,
                span: token.span,
                open: kind == PieceKind::String && unclosed,
            }
        });
    }

    /// Whether the lexer has complained, which it then forgets.
    fn reported(&mut self) -> bool {
        let reported = !self.lexer.errors.is_empty();
        self.lexer.errors.clear();
        reported
    }
}

/// Whether a text is spelled as a name.
pub fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(is_word_char)
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Where a cursor is; none before anything is written but the word at the cursor.
pub fn context<'t>(text: &'t str, dialect: &Dialect, offset: u32) -> Option<Context<'t>> {
    if in_expect_comment(text, offset) {
        return Some(Context::Expect);
    }
    // The word that is being typed says nothing about where it is.
    let typed = word_at(text, offset).map_or(offset, |word| word.start.min(offset));
    let mut before: Vec<Piece> = Vec::new();
    for piece in pieces(text, dialect).take_while(|piece| piece.span.start < typed) {
        if piece.holds(offset) {
            return Some(Context::Nowhere);
        }
        if piece.kind != PieceKind::Comment {
            before.push(piece);
        }
    }
    (!before.is_empty()).then(|| (dialect.context)(text, &before))
}

/// herd's expectations are in a comment: `(* expect: SC never, … *)`.
fn in_expect_comment(text: &str, offset: u32) -> bool {
    let before = text.get(..offset as usize).unwrap_or_default();
    before.rfind("(*").is_some_and(|open| {
        let inside = &before[open + 2..];
        inside.trim_start().starts_with("expect:") && !inside.contains("*)")
    })
}

/// The word that a cursor touches.
pub fn word_at(text: &str, offset: u32) -> Option<Span> {
    let offset = offset as usize;
    let before = text.get(..offset)?;
    let after = text.get(offset..)?;
    let start = before.trim_end_matches(is_word_char).len();
    let end = offset + after.find(|c| !is_word_char(c)).unwrap_or(after.len());
    (start < end).then(|| Span::new(start as u32, end as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DIALECTS;

    fn kinds(text: &str) -> Vec<(PieceKind, &str)> {
        pieces(text, DIALECTS[0])
            .map(|piece| (piece.kind, piece.span.text(text)))
            .collect()
    }

    #[test]
    fn a_text_is_cut_into_pieces() {
        assert_eq!(
            kinds("x = 0x1F; // é\n\"doc\" (* a (* b *) c *) %eax"),
            [
                (PieceKind::Word, "x"),
                (PieceKind::Mark, "="),
                (PieceKind::Number, "0x1F"),
                (PieceKind::Mark, ";"),
                (PieceKind::Comment, "// é"),
                (PieceKind::String, "\"doc\""),
                (PieceKind::Comment, "(* a (* b *) c *)"),
                (PieceKind::Mark, "%"),
                (PieceKind::Word, "eax"),
            ]
        );
    }

    #[test]
    fn what_is_not_closed_goes_to_the_end() {
        let comment = |text| [(PieceKind::Comment, text)];
        assert_eq!(kinds("\"open"), [(PieceKind::String, "\"open")]);
        assert_eq!(kinds("(* open (* *)"), comment("(* open (* *)"));
        assert_eq!(kinds("/* open"), comment("/* open"));
        // A string ends with its line, so the next one is read as what it is.
        assert_eq!(kinds("\"open\nx")[1], (PieceKind::Word, "x"));
    }

    #[test]
    fn what_is_open_holds_what_is_typed_behind_it() {
        let holds = |text: &str| {
            let end = text.len() as u32;
            pieces(text, DIALECTS[0]).any(|piece| piece.holds(end))
        };
        for text in ["x // a", "\"a", "/* a", "(* (* *)"] {
            assert!(holds(text), "{text}");
        }
        for text in ["x // a\n", "\"a\"", "/* a */", "(* *)", "x = 1", "\"a\n"] {
            assert!(!holds(text), "{text}");
        }
    }

    #[test]
    fn a_cursor_touches_the_word_on_either_side() {
        let text = "ab é cd";
        let word = |offset| word_at(text, offset).map(|span| span.text(text));
        assert_eq!(word(0), Some("ab"));
        assert_eq!(word(2), Some("ab"));
        assert_eq!(word(3), None);
        assert_eq!(word(text.len() as u32), Some("cd"));
        assert_eq!(word(4), None, "not a character boundary");
    }

    #[test]
    fn reserved_words_are_those_of_the_lexer() {
        for dialect in DIALECTS {
            for word in dialect.reserved() {
                assert!(is_name(word), "{word}");
            }
            assert!(dialect.reserved().any(|word| word == "true"));
        }
        assert!(DIALECTS[1].reserved().any(|word| word == "not"));
    }
}
