//! Partial store order: a FIFO buffer for each thread and location.

use super::{MemoryModel, Order, Verifier, search};
use crate::bits::Bits;
use crate::event::{Effect, Event, EventId};
use crate::program::Model;

pub struct Pso;

impl MemoryModel for Pso {
    const MODEL: Model = Model::Pso;

    /// As TSO, but two buffered stores are ordered only to the same location or across a store fence.
    fn program_order<const W: usize>(
        events: &[Event],
        list: &[EventId],
        writes: &[Bits<W>],
        order: &mut Order<W>,
    ) {
        let mut earlier = Bits::EMPTY;
        // What a load comes after: all but the stores since the last drain.
        let mut settled = Bits::EMPTY;
        // What a store comes after whatever its location: all before the last store fence.
        let mut fenced = Bits::EMPTY;
        for &id in list {
            let i = id as usize;
            let event = &events[i];
            if event.effect.has(Effect::DRAIN) {
                settled = earlier;
            }
            order.before[i] = if event.effect.is_buffered() {
                settled | fenced | (earlier & writes[event.loc as usize])
            } else {
                settled
            };
            if event.effect.has(Effect::STORE_FENCE) {
                fenced = earlier;
            }
            earlier.set(i);
            if !event.effect.is_buffered() {
                settled.set(i);
            }
        }
        let mut later = Bits::EMPTY;
        let mut later_stores = Bits::EMPTY;
        // What a buffered store comes before whatever its location:
        // the next drain and all after it, and the stores after the next store fence.
        let mut waiting = Bits::EMPTY;
        for &id in list.iter().rev() {
            let i = id as usize;
            let event = &events[i];
            let buffered = event.effect.is_buffered();
            order.after[i] = if buffered {
                waiting | (later & writes[event.loc as usize])
            } else {
                later
            };
            if event.effect.has(Effect::STORE_FENCE) {
                waiting |= later_stores;
            }
            later.set(i);
            if buffered {
                later_stores.set(i);
            }
            if event.effect.has(Effect::DRAIN) {
                waiting = later;
            }
        }
    }

    fn search<const W: usize>(verifier: &mut Verifier<Self, W>, guide: &[EventId]) -> bool {
        search::over_writes(verifier, guide)
    }
}
