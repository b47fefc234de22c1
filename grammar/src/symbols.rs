//! Who is who: every definition of a test, and where it is used.

pub(crate) mod c;
mod conditions;
pub(crate) mod herd;
pub(crate) mod native;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use crate::ast::{Ident, SmolStr, Test};
use crate::error::{Error, ErrorKind, NameKind, Related, Severity};
use crate::items::Damage;
use crate::limits::MAX_ERRORS;
use crate::nearest::nearest;
use crate::span::Span;

/// What `resolve` found. Definitions are in order of place within each scope.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    pub symbols: Vec<Symbol>,
}

/// An index into [`Symbols::symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

#[derive(Clone, Debug)]
pub struct Symbol {
    pub name: SmolStr,
    pub kind: NameKind,
    /// Where it is declared or, of a register or an undeclared herd location,
    /// first assigned or used.
    pub definition: Span,
    /// The thread (index into the body's `threads`) whose name it is; `None` is global.
    pub thread: Option<u32>,
    /// In order of place; the definition is not among them.
    pub references: Vec<Reference>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    pub span: Span,
    pub access: Access,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    Write,
    /// An atomic operation, a lock, an unlock.
    Update,
    /// Named by a condition, `locations`, `filter` or herd's init section.
    Mention,
}

impl Symbols {
    pub fn get(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    /// The symbol under a cursor, and the range of the name there.
    pub fn at(&self, offset: u32) -> Option<(SymbolId, Span)> {
        let ids = (0..self.symbols.len() as u32).map(SymbolId);
        ids.flat_map(|id| self.occurrences(id).map(move |span| (id, span)))
            .filter(|(_, span)| span.touches(offset))
            // Where two names touch, a cursor between them is on the second.
            .max_by_key(|(_, span)| span.start)
    }

    /// Everywhere the symbol is named, its definition first.
    pub fn occurrences(&self, id: SymbolId) -> impl Iterator<Item = Span> {
        let symbol = self.get(id);
        let references = symbol.references.iter().map(|reference| reference.span);
        std::iter::once(symbol.definition).chain(references)
    }

    /// What can be named in a thread (or, with `None`, at the top): globals and its own.
    pub fn visible(&self, thread: Option<u32>) -> impl Iterator<Item = &Symbol> {
        self.symbols
            .iter()
            .filter(move |symbol| symbol.thread.is_none() || symbol.thread == thread)
    }
}

/// Resolves every name of the test; mistakes go to `errors`.
pub(crate) fn resolve(test: &Test, damage: &Damage, errors: &mut Vec<Error>) -> Symbols {
    let mut builder = Builder {
        symbols: Vec::new(),
        errors,
        damage,
        reported: FxHashMap::default(),
    };
    if let Some(tree) = test.body.tree() {
        tree.resolve(test, &mut builder);
    }
    builder.finish()
}

/// Collects symbols and errors.
pub(crate) struct Builder<'a> {
    symbols: Vec<Symbol>,
    errors: &'a mut Vec<Error>,
    damage: &'a Damage,
    /// Names that nobody defined and that are reported already: where in `errors`.
    reported: FxHashMap<(&'static str, SmolStr, Option<u32>), usize>,
}

impl Builder<'_> {
    fn define(
        &mut self,
        name: &SmolStr,
        kind: NameKind,
        definition: Span,
        thread: Option<u32>,
    ) -> SymbolId {
        let id = SymbolId(self.symbols.len() as u32);
        self.symbols.push(Symbol {
            name: name.clone(),
            kind,
            definition,
            thread,
            references: Vec::new(),
        });
        id
    }

    fn refer(&mut self, id: SymbolId, span: Span, access: Access) {
        self.symbols[id.0 as usize]
            .references
            .push(Reference { span, access });
    }

    fn get(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    /// A file can be all mistakes; beyond so many nobody reads on.
    fn error(&mut self, error: Error) {
        // Warnings leave room for errors, and however many they are, the text is read.
        if error.severity() == Severity::Warning && self.errors.len() >= MAX_ERRORS / 2 {
            return;
        }
        match self.errors.len() {
            0..MAX_ERRORS => self.errors.push(error),
            MAX_ERRORS => {
                let place = Span::at(error.span.end);
                self.errors
                    .push(Error::new(ErrorKind::TooManyErrors, place));
            }
            _ => {}
        }
    }

    /// An error about a name that is not known, or not as what it is used. Silent after
    /// damage: what could not be read may have defined it.
    fn unknown(&mut self, error: Error, name: &SmolStr, thread: Option<u32>) {
        let damaged = match thread {
            Some(thread) => self.damage.threads.contains(&(thread as usize)),
            None => false,
        };
        if !damaged && !self.damage.top {
            self.once(error, name, thread);
        }
    }

    /// One error a name: further uses are listed with the first.
    fn once(&mut self, error: Error, name: &SmolStr, thread: Option<u32>) {
        let key = (error.code(), name.clone(), thread);
        if let Some(first) = self
            .reported
            .get(&key)
            .and_then(|&at| self.errors.get_mut(at))
        {
            if first.related.len() < MAX_RELATED {
                let span = error.span;
                first.related.push(Related {
                    span,
                    note: "also here",
                });
            }
            return;
        }
        let at = self.errors.len();
        self.error(error);
        if self.errors.len() > at {
            self.reported.insert(key, at);
        }
    }

    fn duplicate(&mut self, name: &Ident, kind: NameKind, first: SymbolId) {
        let place = self.get(first).definition;
        let error = ErrorKind::DuplicateName {
            name: name.name.clone(),
            kind,
        };
        self.error(Error::new(error, name.span).related(place, "declared here first"));
    }

    /// The nearest name among some symbols.
    fn nearest<'s>(&'s self, name: &str, accept: impl Fn(&Symbol) -> bool + 's) -> Option<&'s str> {
        // Distance is not free, and a file may declare millions.
        let candidates = self
            .symbols
            .iter()
            .filter(|symbol| accept(symbol))
            .take(MAX_CANDIDATES)
            .map(|symbol| symbol.name.as_str());
        nearest(name, candidates)
    }

    fn finish(self) -> Symbols {
        let mut symbols = self.symbols;
        for symbol in &mut symbols {
            // A read before the first assignment was found after it.
            if !symbol
                .references
                .is_sorted_by_key(|reference| reference.span)
            {
                symbol.references.sort_by_key(|reference| reference.span);
            }
        }
        Symbols { symbols }
    }
}

/// Further places that an error about a name lists.
const MAX_RELATED: usize = 8;

/// How many names are compared with a mistyped one.
const MAX_CANDIDATES: usize = 2000;
