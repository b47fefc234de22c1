//! Reports a maximal execution: its outcome, or how its threads are stuck.

use super::schedule::schedule;
use super::trace::Trace;
use crate::bits::Bits;
use crate::collect::{Class, Collector, may_deadlock};
use crate::event::{Effect, Event, EventId};
use crate::operational::{End, Move};
use crate::program::Value;
use crate::thread::Stop;
use crate::verify::{MemoryModel, Verifier};

/// How the threads of a maximal execution stand; the buffers to find out.
#[derive(Default)]
pub struct Maximal {
    pub ends: Vec<End>,
    state: Vec<Value>,
}

impl Maximal {
    /// Looks at the threads' ends; true when all are done.
    pub fn complete<const W: usize>(&mut self, trace: &mut Trace<'_, W>) -> bool {
        self.ends.clear();
        for t in 0..trace.threads() {
            self.ends.push(trace.end(t));
        }
        self.ends.iter().all(|end| *end == End::Done)
    }

    /// Hands a complete execution, with its observing reads, to the collector.
    pub fn report_complete<M: MemoryModel, const W: usize>(
        &mut self,
        trace: &Trace<'_, W>,
        collector: &mut Collector<'_>,
    ) {
        trace.final_state(&mut self.state);
        collector.complete(&self.state, || moves::<M, W>(trace, &trace.memory));
        if let Some(watcher) = collector.watcher() {
            watcher.class(Class {
                state: &self.state,
                events: &trace.events,
                lists: &trace.lists,
                memory: &trace.memory,
            });
        }
    }

    /// Hands an execution that cannot go on to the collector, and says whether it is a deadlock.
    pub fn report_stuck<M: MemoryModel, const W: usize>(
        &mut self,
        trace: &mut Trace<'_, W>,
        verifier: &mut Verifier<M, W>,
        collector: &mut Collector<'_>,
    ) {
        collector.incomplete(&self.ends, || moves::<M, W>(trace, &trace.memory));
        if may_deadlock(self.ends.iter().copied()) && self.waits_for_ever(trace, verifier) {
            collector.deadlock(|| moves::<M, W>(trace, &verifier.witness));
        }
    }

    /// Whether the waiting awaits can have read final memory: they are made to observe it.
    fn waits_for_ever<M: MemoryModel, const W: usize>(
        &self,
        trace: &mut Trace<'_, W>,
        verifier: &mut Verifier<M, W>,
    ) -> bool {
        let n = trace.len();
        let observers = trace.threads();
        for (t, end) in self.ends.iter().enumerate() {
            if let End::Stopped(Stop::Await, _) = end
                && let Some(&last) = trace.lists[t].last()
            {
                let id = trace.events.len();
                let read = trace.events[last as usize];
                trace.events.push(Event {
                    thread: observers as u8,
                    effect: Effect::READ.and(Effect::OBSERVE),
                    index: (id - n) as u16,
                    ..read
                });
                trace.lists[observers].push(id as EventId);
            }
        }
        let included = Bits::prefix(trace.events.len());
        let found = verifier.verify(&trace.events, &trace.lists, included, &trace.memory);
        trace.lists[observers].clear();
        trace.events.truncate(n);
        found
    }
}

/// The moves of an execution of the trace with a given memory order.
fn moves<M: MemoryModel, const W: usize>(trace: &Trace<'_, W>, memory: &[EventId]) -> Vec<Move> {
    schedule(
        M::MODEL,
        trace.program.locations.len(),
        &trace.events,
        &trace.lists,
        memory,
    )
}
