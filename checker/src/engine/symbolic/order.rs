//! The order of memory: one literal for each pair of events, and what the models say about them.
//!
//! A load, read-modify-write, lock or unlock stands where it acts, a store where it reaches memory.
//! Of events of one thread, `a` before `b` in the program:
//!
//! | a → b | SC | TSO | PSO |
//! |---|---|---|---|
//! | load, RMW, lock, unlock → anything | always | always | always |
//! | store → RMW, lock, unlock | always | if b is executed | if b is executed |
//! | store → load | always | if an executed `mfence` is between | same |
//! | store → store | always | always | same location, or an executed fence between |
//!
//! A fence orders only when it is executed: an edge through a branch that is not taken would order
//! its neighbours wrongly, because events that are not executed have their place too.

use super::formula::Formula;
use super::rule::Rule;
use super::solver::Lit;
use super::term::EventIndex;
use super::unroll::{Event, Kind};
use crate::program::{FenceKind, Model};
use crate::report::{Budget, Completeness};

#[derive(Debug)]
pub struct Order {
    /// The events that have a place, in the order of the program.
    pub events: Vec<EventIndex>,
    /// The number of an event among those.
    place: Vec<usize>,
    /// Whether the first is before the second, a row for each.
    before: Vec<Lit>,
}

/// More events than this are too many: the triples grow with their cube.
const MAX_EVENTS: usize = 2_000;
/// What the clauses of a triple cost, about.
const TRIPLE_BYTES: usize = 100;

impl Order {
    pub fn new(
        formula: &mut Formula<'_>,
        model: Model,
        max_memory: usize,
        budget: &mut Budget,
    ) -> Result<Order, Completeness> {
        let all = &formula.unrolled.events;
        let mut order = Order {
            events: Vec::new(),
            place: vec![usize::MAX; all.len()],
            before: Vec::new(),
        };
        for (e, event) in all.iter().enumerate() {
            if !event.kind.is_fence() {
                order.place[e] = order.events.len();
                order.events.push(e as EventIndex);
            }
        }
        let n = order.events.len();
        if n > MAX_EVENTS {
            return Err(Completeness::TooManyEvents);
        }
        if n * n * n / 6 * TRIPLE_BYTES > max_memory {
            return Err(Completeness::OutOfMemory);
        }
        order.before = vec![Lit::FALSE; n * n];
        for i in 0..n {
            for j in i + 1..n {
                let (a, b) = (order.events[i], order.events[j]);
                let lit = if all[a as usize].thread == all[b as usize].thread {
                    in_thread(formula, model, a, b)
                } else {
                    formula.circuit.solver.fresh()
                };
                order.before[i * n + j] = lit;
                order.before[j * n + i] = !lit;
            }
            if let Some(reason) = budget.interrupted() {
                return Err(reason);
            }
        }
        order.transitive(formula, budget)?;
        Ok(order)
    }

    /// Whether `a` is before `b`.
    pub fn before(&self, a: EventIndex, b: EventIndex) -> Lit {
        let (a, b) = (self.place[a as usize], self.place[b as usize]);
        self.before[a * self.events.len() + b]
    }

    fn transitive(
        &self,
        formula: &mut Formula<'_>,
        budget: &mut Budget,
    ) -> Result<(), Completeness> {
        let n = self.events.len();
        let solver = &mut formula.circuit.solver;
        for i in 0..n {
            for j in i + 1..n {
                let ij = self.before[i * n + j];
                for k in j + 1..n {
                    let jk = self.before[j * n + k];
                    let ik = self.before[i * n + k];
                    solver.add(Rule::Transitive, &[!ij, !jk, ik]);
                    solver.add(Rule::Transitive, &[ij, jk, !ik]);
                }
                if let Some(reason) = budget.poll(0, solver.memory()) {
                    return Err(reason);
                }
            }
        }
        Ok(())
    }
}

/// Whether `a` is before `b` in memory when it is in its thread.
fn in_thread(formula: &mut Formula<'_>, model: Model, a: EventIndex, b: EventIndex) -> Lit {
    let events = &formula.unrolled.events;
    let (first, second) = (&events[a as usize], &events[b as usize]);
    let reasons = match first.kind {
        Kind::Load => vec![(Rule::AfterLoad, Vec::new())],
        Kind::Rmw | Kind::Lock | Kind::Unlock => vec![(Rule::AfterAtomic, Vec::new())],
        Kind::Store if model == Model::Sc => vec![(Rule::AfterStore, Vec::new())],
        Kind::Store => after_buffered(model, &events[a as usize + 1..b as usize], first, second),
        Kind::Fence(_) => Vec::new(),
    };
    let mut clauses = Vec::new();
    for (rule, conditions) in reasons {
        if !formula.circuit.solver.has(rule) {
            continue;
        }
        let mut clause: Vec<Lit> = conditions.iter().map(|&c| !formula.truth(c)).collect();
        clause.retain(|lit| *lit != Lit::FALSE);
        if clause.is_empty() {
            return Lit::TRUE;
        }
        clauses.push((rule, clause));
    }
    let before = formula.circuit.solver.fresh();
    for (rule, mut clause) in clauses {
        clause.push(before);
        formula.circuit.solver.add(rule, &clause);
    }
    before
}

/// Why a store that waits in a buffer reaches memory before what follows: each reason with
/// what must hold for it.
fn after_buffered(
    model: Model,
    between: &[Event],
    store: &Event,
    next: &Event,
) -> Vec<(Rule, Vec<super::term::Term>)> {
    let fences = |kind: FenceKind, rule: Rule| {
        let executed = between.iter().filter(move |e| e.kind == Kind::Fence(kind));
        executed.map(move |fence| (rule, vec![fence.guard]))
    };
    match next.kind {
        Kind::Rmw | Kind::Lock | Kind::Unlock => vec![(Rule::Drain, vec![next.guard])],
        Kind::Load => fences(FenceKind::Full, Rule::FullFence).collect(),
        Kind::Store if model == Model::Tso => vec![(Rule::StoreOrder, Vec::new())],
        Kind::Store => {
            let mut reasons: Vec<_> = fences(FenceKind::Full, Rule::FullStoreFence)
                .chain(fences(FenceKind::StoreStore, Rule::StoreFence))
                .collect();
            for &(loc, at) in &store.places {
                let other = next.at(loc);
                if other != super::term::ZERO {
                    reasons.push((Rule::LocationOrder, vec![at, other]));
                }
            }
            reasons
        }
        Kind::Fence(_) => Vec::new(),
    }
}
