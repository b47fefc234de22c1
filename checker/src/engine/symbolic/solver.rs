//! The SAT solver behind a small interface: literals with a constant, budgets, a way to stop it.

use std::cell::Cell;
use std::rc::Rc;

use batsat::{Callbacks, ClauseKind, SolverInterface, lbool};

use super::rule::Rule;
use super::term::EventIndex;
use crate::report::{Completeness, Interrupt};

/// A variable or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    pub const TRUE: Lit = Lit(0);
    pub const FALSE: Lit = Lit(1);

    pub fn known(self) -> Option<bool> {
        match self {
            Lit::TRUE => Some(true),
            Lit::FALSE => Some(false),
            _ => None,
        }
    }

    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Sat,
    Unsat,
    Stopped(Completeness),
}

/// An instance of a rule: a clause, and the events it speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axiom {
    pub rule: Rule,
    pub about: Vec<EventIndex>,
}

pub struct Solver {
    inner: batsat::Solver<Watch>,
    /// The variables, the constant included.
    variables: u32,
    clauses: usize,
    held: Rc<Cell<usize>>,
    /// How many clauses it may still learn.
    patience: Rc<Cell<u64>>,
    /// The axioms so far, for whoever asks what they are.
    axioms: Option<Vec<Axiom>>,
    /// An axiom that is left out, to see that it is missed.
    without: Option<Rule>,
    clause: Vec<batsat::Lit>,
}

impl Solver {
    pub fn new(interrupt: Interrupt, max_memory: usize, without: Option<Rule>) -> Solver {
        let held = Rc::new(Cell::new(0));
        let patience = Rc::new(Cell::new(u64::MAX));
        let watch = Watch {
            interrupt,
            max_memory,
            held: held.clone(),
            patience: patience.clone(),
            countdown: Cell::new(0),
            stopped: Cell::new(None),
        };
        Solver {
            inner: batsat::Solver::new(batsat::SolverOpts::default(), watch),
            variables: 1,
            clauses: 0,
            held,
            patience,
            axioms: None,
            without,
            clause: Vec::new(),
        }
    }

    /// Keeps the axioms from here on.
    pub fn keep_axioms(&mut self) {
        self.axioms = Some(Vec::new());
    }

    pub fn kept_axioms(&mut self) -> Vec<Axiom> {
        self.axioms.take().unwrap_or_default()
    }

    /// A literal that the rule says is true, about these events. A constant, unless the axioms
    /// are kept and this is to be one of them.
    pub fn always(&mut self, rule: Rule, about: &[EventIndex]) -> Lit {
        if self.axioms.is_none() {
            return Lit::TRUE;
        }
        let lit = self.fresh();
        self.axiom(rule, about, &[lit]);
        lit
    }

    pub fn fresh(&mut self) -> Lit {
        self.inner.new_var_default();
        self.held.set(self.held.get() + VARIABLE_BYTES);
        self.variables += 1;
        Lit((self.variables - 1) << 1)
    }

