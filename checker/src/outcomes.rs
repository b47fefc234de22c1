//! The outcomes of a check: each final state once, in order, and found by its state.

use std::hash::BuildHasher;
use std::ops::Index;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::program::Value;
use crate::report::Outcome;

/// Sorted by state; only after a cancel, which allows no time for it, as they were found.
#[derive(Debug, Clone, Default)]
pub struct Outcomes {
    list: Vec<Outcome>,
    /// Finds a state in a list that is not sorted. With its hash, so that growing reads no state.
    index: Option<HashTable<(u64, u32)>>,
}

impl Outcomes {
    /// The outcome with this final state, if it is among them.
    pub fn find(&self, state: &[Value]) -> Option<&Outcome> {
        let at = match &self.index {
            Some(index) => {
                let known = |(_, at): &(u64, u32)| self.list[*at as usize].state == state;
                index.find(hash(state), known)?.1 as usize
            }
            None => self
                .list
                .binary_search_by(|outcome| outcome.state.as_slice().cmp(state))
                .ok()?,
        };
        self.list.get(at)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Outcome> {
        self.list.iter()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn get(&self, number: usize) -> Option<&Outcome> {
        self.list.get(number)
    }

    pub fn first(&self) -> Option<&Outcome> {
        self.list.first()
    }

    /// Counts one more class of the state, whose outcome is made when it is new.
    pub(crate) fn count(&mut self, state: &[Value], outcome: impl FnOnce() -> Outcome) {
        let index = self.index.get_or_insert_default();
        let hash = hash(state);
        let known = |(_, at): &(u64, u32)| self.list[*at as usize].state == state;
        if let Some(&(_, at)) = index.find(hash, known) {
            self.list[at as usize].classes += 1;
            return;
        }
        index.insert_unique(hash, (hash, self.list.len() as u32), |(hash, _)| *hash);
        self.list.push(outcome());
    }

    pub(crate) fn sort(&mut self) {
        self.list.sort_unstable_by(|a, b| a.state.cmp(&b.state));
        self.index = None;
    }
}

fn hash(state: &[Value]) -> u64 {
    FxBuildHasher.hash_one(state)
}

impl Index<usize> for Outcomes {
    type Output = Outcome;

    fn index(&self, number: usize) -> &Outcome {
        &self.list[number]
    }
}

impl FromIterator<Outcome> for Outcomes {
    fn from_iter<T: IntoIterator<Item = Outcome>>(outcomes: T) -> Self {
        let mut outcomes = Outcomes {
            list: outcomes.into_iter().collect(),
            index: None,
        };
        outcomes.sort();
        outcomes
    }
}

impl IntoIterator for Outcomes {
    type Item = Outcome;
    type IntoIter = std::vec::IntoIter<Outcome>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'a> IntoIterator for &'a Outcomes {
    type Item = &'a Outcome;
    type IntoIter = std::slice::Iter<'a, Outcome>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}
