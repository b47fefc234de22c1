//! Closure of a sequence that grows and shrinks at its end, with an undo log.
//!
//! Events are added in an order that respects program order and reads-from, so a new event has
//! nothing after it: its row is computed, and only what a read says about older writes changes
//! older rows. Those are logged. Shrinking is put off until the order is needed again.

use super::closure::own_earlier_stores;
use super::program_order::Flow;
use super::{Order, Read, Verification, Verifier, guided};
use crate::bits::Bits;
use crate::event::{Effect, EventId, Execution, INIT, NO_SOURCE};
use crate::model::Model;
use crate::report::Interrupt;

/// The closed order of the first events of a sequence, and witnesses for it.
pub struct Incremental<const W: usize> {
    verifier: Verifier<W>,
    /// How many events the order has.
    len: usize,
    /// How many of them are still those of the sequence.
    valid: usize,
    /// For each event, what a later one of its thread comes after.
    flows: Vec<Flow<W>>,
    /// For each event, what it reads from.
    sources: Vec<EventId>,
    /// For each event, how long the log was before it.
    marks: Vec<usize>,
    log: Vec<Change<W>>,
    /// Rows that have grown since the rules were last applied.
    grown: Grown<W>,
}

/// An older row before it grew.
struct Change<const W: usize> {
    event: EventId,
    after: bool,
    old: Bits<W>,
}

struct Grown<const W: usize> {
    before: Bits<W>,
    after: Bits<W>,
}

impl<const W: usize> Incremental<W> {
    pub fn new(model: Model, locations: usize, interrupt: Interrupt) -> Self {
        let mut verifier = Verifier::new(model, locations).interruptible(interrupt);
        verifier.touched.extend(0..locations as u16);
        Incremental {
            verifier,
            len: 0,
            valid: 0,
            flows: vec![Flow::START; Bits::<W>::CAPACITY],
            sources: vec![NO_SOURCE; Bits::<W>::CAPACITY],
            marks: Vec::new(),
            log: Vec::new(),
            grown: Grown {
                before: Bits::EMPTY,
                after: Bits::EMPTY,
            },
        }
    }

    /// The events from `len` on are gone or have changed.
    #[inline]
    pub fn forget(&mut self, len: usize) {
        self.valid = self.valid.min(len);
    }

    /// What is known to come after an event, by what is in the order now.
    #[inline]
    pub fn known_after(&mut self, event: usize) -> Bits<W> {
        self.shrink();
        if event < self.len {
            self.verifier.order.after[event]
        } else {
            Bits::EMPTY
        }
    }

    /// Closes the order of all events; false when there is no witness.
    pub fn close(&mut self, execution: &Execution) -> bool {
        self.shrink();
        while self.len < execution.events.len() {
            if !self.push(execution) {
                self.valid = self.len - 1;
                self.shrink();
                return false;
            }
        }
        true
    }

