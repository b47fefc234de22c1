//! The implicit hitting-set loop: propose the cheapest set, see what it leaves, learn.

use crate::bits::Bits;
use crate::model::Model;
use crate::program::FenceKind;
use crate::report::{Budget, Completeness};

use super::hitting::{self, Cheapest};
use super::kept::Kept;
use super::points::{CandidateId, Points};
use super::realize::{Choice, Realizer};

/// How many optimal sets are listed. Independent choices multiply, and nobody reads more.
pub const MAX_SETS: usize = 64;

/// What a fence costs, in halves: see [`super::Cost`].
pub fn half_cost(kind: FenceKind) -> u32 {
    match kind {
        FenceKind::StoreStore => 1,
        FenceKind::Full => 2,
    }
}

#[derive(Debug)]
pub struct Solution {
    /// In halves.
    pub cost: u32,
    pub sets: Vec<Vec<CandidateId>>,
    /// There are, or may be, more sets of this cost.
    pub more: bool,
    /// How many sets were proposed and tried.
    pub rounds: u64,
}

#[derive(Debug)]
pub enum Unsolved {
    /// Nothing was found in time.
    Stopped(Completeness),
    /// A class goes on with every fence there is: it is a class of SC, or there is a bug.
    Unavoidable,
}

/// The cheapest sets of candidates with which no kept class is realizable.
pub fn solve(
    points: &Points,
    kept: &[Kept],
    model: Model,
    budget: &mut Budget,
) -> Result<Solution, Unsolved> {
    let size = |class: &Kept| class.nodes.len() + class.crossings.len();
    match kept.iter().map(size).max().unwrap_or(0) {
        n if n <= Bits::<1>::CAPACITY => with_width::<1>(points, kept, model, budget),
        n if n <= Bits::<4>::CAPACITY => with_width::<4>(points, kept, model, budget),
        n if n <= Bits::<16>::CAPACITY => with_width::<16>(points, kept, model, budget),
        _ => Err(Unsolved::Stopped(Completeness::TooManyEvents)),
    }
}

fn with_width<const W: usize>(
    points: &Points,
    kept: &[Kept],
    model: Model,
    budget: &mut Budget,
) -> Result<Solution, Unsolved> {
    let costs: Vec<u32> = points
        .candidates
        .iter()
        .map(|c| half_cost(c.kind))
        .collect();
    let mut realizer = Realizer::<W>::new(points, model, budget.interrupt());
    let mut clauses: Vec<Vec<CandidateId>> = Vec::new();
    let mut accepted: Vec<Vec<CandidateId>> = Vec::new();
    let mut rounds = 0;
    // Where the last class was found that goes on: its neighbours are like it.
    let mut start = 0;
    loop {
        let mut stopped = None;
        let proposed = hitting::cheapest(&clauses, &costs, MAX_SETS, &mut || {
            stopped = budget.poll(0, 0);
            stopped.is_some()
        });
        let Ok(Cheapest { cost, sets, more }) = proposed else {
            let reason = stopped.unwrap_or(Completeness::OutOfTime);
            return partial(accepted, &costs, rounds, reason);
        };
        if sets.is_empty() {
            return Err(Unsolved::Unavoidable);
        }
        let learned = clauses.len();
        for set in &sets {
            let hits = |clause: &Vec<CandidateId>| clause.iter().any(|c| set.contains(c));
            if accepted.contains(set) || !clauses[learned..].iter().all(hits) {
                continue;
            }
            rounds += 1;
            let choice: Choice = (0..costs.len() as CandidateId)
                .map(|c| set.contains(&c))
                .collect();
            realizer.choose(&choice);
            let mut left = None;
            for k in (0..kept.len()).map(|k| (start + k) % kept.len()) {
                if let Some(stop) = budget.poll(0, 0) {
                    return partial(accepted, &costs, rounds, stop);
                }
                match realizer.realizable(&kept[k]) {
                    Ok(true) => {
                        left = Some(k);
                        break;
                    }
                    Ok(false) => {}
                    Err(stop) => return partial(accepted, &costs, rounds, stop),
                }
            }
            match left {
                None => accepted.push(set.clone()),
                Some(k) => {
                    start = k;
                    let clause = match realizer.clause(&kept[k], &choice) {
                        Ok(clause) => clause,
                        Err(stop) => return partial(accepted, &costs, rounds, stop),
                    };
                    if clause.is_empty() {
                        return Err(Unsolved::Unavoidable);
                    }
                    clauses.push(clause);
                }
            }
        }
        if clauses.len() == learned {
            accepted.sort_by_cached_key(|set| (set.len(), set.clone()));
            return Ok(Solution {
                cost,
                sets: accepted,
                more,
                rounds,
            });
        }
    }
}

/// What is known when the budget runs out: a set that was accepted is optimal.
fn partial(
    accepted: Vec<Vec<CandidateId>>,
    costs: &[u32],
    rounds: u64,
    reason: Completeness,
) -> Result<Solution, Unsolved> {
    let Some(first) = accepted.first() else {
        return Err(Unsolved::Stopped(reason));
    };
    Ok(Solution {
        cost: first.iter().map(|c| costs[*c as usize]).sum(),
        sets: accepted,
        more: true,
        rounds,
    })
}
