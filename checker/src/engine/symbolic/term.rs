//! The values of an unrolled program as a graph of terms: what was read, and what follows from it.
//!
//! A term comes after all it is made of, equal terms are one, and what is known is folded.
//! A truth is a term that is 0 or 1.

use rustc_hash::FxHashMap;

use crate::program::{LocId, Op, Value};
use crate::thread::apply;

/// An index into [`Terms`].
pub type Term = u32;
/// An index into [`super::unroll::Unrolled::events`].
pub type EventIndex = u32;

pub const ZERO: Term = 0;
pub const ONE: Term = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    Const(Value),
    /// What the event reads.
    Read(EventIndex),
    /// Whether the lock is taken once its thread is there.
    Taken(EventIndex),
    /// What the location holds in the end.
    Final(LocId),
    Op(Op, Term, Term),
    /// The second when the first is true, else the third.
    Choose(Term, Term, Term),
}

#[derive(Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    /// Whether a term is a truth, parallel to `nodes`.
    truths: Vec<bool>,
    index: FxHashMap<Node, Term>,
}

impl Terms {
    pub fn new() -> Terms {
        let mut terms = Terms {
            nodes: Vec::new(),
            truths: Vec::new(),
            index: FxHashMap::default(),
        };
        terms.constant(0);
        terms.constant(1);
        terms
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, term: Term) -> Node {
        self.nodes[term as usize]
    }

    pub fn intern(&mut self, node: Node) -> Term {
        if let Some(&term) = self.index.get(&node) {
            return term;
        }
        let truth = match node {
            Node::Const(value) => value == 0 || value == 1,
            Node::Taken(_) => true,
            Node::Read(_) | Node::Final(_) => false,
            Node::Op(Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge, ..) => true,
            Node::Op(Op::LtU | Op::Not, ..) => true,
            Node::Op(Op::And | Op::Or, a, b) | Node::Choose(_, a, b) => {
                self.is_truth(a) && self.is_truth(b)
            }
            Node::Op(..) => false,
        };
        let term = self.nodes.len() as Term;
        self.nodes.push(node);
        self.truths.push(truth);
        self.index.insert(node, term);
        term
    }

    pub fn constant(&mut self, value: Value) -> Term {
        self.intern(Node::Const(value))
    }

    pub fn known(&self, term: Term) -> Option<Value> {
        match self.node(term) {
            Node::Const(value) => Some(value),
            _ => None,
        }
    }

    pub fn is_truth(&self, term: Term) -> bool {
        self.truths[term as usize]
    }

    /// Whether the term is not 0.
    pub fn truth(&mut self, term: Term) -> Term {
        match self.known(term) {
            Some(value) => Term::from(value != 0),
            None if self.is_truth(term) => term,
            None => self.intern(Node::Op(Op::Ne, term, ZERO)),
        }
    }

    /// The result of an operation; what divides by a known zero is 0 and nobody's value.
    pub fn op(&mut self, op: Op, a: Term, b: Term) -> Term {
        if let (Some(a), Some(b)) = (self.known(a), self.known(b)) {
            return self.constant(apply(op, a, b).unwrap_or(0));
        }
        let truths = self.is_truth(a) && self.is_truth(b);
        match op {
            Op::Mov => a,
            Op::Not => self.is_zero(a),
            Op::Eq if b == ZERO => self.is_zero(a),
            Op::Ne if b == ZERO => self.truth(a),
            Op::Eq if b == ONE && truths => a,
            Op::Ne if b == ONE && truths => self.not(a),
            Op::And if truths => self.and(a, b),
            Op::Or if truths => self.or(a, b),
            Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::ShrU if b == ZERO => a,
            Op::Add | Op::Or | Op::Xor if a == ZERO => b,
            Op::Mul | Op::Div if b == ONE => a,
            _ => self.intern(Node::Op(op, a, b)),
        }
    }

    fn is_zero(&mut self, term: Term) -> Term {
        let truth = self.truth(term);
        self.not(truth)
    }

