//! A test and what was found: a line of `fencepost check --format json`, and its part under one
//! model, which the language server's answers share.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Dialect, Engine, Expected, Map, Model, Place, State, Verdict};

/// One line of `fencepost check --format json`: a test and what was found.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Test {
    /// As the call names it; `-` is standard input.
    pub file: String,
    /// Empty when the file could not be read so far.
    pub name: String,
    pub dialect: Dialect,
    /// Why the test was not checked.
    pub errors: Vec<Diagnostic>,
    /// One entry for each model that was checked; empty when there are errors.
    pub models: Map<Model, ModelReport>,
    /// Every `expect` under a model that was checked.
    pub expect: Vec<Expectation>,
    /// Read, finished, as expected, and no assertion fails.
    pub ok: bool,
    pub warnings: Vec<Diagnostic>,
}

/// An error or a warning about the text.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Diagnostic {
    /// `fencepost explain CODE` has a page about it.
    #[cfg_attr(test, schemars(regex(pattern = "^[EW][0-9]{4}$")))]
    pub code: &'static str,
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub message: String,
    /// From 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: usize,
    /// In characters, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub column: usize,
    pub end: Place,
    pub help: Option<String>,
}

/// What was found under one model. Places and numbers of rows are the front's own: lines and
/// columns at the command line, ranges and indices in the language server.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "ModelReport"))]
pub struct ModelReport<O = Outcome, A = Assertion, B = Bound> {
    /// Everything was explored; if not, `never` and `always` are not claimed.
    pub complete: bool,
    /// Null before the first result.
    pub engine: Option<Engine>,
    /// Reads-from classes of executions that run to their end; null when the engine does not
    /// count them.
    pub classes: Option<u64>,
    /// Executions that were given up on the way.
    pub blocked: u64,
    /// Microseconds; 0 at the command line without `--timings`, so that two runs print the same.
    pub time_us: u64,
    pub outcomes: Vec<O>,
    /// One for each condition of the file; null where the checked text has no such condition,
    /// which only a text that was edited since can have.
    pub conditions: Vec<Option<ConditionVerdict>>,
    /// Assertions that can fail.
    pub assertions: Vec<A>,
    /// Executions that end in a deadlock.
    pub deadlocks: u64,
    /// Loops at whose bounds executions were cut off.
    pub bounds: Vec<B>,
    /// Which budget ran out; null when it is complete.
    pub stopped: Option<Stopped>,
    /// There, and false, when the verdicts are complete but the list of outcomes is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes_complete: Option<bool>,
}

impl<O, A, B> ModelReport<O, A, B> {
    /// Before there is any.
    pub fn none(conditions: usize) -> ModelReport<O, A, B> {
        ModelReport {
            complete: false,
            engine: None,
            classes: Some(0),
            blocked: 0,
            time_us: 0,
            outcomes: Vec::new(),
            conditions: vec![None; conditions],
            assertions: Vec::new(),
            deadlocks: 0,
            bounds: Vec::new(),
            stopped: None,
            outcomes_complete: None,
        }
    }
}

/// Why a check is not complete.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stopped {
    Time,
    Classes,
    Memory,
    /// An execution has more events than can be held.
    Events,
    /// The engine's rounds or timestamps are fewer than a complete answer needs.
    Rounds,
    /// The engine does not know an operation of the test.
    Engine,
    Cancelled,
}

/// A way in which the test can end.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Outcome {
    pub state: State,
    /// Reads-from classes that end so.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub classes: u64,
    /// For each condition whether its proposition holds there; null as in `conditions`.
    pub holds: Vec<Option<bool>>,
}

/// How often a condition's proposition holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ConditionVerdict {
    pub verdict: Verdict,
    /// Classes in which it holds,
    pub holds: u64,
    /// of so many.
    pub of: u64,
}

/// An assertion that can fail.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Assertion {
    pub thread: String,
    /// From 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: usize,
    /// In characters, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub column: usize,
    pub message: &'static str,
    pub classes: u64,
}

/// A loop at whose bound executions were cut off.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Bound {
    pub thread: String,
    /// From 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: usize,
    pub bound: u32,
    /// The file says so, with `max`.
    pub explicit: bool,
}

/// An `expect` and what was found.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Expectation {
    /// The condition's index.
    pub condition: usize,
    pub model: Model,
    pub expected: Expected,
    pub found: Verdict,
    pub ok: bool,
}
