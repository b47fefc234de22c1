//! Features that look: hovers, navigation, symbols, tokens, completion, in both dialects.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::client::{Client, cursor, draw};
use super::{HERD_SB, NATIVE_SB};

const URI: &str = "file:///t/SB.litmus";

/// Opens the text without its `$0` and asks about the cursor's place.
fn at_cursor(client: &mut Client, method: &str, marked: &str, more: Value) -> (String, Value) {
    let (text, position) = cursor(marked);
    client.open_checked(URI, &text);
    client.wait_insights(URI);
    let mut params = json!({"textDocument": {"uri": URI}, "position": position});
    if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
        params.extend(more.clone());
    }
    let answer = client.request(method, params).expect("an answer");
    (text, answer)
}

fn hover(marked: &str) -> String {
    let mut client = Client::start();
    let (_, answer) = at_cursor(&mut client, "textDocument/hover", marked, json!({}));
    match &answer["contents"]["value"] {
        Value::String(text) => format!("{text}\n"),
        _ => "nothing\n".to_owned(),
    }
}

fn check_hover(marked: &str, expected: Expect) {
    expected.assert_eq(&hover(marked));
}

/// The fixture with a cursor put before the n-th occurrence of a word.
fn mark(text: &str, word: &str, nth: usize) -> String {
    let (at, _) = text.match_indices(word).nth(nth).expect("the word occurs");
    format!("{}$0{}", &text[..at], &text[at..])
}

