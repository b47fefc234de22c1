//! What is generated from the structs, and checked in: schemas, TypeScript, the tables of
//! `PROTOCOL.md`, the settings of VS Code's extension. `UPDATE_EXPECT=1` writes them anew.

use std::path::PathBuf;

use expect_test::expect_file;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::commands::{
    COMMANDS, ChosenAnswer, CommandArgument, FencesAnswer, InsertedAnswer, ParamAnswer, TextAnswer,
};
use super::requests::{
    ClientCapabilities, DocumentParams, DocumentText, ExecutionParams, Graph, Outcomes, REQUESTS,
    Selector, ServerCapabilities, Status, Witness,
};
use super::settings::{EDITOR_SECTIONS, Settings};
use super::{fences, test, witness};

mod markdown;
mod schemas;
mod typescript;

fn file(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", path].iter().collect()
}

fn assert_generated(path: &str, text: &str) {
    expect_file![file(path)].assert_eq(text);
}

/// For readers and writers of JSON: what we write, and what we read.
fn written() -> SchemaSettings {
    SchemaSettings::draft2020_12().for_serialize()
}

fn read() -> SchemaSettings {
    SchemaSettings::draft2020_12().for_deserialize()
}

fn root<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    tidy(&mut schema);
    schema
}

/// Every type of the language server's own protocol, by name.
fn definitions() -> Map<String, Value> {
    let mut of_input = read().into_generator();
    of_input.subschema_for::<DocumentParams>();
    of_input.subschema_for::<ExecutionParams>();
    of_input.subschema_for::<Selector>();
    of_input.subschema_for::<CommandArgument>();
    of_input.subschema_for::<ClientCapabilities>();
    let mut of_output = written().into_generator();
    of_output.subschema_for::<Outcomes>();
    of_output.subschema_for::<Witness>();
    of_output.subschema_for::<Graph>();
    of_output.subschema_for::<DocumentText>();
    of_output.subschema_for::<Status>();
    of_output.subschema_for::<TextAnswer>();
    of_output.subschema_for::<ChosenAnswer>();
    of_output.subschema_for::<FencesAnswer>();
    of_output.subschema_for::<InsertedAnswer>();
    of_output.subschema_for::<ParamAnswer>();
    of_output.subschema_for::<ServerCapabilities>();
    let mut all = of_input.take_definitions(true);
    for (name, schema) in of_output.take_definitions(true) {
        let before = all.insert(name.clone(), schema.clone());
        assert!(before.is_none_or(|b| b == schema), "two types `{name}`");
    }
    all.values_mut().for_each(tidy);
    all.sort_keys();
    all
}

/// One line a description, whole numbers as such, no names of Rust's types.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            // In these the keys are names.
            for names in ["properties", "$defs"] {
                if let Some(Value::Object(named)) = object.get_mut(names) {
                    named.values_mut().for_each(tidy);
                }
            }
            object.remove("format");
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text
                    .split('\n')
                    .map(str::trim)
                    .collect::<Vec<_>>()
                    .join(" ");
            }
            for (key, value) in object.iter_mut() {
                if key != "properties" && key != "$defs" {
                    tidy(value);
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(tidy),
        Value::Number(number) => {
            if let Some(whole) = number
                .as_f64()
                .filter(|n| n.fract() == 0.0 && n.abs() < 1e15)
            {
                *number = (whole as i64).into();
            }
        }
        _ => {}
    }
}

