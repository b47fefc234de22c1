//! The words of C tests: the kernel's primitives and C11's, what they take, and what they do.
//!
//! What a primitive does is said in terms of the store-buffer machine: the code that an x86
//! kernel or compiler makes of it, and for PSO the same with a store-store fence wherever
//! the source asks for release order.

use super::{Argument, Kind, Role, Word, plain};
use crate::symbols::Access;
use crate::token::TokenKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Kernel,
    C11,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Load,
    Store(Ordering),
    /// C11: the last argument says how.
    OrderedStore,
    Fence(Fence),
    /// C11: the argument says which.
    OrderedFence,
    Update(Update, Gives),
    /// Compares with the second argument, writes the third, gives the old value.
    Cmpxchg,
    /// C11: compares with what is at the second argument, and on a mismatch stores there.
    CompareExchange,
    AddUnless,
    SpinLock,
    SpinUnlock,
    SpinTrylock,
    SpinIsLocked,
    /// Nothing here says what it does; why not.
    NotModelled(&'static str),
}

/// What a store does beside storing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    Plain,
    /// A store-store fence before it.
    Release,
    /// A full fence behind it.
    ThenFull,
    /// As an exchange.
    Locked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    Full,
    StoreStore,
    /// Neither x86 nor PSO needs it.
    Nothing,
}

/// How an update makes the new value of the old one and of its value argument; of 1 when
/// there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    Exchange,
    Add,
    Sub,
    And,
    AndNot,
    Or,
    Xor,
}

/// What a call's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    Nothing,
    Old,
    New,
    /// 1 when the new value is 0, else 0.
    NewIsZero,
    NewIsNegative,
}

impl Action {
    /// What a call's value is, when it has one.
    pub const fn gives(self) -> Option<&'static str> {
        match self {
            Action::Load => Some("value"),
            Action::Cmpxchg => Some("old value"),
            Action::CompareExchange | Action::AddUnless | Action::SpinTrylock => {
                Some("1 if it did, else 0")
            }
            Action::SpinIsLocked => Some("1 if it is, else 0"),
            Action::Update(_, gives) => match gives {
                Gives::Nothing => None,
                Gives::Old => Some("old value"),
                Gives::New => Some("new value"),
                Gives::NewIsZero => Some("1 if the new value is 0, else 0"),
                Gives::NewIsNegative => Some("1 if the new value is negative, else 0"),
            },
            // Nobody knows.
            Action::NotModelled(_) => Some(""),
            Action::Store(_)
            | Action::OrderedStore
            | Action::Fence(_)
            | Action::OrderedFence
            | Action::SpinLock
            | Action::SpinUnlock => None,
        }
    }
}

/// C11's memory orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOrder {
    Relaxed,
    Consume,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl MemoryOrder {
    pub const fn store(self) -> Ordering {
        match self {
            MemoryOrder::Relaxed | MemoryOrder::Consume | MemoryOrder::Acquire => Ordering::Plain,
            MemoryOrder::Release | MemoryOrder::AcqRel => Ordering::Release,
            MemoryOrder::SeqCst => Ordering::Locked,
        }
    }

    pub const fn fence(self) -> Fence {
        match self {
            MemoryOrder::Relaxed | MemoryOrder::Consume | MemoryOrder::Acquire => Fence::Nothing,
            MemoryOrder::Release | MemoryOrder::AcqRel => Fence::StoreStore,
            MemoryOrder::SeqCst => Fence::Full,
        }
    }
}

/// The primitive of that name, and what it does. Kernel and C11 both have `atomic_fetch_add`
/// and its like, with their arguments in another order: `family` decides.
pub fn primitive(name: &str, family: Family) -> Option<(&'static Word, Action)> {
    let tables = match family {
        Family::Kernel => [KERNEL, C11],
        Family::C11 => [C11, KERNEL],
    };
    let word = tables
        .into_iter()
        .flatten()
        .find(|word| word.text == name)?;
    match word.kind {
        Kind::Primitive(_, action) => Some((word, action)),
        _ => None,
    }
}

