//! The requests beyond the protocol, as `PROTOCOL.md` defines them.

use std::borrow::Cow;

use fencepost_checker::Model;
use fencepost_checker::graph::Graph;
use fencepost_checker::lower::DEFAULT_UNROLL;
use fencepost_checker::report::Report;
use fencepost_checker::witness::Witness;
use fencepost_grammar::Severity;
use fencepost_grammar::ast::{self, Condition, Frequency, Quantifier};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tower_lsp::lsp_types::{TextDocumentIdentifier, Url};

use super::params::{self, Param};
use super::results::{Checked, Chosen, Execution, ModelResult, ModelState};
use super::verdicts;
use super::view::View;
use crate::render::{dot, json as to_json, svg, words};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentParams {
    pub text_document: TextDocumentIdentifier,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionParams {
    pub text_document: TextDocumentIdentifier,
    #[serde(flatten)]
    pub selector: Selector,
}

/// Which execution is meant.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Selector {
    /// Without one: the strongest model that has such an execution.
    pub model: Option<String>,
    pub outcome: Option<Value>,
    pub condition: Option<usize>,
    pub failure: Option<usize>,
    #[serde(default)]
    pub deadlock: bool,
}

/// How an `expect` of the text now stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    pub condition: usize,
    pub model: Model,
    pub expected: &'static str,
    pub found: Option<&'static str>,
    pub ok: Option<bool>,
    pub span: fencepost_grammar::Span,
}

pub fn text(view: &View) -> Value {
    json!({"version": view.snapshot.version, "text": view.text()})
}

pub fn outcomes(view: &View) -> Value {
    let test = &view.parse().test;
    let newest = view.results.newest();
    let observed: Vec<&str> = newest.first().map_or_else(Vec::new, |checked| {
        checked
            .program
            .observed
            .iter()
            .map(|observable| observable.name.as_str())
            .collect()
    });
    let conditions: Vec<Value> = test
        .conditions
        .iter()
        .enumerate()
        .map(|(index, condition)| {
            json!({
                "index": index,
                "range": view.range(condition.span),
                "text": one_line(condition.span.text(view.text())),
                "quantifier": quantifier(condition.quantifier),
                "name": condition.name.as_ref().map(|name| name.name.as_str()),
            })
        })
        .collect();
    let models: Map<String, Value> = view
        .results
        .each()
        .map(|(model, result)| {
            let json = model_json(view, &test.conditions, result);
            (model.name().to_owned(), json)
        })
        .collect();
    let expect: Vec<Value> = expectations(view)
        .into_iter()
        .map(|e| {
            json!({
                "condition": e.condition, "model": e.model.name(), "expected": e.expected,
                "found": e.found, "ok": e.ok, "range": view.range(e.span),
            })
        })
        .collect();
    json!({
        "uri": view.uri(),
        "version": view.snapshot.version,
        "stale": view.results.stale(),
        "state": view.results.state().word(),
        "name": test.name.name.as_str(),
        "dialect": test.dialect.word,
        "errors": error_count(view),
        "pending": view.results.insights.as_ref().map_or(0, |insights| insights.pending),
        "params": params::all(view).iter().map(|param| Param::json(param, view)).collect::<Vec<_>>(),
        "observed": observed,
        "conditions": conditions,
        "models": models,
        "expect": expect,
    })
}

fn model_json(view: &View, conditions: &[Condition], result: &ModelResult) -> Value {
    let mut json = json!({
        "state": result.state.word(),
        "version": null, "stale": false, "complete": false, "engine": null,
        "classes": 0, "blocked": 0, "deadlocks": 0, "timeUs": 0,
        "note": result.note,
        "verdicts": vec![Value::Null; conditions.len()],
        "outcomes": [], "failures": [], "deadlock": false, "boundsHit": [],
    });
    let Some(checked) = &result.checked else {
        return json;
    };
    let report: &Report = &checked.report;
    let range = |span| checked.now(span).map(|span| view.range(span));
    json["version"] = json!(checked.version);
    json["stale"] = json!(checked.stale);
    json["complete"] = json!(report.complete());
    json["engine"] = json!(report.engine.name());
    json["classes"] = json!(report.classes);
    json["blocked"] = json!(report.blocked);
    json["deadlocks"] = json!(report.deadlocks);
    json["timeUs"] = json!(report.time.as_micros() as u64);
    json["deadlock"] = json!(report.deadlock.is_some());
    json["verdicts"] = conditions
        .iter()
        .map(|condition| match checked.verdict_at(condition.span) {
            Some(r) => json!({"verdict": r.verdict.name(), "holds": r.holds, "of": r.of}),
            None => Value::Null,
        })
        .collect();
    json["outcomes"] = report
        .outcomes
        .iter()
        .enumerate()
        .map(|(index, outcome)| {
            let holds: Vec<Option<bool>> = conditions
                .iter()
                .map(|condition| {
                    let index = checked.condition_at(condition.span)?;
                    outcome.holds.get(index).copied()
                })
                .collect();
            json!({
                "index": index, "state": to_json::state(&checked.program, &outcome.state),
                "holds": holds, "classes": outcome.classes,
            })
        })
        .collect();
    json["failures"] = report
        .failures
        .iter()
        .enumerate()
        .map(|(index, failure)| {
            json!({
                "index": index, "range": range(&failure.span),
                "message": words::failure(failure.kind), "classes": failure.classes,
            })
        })
        .collect();
    json["boundsHit"] = report
        .bounds_hit
        .iter()
        .map(|hit| json!({"range": range(&hit.span), "bound": hit.bound, "explicit": hit.explicit}))
        .collect();
    json
}

