//! What a check answers: outcomes, verdicts, counts, failures, and how far it got.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::confirm;
use crate::engine::Engine;
use crate::operational::Move;
use crate::outcomes::Outcomes;
use crate::program::{Model, Program, Span, ThreadId, Value, Verdict};
use crate::replay::ReplayError;
use crate::witness::Witness;

/// What to run and how far.
#[derive(Debug, Clone)]
pub struct Options {
    pub engine: &'static Engine,
    pub max_time: Option<Duration>,
    pub max_classes: Option<u64>,
    /// Bytes the exploration may hold.
    pub max_memory: Option<usize>,
    /// How many outcomes an engine that counts no classes lists beyond those that its answers
    /// need.
    pub list_outcomes: usize,
    /// The rounds and the last timestamp of the engine `lazy`; as many as are always enough
    /// when they are not given.
    pub rounds: Option<usize>,
    pub timestamps: Option<usize>,
    /// Set from outside, it stops the exploration within milliseconds.
    pub cancel: Arc<AtomicBool>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            engine: Default::default(),
            max_time: None,
            max_classes: None,
            max_memory: Some(usize::try_from(4u64 << 30).unwrap_or(usize::MAX)),
            list_outcomes: 1_000,
            rounds: None,
            timestamps: None,
            cancel: Arc::default(),
        }
    }
}

/// Whether everything was explored, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    Complete,
    OutOfTime,
    OutOfClasses,
    OutOfMemory,
    /// An execution has more events than the engines can hold.
    TooManyEvents,
    /// Not everything was asked: more rounds or timestamps could have found more.
    OutOfRounds,
    /// The engine does not know an operation of the program; another one does.
    NotEncoded,
    Cancelled,
}

/// One final state that complete executions reach.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Parallel to [`Program::observed`].
    pub state: Vec<Value>,
    pub classes: u64,
    /// For each condition of the program, whether its proposition holds here.
    pub holds: Vec<bool>,
    pub(crate) model: Model,
    /// An execution that was confirmed to end here.
    pub(crate) schedule: Vec<Move>,
}

impl Outcome {
    /// An execution that ends here, of those of its class one that is easy to read. Made when
    /// it is wanted: a test can have a hundred thousand outcomes.
    pub fn witness(&self, program: &Program) -> Witness {
        self.readable_witness(program)
            .or_else(|_| confirm::reaches(program, self.model, &self.schedule, &self.state))
            // The report then has a defect and is not to be shown.
            .unwrap_or_else(|_| Witness::empty(program, self.model))
    }

