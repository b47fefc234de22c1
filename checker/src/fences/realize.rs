//! Can a class still happen with some fences, and which further ones would rule that out?

use crate::bits::Bits;
use crate::event::{Effect, Event, EventId, INIT, NO_SOURCE};
use crate::program::FenceKind;
use crate::report::{Completeness, Interrupt};
use crate::verify::{MemoryModel, Verifier};

use super::kept::{Kept, Node};
use super::points::{Candidate, CandidateId};

/// A set of candidates: for each one, whether it is in.
pub type Choice = Vec<bool>;

/// Verifies classes with fences inserted.
pub struct Realizer<'a, M, const W: usize> {
    candidates: &'a [Candidate],
    verifier: Verifier<M, W>,
    /// For each point, the strongest fence that is chosen there.
    at_point: Vec<Option<FenceKind>>,
    events: Vec<Event>,
    lists: Vec<Vec<EventId>>,
    /// The memory order of the execution that was found.
    memory: Vec<EventId>,
    /// For each event, when it happens in that execution: see [`Realizer::times`].
    time: Vec<u32>,
}

impl<'a, M: MemoryModel, const W: usize> Realizer<'a, M, W> {
    pub fn new(
        candidates: &'a [Candidate],
        points: usize,
        locations: usize,
        interrupt: Interrupt,
    ) -> Self {
        Realizer {
            candidates,
            verifier: Verifier::new(locations).interruptible(interrupt),
            at_point: vec![None; points],
            events: Vec::new(),
            lists: Vec::new(),
            memory: Vec::new(),
            time: Vec::new(),
        }
    }

    /// Why the last verification gave up, if it did: then its answer means nothing.
    pub fn interrupted(&self) -> Option<Completeness> {
        self.verifier.interrupted
    }

    /// Says which fences are there from now on.
    pub fn choose(&mut self, choice: &[bool]) {
        self.at_point.fill(None);
        for (candidate, _) in self.candidates.iter().zip(choice).filter(|(_, c)| **c) {
            let kind = &mut self.at_point[candidate.point as usize];
            *kind = (*kind).max(Some(candidate.kind));
        }
    }

    /// Whether the class has an execution with the fences chosen.
    pub fn realizable(&mut self, class: &Kept) -> bool {
        self.memory.clear();
        let fenced = |c: &super::kept::Crossing| self.at_point[c.point as usize].is_some();
        if !class.crossings.iter().any(fenced) {
            self.memory.extend_from_slice(&class.memory);
            return true;
        }
        self.load(class);
        let included = Bits::prefix(self.events.len());
        self.verifier.interrupted = None;
        let found = self
            .verifier
            .verify(&self.events, &self.lists, included, &class.memory);
        if found {
            self.memory.extend_from_slice(&self.verifier.witness);
        }
        found
    }

    /// The events of the class with the fences between them.
    fn load(&mut self, class: &Kept) {
        self.events.clear();
        self.lists.resize_with(class.ends.len(), Vec::new);
        for (range, list) in class.threads().zip(&mut self.lists) {
            let start = range.start;
            self.events.extend(range.clone().map(|id| {
                let Node {
                    thread,
                    effect,
                    loc,
                    source,
                } = class.nodes[id as usize];
                Event {
                    thread,
                    effect,
                    index: id - start,
                    loc,
                    source,
                    value: 0,
                }
            }));
            list.clear();
            list.extend(range);
        }
        let mut crossings = class.crossings.iter().peekable();
        while let Some(crossing) = crossings.next() {
            let before = crossing.before;
            let mut kind = self.at_point[crossing.point as usize];
            while let Some(more) = crossings.next_if(|c| c.before == before) {
                kind = kind.max(self.at_point[more.point as usize]);
            }
            let Some(kind) = kind else { continue };
            let at = &self.events[before as usize];
            let (thread, index) = (at.thread, at.index);
            let fence = self.events.len() as EventId;
            self.events.push(Event {
                thread,
                effect: match kind {
                    FenceKind::Full => Effect::DRAIN,
                    FenceKind::StoreStore => Effect::STORE_FENCE,
                },
                index,
                loc: 0,
                source: NO_SOURCE,
                value: 0,
            });
            let list = &mut self.lists[thread as usize];
            if let Some(at) = list.iter().position(|id| *id == before) {
                list.insert(at, fence);
            }
        }
    }

