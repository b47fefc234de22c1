//! The engines that ask a SAT solver: `sat`, by axioms, and `lazy`, by rounds.
//!
//! They share the unrolled program, the questions about it, words, circuits and the solver, and
//! nothing of how memory is described.

mod ask;
mod axioms;
mod bits;
mod circuit;
mod flow;
mod formula;
mod lazy;
mod order;
mod question;
mod range;
mod rounds;
pub mod rule;
mod sat;
mod schedule;
mod solver;
mod sources;
mod term;
mod unroll;

pub use lazy::Lazy;
pub use sat::{NamedAxiom, Sat, named_axioms};

use circuit::Circuit;
use formula::Formula;
use question::Questions;
use range::Ranges;
use rule::Rule;
use solver::Solver;
use sources::Sources;
use unroll::{Unrolled, unroll};

use crate::engine::Task;
use crate::program::{Instr, Operand, Program, RmwOp};
use crate::report::Completeness;

/// More events than this are too many: what is said about them grows with their cube.
const MAX_EVENTS: usize = 2_000;

/// What both engines start from.
struct Prepared {
    unrolled: Unrolled,
    questions: Questions,
    sources: Sources,
    ranges: Ranges,
    solver: Solver,
}

fn prepare(task: &mut Task<'_, '_>, without: Option<Rule>) -> Result<Prepared, Completeness> {
    if !can_be_encoded(task.program) {
        return Err(Completeness::NotEncoded);
    }
    let mut unrolled = unroll(task.program, task.budget)?;
    if unrolled.events.len() > MAX_EVENTS {
        return Err(Completeness::TooManyEvents);
    }
    let questions = Questions::new(task.program, &mut unrolled);
    let sources = Sources::new(&unrolled, task.budget)?;
    let ranges = Ranges::new(task.program, &unrolled, &sources, task.budget)?;
    let max_memory = task.options.max_memory.unwrap_or(usize::MAX);
    let solver = Solver::new(task.budget.interrupt(), max_memory, without);
    Ok(Prepared {
        unrolled,
        questions,
        sources,
        ranges,
        solver,
    })
}

fn formula(unrolled: &Unrolled, ranges: Ranges, solver: Solver) -> Formula<'_> {
    Formula::new(unrolled, ranges, Circuit::new(solver))
}

/// Whether the encodings know all that the program does. They do not know an RMW that fails as a
/// load does, mutexes that are not only locked and unlocked, addresses that are kept in memory, and
/// a filter on what no outcome shows.
fn can_be_encoded(program: &Program) -> bool {
    let is_address = |value: &Operand| match value {
        Operand::Const(value) => program.location_at(*value).is_some(),
        Operand::Reg(_) => false,
    };
    let mut initial = program.locations.iter().map(|loc| Operand::Const(loc.init));
    let mut code = program.threads.iter().flat_map(|thread| &thread.code);
    program.filtered.is_empty()
        && !initial.any(|value| is_address(&value))
        && code.all(|instr| match *instr {
            Instr::Store { value, .. } if is_address(&value) => false,
            Instr::Rmw {
                op: RmwOp::AddUnless,
                ..
            } => false,
            Instr::Load { addr, .. } | Instr::Store { addr, .. } | Instr::Rmw { addr, .. } => {
                !program.may_be_mutex(addr)
            }
            _ => true,
        })
}
