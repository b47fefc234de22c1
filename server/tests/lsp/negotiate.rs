//! Capabilities and settings: a client gets what it can use.

use serde_json::{Value, json};

use super::NATIVE_SB;
use super::client::{Client, PATIENCE, everything, full_capabilities, insert};

const URI: &str = "file:///t/SB.litmus";

#[test]
fn initialize_tells_name_version_and_what_is_offered() {
    let client = Client::start();
    let answer = &client.initialized;
    assert_eq!(answer["serverInfo"]["name"], "fencepost");
    assert_eq!(answer["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    let capabilities = &answer["capabilities"];
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(capabilities["textDocumentSync"]["change"], 2);
    for provider in [
        "hoverProvider",
        "codeLensProvider",
        "inlayHintProvider",
        "completionProvider",
        "signatureHelpProvider",
        "definitionProvider",
        "referencesProvider",
        "documentHighlightProvider",
        "documentSymbolProvider",
        "workspaceSymbolProvider",
        "codeActionProvider",
        "documentFormattingProvider",
        "documentRangeFormattingProvider",
        "renameProvider",
        "foldingRangeProvider",
        "selectionRangeProvider",
        "semanticTokensProvider",
        "executeCommandProvider",
    ] {
        assert!(!capabilities[provider].is_null(), "{provider}");
    }
}

#[test]
fn a_client_that_can_do_little_gets_the_plain_protocol() {
    let mut client = Client::start_with(json!({}), Value::Null);
    let capabilities = client.initialized["capabilities"].clone();
    assert!(capabilities["inlayHintProvider"].is_null());
    assert!(capabilities["semanticTokensProvider"].is_null());
    client.open(URI, &NATIVE_SB.replace("TSO sometimes", "TSO never"));
    let broken = client.wait_diagnostics(URI, |params| {
        params["diagnostics"]
            .as_array()
            .is_some_and(|all| all.iter().any(|d| d["code"] == "E0501"))
    });
    assert!(!broken.to_string().contains("relatedInformation"));
    let hover = client.about(
        URI,
        "textDocument/hover",
        json!({"position": {"line": 0, "character": 1}}),
    );
    assert_eq!(hover["contents"]["kind"], "plaintext");
    let items = client.about(
        URI,
        "textDocument/completion",
        json!({"position": {"line": 99, "character": 0}}),
    );
    assert!(!items.to_string().contains("${"), "no snippets");
    let actions = client.about(
        URI,
        "textDocument/codeAction",
        json!({"context": {"diagnostics": []}, "range":
                {"start": {"line": 10, "character": 0}, "end": {"line": 11, "character": 9}}}),
    );
    assert_eq!(actions, json!([]), "neither literals nor edits can be used");
    client.drain();
    let unasked = client.waiting.iter().chain(&client.asked).find(|message| {
        matches!(
            message["method"].as_str().unwrap_or_default(),
            "workspace/codeLens/refresh"
                | "workspace/inlayHint/refresh"
                | "workspace/configuration"
                | "window/workDoneProgress/create"
                | "client/registerCapability"
                | "fencepost/status"
        )
    });
    assert_eq!(unasked, None, "the client cannot handle it");
}

#[test]
fn positions_are_counted_as_negotiated() {
    for (encoding, column) in [("utf-8", 9), ("utf-16", 7), ("utf-32", 6)] {
        let capabilities = json!({"general": {"positionEncodings": [encoding]}});
        let mut client = Client::start_with(capabilities, Value::Null);
        assert_eq!(
            client.initialized["capabilities"]["positionEncoding"],
            encoding
        );
        client.open(URI, "litmus T\n/*🔒*/ sh x;\n/*🔒*/ share y;\n");
        let published = client.wait_diagnostics(URI, |params| {
            params["diagnostics"]
                .as_array()
                .is_some_and(|all| !all.is_empty())
        });
        let starts: Vec<&Value> = published["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|d| &d["range"]["start"])
            .filter(|start| start["line"] == 1)
            .map(|start| &start["character"])
            .collect();
        // `/*🔒*/ ` is 9 bytes, 7 UTF-16 units, 6 characters.
        assert_eq!(starts, [column], "{encoding}: {published}");
    }
}

#[test]
fn settings_come_by_pull_and_by_push_and_change_what_is_shown() {
    let mut client = Client::start();
    client.open_checked(URI, NATIVE_SB);
    client.settings = json!({"check": {"models": ["SC"]}, "surfaces": {"lenses": false}});
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": null}),
    );
    client.wait(|m| {
        m["method"] == "fencepost/status"
            && m["params"]["models"]["TSO"] == "idle"
            && m["params"]["state"] == "done"
    });
    let lenses = client.about(URI, "textDocument/codeLens", json!({}));
    assert_eq!(lenses, json!([]));
    let outcomes = client.outcomes(URI);
    assert_eq!(outcomes["models"]["TSO"]["version"], Value::Null);
    assert_eq!(outcomes["models"]["SC"]["state"], "done");

    let capabilities = json!({"experimental": {"fencepost": {"status": true}}});
    let mut client = Client::start_with(capabilities, Value::Null);
    client.open_checked(URI, NATIVE_SB);
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"fencepost": {"check": {"models": ["PSO"], "nonsense": 1}}}}),
    );
    client.wait(|m| {
        m["method"] == "fencepost/status"
            && m["params"]["models"]["SC"] == "idle"
            && m["params"]["state"] == "done"
    });
    let complaint = client
        .wait(|m| m["method"] == "window/logMessage")
        .expect("a wrong setting is told");
    assert!(
        complaint["params"]["message"]
            .as_str()
            .unwrap()
            .contains("nonsense")
    );
}

