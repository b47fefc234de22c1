//! The one place where bytes, characters and protocol positions meet.
//!
//! The protocol counts UTF-16 units (or what was negotiated), ropey characters,
//! the parser bytes. Everything clamps: a position behind the end of a line is
//! the end of the line, one inside a character is the character's start.

use fencepost_grammar::Span;
use ropey::Rope;
use tower_lsp::lsp_types::{Position, PositionEncodingKind, Range};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The cheapest that the client knows: bytes need no counting. Without a word from the
    /// client it is UTF-16.
    pub fn negotiate(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        let offered = offered.unwrap_or_default();
        [Encoding::Utf8, Encoding::Utf32, Encoding::Utf16]
            .into_iter()
            .find(|encoding| offered.contains(&encoding.kind()))
            .unwrap_or_default()
    }

    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// How long a text is in the units of this encoding.
    pub fn len(self, text: &str) -> u32 {
        let len = match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
            Encoding::Utf32 => text.chars().count(),
        };
        u32::try_from(len).unwrap_or(u32::MAX)
    }
}

/// The byte a position stands for.
pub fn offset(rope: &Rope, position: Position, encoding: Encoding) -> usize {
    rope.char_to_byte(char_at(rope, position, encoding))
}

/// The character a position stands for, as ropey counts.
pub fn char_at(rope: &Rope, position: Position, encoding: Encoding) -> usize {
    let line = position.line as usize;
    if line >= rope.len_lines() {
        return rope.len_chars();
    }
    let start = rope.line_to_char(line);
    let end = line_end(rope, line);
    let column = position.character as usize;
    match encoding {
        Encoding::Utf8 => {
            let byte = rope.char_to_byte(start).saturating_add(column);
            rope.byte_to_char(byte.min(rope.char_to_byte(end)))
        }
        Encoding::Utf16 => {
            let unit = rope.char_to_utf16_cu(start).saturating_add(column);
            rope.utf16_cu_to_char(unit.min(rope.char_to_utf16_cu(end)))
        }
        Encoding::Utf32 => start.saturating_add(column).min(end),
    }
}

/// The position of a byte; one inside a character is the character's start.
pub fn position(rope: &Rope, offset: usize, encoding: Encoding) -> Position {
    let char = rope.byte_to_char(offset.min(rope.len_bytes()));
    let line = rope.char_to_line(char);
    let start = rope.line_to_char(line);
    // A byte between `\r` and `\n` is on the line that they end.
    let char = char.min(line_end(rope, line));
    let column = match encoding {
        Encoding::Utf8 => rope.char_to_byte(char) - rope.char_to_byte(start),
        Encoding::Utf16 => rope.char_to_utf16_cu(char) - rope.char_to_utf16_cu(start),
        Encoding::Utf32 => char - start,
    };
    Position::new(clamp(line), clamp(column))
}

pub fn range(rope: &Rope, span: Span, encoding: Encoding) -> Range {
    Range::new(
        position(rope, span.start as usize, encoding),
        position(rope, span.end as usize, encoding),
    )
}

/// The bytes of a range; a range that runs backwards is turned around.
pub fn span(rope: &Rope, range: Range, encoding: Encoding) -> Span {
    let a = offset(rope, range.start, encoding);
    let b = offset(rope, range.end, encoding);
    Span::new(clamp(a.min(b)), clamp(a.max(b)))
}

/// The end of the line that `offset` is on, before its line break.
pub fn end_of_line(rope: &Rope, offset: usize) -> usize {
    let line = rope.byte_to_line(offset.min(rope.len_bytes()));
    rope.char_to_byte(line_end(rope, line))
}

/// Where a line's own text ends, in characters: before `\n`, `\r\n` or `\r`.
fn line_end(rope: &Rope, line: usize) -> usize {
    let slice = rope.line(line);
    let len = slice.len_chars();
    let mut own = len;
    if own > 0 && slice.char(own - 1) == '\n' {
        own -= 1;
    }
    if own > 0 && slice.char(own - 1) == '\r' {
        own -= 1;
    }
    rope.line_to_char(line) + own
}

fn clamp(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\t\u{1F512}b\r\né\u{c}z\rlast\n";

    fn at(line: u32, character: u32) -> Position {
        Position::new(line, character)
    }

    #[test]
    fn the_cheapest_encoding_that_the_client_knows_wins() {
        let utf = |s: &'static str| PositionEncodingKind::new(s);
        assert_eq!(Encoding::negotiate(None), Encoding::Utf16);
        assert_eq!(Encoding::negotiate(Some(&[])), Encoding::Utf16);
        assert_eq!(
            Encoding::negotiate(Some(&[utf("utf-16"), utf("utf-8")])),
            Encoding::Utf8
        );
        assert_eq!(
            Encoding::negotiate(Some(&[utf("utf-32"), utf("utf-16")])),
            Encoding::Utf32
        );
        assert_eq!(Encoding::negotiate(Some(&[utf("utf-7")])), Encoding::Utf16);
    }

    #[test]
    fn every_character_boundary_goes_there_and_back() {
        let rope = Rope::from_str(TEXT);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (byte, _) in TEXT.char_indices() {
                // The `\n` of `\r\n` has no position of its own.
                if TEXT[..byte].ends_with('\r') && TEXT[byte..].starts_with('\n') {
                    continue;
                }
                let there = position(&rope, byte, encoding);
                assert_eq!(
                    offset(&rope, there, encoding),
                    byte,
                    "{encoding:?} {there:?}"
                );
            }
        }
    }

    #[test]
    fn astral_characters_count_as_the_encoding_says() {
        let rope = Rope::from_str(TEXT);
        let b = TEXT.find('b').unwrap();
        assert_eq!(position(&rope, b, Encoding::Utf8), at(0, 6));
        assert_eq!(position(&rope, b, Encoding::Utf16), at(0, 4));
        assert_eq!(position(&rope, b, Encoding::Utf32), at(0, 3));
        // Inside the surrogate pair: its start.
        assert_eq!(offset(&rope, at(0, 3), Encoding::Utf16), 2);
        assert_eq!(offset(&rope, at(0, 4), Encoding::Utf8), 2);
    }

    #[test]
    fn form_feeds_end_no_line_and_lone_carriage_returns_do() {
        let rope = Rope::from_str(TEXT);
        assert_eq!(rope.len_lines(), 4);
        let z = TEXT.find('z').unwrap();
        assert_eq!(position(&rope, z, Encoding::Utf16), at(1, 2));
        let last = TEXT.find("last").unwrap();
        assert_eq!(position(&rope, last, Encoding::Utf16), at(2, 0));
    }

    #[test]
    fn what_is_too_far_is_clamped() {
        let rope = Rope::from_str(TEXT);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let cr = TEXT.find('\r').unwrap();
            assert_eq!(offset(&rope, at(0, u32::MAX), encoding), cr);
            assert_eq!(offset(&rope, at(99, 0), encoding), TEXT.len());
            assert_eq!(offset(&rope, at(u32::MAX, u32::MAX), encoding), TEXT.len());
            assert_eq!(position(&rope, usize::MAX, encoding), at(3, 0));
        }
        let backwards = Range::new(at(2, 1), at(0, 1));
        assert_eq!(
            span(&rope, backwards, Encoding::Utf16),
            Span::new(1, TEXT.find("ast").unwrap() as u32)
        );
        assert_eq!(offset(&Rope::new(), at(5, 5), Encoding::Utf16), 0);
    }
}
