//! Fence suggestions on demand: the commands behind the lens.

use std::sync::Arc;

use fencepost_checker::Model;
use fencepost_checker::fences::{Refusal, Suggestion};

use super::commands;
use super::features::fences;
use super::features::rename::workspace_edit;
use super::route::Reply;
use super::server::Server;
use super::view::View;
use crate::protocol::commands::{FenceSet, FencesAnswer, InsertedAnswer};
use crate::protocol::{self, Lsp};

/// What is to be forbidden, and where.
pub struct Wanted {
    pub condition: usize,
    /// All, when nobody says which.
    pub models: Option<Vec<Model>>,
}

/// The sets, and a question to the person which of them to insert.
pub fn suggest(server: &Arc<Server>, view: View, wanted: Wanted, reply: Reply) {
    find(server, view, wanted, |server, view, found| {
        let text = fences::text(view, found);
        let sets = match found {
            Ok(suggestion) => fences::sets(view, suggestion),
            Err(_) => Vec::new(),
        };
        let sets: Vec<FenceSet> = sets
            .into_iter()
            .map(|set| FenceSet {
                title: set.title,
                edit: Lsp(workspace_edit(view, set.edits)),
            })
            .collect();
        if sets.is_empty() || !view.client.apply_edit {
            server.outbox.show(text.clone());
        } else {
            let_choose(server, sets.clone());
        }
        reply.send(Ok(FencesAnswer { text, sets }));
    });
}

fn let_choose(server: &Server, sets: Vec<FenceSet>) {
    let titles: Vec<String> = sets.iter().map(|set| set.title.clone()).collect();
    server
        .outbox
        .choose("Which fences?", titles, move |server, chosen| {
            if let Some(set) = sets.into_iter().find(|set| set.title == chosen) {
                commands::apply(server, set.edit.0);
            }
        });
}

/// Inserts one set.
pub fn apply(server: &Arc<Server>, view: View, wanted: Wanted, set: usize, reply: Reply) {
    find(server, view, wanted, move |server, view, found| {
        let chosen = match found {
            Ok(suggestion) => fences::sets(view, suggestion).into_iter().nth(set),
            Err(_) => None,
        };
        reply.send(Ok(match chosen {
            Some(set) => {
                commands::apply(server, workspace_edit(view, set.edits));
                protocol::json(&InsertedAnswer { title: set.title })
            }
            None => commands::nothing(server, &fences::text(view, found)),
        }));
    });
}

/// What is known already, else computed now.
fn find(
    server: &Arc<Server>,
    view: View,
    wanted: Wanted,
    then: impl FnOnce(&Arc<Server>, &View, &Result<Suggestion, Refusal>) + Send + 'static,
) {
    let known = view
        .results
        .insights
        .as_deref()
        .filter(|insights| !insights.stale && wanted.models.is_none())
        .and_then(|insights| insights.suggestion(wanted.condition));
    if let Some(known) = known {
        return then(server, &view, known);
    }
    let uri = view.uri().clone();
    let models = wanted.models.unwrap_or_else(|| Model::ALL.to_vec());
    server.ask_for_fences(&uri, wanted.condition, models, move |server, found| {
        then(server, &view, &found);
    });
}
