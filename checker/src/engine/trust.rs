//! The engine `trust`: TruSt ("Truly Stateless, Optimal Dynamic Partial Order Reduction") on
//! reads-from classes, for SC, TSO and PSO. Each class once, polynomial memory, and branches
//! that share nothing.
//!
//! A graph grows by the next event of a fixed order (`next`). A read is tried with every write
//! that is there; a write that comes later *revisits* the read: what is not needed for either is
//! taken out, and the read gets the write as its source. So that each graph has one parent, a
//! revisit happens only where all it takes out is *maximal*: what reading the last write gives.
//!
//! Beyond the paper:
//! - **What is last** is asked of a witness of the kept events that depends on them alone.
//! - **RMW.** Two that write cannot read from one write, but the later one is tried with
//!   the source of the other for its revisits' sake. An RMW that is revisited and writes now
//!   revisits in turn.
//! - **Locks** are branched on by who takes the mutex. A thread that comes to wait for it later
//!   *replaces* a lock that was taken by default.
//! - **Final memory.** The observing reads come after everything.

mod frame;
mod graph;
mod revisit;
#[cfg(test)]
mod tests;

use self::frame::{Frame, Stage};
use self::graph::Graph;
use super::maximal::Maximal;
use super::rf::Rf;
use super::trace::TooManyEvents;
use super::{Explore, ExploreWith, Task, widening};
use crate::bits::Bits;
use crate::event::{Effect, EventId, INIT};
use crate::program::{Instr, LocId, LocationKind, Program};
use crate::report::Completeness;
use crate::thread::{Pending, rmw_writes};
use crate::verify::{Incremental, Verification, Verifier};

#[derive(Debug)]
pub struct Trust;

impl Explore for Trust {
    fn explore(&self, task: &mut Task<'_, '_>) -> Completeness {
        if looks_at_mutexes(task.program) {
            // Who takes a mutex next is chosen without regard to who only looks at it.
            return Rf.explore(task);
        }
        widening::<Trust>(task)
    }
}

/// Whether a mutex can be read by anything but its lock (`spin_is_locked`).
fn looks_at_mutexes(program: &Program) -> bool {
    let mut code = program.threads.iter().flat_map(|thread| &thread.code);
    code.any(|instr| match *instr {
        Instr::Load { addr, .. } | Instr::Rmw { addr, .. } => program.may_be_mutex(addr),
        _ => false,
    })
}

impl ExploreWith for Trust {
    fn explore_with<const W: usize>(
        task: &mut Task<'_, '_>,
    ) -> Result<Completeness, TooManyEvents> {
        match Search::<W>::new(task).run() {
            Ok(()) => Ok(Completeness::Complete),
            Err(Stop::Budget(completeness)) => Ok(completeness),
            Err(Stop::TooManyEvents) => Err(TooManyEvents),
        }
    }
}

struct Search<'t, 'a, 'p, const W: usize> {
    task: &'t mut Task<'a, 'p>,
    /// The graphs that were left for a revisit of theirs, the one at hand, and spare ones.
    graphs: Vec<Graph<'p, W>>,
    /// Which graph is at hand.
    depth: usize,
    frames: Vec<Frame>,
    /// The closed order of the graph at hand.
    order: Incremental<W>,
    /// For questions about other sets of events.
    verifier: Verifier<W>,
    maximal: Maximal,
    /// Maximal executions that were reported.
    reported: u64,
    has_locks: bool,
    guide: Vec<EventId>,
    /// What deleted reads read, by location.
    wanted: Vec<(LocId, EventId)>,
}

/// Why an exploration ends early.
enum Stop {
    TooManyEvents,
    Budget(Completeness),
}

impl From<TooManyEvents> for Stop {
    fn from(_: TooManyEvents) -> Stop {
        Stop::TooManyEvents
    }
}

impl<'t, 'a, 'p, const W: usize> Search<'t, 'a, 'p, W> {
    fn new(task: &'t mut Task<'a, 'p>) -> Self {
        let locations = &task.program.locations;
        let interrupt = || task.budget.interrupt();
        Search {
            graphs: vec![Graph::new(task.program, task.model)],
            depth: 0,
            frames: Vec::new(),
            order: Incremental::new(task.model, locations.len(), interrupt()),
            verifier: Verifier::new(task.model, locations.len()).interruptible(interrupt()),
            maximal: Maximal::default(),
            reported: 0,
            has_locks: locations.iter().any(|l| l.kind == LocationKind::Mutex),
            guide: Vec::new(),
            wanted: Vec::new(),
            task,
        }
    }

