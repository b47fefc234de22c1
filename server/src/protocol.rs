//! Everything of our own that leaves as JSON: one struct for each object, for both fronts.
//!
//! Fields are added, never renamed. The doc comments are what people read: the schemas, the
//! tables of `PROTOCOL.md`, the settings of `editors/vscode/package.json` and the types of
//! `editors/vscode/src/protocol.ts` are generated from them (`generated`, in tests only).

use fencepost_checker::model::Rules;
use fencepost_checker::program::{self, Program};
use fencepost_checker::{engine, graph};
use fencepost_grammar::ast;
use fencepost_grammar::dialect::{DIALECTS, UNKNOWN};
#[cfg(test)]
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tower_lsp::lsp_types as lsp;

pub mod commands;
pub mod fences;
#[cfg(test)]
mod generated;
pub mod requests;
pub mod settings;
pub mod test;
pub mod witness;

/// As the command line prints it.
pub fn line(object: &impl Serialize) -> String {
    let line = serde_json::to_string(object).expect(SOUND);
    format!("{line}\n")
}

/// As the language server's libraries take it.
pub fn json(object: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(object).expect(SOUND)
}

const SOUND: &str = "keys of ours are strings, and numbers finite";

/// Numbers that every JSON reader keeps exactly.
const EXACT: i64 = (1 << 53) - 1;

/// A number; outside ±(2^53 − 1) a string of its decimal digits; for the address of a location
/// a string, the location's name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum Value {
    Number(#[cfg_attr(test, schemars(range(min = -EXACT, max = EXACT)))] i64),
    Text(String),
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        if (-EXACT..=EXACT).contains(&value) {
            Value::Number(value)
        } else {
            Value::Text(value.to_string())
        }
    }
}

impl Value {
    pub fn of(program: &Program, value: program::Value) -> Value {
        match program.location_at(value) {
            Some(loc) => Value::Text(program.locations[usize::from(loc)].name.clone()),
            None => value.into(),
        }
    }
}

/// From observed names, as the file spells them, to values: `{"P0:r0": 0, "P1:r1": 0}`,
/// `{"0:EAX": 1, "[x]": 2}`. The keys have the file's order.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct State(pub Map<String, Value>);

impl State {
    /// What is observed at the end of an execution.
    pub fn of(program: &Program, values: &[program::Value]) -> State {
        let names = program.observed.iter().map(|o| &o.name);
        State::named(program, names.zip(values))
    }

    pub fn named<'n, 'v>(
        program: &Program,
        values: impl Iterator<Item = (&'n String, &'v program::Value)>,
    ) -> State {
        let value = |(name, value): (&String, &_)| (name.clone(), Value::of(program, *value));
        State(Map(values.map(value).collect()))
    }
}

/// An object whose keys are data, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Map<K, V>(pub Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// One of the words of the checker or the grammar, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named<T>(pub T);

pub type Model = Named<program::Model>;
pub type Verdict = Named<program::Verdict>;
pub type Engine = Named<&'static engine::Engine>;
pub type Dialect = Named<&'static fencepost_grammar::Dialect>;
pub type EdgeKind = Named<graph::EdgeKind>;
pub type FenceKind = Named<ast::native::FenceKind>;
pub type Quantifier = Named<ast::Quantifier>;

/// A table of words.
pub trait Words: Copy + 'static {
    /// What one of them is called.
    const WHAT: &'static str;
    /// Each with what it means.
    fn all() -> Vec<(Self, &'static str)>;
    fn name(self) -> &'static str;
}

impl<T: Words> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

/// In any case, as people write them.
impl<'de, T: Words> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Named<T>, D::Error> {
        let name = String::deserialize(json)?;
        Named::find(&name)
            .ok_or_else(|| D::Error::custom(format!("`{name}` is no {}", T::WHAT.to_lowercase())))
    }
}

