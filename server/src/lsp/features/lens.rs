//! Lenses: a line over each condition, one over the test's name, one over its parameters.
//!
//! The line is there from the first parse on; only its titles change.

use fencepost_grammar::Span;
use fencepost_grammar::ast::Condition;
use serde_json::Value;
use tower_lsp::lsp_types::{CodeLens, Command};

use super::super::custom;
use super::super::params;
use super::super::results::ModelState;
use super::super::verdicts;
use super::super::view::View;
use crate::protocol::commands::{self, CommandArgument};

pub fn lenses(view: &View) -> Vec<CodeLens> {
    if !view.settings.surfaces.lenses() {
        return Vec::new();
    }
    let test = &view.parse().test;
    let mut lenses = Vec::new();
    if !test.name.span.is_empty() {
        over_name(view, test.name.span, &mut lenses);
    }
    over_params(view, &mut lenses);
    for (index, condition) in test.conditions.iter().enumerate() {
        over_condition(view, index, condition, &mut lenses);
    }
    lenses
}

fn over_name(view: &View, span: Span, lenses: &mut Vec<CodeLens>) {
    let uri = CommandArgument::of(view.uri()).json();
    let title = custom::summary(view);
    lenses.push(lens(
        view,
        span,
        &title,
        commands::SHOW_OUTCOMES,
        uri.clone(),
    ));
    let (title, command) = if view.results.state() == ModelState::Checking {
        ("Stop", commands::CANCEL)
    } else {
        ("Check now", commands::CHECK_NOW)
    };
    lenses.push(lens(view, span, title, command, uri));
}

/// `N = 5 (file says 3) · change`, `Reset N`
fn over_params(view: &View, lenses: &mut Vec<CodeLens>) {
    for param in params::all(view) {
        // What a client needs that asks for the value itself.
        let argument = CommandArgument {
            name: Some(param.name.to_owned()),
            written: Some(param.written.to_owned()),
            current: Some(param.value.map(Into::into)),
            ..CommandArgument::of(view.uri())
        };
        let title = format!("{} · change", param.text());
        let command = commands::SET_PARAM;
        lenses.push(lens(view, param.span, &title, command, argument.json()));
        if param.set {
            let argument = CommandArgument {
                name: Some(param.name.to_owned()),
                reset: true,
                ..CommandArgument::of(view.uri())
            };
            let title = format!("Reset {}", param.name);
            lenses.push(lens(view, param.span, &title, command, argument.json()));
        }
    }
}

fn over_condition(view: &View, index: usize, condition: &Condition, lenses: &mut Vec<CodeLens>) {
    let mut argument = CommandArgument::of(view.uri());
    argument.selector.condition = Some(index);
    let argument = argument.json();
    let mut add = |title: &str, command: &str| {
        lenses.push(lens(view, condition.span, title, command, argument.clone()));
    };
    add(&verdicts::phrase(view, condition), commands::SHOW_OUTCOMES);
    if !verdicts::reached(view, condition).is_empty() {
        add("Show witness", commands::SHOW_WITNESS);
    }
    if verdicts::is_weak(view, condition) {
        add("Suggest fences", commands::SUGGEST_FENCES);
    }
    let counts: Vec<String> = view
        .results
        .each_checked()
        .map(|(_, checked)| checked.report.outcomes.len().to_string())
        .collect();
    if !counts.is_empty() {
        let title = format!("Outcomes ({})", counts.join(" · "));
        add(&title, commands::SHOW_OUTCOMES);
    }
}

fn lens(view: &View, span: Span, title: &str, command: &str, argument: Value) -> CodeLens {
    CodeLens {
        range: view.range(span),
        command: Some(Command {
            title: title.to_owned(),
            command: command.to_owned(),
            arguments: Some(vec![argument]),
        }),
        data: None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::view::fixture::{checked, unchecked};
    use super::*;

    const SB: &str = "litmus SB\nshared x, y;\nthread P0 { x = 1; r0 = y; }\nthread P1 { y = 1; r1 = x; }\nexists (P0:r0 = 0 /\\ P1:r1 = 0)\n";

    fn titles(view: &View) -> Vec<String> {
        let lenses = lenses(view).into_iter();
        lenses.map(|lens| lens.command.unwrap().title).collect()
    }

    #[test]
    fn the_lines_are_there_before_any_result() {
        let lines = |view: &View| {
            let mut lines: Vec<u32> = lenses(view).iter().map(|l| l.range.start.line).collect();
            lines.dedup();
            lines
        };
        let (before, after) = (unchecked(SB), checked(SB));
        assert_eq!(titles(&before), ["not checked", "Check now", "not checked"]);
        assert_eq!(lines(&before), lines(&after));
    }

    #[test]
    fn a_state_that_is_not_done_looks_different_from_never() {
        let mut view = checked(SB);
        let results = Arc::make_mut(&mut view.results);
        results.models[0].state = ModelState::Checking;
        results.models[1].state = ModelState::Cancelled;
        assert_eq!(
            titles(&view)[2],
            "sometimes under TSO, PSO · never under SC · checking SC · stopped under TSO"
        );
        let results = Arc::make_mut(&mut view.results);
        results.models[0] = Default::default();
        results.models[0].state = ModelState::Failed;
        results.models[0].note = Some("the checker failed: x".to_owned());
        assert!(titles(&view)[2].ends_with("failed: the checker failed: x"));
    }

    #[test]
    fn the_switches_turn_them_off() {
        let mut view = checked(SB);
        Arc::make_mut(&mut view.settings).surfaces.enable = false;
        assert_eq!(titles(&view), Vec::<String>::new());
    }
}
