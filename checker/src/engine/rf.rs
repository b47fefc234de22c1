//! The engine `rf`: RF-SMC (*Reads-From TSO/PSO* Algorithm 3), each reads-from class exactly
//! once. The line numbers below are that algorithm's.
//!
//! Explore one maximal execution; for every read of it that is not *marked*, and every other
//! write the read may see, build the *mutation*: the events before the read, the read with its
//! new source, and the causal past of that source (whose reads become marked). Each realizable
//! mutation is explored from there on. Mutations are kept with the read they change, and
//! the last read in the sequence is worked off first, so a depth-first walk with one sequence
//! and a stack of open reads does it.
//!
//! Beyond the pseudocode, after *Reads-From SC* section 7:
//! - **RMW.** Where an RMW `e` reads from the RMW `r`, reversing them changes two sources: `e`
//!   reads what `r` read, and `r` reads from `e`. A failing `cas` is such an `e` too when it
//!   would write with the other source.
//! - **Locks.** Two locks never read from one unlock, so a lock is branched on by who takes
//!   the mutex next: the mutation puts another lock of the same mutex in its place.
//! - **Final memory.** The observing reads come after everything and are mutated like others.

use rustc_hash::FxHashSet;

use super::maximal::Maximal;
use super::trace::{TooManyEvents, Trace};
use super::{Explore, ExploreWith, Task, widening};
use crate::bits::Bits;
use crate::event::{Effect, Event, EventId, INIT, NO_SOURCE, event_of};
use crate::operational::End;
use crate::program::Value;
use crate::report::Completeness;
use crate::thread::Pending;
use crate::verify::{Verification, Verifier};

#[derive(Debug)]
pub struct Rf;

impl Explore for Rf {
    fn explore(&self, task: &mut Task<'_, '_>) -> Completeness {
        widening::<Rf>(task)
    }
}

impl ExploreWith for Rf {
    fn explore_with<const W: usize>(
        task: &mut Task<'_, '_>,
    ) -> Result<Completeness, TooManyEvents> {
        Search::<W>::new(task).run()
    }
}

struct Search<'t, 'a, 'p, const W: usize> {
    task: &'t mut Task<'a, 'p>,
    trace: Trace<'p, W>,
    verifier: Verifier<W>,
    /// The unmarked reads of the sequence, with the mutations that wait for them.
    open: Vec<Open>,
    /// Where the newest extension begins: from here on, reads and writes are new.
    extension: usize,
    /// From where on writes are new: an RMW with another source is another write, so
    /// the block of a mutated RMW counts too.
    new_writes: usize,
    /// Why the exploration ends early.
    stop: Option<Completeness>,
    /// The bytes that waiting and tried mutations take.
    bytes: usize,
    maximal: Maximal,
    guide: Vec<EventId>,
    causes: Vec<EventId>,
    block: Vec<(u8, EventId)>,
    reads: Vec<Value>,
    renumbered: Vec<EventId>,
}

/// An unmarked read: the source of a branch.
struct Open {
    position: EventId,
    /// Every mutation that was tried here, realizable or not.
    tried: FxHashSet<Box<[(u8, EventId)]>>,
    waiting: Vec<Mutation>,
}

/// What to put in the place of an open read and of all that follows it.
struct Mutation {
    /// The changed read, then what its source needs, by thread and program order.
    block: Box<[(u8, EventId)]>,
    /// The value each of them reads.
    reads: Box<[Value]>,
    /// That of one of its executions.
    memory_order: Box<[EventId]>,
}

impl<'t, 'a, 'p, const W: usize> Search<'t, 'a, 'p, W> {
    fn new(task: &'t mut Task<'a, 'p>) -> Self {
        Search {
            trace: Trace::new(task.program),
            verifier: Verifier::new(task.model, task.program.locations.len())
                .interruptible(task.budget.interrupt()),
            task,
            open: Vec::new(),
            extension: 0,
            new_writes: 0,
            stop: None,
            bytes: 0,
            maximal: Maximal::default(),
            guide: Vec::new(),
            causes: Vec::new(),
            block: Vec::new(),
            reads: Vec::new(),
            renumbered: vec![0; Bits::<W>::CAPACITY],
        }
    }

