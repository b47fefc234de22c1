//! On random programs all engines find the same classes, outcomes, failures and deadlocks.
//!
//! `FENCEPOST_RANDOM` sets how many programs, `FENCEPOST_SEED` the first seed. A failing
//! program is cut down and printed as a litmus file.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fencepost_checker::program::{Model, Program, Value};
use fencepost_checker::{ENGINES, Engine, LowerOptions, Options, Report, check, lower};
use fencepost_tests::random_program::Sketch;

#[test]
fn engines_agree_on_random_programs() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| {
            text.parse()
                .unwrap_or_else(|_| panic!("{name} is not a number: {text}"))
        })
    };
    let programs = number("FENCEPOST_RANDOM", 600);
    let first = number("FENCEPOST_SEED", 1);
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let mut seen = Seen::default();
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..workers)
            .map(|worker| {
                scope.spawn(move || {
                    let mut seen = Seen::default();
                    for seed in (first + worker..first + programs).step_by(workers as usize) {
                        seen.add(&agree_or_show(seed));
                    }
                    seen
                })
            })
            .collect();
        for part in parts {
            match part.join() {
                Ok(part) => seen.add(&part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    // A program that the reference cannot finish shows nothing; nearly all must. And the
    // programs must do what the engines could differ on.
    let usual = programs >= 100;
    assert!(seen.unfinished * 100 <= programs, "{seen:?}");
    for (what, count) in [
        ("differs under TSO", seen.tso),
        ("differs under PSO", seen.pso),
        ("blocks", seen.blocked),
        ("deadlocks", seen.deadlocks),
        ("fails", seen.failures),
        ("hits a bound", seen.bounds),
    ] {
        assert!(!usual || count > 0, "no program {what}: {seen:?}");
    }
}

/// How many programs did what.
#[derive(Debug, Default)]
struct Seen {
    unfinished: u64,
    tso: u64,
    pso: u64,
    blocked: u64,
    deadlocks: u64,
    failures: u64,
    bounds: u64,
}

impl Seen {
    fn add(&mut self, other: &Seen) {
        self.unfinished += other.unfinished;
        self.tso += other.tso;
        self.pso += other.pso;
        self.blocked += other.blocked;
        self.deadlocks += other.deadlocks;
        self.failures += other.failures;
        self.bounds += other.bounds;
    }
}

/// A sketch's text, read and lowered, does what the program made of it directly does.
#[test]
fn text_and_program_agree() {
    for seed in 1..=300 {
        let sketch = Sketch::random(seed);
        let text = sketch.to_string();
        let parse = fencepost_grammar::parse(&text);
        assert!(!parse.has_errors(), "{text}\n{:?}", parse.errors);
        let lowered = lower(&parse.sound().expect("a test"), &LowerOptions::default())
            .unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
        let direct = sketch.program();
        for model in Model::ALL {
            let outcomes = |program: &Program| {
                let report = check(program, model, &Options::default());
                assert_eq!(report.confirm(program), Ok(()), "{text}");
                let mut outcomes: Vec<(String, u64)> = report
                    .outcomes
                    .iter()
                    .map(|outcome| {
                        let mut bindings: Vec<String> = program
                            .observed
                            .iter()
                            .zip(&outcome.state)
                            .map(|(observable, value)| format!("{}={value}", observable.name))
                            .collect();
                        bindings.sort();
                        (bindings.join(";"), outcome.classes)
                    })
                    .collect();
                outcomes.sort();
                let failures: u64 = report.failures.iter().map(|f| f.classes).sum();
                let counts = [report.classes, report.blocked, report.deadlocks, failures];
                (outcomes, counts)
            };
            assert_eq!(
                outcomes(&lowered),
                outcomes(&direct),
                "{}\n{text}",
                model.name()
            );
        }
    }
}

/// What the program did; panics with the cut-down program when engines differ.
fn agree_or_show(seed: u64) -> Seen {
    let sketch = Sketch::random(seed);
    match compare(&sketch) {
        Ok(seen) => seen,
        Err(_) => {
            let small = sketch.shrink(|candidate| compare(candidate).is_err());
            let why = compare(&small).expect_err("it fails after shrinking");
            panic!("seed {seed}: {why}\n\n{small}");
        }
    }
}

/// States and transitions a reference search may hold: past it, the program is left out.
const BRUTE_MEMORY: usize = 400 << 20;

fn compare(sketch: &Sketch) -> Result<Seen, String> {
    let program = sketch.program();
    let mut seen = Seen::default();
    let mut classes = Vec::new();
    let mut weaker: Option<BTreeSet<Vec<Value>>> = None;
    for model in Model::ALL {
        let run = |engine| {
            check(
                &program,
                model,
                &Options {
                    engine,
                    max_memory: Some(BRUTE_MEMORY),
                    ..Options::default()
                },
            )
        };
        let reference = Engine::named("brute").expect("the reference");
        let brute = run(reference);
        if !brute.complete() {
            seen.unfinished = 1;
            return Ok(seen);
        }
        let expected = summary(&program, &brute);
        let counts = |engine: &&Engine| engine.counts() && *engine != reference;
        for engine in ENGINES.iter().filter(counts) {
            let report = run(engine);
            let found = summary(&program, &report);
            if found != expected {
                return Err(format!(
                    "{} under {} differs from brute\n--- brute\n{expected}--- {}\n{found}",
                    engine.name(),
                    model.name(),
                    engine.name(),
                ));
            }
        }
        let states: BTreeSet<Vec<Value>> = brute.outcomes.iter().map(|o| o.state.clone()).collect();
        if let Some(stronger) = &weaker
            && !stronger.is_subset(&states)
        {
            return Err(format!("{} loses an outcome", model.name()));
        }
        weaker = Some(states);
        classes.push(brute.classes + brute.blocked);
        seen.blocked |= u64::from(brute.blocked > 0);
        seen.deadlocks |= u64::from(brute.deadlocks > 0);
        seen.failures |= u64::from(!brute.failures.is_empty());
        seen.bounds |= u64::from(!brute.bounds_hit.is_empty());
    }
    seen.tso = u64::from(classes[0] != classes[1]);
    seen.pso = u64::from(classes[1] != classes[2]);
    Ok(seen)
}

/// All that engines must agree on.
fn summary(program: &Program, report: &Report) -> String {
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "{line}");
    };
    line(format_args!(
        "{:?}, confirmed {:?}, {} classes, {} blocked, {} deadlocks (witness: {})",
        report.completeness,
        report.confirm(program),
        report.classes,
        report.blocked,
        report.deadlocks,
        report.deadlock.is_some(),
    ));
    for outcome in &report.outcomes {
        line(format_args!("{:?}: {}", outcome.state, outcome.classes));
    }
    for condition in &report.conditions {
        line(format_args!("{condition:?}"));
    }
    for failure in &report.failures {
        line(format_args!(
            "P{} at {:?}: {:?} {}",
            failure.thread, failure.span, failure.kind, failure.classes
        ));
    }
    for bound in &report.bounds_hit {
        line(format_args!("{bound:?}"));
    }
    text
}
