//! The beginning of a file: its dialect, name, documentation and metadata.

use crate::actions::{abbreviate, ident, quoted};
use crate::ast::*;
use crate::c::at_function;
use crate::dialect::{DIALECTS, Dialect, UNKNOWN};
use crate::error::{Error, ErrorKind};
use crate::lexer::{Lexer, Mode, span};
use crate::nearest::nearest;
use crate::span::Span;

pub(crate) struct Header {
    pub dialect: &'static Dialect,
    pub dialect_span: Span,
    pub name: Ident,
}

/// Reads the dialect and the name; what follows is the dialect's.
pub(crate) fn header(lexer: &mut Lexer<'_>) -> Header {
    lexer.skip_trivia(Mode::Native);
    let (dialect, dialect_span) = dialect(lexer);
    let mut header = Header {
        dialect,
        dialect_span,
        name: Ident {
            name: SmolStr::default(),
            span: Span::at(dialect_span.end),
        },
    };
    if *dialect == UNKNOWN {
        return header;
    }
    if let Some(name) = name(lexer) {
        header.name = name;
    } else {
        lexer
            .errors
            .push(Error::new(ErrorKind::MissingName, header.name.span));
    }
    header
}

fn dialect(lexer: &mut Lexer<'_>) -> (&'static Dialect, Span) {
    let word = lexer.take_while(|byte| !byte.is_ascii_whitespace());
    let text = word.text(lexer.text);
    if let Some(known) = Dialect::named(text) {
        return (known, word);
    }
    let kind = match text {
        "" => ErrorKind::EmptyFile,
        "RISCV" => ErrorKind::UnsupportedDialect {
            found: SmolStr::new(text),
        },
        _ => ErrorKind::UnknownDialect {
            found: SmolStr::new(abbreviate(text)),
        },
    };
    let suggestion = match kind {
        ErrorKind::UnknownDialect { .. } => nearest(text, DIALECTS.iter().map(|known| known.word)),
        _ => None,
    };
    lexer
        .errors
        .push(Error::new(kind, word).suggest(suggestion));
    (&UNKNOWN, word)
}

/// What stands on the dialect's line up to a blank: `2+2W+mfence+po`, `x86/n7`.
fn name(lexer: &mut Lexer<'_>) -> Option<Ident> {
    lexer.skip_spaces();
    // What starts with a sign is a comment, a string, or the rest of something else.
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    if !lexer.peek_byte().is_some_and(letter) {
        return None;
    }
    let span = lexer.take_while(|byte| byte > b' ' && !matches!(byte, b'"' | b'{' | 0x7f));
    (!span.is_empty()).then(|| ident(lexer.text, span.start, span.end))
}

/// `(nSeven)` behind the name.
pub(crate) fn alias(lexer: &mut Lexer<'_>) -> Option<Ident> {
    lexer.skip_spaces();
    let rest = &lexer.text[lexer.pos..lexer.line_end()];
    if !rest.starts_with('(') || rest.starts_with("(*") {
        return None;
    }
    let close = rest.find(')')?;
    let start = lexer.pos + 1;
    let end = lexer.pos + close;
    lexer.pos = end + 1;
    Some(ident(lexer.text, start as u32, end as u32))
}

/// The string that says what the test is about.
pub(crate) fn doc(lexer: &mut Lexer<'_>, test: &mut Test) {
    if test.doc.is_none() && lexer.peek_byte() == Some(b'"') {
        let span = lexer.string();
        test.doc = Some(quoted(lexer.text, span));
    }
}

/// `"…"` and `Key=Value` lines, until the init section starts.
pub(crate) fn herd_lines(lexer: &mut Lexer<'_>, test: &mut Test) {
    let mut reported = false;
    loop {
        lexer.skip_trivia(Mode::Herd);
        match lexer.peek_byte() {
            None | Some(b'{') => return,
            Some(b'"') if test.doc.is_none() => {
                doc(lexer, test);
                continue;
            }
            _ => {}
        }
        if at_table(lexer) {
            return;
        }
        let start = lexer.pos;
        match metadata(lexer) {
            Some(metadata) => test.metadata.push(metadata),
            None => {
                lexer.pos = start;
                lexer.skip_line();
                // One error for all such lines: the brace may be missing before them.
                if !reported {
                    let line = span(start, lexer.pos);
                    let line_text = line.text(lexer.text).trim_end();
                    lexer.errors.push(Error::new(
                        ErrorKind::Unexpected {
                            found: SmolStr::from(format!("`{}`", abbreviate(line_text))),
                            expected: SmolStr::new_static(
                                "`Key=Value`, a string or the init section's `{`",
                            ),
                        },
                        span(start, start + line_text.len()),
                    ));
                }
                reported = true;
            }
        }
    }
}

/// The same in a C test, where any other text may stand there too.
pub(crate) fn c_lines(lexer: &mut Lexer<'_>, test: &mut Test) {
    loop {
        let new_line = lexer.skip_trivia(Mode::Around);
        match lexer.peek_byte() {
            None | Some(b'{') => return,
            Some(b'"') if test.doc.is_none() => {
                doc(lexer, test);
                continue;
            }
            _ if at_function(lexer) => return,
            _ => {}
        }
        let start = lexer.pos;
        if new_line && let Some(metadata) = metadata(lexer) {
            test.metadata.push(metadata);
            continue;
        }
        lexer.pos = start;
        if lexer.peek_byte() == Some(b'"') {
            lexer.string();
        } else {
            lexer.pos += lexer.text[start..].chars().next().map_or(1, char::len_utf8);
            lexer.take_while(|byte| !matches!(byte, b'\n' | b'{' | b'"' | b'(' | b'/'));
        }
        let length = lexer.text[start..lexer.pos].trim_end().len();
        test.blocks.push(span(start, start + length));
    }
}

/// Whether the line starts as a table does: `P0 |` or `P0 ;`.
pub(crate) fn at_table(lexer: &Lexer<'_>) -> bool {
    at_table_text(&lexer.text.as_bytes()[lexer.pos..])
}

pub(crate) fn at_table_text(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"P") else {
        return false;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = rest[digits..]
        .iter()
        .skip_while(|byte| matches!(byte, b' ' | b'\t'));
    digits > 0 && matches!(rest.next(), Some(b'|' | b';'))
}

fn metadata(lexer: &mut Lexer<'_>) -> Option<Metadata> {
    let key =
        lexer.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    lexer.skip_spaces();
    if key.is_empty() || lexer.peek_byte() != Some(b'=') {
        return None;
    }
    lexer.pos += 1;
    lexer.skip_spaces();
    let start = lexer.pos;
    let end = lexer.line_end();
    let length = lexer.text[start..end].trim_end().len();
    lexer.pos = end;
    let value = ident(lexer.text, start as u32, (start + length) as u32);
    Some(Metadata {
        span: key.to(value.span),
        key: ident(lexer.text, key.start, key.end),
        value,
    })
}
