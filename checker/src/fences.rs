//! Fences: the cheapest sets that forbid an outcome, and those nobody needs.
//!
//! A fence adds no value and no event that anyone reads, so the classes of the fenced
//! program are among those of the original. Explore once and keep the classes that must go
//! (`kept`), with the points their threads come by (`points`). Then propose the cheapest set
//! of fences (`hitting`); a kept class that is still realizable with it (`realize`) has an
//! execution, and one of the fences that this execution contradicts must be chosen: a clause
//! for the next proposal (`solve`). It ends with an optimum and the proof that nothing
//! cheaper suffices. Every set is put into the test, which is then explored, before anyone
//! sees it.
//!
//! SC ⊆ TSO ⊆ PSO, with the same fences: what is unreachable under the weakest of several
//! models is so under all of them.

mod hitting;
mod kept;
mod points;
mod realize;
mod solve;
mod written;

use rustc_hash::FxHashSet;

use fencepost_grammar::fences::{self, NewFence, Place};
use fencepost_grammar::{Error, Sound};

use crate::engine::{check, watch};
use crate::lower::{LowerOptions, lower};
use crate::model::{Model, STRONGEST, WEAKEST};
use crate::program::{Program, Quantifier, Value};
use crate::replay::ReplayError;
use crate::report::{Budget, Completeness, Options, Outcome, Report};
use crate::witness::Witness;
use kept::Keeper;
use points::Points;
pub use solve::MAX_SETS;
use solve::{Unsolved, half_cost, solve};
pub use written::{Forbidden, Role, Unneeded, role, unneeded};

/// What the fences are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Goal {
    /// That a condition's unwanted outcomes are unreachable: those that satisfy an `exists`
    /// or `~exists`, those that do not satisfy a `forall`. By its number in the test.
    Condition(usize),
    /// That there is no outcome that SC does not have.
    Robust,
}

/// What a set of fences costs: a full fence 1, a store-store fence ½.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Cost {
    pub halves: u32,
}

impl Cost {
    pub fn of(set: &[NewFence]) -> Cost {
        Cost {
            halves: set.iter().map(|fence| half_cost(fence.kind)).sum(),
        }
    }

    /// In full fences.
    pub fn value(self) -> f64 {
        f64::from(self.halves) / 2.0
    }
}

/// The cheapest sets of fences.
#[derive(Debug, Clone)]
pub struct Suggestion {
    /// Where these hold; from the strongest to the weakest.
    pub models: Vec<Model>,
    pub cost: Cost,
    /// All that cost so much, best first: fewest fences, then the earliest places. The empty
    /// set alone when nothing is needed. Each was checked by exploring the test with it.
    pub sets: Vec<Vec<NewFence>>,
    /// Not all are listed: there are more than [`MAX_SETS`], or the time did not suffice.
    pub more: bool,
    pub proof: Proof,
}

/// Why nothing cheaper suffices: so many classes had to go, and so many sets were tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Proof {
    pub classes: u64,
    pub rounds: u64,
}

/// Why there is no suggestion.
#[derive(Debug, Clone)]
pub enum Refusal {
    /// The test cannot be lowered.
    Errors(Vec<Error>),
    /// It has no condition with this number.
    NoCondition,
    /// No fence helps: it happens under SC too.
    ReachableUnderSc {
        /// Parallel to [`Program::observed`].
        state: Vec<Value>,
        witness: Box<Witness>,
    },
    /// The exploration under `model` (or, after it, the search) did not finish.
    NotFinished {
        model: Model,
        completeness: Completeness,
        /// Classes explored so far.
        classes: u64,
        /// Whether the unwanted outcome was among them.
        reachable: bool,
    },
    /// The checker contradicts itself, and nothing it says here is to be trusted.
    Defect(Defect),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    Replay(ReplayError),
    /// A class that SC does not have goes on with a fence everywhere.
    Unavoidable,
    /// A set that should suffice does not.
    Insufficient,
}

