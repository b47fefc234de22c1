//! Puts the questions to the solver, and makes executions of its answers.

use super::formula::Formula;
use super::question::{Questions, StopAt};
use super::rule::Rule;
use super::schedule;
use super::solver::{Answer, Lit};
use super::term::Term;
use crate::engine::Task;
use crate::operational::{End, Machine, Move};
use crate::program::{Program, Value, Verdict};
use crate::replay::ReplayError;
use crate::report::Completeness;

/// A program and its memory as a formula, whatever the encoding.
pub struct Encoding<'f, 'u> {
    pub formula: &'f mut Formula<'u>,
    /// Everybody who waits waits for ever.
    pub for_ever: Lit,
    /// What may be assumed where no thread is asked about by its number.
    pub symmetric: Lit,
    /// Whether what the formula does not have cannot happen.
    pub is_complete: bool,
    /// The execution of the assignment that was found last.
    pub schedule: &'f dyn Fn(&Formula<'u>) -> Vec<Move>,
}

/// What is known about a condition: whether an outcome satisfies it, and whether one does not.
#[derive(Debug, Clone, Copy, Default)]
struct Sides {
    holds: Option<bool>,
    fails: Option<bool>,
}

impl Sides {
    fn verdict(self) -> Verdict {
        match (self.holds, self.fails) {
            (Some(true), Some(true)) => Verdict::Sometimes,
            (Some(true), Some(false)) => Verdict::Always,
            (Some(false), _) => Verdict::Never,
            _ => Verdict::Unknown,
        }
    }
}

/// How many clauses may be learnt for each outcome that is to be listed: unlike time, a limit
/// that gives the same list every time.
const LEARNT_EACH: u64 = 10;

/// Asks everything. What was answered before a budget ran out stays.
pub fn ask(
    task: &mut Task<'_, '_>,
    questions: &Questions,
    encoding: Encoding<'_, '_>,
) -> Completeness {
    let is_complete = encoding.is_complete;
    let mut sides = vec![Sides::default(); task.program.conditions.len()];
    let mut asking = Asking {
        task,
        encoding,
        states: Vec::new(),
    };
    let result = asking.all(questions, &mut sides);
    let verdicts = sides.into_iter().map(Sides::verdict).collect();
    task.collector.judged(verdicts);
    match result {
        Err(reason) => reason,
        Ok(()) if is_complete => Completeness::Complete,
        Ok(()) => Completeness::OutOfRounds,
    }
}

struct Asking<'t, 'a, 'p, 'f, 'u> {
    task: &'t mut Task<'a, 'p>,
    encoding: Encoding<'f, 'u>,
    /// The outcomes that were found.
    states: Vec<Vec<Value>>,
}

