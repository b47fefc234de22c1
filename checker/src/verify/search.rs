//! The complete search over lower sets of memory-writes (VerifyTSO, `000_…` Algorithm 1).
//!
//! A prefix is kept maximal in thread events, so the set of executed memory-writes
//! determines it: each such set is visited once.

use rustc_hash::FxHashSet;

use super::{MemoryModel, Verifier};
use crate::bits::Bits;
use crate::event::{EventId, INIT};

pub(super) type Visited<const W: usize> = FxHashSet<Bits<W>>;

/// How many steps of a search pass between two looks at the clock.
pub(super) const POLL_INTERVAL: u32 = 256;

/// One prefix on the search stack.
struct Frame<const W: usize> {
    done: Bits<W>,
    /// How many of the guide's writes were tried from here.
    tried: usize,
    /// What the write that led here overwrote, to go back.
    overwrote: EventId,
}

/// Tries the memory-writes in the guide's order, going back where a prefix is stuck.
pub(super) fn over_writes<M: MemoryModel, const W: usize>(
    v: &mut Verifier<M, W>,
    guide: &[EventId],
) -> bool {
    v.witness.clear();
    v.visited.clear();
    for &loc in &v.touched {
        v.current[loc as usize] = INIT;
    }
    let threads_only = v.included.minus(v.all_writes);
    let mut done = Bits::EMPTY;
    v.take_thread_events(threads_only, &mut done);
    let mut stack = vec![Frame {
        done,
        tried: 0,
        overwrote: INIT,
    }];
    let mut steps = 0u32;
    while let Some(frame) = stack.last_mut() {
        if frame.done == v.included {
            return true;
        }
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(POLL_INTERVAL) {
            v.interrupted = v.interrupt.poll();
            if v.interrupted.is_some() {
                return false;
            }
        }
        let next = guide[frame.tried..].iter().position(|w| {
            let w = *w as usize;
            v.all_writes.has(w) && !frame.done.has(w) && v.can_write(w, &frame.done)
        });
        let Some(offset) = next else {
            // Stuck: undo the write that led here.
            let overwrote = frame.overwrote;
            stack.pop();
            if let Some(w) = v.witness.pop() {
                let loc = v.location(w as usize);
                v.current[loc] = overwrote;
            }
            continue;
        };
        let w = guide[frame.tried + offset] as usize;
        frame.tried += offset + 1;
        let mut done = frame.done;
        let overwrote = v.current[v.location(w)];
        v.write(w, &mut done);
        v.take_thread_events(threads_only, &mut done);
        if v.visited.insert(done) {
            stack.push(Frame {
                done,
                tried: 0,
                overwrote,
            });
        } else {
            v.witness.pop();
            let loc = v.location(w);
            v.current[loc] = overwrote;
        }
    }
    false
}
