//! Which writes a read can read from, as far as its own thread's code tells.

use super::term::{EventIndex, Term, ZERO};
use super::unroll::{Event, Kind, Unrolled};
use crate::report::{Budget, Completeness};

/// With more conditions than this on an event, nothing is made of them.
const MAX_CONJUNCTS: usize = 256;

#[derive(Debug)]
pub struct Sources {
    reads: Vec<Read>,
    writes: Vec<EventIndex>,
    /// What holds when an event is executed, for each event; none where that is much.
    when: Vec<Option<Vec<Term>>>,
}

/// A read, and what it may read from.
#[derive(Debug)]
pub struct Read {
    pub event: EventIndex,
    pub from: Vec<EventIndex>,
    /// Whether it may read the initial value.
    pub initial: bool,
}

impl Sources {
    pub fn new(unrolled: &Unrolled, budget: &mut Budget) -> Result<Sources, Completeness> {
        let events = &unrolled.events;
        let number = |e: usize| e as EventIndex;
        let mut sources = Sources {
            reads: Vec::new(),
            writes: (0..events.len())
                .filter(|&e| writes(&events[e]))
                .map(number)
                .collect(),
            when: events
                .iter()
                .map(|event| unrolled.terms.conjuncts(event.guard, MAX_CONJUNCTS))
                .collect(),
        };
        for e in (0..events.len()).filter(|&e| events[e].kind.reads()) {
            if let Some(reason) = budget.interrupted() {
                return Err(reason);
            }
            let read = sources.of(unrolled, number(e));
            sources.reads.push(read);
        }
        Ok(sources)
    }

    pub fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// All events that may write.
    pub fn writes(&self) -> &[EventIndex] {
        &self.writes
    }

    /// Whether no execution has both events.
    pub fn exclusive(&self, unrolled: &Unrolled, a: EventIndex, b: EventIndex) -> bool {
        match (&self.when[a as usize], &self.when[b as usize]) {
            (Some(a), Some(b)) => unrolled.terms.exclude(a, b),
            _ => false,
        }
    }

    fn of(&self, unrolled: &Unrolled, read: EventIndex) -> Read {
        let events = &unrolled.events;
        let at = &events[read as usize];
        let own = |w: EventIndex| events[w as usize].thread == at.thread;
        let own_before = |w: EventIndex| own(w) && w < read;
        // The thread's last write before the read that is certain to be to its location: what
        // the thread itself wrote before it is not there any more.
        let certain = self.writes.iter().copied().filter(|&w| {
            own_before(w)
                && at.fixed().is_some()
                && events[w as usize].fixed() == at.fixed()
                && events[w as usize].writes == events[w as usize].guard
                && self.implied(w, read)
        });
        let overwritten = certain.max();
        let may_read = |w: EventIndex| {
            let write = &events[w as usize];
            if w == read || (own(w) && w > read) || !share_place(write, at) {
                return false;
            }
            let gone = overwritten.is_some_and(|last| w < last);
            !(own(w) && (gone || self.exclusive(unrolled, w, read)))
        };
        Read {
            event: read,
            from: self
                .writes
                .iter()
                .copied()
                .filter(|&w| may_read(w))
                .collect(),
            initial: overwritten.is_none(),
        }
    }

    /// Whether `w` is certain to be executed whenever `e` is.
    pub fn implied(&self, w: EventIndex, e: EventIndex) -> bool {
        match (&self.when[w as usize], &self.when[e as usize]) {
            (Some(w), Some(e)) => w.iter().all(|term| e.binary_search(term).is_ok()),
            _ => false,
        }
    }
}

fn writes(event: &Event) -> bool {
    !matches!(event.kind, Kind::Load | Kind::Fence(_)) && event.writes != ZERO
}

/// Whether two events may be at one place.
pub fn share_place(a: &Event, b: &Event) -> bool {
    a.places
        .iter()
        .any(|(loc, _)| b.places.iter().any(|(other, _)| other == loc))
}
