//! The encoding of `lazy`: the program as a sequence of rounds, with a clock and timestamped writes.
//!
//! After "Lazy Sequentialization for TSO and PSO via Shared Memory Abstractions" (Tomasco, Nguyen,
//! Inverso, Fischer, La Torre, Parlato). In each round every thread, in turn, takes some of its next
//! statements. A write gets a timestamp, not before the clock: it is in memory once the clock is
//! there. A read moves the clock on and sees the thread's own last write while that is ahead of the
//! clock, else the latest write that is not.
//!
//! Where this differs from the slides: a location keeps the latest write of each timestamp instead
//! of a list of bounded length; under PSO a write is placed among those ahead of the clock, as
//! under TSO; and `sfence`, which they leave out, gives the stores after it at least the timestamps
//! of those before it.

use rustc_hash::FxHashMap;

use super::formula::Formula;
use super::rule::Rule;
use super::schedule::place;
use super::solver::Lit;
use super::sources::Sources;
use super::term::{EventIndex, Node, ZERO};
use super::unroll::{Event, Kind, Why};
use crate::model::Rules;
use crate::operational::Move;
use crate::program::{FenceKind, LocId, Program, ThreadId};
use crate::report::{Budget, Completeness};

/// How far the encoding goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub rounds: usize,
    /// The last timestamp.
    pub stamps: usize,
}

impl Bounds {
    /// The bounds that are always enough. A new round starts only where the thread number
    /// falls, and the clock need not be more than the number of delayed writes.
    pub fn complete(formula: &Formula<'_>, sources: &Sources, rules: Rules) -> Bounds {
        let mut counts = vec![0; formula.unrolled.threads.len()];
        for event in visible(formula, rules) {
            counts[formula.unrolled.events[event as usize].thread as usize] += 1;
        }
        let all: usize = counts.iter().sum();
        let most = counts.iter().max().copied().unwrap_or(0);
        let events = 0..formula.unrolled.events.len() as EventIndex;
        Bounds {
            rounds: all - most + 1,
            stamps: events
                .filter(|&e| is_delayable(formula, sources, rules, e))
                .count(),
        }
    }
}

/// The events that others can tell when they happen.
fn visible(formula: &Formula<'_>, rules: Rules) -> Vec<EventIndex> {
    let events = &formula.unrolled.events;
    let seen = |event: &Event| match event.kind {
        Kind::Fence(FenceKind::Full) => rules.buffer_stores(),
        Kind::Fence(FenceKind::StoreStore) => false,
        _ => true,
    };
    (0..events.len() as EventIndex)
        .filter(|&e| seen(&events[e as usize]))
        .collect()
}

/// Whether anything can come of a store's waiting: a later load of its thread, or under PSO a
/// later store elsewhere, before the buffer is certain to be drained.
fn is_delayable(formula: &Formula<'_>, sources: &Sources, rules: Rules, store: EventIndex) -> bool {
    let events = &formula.unrolled.events;
    let at = &events[store as usize];
    if !rules.buffer_stores() || at.kind != Kind::Store {
        return false;
    }
    let mut fenced = false;
    for e in store + 1..events.len() as EventIndex {
        let next = &events[e as usize];
        if next.thread != at.thread {
            return false;
        }
        let is_certain = sources.implied(e, store);
        match next.kind {
            Kind::Load => return true,
            Kind::Store => {
                let elsewhere = at.fixed().is_none() || at.fixed() != next.fixed();
                if rules.reorder_stores() && elsewhere && !fenced {
                    return true;
                }
            }
            Kind::Fence(FenceKind::StoreStore) => fenced |= is_certain,
            Kind::Fence(FenceKind::Full) | Kind::Rmw | Kind::Lock | Kind::Unlock => {
                if is_certain {
                    return false;
                }
            }
        }
    }
    false
}

/// A number from 0 to the last timestamp: bit `k` says that it is more than `k`.
type Stamp = Vec<Lit>;
/// What a location holds: the bits of its value, then those of its writer's number where
/// somebody waits in an `await`.
type Cell = Vec<Lit>;