impl Asking<'_, '_, '_, '_, '_> {
    fn all(&mut self, questions: &Questions, sides: &mut [Sides]) -> Result<(), Completeness> {
        let program: &Program = self.task.program;
        // What an execution is read off must be there before it is asked for.
        let formula = &mut self.encoding.formula;
        for event in &formula.unrolled.events {
            formula.make(event.guard);
            for &(_, at) in &event.places {
                formula.make(at);
            }
        }
        for &term in &formula.unrolled.observed {
            formula.make(term);
        }
        let symmetric = self.encoding.symmetric;
        let outcome = self.encoding.formula.truth(questions.outcome);
        for (i, &condition) in questions.conditions.iter().enumerate() {
            let condition = self.encoding.formula.truth(condition);
            let prop = &program.conditions[i].prop;
            let known = |states: &[Vec<Value>], holds| {
                let mut states = states.iter();
                states.any(|state| prop.holds(state) == holds)
            };
            let holds =
                known(&self.states, true) || self.outcome(&[outcome, condition, symmetric])?;
            sides[i].holds = self.settled(holds);
            let fails =
                known(&self.states, false) || self.outcome(&[outcome, !condition, symmetric])?;
            sides[i].fails = self.settled(fails);
        }
        for (at, guard) in &questions.stops {
            self.stopped(at, *guard)?;
        }
        let waiting = self.encoding.formula.truth(questions.waiting);
        let for_ever = self.encoding.for_ever;
        if self.holds(&[waiting, for_ever, symmetric])? {
            let moves = self.schedule();
            self.task.collector.deadlock(|| moves);
        }
        if self.states.is_empty() {
            // Whether the filter drops them all, or there is none.
            let complete = self.encoding.formula.truth(questions.complete);
            self.outcome(&[complete, symmetric])?;
        }
        self.list(&[outcome, symmetric])
    }

    /// What was found is real; what was not found is not there only if all was looked for.
    fn settled(&self, found: bool) -> Option<bool> {
        (found || self.encoding.is_complete).then_some(found)
    }

    fn holds(&mut self, assumptions: &[Lit]) -> Result<bool, Completeness> {
        match self.encoding.formula.circuit.solver.solve(assumptions) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Stopped(reason) => Err(reason),
        }
    }

    fn schedule(&mut self) -> Vec<Move> {
        (self.encoding.schedule)(self.encoding.formula)
    }

    /// Looks for an outcome and keeps it.
    fn outcome(&mut self, assumptions: &[Lit]) -> Result<bool, Completeness> {
        if !self.holds(assumptions)? {
            return Ok(false);
        }
        let formula = &self.encoding.formula;
        let value = |&term: &Term| formula.word(term).value(&formula.circuit);
        let state: Vec<Value> = formula.unrolled.observed.iter().map(value).collect();
        let moves = self.schedule();
        self.task.collector.complete(&state, || moves);
        self.states.push(state);
        Ok(true)
    }

    /// Whether a thread can stop there; then lets the others go on, and sees how all end.
    fn stopped(&mut self, at: &StopAt, guard: Term) -> Result<(), Completeness> {
        let guard = self.encoding.formula.truth(guard);
        if !self.holds(&[guard])? {
            return Ok(());
        }
        let (program, model) = (self.task.program, self.task.model);
        let moves = schedule::complete(program, model, self.schedule());
        let mut machine = Machine::new(program, model);
        for &step in &moves {
            machine.step(step);
        }
        let ends: Vec<End> = machine.ends().collect();
        if !at.is_among(program, &ends) {
            self.task.collector.contradicted(ReplayError::WrongEnd);
        }
        self.task.collector.incomplete(&ends, || moves);
        Ok(())
    }

    /// Finds the outcomes that are not known yet, as far as that is cheap.
    fn list(&mut self, assumptions: &[Lit]) -> Result<(), Completeness> {
        let listing = self.encoding.formula.circuit.solver.fresh();
        let mut assumptions = assumptions.to_vec();
        assumptions.push(listing);
        for i in 0..self.states.len() {
            self.exclude(listing, i);
        }
        let wanted = self.task.options.list_outcomes;
        let patience = (wanted as u64).saturating_mul(LEARNT_EACH);
        let solver = &mut self.encoding.formula.circuit.solver;
        solver.set_patience(patience);
        let most = self.states.len().saturating_add(wanted);
        while self.states.len() < most {
            match self.outcome(&assumptions) {
                Ok(true) => self.exclude(listing, self.states.len() - 1),
                Ok(false) => return Ok(()),
                Err(Completeness::OutOfClasses) => break,
                Err(reason) => return Err(reason),
            }
        }
        self.task.collector.more_outcomes();
        Ok(())
    }

    /// Asks for no outcome like that one any more.
    fn exclude(&mut self, listing: Lit, state: usize) {
        let formula = &mut self.encoding.formula;
        let mut clause = vec![!listing];
        for (&term, &value) in formula.unrolled.observed.iter().zip(&self.states[state]) {
            let word = formula.word(term);
            clause.extend((0..word.width()).map(|i| {
                let bit = word.bit(i);
                if value >> i & 1 != 0 { !bit } else { bit }
            }));
        }
        formula.circuit.solver.add(Rule::Listed, &clause);
    }
}
