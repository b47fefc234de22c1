//! Fence suggestions with known answers.

use fencepost_checker::Model;
use fencepost_checker::Model::{Pso, Sc, Tso};
use fencepost_checker::fences::{Goal, Refusal, unneeded};
use fencepost_checker::lower::LowerOptions;
use fencepost_checker::report::{Completeness, Options};
use fencepost_grammar::parse;
use fencepost_tests::answers::{answer, suggestion};
use fencepost_tests::files::{fixture, read};

/// What is suggested for the first condition of one of our tests.
fn check(path: &str, models: &[Model], expected: &[&str]) {
    let text = read(&fixture("litmus").join(path));
    let found = answer(&text, Goal::Condition(0), models);
    assert_eq!(found, expected.join("\n"), "{path} under {models:?}");
}

const NOTHING: [&str; 1] = ["cost 0:"];

#[test]
fn store_buffering_needs_a_full_fence_in_each_thread() {
    let both = ["cost 2: P0:7 mfence, P1:12 mfence"];
    for models in [&[Tso][..], &[Pso], &[Tso, Pso], &[Sc, Tso, Pso]] {
        check("native/SB.litmus", models, &both);
    }
    let both = ["cost 2: P0:5 mfence, P1:5 mfence"];
    check("herd/SB.litmus", &[Tso], &both);
    check("herd/SB.litmus", &[Pso], &both);
}

#[test]
fn message_passing_needs_a_store_fence_in_the_writer_under_pso() {
    check("native/MP.litmus", &[Tso], &NOTHING);
    check("native/MP.litmus", &[Pso], &["cost 0.5: Sender:7 sfence"]);
    check("native/MP.litmus", &[Sc], &NOTHING);
}

#[test]
fn two_plus_two_writes_need_a_store_fence_in_each_thread_under_pso() {
    check("native/2+2W.litmus", &[Tso], &NOTHING);
    check(
        "native/2+2W.litmus",
        &[Pso],
        &["cost 1: P0:7 sfence, P1:12 sfence"],
    );
}

#[test]
fn kinds_are_mixed_where_each_suffices() {
    check("native/R.litmus", &[Tso], &["cost 1: P1:12 mfence"]);
    check(
        "native/R.litmus",
        &[Tso, Pso],
        &["cost 1.5: P0:7 sfence, P1:12 mfence"],
    );
}

#[test]
fn what_no_model_reaches_needs_nothing() {
    for path in ["native/IRIW.litmus", "native/LB.litmus"] {
        check(path, &[Tso], &NOTHING);
        check(path, &[Pso], &NOTHING);
    }
}

#[test]
fn fences_that_are_there_count() {
    check("native/SB+mfences.litmus", &[Pso], &NOTHING);
    check(
        "native/SB+mfence+po.litmus",
        &[Pso],
        &["cost 1: P1:13 mfence"],
    );
}

#[test]
fn peterson() {
    for (path, flag, turn) in [("peterson", 8, 9), ("peterson-loop", 7, 8)] {
        let path = format!("native/mutual-exclusion/{path}.litmus");
        check(&path, &[Tso], &[&format!("cost 1: P:{turn} mfence")]);
        check(
            &path,
            &[Pso],
            &[&format!("cost 1.5: P:{flag} sfence, P:{turn} mfence")],
        );
    }
}

/// Behind both places where a flag is raised; the second may also be the loop's end.
#[test]
fn dekker() {
    let sets = [
        "cost 2: P:9 mfence, P:14 mfence",
        "cost 2: P:9 mfence, P:15 mfence",
    ];
    let path = "native/mutual-exclusion/dekker-loop.litmus";
    check(path, &[Tso], &sets);
    check(path, &[Tso, Pso], &sets);
}

#[test]
fn lamport_and_szymanski() {
    let lamport = ["cost 2: P:8 mfence, P:13 mfence"];
    let szymanski = ["cost 2: P:7 mfence, P:9 mfence"];
    for model in [Tso, Pso] {
        check(
            "native/mutual-exclusion/lamport-fast.litmus",
            &[model],
            &lamport,
        );
        check(
            "native/mutual-exclusion/szymanski.litmus",
            &[model],
            &szymanski,
        );
    }
}