#[test]
fn hover_on_a_condition_is_the_matrix_and_a_witness() {
    check_hover(
        &mark(NATIVE_SB, "exists", 0),
        expect![[r#"
            sometimes under TSO, PSO · never under SC

            ```text
            outcome                SC     TSO    PSO
            P0:r0=0  P1:r1=0       –      ✓      ✓     ← exists
            P0:r0=0  P1:r1=1       ✓      ✓      ✓
            P0:r0=1  P1:r1=0       ✓      ✓      ✓
            P0:r0=1  P1:r1=1       ✓      ✓      ✓

            witness under TSO
            step  P0            P1            buffers            memory
             1    x = 1                       P0: x=1            x=0 y=0
             2    r0 = y → 0                  P0: x=1            x=0 y=0
             3                  y = 1         P0: x=1  P1: y=1   x=0 y=0
             4                  ⤷ flush y=1   P0: x=1            x=0 y=1
             5                  r1 = x → 0    P0: x=1            x=0 y=1
             6    ⤷ flush x=1                                    x=1 y=1

            not under SC: a cycle, each before the next
             1    P0  x = 1        program order
             2    P0  r0 = y → 0   reads before
             3    P1  y = 1        program order
             5    P1  r1 = x → 0   reads before
            ```

            `exists`: Is there an execution that ends so? With `~`: is there none?
        "#]],
    );
    check_hover(
        &mark(HERD_SB, "exists", 0),
        expect![[r#"
            sometimes under TSO, PSO · never under SC

            ```text
            outcome                SC     TSO    PSO
            0:EAX=0  1:EAX=0       –      ✓      ✓     ← exists
            0:EAX=0  1:EAX=1       ✓      ✓      ✓
            0:EAX=1  1:EAX=0       ✓      ✓      ✓
            0:EAX=1  1:EAX=1       ✓      ✓      ✓

            witness under TSO
            step  P0                P1                buffers            memory
             1    MOV [x],$1                          P0: x=1            x=0 y=0
             2    MOV EAX,[y] → 0                     P0: x=1            x=0 y=0
             3                      MOV [y],$1        P0: x=1  P1: y=1   x=0 y=0
             4                      ⤷ flush y=1       P0: x=1            x=0 y=1
             5                      MOV EAX,[x] → 0   P0: x=1            x=0 y=1
             6    ⤷ flush x=1                                            x=1 y=1

            not under SC: a cycle, each before the next
             1    P0  MOV [x],$1        program order
             2    P0  MOV EAX,[y] → 0   reads before
             3    P1  MOV [y],$1        program order
             5    P1  MOV EAX,[x] → 0   reads before
            ```

            `exists`: Is there an execution that ends so? With `~`: is there none?
        "#]],
    );
}

#[test]
fn hover_on_a_load_lists_its_sources() {
    check_hover(
        &mark(NATIVE_SB, "y;", 1),
        expect![[r#"
        `y`: a shared variable

        At the end: 1 under SC, TSO, PSO

        ```text
        can read                    SC    TSO   PSO
        y = 0 (initial value)       ✓     ✓     ✓
        y = 1 (P1, line 8: y = 1)   ✓     ✓     ✓
        ```
    "#]],
    );
    check_hover(
        &mark(HERD_SB, "y] |", 0),
        expect![[r#"
        `y`: a location

        At the end: 1 under SC, TSO, PSO

        ```text
        can read                         SC    TSO   PSO
        y = 0 (initial value)            ✓     ✓     ✓
        y = 1 (P1, line 4: MOV [y],$1)   ✓     ✓     ✓
        ```
    "#]],
    );
}

#[test]
fn hover_on_a_store_lists_who_can_see_it() {
    check_hover(
        &mark(NATIVE_SB, "x = 1", 0),
        expect![[r#"
        `x`: a shared variable

        At the end: 1 under SC, TSO, PSO

        ```text
        can be seen by       SC    TSO   PSO
        P1, line 9: r1 = x   ✓     ✓     ✓
        ```
    "#]],
    );
    check_hover(
        &mark(HERD_SB, "x],", 0),
        expect![[r#"
        `x`: a location

        At the end: 1 under SC, TSO, PSO

        ```text
        can be seen by            SC    TSO   PSO
        P1, line 5: MOV EAX,[x]   ✓     ✓     ✓
        ```
    "#]],
    );
}

#[test]
fn hover_on_a_fence_tells_what_it_forbids() {
    let fenced = NATIVE_SB
        .replace("x = 1;", "x = 1;\n  mfence;")
        .replace("y = 1;", "y = 1;\n  mfence;");
    check_hover(
        &mark(&fenced, "mfence", 0),
        expect![[r#"
        `mfence`: A full fence: waits until all of the thread's stores are in memory. Under SC it changes nothing.

        It forbids `P0:r0=0 P1:r1=0` under TSO, PSO.
    "#]],
    );
    let useless = HERD_SB.replace(
        "exists",
        " LFENCE      |             ;\n SFENCE      |             ;\nexists",
    );
    check_hover(
        &mark(&useless, "SFENCE", 0),
        expect![[r#"
        `SFENCE`: A store-store fence: on x86's plain stores it changes nothing, since they stay in order; it matters under PSO.

        It changes nothing under SC, TSO, PSO.
    "#]],
    );
}

#[test]
fn hover_on_names_and_words_explains_them() {
    // A register tells its values, and then the same as the load that fills it.
    for (register, load, name, location) in [
        (
            mark(NATIVE_SB, "r0 = y", 0),
            mark(NATIVE_SB, "y;", 1),
            "r0",
            "a shared variable",
        ),
        (
            mark(HERD_SB, "EAX", 0),
            mark(HERD_SB, "y] |", 0),
            "eax",
            "a location",
        ),
    ] {
        let expected = hover(&load)
            .replace(
                &format!("`y`: {location}"),
                &format!("`{name}`: a register"),
            )
            .replace("At the end: 1 under", "At the end: 0, 1 under");
        assert_eq!(hover(&register), expected);
    }
    check_hover(
        &mark(NATIVE_SB, "x, y", 0),
        expect![[r#"
        `x`: a shared variable

        At the end: 1 under SC, TSO, PSO
    "#]],
    );
    check_hover(
        &mark(NATIVE_SB, "TSO", 0),
        expect![[r#"
        `TSO`: Total store order (x86): stores wait in one FIFO buffer a thread; a load sees the thread's own newest buffered store, else memory. A load can overtake earlier stores to other locations.
    "#]],
    );
    check_hover(
        &mark(NATIVE_SB, "thread", 0),
        expect![[r#"
        `thread`: Runs in parallel with the other threads, from the start. `thread W[i in 0..N]` makes several.
    "#]],
    );
    check_hover(
        &mark(HERD_SB, "MOV", 0),
        expect![[r#"
        `MOV`: Moves a value: a load when it reads memory, a store when it writes memory. Plain: stores are buffered.

        ```text
        can be seen by            SC    TSO   PSO
        P1, line 5: MOV EAX,[x]   ✓     ✓     ✓
        ```
    "#]],
    );
    check_hover(
        "litmus T\n// sha$0red\nshared x;\n",
        expect![[r#"
        nothing
    "#]],
    );
}

fn ranges(method: &str, marked: &str, more: Value) -> String {
    let mut client = Client::start();
    let (text, answer) = at_cursor(&mut client, method, marked, more);
    let found = match answer {
        Value::Array(found) => found,
        one => vec![one],
    };
    let ranges: Vec<Value> = found.iter().map(|item| item["range"].clone()).collect();
    draw(&text, &ranges)
}

#[test]
fn definition_references_and_highlights_in_both_dialects() {
    let more = json!({"context": {"includeDeclaration": true}});
    expect![[r#"
        2  | shared x, y;
           |        ^
        4  |   x = 1;
           |   ^
        9  |   r1 = x;
           |        ^
    "#]]
    .assert_eq(&ranges(
        "textDocument/references",
        &mark(NATIVE_SB, "x = 1", 0),
        more.clone(),
    ));
    expect![[r#"
        2  | { x=0; y=0; }
           |        ^
        4  |  MOV [x],$1  | MOV [y],$1  ;
           |                     ^
        5  |  MOV EAX,[y] | MOV EAX,[x] ;
           |           ^
    "#]]
    .assert_eq(&ranges(
        "textDocument/references",
        &mark(HERD_SB, "y]", 0),
        more,
    ));
    expect![[r#"
        9  |   r1 = x;
           |   ^^
    "#]]
    .assert_eq(&ranges(
        "textDocument/definition",
        &mark(NATIVE_SB, "r1 = 0", 0),
        json!({}),
    ));
    expect![[r#"
        9  |   r1 = x;
           |   ^^
        11 | exists (P0:r0 = 0 /\ P1:r1 = 0)
           |                         ^^
    "#]]
    .assert_eq(&ranges(
        "textDocument/documentHighlight",
        &mark(NATIVE_SB, "r1 = 0", 0),
        json!({}),
    ));
    expect![[r#"
        2  | { x=0; y=0; }
           |   ^
    "#]]
    .assert_eq(&ranges(
        "textDocument/definition",
        &mark(HERD_SB, "x] ;", 0),
        json!({}),
    ));
    expect![[r#"
        5  |  MOV EAX,[y] | MOV EAX,[x] ;
           |                    ^^^
        6  | exists (0:EAX=0 /\ 1:EAX=0)
           |                      ^^^
    "#]]
    .assert_eq(&ranges(
        "textDocument/documentHighlight",
        &mark(HERD_SB, "EAX=0", 1),
        json!({}),
    ));
}

fn titles(items: &Value, key: &str) -> Vec<String> {
    let items = items.as_array().expect("an array");
    items
        .iter()
        .map(|item| item[key].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn completion_and_signature_help_while_typing() {
    let mut client = Client::start();
    let typing = NATIVE_SB.replace("r1 = x;", "r1 = fe$0");
    let (_, answer) = at_cursor(&mut client, "textDocument/completion", &typing, json!({}));
    let labels = titles(&answer, "label");
    assert!(labels.contains(&"fetch_add".to_owned()), "{labels:?}");
    assert!(labels.contains(&"x".to_owned()), "{labels:?}");
    let typing = NATIVE_SB.replace("r1 = x;", "r1 = cas(x, 0, $0");
    let (_, answer) = at_cursor(
        &mut client,
        "textDocument/signatureHelp",
        &typing,
        json!({}),
    );
    assert_eq!(answer["activeParameter"], 2);
    let typing = HERD_SB.replace("exists", " MF$0\nexists");
    let (_, answer) = at_cursor(&mut client, "textDocument/completion", &typing, json!({}));
    let labels = titles(&answer, "label");
    assert!(labels.contains(&"MFENCE".to_owned()), "{labels:?}");
    let cell = HERD_SB.replace("EAX,[y]", "EAX,$0");
    let (_, answer) = at_cursor(&mut client, "textDocument/signatureHelp", &cell, json!({}));
    assert_eq!(answer, Value::Null, "instructions are no calls");
    let (_, answer) = at_cursor(&mut client, "textDocument/completion", "$0", json!({}));
    let items = answer.as_array().expect("items");
    let sb = items.iter().find(|item| item["label"] == "SB").expect("SB");
    assert_eq!(sb["insertTextFormat"], 2);
    assert!(
        sb["insertText"]
            .as_str()
            .unwrap()
            .starts_with("litmus ${1:SB}")
    );
}

#[test]
fn symbols_of_documents_and_of_the_workspace() {
    let folder = std::env::temp_dir().join(format!("fencepost-ws-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("deep")).unwrap();
    std::fs::write(
        folder.join("deep/on-disk.litmus"),
        "(* c *)\nX86 MP+disk\n{ }\n",
    )
    .unwrap();
    let mut client = Client::spawn();
    let uri = format!("file://{}", folder.display());
    client
        .request(
            "initialize",
            json!({"capabilities": {}, "workspaceFolders": [{"uri": uri, "name": "w"}]}),
        )
        .expect("initialize");
    client.notify("initialized", json!({}));
    client.open("untitled:a", NATIVE_SB);
    let found = client
        .request("workspace/symbol", json!({"query": ""}))
        .expect("symbols");
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(titles(&found, "name"), ["SB", "MP+disk"]);
    assert_eq!(found[1]["location"]["range"]["start"]["line"], 1);
    // Without hierarchical symbols they come flat.
    let flat = client.about("untitled:a", "textDocument/documentSymbol", json!({}));
    assert_eq!(
        titles(&flat, "name"),
        ["SB", "x", "y", "P0", "r0", "P1", "r1", "exists"]
    );
    assert_eq!(flat[4]["containerName"], "P0");
    client.open("untitled:b", HERD_SB);
    let columns = client.about("untitled:b", "textDocument/documentSymbol", json!({}));
    assert_eq!(
        titles(&columns, "name"),
        ["SB", "x", "y", "P0", "P1", "exists"]
    );
}

#[test]
fn folding_selection_and_tokens() {
    let mut client = Client::start();
    for (text, folds, tokens) in [(NATIVE_SB, 2, 31), (HERD_SB, 1, 27)] {
        client.open(URI, text);
        let document = json!({"textDocument": {"uri": URI}});
        let answer = client
            .request("textDocument/foldingRange", document.clone())
            .expect("folds");
        assert_eq!(answer.as_array().map(Vec::len), Some(folds), "{answer}");
        let answer = client
            .request("textDocument/semanticTokens/full", document.clone())
            .expect("tokens");
        let data = answer["data"].as_array().expect("data");
        assert_eq!(data.len() % 5, 0);
        assert_eq!(data.len() / 5, tokens);
        let answer = client.about(
            URI,
            "textDocument/semanticTokens/range",
            json!({"range":
                    {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 99}}}),
        );
        assert_eq!(
            answer["data"].as_array().map(Vec::len),
            Some(10),
            "{answer}"
        );
        let answer = client.about(
            URI,
            "textDocument/selectionRange",
            json!({"positions": [{"line": 4, "character": 2}]}),
        );
        assert!(answer[0]["parent"]["parent"].is_object(), "{answer}");
    }
}
