//! Fence suggestions as short text, for tests that compare them with known answers.

use std::fmt::Write as _;

use fencepost_checker::Model;
use fencepost_checker::fences::{Goal, Refusal, Suggestion, suggest};
use fencepost_checker::lower::LowerOptions;
use fencepost_checker::report::Options;
use fencepost_grammar::ast::Test;
use fencepost_grammar::ast::native::FenceKind;
use fencepost_grammar::fences::{NewFence, thread_name};
use fencepost_grammar::parse;

/// The suggestion for the first condition of a text, or for all its outcomes.
pub fn suggestion(text: &str, goal: Goal, models: &[Model]) -> Result<Suggestion, Refusal> {
    let parsed = parse(text);
    assert!(!parsed.has_errors(), "{:?} in\n{text}", parsed.errors);
    suggest(
        &parsed.sound().expect("a test"),
        &LowerOptions::default(),
        goal,
        models,
        &Options::default(),
    )
}

/// `cost 2: P0:6 mfence, P1:11 mfence`, a line for each set; the lines are those of the
/// text that the fences follow.
pub fn answer(text: &str, goal: Goal, models: &[Model]) -> String {
    match suggestion(text, goal, models) {
        Ok(suggestion) => show(text, &parse(text).test, &suggestion),
        Err(Refusal::ReachableUnderSc { .. }) => "reachable under SC".to_owned(),
        Err(other) => format!("{other:?}"),
    }
}

pub fn show(text: &str, test: &Test, suggestion: &Suggestion) -> String {
    let mut out = String::new();
    for set in &suggestion.sets {
        let fences: Vec<String> = set
            .iter()
            .map(|fence| show_fence(text, test, fence))
            .collect();
        let _ = writeln!(
            out,
            "cost {}: {}",
            suggestion.cost.value(),
            fences.join(", ")
        );
    }
    if suggestion.more {
        out.push_str("and more\n");
    }
    out.trim_end().to_owned()
}

pub fn show_fence(text: &str, test: &Test, fence: &NewFence) -> String {
    let at = fence.place.at as usize;
    let line = 1 + text[..at].matches('\n').count();
    let kind = match fence.kind {
        FenceKind::Full => "mfence",
        FenceKind::StoreStore => "sfence",
    };
    format!("{}:{line} {kind}", thread_name(test, fence.place.thread))
}
