//! The language server's own requests and its notification.

use std::collections::BTreeMap;

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tower_lsp::lsp_types::Url;

use super::test::{ConditionVerdict, ModelReport, Outcome};
use super::witness::Steps;
use super::{Dialect, Document, Expected, Map, Model, Quantifier, Range, State, Value, Verdict};

pub const OUTCOMES: &str = "fencepost/outcomes";
pub const WITNESS: &str = "fencepost/witness";
pub const GRAPH: &str = "fencepost/graph";
pub const TEXT: &str = "fencepost/text";
pub const STATUS: &str = "fencepost/status";

/// A method of our own: its name, the types of its parameters and its answer, what it is for.
#[derive(Debug)]
pub struct Request {
    pub method: &'static str,
    pub params: &'static str,
    pub answer: &'static str,
    pub does: &'static str,
}

/// What a client can ask.
pub const REQUESTS: [Request; 4] = [
    Request {
        method: OUTCOMES,
        params: "DocumentParams",
        answer: "Outcomes",
        does: "what is known about a document, under every model",
    },
    Request {
        method: WITNESS,
        params: "ExecutionParams",
        answer: "Witness",
        does: "one execution, step by step; null when there is no such execution (yet)",
    },
    Request {
        method: GRAPH,
        params: "ExecutionParams",
        answer: "Graph",
        does: "the same execution, drawn; null when there is none",
    },
    Request {
        method: TEXT,
        params: "DocumentParams",
        answer: "DocumentText",
        does: "the text as the server has it, for tests of clients",
    },
];

/// Which document is meant, one that the client has opened.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DocumentParams {
    pub text_document: Document,
}

/// Which execution of which document is meant.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExecutionParams {
    pub text_document: Document,
    #[serde(flatten)]
    pub selector: Selector,
}

/// Which execution is meant: the first of `deadlock`, `failure`, `outcome` and `condition` that
/// is there decides; without any, the first outcome.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Selector {
    /// Without one: the strongest model that has such an execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Model>,
    /// An index into `outcomes`, or a state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<OutcomeChoice>,
    /// The first outcome in which this condition's proposition holds (or, for `forall`, does
    /// not).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<usize>,
    /// An index into `failures`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<usize>,
    /// One that ends in a deadlock.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deadlock: bool,
}

/// An outcome by its index or by its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum OutcomeChoice {
    Index(usize),
    State(#[cfg_attr(test, schemars(with = "State"))] BTreeMap<String, Value>),
}

/// The text as the server has it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct DocumentText {
    pub version: i32,
    pub text: String,
}

/// What is known about a document.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Outcomes {
    #[cfg_attr(test, schemars(with = "String"))]
    pub uri: Url,
    /// Of the text as the server has it now.
    pub version: i32,
    /// Some results below belong to an older version.
    pub stale: bool,
    /// Of the whole: `checking` while a model is, else `failed`, `cancelled`, `unfinished` or
    /// `done`, the first that fits any model; `idle` when all are.
    pub state: CheckState,
    pub name: String,
    pub dialect: Dialect,
    /// Syntax and name errors in the text now.
    pub errors: usize,
    /// Questions asked after the verdicts (reads, fences) and not answered yet.
    pub pending: usize,
    /// Of the native dialect; what a setting or a lens gives lies over the file.
    pub params: Vec<Param>,
    /// The names in every state.
    pub observed: Vec<String>,
    /// Those of the text now.
    pub conditions: Vec<Condition>,
    /// A model that `check.models` leaves out stays `idle`.
    pub models: Map<Model, ModelResult>,
    /// Every `expect` of the text now.
    pub expect: Vec<JudgedExpect>,
}

/// How a check stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    /// Not checked yet, and nothing under way.
    #[default]
    Idle,
    /// Under way; what is shown beside it is the previous result, if there is one.
    Checking,
    /// Everything was explored.
    Done,
    /// A budget ran out; `note` says which; `never` and `always` are not claimed.
    Unfinished,
    /// Stopped by the person or an edit.
    Cancelled,
    /// The test has errors, or the checker has a bug; `note` says which.
    Failed,
}

/// A `param` of the text now.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Param {
    pub name: String,
    /// Null while the test has errors.
    pub value: Option<Value>,
    /// As the file has it, an expression.
    pub written: String,
    /// A setting or a lens gives the value, not the file.
    pub overridden: bool,
    /// By `fencepost.setParam`.
    pub set: bool,
    pub range: Range,
}

