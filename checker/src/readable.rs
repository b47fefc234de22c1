//! Of all executions of a class, one that is easy to read: few switches between threads.
//!
//! Steps that do not depend on each other may be swapped without changing what anything
//! reads or what memory holds in the end. So a schedule is taken apart into that order
//! of dependence and put together again, thread by thread, with stores flushed as early
//! or as late as it allows: whichever switches less between threads.

use crate::event;
use crate::model::{self, Model, Rules};
use crate::operational::{Effect, Machine, Move};
use crate::program::Program;
use crate::replay::ReplayError;
use crate::witness::FlushPolicy;

/// Arranges a schedule anew; it stays an execution of the same class.
pub fn arrange(
    program: &Program,
    model: Model,
    schedule: &[Move],
) -> Result<(Vec<Move>, FlushPolicy), ReplayError> {
    let order = Dependence::of(program, model, schedule)?;
    let early = order.linearize(FlushPolicy::Early);
    let late = order.linearize(FlushPolicy::Late);
    let (line, policy) = if late.runs < early.runs {
        (late, FlushPolicy::Late)
    } else {
        (early, FlushPolicy::Early)
    };
    let moves = line.steps.iter().map(|&i| schedule[i as usize]).collect();
    Ok((moves, policy))
}

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
        let buffered = Rules::of(model).buffer_stores();
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
                Effect::Write { loc, .. } if !buffered => writes = Some(loc),
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
                Effect::Fence(kind) => drains = model::fence(kind).has(event::Effect::DRAIN),
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

    /// A linear order of runs: a thread goes on, flushes included, while it can.
    fn linearize(&self, policy: FlushPolicy) -> Line<'_> {
        let total = self.start.len() - 1;
        let mut line = Line {
            order: self,
            policy,
            done: vec![false; total],
            next_event: vec![0; self.events.len()],
            next_flush: vec![0; self.events.len()],
            steps: Vec::with_capacity(total),
            runs: 0,
        };
        while line.steps.len() < total {
            // The schedule itself is a linear order, so something is always ready.
            let Some(t) = line.best_thread() else { break };
            line.run(t);
            line.runs += 1;
        }
        line
    }
}

/// A linear order in the making.
struct Line<'a> {
    order: &'a Dependence,
    policy: FlushPolicy,
    done: Vec<bool>,
    next_event: Vec<usize>,
    next_flush: Vec<usize>,
    steps: Vec<u32>,
    runs: usize,
}

impl Line<'_> {
    /// The thread to go on with: one that can finish, else the one that gets farthest.
    fn best_thread(&mut self) -> Option<usize> {
        let mut best = None;
        let mut best_score = (false, 0);
        for t in 0..self.next_event.len() {
            let before = (self.steps.len(), self.next_event[t], self.next_flush[t]);
            self.run(t);
            let score = (self.finished(t), self.steps.len() - before.0);
            if score.1 > 0 && score > best_score {
                best = Some(t);
                best_score = score;
            }
            for i in self.steps.drain(before.0..) {
                self.done[i as usize] = false;
            }
            (_, self.next_event[t], self.next_flush[t]) = before;
        }
        best
    }

    fn finished(&self, t: usize) -> bool {
        self.event(t).is_none() && self.flush(t).is_none()
    }

    /// All steps of the thread that are possible now, one after the other.
    fn run(&mut self, t: usize) {
        loop {
            let event = self.event(t).filter(|&i| self.ready(i));
            let flush = self.flush(t).filter(|&i| self.ready(i));
            let flush_first = match self.policy {
                FlushPolicy::Early => true,
                FlushPolicy::Late => event.is_none(),
            };
            match (event, flush) {
                (_, Some(i)) if flush_first && self.flushes_now(t, i) => {
                    self.next_flush[t] += 1;
                    self.take(i);
                }
                (Some(i), _) => {
                    self.next_event[t] += 1;
                    self.take(i);
                }
                _ => return,
            }
        }
    }

    /// Late flushes wait until somebody cannot go on without them, or nobody can go on.
    fn flushes_now(&self, t: usize, flush: u32) -> bool {
        let threads = 0..self.next_event.len();
        self.policy == FlushPolicy::Early
            || self.event(t).is_some_and(|own| self.waits_for(own, flush))
            || threads
                .filter_map(|other| self.event(other))
                .all(|i| !self.ready(i))
    }

    /// Whether the step is to be after the other, which is not done.
    fn waits_for(&self, step: u32, other: u32) -> bool {
        let mut needed: Vec<u32> = Vec::new();
        let mut next = 0;
        let mut at = step;
        loop {
            for &b in self.order.before(at) {
                if !self.done[b as usize] && !needed.contains(&b) {
                    if b == other {
                        return true;
                    }
                    needed.push(b);
                }
            }
            let Some(&n) = needed.get(next) else {
                return false;
            };
            at = n;
            next += 1;
        }
    }

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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::replay;

    const T0: Move = Move::Thread(0);
    const T1: Move = Move::Thread(1);

    fn arranged(text: &str, model: Model, schedule: &[Move]) -> (Vec<Move>, FlushPolicy) {
        let parsed = fencepost_grammar::parse(text);
        assert!(!parsed.has_errors(), "{:?}", parsed.errors);
        let program = crate::lower(
            &parsed.sound().expect("a test"),
            &crate::LowerOptions::default(),
        )
        .expect(text);
        let before = replay(&program, model, schedule).expect("the schedule is one");
        let (moves, policy) = arrange(&program, model, schedule).expect("it can be arranged");
        let after = replay(&program, model, &moves).expect("it still is one");
        assert_eq!(before.memory, after.memory);
        assert_eq!(before.registers, after.registers);
        (moves, policy)
    }

    fn flush(thread: u8, loc: u16) -> Move {
        Move::Flush { thread, loc }
    }

    #[test]
    fn independent_steps_are_put_together() {
        let text =
            "litmus i\nshared x, y;\nthread P { x = 1; x = 2; }\nthread Q { y = 1; r = y; }\n";
        let (moves, _) = arranged(text, Model::Sc, &[T0, T1, T0, T1]);
        assert_eq!(moves, [T0, T0, T1, T1]);
    }

    #[test]
    fn a_store_reaches_memory_at_once_where_that_makes_no_difference() {
        let text =
            "litmus MP\nshared x, y;\nthread P { x = 1; y = 1; }\nthread Q { r = y; s = x; }\n";
        let late = [T0, T0, T1, T1, flush(0, 0), flush(0, 1)];
        let (moves, policy) = arranged(text, Model::Tso, &late);
        assert_eq!(moves, [T1, T1, T0, flush(0, 0), T0, flush(0, 1)]);
        assert_eq!(policy, FlushPolicy::Early);
    }

    #[test]
    fn a_store_stays_buffered_where_a_read_must_miss_it() {
        let text =
            "litmus SB\nshared x, y;\nthread P { x = 1; r = y; }\nthread Q { y = 1; r = x; }\n";
        let mixed = [T0, T1, T0, T1, flush(1, 1), flush(0, 0)];
        let (moves, _) = arranged(text, Model::Tso, &mixed);
        assert_eq!(moves, [T0, T0, T1, flush(1, 1), T1, flush(0, 0)]);
    }
}
