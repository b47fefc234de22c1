//! The class counts of the papers' tables, for every program of `tests/bench`.

use fencepost_checker::{EngineKind, Model, Options, check};
use fencepost_tests::counts;

/// Rows with more classes than this are left to the benchmark, unless `FENCEPOST_CLASSES`
/// raises it.
const MAX_CLASSES: u64 = 600_000;

fn compare(engine: EngineKind, max_classes: u64) {
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
fn rf_finds_the_classes_of_the_papers() {
    let max = std::env::var("FENCEPOST_CLASSES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(MAX_CLASSES);
    compare(EngineKind::Rf, max);
}

#[test]
fn rf_part_finds_them_too() {
    compare(EngineKind::RfPart, 10_000);
}

/// The states of the operational models, so only the small ones.
#[test]
fn brute_finds_them_too() {
    compare(EngineKind::Brute, 1_300);
}
