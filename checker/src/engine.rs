//! Explores a program with the engine that the options name.

pub mod brute;
mod maximal;
mod rf;
mod rf_part;
mod schedule;
mod states;
mod trace;

use self::rf::Rf;
use self::rf_part::RfPart;
use crate::collect::{Collector, Watch};
use crate::program::{Model, Program};
use crate::report::{Budget, Completeness, EngineKind, Options, Report};
use crate::verify::{MemoryModel, Pso, Sc, Tso};

/// Explores the program under a model and reports what it can do.
pub fn check(program: &Program, model: Model, options: &Options) -> Report {
    match (options.engine, model) {
        (EngineKind::Brute, _) => brute::explore(program, model, options),
        (engine, _) => explore_with(program, model, engine, options, None),
    }
}

/// Explores with RF-SMC and shows every class of complete executions to the watcher.
pub fn watch(program: &Program, model: Model, options: &Options, watcher: &dyn Watch) -> Report {
    explore_with(program, model, EngineKind::Rf, options, Some(watcher))
}

fn explore_with(
    program: &Program,
    model: Model,
    engine: EngineKind,
    options: &Options,
    watcher: Option<&dyn Watch>,
) -> Report {
    match model {
        Model::Sc => explore::<Sc>(program, engine, options, watcher),
        Model::Tso => explore::<Tso>(program, engine, options, watcher),
        Model::Pso => explore::<Pso>(program, engine, options, watcher),
    }
}

/// Explores with rows of one word, and with wider ones when an execution does not fit.
fn explore<M: MemoryModel>(
    program: &Program,
    engine: EngineKind,
    options: &Options,
    watcher: Option<&dyn Watch>,
) -> Report {
    let mut budget = Budget::new(options);
    let (collector, completeness) = None
        .or_else(|| attempt::<M, 1>(program, engine, &mut budget, watcher))
        .or_else(|| attempt::<M, 4>(program, engine, &mut budget, watcher))
        .or_else(|| attempt::<M, 16>(program, engine, &mut budget, watcher))
        .unwrap_or_else(|| {
            (
                Collector::new(program, M::MODEL),
                Completeness::TooManyEvents,
            )
        });
    collector.finish(engine, completeness, budget.elapsed())
}

/// One exploration with rows of `W` words; none when an execution has too many events.
fn attempt<'p, M: MemoryModel, const W: usize>(
    program: &'p Program,
    engine: EngineKind,
    budget: &mut Budget,
    watcher: Option<&'p dyn Watch>,
) -> Option<(Collector<'p>, Completeness)> {
    let mut collector = Collector::new(program, M::MODEL).watched(watcher);
    let result = match engine {
        EngineKind::RfPart => RfPart::<M, W>::new(program, &mut collector, budget).explore(),
        _ => Rf::<M, W>::new(program, &mut collector, budget).explore(),
    };
    Some((collector, result.ok()?))
}
