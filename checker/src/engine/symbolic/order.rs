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
use super::term::{EventIndex, Term, ZERO};
use super::unroll::{Event, Kind};
use crate::engine::Task;
use crate::model::{Buffers, Rules};
use crate::program::FenceKind;
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

/// What the clauses of a triple cost, about.
const TRIPLE_BYTES: usize = 100;

impl Order {
    pub fn new(
        formula: &mut Formula<'_>,
        rules: Rules,
        task: &mut Task<'_, '_>,
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
        if n * n * n / 6 * TRIPLE_BYTES > task.options.max_memory.unwrap_or(usize::MAX) {
            return Err(Completeness::OutOfMemory);
        }
        order.before = vec![Lit::FALSE; n * n];
        for i in 0..n {
            for j in i + 1..n {
                let (a, b) = (order.events[i], order.events[j]);
                let lit = if all[a as usize].thread == all[b as usize].thread {
                    in_thread(formula, rules, a, b)
                } else {
                    formula.circuit.solver.fresh()
                };
                order.before[i * n + j] = lit;
                order.before[j * n + i] = !lit;
            }
            if let Some(reason) = task.budget.interrupted() {
                return Err(reason);
            }
        }
        order.transitive(formula, task.budget)?;
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
                    let about = [self.events[i], self.events[j], self.events[k]];
                    let jk = self.before[j * n + k];
                    let ik = self.before[i * n + k];
                    solver.axiom(Rule::Transitive, &about, &[!ij, !jk, ik]);
                    solver.axiom(Rule::Transitive, &about, &[ij, jk, !ik]);
                }
                if let Some(reason) = budget.poll(0, solver.memory()) {
                    return Err(reason);
                }
            }
        }
        Ok(())
    }
}

/// Why one event is before another: a rule, what must hold for it, and the fence if it is one.
type Reason = (Rule, Vec<Term>, Option<EventIndex>);

/// Whether `a` is before `b` in memory when it is in its thread.
fn in_thread(formula: &mut Formula<'_>, rules: Rules, a: EventIndex, b: EventIndex) -> Lit {
    let events = &formula.unrolled.events;
    let reasons = match events[a as usize].kind {
        Kind::Load => vec![(Rule::AfterLoad, Vec::new(), None)],
        Kind::Rmw | Kind::Lock | Kind::Unlock => vec![(Rule::AfterAtomic, Vec::new(), None)],
        Kind::Store if !rules.buffer_stores() => vec![(Rule::AfterStore, Vec::new(), None)],
        Kind::Store => after_buffered(rules, events, a, b),
        Kind::Fence(_) => Vec::new(),
    };
    let mut clauses = Vec::new();
    for (rule, conditions, fence) in reasons {
        if !formula.circuit.solver.has(rule) {
            continue;
        }
        let about: Vec<EventIndex> = [a, b].into_iter().chain(fence).collect();
        let mut clause: Vec<Lit> = conditions.iter().map(|&c| !formula.truth(c)).collect();
        clause.retain(|lit| *lit != Lit::FALSE);
        if clause.is_empty() {
            return formula.circuit.solver.always(rule, &about);
        }
        clauses.push((rule, about, clause));
    }
    let before = formula.circuit.solver.fresh();
    for (rule, about, mut clause) in clauses {
        clause.push(before);
        formula.circuit.solver.axiom(rule, &about, &clause);
    }
    before
}

/// Why a store that waits in a buffer reaches memory before what follows.
fn after_buffered(rules: Rules, events: &[Event], a: EventIndex, b: EventIndex) -> Vec<Reason> {
    let (store, next) = (&events[a as usize], &events[b as usize]);
    let fences = |kind: FenceKind, rule: Rule| {
        let between = (a + 1..b).filter(move |&f| events[f as usize].kind == Kind::Fence(kind));
        between.map(move |fence| (rule, vec![events[fence as usize].guard], Some(fence)))
    };
    let mut places: Vec<Reason> = Vec::new();
    for &(loc, at) in &store.places {
        let other = next.at(loc);
        if other != ZERO {
            places.push((Rule::LocationOrder, vec![at, other], None));
        }
    }
    match next.kind {
        Kind::Rmw | Kind::Lock | Kind::Unlock => vec![(Rule::Drain, vec![next.guard], None)],
        Kind::Load => {
            let mut reasons: Vec<_> = fences(FenceKind::Full, Rule::FullFence).collect();
            if !rules.forwarding {
                reasons.append(&mut places);
            }
            reasons
        }
        Kind::Store if rules.buffers == Buffers::PerThread => {
            vec![(Rule::StoreOrder, Vec::new(), None)]
        }
        Kind::Store => fences(FenceKind::Full, Rule::FullStoreFence)
            .chain(fences(FenceKind::StoreStore, Rule::StoreFence))
            .chain(places)
            .collect(),
        Kind::Fence(_) => Vec::new(),
    }
}
