//! What a surface can show: colours, characters, width.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

/// How text is to look. The editor's is plain Unicode of any width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub color: bool,
    pub unicode: bool,
    /// In columns; `None` when nothing limits it (a pipe, a file, an editor).
    pub width: Option<usize>,
}

/// What a piece of text is, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Heading,
    Good,
    Bad,
    Caution,
    /// Reachable only through a buffer.
    Weak,
    Faint,
    Changed,
}

/// A named character and the ASCII that stands in for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbol {
    Yes,
    No,
    Unknown,
    Flush,
    Reads,
    Points,
    Dot,
    Ellipsis,
}

impl Look {
    pub const PLAIN: Look = Look {
        color: false,
        unicode: true,
        width: None,
    };

    pub fn symbol(self, symbol: Symbol) -> &'static str {
        let (unicode, ascii) = match symbol {
            Symbol::Yes => ("✓", "yes"),
            Symbol::No => ("–", "-"),
            Symbol::Unknown => ("?", "?"),
            Symbol::Flush => ("⤷", "`>"),
            Symbol::Reads => ("→", "->"),
            Symbol::Points => ("←", "<-"),
            Symbol::Dot => ("·", "|"),
            Symbol::Ellipsis => ("…", "..."),
        };
        if self.unicode { unicode } else { ascii }
    }

    /// The text in its colour, or as it is where there are none.
    pub fn paint(self, role: Role, text: &str) -> Cow<'_, str> {
        if !self.color || text.trim().is_empty() {
            return Cow::Borrowed(text);
        }
        let code = match role {
            Role::Heading => "1",
            Role::Good => "32",
            Role::Bad => "1;31",
            Role::Caution => "33",
            Role::Weak => "35",
            Role::Faint => "2",
            Role::Changed => "1;36",
        };
        Cow::Owned(format!("\x1b[{code}m{text}\x1b[0m"))
    }

    /// Text without what an ASCII terminal cannot show; names may hold anything.
    pub fn plain<'t>(self, text: &'t str) -> Cow<'t, str> {
        if self.unicode || text.is_ascii() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(
                text.chars()
                    .map(|c| if c.is_ascii() { c } else { '?' })
                    .collect(),
            )
        }
    }

    /// The text on as many lines as the width asks for, broken between words.
    pub fn wrap(self, text: &str) -> String {
        let Some(width) = self.width else {
            return text.to_owned();
        };
        let mut wrapped = String::new();
        let mut used = 0;
        for word in text.split(' ') {
            let columns = columns_of(word);
            if used > 0 && used + 1 + columns > width {
                wrapped.push('\n');
                used = 0;
            } else if used > 0 {
                wrapped.push(' ');
                used += 1;
            }
            wrapped.push_str(word);
            used += columns;
        }
        wrapped
    }

    /// The text, cut to `columns` with an ellipsis where it is longer.
    pub fn cut(self, text: &str, columns: usize) -> String {
        if columns_of(text) <= columns {
            return text.to_owned();
        }
        let ellipsis = self.symbol(Symbol::Ellipsis);
        let room = columns.saturating_sub(columns_of(ellipsis));
        let mut cut = String::new();
        for c in text.chars() {
            cut.push(c);
            if columns_of(&cut) > room {
                cut.pop();
                break;
            }
        }
        cut + ellipsis
    }
}

/// How many columns a text takes on a terminal.
pub fn columns_of(text: &str) -> usize {
    text.width()
}

/// The text with blanks behind it up to `columns`.
pub fn pad(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(columns_of(text));
    format!("{text}{}", " ".repeat(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_to_its_columns() {
        assert_eq!(Look::PLAIN.cut("abcdef", 6), "abcdef");
        assert_eq!(Look::PLAIN.cut("abcdefg", 6), "abcde…");
        let ascii = Look {
            unicode: false,
            ..Look::PLAIN
        };
        assert_eq!(ascii.cut("abcdefg", 6), "abc...");
    }

    #[test]
    fn a_sentence_is_wrapped_between_words() {
        let look = Look {
            width: Some(9),
            ..Look::PLAIN
        };
        assert_eq!(look.wrap("one two three"), "one two\nthree");
        assert_eq!(look.wrap("incomprehensibly long"), "incomprehensibly\nlong");
        assert_eq!(Look::PLAIN.wrap("one two three"), "one two three");
    }

    #[test]
    fn colours_are_only_where_they_are_wanted() {
        assert_eq!(Look::PLAIN.paint(Role::Good, "ok"), "ok");
        let look = Look {
            color: true,
            ..Look::PLAIN
        };
        assert_eq!(look.paint(Role::Good, "ok"), "\x1b[32mok\x1b[0m");
        assert_eq!(look.paint(Role::Good, "  "), "  ");
    }
}
