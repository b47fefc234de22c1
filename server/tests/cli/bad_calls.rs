//! Calls that are wrong: each says what is wrong and what to do.

use std::fs;

use crate::{Answer, SB, arg, empty_folder, run, run_with_input};

/// It is a bad call, and both the problem and the way out are named.
fn assert_said(answer: &Answer, what: &[&str]) {
    assert_eq!(answer.status, 2, "{}\n{}", answer.out, answer.err);
    for words in what {
        assert!(
            answer.err.contains(words),
            "no {words:?} in:\n{}",
            answer.err
        );
    }
}

#[test]
fn a_missing_file() {
    let answer = run(&["check", "tests/litmus/native/SBB.litmus"]);
    assert_said(
        &answer,
        &[
            "there is no such file",
            "did you mean `tests/litmus/native/SB.litmus`?",
        ],
    );
    assert_said(&run(&["witness", "nowhere"]), &["there is no such file"]);
    assert_said(&run(&["fmt", "nowhere"]), &["there is no such file"]);
}

#[test]
fn a_missing_file_does_not_keep_others_from_being_checked() {
    let answer = run(&["check", "nowhere.litmus", SB]);
    assert_said(&answer, &["there is no such file"]);
    assert!(answer.out.contains("1 fine"), "{}", answer.out);
}

#[test]
fn a_folder_without_tests() {
    let folder = empty_folder("without-tests");
    fs::write(folder.join("README"), "nothing here").expect("a file can be written");
    let answer = run(&["check", arg(&folder)]);
    assert_said(&answer, &["the folder has no tests", "`.litmus`"]);
}

#[test]
fn an_unknown_model() {
    assert_said(
        &run(&["check", SB, "--model", "tos"]),
        &["did you mean `tso`?"],
    );
    assert_said(
        &run(&["check", SB, "--model", "arm"]),
        &["'arm'", "there are sc, tso, pso"],
    );
    assert_said(
        &run(&["check", SB, "--engine", "rfpart"]),
        &["did you mean `rf-part`"],
    );
}

