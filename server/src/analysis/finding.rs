//! What a check found that somebody should know: one flat enum with stable codes.
//!
//! Codes `E05xx` make a run fail, `W05xx` are worth a look, `I05xx` are information.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use fencepost_checker::model::{Model, STRONGEST};
use fencepost_checker::program::{Program, Verdict};
use fencepost_checker::report::{FailureKind, Report};

use super::{Diagnostic, Expectation, Related, Severity, Standing, expectations, interest};
use crate::render::{Look, label, words};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub kind: FindingKind,
    pub span: Range<usize>,
    pub models: Vec<Model>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FindingKind {
    /// An `expect` that does not hold.
    Expectation(Expectation),
    /// An assertion that can fail.
    Failure(FailureKind),
    Deadlock {
        executions: u64,
    },
    /// Executions were cut off at a loop's bound.
    Bound {
        bound: u32,
        explicit: bool,
    },
    /// No execution runs to its end.
    NothingEnds,
    Unfinished {
        /// The sentence says which budget and what was seen.
        phrase: String,
    },
    /// Reachable under a weak model but not under SC.
    WeakOutcome {
        condition: usize,
    },
}

impl FindingKind {
    pub const fn code(&self) -> &'static str {
        match self {
            FindingKind::Expectation(_) => "E0501",
            FindingKind::Failure(_) => "E0502",
            FindingKind::Deadlock { .. } => "W0501",
            FindingKind::Bound { .. } => "W0502",
            FindingKind::NothingEnds => "W0503",
            FindingKind::Unfinished { .. } => "W0504",
            FindingKind::WeakOutcome { .. } => "I0501",
        }
    }

    pub const fn severity(&self) -> Severity {
        match self {
            FindingKind::Expectation(_) | FindingKind::Failure(_) => Severity::Error,
            FindingKind::Deadlock { .. }
            | FindingKind::Bound { .. }
            | FindingKind::NothingEnds
            | FindingKind::Unfinished { .. } => Severity::Warning,
            FindingKind::WeakOutcome { .. } => Severity::Information,
        }
    }
}

impl Finding {
    pub fn message(&self) -> String {
        let models = words::models(self.models.iter().copied());
        match &self.kind {
            FindingKind::Expectation(Expectation {
                expected, found, ..
            }) => {
                let (found, holds, of) =
                    found.map_or((Verdict::Unknown, 0, 0), |f| (f.verdict, f.holds, f.of));
                format!(
                    "expected {} under {models}, found {} (in {} of {})",
                    expected.name(),
                    found.name(),
                    words::thousands(holds),
                    words::counted(of, "class", "classes")
                )
            }
            FindingKind::Failure(kind) => format!("{} under {models}", words::failure(*kind)),
            FindingKind::Deadlock { executions } => format!(
                "{} under {models}: every thread that has not ended waits for ever",
                words::counted(*executions, "deadlock", "deadlocks")
            ),
            FindingKind::Bound { bound, .. } => format!(
                "executions are cut off at this loop's bound of {bound} under {models}: \
                 what would follow is not in the verdicts"
            ),
            FindingKind::NothingEnds => {
                format!("no execution ends under {models}, so there is nothing to judge")
            }
            FindingKind::Unfinished { phrase } => phrase.clone(),
            FindingKind::WeakOutcome { .. } => {
                format!("a weak outcome: reachable under {models}, but not under SC")
            }
        }
    }

    pub fn help(&self) -> Option<&'static str> {
        match &self.kind {
            FindingKind::Bound { explicit: true, .. } => Some("raise the loop's `max`"),
            FindingKind::Bound {
                explicit: false, ..
            } => Some("give the loop a bound with `max N`, or raise the default with --unroll"),
            FindingKind::Unfinished { .. } => {
                Some("raise --timeout or --max-classes, or make the test smaller")
            }
            _ => None,
        }
    }

    pub fn diagnostic(&self, program: &Program, text: &str, reports: &[&Report]) -> Diagnostic {
        Diagnostic {
            code: self.kind.code(),
            severity: self.kind.severity(),
            message: self.message(),
            span: self.span.clone(),
            related: self.related(program, text, reports),
            help: self.help().map(str::to_owned),
        }
    }

    /// The steps of a witness, where there is one: how it comes about.
    fn related(&self, program: &Program, text: &str, reports: &[&Report]) -> Vec<Related> {
        let Some(report) = reports.iter().find(|r| self.models.contains(&r.model)) else {
            return Vec::new();
        };
        let witness = match &self.kind {
            FindingKind::Expectation(Expectation {
                condition,
                expected,
                ..
            }) => {
                // `never` is broken by an outcome that satisfies, `always` by one that does not.
                let wanted = *expected == Verdict::Never;
                let outcomes = report.outcomes.iter();
                outcomes
                    .filter(|_| *expected != Verdict::Sometimes)
                    .find(|o| o.holds.get(*condition) == Some(&wanted))
                    .map(|o| Cow::Owned(o.witness(program)))
            }
            FindingKind::Failure(_) => {
                let mut failures = report.failures.iter();
                failures
                    .find(|f| f.span.start as usize == self.span.start)
                    .map(|f| Cow::Borrowed(&f.witness))
            }
            FindingKind::Deadlock { .. } => report.deadlock.as_ref().map(Cow::Borrowed),
            _ => None,
        };
        let Some(witness) = witness else {
            return Vec::new();
        };
        let steps = witness.steps.iter().enumerate();
        steps
            .map(|(index, step)| Related {
                span: step.span.start as usize..step.span.end as usize,
                message: format!(
                    "step {}, {}: {}",
                    index + 1,
                    label::thread(program, step.thread),
                    label::step(Look::PLAIN, program, text, step)
                ),
            })
            .collect()
    }
}

