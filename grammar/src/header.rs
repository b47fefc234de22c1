//! The beginning of a file: its dialect, name, documentation and metadata.

use crate::actions::{abbreviate, ident, quoted};
use crate::ast::*;
use crate::error::{Error, ErrorKind};
use crate::lexer::{Lexer, Mode, span};
use crate::nearest::nearest;
use crate::span::Span;

pub(crate) struct Header {
    pub dialect: Dialect,
    pub dialect_span: Span,
    pub name: Ident,
    pub alias: Option<Ident>,
    pub doc: Option<Ident>,
    pub metadata: Vec<Metadata>,
}

/// Reads up to the body; in herd's dialect that is up to the init section's brace.
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
        alias: None,
        doc: None,
        metadata: Vec::new(),
    };
    if dialect == Dialect::Unknown {
        return header;
    }
    if let Some(name) = name(lexer) {
        header.name = name;
    } else {
        lexer
            .errors
            .push(Error::new(ErrorKind::MissingName, header.name.span));
    }
    if dialect == Dialect::Native {
        lexer.skip_trivia(Mode::Native);
        if lexer.peek_byte() == Some(b'"') {
            header.doc = Some(doc(lexer));
        }
    } else {
        header.alias = alias(lexer);
        herd_lines(lexer, &mut header);
    }
    header
}

fn dialect(lexer: &mut Lexer<'_>) -> (Dialect, Span) {
    let word = lexer.take_while(|byte| !byte.is_ascii_whitespace());
    let text = word.text(lexer.text);
    let kind = match text {
        "litmus" => return (Dialect::Native, word),
        "X86" => return (Dialect::X86, word),
        "X86_64" => return (Dialect::X86_64, word),
        "" => ErrorKind::EmptyFile,
        "C" => ErrorKind::UnsupportedDialect,
        _ => ErrorKind::UnknownDialect {
            found: SmolStr::new(abbreviate(text)),
        },
    };
    let suggestion = match kind {
        ErrorKind::UnknownDialect { .. } => nearest(text, ["litmus", "X86", "X86_64"]),
        _ => None,
    };
    lexer
        .errors
        .push(Error::new(kind, word).suggest(suggestion));
    (Dialect::Unknown, word)
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
fn alias(lexer: &mut Lexer<'_>) -> Option<Ident> {
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

fn doc(lexer: &mut Lexer<'_>) -> Ident {
    let span = lexer.string();
    quoted(lexer.text, span)
}

/// `"…"` and `Key=Value` lines, until the init section starts.
fn herd_lines(lexer: &mut Lexer<'_>, header: &mut Header) {
    let mut reported = false;
    loop {
        lexer.skip_trivia(Mode::Herd);
        match lexer.peek_byte() {
            None | Some(b'{') => return,
            Some(b'"') if header.doc.is_none() => {
                header.doc = Some(doc(lexer));
                continue;
            }
            _ => {}
        }
        if at_table(lexer) {
            return;
        }
        let start = lexer.pos;
        match metadata(lexer) {
            Some(metadata) => header.metadata.push(metadata),
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
