//! VerifyPSO (*Reads-From TSO/PSO* Algorithm 2 and appendix A.3): the complete search where
//! each thread has a buffer for each location.

use rustc_hash::FxHashSet;

use super::Verifier;
use super::tso::POLL_INTERVAL;
use crate::bits::Bits;
use crate::event::{Effect, Event, EventId, Execution, INIT};
use crate::report::Completeness;

pub(super) fn search<const W: usize>(v: &mut Verifier<W>, execution: &Execution) -> bool {
    let mut observing = Bits::EMPTY;
    for &o in &execution.observers {
        observing.set(o as usize);
    }
    let search = Search {
        verifier: v,
        execution,
        events: &execution.events,
        observing,
    };
    let (order, interrupted) = match search.run() {
        Ok(order) => (order, None),
        Err(interrupted) => (None, Some(interrupted)),
    };
    let found = order.is_some();
    v.memory_order = order.unwrap_or_default();
    v.interrupted = interrupted;
    found
}

/// The search over lower sets of thread events, with memory-writes executed as late as possible.
///
/// A spurious memory-write (nobody is left to read it) is flushed as soon as it can be; the
/// others when a read needs them or a drain forces them. So the thread events determine all
/// executed memory-writes but the spurious ones, of which each buffer has either flushed what
/// it could or is waiting for a held variable. Visited prefixes are told apart by thread
/// events and memory-writes themselves, at most 2^(threads × locations) for each lower set:
/// the second bound of Theorem 3.2. That subsumes the fence maps, and needs no other
/// map for store fences (A.3) and RMWs.
struct Search<'a, const W: usize> {
    verifier: &'a Verifier<W>,
    execution: &'a Execution,
    events: &'a [Event],
    observing: Bits<W>,
}

#[derive(Clone)]
struct Prefix<const W: usize> {
    /// How many events each thread has taken; a store is taken when it enters its buffer.
    taken: Vec<u16>,
    /// Executed reads and fences, and stores that are in memory.
    done: Bits<W>,
    memory_order: Vec<EventId>,
}

