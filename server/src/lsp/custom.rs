//! The requests beyond the protocol, as `PROTOCOL.md` defines them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use fencepost_checker::Model;
use fencepost_checker::graph;
use fencepost_checker::lower::DEFAULT_UNROLL;
use fencepost_checker::program::{self, Verdict};
use fencepost_checker::report;
use fencepost_checker::witness;
use fencepost_grammar::Severity;
use fencepost_grammar::ast::Frequency;
use tower_lsp::lsp_types::Url;

use super::params;
use super::results::{self, Chosen, Execution, Found, ModelState};
use super::verdicts;
use super::view::View;
use crate::analysis::interest;
use crate::protocol::requests::{
    BoundHit, Closed, Condition, DocumentState, DocumentText, ExecutionParams, Failure, Graph,
    JudgedExpect, ModelResult, NumberedOutcome, OutcomeChoice, Outcomes, Selector, Status, Witness,
};
use crate::protocol::test::ModelReport;
use crate::protocol::{Expected, Lsp, Map, Named, Range, State};
use crate::render::{dot, json as to_json, svg, words};

pub fn text(view: &View) -> DocumentText {
    DocumentText {
        version: view.snapshot.version,
        text: view.text().to_owned(),
    }
}

pub fn outcomes(view: &View) -> Outcomes {
    let test = &view.parse().test;
    let newest = view.results.newest();
    let observed = newest.first().map_or(&[][..], |c| &c.program.observed);
    let conditions = test.conditions.iter().enumerate();
    let conditions = conditions.map(|(index, condition)| Condition {
        index,
        range: Lsp(view.range(condition.span)),
        text: one_line(condition.span.text(view.text())),
        quantifier: Named(condition.quantifier),
        name: condition.name.as_ref().map(|name| name.name.to_string()),
    });
    let models = view.results.each();
    let models = models.map(|(model, result)| (Named(model), under_model(view, result)));
    let expect = verdicts::expectations(view);
    let expect = expect.into_iter().map(|e| JudgedExpect {
        condition: e.condition,
        model: Named(e.model),
        expected: Expected(e.expected),
        found: e.found.map(|found| Named(found.verdict)),
        ok: e.ok(),
        range: Lsp(view.range(e.span)),
    });
    let insights = view.results.insights.as_ref();
    Outcomes {
        uri: view.uri().clone(),
        version: view.snapshot.version,
        stale: view.results.stale(),
        state: view.results.state(),
        name: test.name.name.to_string(),
        dialect: Named(test.dialect),
        errors: error_count(view),
        pending: insights.map_or(0, |insights| insights.pending),
        params: params::all(view).iter().map(|p| p.json(view)).collect(),
        observed: observed.iter().map(|o| o.name.clone()).collect(),
        conditions: conditions.collect(),
        models: Map(models.collect()),
        expect: expect.collect(),
    }
}

fn under_model(view: &View, result: &results::ModelResult) -> ModelResult {
    let conditions = &view.parse().test.conditions;
    let checked = result.checked.as_ref();
    let report = match checked {
        Some(checked) => report_now(view, checked),
        None => ModelReport::none(conditions.len()),
    };
    ModelResult {
        state: result.state,
        version: checked.map(|checked| checked.version),
        stale: checked.is_some_and(|checked| checked.stale),
        note: result.note.clone(),
        deadlock: checked.is_some_and(|checked| checked.report.deadlock.is_some()),
        time_us: report.time_us,
        verdicts: report.conditions.clone(),
        failures: report.assertions.clone(),
        bounds_hit: report.bounds.clone(),
        report,
    }
}

/// A report with the text now: its conditions, and where things are in it.
fn report_now(view: &View, checked: &Found) -> ModelReport<NumberedOutcome, Failure, BoundHit> {
    let program = &checked.program;
    let conditions: Vec<Option<usize>> = view
        .parse()
        .test
        .conditions
        .iter()
        .map(|condition| checked.condition_at(condition.span))
        .collect();
    let range = |span: &_| range_now(view, checked, span);
    let thread = |thread: u8| program.threads[usize::from(thread)].name.clone();
    to_json::report_on(
        program,
        &checked.report,
        &conditions,
        |index, outcome| NumberedOutcome { index, outcome },
        |index, failure: &report::Failure| Failure {
            index,
            thread: thread(failure.thread),
            range: range(&failure.span),
            message: words::failure(failure.kind),
            classes: failure.classes,
        },
        |hit: &report::BoundHit| BoundHit {
            thread: thread(hit.thread),
            range: range(&hit.span),
            bound: hit.bound,
            explicit: hit.explicit,
        },
    )
}

fn range_now(view: &View, checked: &Found, span: &program::Span) -> Option<Range> {
    checked.now(span).map(|span| Lsp(view.range(span)))
}

