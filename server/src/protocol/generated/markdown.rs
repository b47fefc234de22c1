//! The tables of `PROTOCOL.md`, between its marks.

use serde_json::{Map, Value};

use super::schemas::words;
use super::typescript::{is_required, of};
use super::{COMMANDS, REQUESTS, settings};

const OPEN: &str = "<!-- generated: ";
const CLOSE: &str = "<!-- /generated -->";

/// The page, with what is between `<!-- generated: NAME -->` and `<!-- /generated -->` anew.
pub fn filled(page: &str, definitions: &Map<String, Value>) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some(at) = rest.find(OPEN) {
        let (before, from) = rest.split_at(at);
        let (name, body) = from[OPEN.len()..]
            .split_once(" -->\n")
            .expect("a whole mark");
        let (_, after) = body.split_once(CLOSE).expect("a closing mark");
        let table = match name {
            "requests" => requests(),
            "commands" => commands(),
            "settings" => of_settings(),
            "types" => types(definitions),
            other => panic!("nothing is called `{other}`"),
        };
        text += &format!("{before}{OPEN}{name} -->\n\n{table}\n{CLOSE}");
        rest = after;
    }
    text + rest
}

fn requests() -> String {
    let mut text = "| request | parameters | answer | |\n|---|---|---|---|\n".to_owned();
    for request in &REQUESTS {
        let (method, params, answer) = (
            request.method,
            linked(request.params),
            linked(request.answer),
        );
        text += &format!("| `{method}` | {params} | {answer} | {} |\n", request.does);
    }
    text
}

fn commands() -> String {
    let mut text = "| command | argument | answer | does |\n|---|---|---|---|\n".to_owned();
    for command in &COMMANDS {
        let answer = match command.answer {
            "null" => "null".to_owned(),
            name => linked(name),
        };
        let (name, argument, does) = (command.name, command.argument, command.does);
        text += &format!("| `{name}` | {argument} | {answer} | {does} |\n");
    }
    text
}

fn of_settings() -> String {
    let mut text = "| key | default | |\n|---|---|---|\n".to_owned();
    for (key, schema) in settings() {
        let default = super::pretty(&schema["default"], 0);
        let mut means = schema["description"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let items = schema.get("items").unwrap_or(&schema);
        means += &listed(items);
        text += &format!("| `{key}` | `{default}` | {} |\n", means.trim());
    }
    text
}

/// Each word with its meaning, in a cell.
fn listed(schema: &Value) -> String {
    let mut text = String::new();
    for (word, means) in words(schema) {
        let means = means.and_then(Value::as_str).map(|m| format!(": {m}"));
        text += &format!("<br>`{word}`{}", means.unwrap_or_default());
    }
    text
}

fn linked(name: &str) -> String {
    format!("[`{name}`](#{})", name.to_lowercase())
}

fn types(definitions: &Map<String, Value>) -> String {
    let mut text = String::new();
    for (name, schema) in definitions {
        let description = schema["description"].as_str().unwrap_or_default();
        text += &format!("### {name}\n\n");
        if !description.is_empty() {
            text += &format!("{description}\n\n");
        }
        if let Some(properties) = schema["properties"].as_object() {
            text += "| field | type | |\n|---|---|---|\n";
            for (field, of_field) in properties {
                let mark = if is_required(schema, field) { "" } else { "?" };
                let kind = of(of_field).replace('|', "\\|");
                let means = of_field["description"].as_str().unwrap_or_default();
                text += &format!("| `{field}`{mark} | `{kind}` | {means} |\n");
            }
        } else if words(schema).iter().all(|(_, means)| means.is_some())
            && !words(schema).is_empty()
        {
            text += "| | |\n|---|---|\n";
            for (word, means) in words(schema) {
                let means = means.and_then(Value::as_str).unwrap_or_default();
                text += &format!("| `{word}` | {means} |\n");
            }
        } else {
            text += &format!("`{}`\n", of(schema));
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}
