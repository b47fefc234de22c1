//! `fencepost witness`: one execution, as a table, as JSON, or as a graph.

use std::io::{self, Write};

use fencepost_checker::engine;
use fencepost_checker::graph::Graph;
use fencepost_checker::program::{Model, Program, Span, Value};
use fencepost_checker::report::Report;
use fencepost_checker::witness::Witness;

use crate::analysis::{Checked, Lines, interest};
use crate::protocol::witness::WitnessFile;
use crate::protocol::{self, State};
use crate::render::{Look, Role, dot, json as to_json, svg, witness, words};

use super::args::{WitnessArgs, WitnessFormat};
use super::check::read_one;
use super::terminal::Terminal;
use super::{Status, Trouble, errors};

/// What kind of execution is wanted.
enum Wanted {
    /// Bindings of observed places, by index.
    Outcome(Vec<(usize, Value)>),
    Condition(usize),
    Assertion,
    Deadlock,
    /// Whatever the test is about: its first condition, else what can go wrong.
    Anything,
}

struct Found {
    witness: Witness,
    /// `P0:r0=0 P1:r1=0`
    ends: String,
    /// Absent for a failure or a deadlock.
    state: Option<Vec<Value>>,
}

pub fn run(terminal: &Terminal, args: &WitnessArgs) -> Result<Status, Trouble> {
    let explore = &args.explore;
    let (_, checked) = read_one(&args.file, &explore.param, explore.lowering())?;
    let Some(program) = checked.program() else {
        let shown = errors::of(terminal.error_look, &checked, true);
        io::stderr().write_all(shown.as_bytes())?;
        return Ok(Status::Bad);
    };
    let wanted = wanted(program, args)?;
    let models: Vec<Model> = match args.model {
        Some(model) => vec![model],
        None => Model::ALL.to_vec(),
    };
    let options = args.explore.options();
    let mut reports = Vec::new();
    for model in models {
        let report = engine::check(program, model, &options);
        if let Some(found) = find(program, &report, &wanted) {
            let text = show(terminal.look, args.format, &checked, program, &found);
            io::stdout().write_all(text.as_bytes())?;
            return Ok(Status::Fine);
        }
        reports.push(report);
    }
    let text = none_found(terminal.error_look, program, &reports, &wanted, args);
    io::stderr().write_all(text.as_bytes())?;
    Ok(if reports.iter().all(Report::complete) {
        Status::Failed
    } else {
        Status::Unfinished
    })
}

fn wanted(program: &Program, args: &WitnessArgs) -> Result<Wanted, Trouble> {
    if args.assertion {
        return Ok(Wanted::Assertion);
    }
    if args.deadlock {
        return Ok(Wanted::Deadlock);
    }
    if let Some(outcome) = &args.outcome {
        return bindings(program, outcome).map(Wanted::Outcome);
    }
    match args.condition {
        None => Ok(Wanted::Anything),
        Some(index) if index < program.conditions.len() => Ok(Wanted::Condition(index)),
        Some(index) => Err(Trouble::call(
            format!("the test has no condition {index}"),
            match program.conditions.len() {
                0 => "it has none: ask for an --outcome".to_owned(),
                1 => "it has one, which is 0".to_owned(),
                many => format!("it has {many}, from 0 to {}", many - 1),
            },
        )),
    }
}

/// `0:EAX=0;1:EAX=0`; a location may be written with or without its brackets.
fn bindings(program: &Program, text: &str) -> Result<Vec<(usize, Value)>, Trouble> {
    let mut bindings = Vec::new();
    for part in text.split(';').map(str::trim).filter(|p| !p.is_empty()) {
        let Some((name, value)) = part.split_once('=') else {
            return Err(Trouble::call(
                format!("`{part}` is no binding"),
                "write NAME=VALUE, joined by `;`, for example 'P0:r0=0;P1:r1=0'",
            ));
        };
        let (name, value) = (name.trim(), value.trim());
        let bracketed = format!("[{name}]");
        let position = program
            .observed
            .iter()
            .position(|o| o.name == name || o.name == bracketed);
        let Some(index) = position else {
            return Err(not_observed(program, name));
        };
        let value = match value.parse() {
            Ok(number) => number,
            Err(_) => address(program, value)?,
        };
        bindings.push((index, value));
    }
    if bindings.is_empty() {
        return Err(Trouble::call(
            "the outcome is empty",
            "write NAME=VALUE, joined by `;`, for example 'P0:r0=0;P1:r1=0'",
        ));
    }
    Ok(bindings)
}

/// A location's name stands for its address.
fn address(program: &Program, name: &str) -> Result<Value, Trouble> {
    let position = program.locations.iter().position(|l| l.name == name);
    let address = position.and_then(|loc| program.addresses.get(loc).copied());
    address.ok_or_else(|| {
        Trouble::call(
            format!("`{name}` is no value"),
            "a value is a 64-bit number, or a location's name for its address",
        )
    })
}

fn not_observed(program: &Program, name: &str) -> Trouble {
    let names: Vec<&str> = program.observed.iter().map(|o| o.name.as_str()).collect();
    let advice = match fencepost_grammar::nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => {
            "the test observes nothing: add a condition or a `locations` list".to_owned()
        }
        None => format!("it observes {}", names.join(", ")),
    };
    Trouble::call(format!("the test does not observe `{name}`"), advice)
}

