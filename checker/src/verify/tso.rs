//! VerifyTSO (*Reads-From TSO/PSO* Algorithm 1): the complete search over lower sets of
//! memory-writes. Without buffers it is the search of *Reads-From SC* section 5.3, reads taken
//! as soon as they can be.
//!
//! A prefix is kept maximal in thread events, so the set of executed memory-writes
//! determines it: each such set is visited once.

use rustc_hash::FxHashSet;

use super::Verifier;
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
pub(super) fn search<const W: usize>(v: &mut Verifier<W>, guide: &[EventId]) -> bool {
    v.memory_order.clear();
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
    // Lines 2 and 3.
    while let Some(frame) = stack.last_mut() {
        if frame.done == v.included {
            return true; // line 6
        }
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(POLL_INTERVAL) {
            v.interrupted = v.interrupt.poll();
            if v.interrupted.is_some() {
                return false;
            }
        }
        // Line 7.
        let next = guide[frame.tried..].iter().position(|w| {
            let w = *w as usize;
            v.all_writes.has(w) && !frame.done.has(w) && v.can_write(w, &frame.done)
        });
        let Some(offset) = next else {
            // Stuck: undo the write that led here.
            let overwrote = frame.overwrote;
            stack.pop();
            if let Some(w) = v.memory_order.pop() {
                let loc = v.location(w as usize);
                v.current[loc] = overwrote;
            }
            continue;
        };
        let w = guide[frame.tried + offset] as usize;
        frame.tried += offset + 1;
        let mut done = frame.done;
        let overwrote = v.current[v.location(w)];
        v.write(w, &mut done); // line 8
        v.take_thread_events(threads_only, &mut done); // lines 4 and 5
        if v.visited.insert(done) {
            // Lines 9 and 10.
            stack.push(Frame {
                done,
                tried: 0,
                overwrote,
            });
        } else {
            v.memory_order.pop();
            let loc = v.location(w);
            v.current[loc] = overwrote;
        }
    }
    false
}
