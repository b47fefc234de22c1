//! Closure: the orders that every witness respects, to a fixed point (`000_…` 4.3, `001_…` 5.1).
//!
//! For a read `r` of location `x` with source `w`:
//! 1. from another thread: `w < r`, and `r`'s own earlier stores to `x` are before `w`;
//! 2. another write to `x` before `r` is before `w`;
//! 3. another write to `x` after `w` is after `r`.
//!
//! An RMW is one event that reads and writes, so rules 2 and 3 are its atomicity: no write
//! comes between its source and itself. The initial write is before all others.

use super::{MemoryModel, Order, Verifier};
use crate::bits::Bits;
use crate::event::{Event, EventId, INIT};

/// Why one event must come before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    ProgramOrder,
    ReadsFrom,
    /// The thread's own earlier store must have left the buffer, or the read would see it.
    OwnStore,
    /// Rule 2: a write the read comes after, other than its source.
    BeforeSource,
    /// Rule 3: the read must come before what overwrites its source.
    FromRead,
}

/// One step of a cycle: `from` must come before `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    pub from: EventId,
    pub to: EventId,
    pub reason: Reason,
}

impl<const W: usize> Order<W> {
    /// Adds `a < b` and what follows from it; false when that makes a cycle.
    #[inline]
    pub(super) fn add(&mut self, a: usize, b: usize) -> bool {
        if a == b || self.after[b].has(a) {
            return false;
        }
        if self.after[a].has(b) {
            return true;
        }
        let before = self.before[a].with(a);
        let after = self.after[b].with(b);
        // What is before `b` already is before all that is after `b`, and the other way round.
        let gains = after.minus(self.after[a]);
        for p in before.minus(self.before[b]).iter() {
            self.after[p] |= after;
        }
        for s in gains.iter() {
            self.before[s] |= before;
        }
        true
    }
}

/// Rule 1 on the loaded events; false when there is no witness.
pub(super) fn constrain<M: MemoryModel, const W: usize>(
    v: &mut Verifier<M, W>,
    events: &[Event],
) -> bool {
    for k in 0..v.reads.len() {
        let read = v.reads[k];
        let r = read.id as usize;
        let others = v.writes[read.loc as usize].without(r);
        let own = own_earlier_stores(events, r, others);
        if read.source == INIT {
            if !own.is_empty() {
                return false;
            }
            for w in others.iter() {
                if !v.order.add(r, w) {
                    return false;
                }
            }
            continue;
        }
        let source = read.source as usize;
        if events[source].thread == events[r].thread {
            // Its own newest store, or nothing else can be seen.
            if !own.has(source) || own.iter().any(|w| events[w].index > events[source].index) {
                return false;
            }
            continue;
        }
        if !v.order.add(source, r) {
            return false;
        }
        for w in own.iter() {
            if !v.order.add(w, source) {
                return false;
            }
        }
    }
    true
}

/// The stores of the read's thread to its location that precede it.
fn own_earlier_stores<const W: usize>(events: &[Event], r: usize, others: Bits<W>) -> Bits<W> {
    let read = &events[r];
    let mut own = Bits::EMPTY;
    for w in others.iter() {
        if events[w].thread == read.thread && events[w].index < read.index {
            own.set(w);
        }
    }
    own
}

/// Rules 2 and 3 until nothing changes; false when there is no witness.
pub(super) fn saturate<M, const W: usize>(v: &mut Verifier<M, W>) -> bool {
    loop {
        let mut changed = false;
        for k in 0..v.reads.len() {
            let read = v.reads[k];
            if read.source == INIT {
                continue;
            }
            let r = read.id as usize;
            let w = read.source as usize;
            let others = v.writes[read.loc as usize].without(r).without(w);
            let late = (v.order.before[r] & others).minus(v.order.before[w]);
            for other in late.iter() {
                changed = true;
                if !v.order.add(other, w) {
                    return false;
                }
            }
            let overwriting = (v.order.after[w] & others).minus(v.order.after[r]);
            for other in overwriting.iter() {
                changed = true;
                if !v.order.add(r, other) {
                    return false;
                }
            }
        }
        if !changed {
            return true;
        }
    }
}

