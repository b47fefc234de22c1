//! Sequential consistency: a store is in memory at once.

use super::{MemoryModel, Order, Verifier, search};
use crate::bits::Bits;
use crate::event::{Event, EventId};
use crate::program::Model;

pub struct Sc;

impl MemoryModel for Sc {
    const MODEL: Model = Model::Sc;

    /// Everything is ordered.
    fn program_order<const W: usize>(
        _: &[Event],
        list: &[EventId],
        _: &[Bits<W>],
        order: &mut Order<W>,
    ) {
        let mut earlier = Bits::EMPTY;
        for &id in list {
            order.before[id as usize] = earlier;
            earlier.set(id as usize);
        }
        let mut later = Bits::EMPTY;
        for &id in list.iter().rev() {
            order.after[id as usize] = later;
            later.set(id as usize);
        }
    }

    /// Over lower sets of the threads, reads taken as soon as they can be (`001_…` 5.3).
    fn search<const W: usize>(
        verifier: &mut Verifier<Self, W>,
        _: &[Event],
        _: &[Vec<EventId>],
        guide: &[EventId],
    ) -> bool {
        search::over_writes(verifier, guide)
    }
}
