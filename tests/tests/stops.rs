//! Budgets and the cancel flag stop every engine soon, and what is not finished says so.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fencepost_checker::lower::{LowerOptions, lower};
use fencepost_checker::{Completeness, ENGINES, Model, Options, Program, Verdict, check};

fn program(text: &str) -> Program {
    let parsed = fencepost_grammar::parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    lower(&parsed.sound().expect("a test"), &LowerOptions::default()).expect("lowers")
}

/// Far more classes than anyone waits for; `n` sets how many events an execution has.
fn endless(n: u32) -> Program {
    program(&format!(
        "litmus endless\nshared x, y;\n\
         thread A {{ for i in 0..{n} {{ x = i + 1; r = y; }} }}\n\
         thread B {{ for i in 0..{n} {{ y = i + 1; r = x; }} }}\n\
         thread C {{ for i in 0..{n} {{ a = x; b = y; }} }}\n\
         exists (A:r = 0)\n"
    ))
}

#[test]
fn cancel_stops_every_engine() {
    for engine in &ENGINES {
        // One that asks answers a small one before it can be stopped, and refuses a large one.
        let sizes = if engine.counts() {
            [8, 30, 150]
        } else {
            [60, 80, 100]
        };
        for n in sizes {
            let program = endless(n);
            for model in Model::ALL {
                let cancel = Arc::new(AtomicBool::new(false));
                let options = Options {
                    engine,
                    cancel: cancel.clone(),
                    ..Options::default()
                };
                let check = std::thread::spawn({
                    let program = program.clone();
                    move || check(&program, model, &options)
                });
                std::thread::sleep(Duration::from_millis(50));
                let start = Instant::now();
                cancel.store(true, Ordering::Relaxed);
                let report = check.join().expect("no panic");
                let waited = start.elapsed();
                assert_eq!(report.completeness, Completeness::Cancelled);
                assert_ne!(report.conditions[0].verdict, Verdict::Never);
                assert_ne!(report.conditions[0].verdict, Verdict::Always);
                // Printed, not asserted tightly: other tests run at the same time.
                let _ = writeln!(
                    std::io::stderr(),
                    "{} {} n={n}: stopped after {waited:?}, {} classes",
                    engine.name(),
                    model.name(),
                    report.classes
                );
                assert!(waited < Duration::from_secs(2), "{waited:?}");
            }
        }
    }
}

#[test]
fn budgets_stop_every_engine() {
    for engine in &ENGINES {
        let program = endless(if engine.counts() { 8 } else { 60 });
        let options = Options {
            engine,
            ..Options::default()
        };
        let time = Options {
            max_time: Some(Duration::from_millis(30)),
            ..options.clone()
        };
        let report = check(&program, Model::Tso, &time);
        assert_eq!(report.completeness, Completeness::OutOfTime, "{engine:?}");
        // These hold next to nothing, so they have no such end.
        if !["trust", "rf-part"].contains(&engine.name()) {
            let memory = Options {
                max_memory: Some(1_000),
                ..options.clone()
            };
            let report = check(&program, Model::Tso, &memory);
            assert_eq!(report.completeness, Completeness::OutOfMemory, "{engine:?}");
        }
        if engine.counts() && engine.name() != "brute" {
            let classes = Options {
                max_classes: Some(100),
                max_memory: None,
                ..options
            };
            let report = check(&program, Model::Tso, &classes);
            assert_eq!(report.completeness, Completeness::OutOfClasses);
            assert_eq!(report.classes, 100);
        }
    }
}

#[test]
fn a_program_with_exactly_as_many_classes_as_allowed_is_finished() {
    let program = program(
        "litmus SB\nshared x, y;\nthread P0 { x = 1; r = y; }\nthread P1 { y = 1; r = x; }\n\
         exists (P0:r = 0 /\\ P1:r = 0)\n",
    );
    let options = Options {
        max_classes: Some(4),
        ..Options::default()
    };
    assert!(check(&program, Model::Tso, &options).complete());
}

#[test]
fn too_many_events_are_reported_as_such() {
    let program = program(
        "litmus long\nshared x;\nthread A { for i in 0..5000 { x = i; } }\nthread B { r = x; }\n\
         exists (B:r = 1)\n",
    );
    for engine in ENGINES.iter().filter(|engine| engine.name() != "brute") {
        let options = Options {
            engine,
            ..Options::default()
        };
        let report = check(&program, Model::Pso, &options);
        assert_eq!(report.completeness, Completeness::TooManyEvents);
        assert_eq!(report.conditions[0].verdict, Verdict::Unknown);
    }
}
