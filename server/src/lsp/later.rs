//! Work after the verdicts: who reads what, what each fence does, which fences would help.
//!
//! Jobs of the same pool, after every verdict; they end with the text they are about.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fencepost_checker::fences::{self, Goal, Refusal, Suggestion};
use fencepost_checker::report::Options;
use fencepost_checker::{Model, reads};
use fencepost_grammar::fences::written;
use tower_lsp::lsp_types::{MessageType, Url};

use super::document::{Document, Snapshot};
use super::insights::Insights;
use super::jobs::Job;
use super::server::{Server, State};
use super::verdicts;
use crate::analysis::guarded;

/// Comes after every verdict.
const AFTER: u8 = 10;
/// What may be spent on one of these questions.
const MAX_TIME: Duration = Duration::from_secs(5);
const MAX_MEMORY: usize = 512 << 20;
/// More fences than this in one test are not each tried without.
const MAX_FENCES: usize = 32;

/// What answers a question.
type Work = Box<dyn FnOnce(&Question, &Arc<Server>) + Send>;

/// What one job needs to know, and whose it is.
#[derive(Clone)]
struct Question {
    snapshot: Arc<Snapshot>,
    document: u64,
    models: Vec<Model>,
    cancel: Arc<AtomicBool>,
}

impl Question {
    fn options(&self) -> Options {
        Options {
            max_time: Some(MAX_TIME),
            max_memory: Some(MAX_MEMORY),
            cancel: self.cancel.clone(),
            ..Options::default()
        }
    }

    fn suggest(&self, condition: usize) -> Result<Suggestion, Refusal> {
        let parse = self.snapshot.parse();
        fences::suggest(
            &parse.sound().ok_or_else(|| Refusal::Errors(Vec::new()))?,
            &self.snapshot.own_lowering(),
            Goal::Condition(condition),
            &self.models,
            &self.options(),
        )
    }
}

impl Server {
    /// Starts what is worth knowing beside the verdicts, once they are there.
    pub fn begin_insights(self: &Arc<Self>, state: &mut State, uri: &Url) {
        let Some(view) = state.view(uri) else {
            return;
        };
        let Some(document) = state.documents.get_mut(uri) else {
            return;
        };
        let Some(question) = question(document) else {
            return;
        };
        let mut jobs: Vec<(u8, Work)> = Vec::new();
        for &model in &question.models {
            let work = move |question: &Question, server: &Arc<Server>| {
                let Ok(program) = question.snapshot.lowered() else {
                    return;
                };
                let found = Arc::new(reads::reads(program, model, &question.options()));
                server.found(question, |insights| {
                    insights.reads[model as usize] = Some(found);
                });
            };
            jobs.push((model as u8, Box::new(work)));
        }
        let fences = view.settings.fences;
        let written = written(&view.parse().test).into_iter().filter(|_| fences);
        for fence in written.take(MAX_FENCES) {
            let work = move |question: &Question, server: &Arc<Server>| {
                let Some(sound) = question.snapshot.parse().sound() else {
                    return;
                };
                let role = fences::role(
                    &sound,
                    &question.snapshot.own_lowering(),
                    fence.span,
                    &question.models,
                    &question.options(),
                );
                if let Ok(Some(role)) = role {
                    server.found(question, |insights| insights.roles.push(Arc::new(role)));
                }
            };
            jobs.push((4, Box::new(work)));
        }
        for (index, condition) in view.parse().test.conditions.iter().enumerate() {
            if fences && verdicts::is_weak(&view, condition) {
                let work = move |question: &Question, server: &Arc<Server>| {
                    let found = Arc::new(question.suggest(index));
                    server.found(question, |insights| {
                        insights.suggestions.push((index, found));
                    });
                };
                jobs.push((5, Box::new(work)));
            }
        }
        if let Some(insights) = &mut Arc::make_mut(&mut document.results).insights {
            Arc::make_mut(insights).pending = jobs.len();
        }
        for (order, work) in jobs {
            self.later(&question, order, move |question, server| {
                let done = guarded(|| work(question, server));
                server.found(question, |insights| insights.pending -= 1);
                done
            });
        }
    }

    /// Computes a suggestion that nobody has computed yet; `then` is dropped when the text
    /// changes meanwhile.
    pub fn ask_for_fences(
        self: &Arc<Self>,
        uri: &Url,
        condition: usize,
        models: Vec<Model>,
        then: impl FnOnce(&Arc<Server>, Result<Suggestion, Refusal>) + Send + 'static,
    ) {
        let mut state = self.lock();
        let Some(document) = state.documents.get_mut(uri) else {
            return;
        };
        let cancel = document.later.get_or_insert_default().clone();
        let question = Question {
            snapshot: document.snapshot.clone(),
            document: document.id,
            models,
            cancel,
        };
        self.later(&question, 0, move |question, server| {
            guarded(|| then(server, question.suggest(condition)))
        });
    }

    fn later(
        self: &Arc<Self>,
        question: &Question,
        order: u8,
        work: impl FnOnce(&Question, &Arc<Server>) -> Result<(), String> + Send + 'static,
    ) {
        let server = self.clone();
        let question = question.clone();
        self.pool.push(Job {
            owner: question.document,
            priority: AFTER + order,
            cancel: question.cancel.clone(),
            run: Box::new(move || {
                if let Err(why) = work(&question, &server) {
                    let file = question.snapshot.file_name();
                    server.tell(
                        MessageType::ERROR,
                        format!("{file}: what follows the verdicts failed: {why}"),
                    );
                }
            }),
        });
    }

    /// Takes an insight over, unless its text is gone.
    fn found(&self, question: &Question, add: impl FnOnce(&mut Insights)) {
        let uri = &question.snapshot.uri;
        let mut state = self.lock();
        let Some(document) = state.documents.get_mut(uri) else {
            return;
        };
        let current = document
            .later
            .as_ref()
            .is_some_and(|flag| Arc::ptr_eq(flag, &question.cancel));
        if !current {
            return;
        }
        if let Some(insights) = &mut Arc::make_mut(&mut document.results).insights {
            add(Arc::make_mut(insights));
        }
        drop(state);
        self.dirty.mark(uri, false);
    }
}

/// Makes room for insights about the text that was just checked.
fn question(document: &mut Document) -> Option<Question> {
    let newest = document.results.newest();
    let checked = newest.first().filter(|checked| !checked.stale)?;
    let program = checked.program.clone();
    let models = newest
        .iter()
        .filter(|checked| checked.report.complete() && checked.report.defect.is_none())
        .map(|checked| checked.report.model)
        .collect();
    let cancel = Arc::new(AtomicBool::new(false));
    document.later = Some(cancel.clone());
    let insights = Insights::new(&document.snapshot, program);
    Arc::make_mut(&mut document.results).insights = Some(Arc::new(insights));
    Some(Question {
        snapshot: document.snapshot.clone(),
        document: document.id,
        models,
        cancel,
    })
}
