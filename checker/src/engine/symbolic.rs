//! What the symbolic engines share: the unrolled program, the questions, words and circuits, the
//! solver; and the axioms of `sat`.

mod axioms;
mod bits;
mod circuit;
mod flow;
mod formula;
mod order;
mod question;
mod range;
pub mod rule;
pub mod sat;
mod schedule;
mod solver;
mod sources;
mod term;
mod unroll;
