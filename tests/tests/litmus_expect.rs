//! Every expectation in our own tests holds, and every test has one for each model.

use fencepost_checker::program::Model;
use fencepost_checker::{
    Completeness, ENGINES, Engine, LowerOptions, Options, Program, check, lower,
};
use fencepost_tests::files::{fixture, litmus_files, read};
use std::path::Path;

/// The test as a program; panics with the reason when it is none.
fn program(file: &Path, options: &LowerOptions) -> Program {
    let parse = fencepost_grammar::parse(&read(file));
    assert!(
        !parse.has_errors(),
        "{}: {:?}",
        file.display(),
        parse.errors
    );
    lower(&parse.sound().expect("a test"), options)
        .unwrap_or_else(|errors| panic!("{}: {errors:?}", file.display()))
}

/// What is not as the file says under one model and engine.
fn problems(program: &Program, model: Model, engine: &'static Engine) -> Vec<String> {
    let options = Options {
        engine,
        ..Options::default()
    };
    let report = check(program, model, &options);
    // Engines that ask a solver say what they cannot encode; the others know everything.
    if report.completeness == Completeness::NotEncoded && !engine.counts() {
        return Vec::new();
    }
    let mut problems = Vec::new();
    if let Err(defect) = report.confirm(program) {
        problems.push(format!("a witness does not replay: {defect:?}"));
    }
    if !report.complete() {
        problems.push(format!("not finished: {:?}", report.completeness));
    }
    if report.classes == 0 {
        problems.push("no execution is complete".to_owned());
    }
    for failure in &report.failures {
        problems.push(format!("{:?} fails at {:?}", failure.kind, failure.span));
    }
    for (number, (condition, found)) in program
        .conditions
        .iter()
        .zip(&report.conditions)
        .enumerate()
    {
        let mut expected = condition.expect.iter().filter(|e| e.model == model);
        match (expected.next(), expected.next()) {
            (Some(expect), None) if expect.verdict == found.verdict => {}
            (Some(expect), None) => problems.push(format!(
                "condition {number} is expected {} and found {} ({} of {})",
                expect.verdict.name(),
                found.verdict.name(),
                found.holds,
                found.of
            )),
            (None, _) => problems.push(format!("condition {number} expects nothing")),
            (Some(_), Some(_)) => problems.push(format!("condition {number} expects two things")),
        }
    }
    problems
}

fn check_all(engine: &'static Engine) {
    let files = litmus_files(&fixture("litmus"));
    assert!(files.len() >= 130, "only {} files", files.len());
    let mut wrong = Vec::new();
    for file in &files {
        let program = program(file, &LowerOptions::default());
        assert!(
            !program.conditions.is_empty(),
            "{} asks nothing",
            file.display()
        );
        for model in Model::ALL {
            for problem in problems(&program, model, engine) {
                wrong.push(format!("{}, {}: {problem}", file.display(), model.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_engine_agrees() {
    // At complete bounds `lazy` takes hundreds of times as long: it has tests of its own.
    let engines = ENGINES.iter().filter(|engine| engine.name() != "lazy");
    engines.for_each(check_all);
}

/// So that the tests above are known to be able to fail.
#[test]
fn a_wrong_expectation_is_noticed() {
    for (file, model) in [
        ("litmus-bad/failing-expectation.litmus", Model::Tso),
        ("litmus-bad/failing-expectation-herd.litmus", Model::Tso),
        ("litmus-bad/failing-assertion.litmus", Model::Pso),
        ("litmus-bad/failing-assertion-sc.litmus", Model::Sc),
        ("litmus-bad/unlock-not-held.litmus", Model::Sc),
        ("litmus-bad/division-by-zero.litmus", Model::Sc),
        ("litmus-bad/deadlock.litmus", Model::Pso),
    ] {
        let program = program(&fixture(file), &LowerOptions::default());
        let problems = problems(&program, model, Default::default());
        assert!(!problems.is_empty(), "{file} passes under {}", model.name());
    }
}

/// Every test says what it shows, in a sentence.
#[test]
fn every_test_is_documented() {
    for folder in ["litmus", "bench"] {
        for file in litmus_files(&fixture(folder)) {
            let test = fencepost_grammar::parse(&read(&file)).test;
            let words = test
                .doc
                .as_ref()
                .map_or(0, |doc| doc.name.split_whitespace().count());
            assert!(words >= 3, "{} says little", file.display());
            let stem = file.file_stem().and_then(|stem| stem.to_str());
            assert_eq!(Some(test.name.name.as_str()), stem, "the name in the file");
        }
    }
}
