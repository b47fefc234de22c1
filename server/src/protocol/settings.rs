//! What a person can set, section `fencepost`: keys, defaults, and what each is for.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use fencepost_checker::Model;
#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Named;

/// Parts of the section that an editor keeps for itself.
pub const EDITOR_SECTIONS: [&str; 7] = [
    "server",
    "trace",
    "witness",
    "panel",
    "editor",
    "testExplorer",
    "statusItem",
];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(default)]
pub struct Settings {
    /// When a test is checked.
    #[serde(rename = "check.run")]
    pub run: Run,
    /// Milliseconds without an edit before a check starts. Only used when `check.run` is
    /// `onType`.
    #[serde(rename = "check.debounce", with = "milliseconds")]
    #[cfg_attr(test, schemars(with = "u32"))]
    pub debounce: Duration,
    /// The memory models a test is checked under.
    #[serde(rename = "check.models", with = "models")]
    #[cfg_attr(test, schemars(with = "Vec<super::Model>", extend("uniqueItems" = true)))]
    pub models: Vec<Model>,
    /// Seconds that one test may take under one model; 0 for no limit. A check that runs out of
    /// time says so: it never claims “never”.
    #[serde(rename = "check.timeout", with = "seconds")]
    #[cfg_attr(test, schemars(with = "f64", range(min = 0)))]
    pub timeout: Option<Duration>,
    /// How many reads-from classes of executions one check may explore; 0 for no limit.
    #[serde(rename = "check.maxClasses", with = "limit")]
    #[cfg_attr(test, schemars(with = "u64"))]
    pub max_classes: Option<u64>,
    /// How often a loop without `max` is unrolled. Empty: the checker's own default. A loop that
    /// hits its bound is marked.
    #[serde(rename = "check.unroll")]
    pub unroll: Option<u32>,
    /// Values for `param` names, over the ones in the files, in all tests that have such a
    /// parameter. Example: `{"N": 5}`.
    #[serde(rename = "check.params")]
    pub params: BTreeMap<String, i64>,
    /// How many checks run at once; 0: as the machine has cores for.
    #[serde(rename = "check.threads", deserialize_with = "threads")]
    pub threads: usize,
    #[serde(flatten)]
    pub surfaces: Surfaces,
    /// Look for the fences that forbid a weak outcome after each check, and offer them as quick
    /// fixes.
    #[serde(rename = "fences.enable")]
    pub fences: bool,
    /// How much the server writes to its log.
    #[serde(rename = "log.level")]
    pub log_level: Level,
    /// A file that also gets the server's log. Takes effect when the server restarts. A
    /// workspace cannot set this.
    #[serde(rename = "log.file")]
    #[cfg_attr(test, schemars(extend("scope" = "machine")))]
    pub log_file: Option<PathBuf>,
}

/// Each surface has its own switch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(default)]
pub struct Surfaces {
    /// One switch for all lenses, hints, notes and colours. Off: only syntax errors, name errors
    /// and failed expectations are shown.
    #[serde(rename = "surfaces.enable")]
    pub enable: bool,
    /// Lenses over the test's name and each condition: the verdict under each model, “Show
    /// witness”, “Suggest fences”, “Outcomes”.
    #[serde(rename = "surfaces.lenses")]
    pub lenses: bool,
    /// Hints at the ends of lines: which models reach a condition and, while a witness is shown,
    /// what each load read and from where.
    #[serde(rename = "surfaces.inlayHints")]
    pub inlay_hints: bool,
    /// Note conditions that are reachable under TSO or PSO but not under SC.
    #[serde(rename = "surfaces.weakOutcomes")]
    pub weak_outcomes: bool,
    /// Fade fences that change no outcome.
    #[serde(rename = "surfaces.unneededFences")]
    pub unneeded_fences: bool,
    /// Results in hovers: the outcomes under each model, a witness, the writes a load can read
    /// from.
    #[serde(rename = "surfaces.hovers")]
    pub hovers: bool,
    /// Colours by meaning: shared locations, registers, threads and parameters apart from each
    /// other.
    #[serde(rename = "surfaces.semanticTokens")]
    pub semantic_tokens: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Run {
    /// When a test is opened and when it is saved. While you type, the last results stay and are
    /// marked stale.
    #[default]
    OnSave,
    /// Also shortly after each edit.
    OnType,
    /// Only when you ask for it with “Fencepost: Check Now”.
    Manual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Off,
    Error,
    #[default]
    Info,
    Debug,
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
            surfaces: Surfaces::default(),
            fences: true,
            log_level: Level::Info,
            log_file: None,
        }
    }
}

impl Default for Surfaces {
    fn default() -> Self {
        Surfaces {
            enable: true,
            lenses: true,
            inlay_hints: true,
            weak_outcomes: true,
            unneeded_fences: true,
            hovers: true,
            semantic_tokens: true,
        }
    }
}

mod milliseconds {
    use super::*;

    pub fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        time.as_millis().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(json: D) -> Result<Duration, D::Error> {
        u64::deserialize(json).map(|ms| Duration::from_millis(ms.min(60_000)))
    }
}

/// Nothing is written as 0.
mod seconds {
    use super::*;

    pub fn serialize<S: Serializer>(limit: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        limit.unwrap_or_default().as_secs_f64().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(json: D) -> Result<Option<Duration>, D::Error> {
        let limit = Duration::try_from_secs_f64(f64::deserialize(json)?).ok();
        Ok(limit.filter(|limit| !limit.is_zero()))
    }
}

/// Nothing is written as 0.
mod limit {
    use super::*;

    pub fn serialize<S: Serializer>(limit: &Option<u64>, to: S) -> Result<S::Ok, S::Error> {
        limit.unwrap_or_default().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(json: D) -> Result<Option<u64>, D::Error> {
        u64::deserialize(json).map(|n| (n > 0).then_some(n))
    }
}

/// By their names, from the strongest to the weakest.
mod models {
    use super::*;

    pub fn serialize<S: Serializer>(models: &[Model], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(models.iter().map(|model| Named(*model)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(json: D) -> Result<Vec<Model>, D::Error> {
        let mut models: Vec<Named<Model>> = Vec::deserialize(json)?;
        models.sort_unstable();
        models.dedup();
        Ok(models.into_iter().map(|model| model.0).collect())
    }
}

fn threads<'de, D: Deserializer<'de>>(json: D) -> Result<usize, D::Error> {
    usize::deserialize(json).map(|n| n.min(64))
}
