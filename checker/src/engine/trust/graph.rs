//! An execution graph: events in an order that respects program order and reads-from, how each
//! came to be, and one execution of them.

use crate::bits::Bits;
use crate::engine::trace::{TooManyEvents, Trace};
use crate::event::{Effect, EventId, INIT, NO_SOURCE};
use crate::model::{Model, Rules};
use crate::program::{LocId, Program};
use crate::thread::Pending;

pub struct Graph<'p, const W: usize> {
    /// The events. Its `memory_order` is the order of writes of some execution, any valid one.
    pub trace: Trace<'p, W>,
    /// For each event, where the step began that gave it its source.
    pub starts: Vec<EventId>,
    /// Events that a revisit or a replaced lock has kept.
    pub interior: Bits<W>,
    /// Locks that were taken by the thread that comes first.
    pub by_default: Bits<W>,
    /// For each write, its place in `memory_order`.
    place: Vec<EventId>,
    /// For each event, how many writes are in memory when its thread takes it, at the earliest.
    time: Vec<EventId>,
    rules: Rules,
    renumbered: Vec<EventId>,
}

impl<'p, const W: usize> Graph<'p, W> {
    pub fn new(program: &'p Program, model: Model) -> Self {
        Graph {
            trace: Trace::new(program),
            starts: Vec::new(),
            interior: Bits::EMPTY,
            by_default: Bits::EMPTY,
            place: Vec::new(),
            time: Vec::new(),
            rules: Rules::of(model),
            renumbered: vec![0; Bits::<W>::CAPACITY],
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.trace.execution.events.len()
    }

    /// Takes thread `t`'s next event, at the end of the execution too.
    pub fn push(
        &mut self,
        t: usize,
        pending: Pending,
        source: EventId,
    ) -> Result<usize, TooManyEvents> {
        let id = self.len();
        self.trace.push(t, pending, source)?;
        self.added(id);
        Ok(id)
    }

    /// Appends the observing read of the next observed location.
    pub fn push_observer(&mut self, source: EventId) -> Result<usize, TooManyEvents> {
        let id = self.len();
        self.trace.push_observer(Some(source))?;
        self.added(id);
        Ok(id)
    }

    fn added(&mut self, id: usize) {
        self.starts.push(id as EventId);
        self.place
            .push(self.trace.memory_order.len().saturating_sub(1) as EventId);
        self.time.push(0);
        self.time[id] = self.time_of(id);
        self.interior = self.interior.without(id);
        self.by_default = self.by_default.without(id);
    }

    /// Takes the last event back.
    pub fn pop(&mut self) {
        let id = self.len() - 1;
        let event = self.trace.execution.events[id];
        self.trace.truncate(id);
        self.starts.truncate(id);
        self.time.truncate(id);
        let place = self.place[id] as usize;
        self.place.truncate(id);
        if !event.effect.has(Effect::WRITE) {
            return;
        }
        self.trace.memory_order.remove(place);
        if place == self.trace.memory_order.len() {
            let writes = self.trace.writes[event.loc as usize];
            let last = writes.iter().max_by_key(|w| self.place[*w]);
            self.trace.last[event.loc as usize] = last.map_or(INIT, |w| w as EventId);
        } else {
            self.settle();
        }
    }

    /// Sets the order of the writes.
    pub fn set_memory_order(&mut self, order: &[EventId]) {
        self.trace.memory_order.clear();
        self.trace.memory_order.extend_from_slice(order);
        self.settle();
    }

    /// Finds out again what follows from the order of the writes.
    pub fn settle(&mut self) {
        let trace = &mut self.trace;
        trace.last.fill(INIT);
        for (place, &w) in trace.memory_order.iter().enumerate() {
            self.place[w as usize] = place as EventId;
            trace.last[trace.execution.events[w as usize].loc as usize] = w;
        }
        for id in 0..self.len() {
            self.time[id] = self.time_of(id);
        }
    }

    fn time_of(&self, id: usize) -> EventId {
        let trace = &self.trace;
        let event = &trace.execution.events[id];
        if event.effect.has(Effect::OBSERVE) {
            return trace.memory_order.len() as EventId;
        }
        let list = &trace.execution.threads[event.thread as usize][..event.index as usize];
        let mut time = list.last().map_or(0, |before| self.time[*before as usize]);
        if event.effect.has(Effect::WRITE) {
            let buffered = self.rules.buffers(event.effect);
            return if buffered { time } else { self.place[id] + 1 };
        }
        if event.effect.has(Effect::DRAIN) {
            time = time.max(self.drained(event.thread as usize, event.index as usize));
        }
        if event.effect.has(Effect::READ) && event.source != INIT {
            let source = event.source as usize;
            if trace.execution.events[source].thread != event.thread {
                time = time.max(self.place[source] + 1);
            }
        }
        time
    }

    /// When the first `count` stores of thread `t` are in memory.
    fn drained(&self, t: usize, count: usize) -> EventId {
        let list = &self.trace.execution.threads[t][..count];
        let stores = list.iter().filter(|w| {
            self.trace.execution.events[**w as usize]
                .effect
                .is_plain_store()
        });
        stores
            .map(|w| self.place[*w as usize] + 1)
            .max()
            .unwrap_or(0)
    }

    /// Whether the next event of thread `t`, which reads `loc` and writes nothing, can see
    /// `source` in the execution as it is.
    pub fn sees(&self, t: usize, loc: LocId, source: EventId, drains: bool) -> bool {
        let trace = &self.trace;
        if trace.last[loc as usize] == source {
            return true;
        }
        let list = &trace.execution.threads[t];
        let mut time = list.last().map_or(0, |before| self.time[*before as usize]);
        if drains {
            time = time.max(self.drained(t, list.len()));
        }
        let writes = trace.writes[loc as usize];
        let own = |w: usize| trace.execution.events[w].thread as usize == t;
        if source == INIT {
            return writes.iter().all(|w| !own(w) && self.place[w] >= time);
        }
        let source = source as usize;
        let since = self.place[source];
        let others = writes.without(source);
        if own(source) {
            let newest = others.iter().all(|w| {
                !own(w) || trace.execution.events[w].index < trace.execution.events[source].index
            });
            return newest
                && others
                    .iter()
                    .all(|w| self.place[w] <= since || self.place[w] >= time);
        }
        time = time.max(since + 1);
        others
            .iter()
            .all(|w| self.place[w] <= since || (!own(w) && self.place[w] >= time))
    }

    /// The writes that a read of `loc` by thread `t` may see, and whether it may see the initial
    /// one: not what the causes of the read, or its thread, have overwritten.
    pub fn sources(&self, t: usize, loc: LocId) -> (Bits<W>, bool) {
        let trace = &self.trace;
        let writes = trace.writes[loc as usize];
        let Some(&before) = trace.execution.threads[t].last() else {
            return (writes, true);
        };
        let before = before as usize;
        let mut seen = trace.past[before].with(before) & writes;
        if seen.is_empty() {
            return (writes, true);
        }
        let mut hidden = Bits::EMPTY;
        if self.in_order() {
            for w in seen.iter() {
                hidden |= trace.past[w];
            }
            return (writes.minus(hidden), false);
        }
        // What the thread itself has written or read.
        seen = Bits::EMPTY;
        for &e in &trace.execution.threads[t] {
            let event = &trace.execution.events[e as usize];
            if event.loc != loc {
                continue;
            }
            if event.effect.has(Effect::WRITE) {
                seen.set(e as usize);
            } else if event.effect.has(Effect::READ) && event.source != INIT {
                seen.set(event.source as usize);
            }
        }
        for w in seen.iter() {
            let earlier = trace.past[w] & writes;
            for e in earlier.iter() {
                if trace.execution.events[e].thread == trace.execution.events[w].thread {
                    hidden.set(e);
                }
            }
        }
        (writes.minus(hidden), seen.is_empty())
    }

    /// Becomes the part `keep` of another graph, of which the first `cut` events stay in their
    /// places and the others become interior. `memory_order` is left to the caller to settle.
    pub fn restrict(&mut self, from: &Graph<'p, W>, cut: usize, keep: Bits<W>) {
        let rest = keep.minus(Bits::prefix(cut));
        let (new, old) = (&mut self.trace, &from.trace);
        let stride = old.stride;
        new.execution.events.clear();
        new.execution
            .events
            .extend_from_slice(&old.execution.events[..cut]);
        new.past.clear();
        new.past.extend_from_slice(&old.past[..cut]);
        new.saved.clear();
        new.saved.extend_from_slice(&old.saved[..cut]);
        new.saved_regs.clear();
        new.saved_regs
            .extend_from_slice(&old.saved_regs[..cut * stride]);
        self.starts.clear();
        self.starts.extend_from_slice(&from.starts[..cut]);
        let kept = Bits::prefix(cut);
        for (new, old) in new.writes.iter_mut().zip(&old.writes) {
            *new = *old & kept;
        }
        for (new, old) in new.execution.threads.iter_mut().zip(&old.execution.threads) {
            let count = old.partition_point(|e| (*e as usize) < cut);
            new.clear();
            new.extend_from_slice(&old[..count]);
        }
        for id in rest.iter() {
            let place = new.execution.events.len();
            self.renumbered[id] = place as EventId;
            let mut event = old.execution.events[id];
            if event.source != INIT && event.source != NO_SOURCE && event.source as usize >= cut {
                event.source = self.renumbered[event.source as usize];
            }
            new.execution.events.push(event);
            new.execution.threads[event.thread as usize].push(place as EventId);
            if event.effect.has(Effect::WRITE) {
                new.writes[event.loc as usize].set(place);
            }
            new.past.push(Bits::EMPTY);
            new.past[place] = new.direct_past(place);
            new.saved.push(old.saved[id]);
            new.saved_regs
                .extend_from_slice(&old.saved_regs[id * stride..][..stride]);
            self.starts.push(place as EventId);
        }
        for t in 0..new.cursors.len() {
            let regs = &mut new.regs[t * stride..][..stride];
            match old.execution.threads[t].get(new.execution.threads[t].len()) {
                Some(&next) => {
                    let next = next as usize;
                    new.cursors[t] = old.saved[next];
                    regs.copy_from_slice(&old.saved_regs[next * stride..][..stride]);
                }
                None => {
                    new.cursors[t] = old.cursors[t];
                    regs.copy_from_slice(&old.regs[t * stride..][..stride]);
                }
            }
        }
        new.memory_order.clear();
        for &w in &old.memory_order {
            if keep.has(w as usize) {
                let place = if (w as usize) < cut {
                    w
                } else {
                    self.renumbered[w as usize]
                };
                new.memory_order.push(place);
            }
        }
        let len = new.execution.events.len();
        self.place.clear();
        self.place.resize(len, 0);
        self.time.clear();
        self.time.resize(len, 0);
        self.interior = (from.interior & kept) | Bits::prefix(len).minus(kept);
        self.by_default = from.by_default & kept;
    }

    /// Whether what a thread or a reader sees before a write is in memory before it: so not under
    /// PSO, where a store may pass another that its thread has made.
    pub fn in_order(&self) -> bool {
        !self.rules.reorder_stores()
    }
}
