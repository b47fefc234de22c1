//! Which write each load can read from, and which values registers and locations can end with.
//!
//! A report keeps one execution an outcome; this asks about all of them. It searches the
//! operational machine and forgets everything about the past that the future does not
//! need, so it is small where classes are many. A load counts even in an execution
//! that is blocked later on.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::operational::{Effect, End, Machine, Move};
use crate::program::{LocId, Model, Pc, Program, RegId, ThreadId, Value};
use crate::report::{Budget, Completeness, Options};

/// An instruction that writes.
pub type Site = (ThreadId, Pc);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reads {
    pub model: Model,
    pub completeness: Completeness,
    pub reads: BTreeSet<Read>,
    /// What a register can hold when everything has ended.
    pub registers: BTreeSet<(ThreadId, RegId, Value)>,
    /// What a location can hold when everything has ended.
    pub memory: BTreeSet<(LocId, Value)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Read {
    pub thread: ThreadId,
    pub pc: Pc,
    pub loc: LocId,
    /// `None` is the initial value.
    pub source: Option<Site>,
    pub value: Value,
}

impl Reads {
    /// What the instruction can read.
    pub fn of(&self, thread: ThreadId, pc: Pc) -> impl Iterator<Item = &Read> {
        self.reads
            .iter()
            .filter(move |read| read.thread == thread && read.pc == pc)
    }

    /// Who can see what the instruction writes.
    pub fn seen_by(&self, site: Site) -> impl Iterator<Item = &Read> {
        self.reads
            .iter()
            .filter(move |read| read.source == Some(site))
    }
}

pub fn reads(program: &Program, model: Model, options: &Options) -> Reads {
    let mut found = Reads {
        model,
        completeness: Completeness::Complete,
        reads: BTreeSet::new(),
        registers: BTreeSet::new(),
        memory: BTreeSet::new(),
    };
    let mut budget = Budget::new(options);
    let mut seen: FxHashSet<Box<[u64]>> = FxHashSet::default();
    let mut bytes = 0;
    let mut key = Vec::new();
    let mut moves = Vec::new();
    let mut stack = vec![State {
        machine: Machine::new(program, model),
        written_by: vec![None; program.locations.len()],
    }];
    while let Some(state) = stack.pop() {
        let waiting = stack.len() * (key.len() * 8 + STATE_OVERHEAD);
        if let Some(reason) = budget.poll(0, bytes + waiting) {
            found.completeness = reason;
            break;
        }
        state.machine.moves(&mut moves);
        for &step in &moves {
            let mut next = state.clone();
            let Some(read) = next.take(step) else {
                continue;
            };
            found.reads.extend(read);
            next.encode(&mut key);
            if !seen.contains(key.as_slice()) {
                bytes += key.len() * 8 + STATE_OVERHEAD;
                seen.insert(key.as_slice().into());
                stack.push(next);
            }
        }
        if moves.is_empty() && state.machine.ends().all(|end| end == End::Done) {
            found.ended(&state);
        }
    }
    found
}

/// About what a state costs beside its code.
const STATE_OVERHEAD: usize = 64;

#[derive(Clone)]
struct State<'p> {
    machine: Machine<'p>,
    /// The instruction behind the value each location has in memory.
    written_by: Vec<Option<Site>>,
}

impl State<'_> {
    /// Takes a step and says what it read; `None` when it is not possible.
    fn take(&mut self, step: Move) -> Option<Option<Read>> {
        let (Move::Thread(t) | Move::Flush { thread: t, .. }) = step;
        let local = &self.machine.threads[t as usize];
        let pc = local.cursor.pc;
        let flushed = match step {
            Move::Flush { loc, .. } => local.buffer.iter().find(|e| e.loc == loc).map(|e| e.pc),
            Move::Thread(_) => None,
        };
        let buffered = local.buffer.clone();
        let read = |loc: LocId, value, source| {
            Some(Read {
                thread: t,
                pc,
                loc,
                source,
                value,
            })
        };
        match self.machine.step(step)? {
            Effect::Read { loc, value, .. } => {
                let own = buffered.iter().rev().find(|entry| entry.loc == loc);
                let source = match own {
                    Some(entry) => Some((t, entry.pc)),
                    None => self.written_by[loc as usize],
                };
                Some(read(loc, value, source))
            }
            Effect::Rmw {
                loc,
                read: value,
                written,
                ..
            } => {
                let source = self.written_by[loc as usize];
                if written.is_some() {
                    self.written_by[loc as usize] = Some((t, pc));
                }
                Some(read(loc, value, source))
            }
            Effect::Write { loc, .. } => {
                if self.machine.threads[t as usize].buffer.is_empty() {
                    self.written_by[loc as usize] = Some((t, pc));
                }
                Some(None)
            }
            Effect::Flush { loc, .. } => {
                self.written_by[loc as usize] = flushed.map(|pc| (t, pc));
                Some(None)
            }
            Effect::Lock { loc, .. } | Effect::Unlock { loc } => {
                self.written_by[loc as usize] = Some((t, pc));
                Some(None)
            }
            Effect::Fence(_) => Some(None),
        }
    }

    /// All that the future depends on.
    fn encode(&self, key: &mut Vec<u64>) {
        key.clear();
        for local in &self.machine.threads {
            key.extend([
                u64::from(local.cursor.pc),
                local.cursor.mutexes,
                local.buffer.len() as u64,
            ]);
            key.extend(local.regs.iter().map(|&value| value as u64));
            for entry in &local.buffer {
                let age = u64::from(local.epoch - entry.epoch);
                key.extend([
                    u64::from(entry.loc) << 32 | u64::from(entry.pc),
                    entry.value as u64,
                    age,
                ]);
            }
        }
        for (cell, site) in self.machine.memory.iter().zip(&self.written_by) {
            key.extend([cell.value as u64, site_code(*site)]);
        }
    }
}

