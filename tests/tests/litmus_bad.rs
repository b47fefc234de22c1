//! What is said about each of the files that are bad on purpose.

use expect_test::expect;
use fencepost_checker::program::Model;
use fencepost_checker::{LowerOptions, Options, check, lower};
use fencepost_tests::files::{fixture, litmus_files, read};
use std::fmt::Write;

/// The errors of a text, by code and line; without any, what checking it says.
fn findings(text: &str) -> String {
    let parse = fencepost_grammar::parse(text);
    let mut out = String::new();
    for error in &parse.errors {
        let line = 1 + text[..error.span.start as usize].matches('\n').count();
        let _ = writeln!(out, "  {} line {line}: {}", error.code(), error.message());
    }
    let Some(sound) = parse.sound() else {
        return out;
    };
    let program = match lower(&sound, &LowerOptions::default()) {
        Ok(program) => program,
        Err(errors) => {
            for error in errors {
                let _ = writeln!(out, "  {}: {}", error.code(), error.message());
            }
            return out;
        }
    };
    for model in Model::ALL {
        let report = check(&program, model, &Options::default());
        for failure in &report.failures {
            let _ = writeln!(out, "  {}: {:?} fails", model.name(), failure.kind);
        }
        for (condition, found) in program.conditions.iter().zip(&report.conditions) {
            for expect in condition.expect.iter().filter(|e| e.model == model) {
                if expect.verdict != found.verdict {
                    let (expected, found) = (expect.verdict.name(), found.verdict.name());
                    let _ = writeln!(
                        out,
                        "  {}: expected {expected}, found {found}",
                        model.name()
                    );
                }
            }
        }
        if report.classes == 0 {
            let _ = writeln!(out, "  {}: no complete execution", model.name());
        }
        for hit in &report.bounds_hit {
            let _ = writeln!(out, "  {}: cut at {} rounds", model.name(), hit.bound);
        }
    }
    out
}

#[test]
fn each_says_what_is_wrong_with_it() {
    let folder = fixture("litmus-bad");
    let mut all = String::new();
    for file in litmus_files(&folder) {
        let name = file.strip_prefix(&folder).unwrap_or(&file);
        let findings = findings(&read(&file));
        assert!(!findings.is_empty(), "{} is not bad", file.display());
        let _ = writeln!(all, "{}\n{findings}", name.display());
    }
    expect![[r#"
        await-two-locations.litmus
          E0316: an `await` reads one shared location, and this one reads 2

        bad-cell.litmus
          E0112 line 5: `STORE` is no instruction

        deadlock.litmus
          SC: no complete execution
          TSO: no complete execution
          PSO: no complete execution

        division-by-zero.litmus
          SC: DivisionByZero fails
          TSO: DivisionByZero fails
          PSO: DivisionByZero fails

        duplicate-names.litmus
          E0202 line 5: `x` is declared again, as a shared variable
          E0202 line 11: `P0` is declared again, as a thread

        empty.litmus
          E0103 line 1: the file is empty: a test starts with `litmus`, `X86`, `X86_64` or `C`

        endless-loop.litmus
          SC: no complete execution
          SC: cut at 8 rounds
          TSO: no complete execution
          TSO: cut at 8 rounds
          PSO: no complete execution
          PSO: cut at 8 rounds

        failing-assertion-sc.litmus
          SC: Assertion fails
          SC: Assertion fails
          SC: Assertion fails
          TSO: Assertion fails
          TSO: Assertion fails
          TSO: Assertion fails
          PSO: Assertion fails
          PSO: Assertion fails
          PSO: Assertion fails

        failing-assertion.litmus
          PSO: Assertion fails

        failing-expectation-herd.litmus
          TSO: expected sometimes, found never

        failing-expectation.litmus
          TSO: expected never, found sometimes

        long-number.litmus
          E0301 line 7: this number does not fit 64 bits

        syntax-error.litmus
          E0108 line 7: found `=` where an expression would fit

        too-many-threads.litmus
          E0310: 100000 threads: at most 64 can be checked

        unclosed-block.litmus
          E0109 line 6: this `{` is never closed

        unclosed-comment.litmus
          E0109 line 6: this `{` is never closed
          E0106 line 7: this comment is never closed

        unknown-dialect.litmus
          E0101 line 1: `AArch64` is no dialect: a file starts with `litmus`, `X86`, `X86_64` or `C`

        unknown-location.litmus
          E0201 line 7: thread P0 reads register `countre` but never assigns it

        unknown-register.litmus
          E0204 line 11: thread P0 has no register `frist`

        unknown-thread.litmus
          E0203 line 10: there is no thread `Raeder`

        unlock-not-held.litmus
          SC: UnlockNotHeld fails
          SC: no complete execution
          TSO: UnlockNotHeld fails
          TSO: no complete execution
          PSO: UnlockNotHeld fails
          PSO: no complete execution

    "#]]
    .assert_eq(&all);
}
