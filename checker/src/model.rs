//! What each memory model is: its rules as named properties. No other file asks which model
//! it has; it asks for the property it needs.
//!
//! | | SC | TSO | PSO |
//! |---|---|---|---|
//! | a store | is in memory at once | enters the thread's FIFO | enters the FIFO of its thread and location |
//! | a load | from memory | from the thread's newest buffered store to the location, else memory | same |
//! | `mfence`, RMW, `lock`, `unlock` | act at once | wait until the thread's buffer is empty | wait until all its buffers are |
//! | an RMW that fails as a load does (`AddUnless`) | is a load | is a load | is a load |
//! | `sfence` | nothing | nothing | stores before it reach memory before stores after it |

use crate::event::Effect;
use crate::program::FenceKind;

pub use fencepost_grammar::ast::Model;

/// Has the fewest executions: what is weak is weak against it.
pub const STRONGEST: Model = Model::ALL[0];
/// Has the most executions: what it forbids, all forbid.
pub const WEAKEST: Model = Model::ALL[Model::ALL.len() - 1];

/// Where the stores of a thread wait on their way to memory, each buffer first in, first out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffers {
    /// Nowhere: a store is in memory at once.
    None,
    /// In one buffer a thread: stores reach memory in program order.
    PerThread,
    /// In one buffer a thread and location: only stores to one location, and those that a
    /// store fence parts, keep their order.
    PerLocation,
}

/// The rules of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    pub buffers: Buffers,
    /// A load sees the thread's own newest buffered store to its location. Without, it waits
    /// until that store is in memory.
    pub forwarding: bool,
    /// In two sentences.
    pub meaning: &'static str,
}

impl Rules {
    pub const fn of(model: Model) -> Rules {
        match model {
            Model::Sc => Rules {
                buffers: Buffers::None,
                forwarding: false,
                meaning: "Sequential consistency: a store is in memory at once. Every execution is an interleaving of the threads.",
            },
            Model::Tso => Rules {
                buffers: Buffers::PerThread,
                forwarding: true,
                meaning: "Total store order (x86): stores wait in one FIFO buffer a thread; a load sees the thread's own newest buffered store, else memory. A load can overtake earlier stores to other locations.",
            },
            Model::Pso => Rules {
                buffers: Buffers::PerLocation,
                forwarding: true,
                meaning: "Partial store order: stores wait in one FIFO buffer a thread and location. Besides what TSO allows, stores to different locations can reach memory in another order.",
            },
        }
    }

    /// Whether a plain store enters a buffer.
    #[inline(always)]
    pub fn buffer_stores(self) -> bool {
        self.buffers != Buffers::None
    }

    /// Whether such an event waits in a buffer: a store that is not atomic.
    #[inline(always)]
    pub fn buffers(self, effect: Effect) -> bool {
        self.buffer_stores() && effect.is_plain_store()
    }

    /// Whether stores of one thread can reach memory in another order, so that a store-store
    /// fence has something to do.
    pub fn reorder_stores(self) -> bool {
        self.buffers == Buffers::PerLocation
    }
}

/// What a fence does to the buffers of its thread, in every model that has some.
pub const fn fence(kind: FenceKind) -> Effect {
    match kind {
        FenceKind::Full => Effect::DRAIN,
        FenceKind::StoreStore => Effect::STORE_FENCE,
    }
}

/// What RMW, `lock` and `unlock` do to the buffers of their thread, in every model.
pub const ATOMIC: Effect = Effect::DRAIN;