pub fn memory_order(name: &str) -> Option<MemoryOrder> {
    let word = ORDERS.iter().find(|word| word.text == name)?;
    match word.kind {
        Kind::Order(order) => Some(order),
        _ => None,
    }
}

// Reserved within functions; `break`, `continue` and `return` are not.
words! {
    CONTROL, control_token,
    "if": Kind::Control, TokenKind::If, &[], "Runs what follows when the condition is not 0.";
    "else": Kind::Clause, TokenKind::Else, &[], "Runs when the condition did not hold.";
    "while": Kind::Control, TokenKind::While, &[],
        "Repeats while the condition is not 0, up to the default bound: executions that want more are cut off and counted as blocked.";
}

/// The types that tests mostly have; others are read as well, and mean as little.
pub static TYPES: &[Word] = &[
    plain(
        "int",
        Kind::Type,
        "A number; `int *x` is the address of a location.",
    ),
    plain("intptr_t", Kind::Type, "A number that can hold an address."),
    plain("atomic_t", Kind::Type, "The kernel's atomic number."),
    plain(
        "spinlock_t",
        Kind::Type,
        "The kernel's spinlock: 0 is free.",
    ),
    plain("atomic_int", Kind::Type, "C11's atomic number."),
    plain("volatile", Kind::Type, ""),
];

/// C11's memory orders.
pub static ORDERS: &[Word] = &[
    plain(
        "memory_order_relaxed",
        Kind::Order(MemoryOrder::Relaxed),
        "Asks for no order. A locked instruction is a full fence all the same.",
    ),
    plain(
        "memory_order_consume",
        Kind::Order(MemoryOrder::Consume),
        "Nothing on x86, nothing under PSO: loads stay in order there.",
    ),
    plain(
        "memory_order_acquire",
        Kind::Order(MemoryOrder::Acquire),
        "Nothing on x86, nothing under PSO: loads stay in order there.",
    ),
    plain(
        "memory_order_release",
        Kind::Order(MemoryOrder::Release),
        "Nothing on x86; a store-store fence before the store under PSO.",
    ),
    plain(
        "memory_order_acq_rel",
        Kind::Order(MemoryOrder::AcqRel),
        "As `memory_order_release`.",
    ),
    plain(
        "memory_order_seq_cst",
        Kind::Order(MemoryOrder::SeqCst),
        "Of a store or a fence: a full fence. Of a load: nothing.",
    ),
];

const READ_OBJECT: Argument = Argument::new("*p", "*x", Access::Read).role(Role::Object);
const WRITTEN_OBJECT: Argument = Argument::new("*p", "*x", Access::Write).role(Role::Object);
const READ_AT: Argument = Argument::new("p", "x", Access::Read).role(Role::Address);
const WRITTEN_AT: Argument = Argument::new("p", "x", Access::Write).role(Role::Address);
const UPDATED_AT: Argument = Argument::new("p", "x", Access::Update).role(Role::Address);
const EXPECTED_AT: Argument = Argument::new("expected", "x", Access::Update).role(Role::Address);
const LOCK: Argument = Argument::new("lock", "x", Access::Update).role(Role::Address);
const READ_LOCK: Argument = Argument::new("lock", "x", Access::Read).role(Role::Address);
const VALUE: Argument = Argument::new("value", "1", Access::Read);
const OLD: Argument = Argument::new("old", "1", Access::Read);
const NEW: Argument = Argument::new("new", "1", Access::Read);
const UNLESS: Argument = Argument::new("unless", "1", Access::Read);
const ORDER: Argument =
    Argument::new("order", "memory_order_relaxed", Access::Mention).role(Role::Order);
const FAILURE: Argument =
    Argument::new("failure", "memory_order_relaxed", Access::Mention).role(Role::Order);

const NONE: &[Argument] = &[];
/// The kernel's updates take the value first, if they take one.
const VALUE_FIRST: &[Argument] = &[VALUE, UPDATED_AT];
const PLACE_ONLY: &[Argument] = &[UPDATED_AT];
const PLACE_FIRST: &[Argument] = &[UPDATED_AT, VALUE];
const PLACE_FIRST_ORDERED: &[Argument] = &[UPDATED_AT, VALUE, ORDER];

