//! Program order on nodes: what of a thread's order a model keeps.

use super::Order;
use crate::bits::Bits;
use crate::event::{Effect, Event, EventId};
use crate::model::{Buffers, Rules};

/// What program order says to the events that follow in a thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flow<const W: usize> {
    pub earlier: Bits<W>,
    /// What a load comes after: all but the buffered stores since the last drain.
    pub settled: Bits<W>,
    /// What a store comes after whatever its location: all before the last store fence.
    fenced: Bits<W>,
}

impl<const W: usize> Flow<W> {
    pub const START: Flow<W> = Flow {
        earlier: Bits::EMPTY,
        settled: Bits::EMPTY,
        fenced: Bits::EMPTY,
    };

    /// What the thread's next event comes after, which is event `i`.
    #[inline]
    pub fn next(&mut self, rules: Rules, event: &Event, i: usize, writes: &[Bits<W>]) -> Bits<W> {
        let buffered = rules.buffers(event.effect);
        if event.effect.has(Effect::DRAIN) {
            self.settled = self.earlier;
        }
        let before = match rules.buffers {
            Buffers::PerThread if buffered => self.earlier,
            Buffers::PerLocation if buffered => {
                self.settled | self.fenced | (self.earlier & writes[event.loc as usize])
            }
            _ => self.settled,
        };
        if event.effect.has(Effect::STORE_FENCE) {
            self.fenced = self.earlier;
        }
        self.earlier.set(i);
        if !buffered {
            self.settled.set(i);
        }
        before
    }
}

/// Orders the events `list` of one thread, which are in program order, transitively.
/// `writes` has the writes to each location.
///
/// Everything is ordered but a buffered store before a later load (or store fence, which waits
/// for nothing); and, with a buffer for each location, two buffered stores to different
/// locations without a store fence between them.
pub(super) fn add<const W: usize>(
    rules: Rules,
    events: &[Event],
    list: &[EventId],
    writes: &[Bits<W>],
    order: &mut Order<W>,
) {
    if !rules.buffer_stores() {
        return add_all(list, order);
    }
    let mut flow = Flow::START;
    for &id in list {
        let i = id as usize;
        order.before[i] = flow.next(rules, &events[i], i, writes);
    }
    let mut later = Bits::EMPTY;
    let mut later_stores = Bits::EMPTY;
    // What a buffered store comes before whatever its location: the next drain and all after
    // it, the stores after the next store fence, and in a buffer for all locations all stores.
    let mut waiting = Bits::EMPTY;
    for &id in list.iter().rev() {
        let i = id as usize;
        let event = &events[i];
        let buffered = rules.buffers(event.effect);
        order.after[i] = match rules.buffers {
            Buffers::PerThread if buffered => waiting,
            Buffers::PerLocation if buffered => waiting | (later & writes[event.loc as usize]),
            _ => later,
        };
        if event.effect.has(Effect::STORE_FENCE) {
            waiting |= later_stores;
        }
        later.set(i);
        if buffered {
            later_stores.set(i);
            if rules.buffers == Buffers::PerThread {
                waiting.set(i);
            }
        }
        if event.effect.has(Effect::DRAIN) {
            waiting = later;
        }
    }
    if !rules.forwarding {
        let mut own = Bits::EMPTY;
        for &id in list {
            let event = &events[id as usize];
            if event.effect.has(Effect::READ) {
                for w in (own & writes[event.loc as usize]).iter() {
                    order.add(w, id as usize);
                }
            }
            own.set(id as usize);
        }
    }
}

/// Without buffers everything is ordered.
fn add_all<const W: usize>(list: &[EventId], order: &mut Order<W>) {
    let mut earlier = Bits::EMPTY;
    for &id in list {
        order.before[id as usize] = earlier;
        earlier.set(id as usize);
    }
    let mut later = Bits::EMPTY;
    for &id in list.iter().rev() {
        order.after[id as usize] = later;
        later.set(id as usize);
    }
}