fn find(program: &Program, report: &Report, wanted: &Wanted) -> Option<Found> {
    let outcome = |index: usize| {
        let outcome = &report.outcomes[index];
        Found {
            witness: outcome.witness(program),
            ends: words::state_text(program, &outcome.state),
            state: Some(outcome.state.clone()),
        }
    };
    let position = |test: &dyn Fn(&fencepost_checker::report::Outcome) -> bool| {
        report.outcomes.iter().position(test)
    };
    let assertion = || {
        report.failures.first().map(|failure| Found {
            witness: failure.witness.clone(),
            ends: words::failing(failure.kind).to_owned(),
            state: None,
        })
    };
    let deadlock = || {
        report.deadlock.as_ref().map(|witness| Found {
            witness: witness.clone(),
            ends: "deadlock".to_owned(),
            state: None,
        })
    };
    match wanted {
        Wanted::Outcome(bindings) => {
            let fits = |o: &fencepost_checker::report::Outcome| {
                bindings.iter().all(|(i, v)| o.state[*i] == *v)
            };
            position(&fits).map(outcome)
        }
        Wanted::Condition(index) => {
            position(&|o| interest::of_interest(program, *index, o)).map(outcome)
        }
        Wanted::Assertion => assertion(),
        Wanted::Deadlock => deadlock(),
        Wanted::Anything if !program.conditions.is_empty() => {
            position(&|o| interest::of_interest(program, 0, o)).map(outcome)
        }
        Wanted::Anything => assertion()
            .or_else(deadlock)
            .or_else(|| position(&|_| true).map(outcome)),
    }
}

fn show(
    look: Look,
    format: WitnessFormat,
    checked: &Checked,
    program: &Program,
    found: &Found,
) -> String {
    let shown = &found.witness;
    let model = shown.model.name();
    let title = format!("{}: {} under {model}", checked.name(), found.ends);
    match format {
        WitnessFormat::Human => {
            let title = look.plain(&title);
            let mut text = format!("{}\n\n", look.paint(Role::Heading, &title));
            text += &witness::table(look, program, checked.text(), shown);
            if let Some(note) = witness::flush_note(shown) {
                text += &format!("\n{}\n", look.paint(Role::Faint, note));
            }
            if let Some(cycle) = witness::why_not(look, program, checked.text(), shown) {
                text += &format!("\n{cycle}");
            }
            text
        }
        WitnessFormat::Json => {
            let lines = Lines::of(checked.text());
            let place = |at: &Span| protocol::Span::of(&lines, at.start as usize, at.end as usize);
            protocol::line(&WitnessFile {
                file: checked.file.clone(),
                name: checked.name().to_owned(),
                title,
                outcome: found.state.as_ref().map(|s| State::of(program, s)),
                steps: to_json::witness(program, checked.text(), shown, place),
                graph: to_json::graph(program, &Graph::of(program, shown)),
            })
        }
        WitnessFormat::Dot => dot::text(program, &Graph::of(program, shown), &title),
        WitnessFormat::Svg => {
            let graph = Graph::of(program, shown);
            svg::text(program, checked.text(), &graph, &title)
        }
    }
}

/// No execution ends so: says under which models, and what can be had.
fn none_found(
    look: Look,
    program: &Program,
    reports: &[Report],
    wanted: &Wanted,
    args: &WitnessArgs,
) -> String {
    let what = match wanted {
        Wanted::Outcome(_) => format!("ends with {}", args.outcome.as_deref().unwrap_or("")),
        Wanted::Condition(_) | Wanted::Anything => "ends as the condition says".to_owned(),
        Wanted::Assertion => "fails an assertion".to_owned(),
        Wanted::Deadlock => "ends in a deadlock".to_owned(),
    };
    let mut text = String::new();
    let complete: Vec<Model> = reports
        .iter()
        .filter(|r| r.complete())
        .map(|r| r.model)
        .collect();
    if !complete.is_empty() {
        let models = words::models(complete);
        text += &errors::call(look, &format!("no execution under {models} {what}"), "");
    }
    for report in reports {
        let phrase = words::unfinished_phrase(look, program, report, args.explore.timeout);
        if let Some(phrase) = phrase {
            text += &errors::call(look, &phrase, "raise --timeout or --max-classes");
        }
    }
    let reachable = matches!(
        wanted,
        Wanted::Outcome(_) | Wanted::Condition(_) | Wanted::Anything
    );
    if let (Some(report), true) = (reports.last(), reachable) {
        text += &format!(
            "these have one under {} (--outcome):\n",
            report.model.name()
        );
        for outcome in report.outcomes.iter().take(MOST_SHOWN) {
            let state = words::state_text(program, &outcome.state).replace(' ', ";");
            text += &format!("  '{}'\n", look.plain(&state));
        }
        if report.outcomes.len() > MOST_SHOWN {
            let more = report.outcomes.len() - MOST_SHOWN;
            text += &format!("  and {}\n", words::counted(more as u64, "other", "others"));
        }
    }
    text
}

/// Outcomes that are listed when the one asked for does not exist.
const MOST_SHOWN: usize = 20;
