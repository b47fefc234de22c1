//! Of all executions of a class, one that is easy to read: few switches between threads.
//!
//! Steps that do not depend on each other may be swapped without changing what anything
//! reads or what memory holds in the end. So a schedule is taken apart into that order
//! of dependence and put together again, thread by thread, with stores flushed as early
//! or as late as it allows: whichever has fewer switches.

use crate::operational::{Effect, Machine, Move};
use crate::program::{FenceKind, Model, Program, ThreadId};
use crate::replay::ReplayError;
use crate::witness::FlushPolicy;

/// Arranges a schedule anew; it stays an execution of the same class.
pub fn arrange(
    program: &Program,
    model: Model,
    schedule: &[Move],
) -> Result<(Vec<Move>, FlushPolicy), ReplayError> {
    let order = Dependence::of(program, model, schedule)?;
    let policies: &[FlushPolicy] = match model {
        Model::Sc => &[FlushPolicy::Early],
        Model::Tso | Model::Pso => &[FlushPolicy::Early, FlushPolicy::Late],
    };
    let mut best: Option<(usize, Vec<u32>, FlushPolicy)> = None;
    for &policy in policies {
        for first in 0..program.threads.len().min(MAX_STARTS) {
            let (switches, line) = order.linearize(first, policy);
            if best.as_ref().is_none_or(|(least, ..)| switches < *least) {
                best = Some((switches, line, policy));
            }
        }
    }
    Ok(match best {
        Some((_, line, policy)) => {
            let moves = line.iter().map(|&i| schedule[i as usize]).collect();
            (moves, policy)
        }
        None => (schedule.to_vec(), FlushPolicy::Early),
    })
}

/// With how many threads as the first one it is tried.
const MAX_STARTS: usize = 8;

/// Which steps of a schedule must stay before which.
struct Dependence {
    /// For each step, where its predecessors are in `before`.
    start: Vec<u32>,
    before: Vec<u32>,
    /// The events of each thread, in order.
    events: Vec<Vec<u32>>,
    /// The flushes of each thread, in the order of the schedule.
    flushes: Vec<Vec<u32>>,
}

impl Dependence {
    fn of(program: &Program, model: Model, schedule: &[Move]) -> Result<Self, ReplayError> {
        let threads = program.threads.len();
        let mut machine = Machine::new(program, model);
        let mut order = Dependence {
            start: Vec::with_capacity(schedule.len() + 1),
            before: Vec::with_capacity(3 * schedule.len()),
            events: vec![Vec::new(); threads],
            flushes: vec![Vec::new(); threads],
        };
        // For each location the last step that wrote it and the reads since.
        let mut accesses: Vec<(Option<u32>, Vec<u32>)> =
            vec![Default::default(); program.locations.len()];
        for (number, &step) in schedule.iter().enumerate() {
            let i = number as u32;
            order.start.push(order.before.len() as u32);
            let effect = machine
                .step(step)
                .ok_or(ReplayError::NotEnabled { step: number })?;
            let (Move::Thread(t) | Move::Flush { thread: t, .. }) = step;
            let t = t as usize;
            let mut reads = None;
            let mut writes = None;
            let mut drains = false;
            match effect {
                Effect::Read { loc, .. } => reads = Some(loc),
                Effect::Write { loc, .. } if model == Model::Sc => writes = Some(loc),
                Effect::Write { .. } => {}
                Effect::Flush { loc, store, .. } => {
                    writes = Some(loc);
                    order.before.push(order.events[t][store.index as usize]);
                }
                Effect::Rmw { loc, written, .. } => {
                    drains = true;
                    match written {
                        Some(_) => writes = Some(loc),
                        None => reads = Some(loc),
                    }
                }
                Effect::Fence(kind) => drains = kind == FenceKind::Full,
                Effect::Lock { loc, .. } | Effect::Unlock { loc } => {
                    drains = true;
                    writes = Some(loc);
                }
            }
            let own = match step {
                Move::Thread(_) => &mut order.events[t],
                Move::Flush { .. } => &mut order.flushes[t],
            };
            order.before.extend(own.last());
            own.push(i);
            if drains {
                order.before.extend(order.flushes[t].last());
            }
            if let Some(loc) = reads {
                let (write, since) = &mut accesses[loc as usize];
                order.before.extend(*write);
                since.push(i);
            }
            if let Some(loc) = writes {
                let (write, since) = &mut accesses[loc as usize];
                order.before.extend(*write);
                order.before.append(since);
                *write = Some(i);
            }
        }
        order.start.push(order.before.len() as u32);
        Ok(order)
    }

