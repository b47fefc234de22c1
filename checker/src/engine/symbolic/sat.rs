//! The engine `sat`: the program's memory as axioms over reads-from and one order of memory.
//!
//! It answers one question at a time: it finds one execution or shows that there is none, and counts
//! no classes. Nothing bounds it but the loops' own bounds.

use super::ask::{Encoding, ask};
use super::axioms::Axioms;
use super::order::Order;
use super::rule::Rule;
use super::schedule;
use super::term::EventIndex;
use super::{Prepared, prepare};
use crate::engine::{Explore, Task};
use crate::model::Rules;
use crate::program::{Pc, ThreadId};
use crate::report::Completeness;

#[derive(Debug)]
pub struct Sat {
    /// The rule whose axioms are left out, by tests.
    pub without: Option<Rule>,
}

impl Explore for Sat {
    fn explore(&self, task: &mut Task<'_, '_>) -> Completeness {
        self.search(task).unwrap_or_else(|reason| reason)
    }
}

impl Sat {
    fn search(&self, task: &mut Task<'_, '_>) -> Result<Completeness, Completeness> {
        let rules = Rules::of(task.model);
        let Prepared {
            unrolled,
            questions,
            sources,
            ranges,
            solver,
        } = prepare(task, self.without)?;
        let mut formula = super::formula(&unrolled, ranges, solver);
        let order = Order::new(&mut formula, rules, task)?;
        let mut axioms = Axioms::new(task.program, &mut formula, &order, &sources, task.budget)?;
        let for_ever = axioms.for_ever();
        let symmetric = axioms.symmetry();
        let encoding = Encoding {
            formula: &mut formula,
            for_ever,
            symmetric,
            is_complete: true,
            schedule: &|formula| schedule::schedule(formula, &order, rules),
        };
        Ok(ask(task, &questions, encoding))
    }
}

/// A rule and the instructions that one of its instances speaks of.
pub type NamedAxiom = (Rule, Vec<(ThreadId, Pc)>);

/// Every axiom of a program under the task's model; gates have no place in the text.
pub fn named_axioms(task: &mut Task<'_, '_>) -> Result<Vec<NamedAxiom>, Completeness> {
    let rules = Rules::of(task.model);
    let Prepared {
        unrolled,
        sources,
        ranges,
        mut solver,
        ..
    } = prepare(task, None)?;
    solver.keep_axioms();
    let mut formula = super::formula(&unrolled, ranges, solver);
    let order = Order::new(&mut formula, rules, task)?;
    Axioms::new(task.program, &mut formula, &order, &sources, task.budget)?;
    let site = |event: &EventIndex| {
        let event = &unrolled.events[*event as usize];
        (event.thread, event.pc)
    };
    let axioms = formula.circuit.solver.kept_axioms().into_iter();
    Ok(axioms
        .map(|axiom| (axiom.rule, axiom.about.iter().map(site).collect()))
        .collect())
}
