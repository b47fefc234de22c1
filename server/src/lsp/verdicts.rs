//! What is known about one condition of the text now, in the words of all surfaces.

use fencepost_checker::model::STRONGEST;
use fencepost_checker::report::ConditionReport;
use fencepost_checker::{Model, Verdict};
use fencepost_grammar::ast::Condition;

use super::custom;
use super::results::{ModelResult, ModelState};
use super::view::View;
use crate::analysis::{Expectation, interest};
use crate::render::words;

/// What one model says about one condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub model: Model,
    pub state: ModelState,
    /// From the last result, perhaps of an older text.
    pub report: Option<ConditionReport>,
    /// Something that a reader of the condition looks for was seen.
    pub reached: bool,
    pub stale: bool,
}

impl Standing {
    pub fn verdict(&self) -> Option<Verdict> {
        self.report.map(|report| report.verdict)
    }
}

/// All models' standings on a condition, from the strongest to the weakest.
pub fn standings(view: &View, condition: &Condition) -> Vec<Standing> {
    let of = |(model, result): (Model, &ModelResult)| {
        let found = result.checked.as_ref();
        let judged = found.and_then(|found| {
            let index = found.condition_at(condition.span)?;
            let report = *found.report.conditions.get(index)?;
            Some((report, interest::seen(&found.program, index, report)))
        });
        Standing {
            model,
            state: result.state,
            report: judged.map(|(report, _)| report),
            reached: judged.is_some_and(|(_, reached)| reached),
            stale: found.is_some_and(|found| found.stale),
        }
    };
    view.results.each().map(of).collect()
}

/// Every `expect` of the text now, judged as far as results go.
pub fn expectations(view: &View) -> Vec<Expectation> {
    let mut all = Vec::new();
    for (index, condition) in view.parse().test.conditions.iter().enumerate() {
        let standings = standings(view, condition);
        all.extend(condition.expect.iter().map(|expect| {
            let model = expect.model;
            let own = standings.iter().find(|standing| standing.model == model);
            Expectation {
                condition: index,
                model,
                expected: custom::frequency(expect.frequency),
                found: own.and_then(|standing| standing.report),
                span: expect.span,
            }
        }));
    }
    all
}

/// `sometimes under TSO, PSO · never under SC`, and what keeps that from being the whole
/// truth: `· with N = 5`, `· checking`, `· stale`, `· not finished under PSO`, `· failed: …`.
pub fn phrase(view: &View, condition: &Condition) -> String {
    let standings = standings(view, condition);
    let judged = standings
        .iter()
        .filter_map(|standing| Some((standing.model, standing.verdict()?)));
    let mut parts = words::verdicts(judged);
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

/// The models under which there is something to see.
pub fn reached(view: &View, condition: &Condition) -> Vec<Model> {
    let standings = standings(view, condition).into_iter();
    standings.filter(|s| s.reached).map(|s| s.model).collect()
}

/// Reached under some weak model and, by a finished check, not under SC.
pub fn is_weak(view: &View, condition: &Condition) -> bool {
    let standings = standings(view, condition);
    let not_under_sc = standings.iter().any(|s| {
        s.model == STRONGEST && s.state == ModelState::Done && s.report.is_some() && !s.reached
    });
    not_under_sc && standings.iter().any(|s| s.reached)
}
