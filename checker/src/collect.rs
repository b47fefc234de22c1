//! Gathers what an engine finds, one call for each class, and makes the report of it.

use crate::confirm;
use crate::engine::Engine;
use crate::event::{EventId, Execution};
use crate::operational::{End, Move};
use crate::outcomes::Outcomes;
use crate::program::{Model, Pc, Program, Span, ThreadId, Value, Verdict};
use crate::replay::ReplayError;
use crate::report::{BoundHit, Completeness, Failure, FailureKind, Outcome, Report, judge};
use crate::thread::{MAX_LOCAL_STEPS, Stop};
use crate::witness::Witness;

/// A class of complete executions, as a reads-from engine holds it.
#[derive(Debug, Clone, Copy)]
pub struct Class<'a> {
    /// Parallel to [`Program::watched`].
    pub state: &'a [Value],
    pub execution: &'a Execution,
    /// The writes as they reach memory.
    pub memory_order: &'a [EventId],
}

/// Wants to see every class of complete executions.
pub trait Watch: std::fmt::Debug {
    /// The exploration begins again: what was seen before does not count.
    fn restart(&self);
    fn class(&self, class: Class<'_>);
    /// Bytes held, about.
    fn memory(&self) -> usize;
}

/// Counts classes by final state. Engines call it once for each class, with a closure that
/// makes a schedule: it is asked only for the first class of its kind.
#[derive(Debug)]
pub struct Collector<'p> {
    program: &'p Program,
    model: Model,
    classes: u64,
    blocked: u64,
    deadlocks: u64,
    outcomes: Outcomes,
    failures: Vec<FoundFailure>,
    deadlock: Option<Vec<Move>>,
    /// Sorted, each once.
    bounds: Vec<(ThreadId, Option<u16>, Pc)>,
    schedule_moves: usize,
    /// The first schedule that does not hold up in the operational model.
    defect: Option<ReplayError>,
    watcher: Option<&'p dyn Watch>,
    verdicts: Option<Vec<Verdict>>,
    more_outcomes: bool,
}

#[derive(Debug)]
struct FoundFailure {
    kind: FailureKind,
    thread: ThreadId,
    span: Span,
    classes: u64,
    schedule: Vec<Move>,
}

impl<'p> Collector<'p> {
    pub fn new(program: &'p Program, model: Model) -> Self {
        Collector {
            program,
            model,
            classes: 0,
            blocked: 0,
            deadlocks: 0,
            outcomes: Outcomes::default(),
            failures: Vec::new(),
            deadlock: None,
            bounds: Vec::new(),
            schedule_moves: 0,
            defect: None,
            watcher: None,
            verdicts: None,
            more_outcomes: false,
        }
    }

    /// Shows every class to the watcher too.
    pub fn watched(mut self, watcher: Option<&'p dyn Watch>) -> Self {
        self.watcher = watcher;
        self
    }

    /// Forgets everything: the exploration begins again.
    pub fn restart(&mut self) {
        if let Some(watcher) = self.watcher {
            watcher.restart();
        }
        *self = Collector::new(self.program, self.model).watched(self.watcher);
    }

