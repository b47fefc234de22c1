//! The operational models: threads, store buffers, memory, and the steps they can take.
//!
//! The table of `model.rs`, read literally. The brute engine searches this machine and the
//! replay runs witnesses in it; neither knows the verifiers.

use crate::event;
use crate::model::{self, Buffers, Model, Rules};
use crate::program::{FenceKind, LocId, Pc, Program, RmwOp, ThreadId, Value};
use crate::report::FailureKind;
use crate::thread::{self, Cursor, Pending, Stop};

/// One step of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// The thread takes its next event.
    Thread(ThreadId),
    /// The thread's oldest buffered store to the location reaches memory.
    Flush { thread: ThreadId, loc: LocId },
}

/// The event that wrote a value: the thread and the event's number in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Writer {
    pub thread: ThreadId,
    pub index: u32,
}

/// What writes an initial value.
pub const INITIAL: Writer = Writer {
    thread: ThreadId::MAX,
    index: u32::MAX,
};

/// A location in memory: its value and who wrote it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub value: Value,
    pub writer: Writer,
}

/// A store that waits in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub loc: LocId,
    pub value: Value,
    pub index: u32,
    pub pc: Pc,
    /// How many store fences the thread had passed: a smaller one reaches memory first.
    pub epoch: u32,
}

/// One thread of the machine.
#[derive(Debug)]
pub struct Local {
    pub cursor: Cursor,
    pub regs: Vec<Value>,
    /// What it wants to do next.
    pub pending: Pending,
    /// Events taken so far; the next event's number.
    pub events: u32,
    /// The source of each of its reads so far, in order.
    pub sources: Vec<Writer>,
    /// The location of its last read: what a thread that waits in an `await` waits for.
    pub last_read: Option<LocId>,
    /// Its stores that are not in memory, oldest first: under PSO the FIFOs of all
    /// locations, merged in program order.
    pub buffer: Vec<Entry>,
    pub epoch: u32,
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Read {
        loc: LocId,
        value: Value,
        source: Writer,
    },
    Write {
        loc: LocId,
        value: Value,
    },
    Flush {
        loc: LocId,
        value: Value,
        store: Writer,
    },
    Rmw {
        loc: LocId,
        read: Value,
        source: Writer,
        written: Option<Value>,
    },
    Fence(FenceKind),
    Lock {
        loc: LocId,
        source: Writer,
    },
    Unlock {
        loc: LocId,
    },
}

/// How a thread stands when nothing can move any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    Done,
    /// At the instruction that stopped it.
    Stopped(Stop, Pc),
    /// For a mutex that somebody holds.
    WaitsForLock(Pc),
}

