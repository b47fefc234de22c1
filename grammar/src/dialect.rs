//! The dialects, a row each, and what a dialect must be able to tell of its trees.
//!
//! A new dialect is a file here, a [`Body`] with its tree, and a row of [`DIALECTS`]; it is
//! lowered in a file of the checker. Nothing else asks which dialect a test is in: reading,
//! name resolution, formatting and fences go through `Tree`, the editor through the methods
//! of [`Test`] and the fields of [`Dialect`].

mod c;
mod native;
mod x86;

use std::fmt;

use crate::ast::{Body, Ident, Test};
use crate::error::NameKind;
use crate::fences::{NewFence, Place, Written};
use crate::format::Edit;
use crate::items::Damage;
use crate::lexer::{Lexer, Mode};
use crate::scan::Piece;
use crate::span::Span;
use crate::symbols::Builder;
use crate::words::{EXPECTATIONS, Word};

/// Every dialect that can be read.
pub static DIALECTS: &[&Dialect] = &[&native::NATIVE, &x86::X86, &x86::X86_64, &c::C];

/// What a dialect is, apart from any text.
pub struct Dialect {
    /// The first word of its files, by which it is also shown.
    pub word: &'static str,
    pub meaning: &'static str,
    /// Reads what follows the test's name.
    pub(crate) read: fn(&mut Lexer<'_>, &mut Test, &mut Damage),
    /// How most of a text is cut into tokens.
    pub(crate) mode: Mode,
    /// Its words, but for those of expectations, which all dialects share.
    pub(crate) words: &'static [&'static [Word]],
    /// Where a cursor is, from the pieces before it: no comments, and at least one.
    pub(crate) context: for<'t> fn(&'t str, &[Piece]) -> Context<'t>,
    /// Whether `expect` stands in a comment, because another tool reads the files too.
    pub expects_in_comments: bool,
    /// Names that nobody can choose, and why.
    pub fixed_names: &'static [(NameKind, &'static str)],
    /// The one spelling of a register that the processor has.
    pub register: fn(&str) -> Option<&'static str>,
    /// The registers that are offered.
    pub registers: &'static [&'static str],
}

impl Dialect {
    /// The dialect whose files begin with the word.
    pub fn named(word: &str) -> Option<&'static Dialect> {
        DIALECTS.iter().copied().find(|known| known.word == word)
    }

    /// Every word, in the order of the tables.
    pub fn words(&self) -> impl Iterator<Item = &'static Word> {
        self.words.iter().copied().flatten().chain(EXPECTATIONS)
    }

    /// The word of that spelling; mnemonics are found by their place ([`Test::mnemonics`]).
    pub fn find(&self, text: &str) -> Option<&'static Word> {
        self.words().find(|word| word.text == text)
    }

    /// The words that are no names.
    pub fn reserved(&self) -> impl Iterator<Item = &'static str> {
        let words = self.words().filter(|word| word.is_reserved());
        words.map(|word| word.text)
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word)
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Dialect) -> bool {
        self.word == other.word
    }
}

/// Of files whose first word names no dialect; in no table.
pub static UNKNOWN: Dialect = Dialect {
    word: "unknown",
    meaning: "",
    read: |_, _, _| {},
    mode: Mode::Native,
    words: &[],
    context: |_, _| Context::Top,
    expects_in_comments: false,
    fixed_names: &[],
    register: |_| None,
    registers: &[],
};

/// Where a cursor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context<'t> {
    /// Nothing fits.
    Nowhere,
    /// Outside of threads and conditions.
    Top,
    /// In the body of the n-th thread.
    Body(u32),
    /// In a condition, a filter or a `locations` list.
    Condition,
    /// In a condition, behind `P0:`.
    RegisterOf(&'t str),
    /// Behind `expect`.
    Expect,
    /// herd: in the init section.
    Init,
    /// At the start of a cell of the n-th column.
    Instruction(u32),
    /// Behind the mnemonic.
    Operand(u32),
}

/// A thread as the text has it: a declaration, or a column.
#[derive(Clone, Debug)]
pub struct ThreadInfo<'a> {
    pub name: &'a Ident,
    /// `[i in 0..N]`
    pub replicas: Option<Span>,
    /// How outcomes and conditions name it, without an index: `P0`, herd's `0`.
    pub shown: String,
    /// All of it that is its own.
    pub span: Span,
    /// Where its statements are, perhaps beside those of others.
    pub code: Span,
}

/// A node of the tree, for selections and folding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub span: Span,
    pub fold: Fold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    No,
    /// From its first line to its last.
    Whole,
    /// Its last line, with the closing brace, stays visible.
    AboveLast,
}

/// `param N = 2`
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo<'a> {
    pub name: &'a Ident,
    /// The expression that gives its value.
    pub written: Span,
    pub span: Span,
}

