//! Lexer, grammars, syntax tree and formatter for litmus tests.
//!
//! The parser cannot fail: [`parse`] gives a tree and a list of errors for
//! every text. There is no file input or output here.

use std::borrow::Cow;

pub mod ast;
pub mod dialect;
pub mod error;
mod explain;
pub mod fences;
pub mod format;
pub mod limits;
pub mod scan;
pub mod span;
pub mod symbols;
pub mod words;

pub use ast::Test;
pub use decode::decode;
pub use dialect::{DIALECTS, Dialect};
pub use error::{Error, ErrorKind, Fix, Related, Severity};
pub use explain::{codes, explain};
pub use nearest::nearest;
pub use span::Span;
pub use symbols::Symbols;

/// What [`parse`] gives: always a tree, its names, and what was wrong.
#[derive(Clone, Debug)]
pub struct Parse {
    pub test: Test,
    pub symbols: Symbols,
    /// Sorted by place; warnings are among them.
    pub errors: Vec<Error>,
}

impl Parse {
    /// Whether something keeps the test from being checked (warnings do not).
    pub fn has_errors(&self) -> bool {
        self.errors
            .iter()
            .any(|error| error.severity() == Severity::Error)
    }

    /// What can be lowered: nothing, when the text has errors.
    pub fn sound(&self) -> Option<Sound<'_>> {
        (!self.has_errors()).then_some(Sound {
            test: Cow::Borrowed(&self.test),
            symbols: &self.symbols,
        })
    }
}

/// A test without errors: every node was read, and every name is one that was declared, as
/// what it is used for.
#[derive(Clone, Debug)]
pub struct Sound<'p> {
    test: Cow<'p, Test>,
    symbols: &'p Symbols,
}

impl<'p> Sound<'p> {
    pub fn test(&self) -> &Test {
        &self.test
    }

    pub fn symbols(&self) -> &'p Symbols {
        self.symbols
    }
}

/// Reads a text of either dialect and resolves its names.
pub fn parse(text: &str) -> Parse {
    let (test, mut errors, damage) = read::read(text);
    let symbols = symbols::resolve(&test, &damage, &mut errors);
    // Stable: what was found first comes first where places are the same.
    errors.sort_by_key(|error| (error.span.start, error.span.end));
    Parse {
        test,
        symbols,
        errors,
    }
}

mod actions;
mod c;
mod decode;
mod header;
mod instruction;
mod items;
mod lexer;
mod nearest;
mod parser;
mod read;
mod recover;
mod table;
mod token;

#[cfg(test)]
mod tests;
