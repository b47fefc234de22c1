//! Is there an execution with these events in which every read reads from this source?
//!
//! The verification problem of `000_…` section 4, in three steps, cheapest first:
//! closure (orders that every witness respects), the guided attempts (follow the memory
//! order of a similar execution), the complete search. A witness is a total order of the
//! memory-writes; the thread events follow from it (`schedule`).
//!
//! A store is one node here, its memory-write. Its buffer-write is bound by program order
//! alone (after what precedes it in its thread, before what follows), so any linearization
//! of the nodes leaves a place for it; this keeps programs of up to 64 events in one word.

mod closure;
mod guided;
mod pso;
mod sc;
mod search;
mod tso;

pub use closure::{Link, Reason};
pub use pso::Pso;
pub use sc::Sc;
pub use tso::Tso;

use crate::bits::Bits;
use crate::event::{Effect, Event, EventId, INIT};
use crate::program::Model;
use crate::report::{Completeness, Interrupt};

/// What differs between the models: program order on nodes, and the complete search.
pub trait MemoryModel: Sized {
    const MODEL: Model;

    /// Orders the events `list` of one thread, which are in program order, transitively.
    /// `writes` has the writes to each location.
    fn program_order<const W: usize>(
        events: &[Event],
        list: &[EventId],
        writes: &[Bits<W>],
        order: &mut Order<W>,
    );

    /// Decides by search. Closure has succeeded; `guide` ranks the memory-writes.
    fn search<const W: usize>(
        verifier: &mut Verifier<Self, W>,
        events: &[Event],
        lists: &[Vec<EventId>],
        guide: &[EventId],
    ) -> bool;
}

/// A strict partial order on events, transitively closed, both ways.
#[derive(Debug, Clone)]
pub struct Order<const W: usize> {
    pub before: Vec<Bits<W>>,
    pub after: Vec<Bits<W>>,
}

impl<const W: usize> Order<W> {
    /// Takes over what `other` says of the events `included`.
    fn copy_from(&mut self, other: &Self, included: Bits<W>) {
        for id in included.iter() {
            self.before[id] = other.before[id];
            self.after[id] = other.after[id];
        }
    }
}

/// Decides reads-from maps; owns every buffer the decision needs, so that none is allocated.
pub struct Verifier<M, const W: usize> {
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
    /// The memory-writes in the order of the witness, when there is one.
    pub witness: Vec<EventId>,
    /// For each included event, its location.
    location_of: Vec<u16>,
    /// For each location, its last write while a witness is built.
    current: Vec<EventId>,
    visited: search::Visited<W>,
    /// Ends a search that takes too long; `verify` then answers false, and this says why.
    pub interrupted: Option<Completeness>,
    interrupt: Interrupt,
    model: std::marker::PhantomData<M>,
}

#[derive(Debug, Clone, Copy)]
struct Read {
    id: EventId,
    source: EventId,
    loc: u16,
}

impl<M: MemoryModel, const W: usize> Verifier<M, W> {
    pub fn new(locations: usize) -> Self {
        let empty = vec![Bits::EMPTY; Bits::<W>::CAPACITY];
        let order = Order {
            before: empty.clone(),
            after: empty.clone(),
        };
        Verifier {
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
            witness: Vec::new(),
            location_of: vec![0; Bits::<W>::CAPACITY],
            current: vec![INIT; locations],
            visited: search::Visited::default(),
            interrupted: None,
            interrupt: Interrupt::default(),
            model: std::marker::PhantomData,
        }
    }

    /// Lets a complete search, which can take exponential time, be ended from outside.
    pub fn interruptible(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// Decides whether the first `counts[t]` events of each thread list, with the sources
    /// they carry, have an execution. `lists` has the observing reads as its last list.
    pub fn verify(
        &mut self,
        events: &[Event],
        lists: &[Vec<EventId>],
        included: Bits<W>,
        guide: &[EventId],
    ) -> bool {
        self.close(events, lists, included)
            && (self.guided(guide)
                || self.guided_in_order(guide)
                || (self.interrupted.is_none() && M::search(self, events, lists, guide)))
    }

    /// Closure alone: false means that no execution exists.
    pub fn close(&mut self, events: &[Event], lists: &[Vec<EventId>], included: Bits<W>) -> bool {
        self.load(events, lists, included);
        closure::constrain(self, events) && closure::saturate(self)
    }

    /// After [`Verifier::close`]: the greedy guided attempt alone; false means nothing.
    pub fn guided(&mut self, guide: &[EventId]) -> bool {
        guided::attempt(self, guide)
    }

    /// After [`Verifier::close`]: the guided attempt that orders each location's writes, alone;
    /// false means nothing.
    pub fn guided_in_order(&mut self, guide: &[EventId]) -> bool {
        guided::attempt_ordered(self, guide)
    }

    /// The complete search alone, without what closure finds.
    pub fn search(
        &mut self,
        events: &[Event],
        lists: &[Vec<EventId>],
        included: Bits<W>,
        guide: &[EventId],
    ) -> bool {
        self.load(events, lists, included);
        closure::constrain(self, events) && M::search(self, events, lists, guide)
    }

    /// Sets program order and the read and write sets up.
    fn load(&mut self, events: &[Event], lists: &[Vec<EventId>], included: Bits<W>) {
        for loc in self.touched.drain(..) {
            self.writes[loc as usize] = Bits::EMPTY;
            self.init_readers[loc as usize] = Bits::EMPTY;
        }
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
        let Some((observers, threads)) = lists.split_last() else {
            return;
        };
        for list in threads {
            let count = list
                .iter()
                .take_while(|id| included.has(**id as usize))
                .count();
            M::program_order(events, &list[..count], &self.writes, &mut self.order);
        }
        let mut observing = Bits::EMPTY;
        for &id in observers.iter().filter(|id| included.has(**id as usize)) {
            observing.set(id as usize);
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
