//! x86 flags, kept as what jumps ask: the last result, the carry, and "less".
//!
//! Zero, sign and parity follow from the result; "less" is sign ≠ overflow. Only what
//! some jump of the thread looks at is computed.

use fencepost_grammar::ast::herd::Cond;

use crate::lower::code::Code;
use crate::program::{Op, Operand, RegId, Value};

#[derive(Default)]
pub struct Flags {
    result: Option<RegId>,
    carry: Option<RegId>,
    less: Option<RegId>,
}

const ZERO: Operand = Operand::Const(0);

impl Flags {
    /// The flags that jumps on these conditions need. What rotates leaves the sign as it was,
    /// so that "less" needs the result before it.
    pub fn needed(conditions: impl Iterator<Item = Cond>, rotates: bool, code: &mut Code) -> Self {
        let mut flags = Flags::default();
        for cond in conditions {
            let (result, carry, less) = match cond {
                Cond::E | Cond::Ne | Cond::S | Cond::Ns | Cond::P | Cond::Np => {
                    (true, false, false)
                }
                Cond::L | Cond::Ge => (false, false, true),
                Cond::Le | Cond::G | Cond::O | Cond::No => (true, false, true),
                Cond::B | Cond::Ae => (false, true, false),
                Cond::Be | Cond::A => (true, true, false),
            };
            let mut need = |flag: &mut Option<RegId>, needed: bool| {
                if needed && flag.is_none() {
                    *flag = Some(code.register(None, 0));
                }
            };
            need(&mut flags.result, result || (rotates && less));
            need(&mut flags.carry, carry);
            need(&mut flags.less, less);
        }
        // A fresh machine has no zero flag: its last result is not zero.
        if let Some(result) = flags.result {
            code.set_initial(result, 1);
        }
        flags
    }

    pub fn unused(&self) -> bool {
        self.result.is_none() && self.carry.is_none() && self.less.is_none()
    }

    /// After `a - b`. The result of `cmp` goes nowhere else, so it is computed here.
    pub fn subtracted(&self, a: Operand, b: Operand, bits: Operand, code: &mut Code) {
        if let Some(result) = self.result {
            let difference = code.op(Op::Sub, a, b, None);
            code.op(Op::Sext, difference, bits, Some(result));
        }
        self.set_carry(|code, dst| code.op(Op::LtU, a, b, Some(dst)), code);
        self.set_less(|code, dst| code.op(Op::Lt, a, b, Some(dst)), code);
    }

    /// After `a + b` gave `sum`.
    pub fn added(&self, a: Operand, b: Operand, sum: Operand, code: &mut Code) {
        self.set_result(sum, code);
        self.set_carry(|code, dst| code.op(Op::LtU, sum, a, Some(dst)), code);
        self.set_less(
            |code, dst| {
                let a_turned = code.op(Op::Xor, a, sum, None);
                let b_turned = code.op(Op::Xor, b, sum, None);
                let both = code.op(Op::And, a_turned, b_turned, None);
                let overflow = code.op(Op::Lt, both, ZERO, None);
                let sign = code.op(Op::Lt, sum, ZERO, None);
                code.op(Op::Xor, sign, overflow, Some(dst))
            },
            code,
        );
    }

    /// `inc` and `dec` are additions that leave the carry alone.
    pub fn counted(&self, a: Operand, b: Operand, sum: Operand, code: &mut Code) {
        let without_carry = Flags {
            result: self.result,
            carry: None,
            less: self.less,
        };
        without_carry.added(a, b, sum, code);
    }

    /// After `and`, `or`, `xor`, `test`.
    pub fn combined(&self, result: Operand, code: &mut Code) {
        self.set_result(result, code);
        self.set_carry(|code, dst| code.op(Op::Mov, ZERO, ZERO, Some(dst)), code);
        self.set_less(|code, dst| code.op(Op::Lt, result, ZERO, Some(dst)), code);
    }