    fn run(mut self) -> Result<(), Stop> {
        self.visit()?;
        while let Some(&frame) = self.frames.last() {
            match frame {
                Frame::Read { thread, tried } => self.read(thread as usize, tried)?,
                Frame::Lock { loc, tried } => self.lock(loc, tried as usize)?,
                Frame::Observe { tried, pushed } => self.observe(tried, pushed)?,
                Frame::After {
                    cut,
                    stage,
                    own_graph,
                    reported,
                } => match stage {
                    Stage::Visit => {
                        self.set_stage(Stage::Replace { thread: 0, from: 0 });
                        self.visit()?;
                    }
                    Stage::Replace { thread, from } => {
                        debug_assert!(self.reported > reported, "a dead end");
                        self.replace(cut as usize, thread as usize, from as usize)?;
                    }
                    Stage::Revisit { from } => self.revisit(from as usize)?,
                    Stage::Done => {
                        self.frames.pop();
                        self.leave(cut as usize, own_graph);
                    }
                },
            }
        }
        Ok(())
    }

    /// Undoes the step whose frame is done.
    fn leave(&mut self, cut: usize, own_graph: bool) {
        if own_graph {
            self.depth -= 1;
        } else {
            self.graphs[self.depth].pop();
        }
        self.order.forget(cut);
    }

    fn set_stage(&mut self, next: Stage) {
        if let Some(Frame::After { stage, .. }) = self.frames.last_mut() {
            *stage = next;
        }
    }

    /// A new graph is at hand, of which the events from `cut` on are new.
    fn enter(&mut self, cut: usize, stage: Stage, own_graph: bool) {
        self.frames.push(Frame::After {
            cut: cut as EventId,
            stage,
            own_graph,
            reported: self.reported,
        });
    }

    /// Takes the next event, or reports the graph when there is none.
    fn visit(&mut self) -> Result<(), Stop> {
        let (classes, bytes) = (self.task.collector.classes(), self.task.collector.memory());
        if let Some(stop) = self.task.budget.poll(classes, bytes) {
            return Err(Stop::Budget(stop));
        }
        let graph = &mut self.graphs[self.depth];
        let threads = graph.trace.threads();
        let mut reading = None;
        let mut done = true;
        for t in 0..threads {
            let pending = graph.trace.pending(t);
            match pending {
                Pending::Done => continue,
                Pending::Store { .. } | Pending::Fence(_) | Pending::Unlock { .. } => {
                    let id = graph.push(t, pending, INIT)?;
                    self.enter(id, Stage::Visit, false);
                    return Ok(());
                }
                Pending::Load { .. } | Pending::Rmw { .. } if reading.is_none() => {
                    let thread = t as u8;
                    reading = Some(Frame::Read { thread, tried: 0 });
                }
                Pending::Lock { loc } if reading.is_none() => {
                    let free = graph.trace.value(loc, graph.trace.last_write(loc)) == 0;
                    reading = free.then_some(Frame::Lock { loc, tried: 0 });
                }
                _ => {}
            }
            done = false;
        }
        if let Some(frame) = reading {
            self.frames.push(frame);
        } else if done {
            self.observe_next();
        } else {
            self.reported += 1;
            let trace = &mut graph.trace;
            self.maximal.complete(trace);
            self.maximal
                .report_stuck(trace, &mut self.verifier, self.task);
        }
        Ok(())
    }

    /// Tries the next source of the load or RMW that thread `t` stands at. Source 0 is the
    /// initial write, others are one more than their position.
    fn read(&mut self, t: usize, tried: EventId) -> Result<(), Stop> {
        let graph = &mut self.graphs[self.depth];
        let len = graph.len();
        let pending = graph.trace.pending(t);
        let (Pending::Load { loc } | Pending::Rmw { loc, .. }) = pending else {
            unreachable!("the thread stands where it stood");
        };
        let (sources, initial) = graph.sources(t, loc);
        let next = next_source(sources, if initial { tried } else { tried.max(1) });
        let Some(source) = next else {
            self.frames.pop();
            return Ok(());
        };
        if let Some(Frame::Read { tried, .. }) = self.frames.last_mut() {
            *tried = source.wrapping_add(2);
        }
        let writes = match pending {
            Pending::Rmw {
                op,
                value,
                expected,
                ..
            } => rmw_writes(op, graph.trace.value(loc, source), value, expected).is_some(),
            _ => false,
        };
        let drains = matches!(pending, Pending::Rmw { .. });
        if writes && graph.is_taken(source, loc, Bits::prefix(len)) {
            graph.push(t, pending, source)?;
            self.enter(len, Stage::Revisit { from: 0 }, false);
            return Ok(());
        }
        let seen = if writes {
            graph.trace.last_write(loc) == source
        } else {
            graph.sees(t, loc, source, drains)
        };
        let execution = &graph.trace.execution;
        let reader = (t, loc, drains);
        if !seen && !self.order.may_see(execution, reader, source) {
            return Ok(());
        }
        graph.push(t, pending, source)?;
        if seen || self.check(source)? {
            self.enter(len, Stage::Visit, false);
        } else {
            self.leave(len, false);
        }
        Ok(())
    }

