//! The engine `sat`: one question at a time to a SAT solver.
//!
//! The program is unrolled, its memory is described by axioms over reads-from and one order of
//! memory, and each question is whether they have a solution. It finds one execution or shows
//! that there is none; it counts no classes.

use super::axioms::Axioms;
use super::circuit::Circuit;
use super::formula::Formula;
use super::order::Order;
use super::question::Questions;
use super::range::Ranges;
use super::rule::Rule;
use super::schedule;
use super::solver::{Answer, Lit, Solver};
use super::sources::Sources;
use super::unroll::unroll;
use crate::collect::Collector;
use crate::operational::{End, Machine, Move};
use crate::program::{Model, Program, Value, Verdict};
use crate::report::{Budget, Completeness, EngineKind, Options, Report};

pub fn explore(program: &Program, model: Model, options: &Options) -> Report {
    explore_without(program, model, options, None)
}

/// As [`explore`], with the axioms of one rule left out: tests break each rule in turn and must
/// see that it is missed.
#[doc(hidden)]
pub fn explore_without(
    program: &Program,
    model: Model,
    options: &Options,
    without: Option<Rule>,
) -> Report {
    let mut budget = Budget::new(options);
    let mut collector = Collector::new(program, model);
    let mut verdicts = vec![Side::default(); program.conditions.len()];
    let completeness = search(
        program,
        model,
        options,
        without,
        &mut budget,
        &mut collector,
        &mut verdicts,
    )
    .err()
    .unwrap_or(Completeness::Complete);
    let mut report = collector.finish(EngineKind::Sat, completeness, budget.elapsed());
    for (condition, side) in report.conditions.iter_mut().zip(verdicts) {
        condition.verdict = side.verdict();
    }
    report
}

/// What is known about a condition: whether an outcome satisfies it, and whether one does not.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    holds: Option<bool>,
    fails: Option<bool>,
}

impl Side {
    fn verdict(self) -> Verdict {
        match (self.holds, self.fails) {
            (Some(true), Some(true)) => Verdict::Sometimes,
            (Some(true), Some(false)) => Verdict::Always,
            (Some(false), _) => Verdict::Never,
            _ => Verdict::Unknown,
        }
    }
}

/// How many outcomes are listed, and how many clauses may be learnt for it.
const MAX_OUTCOMES: usize = 1_000;
const MAX_LEARNT: u64 = 100_000;

fn search<'p>(
    program: &'p Program,
    model: Model,
    options: &Options,
    without: Option<Rule>,
    budget: &mut Budget,
    collector: &mut Collector<'p>,
    verdicts: &mut [Side],
) -> Result<(), Completeness> {
    let max_memory = options.max_memory.unwrap_or(usize::MAX);
    let mut unrolled = unroll(program, budget)?;
    let questions = Questions::new(program, &mut unrolled);
    let sources = Sources::new(&unrolled);
    let ranges = Ranges::new(program, &unrolled, &sources, budget)?;
    let solver = Solver::new(budget.interrupt(), max_memory, without);
    let mut formula = Formula::new(&unrolled, ranges, Circuit::new(solver));
    let order = Order::new(&mut formula, model, max_memory, budget)?;
    let mut axioms = Axioms::new(program, &mut formula, order, &sources, budget)?;
    let for_ever = axioms.for_ever();
    let symmetric = axioms.symmetry();
    let Axioms { formula, order, .. } = axioms;
    for event in &unrolled.events {
        formula.make(event.guard);
        for &(_, at) in &event.places {
            formula.make(at);
        }
    }
    for &term in &unrolled.observed {
        formula.make(term);
    }
    let mut search = Search {
        program,
        model,
        formula,
        order: &order,
        collector,
        states: Vec::new(),
    };

    let outcome = search.formula.truth(questions.outcome);
    for (i, &condition) in questions.conditions.iter().enumerate() {
        let condition = search.formula.truth(condition);
        for holds in [true, false] {
            let asked = if holds { condition } else { !condition };
            let prop = &program.conditions[i].prop;
            let known = search.states.iter().any(|state| prop.holds(state) == holds);
            let found = known || search.outcome(&[outcome, asked, symmetric])?;
            let side = &mut verdicts[i];
            *(if holds {
                &mut side.holds
            } else {
                &mut side.fails
            }) = Some(found);
        }
    }
    for (_, failure) in &questions.failures {
        let failure = search.formula.truth(*failure);
        if search.holds(&[failure])? {
            search.stopped();
        }
    }
    for (_, bound) in &questions.bounds {
        let bound = search.formula.truth(*bound);
        if search.holds(&[bound])? {
            search.stopped();
        }
    }
    let waiting = search.formula.truth(questions.waiting);
    if search.holds(&[waiting, for_ever, symmetric])? {
        let moves = search.schedule();
        search.collector.deadlock(|| moves);
    }
    search.list(&[outcome, symmetric])
}

struct Search<'a, 'f, 'u, 'p> {
    program: &'p Program,
    model: Model,
    formula: &'f mut Formula<'u>,
    order: &'a Order,
    collector: &'a mut Collector<'p>,
    /// The outcomes that were found.
    states: Vec<Vec<Value>>,
}

impl Search<'_, '_, '_, '_> {
    fn holds(&mut self, assumptions: &[Lit]) -> Result<bool, Completeness> {
        match self.formula.circuit.solver.solve(assumptions) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Stopped(reason) => Err(reason),
        }
    }

    fn schedule(&mut self) -> Vec<Move> {
        schedule::schedule(self.formula, self.order, self.model)
    }

    /// Looks for an outcome and keeps it.
    fn outcome(&mut self, assumptions: &[Lit]) -> Result<bool, Completeness> {
        if !self.holds(assumptions)? {
            return Ok(false);
        }
        let state: Vec<Value> = self
            .formula
            .unrolled
            .observed
            .iter()
            .map(|&term| self.formula.word(term).value(&self.formula.circuit))
            .collect();
        let moves = self.schedule();
        self.collector.complete(&state, || moves);
        self.states.push(state);
        Ok(true)
    }

    /// An execution in which a thread has stopped: lets the others go on, and sees how all end.
    fn stopped(&mut self) {
        let moves = schedule::complete(self.program, self.model, self.schedule());
        let mut machine = Machine::new(self.program, self.model);
        for &step in &moves {
            machine.step(step);
        }
        let ends: Vec<End> = machine.ends().collect();
        self.collector.incomplete(&ends, || moves);
    }

    /// Finds the outcomes that are not known yet.
    fn list(&mut self, assumptions: &[Lit]) -> Result<(), Completeness> {
        let listing = self.formula.circuit.solver.fresh();
        let mut assumptions = assumptions.to_vec();
        assumptions.push(listing);
        for i in 0..self.states.len() {
            self.exclude(listing, i);
        }
        self.formula.circuit.solver.set_patience(MAX_LEARNT);
        while self.states.len() < MAX_OUTCOMES {
            if !self.outcome(&assumptions)? {
                return Ok(());
            }
            self.exclude(listing, self.states.len() - 1);
        }
        Err(Completeness::OutOfClasses)
    }

    /// Asks for no outcome like that one any more.
    fn exclude(&mut self, listing: Lit, state: usize) {
        let mut clause = vec![!listing];
        let observed = &self.formula.unrolled.observed;
        for (&term, &value) in observed.iter().zip(&self.states[state]) {
            let word = self.formula.word(term);
            clause.extend((0..word.width()).map(|i| {
                let bit = word.bit(i);
                if value >> i & 1 != 0 { !bit } else { bit }
            }));
        }
        self.formula.circuit.solver.add(Rule::Question, &clause);
    }
}
