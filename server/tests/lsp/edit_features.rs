//! Features that change the text: rename, formatting, code actions, in both dialects.

use expect_test::expect;
use serde_json::{Value, json};

use super::client::{Client, cursor, draw};
use super::{HERD_SB, NATIVE_SB};

const URI: &str = "file:///t/SB.litmus";

/// The text after the edits of an answer.
fn apply(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| {
        let line = position["line"].as_u64().unwrap() as usize;
        let character = position["character"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        // Fixtures are ASCII: a column is a byte.
        start + character
    };
    let mut edits: Vec<(usize, usize, String)> = edits
        .as_array()
        .expect("edits")
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().unwrap().to_owned();
            (offset(&range["start"]), offset(&range["end"]), new)
        })
        .collect();
    edits.sort();
    let mut out = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, &new);
    }
    out
}

fn edits_of(edit: &Value) -> &Value {
    assert_eq!(edit["documentChanges"][0]["textDocument"]["version"], 1);
    &edit["documentChanges"][0]["edits"]
}

#[test]
fn rename_in_both_dialects_and_its_refusals() {
    let mut client = Client::start();
    for (marked, expected) in [
        (
            NATIVE_SB.replace("x = 1", "x$0 = 1"),
            NATIVE_SB
                .replace("x, y", "flag, y")
                .replace("x = 1", "flag = 1")
                .replace("r1 = x", "r1 = flag"),
        ),
        (
            HERD_SB.replacen("[x]", "[$0x]", 1),
            HERD_SB.replace("x=0", "flag=0").replace("[x]", "[flag]"),
        ),
    ] {
        let (text, position) = cursor(&marked);
        client.open(URI, &text);
        let place = json!({"textDocument": {"uri": URI}, "position": position});
        let prepared = client
            .request("textDocument/prepareRename", place.clone())
            .expect("it can be renamed");
        assert_eq!(prepared["placeholder"], "x");
        let mut params = place.clone();
        params["newName"] = json!("flag");
        let edit = client
            .request("textDocument/rename", params.clone())
            .expect("an edit");
        assert_eq!(apply(&text, edits_of(&edit)), expected);
        params["newName"] = json!("y");
        let refused = client
            .request("textDocument/rename", params)
            .expect_err("a clash");
        assert!(
            refused["message"].as_str().unwrap().contains("already"),
            "{refused}"
        );
    }
}

#[test]
fn formatting_of_the_whole_and_of_a_range() {
    let mut client = Client::start();
    let options = json!({"tabSize": 2, "insertSpaces": true});
    let messy = NATIVE_SB
        .replace("x = 1;", "x   =   1;")
        .replace("y = 1;", "y   =  1;");
    client.open(URI, &messy);
    let whole = client.about(URI, "textDocument/formatting", json!({"options": options}));
    let formatted = apply(&messy, &whole);
    assert!(
        formatted.contains("  x = 1;") && formatted.contains("  y = 1;"),
        "{formatted}"
    );
    let part = client
        .about(URI, "textDocument/rangeFormatting", json!({"options": options,
                "range": {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 5}}}));
    let formatted = apply(&messy, &part);
    assert!(
        formatted.contains("  x = 1;") && formatted.contains("y   =  1;"),
        "{formatted}"
    );
    let ragged = HERD_SB.replace(" | ", "|");
    client.open(URI, &ragged);
    let whole = client.about(URI, "textDocument/formatting", json!({"options": options}));
    assert_eq!(apply(&ragged, &whole), HERD_SB);
    let part = client
        .about(URI, "textDocument/rangeFormatting", json!({"options": options,
                "range": {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 5}}}));
    let formatted = apply(&ragged, &part);
    let lines: Vec<&str> = formatted.lines().collect();
    let wanted: Vec<&str> = HERD_SB.lines().collect();
    let left: Vec<&str> = ragged.lines().collect();
    assert_eq!((lines[3], lines[4]), (wanted[3], left[4]));
    client.open(URI, "litmus broken\nthread {");
    let refused = client.about(URI, "textDocument/formatting", json!({"options": options}));
    assert_eq!(refused, Value::Null, "a text with errors is left as it is");
}

/// The text after the action at the cursor whose title starts so.
fn action(marked: &str, title: &str) -> String {
    let mut client = Client::start();
    let (text, position) = cursor(marked);
    client.open_checked(URI, &text);
    let params = json!({
        "textDocument": {"uri": URI}, "range": {"start": position, "end": position},
        "context": {"diagnostics": []},
    });
    client.wait_insights(URI);
    let answer = client
        .request("textDocument/codeAction", params)
        .expect("actions");
    let actions = answer.as_array().expect("actions");
    let found = actions
        .iter()
        .find(|action| action["title"].as_str().unwrap().starts_with(title))
        .unwrap_or_else(|| panic!("no action {title} in {answer}"));
    apply(&text, edits_of(&found["edit"]))
}

