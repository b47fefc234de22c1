//! Checks: one job a model, streamed as they end; results of another generation are dropped.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fencepost_checker::report::{Options, Report};
use fencepost_checker::{Model, check};
use tower_lsp::lsp_types::{MessageType, Url};

use super::document::{Running, Snapshot};
use super::jobs::Job;
use super::results::{Found, ModelState, state_of};
use super::server::{Faults, Server, State};
use super::settings::Settings;
use crate::analysis::guarded;
use crate::render::{Look, words};

/// Whose job it is: compared when the result comes back.
#[derive(Clone)]
struct Owner {
    uri: Url,
    document: u64,
    generation: u64,
}

/// How a check of one model ended.
enum Ended {
    Report(Box<Found>),
    /// The test has errors.
    NoProgram,
    /// The checker has a bug.
    Panic(String),
}

impl Server {
    /// Starts a check of the text as it is; the one that is under way ends.
    pub fn begin_check(self: &Arc<Self>, state: &mut State, uri: &Url) {
        let generation = state.number();
        let settings = state.settings.clone();
        let faults = state.faults.clone();
        let wants_progress = state.client.progress;
        let Some(document) = state.documents.get_mut(uri) else {
            return;
        };
        document.stop("a newer check replaced it");
        let results = Arc::make_mut(&mut document.results);
        results.check = generation;
        for model in Model::ALL {
            let slot = results.model_mut(model);
            slot.note = None;
            if settings.models.contains(&model) {
                slot.state = ModelState::Checking;
            } else {
                slot.state = ModelState::Idle;
                slot.checked = None;
            }
        }
        let cancel = Arc::new(AtomicBool::new(false));
        document.running = Some(Running {
            generation,
            cancel: cancel.clone(),
            ended: 0,
            progress: None,
        });
        let owner = Owner {
            uri: uri.clone(),
            document: document.id,
            generation,
        };
        let snapshot = document.snapshot.clone();
        let document_id = document.id;
        for &model in &settings.models {
            let (server, owner) = (self.clone(), owner.clone());
            let (snapshot, settings) = (snapshot.clone(), settings.clone());
            let (cancel_flag, faults) = (cancel.clone(), faults.clone());
            self.pool.push(Job {
                owner: document_id,
                priority: model as u8,
                cancel: cancel.clone(),
                run: Box::new(move || {
                    let ended = run(&snapshot, model, &settings, &faults, cancel_flag);
                    server.finish(&owner, model, ended);
                }),
            });
        }
        if wants_progress && !settings.models.is_empty() {
            self.show_progress_later(uri, generation);
        }
        self.trace(state, || {
            format!(
                "check {generation} of {uri} (version {}) begins",
                snapshot.version
            )
        });
        self.dirty.mark(uri, true);
    }

    /// Takes a result over, unless the document or its text is another by now.
    fn finish(self: &Arc<Self>, owner: &Owner, model: Model, ended: Ended) {
        let mut state = self.lock();
        let settings = state.settings.clone();
        let Some(document) = state.documents.get_mut(&owner.uri) else {
            return;
        };
        let Some(running) = &mut document.running else {
            return;
        };
        if document.id != owner.document || running.generation != owner.generation {
            return;
        }
        running.ended += 1;
        let last = running.ended == settings.models.len();
        if let Some(progress) = running.progress.as_ref().filter(|_| !last) {
            progress.report(running.ended, settings.models.len());
        }
        let slot = Arc::make_mut(&mut document.results).model_mut(model);
        let message = match ended {
            Ended::Report(checked) => {
                slot.state = state_of(&checked.report);
                slot.note = note(&checked, &settings);
                slot.checked = Some(*checked);
                None
            }
            Ended::NoProgram => {
                slot.state = ModelState::Failed;
                slot.note = Some("the test has errors".to_owned());
                None
            }
            Ended::Panic(why) => {
                slot.state = ModelState::Failed;
                slot.note = Some(format!("the checker failed: {why}"));
                Some(format!(
                    "{}: the check under {} failed: {why}",
                    document.snapshot.file_name(),
                    model.name()
                ))
            }
        };
        if last {
            document.running = None;
            self.begin_insights(&mut state, &owner.uri);
        }
        self.trace(&state, || {
            format!(
                "check {} of {}: {} ended",
                owner.generation,
                owner.uri,
                model.name()
            )
        });
        drop(state);
        if let Some(message) = message {
            self.tell(MessageType::ERROR, message);
        }
        self.dirty.mark(&owner.uri, true);
    }
}

/// What the thread of the pool does.
fn run(
    snapshot: &Snapshot,
    model: Model,
    settings: &Settings,
    faults: &Faults,
    cancel: Arc<AtomicBool>,
) -> Ended {
    let options = Options {
        max_time: settings.timeout,
        max_classes: settings.max_classes,
        cancel,
        ..Options::default()
    };
    let work = || {
        if faults.panic.as_deref() == Some(model.name()) {
            panic!("a fault was injected");
        }
        let program = snapshot.lowered().as_ref().ok()?.clone();
        let report = check(&program, model, &options);
        Some((program, report))
    };
    match guarded(work) {
        Ok(Some((program, report))) => Ended::Report(Box::new(Found::new(
            snapshot.source().clone(),
            snapshot.version,
            program,
            report,
        ))),
        Ok(None) => Ended::NoProgram,
        Err(why) => Ended::Panic(why),
    }
}

/// Why a result is not the whole truth.
fn note(checked: &Found, settings: &Settings) -> Option<String> {
    let report: &Report = &checked.report;
    if let Some(defect) = &report.defect {
        return Some(format!(
            "the checker has a bug, and this result is not to be trusted: {defect}"
        ));
    }
    words::unfinished_phrase(Look::PLAIN, &checked.program, report, settings.timeout)
}
