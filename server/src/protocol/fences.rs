//! What `fencepost fences --format json` prints.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;

use super::witness::Steps;
use super::{FenceKind, Span, State};

/// What `fencepost fences --format json` prints: the cheapest sets of fences that forbid an
/// outcome, and the fences that are not needed.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Fences {
    /// As the call names it; `-` is standard input.
    pub file: String,
    pub name: String,
    /// The models, joined by commas: `TSO,PSO`.
    pub model: String,
    /// The condition's index; null with `--robust`.
    pub condition: Option<usize>,
    /// What is to be forbidden is every outcome that SC does not have.
    pub robust: bool,
    /// Of each set, in full fences; null when there is none.
    pub cost: Option<Number>,
    /// Every set forbids the outcome, and nothing cheaper does.
    pub sets: Vec<Vec<NewFence>>,
    /// There are more sets of this cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<bool>,
    /// Null when there is no set.
    pub proof: Option<Proof>,
    /// Why there is no set, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// The outcome that no fence forbids, since SC has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<State>,
    /// An execution under SC that ends so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Steps<Span>>,
    /// Fences of the file that change no outcome; null when that is not known.
    pub unneeded: Option<Unneeded>,
    /// The first set was written into the file.
    pub applied: bool,
}

/// A fence to insert.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct NewFence {
    pub thread: String,
    /// The line that it follows, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub after_line: usize,
    pub kind: FenceKind,
}

/// A fence of the file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct WrittenFence {
    pub thread: String,
    /// From 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: usize,
    pub kind: FenceKind,
}

/// What the answer rests on.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Proof {
    /// Classes of executions that had to go.
    pub classes: u64,
    /// Sets that were tried.
    pub rounds: u64,
}

/// Fences that change no outcome.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Unneeded {
    /// Each of them can go, as long as the others stay.
    pub alone: Vec<WrittenFence>,
    /// All of them can go together.
    pub together: Vec<WrittenFence>,
}
