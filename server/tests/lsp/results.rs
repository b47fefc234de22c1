//! Verdicts on every surface, tied to a version; stale ones are marked and moved.

use serde_json::{Value, json};

use super::client::{Client, everything, full_capabilities, insert};
use super::{HERD_SB, NATIVE_SB};

const URI: &str = "file:///t/SB.litmus";

fn lens_titles(client: &mut Client) -> Vec<String> {
    let answer = client.about(URI, "textDocument/codeLens", json!({}));
    let lenses = answer.as_array().expect("lenses");
    lenses
        .iter()
        .map(|lens| lens["command"]["title"].as_str().unwrap().to_owned())
        .collect()
}

fn hint_labels(client: &mut Client) -> Vec<(u64, String)> {
    let answer = client.about(
        URI,
        "textDocument/inlayHint",
        json!({"range":
                everything()}),
    );
    let hints = answer.as_array().expect("hints");
    hints
        .iter()
        .map(|hint| {
            let line = hint["position"]["line"].as_u64().unwrap();
            (line, hint["label"].as_str().unwrap().to_owned())
        })
        .collect()
}

#[test]
fn lenses_and_hints_tell_the_verdicts() {
    let mut client = Client::start();
    for (text, first) in [(NATIVE_SB, "checked · as expected"), (HERD_SB, "checked")] {
        client.open_checked(URI, text);
        assert_eq!(
            lens_titles(&mut client),
            [
                first,
                "Check now",
                "sometimes under TSO, PSO · never under SC",
                "Show witness",
                "Suggest fences",
                "Outcomes (3 · 4 · 4)",
            ]
        );
        let hints = hint_labels(&mut client);
        assert_eq!(hints.len(), 1);
        assert_eq!(hints[0].1, "⟵ reachable under TSO, PSO");
    }
}

#[test]
fn outcomes_carry_model_completeness_and_version() {
    let mut client = Client::start();
    client.open_checked(URI, NATIVE_SB);
    let outcomes = client.outcomes(URI);
    assert_eq!(outcomes["state"], "done");
    assert_eq!(outcomes["version"], 1);
    assert_eq!(outcomes["stale"], false);
    assert_eq!(outcomes["observed"], json!(["P0:r0", "P1:r1"]));
    assert_eq!(outcomes["models"]["SC"]["classes"], 3);
    assert_eq!(outcomes["models"]["SC"]["complete"], true);
    assert_eq!(
        outcomes["models"]["TSO"]["verdicts"][0]["verdict"],
        "sometimes"
    );
    assert_eq!(
        outcomes["models"]["TSO"]["outcomes"][0],
        json!({"index": 0, "state": {"P0:r0": 0, "P1:r1": 0}, "holds": [true], "classes": 1})
    );
    let ok: Vec<&Value> = outcomes["expect"]
        .as_array()
        .unwrap()
        .iter()
        .map(|expect| &expect["ok"])
        .collect();
    assert_eq!(ok, [true, true, true]);
}

#[test]
fn witnesses_and_graphs_of_any_outcome() {
    let mut client = Client::start();
    for (text, first, state) in [
        (NATIVE_SB, "x = 1", json!({"P0:r0": 0, "P1:r1": 0})),
        (HERD_SB, "MOV [x],$1", json!({"0:EAX": 0, "1:EAX": 0})),
    ] {
        client.open_checked(URI, text);
        let document = json!({"uri": URI});
        let witness = client
            .request(
                "fencepost/witness",
                json!({"textDocument": document, "model": "TSO", "outcome": state}),
            )
            .expect("a witness");
        assert_eq!(witness["outcome"], state);
        assert_eq!(witness["threads"], json!(["P0", "P1"]));
        assert_eq!(witness["steps"].as_array().map(Vec::len), Some(6));
        assert_eq!(witness["steps"][0]["text"], first);
        assert_eq!(
            witness["steps"][0]["buffers"][0][0],
            json!({"location": "x", "value": 1})
        );
        assert_eq!(witness["steps"][5]["memory"], json!({"x": 1, "y": 1}));
        assert_eq!(witness["forbidden"]["model"], "SC");
        assert_eq!(
            witness["forbidden"]["cycle"],
            json!([
                {"kind": "po", "from": 0, "to": 1, "text": "program order"},
                {"kind": "fr", "from": 1, "to": 2, "text": "reads before"},
                {"kind": "po", "from": 2, "to": 4, "text": "program order"},
                {"kind": "fr", "from": 4, "to": 0, "text": "reads before"},
            ])
        );
        let by_condition = client
            .request(
                "fencepost/witness",
                json!({"textDocument": document, "condition": 0}),
            )
            .expect("a witness");
        assert_eq!(
            by_condition["model"], "TSO",
            "the strongest model that has one"
        );
        let passing = client
            .request(
                "fencepost/witness",
                json!({"textDocument": document, "model": "SC", "outcome": 2}),
            )
            .expect("passing tests have traces too");
        assert_eq!(passing["forbidden"], Value::Null);
        assert!(
            passing["steps"]
                .as_array()
                .is_some_and(|steps| !steps.is_empty())
        );
        let none = client
            .request(
                "fencepost/witness",
                json!({"textDocument": document, "model": "SC", "outcome": state}),
            )
            .expect("an answer");
        assert_eq!(none, Value::Null);
        let graph = client
            .request(
                "fencepost/graph",
                json!({"textDocument": document, "model": "TSO", "outcome": state}),
            )
            .expect("a graph");
        assert!(graph["svg"].as_str().unwrap().starts_with("<svg"));
        assert!(graph["dot"].as_str().unwrap().starts_with("digraph"));
    }
}

