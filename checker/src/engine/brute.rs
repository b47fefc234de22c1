//! The reference engine: every state of the operational model, hashed.
//!
//! Shares no code with the verifiers. A state carries the source of each read, so the
//! final states tell the reads-from classes apart and each is counted once.

use super::states::StateSet;
use super::{Explore, Task};
use crate::collect::may_deadlock;
use crate::operational::{Cell, End, INITIAL, Local, Machine, Move, Writer};
use crate::program::{Place, Program, Value};
use crate::report::Completeness;

#[derive(Debug)]
pub struct Brute;

impl Explore for Brute {
    fn explore(&self, task: &mut Task<'_, '_>) -> Completeness {
        let mut search = Search {
            task,
            seen: StateSet::new(),
            classes: StateSet::new(),
            deadlocks: StateSet::new(),
            taken: Vec::new(),
            key: Vec::new(),
        };
        let completeness = search.run();
        search.seen.free();
        completeness
    }
}

struct Search<'t, 'a, 'p> {
    task: &'t mut Task<'a, 'p>,
    /// The states that were reached, as [`Search::encode`] writes them.
    seen: StateSet,
    /// The classes that were counted.
    classes: StateSet,
    /// The blocked classes that were counted as deadlocks.
    deadlocks: StateSet,
    /// How each state was first reached: the state before and the step.
    taken: Vec<(u32, Move)>,
    key: Vec<u32>,
}

/// The number of the first state: nothing was taken to reach it.
const ROOT: u32 = u32::MAX;
/// More events than this in one thread do not fit a [`Writer`]'s code.
const MAX_EVENTS: u32 = 1 << 24;

impl<'p> Search<'_, '_, 'p> {
    fn run(&mut self) -> Completeness {
        let first = Machine::new(self.task.program, self.task.model);
        let size = size_of_machine(self.task.program);
        let mut stack = vec![(first.clone(), ROOT)];
        let mut next = first;
        let mut moves = Vec::new();
        let mut spare: Vec<Machine<'p>> = Vec::new();
        while let Some((machine, number)) = stack.pop() {
            let bytes = self.memory() + (stack.len() + spare.len()) * size;
            let classes = self.task.collector.classes();
            if let Some(reason) = self.task.budget.poll(classes, bytes) {
                return reason;
            }
            machine.moves(&mut moves);
            if moves.is_empty() {
                self.end(&machine, number);
            }
            // The stack reverses them: the first step is explored first.
            for &step in moves.iter().rev() {
                next.clone_from(&machine);
                let effect = next.step(step);
                debug_assert!(effect.is_some(), "only steps that are possible are listed");
                if next.threads.iter().any(|local| local.events >= MAX_EVENTS)
                    || self.taken.len() >= ROOT as usize
                {
                    return Completeness::TooManyEvents;
                }
                self.encode(&next);
                if !self.seen.insert(&self.key) {
                    continue;
                }
                let child = self.taken.len() as u32;
                self.taken.push((number, step));
                let mut state = spare.pop().unwrap_or_else(|| next.clone());
                state.clone_from(&next);
                stack.push((state, child));
            }
            spare.push(machine);
        }
        Completeness::Complete
    }

    /// Bytes held, about.
    fn memory(&self) -> usize {
        let states = [&self.seen, &self.classes, &self.deadlocks];
        states.into_iter().map(StateSet::memory).sum::<usize>()
            + self.taken.capacity() * size_of::<(u32, Move)>()
            + self.task.collector.memory()
    }

    /// Counts the class of a state in which nothing can move.
    fn end(&mut self, machine: &Machine<'p>, number: u32) {
        let ends: Vec<End> = machine.ends().collect();
        let complete = ends.iter().all(|end| *end == End::Done);
        self.key.clear();
        encode_threads(machine, &mut self.key);
        if complete {
            for observable in self.task.program.watched() {
                if let Place::Memory(loc) = observable.place {
                    self.key.push(code(machine.memory[loc as usize].writer));
                }
            }
        }
        let taken = &self.taken;
        let schedule = || schedule(taken, number);
        if self.classes.insert(&self.key) {
            if complete {
                let state: Vec<Value> = self
                    .task
                    .program
                    .watched()
                    .map(|observable| match observable.place {
                        Place::Register(t, r) => machine.threads[t as usize].regs[r as usize],
                        Place::Memory(loc) => machine.memory[loc as usize].value,
                    })
                    .collect();
                self.task.collector.complete(&state, schedule);
            } else {
                self.task.collector.incomplete(&ends, schedule);
            }
        }
        if !complete
            && may_deadlock(ends.iter().copied())
            && machine.awaits_read_memory()
            && self.deadlocks.insert(&self.key)
        {
            self.task.collector.deadlock(schedule);
        }
    }

