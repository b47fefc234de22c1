//! The cheapest sets that have a member of every clause, all of them, by branch and bound.

use super::points::CandidateId;

/// What [`cheapest`] finds.
#[derive(Debug, PartialEq, Eq)]
pub struct Cheapest {
    pub cost: u32,
    /// Each sorted; no two the same.
    pub sets: Vec<Vec<CandidateId>>,
    /// There are more sets than were asked for.
    pub more: bool,
}

/// Somebody said stop.
#[derive(Debug, PartialEq, Eq)]
pub struct Stopped;

/// At most `limit` of the cheapest hitting sets; `costs` are positive. `stop` is asked often.
pub fn cheapest(
    clauses: &[Vec<CandidateId>],
    costs: &[u32],
    limit: usize,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Cheapest, Stopped> {
    let mut search = Search {
        clauses,
        costs,
        limit,
        stop,
        chosen: vec![false; costs.len()],
        banned: vec![false; costs.len()],
        set: Vec::new(),
        best: Cheapest {
            cost: u32::MAX,
            sets: Vec::new(),
            more: false,
        },
    };
    search.branch(0)?;
    let mut best = search.best;
    for set in &mut best.sets {
        set.sort_unstable();
    }
    best.sets.sort();
    Ok(best)
}

struct Search<'a> {
    clauses: &'a [Vec<CandidateId>],
    costs: &'a [u32],
    limit: usize,
    stop: &'a mut dyn FnMut() -> bool,
    chosen: Vec<bool>,
    /// Tried before, on another branch: every set with one of these was seen there.
    banned: Vec<bool>,
    set: Vec<CandidateId>,
    best: Cheapest,
}

impl Search<'_> {
    fn branch(&mut self, cost: u32) -> Result<(), Stopped> {
        if (self.stop)() {
            return Err(Stopped);
        }
        let Some((bound, clause)) = self.open() else {
            self.found(cost);
            return Ok(());
        };
        if cost.saturating_add(bound) > self.best.cost {
            return Ok(());
        }
        let clause = &self.clauses[clause];
        let first_banned = self.set.len();
        let mut tried = Vec::new();
        for &c in clause {
            let i = c as usize;
            if self.banned[i] {
                continue;
            }
            let next = cost + self.costs[i];
            if next <= self.best.cost {
                self.chosen[i] = true;
                self.set.push(c);
                self.branch(next)?;
                self.set.truncate(first_banned);
                self.chosen[i] = false;
            }
            self.banned[i] = true;
            tried.push(i);
        }
        for i in tried {
            self.banned[i] = false;
        }
        Ok(())
    }

    /// The clause with the fewest choices among those that are not hit, and what the rest
    /// costs at least; none when all are hit.
    fn open(&self) -> Option<(u32, usize)> {
        let mut shortest: Option<(usize, usize)> = None;
        let mut bound = 0u32;
        // Clauses that share nothing are paid for one by one.
        let mut touched = vec![false; self.costs.len()];
        for (k, clause) in self.clauses.iter().enumerate() {
            if clause.iter().any(|c| self.chosen[*c as usize]) {
                continue;
            }
            let free = clause.iter().filter(|c| !self.banned[**c as usize]);
            let choices = free.clone().count();
            if shortest.is_none_or(|(fewest, _)| choices < fewest) {
                shortest = Some((choices, k));
            }
            if !free.clone().any(|c| touched[*c as usize]) {
                let least = free.clone().map(|c| self.costs[*c as usize]).min();
                bound = bound.saturating_add(least.unwrap_or(u32::MAX));
                for c in free {
                    touched[*c as usize] = true;
                }
            }
        }
        shortest.map(|(_, k)| (bound, k))
    }

    fn found(&mut self, cost: u32) {
        let best = &mut self.best;
        if cost > best.cost {
            return;
        }
        if cost < best.cost {
            best.cost = cost;
            best.sets.clear();
            best.more = false;
        }
        if best.sets.len() < self.limit {
            best.sets.push(self.set.clone());
        } else {
            best.more = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(clauses: &[&[CandidateId]], costs: &[u32]) -> Cheapest {
        let clauses: Vec<Vec<CandidateId>> = clauses.iter().map(|c| c.to_vec()).collect();
        cheapest(&clauses, costs, 100, &mut || false).unwrap()
    }

    #[test]
    fn no_clause_needs_nothing() {
        let found = all(&[], &[1, 2]);
        assert_eq!((found.cost, found.sets), (0, vec![vec![]]));
    }

    #[test]
    fn an_empty_clause_cannot_be_hit() {
        assert!(all(&[&[0], &[]], &[1]).sets.is_empty());
    }

    #[test]
    fn all_of_the_cheapest_are_found_once() {
        let found = all(&[&[0, 1], &[1, 2], &[0, 2]], &[1, 1, 1]);
        assert_eq!(found.cost, 2);
        assert_eq!(found.sets, [vec![0, 1], vec![0, 2], vec![1, 2]]);
    }

    #[test]
    fn two_cheap_ones_tie_with_a_dear_one() {
        let found = all(&[&[0, 2], &[1, 2]], &[1, 1, 2]);
        assert_eq!(found.cost, 2);
        assert_eq!(found.sets, [vec![0, 1], vec![2]]);
    }

    /// Against every subset, on small random instances.
    #[test]
    fn agrees_with_trying_every_subset() {
        let mut seed = 1u64;
        let mut draw = |n: u64| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) % n
        };
        for _ in 0..500 {
            let n = 1 + draw(7) as usize;
            let costs: Vec<u32> = (0..n).map(|_| 1 + draw(2) as u32).collect();
            let clauses: Vec<Vec<CandidateId>> = (0..draw(7))
                .map(|_| (0..n as CandidateId).filter(|_| draw(3) == 0).collect())
                .collect();
            let mut best = u32::MAX;
            let mut sets = Vec::new();
            for subset in 0u32..1 << n {
                let has = |c: &CandidateId| subset >> c & 1 != 0;
                if !clauses.iter().all(|clause| clause.iter().any(has)) {
                    continue;
                }
                let set: Vec<CandidateId> = (0..n as CandidateId).filter(has).collect();
                let cost = set.iter().map(|c| costs[*c as usize]).sum();
                if cost < best {
                    best = cost;
                    sets.clear();
                }
                if cost == best {
                    sets.push(set);
                }
            }
            sets.sort();
            let found = cheapest(&clauses, &costs, 1000, &mut || false).unwrap();
            assert_eq!(
                (found.cost, found.sets),
                (best, sets),
                "{clauses:?} {costs:?}"
            );
        }
    }
}