#[test]
fn an_edit_marks_results_stale_and_moves_them() {
    let mut client = Client::start();
    client.open_checked(URI, NATIVE_SB);
    client.change(URI, 2, insert(0, 9, "\n// a line\n// and another"));
    let stale = client.outcomes(URI);
    assert_eq!(stale["version"], 2);
    assert_eq!(stale["stale"], true);
    assert_eq!(stale["models"]["TSO"]["version"], 1);
    assert_eq!(stale["models"]["TSO"]["stale"], true);
    assert_eq!(
        stale["models"]["TSO"]["verdicts"][0]["verdict"],
        "sometimes"
    );
    let titles = lens_titles(&mut client);
    assert!(
        titles.contains(&"sometimes under TSO, PSO · never under SC · stale".to_owned()),
        "{titles:?}"
    );
    let hints = hint_labels(&mut client);
    assert_eq!(
        hints,
        [(12, "⟵ reachable under TSO, PSO · stale".to_owned())]
    );
    let diagnostics = client.wait_diagnostics(URI, |params| params["version"] == 2);
    let weak = &diagnostics["diagnostics"][0];
    assert_eq!(weak["range"]["start"]["line"], 12);
    assert!(
        weak["message"].as_str().unwrap().contains("stale"),
        "{weak}"
    );
    let witness = client.about(URI, "fencepost/witness", json!({"condition": 0}));
    assert_eq!(witness["stale"], true);
    assert_eq!(witness["steps"][0]["range"]["start"]["line"], 5);

    // The old text again: the results are its own.
    client.change(
        URI,
        3,
        json!([{"range": {"start": {"line": 0, "character": 9}, "end": {"line": 2, "character": 14}},
            "text": ""}]),
    );
    let fresh = client.outcomes(URI);
    assert_eq!(fresh["stale"], false);
    assert_eq!(fresh["models"]["TSO"]["version"], 3);

    // A save checks anew.
    client.change(URI, 4, insert(4, 2, "mfence; "));
    client.save(URI);
    client.wait(|m| {
        m["method"] == "fencepost/status"
            && m["params"]["version"] == 4
            && m["params"]["state"] == "done"
            && m["params"]["stale"] == false
    });
    let outcomes = client.outcomes(URI);
    assert_eq!(outcomes["stale"], false);
    assert_eq!(outcomes["models"]["TSO"]["version"], 4);
}

#[test]
fn results_of_columns_are_marked_and_moved_too() {
    let mut client = Client::start();
    let fenced = HERD_SB.replace("exists", " MFENCE      |             ;\nexists");
    client.open_checked(URI, &fenced);
    client.wait_insights(URI);
    client.change(URI, 2, insert(1, 0, "(* a comment *)\n"));
    let titles = lens_titles(&mut client);
    assert_eq!(
        titles[2],
        "sometimes under TSO, PSO · never under SC · stale"
    );
    let hints = hint_labels(&mut client);
    assert_eq!(
        hints,
        [(7, "⟵ reachable under TSO, PSO · stale".to_owned())]
    );
    let published = client.wait_diagnostics(URI, |params| params["version"] == 2);
    let all = published["diagnostics"].as_array().expect("diagnostics");
    let told: Vec<String> = all
        .iter()
        .map(|one| {
            let (code, line) = (&one["code"], &one["range"]["start"]["line"]);
            let stale = one["message"]
                .as_str()
                .unwrap_or_default()
                .contains("stale");
            format!("{code} line {line} stale {stale} tags {}", one["tags"])
        })
        .collect();
    assert_eq!(
        told,
        [
            "\"I0501\" line 7 stale true tags null",
            "\"I0502\" line 6 stale true tags [1]"
        ],
        "the weak outcome, and the fence that is not needed, faded"
    );
    let witness = client.about(URI, "fencepost/witness", json!({"condition": 0}));
    assert_eq!(witness["stale"], true);
    assert_eq!(witness["steps"][0]["range"]["start"]["line"], 4);
    client.change(URI, 3, insert(4, 1, "MVO "));
    let published = client.wait_diagnostics(URI, |params| params["version"] == 3);
    let first = &published["diagnostics"][0];
    assert_eq!(
        (&first["severity"], &first["range"]["start"]["line"]),
        (&json!(1), &json!(4))
    );
}

