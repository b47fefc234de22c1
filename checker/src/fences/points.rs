//! The places where a fence can make a difference, each once.
//!
//! The test is lowered with a *probe*, a fence, at every place of its source. Where an
//! execution comes by a probe, a fence at that place would stand: so loops, branches and
//! replicas need no rules of their own. Of several places that no event or branch parts, the
//! first stands for all: right after a store rather than before what follows it.

use rustc_hash::FxHashMap;

use fencepost_grammar::fences::{self, NewFence, Place};
use fencepost_grammar::{Error, Sound};

use crate::event::Effect;
use crate::lower::{LowerOptions, lower};
use crate::model::{self, Model, Rules};
use crate::program::{FenceKind, Instr, Pc, Program, RmwOp, Thread};

/// An index into [`Points::candidates`].
pub type CandidateId = u16;
/// An index into [`Points::places`].
pub type PointId = u16;

#[derive(Debug)]
pub struct Points {
    /// The program with its probes.
    pub program: Program,
    /// For each thread and instruction, whether it is a probe, and of which point.
    pub probes: Vec<Vec<Probe>>,
    /// The points, in order of thread and place.
    pub places: Vec<Place>,
    /// What can be chosen, in the order of the points.
    pub candidates: Vec<Candidate>,
    /// For each place of the source that a point stands for, that point's place.
    stands_for: FxHashMap<Place, Place>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// An instruction of the program itself.
    No,
    /// A fence here orders nothing.
    Useless,
    At(PointId),
}

/// A fence that can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    pub point: PointId,
    pub kind: FenceKind,
}

/// What a fence at a place could order.
#[derive(Debug, Clone, Copy, Default)]
struct Use {
    full: bool,
    store_store: bool,
}

impl Points {
    pub fn new(
        sound: &Sound<'_>,
        options: &LowerOptions,
        model: Model,
    ) -> Result<Points, Vec<Error>> {
        let places = fences::places(sound.test());
        let probes: Vec<NewFence> = places
            .iter()
            .map(|&place| NewFence {
                place,
                kind: FenceKind::Full,
            })
            .collect();
        let program = lower(&fences::insert(sound, &probes), options)?;
        // A column's place is not told by its offset alone. Where threads have replicas, the
        // source's are fewer, but then offsets tell.
        let by_offset: FxHashMap<u32, usize> = places
            .iter()
            .enumerate()
            .map(|(i, place)| (place.at, i))
            .collect();
        let by_column: FxHashMap<Place, usize> =
            places.iter().enumerate().map(|(i, p)| (*p, i)).collect();
        let probe_at = |thread: usize, pc: usize| -> Option<usize> {
            let code = &program.threads[thread];
            let span = &code.spans[pc];
            if !matches!(code.code[pc], Instr::Fence(_)) || !span.is_empty() {
                return None;
            }
            let at = span.start;
            let column = by_column.get(&Place { thread, at });
            column.or_else(|| by_offset.get(&at)).copied()
        };
        let found: Vec<Vec<Option<usize>>> = (0..program.threads.len())
            .map(|t| {
                (0..program.threads[t].code.len())
                    .map(|pc| probe_at(t, pc))
                    .collect()
            })
            .collect();

        let mut uses = vec![Use::default(); places.len()];
        let mut follows = Follows::new(places.len());
        for (thread, probes) in program.threads.iter().zip(&found) {
            for (i, found) in Flow::new(thread, probes).uses() {
                uses[i].full |= found.full;
                uses[i].store_store |= found.store_store;
            }
            follows.add(thread, probes);
        }
        let first = follows.first_of_each();
        for i in 0..places.len() {
            let (f, u) = (first[i], uses[i]);
            uses[f].full |= u.full;
            uses[f].store_store |= u.store_store;
        }

        let mut point_of = vec![Probe::Useless; places.len()];
        let mut kept = Vec::new();
        let mut candidates = Vec::new();
        for i in 0..places.len() {
            let u = uses[i];
            let store_store = u.store_store && Rules::of(model).reorder_stores();
            if first[i] != i || !(u.full || store_store) {
                continue;
            }
            let point = kept.len() as PointId;
            point_of[i] = Probe::At(point);
            kept.push(places[i]);
            if store_store {
                candidates.push(Candidate {
                    point,
                    kind: FenceKind::StoreStore,
                });
            }
            if u.full {
                candidates.push(Candidate {
                    point,
                    kind: FenceKind::Full,
                });
            }
        }
        Ok(Points {
            probes: found
                .iter()
                .map(|thread| {
                    let probe = |i: &Option<usize>| i.map_or(Probe::No, |i| point_of[i]);
                    thread.iter().map(probe).collect()
                })
                .collect(),
            stands_for: (0..places.len())
                .map(|i| (places[i], places[first[i]]))
                .collect(),
            program,
            places: kept,
            candidates,
        })
    }

    pub fn fence(&self, id: CandidateId) -> NewFence {
        let Candidate { point, kind } = self.candidates[id as usize];
        NewFence {
            place: self.places[point as usize],
            kind,
        }
    }

    /// The place that stands for a place, if it is one of the test's.
    pub fn representative(&self, place: Place) -> Option<Place> {
        self.stands_for.get(&place).copied()
    }
}

fn successors(thread: &Thread, pc: usize) -> [Option<usize>; 2] {
    let next = (pc + 1 < thread.code.len()).then_some(pc + 1);
    let to = |target: Pc| {
        let target = target as usize;
        (target < thread.code.len()).then_some(target)
    };
    match thread.code[pc] {
        Instr::Return => [None, None],
        Instr::Jump(target) => [to(target), None],
        Instr::JumpIfZero { target, .. } => [next, to(target)],
        _ => [next, None],
    }
}

