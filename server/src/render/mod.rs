//! Renderings that terminal and editor share: pure functions from reports to text.

pub mod label;
pub mod look;
pub mod matrix;
pub mod prop;
pub mod trace;
pub mod witness;
pub mod words;

pub use look::{Look, Role};
