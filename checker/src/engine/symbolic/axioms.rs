//! Reads-from and last writes, as axioms over the order of memory.
//!
//! A read has a source that is executed, writes at its place and holds its value. The source is in
//! memory before the read, or it is the thread's own and perhaps still in its buffer. Any other
//! write to the place that is in memory before the read, or is the thread's own and earlier, is
//! before the source.

use rustc_hash::FxHashMap;

use super::formula::Formula;
use super::order::Order;
use super::rule::Rule;
use super::solver::Lit;
use super::sources::{Read, Sources, share_place};
use super::term::{EventIndex, Node, Term, ZERO};
use super::unroll::{Event, Kind, Why};
use crate::program::{LocId, Loop, Place, Program, ThreadId};
use crate::report::{Budget, Completeness};

#[derive(Debug)]
pub struct Axioms<'f, 'u> {
    formula: &'f mut Formula<'u>,
    order: &'f Order,
    program: &'u Program,
    sources: &'f Sources,
    /// The source of each read: for each event its sources, the initial value as none.
    from: FxHashMap<EventIndex, Vec<(Option<EventIndex>, Lit)>>,
    /// The last writes of locations, the initial value as none.
    last: FxHashMap<LocId, Vec<(Option<EventIndex>, Lit)>>,
}

impl<'f, 'u> Axioms<'f, 'u> {
    pub fn new(
        program: &'u Program,
        formula: &'f mut Formula<'u>,
        order: &'f Order,
        sources: &'f Sources,
        budget: &mut Budget,
    ) -> Result<Self, Completeness> {
        let mut axioms = Axioms {
            formula,
            order,
            program,
            sources,
            from: FxHashMap::default(),
            last: FxHashMap::default(),
        };
        for read in sources.reads() {
            axioms.read(read);
            let held = axioms.formula.circuit.solver.memory();
            if let Some(reason) = budget.poll(0, held) {
                return Err(reason);
            }
        }
        for loc in 0..program.locations.len() as LocId {
            if axioms.is_final_used(loc) {
                axioms.final_value(loc);
            }
        }
        Ok(axioms)
    }

