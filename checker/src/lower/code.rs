//! The code of one thread in the making: instructions, registers, jumps to be filled in.

use fencepost_grammar::{Error, Span as Place};

use super::{MAX_INSTRUCTIONS, MAX_REGISTERS, range, too_many};
use crate::program::{Instr, Loop, Op, Operand, Pc, RegId, Span, Thread, Value};
use crate::thread::apply;

pub struct Code {
    pub instrs: Vec<Instr>,
    spans: Vec<Span>,
    regs: Vec<Value>,
    names: Vec<Option<String>>,
    pub loops: Vec<Loop>,
    /// What the next instructions come from.
    at: Place,
    /// Registers for intermediate results: those of the statement, and those that are free.
    busy: Vec<RegId>,
    free: Vec<RegId>,
}

impl Code {
    pub fn new(at: Place) -> Self {
        Code {
            instrs: Vec::new(),
            spans: Vec::new(),
            regs: Vec::new(),
            names: Vec::new(),
            loops: Vec::new(),
            at,
            busy: Vec::new(),
            free: Vec::new(),
        }
    }

    /// What follows comes from here, and needs none of the intermediate results before.
    pub fn statement(&mut self, at: Place) {
        self.at = at;
        self.free.append(&mut self.busy);
        // The same text gives the same registers whatever came before it.
        self.free.sort_unstable_by(|a, b| b.cmp(a));
    }

    pub fn here(&self) -> Pc {
        self.instrs.len() as Pc
    }

    pub fn emit(&mut self, instr: Instr) -> Pc {
        self.instrs.push(instr);
        self.spans.push(range(self.at));
        self.here() - 1
    }

    /// A jump whose target is not known yet.
    pub fn jump(&mut self) -> Pc {
        self.emit(Instr::Jump(Pc::MAX))
    }

    pub fn jump_if_zero(&mut self, cond: Operand) -> Pc {
        self.emit(Instr::JumpIfZero {
            cond,
            target: Pc::MAX,
        })
    }

    /// Lets a jump lead here.
    pub fn land(&mut self, jump: Pc) {
        let here = self.here();
        self.set_target(jump, here);
    }

    pub fn set_target(&mut self, jump: Pc, to: Pc) {
        match &mut self.instrs[jump as usize] {
            Instr::Jump(target) | Instr::JumpIfZero { target, .. } => *target = to,
            _ => {}
        }
    }

    pub fn register(&mut self, name: Option<String>, init: Value) -> RegId {
        self.regs.push(init);
        self.names.push(name);
        // Checked by `finish`; until then the number only must not overflow.
        (self.regs.len() - 1).min(RegId::MAX as usize) as RegId
    }

    pub fn initial(&self, reg: RegId) -> Value {
        self.regs[reg as usize]
    }

    pub fn set_initial(&mut self, reg: RegId, value: Value) {
        self.regs[reg as usize] = value;
    }

    /// A register for an intermediate result, until the next statement.
    pub fn temp(&mut self) -> RegId {
        let reg = match self.free.pop() {
            Some(reg) => reg,
            None => self.register(None, 0),
        };
        self.busy.push(reg);
        reg
    }

    /// The result of an operation, in `dst` if that is given; known ones cost nothing.
    pub fn op(&mut self, op: Op, a: Operand, b: Operand, dst: Option<RegId>) -> Operand {
        let known = match (a, b) {
            (Operand::Const(a), Operand::Const(b)) => apply(op, a, b),
            _ => None,
        };
        let (op, a, b) = match (known, dst) {
            (Some(value), None) => return Operand::Const(value),
            (Some(value), Some(_)) => (Op::Mov, Operand::Const(value), Operand::Const(0)),
            (None, _) => (op, a, b),
        };
        let dst = dst.unwrap_or_else(|| self.temp());
        self.emit(Instr::Assign { dst, op, a, b });
        Operand::Reg(dst)
    }

    pub fn assign(&mut self, dst: RegId, value: Operand) {
        self.op(Op::Mov, value, Operand::Const(0), Some(dst));
    }

    pub fn finish(self, name: String, span: Place) -> Result<Thread, Error> {
        if self.regs.len() > MAX_REGISTERS {
            return Err(too_many(
                "registers in one thread",
                self.regs.len(),
                MAX_REGISTERS,
                span,
            ));
        }
        if self.instrs.len() > MAX_INSTRUCTIONS {
            return Err(too_many(
                "instructions",
                self.instrs.len(),
                MAX_INSTRUCTIONS,
                span,
            ));
        }
        Ok(Thread {
            name,
            code: self.instrs,
            spans: self.spans,
            regs: self.regs,
            reg_names: self.names,
            loops: self.loops,
            span: range(span),
        })
    }
}
