//! Hostile texts made of good ones, and what must hold for every text whatever it is.

use crate::formatted::check_format;
use crate::random::Random;
use fencepost_grammar::ast::{Body, Test};
use fencepost_grammar::limits::MAX_ERRORS;
use fencepost_grammar::{Parse, Span, decode, parse};

/// Pieces that mean something to the lexer or to a grammar.
const PIECES: [&str; 54] = [
    "(*",
    "*)",
    "/*",
    "*/",
    "//",
    "\"",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "|",
    "||",
    "&&",
    "/\\",
    "\\/",
    "~",
    "!",
    "=",
    "==",
    "..",
    "$",
    "%",
    "%rax",
    "<<",
    ">>",
    "-",
    "0x",
    "0",
    "99999999999999999999",
    "\n",
    "\r\n",
    "\0",
    "\u{feff}",
    "é",
    "thread ",
    "shared ",
    "exists ",
    "~exists ",
    "forall ",
    "expect SC never",
    "if (",
    "} else {",
    "while (x) max 2 {",
    "P0 |",
    "locations [",
    "with",
    "lock ",
    "X86 t\n{}\nP0;\n",
    "litmus t\n",
];

/// One to eight changes to a text, some with a piece of another.
pub fn mutate(random: &mut Random, text: &str, other: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(8) {
        let from = random.below(bytes.len() + 1);
        let to = (from + random.below(24)).min(bytes.len());
        match random.below(9) {
            0 => drop(bytes.drain(from..to)),
            1 => {
                let copy = bytes[from..to].to_vec();
                let at = random.below(bytes.len() + 1);
                bytes.splice(at..at, copy);
            }
            2 | 3 => {
                let piece = random.pick(&PIECES).bytes();
                bytes.splice(from..from, piece);
            }
            4 => {
                let piece = random.pick(&PIECES).bytes();
                bytes.splice(from..to, piece);
            }
            5 => {
                if let Some(byte) = bytes.get_mut(from) {
                    *byte ^= 1 << random.below(8);
                }
            }
            6 => {
                let other = other.as_bytes();
                let start = random.below(other.len() + 1);
                let end = (start + random.below(200)).min(other.len());
                bytes.splice(from..to, other[start..end].iter().copied());
            }
            7 => bytes.truncate(from),
            _ => {
                // Two of its lines change places.
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let mut lines: Vec<&str> = text.split('\n').collect();
                let (first, second) = (random.below(lines.len()), random.below(lines.len()));
                lines.swap(first, second);
                bytes = lines.join("\n").into_bytes();
            }
        }
    }
    bytes
}

/// Parses and, where there is no error, formats; says what does not hold. A panic is the
/// caller's to catch.
pub fn check(bytes: &[u8]) -> Result<Outcome, String> {
    let (text, undecodable) = decode(bytes);
    let parsed = parse(&text);
    places(&text, &parsed)?;
    if !undecodable.is_empty() || parsed.has_errors() {
        return Ok(Outcome::Errors);
    }
    check_format(&text).map(|_| Outcome::Formatted)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Errors,
    Formatted,
}

/// Every range lies in the text and at characters, errors are in order and not too many.
fn places(text: &str, parsed: &Parse) -> Result<(), String> {
    let check = |what: &str, span: Span| {
        let fits = text.get(span.range()).is_some();
        if fits {
            Ok(())
        } else {
            Err(format!("{what} at {span:?} does not fit the text"))
        }
    };
    for error in &parsed.errors {
        check(error.code(), error.span)?;
        for related in &error.related {
            check("a related place", related.span)?;
        }
        if let Some(fix) = &error.fix {
            check("a fix", fix.span)?;
        }
        if error.message().is_empty() {
            return Err("an empty message".to_owned());
        }
    }
    if parsed.errors.len() > MAX_ERRORS + 1 {
        return Err(format!("{} errors", parsed.errors.len()));
    }
    if !parsed.errors.is_sorted_by_key(|error| error.span.start) {
        return Err("the errors are out of order".to_owned());
    }
    for symbol in &parsed.symbols.symbols {
        check("a definition", symbol.definition)?;
        for reference in &symbol.references {
            check("a reference", reference.span)?;
        }
    }
    tree(&parsed.test, check)
}

fn tree(test: &Test, check: impl Fn(&str, Span) -> Result<(), String>) -> Result<(), String> {
    for comment in &test.comments {
        check("a comment", comment.span)?;
    }
    let ordered = test.comments.is_sorted_by_key(|comment| comment.span.start);
    if !ordered {
        return Err("the comments are out of order".to_owned());
    }
    for condition in &test.conditions {
        check("a condition", condition.span)?;
        check("a keyword", condition.keyword)?;
        check("a proposition", condition.prop.span)?;
    }
    match &test.body {
        Body::Native(native) => {
            for thread in &native.threads {
                check("a thread", thread.span)?;
                check("a body", thread.body.span)?;
                for stmt in &thread.body.stmts {
                    check("a statement", stmt.span)?;
                }
            }
        }
        Body::Herd(herd) => {
            check("the init section", herd.init_span)?;
            for row in &herd.rows {
                check("a row", row.span)?;
                if row.cells.len() != herd.threads.len() {
                    return Err(format!(
                        "a row of {} cells in a table of {}",
                        row.cells.len(),
                        herd.threads.len()
                    ));
                }
                for cell in &row.cells {
                    check("a cell", cell.span)?;
                }
            }
        }
        Body::C(c) => {
            check("the init section", c.init_span)?;
            for function in &c.functions {
                check("a function", function.span)?;
                check("a body", function.body.span)?;
                let mut wrong = None;
                for stmt in &function.body.stmts {
                    stmt.walk(&mut |stmt| {
                        wrong = wrong.take().or(check("a statement", stmt.span).err());
                    });
                }
                wrong.map_or(Ok(()), Err)?;
            }
            let mut wrong = None;
            c.exprs(&mut |expr| {
                wrong = wrong.take().or(check("an expression", expr.span).err());
            });
            wrong.map_or(Ok(()), Err)?;
        }
        Body::Unknown => {}
    }
    Ok(())
}