    /// After [`Realizer::realizable`]: the candidates that the execution found contradicts.
    /// A set without any of them leaves that execution possible.
    pub fn contradicted(&mut self, class: &Kept, choice: &mut [bool]) {
        self.times(class);
        let mut full = vec![false; self.at_point.len()];
        let mut store_store = vec![false; self.at_point.len()];
        let mut crossings = class.crossings.iter().rev().peekable();
        let mut threads: Vec<_> = class.threads().collect();
        threads.pop();
        for range in threads.into_iter().rev() {
            // The latest flush of the stores before each event.
            let mut latest = 0;
            let flushed: Vec<u32> = range
                .clone()
                .map(|id| {
                    let before = latest;
                    if class.nodes[id as usize].effect.is_buffered() {
                        latest = latest.max(self.time[id as usize]);
                    }
                    before
                })
                .collect();
            let (mut any, mut stores) = (u32::MAX, u32::MAX);
            for id in range.clone().rev() {
                let effect = class.nodes[id as usize].effect;
                let time = self.time[id as usize];
                if effect.has(Effect::READ) || effect.has(Effect::WRITE) {
                    any = any.min(time);
                }
                if effect.is_buffered() {
                    stores = stores.min(time);
                }
                while let Some(crossing) = crossings.next_if(|c| c.before == id) {
                    let point = crossing.point as usize;
                    let flushed = flushed[(id - range.start) as usize];
                    full[point] |= flushed > any;
                    store_store[point] |= flushed > stores;
                }
            }
        }
        for (candidate, chosen) in self.candidates.iter().zip(choice) {
            let point = candidate.point as usize;
            *chosen = match candidate.kind {
                FenceKind::Full => full[point],
                FenceKind::StoreStore => store_store[point],
            };
        }
    }

    /// When each event happens: a write at its number in the memory order, from 1 on, and
    /// anything else after so many writes; each load as late as it can be, so that as few
    /// stores as possible are still in the buffer when it happens.
    fn times(&mut self, class: &Kept) {
        let memory = &self.memory;
        self.time.clear();
        self.time.resize(class.nodes.len(), u32::MAX);
        // For each write, the number of the one that overwrites it.
        let mut overwritten = vec![u32::MAX; class.nodes.len()];
        let locations = class.nodes.iter().map(|n| n.loc as usize + 1).max();
        let mut last: Vec<Option<EventId>> = vec![None; locations.unwrap_or(0)];
        let mut first = vec![u32::MAX; last.len()];
        for (k, &w) in memory.iter().enumerate() {
            let number = k as u32 + 1;
            self.time[w as usize] = number;
            let loc = class.nodes[w as usize].loc as usize;
            match last[loc].replace(w) {
                Some(before) => overwritten[before as usize] = number,
                None => first[loc] = number,
            }
        }
        for range in class.threads() {
            let mut bound = memory.len() as u32;
            for id in range.rev() {
                let node = &class.nodes[id as usize];
                if node.effect.has(Effect::WRITE) {
                    bound = bound.min(self.time[id as usize] - 1);
                } else if node.effect.has(Effect::READ) {
                    let over = match node.source {
                        INIT => first[node.loc as usize],
                        source => overwritten[source as usize],
                    };
                    bound = bound.min(over - 1);
                    self.time[id as usize] = bound;
                } else {
                    self.time[id as usize] = bound;
                }
            }
        }
    }

    /// For a class that is realizable with `choice`: candidates of which every set that rules
    /// the class out has one, and no fewer will do for that.
    pub fn clause(&mut self, class: &Kept, choice: &[bool]) -> Vec<CandidateId> {
        let mut out = vec![false; self.candidates.len()];
        self.choose(choice);
        if !self.realizable(class) {
            return Vec::new();
        }
        self.contradicted(class, &mut out);
        // What does not contradict the execution can be there too. Then one by one, as many
        // more as leave some execution.
        let mut needed = vec![false; out.len()];
        while let Some(next) = (0..out.len()).find(|&c| out[c] && !needed[c]) {
            if self.interrupted().is_some() {
                break;
            }
            let with: Choice = (0..out.len()).map(|c| !out[c] || c == next).collect();
            self.choose(&with);
            if self.realizable(class) {
                self.contradicted(class, &mut out);
            } else {
                needed[next] = true;
            }
        }
        (0..out.len() as CandidateId)
            .filter(|&c| out[c as usize])
            .collect()
    }
}