#[test]
fn models_are_told_as_they_end() {
    let options = json!({"check": {"timeout": 0, "maxClasses": 0, "threads": 1}});
    let mut client = Client::start_with(full_capabilities(), options);
    client.open(URI, super::MANY_CLASSES);
    let status = client
        .wait(|message| {
            message["method"] == "fencepost/status"
                && message["params"]["models"]["SC"] == "done"
                && message["params"]["models"]["PSO"] == "checking"
        })
        .expect("the quick model is not held back");
    assert_eq!(status["params"]["state"], "checking");
    let titles = lens_titles(&mut client);
    assert!(titles[2].contains("never under SC"), "{titles:?}");
    assert!(titles[2].contains("checking"), "{titles:?}");
}

#[test]
fn parse_errors_come_at_once_and_old_results_never_hide_them() {
    let mut client = Client::start();
    client.open_checked(URI, NATIVE_SB);
    client.change(URI, 2, insert(3, 2, "???"));
    let published = client.wait_diagnostics(URI, |params| params["version"] == 2);
    let diagnostics = published["diagnostics"].as_array().unwrap();
    assert_eq!(diagnostics[0]["severity"], 1, "{published}");
    assert!(diagnostics[0]["code"].as_str().unwrap().starts_with("E01"));
    assert!(
        diagnostics.iter().any(|d| d["code"] == "I0501"),
        "the weak outcome stays: {published}"
    );
    client.save(URI);
    let status = client.wait_state(URI, |state| state == "failed");
    assert!(status["errors"].as_u64().unwrap() > 0);
    assert_eq!(client.wait_model(URI, "SC"), "failed");
}

#[test]
fn a_broken_expectation_is_an_error_with_the_steps_of_a_witness() {
    let mut client = Client::start();
    for text in [
        NATIVE_SB.replace("TSO sometimes", "TSO never"),
        format!("{HERD_SB}(* expect: TSO never *)\n"),
    ] {
        client.open(URI, &text);
        let published = client.wait_diagnostics(URI, |params| {
            params["diagnostics"]
                .as_array()
                .is_some_and(|all| all.iter().any(|d| d["code"] == "E0501"))
        });
        let all = published["diagnostics"].as_array().unwrap();
        let broken = all.iter().find(|d| d["code"] == "E0501").unwrap();
        assert_eq!(broken["severity"], 1);
        let steps = broken["relatedInformation"].as_array().expect("steps");
        assert_eq!(steps.len(), 6);
        assert_eq!(steps[0]["location"]["range"]["start"]["line"], 3);
    }
}

#[test]
fn assertions_deadlocks_and_bounds_are_told() {
    let mut client = Client::start();
    let codes = |client: &mut Client, text: &str, code: &str| {
        client.open_checked(URI, text);
        client.wait_diagnostics(URI, |params| {
            params["diagnostics"]
                .as_array()
                .is_some_and(|all| all.iter().any(|d| d["code"] == code))
        });
    };
    codes(
        &mut client,
        "litmus T\nshared x;\nthread P0 { x = 1; }\nthread P1 { r = x; assert(r == 0); }\nexists (x = 1)\n",
        "E0502",
    );
    codes(
        &mut client,
        "litmus T\nmutex a, b;\nthread P0 { lock(a); lock(b); unlock(b); unlock(a); }\nthread P1 { lock(b); lock(a); unlock(a); unlock(b); }\nexists (true)\n",
        "W0501",
    );
    let text = "litmus T\nshared x;\nthread P0 {\n  while (x == 0) max 2 { }\n}\nthread P1 { x = 1; }\nexists (x = 1)\n";
    codes(&mut client, text, "W0502");
    let hints = hint_labels(&mut client);
    assert!(
        hints.contains(&(3, "⟵ bound of 2 hit under SC, TSO, PSO".to_owned())),
        "{hints:?}"
    );
}

