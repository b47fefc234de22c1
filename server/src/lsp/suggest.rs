//! Fence suggestions on demand: the commands behind the lens.

use std::sync::Arc;

use fencepost_checker::fences::{Refusal, Suggestion};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::{MessageActionItem, MessageType};

use super::commands;
use super::features::fences;
use super::features::rename::workspace_edit;
use super::server::Server;
use super::view::View;
use crate::protocol::commands::{FenceSet, FencesAnswer, InsertedAnswer};
use crate::protocol::{self, Lsp};

/// The sets, and a question to the person which of them to insert.
pub async fn suggest(
    server: &Arc<Server>,
    view: View,
    condition: Option<usize>,
) -> Result<Option<Value>> {
    let found = find(server, &view, condition).await?;
    let text = fences::text(&view, &found);
    let sets = match &*found {
        Ok(suggestion) => fences::sets(&view, suggestion),
        Err(_) => Vec::new(),
    };
    let sets: Vec<FenceSet> = sets
        .into_iter()
        .map(|set| FenceSet {
            title: set.title,
            edit: Lsp(workspace_edit(&view, set.edits)),
        })
        .collect();
    if sets.is_empty() || !view.client.apply_edit {
        server.outbox.send(super::outbox::Message::Show(
            MessageType::INFO,
            text.clone(),
        ));
    } else {
        let_choose(server, &sets);
    }
    Ok(Some(protocol::json(&FencesAnswer { text, sets })))
}

/// Asks beside everything else; the answer may take as long as a person does.
fn let_choose(server: &Arc<Server>, sets: &[FenceSet]) {
    let asking = server.clone();
    let sets = sets.to_vec();
    server.runtime.spawn(async move {
        let items = sets
            .iter()
            .map(|set| MessageActionItem {
                title: set.title.clone(),
                properties: Default::default(),
            })
            .collect();
        let answer = asking
            .client
            .show_message_request(MessageType::INFO, "Which fences?", Some(items))
            .await;
        let Ok(Some(item)) = answer else {
            return;
        };
        if let Some(set) = sets.into_iter().find(|set| set.title == item.title) {
            commands::apply(&asking, set.edit.0);
        }
    });
}

/// Inserts one set.
pub async fn apply(
    server: &Arc<Server>,
    view: View,
    condition: Option<usize>,
    set: usize,
) -> Result<Option<Value>> {
    let found = find(server, &view, condition).await?;
    let chosen = match &*found {
        Ok(suggestion) => fences::sets(&view, suggestion).into_iter().nth(set),
        Err(_) => None,
    };
    match chosen {
        Some(set) => {
            let answer = protocol::json(&InsertedAnswer { title: set.title });
            commands::apply(server, workspace_edit(&view, set.edits));
            Ok(Some(answer))
        }
        None => Ok(Some(commands::nothing(
            server,
            &fences::text(&view, &found),
        ))),
    }
}

/// What is known already, else computed now.
async fn find(
    server: &Arc<Server>,
    view: &View,
    condition: Option<usize>,
) -> Result<Arc<std::result::Result<Suggestion, Refusal>>> {
    let condition = condition.unwrap_or(0);
    let known = view
        .results
        .insights
        .as_deref()
        .filter(|insights| !insights.stale)
        .and_then(|insights| insights.suggestion(condition));
    if let Some(known) = known {
        return Ok(known.clone());
    }
    let receiver = server
        .ask_for_fences(view.uri(), condition)
        .ok_or_else(|| Error::invalid_params(format!("{} is not open", view.uri())))?;
    receiver.await.map(Arc::new).map_err(|_| Error {
        code: tower_lsp::jsonrpc::ErrorCode::ContentModified,
        message: "the text changed meanwhile".into(),
        data: None,
    })
}
