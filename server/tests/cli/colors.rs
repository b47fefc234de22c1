//! Colours only where they are wanted, Unicode only where it is spoken.

use crate::{SB, answer, fencepost, run};

#[test]
fn a_pipe_gets_no_colours() {
    assert!(!run(&["check", SB]).out.contains('\x1b'));
    assert!(
        !run(&["check", "tests/litmus-bad/bad-cell.litmus"])
            .err
            .contains('\x1b')
    );
    assert!(!run(&["check", SB, "--color", "never"]).out.contains('\x1b'));
}

#[test]
fn colours_can_be_asked_for() {
    let colored = run(&["check", SB, "--color", "always"]).out;
    assert!(
        colored.contains("\x1b[1m") && colored.contains("\x1b[0m"),
        "{colored}"
    );
    let errors = run(&[
        "check",
        "tests/litmus-bad/bad-cell.litmus",
        "--color=always",
    ])
    .err;
    assert!(errors.contains('\x1b'), "{errors}");
    // Taking the colours away gives what a pipe gets.
    let mut plain = String::new();
    let mut rest = colored.as_str();
    while let Some((before, after)) = rest.split_once('\x1b') {
        plain += before;
        rest = after.split_once('m').expect("a colour ends with m").1;
    }
    plain += rest;
    assert_eq!(plain, run(&["check", SB]).out);
}

#[test]
fn another_locale_gets_ascii() {
    for (variable, value) in [
        ("LC_ALL", "C"),
        ("LC_CTYPE", "POSIX"),
        ("LANG", "en_US.ISO-8859-1"),
    ] {
        let mut command = fencepost(&["check", SB, "--witness"]);
        command.env("LANG", "C").env(variable, value);
        let answer = answer(command);
        assert!(answer.out.is_ascii(), "{variable}={value}: {}", answer.out);
        assert!(answer.out.contains("<- exists"), "{}", answer.out);
    }
    assert!(!run(&["check", SB]).out.is_ascii());
    assert!(run(&["--ascii"]).out.is_ascii());
    assert!(
        run(&["check", "tests/litmus-bad", "--ascii"])
            .err
            .is_ascii()
    );
}