    fn before(&self, i: u32) -> &[u32] {
        &self.before[self.start[i as usize] as usize..self.start[i as usize + 1] as usize]
    }

    /// A linear order that starts with a thread and stays in a thread while it can;
    /// and how often it switches.
    fn linearize(&self, first: usize, policy: FlushPolicy) -> (usize, Vec<u32>) {
        let total = self.start.len() - 1;
        let mut line = Line {
            order: self,
            done: vec![false; total],
            next_event: vec![0; self.events.len()],
            next_flush: vec![0; self.events.len()],
            steps: Vec::with_capacity(total),
        };
        let mut current = first;
        let mut switches = 0;
        let mut started = false;
        while line.steps.len() < total {
            let step = match policy {
                FlushPolicy::Early => line.early(current),
                FlushPolicy::Late => line.late(current),
            };
            // The schedule itself is a linear order, so something is always ready.
            let Some(step) = step else { break };
            match step {
                Move::Thread(t) => {
                    switches += usize::from(started && t as usize != current);
                    started = true;
                    current = t as usize;
                    let i = self.events[current][line.next_event[current]];
                    line.next_event[current] += 1;
                    line.take(i);
                }
                Move::Flush { thread, .. } => {
                    let t = thread as usize;
                    let i = self.flushes[t][line.next_flush[t]];
                    line.next_flush[t] += 1;
                    line.take(i);
                }
            }
        }
        (switches, line.steps)
    }
}

/// A linear order in the making.
struct Line<'a> {
    order: &'a Dependence,
    done: Vec<bool>,
    next_event: Vec<usize>,
    next_flush: Vec<usize>,
    steps: Vec<u32>,
}

impl Line<'_> {
    fn take(&mut self, i: u32) {
        self.done[i as usize] = true;
        self.steps.push(i);
    }

    fn ready(&self, i: u32) -> bool {
        self.order.before(i).iter().all(|&b| self.done[b as usize])
    }

    fn event(&self, t: usize) -> Option<u32> {
        self.order.events[t].get(self.next_event[t]).copied()
    }

    fn flush(&self, t: usize) -> Option<u32> {
        self.order.flushes[t].get(self.next_flush[t]).copied()
    }

    /// The threads, the current one first.
    fn threads(&self, current: usize) -> impl Iterator<Item = usize> + use<> {
        let others = (0..self.next_event.len()).filter(move |&t| t != current);
        std::iter::once(current).chain(others)
    }

    fn ready_event(&self, current: usize) -> Option<Move> {
        self.threads(current)
            .find(|&t| self.event(t).is_some_and(|i| self.ready(i)))
            .map(|t| Move::Thread(t as ThreadId))
    }

    fn ready_flush(&self, current: usize, wanted: impl Fn(u32) -> bool) -> Option<Move> {
        self.threads(current)
            .find(|&t| self.flush(t).is_some_and(|i| self.ready(i) && wanted(i)))
            .map(|t| Move::Flush {
                thread: t as ThreadId,
                loc: 0,
            })
    }

    fn early(&self, current: usize) -> Option<Move> {
        self.ready_flush(current, |_| true)
            .or_else(|| self.ready_event(current))
    }

    fn late(&self, current: usize) -> Option<Move> {
        let own = self.event(current);
        if own.is_some_and(|i| self.ready(i)) {
            return Some(Move::Thread(current as ThreadId));
        }
        // What only waits for a flush goes on in the same thread.
        if let Some(i) = own {
            let needed = self.needed(i);
            let events_missing = needed
                .iter()
                .any(|n| self.order.events.iter().any(|e| e.binary_search(n).is_ok()));
            if !events_missing
                && let Some(step) = self.ready_flush(current, |i| needed.contains(&i))
            {
                return Some(step);
            }
        }
        self.ready_event(current).or_else(|| {
            let needed: Vec<u32> = self
                .threads(current)
                .filter_map(|t| self.event(t))
                .flat_map(|i| self.needed(i))
                .collect();
            self.ready_flush(current, |i| needed.contains(&i))
                .or_else(|| self.ready_flush(current, |_| true))
        })
    }

    /// All that is not done and must be before the step.
    fn needed(&self, i: u32) -> Vec<u32> {
        let mut needed: Vec<u32> = Vec::new();
        let mut next = 0;
        let mut at = i;
        loop {
            for &b in self.order.before(at) {
                if !self.done[b as usize] && !needed.contains(&b) {
                    needed.push(b);
                }
            }
            let Some(&n) = needed.get(next) else { break };
            at = n;
            next += 1;
        }
        needed
    }
}
