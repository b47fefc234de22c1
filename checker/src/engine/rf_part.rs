//! The engine `rf-part`: RF-partSMC (*Reads-From TSO/PSO* Algorithm 4), each class once,
//! polynomial memory. The line numbers below are that algorithm's.
//!
//! Grow a partial execution read by read: at each node every thread's next read is tried with
//! every write that is there. The *causal map* keeps branches apart: once a thread's read
//! has been tried with the writes present, later siblings may give it only newer ones.

use super::maximal::Maximal;
use super::trace::{TooManyEvents, Trace};
use super::{Explore, ExploreWith, Task, widening};
use crate::bits::Bits;
use crate::event::{Effect, EventId, INIT};
use crate::operational::End;
use crate::program::LocId;
use crate::report::Completeness;
use crate::thread::Pending;
use crate::verify::{Verification, Verifier};

#[derive(Debug)]
pub struct RfPart;

impl Explore for RfPart {
    fn explore(&self, task: &mut Task<'_, '_>) -> Completeness {
        widening::<RfPart>(task)
    }
}

impl ExploreWith for RfPart {
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

impl<'t, 'a, 'p, const W: usize> Search<'t, 'a, 'p, W> {
    fn new(task: &'t mut Task<'a, 'p>) -> Self {
        Search {
            trace: Trace::new(task.program),
            verifier: Verifier::new(task.model, task.program.locations.len())
                .interruptible(task.budget.interrupt()),
            task,
            maximal: Maximal::default(),
            guide: Vec::new(),
        }
    }

    fn run(mut self) -> Result<Completeness, TooManyEvents> {
        let tried = vec![None; self.trace.threads()];
        match self.node(tried) {
            Ok(()) => Ok(Completeness::Complete),
            Err(Stop::Budget(completeness)) => Ok(completeness),
            Err(Stop::TooManyEvents) => Err(TooManyEvents),
        }
    }

    /// Explores all that extends the trace; leaves the trace longer than it was.
    fn node(&mut self, mut tried: Tried) -> Result<(), Stop> {
        let (classes, bytes) = (self.task.collector.classes(), self.task.collector.memory());
        if let Some(stop) = self.task.budget.poll(classes, bytes) {
            return Err(Stop::Budget(stop));
        }
        self.trace.extend_to_reads()?; // line 1
        if (0..self.trace.threads()).all(|t| self.trace.pending(t) == Pending::Done) {
            return self.observe();
        }
        let len = self.trace.len();
        let order = self.trace.memory_order.clone();
        let mut stuck = true;
        // Lines 2 and 3.
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
                // Lines 4 to 6.
                let forbidden = tried[t].as_ref().is_some_and(|seen| {
                    w == INIT || {
                        let write = &self.trace.execution.events[w as usize];
                        write.index < seen[write.thread as usize]
                    }
                });
                if is_lock && self.trace.value(loc, w) != 0 {
                    continue;
                }
                if forbidden && !is_lock {
                    continue;
                }
                self.trace.push(t, pending, w)?; // lines 7 and 8
                if self.verify(w)? {
                    // The mutex is free for this thread, explored here or elsewhere.
                    stuck = false;
                    if !forbidden {
                        // Lines 11 and 12.
                        let mut tried = tried.clone();
                        tried[t] = None;
                        self.node(tried)?;
                    }
                }
                self.trace.truncate(len);
                self.trace.set_memory_order(&order);
            }
            // Lines 13 to 15.
            let threads = self.trace.execution.threads.iter();
            tried[t] = Some(threads.map(|list| list.len() as u16).collect());
        }
        if stuck {
            self.maximal.complete(&mut self.trace);
            debug_assert!(self.maximal.ends.iter().any(|end| *end != End::Done));
            self.maximal
                .report_stuck(&mut self.trace, &mut self.verifier, self.task);
        }
        Ok(())
    }

    /// All threads have ended: fixes the final write of each observed location.
    fn observe(&mut self) -> Result<(), Stop> {
        let Some(loc) = self.trace.next_observed() else {
            self.maximal.report_complete(&self.trace, self.task);
            return Ok(());
        };
        let len = self.trace.len();
        let order = self.trace.memory_order.clone();
        for w in self.sources(loc) {
            self.trace.push_observer(Some(w))?;
            if self.verify(w)? {
                self.observe()?;
            }
            self.trace.truncate(len);
            self.trace.set_memory_order(&order);
        }
        Ok(())
    }

    /// The initial write and the writes to a location.
    fn sources(&self, loc: LocId) -> impl Iterator<Item = EventId> + use<W> {
        let writes = self.trace.writes[loc as usize];
        std::iter::once(INIT).chain(writes.iter().map(|w| w as EventId))
    }

    /// Lines 9 and 10: verifies the trace, whose last event reads from `w`, and gives it the
    /// memory order that was found.
    fn verify(&mut self, w: EventId) -> Result<bool, Stop> {
        if let Some(stop) = self.task.budget.interrupted() {
            return Err(Stop::Budget(stop));
        }
        let last = self.trace.len() - 1;
        self.guide.clear();
        let order = &self.trace.memory_order;
        if self.trace.execution.events[last].effect.has(Effect::WRITE) {
            // An RMW belongs right after its source.
            let before = order.len() - 1;
            let after = order.iter().position(|x| *x == w).map_or(0, |at| at + 1);
            let at = after.min(before);
            self.guide.extend_from_slice(&order[..at]);
            self.guide.push(last as EventId);
            self.guide.extend_from_slice(&order[at..before]);
        } else {
            self.guide.extend_from_slice(order);
        }
        let included = Bits::prefix(self.trace.len());
        let verified = self
            .verifier
            .verify(&self.trace.execution, included, &self.guide);
        match verified {
            Verification::Realizable(order) => self.trace.set_memory_order(order),
            Verification::Unrealizable => return Ok(false),
            Verification::Interrupted(why) => return Err(Stop::Budget(why)),
        }
        Ok(true)
    }
}
