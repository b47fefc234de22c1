//! Why an execution is none of another model: a cycle of orders that it would have to respect.
//!
//! Verification finds such a cycle when it closes the orders of a reads-from map. Here it is
//! asked about the events of a witness, and answers in the witness's steps.

use crate::bits::Bits;
use crate::event::{Effect, Event, EventId, INIT, NO_SOURCE};
use crate::graph::{EdgeKind, memory_orders};
use crate::program::{FenceKind, Model, Place, Program};
use crate::verify::{Link, MemoryModel, Pso, Reason, Sc, Tso, Verifier};
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
    match model {
        Model::Sc => cycle::<Sc>(program, witness),
        Model::Tso => cycle::<Tso>(program, witness),
        Model::Pso => cycle::<Pso>(program, witness),
    }
}

fn cycle<M: MemoryModel>(program: &Program, witness: &Witness) -> Option<Vec<Before>> {
    let class = Class::of(program, witness);
    let links = match class.events.len() {
        n if n <= Bits::<1>::CAPACITY => class.explain::<M, 1>(program),
        n if n <= Bits::<4>::CAPACITY => class.explain::<M, 4>(program),
        n if n <= Bits::<16>::CAPACITY => class.explain::<M, 16>(program),
        _ => None,
    }?;
    links.iter().map(|link| class.before(link)).collect()
}

/// A witness's events and sources, as the verifiers want them.
struct Class {
    events: Vec<Event>,
    lists: Vec<Vec<EventId>>,
    /// For each event, its step; reads of final memory, which come last, have none.
    steps: Vec<usize>,
}

impl Class {
    fn of(program: &Program, witness: &Witness) -> Class {
        let mut class = Class {
            events: Vec::new(),
            lists: vec![Vec::new(); program.threads.len() + 1],
            steps: Vec::new(),
        };
        let mut event_of = vec![NO_SOURCE; witness.steps.len()];
        let mut complete = true;
        for (number, step) in witness.steps.iter().enumerate() {
            let source = |source: Source| match source {
                Source::Initial => INIT,
                Source::Step(step) => event_of[step],
            };
            let rmw = Effect::READ.and(Effect::DRAIN).and(Effect::RMW);
            let (effect, loc, source) = match step.action {
                Action::Read { loc, source: s, .. } => (Effect::READ, loc, source(s)),
                Action::Write { loc, .. } => (Effect::WRITE, loc, NO_SOURCE),
                Action::Rmw {
                    loc,
                    source: s,
                    written,
                    ..
                } => {
                    let writes = written.map_or(Effect::default(), |_| Effect::WRITE);
                    (rmw.and(writes), loc, source(s))
                }
                Action::Fence(FenceKind::Full) => (Effect::DRAIN, 0, NO_SOURCE),
                Action::Fence(FenceKind::StoreStore) => (Effect::STORE_FENCE, 0, NO_SOURCE),
                Action::Lock { loc, source: s } => {
                    let takes = Effect::READ.and(Effect::WRITE).and(Effect::DRAIN);
                    (takes.and(Effect::LOCK), loc, source(s))
                }
                Action::Unlock { loc } => (Effect::WRITE.and(Effect::DRAIN), loc, NO_SOURCE),
                Action::Flush { .. } => continue,
                Action::Stop(_) => {
                    complete = false;
                    continue;
                }
            };
            event_of[number] = class.events.len() as EventId;
            class.push(usize::from(step.thread), effect, loc, source);
            class.steps.push(number);
        }
        if complete {
            let last = memory_orders(program, witness);
            for observable in program.watched() {
                if let Place::Memory(loc) = observable.place {
                    let source = last[usize::from(loc)].last().map_or(INIT, |s| event_of[*s]);
                    let effect = Effect::READ.and(Effect::OBSERVE);
                    class.push(program.threads.len(), effect, loc, source);
                }
            }
        }
        class
    }

    fn push(&mut self, thread: usize, effect: Effect, loc: u16, source: EventId) {
        let list = &mut self.lists[thread];
        let index = list.len() as u16;
        list.push(self.events.len() as EventId);
        self.events.push(Event {
            thread: thread as u8,
            effect,
            index,
            loc,
            source,
            value: 0,
        });
    }

    fn explain<M: MemoryModel, const W: usize>(&self, program: &Program) -> Option<Vec<Link>> {
        let mut verifier = Verifier::<M, W>::new(program.locations.len());
        verifier.explain(&self.events, &self.lists, Bits::prefix(self.events.len()))
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
