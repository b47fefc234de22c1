//! Random texts of every dialect: what parses is lowered or refused with an error, and
//! where the reference engine can finish, the default engine agrees with it.

use std::time::Duration;

use fencepost_checker::program::Model;
use fencepost_checker::{Engine, LowerOptions, Options, Report, check, lower};
use fencepost_tests::random::{self, Blanks};

/// Compares the engines on a text; whether both finished under some model.
fn judge(text: &str) -> bool {
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
        let rf = run(Default::default());
        if !rf.complete() {
            continue;
        }
        let brute = run(Engine::named("brute").expect("the reference"));
        if brute.complete() {
            finished = true;
            assert_eq!(summary(&rf), summary(&brute), "{} {text}", model.name());
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

fn judge_all(text: impl Fn(u64) -> String) {
    let texts = 250;
    let finished = (0..texts).filter(|&seed| judge(&text(seed))).count();
    assert!(
        finished > 25,
        "only {finished} of {texts} could be compared"
    );
}

#[test]
fn native() {
    judge_all(|seed| random::native(seed, Blanks::Single));
}

#[test]
fn herd() {
    judge_all(|seed| random::herd(seed, Blanks::Single));
}

#[test]
fn c() {
    judge_all(|seed| random::c(seed, Blanks::Single));
}
