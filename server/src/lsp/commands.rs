//! `workspace/executeCommand`: everything a lens does, for every client.

use std::path::PathBuf;
use std::sync::Arc;

use fencepost_checker::Model;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::request::ShowDocument;
use tower_lsp::lsp_types::{
    ExecuteCommandParams, MessageType, ShowDocumentParams, Url, WorkspaceEdit,
};

use super::custom;
use super::outbox::Message;
use super::params;
use super::results::{Chosen, Execution};
use super::server::Server;
use super::verdicts;
use super::view::View;
use crate::protocol::commands::{
    APPLY_EDIT, APPLY_FENCES, CANCEL, CHECK_NOW, CHOOSE_WITNESS, COMMANDS, COPY_COMMAND_LINE,
    ChosenAnswer, CommandArgument, SET_PARAM, SHOW_OUTCOMES, SHOW_WITNESS, SUGGEST_FENCES,
    TextAnswer,
};
use crate::protocol::{self, requests::Selector};
use crate::render::{Look, matrix, witness};

pub async fn execute(server: &Arc<Server>, params: ExecuteCommandParams) -> Result<Option<Value>> {
    let argument = match params.arguments.into_iter().next() {
        None => CommandArgument::default(),
        Some(json) => serde_json::from_value(json)
            .map_err(|error| Error::invalid_params(format!("{}: {error}", params.command)))?,
    };
    match params.command.as_str() {
        CANCEL => {
            server.cancel(argument.uri.as_ref());
            return Ok(None);
        }
        APPLY_EDIT => {
            if let Some(edit) = argument.edit {
                apply(server, edit.0);
            }
            return Ok(None);
        }
        command if !COMMANDS.iter().any(|known| known.name == command) => {
            return Err(Error::invalid_params(format!(
                "there is no command `{command}`"
            )));
        }
        _ => {}
    }
    let uri = argument
        .uri
        .as_ref()
        .ok_or_else(|| Error::invalid_params(format!("{} needs a `uri`", params.command)))?;
    let view = server
        .view(uri)
        .ok_or_else(|| Error::invalid_params(format!("{uri} is not open")))?;
    match params.command.as_str() {
        CHECK_NOW => {
            server.begin_check(&mut server.lock(), uri);
            Ok(None)
        }
        SHOW_OUTCOMES => Ok(Some(show(server, &view, "outcomes", outcomes_text(&view)))),
        SHOW_WITNESS => match custom::select(&view, &argument.selector) {
            Some((checked, execution)) => {
                server.choose(uri, Some(chosen(checked.report.model, &execution)));
                let text = witness_text(&view, checked, &execution);
                Ok(Some(show(server, &view, "witness", text)))
            }
            None => Ok(Some(nothing(server, "there is no such execution"))),
        },
        CHOOSE_WITNESS => {
            let choice = is_selective(&argument)
                .then(|| custom::select(&view, &argument.selector))
                .flatten()
                .map(|(checked, execution)| chosen(checked.report.model, &execution));
            let found = choice.is_some();
            server.choose(uri, choice);
            Ok(Some(protocol::json(&ChosenAnswer { chosen: found })))
        }
        COPY_COMMAND_LINE => {
            let shown = is_selective(&argument)
                .then(|| custom::select(&view, &argument.selector))
                .flatten();
            let shown = shown
                .as_ref()
                .map(|(checked, execution)| (*checked, execution));
            Ok(Some(told(&custom::command_line(&view, shown))))
        }
        SET_PARAM => {
            let value = argument.value.or(argument.reset.then_some(Value::Null));
            params::command(server, view, argument.name, value).await
        }
        SUGGEST_FENCES => super::suggest::suggest(server, view, argument.selector.condition).await,
        APPLY_FENCES => {
            let set = argument.set.unwrap_or_default();
            super::suggest::apply(server, view, argument.selector.condition, set).await
        }
        _ => Ok(None),
    }
}

/// Whether it says more than which document.
fn is_selective(argument: &CommandArgument) -> bool {
    argument.selector != Selector::default()
}

