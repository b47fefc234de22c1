//! The hand-made modal lexer: blanks, comments and tokens, one mode a section.
//!
//! The grammars never see a comment, and a bad character is a token, not an
//! abort. Which mode applies is the caller's to say: the header of a file, a
//! native body, herd's init section, its table and its conditions spell the
//! same characters differently (`2+2W+mfence+po` is one name in a header).

use memchr::{memchr, memchr2};

use crate::ast::register::register_by_name;
use crate::ast::{Comment, CommentKind};
use crate::error::{Error, ErrorKind};
use crate::span::Span;
use crate::token::{Token, TokenKind};
use crate::words::c::control_token;
use crate::words::native::native_token;
use crate::words::{condition_token, herd_token};

/// Where in a file the lexer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Native,
    /// herd's init section and what follows the table.
    Herd,
    /// herd's table.
    Cells,
    /// The functions of a C test, where `(*` is code.
    Code,
    /// What surrounds them.
    Around,
}

impl Mode {
    /// Whether `(*` starts a comment.
    const fn has_herd_comments(self) -> bool {
        !matches!(self, Mode::Code)
    }

    /// Whether `//` and `/*` start comments.
    const fn has_c_comments(self) -> bool {
        matches!(self, Mode::Native | Mode::Code | Mode::Around)
    }

    /// Whether a name may contain dots.
    const fn has_dots(self) -> bool {
        matches!(self, Mode::Herd | Mode::Cells)
    }
}

