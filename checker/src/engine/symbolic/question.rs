//! What is asked about an unrolled program, as terms: conditions, failures, bounds, waiting.

use super::term::{ONE, Term, Terms, ZERO};
use super::unroll::{Unrolled, Why};
use crate::program::{Compare, Op, Pc, Program, Prop, Span, Term as Side, ThreadId};
use crate::report::FailureKind;
use crate::thread::Stop;

#[derive(Debug)]
pub struct Questions {
    /// Every thread comes to its end, and the filter lets the outcome pass.
    pub outcome: Term,
    /// Parallel to [`Program::conditions`].
    pub conditions: Vec<Term>,
    pub failures: Vec<(FailureAt, Term)>,
    pub bounds: Vec<(BoundAt, Term)>,
    /// Somebody waits for a mutex or in an `await`, and nobody has stopped otherwise.
    pub waiting: Term,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureAt {
    pub kind: FailureKind,
    pub thread: ThreadId,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundAt {
    pub thread: ThreadId,
    pub loop_id: Option<u16>,
    pub pc: Pc,
}

impl Questions {
    pub fn new(program: &Program, unrolled: &mut Unrolled) -> Questions {
        let terms = &mut unrolled.terms;
        let mut outcome = ONE;
        for thread in &unrolled.threads {
            outcome = terms.and(outcome, thread.done);
        }
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
            outcome,
            conditions,
            failures: Vec::new(),
            bounds: Vec::new(),
            waiting: ZERO,
        };
        let mut stopped = ZERO;
        for stop in &unrolled.stops {
            match &stop.why {
                Why::Await(_) | Why::Lock(_) => {
                    questions.waiting = terms.or(questions.waiting, stop.guard);
                    continue;
                }
                Why::Stopped(Stop::Failed(kind)) => {
                    let spans = &program.threads[stop.thread as usize].spans;
                    let at = FailureAt {
                        kind: *kind,
                        thread: stop.thread,
                        span: spans[stop.pc as usize].clone(),
                    };
                    ask(terms, &mut questions.failures, at, stop.guard);
                }
                Why::Stopped(Stop::Bound(loop_id)) => {
                    let at = BoundAt {
                        thread: stop.thread,
                        loop_id: *loop_id,
                        pc: stop.pc,
                    };
                    ask(terms, &mut questions.bounds, at, stop.guard);
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

/// Whether it happens there, on any path.
fn ask<A: PartialEq>(terms: &mut Terms, asked: &mut Vec<(A, Term)>, at: A, guard: Term) {
    match asked.iter_mut().find(|(known, _)| *known == at) {
        Some((_, any)) => *any = terms.or(*any, guard),
        None => asked.push((at, guard)),
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