    /// Tries the next thread that stands at the lock of a free mutex.
    fn lock(&mut self, loc: LocId, tried: usize) -> Result<(), Stop> {
        let graph = &mut self.graphs[self.depth];
        let len = graph.len();
        let source = graph.trace.last_write(loc);
        for t in tried..graph.trace.threads() {
            let pending = graph.trace.pending(t);
            if pending != (Pending::Lock { loc }) {
                continue;
            }
            if let Some(Frame::Lock { tried, .. }) = self.frames.last_mut() {
                *tried = t as u8 + 1;
            }
            let id = graph.push(t, pending, source)?;
            if tried == 0 {
                graph.by_default.set(id);
            }
            self.enter(len, Stage::Visit, false);
            return Ok(());
        }
        self.frames.pop();
        Ok(())
    }

    /// All threads are done: looks at the next observed location, or reports the class.
    fn observe_next(&mut self) {
        let trace = &self.graphs[self.depth].trace;
        if trace.next_observed().is_some() {
            self.frames.push(Frame::Observe {
                tried: 0,
                pushed: false,
            });
        } else {
            self.reported += 1;
            self.maximal.report_complete(trace, self.task);
        }
    }

    /// Tries the next write that can be the last of an observed location.
    fn observe(&mut self, tried: EventId, pushed: bool) -> Result<(), Stop> {
        if pushed {
            let graph = &mut self.graphs[self.depth];
            graph.pop();
            self.order.forget(graph.len());
        }
        let graph = &mut self.graphs[self.depth];
        let Some(loc) = graph.trace.next_observed() else {
            unreachable!("a location is observed");
        };
        let writes = graph.trace.writes[loc as usize];
        let first = if writes.is_empty() { 0 } else { 1 };
        let Some(source) = next_source(writes, tried.max(first)) else {
            self.frames.pop();
            return Ok(());
        };
        let seen = graph.trace.last_write(loc) == source;
        let overwritten = !seen && {
            self.order.close(&graph.trace.execution);
            !(self.order.known_after(source as usize) & writes).is_empty()
        };
        if let Some(Frame::Observe { tried, pushed }) = self.frames.last_mut() {
            *tried = source.wrapping_add(2);
            *pushed = !overwritten;
        }
        if overwritten {
            return Ok(());
        }
        graph.push_observer(source)?;
        if seen || self.check(source)? {
            self.observe_next();
        }
        Ok(())
    }

    /// Whether the graph, whose last event reads from `source`, has an execution; makes it
    /// its memory order.
    fn check(&mut self, source: EventId) -> Result<bool, Stop> {
        let graph = &mut self.graphs[self.depth];
        let trace = &graph.trace;
        let last = trace.len() - 1;
        self.guide.clear();
        self.guide.extend_from_slice(&trace.memory_order);
        if trace.execution.events[last].effect.has(Effect::WRITE) {
            // An RMW belongs right after its source.
            self.guide.pop();
            insert_after(&mut self.guide, source, last as EventId);
        }
        self.verify()
    }

    /// Whether the graph has an execution; makes the memory order of one its own.
    fn verify(&mut self) -> Result<bool, Stop> {
        if let Some(stop) = self.task.budget.interrupted() {
            return Err(Stop::Budget(stop));
        }
        let graph = &mut self.graphs[self.depth];
        match self.order.verify(&graph.trace.execution, &self.guide) {
            Verification::Realizable(order) => {
                graph.set_memory_order(order);
                Ok(true)
            }
            Verification::Unrealizable => Ok(false),
            Verification::Interrupted(stop) => Err(Stop::Budget(stop)),
        }
    }
}

/// The first source that was not tried: the initial write is number 0, others are one more than
/// their position.
fn next_source<const W: usize>(writes: Bits<W>, tried: EventId) -> Option<EventId> {
    match tried {
        0 => Some(INIT),
        _ => writes
            .minus(Bits::prefix(tried as usize - 1))
            .iter()
            .next()
            .map(|w| w as EventId),
    }
}

/// Puts a write into an order, right after another.
fn insert_after(order: &mut Vec<EventId>, after: EventId, w: EventId) {
    let at = order.iter().position(|x| *x == after);
    order.insert(at.map_or(0, |at| at + 1), w);
}