pub fn witness(view: &View, params: &ExecutionParams) -> Option<Witness> {
    let (checked, execution) = select(view, &params.selector)?;
    let witness = witness_of(checked, &execution)?;
    let program = &checked.program;
    let place = |span: &_| range_now(view, checked, span);
    Some(Witness {
        uri: params.text_document.0.uri.clone(),
        version: checked.version,
        stale: checked.stale,
        title: title(checked, &execution),
        outcome: match &execution {
            Execution::Outcome(values) => Some(State::of(program, values)),
            _ => None,
        },
        command_line: command_line(view, Some((checked, &execution))),
        steps: to_json::witness(program, checked.source.text(), &witness, place),
    })
}

pub fn graph(view: &View, params: &ExecutionParams) -> Option<Graph> {
    let (checked, execution) = select(view, &params.selector)?;
    let witness = witness_of(checked, &execution)?;
    let graph = graph::Graph::of(&checked.program, &witness);
    let title = title(checked, &execution);
    Some(Graph {
        uri: params.text_document.0.uri.clone(),
        version: checked.version,
        stale: checked.stale,
        model: Named(checked.report.model),
        svg: svg::text(&checked.program, checked.source.text(), &graph, &title),
        dot: dot::text(&checked.program, &graph, &title),
        title,
    })
}

/// The execution that a selector means, if there is one.
pub fn select<'v>(view: &'v View, selector: &Selector) -> Option<(&'v Found, Execution)> {
    let wanted = |model: Model| selector.model.is_none_or(|Named(wanted)| wanted == model);
    view.results
        .each_checked()
        .filter(|(model, _)| wanted(*model))
        .find_map(|(_, checked)| Some((checked, execution(view, checked, selector)?)))
}

fn execution(view: &View, checked: &Found, selector: &Selector) -> Option<Execution> {
    let report = &checked.report;
    if selector.deadlock {
        report.deadlock.as_ref()?;
        return Some(Execution::Deadlock);
    }
    if let Some(index) = selector.failure {
        report.failures.get(index)?;
        return Some(Execution::Failure(index));
    }
    let outcome = match (&selector.outcome, selector.condition) {
        (Some(OutcomeChoice::Index(index)), _) => report.outcomes.get(*index)?,
        (Some(OutcomeChoice::State(wanted)), _) => report.outcomes.iter().find(|outcome| {
            let State(Map(state)) = State::of(&checked.program, &outcome.state);
            state.into_iter().collect::<BTreeMap<_, _>>() == *wanted
        })?,
        (_, Some(index)) => {
            let span = view.parse().test.conditions.get(index)?.span;
            let index = checked.condition_at(span)?;
            report
                .outcomes
                .iter()
                .find(|outcome| interest::of_interest(&checked.program, index, outcome))?
        }
        _ => report.outcomes.first()?,
    };
    Some(Execution::Outcome(outcome.state.clone()))
}

pub fn witness_of<'c>(
    checked: &'c Found,
    execution: &Execution,
) -> Option<Cow<'c, witness::Witness>> {
    match execution {
        Execution::Outcome(state) => Some(Cow::Owned(
            checked.outcome(state)?.witness(&checked.program),
        )),
        Execution::Failure(index) => {
            Some(Cow::Borrowed(&checked.report.failures.get(*index)?.witness))
        }
        Execution::Deadlock => checked.report.deadlock.as_ref().map(Cow::Borrowed),
    }
}

/// The chosen execution, in the results as they are now.
pub fn chosen_witness<'v>(
    view: &'v View,
    chosen: &Chosen,
) -> Option<(&'v Found, Cow<'v, witness::Witness>)> {
    let checked = view.results.checked(chosen.model)?;
    Some((checked, witness_of(checked, &chosen.execution)?))
}

pub fn title(checked: &Found, execution: &Execution) -> String {
    let what = match execution {
        Execution::Outcome(state) => words::state_text(&checked.program, state),
        Execution::Failure(index) => {
            let failure = checked.report.failures.get(*index);
            failure
                .map_or("a failure", |failure| words::failure(failure.kind))
                .to_owned()
        }
        Execution::Deadlock => "a deadlock".to_owned(),
    };
    let mut title = format!("{what} under {}", checked.report.model.name());
    if let Some(overridden) = checked.overridden() {
        title = format!("{title} {overridden}");
    }
    title
}

