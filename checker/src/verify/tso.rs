//! Total store order: one FIFO buffer a thread.

use super::{MemoryModel, Order, Verifier, search};
use crate::bits::Bits;
use crate::event::{Effect, Event, EventId};
use crate::program::Model;

pub struct Tso;

impl MemoryModel for Tso {
    const MODEL: Model = Model::Tso;

    /// Everything but a buffered store before a later load (or store fence, which waits for nothing).
    fn program_order<const W: usize>(
        events: &[Event],
        list: &[EventId],
        _: &[Bits<W>],
        order: &mut Order<W>,
    ) {
        let mut earlier = Bits::EMPTY;
        // What a load comes after: all but the stores since the last drain.
        let mut settled = Bits::EMPTY;
        for &id in list {
            let i = id as usize;
            let effect = events[i].effect;
            if effect.has(Effect::DRAIN) {
                settled = earlier;
            }
            order.before[i] = if effect.has(Effect::WRITE) {
                earlier
            } else {
                settled
            };
            earlier.set(i);
            if !effect.is_buffered() {
                settled.set(i);
            }
        }
        let mut later = Bits::EMPTY;
        // What a buffered store comes before: stores, drains and all that follows a drain.
        let mut waiting = Bits::EMPTY;
        for &id in list.iter().rev() {
            let i = id as usize;
            let effect = events[i].effect;
            order.after[i] = if effect.is_buffered() { waiting } else { later };
            if effect.has(Effect::DRAIN) {
                waiting = later;
            }
            later.set(i);
            if effect.has(Effect::DRAIN) || effect.has(Effect::WRITE) {
                waiting.set(i);
            }
        }
    }

    /// VerifyTSO (`000_…` Algorithm 1).
    fn search<const W: usize>(
        verifier: &mut Verifier<Self, W>,
        _: &[Event],
        _: &[Vec<EventId>],
        guide: &[EventId],
    ) -> bool {
        search::over_writes(verifier, guide)
    }
}
