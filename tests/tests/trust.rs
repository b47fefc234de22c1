//! The engine `trust`: programs that a simpler reading of TruSt gets wrong, and large random
//! programs against `rf`.
//!
//! `FENCEPOST_LARGE` sets how many large programs, `FENCEPOST_SEED` the first seed.

use std::fmt::Write as _;
use std::time::Duration;

use fencepost_checker::{Engine, LowerOptions, Model, Options, Program, Report, check, lower};
use fencepost_tests::random_program::Sketch;

fn engine(name: &str) -> &'static Engine {
    Engine::named(name).unwrap_or_else(|| panic!("no engine {name}"))
}

fn run(program: &Program, model: Model, name: &str, max_time: Option<Duration>) -> Report {
    let options = Options {
        engine: engine(name),
        max_time,
        ..Options::default()
    };
    check(program, model, &options)
}

/// A program of the threads' bodies, and the classes it has under each model: complete ones and
/// those that block.
fn expect(threads: &[&str], expected: [(u64, u64); 3]) {
    let mut text = "litmus T\nshared x, y, z, u, v;\nmutex m;\n".to_owned();
    for (t, body) in threads.iter().enumerate() {
        let _ = writeln!(text, "thread P{t} {{ {body} }}");
    }
    let parse = fencepost_grammar::parse(&text);
    assert!(!parse.has_errors(), "{text}\n{:?}", parse.errors);
    let program = lower(&parse.sound().expect("a test"), &LowerOptions::default())
        .unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    for (model, expected) in Model::ALL.into_iter().zip(expected) {
        for name in ["trust", "rf"] {
            let report = run(&program, model, name, None);
            assert_eq!(
                (report.classes, report.blocked),
                expected,
                "{name} under {}\n{text}",
                model.name()
            );
        }
    }
}

/// The coherence that decides what is maximal is that of what is kept, without the read.
#[test]
fn what_is_last_is_asked_without_the_read() {
    expect(&["x = 1;", "x = 2; r = x;", "x = 3;"], [(3, 0); 3]);
}

/// It does not depend on the order of insertion, nor on the execution that is carried along.
#[test]
fn what_is_last_depends_on_the_kept_events_alone() {
    expect(
        &[
            "a = y; b = x;",
            "x = 1; u = 1;",
            "x = 2; v = 1;",
            "c = u; d = v; y = 1;",
        ],
        [(21, 0), (21, 0), (24, 0)],
    );
}

/// It is that of an execution, and not merely of the last write.
#[test]
fn what_is_last_is_consistent() {
    expect(&["x = 1;", "x = 2; a = x; b = x;", "x = 3;"], [(7, 0); 3]);
}

/// An RMW tries the sources that another has taken, for its revisits' sake.
#[test]
fn a_taken_source_is_tried_for_revisits() {
    expect(&["a = xchg(x, 1);", "b = fetch_add(x, 0);"], [(2, 0); 3]);
}

/// An RMW that is revisited and writes now revisits in turn.
#[test]
fn a_revisited_rmw_revisits() {
    expect(
        &["r = x;", "a = cas(x, 2, 1);", "b = cas(x, 0, 2);"],
        [(5, 0); 3],
    );
}

/// A thread that comes to wait for a mutex later could have had it.
#[test]
fn a_waiting_thread_replaces_a_lock() {
    expect(&["lock(m);", "x = 2; lock(m);"], [(0, 2); 3]);
}

/// Only the lock of the thread that comes first is replaced.
#[test]
fn only_a_default_lock_is_replaced() {
    expect(&["lock(m);", "lock(m);", "x = 2; lock(m);"], [(0, 3); 3]);
}

/// A replaced lock stands last in its block. Small programs do not show this.
#[test]
fn a_replacing_lock_stands_last() {
    let body = |i: u32| {
        format!(
            "r = y; lock(m); v = x; x = v + 1; unlock(m); y = {};",
            i + 1
        )
    };
    let bodies: Vec<String> = (0..3).map(body).collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    expect(&bodies, [(36, 0); 3]);
}

/// Locks are not tried and found taken: five threads have 120 orders, and nothing else.
#[test]
fn locks_waste_nothing() {
    let body = "lock(m); v = x; x = v + 1; unlock(m);";
    expect(&[body; 5], [(120, 0); 3]);
}

#[test]
fn trust_agrees_with_rf_on_large_random_programs() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| {
            text.parse()
                .unwrap_or_else(|_| panic!("{name} is not a number: {text}"))
        })
    };
    let programs = number("FENCEPOST_LARGE", 200);
    let first = number("FENCEPOST_SEED", 1);
    let mut compared = 0;
    let mut classes = 0;
    for seed in first..first + programs {
        let sketch = Sketch::large(seed);
        match compare(&sketch) {
            Ok(found) => {
                compared += u64::from(found > 0);
                classes += found;
            }
            Err(_) => {
                let small = sketch.shrink(|candidate| compare(candidate).is_err());
                let why = compare(&small).expect_err("it fails after shrinking");
                panic!("seed {seed}: {why}\n\n{small}");
            }
        }
    }
    assert!(
        compared * 4 >= programs,
        "only {compared} of {programs} programs are small enough to compare"
    );
    assert!(classes > programs * 100, "only {classes} classes compared");
}

/// Programs that take longer are left out.
const LONGEST: Duration = Duration::from_millis(50);

/// How many classes were compared; what differs.
fn compare(sketch: &Sketch) -> Result<u64, String> {
    let program = sketch.program();
    let mut classes = 0;
    for model in Model::ALL {
        let trust = run(&program, model, "trust", Some(LONGEST));
        if !trust.complete() {
            continue;
        }
        let rf = run(&program, model, "rf", None);
        let (expected, found) = (summary(&rf), summary(&trust));
        if expected != found {
            let model = model.name();
            return Err(format!("{model}\n--- rf\n{expected}--- trust\n{found}"));
        }
        classes += rf.classes + rf.blocked;
    }
    Ok(classes)
}

/// All that the engines must agree on.
fn summary(report: &Report) -> String {
    let mut text = format!(
        "defect {:?}, {} classes, {} blocked, {} deadlocks\n",
        report.defect, report.classes, report.blocked, report.deadlocks,
    );
    for outcome in &report.outcomes {
        let _ = writeln!(text, "{:?}: {}", outcome.state, outcome.classes);
    }
    for failure in &report.failures {
        let _ = writeln!(
            text,
            "P{} at {:?}: {:?} {}",
            failure.thread, failure.span, failure.kind, failure.classes
        );
    }
    for bound in &report.bounds_hit {
        let _ = writeln!(text, "{bound:?}");
    }
    text
}
