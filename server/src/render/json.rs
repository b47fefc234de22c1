//! The JSON that scripts depend on: fields are added, never renamed.

use fencepost_checker::forbidden;
use fencepost_checker::graph::{Event, EventKind, Graph};
use fencepost_checker::program::{Program, Span, Value};
use fencepost_checker::report::{Completeness, Outcome, Report};
use fencepost_checker::witness::{Action, FlushPolicy, Source, Witness};
use serde_json::{Map, Value as Json, json};

use super::trace::{self, Change};
use super::{Look, label, words};
use crate::checked::Checked;
use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::{Standing, expectations};
use crate::place::Lines;

/// Numbers that every JSON reader keeps exactly.
const EXACT: Value = (1 << 53) - 1;

/// One test as `check --format json` prints it. Times are 0 unless `timings`, so that
/// two runs print the same.
pub fn test(checked: &Checked, timings: bool) -> Json {
    let lines = Lines::of(&checked.text);
    let reports = checked.reports();
    let mut models = Map::new();
    let mut expect = Vec::new();
    if let Some(program) = &checked.program {
        for report in &reports {
            let json = model(program, &lines, report, timings);
            models.insert(report.model.name().to_owned(), json);
        }
        for e in expectations(program, &reports) {
            expect.push(json!({
                "condition": e.condition,
                "model": e.model.name(),
                "expected": e.expected.name(),
                "found": e.found.name(),
                "ok": e.standing() == Standing::Met,
            }));
        }
    }
    let errors: Vec<Json> = checked
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
        .map(|d| diagnostic(&lines, d))
        .collect();
    let warnings: Vec<Json> = checked
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Warning)
        .map(|d| diagnostic(&lines, d))
        .collect();
    json!({
        "file": checked.file,
        "name": checked.name,
        "dialect": checked.dialect,
        "errors": errors,
        "models": models,
        "expect": expect,
        "ok": checked.ok(),
        "warnings": warnings,
    })
}

fn diagnostic(lines: &Lines, diagnostic: &Diagnostic) -> Json {
    let start = lines.place(diagnostic.span.start);
    let end = lines.place(diagnostic.span.end);
    json!({
        "code": diagnostic.code,
        "message": diagnostic.message,
        "line": start.line,
        "column": start.column,
        "end": {"line": end.line, "column": end.column},
        "help": diagnostic.help,
    })
}

fn model(program: &Program, lines: &Lines, report: &Report, timings: bool) -> Json {
    let place = |span: &Span| lines.place(span.start as usize);
    let outcomes: Vec<Json> = report
        .outcomes
        .iter()
        .map(|o| outcome(program, o))
        .collect();
    let conditions: Vec<Json> = report
        .conditions
        .iter()
        .map(|c| json!({"verdict": c.verdict.name(), "holds": c.holds, "of": c.of}))
        .collect();
    let assertions: Vec<Json> = report
        .failures
        .iter()
        .map(|failure| {
            let place = place(&failure.span);
            json!({
                "thread": program.threads[usize::from(failure.thread)].name,
                "line": place.line,
                "column": place.column,
                "message": words::failure(failure.kind),
                "classes": failure.classes,
            })
        })
        .collect();
    let bounds: Vec<Json> = report
        .bounds_hit
        .iter()
        .map(|hit| {
            json!({
                "thread": program.threads[usize::from(hit.thread)].name,
                "line": place(&hit.span).line,
                "bound": hit.bound,
                "explicit": hit.explicit,
            })
        })
        .collect();
    let mut model = json!({
        "complete": report.complete(),
        "engine": report.engine.name(),
        "classes": report.engine.counts().then_some(report.classes),
        "blocked": report.blocked,
        "time_us": if timings { report.time.as_micros() as u64 } else { 0 },
        "outcomes": outcomes,
        "conditions": conditions,
        "assertions": assertions,
        "deadlocks": report.deadlocks,
        "bounds": bounds,
        "stopped": stopped(report.completeness),
    });
    if report.complete() && !report.outcomes_complete {
        model["outcomes_complete"] = json!(false);
    }
    model
}