    /// Decides whether the events have an execution. The guide ranks the memory-writes.
    pub fn verify(&mut self, execution: &Execution, guide: &[EventId]) -> Verification<'_> {
        if !self.close(execution) {
            return Verification::Unrealizable;
        }
        let v = &mut self.verifier;
        v.interrupted = None;
        let mut found = guided::attempt(v, guide);
        if !found {
            found = guided::attempt_ordered(v, guide);
            if found {
                // It has added its choices to the order.
                v.order.copy_from(&v.closed, v.included);
            } else if v.interrupted.is_none() {
                found = v.complete_search(execution, guide);
            }
        }
        v.answer(found)
    }

    /// Whether a new event of thread `t` that reads `loc` may see `source`: not what it, or
    /// something it comes after, knows to be overwritten. All events are closed first.
    pub fn may_see(
        &mut self,
        execution: &Execution,
        (t, loc, drains): (usize, u16, bool),
        source: EventId,
    ) -> bool {
        let closed = self.close(execution);
        debug_assert!(closed, "the graph has an execution");
        let Some(&before) = execution.threads[t].last() else {
            return true;
        };
        let v = &self.verifier;
        let flow = &self.flows[before as usize];
        let base = if drains { flow.earlier } else { flow.settled };
        let mut seen = base | flow.earlier;
        for p in base.iter() {
            seen |= v.order.before[p];
        }
        seen = seen & v.writes[loc as usize];
        match source {
            INIT => seen.is_empty(),
            // What it has seen does not come after what it sees now.
            w => (v.order.after[w as usize] & seen).is_empty(),
        }
    }

    /// Takes out what is no longer valid.
    fn shrink(&mut self) {
        if self.len == self.valid {
            return;
        }
        let v = &mut self.verifier;
        let log = self.marks[self.valid];
        for change in self.log.drain(log..).rev() {
            let rows = if change.after {
                &mut v.order.after
            } else {
                &mut v.order.before
            };
            rows[change.event as usize] = change.old;
        }
        self.marks.truncate(self.valid);
        while let Some(&Read { id, source, loc }) = v.reads.last()
            && id as usize >= self.valid
        {
            let readers = match source {
                INIT => &mut v.init_readers[loc as usize],
                w => &mut v.readers[w as usize],
            };
            *readers = readers.without(id as usize);
            v.reads.pop();
        }
        let left = Bits::prefix(self.valid);
        for w in v.all_writes.minus(left).iter() {
            let writes = &mut v.writes[v.location_of[w] as usize];
            *writes = writes.without(w);
        }
        v.all_writes = v.all_writes & left;
        v.included = left;
        for row in &mut v.order.after[..self.valid] {
            *row = *row & left;
        }
        self.len = self.valid;
    }

    /// Adds the next event and what follows from it; false when that makes a cycle.
    fn push(&mut self, execution: &Execution) -> bool {
        let id = self.len;
        let events = &execution.events;
        let event = &events[id];
        let loc = event.loc as usize;
        self.marks.push(self.log.len());
        self.grown = Grown {
            before: Bits::EMPTY,
            after: Bits::EMPTY,
        };
        self.sources[id] = event.source;
        let base = self.program_order(execution, id);
        let v = &mut self.verifier;
        let mut row = base;
        for p in base.iter() {
            row |= v.order.before[p];
        }
        v.order.before[id] = row;
        v.order.after[id] = Bits::EMPTY;
        for p in row.iter() {
            v.order.after[p].set(id);
        }
        v.readers[id] = Bits::EMPTY;
        v.location_of[id] = event.loc;
        v.included.set(id);
        self.len += 1;
        self.valid = self.len;
        let others = v.writes[loc];
        if event.effect.has(Effect::WRITE) {
            v.writes[loc].set(id);
            v.all_writes.set(id);
            for r in v.init_readers[loc].iter() {
                v.order.add_last(r, id);
            }
        }
        if event.effect.has(Effect::READ) {
            v.reads.push(Read {
                id: id as EventId,
                source: event.source,
                loc: event.loc,
            });
            let own = own_earlier_stores(events, id, others);
            if event.source == INIT {
                v.init_readers[loc].set(id);
                if !own.is_empty() {
                    return false;
                }
                for w in others.iter() {
                    if !self.add(id, w) {
                        return false;
                    }
                }
            } else {
                let source = event.source as usize;
                v.readers[source].set(id);
                if events[source].thread == event.thread {
                    // Its own newest store, or nothing else can be seen.
                    if own.iter().any(|w| events[w].index > events[source].index) {
                        return false;
                    }
                } else {
                    v.order.add_last(source, id);
                    for w in own.iter() {
                        if !self.add(w, source) {
                            return false;
                        }
                    }
                }
                self.grown.before.set(id);
            }
        }
        if event.effect.has(Effect::WRITE) {
            self.grown.after |= self.verifier.order.before[id] & others;
        }
        self.saturate()
    }

    /// What program order puts before a new event.
    fn program_order(&mut self, execution: &Execution, id: usize) -> Bits<W> {
        let event = &execution.events[id];
        if event.effect.has(Effect::OBSERVE) {
            return Bits::prefix(id - event.index as usize);
        }
        let list = &execution.threads[event.thread as usize][..event.index as usize];
        let mut flow = list
            .last()
            .map_or(Flow::START, |before| self.flows[*before as usize]);
        let v = &self.verifier;
        let base = flow.next(v.rules, event, id, &v.writes);
        self.flows[id] = flow;
        base
    }

    /// Adds `a < b`, logged; false when that makes a cycle.
    fn add(&mut self, a: usize, b: usize) -> bool {
        let order = &mut self.verifier.order;
        if a == b || order.after[b].has(a) {
            return false;
        }
        if order.after[a].has(b) {
            return true;
        }
        let before = order.before[a].with(a);
        let after = order.after[b].with(b);
        let preceding = before.minus(order.before[b]);
        self.grown.after |= preceding;
        if b + 1 == self.len && order.after[b].is_empty() {
            // The newest event: its rows are forgotten with it.
            for p in preceding.iter() {
                order.after[p].set(b);
            }
            order.before[b] |= before;
            self.grown.before.set(b);
            return true;
        }
        let following = after.minus(order.after[a]);
        for p in preceding.iter() {
            let row = &mut order.after[p];
            self.log.push(Change {
                event: p as EventId,
                after: true,
                old: *row,
            });
            *row |= after;
        }
        for s in following.iter() {
            let row = &mut order.before[s];
            self.log.push(Change {
                event: s as EventId,
                after: false,
                old: *row,
            });
            *row |= before;
        }
        self.grown.before |= following;
        true
    }

    /// Rules 2 and 3 for the reads that rows have grown of, until nothing changes; false when
    /// there is no witness.
    fn saturate(&mut self) -> bool {
        loop {
            let v = &self.verifier;
            let mut reads = std::mem::replace(&mut self.grown.before, Bits::EMPTY);
            let writes = std::mem::replace(&mut self.grown.after, Bits::EMPTY) & v.all_writes;
            for w in writes.iter() {
                reads |= v.readers[w];
            }
            if reads.is_empty() {
                return true;
            }
            for r in reads.iter() {
                if !self.apply(r) {
                    return false;
                }
            }
        }
    }

    /// Rules 2 and 3 for one event, if it reads from a write.
    fn apply(&mut self, r: usize) -> bool {
        let source = self.sources[r];
        if source == INIT || source == NO_SOURCE {
            return true;
        }
        let w = source as usize;
        let v = &self.verifier;
        let others = v.writes[v.location(r)].without(r).without(w);
        let late = (v.order.before[r] & others).minus(v.order.before[w]);
        for other in late.iter() {
            if !self.add(other, w) {
                return false;
            }
        }
        let order = &self.verifier.order;
        let overwriting = (order.after[w] & others).minus(order.after[r]);
        for other in overwriting.iter() {
            if !self.add(r, other) {
                return false;
            }
        }
        true
    }
}

impl<const W: usize> Order<W> {
    /// Adds `a < b` where nothing comes after `b`.
    fn add_last(&mut self, a: usize, b: usize) {
        let before = self.before[a].with(a);
        for p in before.minus(self.before[b]).iter() {
            self.after[p].set(b);
        }
        self.before[b] |= before;
    }
}
