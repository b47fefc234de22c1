//! A witness with what each step leaves behind: buffers, memory, and what changed.

use std::ops::Range;

use fencepost_checker::model::Rules;
use fencepost_checker::program::{LocId, Program, RegId, ThreadId, Value};
use fencepost_checker::thread::destination;
use fencepost_checker::witness::{Action, Witness};

/// What holds after a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// For each thread, oldest first.
    pub buffers: Vec<Vec<Buffered>>,
    /// For each location.
    pub memory: Vec<Value>,
    pub changed: Vec<Change>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffered {
    pub loc: LocId,
    pub value: Value,
    /// The step that stored.
    pub store: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Memory(LocId),
    Buffer(ThreadId, LocId),
    Register(ThreadId, RegId),
}

/// One moment for each step of the witness.
pub fn moments(program: &Program, witness: &Witness) -> Vec<Moment> {
    let mut buffers: Vec<Vec<Buffered>> = vec![Vec::new(); program.threads.len()];
    let mut memory: Vec<Value> = program.locations.iter().map(|l| l.init).collect();
    let mut moments = Vec::with_capacity(witness.steps.len());
    let buffered = Rules::of(witness.model).buffer_stores();
    for (index, step) in witness.steps.iter().enumerate() {
        let thread = step.thread;
        let mut changed = Vec::new();
        let mut write = |loc: LocId, value: Value| {
            memory[usize::from(loc)] = value;
            Change::Memory(loc)
        };
        match step.action {
            Action::Write { loc, value } if !buffered => {
                changed.push(write(loc, value));
            }
            Action::Write { loc, value } => {
                buffers[usize::from(thread)].push(Buffered {
                    loc,
                    value,
                    store: index,
                });
                changed.push(Change::Buffer(thread, loc));
            }
            Action::Flush { loc, value, store } => {
                buffers[usize::from(thread)].retain(|b| b.store != store);
                changed.push(Change::Buffer(thread, loc));
                changed.push(write(loc, value));
            }
            Action::Rmw { loc, written, .. } => {
                if let Some(value) = written {
                    changed.push(write(loc, value));
                }
                changed.extend(register(program, thread, step.pc));
            }
            Action::Read { .. } => changed.extend(register(program, thread, step.pc)),
            Action::Lock { loc, .. } => changed.push(write(loc, 1)),
            Action::Unlock { loc } => changed.push(write(loc, 0)),
            Action::Fence(_) | Action::Stop(_) => {}
        }
        moments.push(Moment {
            buffers: buffers.clone(),
            memory: memory.clone(),
            changed,
        });
    }
    moments
}

fn register(program: &Program, thread: ThreadId, pc: u32) -> Option<Change> {
    let reg = destination(program, thread, pc)?;
    let names = &program.threads[usize::from(thread)].reg_names;
    // Temporaries have no name, and nobody can look at them.
    names.get(usize::from(reg))?.as_ref()?;
    Some(Change::Register(thread, reg))
}

/// The locations worth showing: all of a small program, else those the witness touches.
pub fn shown_locations(program: &Program, witness: &Witness) -> Vec<LocId> {
    const SMALL: usize = 8;
    let all: Range<LocId> = 0..program.locations.len() as LocId;
    if program.locations.len() <= SMALL {
        return all.collect();
    }
    let touched = |loc: LocId| {
        witness.steps.iter().any(|step| match step.action {
            Action::Read { loc: l, .. }
            | Action::Write { loc: l, .. }
            | Action::Flush { loc: l, .. }
            | Action::Rmw { loc: l, .. }
            | Action::Lock { loc: l, .. }
            | Action::Unlock { loc: l } => l == loc,
            Action::Fence(_) | Action::Stop(_) => false,
        })
    };
    all.filter(|loc| touched(*loc)).collect()
}