fn site_code(site: Option<Site>) -> u64 {
    site.map_or(u64::MAX, |(thread, pc)| {
        u64::from(thread) << 32 | u64::from(pc)
    })
}

impl Reads {
    fn ended(&mut self, state: &State<'_>) {
        for (t, local) in state.machine.threads.iter().enumerate() {
            for (r, &value) in local.regs.iter().enumerate() {
                self.registers.insert((t as ThreadId, r as RegId, value));
            }
        }
        for (loc, cell) in state.machine.memory.iter().enumerate() {
            self.memory.insert((loc as LocId, cell.value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::{LowerOptions, lower};

    /// Every read as `loc=value<source line`, for each model.
    fn found(text: &str) -> Vec<Vec<String>> {
        let parse = fencepost_grammar::parse(text);
        let program =
            lower(&parse.sound().expect("a test"), &LowerOptions::default()).expect("a test");
        let line = |(thread, pc): Site| {
            let span = &program.threads[thread as usize].spans[pc as usize];
            text[..span.start as usize].matches('\n').count() + 1
        };
        Model::ALL
            .into_iter()
            .map(|model| {
                let reads = reads(&program, model, &Options::default());
                assert_eq!(reads.completeness, Completeness::Complete);
                let mut all: Vec<String> = reads
                    .reads
                    .iter()
                    .map(|read| {
                        let name = &program.locations[read.loc as usize].name;
                        let from = read
                            .source
                            .map_or("initial".to_owned(), |site| line(site).to_string());
                        format!("{name}={}<{from}", read.value)
                    })
                    .collect();
                all.sort();
                all
            })
            .collect()
    }

    #[test]
    fn own_buffered_stores_come_first() {
        let all = found(
            "litmus T\nshared x;\nthread P0 {\nx = 1;\nr = x;\n}\nthread P1 {\nx = 2;\n}\nexists (P0:r = 1)\n",
        );
        // Under every model the load sees its own store or one that overwrote it.
        assert_eq!(all, vec![vec!["x=1<4", "x=2<8"]; 3]);
    }

    #[test]
    fn message_passing_can_miss_the_data_only_under_pso() {
        let text = "litmus MP\nshared x, y;\nthread P0 {\nx = 1;\ny = 1;\n}\nthread P1 {\nif (y == 1) {\nr = x;\n}\n}\nexists (P1:r = 1)\n";
        let all = found(text);
        let initial = "x=0<initial".to_owned();
        assert!(!all[0].contains(&initial) && !all[1].contains(&initial));
        assert!(all[2].contains(&initial), "{all:?}");
    }

    #[test]
    fn atomics_read_and_are_read() {
        let all = found(
            "litmus T\nshared x;\nthread W[i in 0..2] {\nr = fetch_add(x, 1);\n}\nexists (x = 2)\n",
        );
        assert_eq!(
            all,
            vec![vec!["x=0<initial", "x=0<initial", "x=1<4", "x=1<4"]; 3]
        );
    }

    #[test]
    fn values_at_the_end_are_collected_and_a_stop_is_told() {
        let text =
            "litmus T\nshared x;\nthread P0 { x = 1; }\nthread P1 { x = 2; }\nexists (x = 1)\n";
        let parse = fencepost_grammar::parse(text);
        let program =
            lower(&parse.sound().expect("a test"), &LowerOptions::default()).expect("a test");
        let ended = reads(&program, Model::Tso, &Options::default());
        assert_eq!(ended.memory, BTreeSet::from([(0, 1), (0, 2)]));
        let options = Options::default();
        options
            .cancel
            .store(true, std::sync::atomic::Ordering::Relaxed);
        let stopped = reads(&program, Model::Tso, &options);
        assert_eq!(stopped.completeness, Completeness::Cancelled);
    }
}