#[test]
fn a_parameter_that_is_not_there() {
    let answer = run(&["check", SB, "--param", "N=3"]);
    assert_said(&answer, &["has no parameter `N`", "param N = 3;"]);
    let answer = run(&["check", "tests/bench/lastzero.litmus", "--param", "n=3"]);
    assert_said(&answer, &["has no parameter `n`", "did you mean `N`?"]);
    assert_said(&run(&["check", SB, "--param", "N"]), &["NAME=VALUE"]);
    // One of several tests is enough.
    let answer = run(&["check", SB, "tests/bench/lastzero.litmus", "--param", "N=2"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
}

#[cfg(unix)]
#[test]
fn an_unreadable_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = empty_folder("unreadable");
    let file = folder.join("SB.litmus");
    fs::write(&file, "litmus SB").expect("a file can be written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("modes can be set");
    if fs::read(&file).is_ok() {
        // Whoever may read everything cannot see this error; a folder in a file's place
        // is refused to everybody.
        let inner = folder.join("folder.litmus");
        fs::create_dir(&inner).expect("a folder can be made");
        assert_said(&run(&["check", arg(&inner)]), &["the folder has no tests"]);
        let list = format!("@{}", arg(&inner));
        assert_said(&run(&["check", &list]), &["cannot be read"]);
        return;
    }
    assert_said(
        &run(&["check", arg(&file)]),
        &["may not be read", "permissions"],
    );
}

#[cfg(unix)]
#[test]
fn a_loop_of_symbolic_links() {
    use std::os::unix::fs::symlink;
    let folder = empty_folder("loop");
    fs::copy(crate::project().join(SB), folder.join("SB.litmus")).expect("a test can be copied");
    fs::create_dir(folder.join("inner")).expect("a folder can be made");
    symlink(&folder, folder.join("inner/again")).expect("a link can be made");
    let answer = run(&["check", arg(&folder)]);
    assert_said(&answer, &["inner/again", "leads back", "remove the link"]);
    assert!(
        answer.out.contains("1 fine"),
        "the test beside it is checked: {}",
        answer.out
    );
    // A link that does not lead back is followed.
    fs::remove_file(folder.join("inner/again")).expect("a link can be removed");
    symlink(
        crate::project().join("tests/litmus/native/locks"),
        folder.join("inner/locks"),
    )
    .expect("a link can be made");
    let answer = run(&["check", arg(&folder)]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert!(answer.out.contains("lock-counter"), "{}", answer.out);
    // A link to itself is no folder at all.
    symlink("self.litmus", folder.join("self.litmus")).expect("a link can be made");
    assert_said(&run(&["check", arg(&folder)]), &["self.litmus"]);
}

#[test]
fn bytes_that_are_not_utf8() {
    let answer = run_with_input(&["check", "-"], b"litmus t\nshared x\xff;\n");
    assert_said(&answer, &["E0305", "not UTF-8", "-:2:9"]);
    let answer = run_with_input(&["fmt", "-"], b"litmus t\nshared x\xff;\n");
    assert_said(&answer, &["not formatted"]);
    assert_eq!(answer.out, "");
}

#[test]
fn lists_of_tests() {
    let folder = empty_folder("lists");
    let sb = fs::read_to_string(crate::project().join(SB)).expect("SB is there");
    fs::create_dir(folder.join("more")).expect("a folder can be made");
    for file in ["a.litmus", "more/b.litmus", "c.litmus"] {
        fs::write(folder.join(file), &sb).expect("a file can be written");
    }
    let all = "# first\na.litmus   # behind an entry\n\n@more/inner\nc.litmus\n";
    fs::write(folder.join("all"), all).expect("a list can be written");
    fs::write(folder.join("more/inner"), "b.litmus\n").expect("a list can be written");
    let list = format!("@{}", arg(&folder.join("all")));
    let answer = run(&["check", &list]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    let places: Vec<usize> = ["a.litmus", "b.litmus", "c.litmus"]
        .iter()
        .map(|name| {
            answer
                .out
                .find(name)
                .expect("every test of the list is there")
        })
        .collect();
    assert!(places.is_sorted(), "{}", answer.out);

    fs::write(folder.join("more/inner"), "@../all\n").expect("a list can be written");
    assert_said(&run(&["check", &list]), &["names itself", "remove one"]);
    fs::write(folder.join("empty"), "# nothing\n").expect("a list can be written");
    let list = format!("@{}", arg(&folder.join("empty")));
    assert_said(
        &run(&["check", &list]),
        &["names no tests", "one path a line"],
    );
    assert_said(
        &run(&["check", "@nowhere"]),
        &["@nowhere", "there is no such file"],
    );
}

#[test]
fn outcomes_that_are_none() {
    let ask = |outcome: &str| run(&["witness", SB, "--outcome", outcome]);
    assert_said(&ask("P0:r0"), &["no binding", "NAME=VALUE"]);
    assert_said(
        &ask("P0:r9=1"),
        &["does not observe `P0:r9`", "did you mean"],
    );
    assert_said(&ask("P0:r0=many"), &["`many` is no value"]);
    assert_said(&ask(" ; "), &["empty"]);
    assert_said(
        &run(&["witness", SB, "--condition", "7"]),
        &["no condition 7", "which is 0"],
    );
    assert_said(
        &run(&["witness", "tests/litmus/native/locks"]),
        &["more than one test"],
    );
}

#[test]
fn an_outcome_that_is_not_reachable() {
    let answer = run(&[
        "witness",
        SB,
        "--model",
        "sc",
        "--outcome",
        "P0:r0=0;P1:r1=0",
    ]);
    assert_eq!(answer.status, 1);
    assert!(
        answer.err.contains("no execution under SC"),
        "{}",
        answer.err
    );
    assert!(
        answer.err.contains("'P0:r0=1;P1:r1=1'"),
        "what there is: {}",
        answer.err
    );
}

#[test]
fn names_that_are_nearly_right() {
    assert_said(&run(&["example", "IRWI"]), &["did you mean `IRIW`?"]);
    assert_said(
        &run(&["explain", "E0230"]),
        &["there is no code `E0230`", "fencepost explain"],
    );
    assert_said(&run(&["witnes", SB]), &["'witness'"]);
    assert_said(
        &run(&["check", SB, "--timeout", "soon"]),
        &["500ms, 10s, 2m"],
    );
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let folder = empty_folder("not-replaced");
    let file = folder.join("SB.litmus");
    let text = "litmus SB\nshared x, y;\nthread P0 { x = 1; r0 = y; }\nthread P1 { y = 1; r1 = x; }\nexists (P0:r0 = 0 /\\ P1:r1 = 0)\n";
    std::fs::write(&file, text).unwrap();
    let refused = |what: &str| {
        for call in [
            vec!["fmt", arg(&file)],
            vec!["fences", arg(&file), "--apply"],
        ] {
            let answer = run(&call);
            assert_eq!(answer.status, 2, "{call:?}: {}", answer.err);
            assert!(answer.err.contains("cannot be written"), "{}", answer.err);
            assert!(answer.err.contains(what), "{}", answer.err);
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
    };
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    refused("permission denied");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    std::fs::hard_link(&file, folder.join("other")).unwrap();
    refused("hard links");
}