fn chosen(model: Model, execution: &Execution) -> Chosen {
    Chosen {
        model,
        execution: execution.clone(),
    }
}

fn outcomes_text(view: &View) -> String {
    let test = &view.parse().test;
    let mut text = format!("{}: {}\n", test.name.name, custom::summary(view));
    for condition in &test.conditions {
        let source = condition.span.text(view.text());
        let source: Vec<&str> = source.split_whitespace().collect();
        text += &format!(
            "\n{}\n  {}\n",
            source.join(" "),
            verdicts::phrase(view, condition)
        );
    }
    let newest = view.results.newest();
    if let Some(first) = newest.first() {
        let reports: Vec<_> = newest.iter().map(|checked| &*checked.report).collect();
        text.push('\n');
        text += &matrix::text(Look::PLAIN, &first.program, &reports, None);
    }
    for (_, result) in view.results.each() {
        if let Some(note) = &result.note {
            text += &format!("\n{note}\n");
        }
    }
    text
}

fn witness_text(view: &View, checked: &super::results::Checked, execution: &Execution) -> String {
    let mut text = format!("{}\n\n", custom::title(checked, execution));
    if let Some(found) = custom::witness_of(checked, execution) {
        text += &witness::text(Look::PLAIN, &checked.program, &checked.text, &found);
        if let Some(note) = witness::flush_note(&found) {
            text += &format!("\n{note}\n");
        }
    }
    if checked.stale {
        text += &format!("\n{}\n", checked.staleness());
    }
    text += &format!(
        "\n{}\n",
        custom::command_line(view, Some((checked, execution)))
    );
    text
}

/// Shows a text beside the editor's own: in a document where the client can open one, always
/// the same one, without taking the focus; else as a message.
pub fn show(server: &Arc<Server>, view: &View, kind: &str, text: String) -> Value {
    let answer = told(&text);
    if !view.client.show_document {
        server.outbox.send(Message::Show(MessageType::INFO, text));
        return answer;
    }
    let written = page(kind).and_then(|path| {
        std::fs::create_dir_all(path.parent()?).ok()?;
        std::fs::write(&path, &text).ok()?;
        Url::from_file_path(path).ok()
    });
    let Some(uri) = written else {
        server.outbox.send(Message::Show(MessageType::INFO, text));
        return answer;
    };
    let client = server.client.clone();
    server.runtime.spawn(async move {
        let params = ShowDocumentParams {
            uri,
            external: Some(false),
            take_focus: Some(false),
            selection: None,
        };
        // The text was answered as well; a client that cannot open it has it there.
        let _ = client.send_request::<ShowDocument>(params).await;
    });
    answer
}

fn pages() -> PathBuf {
    std::env::temp_dir().join(format!("fencepost-{}", std::process::id()))
}

fn page(kind: &str) -> Option<PathBuf> {
    Some(pages().join(format!("{kind}.txt")))
}

/// Removes what was written for the client to show.
pub fn remove_pages() {
    // Nothing was written in most sessions; then there is nothing to remove.
    let _ = std::fs::remove_dir_all(pages());
}

pub fn nothing(server: &Server, why: &str) -> Value {
    server
        .outbox
        .send(Message::Show(MessageType::INFO, why.to_owned()));
    told(why)
}

fn told(text: &str) -> Value {
    protocol::json(&TextAnswer {
        text: text.to_owned(),
    })
}

/// Asks the client to apply an edit, beside everything else.
pub fn apply(server: &Arc<Server>, edit: WorkspaceEdit) {
    let server = server.clone();
    let runtime = server.runtime.clone();
    runtime.spawn(async move {
        let refused = match server.client.apply_edit(edit).await {
            Ok(answer) if answer.applied => return,
            Ok(answer) => answer.failure_reason.unwrap_or_default(),
            Err(error) => error.to_string(),
        };
        server.tell(
            MessageType::WARNING,
            format!("the edit was not applied: {refused}"),
        );
    });
}
