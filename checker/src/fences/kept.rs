//! The classes that must go, as small values: their events and the points between them.

use std::cell::{Cell, RefCell};

use crate::collect::{Class, Watch};
use crate::event::{Effect, Event, EventId, Execution, INIT, NO_SOURCE};
use crate::program::Value;
use crate::thread::{Cursor, advance, take};

use super::points::{PointId, Points, Probe};

/// A class of executions, its events numbered thread by thread.
#[derive(Debug)]
pub struct Kept {
    pub nodes: Box<[Node]>,
    /// Where each thread's events end, and the observing reads, which come after them.
    ends: Box<[EventId]>,
    /// That of one execution.
    pub memory_order: Box<[EventId]>,
    /// In order of `before`.
    pub crossings: Box<[Crossing]>,
}

/// An event without the values.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    pub thread: u8,
    pub effect: Effect,
    pub loc: u16,
    pub source: EventId,
}

/// The thread of event `before` comes by a point on its way there, with a store behind it
/// that may still be in the buffer.
#[derive(Debug, Clone, Copy)]
pub struct Crossing {
    pub before: EventId,
    pub point: PointId,
}

impl Kept {
    /// The ids of the events of each thread, and last of the observing reads.
    pub fn lists(&self) -> impl Iterator<Item = std::ops::Range<EventId>> {
        let mut start = 0;
        self.ends
            .iter()
            .map(move |&end| std::mem::replace(&mut start, end)..end)
    }

    fn bytes(&self) -> usize {
        size_of::<Kept>()
            + size_of_val(&*self.nodes)
            + size_of_val(&*self.ends)
            + size_of_val(&*self.memory_order)
            + size_of_val(&*self.crossings)
    }
}

/// Keeps the classes whose final state is unwanted.
pub struct Keeper<'a> {
    points: &'a Points,
    unwanted: &'a dyn Fn(&[Value]) -> bool,
    kept: RefCell<Vec<Kept>>,
    bytes: Cell<usize>,
}

impl std::fmt::Debug for Keeper<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keeper").field("kept", &self.kept).finish()
    }
}

impl<'a> Keeper<'a> {
    pub fn new(points: &'a Points, unwanted: &'a dyn Fn(&[Value]) -> bool) -> Self {
        Keeper {
            points,
            unwanted,
            kept: RefCell::default(),
            bytes: Cell::new(0),
        }
    }

    pub fn finish(self) -> Vec<Kept> {
        self.kept.into_inner()
    }
}

impl Watch for Keeper<'_> {
    fn restart(&self) {
        self.kept.borrow_mut().clear();
        self.bytes.set(0);
    }

    fn class(&self, class: Class<'_>) {
        if !(self.unwanted)(class.state) {
            return;
        }
        let kept = keep(self.points, class);
        self.bytes.set(self.bytes.get() + kept.bytes());
        self.kept.borrow_mut().push(kept);
    }

    fn memory(&self) -> usize {
        self.bytes.get()
    }
}

fn keep(points: &Points, class: Class<'_>) -> Kept {
    let execution = class.execution;
    let mut renumbered = vec![0; execution.events.len()];
    let order = execution.lists().flatten();
    for (new, &old) in order.clone().enumerate() {
        renumbered[old as usize] = new as EventId;
    }
    let renumber = |id: EventId| match id {
        INIT | NO_SOURCE => id,
        id => renumbered[id as usize],
    };
    let node = |&id: &EventId| {
        let Event {
            thread,
            effect,
            loc,
            source,
            ..
        } = execution.events[id as usize];
        Node {
            thread,
            effect,
            loc,
            source: renumber(source),
        }
    };
    let mut end = 0;
    let ends = execution.lists().map(|list| {
        end += list.len() as EventId;
        end
    });
    let mut crossings = Vec::new();
    for t in 0..execution.threads.len() {
        cross(points, execution, t, &renumbered, &mut crossings);
    }
    Kept {
        nodes: order.map(node).collect(),
        ends: ends.collect(),
        memory_order: class.memory_order.iter().map(|&id| renumber(id)).collect(),
        crossings: crossings.into(),
    }
}

/// Runs a thread again, with its probes, to see which points it comes by.
fn cross(
    points: &Points,
    execution: &Execution,
    t: usize,
    renumbered: &[EventId],
    crossings: &mut Vec<Crossing>,
) {
    let program = &points.program;
    let mut cursor = Cursor::default();
    let mut regs = program.threads[t].regs.clone();
    let mut passed: Vec<PointId> = Vec::new();
    let mut buffered = false;
    for &id in &execution.threads[t] {
        let event = &execution.events[id as usize];
        loop {
            advance(program, t as u8, &mut cursor, &mut regs);
            match points.probes[t].get(cursor.pc as usize) {
                Some(Probe::Useless) => {}
                Some(&Probe::At(point)) => passed.push(point),
                _ => break,
            }
            take(program, t as u8, &mut cursor, &mut regs, 0);
        }
        let before = renumbered[id as usize];
        if buffered {
            passed.sort_unstable();
            passed.dedup();
            crossings.extend(passed.iter().map(|&point| Crossing { before, point }));
        }
        passed.clear();
        if event.effect.has(Effect::DRAIN) {
            buffered = false;
        } else if event.effect.has(Effect::WRITE) {
            buffered = true;
        }
        let read = match event.source {
            NO_SOURCE => 0,
            INIT => program.locations[event.loc as usize].init,
            source => execution.events[source as usize].value,
        };
        take(program, t as u8, &mut cursor, &mut regs, read);
    }
}
