//! Every weak outcome of the corpus has a cycle that tells why a stronger model forbids it.

use std::path::Path;

use fencepost_checker::forbidden::{Before, why_not};
use fencepost_checker::graph::EdgeKind;
use fencepost_checker::program::{LocId, Model, Program};
use fencepost_checker::witness::{Action, Source, Witness};
use fencepost_checker::{LowerOptions, Options, check, lower};
use fencepost_tests::files::{corpus, fixture, litmus_files, read};

fn written(action: &Action) -> Option<LocId> {
    match *action {
        Action::Write { loc, .. }
        | Action::Lock { loc, .. }
        | Action::Unlock { loc }
        | Action::Rmw {
            loc,
            written: Some(_),
            ..
        } => Some(loc),
        _ => None,
    }
}

fn read_by(action: &Action) -> Option<(LocId, Source)> {
    match *action {
        Action::Read { loc, source, .. }
        | Action::Rmw { loc, source, .. }
        | Action::Lock { loc, source } => Some((loc, source)),
        _ => None,
    }
}

/// Whether the witness's own steps bear the relation out.
fn is_true(witness: &Witness, link: &Before) -> bool {
    let (from, to) = (&witness.steps[link.from], &witness.steps[link.to]);
    match link.kind {
        EdgeKind::Po => from.thread == to.thread && link.from < link.to,
        EdgeKind::Rf => {
            read_by(&to.action).map(|r| r.1) == Some(Source::Step(link.from))
                && written(&from.action).is_some()
        }
        EdgeKind::Co => {
            written(&from.action).is_some() && written(&from.action) == written(&to.action)
        }
        EdgeKind::Fr => {
            let read = read_by(&from.action);
            read.map(|r| r.0) == written(&to.action)
                && read.map(|r| r.1) != Some(Source::Step(link.to))
        }
    }
}

/// How many outcomes of a weaker model a stronger one forbids, after their cycles were checked.
fn explained(name: &str, program: &Program) -> usize {
    let reports = Model::ALL.map(|model| check(program, model, &Options::default()));
    let mut count = 0;
    for (k, report) in reports.iter().enumerate().skip(1) {
        let stronger = &reports[k - 1];
        for outcome in &report.outcomes {
            let witness = outcome.witness(program);
            assert_eq!(why_not(program, &witness, report.model), None, "{name}");
            if stronger.outcomes.iter().any(|o| o.state == outcome.state) {
                continue;
            }
            let cycle = why_not(program, &witness, stronger.model)
                .unwrap_or_else(|| panic!("{name}: {witness:?} under {:?}", stronger.model));
            for (link, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                assert_eq!(link.to, next.from, "{name}: {cycle:?}");
                assert!(is_true(&witness, link), "{name}: {link:?} in {witness:?}");
            }
            count += 1;
        }
    }
    count
}

/// Checks the cycles of all tests in a folder, which must have that many weak outcomes.
fn check_folder(folder: &Path, least: usize) {
    let mut count = 0;
    for path in litmus_files(folder) {
        let parse = fencepost_grammar::parse(&read(&path));
        let program =
            lower(&parse.sound().expect("a test"), &LowerOptions::default()).expect("it lowers");
        count += explained(&path.display().to_string(), &program);
    }
    assert!(count >= least, "only {count} outcomes");
}

#[test]
fn weak_outcomes_have_a_cycle() {
    check_folder(&fixture("litmus"), 70);
}

#[test]
fn weak_outcomes_of_the_corpus_have_a_cycle() {
    if let Some(corpus) = corpus() {
        check_folder(&corpus, 3_000);
    }
}
