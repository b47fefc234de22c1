//! Inlay hints: reachability behind conditions, what loads read, bounds that were hit.

use std::collections::BTreeMap;
use std::ops;

use fencepost_checker::program::Instr;
use fencepost_checker::witness::{Action, Source, Witness};
use fencepost_checker::{Model, Program, Verdict};
use fencepost_grammar::Span;
use fencepost_grammar::ast::{Condition, Quantifier};
use tower_lsp::lsp_types::{InlayHint, InlayHintLabel, Range};

use super::super::custom;
use super::super::results::Found;
use super::super::verdicts::{self, Standing};
use super::super::view::View;
use crate::render::{label, words};

/// Of a load that runs many times, the last few reads.
const READS_SHOWN: usize = 3;

pub fn hints(view: &View, range: Range) -> Vec<InlayHint> {
    if !view.settings.surfaces.inlay_hints() {
        return Vec::new();
    }
    let mut found: Vec<(u32, String)> = Vec::new();
    for condition in &view.parse().test.conditions {
        if let Some(text) = reachability(view, condition) {
            found.push((condition.span.end, text));
        }
    }
    chosen_reads(view, &mut found);
    bounds(view, &mut found);
    found.sort();
    let wanted = view.span(range);
    found
        .into_iter()
        .filter(|(offset, _)| wanted.touches(*offset))
        .map(|(offset, text)| InlayHint {
            position: view.position(offset),
            label: InlayHintLabel::String(format!("⟵ {text}")),
            kind: None,
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        })
        .collect()
}

/// `reachable under TSO, PSO`, or that it is not.
fn reachability(view: &View, condition: &Condition) -> Option<String> {
    let standings = verdicts::standings(view, condition);
    let (hit, miss) = match condition.quantifier {
        Quantifier::Exists | Quantifier::NotExists => ("reachable", "unreachable"),
        Quantifier::Forall => ("broken", "holds"),
    };
    let under = |which: fn(&Standing) -> bool| {
        let models = standings.iter().filter(|s| which(s));
        words::models(models.map(|s| s.model))
    };
    let reached = under(|s| s.reached);
    let missed = under(|s| !s.reached && s.verdict().is_some_and(|v| v != Verdict::Unknown));
    let unsettled = under(|s| !s.reached && s.verdict() == Some(Verdict::Unknown));
    let mut parts = Vec::new();
    if !reached.is_empty() {
        parts.push(format!("{hit} under {reached}"));
    } else if !missed.is_empty() {
        parts.push(format!("{miss} under {missed}"));
    }
    if !unsettled.is_empty() {
        parts.push(format!("not finished under {unsettled}"));
    }
    if parts.is_empty() {
        return None;
    }
    if standings.iter().any(|s| s.report.is_some() && s.stale) {
        parts.push("stale".to_owned());
    }
    Some(parts.join(" · "))
}

/// What each load reads in the chosen execution, and from where.
fn chosen_reads(view: &View, found: &mut Vec<(u32, String)>) {
    let Some((checked, witness)) = view
        .chosen
        .as_ref()
        .and_then(|chosen| custom::chosen_witness(view, chosen))
    else {
        return;
    };
    let mut reads: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for step in &witness.steps {
        let (loc, value, source) = match step.action {
            Action::Read { loc, value, source } => (loc, value, source),
            Action::Rmw {
                loc, read, source, ..
            } => (loc, read, source),
            _ => continue,
        };
        let Some(span) = checked.now(&step.span) else {
            continue;
        };
        let mut text = String::new();
        if several_reads(&checked.program, step.thread, &step.span) {
            text = format!("{} = ", checked.program.locations[usize::from(loc)].name);
        }
        text += &checked.program.show(value);
        text += &format!(" ({})", origin(view, checked, &witness, source));
        reads.entry(end_of_head(view, span)).or_default().push(text);
    }
    for (offset, mut texts) in reads {
        let skipped = texts.len().saturating_sub(READS_SHOWN);
        if skipped > 0 {
            texts.drain(..skipped);
            texts.insert(0, "…".to_owned());
        }
        if checked.stale {
            texts.push("stale".to_owned());
        }
        found.push((offset, texts.join(", ")));
    }
}