const A_LOAD: &str = "A load, on x86 and under PSO: the order it asks for comes for free.";
const A_PLAIN_LOAD: &str = "A load, on x86 and under PSO.";
const A_STORE: &str = "A store into the store buffer, on x86 and under PSO.";
const A_RELEASE: &str = "A plain store on x86; under PSO a store-store fence, then the store.";
const A_STORE_MB: &str = "A store, then a full fence, on x86 and under PSO.";
const AN_ORDERED_STORE: &str = "`relaxed`: a store. `release`: a plain store on x86, under PSO a store-store fence before it. `seq_cst`: an exchange, which is a full fence.";
const A_LOCKED_STORE: &str = "An exchange, on x86 and under PSO: a full fence.";
const A_FULL_FENCE: &str =
    "A full fence, on x86 and under PSO: the thread's stores are in memory before it goes on.";
const A_STORE_FENCE: &str = "Nothing on x86; a store-store fence under PSO.";
const NOTHING: &str = "Nothing on x86, nothing under PSO: loads stay in order there.";
const COMPILER: &str = "Nothing on x86, nothing under PSO: it speaks to the compiler only.";
const BESIDE_ATOMIC: &str = "A full fence, on x86 and under PSO. (x86 needs none beside a locked instruction, which is one.)";
const AN_ORDERED_FENCE: &str = "`seq_cst`: a full fence. `release`, `acq_rel`: nothing on x86, a store-store fence under PSO. Other orders: nothing.";
const LOCKED: &str = "A locked instruction, on x86 and under PSO, whatever order it asks for: a full fence that reads and writes memory in one step.";
const A_CMPXCHG: &str = "`lock cmpxchg` on x86: a full fence, also when it fails and writes nothing. Gives the old value.";
const A_CAS: &str = "`lock cmpxchg` on x86: a full fence, also when it fails. It compares with what is at `expected`; on a mismatch what it found is stored there. Gives 1 or 0.";
const AN_ADD_UNLESS: &str = "Adds, as a locked instruction, and gives 1, unless the value is `unless`: then it is a load, no fence, and gives 0.";
const A_SPIN_LOCK: &str =
    "Waits until the lock is free and takes it, as a locked instruction: a full fence.";
const A_SPIN_UNLOCK: &str =
    "A plain store on x86, not a fence; under PSO a store-store fence before it.";
const A_SPIN_TRYLOCK: &str = "Takes the lock if it is free, as a locked instruction, and gives 1. If it is not, it is a load, no fence, and gives 0.";
const A_SPIN_IS_LOCKED: &str = "A load, on x86 and under PSO: 1 when somebody holds the lock.";

/// Why nothing of read-copy-update is modelled.
pub const RCU: &str = "read-copy-update waits for other threads' critical sections, which no machine instruction does";
const RCU_MEANING: &str = "Not modelled: read-copy-update waits for other threads' critical sections, which no machine instruction does.";
const UNLOCK_WAIT: &str = "the kernel no longer has it";
const UNLOCK_WAIT_MEANING: &str = "Not modelled: the kernel no longer has it.";
const MEMB: &str = "it interrupts other processors, and only some kernels had it";
const MEMB_MEANING: &str =
    "Not modelled: it interrupts other processors, and only some kernels had it.";
const WEAK: &str = "it may fail without a reason; use `atomic_compare_exchange_strong`";
const WEAK_MEANING: &str =
    "Not modelled: it may fail without a reason. Use `atomic_compare_exchange_strong`.";