#[test]
fn a_condition_that_sc_reaches_is_refused_with_its_witness() {
    let text = "litmus MP-late\nshared x, y;\nthread P0 { x = 1; y = 1; }\n\
                thread P1 { r0 = y; r1 = x; }\nexists (P1:r0 = 1 /\\ P1:r1 = 1)\n";
    for models in [&[Tso][..], &[Pso], &[Sc]] {
        match suggestion(text, Goal::Condition(0), models) {
            Err(Refusal::ReachableUnderSc { state, witness }) => {
                assert_eq!(state, [1, 1]);
                assert_eq!(witness.model, Sc);
                assert!(!witness.steps.is_empty());
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Of `forall P` it is what is not P that should not be.
#[test]
fn forall_wants_its_proposition_always() {
    let text = "litmus SB-forall\nshared x, y;\nthread P0 { x = 1;\nr0 = y; }\n\
                thread P1 { y = 1;\nr1 = x; }\nforall (P0:r0 = 1 \\/ P1:r1 = 1)\n";
    assert_eq!(
        answer(text, Goal::Condition(0), &[Tso]),
        "cost 2: P0:3 mfence, P1:5 mfence"
    );
}

#[test]
fn what_the_filter_drops_need_not_go() {
    let text = "litmus SB-filtered\nshared x, y;\nthread P0 { x = 1;\nr0 = y; }\n\
                thread P1 { y = 1;\nr1 = x; }\nfilter (P0:r0 = 1)\n\
                exists (P0:r0 = 0 /\\ P1:r1 = 0)\n";
    assert_eq!(answer(text, Goal::Condition(0), &[Tso]), "cost 0:");
}

#[test]
fn robustness_forbids_all_that_sc_does_not_have() {
    // Its condition is reachable under SC, its weak outcome is not.
    let text = "litmus SB-robust\nshared x, y;\nthread P0 { x = 1;\nr0 = y; }\n\
                thread P1 { y = 1;\nr1 = x; }\nexists (P0:r0 = 1 /\\ P1:r1 = 1)\n";
    assert_eq!(
        answer(text, Goal::Condition(0), &[Tso]),
        "reachable under SC"
    );
    assert_eq!(
        answer(text, Goal::Robust, &[Tso, Pso]),
        "cost 2: P0:3 mfence, P1:5 mfence"
    );
}

/// One fence at the start of a loop's body does what two behind the stores would.
#[test]
fn a_point_in_a_loop_stands_for_all_its_instances() {
    let text = "litmus loop\nshared x, y;\nthread P0 {\nlast = 0;\nx = 1;\nrepeat 2 {\n\
                first = last;\nlast = y;\nx = 2;\n}\n}\n\
                thread P1 { y = 1; mfence; q = x; }\n\
                exists (P1:q = 0 /\\ P0:first = 0 \\/ P1:q = 1 /\\ P0:last = 0)\n";
    let found = answer(text, Goal::Condition(0), &[Tso, Pso]);
    assert_eq!(found, "cost 1: P0:6 mfence");
}

#[test]
fn a_condition_that_is_not_there_is_refused() {
    let text = read(&fixture("litmus/native/SB.litmus"));
    assert!(matches!(
        suggestion(&text, Goal::Condition(1), &[Tso]),
        Err(Refusal::NoCondition)
    ));
}

#[test]
fn a_budget_that_runs_out_is_reported_as_such() {
    let text = read(&fixture("litmus/native/SB.litmus"));
    let options = Options {
        max_classes: Some(1),
        ..Options::default()
    };
    let found = fencepost_checker::fences::suggest(
        &parse(&text).sound().expect("a test"),
        &LowerOptions::default(),
        Goal::Condition(0),
        &[Tso],
        &options,
    );
    match found {
        Err(Refusal::NotFinished { completeness, .. }) => {
            assert_eq!(completeness, Completeness::OutOfClasses);
        }
        other => panic!("{other:?}"),
    }
}

/// The lines of the fences that are not needed: each alone, and together.
fn check_unneeded(text: &str, models: &[Model], alone: &[usize], together: &[usize]) {
    let parsed = parse(text);
    assert!(!parsed.has_errors(), "{:?}", parsed.errors);
    let found = unneeded(
        &parsed.sound().expect("a test"),
        &LowerOptions::default(),
        models,
        &Options::default(),
    )
    .unwrap();
    let line = |fence: &fencepost_grammar::fences::Written| {
        1 + text[..fence.span.start as usize].matches('\n').count()
    };
    let lines = |fences: &[_]| fences.iter().map(line).collect::<Vec<_>>();
    assert_eq!(lines(&found.alone), alone, "alone, {models:?}");
    assert_eq!(lines(&found.together), together, "together, {models:?}");
}

#[test]
fn fences_that_change_nothing_are_found() {
    let sb = read(&fixture("litmus/native/SB+mfences.litmus"));
    check_unneeded(&sb, &[Tso, Pso], &[], &[]);
    check_unneeded(&sb, &[Sc], &[8, 14], &[8, 14]);
    let mp = "litmus MP\nshared x, y;\nthread P0 {\nx = 1;\nsfence;\ny = 1;\n}\n\
              thread P1 {\nr0 = y;\nmfence;\nr1 = x;\n}\nexists (P1:r0 = 1 /\\ P1:r1 = 0)\n";
    check_unneeded(mp, &[Tso], &[5, 10], &[5, 10]);
    check_unneeded(mp, &[Tso, Pso], &[10], &[10]);
    // Either of two can go, not both.
    let twice = "litmus SB\nshared x, y;\nthread P0 {\nx = 1;\nmfence;\nmfence;\nr0 = y;\n}\n\
                 thread P1 {\ny = 1;\nmfence;\nr1 = x;\n}\nexists (P0:r0 = 0 /\\ P1:r1 = 0)\n";
    check_unneeded(twice, &[Tso], &[5, 6], &[5]);
}
