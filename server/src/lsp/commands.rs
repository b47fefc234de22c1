//! `workspace/executeCommand`: everything a lens does, for every client.

use std::path::PathBuf;
use std::sync::Arc;

use fencepost_checker::Model;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::request::{ApplyWorkspaceEdit, ShowDocument};
use tower_lsp::lsp_types::{
    ApplyWorkspaceEditParams, ExecuteCommandParams, MessageType, ShowDocumentParams, Url,
    WorkspaceEdit,
};

use super::custom;
use super::results::{Chosen, Execution, Found};
use super::route::Reply;
use super::server::Server;
use super::suggest::{self, Wanted};
use super::view::View;
use super::{params, verdicts};
use crate::protocol::commands::{
    APPLY_EDIT, APPLY_FENCES, CANCEL, CHECK_NOW, CHOOSE_WITNESS, COMMANDS, COPY_COMMAND_LINE,
    ChosenAnswer, CommandArgument, SET_PARAM, SHOW_OUTCOMES, SHOW_WITNESS, TextAnswer,
};
use crate::protocol::requests::Selector;
use crate::protocol::{self, Named};
use crate::render::{Look, matrix, witness};

/// Runs a command; most are answered at once.
pub fn execute(server: &Arc<Server>, params: ExecuteCommandParams, reply: Reply) {
    let command = params.command.as_str();
    let (argument, view) = match read(server, command, params.arguments) {
        Ok(read) => read,
        Err(error) => return reply.send::<()>(Err(error)),
    };
    let Some(view) = view else {
        match (command, argument.edit) {
            (APPLY_EDIT, Some(edit)) => apply(server, edit.0),
            (CANCEL, _) => server.cancel(argument.uri.as_ref()),
            _ => {}
        }
        return reply.send(Ok(()));
    };
    let uri = view.uri();
    let selected = || custom::select(&view, &argument.selector);
    // Whether it says more than which document.
    let selective = argument.selector != Selector::default();
    let answer = match command {
        CHECK_NOW => {
            server.begin_check(&mut server.lock(), uri);
            Value::Null
        }
        SHOW_OUTCOMES => show(server, &view, "outcomes", outcomes_text(&view)),
        SHOW_WITNESS => match selected() {
            Some((checked, execution)) => {
                server.choose(uri, Some(chosen(checked.report.model, &execution)));
                let text = witness_text(&view, checked, &execution);
                show(server, &view, "witness", text)
            }
            None => nothing(server, "there is no such execution"),
        },
        CHOOSE_WITNESS => {
            let choice = selected()
                .filter(|_| selective)
                .map(|(checked, execution)| chosen(checked.report.model, &execution));
            let found = choice.is_some();
            server.choose(uri, choice);
            protocol::json(&ChosenAnswer { chosen: found })
        }
        COPY_COMMAND_LINE => {
            let shown = selected().filter(|_| selective);
            let shown = shown
                .as_ref()
                .map(|(checked, execution)| (*checked, execution));
            told(&custom::command_line(&view, shown))
        }
        SET_PARAM => {
            let value = argument.value.or(argument.reset.then_some(Value::Null));
            return params::command(server, view, argument.name, value, reply);
        }
        _ => {
            let wanted = Wanted {
                condition: argument.selector.condition.unwrap_or(0),
                models: argument.models.and_then(models),
            };
            return if command == APPLY_FENCES {
                let set = argument.set.unwrap_or_default();
                suggest::apply(server, view, wanted, set, reply)
            } else {
                suggest::suggest(server, view, wanted, reply)
            };
        }
    };
    reply.send(Ok(answer));
}

/// The argument, and the document it is about; two commands need none.
fn read(
    server: &Server,
    command: &str,
    arguments: Vec<Value>,
) -> Result<(CommandArgument, Option<View>)> {
    let argument = match arguments.into_iter().next() {
        None => CommandArgument::default(),
        Some(json) => serde_json::from_value(json)
            .map_err(|error| Error::invalid_params(format!("{command}: {error}")))?,
    };
    match command {
        CANCEL | APPLY_EDIT => return Ok((argument, None)),
        _ if !COMMANDS.iter().any(|known| known.name == command) => {
            let what = format!("there is no command `{command}`");
            return Err(Error::invalid_params(what));
        }
        _ => {}
    }
    let Some(uri) = &argument.uri else {
        return Err(Error::invalid_params(format!("{command} needs a `uri`")));
    };
    match server.view(uri) {
        Some(view) => Ok((argument, Some(view))),
        None => Err(Error::invalid_params(format!("{uri} is not open"))),
    }
}

/// Which models are named, from the strongest to the weakest.
fn models(mut named: Vec<protocol::Model>) -> Option<Vec<Model>> {
    named.sort_unstable();
    named.dedup();
    (!named.is_empty()).then(|| named.into_iter().map(|Named(model)| model).collect())
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

fn witness_text(view: &View, checked: &Found, execution: &Execution) -> String {
    let mut text = format!("{}\n\n", custom::title(checked, execution));
    if let Some(found) = custom::witness_of(checked, execution) {
        text += &witness::text(Look::PLAIN, &checked.program, checked.source.text(), &found);
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
fn show(server: &Server, view: &View, kind: &str, text: String) -> Value {
    let answer = told(&text);
    let page = page(kind).filter(|_| view.client.show_document);
    let written = page.and_then(|path| {
        std::fs::create_dir_all(path.parent()?).ok()?;
        std::fs::write(&path, &text).ok()?;
        Url::from_file_path(path).ok()
    });
    match written {
        None => server.outbox.show(text),
        // The text was answered as well; a client that cannot open it has it there.
        Some(uri) => server.outbox.ask::<ShowDocument>(
            ShowDocumentParams {
                uri,
                external: Some(false),
                take_focus: Some(false),
                selection: None,
            },
            |_, _| {},
        ),
    }
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
    server.outbox.show(why);
    told(why)
}

fn told(text: &str) -> Value {
    protocol::json(&TextAnswer {
        text: text.to_owned(),
    })
}

/// Asks the client to apply an edit, beside everything else.
pub fn apply(server: &Server, edit: WorkspaceEdit) {
    let params = ApplyWorkspaceEditParams { label: None, edit };
    server
        .outbox
        .ask::<ApplyWorkspaceEdit>(params, |server, answer| {
            let refused = match answer {
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
