//! The fences that a test has: what each forbids, and which are not needed.

use rustc_hash::FxHashSet;

use fencepost_grammar::Sound;
use fencepost_grammar::Span;
use fencepost_grammar::fences::{self, Written};

use super::{Limits, Refusal, finished};
use crate::lower::{LowerOptions, lower};
use crate::program::{Model, Span as Range, ThreadId, Value};
use crate::report::{Budget, FailureKind, Options, Report};

/// What a fence does in its test.
#[derive(Debug, Clone)]
pub struct Role {
    pub fence: Written,
    /// For each model asked, in order, what would change without the fence.
    pub forbids: Vec<Forbidden>,
}

/// What could happen under a model if a fence were not there, and cannot.
#[derive(Debug, Clone)]
pub struct Forbidden {
    pub model: Model,
    /// Final states, parallel to the program's observables; sorted.
    pub states: Vec<Vec<Value>>,
    /// Whether an assertion would fail, or threads would wait for ever, that do not now.
    pub failures: bool,
}

impl Role {
    /// Whether the test can do the same without it.
    pub fn is_needed(&self) -> bool {
        self.forbids
            .iter()
            .any(|forbidden| !forbidden.states.is_empty() || forbidden.failures)
    }
}

/// Fences without which the test can do the same.
#[derive(Debug, Clone, Default)]
pub struct Unneeded {
    /// Each of them could go alone.
    pub alone: Vec<Written>,
    /// These can go together; no further one can.
    pub together: Vec<Written>,
}

/// What the fence that was written at a range forbids; none when there is no such fence.
pub fn role(
    test: &Sound<'_>,
    lowering: &LowerOptions,
    fence: Span,
    models: &[Model],
    options: &Options,
) -> Result<Option<Role>, Refusal> {
    let Some(fence) = fences::written(test.test())
        .into_iter()
        .find(|written| written.span == fence)
    else {
        return Ok(None);
    };
    let limits = Limits {
        options,
        budget: Budget::new(options),
    };
    let now = Behaviours::of(test, lowering, models, &limits)?;
    let without = Behaviours::of(
        &fences::remove(test, &[fence.span]),
        lowering,
        models,
        &limits,
    )?;
    Ok(Some(Role {
        fence,
        forbids: without.beyond(&now),
    }))
}

/// The fences that can be left out under all of the models.
pub fn unneeded(
    test: &Sound<'_>,
    lowering: &LowerOptions,
    models: &[Model],
    options: &Options,
) -> Result<Unneeded, Refusal> {
    let written = fences::written(test.test());
    let mut found = Unneeded::default();
    if written.is_empty() {
        return Ok(found);
    }
    let limits = Limits {
        options,
        budget: Budget::new(options),
    };
    let now = Behaviours::of(test, lowering, models, &limits)?;
    let same_without = |spans: &[Span]| -> Result<bool, Refusal> {
        let fewer = fences::remove(test, spans);
        Ok(Behaviours::of(&fewer, lowering, models, &limits)? == now)
    };
    for fence in &written {
        if same_without(&[fence.span])? {
            found.alone.push(*fence);
        }
    }
    // What is needed now is needed when others are gone, too.
    let mut gone = Vec::new();
    for fence in &found.alone {
        gone.push(fence.span);
        if gone.len() == 1 || same_without(&gone)? {
            found.together.push(*fence);
        } else {
            gone.pop();
        }
    }
    Ok(found)
}

/// All that a test can do, as far as a fence can change it.
#[derive(PartialEq, Eq)]
struct Behaviours(Vec<Behaviour>);

#[derive(PartialEq, Eq)]
struct Behaviour {
    model: Model,
    states: Vec<Vec<Value>>,
    failures: FxHashSet<(ThreadId, FailureKind, Range)>,
    deadlock: bool,
}

impl Behaviours {
    fn of(
        test: &Sound<'_>,
        lowering: &LowerOptions,
        models: &[Model],
        limits: &Limits<'_>,
    ) -> Result<Self, Refusal> {
        let program = lower(test, lowering).map_err(Refusal::Errors)?;
        let behaviour = |model: &Model| {
            let report = limits.explore(&program, *model)?;
            finished(&report, false)?;
            Ok(Behaviour::of(report))
        };
        models
            .iter()
            .map(behaviour)
            .collect::<Result<_, _>>()
            .map(Behaviours)
    }

    /// What is here and not there, for each model.
    fn beyond(&self, less: &Behaviours) -> Vec<Forbidden> {
        let pairs = self.0.iter().zip(&less.0);
        pairs
            .map(|(more, less)| Forbidden {
                model: more.model,
                states: more
                    .states
                    .iter()
                    .filter(|state| less.states.binary_search(state).is_err())
                    .cloned()
                    .collect(),
                failures: !more.failures.is_subset(&less.failures)
                    || more.deadlock && !less.deadlock,
            })
            .collect()
    }
}

impl Behaviour {
    fn of(report: Report) -> Self {
        Behaviour {
            model: report.model,
            // Sorted already.
            states: report.outcomes.into_iter().map(|o| o.state).collect(),
            failures: report
                .failures
                .into_iter()
                .map(|f| (f.thread, f.kind, f.span))
                .collect(),
            deadlock: report.deadlocks > 0,
        }
    }
}
