//! What checks have found about a document, and how old it is.
//!
//! A result belongs to the text that was checked. After an edit it stays, marked stale,
//! its ranges moved along ([`Anchors`]), until a new result replaces it.

use std::sync::Arc;
use std::time::Duration;

use fencepost_checker::Model;
use fencepost_checker::lower::LowerOptions;
use fencepost_checker::program::{self, Program, Value};
use fencepost_checker::report::{Completeness, Outcome, Report};
use fencepost_grammar::Span;

use super::anchors::{Anchors, Edit};
use super::insights::Insights;
use crate::analysis::{Checked, Source};

pub use crate::protocol::requests::CheckState as ModelState;

impl ModelState {
    /// The state of a whole: the first that fits any of its models. One that is idle beside
    /// others is not wanted by the settings.
    pub fn of_all(states: impl IntoIterator<Item = ModelState> + Clone) -> ModelState {
        [
            ModelState::Checking,
            ModelState::Failed,
            ModelState::Cancelled,
            ModelState::Unfinished,
            ModelState::Done,
        ]
        .into_iter()
        .find(|&state| states.clone().into_iter().any(|s| s == state))
        .unwrap_or_default()
    }
}

/// All that is known, one slot a model in the order of [`Model::ALL`].
#[derive(Debug, Clone, Default)]
pub struct Results {
    pub models: [ModelResult; 3],
    /// The number of the last check that was started.
    pub check: u64,
    pub insights: Option<Arc<Insights>>,
}

#[derive(Debug, Clone, Default)]
pub struct ModelResult {
    pub state: ModelState,
    /// Why it is not done, for people.
    pub note: Option<String>,
    /// The last result, perhaps of an older text.
    pub checked: Option<Found>,
}

/// What the check of one model found, and how old it is.
#[derive(Debug, Clone)]
pub struct Found {
    /// The text that was checked.
    pub source: Arc<Source>,
    /// The document's version when the text was like this.
    pub version: i32,
    /// The text or the settings differ now.
    pub stale: bool,
    /// Other settings hold now: it stays stale even when the text comes back.
    pub outdated: bool,
    text_is_current: bool,
    pub program: Arc<Program>,
    pub report: Arc<Report>,
    anchors: Arc<Anchors>,
}

impl Found {
    pub fn new(source: Arc<Source>, version: i32, program: Arc<Program>, report: Report) -> Found {
        let anchors = Arc::new(Anchors::new(spans(&program, &report)));
        Found {
            source,
            version,
            stale: false,
            outdated: false,
            text_is_current: true,
            program,
            report: Arc::new(report),
            anchors,
        }
    }

    /// Which parameters had other values than the file's: `with N = 5`.
    pub fn overridden(&self) -> Option<String> {
        overridden(&self.source.own_lowering())
    }

    /// What a stale result is called where there is room for a reason.
    pub fn staleness(&self) -> &'static str {
        staleness(self.text_is_current)
    }

    /// Where a range of the checked text is now.
    pub fn now(&self, span: &program::Span) -> Option<Span> {
        let span = Span::new(span.start, span.end);
        if self.text_is_current {
            Some(span)
        } else {
            self.anchors.get(span)
        }
    }

    /// Which of the checked conditions is the one that is now at `span`.
    pub fn condition_at(&self, span: Span) -> Option<usize> {
        self.program
            .conditions
            .iter()
            .position(|condition| self.now(&condition.span) == Some(span))
    }

    pub fn outcome(&self, state: &[Value]) -> Option<&Outcome> {
        self.report.outcomes.find(state)
    }
}

/// Which execution is shown along the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub model: Model,
    pub execution: Execution,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Execution {
    /// Of the outcome with this state.
    Outcome(Vec<Value>),
    /// That fails the n-th assertion that can fail.
    Failure(usize),
    Deadlock,
}

impl Results {
    pub fn is_empty(&self) -> bool {
        self.models
            .iter()
            .all(|model| model.checked.is_none() && model.state == ModelState::Idle)
    }

    pub fn model(&self, model: Model) -> &ModelResult {
        &self.models[model as usize]
    }

    pub fn model_mut(&mut self, model: Model) -> &mut ModelResult {
        &mut self.models[model as usize]
    }

    pub fn checked(&self, model: Model) -> Option<&Found> {
        self.model(model).checked.as_ref()
    }

    pub fn each(&self) -> impl Iterator<Item = (Model, &ModelResult)> + Clone {
        Model::ALL.into_iter().zip(&self.models)
    }

    /// The models that have a result, from the strongest to the weakest.
    pub fn each_checked(&self) -> impl Iterator<Item = (Model, &Found)> + Clone {
        self.each()
            .filter_map(|(model, result)| Some((model, result.checked.as_ref()?)))
    }

