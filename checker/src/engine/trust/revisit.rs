//! Revisits: a new write becomes the source of an older read, a waiting thread takes a lock that
//! another had.

use super::frame::Stage;
use super::graph::Graph;
use super::{Search, Stop, insert_after};
use crate::bits::Bits;
use crate::event::{Effect, EventId, INIT};
use crate::program::LocId;
use crate::thread::Pending;
use crate::verify::Verification;

impl<'p, const W: usize> Search<'_, '_, 'p, W> {
    /// The last event of the graph revisits the next read from position `from` on.
    pub(super) fn revisit(&mut self, from: usize) -> Result<(), Stop> {
        let graph = &self.graphs[self.depth];
        let trace = &graph.trace;
        let w = trace.len() - 1;
        let write = trace.execution.events[w];
        if !write.effect.has(Effect::WRITE) || write.effect.has(Effect::LOCK) {
            self.set_stage(Stage::Done);
            return Ok(());
        }
        let skip = trace.past[w] | graph.interior | Bits::prefix(from);
        for r in Bits::prefix(w).minus(skip).iter() {
            let read = &trace.execution.events[r];
            let fits = read.effect.has(Effect::READ)
                && read.loc == write.loc
                && !read.effect.has(Effect::LOCK);
            if fits {
                self.set_stage(Stage::Revisit {
                    from: r as EventId + 1,
                });
                return self.try_revisit(w, r);
            }
        }
        self.set_stage(Stage::Done);
        Ok(())
    }

    /// Write `w`, the last event, becomes the source of read `r`, if this is where it is to.
    fn try_revisit(&mut self, w: usize, r: usize) -> Result<(), Stop> {
        let graph = &self.graphs[self.depth];
        let write = graph.trace.execution.events[w];
        let thread = graph.trace.execution.events[r].thread as usize;
        let cut = graph.starts[r] as usize;
        let keep = Bits::prefix(cut) | graph.trace.past[w];
        let is_rmw = write.effect.has(Effect::READ);
        if is_rmw && graph.is_taken(write.source, write.loc, keep) {
            return Ok(());
        }
        if !self.maximal_without(cut, keep, Some(w))? {
            return Ok(());
        }
        let graph = self.begin(cut, keep.with(w));
        let trace = &mut graph.trace;
        let w = trace.len() - 1;
        let source = trace.execution.events[w].source;
        trace.memory_order.retain(|x| *x as usize != w);
        let loc = write.loc as usize;
        let newest = |w: &&EventId| trace.execution.events[**w as usize].loc as usize == loc;
        let last = trace.memory_order.iter().rev().find(newest).copied();
        let settled = !is_rmw || last.unwrap_or(INIT) == source;
        trace.memory_order.push(w as EventId);
        graph.settle();
        let pending = graph.trace.pending(thread);
        let r = graph.push(thread, pending, w as EventId)?;
        graph.starts[r] = cut as EventId;
        if settled || self.check_revisit(source)? {
            self.enter(cut, Stage::Visit, true);
        } else {
            self.leave(cut, true);
        }
        Ok(())
    }

    /// Whether the graph has an execution; its last event reads from an RMW, the event before
    /// that, which reads from `source`.
    fn check_revisit(&mut self, source: EventId) -> Result<bool, Stop> {
        let trace = &self.graphs[self.depth].trace;
        let r = trace.len() as EventId - 1;
        let w = r - 1;
        let memory = trace.memory_order.iter();
        self.guide.clear();
        self.guide.extend(memory.filter(|x| **x != w && **x != r));
        insert_after(&mut self.guide, source, w);
        if trace.execution.events[r as usize].effect.has(Effect::WRITE) {
            insert_after(&mut self.guide, w, r);
        }
        self.verify()
    }

    /// The next waiting thread, from `thread` on, whose last event is new takes a lock that
    /// another has, from position `from` on.
    pub(super) fn replace(&mut self, cut: usize, thread: usize, from: usize) -> Result<(), Stop> {
        if !self.has_locks {
            self.set_stage(Stage::Revisit { from: 0 });
            return Ok(());
        }
        let graph = &mut self.graphs[self.depth];
        let mut from = from;
        for t in thread..graph.trace.threads() {
            let first = std::mem::take(&mut from);
            let Some(&p) = graph.trace.execution.threads[t].last() else {
                continue;
            };
            let p = p as usize;
            if p < cut {
                continue;
            }
            let Pending::Lock { loc } = graph.trace.pending(t) else {
                continue;
            };
            let skip = graph.trace.past[p].with(p) | graph.interior | Bits::prefix(first);
            let locks = (graph.by_default & graph.trace.writes[loc as usize]).minus(skip);
            if let Some(d) = locks.iter().next() {
                self.set_stage(Stage::Replace {
                    thread: t as u8,
                    from: d as EventId + 1,
                });
                return self.try_replace(t, p, d);
            }
        }
        self.set_stage(Stage::Revisit { from: 0 });
        Ok(())
    }

