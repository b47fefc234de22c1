//! Fences on every surface: sets to insert, fences that can go, what one changes.

use fencepost_checker::fences::{Defect, Refusal, Role, Suggestion};
use fencepost_checker::model::{Model, STRONGEST};
use fencepost_checker::program::Program;
use fencepost_grammar::Span;
use fencepost_grammar::ast::native::FenceKind;
use fencepost_grammar::fences::{self as places, NewFence};
use fencepost_grammar::format;
use tower_lsp::lsp_types::{
    CodeActionKind, Diagnostic, DiagnosticSeverity, DiagnosticTag, TextEdit,
};

use super::super::insights::Insights;
use super::super::view::View;
use super::actions::{Offer, touch};
use super::diagnostics;
use crate::render::words;

/// States that a hover lists before it says "more".
const STATES_SHOWN: usize = 4;
const UNNEEDED: &str = "I0502";

/// Hints for fences that can go, shown faded.
pub fn unneeded(view: &View) -> Vec<Diagnostic> {
    if !view.settings.surfaces.unneeded_fences() {
        return Vec::new();
    }
    let Some(insights) = view.results.insights.as_deref() else {
        return Vec::new();
    };
    let roles = insights.roles.iter().filter(|role| !role.is_needed());
    roles
        .filter_map(|role| {
            let span = insights.fence_now(role.fence.span)?;
            let models = words::models(role.forbids.iter().map(|f| f.model));
            let mut message = format!(
                "this {} is not needed: without it the test can do the same under {models}",
                role.fence.kind.word()
            );
            if let Some(overridden) = &insights.overridden {
                message += &format!(" ({overridden})");
            }
            if insights.stale {
                message += &format!(" ({})", insights.staleness());
            }
            let severity = DiagnosticSeverity::HINT;
            Some(Diagnostic {
                tags: view
                    .client
                    .unnecessary_tag
                    .then(|| vec![DiagnosticTag::UNNECESSARY]),
                ..diagnostics::make(view, span, severity, UNNEEDED, message, Vec::new())
            })
        })
        .collect()
}

/// What the fence under a cursor forbids, or that it changes nothing.
pub fn about(insights: &Insights, offset: u32) -> Option<(Span, String)> {
    let (role, span) = insights.roles.iter().find_map(|role| {
        let span = insights.fence_now(role.fence.span)?;
        span.touches(offset).then_some((role, span))
    })?;
    let mut text = describe(&insights.program, role);
    if let Some(overridden) = &insights.overridden {
        text += &format!(" ({overridden})");
    }
    if insights.stale {
        text += &format!(" ({})", insights.staleness());
    }
    Some((span, text))
}

fn describe(program: &Program, role: &Role) -> String {
    if !role.is_needed() {
        let models = words::models(role.forbids.iter().map(|f| f.model));
        return format!("It changes nothing under {models}.");
    }
    // Models that would allow the same are told together.
    let mut parts: Vec<(String, Vec<Model>)> = Vec::new();
    for forbidden in &role.forbids {
        let mut states: Vec<String> = forbidden
            .states
            .iter()
            .take(STATES_SHOWN)
            .map(|state| format!("`{}`", words::state_text(program, state)))
            .collect();
        if forbidden.states.len() > STATES_SHOWN {
            states.push(format!("{} more", forbidden.states.len() - STATES_SHOWN));
        }
        if forbidden.failures {
            states.push("failures or deadlocks".to_owned());
        }
        let states = states.join(", ");
        match parts.iter_mut().find(|(known, _)| *known == states) {
            _ if states.is_empty() => {}
            Some((_, models)) => models.push(forbidden.model),
            None => parts.push((states, vec![forbidden.model])),
        }
    }
    let parts: Vec<String> = parts
        .into_iter()
        .map(|(states, models)| format!("{states} under {}", words::models(models)))
        .collect();
    format!("It forbids {}.", parts.join("; "))
}

