//! The symbolic engines answer as the explorers do, and every axiom of theirs is needed.
//!
//! `FENCEPOST_RANDOM` sets how many random programs of each kind, `FENCEPOST_SEED` the first seed.

use std::fmt::Write as _;

use fencepost_checker::engine::{Rule, axioms, check_without};
use fencepost_checker::program::{Model, Program};
use fencepost_checker::{
    Completeness, Engine, LowerOptions, Options, Report, Verdict, check, lower,
};
use fencepost_tests::dense;
use fencepost_tests::random_program::Sketch;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is not a number: {text}"))
    })
}

/// All that engines must agree on, whether they count classes or not.
fn summary(program: &Program, report: &Report) -> String {
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "{line}");
    };
    line(format_args!(
        "{:?}, all outcomes: {}, confirmed {:?}, some execution is complete: {}, deadlock: {}",
        report.completeness,
        report.outcomes_complete,
        report.confirm(program),
        report.classes > 0,
        report.deadlock.is_some(),
    ));
    for outcome in report.outcomes.iter() {
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

fn options(engine: &str) -> Options {
    Options {
        engine: Engine::named(engine).unwrap_or_else(|| panic!("no engine {engine}")),
        // All outcomes of all programs here, also where it takes some learning.
        list_outcomes: 5_000,
        ..Options::default()
    }
}

/// States a reference search may hold: past it, the program is compared with `rf` alone.
const BRUTE_MEMORY: usize = 100 << 20;

/// What differs between the engines and `rf`, and between `rf` and the reference.
fn compare(program: &Program, engines: &[&str]) -> Result<(), String> {
    for model in Model::ALL {
        let run = |options: &Options| check(program, model, options);
        let expected = summary(program, &run(&options("rf")));
        let brute = run(&Options {
            max_memory: Some(BRUTE_MEMORY),
            ..options("brute")
        });
        let mut all: Vec<(&str, Report)> = engines
            .iter()
            .map(|engine| (*engine, run(&options(engine))))
            .collect();
        if brute.complete() {
            all.push(("brute", brute));
        }
        for (engine, report) in &all {
            let found = summary(program, report);
            if found != expected {
                let model = model.name();
                return Err(format!("{model}\n--- rf\n{expected}--- {engine}\n{found}"));
            }
        }
    }
    Ok(())
}

fn compare_all(sketches: impl Iterator<Item = Sketch>, engines: &[&str]) {
    for sketch in sketches {
        if compare(&sketch.program(), engines).is_err() {
            let small = sketch.shrink(|less| compare(&less.program(), engines).is_err());
            let why = compare(&small.program(), engines).expect_err("it fails after shrinking");
            panic!("seed {}: {why}\n\n{small}", sketch.seed);
        }
    }
}

fn seeds(default: u64) -> std::ops::Range<u64> {
    let first = number("FENCEPOST_SEED", 1);
    first..first + number("FENCEPOST_RANDOM", default)
}

#[test]
fn sat_agrees_on_random_programs() {
    compare_all(seeds(400).map(Sketch::random), &["sat"]);
}

#[test]
fn sat_agrees_on_programs_dense_in_fences() {
    compare_all(seeds(300).map(dense::fences), &["sat"]);
}

#[test]
fn sat_agrees_on_programs_dense_in_locks() {
    compare_all(seeds(300).map(dense::locks), &["sat"]);
}

#[test]
fn both_agree_on_every_placement_of_fences_in_the_classic_shapes() {
    let shapes = dense::shapes();
    assert!(shapes.len() > 300, "only {} shapes", shapes.len());
    compare_all(shapes.into_iter(), &["sat", "lazy"]);
}

#[test]
fn lazy_agrees_at_complete_bounds() {
    compare_all(seeds(25).map(Sketch::random), &["lazy"]);
    compare_all(seeds(25).map(dense::fences), &["lazy"]);
    compare_all(seeds(25).map(dense::locks), &["lazy"]);
}

/// Programs that between them need every rule, with what they do under each model.
fn suite() -> Vec<(Program, [String; 3])> {
    let sketches = dense::shapes()
        .into_iter()
        .step_by(2)
        .chain((1..60).map(dense::fences))
        .chain((1..200).map(dense::locks))
        .chain((1..200).map(Sketch::random));
    sketches
        .map(|sketch| {
            let program = sketch.program();
            let expected =
                Model::ALL.map(|model| summary(&program, &check(&program, model, &options("rf"))));
            (program, expected)
        })
        .collect()
}

/// The rules of an engine that can be left out without anybody noticing.
fn survivors(engine: &str, rules: &[Rule]) -> Vec<Rule> {
    let suite = suite();
    let options = options(engine);
    let survives = |rule: &Rule| {
        suite.iter().all(|(program, expected)| {
            Model::ALL
                .into_iter()
                .zip(expected)
                .all(|(model, expected)| {
                    let report = check_without(*rule, program, model, &options);
                    summary(program, &report) == *expected
                })
        })
    };
    rules.iter().copied().filter(survives).collect()
}

#[test]
fn every_axiom_of_sat_is_missed() {
    assert_eq!(survivors("sat", &Rule::SAT), []);
}

#[test]
fn every_axiom_of_lazy_is_missed() {
    assert_eq!(survivors("lazy", &Rule::LAZY), []);
}

fn program(text: &str) -> Program {
    let parsed = fencepost_grammar::parse(text);
    assert!(!parsed.has_errors(), "{:?}", parsed.errors);
    lower(&parsed.sound().expect("a test"), &LowerOptions::default()).expect("lowers")
}

#[test]
fn too_few_rounds_or_timestamps_give_no_verdict() {
    let sb = program(
        "litmus SB\nshared x, y;\nthread P { x = 1; r = y; }\nthread Q { y = 1; r = x; }\n\
         exists (P:r = 0 /\\ Q:r = 0)\nexists (P:r = 1 /\\ Q:r = 1)\n",
    );
    let verdicts = |rounds, timestamps, model| {
        let options = Options {
            rounds,
            timestamps,
            ..options("lazy")
        };
        let report = check(&sb, model, &options);
        let verdicts: Vec<Verdict> = report.conditions.iter().map(|c| c.verdict).collect();
        (report.completeness, verdicts)
    };
    let (enough, few) = (Completeness::Complete, Completeness::OutOfRounds);
    let (never, sometimes, unknown) = (Verdict::Never, Verdict::Sometimes, Verdict::Unknown);
    assert_eq!(
        verdicts(None, None, Model::Tso),
        (enough, vec![sometimes, sometimes])
    );
    assert_eq!(
        verdicts(None, None, Model::Sc),
        (enough, vec![never, sometimes])
    );
    // In one round P is done before Q starts, so that nobody misses what the other stored.
    assert_eq!(
        verdicts(Some(1), Some(0), Model::Tso),
        (few, vec![unknown, unknown])
    );
    // What is found is real, however little is looked for.
    assert_eq!(
        verdicts(Some(1), None, Model::Tso),
        (few, vec![sometimes, unknown])
    );
}

#[test]
fn replicas_are_told_apart_only_where_it_matters() {
    let text = "litmus inc\nshared x;\nthread T[i in 0..4] { repeat 3 { r = x; x = r + 1; } }\n\
                exists (x = 2)\nexists (x = 1)\nexists (x = 12)\nexists (x = 13)\n";
    let report = check(&program(text), Model::Tso, &options("sat"));
    let verdicts: Vec<&str> = report.conditions.iter().map(|c| c.verdict.name()).collect();
    assert_eq!(verdicts, ["sometimes", "never", "sometimes", "never"]);
    assert_eq!(report.defect, None);
}

#[test]
fn axioms_name_the_statements_they_speak_of() {
    let text = "litmus MP\nshared x, y;\nthread P { x = 1; sfence; y = 1; }\n\
                thread Q { a = y; b = x; }\nexists (Q:a = 1 /\\ Q:b = 0)\n";
    let program = program(text);
    let told = |model| {
        let mut told: Vec<String> = axioms(&program, model, &Options::default())
            .expect("small")
            .into_iter()
            .filter(|(rule, _)| !matches!(rule, Rule::Gate | Rule::Transitive))
            .map(|(rule, sites)| {
                let lines = sites.iter().map(|&(thread, pc)| {
                    let span = &program.threads[thread as usize].spans[pc as usize];
                    &text[span.start as usize..span.end as usize]
                });
                format!("{rule:?}: {}", Vec::from_iter(lines).join(" | "))
            })
            .collect();
        told.sort();
        told.dedup();
        told
    };
    let weak = told(Model::Pso);
    for axiom in [
        "StoreFence: x = 1; | y = 1; | sfence;",
        "AfterLoad: a = y; | b = x;",
        "SourceBefore: a = y; | y = 1;",
        "FromInitial: b = x; | x = 1;",
    ] {
        assert!(
            weak.iter().any(|told| told == axiom),
            "{axiom} in {weak:#?}"
        );
    }
    let strong = told(Model::Tso);
    assert!(
        strong
            .iter()
            .any(|told| told == "StoreOrder: x = 1; | y = 1;")
    );
    assert!(!strong.iter().any(|told| told.starts_with("StoreFence")));
}

#[test]
fn what_the_filter_drops_is_complete_all_the_same() {
    let text = "litmus F\nshared x;\nthread P { x = 1; }\nfilter (x = 2)\nexists (x = 1)\n";
    let program = program(text);
    for list_outcomes in [0, 10] {
        let options = Options {
            list_outcomes,
            ..options("sat")
        };
        let report = check(&program, Model::Tso, &options);
        assert_eq!(report.completeness, Completeness::Complete);
        assert_eq!(report.conditions[0].verdict, Verdict::Never);
        assert!(report.classes > 0 && report.outcomes.is_empty());
    }
}
