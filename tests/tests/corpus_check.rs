//! Every test of the corpus has the verdict and exactly the final states that are known.
//!
//! No exceptions: 1,635 files, three models, the default engine; and the reference engine
//! on those that it finishes within its budget, which must be nearly all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use fencepost_checker::program::{Model, Program};
use fencepost_checker::{ENGINES, Engine, LowerOptions, Options, Report, check, lower};
use fencepost_tests::files::{corpus, read};

const FILES: usize = 1635;

struct Known {
    file: String,
    /// The observation and the key of the states, for each of [`Model::ALL`].
    answers: [(String, String); 3],
}

fn known(corpus: &Path) -> (Vec<Known>, BTreeMap<String, String>) {
    let rows = read(&corpus.join("verdicts.tsv"));
    let known: Vec<Known> = rows
        .lines()
        .skip(1)
        .map(|row| {
            let cells: Vec<&str> = row.split('\t').collect();
            let answer = |i: usize| (cells[5 + i].to_owned(), cells[8 + i].to_owned());
            Known {
                file: cells[0].to_owned(),
                answers: [answer(0), answer(1), answer(2)],
            }
        })
        .collect();
    assert_eq!(known.len(), FILES);
    let states = read(&corpus.join("states.tsv"));
    let states = states
        .lines()
        .skip(1)
        .filter_map(|row| row.split_once('\t'))
        .map(|(key, states)| (key.to_owned(), states.to_owned()))
        .collect();
    (known, states)
}

fn program(path: &Path) -> Result<Program, String> {
    let parse = fencepost_grammar::parse(&read(path));
    if parse.has_errors() {
        return Err(format!("does not parse: {:?}", parse.errors));
    }
    lower(&parse.sound().expect("a test"), &LowerOptions::default())
        .map_err(|errors| format!("{errors:?}"))
}

/// As `states.tsv` writes them: bindings and states sorted bytewise.
fn states(program: &Program, report: &Report) -> String {
    let states: BTreeSet<String> = report
        .outcomes
        .iter()
        .map(|outcome| {
            let bindings: BTreeSet<String> = program
                .observed
                .iter()
                .zip(&outcome.state)
                .map(|(observable, &value)| format!("{}={}", observable.name, program.show(value)))
                .collect();
            Vec::from_iter(bindings).join(";")
        })
        .collect();
    Vec::from_iter(states).join("|")
}

/// Checks every so many files; how many of them were finished.
fn check_all(engine: &'static Engine, max_time: Option<Duration>, every: usize) -> usize {
    let Some(corpus) = corpus() else {
        return FILES.div_ceil(every);
    };
    let (known, state_sets) = known(&corpus);
    let mut finished = 0;
    let mut wrong = String::new();
    for Known { file, answers } in known.iter().step_by(every) {
        let program = match program(&corpus.join(file)) {
            Ok(program) => program,
            Err(error) => {
                let _ = writeln!(wrong, "{file}: {error}");
                continue;
            }
        };
        let mut complete = true;
        for (model, (observation, key)) in Model::ALL.into_iter().zip(answers) {
            let options = Options {
                engine,
                max_time,
                ..Options::default()
            };
            let report = check(&program, model, &options);
            let name = model.name();
            if let Err(defect) = report.confirm(&program) {
                let _ = writeln!(wrong, "{file} {name}: {defect}");
            }
            complete &= report.complete();
            if !report.complete() {
                continue;
            }
            let verdict = report.conditions[0].verdict.name();
            if !verdict.eq_ignore_ascii_case(observation) {
                let _ = writeln!(wrong, "{file} {name}: {verdict}, not {observation}");
            }
            let found = states(&program, &report);
            if state_sets[key] != found {
                let expected = &state_sets[key];
                let _ = writeln!(wrong, "{file} {name}:\n  found {found}\n  known {expected}");
            }
        }
        finished += usize::from(complete);
    }
    assert!(wrong.is_empty(), "{wrong}");
    finished
}

#[test]
fn every_engine_gives_the_known_answers() {
    for engine in &ENGINES {
        let (max_time, every, percent) = match engine.name() {
            // The reference searches states: some tests have too many.
            "brute" => (Some(Duration::from_secs(1)), 1, 97),
            // At complete bounds it takes hundreds of times as long as `sat`.
            "lazy" => (Some(Duration::from_millis(300)), 12, 50),
            _ => (None, 1, 100),
        };
        let finished = check_all(engine, max_time, every);
        assert!(
            finished * 100 >= FILES.div_ceil(every) * percent,
            "{} finished only {finished} of {FILES}",
            engine.name()
        );
    }
}