impl End {
    pub fn failure(self) -> Option<(FailureKind, Pc)> {
        match self {
            End::Stopped(Stop::Failed(kind), pc) => Some((kind, pc)),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    rules: Rules,
    pub threads: Vec<Local>,
    pub memory: Vec<Cell>,
}

impl Clone for Local {
    fn clone(&self) -> Self {
        Local {
            regs: self.regs.clone(),
            sources: self.sources.clone(),
            buffer: self.buffer.clone(),
            ..*self
        }
    }

    // The search copies one machine over another all the time: keep the allocations.
    fn clone_from(&mut self, from: &Self) {
        self.regs.clone_from(&from.regs);
        self.sources.clone_from(&from.sources);
        self.buffer.clone_from(&from.buffer);
        self.cursor = from.cursor;
        self.pending = from.pending;
        self.events = from.events;
        self.last_read = from.last_read;
        self.epoch = from.epoch;
    }
}

impl Clone for Machine<'_> {
    fn clone(&self) -> Self {
        Machine {
            threads: self.threads.clone(),
            memory: self.memory.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, from: &Self) {
        self.program = from.program;
        self.rules = from.rules;
        self.threads.clone_from(&from.threads);
        self.memory.clone_from(&from.memory);
    }
}

impl<'p> Machine<'p> {
    /// Every thread at its first event, memory as the program starts it.
    pub fn new(program: &'p Program, model: Model) -> Self {
        let threads = program
            .threads
            .iter()
            .enumerate()
            .map(|(t, thread)| {
                let mut cursor = Cursor::default();
                let mut regs = thread.regs.clone();
                let pending = thread::advance(program, t as ThreadId, &mut cursor, &mut regs);
                Local {
                    cursor,
                    regs,
                    pending,
                    events: 0,
                    sources: Vec::new(),
                    last_read: None,
                    buffer: Vec::new(),
                    epoch: 0,
                }
            })
            .collect();
        let memory = program
            .locations
            .iter()
            .map(|l| Cell {
                value: l.init,
                writer: INITIAL,
            })
            .collect();
        Machine {
            program,
            rules: Rules::of(model),
            threads,
            memory,
        }
    }

    /// Whether the thread can take its next event now.
    pub fn can_run(&self, t: ThreadId) -> bool {
        let local = &self.threads[t as usize];
        match local.pending {
            Pending::Load { loc } => {
                self.rules.forwarding || local.buffer.iter().all(|entry| entry.loc != loc)
            }
            Pending::Store { .. } => true,
            Pending::Fence(kind) => {
                local.buffer.is_empty() || !model::fence(kind).has(event::Effect::DRAIN)
            }
            Pending::Rmw {
                loc, op, expected, ..
            } => local.buffer.is_empty() || is_load(op, self.seen(t, loc).value, expected),
            Pending::Unlock { .. } => local.buffer.is_empty(),
            Pending::Lock { loc } => {
                local.buffer.is_empty() && self.memory[loc as usize].value == FREE
            }
            Pending::Done | Pending::Stopped(_) => false,
        }
    }

    /// The places in the thread's buffer whose stores may reach memory next.
    fn flushable(&self, t: ThreadId) -> impl Iterator<Item = usize> + '_ {
        let buffer = &self.threads[t as usize].buffer;
        (0..buffer.len()).filter(move |&i| {
            let entry = buffer[i];
            match self.rules.buffers {
                Buffers::None | Buffers::PerThread => i == 0,
                Buffers::PerLocation => buffer[..i]
                    .iter()
                    .all(|older| older.loc != entry.loc && older.epoch == entry.epoch),
            }
        })
    }

    /// The steps to try from here, so that every final state is found.
    pub fn moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        let threads = 0..self.threads.len() as ThreadId;
        // Fences and, where there are buffers, stores touch nothing but their own thread's
        // state and the younger end of its buffer: they commute with every step of everyone.
        // One that can be taken now is taken now; the same final states remain.
        for t in threads.clone() {
            let unseen = match self.threads[t as usize].pending {
                Pending::Store { .. } => self.rules.buffer_stores(),
                Pending::Fence(_) => true,
                _ => false,
            };
            if unseen && self.can_run(t) {
                moves.push(Move::Thread(t));
                return;
            }
        }
        for t in threads {
            if self.can_run(t) {
                moves.push(Move::Thread(t));
            }
            let buffer = &self.threads[t as usize].buffer;
            moves.extend(self.flushable(t).map(|place| Move::Flush {
                thread: t,
                loc: buffer[place].loc,
            }));
        }
    }

    /// Takes a step; `None` when the model does not allow it here.
    pub fn step(&mut self, step: Move) -> Option<Effect> {
        match step {
            Move::Thread(t) => {
                ((t as usize) < self.threads.len() && self.can_run(t)).then(|| self.run(t))
            }
            Move::Flush { thread, loc } => {
                if thread as usize >= self.threads.len() {
                    return None;
                }
                let place = self
                    .flushable(thread)
                    .find(|&i| self.threads[thread as usize].buffer[i].loc == loc)?;
                Some(self.flush(thread, place))
            }
        }
    }

    /// What a load of the thread would see: its own newest buffered store, else memory.
    fn seen(&self, t: ThreadId, loc: LocId) -> Cell {
        let buffer = &self.threads[t as usize].buffer;
        match buffer.iter().rev().find(|entry| entry.loc == loc) {
            Some(entry) => Cell {
                value: entry.value,
                writer: Writer {
                    thread: t,
                    index: entry.index,
                },
            },
            None => self.memory[loc as usize],
        }
    }

    fn flush(&mut self, thread: ThreadId, place: usize) -> Effect {
        let entry = self.threads[thread as usize].buffer.remove(place);
        let store = Writer {
            thread,
            index: entry.index,
        };
        self.memory[entry.loc as usize] = Cell {
            value: entry.value,
            writer: store,
        };
        Effect::Flush {
            loc: entry.loc,
            value: entry.value,
            store,
        }
    }

