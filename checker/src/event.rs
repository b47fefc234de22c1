//! The events of an execution, as the verifiers and the reads-from engines hold them.

use crate::program::{FenceKind, LocId, RmwOp, Value};
use crate::thread::{Pending, rmw_writes};

/// An event's position in the explored sequence.
pub type EventId = u16;

/// The source of a read that sees the location's initial value.
pub const INIT: EventId = u16::MAX;
/// The source of what does not read.
pub const NO_SOURCE: EventId = u16::MAX - 1;

/// What an event does, as bits: an RMW that succeeds reads, writes and drains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Effect(u8);

impl Effect {
    pub const READ: Effect = Effect(1);
    pub const WRITE: Effect = Effect(2);
    /// The thread's buffers are empty when it happens: `mfence`, RMW, lock, unlock.
    pub const DRAIN: Effect = Effect(4);
    /// `sfence`
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

    #[inline(always)]
    pub fn has(self, other: Effect) -> bool {
        self.0 & other.0 == other.0
    }

    /// A store that waits in a buffer.
    #[inline(always)]
    pub fn is_buffered(self) -> bool {
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
            let effect = Effect::READ.and(Effect::RMW);
            let drains = effect.and(Effect::DRAIN);
            match rmw_writes(op, read, value, expected) {
                Some(written) => (drains.and(Effect::WRITE), loc, source, written),
                None if op == RmwOp::AddUnless => (effect, loc, source, 0),
                None => (drains, loc, source, 0),
            }
        }
        Pending::Fence(FenceKind::Full) => (Effect::DRAIN, 0, NO_SOURCE, 0),
        Pending::Fence(FenceKind::StoreStore) => (Effect::STORE_FENCE, 0, NO_SOURCE, 0),
        Pending::Lock { loc } => (
            Effect::READ
                .and(Effect::WRITE)
                .and(Effect::DRAIN)
                .and(Effect::LOCK),
            loc,
            source,
            1,
        ),
        Pending::Unlock { loc } => (Effect::WRITE.and(Effect::DRAIN), loc, NO_SOURCE, 0),
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