pub(crate) struct Lexer<'t> {
    pub text: &'t str,
    bytes: &'t [u8],
    pub pos: usize,
    pub comments: Vec<Comment>,
    pub errors: Vec<Error>,
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Self {
        // A byte order mark is no part of the text, but offsets count it.
        let pos = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Lexer {
            text,
            bytes: text.as_bytes(),
            pos,
            comments: Vec::new(),
            errors: Vec::new(),
        }
    }

    pub fn peek_byte(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    /// Blanks within a line; nothing else.
    pub fn skip_spaces(&mut self) {
        while let Some(b' ' | b'\t' | b'\r') = self.peek_byte() {
            self.pos += 1;
        }
    }

    /// To the line's end, which is not consumed.
    pub fn skip_line(&mut self) {
        self.pos = self.line_end();
    }

    pub fn line_end(&self) -> usize {
        memchr(b'\n', &self.bytes[self.pos..]).map_or(self.bytes.len(), |at| self.pos + at)
    }

    /// Blanks, line ends and comments. Herd's tables have no `//` and `/*`.
    /// Says whether there was a line end outside a comment.
    pub fn skip_trivia(&mut self, mode: Mode) -> bool {
        let mut line_end = false;
        loop {
            match self.peek_byte() {
                Some(b' ' | b'\t' | b'\r') => self.pos += 1,
                Some(b'\n') => {
                    line_end = true;
                    self.pos += 1;
                }
                Some(b'(') if mode.has_herd_comments() && self.second() == Some(b'*') => {
                    self.herd_comment();
                }
                Some(b'/') if mode.has_c_comments() && self.second() == Some(b'/') => {
                    let start = self.pos;
                    self.skip_line();
                    let end = if self.bytes[..self.pos].ends_with(b"\r") {
                        self.pos - 1
                    } else {
                        self.pos
                    };
                    self.comment(CommentKind::Line, start, end);
                }
                Some(b'/') if mode.has_c_comments() && self.second() == Some(b'*') => {
                    self.block_comment();
                }
                _ => return line_end,
            }
        }
    }

    fn second(&self) -> Option<u8> {
        self.bytes.get(self.pos + 1).copied()
    }

    fn comment(&mut self, kind: CommentKind, start: usize, end: usize) {
        self.comments.push(Comment {
            kind,
            span: span(start, end),
        });
    }

    /// `(* … *)`; these nest, and a count instead of a call keeps the stack flat.
    fn herd_comment(&mut self) {
        let start = self.pos;
        self.pos += 2;
        let mut depth = 1usize;
        while depth > 0 {
            let Some(at) = memchr2(b'(', b'*', &self.bytes[self.pos..]) else {
                self.pos = self.bytes.len();
                self.unclosed(ErrorKind::UnclosedComment, start, start + 2);
                break;
            };
            self.pos += at;
            match (self.bytes[self.pos], self.second()) {
                (b'(', Some(b'*')) => {
                    depth += 1;
                    self.pos += 2;
                }
                (b'*', Some(b')')) => {
                    depth -= 1;
                    self.pos += 2;
                }
                _ => self.pos += 1,
            }
        }
        self.comment(CommentKind::Herd, start, self.pos);
    }

    fn block_comment(&mut self) {
        let start = self.pos;
        self.pos += 2;
        loop {
            let Some(at) = memchr(b'*', &self.bytes[self.pos..]) else {
                self.pos = self.bytes.len();
                self.unclosed(ErrorKind::UnclosedComment, start, start + 2);
                break;
            };
            self.pos += at + 1;
            if self.peek_byte() == Some(b'/') {
                self.pos += 1;
                break;
            }
        }
        self.comment(CommentKind::Block, start, self.pos);
    }

    fn unclosed(&mut self, kind: ErrorKind, start: usize, end: usize) {
        self.errors.push(Error::new(kind, span(start, end)));
    }

    /// `"…"` on one line, from its opening quote; the range has the quotes.
    pub fn string(&mut self) -> Span {
        let start = self.pos;
        self.pos += 1;
        match memchr2(b'"', b'\n', &self.bytes[self.pos..]) {
            Some(at) if self.bytes[self.pos + at] == b'"' => {
                self.pos += at + 1;
                span(start, self.pos)
            }
            _ => {
                self.skip_line();
                self.unclosed(ErrorKind::UnclosedString, start, start + 1);
                span(start, self.pos)
            }
        }
    }

    /// A run of what `accept` takes.
    pub fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> Span {
        let start = self.pos;
        while self.peek_byte().is_some_and(&accept) {
            self.pos += 1;
        }
        span(start, self.pos)
    }

    /// The token at the cursor, which is neither a blank nor a comment; `None` at the end.
    pub fn token(&mut self, mode: Mode) -> Option<Token> {
        let start = self.pos;
        let byte = self.peek_byte()?;
        let kind = match CLASSES[byte as usize] {
            Class::Letter => self.word(mode),
            Class::Digit => self.number(),
            Class::Dot if mode.has_dots() => self.word(mode),
            _ => self.punctuation(byte, mode),
        };
        Some(Token {
            kind,
            span: span(start, self.pos),
        })
    }

    fn word(&mut self, mode: Mode) -> TokenKind {
        let start = self.pos;
        self.pos += 1;
        while let Some(&byte) = self.bytes.get(self.pos) {
            match CLASSES[byte as usize] {
                Class::Letter | Class::Digit => self.pos += 1,
                Class::Dot if mode.has_dots() => self.pos += 1,
                _ => break,
            }
        }
        let word = &self.text[start..self.pos];
        match mode {
            Mode::Native => native_token(word)
                .or_else(|| condition_token(word))
                .unwrap_or(TokenKind::Ident),
            // What conditions begin with is no name there either: it ends the functions.
            Mode::Code => control_token(word)
                .or_else(|| condition_token(word).filter(|kind| kind.starts_item()))
                .or_else(|| herd_token(word).filter(|kind| kind.starts_item()))
                .unwrap_or(TokenKind::Ident),
            Mode::Herd | Mode::Around => condition_token(word)
                .or_else(|| herd_token(word))
                .unwrap_or(TokenKind::Ident),
            Mode::Cells if word.eq_ignore_ascii_case("lock") => TokenKind::LockPrefix,
            Mode::Cells => match register_by_name(word) {
                Some(_) => TokenKind::Register,
                None => TokenKind::Ident,
            },
        }
    }

    /// Digits and what clings to them; the value is read where it is wanted.
    fn number(&mut self) -> TokenKind {
        self.take_while(|byte| matches!(CLASSES[byte as usize], Class::Letter | Class::Digit));
        TokenKind::Int
    }

    fn punctuation(&mut self, byte: u8, mode: Mode) -> TokenKind {
        let (kind, length) = match (byte, self.second()) {
            (b'/', Some(b'\\')) => (TokenKind::Wedge, 2),
            (b'\\', Some(b'/')) => (TokenKind::Vee, 2),
            (b'=', Some(b'=')) => (TokenKind::EqEq, 2),
            (b'!', Some(b'=')) => (TokenKind::Ne, 2),
            (b'<', Some(b'=')) => (TokenKind::Le, 2),
            (b'>', Some(b'=')) => (TokenKind::Ge, 2),
            (b'<', Some(b'<')) => (TokenKind::Shl, 2),
            (b'>', Some(b'>')) => (TokenKind::Shr, 2),
            (b'&', Some(b'&')) => (TokenKind::AndAnd, 2),
            // In a table two bars are an empty cell between them.
            (b'|', Some(b'|')) if mode != Mode::Cells => (TokenKind::OrOr, 2),
            (b'.', Some(b'.')) => (TokenKind::DotDot, 2),
            (b'%', Some(next)) if mode == Mode::Cells && next.is_ascii_alphabetic() => {
                self.pos += 1;
                self.take_while(|byte| byte.is_ascii_alphanumeric());
                return TokenKind::PercentRegister;
            }
            (b'"', _) => {
                self.string();
                return TokenKind::Str;
            }
            (b'(', _) => (TokenKind::LParen, 1),
            (b')', _) => (TokenKind::RParen, 1),
            (b'{', _) => (TokenKind::LBrace, 1),
            (b'}', _) => (TokenKind::RBrace, 1),
            (b'[', _) => (TokenKind::LBracket, 1),
            (b']', _) => (TokenKind::RBracket, 1),
            (b',', _) => (TokenKind::Comma, 1),
            (b';', _) => (TokenKind::Semicolon, 1),
            (b':', _) => (TokenKind::Colon, 1),
            (b'|', _) => (TokenKind::Bar, 1),
            (b'$', _) => (TokenKind::Dollar, 1),
            (b'+', _) => (TokenKind::Plus, 1),
            (b'-', _) => (TokenKind::Minus, 1),
            (b'*', _) => (TokenKind::Star, 1),
            (b'/', _) => (TokenKind::Slash, 1),
            (b'%', _) => (TokenKind::Percent, 1),
            (b'&', _) => (TokenKind::Amp, 1),
            (b'^', _) => (TokenKind::Caret, 1),
            (b'~', _) => (TokenKind::Tilde, 1),
            (b'!', _) => (TokenKind::Bang, 1),
            (b'=', _) => (TokenKind::Assign, 1),
            (b'<', _) => (TokenKind::Lt, 1),
            (b'>', _) => (TokenKind::Gt, 1),
            _ => return self.bad(),
        };
        self.pos += length;
        kind
    }

    /// A run of bytes that nothing starts with: one token and one error, however long.
    fn bad(&mut self) -> TokenKind {
        let start = self.pos;
        let found = self.text[start..]
            .chars()
            .next()
            .unwrap_or(char::REPLACEMENT_CHARACTER);
        self.pos += found.len_utf8();
        self.take_while(|byte| matches!(CLASSES[byte as usize], Class::Bad));
        self.errors.push(Error::new(
            ErrorKind::BadCharacter { found },
            span(start, self.pos),
        ));
        TokenKind::Bad
    }
}

pub(crate) fn span(start: usize, end: usize) -> Span {
    // Texts are shorter than `MAX_BYTES`, which fits.
    Span::new(start as u32, end as u32)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Dot,
    Other,
    /// Control characters, everything outside ASCII, and signs without a meaning.
    Bad,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Bad; 256];
    let mut byte = 0;
    while byte < 128 {
        let ascii = byte as u8;
        classes[byte] = match ascii {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'.' => Class::Dot,
            b' ' | b'\t' | b'\n' | b'\r' => Class::Other,
            b'#' | b'\'' | b'?' | b'@' | b'`' => Class::Bad,
            b'!'..=b'~' => Class::Other,
            _ => Class::Bad,
        };
        byte += 1;
    }
    classes
};
