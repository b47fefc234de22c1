//! Random texts of every dialect: what parses is lowered or refused with an error, and
//! where the reference engine can finish, the others agree with it.

use std::time::Duration;

use fencepost_checker::program::Model;
use fencepost_checker::{ENGINES, Engine, LowerOptions, Options, Report, check, lower};
use fencepost_tests::random::{self, Blanks};

/// Compares engines with the reference on a text; whether one could be compared.
fn judge(text: &str, engines: &[&'static Engine]) -> bool {
    let parse = fencepost_grammar::parse(text);
    let Some(sound) = parse.sound() else {
        return false;
    };
    let program = match lower(
        &sound,
        &LowerOptions {
            unroll: 2,
            ..LowerOptions::default()
        },
    ) {
        Ok(program) => program,
        Err(errors) => {
            assert!(!errors.is_empty(), "{text}");
            for error in errors {
                assert!(error.span.end as usize <= text.len(), "{text}\n{error:?}");
            }
            return false;
        }
    };
    let mut finished = false;
    for model in Model::ALL {
        let run = |engine: &'static Engine| {
            let options = Options {
                engine,
                max_time: Some(Duration::from_millis(100)),
                max_classes: Some(2_000),
                max_memory: Some(10 << 20),
                ..Options::default()
            };
            let report = check(&program, model, &options);
            assert_eq!(report.confirm(&program), Ok(()), "{} {text}", engine.name());
            report
        };
        let brute = run(Engine::named("brute").expect("the reference"));
        if !brute.complete() {
            continue;
        }
        for &engine in engines {
            let report = run(engine);
            if report.complete() {
                finished = true;
                let (engine, model) = (engine.name(), model.name());
                assert_eq!(summary(&report), summary(&brute), "{engine} {model} {text}");
            }
        }
    }
    finished
}

fn summary(report: &Report) -> String {
    let outcomes: Vec<_> = report
        .outcomes
        .iter()
        .map(|o| (&o.state, o.classes))
        .collect();
    let failures: Vec<_> = report
        .failures
        .iter()
        .map(|f| (f.thread, f.span.clone(), f.kind, f.classes))
        .collect();
    format!(
        "{} {} {} {outcomes:?} {failures:?} {:?} {:?}",
        report.classes, report.blocked, report.deadlocks, report.bounds_hit, report.conditions
    )
}

fn judge_all(texts: u64, engines: &[&'static Engine], text: impl Fn(u64) -> String) {
    let finished = (0..texts)
        .filter(|&seed| judge(&text(seed), engines))
        .count();
    assert!(
        finished > 25,
        "only {finished} of {texts} could be compared"
    );
}

#[test]
fn native() {
    judge_all(250, &[Default::default()], |seed| {
        random::native(seed, Blanks::Single)
    });
}

#[test]
fn herd() {
    judge_all(250, &[Default::default()], |seed| {
        random::herd(seed, Blanks::Single)
    });
}

/// These have what no other dialect has: locks that do not drain when they are given back and
/// that anyone may look at, atomics that are loads when they fail, addresses as values. So
/// every engine that counts classes is asked. `FENCEPOST_RANDOM` sets how many texts.
#[test]
fn c() {
    let texts = std::env::var("FENCEPOST_RANDOM").map_or(600, |n| n.parse().expect("a number"));
    let engines: Vec<&Engine> = ENGINES.iter().filter(|engine| engine.counts()).collect();
    judge_all(texts, &engines, |seed| random::c(seed, Blanks::Single));
}
