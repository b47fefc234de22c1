//! The symbolic engines answer as the explorers do, and every axiom of theirs is needed.
//!
//! `FENCEPOST_RANDOM` sets how many random programs, `FENCEPOST_SEED` the first seed.

use std::fmt::Write as _;

use fencepost_checker::program::{Model, Program};
use fencepost_checker::{EngineKind, Options, Report, check};
use fencepost_tests::random_program::Sketch;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is not a number: {text}"))
    })
}

/// All that engines must agree on that count no classes.
fn summary(program: &Program, report: &Report) -> String {
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "{line}");
    };
    line(format_args!(
        "{:?}, confirmed {:?}, deadlock: {}",
        report.completeness,
        report.confirm(program),
        report.deadlock.is_some(),
    ));
    for outcome in &report.outcomes {
        line(format_args!("{:?}", outcome.state));
    }
    for condition in &report.conditions {
        line(format_args!("{:?}", condition.verdict));
    }
    for failure in &report.failures {
        let at = (failure.thread, &failure.span, failure.kind);
        line(format_args!("{at:?}"));
    }
    for bound in &report.bounds_hit {
        line(format_args!("{bound:?}"));
    }
    text
}

fn run(program: &Program, model: Model, engine: EngineKind) -> Report {
    let options = Options {
        engine,
        ..Options::default()
    };
    check(program, model, &options)
}

fn compare(program: &Program) -> Result<(), String> {
    for model in Model::ALL {
        let reference = summary(program, &run(program, model, EngineKind::Rf));
        let found = summary(program, &run(program, model, EngineKind::Sat));
        if found != reference {
            return Err(format!(
                "{}\n--- rf\n{reference}--- sat\n{found}",
                model.name()
            ));
        }
    }
    Ok(())
}

#[test]
fn sat_agrees_on_random_programs() {
    let programs = number("FENCEPOST_RANDOM", 600);
    let first = number("FENCEPOST_SEED", 1);
    for seed in first..first + programs {
        let sketch = Sketch::random(seed);
        if compare(&sketch.program()).is_err() {
            let small = sketch.shrink(|candidate| compare(&candidate.program()).is_err());
            let why = compare(&small.program()).expect_err("it fails after shrinking");
            panic!("seed {seed}: {why}\n\n{small}");
        }
    }
}