/// Short things on a line of their own, as people lay out JSON.
fn pretty(value: &Value, indent: usize) -> String {
    let short = value.to_string();
    let scalar = |value: &Value| !value.is_object() && !value.is_array();
    let inner = indent + 2;
    let lines = |open: char, rows: Vec<String>, close: char| {
        let rows = rows.join(&format!(",\n{:inner$}", ""));
        format!("{open}\n{:inner$}{rows}\n{:indent$}{close}", "", "")
    };
    match value {
        Value::Array(all) if all.iter().all(scalar) && short.len() + indent < 90 => {
            let all: Vec<String> = all.iter().map(Value::to_string).collect();
            format!("[{}]", all.join(", "))
        }
        Value::Array(all) => lines('[', all.iter().map(|v| pretty(v, inner)).collect(), ']'),
        Value::Object(object) if object.is_empty() => short,
        Value::Object(object) if object.len() == 1 && object.values().all(scalar) => {
            let row = object
                .iter()
                .map(|(key, value)| format!("{{ {:?}: {value} }}", key));
            row.collect()
        }
        Value::Object(object) => {
            let row = |(key, value): (&String, &Value)| {
                format!("{}: {}", json!(key), pretty(value, inner))
            };
            lines('{', object.iter().map(row).collect(), '}')
        }
        _ => short,
    }
}

/// The keys under which a setting is known, each with its schema.
fn settings() -> Map<String, Value> {
    let mut settings = read();
    settings.inline_subschemas = true;
    let Value::Object(properties) = root::<Settings>(settings)["properties"].take() else {
        panic!("settings are an object");
    };
    properties
}

#[test]
fn schemas_are_up_to_date() {
    let strict = |mut schema: Value| {
        schemas::close(&mut schema);
        schema
    };
    let mut check = strict(root::<test::Test>(written()));
    schemas::claim(&mut check);
    let lsp = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "description": "The types of the language server's own requests, notification and \
                        commands; see PROTOCOL.md.",
        "$defs": definitions(),
    });
    for (name, schema) in [
        ("check", check),
        ("witness", strict(root::<witness::WitnessFile>(written()))),
        ("fences", strict(root::<fences::Fences>(written()))),
        ("settings", root::<Settings>(read())),
        ("lsp", lsp),
    ] {
        let path = format!("server/schema/{name}.schema.json");
        assert_generated(&path, &format!("{}\n", pretty(&schema, 0)));
    }
}

#[test]
fn typescript_is_up_to_date() {
    assert_generated(
        "editors/vscode/src/protocol.ts",
        &typescript::module(&definitions()),
    );
}

#[test]
fn the_page_is_up_to_date() {
    let path = "server/PROTOCOL.md";
    let page = std::fs::read_to_string(file(path)).expect("the page is in the project");
    assert_generated(path, &markdown::filled(&page, &definitions()));
}

/// Which settings there are is ours; in which group and where in it, the file's.
#[test]
fn settings_of_the_extension_are_up_to_date() {
    let path = "editors/vscode/package.json";
    let text = std::fs::read_to_string(file(path)).expect("the manifest is in the project");
    let manifest: Value = serde_json::from_str(&text).expect("the manifest is JSON");
    let mut groups = manifest["contributes"]["configuration"].clone();
    let mut ours = settings();
    for group in groups.as_array_mut().expect("settings are in groups") {
        let entries = group["properties"].as_object_mut().expect("an object");
        entries.retain(|key, entry| {
            let name = key.strip_prefix("fencepost.").unwrap_or_default();
            let schema = ours.shift_remove(name);
            if let Some(schema) = &schema {
                *entry = schemas::contributed(schema, Some(&entry["order"]));
            }
            schema.is_some() || EDITOR_SECTIONS.contains(&name.split('.').next().unwrap_or(name))
        });
    }
    for (name, schema) in ours {
        groups[0]["properties"][format!("fencepost.{name}")] = schemas::contributed(&schema, None);
    }
    let start = text.find("    \"configuration\": [").expect("the section");
    let end = start + text[start..].find("\n    ]").expect("its end") + "\n    ]".len();
    let section = format!("    \"configuration\": {}", pretty(&groups, 4));
    assert_generated(
        path,
        &format!("{}{section}{}", &text[..start], &text[end..]),
    );
}

#[test]
fn the_tables_name_types_that_exist() {
    let known = definitions();
    for request in &REQUESTS {
        assert!(known.contains_key(request.params), "{}", request.params);
        assert!(known.contains_key(request.answer), "{}", request.answer);
    }
    for command in &COMMANDS {
        let answer = command.answer;
        assert!(answer == "null" || known.contains_key(answer), "{answer}");
    }
}
