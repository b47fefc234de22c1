//! What the protocol's structs say about tests, reports and executions.

use fencepost_checker::forbidden;
use fencepost_checker::graph::{EventKind, Graph};
use fencepost_checker::program::{Program, Value as Number};
use fencepost_checker::report::{BoundHit, Completeness, Failure, Outcome, Report};
use fencepost_checker::witness::{Action, FlushPolicy, Source, Witness};

use super::trace::{self, Change};
use super::{Look, label, words};
use crate::analysis::{Checked, Diagnostic, Lines, Severity, Standing};
use crate::protocol::witness::{self as wire, Initial, StepKind, Steps};
use crate::protocol::{Expected, Map, Named, Span, State, Value, test};

/// One test as `check --format json` prints it. Times are 0 unless `timings`, so that
/// two runs print the same.
pub fn test(checked: &Checked, timings: bool) -> test::Test {
    let lines = Lines::of(checked.text());
    let reports = checked.reports();
    let mut models = Vec::new();
    let mut expect = Vec::new();
    if let Some(program) = checked.program() {
        for report in &reports {
            let mut json = of_file(program, &lines, report);
            if !timings {
                json.time_us = 0;
            }
            models.push((Named(report.model), json));
        }
    }
    for e in checked.expectations() {
        expect.extend(e.found.map(|found| test::Expectation {
            condition: e.condition,
            model: Named(e.model),
            expected: Expected(e.expected),
            found: Named(found.verdict),
            ok: e.standing() == Standing::Met,
        }));
    }
    let of = |severity: Severity| {
        let all = checked.diagnostics.iter();
        all.filter(|d| d.severity == severity)
            .map(|d| diagnostic(&lines, d))
            .collect()
    };
    test::Test {
        file: checked.file.clone(),
        name: checked.name().to_owned(),
        dialect: Named(checked.dialect()),
        errors: of(Severity::Error),
        models: Map(models),
        expect,
        ok: checked.ok(),
        warnings: of(Severity::Warning),
    }
}

fn diagnostic(lines: &Lines, diagnostic: &Diagnostic) -> test::Diagnostic {
    let span = Span::of(lines, diagnostic.span.start, diagnostic.span.end);
    test::Diagnostic {
        code: diagnostic.code,
        message: diagnostic.message.clone(),
        line: span.start.line,
        column: span.start.column,
        end: span.end,
        help: diagnostic.help.clone(),
    }
}

/// A report on a file: conditions are the program's, places are lines and columns.
fn of_file(program: &Program, lines: &Lines, report: &Report) -> test::ModelReport {
    let conditions: Vec<Option<usize>> = (0..report.conditions.len()).map(Some).collect();
    let thread = |thread: u8| program.threads[usize::from(thread)].name.clone();
    let assertion = |_, failure: &Failure| {
        let place = lines.place(failure.span.start as usize);
        test::Assertion {
            thread: thread(failure.thread),
            line: place.line,
            column: place.column,
            message: words::failure(failure.kind),
            classes: failure.classes,
        }
    };
    let bound = |hit: &BoundHit| test::Bound {
        thread: thread(hit.thread),
        line: lines.place(hit.span.start as usize).line,
        bound: hit.bound,
        explicit: hit.explicit,
    };
    report_on(program, report, &conditions, |_, o| o, assertion, bound)
}

/// A report for one of the fronts. `conditions` are those it shows, each with its number in
/// the program, if it is there; the functions make the front's rows.
pub fn report_on<O, A, B>(
    program: &Program,
    report: &Report,
    conditions: &[Option<usize>],
    row: impl Fn(usize, test::Outcome) -> O,
    assertion: impl Fn(usize, &Failure) -> A,
    bound: impl Fn(&BoundHit) -> B,
) -> test::ModelReport<O, A, B> {
    let outcome = |outcome: &Outcome| test::Outcome {
        state: State::of(program, &outcome.state),
        classes: outcome.classes,
        holds: conditions
            .iter()
            .map(|index| outcome.holds.get((*index)?).copied())
            .collect(),
    };
    let verdict = |index: &Option<usize>| {
        let found = report.conditions.get((*index)?)?;
        Some(test::ConditionVerdict {
            verdict: Named(found.verdict),
            holds: found.holds,
            of: found.of,
        })
    };
    let outcomes = report.outcomes.iter().map(outcome).enumerate();
    let failures = report.failures.iter().enumerate();
    test::ModelReport {
        complete: report.complete(),
        engine: Some(Named(report.engine)),
        classes: report.engine.counts().then_some(report.classes),
        blocked: report.blocked,
        time_us: report.time.as_micros() as u64,
        outcomes: outcomes.map(|(index, o)| row(index, o)).collect(),
        conditions: conditions.iter().map(verdict).collect(),
        assertions: failures.map(|(index, f)| assertion(index, f)).collect(),
        deadlocks: report.deadlocks,
        bounds: report.bounds_hit.iter().map(bound).collect(),
        stopped: stopped(report.completeness),
        outcomes_complete: (report.complete() && !report.outcomes_complete).then_some(false),
    }
}

fn stopped(completeness: Completeness) -> Option<test::Stopped> {
    match completeness {
        Completeness::Complete => None,
        Completeness::OutOfTime => Some(test::Stopped::Time),
        Completeness::OutOfClasses => Some(test::Stopped::Classes),
        Completeness::OutOfMemory => Some(test::Stopped::Memory),
        Completeness::TooManyEvents => Some(test::Stopped::Events),
        Completeness::OutOfRounds => Some(test::Stopped::Rounds),
        Completeness::NotEncoded => Some(test::Stopped::Engine),
        Completeness::Cancelled => Some(test::Stopped::Cancelled),
    }
}