    /// After a shift: `out` is the last bit that was shifted out, `overflow` as for one bit.
    pub fn shifted(&self, result: Operand, out: Operand, overflow: Operand, code: &mut Code) {
        self.set_result(result, code);
        self.set_carry(|code, dst| code.op(Op::Mov, out, ZERO, Some(dst)), code);
        self.set_less(
            |code, dst| {
                let sign = code.op(Op::Lt, result, ZERO, None);
                code.op(Op::Xor, sign, overflow, Some(dst))
            },
            code,
        );
    }

    /// After a rotation, which has no part in zero, sign and parity.
    pub fn rotated(&self, out: Operand, overflow: Operand, code: &mut Code) {
        self.set_carry(|code, dst| code.op(Op::Mov, out, ZERO, Some(dst)), code);
        if let Some(result) = self.result {
            self.set_less(
                |code, dst| {
                    let sign = code.op(Op::Lt, Operand::Reg(result), ZERO, None);
                    code.op(Op::Xor, sign, overflow, Some(dst))
                },
                code,
            );
        }
    }

    fn set_result(&self, value: Operand, code: &mut Code) {
        if let Some(result) = self.result {
            code.assign(result, value);
        }
    }

    fn set_carry(&self, set: impl FnOnce(&mut Code, RegId) -> Operand, code: &mut Code) {
        if let Some(carry) = self.carry {
            set(code, carry);
        }
    }

    fn set_less(&self, set: impl FnOnce(&mut Code, RegId) -> Operand, code: &mut Code) {
        if let Some(less) = self.less {
            set(code, less);
        }
    }

    /// Whether the condition holds, as 0 or 1.
    pub fn test(&self, cond: Cond, code: &mut Code) -> Operand {
        let flag = |reg: Option<RegId>| reg.map_or(ZERO, Operand::Reg);
        let (result, carry, less) = (flag(self.result), flag(self.carry), flag(self.less));
        let (positive, turned) = match cond {
            Cond::E => (Cond::E, false),
            Cond::Ne => (Cond::E, true),
            Cond::L => (Cond::L, false),
            Cond::Ge => (Cond::L, true),
            Cond::Le => (Cond::Le, false),
            Cond::G => (Cond::Le, true),
            Cond::B => (Cond::B, false),
            Cond::Ae => (Cond::B, true),
            Cond::Be => (Cond::Be, false),
            Cond::A => (Cond::Be, true),
            Cond::S => (Cond::S, false),
            Cond::Ns => (Cond::S, true),
            Cond::O => (Cond::O, false),
            Cond::No => (Cond::O, true),
            Cond::P => (Cond::P, false),
            Cond::Np => (Cond::P, true),
        };
        let holds = match positive {
            Cond::E => code.op(Op::Eq, result, ZERO, None),
            Cond::L => less,
            Cond::Le => {
                let zero = code.op(Op::Eq, result, ZERO, None);
                code.op(Op::Or, zero, less, None)
            }
            Cond::B => carry,
            Cond::Be => {
                let zero = code.op(Op::Eq, result, ZERO, None);
                code.op(Op::Or, zero, carry, None)
            }
            Cond::S => code.op(Op::Lt, result, ZERO, None),
            Cond::O => {
                let sign = code.op(Op::Lt, result, ZERO, None);
                code.op(Op::Xor, sign, less, None)
            }
            // Even parity of the low eight bits.
            _ => {
                let mut folded = code.op(Op::Zext, result, Operand::Const(8), None);
                for shift in [4, 2, 1] {
                    let shift = Operand::Const(shift as Value);
                    let upper = code.op(Op::ShrU, folded, shift, None);
                    folded = code.op(Op::Xor, folded, upper, None);
                }
                let odd = code.op(Op::And, folded, Operand::Const(1), None);
                code.op(Op::Not, odd, ZERO, None)
            }
        };
        if turned {
            code.op(Op::Not, holds, ZERO, None)
        } else {
            holds
        }
    }
}
