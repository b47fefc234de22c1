//! What is left to do at one place of the exploration: small, and made of numbers that mean the
//! same wherever the graph is built again.

use crate::event::EventId;
use crate::program::LocId;

#[derive(Debug, Clone, Copy)]
pub enum Frame {
    /// A thread's load or RMW: sources below `tried` were tried (0 is the initial write,
    /// others are one more than their position).
    Read { thread: u8, tried: EventId },
    /// A free mutex: threads below `tried` have taken it.
    Lock { loc: LocId, tried: u8 },
    /// An observing read, and whether it stands in the graph.
    Observe { tried: EventId, pushed: bool },
    /// A graph of which the events from `cut` on are new.
    After {
        cut: EventId,
        stage: Stage,
        /// Whether it was made by a revisit, and not by adding an event.
        own_graph: bool,
        /// How much was reported before it.
        reported: u64,
    },
}

#[derive(Debug, Clone, Copy)]
pub enum Stage {
    /// To be extended.
    Visit,
    /// To replace locks by those of threads that wait: from this thread and position on.
    Replace {
        thread: u8,
        from: EventId,
    },
    /// The last event, if it writes, is to revisit reads: from this position on.
    Revisit {
        from: EventId,
    },
    Done,
}