/// Code actions: one for each optimal set, one for each fence that can go.
pub fn offers(view: &View, wanted: Span, offers: &mut Vec<Offer>) {
    // Places belong to the text that was checked: a stale set is no offer.
    let Some(insights) = view.results.insights.as_deref().filter(|i| !i.stale) else {
        return;
    };
    for (index, condition) in view.parse().test.conditions.iter().enumerate() {
        let near = touch(condition.span, wanted) || thread_at(view, wanted);
        let Some(Ok(suggestion)) = insights.suggestion(index).map(|found| &**found) else {
            continue;
        };
        if near {
            for set in sets(view, suggestion) {
                offers.push(Offer {
                    title: set.title,
                    kind: CodeActionKind::QUICKFIX,
                    edits: set.edits,
                    preferred: false,
                    mends: Some(("I0501".to_owned(), condition.span)),
                });
            }
        }
    }
    // A fence that only another value makes useless is the file's to keep.
    let removable = insights.overridden.is_none();
    let roles = insights.roles.iter().filter(|_| removable);
    for role in roles.filter(|role| !role.is_needed()) {
        let span = role.fence.span;
        if touch(span, wanted) {
            let edits = places::remove_edits(view.text(), &view.parse().test, &[span]);
            offers.push(Offer {
                title: format!(
                    "Remove unneeded `{}`",
                    span.text(view.text()).trim_end_matches(';')
                ),
                kind: CodeActionKind::QUICKFIX,
                edits: text_edits(view, edits),
                preferred: true,
                mends: Some((UNNEEDED.to_owned(), span)),
            });
        }
    }
}

/// Whether a cursor is where a fence could go.
fn thread_at(view: &View, wanted: Span) -> bool {
    let threads = view.parse().test.threads();
    threads.iter().any(|thread| touch(thread.code, wanted))
}

/// A set of fences as people choose it.
pub struct Set {
    pub title: String,
    pub edits: Vec<TextEdit>,
}

/// The optimal sets, best first; none when nothing is needed.
pub fn sets(view: &View, suggestion: &Suggestion) -> Vec<Set> {
    let with_lines = suggestion.sets.len() > 1;
    let sets = suggestion.sets.iter().filter(|set| !set.is_empty());
    sets.map(|set| {
        let edits = places::insert_edits(view.text(), &view.parse().test, set);
        Set {
            title: title(view, suggestion, set, with_lines),
            edits: text_edits(view, edits),
        }
    })
    .collect()
}

/// ``Insert `mfence` in P0 and P1 (unreachable under TSO, PSO)``
fn title(view: &View, suggestion: &Suggestion, set: &[NewFence], with_lines: bool) -> String {
    let test = &view.parse().test;
    let mut groups: Vec<String> = Vec::new();
    for kind in [FenceKind::Full, FenceKind::StoreStore] {
        let threads: Vec<String> = set
            .iter()
            .filter(|fence| fence.kind == kind)
            .map(|fence| {
                let name = places::thread_name(test, fence.place.thread);
                if with_lines {
                    format!("{name} after line {}", view.line_number(fence.place.at))
                } else {
                    name.to_owned()
                }
            })
            .collect();
        if !threads.is_empty() {
            groups.push(format!("`{}` in {}", kind.word(), enumerate(&threads)));
        }
    }
    let models = words::models(
        suggestion
            .models
            .iter()
            .copied()
            .filter(|model| *model != STRONGEST),
    );
    format!("Insert {} (unreachable under {models})", groups.join(", "))
}

fn enumerate(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// A suggestion, or why there is none, in sentences.
pub fn text(view: &View, found: &Result<Suggestion, Refusal>) -> String {
    match found {
        Ok(suggestion) => {
            let sets = sets(view, suggestion);
            if sets.is_empty() {
                return "no fence is needed: it is unreachable already".to_owned();
            }
            let mut lines: Vec<String> = sets.into_iter().map(|set| set.title).collect();
            if suggestion.more {
                lines.push("… and more sets of the same cost".to_owned());
            }
            lines.join("\n")
        }
        Err(Refusal::ReachableUnderSc { state, .. }) => {
            let state = match view.snapshot.lowered() {
                Ok(program) => words::state_text(program, state),
                Err(_) => String::new(),
            };
            format!("no fence helps: it is reachable under SC too, {state}")
        }
        Err(Refusal::NotFinished { model, classes, .. }) => format!(
            "not finished under {}: {}",
            model.name(),
            words::counted(*classes, "class", "classes")
        ),
        Err(Refusal::Errors(_)) => "the test has errors".to_owned(),
        Err(Refusal::NoCondition) => "there is no such condition".to_owned(),
        Err(Refusal::Defect(defect)) => {
            let what = match defect {
                Defect::Replay(error) => error.to_string(),
                Defect::Unavoidable => "an outcome remains with a fence everywhere".to_owned(),
                Defect::Insufficient => "a set that should suffice does not".to_owned(),
            };
            format!("the checker has a bug: {what}")
        }
    }
}

fn text_edits(view: &View, edits: Vec<format::Edit>) -> Vec<TextEdit> {
    edits
        .into_iter()
        .map(|edit| TextEdit::new(view.range(edit.range), edit.text))
        .collect()
}
