//! Work-done progress of checks that take long enough to be noticed.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tower_lsp::lsp_types::notification::Progress;
use tower_lsp::lsp_types::request::WorkDoneProgressCreate;
use tower_lsp::lsp_types::{
    NumberOrString, ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd,
    WorkDoneProgressReport,
};

use super::document::Snapshot;
use super::server::Server;
use super::settings::Settings;
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

/// Shows the progress of a check; `ended` counts the models that have ended, and closes
/// when the check is stopped.
pub fn show(
    server: Arc<Server>,
    snapshot: &Snapshot,
    generation: u64,
    mut ended: watch::Receiver<usize>,
    settings: &Settings,
) {
    let token = NumberOrString::String(format!("{TOKEN}{generation}"));
    let title = format!("Checking {}", snapshot.file_name());
    let models = settings.models.clone();
    let client = server.client.clone();
    server.runtime.spawn(async move {
        tokio::select! {
            () = tokio::time::sleep(NOTICEABLE) => {}
            () = over(ended.clone(), models.len()) => return,
        }
        let created = client
            .send_request::<WorkDoneProgressCreate>(WorkDoneProgressCreateParams {
                token: token.clone(),
            })
            .await;
        if created.is_err() {
            return;
        }
        let tell = |value| {
            client.send_notification::<Progress>(ProgressParams {
                token: token.clone(),
                value: ProgressParamsValue::WorkDone(value),
            })
        };
        let left = |count: usize| words::models(models.iter().skip(count).copied());
        let count = *ended.borrow_and_update();
        tell(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title,
            cancellable: Some(true),
            message: Some(left(count)),
            percentage: None,
        }))
        .await;
        while ended.changed().await.is_ok() {
            let count = *ended.borrow_and_update();
            if count >= models.len() {
                break;
            }
            tell(WorkDoneProgress::Report(WorkDoneProgressReport {
                cancellable: Some(true),
                message: Some(format!("{count} of {} models done", models.len())),
                percentage: None,
            }))
            .await;
        }
        tell(WorkDoneProgress::End(WorkDoneProgressEnd::default())).await;
    });
}

async fn over(mut ended: watch::Receiver<usize>, total: usize) {
    // An error means that the check was stopped: over as well.
    let _ = ended.wait_for(|count| *count >= total).await;
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
