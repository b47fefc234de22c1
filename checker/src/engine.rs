//! Explores a program with the engine that the options name.

pub mod brute;

use crate::program::{Model, Program};
use crate::report::{EngineKind, Options, Report};

/// Explores the program under a model and reports what it can do.
pub fn check(program: &Program, model: Model, options: &Options) -> Report {
    match options.engine {
        EngineKind::Rf | EngineKind::RfPart | EngineKind::Brute => {
            brute::explore(program, model, options)
        }
    }
}
