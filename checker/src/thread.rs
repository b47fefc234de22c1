//! Runs one thread between its events: local steps, branches, loop bounds.

use crate::program::{
    Address, FenceKind, Instr, LocId, Op, Operand, Pc, Program, RegId, RmwOp, ThreadId, Value,
};
use crate::report::FailureKind;
pub use crate::rmw::rmw_writes;

/// Where a thread stands. Its registers are kept beside it, in a slice the caller owns,
/// so that engines can hold many of them in one allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cursor {
    pub pc: Pc,
    /// The mutexes it holds, a bit each: mutexes are the first locations.
    pub mutexes: u64,
}

/// What a thread wants to do next. Its cursor stands at the instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    Load {
        loc: LocId,
    },
    Store {
        loc: LocId,
        value: Value,
    },
    Rmw {
        loc: LocId,
        op: RmwOp,
        value: Value,
        expected: Value,
    },
    Fence(FenceKind),
    Lock {
        loc: LocId,
    },
    Unlock {
        loc: LocId,
    },
    Done,
    /// It will never go on.
    Stopped(Stop),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stop {
    Assume,
    /// The condition of an `await` is false for the value its load read.
    Await,
    /// `Some`: the loop that hit its bound. `None`: too many local steps without an event.
    Bound(Option<u16>),
    Failed(FailureKind),
}

/// Local steps a thread may take without an event; past it, it is taken for an endless loop.
pub const MAX_LOCAL_STEPS: u32 = 1_000_000;

fn value(operand: Operand, regs: &[Value]) -> Value {
    match operand {
        Operand::Const(v) => v,
        Operand::Reg(r) => regs[r as usize],
    }
}

/// Runs local steps until the thread's next event or its end.
pub fn advance(
    program: &Program,
    thread: ThreadId,
    cursor: &mut Cursor,
    regs: &mut [Value],
) -> Pending {
    let code = &program.threads[thread as usize].code;
    for _ in 0..MAX_LOCAL_STEPS {
        let Some(instr) = code.get(cursor.pc as usize) else {
            return Pending::Done;
        };
        match *instr {
            Instr::Load { addr, .. } => {
                return match resolve(program, addr, regs) {
                    Ok(loc) => Pending::Load { loc },
                    Err(kind) => Pending::Stopped(Stop::Failed(kind)),
                };
            }
            Instr::Store { addr, value: v } => {
                return match resolve(program, addr, regs) {
                    Ok(loc) => Pending::Store {
                        loc,
                        value: value(v, regs),
                    },
                    Err(kind) => Pending::Stopped(Stop::Failed(kind)),
                };
            }
            Instr::Rmw {
                addr,
                op,
                value: v,
                expected,
                ..
            } => {
                return match resolve(program, addr, regs) {
                    Ok(loc) => Pending::Rmw {
                        loc,
                        op,
                        value: value(v, regs),
                        expected: value(expected, regs),
                    },
                    Err(kind) => Pending::Stopped(Stop::Failed(kind)),
                };
            }
            Instr::Fence(kind) => return Pending::Fence(kind),
            Instr::Lock(loc) => return Pending::Lock { loc },
            Instr::Unlock(loc) => {
                return if cursor.mutexes & mutex_bit(loc) != 0 {
                    Pending::Unlock { loc }
                } else {
                    Pending::Stopped(Stop::Failed(FailureKind::UnlockNotHeld))
                };
            }
            Instr::Assign { dst, op, a, b } => {
                match apply(op, value(a, regs), value(b, regs)) {
                    Some(v) => regs[dst as usize] = v,
                    None => return Pending::Stopped(Stop::Failed(FailureKind::DivisionByZero)),
                }
                cursor.pc += 1;
            }
            Instr::Jump(target) => cursor.pc = target,
            Instr::JumpIfZero { cond, target } => {
                cursor.pc = if value(cond, regs) == 0 {
                    target
                } else {
                    cursor.pc + 1
                };
            }
            Instr::Bound { counter, loop_id } => {
                let count = &mut regs[counter as usize];
                *count += 1;
                let bound = program.threads[thread as usize].loops[loop_id as usize].bound;
                if *count > Value::from(bound) {
                    return Pending::Stopped(Stop::Bound(Some(loop_id)));
                }
                cursor.pc += 1;
            }
            Instr::Assert(cond) => {
                if value(cond, regs) == 0 {
                    return Pending::Stopped(Stop::Failed(FailureKind::Assertion));
                }
                cursor.pc += 1;
            }
            Instr::Assume(cond) => {
                if value(cond, regs) == 0 {
                    return Pending::Stopped(Stop::Assume);
                }
                cursor.pc += 1;
            }
            Instr::AwaitTest(cond) => {
                if value(cond, regs) == 0 {
                    return Pending::Stopped(Stop::Await);
                }
                cursor.pc += 1;
            }
            Instr::Return => return Pending::Done,
        }
    }
    Pending::Stopped(Stop::Bound(None))
}

