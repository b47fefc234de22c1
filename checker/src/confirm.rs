//! Confirms in the operational model what an engine claims, and makes witnesses of it.
//!
//! No witness is handed out unreplayed: a schedule is arranged to be easy to read, replayed,
//! and must end as the engine said.

use crate::collect::may_deadlock;
use crate::operational::{End, Move};
use crate::program::{Model, Program, Span, ThreadId, Value};
use crate::readable;
use crate::replay::{self, ReplayError, Replayed};
use crate::report::FailureKind;
use crate::witness::{FlushPolicy, Witness};

/// Whether the schedule, as the engine made it, completes in `state`.
pub fn reaches(
    program: &Program,
    model: Model,
    schedule: &[Move],
    state: &[Value],
) -> Result<Witness, ReplayError> {
    let replayed = replay::run(program, model, schedule, FlushPolicy::Early)?;
    completes(program, &replayed, state)?;
    Ok(replayed.witness)
}

/// A readable execution of the schedule's class that completes in `state`.
pub fn outcome(
    program: &Program,
    model: Model,
    schedule: &[Move],
    state: &[Value],
) -> Result<Witness, ReplayError> {
    let replayed = arranged(program, model, schedule)?;
    completes(program, &replayed, state)?;
    Ok(replayed.witness)
}

/// A readable execution of the schedule's class in which the thread fails there, in that way.
pub fn failure(
    program: &Program,
    model: Model,
    schedule: &[Move],
    (kind, thread, span): (FailureKind, ThreadId, &Span),
) -> Result<Witness, ReplayError> {
    let replayed = arranged(program, model, schedule)?;
    let spans = &program.threads[thread as usize].spans;
    match replayed.ends[thread as usize].failure() {
        Some((found, pc)) if found == kind && spans[pc as usize] == *span => Ok(replayed.witness),
        _ => Err(ReplayError::WrongEnd),
    }
}

/// A readable execution of the schedule's class that ends in a deadlock.
pub fn deadlock(
    program: &Program,
    model: Model,
    schedule: &[Move],
) -> Result<Witness, ReplayError> {
    let replayed = arranged(program, model, schedule)?;
    let waits = replayed.ends.iter().any(|end| *end != End::Done);
    if waits && may_deadlock(replayed.ends.iter().copied()) && replayed.awaits_read_memory {
        Ok(replayed.witness)
    } else {
        Err(ReplayError::WrongEnd)
    }
}

fn arranged(program: &Program, model: Model, schedule: &[Move]) -> Result<Replayed, ReplayError> {
    let (schedule, flushes) = readable::arrange(program, model, schedule)?;
    replay::run(program, model, &schedule, flushes)
}

fn completes(program: &Program, replayed: &Replayed, state: &[Value]) -> Result<(), ReplayError> {
    if replayed.ends.iter().any(|end| *end != End::Done) {
        return Err(ReplayError::WrongEnd);
    }
    if !replay::final_state(program, &replayed.witness).eq(state.iter().copied()) {
        return Err(ReplayError::WrongState);
    }
    Ok(())
}