    /// Whoever wants to see the classes themselves.
    pub fn watcher(&self) -> Option<&'p dyn Watch> {
        self.watcher
    }

    /// A class of complete executions. `state` is parallel to [`Program::watched`].
    pub fn complete(&mut self, state: &[Value], schedule: impl FnOnce() -> Vec<Move>) {
        self.classes += 1;
        if self
            .program
            .filter
            .as_ref()
            .is_some_and(|f| !f.holds(state))
        {
            return;
        }
        let state = &state[..self.program.observed.len()];
        self.outcomes.count(state, || {
            // It is confirmed now, and nothing is left for the end but to sort: so a test with
            // many outcomes is done when its exploration is.
            let schedule = schedule();
            if self.defect.is_none() {
                self.defect = confirm::reaches(self.program, self.model, &schedule, state).err();
            }
            self.schedule_moves += schedule.len();
            let conditions = self.program.conditions.iter();
            Outcome {
                state: state.to_vec(),
                classes: 1,
                holds: conditions.map(|c| c.prop.holds(state)).collect(),
                model: self.model,
                schedule,
            }
        });
    }

    /// A class of maximal executions that do not complete; `ends` says how each thread
    /// stands, and at least one is not done. Counts it as failed or else as blocked.
    pub fn incomplete(&mut self, ends: &[End], schedule: impl FnOnce() -> Vec<Move>) {
        let mut schedule = Some(schedule);
        let mut failed = false;
        for (t, &end) in ends.iter().enumerate() {
            let thread = t as ThreadId;
            if let Some((kind, pc)) = end.failure() {
                failed = true;
                let span = &self.program.threads[t].spans[pc as usize];
                let known = self
                    .failures
                    .iter_mut()
                    .find(|f| f.thread == thread && f.kind == kind && f.span == *span);
                match known {
                    Some(failure) => failure.classes += 1,
                    None => {
                        // Two new failures of one execution share its schedule.
                        let schedule = match schedule.take() {
                            Some(make) => make(),
                            None => self
                                .failures
                                .last()
                                .map(|f| f.schedule.clone())
                                .unwrap_or_default(),
                        };
                        self.schedule_moves += schedule.len();
                        self.failures.push(FoundFailure {
                            kind,
                            thread,
                            span: span.clone(),
                            classes: 1,
                            schedule,
                        });
                    }
                }
            }
            if let End::Stopped(Stop::Bound(loop_id), pc) = end {
                let hit = (thread, loop_id, pc);
                if let Err(at) = self.bounds.binary_search(&hit) {
                    self.bounds.insert(at, hit);
                }
            }
        }
        if !failed {
            self.blocked += 1;
        }
    }

    /// One more of the blocked classes is a deadlock (see [`may_deadlock`]): in the
    /// execution of the schedule every waiting `await` has read its location's last write.
    pub fn deadlock(&mut self, schedule: impl FnOnce() -> Vec<Move>) {
        self.deadlocks += 1;
        if self.deadlock.is_none() {
            self.deadlock = Some(schedule());
        }
    }

    /// What the engine knows about the conditions, one by one, whatever the outcomes tell.
    pub fn judged(&mut self, verdicts: Vec<Verdict>) {
        self.verdicts = Some(verdicts);
    }

    /// An execution that the engine claims does not hold up in the operational model.
    pub fn contradicted(&mut self, error: ReplayError) {
        self.defect.get_or_insert(error);
    }

    /// There may be outcomes that were not looked for.
    pub fn more_outcomes(&mut self) {
        self.more_outcomes = true;
    }

    /// Complete classes so far.
    pub fn classes(&self) -> u64 {
        self.classes
    }

    /// Bytes held, about.
    pub fn memory(&self) -> usize {
        let state = self.program.observed.len() * size_of::<Value>();
        self.outcomes.len() * (state + size_of::<Outcome>() + 64)
            + self.schedule_moves * size_of::<Move>()
            + self.watcher.map_or(0, |watcher| watcher.memory())
    }

    pub fn finish(
        self,
        engine: &'static Engine,
        completeness: Completeness,
        time: std::time::Duration,
    ) -> Report {
        let Collector {
            program,
            model,
            mut defect,
            ..
        } = self;
        let mut outcomes = self.outcomes;
        if completeness != Completeness::Cancelled {
            outcomes.sort();
        }
        let mut confirmed = |result: Result<Witness, ReplayError>| {
            result.unwrap_or_else(|error| {
                defect.get_or_insert(error);
                Witness::empty(program, model)
            })
        };
        let mut failures: Vec<Failure> = self
            .failures
            .into_iter()
            .map(|found| {
                let at = (found.kind, found.thread, &found.span);
                Failure {
                    witness: confirmed(confirm::failure(program, model, &found.schedule, at)),
                    kind: found.kind,
                    thread: found.thread,
                    span: found.span,
                    classes: found.classes,
                }
            })
            .collect();
        failures.sort_by_key(|f| (f.span.start, f.span.end, f.thread, f.kind));
        let deadlock = self
            .deadlock
            .map(|schedule| confirmed(confirm::deadlock(program, model, &schedule)));
        let mut conditions = judge(
            self.program,
            &outcomes,
            completeness == Completeness::Complete,
        );
        for (condition, verdict) in conditions
            .iter_mut()
            .zip(self.verdicts.into_iter().flatten())
        {
            condition.verdict = verdict;
        }
        Report {
            model: self.model,
            engine,
            completeness,
            classes: self.classes,
            blocked: self.blocked,
            outcomes,
            outcomes_complete: completeness == Completeness::Complete && !self.more_outcomes,
            conditions,
            failures,
            deadlocks: self.deadlocks,
            deadlock,
            bounds_hit: self
                .bounds
                .iter()
                .map(|&(thread, loop_id, pc)| bound_hit(self.program, thread, loop_id, pc))
                .collect(),
            defect,
            time,
        }
    }
}

