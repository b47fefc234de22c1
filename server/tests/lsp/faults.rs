//! What goes wrong is answered as the protocol says, and the server lives on.

use std::time::Duration;

use serde_json::{Value, json};

use super::NATIVE_SB;
use super::client::{Client, full_capabilities};

const URI: &str = "file:///t/SB.litmus";

fn is_alive(client: &mut Client) {
    client.open("untitled:alive", NATIVE_SB);
    assert_eq!(client.text("untitled:alive")["text"], NATIVE_SB);
}

/// Only a build with debug assertions can be told to fail.
#[cfg(debug_assertions)]
#[test]
fn a_check_that_panics_costs_one_message() {
    let options = json!({"faults": {"panic": "TSO"}});
    let mut client = Client::start_with(full_capabilities(), options);
    client.settings = Value::Null;
    client.open_checked(URI, NATIVE_SB);
    let outcomes = client.outcomes(URI);
    assert_eq!(outcomes["models"]["SC"]["state"], "done");
    assert_eq!(outcomes["models"]["TSO"]["state"], "failed");
    assert_eq!(outcomes["models"]["PSO"]["state"], "done");
    let told = |m: &Value| m["method"] == "window/logMessage" && m["params"]["type"] == 1;
    let message = client.wait(told).expect("a message");
    assert!(
        message["params"]["message"]
            .as_str()
            .unwrap()
            .contains("TSO"),
        "{message}"
    );
    assert_eq!(
        client.wait_for(Duration::from_millis(300), told),
        None,
        "one is enough"
    );
    is_alive(&mut client);
}

#[test]
fn malformed_messages_are_answered_and_forgotten() {
    let mut client = Client::start();
    for (bytes, code) in [
        ("Content-Length: 9\r\n\r\n{\"jsonrpc", -32700),
        ("Content-Length: 2\r\n\r\n[]", -32600),
        ("Content-Length: 4\r\n\r\nnull", -32600),
        ("Content-Length: abc\r\n\r\n", -32700),
        ("No header at all\r\n\r\n", -32700),
    ] {
        client.send_raw(bytes.as_bytes());
        let error = client
            .wait(|m| m["id"].is_null() && m.get("error").is_some())
            .expect("an error");
        assert_eq!(error["error"]["code"], code, "for {bytes:?}");
    }
    is_alive(&mut client);
}

#[test]
fn unknown_methods_and_wrong_parameters_are_refused() {
    let mut client = Client::start();
    let error = client.request("no/such", json!({})).expect_err("an error");
    assert_eq!(error["code"], -32601);
    let error = client
        .request("textDocument/hover", json!({"position": "here"}))
        .expect_err("an error");
    assert_eq!(error["code"], -32602);
    client.notify("no/such/notification", json!({}));
    client.notify("$/whatever", json!({}));
    client.notify("textDocument/didChange", json!({"wrong": true}));
    is_alive(&mut client);
}

#[test]
fn before_initialize_and_after_shutdown_requests_are_refused() {
    let mut client = Client::spawn();
    let place = json!({"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}});
    let error = client
        .request("textDocument/hover", place.clone())
        .expect_err("an error");
    assert_eq!(error["code"], -32002);
    client.open(URI, NATIVE_SB);
    client
        .request("initialize", json!({"capabilities": {}}))
        .expect("initialize");
    let again = client
        .request("initialize", json!({"capabilities": {}}))
        .expect_err("only once");
    assert_eq!(again["code"], -32600);
    client.request("shutdown", Value::Null).expect("shutdown");
    let error = client
        .request("textDocument/hover", place)
        .expect_err("an error");
    assert_eq!(error["code"], -32600);
}

#[test]
fn documents_that_are_not_open_have_no_answers() {
    let mut client = Client::start();
    let uri = "file:///not/open.litmus";
    let place = json!({"textDocument": {"uri": uri}, "position": {"line": 5, "character": 5}});
    for method in [
        "textDocument/hover",
        "textDocument/definition",
        "textDocument/completion",
        "textDocument/documentSymbol",
        "fencepost/outcomes",
    ] {
        let answer = client.request(method, place.clone()).expect("an answer");
        assert_eq!(answer, Value::Null, "{method}");
    }
    client.change(uri, 2, json!([{"text": "x"}]));
    client.save(uri);
    client.close(uri);
    is_alive(&mut client);
}

#[test]
fn uris_that_are_no_files_work_like_others() {
    let mut client = Client::start();
    for uri in [
        "untitled:Untitled-1",
        "git:/a/b.litmus?HEAD",
        "vscode-notebook:/x#1",
    ] {
        client.open_checked(uri, NATIVE_SB);
        let outcomes = client.outcomes(uri);
        assert_eq!(outcomes["state"], "done", "{uri}");
        let line = client
            .execute("fencepost.copyCommandLine", json!({"uri": uri}))
            .expect("a command line");
        assert!(line["text"].as_str().unwrap().contains(" - "), "{line}");
    }
}

#[test]
fn a_file_deleted_under_the_editor_changes_nothing() {
    let path = std::env::temp_dir().join(format!("fencepost-gone-{}.litmus", std::process::id()));
    std::fs::write(&path, NATIVE_SB).unwrap();
    let uri = format!("file://{}", path.display());
    let mut client = Client::start();
    client.open_checked(&uri, NATIVE_SB);
    std::fs::remove_file(&path).unwrap();
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": uri, "type": 3}]}),
    );
    client.save(&uri);
    client.wait_checked(&uri);
    assert_eq!(client.outcomes(&uri)["state"], "done");
    assert_eq!(client.text(&uri)["text"], NATIVE_SB);
}

#[test]
fn huge_texts_and_hostile_ones_are_borne() {
    let mut client = Client::start();
    let huge = format!("{NATIVE_SB}// {}\n", "a long comment ".repeat(400_000));
    client.open("file:///huge", &huge);
    assert_eq!(
        client.text("file:///huge")["text"].as_str().map(str::len),
        Some(huge.len())
    );
    for (index, text) in [
        "(".repeat(100_000),
        "litmus T\nthread P0 { x = ".to_owned() + &"1 + ".repeat(50_000),
        "litmus T\nshared x;\nthread P0 { repeat 1000000000 { x = 1; } }\nexists (x = 1)\n"
            .to_owned(),
        "litmus T\nshared x;\nthread W[i in 0..100000] { x = 1; }\nexists (x = 1)\n".to_owned(),
        "litmus T\0\u{feff}\r\r\n\u{2028}".to_owned(),
        String::new(),
    ]
    .into_iter()
    .enumerate()
    {
        let uri = format!("file:///hostile/{index}");
        client.open(&uri, &text);
        let published = client.wait_diagnostics(&uri, |_| true);
        assert_ne!(published["diagnostics"], json!([]), "{index}");
        for method in [
            "textDocument/hover",
            "textDocument/completion",
            "textDocument/signatureHelp",
        ] {
            client
                .request(
                    method,
                    json!({"textDocument": {"uri": uri},
                        "position": {"line": 1, "character": 9999}}),
                )
                .expect("an answer");
        }
        client.about(&uri, "textDocument/semanticTokens/full", json!({}));
    }
    is_alive(&mut client);
}
