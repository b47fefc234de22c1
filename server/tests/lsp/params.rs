//! Parameters: the lens that sets them, and every surface that depends on them.

use serde_json::{Value, json};

use super::HERD_SB;
use super::client::{Client, everything, full_capabilities, insert};

const URI: &str = "file:///t/knob.litmus";

/// Store buffering with as many fences as `N` says.
const KNOB: &str = "\
litmus knob
shared x, y;
param N = 0;
thread P0 { x = 1; repeat N { mfence; } r0 = y; }
thread P1 { y = 1; repeat N { mfence; } r1 = x; }
exists (P0:r0 = 0 /\\ P1:r1 = 0)
";

fn set(client: &mut Client, argument: Value) -> Result<Value, Value> {
    let mut argument = argument;
    argument["uri"] = json!(URI);
    let answer = client.execute("fencepost.setParam", argument);
    client.wait_checked(URI);
    client.wait_insights(URI);
    answer
}

/// The titles over the parameter, and over the condition.
fn lenses(client: &mut Client) -> (String, String) {
    let all = client.about(URI, "textDocument/codeLens", json!({}));
    let over = |line: u64| {
        let lenses = all.as_array().expect("lenses").iter();
        let titles: Vec<&str> = lenses
            .filter(|lens| lens["range"]["start"]["line"] == line)
            .filter_map(|lens| lens["command"]["title"].as_str())
            .collect();
        titles.join(" | ")
    };
    (over(2), over(5))
}

