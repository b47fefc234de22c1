//! Which outcomes a reader of a condition looks for: the one rule.

use fencepost_checker::program::{Program, Quantifier};
use fencepost_checker::report::{ConditionReport, Outcome, Report};

/// Whether the proposition holds in what is looked for: an outcome that satisfies `exists`
/// or `~exists`, one that breaks `forall`.
fn sought(program: &Program, condition: usize) -> bool {
    program.conditions[condition].quantifier != Quantifier::Forall
}

pub fn of_interest(program: &Program, condition: usize, outcome: &Outcome) -> bool {
    outcome.holds.get(condition) == Some(&sought(program, condition))
}

/// Whether any class is of interest, by their counts.
pub fn seen(program: &Program, condition: usize, judged: ConditionReport) -> bool {
    if sought(program, condition) {
        judged.holds > 0
    } else {
        judged.holds < judged.of
    }
}

/// The strongest model that reaches an outcome of interest, and that outcome.
pub fn first_reaching<'r>(
    program: &Program,
    reports: &[&'r Report],
    condition: usize,
) -> Option<(&'r Report, &'r Outcome)> {
    reports.iter().find_map(|report| {
        report
            .outcomes
            .iter()
            .find(|o| of_interest(program, condition, o))
            .map(|o| (*report, o))
    })
}