/// Why a check is not complete; null when it is.
fn stopped(completeness: Completeness) -> Option<&'static str> {
    match completeness {
        Completeness::Complete => None,
        Completeness::OutOfTime => Some("time"),
        Completeness::OutOfClasses => Some("classes"),
        Completeness::OutOfMemory => Some("memory"),
        Completeness::TooManyEvents => Some("events"),
        Completeness::OutOfRounds => Some("rounds"),
        Completeness::Cancelled => Some("cancelled"),
    }
}

fn outcome(program: &Program, outcome: &Outcome) -> Json {
    json!({
        "state": state(program, &outcome.state),
        "classes": outcome.classes,
        "holds": outcome.holds,
    })
}

/// An object from what is observed, as the file names it, to its value.
pub fn state(program: &Program, values: &[Value]) -> Json {
    let bindings = program.observed.iter().zip(values);
    Json::Object(
        bindings
            .map(|(o, v)| (o.name.clone(), value(program, *v)))
            .collect(),
    )
}

/// A number; as a string where a reader may lose digits; a location's name for its address.
pub fn value(program: &Program, value: Value) -> Json {
    match program.location_at(value) {
        Some(loc) => json!(program.locations[usize::from(loc)].name),
        None => integer(value),
    }
}

/// A number as far as every reader's go, beyond that its digits.
pub fn integer(value: Value) -> Json {
    if (-EXACT..=EXACT).contains(&value) {
        json!(value)
    } else {
        json!(value.to_string())
    }
}

/// A witness, step by step, with what each step leaves behind.
/// `place` gives the place of a span, in the caller's way of counting.
pub fn witness(
    program: &Program,
    text: &str,
    witness: &Witness,
    place: &dyn Fn(&Span) -> Json,
) -> Json {
    let moments = trace::moments(program, witness);
    let location = |loc: u16| json!(program.locations[usize::from(loc)].name);
    let memory = |values: &[Value]| {
        let named = program.locations.iter().zip(values);
        Json::Object(
            named
                .map(|(l, v)| (l.name.clone(), value(program, *v)))
                .collect(),
        )
    };
    let steps: Vec<Json> = witness
        .steps
        .iter()
        .zip(&moments)
        .enumerate()
        .map(|(index, (step, moment))| {
            let (kind, loc, val, source, store) = parts(program, &step.action);
            let buffers: Vec<Vec<Json>> = moment
                .buffers
                .iter()
                .map(|buffer| {
                    let stores = buffer.iter();
                    stores
                        .map(|b| json!({"location": location(b.loc), "value": value(program, b.value)}))
                        .collect()
                })
                .collect();
            let changed: Vec<String> = moment.changed.iter().map(|c| change(program, c)).collect();
            json!({
                "index": index,
                "thread": step.thread,
                "kind": kind,
                "text": label::step(Look::PLAIN, program, text, step),
                "range": place(&step.span),
                "location": loc.map(location),
                "value": val,
                "source": source,
                "store": store,
                "buffers": buffers,
                "memory": memory(&moment.memory),
                "changed": changed,
            })
        })
        .collect();
    let initial: Vec<Value> = program.locations.iter().map(|l| l.init).collect();
    let threads: Vec<String> = (0..program.threads.len())
        .map(|t| label::thread(program, t as u8))
        .collect();
    let locations: Vec<&str> = program.locations.iter().map(|l| l.name.as_str()).collect();
    json!({
        "model": witness.model.name(),
        "threads": threads,
        "locations": locations,
        "initial": memory(&initial),
        "steps": steps,
        "registers": registers(program, witness),
        "flushes": match witness.flushes {
            FlushPolicy::Early => "early",
            FlushPolicy::Late => "late",
        },
        "forbidden": stronger(program, witness),
    })
}

