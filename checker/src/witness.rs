//! One execution, step by step, as people read it.

use crate::program::{FenceKind, LocId, Model, Pc, Program, Span, ThreadId, Value};

/// An execution that was replayed in the operational model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    pub model: Model,
    pub steps: Vec<Step>,
    /// The final value of every location.
    pub memory: Vec<Value>,
    /// The final value of every register of every thread.
    pub registers: Vec<Vec<Value>>,
    /// When the stores left their buffers: stated, because a class has many executions.
    pub flushes: FlushPolicy,
}

impl Witness {
    /// No step at all: stands where a report admits a defect.
    pub(crate) fn empty(program: &Program, model: Model) -> Witness {
        Witness {
            model,
            steps: Vec::new(),
            memory: program.locations.iter().map(|loc| loc.init).collect(),
            registers: program.threads.iter().map(|t| t.regs.clone()).collect(),
            flushes: FlushPolicy::Early,
        }
    }
}

/// How the shown execution places the flushes among those its class allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlushPolicy {
    /// A store reaches memory as soon as the reads allow.
    Early,
    /// A store stays in its buffer until something needs it in memory.
    Late,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub thread: ThreadId,
    /// The instruction; for a flush, the store that is flushed.
    pub pc: Pc,
    pub span: Span,
    pub action: Action,
}

/// Where a read's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Initial,
    /// The index of the step that stored (not of its flush).
    Step(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    Read {
        loc: LocId,
        value: Value,
        source: Source,
    },
    /// Under SC in memory at once, else into the buffer.
    Write {
        loc: LocId,
        value: Value,
    },
    /// The store of step `store` reaches memory.
    Flush {
        loc: LocId,
        value: Value,
        store: usize,
    },
    /// `written` is absent when a `cas` fails.
    Rmw {
        loc: LocId,
        read: Value,
        source: Source,
        written: Option<Value>,
    },
    Fence(FenceKind),
    Lock {
        loc: LocId,
        source: Source,
    },
    Unlock {
        loc: LocId,
    },
    /// The thread stops here: a false `assume`, an `await` or lock that waits for ever,
    /// a loop at its bound, a failed assertion.
    Stop(StopReason),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    Assume,
    Await,
    Lock,
    Bound,
    Failed,
}
