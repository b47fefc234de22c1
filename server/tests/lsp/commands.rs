//! Everything a lens does works through `workspace/executeCommand`, in any client.

use serde_json::{Value, json};

use super::client::{Client, everything, full_capabilities};
use super::{HERD_SB, NATIVE_SB};

const URI: &str = "file:///t/SB.litmus";

fn run(client: &mut Client, command: &str, argument: Value) -> Value {
    client
        .execute(command, argument)
        .unwrap_or_else(|error| panic!("{command}: {error}"))
}

#[test]
fn outcomes_and_witnesses_are_shown_as_text() {
    let mut client = Client::start();
    client.open_checked(URI, NATIVE_SB);
    let shown = run(&mut client, "fencepost.showOutcomes", json!({"uri": URI}));
    let text = shown["text"].as_str().unwrap();
    assert!(
        text.contains("sometimes under TSO, PSO · never under SC"),
        "{text}"
    );
    assert!(text.contains("P0:r0=0  P1:r1=0"), "{text}");
    let message = client
        .wait(|m| m["method"] == "window/showMessage")
        .expect("this client opens no documents, so it is a message");
    assert_eq!(message["params"]["message"], shown["text"]);
    let shown = run(
        &mut client,
        "fencepost.showWitness",
        json!({"uri": URI, "condition": 0}),
    );
    let text = shown["text"].as_str().unwrap();
    assert!(
        text.contains("witness under TSO") && text.contains("⤷ flush x=1"),
        "{text}"
    );
    // The chosen witness is followed by hints at the loads.
    let hints = client.about(
        URI,
        "textDocument/inlayHint",
        json!({"range":
                everything()}),
    );
    assert!(hints.to_string().contains("⟵ 0 (initial)"), "{hints}");
    run(&mut client, "fencepost.chooseWitness", json!({"uri": URI}));
    let answer = run(
        &mut client,
        "fencepost.chooseWitness",
        json!({"uri": URI, "model": "SC", "outcome": {"P0:r0": 1, "P1:r1": 1}}),
    );
    assert_eq!(answer["chosen"], true);
    let hints = client.about(
        URI,
        "textDocument/inlayHint",
        json!({"range":
                everything()}),
    );
    assert!(hints.to_string().contains("⟵ 1 (P1, line 8)"), "{hints}");
}

#[test]
fn a_client_that_opens_documents_gets_one_without_losing_the_focus() {
    let mut capabilities = full_capabilities();
    capabilities["window"]["showDocument"] = json!({"support": true});
    let mut client = Client::start_with(capabilities, Value::Null);
    client.open_checked(URI, HERD_SB);
    for _ in 0..2 {
        run(
            &mut client,
            "fencepost.showWitness",
            json!({"uri": URI, "condition": 0}),
        );
    }
    let mut uris = Vec::new();
    for _ in 0..2 {
        let shown = client
            .wait(|m| m["method"] == "window/showDocument")
            .expect("a document");
        assert_eq!(shown["params"]["takeFocus"], false);
        uris.push(shown["params"]["uri"].as_str().unwrap().to_owned());
    }
    assert_eq!(uris[0], uris[1], "one page that is reused");
    let path = uris[0].strip_prefix("file://").unwrap();
    let text = std::fs::read_to_string(path).expect("the page");
    assert!(text.contains("MOV EAX,[y] → 0"), "{text}");
    client.shut_down();
    assert!(
        !std::path::Path::new(path).exists(),
        "nothing is left behind"
    );
}

