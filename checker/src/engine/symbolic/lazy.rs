//! The engine `lazy`: the program sequentialized in rounds, with a clock and timestamped writes.
//!
//! What it finds is real. What it does not find cannot happen only when there are rounds and
//! timestamps enough; with fewer it says so and gives no verdict.

use super::ask::{Encoding, ask};
use super::rounds::{Bounds, Rounds};
use super::rule::Rule;
use super::solver::Lit;
use super::{Prepared, prepare};
use crate::engine::{Explore, Task};
use crate::model::Rules;
use crate::report::Completeness;

#[derive(Debug)]
pub struct Lazy {
    /// The rule whose axioms are left out, by tests.
    pub without: Option<Rule>,
}

impl Explore for Lazy {
    fn explore(&self, task: &mut Task<'_, '_>) -> Completeness {
        self.search(task).unwrap_or_else(|reason| reason)
    }
}

impl Lazy {
    fn search(&self, task: &mut Task<'_, '_>) -> Result<Completeness, Completeness> {
        let rules = Rules::of(task.model);
        let Prepared {
            unrolled,
            questions,
            sources,
            ranges,
            solver,
        } = prepare(task, self.without)?;
        let mut formula = super::formula(&unrolled, ranges, solver);
        let enough = Bounds::complete(&formula, &sources, rules);
        let bounds = Bounds {
            rounds: task
                .options
                .rounds
                .unwrap_or(enough.rounds)
                .clamp(1, enough.rounds),
            stamps: task
                .options
                .timestamps
                .unwrap_or(enough.stamps)
                .min(enough.stamps),
        };
        let mut rounds = Rounds::new(
            task.program,
            rules,
            (&mut formula, &sources),
            bounds,
            task.budget,
        )?;
        let for_ever = rounds.for_ever();
        let choices = rounds.choices_made();
        let encoding = Encoding {
            formula: &mut formula,
            for_ever,
            symmetric: Lit::TRUE,
            is_complete: bounds == enough,
            schedule: &|formula| choices.schedule(formula, rules),
        };
        Ok(ask(task, &questions, encoding))
    }
}