impl<M: MemoryModel, const W: usize> Verifier<M, W> {
    /// Why closure finds no witness: a shortest cycle of the orders it derives.
    /// None when closure succeeds.
    pub fn explain(
        &mut self,
        events: &[Event],
        lists: &[Vec<EventId>],
        included: Bits<W>,
    ) -> Option<Vec<Link>> {
        self.load(events, lists, included);
        let mut links = Vec::new();
        for a in included.iter() {
            for b in self.order.after[a].iter() {
                links.push(link(a, b, Reason::ProgramOrder));
            }
        }
        // The same rules as `close`, edge by edge, until one closes a cycle.
        let mut add = |order: &mut Order<W>, a: usize, b: usize, reason| {
            if order.after[a].has(b) {
                return None;
            }
            links.push(link(a, b, reason));
            if order.add(a, b) {
                None
            } else {
                Some(cycle_through(&links))
            }
        };
        for read in self.reads.clone() {
            let r = read.id as usize;
            let others = self.writes[read.loc as usize].without(r);
            let own = own_earlier_stores(events, r, others);
            if read.source == INIT {
                for w in others.iter() {
                    let found = if own.has(w) {
                        // The own store hides the initial value: it would have to be later.
                        Some(vec![
                            link(w, r, Reason::OwnStore),
                            link(r, w, Reason::FromRead),
                        ])
                    } else {
                        add(&mut self.order, r, w, Reason::FromRead)
                    };
                    if found.is_some() {
                        return found;
                    }
                }
                continue;
            }
            let source = read.source as usize;
            if events[source].thread == events[r].thread {
                let hiding = own
                    .iter()
                    .find(|w| events[*w].index > events[source].index)
                    .or((!own.has(source)).then_some(source));
                if let Some(w) = hiding {
                    return Some(vec![
                        link(w, r, Reason::OwnStore),
                        link(r, w, Reason::FromRead),
                    ]);
                }
                continue;
            }
            if let found @ Some(_) = add(&mut self.order, source, r, Reason::ReadsFrom) {
                return found;
            }
            for w in own.iter() {
                if let found @ Some(_) = add(&mut self.order, w, source, Reason::OwnStore) {
                    return found;
                }
            }
        }
        loop {
            let mut changed = false;
            for read in self.reads.clone() {
                if read.source == INIT {
                    continue;
                }
                let r = read.id as usize;
                let w = read.source as usize;
                let others = self.writes[read.loc as usize].without(r).without(w);
                for other in (self.order.before[r] & others)
                    .minus(self.order.before[w])
                    .iter()
                {
                    changed = true;
                    if let found @ Some(_) = add(&mut self.order, other, w, Reason::BeforeSource) {
                        return found;
                    }
                }
                for other in (self.order.after[w] & others)
                    .minus(self.order.after[r])
                    .iter()
                {
                    changed = true;
                    if let found @ Some(_) = add(&mut self.order, r, other, Reason::FromRead) {
                        return found;
                    }
                }
            }
            if !changed {
                return None;
            }
        }
    }
}

fn link(from: usize, to: usize, reason: Reason) -> Link {
    Link {
        from: from as EventId,
        to: to as EventId,
        reason,
    }
}

/// The shortest cycle that the last link closes.
fn cycle_through(links: &[Link]) -> Vec<Link> {
    let Some(last) = links.last() else {
        return Vec::new();
    };
    let mut came_by: Vec<Option<usize>> = vec![None; links.len()];
    let mut reached = vec![(last.to, usize::MAX)];
    let mut next = 0;
    while next < reached.len() {
        let (at, _) = reached[next];
        if at == last.from {
            let mut cycle = vec![*last];
            let mut path = Vec::new();
            let mut k = next;
            while reached[k].1 != usize::MAX {
                let via = reached[k].1;
                path.push(links[via]);
                k = came_by[via].unwrap_or(0);
            }
            cycle.extend(path.into_iter().rev());
            return cycle;
        }
        for (i, l) in links.iter().enumerate() {
            if l.from == at && !reached.iter().any(|(seen, _)| *seen == l.to) {
                came_by[i] = Some(next);
                reached.push((l.to, i));
            }
        }
        next += 1;
    }
    vec![*last]
}