    /// Thread `t`, which waits after its event `p`, takes the mutex in the place of lock `d`.
    fn try_replace(&mut self, t: usize, p: usize, d: usize) -> Result<(), Stop> {
        let graph = &self.graphs[self.depth];
        let cut = d;
        let source = graph.trace.execution.events[d].source;
        let keep = Bits::prefix(cut) | graph.trace.past[p].with(p);
        if !self.maximal_without(cut, keep, None)? {
            return Ok(());
        }
        let graph = self.begin(cut, keep);
        graph.settle();
        let pending = graph.trace.pending(t);
        let id = graph.push(t, pending, source)?;
        graph.interior.set(id);
        self.enter(cut, Stage::Visit, true);
        Ok(())
    }

    /// Puts the part `keep` of the graph at hand.
    fn begin(&mut self, cut: usize, keep: Bits<W>) -> &mut Graph<'p, W> {
        if self.graphs.len() == self.depth + 1 {
            self.graphs
                .push(Graph::new(self.task.program, self.task.model));
        }
        self.order.forget(cut);
        self.depth += 1;
        let (old, new) = self.graphs.split_at_mut(self.depth);
        new[0].restrict(&old[self.depth - 1], cut, keep);
        &mut new[0]
    }

    /// Whether all that is neither kept nor `w` is what reading the last write gives: then it
    /// is here, and nowhere else, that the kept events are revisited from.
    fn maximal_without(
        &mut self,
        cut: usize,
        keep: Bits<W>,
        w: Option<usize>,
    ) -> Result<bool, Stop> {
        let graph = &self.graphs[self.depth];
        let trace = &graph.trace;
        let mut deleted = Bits::prefix(trace.len()).minus(keep);
        if let Some(w) = w {
            deleted = deleted.without(w);
            // The kept events are asked about without what an RMW writes.
            self.order.forget(w);
        }
        if !(deleted & graph.interior).is_empty() {
            return Ok(false);
        }
        self.wanted.clear();
        for e in deleted.iter() {
            let event = &trace.execution.events[e];
            if event.effect.has(Effect::LOCK) {
                if !graph.by_default.has(e) {
                    return Ok(false);
                }
            } else if event.effect.has(Effect::READ) {
                let writes = trace.writes[event.loc as usize] & Bits::prefix(e);
                match (writes & deleted).last() {
                    Some(last) if last as EventId != event.source => return Ok(false),
                    Some(_) => {}
                    None => self.wanted.push((event.loc, event.source)),
                }
            }
        }
        debug_assert!(deleted.minus(Bits::prefix(cut)) == deleted);
        self.wanted.sort_unstable();
        self.wanted.dedup();
        let mut open = false;
        for (k, &(loc, source)) in self.wanted.iter().enumerate() {
            if k > 0 && self.wanted[k - 1].0 == loc {
                return Ok(false);
            }
            let kept = keep & trace.writes[loc as usize];
            if source == INIT {
                if !kept.is_empty() {
                    return Ok(false);
                }
                continue;
            }
            let s = source as usize;
            let others = kept.without(s);
            if !(self.order.known_after(s) & others).is_empty() {
                return Ok(false);
            }
            open |= !graph.is_newest(s, others);
        }
        if !open {
            return Ok(true);
        }
        self.last_of_kept(keep, w)
    }

    /// Whether the wanted sources are the last writes of their locations, in the witness of the
    /// kept events that depends on them alone.
    fn last_of_kept(&mut self, keep: Bits<W>, w: Option<usize>) -> Result<bool, Stop> {
        let trace = &mut self.graphs[self.depth].trace;
        self.guide.clear();
        for list in &trace.execution.threads {
            let writes = list.iter().filter(|e| {
                keep.has(**e as usize)
                    && trace.execution.events[**e as usize]
                        .effect
                        .has(Effect::WRITE)
            });
            self.guide.extend(writes);
        }
        let mut included = keep;
        let mut whole = None;
        if let Some(w) = w
            && trace.execution.events[w].effect.has(Effect::READ)
        {
            // What an RMW writes comes later.
            included.set(w);
            let event = &mut trace.execution.events[w];
            whole = Some((w, event.effect));
            event.effect = Effect::rmw(false);
        }
        let found = if self.verifier.close(&trace.execution, included) {
            self.verifier.first(&self.guide)
        } else {
            Verification::Unrealizable
        };
        if let Some((w, effect)) = whole {
            trace.execution.events[w].effect = effect;
        }
        match found {
            Verification::Realizable(order) => Ok(self.wanted.iter().all(|&(loc, source)| {
                let of = |w: &&EventId| trace.execution.events[**w as usize].loc == loc;
                order.iter().rev().find(of).copied().unwrap_or(INIT) == source
            })),
            Verification::Unrealizable => Ok(false),
            Verification::Interrupted(stop) => Err(Stop::Budget(stop)),
        }
    }
}

impl<const W: usize> Graph<'_, W> {
    /// Whether an RMW among `events` that writes reads from `source`.
    pub(super) fn is_taken(&self, source: EventId, loc: LocId, events: Bits<W>) -> bool {
        (self.trace.writes[loc as usize] & events).iter().any(|e| {
            let event = &self.trace.execution.events[e];
            event.effect.has(Effect::READ) && event.source == source
        })
    }

    /// Whether write `s` is known to come after all of `others`, to the same location.
    fn is_newest(&self, s: usize, others: Bits<W>) -> bool {
        let trace = &self.trace;
        if self.in_order() {
            return others.within(&trace.past[s]);
        }
        let thread = trace.execution.events[s].thread;
        others
            .iter()
            .all(|w| trace.execution.events[w].thread == thread && w < s)
    }
}