fn hover(client: &mut Client, line: u32, character: u32) -> String {
    let at = json!({"line": line, "character": character});
    let hover = client.about(URI, "textDocument/hover", json!({"position": at}));
    hover["contents"]["value"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// What each surface says, a line for each.
fn surfaces(client: &mut Client) -> Vec<String> {
    let (over_param, over_condition) = lenses(client);
    let hints = client.about(
        URI,
        "textDocument/inlayHint",
        json!({"range": everything()}),
    );
    let at = json!({"line": 5, "character": 2});
    let actions = client.about(
        URI,
        "textDocument/codeAction",
        json!({"range": {"start": at, "end": at}, "context": {"diagnostics": []}}),
    );
    let actions = actions.as_array().expect("actions").iter();
    let titles: Vec<&str> = actions.filter_map(|one| one["title"].as_str()).collect();
    let choice = json!({"model": "TSO", "condition": 0});
    let witness = client.about(URI, "fencepost/witness", choice.clone());
    let graph = client.about(URI, "fencepost/graph", choice);
    let outcomes = client.outcomes(URI);
    let verdicts = ["SC", "TSO", "PSO"].map(|model| {
        let verdict = &outcomes["models"][model]["verdicts"][0]["verdict"];
        verdict.as_str().unwrap_or_default().to_owned()
    });
    let copied = client
        .execute("fencepost.copyCommandLine", json!({"uri": URI}))
        .expect("a command line");
    vec![
        over_param,
        over_condition,
        hints[0]["label"].as_str().unwrap_or_default().to_owned(),
        hover(client, 2, 6),
        hover(client, 5, 2)
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned(),
        hover(client, 3, 32)
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned(),
        titles.join(" | "),
        format!("witness {}, graph {}", !witness.is_null(), !graph.is_null()),
        witness["commandLine"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        format!("{} {}", verdicts.join(" "), outcomes["params"]),
        copied["text"].as_str().unwrap_or_default().to_owned(),
    ]
}

#[test]
fn a_parameter_that_is_set_reaches_every_surface() {
    let mut client = Client::start();
    client.open_checked(URI, KNOB);
    client.wait_insights(URI);
    let before = surfaces(&mut client);
    expect_test::expect![[r#"
        N = 0 · change
        sometimes under TSO, PSO · never under SC | Show witness | Suggest fences | Outcomes (3 · 4 · 4)
        ⟵ reachable under TSO, PSO
        `N`: a parameter

        `N = 0`
        sometimes under TSO, PSO · never under SC
        `mfence`: A full fence: waits until all of the thread's stores are in memory. Under SC it changes nothing.
        Add `expect SC never, TSO sometimes, PSO sometimes` | Insert `mfence` in P0 and P1 (unreachable under TSO, PSO) | Format this test
        witness true, graph true
        fencepost witness /t/knob.litmus --model tso --outcome 'P0:r0=0;P1:r1=0'
        never sometimes sometimes [{"name":"N","value":0,"written":"0","overridden":false,"set":false,"range":{"start":{"line":2,"character":6},"end":{"line":2,"character":11}}}]
        fencepost check /t/knob.litmus --timeout 10s --max-classes 1000000"#]].assert_eq(&before.join("\n"));
    let answer = set(&mut client, json!({"name": "N", "value": 1})).expect("it is set");
    assert_eq!(
        answer,
        json!({"name": "N", "value": 1, "text": "N = 1 (file says 0)"})
    );
    expect_test::expect![[r#"
        N = 1 (file says 0) · change | Reset N
        never under SC, TSO, PSO · with N = 1 | Outcomes (3 · 3 · 3)
        ⟵ unreachable under SC, TSO, PSO
        `N`: a parameter

        `N = 1 (file says 0)`
        never under SC, TSO, PSO · with N = 1
        It forbids `P0:r0=0 P1:r1=0` under TSO, PSO. (with N = 1)
        Format this test
        witness false, graph false

        never never never [{"name":"N","value":1,"written":"0","overridden":true,"set":true,"range":{"start":{"line":2,"character":6},"end":{"line":2,"character":11}}}]
        fencepost check /t/knob.litmus --timeout 10s --max-classes 1000000 --param N=1"#]].assert_eq(&surfaces(&mut client).join("\n"));
    let refreshed = |asked: &Value| asked["method"] == "workspace/codeLens/refresh";
    assert!(client.asked.iter().any(refreshed), "lenses are drawn anew");
    set(&mut client, json!({"name": "N", "reset": true})).expect("it is reset");
    assert_eq!(surfaces(&mut client), before);
}

#[test]
fn what_is_found_with_another_value_says_so() {
    let mut client = Client::start();
    let text = KNOB.replace("N = 0", "N = 1") + "expect TSO never\n";
    client.open_checked(URI, &text);
    set(&mut client, json!({"name": "N", "value": 0})).expect("it is set");
    let said = client.wait_diagnostics(URI, |params| {
        let all = params["diagnostics"].as_array().expect("diagnostics");
        let known = |code: &str| all.iter().any(|one| one["code"] == code);
        known("E0501") && known("I0502")
    });
    let all = said["diagnostics"].as_array().expect("diagnostics").iter();
    let mut messages: Vec<&str> = all.filter_map(|one| one["message"].as_str()).collect();
    messages.truncate(3);
    expect_test::expect![[r#"
        expected never under TSO, found sometimes (in 1 of 4 classes) (with N = 0)
        a weak outcome: reachable under TSO, PSO, but not under SC (with N = 0)
        this mfence is not needed: without it the test can do the same under SC, TSO, PSO (with N = 0)"#]].assert_eq(&messages.join("\n"));
    let at = json!({"line": 3, "character": 32});
    let actions = client.about(
        URI,
        "textDocument/codeAction",
        json!({"range": {"start": at, "end": at}, "context": {"diagnostics": []}}),
    );
    let offered = actions.to_string();
    assert!(!offered.contains("Remove"), "the file needs it: {offered}");
    let choice = json!({"model": "TSO", "condition": 0});
    let witness = client.about(URI, "fencepost/witness", choice);
    assert_eq!(witness["title"], "P0:r0=0 P1:r1=0 under TSO with N = 0");
    assert_eq!(
        witness["commandLine"],
        "fencepost witness /t/knob.litmus --model tso --outcome 'P0:r0=0;P1:r1=0' --param N=0"
    );
}

#[test]
fn what_is_set_stays_for_the_session_and_lies_over_the_settings() {
    let settings = |n: u32| json!({"check": {"params": {"N": n, "K": 7}}});
    let mut client = Client::start_with(full_capabilities(), settings(1));
    client.open_checked(URI, KNOB);
    assert_eq!(lenses(&mut client).0, "N = 1 (file says 0) · change");
    set(&mut client, json!({"name": "N", "value": "2"})).expect("digits are a value too");
    let overridden = "N = 2 (file says 0) · change | Reset N";
    client.change(URI, 2, insert(2, 0, " "));
    assert_eq!(lenses(&mut client).0, overridden, "an edit keeps it");
    client.close(URI);
    client.open_checked(URI, KNOB);
    assert_eq!(lenses(&mut client).0, overridden, "a second look finds it");
    // Another document with such a parameter has its own, and that follows the settings.
    let other = "file:///t/other.litmus";
    client.open_checked(other, KNOB);
    assert_eq!(client.outcomes(other)["params"][0]["value"], 1);
    client.settings = settings(3);
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": null}),
    );
    client.wait_until("the setting holds", |client| {
        client.outcomes(other)["params"][0]["value"] == 3
    });
    assert_eq!(lenses(&mut client).0, overridden, "a setting lies below");
    set(&mut client, json!({"name": "N", "value": null})).expect("it is reset");
    assert_eq!(lenses(&mut client).0, "N = 3 (file says 0) · change");
    let copied = client
        .execute("fencepost.copyCommandLine", json!({"uri": URI}))
        .expect("a command line");
    let line = copied["text"].as_str().expect("a line");
    assert!(line.ends_with(" --param N=3"), "no other test's: {line}");
}

#[test]
fn values_that_make_no_test_are_refused_and_change_nothing() {
    let mut client = Client::start();
    client.open_checked(URI, KNOB);
    let mut said = Vec::new();
    for argument in [
        json!({"name": "N", "value": "five"}),
        json!({"name": "N", "value": 2.5}),
        json!({"name": "N", "value": "9223372036854775808"}),
        json!({"name": "N", "value": 1_000_000}),
        json!({"name": "M", "value": 1}),
        json!({"value": 1}),
    ] {
        let error = set(&mut client, argument).expect_err("a refusal");
        assert_eq!(error["code"], -32602, "{error}");
        said.push(error["message"].as_str().unwrap_or_default().to_owned());
    }
    expect_test::expect![[r#"
        `five` is no 64-bit number
        `2.5` is no 64-bit number
        `9223372036854775808` is no 64-bit number
        with N = 1000000: 1000000 iterations: at most 65536 can be checked
        knob has no parameter `M`: there are N
        setting a parameter needs a `name`"#]]
    .assert_eq(&said.join("\n"));
    assert_eq!(lenses(&mut client).0, "N = 0 · change");
    client.open_checked(URI, HERD_SB);
    let error = set(&mut client, json!({"name": "N", "value": 1})).expect_err("a refusal");
    assert_eq!(
        error["message"],
        "tests in herd's dialect have no parameters"
    );
}

#[test]
fn a_client_without_an_input_box_offers_values_to_choose_from() {
    let mut client = Client::start();
    let commands = |client: &Client| {
        client.initialized["capabilities"]["executeCommandProvider"]["commands"].to_string()
    };
    assert!(commands(&client).contains("fencepost.setParam"));
    client.open_checked(URI, &KNOB.replace("N = 0", "N = 2"));
    client.pick = json!({"title": "4"});
    let answer = set(&mut client, json!({"name": "N"})).expect("the question is asked");
    assert_eq!(answer["text"], "N = 2");
    let asked = client
        .wait(|message| message["method"] == "window/showMessageRequest")
        .expect("the person chooses");
    assert_eq!(asked["params"]["message"], "N = 2: which value instead?");
    assert_eq!(
        asked["params"]["actions"],
        json!([{"title": "1"}, {"title": "3"}, {"title": "4"}])
    );
    client.wait_until("the choice holds", |client| {
        client.outcomes(URI)["params"][0]["value"] == 4
    });
    // One that asks by itself says so, and is left to it.
    let mut capabilities = full_capabilities();
    capabilities["experimental"]["fencepost"]["commands"] = json!(["fencepost.setParam"]);
    let mut client = Client::start_with(capabilities, Value::Null);
    assert!(!commands(&client).contains("fencepost.setParam"));
    client.open_checked(URI, KNOB);
    let all = client.about(URI, "textDocument/codeLens", json!({}));
    let lens = &all[2]["command"];
    assert_eq!(lens["command"], "fencepost.setParam");
    assert_eq!(
        lens["arguments"],
        json!([{"uri": URI, "name": "N", "current": 0, "written": "0"}])
    );
    set(&mut client, json!({"name": "N", "value": 1})).expect("with a value it is set");
}
