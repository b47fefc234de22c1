//! Is there an execution with these events in which every read reads from this source?
//!
//! The verification problem of *Reads-From TSO/PSO* section 4, in three steps, cheapest first:
//! closure (orders that every execution respects), the guided attempts (follow the memory
//! order of a similar execution), the complete search. The answer is a *memory order*: a total
//! order of the memory-writes. The thread events follow from it (`engine/schedule.rs`).
//!
//! A store is one node here, its memory-write. Its buffer-write is bound by program order
//! alone (after what precedes it in its thread, before what follows), so any linearization
//! of the nodes leaves a place for it; this keeps programs of up to 64 events in one word.

mod closure;
mod guided;
mod incremental;
mod program_order;
mod pso;
mod tso;

pub use closure::{Link, Reason};
pub use incremental::Incremental;

use crate::bits::Bits;
use crate::event::{Effect, EventId, Execution, INIT};
use crate::model::{Buffers, Model, Rules};
use crate::report::{Completeness, Interrupt};

/// The answer to a reads-from map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification<'v> {
    /// An execution has its writes reach memory in this order.
    Realizable(&'v [EventId]),
    Unrealizable,
    /// Nothing is known: the search was ended from outside.
    Interrupted(Completeness),
}

impl Verification<'_> {
    pub fn is_realizable(&self) -> bool {
        matches!(self, Verification::Realizable(_))
    }
}

/// A strict partial order on events, transitively closed, both ways.
#[derive(Debug, Clone)]
struct Order<const W: usize> {
    before: Vec<Bits<W>>,
    after: Vec<Bits<W>>,
}

impl<const W: usize> Order<W> {
    /// Takes over what `other` says of the events `included`.
    fn copy_from(&mut self, other: &Self, included: Bits<W>) {
        for id in included.iter() {
            self.before[id] = other.before[id];
            self.after[id] = other.after[id];
        }
    }

    /// Adds `a < b` and what follows from it; false when that makes a cycle.
    #[inline]
    fn add(&mut self, a: usize, b: usize) -> bool {
        if a == b || self.after[b].has(a) {
            return false;
        }
        if self.after[a].has(b) {
            return true;
        }
        let before = self.before[a].with(a);
        let after = self.after[b].with(b);
        // What is before `b` already is before all that is after `b`, and the other way round.
        let gains = after.minus(self.after[a]);
        for p in before.minus(self.before[b]).iter() {
            self.after[p] |= after;
        }
        for s in gains.iter() {
            self.before[s] |= before;
        }
        true
    }
}

/// Decides reads-from maps; owns every buffer the decision needs, so that none is allocated.
#[derive(Debug)]
pub struct Verifier<const W: usize> {
    rules: Rules,
    order: Order<W>,
    /// The closed order, while an attempt adds to `order`.
    closed: Order<W>,
    /// The same before its latest choice.
    chosen: Order<W>,
    /// The events in question.
    included: Bits<W>,
    /// For each location, the included writes to it.
    writes: Vec<Bits<W>>,
    /// The locations written to by included events, to clean `writes` up.
    touched: Vec<u16>,
    reads: Vec<Read>,
    /// For each event, the included reads that read from it.
    readers: Vec<Bits<W>>,
    /// For each location, the included reads of its initial value.
    init_readers: Vec<Bits<W>>,
    /// Included events that write.
    all_writes: Bits<W>,
    /// The memory-writes in the order of the execution that is built.
    memory_order: Vec<EventId>,
    /// For each included event, its location.
    location_of: Vec<u16>,
    /// For each location, its last write while an execution is built.
    current: Vec<EventId>,
    visited: tso::Visited<W>,
    /// Why the latest search was ended from outside, if it was.
    interrupted: Option<Completeness>,
    interrupt: Interrupt,
}

#[derive(Debug, Clone, Copy)]
struct Read {
    id: EventId,
    source: EventId,
    loc: u16,
}

impl<const W: usize> Verifier<W> {
    pub fn new(model: Model, locations: usize) -> Self {
        Verifier::with_rules(Rules::of(model), locations)
    }

    /// For rules that need not be a model's.
    pub fn with_rules(rules: Rules, locations: usize) -> Self {
        let empty = vec![Bits::EMPTY; Bits::<W>::CAPACITY];
        let order = Order {
            before: empty.clone(),
            after: empty.clone(),
        };
        Verifier {
            rules,
            closed: order.clone(),
            chosen: order.clone(),
            order,
            included: Bits::EMPTY,
            writes: vec![Bits::EMPTY; locations],
            touched: Vec::new(),
            reads: Vec::new(),
            readers: empty,
            init_readers: vec![Bits::EMPTY; locations],
            all_writes: Bits::EMPTY,
            memory_order: Vec::new(),
            location_of: vec![0; Bits::<W>::CAPACITY],
            current: vec![INIT; locations],
            visited: tso::Visited::default(),
            interrupted: None,
            interrupt: Interrupt::default(),
        }
    }