    /// Whether the axioms of a rule are in force.
    pub fn has(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// Adds an instance of a rule that speaks of no event.
    pub fn add(&mut self, rule: Rule, lits: &[Lit]) {
        self.axiom(rule, &[], lits);
    }

    /// Adds an instance of a rule, about these events.
    pub fn axiom(&mut self, rule: Rule, about: &[EventIndex], lits: &[Lit]) {
        if lits.contains(&Lit::TRUE) || !self.has(rule) {
            return;
        }
        if let Some(axioms) = &mut self.axioms {
            axioms.push(Axiom {
                rule,
                about: about.to_vec(),
            });
        }
        self.clause.clear();
        self.clause
            .extend(lits.iter().filter(|l| **l != Lit::FALSE).map(|l| inner(*l)));
        self.held
            .set(self.held.get() + CLAUSE_BYTES + self.clause.len() * LITERAL_BYTES);
        self.clauses += 1;
        self.inner.add_clause_reuse(&mut self.clause);
    }

    /// Looks for an assignment in which all of these hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        if assumptions.contains(&Lit::FALSE) {
            return Answer::Unsat;
        }
        self.clause.clear();
        self.clause.extend(
            assumptions
                .iter()
                .filter(|l| **l != Lit::TRUE)
                .map(|l| inner(*l)),
        );
        let assumptions = std::mem::take(&mut self.clause);
        let result = self.inner.solve_limited(&assumptions);
        self.clause = assumptions;
        if result == lbool::TRUE {
            return Answer::Sat;
        }
        if result == lbool::FALSE {
            return Answer::Unsat;
        }
        let reason = self.inner.cb().stopped.get();
        Answer::Stopped(reason.unwrap_or(Completeness::Cancelled))
    }

    /// Lets it learn this many clauses more and then stop as if out of classes: unlike time, a
    /// limit that gives the same answer every time.
    pub fn set_patience(&mut self, clauses: u64) {
        self.patience.set(clauses);
    }

    /// The literal's value in the assignment that was found last.
    pub fn value(&self, lit: Lit) -> bool {
        match lit.known() {
            Some(value) => value,
            None => self.inner.value_lit(inner(lit)) == lbool::TRUE,
        }
    }

    /// Bytes held, about.
    pub fn memory(&self) -> usize {
        self.held.get()
    }

    /// Variables and clauses.
    pub fn size(&self) -> (usize, usize) {
        (self.variables as usize - 1, self.clauses)
    }
}

impl std::fmt::Debug for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (variables, clauses) = self.size();
        write!(f, "{variables} variables, {clauses} clauses")
    }
}

/// The constant is not a variable of the solver's.
fn inner(lit: Lit) -> batsat::Lit {
    let variable = batsat::Var::unsafe_from_idx((lit.0 >> 1) - 1);
    batsat::Lit::new(variable, lit.0 & 1 == 0)
}

/// What a literal in a clause, a clause and a variable cost the solver, about: the clause with
/// its header and its two watches, all that is known of a variable.
const LITERAL_BYTES: usize = 4;
const CLAUSE_BYTES: usize = 40;
const VARIABLE_BYTES: usize = 100;

/// Stops the solver when it is told to or holds too much.
struct Watch {
    interrupt: Interrupt,
    max_memory: usize,
    held: Rc<Cell<usize>>,
    patience: Rc<Cell<u64>>,
    /// Asking the clock costs more than a decision.
    countdown: Cell<u32>,
    stopped: Cell<Option<Completeness>>,
}

const POLL_INTERVAL: u32 = 64;

impl Callbacks for Watch {
    fn on_start(&mut self) {
        self.stopped.set(None);
        self.countdown.set(0);
    }

    fn on_new_clause(&mut self, clause: &[batsat::Lit], _: ClauseKind) {
        self.patience.set(self.patience.get().saturating_sub(1));
        let bytes = CLAUSE_BYTES + clause.len() * LITERAL_BYTES;
        self.held.set(self.held.get() + bytes);
    }

    fn on_delete_clause(&mut self, clause: &[batsat::Lit]) {
        let bytes = CLAUSE_BYTES + clause.len() * LITERAL_BYTES;
        self.held.set(self.held.get().saturating_sub(bytes));
    }

    fn stop(&self) -> bool {
        if self.stopped.get().is_some() {
            return true;
        }
        if self.countdown.get() > 0 {
            self.countdown.set(self.countdown.get() - 1);
            return false;
        }
        self.countdown.set(POLL_INTERVAL);
        let reason = if self.patience.get() == 0 {
            Some(Completeness::OutOfClasses)
        } else if self.held.get() > self.max_memory {
            Some(Completeness::OutOfMemory)
        } else {
            self.interrupt.poll()
        };
        self.stopped.set(reason);
        reason.is_some()
    }
}
