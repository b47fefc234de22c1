//! The events of an execution, as the verifiers and the reads-from engines hold them.

use crate::model;
use crate::program::{LocId, RmwOp, Value};
use crate::thread::{Pending, rmw_writes};

/// An event's position in the explored sequence.
pub type EventId = u16;

/// The source of a read that sees the location's initial value.
pub const INIT: EventId = u16::MAX;
/// The source of what does not read.
pub const NO_SOURCE: EventId = u16::MAX - 1;

/// What an event does, as bits: an RMW that succeeds reads, writes and drains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Effect(u8);

impl Effect {
    pub const NONE: Effect = Effect(0);
    pub const READ: Effect = Effect(1);
    pub const WRITE: Effect = Effect(2);
    /// The thread's buffers are empty when it happens.
    pub const DRAIN: Effect = Effect(4);
    /// The thread's stores before it reach memory before those after it.
    pub const STORE_FENCE: Effect = Effect(8);
    /// Acquires a mutex: branched on by who comes next, not by what it reads.
    pub const LOCK: Effect = Effect(16);
    /// Reads final memory, after everything.
    pub const OBSERVE: Effect = Effect(32);
    /// An RMW, also one that writes nothing because it fails.
    pub const RMW: Effect = Effect(64);

    pub const fn and(self, other: Effect) -> Effect {
        Effect(self.0 | other.0)
    }

    /// An RMW, as a whole.
    pub const fn rmw(writes: bool) -> Effect {
        let reads = Effect::RMW.and(Effect::READ).and(model::ATOMIC);
        if writes {
            reads.and(Effect::WRITE)
        } else {
            reads
        }
    }

    pub const fn lock() -> Effect {
        Effect::LOCK
            .and(Effect::READ)
            .and(Effect::WRITE)
            .and(model::ATOMIC)
    }

    pub const fn unlock() -> Effect {
        Effect::WRITE.and(model::ATOMIC)
    }

    /// A read of final memory.
    pub const fn observer() -> Effect {
        Effect::OBSERVE.and(Effect::READ)
    }

    #[inline(always)]
    pub fn has(self, other: Effect) -> bool {
        self.0 & other.0 == other.0
    }

    /// A store that waits in a buffer where the model has one.
    #[inline(always)]
    pub fn is_plain_store(self) -> bool {
        self.has(Effect::WRITE) && !self.has(Effect::DRAIN)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    pub thread: u8,
    pub effect: Effect,
    /// Its number among the events of its thread.
    pub index: u16,
    pub loc: LocId,
    pub source: EventId,
    /// What it writes.
    pub value: Value,
}

/// Events with their sources, by thread: what a reads-from map is asked about.
#[derive(Debug, Clone, Default)]
pub struct Execution {
    pub events: Vec<Event>,
    /// Each thread's events in program order.
    pub threads: Vec<Vec<EventId>>,
    /// The reads of final memory, which come after everything. Their `thread` is one more
    /// than the last.
    pub observers: Vec<EventId>,
}

impl Execution {
    pub fn new(threads: usize) -> Execution {
        Execution {
            threads: vec![Vec::new(); threads],
            ..Execution::default()
        }
    }

    /// The events of a thread, or the observing reads.
    #[inline]
    pub fn list(&self, thread: usize) -> &[EventId] {
        self.threads.get(thread).unwrap_or(&self.observers)
    }

    #[inline]
    pub fn list_mut(&mut self, thread: usize) -> &mut Vec<EventId> {
        self.threads.get_mut(thread).unwrap_or(&mut self.observers)
    }

    /// Each thread's events, then the observing reads.
    pub fn lists(&self) -> impl Iterator<Item = &Vec<EventId>> + Clone {
        self.threads.iter().chain([&self.observers])
    }

    /// Appends an event to its thread.
    pub fn push(&mut self, thread: usize, effect: Effect, loc: LocId, source: EventId) {
        let id = self.events.len() as EventId;
        let list = self.list_mut(thread);
        let index = list.len() as u16;
        list.push(id);
        self.events.push(Event {
            thread: thread as u8,
            effect,
            index,
            loc,
            source,
            value: 0,
        });
    }
}

/// The event a thread stands at, given the value it reads (ignored by what does not read).
/// None when the thread has no next event.
#[inline]
pub fn event_of(
    pending: Pending,
    thread: u8,
    index: u16,
    source: EventId,
    read: Value,
) -> Option<Event> {
    let (effect, loc, source, value) = match pending {
        Pending::Load { loc } => (Effect::READ, loc, source, 0),
        Pending::Store { loc, value } => (Effect::WRITE, loc, NO_SOURCE, value),
        Pending::Rmw {
            loc,
            op,
            value,
            expected,
        } => {
            let written = rmw_writes(op, read, value, expected);
            let effect = match written {
                // This one is no more than a load then.
                None if op == RmwOp::AddUnless => Effect::READ.and(Effect::RMW),
                _ => Effect::rmw(written.is_some()),
            };
            (effect, loc, source, written.unwrap_or(0))
        }
        Pending::Fence(kind) => (model::fence(kind), 0, NO_SOURCE, 0),
        Pending::Lock { loc } => (Effect::lock(), loc, source, 1),
        Pending::Unlock { loc } => (Effect::unlock(), loc, NO_SOURCE, 0),
        Pending::Done | Pending::Stopped(_) => return None,
    };
    Some(Event {
        thread,
        effect,
        index,
        loc,
        source,
        value,
    })
}
