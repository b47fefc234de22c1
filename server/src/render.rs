//! Renderings that terminal and editor share: pure functions from reports to text.

pub mod dot;
pub mod fences;
pub mod geometry;
pub mod herd;
pub mod json;
pub mod junit;
pub mod label;
pub mod layout;
pub mod look;
pub mod matrix;
pub mod prop;
pub mod sarif;
pub mod svg;
pub mod trace;
pub mod witness;
pub mod words;
pub mod xml;

pub use look::{Look, Role};
