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
mod symbolic;
mod trace;
mod trust;

use crate::collect::{Collector, Watch};
use crate::program::{Model, Program};
use crate::report::{Budget, Completeness, Options, Report};
use symbolic::{Lazy, Sat};
use trace::TooManyEvents;

pub use symbolic::NamedAxiom;
pub use symbolic::rule::Rule;

/// Every engine; the first is the default.
pub static ENGINES: [Engine; 6] = [
    Engine {
        name: "trust",
        summary: "TruSt: each reads-from class once, in polynomial memory, branches share nothing",
        counts: true,
        explorer: &trust::Trust,
    },
    Engine {
        name: "rf",
        summary: "RF-SMC: each reads-from class once, complete executions only",
        counts: true,
        explorer: &rf::Rf,
    },
    Engine {
        name: "rf-part",
        summary: "RF-partSMC: each reads-from class once, in polynomial memory",
        counts: true,
        explorer: &rf_part::RfPart,
    },
    Engine {
        name: "brute",
        summary: "every state of the operational model: the reference",
        counts: true,
        explorer: &brute::Brute,
    },
    Engine {
        name: "sat",
        summary: "one question at a time to a SAT solver: large tests, no class counts",
        counts: false,
        explorer: &Sat { without: None },
    },
    Engine {
        name: "lazy",
        summary: "lazy sequentialization in rounds with timestamped writes: the other SAT encoding",
        counts: false,
        explorer: &Lazy { without: None },
    },
];

/// A row of [`ENGINES`].
#[derive(Debug, Clone, Copy)]
pub struct Engine {
    name: &'static str,
    summary: &'static str,
    counts: bool,
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
    pub options: &'a Options,
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

    /// Whether it counts classes. One that does not answers questions: the numbers of classes in
    /// its report mean nothing, and it lists outcomes only as far as that is cheap.
    pub fn counts(&self) -> bool {
        self.counts
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
    let engine = options.engine;
    explore(program, model, (engine, engine.explorer), options, None)
}

/// As [`check`] with the engine `sat` or `lazy`, but without the axioms of one rule: tests break
/// each rule in turn and must see that it is missed.
#[doc(hidden)]
pub fn check_without(rule: Rule, program: &Program, model: Model, options: &Options) -> Report {
    let without = Some(rule);
    let explorer: &dyn Explore = match options.engine.name {
        "lazy" => &Lazy { without },
        _ => &Sat { without },
    };
    explore(program, model, (options.engine, explorer), options, None)
}

/// Every axiom that the engine `sat` would ask about: its rule and the instructions it speaks of.
pub fn axioms(
    program: &Program,
    model: Model,
    options: &Options,
) -> Result<Vec<NamedAxiom>, Completeness> {
    symbolic::named_axioms(&mut Task {
        program,
        model,
        collector: &mut Collector::new(program, model),
        budget: &mut Budget::new(options),
        options,
    })
}

/// Explores with the default engine and shows every class of complete executions to the
/// watcher.
pub(crate) fn watch(
    program: &Program,
    model: Model,
    options: &Options,
    watcher: &dyn Watch,
) -> Report {
    let engine: &Engine = Default::default();
    explore(
        program,
        model,
        (engine, engine.explorer),
        options,
        Some(watcher),
    )
}

fn explore(
    program: &Program,
    model: Model,
    (engine, explorer): (&'static Engine, &dyn Explore),
    options: &Options,
    watcher: Option<&dyn Watch>,
) -> Report {
    let mut budget = Budget::new(options);
    let mut collector = Collector::new(program, model).watched(watcher);
    let completeness = explorer.explore(&mut Task {
        program,
        model,
        collector: &mut collector,
        budget: &mut budget,
        options,
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
        E::explore_with::<2>,
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
