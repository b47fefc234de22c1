//! From bytes to text, where a file may not be UTF-8.

use crate::error::{Error, ErrorKind};
use crate::lexer::span;

/// A file with more such places is no text, or one in another encoding: the first ones say it.
const MAX_PLACES: usize = 5;

/// The text of a file. Bytes that are not UTF-8 become U+FFFD, and each of the first runs of
/// them is an error at its place in the text that is returned.
pub fn decode(bytes: &[u8]) -> (String, Vec<Error>) {
    // One pass, and one copy at most, whatever the bytes are.
    let mut text = String::with_capacity(bytes.len());
    let mut errors: Vec<Error> = Vec::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if chunk.invalid().is_empty() {
            continue;
        }
        let start = text.len();
        text.push(char::REPLACEMENT_CHARACTER);
        let place = span(start, text.len());
        let found = errors.len();
        match errors.last_mut() {
            Some(last) if last.span.end == place.start => last.span.end = place.end,
            _ if found < MAX_PLACES => errors.push(Error::new(ErrorKind::InvalidUtf8, place)),
            _ if found == MAX_PLACES => errors.push(Error::new(ErrorKind::TooManyErrors, place)),
            _ => {}
        }
    }
    (text, errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_bytes_are_no_text() {
        let (text, errors) = decode(b"ab\xff\xfecd\xc3\xa4\x80");
        assert_eq!(text, "ab\u{fffd}\u{fffd}cd\u{e4}\u{fffd}");
        let spans: Vec<_> = errors.iter().map(|error| error.span.range()).collect();
        assert_eq!(spans, [2..8, 12..15]);
        assert!(errors.iter().all(|error| error.code() == "E0305"));
    }

    #[test]
    fn what_is_no_text_is_said_in_few_words() {
        let (_, errors) = decode(&b"a\xff".repeat(1_000));
        let codes: Vec<_> = errors.iter().map(Error::code).collect();
        assert_eq!(
            codes,
            ["E0305", "E0305", "E0305", "E0305", "E0305", "E0199"]
        );
    }

    #[test]
    fn text_passes() {
        assert_eq!(
            decode("litmus é".as_bytes()),
            ("litmus é".to_owned(), vec![])
        );
    }
}
