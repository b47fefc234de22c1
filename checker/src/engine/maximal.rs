//! Reports a maximal execution: its outcome, or how its threads are stuck.

use super::Task;
use super::schedule::schedule;
use super::trace::Trace;
use crate::bits::Bits;
use crate::collect::{Class, may_deadlock};
use crate::event::{Effect, Event, EventId};
use crate::operational::End;
use crate::program::Value;
use crate::thread::Stop;
use crate::verify::{Verification, Verifier};

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
    pub fn report_complete<const W: usize>(&mut self, trace: &Trace<'_, W>, task: &mut Task) {
        trace.final_state(&mut self.state);
        let class = Class {
            state: &self.state,
            execution: &trace.execution,
            memory_order: &trace.memory_order,
        };
        task.collector.complete(&self.state, || {
            schedule(task.model, trace, class.memory_order)
        });
        if let Some(watcher) = task.collector.watcher() {
            watcher.class(class);
        }
    }

    /// Hands an execution that cannot go on to the collector, and says whether it is a deadlock.
    pub fn report_stuck<const W: usize>(
        &mut self,
        trace: &mut Trace<'_, W>,
        verifier: &mut Verifier<W>,
        task: &mut Task,
    ) {
        let model = task.model;
        task.collector
            .incomplete(&self.ends, || schedule(model, trace, &trace.memory_order));
        if may_deadlock(self.ends.iter().copied())
            && let Verification::Realizable(order) = self.wait_for_ever(trace, verifier)
        {
            task.collector.deadlock(|| schedule(model, trace, order));
        }
    }

    /// Whether the waiting awaits can have read final memory: they are made to observe it.
    fn wait_for_ever<'v, const W: usize>(
        &self,
        trace: &mut Trace<'_, W>,
        verifier: &'v mut Verifier<W>,
    ) -> Verification<'v> {
        let n = trace.len();
        let observers = trace.threads() as u8;
        let execution = &mut trace.execution;
        for (t, end) in self.ends.iter().enumerate() {
            if let End::Stopped(Stop::Await, _) = end
                && let Some(&last) = execution.threads[t].last()
            {
                let id = execution.events.len();
                execution.events.push(Event {
                    thread: observers,
                    effect: Effect::observer(),
                    index: (id - n) as u16,
                    ..execution.events[last as usize]
                });
                execution.observers.push(id as EventId);
            }
        }
        let included = Bits::prefix(execution.events.len());
        let found = verifier.verify(execution, included, &trace.memory_order);
        execution.observers.clear();
        execution.events.truncate(n);
        found
    }
}
