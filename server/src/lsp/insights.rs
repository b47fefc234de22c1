//! What is computed after the verdicts: who can read what, and what fences change.

use std::sync::Arc;

use fencepost_checker::fences::{Refusal, Role, Suggestion};
use fencepost_checker::program::{self, Program};
use fencepost_checker::reads::Reads;
use fencepost_grammar::Span;

use super::anchors::{Anchors, Edit};
use super::document::Snapshot;
use super::results::{overridden, staleness};

/// Belongs to one checked text, as a result does.
#[derive(Debug, Clone)]
pub struct Insights {
    pub text: Arc<str>,
    pub stale: bool,
    /// Other settings hold now: it stays stale even when the text comes back.
    outdated: bool,
    text_is_current: bool,
    pub program: Arc<Program>,
    /// Which parameters had other values than the file's.
    pub overridden: Option<String>,
    /// In the order of the models.
    pub reads: [Option<Arc<Reads>>; 3],
    /// What each fence that is written does.
    pub roles: Vec<Arc<Role>>,
    /// By the number of the condition.
    pub suggestions: Vec<(usize, Arc<Result<Suggestion, Refusal>>)>,
    /// Questions whose answers are still to come.
    pub pending: usize,
    anchors: Anchors,
}

impl Insights {
    pub fn new(snapshot: &Snapshot, program: Arc<Program>) -> Insights {
        let written = fencepost_grammar::fences::written(&snapshot.parse().test);
        let spans = program
            .threads
            .iter()
            .flat_map(|thread| &thread.spans)
            .map(|span| Span::new(span.start, span.end))
            .chain(written.iter().map(|fence| fence.span));
        Insights {
            anchors: Anchors::new(spans),
            text: snapshot.text().clone(),
            stale: false,
            outdated: false,
            text_is_current: true,
            program,
            overridden: overridden(&snapshot.own_lowering()),
            reads: [const { None }; 3],
            roles: Vec::new(),
            suggestions: Vec::new(),
            pending: 0,
        }
    }

    pub fn now(&self, span: &program::Span) -> Option<Span> {
        self.anchors.get(Span::new(span.start, span.end))
    }

    /// Where a fence that is written is now.
    pub fn fence_now(&self, span: Span) -> Option<Span> {
        self.anchors.get(span)
    }

    pub fn suggestion(&self, condition: usize) -> Option<&Arc<Result<Suggestion, Refusal>>> {
        let mut suggestions = self.suggestions.iter();
        let (_, found) = suggestions.find(|(index, _)| *index == condition)?;
        Some(found)
    }

    pub fn edit(&mut self, edit: Edit) {
        self.anchors.edit(edit);
    }

    pub fn compare(&mut self, text: &Arc<str>) {
        self.text_is_current = self.text == *text;
        self.stale = !self.text_is_current || self.outdated;
        if self.text_is_current {
            self.anchors.reset();
        }
    }

    /// Other settings hold.
    pub fn outdate(&mut self) {
        self.outdated = true;
        self.stale = true;
    }

    pub fn staleness(&self) -> &'static str {
        staleness(self.text_is_current)
    }
}
