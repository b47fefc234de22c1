//! What each atomic operation does to memory.

use fencepost_grammar::ast::native::AtomicOp;

use crate::program::{Op, Value};
use crate::thread::apply;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RmwOp {
    Xchg,
    /// Writes only when the old value equals `expected`.
    Cas,
    Add,
    /// Adds unless the old value equals `expected`: then it is a load, not even a fence.
    AddUnless,
    Sub,
    /// The old value subtracted from `value`.
    SubFrom,
    And,
    Or,
    Xor,
    /// The larger of the two, as signed numbers.
    Max,
    Min,
    /// Arithmetic on fewer than 64 bits: what is written is wrapped to them.
    Wrapped {
        op: WrappedOp,
        bits: u8,
        signed: bool,
    },
}

/// The atomic operations whose result can need more bits than their operands have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WrappedOp {
    Add,
    Sub,
    SubFrom,
}

impl From<AtomicOp> for RmwOp {
    fn from(op: AtomicOp) -> RmwOp {
        match op {
            AtomicOp::Xchg => RmwOp::Xchg,
            AtomicOp::Cas => RmwOp::Cas,
            AtomicOp::FetchAdd => RmwOp::Add,
            AtomicOp::FetchSub => RmwOp::Sub,
            AtomicOp::FetchAnd => RmwOp::And,
            AtomicOp::FetchOr => RmwOp::Or,
            AtomicOp::FetchXor => RmwOp::Xor,
            AtomicOp::FetchMax => RmwOp::Max,
            AtomicOp::FetchMin => RmwOp::Min,
        }
    }
}

/// What an RMW that reads `old` writes; one that fails writes nothing.
pub fn rmw_writes(op: RmwOp, old: Value, value: Value, expected: Value) -> Option<Value> {
    Some(match op {
        RmwOp::Xchg => value,
        RmwOp::Cas if old == expected => value,
        RmwOp::AddUnless if old != expected => old.wrapping_add(value),
        RmwOp::Cas | RmwOp::AddUnless => return None,
        RmwOp::Add => old.wrapping_add(value),
        RmwOp::Sub => old.wrapping_sub(value),
        RmwOp::SubFrom => value.wrapping_sub(old),
        RmwOp::And => old & value,
        RmwOp::Or => old | value,
        RmwOp::Xor => old ^ value,
        RmwOp::Max => old.max(value),
        RmwOp::Min => old.min(value),
        RmwOp::Wrapped { op, bits, signed } => {
            let wide = match op {
                WrappedOp::Add => old.wrapping_add(value),
                WrappedOp::Sub => old.wrapping_sub(value),
                WrappedOp::SubFrom => value.wrapping_sub(old),
            };
            let extend = if signed { Op::Sext } else { Op::Zext };
            return apply(extend, wide, Value::from(bits));
        }
    })
}
