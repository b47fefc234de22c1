//! The benchmark programs have the class counts that the papers and their tools report.
//!
//! The large rows take a minute and are left to the ignored test (`-- --ignored`).

use std::fmt::Write as _;

use fencepost_checker::program::Model;
use fencepost_checker::{EngineKind, LowerOptions, Options, check, lower};
use fencepost_tests::files::{fixture, read};

/// Rows with more classes than this are large.
const LARGE: u64 = 60_000;

fn check_rows(engine: EngineKind, wanted: impl Fn(u64) -> bool) {
    let mut wrong = String::new();
    let mut checked = 0;
    for row in read(&fixture("bench/counts.tsv")).lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [file, n, counts @ ..] = cells.as_slice() else {
            panic!("a row has a file, a number and counts: {row}");
        };
        let number = |text: &str| -> u64 {
            text.parse()
                .unwrap_or_else(|_| panic!("{text} is no number: {row}"))
        };
        let counts: Vec<u64> = counts.iter().map(|text| number(text)).collect();
        if !wanted(counts.iter().copied().max().unwrap_or_default()) {
            continue;
        }
        let parse = fencepost_grammar::parse(&read(&fixture("bench").join(file)));
        assert!(!parse.has_errors(), "{file}: {:?}", parse.errors);
        let options = LowerOptions {
            params: vec![("N".to_owned(), number(n) as i64)],
            ..LowerOptions::default()
        };
        let program =
            lower(&parse.test, &options).unwrap_or_else(|errors| panic!("{file}: {errors:?}"));
        for (model, known) in Model::ALL.into_iter().zip(counts) {
            let options = Options {
                engine,
                ..Options::default()
            };
            let report = check(&program, model, &options);
            checked += 1;
            if !report.complete() || report.classes != known || report.defect.is_some() {
                let _ = writeln!(
                    wrong,
                    "{file} N={n} {} {}: {} classes ({:?}, {:?}), not {known}",
                    engine.name(),
                    model.name(),
                    report.classes,
                    report.completeness,
                    report.defect,
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(checked >= 30, "only {checked} counts were checked");
}

#[test]
fn rf_finds_the_known_number_of_classes() {
    check_rows(EngineKind::Rf, |most| most <= LARGE);
}

#[test]
fn rf_part_finds_the_known_number_of_classes() {
    // It also explores partial executions: many, for programs of many readers.
    check_rows(EngineKind::RfPart, |most| most <= LARGE / 10);
}

#[test]
#[ignore = "takes minutes"]
fn rf_finds_the_known_number_of_classes_of_large_rows() {
    check_rows(EngineKind::Rf, |most| most > LARGE);
}
