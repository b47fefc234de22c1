//! What herd7 prints for a test and people grep for, less time and hash.

use std::fmt::Write;
use std::time::Duration;

use fencepost_checker::program::{Place, Program, Quantifier, Verdict};
use fencepost_checker::report::{ConditionReport, Report};

use super::{prop, words};

/// One test under one model, which had `limit` for it. `titled` names the model, for when
/// there are several.
pub fn text(program: &Program, report: &Report, limit: Option<Duration>, titled: bool) -> String {
    let mut out = String::new();
    if titled {
        let _ = writeln!(out, "Model {}", report.model.name());
    }
    let kind = match program.conditions.first().map(|c| c.quantifier) {
        Some(Quantifier::Exists) => "Allowed",
        Some(Quantifier::NotExists) => "Forbidden",
        Some(Quantifier::Forall) | None => "Required",
    };
    let _ = writeln!(out, "Test {} {kind}", program.name);
    let states = states(program, report);
    let _ = writeln!(out, "States {}", states.len());
    for state in states {
        let _ = writeln!(out, "{state}");
    }
    if program.conditions.is_empty() {
        let all = report.outcomes.iter().map(|o| o.classes).sum();
        let judged = ConditionReport {
            verdict: if report.complete() {
                Verdict::Always
            } else {
                Verdict::Unknown
            },
            holds: all,
            of: all,
        };
        verdict(
            &mut out,
            program,
            "forall (true)",
            Quantifier::Forall,
            judged,
        );
    }
    for (condition, judged) in program.conditions.iter().zip(&report.conditions) {
        let shown = prop::herd(program, condition);
        verdict(&mut out, program, &shown, condition.quantifier, *judged);
    }
    if let Some(phrase) = words::unfinished_phrase(super::Look::PLAIN, program, report, limit) {
        // Never a silent time-out: an unfinished run looks like none of herd's answers.
        let _ = writeln!(out, "Unfinished {} {phrase}", program.name);
    }
    out.push('\n');
    out
}

fn verdict(
    out: &mut String,
    program: &Program,
    condition: &str,
    quantifier: Quantifier,
    judged: ConditionReport,
) {
    let failing = judged.of - judged.holds;
    let (positive, negative) = match quantifier {
        Quantifier::NotExists => (failing, judged.holds),
        _ => (judged.holds, failing),
    };
    let ok = match (quantifier, judged.verdict) {
        (Quantifier::Exists, Verdict::Unknown) if judged.holds > 0 => Some(true),
        (Quantifier::NotExists, Verdict::Unknown) if judged.holds > 0 => Some(false),
        (Quantifier::Forall, Verdict::Unknown) if failing > 0 => Some(false),
        (_, Verdict::Unknown) => None,
        (Quantifier::Exists, _) => Some(judged.holds > 0),
        (Quantifier::NotExists, _) => Some(judged.holds == 0),
        (Quantifier::Forall, _) => Some(failing == 0),
    };
    let ok = match ok {
        Some(true) => "Ok",
        Some(false) => "No",
        None => "Unknown",
    };
    let word = match judged.verdict {
        Verdict::Never => "Never",
        Verdict::Sometimes => "Sometimes",
        Verdict::Always => "Always",
        Verdict::Unknown => "Unknown",
    };
    let _ = writeln!(out, "{ok}");
    let _ = writeln!(out, "Witnesses");
    let _ = writeln!(out, "Positive: {positive} Negative: {negative}");
    let _ = writeln!(out, "Condition {condition}");
    let _ = writeln!(
        out,
        "Observation {} {word} {} {failing}",
        program.name, judged.holds
    );
}

/// `0:EAX=0; 1:EAX=0;`, registers by thread, then locations; the lines sorted.
fn states(program: &Program, report: &Report) -> Vec<String> {
    let mut order: Vec<usize> = (0..program.observed.len()).collect();
    order.sort_by_key(|&index| {
        let observed = &program.observed[index];
        let thread = match observed.place {
            Place::Register(thread, _) => u16::from(thread),
            Place::Memory(_) => u16::MAX,
        };
        (thread, observed.name.as_str())
    });
    let mut lines: Vec<String> = report
        .outcomes
        .iter()
        .map(|outcome| {
            let bindings: Vec<String> = order
                .iter()
                .map(|&index| {
                    let name = &program.observed[index].name;
                    format!("{name}={};", program.show(outcome.state[index]))
                })
                .collect();
            bindings.join(" ")
        })
        .collect();
    lines.sort();
    lines
}
