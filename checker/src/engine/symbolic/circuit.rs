//! Gates over literals: constants are folded, equal gates are one.

use rustc_hash::FxHashMap;

use super::rule::Rule;
use super::solver::{Lit, Solver};

#[derive(Debug)]
pub struct Circuit {
    pub solver: Solver,
    gates: FxHashMap<(Gate, Lit, Lit), Lit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And,
    Xor,
}

impl Circuit {
    pub fn new(solver: Solver) -> Circuit {
        Circuit {
            solver,
            gates: FxHashMap::default(),
        }
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        if a == Lit::TRUE || a == b {
            return b;
        }
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if let Some(&out) = self.gates.get(&(Gate::And, a, b)) {
            return out;
        }
        let out = self.solver.fresh();
        self.solver.add(Rule::Gate, &[!out, a]);
        self.solver.add(Rule::Gate, &[!out, b]);
        self.solver.add(Rule::Gate, &[out, !a, !b]);
        self.gates.insert((Gate::And, a, b), out);
        out
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if let Some(known) = a.known() {
            return if known { !b } else { b };
        }
        if let Some(known) = b.known() {
            return if known { !a } else { a };
        }
        if a == b || a == !b {
            return Lit::constant(a != b);
        }
        // Of a literal and its negation one is the smaller: four gates are one.
        let flipped = ((!a) < a) != ((!b) < b);
        let (a, b) = (a.min(!a), b.min(!b));
        let (a, b) = (a.min(b), a.max(b));
        let out = match self.gates.get(&(Gate::Xor, a, b)) {
            Some(&out) => out,
            None => {
                let out = self.solver.fresh();
                self.solver.add(Rule::Gate, &[!out, a, b]);
                self.solver.add(Rule::Gate, &[!out, !a, !b]);
                self.solver.add(Rule::Gate, &[out, !a, b]);
                self.solver.add(Rule::Gate, &[out, a, !b]);
                self.gates.insert((Gate::Xor, a, b), out);
                out
            }
        };
        if flipped { !out } else { out }
    }

    pub fn choose(&mut self, cond: Lit, a: Lit, b: Lit) -> Lit {
        if a == b {
            return a;
        }
        match (a.known(), b.known()) {
            (Some(true), _) => self.or(cond, b),
            (Some(false), _) => self.and(!cond, b),
            (_, Some(true)) => self.or(!cond, a),
            (_, Some(false)) => self.and(cond, a),
            _ if a == !b => !self.xor(cond, a),
            _ => {
                let yes = self.and(cond, a);
                let no = self.and(!cond, b);
                self.or(yes, no)
            }
        }
    }

    /// The sum and the carry of three.
    pub fn full_add(&mut self, a: Lit, b: Lit, carry: Lit) -> (Lit, Lit) {
        let half = self.xor(a, b);
        let sum = self.xor(half, carry);
        let both = self.and(a, b);
        let through = self.and(half, carry);
        (sum, self.or(both, through))
    }
}