impl<const W: usize> Search<'_, W> {
    /// The threads, and one more for the observing reads.
    fn lists(&self) -> usize {
        self.execution.threads.len() + 1
    }

    fn run(&self) -> Result<Option<Vec<EventId>>, Completeness> {
        let mut visited = FxHashSet::default();
        let mut steps = 0u32;
        let mut work = vec![Prefix {
            taken: vec![0; self.lists()],
            done: Bits::EMPTY,
            memory_order: Vec::new(),
        }];
        while let Some(mut prefix) = work.pop() {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(POLL_INTERVAL)
                && let Some(interrupted) = self.verifier.interrupt.poll()
            {
                return Err(interrupted);
            }
            self.settle(&mut prefix); // lines 4 and 5
            if prefix.done == self.verifier.included {
                // Line 6.
                return Ok(Some(prefix.memory_order));
            }
            // Line 16, before the extensions instead of after them.
            if !visited.insert((prefix.taken.clone(), prefix.done)) {
                continue;
            }
            // Lines 7, 8 and 17.
            for t in (0..self.lists()).rev() {
                if let Some(e) = self.next(&prefix, t) {
                    let mut longer = prefix.clone();
                    if self.execute(&mut longer, t, e) {
                        work.push(longer);
                    }
                }
            }
        }
        Ok(None)
    }

    fn next(&self, prefix: &Prefix<W>, t: usize) -> Option<usize> {
        let e = *self.execution.list(t).get(prefix.taken[t] as usize)? as usize;
        self.verifier.included.has(e).then_some(e)
    }

    /// Does what can only help: spurious flushes, stores into buffers, store fences, and
    /// reads of what they see already.
    fn settle(&self, prefix: &mut Prefix<W>) {
        loop {
            let mut progress = false;
            for w in self.verifier.all_writes.minus(prefix.done).iter() {
                if self.in_buffer(prefix, w)
                    && self.is_spurious(prefix, w)
                    && self.can_flush(prefix, w)
                {
                    self.flush(prefix, w);
                    progress = true;
                }
            }
            for t in 0..self.lists() {
                while let Some(e) = self.next(prefix, t) {
                    let event = &self.events[e];
                    if event.effect.is_plain_store() {
                        prefix.taken[t] += 1;
                    } else if !event.effect.has(Effect::DRAIN)
                        && (!event.effect.has(Effect::READ) || self.sees_source(prefix, e))
                    {
                        self.take(prefix, t, e);
                    } else {
                        break;
                    }
                    progress = true;
                }
            }
            if !progress {
                return;
            }
        }
    }

    /// Whether nobody is left to read `w`, but an observing read once it is the last of its location.
    fn is_spurious(&self, prefix: &Prefix<W>, w: usize) -> bool {
        let v = self.verifier;
        let waiting = v.readers[w].minus(prefix.done);
        waiting.is_empty()
            || waiting.within(&self.observing)
                && v.writes[self.events[w].loc as usize]
                    .without(w)
                    .within(&prefix.done)
    }

    /// Whether a read can be taken without a flush: its source is its own store, forwarded, or in memory.
    /// (Then memory still holds it: what a read waits for is not overwritten.)
    fn sees_source(&self, prefix: &Prefix<W>, r: usize) -> bool {
        let read = &self.events[r];
        if read.effect.has(Effect::OBSERVE) {
            let others = self.verifier.included.minus(self.observing);
            return others.within(&prefix.done);
        }
        read.source == INIT
            || prefix.done.has(read.source as usize)
            || (self.verifier.rules.forwarding
                && self.events[read.source as usize].thread == read.thread)
    }

    /// Takes the next event of thread `t`, with the flushes it needs; false when it cannot be.
    fn execute(&self, prefix: &mut Prefix<W>, t: usize, e: usize) -> bool {
        let event = &self.events[e];
        if event.effect.has(Effect::OBSERVE) {
            return false;
        }
        if event.effect.has(Effect::DRAIN) {
            // Lines 12 to 14.
            for &w in &self.execution.list(t)[..prefix.taken[t] as usize] {
                let w = w as usize;
                if self.events[w].effect.is_plain_store() && !prefix.done.has(w) {
                    if !self.can_flush(prefix, w) {
                        return false;
                    }
                    self.flush(prefix, w);
                }
            }
        }
        if event.effect.has(Effect::READ)
            && event.source != INIT
            && !prefix.done.has(event.source as usize)
        {
            // Lines 9 to 11.
            let w = event.source as usize;
            if !self.in_buffer(prefix, w) || !self.flush_up_to(prefix, w) {
                return false;
            }
        }
        if event.effect.has(Effect::WRITE) {
            // An RMW or unlock acts on memory at once.
            if self.is_held(prefix, e) || !self.own_stores_flushed(prefix, e) {
                return false;
            }
            prefix.memory_order.push(e as EventId);
        }
        self.take(prefix, t, e); // line 15
        true
    }

    fn take(&self, prefix: &mut Prefix<W>, t: usize, e: usize) {
        prefix.taken[t] += 1;
        prefix.done.set(e);
    }

    fn flush(&self, prefix: &mut Prefix<W>, w: usize) {
        prefix.done.set(w);
        prefix.memory_order.push(w as EventId);
    }

    /// Flushes a buffered store and, first, those a store fence puts before it; false when one
    /// cannot be. (A.3 asks of them only that they are executable, not that they are spurious.)
    fn flush_up_to(&self, prefix: &mut Prefix<W>, w: usize) -> bool {
        let list = self.execution.list(self.events[w].thread as usize);
        for &e in &list[..=self.events[w].index as usize] {
            let e = e as usize;
            if e == w || (self.in_buffer(prefix, e) && self.must_precede(e, w)) {
                if !self.can_flush(prefix, e) {
                    return false;
                }
                self.flush(prefix, e);
            }
        }
        true
    }

    /// Whether `earlier` must reach memory before `w`, both stores of one thread: the same
    /// location, or a store fence between them.
    fn must_precede(&self, earlier: usize, w: usize) -> bool {
        let (a, b) = (&self.events[earlier], &self.events[w]);
        let list = self.execution.list(b.thread as usize);
        let between = &list[a.index as usize..b.index as usize];
        a.loc == b.loc
            || between
                .iter()
                .any(|e| self.events[*e as usize].effect.has(Effect::STORE_FENCE))
    }

    /// Whether a store is in its buffer.
    fn in_buffer(&self, prefix: &Prefix<W>, w: usize) -> bool {
        let write = &self.events[w];
        write.effect.is_plain_store()
            && write.index < prefix.taken[write.thread as usize]
            && !prefix.done.has(w)
    }

    /// Whether a buffered store is PSO-executable.
    fn can_flush(&self, prefix: &Prefix<W>, w: usize) -> bool {
        self.predecessors_flushed(prefix, w)
            && !self.is_held(prefix, w)
            && self.own_stores_flushed(prefix, w)
    }

    /// Whether the stores that must leave before `w` have.
    fn predecessors_flushed(&self, prefix: &Prefix<W>, w: usize) -> bool {
        let write = &self.events[w];
        let list = self.execution.list(write.thread as usize);
        list[..write.index as usize].iter().all(|&e| {
            let e = e as usize;
            !self.in_buffer(prefix, e) || !self.must_precede(e, w)
        })
    }

    /// Whether somebody other than `e` still waits to read what `e` would overwrite.
    fn is_held(&self, prefix: &Prefix<W>, e: usize) -> bool {
        let v = self.verifier;
        let loc = self.events[e].loc as usize;
        let waits = |readers: Bits<W>| !readers.without(e).within(&prefix.done);
        waits(v.init_readers[loc])
            || (v.writes[loc] & prefix.done)
                .iter()
                .any(|w| waits(v.readers[w]))
    }

    /// Condition 2(b): whoever reads `w` from another thread has no older own store left to see.
    fn own_stores_flushed(&self, prefix: &Prefix<W>, w: usize) -> bool {
        let v = self.verifier;
        let write = &self.events[w];
        v.readers[w].iter().all(|r| {
            let read = &self.events[r];
            read.thread == write.thread
                || v.writes[write.loc as usize].iter().all(|own| {
                    let store = &self.events[own];
                    store.thread != read.thread || store.index >= read.index || prefix.done.has(own)
                })
        })
    }
}