    fn run(mut self) -> Result<Completeness, TooManyEvents> {
        self.extend()?;
        loop {
            if let Some(stop) = self.stop {
                return Ok(stop);
            }
            let Some(open) = self.open.last_mut() else {
                return Ok(Completeness::Complete);
            };
            let position = open.position as usize;
            // Lines 22 and 23: the last read first, and each of its mutations.
            let Some(mutation) = open.waiting.pop() else {
                let tried: usize = open.tried.iter().map(|b| bytes_of(b)).sum();
                self.bytes -= tried;
                self.open.pop(); // line 25
                continue;
            };
            let bytes = self.bytes + self.task.collector.memory();
            let classes = self.task.collector.classes();
            if let Some(stop) = self.task.budget.poll(classes, bytes) {
                return Ok(stop);
            }
            // Line 24, the recursive call.
            self.bytes -= mutation.bytes();
            self.trace.truncate(position);
            self.trace.append_block(&mutation.block, &mutation.reads)?;
            self.trace.set_memory_order(&mutation.memory_order);
            self.new_writes = if self.trace.execution.events[position]
                .effect
                .has(Effect::RMW)
            {
                position
            } else {
                self.trace.len()
            };
            self.extend()?;
        }
    }

    /// Runs to a maximal execution, reports it, and finds its mutations.
    fn extend(&mut self) -> Result<(), TooManyEvents> {
        self.extension = self.trace.len();
        self.trace.extend()?; // lines 1 and 2
        let complete = self.maximal.complete(&mut self.trace);
        if complete {
            while self.trace.push_observer(None)? {}
        }
        // Lines 3 and 4. What is not open is marked.
        for id in self.extension..self.trace.len() {
            let event = &self.trace.execution.events[id];
            if event.effect.has(Effect::READ) {
                let mut tried = FxHashSet::default();
                if event.effect.has(Effect::LOCK) {
                    // Where another lock has come first, this one is found again.
                    let block: Box<[_]> = [(event.thread, event.source)].into();
                    self.bytes += bytes_of(&block);
                    tried.insert(block);
                }
                self.open.push(Open {
                    position: id as EventId,
                    tried,
                    waiting: Vec::new(),
                });
            }
        }
        if complete {
            self.maximal.report_complete(&self.trace, self.task);
        } else {
            self.maximal
                .report_stuck(&mut self.trace, &mut self.verifier, self.task);
        }
        // Line 5.
        for k in 0..self.open.len() {
            self.mutate(k);
        }
        Ok(())
    }

    /// Tries the other sources of an open read (lines 9 to 12).
    fn mutate(&mut self, k: usize) {
        let r = self.open[k].position as usize;
        let read = self.trace.execution.events[r];
        let loc = read.loc;
        if read.effect.has(Effect::LOCK) {
            self.replace_lock(k, read);
            return;
        }
        let fresh = r >= self.extension;
        let mut writes = self.trace.writes[loc as usize].without(r);
        if !fresh {
            // Lines 10 and 11.
            writes = writes.minus(Bits::prefix(self.new_writes));
        }
        let mut newest_own = None;
        for w in self.trace.writes[loc as usize].without(r).iter() {
            let e = &self.trace.execution.events[w];
            if e.thread == read.thread {
                if e.index < read.index
                    && newest_own
                        .is_none_or(|own: usize| self.trace.execution.events[own].index < e.index)
                {
                    newest_own = Some(w);
                }
                writes = writes.without(w);
            }
        }
        if let Some(own) = newest_own
            && (fresh || own >= self.new_writes)
        {
            writes.set(own);
        }
        let overwritten = self.overwritten(&read, &mut writes);
        if read.source != INIT {
            writes = writes.without(read.source as usize);
            if fresh && newest_own.is_none() && !overwritten {
                self.try_source(k, INIT);
            }
        }
        for w in writes.iter() {
            if !self.trace.past[w].has(r) {
                self.try_source(k, w as EventId);
            }
        }
        if read.effect.has(Effect::RMW) && read.effect.has(Effect::WRITE) {
            for e in r + 1..self.trace.len() {
                let event = &self.trace.execution.events[e];
                if event.source == r as EventId
                    && event.effect.has(Effect::RMW)
                    && (fresh || e >= self.new_writes)
                {
                    self.reverse_rmw(k, e);
                }
            }
        }
    }