#[test]
fn parameters_come_from_the_settings() {
    let options = json!({"check": {"params": {"N": 3, "other": 9}}});
    let mut client = Client::start_with(full_capabilities(), options);
    client.open_checked(
        URI,
        "litmus T\nshared x;\nparam N = 1;\nthread W[i in 0..N] { r = fetch_add(x, 1); }\nexists (x = 3)\n",
    );
    let outcomes = client.outcomes(URI);
    assert_eq!(outcomes["models"]["SC"]["verdicts"][0]["verdict"], "always");
    assert_eq!(outcomes["models"]["SC"]["classes"], 6);
}

#[test]
fn commands_that_the_client_runs_are_not_registered() {
    let mut capabilities = full_capabilities();
    capabilities["experimental"]["fencepost"]["commands"] = json!(["fencepost.showWitness"]);
    let client = Client::start_with(capabilities, Value::Null);
    let commands = &client.initialized["capabilities"]["executeCommandProvider"]["commands"];
    let commands = commands.as_array().unwrap();
    assert!(!commands.contains(&json!("fencepost.showWitness")));
    assert!(commands.contains(&json!("fencepost.checkNow")));
}

#[test]
fn the_trace_and_the_log_file_tell_what_happens_and_standard_output_does_not() {
    let path = std::env::temp_dir().join(format!("fencepost-lsp-log-{}", std::process::id()));
    let options = json!({"log": {"file": path, "level": "debug"}});
    let mut client = Client::start_with(full_capabilities(), options);
    client.notify("$/setTrace", json!({"value": "messages"}));
    client.open_checked(URI, NATIVE_SB);
    client
        .wait_for(PATIENCE, |m| m["method"] == "$/logTrace")
        .expect("a trace");
    client.shut_down();
    let log = std::fs::read_to_string(&path).expect("a log file");
    let _ = std::fs::remove_file(&path);
    assert!(log.contains("<- textDocument/didOpen"), "{log}");
    assert!(log.contains(env!("CARGO_PKG_VERSION")), "{log}");
}

/// Which surfaces show something of a test that has something for each.
fn shown(surfaces: Value) -> Vec<&'static str> {
    let options = json!({"surfaces": surfaces});
    let mut client = Client::start_with(full_capabilities(), options);
    client.open_checked(URI, &NATIVE_SB.replace("r0 = y;", "r0 = y;\n  mfence;"));
    client.wait_insights(URI);
    let lenses = client.about(URI, "textDocument/codeLens", json!({}));
    let hints = client.about(
        URI,
        "textDocument/inlayHint",
        json!({"range": everything()}),
    );
    let at = json!({"line": 11, "character": 2});
    let hover = client.about(URI, "textDocument/hover", json!({"position": at}));
    let tokens = client.about(URI, "textDocument/semanticTokens/full", json!({}));
    // An edit that changes nothing brings the diagnostics once more.
    client.change(URI, 2, insert(0, 9, " "));
    let said = client.wait_diagnostics(URI, |params| params["version"] == 2);
    let said = said["diagnostics"].to_string();
    [
        ("lenses", lenses != json!([])),
        ("inlayHints", hints != json!([])),
        ("hovers", hover.to_string().contains("outcome  ")),
        ("semanticTokens", tokens["data"] != json!([])),
        ("weakOutcomes", said.contains("I0501")),
        ("unneededFences", said.contains("I0502")),
    ]
    .into_iter()
    .filter_map(|(surface, shown)| shown.then_some(surface))
    .collect()
}

#[test]
fn each_surface_has_its_switch_and_one_turns_all_off() {
    let all = shown(json!({}));
    assert_eq!(all.len(), 6, "{all:?}");
    for off in &all {
        let mut surfaces = json!({});
        surfaces[*off] = json!(false);
        let left: Vec<_> = all.iter().copied().filter(|one| one != off).collect();
        assert_eq!(shown(surfaces), left, "without {off}");
    }
    assert_eq!(shown(json!({"enable": false})), Vec::<&str>::new());
}
