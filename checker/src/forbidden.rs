//! Why an execution is none of another model: a cycle of orders that it would have to respect.
//!
//! Verification finds such a cycle when it closes the orders of a reads-from map. Here it is
//! asked about the events of a witness, and answers in the witness's steps.

use crate::bits::Bits;
use crate::event::{Effect, EventId, Execution, INIT, NO_SOURCE};
use crate::graph::{EdgeKind, memory_orders};
use crate::model::{Model, fence};
use crate::program::{Place, Program};
use crate::verify::{Link, Reason, Verifier};
use crate::witness::{Action, Source, Witness};

/// One step of a cycle: step `from` of the witness would have to come before step `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before {
    pub from: usize,
    pub to: usize,
    /// Why: `Po` as far as the model keeps it, `Rf`, `Co` and `Fr` in the execution it would be.
    pub kind: EdgeKind,
}

/// The weakest of the models stronger than the witness's own that has no such execution, and
/// why; the cycle begins with its first step.
pub fn by_stronger(program: &Program, witness: &Witness) -> Option<(Model, Vec<Before>)> {
    let mut weakest_first = Model::ALL.into_iter().rev();
    weakest_first.find(|model| *model == witness.model)?;
    let (model, mut cycle) =
        weakest_first.find_map(|model| Some((model, why_not(program, witness, model)?)))?;
    let first = (0..cycle.len()).min_by_key(|i| cycle[*i].from)?;
    cycle.rotate_left(first);
    Some((model, cycle))
}

/// The orders that keep the witness, and all executions of its class, out of `model`. None
/// when it has such an execution, or when no cycle tells.
pub fn why_not(program: &Program, witness: &Witness, model: Model) -> Option<Vec<Before>> {
    let class = Class::of(program, witness);
    let links = match class.execution.events.len() {
        n if n <= Bits::<1>::CAPACITY => class.explain::<1>(program, model),
        n if n <= Bits::<4>::CAPACITY => class.explain::<4>(program, model),
        n if n <= Bits::<16>::CAPACITY => class.explain::<16>(program, model),
        _ => None,
    }?;
    links.iter().map(|link| class.before(link)).collect()
}

/// A witness's events and sources, as the verifiers want them.
struct Class {
    execution: Execution,
    /// For each event, its step; reads of final memory, which come last, have none.
    steps: Vec<usize>,
}

impl Class {
    fn of(program: &Program, witness: &Witness) -> Class {
        let mut class = Class {
            execution: Execution::new(program.threads.len()),
            steps: Vec::new(),
        };
        let mut event_of = vec![NO_SOURCE; witness.steps.len()];
        let mut complete = true;
        for (number, step) in witness.steps.iter().enumerate() {
            let source = |source: Source| match source {
                Source::Initial => INIT,
                Source::Step(step) => event_of[step],
            };
            let (effect, loc, source) = match step.action {
                Action::Read { loc, source: s, .. } => (Effect::READ, loc, source(s)),
                Action::Write { loc, .. } => (Effect::WRITE, loc, NO_SOURCE),
                Action::Rmw {
                    loc,
                    source: s,
                    written,
                    ..
                } => (Effect::rmw(written.is_some()), loc, source(s)),
                Action::Fence(kind) => (fence(kind), 0, NO_SOURCE),
                Action::Lock { loc, source: s } => (Effect::lock(), loc, source(s)),
                Action::Unlock { loc } => (Effect::unlock(), loc, NO_SOURCE),
                Action::Flush { .. } => continue,
                Action::Stop(_) => {
                    complete = false;
                    continue;
                }
            };
            event_of[number] = class.execution.events.len() as EventId;
            class
                .execution
                .push(usize::from(step.thread), effect, loc, source);
            class.steps.push(number);
        }
        if complete {
            let last = memory_orders(program, witness);
            for observable in program.watched() {
                if let Place::Memory(loc) = observable.place {
                    let source = last[usize::from(loc)].last().map_or(INIT, |s| event_of[*s]);
                    let observers = program.threads.len();
                    class
                        .execution
                        .push(observers, Effect::observer(), loc, source);
                }
            }
        }
        class
    }