/// A witness, step by step, with what each step leaves behind.
/// `place` gives the place of a span, in the caller's way of counting.
pub fn witness<R>(
    program: &Program,
    text: &str,
    witness: &Witness,
    place: impl Fn(&fencepost_checker::program::Span) -> R,
) -> Steps<R> {
    let names = || program.locations.iter().map(|l| &l.name);
    let memory = |values: &[Number]| State::named(program, names().zip(values));
    let location = |loc: u16| program.locations[usize::from(loc)].name.clone();
    let moments = trace::moments(program, witness);
    let steps = witness.steps.iter().zip(&moments).enumerate();
    let steps = steps.map(|(index, (step, moment))| {
        let (kind, loc, value, source, store) = parts(program, &step.action);
        let buffers = moment.buffers.iter().map(|buffer| {
            let stores = buffer.iter().map(|b| wire::Buffered {
                location: location(b.loc),
                value: Value::of(program, b.value),
            });
            stores.collect()
        });
        wire::Step {
            index,
            thread: step.thread,
            kind,
            text: label::step(Look::PLAIN, program, text, step),
            range: place(&step.span),
            location: loc.map(location),
            value,
            source,
            store,
            buffers: buffers.collect(),
            memory: memory(&moment.memory),
            changed: moment.changed.iter().map(|c| change(program, c)).collect(),
        }
    });
    let initial: Vec<Number> = program.locations.iter().map(|l| l.init).collect();
    Steps {
        model: Named(witness.model),
        threads: (0..program.threads.len())
            .map(|t| label::thread(program, t as u8))
            .collect(),
        locations: names().cloned().collect(),
        initial: memory(&initial),
        steps: steps.collect(),
        registers: registers(program, witness),
        flushes: match witness.flushes {
            FlushPolicy::Early => wire::Flushes::Early,
            FlushPolicy::Late => wire::Flushes::Late,
        },
        forbidden: stronger(program, witness),
    }
}

/// The weakest of the stronger models that has no such execution, and why: a cycle.
fn stronger(program: &Program, witness: &Witness) -> Option<wire::Forbidden> {
    let (model, cycle) = forbidden::by_stronger(program, witness)?;
    let cycle = cycle.iter().map(|link| wire::Link {
        kind: Named(link.kind),
        from: link.from,
        to: link.to,
        text: label::edge(link.kind),
    });
    Some(wire::Forbidden {
        model: Named(model),
        text: words::not_under(model),
        cycle: cycle.collect(),
    })
}

/// Every named register at the end: `{"P0:r0": 0}`.
fn registers(program: &Program, witness: &Witness) -> State {
    let mut named = Vec::new();
    for (thread, values) in program.threads.iter().zip(&witness.registers) {
        for (name, value) in thread.reg_names.iter().zip(values) {
            if let Some(name) = name {
                let name = format!("{}:{name}", thread.name);
                named.push((name, Value::of(program, *value)));
            }
        }
    }
    State(Map(named))
}

type Parts = (
    StepKind,
    Option<u16>,
    Option<Value>,
    Option<wire::Source>,
    Option<usize>,
);

fn parts(program: &Program, action: &Action) -> Parts {
    let show = |value: &Number| Some(Value::of(program, *value));
    let from = |source: &Source| {
        Some(match source {
            Source::Initial => wire::Source::Initial(Initial::Initial),
            Source::Step(step) => wire::Source::Step(*step),
        })
    };
    match action {
        Action::Read { loc, value, source } => {
            (StepKind::Read, Some(*loc), show(value), from(source), None)
        }
        Action::Write { loc, value } => (StepKind::Write, Some(*loc), show(value), None, None),
        Action::Flush { loc, value, store } => {
            (StepKind::Flush, Some(*loc), show(value), None, Some(*store))
        }
        Action::Rmw {
            loc, read, source, ..
        } => (StepKind::Rmw, Some(*loc), show(read), from(source), None),
        Action::Fence(_) => (StepKind::Fence, None, None, None, None),
        Action::Lock { loc, source } => {
            let held = Some(Value::Number(1));
            (StepKind::Lock, Some(*loc), held, from(source), None)
        }
        Action::Unlock { loc } => {
            let free = Some(Value::Number(0));
            (StepKind::Unlock, Some(*loc), free, None, None)
        }
        Action::Stop(_) => (StepKind::Stop, None, None, None, None),
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
pub fn graph(program: &Program, graph: &Graph) -> wire::EventGraph {
    let events = graph.events.iter().map(|event| wire::Event {
        kind: match event.kind {
            EventKind::Initial { .. } => wire::EventKind::Initial,
            EventKind::Read { .. } => wire::EventKind::Read,
            EventKind::Write { .. } => wire::EventKind::Write,
            EventKind::Rmw { .. } => wire::EventKind::Rmw,
            EventKind::Fence(_) => wire::EventKind::Fence,
            EventKind::Lock { .. } => wire::EventKind::Lock,
            EventKind::Unlock { .. } => wire::EventKind::Unlock,
        },
        thread: event.thread,
        step: event.step,
        label: label::event(Look::PLAIN, program, &event.kind),
    });
    let edges = graph.edges.iter().map(|edge| wire::Edge {
        kind: Named(edge.kind),
        from: edge.from,
        to: edge.to,
    });
    wire::EventGraph {
        events: events.collect(),
        edges: edges.collect(),
    }
}
