//! Cuts a text into words, numbers, strings, comments and marks, without parsing it.
//!
//! Colours, completion and signature help must work in the middle of a keystroke, when
//! no tree has what they need.

use fencepost_grammar::Span;

pub const NATIVE_KEYWORDS: [&str; 35] = [
    "litmus",
    "shared",
    "mutex",
    "param",
    "const",
    "thread",
    "in",
    "if",
    "else",
    "while",
    "max",
    "for",
    "repeat",
    "break",
    "continue",
    "return",
    "mfence",
    "sfence",
    "lock",
    "unlock",
    "assert",
    "assume",
    "await",
    "xchg",
    "cas",
    "fetch_add",
    "fetch_sub",
    "fetch_and",
    "fetch_or",
    "fetch_xor",
    "exists",
    "forall",
    "filter",
    "locations",
    "expect",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    Number,
    String,
    Comment,
    /// A single other character.
    Mark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    pub kind: Kind,
    pub span: Span,
}

/// Whether a text can name something.
pub fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(is_word_char)
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The pieces of a text in order; blanks are between them.
pub fn pieces(text: &str) -> Pieces<'_> {
    Pieces { text, at: 0 }
}

pub struct Pieces<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let rest = &self.text[start..];
        let first = rest.chars().next()?;
        let (kind, len) = if rest.starts_with("//") {
            let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
            (Kind::Comment, end)
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |at| at + 2);
            (Kind::Comment, end)
        } else if rest.starts_with("(*") {
            (Kind::Comment, nested_comment(rest))
        } else if first == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |at| at + 2);
            (Kind::String, end)
        } else if first.is_ascii_digit() {
            let end = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
            (Kind::Number, end)
        } else if is_word_char(first) {
            let end = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
            (Kind::Word, end)
        } else {
            (Kind::Mark, first.len_utf8())
        };
        self.at = start + len;
        Some(Piece {
            kind,
            span: Span::new(start as u32, self.at as u32),
        })
    }
}

/// The length of a `(* … *)` comment, which may hold others.
fn nested_comment(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = 0;
    while at + 1 < bytes.len() {
        match (bytes[at], bytes[at + 1]) {
            (b'(', b'*') => {
                depth += 1;
                at += 2;
            }
            (b'*', b')') => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    text.len()
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

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        pieces(text)
            .map(|piece| (piece.kind, piece.span.text(text)))
            .collect()
    }

    #[test]
    fn a_text_is_cut_into_pieces() {
        assert_eq!(
            kinds("x = 0x1F; // é\n\"doc\" (* a (* b *) c *) %eax"),
            [
                (Kind::Word, "x"),
                (Kind::Mark, "="),
                (Kind::Number, "0x1F"),
                (Kind::Mark, ";"),
                (Kind::Comment, "// é"),
                (Kind::String, "\"doc\""),
                (Kind::Comment, "(* a (* b *) c *)"),
                (Kind::Mark, "%"),
                (Kind::Word, "eax"),
            ]
        );
    }

    #[test]
    fn what_is_not_closed_goes_to_the_end() {
        assert_eq!(kinds("\"open"), [(Kind::String, "\"open")]);
        assert_eq!(kinds("(* open (* *)"), [(Kind::Comment, "(* open (* *)")]);
        assert_eq!(kinds("/* open"), [(Kind::Comment, "/* open")]);
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
}
