//! The words of the native dialect.

use super::{Argument, Kind, Word};
use crate::symbols::Access;
use crate::token::TokenKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    Xchg,
    Cas,
    FetchAdd,
    FetchSub,
    FetchAnd,
    FetchOr,
    FetchXor,
    FetchMax,
    FetchMin,
}

impl AtomicOp {
    pub fn word(self) -> &'static Word {
        NATIVE
            .iter()
            .find(|word| word.kind == Kind::Atomic(self))
            .expect("every atomic has a row")
    }
}

const LOCATION: Argument = Argument::new("location", "x", Access::Update);
const NEW: Argument = Argument::new("new", "1", Access::Read);
const EXPECTED: Argument = Argument::new("expected", "0", Access::Read);
const VALUE: Argument = Argument::new("value", "1", Access::Read);
const MUTEX: Argument = Argument::new("mutex", "m", Access::Update);
const CONDITION: Argument = Argument::new("condition", "", Access::Read);
const FETCH: &[Argument] = &[LOCATION, VALUE];

words! {
    NATIVE, native_token,
    "shared": Kind::Declaration, TokenKind::Shared, &[],
        "Locations in memory that all threads see. They start as 0 unless a value is given.";
    "mutex": Kind::Declaration, TokenKind::Mutex, &[],
        "A lock. `lock` and `unlock` of it are full fences.";
    "param": Kind::Declaration, TokenKind::Param, &[],
        "A number fixed before the test runs; a setting or the command line can override it.";
    "const": Kind::Declaration, TokenKind::Const, &[], "A number with a name.";
    "thread": Kind::Thread, TokenKind::Thread, &[],
        "Runs in parallel with the other threads, from the start. `thread W[i in 0..N]` makes several.";
    "if": Kind::Control, TokenKind::If, &[], "Runs a block when the condition is not 0.";
    "else": Kind::Clause, TokenKind::Else, &[], "Runs when no condition before it held.";
    "while": Kind::Control, TokenKind::While, &[],
        "Repeats while the condition is not 0, at most `max` times: executions that want more are cut off and counted as blocked.";
    "max": Kind::Clause, TokenKind::Max, &[], "The bound of a loop. Without it the default bound holds.";
    "for": Kind::Control, TokenKind::For, &[], "Repeats with an index that is a constant in each round.";
    "in": Kind::Clause, TokenKind::In, &[],
        "The range of an index: from the first number up to, not including, the second.";
    "repeat": Kind::Control, TokenKind::Repeat, &[], "Repeats a fixed number of times.";
    "break": Kind::Control, TokenKind::Break, &[], "Leaves the loop.";
    "continue": Kind::Control, TokenKind::Continue, &[], "Goes to the loop's next round.";
    "return": Kind::Control, TokenKind::Return, &[], "Ends the thread.";
    "mfence": Kind::Fence, TokenKind::Mfence, &[],
        "A full fence: waits until all of the thread's stores are in memory. Under SC it changes nothing.";
    "sfence": Kind::Fence, TokenKind::Sfence, &[],
        "A store-store fence: stores before it reach memory before stores after it. It matters under PSO; under TSO and SC it changes nothing.";
    "xchg": Kind::Atomic(AtomicOp::Xchg), TokenKind::Atomic(AtomicOp::Xchg), &[LOCATION, NEW],
        "Stores a value and gives the old one, atomically. A full fence.";
    "cas": Kind::Atomic(AtomicOp::Cas), TokenKind::Atomic(AtomicOp::Cas), &[LOCATION, EXPECTED, NEW],
        "Compare and swap: stores `new` if the value is `expected`; gives the old value. Atomic, and a full fence even when it fails.";
    "fetch_add": Kind::Atomic(AtomicOp::FetchAdd), TokenKind::Atomic(AtomicOp::FetchAdd), FETCH,
        "Adds and gives the old value, atomically. A full fence.";
    "fetch_sub": Kind::Atomic(AtomicOp::FetchSub), TokenKind::Atomic(AtomicOp::FetchSub), FETCH,
        "Subtracts and gives the old value, atomically. A full fence.";
    "fetch_and": Kind::Atomic(AtomicOp::FetchAnd), TokenKind::Atomic(AtomicOp::FetchAnd), FETCH,
        "Bitwise and; gives the old value, atomically. A full fence.";
    "fetch_or": Kind::Atomic(AtomicOp::FetchOr), TokenKind::Atomic(AtomicOp::FetchOr), FETCH,
        "Bitwise or; gives the old value, atomically. A full fence.";
    "fetch_xor": Kind::Atomic(AtomicOp::FetchXor), TokenKind::Atomic(AtomicOp::FetchXor), FETCH,
        "Bitwise exclusive or; gives the old value, atomically. A full fence.";
    "fetch_max": Kind::Atomic(AtomicOp::FetchMax), TokenKind::Atomic(AtomicOp::FetchMax), FETCH,
        "Stores the larger of the two; gives the old value, atomically. A full fence.";
    "fetch_min": Kind::Atomic(AtomicOp::FetchMin), TokenKind::Atomic(AtomicOp::FetchMin), FETCH,
        "Stores the smaller of the two; gives the old value, atomically. A full fence.";
    "lock": Kind::Call, TokenKind::Lock, &[MUTEX],
        "Waits until the mutex is free, then holds it. A full fence.";
    "unlock": Kind::Call, TokenKind::Unlock, &[MUTEX],
        "Frees the mutex. A full fence. Unlocking what the thread does not hold fails.";
    "assert": Kind::Call, TokenKind::Assert, &[CONDITION],
        "Fails when the condition is false; an assertion that can fail is an error with a witness.";
    "assume": Kind::Call, TokenKind::Assume, &[CONDITION],
        "Drops executions in which the condition is false.";
    "await": Kind::Call, TokenKind::Await, &[CONDITION],
        "Waits until the condition, which reads one shared location, holds. Costs one load to explore, not a spin.";
    "expect": Kind::Expect, TokenKind::Expect, &[],
        "How often the condition holds, for each model: what turns a file into a regression test.";
}