#[test]
fn a_budget_that_runs_out_is_said_and_never_is_not_claimed() {
    let options = json!({"check": {"maxClasses": 10, "timeout": 0}});
    let mut client = Client::start_with(full_capabilities(), options);
    client.open(URI, super::ENDLESS);
    client.wait_state(URI, |state| state == "unfinished");
    let outcomes = client.outcomes(URI);
    let sc = &outcomes["models"]["SC"];
    assert_eq!(sc["state"], "unfinished");
    assert_eq!(sc["complete"], false);
    assert!(
        sc["note"]
            .as_str()
            .unwrap()
            .starts_with("not finished under SC"),
        "{sc}"
    );
    assert_ne!(sc["verdicts"][0]["verdict"], "never");
    let titles = lens_titles(&mut client);
    assert!(titles[2].contains("not finished"), "{titles:?}");
}

#[test]
fn results_of_other_settings_stay_stale_when_the_text_comes_back() {
    let options = json!({"check": {"run": "manual"}});
    let mut client = Client::start_with(full_capabilities(), options);
    client.open(URI, NATIVE_SB);
    client
        .execute("fencepost.checkNow", json!({"uri": URI}))
        .expect("it starts");
    client.wait_checked(URI);
    client.wait_insights(URI);
    client.settings = json!({"check": {"run": "manual", "unroll": 3}});
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": null}),
    );
    client.wait_until("the results are stale", |client| {
        client.outcomes(URI)["stale"] == true
    });
    client.change(URI, 2, insert(0, 9, " "));
    let added = json!({"start": {"line": 0, "character": 9}, "end": {"line": 0, "character": 10}});
    client.change(URI, 3, json!([{"range": added, "text": ""}]));
    assert_eq!(client.outcomes(URI)["stale"], true);
    let titles = lens_titles(&mut client);
    assert!(titles[2].ends_with("· stale"), "{titles:?}");
    let at = json!({"line": 10, "character": 2});
    let answer = client.about(
        URI,
        "textDocument/codeAction",
        json!({"range": {"start": at, "end": at},
                "context": {"diagnostics": []}}),
    );
    let offered = answer.to_string();
    assert!(
        !offered.contains("Insert"),
        "stale fences are no offer: {offered}"
    );
    let hover = client.about(URI, "textDocument/hover", json!({"position": at}));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(
        text.contains("settings or parameters have changed since"),
        "{text}"
    );
}

#[test]
fn checks_while_typing_wait_for_a_pause_and_manual_ones_for_a_word() {
    let options = json!({"check": {"run": "onType", "debounce": 30}});
    let mut client = Client::start_with(full_capabilities(), options);
    client.open_checked(URI, NATIVE_SB);
    for version in 2..12 {
        client.change(URI, version, insert(0, 9, " "));
    }
    client.change(URI, 12, insert(4, 2, "mfence; "));
    client.wait(|m| {
        m["method"] == "fencepost/status"
            && m["params"]["version"] == 12
            && m["params"]["state"] == "done"
            && m["params"]["stale"] == false
    });
    assert_eq!(client.outcomes(URI)["models"]["PSO"]["version"], 12);

    let options = json!({"check": {"run": "manual"}});
    let mut client = Client::start_with(full_capabilities(), options);
    client.open(URI, NATIVE_SB);
    client.save(URI);
    assert_eq!(client.outcomes(URI)["state"], "idle");
    client
        .execute("fencepost.checkNow", json!({"uri": URI}))
        .expect("it starts");
    client.wait_state(URI, |state| state == "done");
}

#[test]
fn an_expectation_that_is_refuted_early_fails_on_every_surface() {
    let options = json!({"check": {"maxClasses": 1}});
    let mut client = Client::start_with(full_capabilities(), options);
    let text = "litmus T\nshared x;\nthread P0 { x = 1; }\nthread P1 { r = x; }\nexists (x = 1)\nexpect SC never\n";
    client.open(URI, text);
    client.wait_state(URI, |state| state == "unfinished");
    let outcomes = client.outcomes(URI);
    assert_eq!(outcomes["models"]["SC"]["complete"], false);
    assert_eq!(outcomes["expect"][0]["found"], "unknown");
    assert_eq!(outcomes["expect"][0]["ok"], false);
    let lenses = client.about(URI, "textDocument/codeLens", json!({}));
    let title = lenses[0]["command"]["title"].as_str().expect("a title");
    assert!(title.contains("1 expectation fails"), "{title}");
}

#[test]
fn a_hover_does_not_speak_of_the_command_line() {
    let mut client = Client::start();
    let text = "litmus T\nshared x;\nthread W[i in 0..5] { x = i; r = x; }\nexists (W[0]:r = 0 /\\ W[1]:r = 1 /\\ W[2]:r = 2 /\\ W[3]:r = 3)\n";
    client.open_checked(URI, text);
    let place = json!({"position": {"line": 3, "character": 2}});
    let hover = client.about(URI, "textDocument/hover", place).to_string();
    assert!(
        hover.contains("more (the lens `Outcomes` shows all)"),
        "{hover}"
    );
    assert!(!hover.contains("--outcomes"), "{hover}");
}