#[derive(Debug)]
pub struct Rounds<'f, 'u> {
    formula: &'f mut Formula<'u>,
    program: &'u Program,
    rules: Rules,
    sources: &'f Sources,
    bounds: Bounds,
    visible: Vec<EventIndex>,
    /// Whether an event comes in a round after this one, for each event and round but the last.
    later: Vec<Vec<Lit>>,
    /// The clock when an event happens.
    clock: Vec<Stamp>,
    /// When a write reaches memory.
    stamp: Vec<Stamp>,
    /// Whether a load sees the thread's own store, by event and location.
    forwarded: FxHashMap<(EventIndex, LocId), Lit>,
    /// The number of the write that a read reads, where somebody may wait for it.
    writer: Vec<Vec<Lit>>,
    waited_for: Vec<bool>,
    /// The latest write of each timestamp, and whether there is one, for each location.
    memory: Vec<Vec<(Lit, Cell)>>,
}

impl<'f, 'u> Rounds<'f, 'u> {
    pub fn new(
        program: &'u Program,
        rules: Rules,
        (formula, sources): (&'f mut Formula<'u>, &'f Sources),
        bounds: Bounds,
        budget: &mut Budget,
    ) -> Result<Self, Completeness> {
        let events = &formula.unrolled.events;
        let mut waited_for = vec![false; program.locations.len()];
        for stop in &formula.unrolled.stops {
            if let Why::Await(reads) = &stop.why {
                for (loc, _) in reads.iter().flat_map(|&e| &events[e as usize].places) {
                    waited_for[*loc as usize] = true;
                }
            }
        }
        let visible = visible(formula, rules);
        let none = vec![Vec::new(); events.len()];
        let mut rounds = Rounds {
            formula,
            program,
            rules,
            sources,
            bounds,
            visible,
            later: none.clone(),
            clock: none.clone(),
            stamp: none.clone(),
            forwarded: FxHashMap::default(),
            writer: none,
            waited_for,
            memory: Vec::new(),
        };
        rounds.choices(budget)?;
        rounds.stamps(budget)?;
        rounds.forwards(budget)?;
        rounds.run(budget)?;
        rounds.finals();
        Ok(rounds)
    }

    fn event(&self, event: EventIndex) -> &'u Event {
        &self.formula.unrolled.events[event as usize]
    }

    fn add(&mut self, rule: Rule, clause: &[Lit]) {
        self.formula.circuit.solver.add(rule, clause);
    }

    fn poll(&self, budget: &mut Budget) -> Result<(), Completeness> {
        let held = self.formula.circuit.solver.memory();
        budget.poll(0, held).map_or(Ok(()), Err)
    }

    fn unary(&mut self, length: usize) -> Vec<Lit> {
        let stamp: Stamp = (0..length)
            .map(|_| self.formula.circuit.solver.fresh())
            .collect();
        for pair in stamp.windows(2) {
            self.add(Rule::Gate, &[!pair[1], pair[0]]);
        }
        stamp
    }

    /// In which round an event comes, at which clock, and when a write reaches memory.
    fn choices(&mut self, budget: &mut Budget) -> Result<(), Completeness> {
        let mut previous: Option<EventIndex> = None;
        for e in self.visible.clone() {
            self.poll(budget)?;
            let event = self.event(e);
            let later = self.unary(self.bounds.rounds - 1);
            if let Some(before) = previous.filter(|&p| self.event(p).thread == event.thread) {
                for (i, &now) in later.iter().enumerate() {
                    let before = self.later[before as usize][i];
                    self.add(Rule::RoundOrder, &[!before, now]);
                }
            }
            self.later[e as usize] = later;
            previous = Some(e);
            self.clock[e as usize] = self.unary(self.bounds.stamps);
            self.stamp[e as usize] = if is_delayable(self.formula, self.sources, self.rules, e) {
                self.unary(self.bounds.stamps)
            } else {
                self.clock[e as usize].clone()
            };
            if event.kind.reads() {
                let tag = self.writer_bits();
                let solver = &mut self.formula.circuit.solver;
                self.writer[e as usize] = (0..tag).map(|_| solver.fresh()).collect();
            }
        }
        Ok(())
    }

