//! From the syntax tree to the program that is checked.
//!
//! A tree that the parser found no error in can still ask for too much (a hundred thousand
//! threads) or for what no number is (a parameter divided by zero): those are errors here.

mod body;
mod c;
mod code;
mod condition;
mod constant;
mod native;
#[cfg(test)]
mod tests;
mod x86;

use fencepost_grammar::ast::Body;
use fencepost_grammar::{Error, ErrorKind, Sound, Span as Place};

use crate::program::{LocId, Location, Program, Span, Value};
use crate::thread::MAX_MUTEXES;

/// What to set from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LowerOptions {
    /// Values of parameters, by name, instead of those the test gives.
    pub params: Vec<(String, Value)>,
    /// How often a loop without `max` may iterate.
    pub unroll: u32,
}

impl Default for LowerOptions {
    fn default() -> Self {
        LowerOptions {
            params: Vec::new(),
            unroll: DEFAULT_UNROLL,
        }
    }
}

/// Enough for the spin loops that tests have, few enough to explore.
pub const DEFAULT_UNROLL: u32 = 8;
/// More threads than anyone explores.
pub const MAX_THREADS: usize = 64;
pub const MAX_LOCATIONS: usize = 4096;
/// How often a counted loop, or one with `max`, may iterate.
pub const MAX_ITERATIONS: u64 = 65_536;
/// Instructions of all threads together.
pub const MAX_INSTRUCTIONS: usize = 1 << 20;
/// Registers of one thread, those the compiler adds included.
pub const MAX_REGISTERS: usize = 4096;

/// A sound parse has no such node.
const UNREAD: &str = "what could not be read is an error";
/// Nor a name that means nothing, or something else than it is used for.
const UNRESOLVED: &str = "every name was resolved";

/// Makes the program of a test. The errors are in order of place.
pub fn lower(sound: &Sound<'_>, options: &LowerOptions) -> Result<Program, Vec<Error>> {
    let test = sound.test();
    let mut errors = Vec::new();
    let program = match &test.body {
        Body::Native(native) => native::lower(test, native, options, &mut errors),
        Body::Herd(herd) => x86::lower(test, herd, options, &mut errors),
        Body::C(c) => c::lower(test, c, options, &mut errors),
        Body::Unknown => unreachable!("{UNREAD}"),
    };
    match program {
        Some(program) if errors.is_empty() => Ok(program),
        _ => {
            errors.sort_by_key(|error| error.span);
            errors.dedup();
            Err(errors)
        }
    }
}

fn too_many(what: &'static str, found: usize, limit: usize, span: Place) -> Error {
    Error::new(
        ErrorKind::TooMany {
            what,
            found: found as u64,
            limit: limit as u64,
        },
        span,
    )
}

fn range(span: Place) -> Span {
    span.start..span.end
}

/// Adds a location, unless there are too many.
fn add_location(
    locations: &mut Vec<Location>,
    location: Location,
    span: Place,
) -> Result<LocId, Error> {
    if locations.len() >= MAX_LOCATIONS {
        return Err(too_many(
            "shared locations",
            locations.len() + 1,
            MAX_LOCATIONS,
            span,
        ));
    }
    locations.push(location);
    Ok((locations.len() - 1) as LocId)
}

fn check_mutexes(count: usize, span: Place) -> Result<(), Error> {
    if count > MAX_MUTEXES {
        return Err(too_many("mutexes", count, MAX_MUTEXES, span));
    }
    Ok(())
}