/// Every `expect` of the text now, judged as far as results go.
pub fn expectations(view: &View) -> Vec<Expectation> {
    let mut all = Vec::new();
    for (index, condition) in view.parse().test.conditions.iter().enumerate() {
        let standings = verdicts::standings(view, condition);
        for expect in &condition.expect {
            let model = model(expect.model);
            let expected = frequency(expect.frequency);
            let found = standings
                .iter()
                .find(|standing| standing.model == model)
                .and_then(|standing| Some(standing.verdict()?.name()));
            all.push(Expectation {
                condition: index,
                model,
                expected,
                found,
                ok: found
                    .filter(|found| *found != "unknown")
                    .map(|found| found == expected),
                span: expect.span,
            });
        }
    }
    all
}

pub fn witness(view: &View, params: &ExecutionParams) -> Option<Value> {
    let (checked, execution) = select(view, &params.selector)?;
    let witness = witness_of(checked, &execution)?;
    let program = &checked.program;
    let place = |span: &_| json!(checked.now(span).map(|span| view.range(span)));
    let mut answer = json!({
        "uri": view.uri(),
        "version": checked.version,
        "stale": checked.stale,
        "title": title(checked, &execution),
        "outcome": match &execution {
            Execution::Outcome(values) => to_json::state(program, values),
            _ => Value::Null,
        },
        "commandLine": command_line(view, Some((checked, &execution))),
    });
    let rest = to_json::witness(program, &checked.text, &witness, &place);
    if let (Value::Object(answer), Value::Object(rest)) = (&mut answer, rest) {
        answer.extend(rest);
    }
    Some(answer)
}

pub fn graph(view: &View, params: &ExecutionParams) -> Option<Value> {
    let (checked, execution) = select(view, &params.selector)?;
    let witness = witness_of(checked, &execution)?;
    let graph = Graph::of(&checked.program, &witness);
    let title = title(checked, &execution);
    Some(json!({
        "uri": view.uri(),
        "version": checked.version,
        "stale": checked.stale,
        "model": checked.report.model.name(),
        "svg": svg::text(&checked.program, &checked.text, &graph, &title),
        "dot": dot::text(&checked.program, &graph, &title),
        "title": title,
    }))
}

/// The execution that a selector means, if there is one.
pub fn select<'v>(view: &'v View, selector: &Selector) -> Option<(&'v Checked, Execution)> {
    let wanted = |model: Model| {
        selector
            .model
            .as_ref()
            .is_none_or(|name| name.eq_ignore_ascii_case(model.name()))
    };
    view.results
        .each_checked()
        .filter(|(model, _)| wanted(*model))
        .find_map(|(_, checked)| Some((checked, execution(view, checked, selector)?)))
}

fn execution(view: &View, checked: &Checked, selector: &Selector) -> Option<Execution> {
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
        (Some(Value::Number(index)), _) => {
            let index = usize::try_from(index.as_u64()?).ok()?;
            report.outcomes.get(index)?
        }
        (Some(wanted @ Value::Object(_)), _) => report
            .outcomes
            .iter()
            .find(|outcome| to_json::state(&checked.program, &outcome.state) == *wanted)?,
        (_, Some(index)) => {
            let span = view.parse().test.conditions.get(index)?.span;
            let index = checked.condition_at(span)?;
            report
                .outcomes
                .iter()
                .find(|outcome| words::of_interest(&checked.program, index, outcome))?
        }
        _ => report.outcomes.first()?,
    };
    Some(Execution::Outcome(outcome.state.clone()))
}

pub fn witness_of<'c>(checked: &'c Checked, execution: &Execution) -> Option<Cow<'c, Witness>> {
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
) -> Option<(&'v Checked, Cow<'v, Witness>)> {
    let checked = view.results.checked(chosen.model)?;
    Some((checked, witness_of(checked, &chosen.execution)?))
}

pub fn title(checked: &Checked, execution: &Execution) -> String {
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
pub fn command_line(view: &View, shown: Option<(&Checked, &Execution)>) -> String {
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
        Some((checked, _)) => checked.lowering.clone(),
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

pub fn status(view: &View) -> Value {
    let models: Map<String, Value> = view
        .results
        .each()
        .map(|(model, result)| (model.name().to_owned(), json!(result.state.word())))
        .collect();
    let errors = error_count(view);
    let state = if errors > 0 && view.results.state() != ModelState::Checking {
        ModelState::Failed
    } else {
        view.results.state()
    };
    json!({
        "uri": view.uri(),
        "version": view.snapshot.version,
        "state": state.word(),
        "stale": view.results.stale(),
        "models": models,
        "check": view.results.check,
        "errors": errors,
        "message": status_message(view),
    })
}

pub fn closed(uri: &Url) -> Value {
    json!({
        "uri": uri, "version": null, "state": "closed", "stale": false, "models": {},
        "errors": 0, "message": "",
    })
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
    let judged = expectations(view);
    match judged.iter().filter(|e| e.ok == Some(false)).count() {
        0 if judged.is_empty() || judged.iter().any(|e| e.ok.is_none()) => {}
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

pub fn quantifier(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    }
}

pub fn model(model: ast::Model) -> Model {
    match model {
        ast::Model::Sc => Model::Sc,
        ast::Model::Tso => Model::Tso,
        ast::Model::Pso => Model::Pso,
    }
}

pub fn frequency(frequency: Frequency) -> &'static str {
    match frequency {
        Frequency::Never => "never",
        Frequency::Sometimes => "sometimes",
        Frequency::Always => "always",
    }
}
