//! The engines that explore a program, one row each.
//!
//! To add one: a file in `engine/` with a type that implements `Explore`, and a row in
//! [`ENGINES`]. Whatever chooses, compares or lists engines loops over the table.

mod brute;
mod maximal;
mod rf;
mod rf_part;
mod schedule;
mod states;
pub mod symbolic;
mod trace;

use crate::collect::{Collector, Watch};
use crate::program::{Model, Program};
use crate::report::{Budget, Completeness, Options, Report};
use trace::TooManyEvents;

/// Every engine; the first is the default.
pub static ENGINES: [Engine; 3] = [
    Engine {
        name: "rf",
        summary: "RF-SMC: each reads-from class once, complete executions only",
        explorer: &rf::Rf,
    },
    Engine {
        name: "rf-part",
        summary: "RF-partSMC: each reads-from class once, in polynomial memory",
        explorer: &rf_part::RfPart,
    },
    Engine {
        name: "brute",
        summary: "every state of the operational model: the reference",
        explorer: &brute::Brute,
    },
];

/// A row of [`ENGINES`].
#[derive(Debug, Clone, Copy)]
pub struct Engine {
    name: &'static str,
    summary: &'static str,
    explorer: &'static dyn Explore,
}

/// An algorithm that explores a program under a model.
pub(crate) trait Explore: std::fmt::Debug + Sync {
    /// Hands every class to the task's collector, as far as the budget allows.
    fn explore(&self, task: &mut Task<'_, '_>) -> Completeness;
}

/// What to explore, and where to put what is found.
#[derive(Debug)]
pub(crate) struct Task<'a, 'p> {
    pub program: &'p Program,
    pub model: Model,
    pub collector: &'a mut Collector<'p>,
    pub budget: &'a mut Budget,
}

impl Engine {
    /// The engine of that name.
    pub fn named(name: &str) -> Option<&'static Engine> {
        ENGINES.iter().find(|engine| engine.name == name)
    }

    /// As `--engine` and reports spell it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it is, in one line.
    pub fn summary(&self) -> &'static str {
        self.summary
    }
}

impl Default for &'static Engine {
    fn default() -> Self {
        &ENGINES[0]
    }
}

impl PartialEq for Engine {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Engine {}

/// Explores the program under a model and reports what it can do.
pub fn check(program: &Program, model: Model, options: &Options) -> Report {
    explore(program, model, options.engine, options, None)
}

/// Explores with the default engine and shows every class of complete executions to the
/// watcher.
pub(crate) fn watch(
    program: &Program,
    model: Model,
    options: &Options,
    watcher: &dyn Watch,
) -> Report {
    explore(program, model, Default::default(), options, Some(watcher))
}

fn explore(
    program: &Program,
    model: Model,
    engine: &'static Engine,
    options: &Options,
    watcher: Option<&dyn Watch>,
) -> Report {
    let mut budget = Budget::new(options);
    let mut collector = Collector::new(program, model).watched(watcher);
    let completeness = engine.explorer.explore(&mut Task {
        program,
        model,
        collector: &mut collector,
        budget: &mut budget,
    });
    collector.finish(engine, completeness, budget.elapsed())
}

/// An engine whose sets of events are rows of `W` words.
trait ExploreWith {
    /// An error when an execution has more events than a row has bits.
    fn explore_with<const W: usize>(task: &mut Task<'_, '_>)
    -> Result<Completeness, TooManyEvents>;
}

/// Explores with rows of one word, and anew with wider ones when an execution does not fit.
fn widening<E: ExploreWith>(task: &mut Task<'_, '_>) -> Completeness {
    let attempts = [
        E::explore_with::<1>,
        E::explore_with::<4>,
        E::explore_with::<16>,
    ];
    for attempt in attempts {
        match attempt(task) {
            Ok(completeness) => return completeness,
            Err(TooManyEvents) => task.collector.restart(),
        }
    }
    Completeness::TooManyEvents
}