/// The end of a statement, but of one with a body the end of its first line.
fn end_of_head(view: &View, span: Span) -> u32 {
    span.end.min(view.end_of_line(span.start))
}

/// Whether one statement reads more than once, so that a value needs its location's name.
fn several_reads(program: &Program, thread: u8, span: &ops::Range<u32>) -> bool {
    let thread = &program.threads[usize::from(thread)];
    let reads = thread.code.iter().zip(&thread.spans).filter(|(instr, at)| {
        *at == span && matches!(instr, Instr::Load { .. } | Instr::Rmw { .. })
    });
    reads.count() > 1
}

/// `initial`, `P0, line 6`
fn origin(view: &View, checked: &Found, witness: &Witness, source: Source) -> String {
    let step = match source {
        Source::Initial => None,
        Source::Step(index) => witness.steps.get(index),
    };
    let Some(step) = step else {
        return "initial".to_owned();
    };
    let thread = label::thread(&checked.program, step.thread);
    match checked.now(&step.span) {
        Some(span) => format!("{thread}, line {}", view.line_number(span.start)),
        None => thread,
    }
}

/// Loops whose bound cut executions off.
fn bounds(view: &View, found: &mut Vec<(u32, String)>) {
    let mut hits: BTreeMap<u32, (u32, Vec<Model>)> = BTreeMap::new();
    for (model, checked) in view.results.each_checked() {
        for hit in &checked.report.bounds_hit {
            let Some(span) = checked.now(&hit.span) else {
                continue;
            };
            let (_, models) = hits
                .entry(end_of_head(view, span))
                .or_insert((hit.bound, Vec::new()));
            if !models.contains(&model) {
                models.push(model);
            }
        }
    }
    for (offset, (bound, models)) in hits {
        let models = words::models(models);
        found.push((offset, format!("bound of {bound} hit under {models}")));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tower_lsp::lsp_types::Position;

    use super::super::super::results::{Chosen, Execution};
    use super::super::super::view::fixture::checked;
    use super::*;

    fn labels(view: &View) -> Vec<(u32, String)> {
        let all = Range::new(Position::new(0, 0), Position::new(u32::MAX, 0));
        hints(view, all)
            .into_iter()
            .map(|hint| {
                let InlayHintLabel::String(label) = hint.label else {
                    panic!("a plain label");
                };
                (hint.position.line, label)
            })
            .collect()
    }

    #[test]
    fn forall_is_broken_or_holds() {
        let view = checked(
            "litmus T\nshared x;\nthread P0 { x = 1; r = x; }\nforall (P0:r = 1)\nforall (x = 0)\nexists (x = 2)\n",
        );
        assert_eq!(
            labels(&view),
            [
                (3, "⟵ holds under SC, TSO, PSO".to_owned()),
                (4, "⟵ broken under SC, TSO, PSO".to_owned()),
                (5, "⟵ unreachable under SC, TSO, PSO".to_owned()),
            ]
        );
    }

    #[test]
    fn loads_of_the_chosen_witness_tell_what_they_read() {
        let mut view = checked(
            "X86 T\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV EAX,[x] ;\n             | MOV EBX,[y] ;\nexists (1:EAX=1 /\\ 1:EBX=0)\n",
        );
        view.chosen = Some(Chosen {
            model: Model::Sc,
            execution: Execution::Outcome(vec![1, 0]),
        });
        let labels = labels(&view);
        assert_eq!(labels[0], (3, "⟵ 1 (P0, line 4)".to_owned()));
        assert_eq!(labels[1], (4, "⟵ 0 (initial)".to_owned()));
        Arc::make_mut(&mut view.settings).surfaces.inlay_hints = false;
        assert!(super::tests::labels(&view).is_empty());
    }
}
