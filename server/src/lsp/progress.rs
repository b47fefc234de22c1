//! Work-done progress of checks that take long enough to be noticed.

use std::sync::Arc;
use std::time::Duration;

use fencepost_checker::Model;
use tower_lsp::lsp_types::notification;
use tower_lsp::lsp_types::request::WorkDoneProgressCreate;
use tower_lsp::lsp_types::{
    NumberOrString, ProgressParams, ProgressParamsValue, ProgressToken, Url, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd,
    WorkDoneProgressReport,
};

use super::document::Document;
use super::outbox::{Alarm, Outbox};
use super::server::{Server, State};
use crate::render::words;

/// A check that ends sooner shows nothing: a flicker tells nobody anything.
const NOTICEABLE: Duration = Duration::from_millis(300);
const TOKEN: &str = "fencepost/check/";

/// The check that a token belongs to.
pub fn generation(token: &ProgressToken) -> Option<u64> {
    match token {
        NumberOrString::String(token) => token.strip_prefix(TOKEN)?.parse().ok(),
        NumberOrString::Number(_) => None,
    }
}

fn token(generation: u64) -> ProgressToken {
    NumberOrString::String(format!("{TOKEN}{generation}"))
}

/// What the client shows; it ends with this.
pub struct Progress {
    outbox: Outbox,
    token: ProgressToken,
}

impl Progress {
    fn begin(outbox: &Outbox, generation: u64, title: String, left: &[Model]) -> Progress {
        let progress = Progress {
            outbox: outbox.clone(),
            token: token(generation),
        };
        progress.tell(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title,
            cancellable: Some(true),
            message: Some(words::models(left.iter().copied())),
            percentage: None,
        }));
        progress
    }

    pub fn report(&self, ended: usize, of: usize) {
        self.tell(WorkDoneProgress::Report(WorkDoneProgressReport {
            cancellable: Some(true),
            message: Some(format!("{ended} of {of} models done")),
            percentage: None,
        }));
    }

    fn tell(&self, value: WorkDoneProgress) {
        self.outbox
            .notify::<notification::Progress>(ProgressParams {
                token: self.token.clone(),
                value: ProgressParamsValue::WorkDone(value),
            });
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.tell(WorkDoneProgress::End(WorkDoneProgressEnd::default()));
    }
}

impl Server {
    /// Shows the progress of a check once it is noticeable.
    pub fn show_progress_later(&self, uri: &Url, generation: u64) {
        let uri = uri.clone();
        self.outbox
            .after(NOTICEABLE, Alarm::Noticeable { uri, generation });
    }

    /// Asks the client for a place to show it, if the check still runs.
    pub fn show_progress(self: &Arc<Self>, uri: Url, generation: u64) {
        if checked_now(&mut self.lock(), &uri, generation).is_none() {
            return;
        }
        let params = WorkDoneProgressCreateParams {
            token: token(generation),
        };
        self.outbox
            .ask::<WorkDoneProgressCreate>(params, move |server, created| {
                let mut state = server.lock();
                let models = state.settings.models.clone();
                if let Some(document) = checked_now(&mut state, &uri, generation)
                    && let Some(running) = document.running.as_mut().filter(|_| created.is_ok())
                {
                    let title = format!("Checking {}", document.snapshot.file_name());
                    let left = models.get(running.ended..).unwrap_or_default();
                    let progress = Progress::begin(&server.outbox, generation, title, left);
                    running.progress = Some(progress);
                }
            });
    }
}

/// The document, if the check with this number is still under way.
fn checked_now<'s>(state: &'s mut State, uri: &Url, generation: u64) -> Option<&'s mut Document> {
    let document = state.documents.get_mut(uri)?;
    let running = document.running.as_ref()?;
    (running.generation == generation).then_some(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_tokens_are_known() {
        let token = |text: &str| NumberOrString::String(text.to_owned());
        assert_eq!(generation(&token("fencepost/check/12")), Some(12));
        assert_eq!(generation(&token("other/12")), None);
        assert_eq!(generation(&NumberOrString::Number(12)), None);
    }
}