/// A table of primitives: `orders` also gives rows with `_relaxed`, `_acquire` and `_release`
/// behind the name.
macro_rules! primitives {
    ($table:ident, $family:expr; $($rows:tt)*) => {
        primitives!(@ $table, $family; []; $($rows)*);
    };
    (@ $table:ident, $family:expr; [$($done:expr,)*];) => {
        pub static $table: &[Word] = &[$($done),*];
    };
    (@ $table:ident, $family:expr; [$($done:expr,)*];
        one $name:literal: $arguments:expr, $action:expr, $meaning:expr; $($rows:tt)*) => {
        primitives!(@ $table, $family; [
            $($done,)*
            row($name, $family, $arguments, $action, $meaning),
        ]; $($rows)*);
    };
    (@ $table:ident, $family:expr; [$($done:expr,)*];
        orders $name:literal: $arguments:expr, $action:expr, $meaning:expr; $($rows:tt)*) => {
        primitives!(@ $table, $family; [
            $($done,)*
            row($name, $family, $arguments, $action, $meaning),
            row(concat!($name, "_relaxed"), $family, $arguments, $action, $meaning),
            row(concat!($name, "_acquire"), $family, $arguments, $action, $meaning),
            row(concat!($name, "_release"), $family, $arguments, $action, $meaning),
        ]; $($rows)*);
    };
}

const fn row(
    text: &'static str,
    family: Family,
    arguments: &'static [Argument],
    action: Action,
    meaning: &'static str,
) -> Word {
    Word {
        arguments,
        ..plain(text, Kind::Primitive(family, action), meaning)
    }
}