    /// Bits of an event's number, with one more number for nobody.
    fn writer_bits(&self) -> usize {
        (usize::BITS - self.formula.unrolled.events.len().leading_zeros()) as usize
    }

    /// The first number is at least the second, given what must hold for it.
    fn at_least(&mut self, rule: Rule, unless: &[Lit], a: &Stamp, b: &Stamp) {
        for (&a, &b) in a.iter().zip(b) {
            let mut clause = unless.to_vec();
            clause.extend([a, !b]);
            self.add(rule, &clause);
        }
    }

    /// For each place that two events may share, what holds when they do not.
    fn together(&mut self, a: EventIndex, b: EventIndex) -> Vec<[Lit; 2]> {
        let (a, b) = (self.event(a), self.event(b));
        let shared = a.places.iter().map(|&(loc, at)| (at, b.at(loc)));
        shared
            .filter(|(_, other)| *other != ZERO)
            .map(|(at, other)| [!self.formula.truth(at), !self.formula.truth(other)])
            .collect()
    }

    /// The order in which a thread's stores reach memory.
    fn stamps(&mut self, budget: &mut Budget) -> Result<(), Completeness> {
        for e in self.visible.clone() {
            self.poll(budget)?;
            let event = self.event(e);
            let (clock, stamp) = (
                self.clock[e as usize].clone(),
                self.stamp[e as usize].clone(),
            );
            if event.kind == Kind::Store {
                self.at_least(Rule::StampAfterClock, &[], &stamp, &clock);
            }
            let first = self.formula.unrolled.threads[event.thread as usize].first;
            for earlier in first..e {
                self.poll(budget)?;
                let store = self.event(earlier);
                if store.kind != Kind::Store {
                    continue;
                }
                let not_executed = !self.formula.truth(store.guard);
                let before = self.stamp[earlier as usize].clone();
                match event.kind {
                    Kind::Store if self.rules.reorder_stores() => {
                        let together = self.together(earlier, e);
                        for unless in together {
                            let unless = [not_executed, unless[0], unless[1]];
                            self.at_least(Rule::StampLocation, &unless, &stamp, &before);
                        }
                        for fence in earlier + 1..e {
                            let fence = self.event(fence);
                            if fence.kind == Kind::Fence(FenceKind::StoreStore) {
                                let skipped = !self.formula.truth(fence.guard);
                                let unless = [not_executed, skipped];
                                self.at_least(Rule::StampFence, &unless, &stamp, &before);
                            }
                        }
                    }
                    Kind::Store => {
                        self.at_least(Rule::StampOrder, &[not_executed], &stamp, &before);
                    }
                    Kind::Load if self.rules.forwarding => {}
                    Kind::Load => {
                        let together = self.together(earlier, e);
                        for unless in together {
                            let unless = [not_executed, unless[0], unless[1]];
                            self.at_least(Rule::StampLocation, &unless, &clock, &before);
                        }
                    }
                    Kind::Rmw | Kind::Lock | Kind::Unlock => {
                        self.at_least(Rule::ClockDrains, &[not_executed], &clock, &before);
                    }
                    Kind::Fence(_) => {
                        self.at_least(Rule::ClockFence, &[not_executed], &clock, &before);
                    }
                }
            }
        }
        Ok(())
    }

    /// A read of what the thread itself has written and memory does not have yet.
    fn pending(&mut self, read: EventIndex, loc: LocId) -> (Lit, Cell) {
        let mut found = (Lit::FALSE, Vec::new());
        let event = self.event(read);
        if event.kind != Kind::Load || self.bounds.stamps == 0 {
            return found;
        }
        let first = self.formula.unrolled.threads[event.thread as usize].first;
        for earlier in first..read {
            let write = self.event(earlier);
            let (at, writes) = (write.at(loc), write.writes);
            if at == ZERO || writes == ZERO {
                continue;
            }
            let (at, writes) = (self.formula.truth(at), self.formula.truth(writes));
            let hit = self.formula.circuit.and(at, writes);
            let mut ahead = Lit::FALSE;
            for k in 0..self.bounds.stamps {
                let (stamp, clock) = (
                    self.stamp[earlier as usize][k],
                    self.clock[read as usize][k],
                );
                let past = self.formula.circuit.and(stamp, !clock);
                ahead = self.formula.circuit.or(ahead, past);
            }
            let cell = self.written(earlier, loc);
            found.0 = self.formula.circuit.choose(hit, ahead, found.0);
            found.1 = if found.1.is_empty() {
                cell
            } else {
                self.choose(hit, &cell, &found.1)
            };
        }
        found
    }