    /// The results of the newest text that has any: they share one program, so that their
    /// outcomes can stand in one table.
    pub fn newest(&self) -> Vec<&Found> {
        let Some(newest) = self
            .each_checked()
            .map(|(_, checked)| checked)
            .max_by_key(|checked| (!checked.stale, checked.version))
        else {
            return Vec::new();
        };
        self.each_checked()
            .map(|(_, checked)| checked)
            .filter(|checked| Arc::ptr_eq(&checked.program, &newest.program))
            .collect()
    }

    /// The test with these results, as far as they can be trusted.
    pub fn test(&self, limit: Option<Duration>) -> Option<Checked> {
        let newest = self.newest();
        let source = newest.first()?.source.clone();
        let sound = newest.iter().filter(|found| found.report.defect.is_none());
        let reports = sound.map(|found| found.report.clone()).collect();
        Some(Checked::new(String::new(), source, reports, limit))
    }

    pub fn stale(&self) -> bool {
        self.each_checked().any(|(_, checked)| checked.stale)
    }

    pub fn state(&self) -> ModelState {
        ModelState::of_all(self.models.iter().map(|model| model.state))
    }

    /// Moves every range along.
    pub fn edit(&mut self, edit: Edit) {
        for model in &mut self.models {
            if let Some(checked) = &mut model.checked {
                Arc::make_mut(&mut checked.anchors).edit(edit);
            }
        }
        if let Some(insights) = &mut self.insights {
            Arc::make_mut(insights).edit(edit);
        }
    }

    /// A result is stale exactly when its text is not the text now.
    pub fn compare(&mut self, text: &Arc<str>, version: i32) {
        for model in &mut self.models {
            if let Some(checked) = &mut model.checked {
                let same = checked.source.text() == text;
                checked.text_is_current = same;
                checked.stale = !same || checked.outdated;
                if same {
                    checked.version = version;
                    Arc::make_mut(&mut checked.anchors).reset();
                }
            }
        }
        if let Some(insights) = &mut self.insights {
            Arc::make_mut(insights).compare(text);
        }
    }

    /// Other settings hold: nothing was checked under them.
    pub fn outdate(&mut self) {
        for model in &mut self.models {
            if let Some(checked) = &mut model.checked {
                checked.outdated = true;
                checked.stale = true;
            }
        }
        if let Some(insights) = &mut self.insights {
            Arc::make_mut(insights).outdate();
        }
    }
}

/// `with N = 5`, when a setting or a lens gives parameters other values than the file.
pub fn overridden(own: &LowerOptions) -> Option<String> {
    let given = own.params.iter();
    let given: Vec<String> = given
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    (!given.is_empty()).then(|| format!("with {}", given.join(", ")))
}

/// Of the same text there are stale results when the settings are others.
pub fn staleness(text_is_current: bool) -> &'static str {
    if text_is_current {
        "stale: found with other settings"
    } else {
        "stale: found in an older text"
    }
}

/// How a report ends.
pub fn state_of(report: &Report) -> ModelState {
    match report.completeness {
        _ if report.defect.is_some() => ModelState::Failed,
        Completeness::Complete => ModelState::Done,
        Completeness::Cancelled => ModelState::Cancelled,
        _ => ModelState::Unfinished,
    }
}

/// Every range that something shown to a person may refer to; the steps of a witness are
/// at ranges of the threads.
fn spans(program: &Program, report: &Report) -> impl Iterator<Item = Span> {
    let threads = program.threads.iter().flat_map(|thread| {
        thread
            .spans
            .iter()
            .chain(thread.loops.iter().map(|l| &l.span))
            .chain([&thread.span])
    });
    let conditions = program.conditions.iter().flat_map(|condition| {
        condition
            .expect
            .iter()
            .map(|expect| &expect.span)
            .chain([&condition.span])
    });
    let rest = program
        .locations
        .iter()
        .map(|location| &location.span)
        .chain(program.params.iter().map(|param| &param.span));
    let found = report
        .failures
        .iter()
        .map(|failure| &failure.span)
        .chain(report.bounds_hit.iter().map(|hit| &hit.span));
    threads
        .chain(conditions)
        .chain(rest)
        .chain(found)
        .map(|span| Span::new(span.start, span.end))
        .collect::<Vec<_>>()
        .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_is_the_first_state_that_fits_a_part() {
        use ModelState::*;
        assert_eq!(ModelState::of_all([Done, Done, Checking]), Checking);
        assert_eq!(ModelState::of_all([Done, Unfinished, Failed]), Failed);
        assert_eq!(ModelState::of_all([Done, Unfinished, Done]), Unfinished);
        assert_eq!(ModelState::of_all([Done, Done, Done]), Done);
        assert_eq!(ModelState::of_all([Idle, Done, Idle]), Done);
        assert_eq!(ModelState::of_all([Idle, Idle, Idle]), Idle);
    }
}
