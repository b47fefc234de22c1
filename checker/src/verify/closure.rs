//! Closure: the orders that every execution respects, to a fixed point.
//!
//! After *Reads-From TSO/PSO* section 4.3, and the saturation of *Reads-From SC* section 5.1,
//! whose rules R1 and R2 are 2 and 3 here. For a read `r` of location `x` with source `w`:
//! 1. from another thread: `w < r`, and `r`'s own earlier stores to `x` are before `w`;
//! 2. another write to `x` before `r` is before `w`;
//! 3. another write to `x` after `w` is after `r`.
//!
//! An RMW is one event that reads and writes, so rules 2 and 3 are its atomicity: no write
//! comes between its source and itself. The initial write is before all others.

use super::{Order, Verifier};
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

fn link(from: usize, to: usize, reason: Reason) -> Link {
    Link {
        from: from as EventId,
        to: to as EventId,
        reason,
    }
}

/// Who wants to know what is derived: nobody, or who explains.
pub(super) trait Log {
    fn derived<const W: usize>(&mut self, order: &Order<W>, from: usize, to: usize, why: Reason);
}

impl Log for () {
    #[inline(always)]
    fn derived<const W: usize>(&mut self, _: &Order<W>, _: usize, _: usize, _: Reason) {}
}

impl Log for Vec<Link> {
    fn derived<const W: usize>(&mut self, order: &Order<W>, from: usize, to: usize, why: Reason) {
        if !order.after[from].has(to) {
            self.push(link(from, to, why));
        }
    }
}

/// Adds what is derived to the order; false when that makes a cycle.
#[inline]
fn derive<const W: usize>(
    order: &mut Order<W>,
    log: &mut impl Log,
    from: usize,
    to: usize,
    why: Reason,
) -> bool {
    log.derived(order, from, to, why);
    order.add(from, to)
}

/// Rule 1 on the loaded events; false when there is no execution.
pub(super) fn constrain<const W: usize>(
    v: &mut Verifier<W>,
    events: &[Event],
    log: &mut impl Log,
) -> bool {
    for k in 0..v.reads.len() {
        let read = v.reads[k];
        let r = read.id as usize;
        let others = v.writes[read.loc as usize].without(r);
        let own = own_earlier_stores(events, r, others);
        let source = read.source as usize;
        let is_initial = read.source == INIT;
        if is_initial || events[source].thread == events[r].thread {
            // Its own newest store, or nothing else can be seen.
            let hides = |w: &usize| is_initial || events[*w].index > events[source].index;
            let unseen = (!is_initial && !own.has(source)).then_some(source);
            if let Some(w) = own.iter().find(hides).or(unseen) {
                log.derived(&v.order, w, r, Reason::OwnStore);
                log.derived(&v.order, r, w, Reason::FromRead);
                return false;
            }
            if is_initial {
                for w in others.iter() {
                    if !derive(&mut v.order, log, r, w, Reason::FromRead) {
                        return false;
                    }
                }
            }
            continue;
        }
        if !derive(&mut v.order, log, source, r, Reason::ReadsFrom) {
            return false;
        }
        for w in own.iter() {
            if !derive(&mut v.order, log, w, source, Reason::OwnStore) {
                return false;
            }
        }
    }
    true
}

/// The stores of the read's thread to its location that precede it.
pub(super) fn own_earlier_stores<const W: usize>(
    events: &[Event],
    r: usize,
    others: Bits<W>,
) -> Bits<W> {
    let read = &events[r];
    let mut own = Bits::EMPTY;
    for w in others.iter() {
        if events[w].thread == read.thread && events[w].index < read.index {
            own.set(w);
        }
    }
    own
}

/// Rules 2 and 3 until nothing changes; false when there is no execution.
pub(super) fn saturate<const W: usize>(v: &mut Verifier<W>, log: &mut impl Log) -> bool {
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
                if !derive(&mut v.order, log, other, w, Reason::BeforeSource) {
                    return false;
                }
            }
            let overwriting = (v.order.after[w] & others).minus(v.order.after[r]);
            for other in overwriting.iter() {
                changed = true;
                if !derive(&mut v.order, log, r, other, Reason::FromRead) {
                    return false;
                }
            }
        }
        if !changed {
            return true;
        }
    }
}

/// The order of the loaded events before anything is derived.
pub(super) fn program_order_links<const W: usize>(order: &Order<W>, of: Bits<W>) -> Vec<Link> {
    of.iter()
        .flat_map(|a| {
            order.after[a]
                .iter()
                .map(move |b| link(a, b, Reason::ProgramOrder))
        })
        .collect()
}

/// The shortest cycle that the last link closes.
pub(super) fn cycle_through(links: &[Link]) -> Vec<Link> {
    let Some(last) = links.last() else {
        return Vec::new();
    };
    // Each event reached from the end of the last link, with the link that led there and the
    // number of the event before.
    let mut reached: Vec<(EventId, Option<(Link, usize)>)> = vec![(last.to, None)];
    let mut next = 0;
    while let Some(&(at, came_by)) = reached.get(next) {
        if at == last.from {
            let mut cycle = Vec::new();
            let mut step = came_by;
            while let Some((link, before)) = step {
                cycle.push(link);
                step = reached[before].1;
            }
            cycle.push(*last);
            cycle.reverse();
            return cycle;
        }
        for link in links.iter().filter(|link| link.from == at) {
            if !reached.iter().any(|(seen, _)| *seen == link.to) {
                reached.push((link.to, Some((*link, next))));
            }
        }
        next += 1;
    }
    vec![*last]
}