    fn forwards(&mut self, budget: &mut Budget) -> Result<(), Completeness> {
        for e in self.visible.clone() {
            self.poll(budget)?;
            let event = self.event(e);
            if event.kind != Kind::Load {
                continue;
            }
            let not_executed = !self.formula.truth(event.guard);
            for &(loc, at) in &event.places {
                let not_there = !self.formula.truth(at);
                let (pending, cell) = self.pending(e, loc);
                self.forwarded.insert((e, loc), pending);
                if pending != Lit::FALSE {
                    let seen = self.seen(e, loc);
                    let unless = [not_executed, not_there, !pending];
                    self.equal(Rule::Forward, &unless, &seen, &cell);
                }
            }
        }
        Ok(())
    }

    fn width(&self, loc: LocId) -> usize {
        self.formula.location(loc).width()
    }

    /// The bits that a location's cell has for a value and its writer.
    fn cell(&self, loc: LocId, bit: impl Fn(usize) -> Lit, writer: &[Lit]) -> Cell {
        let mut cell: Cell = (0..self.width(loc)).map(bit).collect();
        if self.waited_for[loc as usize] {
            cell.extend(writer);
        }
        cell
    }

    fn number(&self, writer: usize) -> Vec<Lit> {
        (0..self.writer_bits())
            .map(|i| Lit::constant(writer >> i & 1 != 0))
            .collect()
    }

    fn written(&mut self, write: EventIndex, loc: LocId) -> Cell {
        let value = self.event(write).value;
        self.formula.make(value);
        let word = self.formula.word(value);
        self.cell(loc, |i| word.bit(i), &self.number(write as usize))
    }

    fn seen(&mut self, read: EventIndex, loc: LocId) -> Cell {
        let value = self.event(read).read;
        self.formula.make(value);
        let word = self.formula.word(value);
        // A value that the read has no bits for is not one that it can read.
        self.cell(loc, |i| word.bit(i), &self.writer[read as usize])
    }

    fn choose(&mut self, cond: Lit, a: &Cell, b: &Cell) -> Cell {
        let pairs = a.iter().zip(b);
        pairs
            .map(|(&a, &b)| self.formula.circuit.choose(cond, a, b))
            .collect()
    }

    fn equal(&mut self, rule: Rule, unless: &[Lit], a: &Cell, b: &Cell) {
        for (&a, &b) in a.iter().zip(b) {
            if a != b {
                let mut clause = unless.to_vec();
                clause.extend([a, !b]);
                self.add(rule, &clause);
                let end = clause.len();
                clause[end - 2..].copy_from_slice(&[!a, b]);
                self.add(rule, &clause);
            }
        }
    }

    /// What is in memory at a time.
    fn current(&mut self, loc: LocId, clock: &Stamp) -> Cell {
        let mut cell = self.memory[loc as usize][0].1.clone();
        for (k, &reached) in clock.iter().enumerate() {
            let (is_written, latest) = self.memory[loc as usize][k + 1].clone();
            let counts = self.formula.circuit.and(reached, is_written);
            cell = self.choose(counts, &latest, &cell);
        }
        cell
    }