    /// Takes out of `writes` what an earlier read of the thread has seen overwritten, the cheap
    /// part of MAYREAD (*Reads-From SC* section 4); true when the initial value is overwritten too.
    fn overwritten(&self, read: &Event, writes: &mut Bits<W>) -> bool {
        let events = &self.trace.execution.events;
        let mut initial = false;
        for &earlier in &self.trace.execution.list(read.thread as usize)[..read.index as usize] {
            let event = &events[earlier as usize];
            if event.effect.has(Effect::READ) && event.loc == read.loc && event.source != INIT {
                initial = true;
                let seen = &events[event.source as usize];
                for w in writes.iter() {
                    if events[w].thread == seen.thread && events[w].index < seen.index {
                        *writes = writes.without(w);
                    }
                }
            }
        }
        initial
    }

    /// The mutation in which the open read reads from `w`. Its causal past (lines 6 to 8) is kept
    /// with each event; what of it comes after the read (line 13) is put behind it.
    fn try_source(&mut self, k: usize, w: EventId) {
        let r = self.open[k].position as usize;
        let old = self.trace.execution.events[r];
        let kept = Bits::prefix(r + 1);
        let causes = if w == INIT {
            Bits::EMPTY
        } else {
            self.trace.past[w as usize].with(w as usize).minus(kept)
        };
        let new = self.with_source(r, w);
        self.guide.clear();
        self.guide.extend_from_slice(&self.trace.memory_order);
        if new.effect.has(Effect::WRITE) && !old.effect.has(Effect::WRITE) {
            self.insert_after(w, r as EventId);
        }
        self.trace.execution.events[r] = new;
        self.consider(k, r, kept.without(r), causes);
        self.trace.execution.events[r] = old;
    }

    /// The mutation that swaps the open RMW with the RMW `e` that reads from it.
    fn reverse_rmw(&mut self, k: usize, e: usize) {
        let r = self.open[k].position as usize;
        let kept = Bits::prefix(r + 1);
        let Some(mut causes) = self.needs(e, r) else {
            return;
        };
        let (old_r, old_e) = (
            self.trace.execution.events[r],
            self.trace.execution.events[e],
        );
        if old_r.source != INIT {
            let source = old_r.source as usize;
            causes |= self.trace.past[source].with(source);
        }
        let new_e = self.with_source(e, old_r.source);
        if !new_e.effect.has(Effect::WRITE) {
            return;
        }
        self.trace.execution.events[e] = new_e;
        let new_r = self.with_source(r, e as EventId);
        self.trace.execution.events[r] = new_r;
        let memory = &self.trace.memory_order;
        self.guide.clear();
        self.guide.extend(
            memory
                .iter()
                .filter(|w| **w as usize != r && **w as usize != e),
        );
        self.insert_after(old_r.source, e as EventId);
        if new_r.effect.has(Effect::WRITE) {
            self.insert_after(e as EventId, r as EventId);
        }
        self.consider(k, r, kept.without(r), causes.with(e).minus(kept));
        self.trace.execution.events[r] = old_r;
        self.trace.execution.events[e] = old_e;
    }

    /// The mutations that give the mutex of the open lock to somebody else.
    fn replace_lock(&mut self, k: usize, lock: Event) {
        let r = self.open[k].position as usize;
        let fresh = r >= self.extension;
        for e in r + 1..self.trace.len() {
            let event = self.trace.execution.events[e];
            if event.effect.has(Effect::LOCK)
                && event.loc == lock.loc
                && (fresh || e >= self.extension)
            {
                self.give_lock(k, e, lock.source);
            }
        }
        for t in 0..self.trace.threads() {
            if !matches!(self.maximal.ends[t], End::WaitsForLock(_)) {
                continue;
            }
            let pending = self.trace.pending(t);
            if pending != (Pending::Lock { loc: lock.loc }) {
                continue;
            }
            // The lock that waits is tried as the event it would be.
            let index = self.trace.execution.threads[t].len() as u16;
            let Some(event) = event_of(pending, t as u8, index, lock.source, 0) else {
                continue;
            };
            let e = self.trace.len();
            self.trace.execution.events.push(event);
            self.trace.execution.threads[t].push(e as EventId);
            self.give_lock(k, e, lock.source);
            self.trace.execution.threads[t].pop();
            self.trace.execution.events.pop();
        }
    }