    /// The same, but an error when the arrangement does not hold up.
    pub fn readable_witness(&self, program: &Program) -> Result<Witness, ReplayError> {
        confirm::outcome(program, self.model, &self.schedule, &self.state)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConditionReport {
    pub verdict: Verdict,
    /// In how many classes the proposition holds, of how many.
    pub holds: u64,
    pub of: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureKind {
    Assertion,
    DivisionByZero,
    IndexOutOfBounds,
    BadAddress,
    UnlockNotHeld,
}

/// An assertion that can fail, with one execution that fails it.
#[derive(Debug, Clone)]
pub struct Failure {
    pub kind: FailureKind,
    pub thread: ThreadId,
    pub span: Span,
    /// How many classes fail here.
    pub classes: u64,
    pub witness: Witness,
}

/// A loop whose bound cut executions off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundHit {
    pub thread: ThreadId,
    pub span: Span,
    pub bound: u32,
    pub explicit: bool,
}

#[derive(Debug, Clone)]
pub struct Report {
    pub model: Model,
    pub engine: &'static Engine,
    pub completeness: Completeness,
    /// Complete executions, up to reads-from equivalence (those the filter drops included).
    pub classes: u64,
    /// Maximal executions that did not complete: a false `assume`, an `await` or a lock that waits
    /// for ever, a loop cut at its bound.
    pub blocked: u64,
    /// The outcomes the filter drops are not here.
    pub outcomes: Outcomes,
    /// Whether these are all: an engine that counts no classes may know every verdict and not
    /// every outcome.
    pub outcomes_complete: bool,
    /// Parallel to [`Program::conditions`].
    pub conditions: Vec<ConditionReport>,
    /// Sorted by place.
    pub failures: Vec<Failure>,
    /// How many of the blocked executions are deadlocks: nothing but waiting on locks and awaits.
    pub deadlocks: u64,
    pub deadlock: Option<Witness>,
    pub bounds_hit: Vec<BoundHit>,
    /// The replay of a witness disagreed with its engine: the checker has a bug, and
    /// nothing in this report is to be trusted.
    pub defect: Option<ReplayError>,
    pub time: Duration,
}

impl Report {
    pub fn complete(&self) -> bool {
        self.completeness == Completeness::Complete
    }

    /// Makes every witness that can be asked for: what does not hold up, if anything.
    pub fn confirm(&self, program: &Program) -> Result<(), ReplayError> {
        self.defect.map_or(Ok(()), Err)?;
        self.outcomes
            .iter()
            .try_for_each(|outcome| outcome.readable_witness(program).map(drop))
    }
}

/// Polls the budgets: cheap enough to ask at every step.
#[derive(Debug)]
pub struct Budget {
    start: Instant,
    max_classes: u64,
    max_memory: usize,
    interrupt: Interrupt,
    /// Asking the clock costs more than a step, so it is asked once in a while.
    countdown: u32,
}

/// What ends an exploration from outside: the cancel flag and the clock.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    cancel: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Interrupt {
    /// Why to stop now; asks the clock.
    pub fn poll(&self) -> Option<Completeness> {
        if self.cancel.load(Ordering::Relaxed) {
            return Some(Completeness::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Some(Completeness::OutOfTime),
            _ => None,
        }
    }
}

/// How many polls pass between two looks at the clock.
const POLL_INTERVAL: u32 = 64;

impl Budget {
    pub fn new(options: &Options) -> Budget {
        let start = Instant::now();
        Budget {
            start,
            max_classes: options.max_classes.unwrap_or(u64::MAX),
            max_memory: options.max_memory.unwrap_or(usize::MAX),
            interrupt: Interrupt {
                cancel: options.cancel.clone(),
                deadline: options.max_time.and_then(|t| start.checked_add(t)),
            },
            countdown: 0,
        }
    }

    /// Why to stop now, given what was found and is held so far.
    pub fn poll(&mut self, classes: u64, memory: usize) -> Option<Completeness> {
        if classes >= self.max_classes {
            return Some(Completeness::OutOfClasses);
        }
        if memory > self.max_memory {
            return Some(Completeness::OutOfMemory);
        }
        self.interrupted()
    }

    /// Why to stop now, whatever was found.
    pub fn interrupted(&mut self) -> Option<Completeness> {
        if self.interrupt.cancel.load(Ordering::Relaxed) {
            return Some(Completeness::Cancelled);
        }
        if self.countdown > 0 {
            self.countdown -= 1;
            return None;
        }
        self.countdown = POLL_INTERVAL;
        self.interrupt.poll()
    }

    /// For code that runs long between two polls.
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// The verdict on a condition from the outcomes seen so far.
pub(crate) fn judge(
    program: &Program,
    outcomes: &Outcomes,
    complete: bool,
) -> Vec<ConditionReport> {
    let of: u64 = outcomes.iter().map(|o| o.classes).sum();
    (0..program.conditions.len())
        .map(|c| {
            let holds: u64 = outcomes
                .iter()
                .filter(|o| o.holds[c])
                .map(|o| o.classes)
                .sum();
            let verdict = if holds > 0 && holds < of {
                Verdict::Sometimes
            } else if !complete {
                Verdict::Unknown
            } else if holds == 0 {
                Verdict::Never
            } else {
                Verdict::Always
            };
            ConditionReport { verdict, holds, of }
        })
        .collect()
}
