//! The language server: messages in, messages out; it converts, asks the analysis, converts
//! back.
//!
//! `serve` runs it here, over the pipes of `transport`; only these two know an async runtime.
//! `route` takes messages in and `outbox` sends them; `server` owns the state; `check` runs
//! jobs on the pool of `jobs`; `publish` tells the client what changed; `features` has one
//! pure function a surface, from a [`view::View`] to protocol types.

mod anchors;
mod capabilities;
mod check;
mod commands;
mod custom;
mod document;
mod features;
mod insights;
mod jobs;
mod later;
mod log;
mod outbox;
mod params;
mod positions;
mod progress;
mod publish;
mod results;
mod route;
mod serve;
mod server;
mod settings;
mod suggest;
mod transport;
mod verdicts;
mod view;

pub use serve::run;
