//! From a class and the order of its memory-writes to an execution, move by move.

use crate::event::{Effect, Event, EventId, INIT};
use crate::operational::Move;
use crate::program::Model;

/// An execution of the events in which the writes reach memory in the order `memory`.
/// Thread events are taken as soon as they can be. What cannot be placed is left out;
/// the replay then says so.
pub fn schedule(
    model: Model,
    locations: usize,
    events: &[Event],
    lists: &[Vec<EventId>],
    memory: &[EventId],
) -> Vec<Move> {
    let threads = lists.len() - 1;
    let mut moves = Vec::with_capacity(events.len() * 2);
    let mut taken = vec![0usize; threads];
    // Each thread's stores that are still in its buffers.
    let mut buffered: Vec<Vec<EventId>> = vec![Vec::new(); threads];
    let mut current = vec![INIT; locations];
    let mut next = memory.iter().copied().peekable();
    loop {
        let mut progress = false;
        for t in 0..threads {
            while let Some(&id) = lists[t].get(taken[t]) {
                let e = &events[id as usize];
                let effect = e.effect;
                let can = if effect.has(Effect::WRITE)
                    && (effect.has(Effect::DRAIN) || model == Model::Sc)
                {
                    buffered[t].is_empty()
                        && next.peek() == Some(&id)
                        && (!effect.has(Effect::READ) || current[e.loc as usize] == e.source)
                } else if effect.has(Effect::DRAIN) {
                    buffered[t].is_empty()
                        && (!effect.has(Effect::READ) || current[e.loc as usize] == e.source)
                } else if effect.has(Effect::READ) {
                    let own = buffered[t]
                        .iter()
                        .rev()
                        .find(|w| events[**w as usize].loc == e.loc);
                    own.copied().unwrap_or(current[e.loc as usize]) == e.source
                } else {
                    true
                };
                if !can {
                    break;
                }
                moves.push(Move::Thread(t as u8));
                taken[t] += 1;
                progress = true;
                if effect.has(Effect::WRITE) {
                    if effect.has(Effect::DRAIN) || model == Model::Sc {
                        current[e.loc as usize] = id;
                        next.next();
                    } else {
                        buffered[t].push(id);
                    }
                }
            }
        }
        if progress {
            continue;
        }
        let Some(&w) = next.peek() else {
            return moves;
        };
        let e = &events[w as usize];
        let t = e.thread as usize;
        let Some(at) = buffered[t].iter().position(|b| *b == w) else {
            return moves;
        };
        buffered[t].remove(at);
        current[e.loc as usize] = w;
        next.next();
        moves.push(Move::Flush {
            thread: e.thread,
            loc: e.loc,
        });
    }
}
