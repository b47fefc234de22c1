//! Can a class still happen with some fences, and which further ones would rule that out?

use crate::bits::Bits;
use crate::event::{Effect, Event, EventId, Execution, INIT, NO_SOURCE};
use crate::model::{self, Model};
use crate::program::FenceKind;
use crate::report::{Completeness, Interrupt};
use crate::verify::{Verification, Verifier};

use super::kept::{Crossing, Kept, Node};
use super::points::{Candidate, CandidateId, Points};

/// A set of candidates: for each one, whether it is in.
pub type Choice = Vec<bool>;

/// Verifies classes with fences inserted.
pub struct Realizer<'a, const W: usize> {
    candidates: &'a [Candidate],
    verifier: Verifier<W>,
    /// For each point, what the fences that are chosen there do together.
    at_point: Vec<Effect>,
    execution: Execution,
    /// That of the execution that was found.
    memory_order: Vec<EventId>,
    /// For each event, when it happens in that execution: see [`Realizer::times`].
    time: Vec<u32>,
}

impl<'a, const W: usize> Realizer<'a, W> {
    pub fn new(points: &'a Points, model: Model, interrupt: Interrupt) -> Self {
        let program = &points.program;
        Realizer {
            candidates: &points.candidates,
            verifier: Verifier::new(model, program.locations.len()).interruptible(interrupt),
            at_point: vec![Effect::NONE; points.places.len()],
            execution: Execution::new(program.threads.len()),
            memory_order: Vec::new(),
            time: Vec::new(),
        }
    }

    /// Says which fences are there from now on.
    pub fn choose(&mut self, choice: &[bool]) {
        self.at_point.fill(Effect::NONE);
        for (candidate, _) in self.candidates.iter().zip(choice).filter(|(_, c)| **c) {
            let fence = &mut self.at_point[candidate.point as usize];
            *fence = fence.and(model::fence(candidate.kind));
        }
    }

    /// Whether the class has an execution with the fences chosen; an error when the search for
    /// it was ended.
    pub fn realizable(&mut self, class: &Kept) -> Result<bool, Completeness> {
        self.memory_order.clear();
        let fenced = |c: &Crossing| self.at_point[c.point as usize] != Effect::NONE;
        if !class.crossings.iter().any(fenced) {
            self.memory_order.extend_from_slice(&class.memory_order);
            return Ok(true);
        }
        self.load(class);
        let included = Bits::prefix(self.execution.events.len());
        let guide = &class.memory_order;
        match self.verifier.verify(&self.execution, included, guide) {
            Verification::Realizable(order) => self.memory_order.extend_from_slice(order),
            Verification::Unrealizable => return Ok(false),
            Verification::Interrupted(why) => return Err(why),
        }
        Ok(true)
    }

    /// The events of the class with the fences between them.
    fn load(&mut self, class: &Kept) {
        let events = &mut self.execution.events;
        events.clear();
        let lists = self.execution.threads.iter_mut();
        for (range, list) in class
            .lists()
            .zip(lists.chain([&mut self.execution.observers]))
        {
            let start = range.start;
            events.extend(range.clone().map(|id| {
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
            let mut effect = self.at_point[crossing.point as usize];
            while let Some(more) = crossings.next_if(|c| c.before == before) {
                effect = effect.and(self.at_point[more.point as usize]);
            }
            if effect == Effect::NONE {
                continue;
            }
            let Event { thread, index, .. } = events[before as usize];
            let fence = events.len() as EventId;
            events.push(Event {
                thread,
                effect,
                index,
                loc: 0,
                source: NO_SOURCE,
                value: 0,
            });
            let list = &mut self.execution.threads[thread as usize];
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
        let mut threads: Vec<_> = class.lists().collect();
        threads.pop(); // the observing reads
        for range in threads.into_iter().rev() {
            // The latest flush of the stores before each event.
            let mut latest = 0;
            let flushed: Vec<u32> = range
                .clone()
                .map(|id| {
                    let before = latest;
                    if class.nodes[id as usize].effect.is_plain_store() {
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
                if effect.is_plain_store() {
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
        let memory = &self.memory_order;
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
        for range in class.lists() {
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
    pub fn clause(
        &mut self,
        class: &Kept,
        choice: &[bool],
    ) -> Result<Vec<CandidateId>, Completeness> {
        let mut out = vec![false; self.candidates.len()];
        self.choose(choice);
        if !self.realizable(class)? {
            return Ok(Vec::new());
        }
        self.contradicted(class, &mut out);
        // What does not contradict the execution can be there too. Then one by one, as many
        // more as leave some execution.
        let mut needed = vec![false; out.len()];
        while let Some(next) = (0..out.len()).find(|&c| out[c] && !needed[c]) {
            let with: Choice = (0..out.len()).map(|c| !out[c] || c == next).collect();
            self.choose(&with);
            if self.realizable(class)? {
                self.contradicted(class, &mut out);
            } else {
                needed[next] = true;
            }
        }
        Ok((0..out.len() as CandidateId)
            .filter(|&c| out[c as usize])
            .collect())
    }
}