    /// Writes the state's code into `key`: each thread's events, reads and buffer, and who
    /// wrote each location last. Threads are deterministic and each write belongs to one
    /// event, so all values and registers follow from these.
    fn encode(&mut self, machine: &Machine<'_>) {
        self.key.clear();
        encode_threads(machine, &mut self.key);
        for local in &machine.threads {
            self.key.push(local.buffer.len() as u32);
            self.key
                .extend(local.buffer.iter().map(|entry| entry.index));
        }
        for (loc, cell) in machine.memory.iter().enumerate() {
            if cell.writer != INITIAL {
                self.key.extend([loc as u32, code(cell.writer)]);
            }
        }
    }
}

/// About what a machine on the stack costs.
fn size_of_machine(program: &Program) -> usize {
    let threads: usize = program
        .threads
        .iter()
        .map(|thread| size_of::<Local>() + thread.regs.len() * size_of::<Value>() + THREAD_HEAP)
        .sum();
    size_of::<Machine<'_>>() + threads + program.locations.len() * size_of::<Cell>()
}

/// A guess at what a thread's reads and buffer take.
const THREAD_HEAP: usize = 256;

fn encode_threads(machine: &Machine<'_>, key: &mut Vec<u32>) {
    for local in &machine.threads {
        key.extend([local.events, local.sources.len() as u32]);
        key.extend(local.sources.iter().map(|&source| code(source)));
    }
}

fn code(writer: Writer) -> u32 {
    if writer == INITIAL {
        u32::MAX
    } else {
        u32::from(writer.thread) << 24 | writer.index
    }
}

fn schedule(taken: &[(u32, Move)], mut number: u32) -> Vec<Move> {
    let mut moves = Vec::new();
    while number != ROOT {
        let (before, step) = taken[number as usize];
        moves.push(step);
        number = before;
    }
    moves.reverse();
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, check};
    use crate::program::Model;
    use crate::report::Options;

    fn program(text: &str) -> Program {
        let parse = fencepost_grammar::parse(text);
        assert!(!parse.has_errors(), "{:?}", parse.errors);
        crate::lower(&parse.sound().expect(text), &crate::LowerOptions::default()).expect(text)
    }

    fn options() -> Options {
        Options {
            engine: Engine::named("brute").expect("this engine"),
            ..Options::default()
        }
    }

    /// The number of classes under each model, after the outcomes were compared.
    fn classes(program: &Program, outcomes: [&[&[Value]]; 3]) -> [u64; 3] {
        let mut counts = [0; 3];
        for (i, model) in Model::ALL.into_iter().enumerate() {
            let report = check(program, model, &options());
            assert_eq!(report.defect, None);
            assert!(report.complete());
            let found: Vec<&[Value]> = report.outcomes.iter().map(|o| &o.state[..]).collect();
            assert_eq!(found, outcomes[i], "{}", model.name());
            counts[i] = report.classes;
        }
        counts
    }

    #[test]
    fn store_buffering_is_seen_under_tso() {
        let sb = program(
            "litmus SB\nshared x, y;\nthread P { x = 1; r = y; }\nthread Q { y = 1; r = x; }\n\
             exists (P:r = 0 /\\ Q:r = 0)\n",
        );
        let strong: &[&[Value]] = &[&[0, 1], &[1, 0], &[1, 1]];
        let weak: &[&[Value]] = &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]];
        assert_eq!(classes(&sb, [strong, weak, weak]), [3, 4, 4]);
    }

    #[test]
    fn message_passing_breaks_under_pso_unless_fenced() {
        let with = |fence: &str| {
            program(&format!(
                "litmus MP\nshared x, y;\nthread P {{ x = 1; {fence} y = 1; }}\n\
                 thread Q {{ a = y; b = x; }}\nexists (Q:a = 1 /\\ Q:b = 0)\n"
            ))
        };
        let strong: &[&[Value]] = &[&[0, 0], &[0, 1], &[1, 1]];
        let weak: &[&[Value]] = &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]];
        assert_eq!(classes(&with(""), [strong, strong, weak]), [3, 3, 4]);
        assert_eq!(classes(&with("sfence;"), [strong; 3]), [3, 3, 3]);
    }

    #[test]
    fn final_memory_tells_classes_apart_only_when_observed() {
        let writes = "litmus W\nshared x;\nthread P { x = 1; }\nthread Q { x = 2; }\n";
        let seen = program(&format!("{writes}exists (x = 1)\n"));
        assert_eq!(classes(&seen, [&[&[1], &[2]]; 3]), [2; 3]);
        assert_eq!(classes(&program(writes), [&[&[]]; 3]), [1; 3]);
    }

    #[test]
    fn a_cancelled_search_says_so() {
        let load = program("litmus L\nshared x;\nthread P { r = x; }\n");
        let options = options();
        options
            .cancel
            .store(true, std::sync::atomic::Ordering::Relaxed);
        let report = check(&load, Model::Tso, &options);
        assert_eq!(report.completeness, Completeness::Cancelled);
    }
}
