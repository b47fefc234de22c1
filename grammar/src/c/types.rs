//! Which names of a function are types: C cannot be parsed without knowing.
//!
//! C's own words are known. Of the others, a name is a type where nothing else could
//! stand: before `*)`, and before a name (or `*` and a name) at the start of a statement or a
//! parameter.

use crate::token::{Token, TokenKind};

/// C's own words for types, and the usual ones that do not end in `_t`.
const TYPES: &[&str] = &[
    "_Atomic",
    "_Bool",
    "atomic_bool",
    "atomic_char",
    "atomic_int",
    "atomic_llong",
    "atomic_long",
    "atomic_short",
    "atomic_uint",
    "atomic_ullong",
    "atomic_ulong",
    "bool",
    "char",
    "const",
    "enum",
    "int",
    "long",
    "short",
    "signed",
    "struct",
    "union",
    "unsigned",
    "void",
    "volatile",
];

/// C's words that stand before a name and are no types: what they begin is not read.
const OTHERS: &[&str] = &[
    "case", "do", "extern", "goto", "return", "sizeof", "static", "typedef",
];

/// Turns the names that are types into [`TokenKind::Type`].
pub(super) fn tag(text: &str, tokens: &mut [Token]) {
    let head_end = tokens
        .iter()
        .position(|token| token.kind == TokenKind::LBrace)
        .unwrap_or(tokens.len());
    for at in 0..tokens.len() {
        if tokens[at].kind == TokenKind::Ident && is_type(text, tokens, at, at < head_end) {
            tokens[at].kind = TokenKind::Type;
        }
    }
}

fn is_type(text: &str, tokens: &[Token], at: usize, in_head: bool) -> bool {
    let word = tokens[at].span.text(text);
    if TYPES.binary_search(&word).is_ok() {
        return true;
    }
    if OTHERS.contains(&word) {
        return false;
    }
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    let before = at.checked_sub(1).and_then(kind);
    if before == Some(TokenKind::Type)
        && matches!(tokens[at - 1].span.text(text), "struct" | "union" | "enum")
    {
        return true;
    }
    let mut next = at + 1;
    while kind(next) == Some(TokenKind::Star) {
        next += 1;
    }
    let stars = next > at + 1;
    match kind(next) {
        // `(foo *)`; without a star only what is called like a type, as in `(foo_t)`.
        Some(TokenKind::RParen) => {
            before == Some(TokenKind::LParen) && (stars || word.ends_with("_t"))
        }
        // `foo x`, and `foo *x` where an expression would be without effect.
        Some(TokenKind::Ident | TokenKind::Type) => match before {
            Some(TokenKind::Semicolon | TokenKind::LBrace | TokenKind::RBrace) => true,
            Some(TokenKind::LParen | TokenKind::Comma) => in_head,
            Some(TokenKind::RParen | TokenKind::Else | TokenKind::Type) => !stars,
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::TYPES;

    #[test]
    fn the_list_is_sorted() {
        assert!(TYPES.is_sorted());
    }
}