    /// Round after round, thread after thread, statement after statement.
    fn run(&mut self, budget: &mut Budget) -> Result<(), Completeness> {
        for (loc, location) in self.program.locations.iter().enumerate() {
            let init = |i: usize| Lit::constant(location.init >> i.min(63) & 1 != 0);
            let nobody = self.number(self.formula.unrolled.events.len());
            let cell = self.cell(loc as LocId, init, &nobody);
            let mut latest =
                vec![(Lit::FALSE, vec![Lit::FALSE; cell.len()]); self.bounds.stamps + 1];
            latest[0] = (Lit::TRUE, cell);
            self.memory.push(latest);
        }
        let mut clock: Stamp = vec![Lit::FALSE; self.bounds.stamps];
        for round in 0..self.bounds.rounds {
            for e in self.visible.clone() {
                self.poll(budget)?;
                let executed = self.formula.truth(self.event(e).guard);
                let now = self.in_round(e, round);
                let here = self.formula.circuit.and(executed, now);
                if here != Lit::FALSE {
                    self.happen(e, here, &mut clock);
                }
            }
        }
        Ok(())
    }

    fn in_round(&mut self, event: EventIndex, round: usize) -> Lit {
        let later = &self.later[event as usize];
        let not_before = if round == 0 {
            Lit::TRUE
        } else {
            later[round - 1]
        };
        let not_after = later.get(round).map_or(Lit::TRUE, |later| !*later);
        self.formula.circuit.and(not_before, not_after)
    }

    fn happen(&mut self, e: EventIndex, here: Lit, clock: &mut Stamp) {
        let event = self.event(e);
        let own = self.clock[e as usize].clone();
        self.at_least(Rule::ClockRuns, &[!here], &own, clock);
        for (clock, &own) in clock.iter_mut().zip(&own) {
            let reached = self.formula.circuit.and(here, own);
            *clock = self.formula.circuit.or(*clock, reached);
        }
        if event.kind.reads() {
            for &(loc, at) in &event.places {
                let not_there = !self.formula.truth(at);
                let known = self.forwarded.get(&(e, loc));
                let pending = known.copied().unwrap_or(Lit::FALSE);
                let (seen, cell) = (self.seen(e, loc), self.current(loc, &own));
                self.equal(Rule::ReadMemory, &[!here, not_there, pending], &seen, &cell);
                if event.kind == Kind::Lock {
                    for &bit in &seen[..self.width(loc)] {
                        self.add(Rule::LockFree, &[!here, !bit]);
                    }
                }
            }
        }
        if event.writes == ZERO {
            return;
        }
        let writes = self.formula.truth(event.writes);
        let writes = self.formula.circuit.and(here, writes);
        for &(loc, at) in &event.places {
            let at = self.formula.truth(at);
            let writes = self.formula.circuit.and(writes, at);
            let cell = self.written(e, loc);
            for k in 0..=self.bounds.stamps {
                let stamp = &self.stamp[e as usize];
                let not_less = if k == 0 { Lit::TRUE } else { stamp[k - 1] };
                let not_more = stamp.get(k).map_or(Lit::TRUE, |more| !*more);
                let exact = self.formula.circuit.and(not_less, not_more);
                let now = self.formula.circuit.and(writes, exact);
                let (is_written, latest) = self.memory[loc as usize][k].clone();
                let latest = self.choose(now, &cell, &latest);
                let is_written = self.formula.circuit.or(is_written, now);
                self.memory[loc as usize][k] = (is_written, latest);
            }
        }
    }

    /// What a location holds when everything has reached memory.
    fn last(&mut self, loc: LocId) -> Cell {
        self.current(loc, &vec![Lit::TRUE; self.bounds.stamps])
    }

    fn finals(&mut self) {
        for &term in &self.formula.unrolled.observed {
            if let Node::Final(loc) = self.formula.unrolled.terms.node(term) {
                self.formula.make(term);
                let last = self.last(loc);
                let word = self.formula.word(term);
                let end: Cell = (0..self.width(loc)).map(|i| word.bit(i)).collect();
                self.equal(Rule::FinalValue, &[], &end, &last);
            }
        }
    }

