//! Explores a program with the engine that the options name.

pub mod brute;
mod maximal;
mod rf;
mod rf_part;
mod schedule;
mod trace;

use self::rf::Rf;
use self::rf_part::RfPart;
use crate::collect::Collector;
use crate::program::{Model, Program};
use crate::report::{Budget, Completeness, EngineKind, Options, Report};
use crate::verify::{MemoryModel, Pso, Sc, Tso};

/// Explores the program under a model and reports what it can do.
pub fn check(program: &Program, model: Model, options: &Options) -> Report {
    match (options.engine, model) {
        (EngineKind::Brute, _) => brute::explore(program, model, options),
        (_, Model::Sc) => explore::<Sc>(program, options),
        (_, Model::Tso) => explore::<Tso>(program, options),
        (_, Model::Pso) => explore::<Pso>(program, options),
    }
}

/// Explores with rows of one word, and with wider ones when an execution does not fit.
fn explore<M: MemoryModel>(program: &Program, options: &Options) -> Report {
    let mut budget = Budget::new(options);
    let (collector, completeness) = None
        .or_else(|| attempt::<M, 1>(program, options.engine, &mut budget))
        .or_else(|| attempt::<M, 2>(program, options.engine, &mut budget))
        .or_else(|| attempt::<M, 4>(program, options.engine, &mut budget))
        .or_else(|| attempt::<M, 16>(program, options.engine, &mut budget))
        .unwrap_or_else(|| {
            (
                Collector::new(program, M::MODEL),
                Completeness::TooManyEvents,
            )
        });
    collector.finish(options.engine, completeness, budget.elapsed())
}

/// One exploration with rows of `W` words; none when an execution has too many events.
fn attempt<'p, M: MemoryModel, const W: usize>(
    program: &'p Program,
    engine: EngineKind,
    budget: &mut Budget,
) -> Option<(Collector<'p>, Completeness)> {
    let mut collector = Collector::new(program, M::MODEL);
    let result = match engine {
        EngineKind::RfPart => RfPart::<M, W>::new(program, &mut collector, budget).explore(),
        _ => Rf::<M, W>::new(program, &mut collector, budget).explore(),
    };
    Some((collector, result.ok()?))
}