/// The weakest of the stronger models that has no such execution, and why: a cycle.
fn stronger(program: &Program, witness: &Witness) -> Json {
    let Some((model, cycle)) = forbidden::by_stronger(program, witness) else {
        return Json::Null;
    };
    let cycle: Vec<Json> = cycle
        .iter()
        .map(|link| {
            json!({
                "kind": link.kind.name(), "from": link.from, "to": link.to,
                "text": label::edge(link.kind),
            })
        })
        .collect();
    json!({"model": model.name(), "text": words::not_under(model), "cycle": cycle})
}

/// Every named register at the end: `{"P0:r0": 0}`.
fn registers(program: &Program, witness: &Witness) -> Json {
    let mut named = Map::new();
    for (thread, values) in program.threads.iter().zip(&witness.registers) {
        for (name, v) in thread.reg_names.iter().zip(values) {
            if let Some(name) = name {
                named.insert(format!("{}:{name}", thread.name), value(program, *v));
            }
        }
    }
    Json::Object(named)
}

type Parts = (&'static str, Option<u16>, Json, Json, Json);

fn parts(program: &Program, action: &Action) -> Parts {
    let show = |v: Value| value(program, v);
    let from = |source: &Source| match source {
        Source::Initial => json!("initial"),
        Source::Step(step) => json!(step),
    };
    let none = Json::Null;
    match action {
        Action::Read { loc, value, source } => {
            ("read", Some(*loc), show(*value), from(source), none)
        }
        Action::Write { loc, value } => ("write", Some(*loc), show(*value), none.clone(), none),
        Action::Flush { loc, value, store } => {
            ("flush", Some(*loc), show(*value), none, json!(store))
        }
        Action::Rmw {
            loc, read, source, ..
        } => ("rmw", Some(*loc), show(*read), from(source), none),
        Action::Fence(_) => ("fence", None, none.clone(), none.clone(), none),
        Action::Lock { loc, source } => ("lock", Some(*loc), json!(1), from(source), none),
        Action::Unlock { loc } => ("unlock", Some(*loc), json!(0), none.clone(), none),
        Action::Stop(_) => ("stop", None, none.clone(), none.clone(), none),
    }
}

fn change(program: &Program, change: &Change) -> String {
    let location = |loc: u16| &program.locations[usize::from(loc)].name;
    match change {
        Change::Memory(loc) => format!("memory:{}", location(*loc)),
        Change::Buffer(thread, loc) => {
            format!(
                "buffer:{}:{}",
                label::thread(program, *thread),
                location(*loc)
            )
        }
        Change::Register(thread, reg) => {
            let of = &program.threads[usize::from(*thread)];
            let name = of
                .reg_names
                .get(usize::from(*reg))
                .and_then(Option::as_deref);
            format!("register:{}:{}", of.name, name.unwrap_or_default())
        }
    }
}

/// The execution graph: events and the edges between them.
pub fn graph(program: &Program, graph: &Graph) -> Json {
    let events: Vec<Json> = graph.events.iter().map(|e| event(program, e)).collect();
    let edges: Vec<Json> = graph
        .edges
        .iter()
        .map(|e| json!({"kind": e.kind.name(), "from": e.from, "to": e.to}))
        .collect();
    json!({"events": events, "edges": edges})
}

fn event(program: &Program, event: &Event) -> Json {
    let kind = match event.kind {
        EventKind::Initial { .. } => "initial",
        EventKind::Read { .. } => "read",
        EventKind::Write { .. } => "write",
        EventKind::Rmw { .. } => "rmw",
        EventKind::Fence(_) => "fence",
        EventKind::Lock { .. } => "lock",
        EventKind::Unlock { .. } => "unlock",
    };
    json!({
        "kind": kind,
        "thread": event.thread,
        "step": event.step,
        "label": label::event(Look::PLAIN, program, &event.kind),
    })
}
