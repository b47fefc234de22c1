//! SARIF 2.1.0: errors and findings as results that code hosts show beside the lines.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::analysis::{Checked, Diagnostic, Lines, Severity};
use crate::explain;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The log of one run.
pub fn log(tests: &[Checked]) -> Json {
    let mut rules: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut diagnostics: Vec<(&Checked, Vec<Diagnostic>)> = Vec::new();
    for test in tests {
        let all = test.all_diagnostics();
        for diagnostic in &all {
            rules.insert(diagnostic.code, 0);
        }
        diagnostics.push((test, all));
    }
    for (index, place) in rules.values_mut().enumerate() {
        *place = index;
    }
    let mut results = Vec::new();
    for (test, all) in &diagnostics {
        let lines = Lines::of(test.text());
        for diagnostic in all {
            results.push(result(test, &lines, diagnostic, rules[diagnostic.code]));
        }
    }
    let rules: Vec<Json> = rules.keys().map(|code| rule(code)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "fencepost",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(code: &'static str) -> Json {
    let page = explain::page(code);
    let title = page.map_or(code, |page| page.title);
    let mut rule = json!({"id": code, "shortDescription": {"text": title}});
    if let Some(page) = page {
        rule["help"] = json!({"text": page.text});
    }
    rule
}

fn result(test: &Checked, lines: &Lines, diagnostic: &Diagnostic, rule: usize) -> Json {
    let message = match &diagnostic.help {
        Some(help) => format!("{}: {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let mut result = json!({
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "note",
        },
        "message": {"text": message},
        "locations": [{"physicalLocation": physical(test, lines, &diagnostic.span)}],
    });
    if !diagnostic.related.is_empty() {
        let related = diagnostic.related.iter().enumerate();
        result["relatedLocations"] = related
            .map(|(id, related)| {
                json!({
                    "id": id,
                    "message": {"text": related.message},
                    "physicalLocation": physical(test, lines, &related.span),
                })
            })
            .collect();
    }
    result
}

fn physical(test: &Checked, lines: &Lines, span: &std::ops::Range<usize>) -> Json {
    let start = lines.place(span.start);
    let end = lines.place(span.end.max(span.start));
    json!({
        "artifactLocation": {"uri": uri(&test.file)},
        "region": {
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        },
    })
}

/// A path as a relative or `file:` URI: what is not plain is percent-encoded.
fn uri(path: &str) -> String {
    let mut encoded = String::new();
    if path.starts_with('/') {
        encoded.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                encoded.push(char::from(byte));
            }
            b'\\' if cfg!(windows) => encoded.push('/'),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("a/2+2W.litmus"), "a/2%2B2W.litmus");
        assert_eq!(uri("/t/ç.litmus"), "file:///t/%C3%A7.litmus");
    }
}
