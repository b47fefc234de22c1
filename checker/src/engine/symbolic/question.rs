//! What is asked about an unrolled program, as terms: conditions, failures, bounds, waiting.

use super::term::{ONE, Term, Terms, ZERO};
use super::unroll::{Unrolled, Why};
use crate::operational::End;
use crate::program::{Compare, Op, Pc, Program, Prop, Span, Term as Side, ThreadId};
use crate::thread::Stop;

#[derive(Debug)]
pub struct Questions {
    /// Every thread comes to its end.
    pub complete: Term,
    /// And the filter lets the outcome pass.
    pub outcome: Term,
    /// Parallel to [`Program::conditions`].
    pub conditions: Vec<Term>,
    /// Where a thread may fail or come to a loop's bound, and whether it does. Failures of one
    /// statement are one.
    pub stops: Vec<(StopAt, Term)>,
    /// Somebody waits for a mutex or in an `await`, and nobody has stopped otherwise.
    pub waiting: Term,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopAt {
    thread: ThreadId,
    why: Stop,
    place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Statement(Span),
    Instruction(Pc),
}

impl StopAt {
    fn new(program: &Program, thread: ThreadId, why: Stop, pc: Pc) -> StopAt {
        let place = match why {
            Stop::Failed(_) => {
                Place::Statement(program.threads[thread as usize].spans[pc as usize].clone())
            }
            _ => Place::Instruction(pc),
        };
        StopAt { thread, why, place }
    }

    /// Whether these threads have ended so.
    pub fn is_among(&self, program: &Program, ends: &[End]) -> bool {
        match ends.get(self.thread as usize) {
            Some(&End::Stopped(why, pc)) => StopAt::new(program, self.thread, why, pc) == *self,
            _ => false,
        }
    }
}

impl Questions {
    pub fn new(program: &Program, unrolled: &mut Unrolled) -> Questions {
        let terms = &mut unrolled.terms;
        let mut complete = ONE;
        for thread in &unrolled.threads {
            complete = terms.and(complete, thread.done);
        }
        let mut outcome = complete;
        if let Some(filter) = &program.filter {
            let passes = proposition(terms, &unrolled.observed, filter);
            outcome = terms.and(outcome, passes);
        }
        let conditions = program
            .conditions
            .iter()
            .map(|condition| proposition(terms, &unrolled.observed, &condition.prop))
            .collect();
        let mut questions = Questions {
            complete,
            outcome,
            conditions,
            stops: Vec::new(),
            waiting: ZERO,
        };
        let mut stopped = ZERO;
        for stop in &unrolled.stops {
            match &stop.why {
                Why::Await(_) | Why::Lock(_) => {
                    questions.waiting = terms.or(questions.waiting, stop.guard);
                    continue;
                }
                Why::Stopped(why @ (Stop::Failed(_) | Stop::Bound(_))) => {
                    let at = StopAt::new(program, stop.thread, *why, stop.pc);
                    match questions.stops.iter_mut().find(|(known, _)| *known == at) {
                        Some((_, any)) => *any = terms.or(*any, stop.guard),
                        None => questions.stops.push((at, stop.guard)),
                    }
                }
                Why::Stopped(Stop::Assume | Stop::Await) => {}
            }
            stopped = terms.or(stopped, stop.guard);
        }
        let nobody = terms.not(stopped);
        questions.waiting = terms.and(questions.waiting, nobody);
        questions
    }
}

fn proposition(terms: &mut Terms, observed: &[Term], prop: &Prop) -> Term {
    match prop {
        Prop::True => ONE,
        Prop::False => ZERO,
        Prop::And(parts) => parts.iter().fold(ONE, |all, part| {
            let part = proposition(terms, observed, part);
            terms.and(all, part)
        }),
        Prop::Or(parts) => parts.iter().fold(ZERO, |any, part| {
            let part = proposition(terms, observed, part);
            terms.or(any, part)
        }),
        Prop::Not(inner) => {
            let inner = proposition(terms, observed, inner);
            terms.not(inner)
        }
        Prop::Compare { left, op, right } => {
            let right = match right {
                Side::Value(value) => terms.constant(*value),
                Side::Observed(id) => observed[*id],
            };
            let op = match op {
                Compare::Eq => Op::Eq,
                Compare::Ne => Op::Ne,
                Compare::Lt => Op::Lt,
                Compare::Le => Op::Le,
                Compare::Gt => Op::Gt,
                Compare::Ge => Op::Ge,
            };
            terms.op(op, observed[*left], right)
        }
    }
}
