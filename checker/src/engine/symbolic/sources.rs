//! Which writes a read can read from, as far as its own thread's code tells.

use super::term::{EventIndex, Term, ZERO};
use super::unroll::{Event, Kind, Unrolled};

#[derive(Debug)]
pub struct Sources {
    reads: Vec<Read>,
    writes: Vec<EventIndex>,
    /// What holds when an event is executed, for each event.
    when: Vec<Vec<Term>>,
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
    pub fn new(unrolled: &Unrolled) -> Sources {
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
                .map(|event| unrolled.terms.conjuncts(event.guard))
                .collect(),
        };
        sources.reads = (0..events.len())
            .filter(|&e| events[e].kind.reads())
            .map(|e| sources.of(unrolled, number(e)))
            .collect();
        sources
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
        let (a, b) = (&self.when[a as usize], &self.when[b as usize]);
        unrolled.terms.exclude(a, b)
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

    /// Whether `w` is executed whenever `e` is.
    fn implied(&self, w: EventIndex, e: EventIndex) -> bool {
        let (w, e) = (&self.when[w as usize], &self.when[e as usize]);
        w.iter().all(|term| e.binary_search(term).is_ok())
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
