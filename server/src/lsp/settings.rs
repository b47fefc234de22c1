//! What a person can set, section `fencepost`; `PROTOCOL.md` has the table.
//!
//! Values arrive as JSON in pieces, nested (`{"check": {"run": …}}`) or dotted
//! (`{"check.run": …}`). A wrong key or type is reported and costs only itself.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use fencepost_checker::Model;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::log::Level;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Run {
    /// When a document is opened and when it is saved.
    #[default]
    OnSave,
    /// Also a moment after the last edit.
    OnType,
    /// When asked.
    Manual,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub run: Run,
    pub debounce: Duration,
    pub models: Vec<Model>,
    /// For each test and model.
    pub timeout: Option<Duration>,
    pub max_classes: Option<u64>,
    /// The bound of loops without `max`; the checker's own default when absent.
    pub unroll: Option<u32>,
    pub params: BTreeMap<String, i64>,
    /// Worker threads; 0 leaves it to the machine.
    pub threads: usize,
    pub surfaces: Surfaces,
    /// Compute fence sets after a check.
    pub fences: bool,
    pub log_level: Level,
    pub log_file: Option<PathBuf>,
}

/// Each surface has its own switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surfaces {
    /// One switch for all.
    pub enable: bool,
    pub lenses: bool,
    pub inlay_hints: bool,
    pub weak_outcomes: bool,
    pub unneeded_fences: bool,
    pub hovers: bool,
    pub semantic_tokens: bool,
}

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

impl Default for Settings {
    fn default() -> Self {
        Settings {
            run: Run::OnSave,
            debounce: Duration::from_millis(300),
            models: Model::ALL.to_vec(),
            timeout: Some(Duration::from_secs(10)),
            max_classes: Some(1_000_000),
            unroll: None,
            params: BTreeMap::new(),
            threads: 0,
            surfaces: Surfaces {
                enable: true,
                lenses: true,
                inlay_hints: true,
                weak_outcomes: true,
                unneeded_fences: true,
                hovers: true,
                semantic_tokens: true,
            },
            fences: true,
            log_level: Level::Info,
            log_file: None,
        }
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
        // What is null is left as it is, except where null has a meaning.
        match key {
            "check" | "surfaces" | "fences" | "log" => match value.as_object() {
                Some(object) => {
                    for (inner, value) in object {
                        self.apply_key(&format!("{key}.{inner}"), value, problems);
                    }
                }
                None if value.is_null() => {}
                None => problems.push(format!("setting `{key}` is not an object")),
            },
            "check.unroll" if value.is_null() => self.unroll = None,
            "log.file" if value.is_null() => self.log_file = None,
            _ if value.is_null() => {}
            "check.run" => set(&mut self.run, key, value, problems),
            "check.debounce" => {
                if let Some(ms) = read::<u64>(key, value, problems) {
                    self.debounce = Duration::from_millis(ms.min(60_000));
                }
            }
            "check.models" => {
                if let Some(names) = read::<Vec<String>>(key, value, problems) {
                    self.models = models(&names, problems);
                }
            }
            "check.timeout" => {
                if let Some(seconds) = read::<f64>(key, value, problems) {
                    self.timeout = Duration::try_from_secs_f64(seconds)
                        .ok()
                        .filter(|limit| !limit.is_zero());
                }
            }
            "check.maxClasses" => {
                if let Some(n) = read::<u64>(key, value, problems) {
                    self.max_classes = (n > 0).then_some(n);
                }
            }
            "check.unroll" => {
                if let Some(n) = read(key, value, problems) {
                    self.unroll = Some(n);
                }
            }
            "check.params" => set(&mut self.params, key, value, problems),
            "check.threads" => {
                if let Some(n) = read::<usize>(key, value, problems) {
                    self.threads = n.min(64);
                }
            }
            "surfaces.enable" => set(&mut self.surfaces.enable, key, value, problems),
            "surfaces.lenses" => set(&mut self.surfaces.lenses, key, value, problems),
            "surfaces.inlayHints" => set(&mut self.surfaces.inlay_hints, key, value, problems),
            "surfaces.weakOutcomes" => set(&mut self.surfaces.weak_outcomes, key, value, problems),
            "surfaces.unneededFences" => {
                set(&mut self.surfaces.unneeded_fences, key, value, problems);
            }
            "surfaces.hovers" => set(&mut self.surfaces.hovers, key, value, problems),
            "surfaces.semanticTokens" => {
                set(&mut self.surfaces.semantic_tokens, key, value, problems);
            }
            "fences.enable" => set(&mut self.fences, key, value, problems),
            "log.level" => set(&mut self.log_level, key, value, problems),
            "log.file" => {
                if let Some(path) = read::<PathBuf>(key, value, problems) {
                    self.log_file = Some(path);
                }
            }
            // What an editor keeps in the same section for itself.
            _ if ["server", "trace", "witness", "panel", "editor"]
                .contains(&key.split('.').next().unwrap_or(key)) => {}
            _ => problems.push(format!("setting `{key}` is not known")),
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

fn models(names: &[String], problems: &mut Vec<String>) -> Vec<Model> {
    let mut models = Vec::new();
    for name in names {
        match Model::ALL
            .into_iter()
            .find(|model| model.name().eq_ignore_ascii_case(name))
        {
            Some(model) => models.push(model),
            None => problems.push(format!("setting `check.models`: `{name}` is no model")),
        }
    }
    models.sort_unstable();
    models.dedup();
    models
}

fn read<T: DeserializeOwned>(key: &str, value: &Value, problems: &mut Vec<String>) -> Option<T> {
    match serde_json::from_value(value.clone()) {
        Ok(parsed) => Some(parsed),
        Err(error) => {
            problems.push(format!("setting `{key}`: {error}"));
            None
        }
    }
}

fn set<T: DeserializeOwned>(slot: &mut T, key: &str, value: &Value, problems: &mut Vec<String>) {
    if let Some(parsed) = read(key, value, problems) {
        *slot = parsed;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
