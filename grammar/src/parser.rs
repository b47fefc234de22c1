//! Calls the generated parsers on a slice of tokens, and words their errors.

use lalrpop_util::ParseError;

use crate::actions::{CondNode, Node, abbreviate};
use crate::ast::SmolStr;
use crate::ast::herd::OperandOrder;
use crate::c::CNode;
use crate::error::{Error, ErrorKind};
use crate::instruction::HerdNode;
use crate::span::Span;
use crate::token::{Never, Spanned, Token, TokenKind};
use crate::words::native::NATIVE;
use crate::words::{Kind, Word};

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, unused)]
    native,
    "/src/native.rs"
);
lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, unused)]
    condition,
    "/src/condition.rs"
);
lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, unused)]
    herd,
    "/src/herd.rs"
);

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, unused)]
    c,
    "/src/c.rs"
);

/// The tokens that were not understood.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The first token that fits nothing; the number of tokens when there should be more.
    pub at: usize,
    /// What would have fitted, as the grammar spells it.
    expected: Vec<String>,
}

impl Failure {
    pub fn expects(&self, terminal: &str) -> bool {
        self.expected
            .iter()
            .any(|word| word.trim_matches('"') == terminal)
    }

    /// `after` is what follows the tokens, when something does.
    pub fn error(&self, text: &str, tokens: &[Token], after: Option<Token>) -> Error {
        let expected = SmolStr::from(describe(&self.expected));
        let (found, span) = match tokens.get(self.at) {
            Some(token) => (quote(text, *token), token.span),
            None => {
                let end = tokens.last().map_or(0, |token| token.span.end);
                let found = match after {
                    Some(token) => quote(text, token),
                    None => SmolStr::new_static("the end"),
                };
                (found, Span::at(end))
            }
        };
        Error::new(ErrorKind::Unexpected { found, expected }, span)
    }
}

pub(crate) fn quote(text: &str, token: Token) -> SmolStr {
    SmolStr::from(format!("`{}`", abbreviate(token.span.text(text))))
}

/// Parses with the native grammar. After a failure `errors` is as it was before.
pub(crate) fn native_node(
    text: &str,
    start: TokenKind,
    tokens: &[Token],
    errors: &mut Vec<Error>,
) -> Result<Node, Failure> {
    let before = errors.len();
    let stream = with_marker(start, tokens);
    native::NodeParser::new()
        .parse(text, errors, stream)
        .map_err(|error| {
            errors.truncate(before);
            failure(error, tokens)
        })
}

/// As [`native_node`], with one token more at the end that nobody wrote.
pub(crate) fn native_node_ending_in(
    text: &str,
    start: TokenKind,
    tokens: &[Token],
    ending: TokenKind,
    errors: &mut Vec<Error>,
) -> Result<Node, Failure> {
    let before = errors.len();
    let end = tokens.last().map_or(0, |token| token.span.end);
    let stream = with_marker(start, tokens).chain(std::iter::once(Ok((end, ending, end))));
    native::NodeParser::new()
        .parse(text, errors, stream)
        .map_err(|error| {
            errors.truncate(before);
            failure(error, tokens)
        })
}

/// Parses with the condition grammar. After a failure `errors` is as it was before.
pub(crate) fn condition_node(
    text: &str,
    tokens: &[Token],
    errors: &mut Vec<Error>,
) -> Result<CondNode, Failure> {
    let before = errors.len();
    condition::NodeParser::new()
        .parse(text, errors, stream(tokens))
        .map_err(|error| {
            errors.truncate(before);
            failure(error, tokens)
        })
}

/// Parses with the herd grammar. After a failure `errors` is as it was before.
pub(crate) fn herd_node(
    text: &str,
    order: OperandOrder,
    start: TokenKind,
    tokens: &[Token],
    errors: &mut Vec<Error>,
) -> Result<HerdNode, Failure> {
    let before = errors.len();
    let stream = with_marker(start, tokens);
    herd::NodeParser::new()
        .parse(text, order, errors, stream)
        .map_err(|error| {
            errors.truncate(before);
            failure(error, tokens)
        })
}

