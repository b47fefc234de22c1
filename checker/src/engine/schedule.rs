//! From a class and the order of its memory-writes to an execution, move by move.

use super::trace::Trace;
use crate::event::{Effect, Event, EventId, INIT};
use crate::model::{Model, Rules};
use crate::operational::Move;

/// An execution of the trace in which the writes reach memory in the given order, and
/// everything else happens as soon as it can. What cannot be placed is left out; the replay
/// then says so.
pub fn schedule<const W: usize>(
    model: Model,
    trace: &Trace<'_, W>,
    memory_order: &[EventId],
) -> Vec<Move> {
    let rules = Rules::of(model);
    let events = &trace.execution.events;
    let lists = &trace.execution.threads;
    let threads = lists.len();
    let mut moves = Vec::with_capacity(events.len() * 2);
    let mut taken = vec![0usize; threads];
    // Each thread's stores that are still in its buffers.
    let mut buffered: Vec<Vec<EventId>> = vec![Vec::new(); threads];
    let mut current = vec![INIT; trace.program.locations.len()];
    let at_once = |e: &Event| e.effect.has(Effect::WRITE) && !rules.buffers(e.effect);
    let mut next = memory_order.iter();
    loop {
        let mut progress = true;
        while std::mem::take(&mut progress) {
            for t in 0..threads {
                while let Some(&id) = lists[t].get(taken[t]) {
                    let e = &events[id as usize];
                    let sees_source = || {
                        let own = buffered[t]
                            .iter()
                            .rev()
                            .find(|w| events[**w as usize].loc == e.loc);
                        match own {
                            Some(own) => rules.forwarding && *own == e.source,
                            None => current[e.loc as usize] == e.source,
                        }
                    };
                    let ready = !at_once(e)
                        && (!e.effect.has(Effect::DRAIN) || buffered[t].is_empty())
                        && (!e.effect.has(Effect::READ) || sees_source());
                    if !ready {
                        break;
                    }
                    moves.push(Move::Thread(t as u8));
                    taken[t] += 1;
                    progress = true;
                    if e.effect.has(Effect::WRITE) {
                        buffered[t].push(id);
                    }
                }
            }
        }
        let Some(&w) = next.next() else {
            return moves;
        };
        let e = &events[w as usize];
        let t = e.thread as usize;
        if at_once(e) {
            moves.push(Move::Thread(e.thread));
            taken[t] += 1;
        } else {
            buffered[t].retain(|b| *b != w);
            moves.push(Move::Flush {
                thread: e.thread,
                loc: e.loc,
            });
        }
        current[e.loc as usize] = w;
    }
}