/// What a dialect tells of its tree, and does with it. `test` is what the tree is the body of.
pub(crate) trait Tree {
    /// Resolves every name.
    fn resolve(&self, test: &Test, builder: &mut Builder<'_>);
    /// The text in its layout; only blanks change.
    fn print(&self, text: &str, test: &Test) -> String;

    fn threads(&self) -> Vec<ThreadInfo<'_>>;
    /// Every node, from the outside in.
    fn nodes(&self, visit: &mut dyn FnMut(Node));
    /// Words that are what they are by their place, in order of it.
    fn mnemonics(&self) -> Vec<(Span, &'static Word)> {
        Vec::new()
    }
    fn params(&self) -> Vec<ParamInfo<'_>> {
        Vec::new()
    }
    /// The word of that spelling, where others have the same.
    fn word(&self, _text: &str) -> Option<&'static Word> {
        None
    }

    /// Where fences fit.
    fn places(&self) -> Vec<Place>;
    /// The fences that are there.
    fn written(&self) -> Vec<Written>;
    /// Puts fences in; each has its place's empty range.
    fn insert(&mut self, fences: &[NewFence]);
    /// Takes out the fences at these ranges.
    fn remove(&mut self, spans: &[Span]);
    fn insert_edits(&self, text: &str, test: &Test, fences: &[NewFence]) -> Vec<Edit>;
    fn remove_edits(&self, text: &str, test: &Test, spans: &[Span]) -> Vec<Edit>;
}

impl Body {
    pub(crate) fn tree(&self) -> Option<&dyn Tree> {
        match self {
            Body::Native(native) => Some(native),
            Body::Herd(herd) => Some(herd),
            Body::C(c) => Some(c),
            Body::Unknown => None,
        }
    }

    pub(crate) fn tree_mut(&mut self) -> Option<&mut dyn Tree> {
        match self {
            Body::Native(native) => Some(native),
            Body::Herd(herd) => Some(herd),
            Body::C(c) => Some(c),
            Body::Unknown => None,
        }
    }
}

impl Test {
    /// In the order in which [`crate::symbols::Symbol::thread`] counts them.
    pub fn threads(&self) -> Vec<ThreadInfo<'_>> {
        self.body.tree().map_or_else(Vec::new, Tree::threads)
    }

    /// Words that are what they are by their place (x86's instructions), in order of it.
    pub fn mnemonics(&self) -> Vec<(Span, &'static Word)> {
        self.body.tree().map_or_else(Vec::new, Tree::mnemonics)
    }

    /// The word of that spelling, as this test would mean it.
    pub fn word(&self, text: &str) -> Option<&'static Word> {
        let tree = self.body.tree();
        tree.and_then(|tree| tree.word(text))
            .or_else(|| self.dialect.find(text))
    }

    /// In order of place.
    pub fn params(&self) -> Vec<ParamInfo<'_>> {
        self.body.tree().map_or_else(Vec::new, Tree::params)
    }

    /// Visits every node of the tree, from the outside in; comments are not nodes.
    pub fn nodes(&self, visit: &mut dyn FnMut(Node)) {
        let mut plain = |span| {
            visit(Node {
                span,
                fold: Fold::No,
            });
        };
        plain(self.span);
        self.doc.iter().for_each(|doc| plain(doc.span));
        for condition in &self.conditions {
            let expectations = condition.expect.iter().map(|expect| expect.span);
            plain(expectations.clone().fold(condition.span, Span::to));
            expectations.for_each(&mut plain);
            plain(condition.span);
            condition.prop.each(&mut |prop| plain(prop.span));
            condition.prop.terms(&mut |term| plain(term.span()));
        }
        if let Some(filter) = &self.filter {
            plain(filter.span);
            filter.prop.each(&mut |prop| plain(prop.span));
            filter.prop.terms(&mut |term| plain(term.span()));
        }
        for locations in &self.locations {
            plain(locations.span);
            locations.items.iter().for_each(|item| plain(item.span));
        }
        if let Some(tree) = self.body.tree() {
            tree.nodes(visit);
        }
    }
}

/// Behind `P0:` (or `W[1]:`, or herd's `0:`) a register is wanted, else anything.
fn in_condition<'t>(text: &'t str, before: &[Piece]) -> Context<'t> {
    let word = |index: usize| {
        let at = before.len().checked_sub(index);
        at.map_or("", |at| before[at].span.text(text))
    };
    match (word(1), word(2)) {
        (":", "]") => {
            let open = before
                .iter()
                .rposition(|piece| piece.span.text(text) == "[")
                .and_then(|at| at.checked_sub(1));
            Context::RegisterOf(open.map_or("", |at| before[at].span.text(text)))
        }
        (":", thread) => Context::RegisterOf(thread),
        _ => Context::Condition,
    }
}