/// A condition of the text now.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Condition {
    pub index: usize,
    pub range: Range,
    /// On one line: `exists (P0:r0 = 0 /\ P1:r1 = 0)`.
    pub text: String,
    pub quantifier: Quantifier,
    pub name: Option<String>,
}

/// What is known under one model: how the check stands, and its report as `fencepost check
/// --format json` has it, with ranges and indices.
///
/// Ranges of results are moved with the text, null where their text is gone.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModelResult {
    pub state: CheckState,
    /// The version that was checked; null before the first result.
    pub version: Option<i32>,
    /// That version differs from the text now.
    pub stale: bool,
    #[serde(flatten)]
    pub report: ModelReport<NumberedOutcome, Failure, BoundHit>,
    /// Why it is not complete, or what went wrong, for people.
    pub note: Option<String>,
    /// There is a witness of a deadlock.
    pub deadlock: bool,
    /// The older name of `time_us`.
    pub time_us: u64,
    /// The older name of `conditions`.
    pub verdicts: Vec<Option<ConditionVerdict>>,
    /// The older name of `assertions`.
    pub failures: Vec<Failure>,
    /// The older name of `bounds`.
    pub bounds_hit: Vec<BoundHit>,
}

/// A way in which the test can end.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "Outcome"))]
pub struct NumberedOutcome {
    pub index: usize,
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// An assertion that can fail.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Failure {
    pub index: usize,
    pub thread: String,
    pub range: Option<Range>,
    /// For people: `this assertion can fail`.
    pub message: &'static str,
    pub classes: u64,
}

/// A loop at whose bound executions were cut off.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct BoundHit {
    pub thread: String,
    pub range: Option<Range>,
    pub bound: u32,
    /// The file says so, with `max`.
    pub explicit: bool,
}

/// An `expect` of the text now, judged as far as results go.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "Expectation"))]
pub struct JudgedExpect {
    /// The condition's index.
    pub condition: usize,
    pub model: Model,
    pub expected: Expected,
    /// Null until the model has a result.
    pub found: Option<Verdict>,
    /// Null until it is settled.
    pub ok: Option<bool>,
    pub range: Range,
}

/// One execution, step by step.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Witness {
    #[cfg_attr(test, schemars(with = "String"))]
    pub uri: Url,
    /// The version that was checked.
    pub version: i32,
    /// That version differs from the text now.
    pub stale: bool,
    /// For people: `P0:r0=0 P1:r1=0 under TSO`.
    pub title: String,
    /// Null for a failure or a deadlock.
    pub outcome: Option<State>,
    /// The run of the command line that shows the same.
    pub command_line: String,
    #[serde(flatten)]
    pub steps: Steps<Option<Range>>,
}

/// One execution, drawn: po, rf, co, fr.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Graph {
    #[cfg_attr(test, schemars(with = "String"))]
    pub uri: Url,
    /// The version that was checked.
    pub version: i32,
    /// That version differs from the text now.
    pub stale: bool,
    pub model: Model,
    /// Each event is `<g class="event" data-step="0">`.
    pub svg: String,
    pub dot: String,
    pub title: String,
}

/// `fencepost/status`: a document's state changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Status {
    #[cfg_attr(test, schemars(with = "String"))]
    pub uri: Url,
    /// Null when the document is closed.
    pub version: Option<i32>,
    pub state: DocumentState,
    /// Some results belong to an older version.
    pub stale: bool,
    /// None when the document is closed.
    pub models: Map<Model, CheckState>,
    /// A number that grows with every check that is started; absent when the document is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<u64>,
    /// Syntax and name errors in the text now.
    pub errors: usize,
    /// For people: `SB: SC never · TSO sometimes · PSO sometimes`.
    pub message: String,
}

/// How a document stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum DocumentState {
    Open(CheckState),
    Closed(Closed),
}

/// The client closed the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum Closed {
    Closed,
}

/// What the server says of itself, in `capabilities.experimental.fencepost`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ServerCapabilities {
    /// The version of this page: 1.
    pub protocol: u32,
    /// Methods that can be asked.
    pub requests: Vec<&'static str>,
    /// `fencepost/status` is sent to a client that wants it.
    pub status: bool,
}

/// What a client says of itself, in `capabilities.experimental.fencepost`; all of it optional.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(default)]
pub struct ClientCapabilities {
    /// Wants `fencepost/status`.
    pub status: bool,
    /// Commands that it runs itself: a lens with one of them is left to it.
    pub commands: Vec<String>,
}