    fn explain<const W: usize>(&self, program: &Program, model: Model) -> Option<Vec<Link>> {
        let mut verifier = Verifier::<W>::new(model, program.locations.len());
        verifier.explain(&self.execution, Bits::prefix(self.execution.events.len()))
    }

    fn before(&self, link: &Link) -> Option<Before> {
        let step = |event: EventId| self.steps.get(usize::from(event)).copied();
        Some(Before {
            from: step(link.from)?,
            to: step(link.to)?,
            kind: match link.reason {
                Reason::ProgramOrder => EdgeKind::Po,
                Reason::ReadsFrom => EdgeKind::Rf,
                Reason::OwnStore | Reason::BeforeSource => EdgeKind::Co,
                Reason::FromRead => EdgeKind::Fr,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::EdgeKind::{Co, Fr, Po, Rf};
    use super::*;
    use crate::lower::{LowerOptions, lower};
    use crate::report::Options;

    fn program(text: &str) -> Program {
        let parse = fencepost_grammar::parse(text);
        assert!(!parse.has_errors(), "{:?}", parse.errors);
        lower(&parse.sound().expect("a test"), &LowerOptions::default()).expect(text)
    }

    /// The witness of the first condition under one model, and the cycle that forbids it
    /// under another, as the spans of its steps.
    fn cycle(text: &str, shown: Model, forbidden: Model) -> Option<Vec<(&str, EdgeKind)>> {
        let program = program(text);
        let report = crate::check(&program, shown, &Options::default());
        let outcome = report.outcomes.iter().find(|o| o.holds[0]).expect(text);
        let witness = outcome.witness(&program);
        let cycle = why_not(&program, &witness, forbidden)?;
        for (link, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            assert_eq!(link.to, next.from, "{cycle:?}");
        }
        let span = |step: usize| witness.steps[step].span.clone();
        let source = |step| &text[span(step).start as usize..span(step).end as usize];
        let mut cycle: Vec<_> = cycle.iter().map(|l| (source(l.from), l.kind)).collect();
        let first = (0..cycle.len()).min_by_key(|i| cycle[*i].0)?;
        cycle.rotate_left(first);
        Some(cycle)
    }

    const SB: &str = "litmus SB\nshared x, y;\nthread P { x = 1; a = y; }\n\
                      thread Q { y = 1; b = x; }\nexists (P:a = 0 /\\ Q:b = 0)\n";

    #[test]
    fn store_buffering_is_two_reads_before_two_writes() {
        let expected = vec![
            ("a = y;", Fr),
            ("y = 1;", Po),
            ("b = x;", Fr),
            ("x = 1;", Po),
        ];
        assert_eq!(cycle(SB, Model::Tso, Model::Sc), Some(expected));
        assert_eq!(cycle(SB, Model::Pso, Model::Tso), None);
    }

    #[test]
    fn message_passing_is_read_and_read_before() {
        let text = "litmus MP\nshared d, f;\nthread P { d = 1; f = 1; }\n\
                    thread Q { a = f; b = d; }\nexists (Q:a = 1 /\\ Q:b = 0)\n";
        let expected = vec![
            ("a = f;", Po),
            ("b = d;", Fr),
            ("d = 1;", Po),
            ("f = 1;", Rf),
        ];
        assert_eq!(cycle(text, Model::Pso, Model::Tso), Some(expected));
    }

    #[test]
    fn final_memory_orders_the_writes() {
        let text = "litmus W\nshared x, y;\nthread P { x = 1; y = 2; }\n\
                    thread Q { y = 1; x = 2; }\nexists (x = 1 /\\ y = 1)\n";
        let expected = vec![
            ("x = 1;", Po),
            ("y = 2;", Co),
            ("y = 1;", Po),
            ("x = 2;", Co),
        ];
        assert_eq!(cycle(text, Model::Pso, Model::Tso), Some(expected));
        assert_eq!(cycle(text, Model::Pso, Model::Pso), None);
    }
}
