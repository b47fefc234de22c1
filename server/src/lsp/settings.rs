//! Takes over what a person sets; `protocol::settings` has the keys.
//!
//! Values arrive as JSON in pieces, nested (`{"check": {"run": …}}`) or dotted
//! (`{"check.run": …}`). A wrong key or type is reported and costs only itself.

use serde_json::Value;

use crate::protocol::Model;
use crate::protocol::settings::EDITOR_SECTIONS;
pub use crate::protocol::settings::{Run, Settings, Surfaces};

impl Surfaces {
    pub fn lenses(&self) -> bool {
        self.enable && self.lenses
    }

    pub fn inlay_hints(&self) -> bool {
        self.enable && self.inlay_hints
    }

    pub fn weak_outcomes(&self) -> bool {
        self.enable && self.weak_outcomes
    }

    pub fn unneeded_fences(&self) -> bool {
        self.enable && self.unneeded_fences
    }

    pub fn hovers(&self) -> bool {
        self.enable && self.hovers
    }

    pub fn semantic_tokens(&self) -> bool {
        self.enable && self.semantic_tokens
    }
}

impl Settings {
    /// Takes over what `json` says; gives a line for each thing it says wrongly.
    pub fn apply(&mut self, json: &Value) -> Vec<String> {
        let mut problems = Vec::new();
        let Some(object) = section(json).as_object() else {
            return if json.is_null() {
                problems
            } else {
                vec!["settings are not an object".to_owned()]
            };
        };
        for (key, value) in object {
            self.apply_key(key, value, &mut problems);
        }
        problems
    }

    fn apply_key(&mut self, key: &str, value: &Value, problems: &mut Vec<String>) {
        let Ok(Value::Object(mut all)) = serde_json::to_value(&*self) else {
            return problems.push("settings are not an object".to_owned());
        };
        let section = format!("{key}.");
        if let Some(slot) = all.get_mut(key) {
            *slot = if key == "check.models" {
                models(value, problems)
            } else {
                value.clone()
            };
            match serde_json::from_value(Value::Object(all)) {
                Ok(settings) => *self = settings,
                // What is null is left as it is, except where null has a meaning.
                Err(_) if value.is_null() => {}
                Err(error) => problems.push(format!("setting `{key}`: {error}")),
            }
        } else if all.keys().any(|known| known.starts_with(&section)) {
            match value.as_object() {
                Some(object) => {
                    for (inner, value) in object {
                        self.apply_key(&format!("{section}{inner}"), value, problems);
                    }
                }
                None if value.is_null() => {}
                None => problems.push(format!("setting `{key}` is not an object")),
            }
        } else if !EDITOR_SECTIONS.contains(&key.split('.').next().unwrap_or(key)) {
            problems.push(format!("setting `{key}` is not known"));
        }
    }

    /// What changes how a test is checked; a difference makes results old.
    pub fn same_checks(&self, other: &Settings) -> bool {
        self.models == other.models
            && self.timeout == other.timeout
            && self.max_classes == other.max_classes
            && self.unroll == other.unroll
            && self.params == other.params
    }
}

/// Some clients send the section's content, some an object with the section in it.
fn section(json: &Value) -> &Value {
    json.get("fencepost").unwrap_or(json)
}

/// What names no model is reported and left out.
fn models(names: &Value, problems: &mut Vec<String>) -> Value {
    let mut names = names.clone();
    if let Some(names) = names.as_array_mut() {
        names.retain(|name| match name.as_str() {
            Some(name) if Model::find(name).is_none() => {
                problems.push(format!("setting `check.models`: `{name}` is no model"));
                false
            }
            _ => true,
        });
    }
    names
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fencepost_checker::Model;
    use serde_json::json;

    use super::{Run, Settings, Value};

    #[test]
    fn nested_dotted_and_wrapped_settings_are_the_same() {
        for json in [
            json!({"check": {"run": "onType", "timeout": 0.5}, "surfaces": {"lenses": false}}),
            json!({"check.run": "onType", "check.timeout": 0.5, "surfaces.lenses": false}),
            json!({"fencepost": {"check": {"run": "onType", "timeout": 0.5},
                                 "surfaces": {"lenses": false}}}),
        ] {
            let mut settings = Settings::default();
            assert_eq!(settings.apply(&json), Vec::<String>::new());
            assert_eq!(settings.run, Run::OnType);
            assert_eq!(settings.timeout, Some(Duration::from_millis(500)));
            assert!(!settings.surfaces.lenses());
            assert!(settings.surfaces.inlay_hints());
        }
    }

    #[test]
    fn a_wrong_value_is_reported_and_costs_only_itself() {
        let mut settings = Settings::default();
        let problems = settings.apply(&json!({
            "check": {"run": "sometimes", "models": ["sc", "ARM"], "debounce": 5},
            "colour": true,
            "log": 3,
        }));
        assert_eq!(problems.len(), 4, "{problems:?}");
        assert_eq!(settings.run, Run::OnSave);
        assert_eq!(settings.models, [Model::Sc]);
        assert_eq!(settings.debounce, Duration::from_millis(5));
    }

    #[test]
    fn zero_means_no_limit_and_null_means_unset() {
        let mut settings = Settings::default();
        settings.apply(&json!({"check": {"timeout": 0, "maxClasses": 0, "unroll": 3}}));
        assert_eq!(settings.timeout, None);
        assert_eq!(settings.max_classes, None);
        assert_eq!(settings.unroll, Some(3));
        settings.apply(&json!({"check": {"unroll": null, "run": null}}));
        assert_eq!(settings.unroll, None);
        assert_eq!(settings.run, Run::OnSave);
        assert!(settings.apply(&Value::Null).is_empty());
        assert_eq!(settings.apply(&json!([1])).len(), 1);
    }

    #[test]
    fn the_one_switch_turns_all_surfaces_off() {
        let mut settings = Settings::default();
        settings.apply(&json!({"surfaces": {"enable": false}}));
        let s = &settings.surfaces;
        assert!(!s.lenses() && !s.inlay_hints() && !s.weak_outcomes());
        assert!(!s.unneeded_fences() && !s.hovers() && !s.semantic_tokens());
    }
}
