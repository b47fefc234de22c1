//! What the test suites share: where the corpus and the fixtures are, random tests,
//! and how to compare trees.

pub mod answers;
pub mod counts;
pub mod dense;
pub mod files;
pub mod formatted;
pub mod mutate;
pub mod processor;
pub mod processor_time;
pub mod random;
pub mod random_program;
pub mod shape;
