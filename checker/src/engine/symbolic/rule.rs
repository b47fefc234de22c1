//! The rules that every clause of the symbolic engines is an instance of.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// A gate's output is what its inputs make of it.
    Gate,
    /// An outcome that was listed is not asked for again.
    Listed,

    /// Loads come before all that follows them in their thread.
    AfterLoad,
    /// So do read-modify-writes, locks and unlocks.
    AfterAtomic,
    /// Under SC stores do too.
    AfterStore,
    /// A read-modify-write, lock or unlock waits for the thread's stores.
    Drain,
    /// An `mfence` puts the stores before it before the loads after it.
    FullFence,
    /// Stores leave the buffer in the order they entered it (TSO).
    StoreOrder,
    /// Stores to one location do (PSO).
    LocationOrder,
    /// An `sfence` keeps the stores around it in order (PSO).
    StoreFence,
    /// An `mfence` does too (PSO).
    FullStoreFence,
    /// The order of memory is one.
    Transitive,

    /// Every executed read has a source.
    Source,
    /// A source is executed and writes.
    SourceWrites,
    /// A source writes where the read reads.
    SourcePlace,
    /// A read's value is its source's.
    SourceValue,
    /// A source is in memory before the read, unless it is the thread's own.
    SourceBefore,
    /// No other write comes between a source and its read.
    FromRead,
    /// Nor between the initial value and its read.
    FromInitial,
    /// A mutex that is taken was free.
    LockFree,

    /// Every location has a last write or its initial value.
    Last,
    /// The last write is executed and writes there.
    LastWrites,
    /// All others are before it.
    LastIsLast,
    /// Nothing overwrites an initial value that is there in the end.
    LastInitial,
    /// What a location holds in the end is what was written last.
    FinalValue,

    /// A thread that waits for a mutex for ever waits because it is held.
    WaitsForHeld,
    /// A thread that waits in an `await` for ever has read what is there in the end.
    WaitsForLast,
    /// Threads that are alike come in the order of their numbers. No axiom: whatever can
    /// happen can happen so.
    Symmetry,

    /// A thread's statements come in their order, round after round (`lazy`, as all that follow).
    RoundOrder,
    /// The clock does not run backwards.
    ClockRuns,
    /// A store is not in memory before it is executed.
    StampAfterClock,
    /// Stores leave the buffer in the order they entered it (TSO).
    StampOrder,
    /// Stores to one location do (PSO).
    StampLocation,
    /// An `sfence` keeps the stores around it in order (PSO).
    StampFence,
    /// A read-modify-write, lock or unlock waits for the thread's stores.
    ClockDrains,
    /// An `mfence` does too.
    ClockFence,
    /// A load sees the thread's own store while that is in its buffer.
    Forward,
    /// Else it sees what is in memory.
    ReadMemory,
}

impl Rule {
    /// What `sat` is made of.
    pub const SAT: [Rule; 27] = [
        Rule::Gate,
        Rule::Listed,
        Rule::AfterLoad,
        Rule::AfterAtomic,
        Rule::AfterStore,
        Rule::Drain,
        Rule::FullFence,
        Rule::StoreOrder,
        Rule::LocationOrder,
        Rule::StoreFence,
        Rule::FullStoreFence,
        Rule::Transitive,
        Rule::Source,
        Rule::SourceWrites,
        Rule::SourcePlace,
        Rule::SourceValue,
        Rule::SourceBefore,
        Rule::FromRead,
        Rule::FromInitial,
        Rule::LockFree,
        Rule::Last,
        Rule::LastWrites,
        Rule::LastIsLast,
        Rule::LastInitial,
        Rule::FinalValue,
        Rule::WaitsForHeld,
        Rule::WaitsForLast,
    ];

    /// What `lazy` is made of.
    pub const LAZY: [Rule; 16] = [
        Rule::Gate,
        Rule::Listed,
        Rule::RoundOrder,
        Rule::ClockRuns,
        Rule::StampAfterClock,
        Rule::StampOrder,
        Rule::StampLocation,
        Rule::StampFence,
        Rule::ClockDrains,
        Rule::ClockFence,
        Rule::Forward,
        Rule::ReadMemory,
        Rule::LockFree,
        Rule::FinalValue,
        Rule::WaitsForHeld,
        Rule::WaitsForLast,
    ];
}
