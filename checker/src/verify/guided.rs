//! The guided attempts: follow the memory order of a similar execution.
//!
//! After the witness construction of *Reads-From SC* section 5.2 (its Algorithm 2).
//! The first is greedy. Reads and fences are taken as soon as the closed order allows; of the
//! memory-writes that can be executed, the first in the guide's order. It gives up instead of
//! going back. The second is that Algorithm 2: it sees further and costs more.

use super::{Verifier, closure};
use crate::bits::Bits;
use crate::event::{EventId, INIT};

pub(super) fn attempt<const W: usize>(v: &mut Verifier<W>, guide: &[EventId]) -> bool {
    let mut done = Bits::EMPTY;
    v.memory_order.clear();
    for &loc in &v.touched {
        v.current[loc as usize] = INIT;
    }
    let threads_only = v.included.minus(v.all_writes);
    // Writes before `start` are executed: most of the time the guide is followed in order.
    let mut start = 0;
    while !v.all_writes.within(&done) {
        v.take_thread_events(threads_only, &mut done);
        let mut advanced = false;
        let mut contiguous = true;
        for (k, &w) in guide.iter().enumerate().skip(start) {
            let i = w as usize;
            if done.has(i) || !v.all_writes.has(i) {
                if contiguous {
                    start = k + 1;
                }
                continue;
            }
            if v.can_write(i, &done) {
                v.write(i, &mut done);
                advanced = true;
                break;
            }
            contiguous = false;
        }
        if !advanced {
            return false;
        }
    }
    v.take_thread_events(threads_only, &mut done);
    done == v.included
}

/// Orders the writes, and then makes the greedy attempt. When it fails, the order is as it was.
pub(super) fn attempt_ordered<const W: usize>(v: &mut Verifier<W>, guide: &[EventId]) -> bool {
    v.closed.copy_from(&v.order, v.included);
    let found = order_writes(v, guide) && attempt(v, guide);
    if !found {
        v.order.copy_from(&v.closed, v.included);
    }
    found
}

/// Orders the writes of each location as the guide does wherever closure leaves them open, the
/// other way where that makes a cycle, and closes the order after each choice. Two writes that
/// nobody reads can stay open. When the rest is ordered, every linearization is an execution.
/// When both ways make a cycle, an earlier choice was wrong, and it gives up.
fn order_writes<const W: usize>(v: &mut Verifier<W>, guide: &[EventId]) -> bool {
    // Lines 4 to 8.
    for (k, &earlier) in guide.iter().enumerate() {
        let a = earlier as usize;
        if !v.all_writes.has(a) {
            continue;
        }
        let others = v.writes[v.location(a)];
        for &later in &guide[k + 1..] {
            let b = later as usize;
            let open = others.has(b) && !v.order.after[a].has(b) && !v.order.after[b].has(a);
            if !open || (v.readers[a].is_empty() && v.readers[b].is_empty()) {
                continue;
            }
            v.interrupted = v.interrupt.poll();
            if v.interrupted.is_some() {
                return false;
            }
            v.chosen.copy_from(&v.order, v.included);
            if v.order.add(a, b) && closure::saturate(v, &mut ()) {
                continue;
            }
            v.order.copy_from(&v.chosen, v.included);
            if !(v.order.add(b, a) && closure::saturate(v, &mut ())) {
                return false;
            }
        }
    }
    true
}

impl<const W: usize> Verifier<W> {
    /// Executes the reads and fences that can be, until none can.
    #[inline]
    pub(super) fn take_thread_events(&self, threads_only: Bits<W>, done: &mut Bits<W>) {
        loop {
            let before = *done;
            for e in threads_only.minus(*done).iter() {
                if self.order.before[e].within(done) {
                    done.set(e);
                }
            }
            if *done == before {
                return;
            }
        }
    }

    /// Whether memory-write `w` can be executed: what must precede it has, and no read still
    /// waits for the value it overwrites (the variable is not *held*).
    #[inline]
    pub(super) fn can_write(&self, w: usize, done: &Bits<W>) -> bool {
        if !self.order.before[w].within(done) {
            return false;
        }
        let loc = self.location(w);
        let waiting = match self.current[loc] {
            INIT => self.init_readers[loc],
            last => self.readers[last as usize],
        };
        waiting.without(w).within(done)
    }

    #[inline]
    pub(super) fn write(&mut self, w: usize, done: &mut Bits<W>) {
        done.set(w);
        let loc = self.location(w);
        self.current[loc] = w as EventId;
        self.memory_order.push(w as EventId);
    }

    #[inline]
    pub(super) fn location(&self, w: usize) -> usize {
        self.location_of[w] as usize
    }
}
