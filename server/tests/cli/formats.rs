//! The formats that other programs read, read back by what reads them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{project, run};

fn schema(name: &str) -> jsonschema::Validator {
    let path = project().join("server/schema").join(name);
    let text = std::fs::read_to_string(&path).expect("the schema is in the project");
    // SARIF's pattern for languages has a bracket that opens nowhere: ECMAScript forgives
    // it, the validator's expressions do not.
    let text = text.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}\\\\]?$");
    let schema = serde_json::from_str(&text).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is one")
}

fn assert_valid(validator: &jsonschema::Validator, value: &Value, what: &str) {
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|e| format!("{e} at {}", e.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{what}: {errors:#?}");
}

const EVERYTHING: [&str; 2] = ["tests/litmus", "tests/litmus-bad"];

fn lines(args: &[&str]) -> Vec<Value> {
    let mut all = vec!["check", "--format", "json"];
    all.extend(args);
    let answer = run(&all);
    let lines = answer.out.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line is an object"))
        .collect()
}

#[test]
fn json_is_as_the_schema_says() {
    let validator = schema("check.schema.json");
    let tests = lines(&EVERYTHING);
    assert!(tests.len() > 100, "{}", tests.len());
    for test in &tests {
        assert_valid(&validator, test, test["file"].as_str().unwrap_or("?"));
    }
    assert!(
        tests
            .iter()
            .any(|t| t["ok"] == false && t["errors"] != Value::Array(vec![]))
    );
    let unfinished = lines(&["tests/litmus/native/3.SB.litmus", "--max-classes", "2"]);
    assert_valid(&validator, &unfinished[0], "unfinished");
    assert_eq!(unfinished[0]["models"]["PSO"]["complete"], false);
    assert_eq!(unfinished[0]["models"]["PSO"]["stopped"], "classes");
    let missing = lines(&["no-such-file.litmus"]);
    assert_valid(&validator, &missing[0], "missing");
}

#[test]
fn the_schema_refuses_what_is_not_json_of_ours() {
    let validator = schema("check.schema.json");
    let good = &lines(&["tests/litmus/native/SB.litmus"])[0];
    assert!(validator.is_valid(good));
    let mut renamed = good.clone();
    let object = renamed.as_object_mut().expect("a test is an object");
    let models = object.remove("models").expect("it has models");
    object.insert("results".to_owned(), models);
    assert!(!validator.is_valid(&renamed));
    let mut lying = good.clone();
    lying["models"]["SC"]["complete"] = Value::Bool(false);
    lying["models"]["SC"]["stopped"] = Value::from("time");
    assert!(
        !validator.is_valid(&lying),
        "`never` of what is not finished"
    );
}

#[test]
fn json_has_the_numbers_of_store_buffering() {
    let test = &lines(&["tests/litmus/herd/SB.litmus"])[0];
    assert_eq!(test["name"], "SB");
    assert_eq!(test["dialect"], "X86");
    assert_eq!(test["models"]["SC"]["classes"], 3);
    assert_eq!(
        test["models"]["TSO"]["conditions"][0]["verdict"],
        "sometimes"
    );
    let state = &test["models"]["TSO"]["outcomes"][0]["state"];
    assert_eq!(state, &serde_json::json!({"0:EAX": 0, "1:EAX": 0}));
    assert_eq!(test["ok"], true);
}

#[test]
fn times_are_measured_only_when_asked_for() {
    let sb = "tests/litmus/native/SB.litmus";
    let time = |test: &Value| test["models"]["PSO"]["time_us"].as_u64();
    assert_eq!(time(&lines(&[sb])[0]), Some(0));
    assert!(time(&lines(&["tests/litmus/native/rmw", "--timings"])[0]) > Some(0));
}

#[test]
fn witnesses_are_as_the_schema_says() {
    let validator = schema("witness.schema.json");
    let native = "tests/litmus/native";
    for (name, more) in [
        ("SB", vec![]),
        ("MP", vec!["--model", "pso"]),
        ("n6", vec![]),
        ("rmw/plain-counter", vec!["--condition", "1"]),
        ("locks/deadlock-abba", vec!["--deadlock"]),
    ] {
        let file = format!("{native}/{name}.litmus");
        let mut args = vec!["witness", &file, "--format", "json"];
        args.extend(more);
        let answer = run(&args);
        assert_eq!(answer.status, 0, "{name}: {}", answer.err);
        let witness: Value = serde_json::from_str(&answer.out).expect("it is JSON");
        assert_valid(&validator, &witness, name);
        let steps = witness["steps"].as_array().expect("steps are a list");
        assert!(!steps.is_empty());
    }
}

#[test]
fn sarif_is_as_its_schema_says() {
    let validator = schema("sarif-2.1.0.schema.json");
    let mut args = vec!["check", "--format", "sarif"];
    args.extend(EVERYTHING);
    let answer = run(&args);
    let log: Value = serde_json::from_str(&answer.out).expect("SARIF is JSON");
    assert_valid(&validator, &log, "sarif");
    let results = log["runs"][0]["results"]
        .as_array()
        .expect("results are a list");
    let found: BTreeSet<&str> = results
        .iter()
        .filter_map(|r| r["ruleId"].as_str())
        .collect();
    for code in ["E0501", "E0502", "W0501", "W0502", "I0501", "E0204"] {
        assert!(found.contains(code), "{code} is not among {found:?}");
    }
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .expect("rules are a list");
    for result in results {
        let index = result["ruleIndex"]
            .as_u64()
            .expect("a result names its rule") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let mut wrong = log.clone();
    wrong["runs"][0]["results"][0]["level"] = Value::from("terrible");
    assert!(!validator.is_valid(&wrong));
}

#[test]
fn junit_is_read_back() {
    let mut args = vec!["check", "--format", "junit"];
    args.extend(EVERYTHING);
    let answer = run(&args);
    let document = roxmltree::Document::parse(&answer.out).expect("JUnit is XML");
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let number = |node: roxmltree::Node, name: &str| -> usize {
        let text = node.attribute(name).expect("the count is there");
        text.parse().expect("a count is a number")
    };
    let mut totals = [0; 3];
    for suite in root.children().filter(|n| n.is_element()) {
        let cases: Vec<_> = suite
            .children()
            .filter(|n| n.has_tag_name("testcase"))
            .collect();
        let with = |name: &str| {
            let having = |case: &&roxmltree::Node| case.children().any(|n| n.has_tag_name(name));
            cases.iter().filter(having).count()
        };
        let counts = [cases.len(), with("failure"), with("error")];
        let said = ["tests", "failures", "errors"].map(|name| number(suite, name));
        assert_eq!(said, counts, "{:?}", suite.attribute("name"));
        for (total, count) in totals.iter_mut().zip(counts) {
            *total += count;
        }
    }
    assert_eq!(
        ["tests", "failures", "errors"].map(|name| number(root, name)),
        totals
    );
    assert!(totals[1] > 3 && totals[2] > 3, "{totals:?}");
    let failing = document
        .descendants()
        .find(|n| n.has_tag_name("failure") && n.attribute("type") == Some("E0501"))
        .expect("an expectation fails");
    let case = failing.parent_element().expect("a failure is in a case");
    assert!(["SC", "TSO", "PSO"].contains(&case.attribute("name").unwrap_or("")));
}

#[test]
fn drawings_are_xml_with_every_step() {
    for name in ["SB", "MP", "2+2W", "n6", "3.SB", "ISA2"] {
        let file = format!("tests/litmus/native/{name}.litmus");
        let svg = run(&["witness", &file, "--format", "svg"]);
        let json = run(&["witness", &file, "--format", "json"]);
        let witness: Value = serde_json::from_str(&json.out).expect("it is JSON");
        let document = roxmltree::Document::parse(&svg.out).expect("SVG is XML");
        let drawn: BTreeSet<u64> = document
            .descendants()
            .filter_map(|n| n.attribute("data-step")?.parse().ok())
            .collect();
        let steps = witness["steps"].as_array().expect("steps are a list");
        let events: BTreeSet<u64> = steps
            .iter()
            .filter(|s| s["kind"] != "flush")
            .filter_map(|s| s["index"].as_u64())
            .collect();
        assert_eq!(drawn, events, "{name}");
        let labels: BTreeSet<&str> = document
            .descendants()
            .filter(|n| {
                n.attribute("class")
                    .is_some_and(|c| c.starts_with("label "))
            })
            .filter_map(|n| n.text())
            .collect();
        assert!(labels.contains("po"), "{name}: {labels:?}");
        assert!(labels.iter().any(|l| *l != "po"), "{name}: {labels:?}");
    }
}
