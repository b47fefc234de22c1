//! The terms of an unrolled program as words of literals, made when they are needed.

use super::bits::{self, Word};
use super::circuit::Circuit;
use super::range::{Range, Ranges};
use super::solver::Lit;
use super::term::{Node, Term, Terms};
use super::unroll::Unrolled;
use crate::program::LocId;

#[derive(Debug)]
pub struct Formula<'u> {
    pub circuit: Circuit,
    pub unrolled: &'u Unrolled,
    ranges: Ranges,
    words: Vec<Option<Word>>,
}

impl<'u> Formula<'u> {
    pub fn new(unrolled: &'u Unrolled, ranges: Ranges, circuit: Circuit) -> Formula<'u> {
        let mut formula = Formula {
            circuit,
            unrolled,
            ranges,
            words: vec![None; unrolled.terms.len()],
        };
        formula.ranges.extend(&unrolled.terms);
        formula
    }

    /// What a location can hold.
    pub fn location(&self, loc: LocId) -> Range {
        self.ranges.location(loc)
    }

    /// The literal of a truth.
    pub fn truth(&mut self, term: Term) -> Lit {
        self.make(term);
        self.word(term).bit(0)
    }

    /// Whether a truth that was made holds in the assignment that was found last.
    pub fn holds(&self, term: Term) -> bool {
        self.circuit.solver.value(self.word(term).bit(0))
    }

    /// The word of a term that was made.
    pub fn word(&self, term: Term) -> &Word {
        match &self.words[term as usize] {
            Some(word) => word,
            None => unreachable!("a word is made before it is used"),
        }
    }

    /// Makes the word of a term and of all it is made of.
    pub fn make(&mut self, term: Term) {
        // Terms can be thousands deep: no recursion.
        let terms: &Terms = &self.unrolled.terms;
        let mut open = vec![term];
        while let Some(&term) = open.last() {
            if self.words[term as usize].is_some() {
                open.pop();
                continue;
            }
            let range = self.ranges.of(term);
            let node = match range.known() {
                Some(value) => Node::Const(value),
                None => terms.node(term),
            };
            let parts = match node {
                Node::Op(_, a, b) => [Some(a), Some(b), None],
                Node::Choose(cond, a, b) => [Some(cond), Some(a), Some(b)],
                _ => [None; 3],
            };
            let missing = parts
                .into_iter()
                .flatten()
                .filter(|&part| self.words[part as usize].is_none());
            let before = open.len();
            open.extend(missing);
            if open.len() > before {
                continue;
            }
            open.pop();
            let made = match node {
                Node::Const(value) => Word::constant(value),
                Node::Read(_) | Node::Final(_) | Node::Taken(_) => {
                    Word::fresh(&mut self.circuit, range)
                }
                Node::Op(op, a, b) => {
                    let (Some(a), Some(b)) = (&self.words[a as usize], &self.words[b as usize])
                    else {
                        unreachable!("the parts were made")
                    };
                    bits::operate(&mut self.circuit, op, a, b, range)
                }
                Node::Choose(cond, a, b) => {
                    let (Some(cond), Some(a), Some(b)) = (
                        &self.words[cond as usize],
                        &self.words[a as usize],
                        &self.words[b as usize],
                    ) else {
                        unreachable!("the parts were made")
                    };
                    bits::choose(&mut self.circuit, cond.bit(0), a, b, range)
                }
            };
            self.words[term as usize] = Some(made);
        }
    }
}
