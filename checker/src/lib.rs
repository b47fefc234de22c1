//! Reads-from model checking of litmus tests under SC, TSO and PSO.
//!
//! Pure: no I/O, no printing, no protocol types; the same input gives the same answer.

pub mod bits;
pub mod collect;
pub mod confirm;
pub mod engine;
pub mod event;
pub mod fences;
pub mod forbidden;
pub mod graph;
pub mod lower;
pub mod operational;
pub mod program;
pub mod readable;
pub mod reads;
pub mod replay;
pub mod report;
pub mod rmw;
pub mod thread;
pub mod verify;
pub mod witness;

pub use engine::check;
pub use lower::{LowerOptions, lower};
pub use program::{Model, Program, Verdict};
pub use report::{Completeness, EngineKind, Options, Report};