/// Parses with the C grammar. After a failure `errors` is as it was before.
pub(crate) fn c_node(
    text: &str,
    start: TokenKind,
    tokens: &[Token],
    errors: &mut Vec<Error>,
) -> Result<CNode, Failure> {
    let before = errors.len();
    let stream = with_marker(start, tokens);
    c::NodeParser::new()
        .parse(text, errors, stream)
        .map_err(|error| {
            errors.truncate(before);
            failure(error, tokens)
        })
}

/// As [`c_node`], with a semicolon more at the end that nobody wrote.
pub(crate) fn c_node_ending_in_semicolon(
    text: &str,
    start: TokenKind,
    tokens: &[Token],
    errors: &mut Vec<Error>,
) -> Result<CNode, Failure> {
    let before = errors.len();
    let end = tokens.last().map_or(0, |token| token.span.end);
    let ending = std::iter::once(Ok((end, TokenKind::Semicolon, end)));
    let stream = with_marker(start, tokens).chain(ending);
    c::NodeParser::new()
        .parse(text, errors, stream)
        .map_err(|error| {
            errors.truncate(before);
            failure(error, tokens)
        })
}

fn with_marker(
    start: TokenKind,
    tokens: &[Token],
) -> impl Iterator<Item = Result<Spanned, Never>> + '_ {
    let place = tokens.first().map_or(0, |token| token.span.start);
    std::iter::once(Ok((place, start, place))).chain(stream(tokens))
}

fn stream(tokens: &[Token]) -> impl Iterator<Item = Result<Spanned, Never>> + '_ {
    tokens
        .iter()
        .map(|token| Ok((token.span.start, token.kind, token.span.end)))
}

fn failure(error: ParseError<u32, TokenKind, Never>, tokens: &[Token]) -> Failure {
    match error {
        ParseError::UnrecognizedToken {
            token: (start, ..),
            expected,
        } => Failure {
            at: tokens.partition_point(|token| token.span.start < start),
            expected,
        },
        ParseError::ExtraToken { token: (start, ..) } => Failure {
            at: tokens.partition_point(|token| token.span.start < start),
            expected: Vec::new(),
        },
        ParseError::UnrecognizedEof { expected, .. } => Failure {
            at: tokens.len(),
            expected,
        },
        ParseError::InvalidToken { location } => Failure {
            at: tokens.partition_point(|token| token.span.start < location),
            expected: Vec::new(),
        },
        ParseError::User { error } => match error {},
    }
}

/// The terminals that would fit, in words: an operand or an operator is one thing
/// to a reader, however many ways there are to begin one.
fn describe(expected: &[String]) -> String {
    let statement = |word: &&Word| matches!(word.kind, Kind::Control | Kind::Fence | Kind::Call);
    let mut statements: Vec<&str> = vec!["atomic", "name", "{"];
    statements.extend(NATIVE.iter().filter(statement).map(|word| word.text));
    let groups: [(&str, &[&str], &[&str]); 5] = [
        ("a statement", &["mfence", "assert"], &statements),
        (
            "an operand",
            &["$", "%register"],
            &[
                "$",
                "%register",
                "register",
                "number",
                "-",
                "[",
                "(",
                "name",
            ],
        ),
        (
            "an expression",
            &["number", "~", "-"],
            &["number", "name", "-", "~", "!", "(", "atomic", "*", "&"],
        ),
        (
            "an operator",
            &["*", "/"],
            &[
                "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">",
                ">=", "&&", "||",
            ],
        ),
        (
            "a comparison",
            &["=", "==", "<="],
            &["=", "==", "!=", "<", "<=", ">", ">="],
        ),
    ];
    let mut rest: Vec<&str> = expected.iter().map(|word| word.trim_matches('"')).collect();
    let mut words = Vec::new();
    for (description, signs, members) in groups {
        if signs.iter().all(|sign| rest.contains(sign)) {
            rest.retain(|word| !members.contains(word));
            words.push(description.to_owned());
        }
    }
    for word in rest {
        words.push(match word {
            "name" => "a name".to_owned(),
            "number" => "a number".to_owned(),
            "string" => "a string".to_owned(),
            // The other spellings of `/\`, `\/` and `~` say nothing new.
            "&&" | "||" | "!" | "not" => continue,
            _ => format!("`{}`", word.replace("\\\\", "\\")),
        });
    }
    match words.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