    /// A literal under which everybody who waits waits for ever.
    pub fn for_ever(&mut self) -> Lit {
        let for_ever = self.formula.circuit.solver.fresh();
        for stop in &self.formula.unrolled.stops {
            let not_waits = !self.formula.truth(stop.guard);
            match &stop.why {
                Why::Lock(lock) => {
                    for &(loc, _) in &self.event(*lock).places {
                        let mut clause = vec![!for_ever, not_waits];
                        let last = self.last(loc);
                        clause.extend(&last[..self.width(loc)]);
                        self.add(Rule::WaitsForHeld, &clause);
                    }
                }
                Why::Await(reads) => {
                    let mut later = Lit::FALSE;
                    for &read in reads.iter().rev() {
                        let event = self.event(read);
                        let executed = self.formula.truth(event.guard);
                        for &(loc, at) in &event.places {
                            let not_there = !self.formula.truth(at);
                            let (seen, last) = (self.seen(read, loc), self.last(loc));
                            let unless = [!for_ever, not_waits, later, !executed, not_there];
                            self.equal(Rule::WaitsForLast, &unless, &seen, &last);
                        }
                        later = self.formula.circuit.or(later, executed);
                    }
                }
                Why::Stopped(_) => {}
            }
        }
        for_ever
    }

    /// What is needed to read an execution off an assignment.
    pub fn choices_made(self) -> Choices {
        Choices {
            visible: self.visible,
            later: self.later,
            clock: self.clock,
            stamp: self.stamp,
        }
    }
}

/// The choices of an encoding, as literals.
#[derive(Debug)]
pub struct Choices {
    visible: Vec<EventIndex>,
    later: Vec<Vec<Lit>>,
    clock: Vec<Stamp>,
    stamp: Vec<Stamp>,
}

impl Choices {
    /// The execution of the assignment that was found last: the events round after round, and
    /// each store's flush when the clock comes to its timestamp.
    pub fn schedule(&self, formula: &Formula<'_>, rules: Rules) -> Vec<Move> {
        let unrolled = formula.unrolled;
        let solver = &formula.circuit.solver;
        let number = |unary: &[Lit]| unary.iter().filter(|lit| solver.value(**lit)).count();
        let executed = |e: EventIndex| formula.holds(unrolled.events[e as usize].guard);
        // In the order of rounds; within a round they are sorted already.
        let mut sequence: Vec<(usize, EventIndex)> = Vec::new();
        for &e in &self.visible {
            if executed(e) {
                sequence.push((number(&self.later[e as usize]), e));
            }
        }
        sequence.sort_by_key(|(round, _)| *round);
        let mut next: Vec<EventIndex> = unrolled.threads.iter().map(|t| t.first).collect();
        let mut waiting: Vec<(usize, Move)> = Vec::new();
        let mut moves = Vec::new();
        for (_, e) in sequence {
            let event = &unrolled.events[e as usize];
            let clock = number(&self.clock[e as usize]);
            flush(&mut waiting, clock, &mut moves);
            let at = &mut next[event.thread as usize];
            while *at <= e {
                // What is not visible comes just before what is.
                if executed(*at) {
                    moves.push(Move::Thread(event.thread));
                }
                *at += 1;
            }
            if event.kind == Kind::Store && rules.buffer_stores() {
                let loc = place(formula, event);
                let thread = event.thread;
                let stamp = number(&self.stamp[e as usize]);
                waiting.push((stamp, Move::Flush { thread, loc }));
                flush(&mut waiting, clock, &mut moves);
            }
        }
        flush(&mut waiting, usize::MAX, &mut moves);
        let ends = unrolled.threads.iter().skip(1).map(|t| t.first);
        let ends = ends.chain([unrolled.events.len() as EventIndex]);
        for (t, end) in ends.enumerate() {
            for e in next[t]..end {
                if executed(e) {
                    moves.push(Move::Thread(t as ThreadId));
                }
            }
        }
        moves
    }
}

/// Lets the stores reach memory whose time has come: by timestamp, then as they were issued.
fn flush(waiting: &mut Vec<(usize, Move)>, clock: usize, moves: &mut Vec<Move>) {
    waiting.sort_by_key(|(stamp, _)| *stamp);
    let due = waiting.partition_point(|(stamp, _)| *stamp <= clock);
    moves.extend(waiting.drain(..due).map(|(_, flush)| flush));
}
