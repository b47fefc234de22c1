//! The types of the language server's protocol, in TypeScript.

use serde_json::{Map, Value};

use super::schemas::words;
use super::{REQUESTS, settings};
use crate::protocol::Words;

/// Types that the extension has from the protocol's own library.
const IMPORTED: [&str; 3] = ["Range", "TextDocumentIdentifier", "WorkspaceEdit"];

pub fn module(definitions: &Map<String, Value>) -> String {
    let mut text = format!(
        "// What `fencepost lsp` adds to the Language Server Protocol. Generated from the structs of\n\
         // server/src/protocol: edit those, then run `UPDATE_EXPECT=1 cargo test -p fencepost generated`.\n\n\
         import type {{ {} }} from 'vscode-languageclient';\n",
        IMPORTED.join(", ")
    );
    for (name, schema) in definitions {
        if !IMPORTED.contains(&name.as_str()) {
            text += &format!("\n{}{}", comment("", schema), declaration(name, schema));
        }
    }
    text += "\n/** What can be asked, by the method's name. */\nexport interface Requests {\n";
    for request in &REQUESTS {
        let (method, params, answer) = (request.method, request.params, request.answer);
        let does = request.does;
        text +=
            &format!("  /** {does} */\n  '{method}': {{ params: {params}; answer: {answer} }};\n");
    }
    text += "}\n";
    let models: Vec<String> = fencepost_checker::Model::all()
        .iter()
        .map(|(model, _)| format!("'{}'", model.name()))
        .collect();
    text += &format!(
        "\n/** From the strongest to the weakest. */\nexport const MODELS: readonly Model[] = [{}];\n",
        models.join(", ")
    );
    let settings = settings();
    let mut sections: Vec<String> = settings
        .keys()
        .filter_map(|key| Some(format!("'{}'", key.split_once('.')?.0)))
        .collect();
    let mut seen = std::collections::BTreeSet::new();
    sections.retain(|section| seen.insert(section.clone()));
    text += &format!(
        "\n/** Sections of the settings that are the server's; the others are the extension's own. */\n\
         export const SERVER_SECTIONS = [{}] as const;\n",
        sections.join(", ")
    );
    text
}

fn comment(indent: &str, schema: &Value) -> String {
    match schema["description"].as_str() {
        Some(text) => format!("{indent}/** {text} */\n"),
        None => String::new(),
    }
}

fn declaration(name: &str, schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object() else {
        return format!("export type {name} = {};\n", of(schema));
    };
    let mut text = format!("export interface {name} {{\n");
    for (field, schema_of) in properties {
        let required = is_required(schema, field);
        let mark = if required { "" } else { "?" };
        let mut kind = of(schema_of);
        // What may be left out need not be null as well.
        if !required {
            kind = kind.trim_end_matches(" | null").to_owned();
        }
        text += &format!("{}  {field}{mark}: {kind};\n", comment("  ", schema_of));
    }
    text + "}\n"
}

pub fn is_required(schema: &Value, field: &str) -> bool {
    let mut required = schema["required"].as_array().into_iter().flatten();
    required.any(|name| name == field)
}

/// A schema as a type.
pub fn of(schema: &Value) -> String {
    let quoted = |word: &Value| match word.as_str() {
        Some(word) => format!("'{word}'"),
        None => word.to_string(),
    };
    let union = |all: Vec<String>| all.join(" | ");
    if let Some(target) = schema["$ref"].as_str() {
        return target.rsplit('/').next().unwrap_or(target).to_owned();
    }
    if let Some(word) = schema.get("const") {
        return quoted(word);
    }
    let words = words(schema);
    if !words.is_empty() {
        return union(words.iter().map(|(word, _)| quoted(word)).collect());
    }
    if let Some(any) = schema["anyOf"].as_array() {
        return union(any.iter().map(of).collect());
    }
    match &schema["type"] {
        Value::Array(kinds) => {
            let one = |kind: &Value| {
                let mut schema = schema.clone();
                schema["type"] = kind.clone();
                of(&schema)
            };
            union(kinds.iter().map(one).collect())
        }
        Value::String(kind) => match kind.as_str() {
            "integer" | "number" => "number".to_owned(),
            "array" => match of(&schema["items"]) {
                items if items.contains(" | ") => format!("({items})[]"),
                items => format!("{items}[]"),
            },
            "object" => {
                let values = of(&schema["additionalProperties"]);
                match schema.get("propertyNames") {
                    Some(names) => format!("Partial<Record<{}, {values}>>", of(names)),
                    None => format!("Record<string, {values}>"),
                }
            }
            other => other.to_owned(),
        },
        _ => "unknown".to_owned(),
    }
}
