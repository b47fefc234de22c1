//! Code actions: mend errors, take over verdicts as expectations, fences, format.

use fencepost_grammar::Span;
use fencepost_grammar::ast::Condition;
use tower_lsp::lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, Command,
    Diagnostic, NumberOrString, TextEdit,
};

use super::super::results::ModelState;
use super::super::verdicts;
use super::super::view::View;
use super::rename::workspace_edit;
use super::{fences, format};
use crate::protocol::Lsp;
use crate::protocol::commands::{self, CommandArgument};

/// An action before it is fitted to the client.
pub struct Offer {
    pub title: String,
    pub kind: CodeActionKind,
    pub edits: Vec<TextEdit>,
    /// The one that most people want.
    pub preferred: bool,
    /// The diagnostic it mends, by its code and place.
    pub mends: Option<(String, Span)>,
}

pub fn actions(view: &View, params: &CodeActionParams) -> CodeActionResponse {
    let wanted = view.span(params.range);
    let mut offers = Vec::new();
    mend_errors(view, wanted, &mut offers);
    for condition in &view.parse().test.conditions {
        let around = condition
            .expect
            .iter()
            .fold(condition.span, |all, expect| all.to(expect.span));
        if touch(around, wanted) {
            expectations(view, condition, &mut offers);
        }
    }
    fences::offers(view, wanted, &mut offers);
    format_offer(view, &mut offers);
    let only = params.context.only.as_deref();
    offers
        .into_iter()
        .filter(|offer| only.is_none_or(|only| only.iter().any(|kind| within(&offer.kind, kind))))
        .filter_map(|offer| fit(view, offer, &params.context.diagnostics))
        .collect()
}

/// Kinds are a hierarchy: `refactor` asks for `refactor.rewrite` too.
fn within(kind: &CodeActionKind, asked: &CodeActionKind) -> bool {
    let (kind, asked) = (kind.as_str(), asked.as_str());
    kind == asked || asked.is_empty() || kind.starts_with(&format!("{asked}."))
}

pub fn touch(a: Span, b: Span) -> bool {
    a.start <= b.end && b.start <= a.end
}

fn mend_errors(view: &View, wanted: Span, offers: &mut Vec<Offer>) {
    for error in &view.parse().errors {
        let Some(fix) = error.fix.as_ref().filter(|_| touch(error.span, wanted)) else {
            continue;
        };
        let title = if fix.replacement.is_empty() {
            format!("Remove `{}`", fix.span.text(view.text()))
        } else if fix.span.is_empty() {
            format!("Add `{}`", fix.replacement)
        } else {
            format!("Change to `{}`", fix.replacement)
        };
        offers.push(Offer {
            title,
            kind: CodeActionKind::QUICKFIX,
            edits: vec![TextEdit::new(view.range(fix.span), fix.replacement.clone())],
            preferred: true,
            mends: Some((error.code().to_owned(), error.span)),
        });
    }
}

/// Adds the verdicts as expectations, or changes those that do not hold. Only verdicts of the
/// text as it is, with its own parameters, completely explored, are worth writing down.
fn expectations(view: &View, condition: &Condition, offers: &mut Vec<Offer>) {
    let settled: Vec<_> = verdicts::standings(view, condition)
        .into_iter()
        .filter(|s| s.state == ModelState::Done && !s.stale)
        .filter_map(|s| Some((s.model, s.verdict()?.name())))
        .collect();
    let newest = view.results.newest();
    let overridden = newest.first().and_then(|checked| checked.overridden());
    if settled.is_empty() || overridden.is_some() {
        return;
    }
    if condition.expect.is_empty() {
        let found: Vec<String> = settled
            .iter()
            .map(|(model, verdict)| format!("{} {verdict}", model.name()))
            .collect();
        let found = found.join(", ");
        let line = if view.parse().test.dialect.expects_in_comments {
            format!("\n(* expect: {found} *)")
        } else {
            format!("\nexpect {found}")
        };
        let line = match view.text().contains("\r\n") {
            true => line.replace('\n', "\r\n"),
            false => line,
        };
        offers.push(Offer {
            title: format!("Add `expect {found}`"),
            kind: CodeActionKind::REFACTOR_REWRITE,
            edits: vec![TextEdit::new(
                view.range(Span::at(condition.span.end)),
                line,
            )],
            preferred: false,
            mends: None,
        });
        return;
    }
    let mut edits = Vec::new();
    let mut first = None;
    for expect in &condition.expect {
        let model = expect.model;
        let found = settled.iter().find(|(settled, _)| *settled == model);
        if let Some((_, verdict)) = found
            && *verdict != super::super::custom::frequency(expect.frequency).name()
        {
            edits.push(TextEdit::new(
                view.range(expect.frequency_span),
                (*verdict).to_owned(),
            ));
            first = first.or(Some(expect.span));
        }
    }
    if let Some(span) = first {
        offers.push(Offer {
            title: "Change `expect` to the verdicts found".to_owned(),
            kind: CodeActionKind::QUICKFIX,
            edits,
            preferred: false,
            mends: Some(("E0501".to_owned(), span)),
        });
    }
}

fn format_offer(view: &View, offers: &mut Vec<Offer>) {
    if let Some(edits) = format::whole(view).filter(|edits| !edits.is_empty()) {
        offers.push(Offer {
            title: "Format this test".to_owned(),
            kind: CodeActionKind::SOURCE,
            edits,
            preferred: false,
            mends: None,
        });
    }
}

/// An action for clients that know them, else a command that applies the edit.
fn fit(view: &View, offer: Offer, diagnostics: &[Diagnostic]) -> Option<CodeActionOrCommand> {
    let edit = workspace_edit(view, offer.edits);
    if !view.client.literal_actions {
        return view.client.apply_edit.then(|| {
            let argument = CommandArgument {
                edit: Some(Lsp(edit)),
                ..CommandArgument::default()
            };
            CodeActionOrCommand::Command(Command {
                title: offer.title,
                command: commands::APPLY_EDIT.to_owned(),
                arguments: Some(vec![argument.json()]),
            })
        });
    }
    let mended = offer.mends.map(|(code, span)| {
        let range = view.range(span);
        let code = NumberOrString::String(code);
        diagnostics
            .iter()
            .filter(|d| d.code.as_ref() == Some(&code) && d.range == range)
            .cloned()
            .collect::<Vec<_>>()
    });
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: offer.title,
        kind: Some(offer.kind),
        diagnostics: mended.filter(|mended| !mended.is_empty()),
        edit: Some(edit),
        is_preferred: offer.preferred.then_some(true),
        ..CodeAction::default()
    }))
}