/// What reaches each instruction, and what can be reached from it, with no drain between.
struct Flow<'a> {
    thread: &'a Thread,
    probes: &'a [Option<usize>],
}

impl<'a> Flow<'a> {
    fn new(thread: &'a Thread, probes: &'a [Option<usize>]) -> Self {
        Flow { thread, probes }
    }

    fn drains(&self, pc: usize) -> bool {
        match self.thread.code[pc] {
            Instr::Fence(kind) => {
                model::fence(kind).has(Effect::DRAIN) && self.probes[pc].is_none()
            }
            // This one may be no more than a load.
            Instr::Rmw {
                op: RmwOp::AddUnless,
                ..
            } => false,
            Instr::Rmw { .. } | Instr::Lock(_) | Instr::Unlock(_) => true,
            _ => false,
        }
    }

    /// What a fence at each probe could order. A full fence where no load follows does what
    /// a store-store fence does, and one that is dearer is never wanted.
    fn uses(&self) -> Vec<(usize, Use)> {
        let n = self.thread.code.len();
        let is_store = |pc: usize| matches!(self.thread.code[pc], Instr::Store { .. });
        let is_load = |pc: usize| {
            matches!(
                self.thread.code[pc],
                Instr::Load { .. }
                    | Instr::Rmw {
                        op: RmwOp::AddUnless,
                        ..
                    }
            )
        };
        // Before an instruction: a store may be in the buffer.
        let mut buffered = vec![false; n];
        // From an instruction on: a load, a store may come before the next drain.
        let mut load = vec![false; n];
        let mut store = vec![false; n];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for pc in 0..n {
                let leaves = is_store(pc) || buffered[pc] && !self.drains(pc);
                for next in successors(self.thread, pc).into_iter().flatten() {
                    changed |= leaves && !buffered[next];
                    buffered[next] |= leaves;
                }
            }
            for pc in (0..n).rev() {
                if self.drains(pc) {
                    continue;
                }
                let next = successors(self.thread, pc);
                let any = |of: &[bool]| next.into_iter().flatten().any(|next| of[next]);
                let (l, s) = (is_load(pc) || any(&load), is_store(pc) || any(&store));
                changed |= l != load[pc] || s != store[pc];
                (load[pc], store[pc]) = (l, s);
            }
        }
        (0..n)
            .filter_map(|pc| {
                let i = self.probes[pc]?;
                let found = Use {
                    full: buffered[pc] && load[pc],
                    store_store: buffered[pc] && store[pc],
                };
                Some((i, found))
            })
            .collect()
    }
}

/// Which probe follows which with nothing between, in every thread they are in.
struct Follows {
    /// For each place: none yet, the one that follows, or `Some(None)` when threads differ.
    next: Vec<Option<Option<usize>>>,
    /// The same, backwards.
    previous: Vec<Option<Option<usize>>>,
}

impl Follows {
    fn new(places: usize) -> Self {
        Follows {
            next: vec![None; places],
            previous: vec![None; places],
        }
    }

    fn add(&mut self, thread: &Thread, probes: &[Option<usize>]) {
        let n = thread.code.len();
        let mut ways_in = vec![0u32; n];
        for pc in 0..n {
            for next in successors(thread, pc).into_iter().flatten() {
                ways_in[next] += 1;
            }
        }
        let mut entered = vec![None; n];
        for pc in 0..n {
            let Some(i) = probes[pc] else { continue };
            let next = after(thread, probes, &ways_in, pc);
            if let Some(q) = next {
                entered[q] = Some(i);
            }
            agree(&mut self.next[i], next.and_then(|q| probes[q]));
        }
        for pc in 0..n {
            if let Some(i) = probes[pc] {
                agree(&mut self.previous[i], entered[pc]);
            }
        }
    }

    /// For each place, the first of those that are the same.
    fn first_of_each(&self) -> Vec<usize> {
        (0..self.next.len())
            .map(|place| {
                let mut first = place;
                // A circle of places without an event is an endless loop; it ends here too.
                for _ in 0..self.next.len() {
                    match self.previous[first] {
                        Some(Some(before)) if self.next[before] == Some(Some(first)) => {
                            first = before;
                        }
                        _ => break,
                    }
                }
                first
            })
            .collect()
    }
}

fn agree(known: &mut Option<Option<usize>>, found: Option<usize>) {
    match known {
        None => *known = Some(found),
        Some(before) if *before != found => *known = Some(None),
        Some(_) => {}
    }
}

/// The probe that always follows the one at `pc`, and nothing else leads to it.
fn after(
    thread: &Thread,
    probes: &[Option<usize>],
    ways_in: &[u32],
    mut pc: usize,
) -> Option<usize> {
    for _ in 0..thread.code.len() {
        pc = match successors(thread, pc) {
            [Some(next), None] => next,
            _ => return None,
        };
        if ways_in[pc] != 1 {
            return None;
        }
        if probes[pc].is_some() {
            return Some(pc);
        }
        match thread.code[pc] {
            Instr::Assign { .. }
            | Instr::Jump(_)
            | Instr::Bound { .. }
            | Instr::Assert(_)
            | Instr::Assume(_)
            | Instr::AwaitTest(_) => {}
            _ => return None,
        }
    }
    None
}