primitives! {
    KERNEL, Family::Kernel;
    one "READ_ONCE": &[READ_OBJECT], Action::Load, A_PLAIN_LOAD;
    one "WRITE_ONCE": &[WRITTEN_OBJECT, VALUE], Action::Store(Ordering::Plain), A_STORE;
    one "smp_load_acquire": &[READ_AT], Action::Load, A_LOAD;
    one "smp_store_release": &[WRITTEN_AT, VALUE], Action::Store(Ordering::Release), A_RELEASE;
    one "smp_store_mb": &[WRITTEN_OBJECT, VALUE], Action::Store(Ordering::ThenFull), A_STORE_MB;
    one "rcu_dereference": &[READ_OBJECT], Action::Load, A_LOAD;
    one "rcu_assign_pointer": &[WRITTEN_OBJECT, VALUE], Action::Store(Ordering::Release), A_RELEASE;

    one "smp_mb": NONE, Action::Fence(Fence::Full), A_FULL_FENCE;
    one "smp_wmb": NONE, Action::Fence(Fence::StoreStore), A_STORE_FENCE;
    one "smp_rmb": NONE, Action::Fence(Fence::Nothing), NOTHING;
    one "barrier": NONE, Action::Fence(Fence::Nothing), COMPILER;
    one "smp_mb__before_atomic": NONE, Action::Fence(Fence::Full), BESIDE_ATOMIC;
    one "smp_mb__after_atomic": NONE, Action::Fence(Fence::Full), BESIDE_ATOMIC;
    one "smp_mb__after_spinlock": NONE, Action::Fence(Fence::Full), BESIDE_ATOMIC;
    one "smp_mb__after_unlock_lock": NONE, Action::Fence(Fence::Full), BESIDE_ATOMIC;

    one "spin_lock": &[LOCK], Action::SpinLock, A_SPIN_LOCK;
    one "spin_unlock": &[LOCK], Action::SpinUnlock, A_SPIN_UNLOCK;
    one "spin_trylock": &[LOCK], Action::SpinTrylock, A_SPIN_TRYLOCK;
    one "spin_is_locked": &[READ_LOCK], Action::SpinIsLocked, A_SPIN_IS_LOCKED;

    orders "xchg": PLACE_FIRST, Action::Update(Update::Exchange, Gives::Old), LOCKED;
    orders "cmpxchg": &[UPDATED_AT, OLD, NEW], Action::Cmpxchg, A_CMPXCHG;
    one "atomic_read": &[READ_AT], Action::Load, A_PLAIN_LOAD;
    one "atomic_read_acquire": &[READ_AT], Action::Load, A_LOAD;
    one "atomic_set": &[WRITTEN_AT, VALUE], Action::Store(Ordering::Plain), A_STORE;
    one "atomic_set_release": &[WRITTEN_AT, VALUE], Action::Store(Ordering::Release), A_RELEASE;
    orders "atomic_xchg": PLACE_FIRST, Action::Update(Update::Exchange, Gives::Old), LOCKED;
    orders "atomic_cmpxchg": &[UPDATED_AT, OLD, NEW], Action::Cmpxchg, A_CMPXCHG;
    orders "atomic_add_unless": &[UPDATED_AT, VALUE, UNLESS], Action::AddUnless, AN_ADD_UNLESS;

    orders "atomic_add": VALUE_FIRST, Action::Update(Update::Add, Gives::Nothing), LOCKED;
    orders "atomic_sub": VALUE_FIRST, Action::Update(Update::Sub, Gives::Nothing), LOCKED;
    orders "atomic_and": VALUE_FIRST, Action::Update(Update::And, Gives::Nothing), LOCKED;
    orders "atomic_andnot": VALUE_FIRST, Action::Update(Update::AndNot, Gives::Nothing), LOCKED;
    orders "atomic_or": VALUE_FIRST, Action::Update(Update::Or, Gives::Nothing), LOCKED;
    orders "atomic_xor": VALUE_FIRST, Action::Update(Update::Xor, Gives::Nothing), LOCKED;
    orders "atomic_inc": PLACE_ONLY, Action::Update(Update::Add, Gives::Nothing), LOCKED;
    orders "atomic_dec": PLACE_ONLY, Action::Update(Update::Sub, Gives::Nothing), LOCKED;
    orders "atomic_add_return": VALUE_FIRST, Action::Update(Update::Add, Gives::New), LOCKED;
    orders "atomic_sub_return": VALUE_FIRST, Action::Update(Update::Sub, Gives::New), LOCKED;
    orders "atomic_and_return": VALUE_FIRST, Action::Update(Update::And, Gives::New), LOCKED;
    orders "atomic_andnot_return": VALUE_FIRST, Action::Update(Update::AndNot, Gives::New), LOCKED;
    orders "atomic_or_return": VALUE_FIRST, Action::Update(Update::Or, Gives::New), LOCKED;
    orders "atomic_xor_return": VALUE_FIRST, Action::Update(Update::Xor, Gives::New), LOCKED;
    orders "atomic_inc_return": PLACE_ONLY, Action::Update(Update::Add, Gives::New), LOCKED;
    orders "atomic_dec_return": PLACE_ONLY, Action::Update(Update::Sub, Gives::New), LOCKED;
    orders "atomic_fetch_add": VALUE_FIRST, Action::Update(Update::Add, Gives::Old), LOCKED;
    orders "atomic_fetch_sub": VALUE_FIRST, Action::Update(Update::Sub, Gives::Old), LOCKED;
    orders "atomic_fetch_and": VALUE_FIRST, Action::Update(Update::And, Gives::Old), LOCKED;
    orders "atomic_fetch_andnot": VALUE_FIRST, Action::Update(Update::AndNot, Gives::Old), LOCKED;
    orders "atomic_fetch_or": VALUE_FIRST, Action::Update(Update::Or, Gives::Old), LOCKED;
    orders "atomic_fetch_xor": VALUE_FIRST, Action::Update(Update::Xor, Gives::Old), LOCKED;
    orders "atomic_fetch_inc": PLACE_ONLY, Action::Update(Update::Add, Gives::Old), LOCKED;
    orders "atomic_fetch_dec": PLACE_ONLY, Action::Update(Update::Sub, Gives::Old), LOCKED;
    orders "atomic_add_and_test": VALUE_FIRST, Action::Update(Update::Add, Gives::NewIsZero), LOCKED;
    orders "atomic_sub_and_test": VALUE_FIRST, Action::Update(Update::Sub, Gives::NewIsZero), LOCKED;
    orders "atomic_inc_and_test": PLACE_ONLY, Action::Update(Update::Add, Gives::NewIsZero), LOCKED;
    orders "atomic_dec_and_test": PLACE_ONLY, Action::Update(Update::Sub, Gives::NewIsZero), LOCKED;
    orders "atomic_add_negative": VALUE_FIRST, Action::Update(Update::Add, Gives::NewIsNegative), LOCKED;

    one "rcu_read_lock": NONE, Action::NotModelled(RCU), RCU_MEANING;
    one "rcu_read_unlock": NONE, Action::NotModelled(RCU), RCU_MEANING;
    one "synchronize_rcu": NONE, Action::NotModelled(RCU), RCU_MEANING;
    one "synchronize_rcu_expedited": NONE, Action::NotModelled(RCU), RCU_MEANING;
    one "srcu_read_lock": &[LOCK], Action::NotModelled(RCU), RCU_MEANING;
    one "srcu_read_unlock": &[LOCK, VALUE], Action::NotModelled(RCU), RCU_MEANING;
    one "srcu_down_read": &[LOCK], Action::NotModelled(RCU), RCU_MEANING;
    one "srcu_up_read": &[LOCK, VALUE], Action::NotModelled(RCU), RCU_MEANING;
    one "synchronize_srcu": &[LOCK], Action::NotModelled(RCU), RCU_MEANING;
    one "synchronize_srcu_expedited": &[LOCK], Action::NotModelled(RCU), RCU_MEANING;
    one "smp_mb__after_srcu_read_unlock": NONE, Action::NotModelled(RCU), RCU_MEANING;
    one "spin_unlock_wait": &[LOCK], Action::NotModelled(UNLOCK_WAIT), UNLOCK_WAIT_MEANING;
    one "smp_memb": NONE, Action::NotModelled(MEMB), MEMB_MEANING;
}

