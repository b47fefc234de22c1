//! Reads-from model checking of litmus tests under SC, TSO and PSO.
//!
//! [`lower()`] makes a [`Program`] of a syntax tree; [`check`] explores it under a [`Model`] with
//! one of the [`ENGINES`] and gives a [`Report`]. [`fences`], [`reads`], [`graph`] and [`forbidden`]
//! answer further questions. `bits`, `event`, `replay` and `verify` are public for the tests that
//! hold them against enumerations of their own.
//!
//! Pure: no I/O, no printing, no protocol types; the same input gives the same answer.

pub mod bits;
mod collect;
mod confirm;
pub mod engine;
pub mod event;
pub mod fences;
pub mod forbidden;
pub mod graph;
pub mod lower;
pub mod model;
mod operational;
pub mod outcomes;
pub mod program;
mod readable;
pub mod reads;
pub mod replay;
pub mod report;
pub mod rmw;
pub mod thread;
pub mod verify;
pub mod witness;

pub use engine::{ENGINES, Engine, check};
pub use lower::{LowerOptions, lower};
pub use program::{Model, Program, Verdict};
pub use report::{Completeness, Options, Report};