/// The run of the command line that shows the same.
pub fn command_line(view: &View, shown: Option<(&Found, &Execution)>) -> String {
    // What is no file is given on standard input.
    let path = Some(view.uri()).filter(|uri| uri.scheme() == "file");
    let file = match path.and_then(|uri| uri.to_file_path().ok()) {
        Some(path) => quote(&path.display().to_string()),
        None => "-".to_owned(),
    };
    let mut line = match shown {
        Some((checked, execution)) => {
            let model = checked.report.model.name().to_ascii_lowercase();
            let mut line = format!("fencepost witness {file} --model {model}");
            if let Execution::Outcome(values) = execution {
                let bindings: Vec<String> = checked
                    .program
                    .observed
                    .iter()
                    .zip(values)
                    .map(|(o, v)| format!("{}={}", o.name, checked.program.show(*v)))
                    .collect();
                line += &format!(" --outcome {}", quote(&bindings.join(";")));
            }
            line
        }
        None => {
            let mut line = format!("fencepost check {file}");
            if view.settings.models != Model::ALL {
                let names: Vec<String> = view
                    .settings
                    .models
                    .iter()
                    .map(|model| model.name().to_ascii_lowercase())
                    .collect();
                line += &format!(" --model {}", names.join(","));
            }
            if let Some(limit) = view.settings.timeout {
                line += &format!(" --timeout {}s", limit.as_secs_f64());
            }
            if let Some(limit) = view.settings.max_classes {
                line += &format!(" --max-classes {limit}");
            }
            line
        }
    };
    // A result that is shown was found with the options of its time.
    let lowering = match shown {
        Some((checked, _)) => checked.source.own_lowering(),
        None => view.snapshot.own_lowering(),
    };
    if lowering.unroll != DEFAULT_UNROLL {
        line += &format!(" --unroll {}", lowering.unroll);
    }
    for (name, value) in &lowering.params {
        line += &format!(" --param {}", quote(&format!("{name}={value}")));
    }
    line
}

/// As a shell reads it back.
fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

pub fn status(view: &View) -> Status {
    let models = view.results.each();
    let errors = error_count(view);
    let state = if errors > 0 && view.results.state() != ModelState::Checking {
        ModelState::Failed
    } else {
        view.results.state()
    };
    Status {
        uri: view.uri().clone(),
        version: Some(view.snapshot.version),
        state: DocumentState::Open(state),
        stale: view.results.stale(),
        models: Map(models.map(|(model, r)| (Named(model), r.state)).collect()),
        check: Some(view.results.check),
        errors,
        message: status_message(view),
    }
}

pub fn closed(uri: &Url) -> Status {
    Status {
        uri: uri.clone(),
        version: None,
        state: DocumentState::Closed(Closed::Closed),
        stale: false,
        models: Map(Vec::new()),
        check: None,
        errors: 0,
        message: String::new(),
    }
}

/// `SB: SC never · TSO sometimes · PSO sometimes`, else the summary.
fn status_message(view: &View) -> String {
    let test = &view.parse().test;
    let name = if test.name.name.is_empty() {
        view.snapshot.file_name()
    } else {
        test.name.name.as_str()
    };
    let told = match test.conditions.as_slice() {
        [only] if error_count(view) == 0 && view.results.state() == ModelState::Done => {
            let parts: Vec<String> = verdicts::standings(view, only)
                .into_iter()
                .filter_map(|s| Some(format!("{} {}", s.model.name(), s.verdict()?.name())))
                .collect();
            let stale = if view.results.stale() {
                " · stale"
            } else {
                ""
            };
            format!("{}{stale}", parts.join(" · "))
        }
        _ => summary(view),
    };
    format!("{name}: {told}")
}

/// One line on the whole test: what is wrong first, else how it stands.
pub fn summary(view: &View) -> String {
    match error_count(view) {
        0 => {}
        1 => return "1 error".to_owned(),
        n => return format!("{n} errors"),
    }
    let mut summary = match view.results.state() {
        ModelState::Idle => "not checked",
        ModelState::Checking => "checking",
        ModelState::Cancelled => "stopped",
        ModelState::Failed => "failed",
        ModelState::Unfinished => "not finished",
        ModelState::Done => "checked",
    }
    .to_owned();
    let judged = verdicts::expectations(view);
    match judged.iter().filter(|e| e.ok() == Some(false)).count() {
        0 if judged.is_empty() || judged.iter().any(|e| e.ok().is_none()) => {}
        0 => summary += " · as expected",
        1 => summary += " · 1 expectation fails",
        n => summary += &format!(" · {n} expectations fail"),
    }
    if view.results.stale() {
        summary += " · stale";
    }
    summary
}

/// Errors of the text now, those that only lowering finds included.
pub fn error_count(view: &View) -> usize {
    let syntax = view
        .parse()
        .errors
        .iter()
        .filter(|error| error.severity() == Severity::Error)
        .count();
    let lowering = view.snapshot.lowered().as_ref().err().map_or(0, Vec::len);
    syntax + lowering
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn frequency(frequency: Frequency) -> Verdict {
    match frequency {
        Frequency::Never => Verdict::Never,
        Frequency::Sometimes => Verdict::Sometimes,
        Frequency::Always => Verdict::Always,
    }
}
