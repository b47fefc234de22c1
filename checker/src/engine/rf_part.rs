//! The engine `rf-part`: RF-partSMC (`000_…` Algorithm 4), each class once, polynomial memory.
//!
//! Grow a partial execution read by read: at each node every thread's next read is tried with
//! every write that is there. The *causal map* keeps branches apart: once a thread's read
//! has been tried with the writes present, later siblings may give it only newer ones.

use super::maximal::Maximal;
use super::trace::{TooManyEvents, Trace};
use crate::bits::Bits;
use crate::collect::Collector;
use crate::event::{Effect, EventId, INIT};
use crate::operational::End;
use crate::program::{LocId, Program};
use crate::report::{Budget, Completeness};
use crate::thread::Pending;
use crate::verify::{MemoryModel, Verifier};

pub struct RfPart<'a, 'p, M, const W: usize> {
    trace: Trace<'p, W>,
    verifier: Verifier<M, W>,
    collector: &'a mut Collector<'p>,
    budget: &'a mut Budget,
    maximal: Maximal,
    guide: Vec<EventId>,
}

/// For each thread's next read, how many events of each thread were there when it was tried;
/// none when it was not. (The causal map C.)
type Tried = Vec<Option<Box<[u16]>>>;

/// Why an exploration ends early.
enum Stop {
    TooManyEvents,
    Budget(Completeness),
}

impl From<TooManyEvents> for Stop {
    fn from(_: TooManyEvents) -> Stop {
        Stop::TooManyEvents
    }
}

impl<'a, 'p, M: MemoryModel, const W: usize> RfPart<'a, 'p, M, W> {
    pub fn new(
        program: &'p Program,
        collector: &'a mut Collector<'p>,
        budget: &'a mut Budget,
    ) -> Self {
        RfPart {
            trace: Trace::new(program),
            verifier: Verifier::new(program.locations.len()).interruptible(budget.interrupt()),
            collector,
            budget,
            maximal: Maximal::default(),
            guide: Vec::new(),
        }
    }

    pub fn explore(mut self) -> Result<Completeness, TooManyEvents> {
        let tried = vec![None; self.trace.threads()];
        match self.node(tried) {
            Ok(()) => Ok(Completeness::Complete),
            Err(Stop::Budget(completeness)) => Ok(completeness),
            Err(Stop::TooManyEvents) => Err(TooManyEvents),
        }
    }

    /// Explores all that extends the trace; leaves the trace longer than it was.
    fn node(&mut self, mut tried: Tried) -> Result<(), Stop> {
        let memory = self.collector.memory();
        if let Some(stop) = self.budget.poll(self.collector.classes(), memory) {
            return Err(Stop::Budget(stop));
        }
        self.trace.extend_to_reads()?;
        if (0..self.trace.threads()).all(|t| self.trace.pending(t) == Pending::Done) {
            return self.observe();
        }
        let len = self.trace.len();
        let memory = self.trace.memory.clone();
        let mut stuck = true;
        for t in 0..self.trace.threads() {
            let pending = self.trace.pending(t);
            let (Pending::Load { loc } | Pending::Rmw { loc, .. } | Pending::Lock { loc }) =
                pending
            else {
                continue;
            };
            let is_lock = matches!(pending, Pending::Lock { .. });
            stuck &= is_lock;
            for w in self.sources(loc) {
                let forbidden = tried[t].as_ref().is_some_and(|seen| {
                    w == INIT || {
                        let write = &self.trace.events[w as usize];
                        write.index < seen[write.thread as usize]
                    }
                });
                if is_lock && self.trace.value(loc, w) != 0 {
                    continue;
                }
                if forbidden && !is_lock {
                    continue;
                }
                self.trace.push(t, pending, w)?;
                let realizable = self.verify(w)?;
                if realizable {
                    // The mutex is free for this thread, explored here or elsewhere.
                    stuck = false;
                    if !forbidden {
                        let mut tried = tried.clone();
                        tried[t] = None;
                        self.trace.set_memory(&self.verifier.witness);
                        self.node(tried)?;
                    }
                }
                self.trace.truncate(len);
                self.trace.set_memory(&memory);
            }
            let lists = &self.trace.lists;
            tried[t] = Some(lists.iter().map(|l| l.len() as u16).collect());
        }
        if stuck {
            self.maximal.complete(&mut self.trace);
            debug_assert!(self.maximal.ends.iter().any(|end| *end != End::Done));
            self.maximal
                .report_stuck(&mut self.trace, &mut self.verifier, self.collector);
        }
        Ok(())
    }

    /// All threads have ended: fixes the final write of each observed location.
    fn observe(&mut self) -> Result<(), Stop> {
        let Some(loc) = self.trace.next_observed() else {
            self.maximal
                .report_complete::<M, W>(&self.trace, self.collector);
            return Ok(());
        };
        let len = self.trace.len();
        let memory = self.trace.memory.clone();
        for w in self.sources(loc) {
            self.trace.push_observer(Some(w))?;
            if self.verify(w)? {
                self.trace.set_memory(&self.verifier.witness);
                self.observe()?;
            }
            self.trace.truncate(len);
            self.trace.set_memory(&memory);
        }
        Ok(())
    }

    /// The initial write and the writes to a location.
    fn sources(&self, loc: LocId) -> impl Iterator<Item = EventId> + use<M, W> {
        let writes = self.trace.writes[loc as usize];
        std::iter::once(INIT).chain(writes.iter().map(|w| w as EventId))
    }

    /// Verifies the trace, whose last event reads from `w`.
    fn verify(&mut self, w: EventId) -> Result<bool, Stop> {
        if let Some(stop) = self.budget.interrupted() {
            return Err(Stop::Budget(stop));
        }
        let last = self.trace.len() - 1;
        self.guide.clear();
        let memory = &self.trace.memory;
        if self.trace.events[last].effect.has(Effect::WRITE) {
            // An RMW belongs right after its source.
            let before = memory.len() - 1;
            let at = memory.iter().position(|x| *x == w).map_or(0, |at| at + 1);
            self.guide.extend_from_slice(&memory[..at.min(before)]);
            self.guide.push(last as EventId);
            self.guide
                .extend_from_slice(&memory[at.min(before)..before]);
        } else {
            self.guide.extend_from_slice(memory);
        }
        let included = Bits::prefix(self.trace.len());
        let (events, lists) = (&self.trace.events, &self.trace.lists);
        let found = self.verifier.verify(events, lists, included, &self.guide);
        match self.verifier.interrupted {
            Some(stop) => Err(Stop::Budget(stop)),
            None => Ok(found),
        }
    }
}
