//! Schemas of what serde's derives cannot describe, and what the files add to them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map as Object, Value as Json, json};
use tower_lsp::lsp_types as lsp;

use super::super::{Expected, Lsp, Map, Named, Words};
use super::settings;

impl<T: Words> JsonSchema for Named<T> {
    fn schema_name() -> Cow<'static, str> {
        T::WHAT.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let all = T::all();
        if all.iter().any(|(_, means)| means.is_empty()) {
            let names: Vec<&str> = all.iter().map(|(word, _)| word.name()).collect();
            return json_schema!({"type": "string", "enum": names});
        }
        let words: Vec<Json> = all
            .iter()
            .map(|(word, means)| json!({"description": means, "type": "string", "const": word.name()}))
            .collect();
        json_schema!({ "oneOf": words })
    }
}

impl JsonSchema for Expected {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Expected".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": ["never", "sometimes", "always"]})
    }
}

impl<K: JsonSchema, V: JsonSchema> JsonSchema for Map<K, V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Map".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({
            "type": "object",
            "additionalProperties": generator.subschema_for::<V>(),
        });
        if K::schema_name() != "string" {
            schema.insert(
                "propertyNames".to_owned(),
                generator.subschema_for::<K>().into(),
            );
        }
        schema
    }
}

impl JsonSchema for Lsp<lsp::Range> {
    fn schema_name() -> Cow<'static, str> {
        "Range".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let position = json!({
            "type": "object",
            "required": ["line", "character"],
            "properties": {"line": {"type": "integer"}, "character": {"type": "integer"}},
        });
        json_schema!({
            "description": "A range of the Language Server Protocol.",
            "type": "object",
            "required": ["start", "end"],
            "properties": {"start": position, "end": position},
        })
    }
}

impl JsonSchema for Lsp<lsp::TextDocumentIdentifier> {
    fn schema_name() -> Cow<'static, str> {
        "TextDocumentIdentifier".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A document by its URI, as the Language Server Protocol has it.",
            "type": "object",
            "required": ["uri"],
            "properties": {"uri": {"type": "string"}},
        })
    }
}

impl JsonSchema for Lsp<lsp::WorkspaceEdit> {
    fn schema_name() -> Cow<'static, str> {
        "WorkspaceEdit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An edit of the Language Server Protocol.",
            "type": "object",
        })
    }
}

/// No field that is not described.
pub fn close(schema: &mut Json) {
    let properties = schema.get_mut("properties");
    if let Some(properties) = properties.and_then(Json::as_object_mut) {
        properties.values_mut().for_each(close);
        schema["additionalProperties"] = json!(false);
    }
    if let Some(definitions) = schema.get_mut("$defs").and_then(Json::as_object_mut) {
        definitions.values_mut().for_each(close);
    }
    if let Some(items) = schema.get_mut("items") {
        close(items);
    }
}

/// What the types cannot say about a line of `check`: with errors nothing was checked; what is
/// not complete claims neither `never` nor `always`; a file has all of its conditions.
pub fn claim(check: &mut Json) {
    check["if"] = json!({"properties": {"errors": {"minItems": 1}}});
    check["then"] = json!({"properties": {"models": {"maxProperties": 0}, "ok": {"const": false}}});
    let model = &mut check["$defs"]["ModelReport"];
    let verdict =
        |verdict: Json| json!({"items": {"type": "object", "properties": {"verdict": verdict}}});
    model["if"] = json!({"properties": {"complete": {"const": true}}});
    model["then"] = json!({"properties": {
        "stopped": {"const": null},
        "conditions": verdict(json!({"not": {"const": "unknown"}})),
    }});
    model["else"] = json!({"properties": {
        "stopped": {"type": "string"},
        "conditions": verdict(json!({"enum": ["sometimes", "unknown"]})),
    }});
    let holds = &mut check["$defs"]["Outcome"]["properties"]["holds"];
    holds["items"] = json!({"type": "boolean"});
}

/// A setting as VS Code's manifest has it.
pub fn contributed(schema: &Json, order: Option<&Json>) -> Json {
    let mut entry = Object::new();
    if let Some(order) = order {
        entry.insert("order".to_owned(), order.clone());
    }
    let words = words(schema);
    if words.is_empty() {
        entry.insert("type".to_owned(), schema["type"].clone());
    } else {
        entry.insert("type".to_owned(), json!("string"));
        let names: Vec<&Json> = words.iter().map(|(name, _)| *name).collect();
        entry.insert("enum".to_owned(), json!(names));
        let means: Vec<&Json> = words.iter().filter_map(|(_, means)| *means).collect();
        if means.len() == words.len() {
            entry.insert("enumDescriptions".to_owned(), json!(means));
        }
    }
    if let Some(items) = schema.get("items") {
        entry.insert("items".to_owned(), contributed(items, None));
    }
    for key in [
        "minimum",
        "uniqueItems",
        "additionalProperties",
        "scope",
        "default",
    ] {
        if let Some(value) = schema.get(key) {
            entry.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(text) = schema["description"].as_str() {
        let mut linked = text.to_owned();
        for name in settings().keys() {
            linked = linked.replace(&format!("`{name}`"), &format!("`#fencepost.{name}#`"));
        }
        let markdown = text.contains('`');
        let key = if markdown {
            "markdownDescription"
        } else {
            "description"
        };
        entry.insert(key.to_owned(), json!(linked));
    }
    Json::Object(entry)
}

/// The words of an enumeration, with what they mean.
pub fn words(schema: &Json) -> Vec<(&Json, Option<&Json>)> {
    let mut all = Vec::new();
    for word in schema["enum"].as_array().into_iter().flatten() {
        all.push((word, None));
    }
    for variant in schema["oneOf"].as_array().into_iter().flatten() {
        let means = variant.get("description");
        match variant.get("const") {
            Some(word) => all.push((word, means)),
            None => all.extend(words(variant)),
        }
    }
    all
}