/// Everything worth saying about the reports of one program, in order of place.
/// `limit` is the time each model had.
pub fn findings(program: &Program, reports: &[&Report], limit: Option<Duration>) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(expectations(program, reports).into_iter().filter_map(|e| {
        (e.standing() == Standing::Broken).then(|| Finding {
            span: e.span.range(),
            models: vec![e.model],
            kind: FindingKind::Expectation(e),
        })
    }));
    failures(reports, &mut found);
    let name = program.conditions.first().map_or(0..0, |c| range(&c.span));

    let mut deadlocks = Vec::new();
    let mut endless = Vec::new();
    for report in reports {
        if report.deadlocks > 0 {
            deadlocks.push((report.model, report.deadlocks));
        }
        if report.complete() && report.classes == 0 {
            endless.push(report.model);
        }
        if let Some(phrase) = words::unfinished_phrase(Look::PLAIN, program, report, limit) {
            found.push(Finding {
                kind: FindingKind::Unfinished { phrase },
                span: name.clone(),
                models: vec![report.model],
            });
        }
    }
    if let Some(most) = deadlocks.iter().map(|(_, count)| *count).max() {
        let report = reports.iter().find(|r| r.deadlocks > 0);
        let last = report.and_then(|r| r.deadlock.as_ref()?.steps.last());
        found.push(Finding {
            kind: FindingKind::Deadlock { executions: most },
            span: last.map_or(name.clone(), |step| range(&step.span)),
            models: deadlocks.iter().map(|(model, _)| *model).collect(),
        });
    }
    if !endless.is_empty() {
        found.push(Finding {
            kind: FindingKind::NothingEnds,
            span: name,
            models: endless,
        });
    }
    bounds(reports, &mut found);
    weak_outcomes(program, reports, &mut found);
    found.sort_by_key(|f| (f.kind.severity(), f.span.start, f.span.end));
    found
}

/// The models under which something is found, by its key. Two instances of a replicated
/// thread have it at one place.
fn under<K: Ord>(reports: &[&Report], keys: impl Fn(&Report) -> Vec<K>) -> BTreeMap<K, Vec<Model>> {
    let mut found: BTreeMap<K, Vec<Model>> = BTreeMap::new();
    for report in reports {
        for key in keys(report) {
            let models = found.entry(key).or_default();
            if !models.contains(&report.model) {
                models.push(report.model);
            }
        }
    }
    found
}

fn failures(reports: &[&Report], found: &mut Vec<Finding>) {
    let failures = under(reports, |report| {
        let all = report.failures.iter();
        all.map(|f| (f.span.start, f.span.end, f.kind)).collect()
    });
    for ((start, end, kind), models) in failures {
        found.push(Finding {
            kind: FindingKind::Failure(kind),
            span: start as usize..end as usize,
            models,
        });
    }
}

fn bounds(reports: &[&Report], found: &mut Vec<Finding>) {
    let bounds = under(reports, |report| {
        let all = report.bounds_hit.iter();
        all.map(|hit| (hit.span.start, hit.span.end, hit.bound, hit.explicit))
            .collect()
    });
    for ((start, end, bound, explicit), models) in bounds {
        found.push(Finding {
            kind: FindingKind::Bound { bound, explicit },
            span: start as usize..end as usize,
            models,
        });
    }
}

fn weak_outcomes(program: &Program, reports: &[&Report], found: &mut Vec<Finding>) {
    let Some(sc) = reports
        .iter()
        .find(|r| r.model == STRONGEST && r.complete())
    else {
        return;
    };
    let reaches = |report: &Report, condition: usize| {
        let judged = report.conditions.get(condition);
        judged.is_some_and(|judged| interest::seen(program, condition, *judged))
    };
    for (index, condition) in program.conditions.iter().enumerate() {
        if reaches(sc, index) {
            continue;
        }
        let models: Vec<Model> = reports
            .iter()
            .filter(|r| reaches(r, index))
            .map(|r| r.model)
            .collect();
        if !models.is_empty() {
            found.push(Finding {
                kind: FindingKind::WeakOutcome { condition: index },
                span: range(&condition.span),
                models,
            });
        }
    }
}

fn range(span: &fencepost_checker::program::Span) -> Range<usize> {
    span.start as usize..span.end as usize
}
