//! One execution, step by step: `fencepost witness --format json` and `fencepost/witness`.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::{EdgeKind, Model, Span, State, Value};

/// What `fencepost witness --format json` prints: one execution, step by step.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct WitnessFile {
    /// As the call names it; `-` is standard input.
    pub file: String,
    pub name: String,
    pub title: String,
    /// Null for a failure or a deadlock.
    pub outcome: Option<State>,
    #[serde(flatten)]
    pub steps: Steps<Span>,
    pub graph: EventGraph,
}

/// An execution; `R` is how its front says where a step is written.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "Steps"))]
pub struct Steps<R> {
    pub model: Model,
    pub threads: Vec<String>,
    pub locations: Vec<String>,
    /// Memory at the start.
    pub initial: State,
    pub steps: Vec<Step<R>>,
    /// At the end, every named register.
    pub registers: State,
    pub flushes: Flushes,
    /// Null when every stronger model has such an execution.
    pub forbidden: Option<Forbidden>,
}

/// What a thread does next, and what that leaves behind. Under SC a write has no buffer and
/// changes memory at once.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "Step"))]
pub struct Step<R> {
    pub index: usize,
    /// An index into `threads`.
    pub thread: u8,
    pub kind: StepKind,
    /// The test's own syntax, short: `x = 1`, `r0 = y → 0`, `⤷ flush x=1`.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub text: String,
    /// Where it is written; in the language server null when that text is gone.
    pub range: R,
    /// Null for a fence and a stop.
    pub location: Option<String>,
    /// Read or written; null for a fence and a stop.
    pub value: Option<Value>,
    /// Of a read, rmw or lock: where its value comes from.
    pub source: Option<Source>,
    /// Of a flush: the index of the step that stored.
    pub store: Option<usize>,
    /// For each thread, oldest first, after the step.
    pub buffers: Vec<Vec<Buffered>>,
    /// After the step.
    pub memory: State,
    /// What the step changed: `memory:x`, `buffer:P0:x`, `register:P0:r0`.
    #[cfg_attr(test, schemars(inner(regex(pattern = "^(memory|buffer|register):"))))]
    pub changed: Vec<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    Read,
    Write,
    /// A store leaves its buffer.
    Flush,
    Rmw,
    Fence,
    Lock,
    Unlock,
    /// The thread goes no further.
    Stop,
}

/// Where a value comes from: `"initial"`, or the index of the step that stored.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum Source {
    Initial(Initial),
    Step(usize),
}

/// The value that the location has at the start.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[cfg_attr(test, schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum Initial {
    Initial,
}

/// A store that waits in a buffer.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Buffered {
    pub location: String,
    pub value: Value,
}

/// How flushes were placed among the possible ways.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Flushes {
    Early,
    Late,
}

/// Why a stronger model has no such execution.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Forbidden {
    /// The weakest of those that have none.
    pub model: Model,
    /// For people: `not under SC: a cycle, each before the next`.
    pub text: String,
    /// Of steps.
    #[cfg_attr(test, schemars(length(min = 2)))]
    pub cycle: Vec<Link>,
}

/// One step before another.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Link {
    pub kind: EdgeKind,
    /// The index of a step.
    pub from: usize,
    /// The index of a step.
    pub to: usize,
    /// For people: `program order`.
    pub text: &'static str,
}

/// The execution graph: events and the edges between them.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct EventGraph {
    pub events: Vec<Event>,
    pub edges: Vec<Edge>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Event {
    pub kind: EventKind,
    /// Null for an initial value.
    pub thread: Option<u8>,
    /// The index of its step; null for an initial value.
    pub step: Option<usize>,
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub label: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    Initial,
    Read,
    Write,
    Rmw,
    Fence,
    Lock,
    Unlock,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Edge {
    pub kind: EdgeKind,
    /// An index into `events`.
    pub from: usize,
    /// An index into `events`.
    pub to: usize,
}
