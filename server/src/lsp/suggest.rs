//! Fence suggestions on demand: the commands behind the lens.

use std::sync::Arc;

use fencepost_checker::fences::{Refusal, Suggestion};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::{MessageActionItem, MessageType};

use super::commands;
use super::features::fences;
use super::features::rename::workspace_edit;
use super::server::Server;
use super::view::View;

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
    let sets: Vec<Value> = sets
        .into_iter()
        .map(|set| json!({"title": set.title, "edit": workspace_edit(&view, set.edits)}))
        .collect();
    if sets.is_empty() || !view.client.apply_edit {
        server.outbox.send(super::outbox::Message::Show(
            MessageType::INFO,
            text.clone(),
        ));
    } else {
        let_choose(server, &sets);
    }
    Ok(Some(json!({"text": text, "sets": sets})))
}

/// Asks beside everything else; the answer may take as long as a person does.
fn let_choose(server: &Arc<Server>, sets: &[Value]) {
    let asking = server.clone();
    let sets = sets.to_vec();
    server.runtime.spawn(async move {
        let items = sets
            .iter()
            .filter_map(|set| set["title"].as_str())
            .map(|title| MessageActionItem {
                title: title.to_owned(),
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
        let edit = sets
            .iter()
            .find(|set| set["title"] == item.title.as_str())
            .and_then(|set| serde_json::from_value(set["edit"].clone()).ok());
        if let Some(edit) = edit {
            commands::apply(&asking, edit);
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
            let answer = json!({"title": set.title});
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