#[test]
fn fences_are_suggested_and_applied() {
    let mut client = Client::start();
    client.open_checked(URI, NATIVE_SB);
    let argument = json!({"uri": URI, "condition": 0});
    let answer = run(&mut client, "fencepost.suggestFences", argument.clone());
    assert_eq!(
        answer["sets"][0]["title"],
        "Insert `mfence` in P0 and P1 (unreachable under TSO, PSO)"
    );
    client
        .wait(|m| m["method"] == "window/showMessageRequest")
        .expect("the person chooses");
    run(&mut client, "fencepost.applyFences", argument);
    let edit = client
        .wait(|m| m["method"] == "workspace/applyEdit")
        .expect("an edit");
    assert!(edit["params"].to_string().contains("mfence"), "{edit}");
    // What is reachable under SC is helped by no fence.
    client.open_checked(URI, &NATIVE_SB.replace("P0:r0 = 0 /\\", "P0:r0 = 1 /\\"));
    let answer = run(
        &mut client,
        "fencepost.suggestFences",
        json!({"uri": URI, "condition": 0}),
    );
    let text = answer["text"].as_str().unwrap();
    assert!(text.starts_with("no fence helps"), "{text}");
}

#[test]
fn the_command_line_can_be_copied() {
    let mut client = Client::start();
    client.open_checked(URI, NATIVE_SB);
    let answer = run(
        &mut client,
        "fencepost.copyCommandLine",
        json!({"uri": URI}),
    );
    let line = answer["text"].as_str().unwrap();
    assert!(line.starts_with("fencepost check /t/SB.litmus"), "{line}");
    let answer = run(
        &mut client,
        "fencepost.copyCommandLine",
        json!({"uri": URI, "model": "TSO", "condition": 0}),
    );
    assert_eq!(
        answer["text"],
        "fencepost witness /t/SB.litmus --model tso --outcome 'P0:r0=0;P1:r1=0'"
    );
}

#[test]
fn wrong_commands_are_refused() {
    let mut client = Client::start();
    for (command, argument) in [
        ("fencepost.nonsense", json!({"uri": URI})),
        ("fencepost.checkNow", json!({"uri": "file:///not/open"})),
        ("fencepost.checkNow", json!({})),
        ("fencepost.showWitness", json!({"uri": 3})),
    ] {
        let error = client.execute(command, argument).expect_err("a refusal");
        assert_eq!(error["code"], -32602, "{error}");
    }
}

#[test]
fn a_client_without_literal_actions_gets_commands_that_apply_them() {
    let capabilities = json!({"workspace": {"applyEdit": true}});
    let mut client = Client::start_with(capabilities, Value::Null);
    for text in [
        NATIVE_SB.replace("TSO sometimes", "TSO sometime"),
        HERD_SB.replacen("0:EAX", "0:EBX", 1),
    ] {
        client.open(URI, &text);
        let actions = client.about(
            URI,
            "textDocument/codeAction",
            json!({"range": everything(),
                    "context": {"diagnostics": []}}),
        );
        let mend = &actions[0];
        assert!(
            mend["title"].as_str().unwrap().starts_with("Change to"),
            "{actions}"
        );
        run(
            &mut client,
            mend["command"].as_str().expect("a command"),
            mend["arguments"][0].clone(),
        );
        let edit = client
            .wait(|m| m["method"] == "workspace/applyEdit")
            .expect("an edit");
        assert_eq!(edit["params"]["edit"], mend["arguments"][0]["edit"]);
    }
}

#[test]
fn fences_are_suggested_for_the_models_that_are_named() {
    let mut client = Client::start();
    client.open_checked(URI, NATIVE_SB);
    for (models, under) in [
        (json!(["tso"]), "(unreachable under TSO)"),
        (json!(["PSO", "TSO"]), "(unreachable under TSO, PSO)"),
    ] {
        let argument = json!({"uri": URI, "condition": 0, "models": models});
        let answer = run(&mut client, "fencepost.suggestFences", argument);
        let title = answer["sets"][0]["title"].as_str().expect("a set");
        assert!(title.ends_with(under), "{title}");
    }
    let argument = json!({"uri": URI, "models": ["ARM"]});
    let error = client.execute("fencepost.suggestFences", argument);
    assert_eq!(error.expect_err("a refusal")["code"], -32602);
}