    /// Lets a complete search, which can take exponential time, be ended from outside.
    pub fn interruptible(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// Decides whether the included events, with the sources they carry, have an execution.
    /// Of each thread a prefix is included. `guide` has the included writes, and perhaps
    /// others, in the memory order of a similar execution.
    pub fn verify(
        &mut self,
        execution: &Execution,
        included: Bits<W>,
        guide: &[EventId],
    ) -> Verification<'_> {
        let found = self.close(execution, included)
            && (guided::attempt(self, guide)
                || guided::attempt_ordered(self, guide)
                || (self.interrupted.is_none() && self.complete_search(execution, guide)));
        self.answer(found)
    }

    /// Closure alone: false means that no execution exists.
    pub fn close(&mut self, execution: &Execution, included: Bits<W>) -> bool {
        self.load(execution, included);
        closure::constrain(self, &execution.events, &mut ()) && closure::saturate(self, &mut ())
    }

    /// After [`Verifier::close`]: the greedy guided attempt alone; `Unrealizable` means nothing.
    pub fn guided(&mut self, guide: &[EventId]) -> Verification<'_> {
        let found = guided::attempt(self, guide);
        self.answer(found)
    }

    /// After [`Verifier::close`]: the guided attempt that orders each location's writes, alone;
    /// `Unrealizable` means nothing.
    pub fn guided_in_order(&mut self, guide: &[EventId]) -> Verification<'_> {
        let found = guided::attempt_ordered(self, guide);
        self.answer(found)
    }

    /// After [`Verifier::close`]: the answer of a search that tries the memory-writes in the
    /// guide's order. Its memory order depends on the events and the guide alone.
    pub fn first(&mut self, guide: &[EventId]) -> Verification<'_> {
        // The greedy attempt takes the first path of the search.
        let found = guided::attempt(self, guide) || tso::search(self, guide);
        self.answer(found)
    }

    /// The complete search alone, without what closure finds.
    pub fn search(
        &mut self,
        execution: &Execution,
        included: Bits<W>,
        guide: &[EventId],
    ) -> Verification<'_> {
        self.load(execution, included);
        let found = closure::constrain(self, &execution.events, &mut ())
            && self.complete_search(execution, guide);
        self.answer(found)
    }

    /// Why closure finds no execution: a shortest cycle of the orders it derives. None when
    /// closure succeeds.
    pub fn explain(&mut self, execution: &Execution, included: Bits<W>) -> Option<Vec<Link>> {
        self.load(execution, included);
        let mut links = closure::program_order_links(&self.order, included);
        let closed = closure::constrain(self, &execution.events, &mut links)
            && closure::saturate(self, &mut links);
        (!closed).then(|| closure::cycle_through(&links))
    }

    fn complete_search(&mut self, execution: &Execution, guide: &[EventId]) -> bool {
        match self.rules.buffers {
            Buffers::None | Buffers::PerThread => tso::search(self, guide),
            Buffers::PerLocation => pso::search(self, execution),
        }
    }

    fn answer(&self, found: bool) -> Verification<'_> {
        match self.interrupted {
            _ if found => Verification::Realizable(&self.memory_order),
            Some(why) => Verification::Interrupted(why),
            None => Verification::Unrealizable,
        }
    }

    /// Sets program order and the read and write sets up.
    fn load(&mut self, execution: &Execution, included: Bits<W>) {
        let events = &execution.events;
        for loc in self.touched.drain(..) {
            self.writes[loc as usize] = Bits::EMPTY;
            self.init_readers[loc as usize] = Bits::EMPTY;
        }
        self.interrupted = None;
        self.reads.clear();
        self.included = included;
        self.all_writes = Bits::EMPTY;
        for id in included.iter() {
            self.readers[id] = Bits::EMPTY;
        }
        for id in included.iter() {
            let e = &events[id];
            self.location_of[id] = e.loc;
            if e.effect.has(Effect::WRITE) {
                self.writes[e.loc as usize].set(id);
                self.all_writes.set(id);
                self.touched.push(e.loc);
            }
            if e.effect.has(Effect::READ) {
                self.reads.push(Read {
                    id: id as EventId,
                    source: e.source,
                    loc: e.loc,
                });
                if e.source == INIT {
                    self.init_readers[e.loc as usize].set(id);
                    self.touched.push(e.loc);
                } else {
                    self.readers[e.source as usize].set(id);
                }
            }
        }
        for list in &execution.threads {
            let count = list
                .iter()
                .take_while(|id| included.has(**id as usize))
                .count();
            program_order::add(
                self.rules,
                events,
                &list[..count],
                &self.writes,
                &mut self.order,
            );
        }
        let mut observing = Bits::EMPTY;
        for &id in execution.observers.iter() {
            if included.has(id as usize) {
                observing.set(id as usize);
            }
        }
        if !observing.is_empty() {
            let threads = included.minus(observing);
            for id in threads.iter() {
                self.order.after[id] |= observing;
            }
            for id in observing.iter() {
                self.order.before[id] = threads;
                self.order.after[id] = Bits::EMPTY;
            }
        }
    }
}