/// Whether a class of blocked executions is a deadlock if every waiting `await` can have
/// read its location's last write: nobody has failed or is stopped for another reason.
pub fn may_deadlock(ends: impl IntoIterator<Item = End>) -> bool {
    ends.into_iter().all(|end| {
        matches!(
            end,
            End::Done | End::WaitsForLock(_) | End::Stopped(Stop::Await, _)
        )
    })
}

fn bound_hit(program: &Program, thread: ThreadId, loop_id: Option<u16>, pc: Pc) -> BoundHit {
    let code = &program.threads[thread as usize];
    match loop_id {
        Some(id) => {
            let l = &code.loops[id as usize];
            BoundHit {
                thread,
                span: l.span.clone(),
                bound: l.bound,
                explicit: l.explicit,
            }
        }
        None => BoundHit {
            thread,
            span: code.spans[pc as usize].clone(),
            bound: MAX_LOCAL_STEPS,
            explicit: false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn sb() -> Program {
        let text = "litmus SB\nshared x, y;\nthread P { x = 1; r = y; }\n\
                    thread Q { y = 1; r = x; }\nlocations [P:r;]\nfilter (P:r = 0)\nexists (Q:r = 0)\n";
        let parsed = fencepost_grammar::parse(text);
        assert!(!parsed.has_errors(), "{:?}", parsed.errors);
        crate::lower(
            &parsed.sound().expect("a test"),
            &crate::LowerOptions::default(),
        )
        .expect(text)
    }

    const P: Move = Move::Thread(0);
    const Q: Move = Move::Thread(1);

    fn report(collector: Collector<'_>) -> Report {
        collector.finish(Default::default(), Completeness::Complete, Duration::ZERO)
    }

    #[test]
    fn classes_are_counted_by_state_and_filtered() {
        let program = sb();
        let mut collector = Collector::new(&program, Model::Sc);
        collector.complete(&[0, 1], || vec![P, P, Q, Q]);
        collector.complete(&[0, 1], || unreachable!("one schedule for a state"));
        collector.complete(&[1, 0], || unreachable!("the filter drops it"));
        let report = report(collector);
        assert_eq!((report.classes, report.defect), (3, None));
        assert_eq!(report.outcomes.len(), 1);
        assert_eq!(report.outcomes[0].classes, 2);
        assert_eq!(report.outcomes[0].holds, [false]);
        assert_eq!(
            (report.conditions[0].holds, report.conditions[0].of),
            (0, 2)
        );
    }

    #[test]
    fn outcomes_are_found_by_state_even_after_a_cancel() {
        let mut program = sb();
        program.filter = None;
        for end in [Completeness::Complete, Completeness::Cancelled] {
            let mut collector = Collector::new(&program, Model::Sc);
            collector.complete(&[1, 0], || vec![Q, Q, P, P]);
            collector.complete(&[0, 1], || vec![P, P, Q, Q]);
            let outcomes = collector
                .finish(Default::default(), end, Duration::ZERO)
                .outcomes;
            let states: Vec<_> = outcomes.iter().map(|o| o.state[0]).collect();
            let sorted = end == Completeness::Complete;
            assert_eq!(states, if sorted { [0, 1] } else { [1, 0] });
            for state in [[0, 1], [1, 0]] {
                assert_eq!(
                    outcomes.find(&state).map(|o| &o.state[..]),
                    Some(&state[..])
                );
            }
            assert!(outcomes.find(&[0, 0]).is_none());
        }
    }

    #[test]
    fn a_wrong_witness_is_a_defect() {
        let program = sb();
        let defect = |state: [Value; 2], schedule: &[Move]| {
            let mut collector = Collector::new(&program, Model::Sc);
            collector.complete(&state, || schedule.to_vec());
            report(collector).defect
        };
        assert_eq!(defect([0, 1], &[P, P, Q, Q]), None);
        assert_eq!(defect([0, 0], &[P, P, Q, Q]), Some(ReplayError::WrongState));
        assert_eq!(defect([0, 1], &[P, P]), Some(ReplayError::Unfinished));
        let impossible = Some(ReplayError::NotEnabled { step: 2 });
        assert_eq!(defect([0, 1], &[P, P, P, Q]), impossible);
        let mut collector = Collector::new(&program, Model::Sc);
        collector.deadlock(|| vec![P, P, Q, Q]);
        assert_eq!(report(collector).defect, Some(ReplayError::WrongEnd));
    }
}