/// Finds the cheapest sets of fences that reach the goal under all of the models.
pub fn suggest(
    test: &Sound<'_>,
    lowering: &LowerOptions,
    goal: Goal,
    models: &[Model],
    options: &Options,
) -> Result<Suggestion, Refusal> {
    let mut models = models.to_vec();
    models.sort_unstable();
    models.dedup();
    let mut budget = Budget::new(options);
    let limits = Limits {
        options,
        budget: Budget::new(options),
    };
    let program = lower(test, lowering).map_err(Refusal::Errors)?;
    if let Goal::Condition(n) = goal
        && n >= program.conditions.len()
    {
        return Err(Refusal::NoCondition);
    }
    let under_sc = limits.explore(&program, STRONGEST)?;
    let unwanted = Unwanted::new(&program, goal, &under_sc);
    if let Goal::Condition(_) = goal
        && let Some(outcome) = under_sc.outcomes.iter().find(|o| unwanted.is(&o.state))
    {
        return Err(Refusal::ReachableUnderSc {
            state: outcome.state.clone(),
            witness: Box::new(outcome.witness(&program)),
        });
    }
    finished(&under_sc, false)?;
    let nothing = |models, classes| Suggestion {
        models,
        cost: Cost::default(),
        sets: vec![Vec::new()],
        more: false,
        proof: Proof { classes, rounds: 0 },
    };
    let weakest = match models.last() {
        None | Some(&STRONGEST) => return Ok(nothing(models, 0)),
        Some(weakest) => *weakest,
    };

    let points = Points::new(test, lowering, weakest).map_err(Refusal::Errors)?;
    let is_unwanted = |state: &[Value]| unwanted.is_class(state);
    let keeper = Keeper::new(&points, &is_unwanted);
    let report = watch(&program, weakest, &limits.left(), &keeper);
    let kept = keeper.finish();
    let reachable = !kept.is_empty();
    finished(&report, reachable)?;
    if !reachable {
        return Ok(nothing(models, 0));
    }
    let classes = kept.len() as u64;
    let solution =
        solve(&points, &kept, weakest, &mut budget).map_err(|unsolved| match unsolved {
            Unsolved::Stopped(completeness) => Refusal::NotFinished {
                model: weakest,
                completeness,
                classes: report.classes,
                reachable,
            },
            Unsolved::Unavoidable => Refusal::Defect(Defect::Unavoidable),
        })?;
    drop(kept);

    let mut suggestion = Suggestion {
        models,
        cost: Cost {
            halves: solution.cost,
        },
        sets: Vec::new(),
        more: solution.more,
        proof: Proof {
            classes,
            rounds: solution.rounds,
        },
    };
    for set in &solution.sets {
        let set: Vec<NewFence> = set.iter().map(|&c| points.fence(c)).collect();
        match confirm(test, lowering, &set, &unwanted, &suggestion.models, &limits) {
            Ok(()) => suggestion.sets.push(set),
            // What was confirmed so far stands.
            Err(Refusal::NotFinished { .. }) if !suggestion.sets.is_empty() => {
                suggestion.more = true;
                break;
            }
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(suggestion)
}

/// For every place of the test, the place that suggestions name in its stead: the first of
/// those that no event and no branch parts from it.
pub fn representatives(
    test: &Sound<'_>,
    lowering: &LowerOptions,
) -> Result<Vec<(Place, Place)>, Vec<Error>> {
    let points = Points::new(test, lowering, WEAKEST)?;
    let places = fences::places(test.test());
    Ok(places
        .into_iter()
        .filter_map(|place| Some((place, points.representative(place)?)))
        .collect())
}

/// The final states that must not be.
struct Unwanted<'p> {
    program: &'p Program,
    goal: Goal,
    /// For robustness: the states that SC has.
    allowed: FxHashSet<Vec<Value>>,
}

impl<'p> Unwanted<'p> {
    fn new(program: &'p Program, goal: Goal, under_sc: &Report) -> Self {
        let allowed = match goal {
            Goal::Condition(_) => FxHashSet::default(),
            Goal::Robust => under_sc.outcomes.iter().map(|o| o.state.clone()).collect(),
        };
        Unwanted {
            program,
            goal,
            allowed,
        }
    }

    /// Of an outcome's state, which the filter has let pass.
    fn is(&self, state: &[Value]) -> bool {
        match self.goal {
            Goal::Condition(n) => {
                let condition = &self.program.conditions[n];
                let bad = condition.quantifier != Quantifier::Forall;
                condition.prop.holds(state) == bad
            }
            Goal::Robust => !self.allowed.contains(state),
        }
    }

    /// Of a class's state, with what only the filter needs.
    fn is_class(&self, state: &[Value]) -> bool {
        let filter = self.program.filter.as_ref();
        filter.is_none_or(|filter| filter.holds(state))
            && self.is(&state[..self.program.observed.len()])
    }
}

/// Explores the test with the fences: the unwanted outcome must be gone.
fn confirm(
    test: &Sound<'_>,
    lowering: &LowerOptions,
    set: &[NewFence],
    unwanted: &Unwanted<'_>,
    models: &[Model],
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    let fenced = lower(&fences::insert(test, set), lowering).map_err(Refusal::Errors)?;
    // Fences change nothing under SC.
    for &model in models.iter().filter(|model| **model != STRONGEST) {
        let report = limits.explore(&fenced, model)?;
        let left = |outcome: &Outcome| unwanted.is(&outcome.state);
        if report.outcomes.iter().any(left) {
            return Err(Refusal::Defect(Defect::Insufficient));
        }
        finished(&report, false)?;
    }
    Ok(())
}

fn finished(report: &Report, reachable: bool) -> Result<(), Refusal> {
    if let Some(error) = report.defect {
        return Err(Refusal::Defect(Defect::Replay(error)));
    }
    if report.complete() {
        return Ok(());
    }
    Err(Refusal::NotFinished {
        model: report.model,
        completeness: report.completeness,
        classes: report.classes,
        reachable,
    })
}

/// One budget for several explorations.
struct Limits<'a> {
    options: &'a Options,
    budget: Budget,
}

impl Limits<'_> {
    /// The options with the time that is left.
    fn left(&self) -> Options {
        let mut options = self.options.clone();
        options.max_time = options
            .max_time
            .map(|time| time.saturating_sub(self.budget.elapsed()));
        options
    }

    fn explore(&self, program: &Program, model: Model) -> Result<Report, Refusal> {
        let report = check(program, model, &self.left());
        match report.defect {
            Some(error) => Err(Refusal::Defect(Defect::Replay(error))),
            None => Ok(report),
        }
    }
}