primitives! {
    C11, Family::C11;
    one "atomic_load": &[READ_AT], Action::Load, A_LOAD;
    one "atomic_load_explicit": &[READ_AT, ORDER], Action::Load, A_LOAD;
    one "atomic_store": &[WRITTEN_AT, VALUE], Action::Store(Ordering::Locked), A_LOCKED_STORE;
    one "atomic_store_explicit": &[WRITTEN_AT, VALUE, ORDER], Action::OrderedStore, AN_ORDERED_STORE;
    one "atomic_exchange": PLACE_FIRST, Action::Update(Update::Exchange, Gives::Old), LOCKED;
    one "atomic_exchange_explicit": PLACE_FIRST_ORDERED, Action::Update(Update::Exchange, Gives::Old), LOCKED;
    one "atomic_fetch_add": PLACE_FIRST, Action::Update(Update::Add, Gives::Old), LOCKED;
    one "atomic_fetch_add_explicit": PLACE_FIRST_ORDERED, Action::Update(Update::Add, Gives::Old), LOCKED;
    one "atomic_fetch_sub": PLACE_FIRST, Action::Update(Update::Sub, Gives::Old), LOCKED;
    one "atomic_fetch_sub_explicit": PLACE_FIRST_ORDERED, Action::Update(Update::Sub, Gives::Old), LOCKED;
    one "atomic_fetch_and": PLACE_FIRST, Action::Update(Update::And, Gives::Old), LOCKED;
    one "atomic_fetch_and_explicit": PLACE_FIRST_ORDERED, Action::Update(Update::And, Gives::Old), LOCKED;
    one "atomic_fetch_or": PLACE_FIRST, Action::Update(Update::Or, Gives::Old), LOCKED;
    one "atomic_fetch_or_explicit": PLACE_FIRST_ORDERED, Action::Update(Update::Or, Gives::Old), LOCKED;
    one "atomic_fetch_xor": PLACE_FIRST, Action::Update(Update::Xor, Gives::Old), LOCKED;
    one "atomic_fetch_xor_explicit": PLACE_FIRST_ORDERED, Action::Update(Update::Xor, Gives::Old), LOCKED;
    one "atomic_compare_exchange_strong": &[UPDATED_AT, EXPECTED_AT, NEW], Action::CompareExchange, A_CAS;
    one "atomic_compare_exchange_strong_explicit": &[UPDATED_AT, EXPECTED_AT, NEW, ORDER, FAILURE], Action::CompareExchange, A_CAS;
    one "atomic_thread_fence": &[ORDER], Action::OrderedFence, AN_ORDERED_FENCE;
    one "atomic_compare_exchange_weak": &[UPDATED_AT, EXPECTED_AT, NEW], Action::NotModelled(WEAK), WEAK_MEANING;
    one "atomic_compare_exchange_weak_explicit": &[UPDATED_AT, EXPECTED_AT, NEW, ORDER, FAILURE], Action::NotModelled(WEAK), WEAK_MEANING;
}