/// Takes the event the thread stands at. `read` is the value a load, RMW or lock reads;
/// the others ignore it.
pub fn take(
    program: &Program,
    thread: ThreadId,
    cursor: &mut Cursor,
    regs: &mut [Value],
    read: Value,
) {
    match program.threads[thread as usize].code[cursor.pc as usize] {
        Instr::Load { dst, .. } | Instr::Rmw { dst, .. } => regs[dst as usize] = read,
        Instr::Lock(loc) => cursor.mutexes |= mutex_bit(loc),
        Instr::Unlock(loc) => cursor.mutexes &= !mutex_bit(loc),
        _ => {}
    }
    cursor.pc += 1;
}

/// The most mutexes a program may have: those a thread holds are the bits of a word.
pub const MAX_MUTEXES: usize = 64;

/// Lowering puts the mutexes first among the locations, so a mutex's number is its bit.
fn mutex_bit(loc: LocId) -> u64 {
    1 << loc
}

fn resolve(program: &Program, addr: Address, regs: &[Value]) -> Result<LocId, FailureKind> {
    match addr {
        Address::Fixed(loc) => Ok(loc),
        Address::Element { first, len, index } => {
            let i = value(index, regs);
            if (0..Value::from(len)).contains(&i) {
                Ok(first + i as LocId)
            } else {
                Err(FailureKind::IndexOutOfBounds)
            }
        }
        Address::Pointer(p) => program
            .location_at(value(p, regs))
            .ok_or(FailureKind::BadAddress),
    }
}

/// The result of a local operation; none when it divides by zero.
pub fn apply(op: Op, a: Value, b: Value) -> Option<Value> {
    Some(match op {
        Op::Mov => a,
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::Div if b == 0 => return None,
        Op::Div => a.wrapping_div(b),
        Op::Rem if b == 0 => return None,
        Op::Rem => a.wrapping_rem(b),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => a.wrapping_shl(b as u32),
        Op::Shr => a.wrapping_shr(b as u32),
        Op::ShrU => (a as u64).wrapping_shr(b as u32) as Value,
        Op::Eq => Value::from(a == b),
        Op::Ne => Value::from(a != b),
        Op::Lt => Value::from(a < b),
        Op::Le => Value::from(a <= b),
        Op::Gt => Value::from(a > b),
        Op::Ge => Value::from(a >= b),
        Op::LtU => Value::from((a as u64) < (b as u64)),
        Op::Not => Value::from(a == 0),
        Op::Com => !a,
        Op::Neg => a.wrapping_neg(),
        Op::Sext if (1..64).contains(&b) => (a << (64 - b)) >> (64 - b),
        Op::Sext => a,
        Op::Zext if (1..64).contains(&b) => a & (Value::MAX >> (63 - b)),
        Op::Zext => a,
    })
}

/// The register that gets the value of the event at `pc`, if it has one.
pub fn destination(program: &Program, thread: ThreadId, pc: Pc) -> Option<RegId> {
    match program.threads[thread as usize].code.get(pc as usize)? {
        Instr::Load { dst, .. } | Instr::Rmw { dst, .. } => Some(*dst),
        _ => None,
    }
}