#[test]
fn fence_sets_are_inserted_in_both_dialects() {
    assert_eq!(
        action(
            &NATIVE_SB.replace("exists", "exi$0sts"),
            "Insert `mfence` in P0 and P1 (unreachable under TSO, PSO)",
        ),
        NATIVE_SB.replace(" = 1;", " = 1;\n  mfence;")
    );
    assert_eq!(
        action(
            &HERD_SB.replace("exists", "exi$0sts"),
            "Insert `mfence` in P0 and P1",
        ),
        HERD_SB.replace(" MOV EAX,[y]", " MFENCE      | MFENCE      ;\n MOV EAX,[y]")
    );
}

#[test]
fn unneeded_fences_are_removed() {
    let native = NATIVE_SB.replace("r0 = y;", "r0 = y;\n  mf$0ence;");
    assert_eq!(action(&native, "Remove unneeded `mfence`"), NATIVE_SB);
    let herd = HERD_SB.replace("exists", " MFE$0NCE      |             ;\nexists");
    assert_eq!(action(&herd, "Remove unneeded `MFENCE`"), HERD_SB);
}

#[test]
fn expectations_are_added_and_corrected() {
    let found = "SC never, TSO sometimes, PSO sometimes";
    assert_eq!(
        action(
            &HERD_SB.replace("exists", "exi$0sts"),
            &format!("Add `expect {found}`"),
        ),
        format!("{HERD_SB}(* expect: {found} *)\n")
    );
    let bare = NATIVE_SB.replace("\nexpect SC never, TSO sometimes, PSO sometimes", "$0");
    assert_eq!(action(&bare, "Add `expect SC never"), NATIVE_SB);
    let wrong = NATIVE_SB.replace("TSO sometimes", "TSO ne$0ver");
    assert_eq!(action(&wrong, "Change `expect`"), NATIVE_SB);
}

#[test]
fn a_mistyped_name_is_mended_and_a_test_formatted() {
    let right = NATIVE_SB
        .replace("x, y;", "x, flag;")
        .replace("= y;", "= flag;")
        .replace("y = 1;", "flag = 1;")
        .replace("P1:r1 = 0", "flag = 0");
    assert_eq!(
        action(
            &right.replace("/\\ flag", "/\\ fla$0gg"),
            "Change to `flag`"
        ),
        right
    );
    // Blank lines around what stands apart, one blank around operators.
    let formatted = NATIVE_SB
        .replace("shared x, y;", "\nshared x, y;")
        .replace("thread", "\nthread")
        .replace("exists", "\nexists");
    assert_eq!(
        action(
            &NATIVE_SB.replace("x = 1;", "x$0    = 1;"),
            "Format this test"
        ),
        formatted
    );
    let ragged = HERD_SB.replace(" | ", "|").replace("exists", "$0exists");
    assert_eq!(action(&ragged, "Format this test"), HERD_SB);
}

#[test]
fn a_register_that_its_thread_never_writes_is_a_warning_with_a_way_out() {
    let wrong = HERD_SB.replacen("0:EAX", "0:EBX", 1);
    let marked = wrong.replace("0:EBX", "0:E$0BX");
    assert_eq!(action(&marked, "Change to `EAX`"), HERD_SB);
    let mut client = Client::start();
    client.open_checked(URI, &wrong);
    let said = client.wait_diagnostics(URI, |params| params["diagnostics"][0]["code"] == "W0203");
    let warning = &said["diagnostics"][0];
    assert_eq!(warning["severity"], 2);
    expect![[r#"
        6  | exists (0:EBX=0 /\ 1:EAX=0)
           |           ^^^
    "#]]
    .assert_eq(&draw(&wrong, &[warning["range"].clone()]));
    assert_eq!(client.outcomes(URI)["errors"], 0, "it is no error");
    assert_eq!(client.outcomes(URI)["state"], "done", "it is checked");
    // A value in the init section is one that can be asked for.
    let given = "file:///t/given.litmus";
    client.open_checked(given, &wrong.replace("x=0;", "x=0; 0:EBX=0;"));
    let said = client.wait_diagnostics(given, |_| true);
    let codes = said["diagnostics"].as_array().expect("diagnostics").iter();
    assert!(codes.clone().all(|one| one["code"] != "W0203"), "{said}");
}