    /// The mutation in which lock `e` takes the mutex from `source`, in the open lock's place.
    fn give_lock(&mut self, k: usize, e: usize, source: EventId) {
        let r = self.open[k].position as usize;
        let kept = Bits::prefix(r);
        let Some(causes) = self.needs(e, r) else {
            return;
        };
        let old = self.trace.execution.events[e];
        self.trace.execution.events[e].source = source;
        self.guide.clear();
        let memory = &self.trace.memory_order;
        self.guide
            .extend(memory.iter().filter(|w| **w as usize != e));
        self.insert_after(source, e as EventId);
        self.consider(k, e, kept, causes.minus(kept));
        self.trace.execution.events[e] = old;
    }

    /// What event `e` needs apart from its source; none when that includes `r`.
    fn needs(&self, e: usize, r: usize) -> Option<Bits<W>> {
        let needs = match self.trace.before_in_thread(e) {
            Some(before) => self.trace.past[before].with(before),
            None => Bits::EMPTY,
        };
        (!needs.has(r)).then_some(needs)
    }

    /// Event `id` if it read from `source`.
    fn with_source(&mut self, id: usize, source: EventId) -> Event {
        let event = self.trace.execution.events[id];
        if !event.effect.has(Effect::RMW) {
            return Event { source, ..event };
        }
        let pending = self.trace.pending_at(id);
        let read = self.trace.value(event.loc, source);
        event_of(pending, event.thread, event.index, source, read).unwrap_or(event)
    }

    /// Puts a write into the guide, right after another.
    fn insert_after(&mut self, after: EventId, w: EventId) {
        let at = match self.guide.iter().position(|x| *x == after) {
            Some(at) => at + 1,
            None => 0,
        };
        self.guide.insert(at, w);
    }

    /// Verifies the mutation of open read `k` that keeps `kept`, then has `first`, then
    /// `causes` (lines 14 to 16); keeps it when it is new and realizable (lines 17 to 21).
    fn consider(&mut self, k: usize, first: usize, kept: Bits<W>, causes: Bits<W>) {
        let position = self.open[k].position;
        let events = &self.trace.execution.events;
        self.causes.clear();
        self.causes.extend(causes.iter().map(|c| c as EventId));
        if self.causes.len() > 1 {
            // The order within a block carries no meaning: one order for each set of events.
            self.causes
                .sort_unstable_by_key(|c| (events[*c as usize].thread, events[*c as usize].index));
        }
        self.renumbered[first] = position;
        for (n, c) in self.causes.iter().enumerate() {
            self.renumbered[*c as usize] = position + 1 + n as EventId;
        }
        let (renumbered, causes) = (&self.renumbered, causes.with(first));
        let renumber = |id: EventId| match id {
            INIT | NO_SOURCE => id,
            id if causes.has(id as usize) => renumbered[id as usize],
            id => id,
        };
        self.block.clear();
        for id in [first as EventId].iter().chain(&self.causes) {
            let e = &events[*id as usize];
            self.block.push((e.thread, renumber(e.source)));
        }
        // One execution of many events has many mutations, each dear to verify.
        self.stop = self.stop.or_else(|| self.task.budget.interrupted());
        let open = &mut self.open[k];
        if self.stop.is_some() || open.tried.contains(self.block.as_slice()) {
            return;
        }
        open.tried.insert(self.block.as_slice().into());
        self.bytes += bytes_of(&self.block);
        let included = kept | causes;
        // Line 18.
        let verified = self
            .verifier
            .verify(&self.trace.execution, included, &self.guide);
        let order = match verified {
            Verification::Realizable(order) => order,
            Verification::Unrealizable => return,
            Verification::Interrupted(why) => {
                self.stop = Some(why);
                return;
            }
        };
        self.reads.clear();
        for id in [first as EventId].iter().chain(&self.causes) {
            let e = &events[*id as usize];
            self.reads.push(if e.effect.has(Effect::READ) {
                self.trace.value(e.loc, e.source)
            } else {
                0
            });
        }
        let mutation = Mutation {
            block: self.block.as_slice().into(),
            reads: self.reads.as_slice().into(),
            memory_order: order.iter().map(|w| renumber(*w)).collect(),
        };
        self.bytes += mutation.bytes();
        open.waiting.push(mutation);
    }
}

impl Mutation {
    fn bytes(&self) -> usize {
        size_of::<Mutation>()
            + bytes_of(&self.block)
            + size_of_val(&*self.reads)
            + size_of_val(&*self.memory_order)
    }
}

fn bytes_of(block: &[(u8, EventId)]) -> usize {
    size_of::<Box<[(u8, EventId)]>>() + size_of_val(block)
}