    fn run(&mut self, t: ThreadId) -> Effect {
        let buffered = self.rules.buffer_stores();
        let seen = match self.threads[t as usize].pending {
            Pending::Load { loc } => Some((loc, self.seen(t, loc))),
            Pending::Rmw {
                loc, op, expected, ..
            } => {
                let cell = self.seen(t, loc);
                is_load(op, cell.value, expected).then_some((loc, cell))
            }
            _ => None,
        };
        let local = &mut self.threads[t as usize];
        let me = Writer {
            thread: t,
            index: local.events,
        };
        let mut read = 0;
        let effect = match local.pending {
            _ if let Some((loc, cell)) = seen => {
                local.sources.push(cell.writer);
                local.last_read = Some(loc);
                read = cell.value;
                Effect::Read {
                    loc,
                    value: cell.value,
                    source: cell.writer,
                }
            }
            Pending::Store { loc, value } => {
                if buffered {
                    local.buffer.push(Entry {
                        loc,
                        value,
                        index: me.index,
                        pc: local.cursor.pc,
                        epoch: local.epoch,
                    });
                } else {
                    self.memory[loc as usize] = Cell { value, writer: me };
                }
                Effect::Write { loc, value }
            }
            Pending::Rmw {
                loc,
                op,
                value,
                expected,
            } => {
                let cell = &mut self.memory[loc as usize];
                let old = *cell;
                let written = thread::rmw_writes(op, old.value, value, expected);
                if let Some(value) = written {
                    *cell = Cell { value, writer: me };
                }
                local.sources.push(old.writer);
                local.last_read = Some(loc);
                read = old.value;
                Effect::Rmw {
                    loc,
                    read: old.value,
                    source: old.writer,
                    written,
                }
            }
            Pending::Fence(kind) => {
                if model::fence(kind).has(event::Effect::STORE_FENCE) {
                    local.epoch += 1;
                }
                Effect::Fence(kind)
            }
            Pending::Lock { loc } => {
                let cell = &mut self.memory[loc as usize];
                let source = cell.writer;
                *cell = Cell {
                    value: TAKEN,
                    writer: me,
                };
                local.sources.push(source);
                Effect::Lock { loc, source }
            }
            Pending::Unlock { loc } => {
                self.memory[loc as usize] = Cell {
                    value: FREE,
                    writer: me,
                };
                Effect::Unlock { loc }
            }
            Pending::Load { .. } | Pending::Done | Pending::Stopped(_) => {
                unreachable!("a load sees something, and can_run refuses the others")
            }
        };
        local.events += 1;
        thread::take(self.program, t, &mut local.cursor, &mut local.regs, read);
        local.pending = thread::advance(self.program, t, &mut local.cursor, &mut local.regs);
        effect
    }

    /// Whether no step is left: all buffers empty, every thread ended, stopped or waiting.
    pub fn at_end(&self) -> bool {
        (0..self.threads.len())
            .all(|t| self.threads[t].buffer.is_empty() && !self.can_run(t as ThreadId))
    }

    /// How each thread stands; meant for a machine that is [`Machine::at_end`].
    pub fn ends(&self) -> impl Iterator<Item = End> + '_ {
        self.threads.iter().map(|local| match local.pending {
            Pending::Done => End::Done,
            Pending::Stopped(stop) => End::Stopped(stop, local.cursor.pc),
            _ => End::WaitsForLock(local.cursor.pc),
        })
    }

    /// Whether every `await` that waits here has read what memory holds now, so that
    /// it would wait for ever on a real machine too.
    pub fn awaits_read_memory(&self) -> bool {
        self.threads.iter().all(|local| {
            if local.pending != Pending::Stopped(Stop::Await) {
                return true;
            }
            match (local.last_read, local.sources.last()) {
                (Some(loc), Some(source)) => self.memory[loc as usize].writer == *source,
                _ => true,
            }
        })
    }
}

/// Whether an RMW that sees `value` is no more than a load.
fn is_load(op: RmwOp, value: Value, expected: Value) -> bool {
    op == RmwOp::AddUnless && value == expected
}

const FREE: Value = 0;
const TAKEN: Value = 1;