    fn event(&self, event: EventIndex) -> &'u Event {
        &self.formula.unrolled.events[event as usize]
    }

    fn add(&mut self, rule: Rule, about: &[EventIndex], clause: &[Lit]) {
        self.formula.circuit.solver.axiom(rule, about, clause);
    }

    fn fresh(&mut self) -> Lit {
        self.formula.circuit.solver.fresh()
    }

    /// Whether two events are at one place.
    fn together(&mut self, a: EventIndex, b: EventIndex) -> Lit {
        let (a, b) = (self.event(a), self.event(b));
        let mut any = Lit::FALSE;
        for &(loc, at) in &a.places {
            let other = b.at(loc);
            if other != ZERO {
                let (at, other) = (self.formula.truth(at), self.formula.truth(other));
                let both = self.formula.circuit.and(at, other);
                any = self.formula.circuit.or(any, both);
            }
        }
        any
    }

    fn read(&mut self, read: &Read) {
        let event = self.event(read.event);
        let executed = self.formula.truth(event.guard);
        if executed == Lit::FALSE {
            return;
        }
        self.formula.make(event.read);
        if event.kind == Kind::Lock {
            for i in 0..self.formula.word(event.read).width() {
                let bit = self.formula.word(event.read).bit(i);
                self.add(Rule::LockFree, &[read.event], &[!executed, !bit]);
            }
        }
        let rivals: Vec<Rival> = self
            .sources
            .writes()
            .iter()
            .filter_map(|&write| self.rival(read.event, write))
            .collect();
        let mut found = Vec::new();
        if read.initial {
            let from = self.fresh();
            self.reads_initial(read.event, from, &rivals);
            found.push((None, from));
        }
        for &write in &read.from {
            if rivals.iter().any(|rival| rival.write == write) {
                let from = self.fresh();
                self.reads_from(read.event, write, from, &rivals);
                found.push((Some(write), from));
            }
        }
        let mut clause = vec![!executed];
        clause.extend(found.iter().map(|(_, from)| *from));
        self.add(Rule::Source, &[read.event], &clause);
        self.from.insert(read.event, found);
    }

    /// A write that may be seen by a read, or hide what the read sees.
    fn rival(&mut self, read: EventIndex, write: EventIndex) -> Option<Rival> {
        let (at, event) = (self.event(read), self.event(write));
        let own = at.thread == event.thread;
        if write == read || (own && write > read) || !share_place(at, event) {
            return None;
        }
        if own && self.sources.exclusive(self.formula.unrolled, read, write) {
            return None;
        }
        let together = self.together(read, write);
        let writes = self.formula.truth(event.writes);
        if together == Lit::FALSE || writes == Lit::FALSE {
            return None;
        }
        let visible = if own {
            Lit::TRUE
        } else {
            self.order.before(write, read)
        };
        Some(Rival {
            write,
            hidden: [!writes, !together, !visible],
        })
    }

    fn reads_initial(&mut self, read: EventIndex, from: Lit, rivals: &[Rival]) {
        let event = self.event(read);
        for &(loc, at) in &event.places {
            let at = self.formula.truth(at);
            let init = self.program.locations[loc as usize].init;
            for i in 0..64 {
                let bit = self.formula.word(event.read).bit(i);
                let equal = if init >> i & 1 != 0 { bit } else { !bit };
                self.add(Rule::SourceValue, &[read], &[!from, !at, equal]);
            }
        }
        for rival in rivals {
            let [a, b, c] = rival.hidden;
            self.add(Rule::FromInitial, &[read, rival.write], &[!from, a, b, c]);
        }
    }

    fn reads_from(&mut self, read: EventIndex, write: EventIndex, from: Lit, rivals: &[Rival]) {
        let (event, source) = (self.event(read), self.event(write));
        let writes = self.formula.truth(source.writes);
        self.add(Rule::SourceWrites, &[read, write], &[!from, writes]);
        for &(loc, at) in &event.places {
            let at = self.formula.truth(at);
            let there = self.formula.truth(source.at(loc));
            self.add(Rule::SourcePlace, &[read, write], &[!from, !at, there]);
        }
        self.formula.make(source.value);
        let values = [event.read, source.value];
        self.equal(Rule::SourceValue, &[read, write], from, values);
        if source.thread != event.thread {
            let before = self.order.before(write, read);
            self.add(Rule::SourceBefore, &[read, write], &[!from, before]);
        }
        for rival in rivals {
            if rival.write != write {
                let [a, b, c] = rival.hidden;
                let before = self.order.before(rival.write, write);
                self.add(
                    Rule::FromRead,
                    &[read, write, rival.write],
                    &[!from, a, b, c, before],
                );
            }
        }
    }

    /// When the literal holds the two terms are equal, bit by bit.
    fn equal(&mut self, rule: Rule, about: &[EventIndex], when: Lit, [a, b]: [Term; 2]) {
        let width = self
            .formula
            .word(a)
            .width()
            .max(self.formula.word(b).width());
        for i in 0..width {
            let (a, b) = (self.formula.word(a).bit(i), self.formula.word(b).bit(i));
            if a != b {
                self.add(rule, about, &[!when, !a, b]);
                self.add(rule, about, &[!when, a, !b]);
            }
        }
    }

    fn is_final_used(&self, loc: LocId) -> bool {
        let observed = self.formula.unrolled.observed.iter();
        let terms = &self.formula.unrolled.terms;
        observed
            .copied()
            .any(|term| terms.node(term) == Node::Final(loc))
    }

    fn final_value(&mut self, loc: LocId) {
        let observed = self.formula.unrolled.observed.iter().copied();
        let terms = &self.formula.unrolled.terms;
        let Some(end) = observed
            .into_iter()
            .find(|&t| terms.node(t) == Node::Final(loc))
        else {
            return;
        };
        self.formula.make(end);
        for (write, last) in self.last(loc) {
            match write {
                Some(write) => {
                    let value = self.event(write).value;
                    self.formula.make(value);
                    self.equal(Rule::FinalValue, &[write], last, [end, value]);
                }
                None => {
                    let init = self.program.locations[loc as usize].init;
                    for i in 0..64 {
                        let bit = self.formula.word(end).bit(i);
                        let equal = if init >> i & 1 != 0 { bit } else { !bit };
                        self.add(Rule::FinalValue, &[], &[!last, equal]);
                    }
                }
            }
        }
    }

    /// Which write of a location is the last, the initial value as none.
    fn last(&mut self, loc: LocId) -> Vec<(Option<EventIndex>, Lit)> {
        if let Some(known) = self.last.get(&loc) {
            return known.clone();
        }
        let mut writers = Vec::new();
        for &write in self.sources.writes() {
            let event = self.event(write);
            let (at, writes) = (event.at(loc), event.writes);
            let (at, writes) = (self.formula.truth(at), self.formula.truth(writes));
            let there = self.formula.circuit.and(at, writes);
            if there != Lit::FALSE {
                writers.push((write, there));
            }
        }
        let initial = self.fresh();
        for &(write, there) in &writers {
            self.add(Rule::LastInitial, &[write], &[!initial, !there]);
        }
        let mut found = vec![(None, initial)];
        for &(write, there) in &writers {
            let last = self.fresh();
            self.add(Rule::LastWrites, &[write], &[!last, there]);
            for &(other, there) in &writers {
                if other != write {
                    let before = self.order.before(other, write);
                    self.add(Rule::LastIsLast, &[write, other], &[!last, !there, before]);
                }
            }
            found.push((Some(write), last));
        }
        let some: Vec<Lit> = found.iter().map(|(_, last)| *last).collect();
        let writers: Vec<EventIndex> = writers.iter().map(|(write, _)| *write).collect();
        self.add(Rule::Last, &writers, &some);
        self.last.insert(loc, found.clone());
        found
    }

    /// A literal under which everybody who waits waits for ever: the mutex is held, and what an
    /// `await` has read is there in the end.
    pub fn for_ever(&mut self) -> Lit {
        let for_ever = self.fresh();
        for stop in &self.formula.unrolled.stops {
            let waits = self.formula.truth(stop.guard);
            match &stop.why {
                Why::Lock(lock) => {
                    let Some(loc) = self.event(*lock).fixed() else {
                        continue;
                    };
                    let mut clause = vec![!for_ever, !waits];
                    for (write, last) in self.last(loc) {
                        let held = match write {
                            Some(write) => self.event(write).kind == Kind::Lock,
                            None => self.program.locations[loc as usize].init != 0,
                        };
                        if held {
                            clause.push(last);
                        }
                    }
                    self.add(Rule::WaitsForHeld, &[*lock], &clause);
                }
                Why::Await(reads) => self.read_last(for_ever, waits, reads),
                Why::Stopped(_) => {}
            }
        }
        for_ever
    }

    /// The last of the reads that are executed has read its location's last write.
    fn read_last(&mut self, for_ever: Lit, waits: Lit, reads: &[EventIndex]) {
        let mut later = Lit::FALSE;
        for &read in reads.iter().rev() {
            let event = self.event(read);
            let executed = self.formula.truth(event.guard);
            let sources = self.from.get(&read).cloned().unwrap_or_default();
            for &(loc, at) in &event.places {
                let at = self.formula.truth(at);
                let last = self.last(loc);
                for &(source, from) in &sources {
                    let is_last = last
                        .iter()
                        .find(|(write, _)| *write == source)
                        .map_or(Lit::FALSE, |(_, last)| *last);
                    let clause = [!for_ever, !waits, later, !executed, !from, !at, is_last];
                    self.add(Rule::WaitsForLast, &[read], &clause);
                }
            }
            later = self.formula.circuit.or(later, executed);
        }
    }

    /// A literal under which threads that are alike come in the order of their numbers: their
    /// first events do. Any execution becomes such a one when they are renamed, so nobody may
    /// ask about a thread by its number under it.
    pub fn symmetry(&mut self) -> Lit {
        let mut first: Vec<Option<EventIndex>> = vec![None; self.program.threads.len()];
        for &event in self.order.events.iter().rev() {
            first[self.event(event).thread as usize] = Some(event);
        }
        let symmetric = self.fresh();
        for (a, b) in alike(self.program) {
            if let (Some(a), Some(b)) = (first[a as usize], first[b as usize]) {
                let before = self.order.before(a, b);
                self.add(Rule::Symmetry, &[a, b], &[!symmetric, before]);
            }
        }
        symmetric
    }
}

/// A write beside a read: one of these holds when it does not matter to the read.
struct Rival {
    write: EventIndex,
    hidden: [Lit; 3],
}

/// Neighbours among the threads that do the same and whose registers nobody observes.
fn alike(program: &Program) -> Vec<(ThreadId, ThreadId)> {
    let observed = |t: usize| {
        let mut places = program.observed.iter().map(|o| o.place);
        places.any(|place| matches!(place, Place::Register(of, _) if of as usize == t))
    };
    let same = |a: usize, b: usize| {
        let (a, b) = (&program.threads[a], &program.threads[b]);
        let bounds = |l: &Loop| l.bound;
        a.code == b.code
            && a.regs == b.regs
            && a.loops.iter().map(bounds).eq(b.loops.iter().map(bounds))
    };
    let mut pairs = Vec::new();
    for b in 0..program.threads.len() {
        if observed(b) {
            continue;
        }
        let before = (0..b).rev().find(|&a| !observed(a) && same(a, b));
        if let Some(a) = before {
            pairs.push((a as ThreadId, b as ThreadId));
        }
    }
    pairs
}
