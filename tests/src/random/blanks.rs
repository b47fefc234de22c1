//! Joins tokens with blanks and comments that do not change what they mean.

use super::Random;

/// How tokens are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blanks {
    /// One blank between any two.
    Single,
    /// Blanks, tabs, line ends, nothing where nothing is needed.
    Wild,
    /// Like `Wild`, with comments.
    Comments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Native,
    Herd,
    C,
}

/// A token, and what must follow it.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub text: String,
    /// The line must end here: a header's line.
    pub ends_line: bool,
    /// Belongs to a function of a C test.
    pub code: bool,
}

impl Token {
    pub fn new(text: impl Into<String>) -> Self {
        Token {
            text: text.into(),
            ends_line: false,
            code: false,
        }
    }

    pub fn line(text: impl Into<String>) -> Self {
        Token {
            text: text.into(),
            ends_line: true,
            code: false,
        }
    }
}

pub(super) fn join(
    random: &mut Random,
    tokens: &[Token],
    blanks: Blanks,
    dialect: Dialect,
) -> String {
    let mut out = String::new();
    let mut comments = 0;
    for (at, token) in tokens.iter().enumerate() {
        out.push_str(&token.text);
        let Some(next) = tokens.get(at + 1) else {
            break;
        };
        if token.ends_line {
            out.push_str(if random.one_in(4) { "  \n" } else { "\n" });
            continue;
        }
        // The first word, the name and what is around them keep one blank: a name
        // takes every character up to the next one.
        if blanks == Blanks::Single || at == 0 {
            out.push(' ');
            continue;
        }
        let mut apart = needs_blank(&token.text, &next.text);
        if blanks == Blanks::Comments && random.one_in(8) {
            for _ in 0..=random.below(2) {
                out.push_str(blank(random, true));
                comments += 1;
                let code = token.code && next.code;
                out.push_str(&comment(random, comments, dialect, code));
            }
            apart = true;
        }
        out.push_str(blank(random, apart));
    }
    if !random.one_in(4) {
        out.push('\n');
    }
    out
}

/// Whether two tokens would be read as one, or as others, side by side.
fn needs_blank(before: &str, after: &str) -> bool {
    let last = before.bytes().next_back().unwrap_or(b' ');
    let first = after.bytes().next().unwrap_or(b' ');
    let word = |byte: u8| byte.is_ascii_alphanumeric() || b"_$%.".contains(&byte);
    let mark = |byte: u8| !word(byte) && !b"(){}[];,\"".contains(&byte);
    // `(` and `*`, and the like, would begin a comment.
    word(last) && word(first)
        || mark(last) && mark(first)
        || last == b'(' && first == b'*'
        || last == b'*' && first == b')'
        || before.contains('"') && after.contains('"')
        || before.contains(['+', '-']) && word(last)
}

fn blank(random: &mut Random, apart: bool) -> &'static str {
    let all = [
        "",
        "",
        "",
        " ",
        " ",
        " ",
        " ",
        "  ",
        "\t",
        "\n",
        "\n",
        "\n    ",
        "\n\n",
        " \n\t\n \n",
    ];
    let skip = if apart { 3 } else { 0 };
    all[skip + random.below(all.len() - skip)]
}

fn comment(random: &mut Random, number: usize, dialect: Dialect, code: bool) -> String {
    let kind = match dialect {
        Dialect::Native => random.below(6),
        Dialect::Herd => random.below(3),
        Dialect::C if code => 3 + random.below(3),
        // On either side of a function.
        Dialect::C => 3 + random.below(2),
    };
    match kind {
        0 => format!("(* {number} *)"),
        1 => format!("(* {number}\n   over | two ; lines *)"),
        2 => format!("(*{number} (* nested *) *)"),
        3 => format!("/* {number} \"quoted\" */"),
        4 => format!("/* {number}\n * lines\n */"),
        _ => format!("// {number} to the end  \n"),
    }
}