    /// Of truths, as `and`, `or` and `choose`'s first.
    pub fn not(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Const(value) => Term::from(value == 0),
            Node::Op(Op::Not, inner, _) => inner,
            _ => self.intern(Node::Op(Op::Not, a, ZERO)),
        }
    }

    fn are_opposite(&self, a: Term, b: Term) -> bool {
        self.node(a) == Node::Op(Op::Not, b, ZERO) || self.node(b) == Node::Op(Op::Not, a, ZERO)
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        match (a.min(b), a.max(b)) {
            (ZERO, _) => ZERO,
            (ONE, other) => other,
            (a, b) if a == b => a,
            (a, b) if self.are_opposite(a, b) => ZERO,
            (a, b) => self.intern(Node::Op(Op::And, a, b)),
        }
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        match (a.min(b), a.max(b)) {
            (ZERO, other) => other,
            (ONE, _) => ONE,
            (a, b) if a == b => a,
            (a, b) if self.are_opposite(a, b) => ONE,
            (a, b) => self.intern(Node::Op(Op::Or, a, b)),
        }
    }

    pub fn any(&mut self, truths: impl IntoIterator<Item = Term>) -> Term {
        truths.into_iter().fold(ZERO, |all, one| self.or(all, one))
    }

    pub fn choose(&mut self, cond: Term, a: Term, b: Term) -> Term {
        match (cond, a, b) {
            (ONE, a, _) => a,
            (ZERO, _, b) => b,
            (_, a, b) if a == b => a,
            (cond, ONE, ZERO) => cond,
            (cond, ZERO, ONE) => self.not(cond),
            _ => self.intern(Node::Choose(cond, a, b)),
        }
    }

    /// Where two paths meet that exclude each other: whether one of them is taken, and what
    /// tells that it is the first.
    pub fn meet(&mut self, a: Term, b: Term) -> (Term, Term) {
        if self.are_opposite(a, b) {
            return (ONE, a);
        }
        if let (Node::Op(Op::And, a1, a2), Node::Op(Op::And, b1, b2)) = (self.node(a), self.node(b))
        {
            for (common, first) in [(a1, a2), (a2, a1)] {
                for (other, second) in [(b1, b2), (b2, b1)] {
                    if common == other && self.are_opposite(first, second) {
                        return (common, first);
                    }
                }
            }
        }
        (self.or(a, b), a)
    }

    /// The truths that all hold when this one does, sorted; none when they are more than so many.
    pub fn conjuncts(&self, term: Term, most: usize) -> Option<Vec<Term>> {
        let mut all = Vec::new();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if term == ONE {
                continue;
            }
            if all.len() == most {
                return None;
            }
            all.push(term);
            if let Node::Op(Op::And, a, b) = self.node(term) {
                open.extend([a, b]);
            }
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// Whether two such lists contradict each other.
    pub fn exclude(&self, a: &[Term], b: &[Term]) -> bool {
        let denied = |one: &Term, others: &[Term]| match self.node(*one) {
            Node::Op(Op::Not, inner, _) => others.binary_search(&inner).is_ok(),
            _ => false,
        };
        a.iter().any(|one| denied(one, b)) || b.iter().any(|one| denied(one, a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_folded() {
        let mut terms = Terms::new();
        let read = terms.intern(Node::Read(0));
        let two = terms.constant(2);
        assert_eq!(terms.op(Op::Add, two, ONE), terms.constant(3));
        assert_eq!(terms.op(Op::Div, two, ZERO), ZERO);
        assert_eq!(terms.op(Op::Add, read, ZERO), read);
        let is_two = terms.op(Op::Eq, read, two);
        assert_eq!(terms.op(Op::Ne, is_two, ZERO), is_two);
        let is_not = terms.not(is_two);
        assert_eq!(terms.not(is_not), is_two);
        assert_eq!(terms.and(is_two, is_not), ZERO);
        assert_eq!(terms.or(is_two, is_not), ONE);
        assert_eq!(terms.choose(is_two, ONE, ZERO), is_two);
    }

    #[test]
    fn branches_meet_in_what_they_share() {
        let mut terms = Terms::new();
        let (a, b) = (terms.intern(Node::Taken(0)), terms.intern(Node::Taken(1)));
        let not_b = terms.not(b);
        let then = terms.and(a, b);
        let otherwise = terms.and(a, not_b);
        assert_eq!(terms.meet(then, otherwise), (a, b));
        assert_eq!(terms.meet(b, not_b), (ONE, b));
        assert_eq!(terms.conjuncts(then, 2), None);
        let all = |term| terms.conjuncts(term, 9).expect("few");
        assert_eq!(all(then), [a, b, then]);
        assert!(terms.exclude(&all(then), &all(otherwise)));
    }
}
