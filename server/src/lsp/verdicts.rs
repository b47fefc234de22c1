//! What is known about one condition of the text now, in the words of all surfaces.

use fencepost_checker::model::STRONGEST;
use fencepost_checker::report::ConditionReport;
use fencepost_checker::{Model, Verdict};
use fencepost_grammar::ast::{Condition, Quantifier};

use super::results::{ModelState, reaches};
use super::view::View;
use crate::render::words;

/// What one model says about one condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub model: Model,
    pub state: ModelState,
    /// From the last result, perhaps of an older text.
    pub report: Option<ConditionReport>,
    pub stale: bool,
}

impl Standing {
    pub fn verdict(&self) -> Option<Verdict> {
        self.report.map(|report| report.verdict)
    }
}

/// All models' standings on a condition, from the strongest to the weakest.
pub fn standings(view: &View, condition: &Condition) -> Vec<Standing> {
    view.results
        .each()
        .map(|(model, result)| {
            let checked = result.checked.as_ref();
            Standing {
                model,
                state: result.state,
                report: checked.and_then(|checked| checked.verdict_at(condition.span)),
                stale: checked.is_some_and(|checked| checked.stale),
            }
        })
        .collect()
}

/// `sometimes under TSO, PSO · never under SC`, and what keeps that from being the whole
/// truth: `· with N = 5`, `· checking`, `· stale`, `· not finished under PSO`, `· failed: …`.
pub fn phrase(view: &View, condition: &Condition) -> String {
    let standings = standings(view, condition);
    let mut parts = Vec::new();
    for verdict in [
        Verdict::Sometimes,
        Verdict::Always,
        Verdict::Never,
        Verdict::Unknown,
    ] {
        let models = models(&standings, |s| s.verdict() == Some(verdict));
        if !models.is_empty() {
            let word = match verdict {
                Verdict::Unknown => "not finished",
                settled => settled.name(),
            };
            parts.push(format!("{word} under {models}"));
        }
    }
    parts.extend(caveats(view, &standings));
    if parts.is_empty() {
        parts.push("not checked".to_owned());
    }
    parts.join(" · ")
}

fn caveats(view: &View, standings: &[Standing]) -> Vec<String> {
    let mut parts = Vec::new();
    let newest = view.results.newest();
    parts.extend(newest.first().and_then(|checked| checked.overridden()));
    let with = |state| models(standings, move |s: &Standing| s.state == state);
    if view.results.stale() {
        parts.push("stale".to_owned());
    }
    let unfinished = models(standings, |s| {
        s.state == ModelState::Unfinished && !matches!(s.verdict(), None | Some(Verdict::Unknown))
    });
    if !unfinished.is_empty() {
        parts.push(format!("not finished under {unfinished}"));
    }
    let checking = with(ModelState::Checking);
    if !checking.is_empty() {
        parts.push(format!("checking {checking}"));
    }
    let cancelled = with(ModelState::Cancelled);
    if !cancelled.is_empty() && !view.results.stale() {
        parts.push(format!("stopped under {cancelled}"));
    }
    let failed = with(ModelState::Failed);
    if !failed.is_empty() {
        let why = view
            .results
            .each()
            .filter(|(_, result)| result.state == ModelState::Failed)
            .find_map(|(_, result)| result.note.as_deref())
            .unwrap_or("the check failed");
        parts.push(format!("failed: {why}"));
    }
    parts
}

fn models(standings: &[Standing], which: impl Fn(&Standing) -> bool) -> String {
    words::models(standings.iter().filter(|s| which(s)).map(|s| s.model))
}

/// The models under which there is something to see: an execution that satisfies `exists` or
/// `~exists`, one that breaks `forall`.
pub fn reached(view: &View, condition: &Condition) -> Vec<Model> {
    standings(view, condition)
        .into_iter()
        .filter(|standing| standing.report.is_some_and(|r| of_interest(condition, r)))
        .map(|standing| standing.model)
        .collect()
}

/// Whether something of interest was seen.
pub fn of_interest(condition: &Condition, report: ConditionReport) -> bool {
    match condition.quantifier {
        Quantifier::Exists | Quantifier::NotExists => report.holds > 0 || reaches(report.verdict),
        Quantifier::Forall => report.holds < report.of,
    }
}

/// Reached under some weak model and, by a finished check, not under SC.
pub fn is_weak(view: &View, condition: &Condition) -> bool {
    let standings = standings(view, condition);
    let not_under_sc = standings.iter().any(|s| {
        s.model == STRONGEST
            && s.state == ModelState::Done
            && s.report.is_some_and(|r| !of_interest(condition, r))
    });
    not_under_sc
        && standings
            .iter()
            .any(|s| s.report.is_some_and(|r| of_interest(condition, r)))
}
