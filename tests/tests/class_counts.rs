//! The class counts of the papers' tables, for every program of `tests/bench`.

use fencepost_checker::{ENGINES, Engine, Model, Options, check};
use fencepost_tests::counts;

/// Rows with more classes than this are left to the benchmark, unless `FENCEPOST_CLASSES`
/// raises it.
const MAX_CLASSES: u64 = 600_000;

fn compare(engine: &'static Engine, max_classes: u64) {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for row in counts::rows() {
        let program = row.program();
        for model in Model::ALL {
            let expected = row.classes(model);
            if expected > max_classes {
                continue;
            }
            let report = check(
                &program,
                model,
                &Options {
                    engine,
                    ..Options::default()
                },
            );
            assert!(report.complete(), "{}({}) {model:?}", row.name, row.n);
            assert_eq!(report.defect, None, "{}({}) {model:?}", row.name, row.n);
            compared += 1;
            if report.classes != expected {
                wrong.push(format!(
                    "{}({}) {}: {} classes, not {expected}",
                    row.name,
                    row.n,
                    model.name(),
                    report.classes
                ));
            }
        }
    }
    assert!(compared > 40, "only {compared} rows compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_default_engine_finds_the_classes_of_the_papers() {
    let max = std::env::var("FENCEPOST_CLASSES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(MAX_CLASSES);
    compare(Default::default(), max);
}

#[test]
fn the_other_engines_find_them_too() {
    for engine in ENGINES[1..].iter().filter(|engine| engine.counts()) {
        // The reference searches states, which are many more than classes.
        let brute = engine.name() == "brute";
        compare(engine, if brute { 1_300 } else { 10_000 });
    }
}