impl<T: Words> Named<T> {
    pub fn find(name: &str) -> Option<Named<T>> {
        let mut all = T::all().into_iter();
        all.find(|(word, _)| word.name().eq_ignore_ascii_case(name))
            .map(|(word, _)| Named(word))
    }
}

impl Words for program::Model {
    const WHAT: &'static str = "Model";

    fn all() -> Vec<(Self, &'static str)> {
        let models = program::Model::ALL.into_iter();
        models
            .map(|model| (model, Rules::of(model).meaning))
            .collect()
    }

    fn name(self) -> &'static str {
        self.name()
    }
}

impl Words for program::Verdict {
    const WHAT: &'static str = "Verdict";

    fn all() -> Vec<(Self, &'static str)> {
        use program::Verdict::{Always, Never, Sometimes, Unknown};
        vec![
            (Never, "In no execution."),
            (Sometimes, "In some executions, and not in others."),
            (Always, "In every execution."),
            (
                Unknown,
                "The exploration is not finished, and what it saw does not settle it.",
            ),
        ]
    }

    fn name(self) -> &'static str {
        self.name()
    }
}

impl Words for &'static engine::Engine {
    const WHAT: &'static str = "Engine";

    fn all() -> Vec<(Self, &'static str)> {
        let engines = engine::ENGINES.iter();
        engines.map(|engine| (engine, engine.summary())).collect()
    }

    fn name(self) -> &'static str {
        engine::Engine::name(self)
    }
}

impl Words for graph::EdgeKind {
    const WHAT: &'static str = "EdgeKind";

    fn all() -> Vec<(Self, &'static str)> {
        use graph::EdgeKind::{Co, Fr, Po, Rf};
        vec![
            (Po, "Program order."),
            (Rf, "A read from a write."),
            (Co, "One write over another."),
            (Fr, "A read before the write that overwrites what it read."),
        ]
    }

    fn name(self) -> &'static str {
        self.name()
    }
}

impl Words for &'static fencepost_grammar::Dialect {
    const WHAT: &'static str = "Dialect";

    fn all() -> Vec<(Self, &'static str)> {
        let known = DIALECTS.iter().copied().chain([&UNKNOWN]);
        known.map(|dialect| (dialect, dialect.meaning)).collect()
    }

    fn name(self) -> &'static str {
        self.word
    }
}

impl Words for ast::Quantifier {
    const WHAT: &'static str = "Quantifier";

    fn all() -> Vec<(Self, &'static str)> {
        use ast::Quantifier::{Exists, Forall, NotExists};
        [Exists, NotExists, Forall].map(|q| (q, "")).to_vec()
    }

    fn name(self) -> &'static str {
        crate::render::words::quantifier(self)
    }
}

impl Words for ast::native::FenceKind {
    const WHAT: &'static str = "FenceKind";

    fn all() -> Vec<(Self, &'static str)> {
        use ast::native::FenceKind::{Full, StoreStore};
        vec![(Full, "Costs 1."), (StoreStore, "Costs 0.5.")]
    }

    fn name(self) -> &'static str {
        crate::render::fences::kind(self)
    }
}

/// How often an `expect` says that a proposition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected(pub program::Verdict);

impl Serialize for Expected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

/// A type of the Language Server Protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lsp<T>(pub T);

pub type Range = Lsp<lsp::Range>;
pub type Document = Lsp<lsp::TextDocumentIdentifier>;
pub type WorkspaceEdit = Lsp<lsp::WorkspaceEdit>;

/// Lines and columns from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Place {
    /// From 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: usize,
    /// In characters, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub column: usize,
}

/// From a place to the one behind the end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Span {
    pub start: Place,
    pub end: Place,
}

impl Span {
    pub fn of(lines: &crate::analysis::Lines<'_>, start: usize, end: usize) -> Span {
        let place = |offset| {
            let place = lines.place(offset);
            Place {
                line: place.line,
                column: place.column,
            }
        };
        Span {
            start: place(start),
            end: place(end),
        }
    }
}
