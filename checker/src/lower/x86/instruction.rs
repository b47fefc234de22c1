//! What each x86 instruction does to registers, flags and memory.

use std::rc::Rc;

use fencepost_grammar::ast::herd::{
    Cell, Instruction, Op as Mnemonic, Operand as Written, OperandKind, Reg, Register, View, Width,
};
use fencepost_grammar::ast::{Ident, SmolStr};
use fencepost_grammar::{Error, Span};
use rustc_hash::FxHashMap;

use super::access::{Spot, choose, width};
use super::flags::Flags;
use super::memory::{Memory, Type};
use super::reach::{Reach, written_bits};
use super::registers::{Registers, bits};
use crate::lower::code::Code;
use crate::lower::{MAX_INSTRUCTIONS, range, too_many};
use crate::program::{FenceKind, Instr, Loop, Op, Operand, Pc, RegId, RmwOp, Thread, Value};

/// One thread while it is lowered.
pub struct Column {
    pub number: u32,
    /// Which column it is.
    pub(super) index: usize,
    pub(super) wide: bool,
    unroll: u32,
    pub(super) reach: Rc<Reach>,
    pub(super) registers: Registers,
    flags: Flags,
    pub(super) code: Code,
    labels: FxHashMap<SmolStr, Pc>,
    /// Jumps to labels that were not yet seen.
    forward: Vec<(Pc, SmolStr)>,
    /// Jumps of `ret` to the end.
    returns: Vec<Pc>,
}

/// The grammar knows which operands go with what.
const UNFIT: &str = "operands fit their instruction";

const ZERO: Operand = Operand::Const(0);
const ONE: Operand = Operand::Const(1);

/// Where an instruction writes its result.
enum Target {
    Register(Register),
    Memory(Spot),
}

impl Column {
    pub fn new(
        wide: bool,
        index: usize,
        number: u32,
        reach: Rc<Reach>,
        unroll: u32,
        at: Span,
    ) -> Self {
        Column {
            number,
            index,
            wide,
            unroll,
            reach,
            registers: Registers::new(wide),
            flags: Flags::default(),
            code: Code::new(at),
            labels: FxHashMap::default(),
            forward: Vec::new(),
            returns: Vec::new(),
        }
    }

    pub fn initialize(&mut self, register: &SmolStr, value: Value) {
        self.registers.initialize(register, value, &mut self.code);
    }

    pub fn observe(&mut self, register: &Ident) -> (RegId, String) {
        self.registers.observe(register, &mut self.code)
    }

    pub fn literal(&self, reg: RegId, value: Value) -> Value {
        self.registers.literal(reg, value)
    }

    pub fn lower(&mut self, cells: &[&Cell], memory: &mut Memory, errors: &mut Vec<Error>) {
        let instructions = cells.iter().filter_map(|cell| cell.instruction.as_ref());
        let rotates = instructions.clone().any(|i| i.op == Mnemonic::Rol);
        let conditions = instructions.filter_map(|instruction| match instruction.op {
            Mnemonic::J(cond) => Some(cond),
            _ => None,
        });
        self.flags = Flags::needed(conditions, rotates, &mut self.code);
        for cell in cells {
            for label in &cell.labels {
                self.labels.insert(label.name.clone(), self.code.here());
            }
            let Some(instruction) = &cell.instruction else {
                continue;
            };
            self.code.statement(cell.span);
            if let Err(error) = self.instruction(instruction, memory) {
                errors.push(error);
            }
            if self.code.instrs.len() > MAX_INSTRUCTIONS {
                break; // `finish` says so.
            }
        }
        for (jump, label) in std::mem::take(&mut self.forward) {
            self.code.set_target(jump, self.labels[&label]);
        }
    }

    pub fn finish(mut self, at: Span) -> Result<Thread, Error> {
        self.code.statement(at);
        for jump in std::mem::take(&mut self.returns) {
            self.code.land(jump);
        }
        self.registers.finish(&mut self.code);
        self.code.emit(Instr::Return);
        self.code.finish(self.number.to_string(), at)
    }

    fn instruction(&mut self, i: &Instruction, memory: &mut Memory) -> Result<(), Error> {
        let operand = |n: usize| &i.operands[n];
        match i.op {
            Mnemonic::Nop | Mnemonic::Lfence => {}
            Mnemonic::Mfence => {
                self.code.emit(Instr::Fence(FenceKind::Full));
            }
            Mnemonic::Sfence => {
                self.code.emit(Instr::Fence(FenceKind::StoreStore));
            }
            Mnemonic::Ret => {
                let jump = self.code.jump();
                self.returns.push(jump);
            }
            Mnemonic::Jmp => self.jump(operand(0), None, i.span)?,
            Mnemonic::J(cond) => {
                let taken = self.flags.test(cond, &mut self.code);
                self.jump(operand(0), Some(taken), i.span)?;
            }
            Mnemonic::Mov => {
                let size = self.size(i, memory);
                self.mov(operand(0), operand(1), size, memory)?;
            }
            Mnemonic::Movzx | Mnemonic::Movsx => {
                self.extend(i, operand(0), operand(1), memory)?;
            }
            Mnemonic::Lea => {
                let OperandKind::Memory(expression) = &operand(1).kind else {
                    unreachable!("{UNFIT}");
                };
                let OperandKind::Register(target) = operand(0).kind else {
                    unreachable!("{UNFIT}");
                };
                let value = self.address(expression, memory)?;
                self.registers.write(target, value, &mut self.code);
            }
            Mnemonic::Xchg => self.exchange(i, operand(0), operand(1), memory)?,
            Mnemonic::Xadd => self.exchange_add(i, operand(0), operand(1), memory)?,
            Mnemonic::Cmpxchg => self.compare_exchange(i, operand(0), operand(1), memory)?,
            Mnemonic::Cmp | Mnemonic::Test => {
                let size = self.size(i, memory);
                let a = self.value(operand(0), size, memory)?;
                let b = self.value(operand(1), size, memory)?;
                if i.op == Mnemonic::Cmp {
                    self.flags.subtracted(a, b, width(size), &mut self.code);
                } else if !self.flags.unused() {
                    let both = self.code.op(Op::And, a, b, None);
                    self.flags.combined(both, &mut self.code);
                }
            }
            Mnemonic::Shl | Mnemonic::Shr | Mnemonic::Sar | Mnemonic::Rol => {
                self.shift(i, memory)?;
            }
            Mnemonic::Inc
            | Mnemonic::Dec
            | Mnemonic::Neg
            | Mnemonic::Not
            | Mnemonic::Add
            | Mnemonic::Sub
            | Mnemonic::And
            | Mnemonic::Or
            | Mnemonic::Xor => {
                let size = self.size(i, memory);
                let source = match i.operands.get(1) {
                    Some(source) => self.value(source, size, memory)?,
                    None => ONE,
                };
                let target = self.target(operand(0), memory)?;
                self.update(i, target, source, size, memory)?;
            }
        }
        Ok(())
    }

    /// `taken` is 0 or 1; without it the jump is always taken.
    fn jump(&mut self, to: &Written, taken: Option<Operand>, span: Span) -> Result<(), Error> {
        let OperandKind::Label(label) = &to.kind else {
            unreachable!("{UNFIT}");
        };
        let skip = taken.map(|taken| self.code.jump_if_zero(taken));
        match self.labels.get(&label.name).copied() {
            Some(back) => {
                let loop_id = u16::try_from(self.code.loops.len()).map_err(|_| {
                    let found = self.code.loops.len() + 1;
                    too_many("loops in one thread", found, usize::from(u16::MAX), span)
                })?;
                self.code.loops.push(Loop {
                    bound: self.unroll,
                    explicit: false,
                    span: range(span),
                });
                let counter = self.code.register(None, 0);
                self.code.emit(Instr::Bound { counter, loop_id });
                self.code.emit(Instr::Jump(back));
            }
            None => {
                let jump = self.code.jump();
                self.forward.push((jump, label.name.clone()));
            }
        }
        if let Some(skip) = skip {
            self.code.land(skip);
        }
        Ok(())
    }

    fn mov(
        &mut self,
        target: &Written,
        source: &Written,
        size: u32,
        memory: &mut Memory,
    ) -> Result<(), Error> {
        // A load of a whole register needs no step in between.
        if let (OperandKind::Register(register), OperandKind::Memory(expression)) =
            (&target.kind, &source.kind)
            && self.registers.is_whole(*register)
        {
            let spot = self.spot(expression, source.span, memory)?;
            let dst = self.registers.word(register.reg, &mut self.code);
            let value = self.load(&spot, size, Some(dst), memory)?;
            self.registers.write(*register, value, &mut self.code);
            return Ok(());
        }
        let value = self.value(source, size, memory)?;
        let target = self.target(target, memory)?;
        self.write(&target, value, size, memory)
    }

    /// `movzx`, `movsx`
    fn extend(
        &mut self,
        i: &Instruction,
        target: &Written,
        source: &Written,
        memory: &mut Memory,
    ) -> Result<(), Error> {
        let from = match (i.source_width, &source.kind) {
            (Some(width), _) => width.bits(),
            (None, OperandKind::Register(register)) => bits(register.view),
            (None, OperandKind::Memory(expression)) => self
                .natural_size(expression, memory)
                .unwrap_or(Width::Byte.bits()),
            _ => unreachable!("{UNFIT}"),
        };
        let mut value = self.value(source, from, memory)?;
        if i.op == Mnemonic::Movzx {
            value = self.code.op(Op::Zext, value, width(from), None);
        }
        let size = self.size(i, memory);
        let target = self.target(target, memory)?;
        self.write(&target, value, size, memory)
    }

    fn exchange(
        &mut self,
        i: &Instruction,
        a: &Written,
        b: &Written,
        memory: &mut Memory,
    ) -> Result<(), Error> {
        let size = self.size(i, memory);
        let (place, register) = match (&a.kind, &b.kind) {
            (_, OperandKind::Register(register)) => (a, *register),
            (OperandKind::Register(register), _) => (b, *register),
            _ => unreachable!("{UNFIT}"),
        };
        let new = self.registers.read(register, &mut self.code);
        let old = match self.target(place, memory)? {
            // With memory it is atomic, prefix or not.
            Target::Memory(spot) => self.atomic(&spot, RmwOp::Xchg, new, ZERO, size, memory)?,
            Target::Register(other) => {
                let old = self.copy(other);
                self.registers.write(other, new, &mut self.code);
                old
            }
        };
        self.registers.write(register, old, &mut self.code);
        Ok(())
    }

    fn exchange_add(
        &mut self,
        i: &Instruction,
        place: &Written,
        source: &Written,
        memory: &mut Memory,
    ) -> Result<(), Error> {
        let size = self.size(i, memory);
        let OperandKind::Register(register) = source.kind else {
            unreachable!("{UNFIT}");
        };
        let added = self.copy(register);
        let target = self.target(place, memory)?;
        let old = match &target {
            Target::Memory(spot) if i.lock.is_some() => {
                self.atomic(spot, RmwOp::Add, added, ZERO, size, memory)?
            }
            Target::Memory(spot) => self.load(spot, size, None, memory)?,
            Target::Register(register) => self.copy(*register),
        };
        let sum = self.sum(old, added, size);
        self.flags.added(old, added, sum, &mut self.code);
        // The register may be part of the address; of two registers the target has the sum.
        if i.lock.is_none() && matches!(target, Target::Memory(_)) {
            self.write(&target, sum, size, memory)?;
        }
        self.registers.write(register, old, &mut self.code);
        if matches!(target, Target::Register(_)) {
            self.write(&target, sum, size, memory)?;
        }
        Ok(())
    }

    /// When the accumulator holds what is there, the source goes there; else what is there
    /// goes to the accumulator, and back to where it is: without `lock` the processor writes
    /// in any case, and may undo what another thread wrote in between.
    fn compare_exchange(
        &mut self,
        i: &Instruction,
        place: &Written,
        source: &Written,
        memory: &mut Memory,
    ) -> Result<(), Error> {
        let size = self.size(i, memory);
        let accumulator = Register {
            reg: Reg::Rax,
            view: view_of(size),
            span: i.mnemonic,
        };
        let expected = self.copy(accumulator);
        let new = self.value(source, size, memory)?;
        let target = self.target(place, memory)?;
        let old = match &target {
            Target::Memory(spot) if i.lock.is_some() => {
                self.atomic(spot, RmwOp::Cas, new, expected, size, memory)?
            }
            Target::Memory(spot) => self.load(spot, size, None, memory)?,
            Target::Register(register) => self.copy(*register),
        };
        self.flags
            .subtracted(expected, old, width(size), &mut self.code);
        if i.lock.is_none() && matches!(target, Target::Memory(_)) {
            let chosen = choose(&mut self.code, old, expected, new);
            self.write(&target, chosen, size, memory)?;
        }
        let equal = self.code.op(Op::Eq, old, expected, None);
        let differs = self.code.jump_if_zero(equal);
        // A register that is not written keeps its upper half.
        if matches!(target, Target::Register(_)) {
            self.write(&target, new, size, memory)?;
        }
        let end = self.code.jump();
        self.code.land(differs);
        self.registers.write(accumulator, old, &mut self.code);
        self.code.land(end);
        Ok(())
    }

    /// An instruction that computes a new value of its target from the old one.
    fn update(
        &mut self,
        i: &Instruction,
        target: Target,
        source: Operand,
        size: u32,
        memory: &Memory,
    ) -> Result<(), Error> {
        let (op, atomic, source) = match i.op {
            Mnemonic::Sub => (Op::Sub, RmwOp::Sub, source),
            Mnemonic::Dec => (Op::Add, RmwOp::Add, Operand::Const(-1)),
            Mnemonic::Neg => (Op::Neg, RmwOp::SubFrom, ZERO),
            Mnemonic::Not => (Op::Xor, RmwOp::Xor, Operand::Const(-1)),
            Mnemonic::And => (Op::And, RmwOp::And, source),
            Mnemonic::Or => (Op::Or, RmwOp::Or, source),
            Mnemonic::Xor => (Op::Xor, RmwOp::Xor, source),
            _ => (Op::Add, RmwOp::Add, source),
        };
        let locked = i.lock.is_some();
        let old = match &target {
            Target::Memory(spot) if locked => {
                self.atomic(spot, atomic, source, ZERO, size, memory)?
            }
            Target::Memory(spot) => self.load(spot, size, None, memory)?,
            Target::Register(register) => self.registers.read(*register, &mut self.code),
        };
        if locked && self.flags.unused() {
            return Ok(());
        }
        let result = self.code.op(op, old, source, None);
        let result = self.code.op(Op::Sext, result, width(size), None);
        let code = &mut self.code;
        match i.op {
            Mnemonic::Add => self.flags.added(old, source, result, code),
            Mnemonic::Inc | Mnemonic::Dec => self.flags.counted(old, source, result, code),
            Mnemonic::Sub => self.flags.subtracted(old, source, width(size), code),
            Mnemonic::Neg => self.flags.subtracted(ZERO, old, width(size), code),
            Mnemonic::Not => {}
            _ => self.flags.combined(result, code),
        }
        if locked {
            return Ok(());
        }
        self.write(&target, result, size, memory)
    }

    fn shift(&mut self, i: &Instruction, memory: &mut Memory) -> Result<(), Error> {
        let size = self.size(i, memory);
        let first = &i.operands[0];
        let mask = Operand::Const(if size == 64 { 63 } else { 31 });
        let count = match i.operands.get(1) {
            Some(count) => self.value(count, Width::Byte.bits(), memory)?,
            None => ONE,
        };
        let count = self.code.op(Op::And, count, mask, None);
        let target = self.target(first, memory)?;
        let old = match &target {
            Target::Memory(spot) => self.load(spot, size, None, memory)?,
            Target::Register(register) => self.copy(*register),
        };
        let code = &mut self.code;
        let bare = code.op(Op::Zext, old, width(size), None);
        let before_last = code.op(Op::Sub, count, ONE, None);
        // The last bit that is shifted out, and what is left. Counts reach 31 even for
        // small operands, which no 64-bit shift notices.
        let (wide, out) = match i.op {
            Mnemonic::Shl => {
                let almost = code.op(Op::Shl, old, before_last, None);
                let top = Operand::Const(Value::from(size - 1));
                let out = code.op(Op::ShrU, almost, top, None);
                (code.op(Op::Shl, old, count, None), out)
            }
            Mnemonic::Shr => {
                let out = code.op(Op::ShrU, bare, before_last, None);
                (code.op(Op::ShrU, bare, count, None), out)
            }
            Mnemonic::Rol => {
                let bits = width(size);
                let turn = Operand::Const(Value::from(size - 1));
                let by = code.op(Op::And, count, turn, None);
                let back = code.op(Op::Sub, bits, by, None);
                let left = code.op(Op::Shl, bare, by, None);
                let right = code.op(Op::ShrU, bare, back, None);
                let turned = code.op(Op::Or, left, right, None);
                // What left last is now the lowest bit.
                (turned, turned)
            }
            _ => {
                let out = code.op(Op::Shr, old, before_last, None);
                (code.op(Op::Shr, old, count, None), out)
            }
        };
        let result = code.op(Op::Sext, wide, width(size), None);
        // A shift by nothing leaves the flags alone.
        if !self.flags.unused() && count != ZERO {
            let skip = match count {
                Operand::Const(_) => None,
                Operand::Reg(_) => Some(code.jump_if_zero(count)),
            };
            let out = code.op(Op::And, out, ONE, None);
            let sign = code.op(Op::Lt, result, ZERO, None);
            let overflow = match i.op {
                Mnemonic::Shl | Mnemonic::Rol => code.op(Op::Xor, sign, out, None),
                Mnemonic::Shr => code.op(Op::Lt, old, ZERO, None),
                _ => ZERO,
            };
            match i.op {
                Mnemonic::Rol => self.flags.rotated(out, overflow, code),
                _ => self.flags.shifted(result, out, overflow, code),
            }
            if let Some(skip) = skip {
                code.land(skip);
            }
        }
        self.write(&target, result, size, memory)
    }

    fn sum(&mut self, a: Operand, b: Operand, size: u32) -> Operand {
        let sum = self.code.op(Op::Add, a, b, None);
        self.code.op(Op::Sext, sum, width(size), None)
    }

    /// The value of a register that will be written before the value is used.
    fn copy(&mut self, register: Register) -> Operand {
        let value = self.registers.read(register, &mut self.code);
        let copy = self.code.temp();
        self.code.assign(copy, value);
        Operand::Reg(copy)
    }

    /// The size of the instruction's operands in bits.
    fn size(&self, i: &Instruction, memory: &Memory) -> u32 {
        let there = |operand: &Written| match &operand.kind {
            OperandKind::Memory(expression) => self.natural_size(expression, memory),
            _ => None,
        };
        written_bits(i)
            .or_else(|| i.operands.iter().find_map(there))
            .unwrap_or(if self.wide { 64 } else { 32 })
    }

    fn value(
        &mut self,
        operand: &Written,
        size: u32,
        memory: &mut Memory,
    ) -> Result<Operand, Error> {
        Ok(match &operand.kind {
            OperandKind::Immediate(value) => Operand::Const(Type::signed(size).wrap(*value)),
            OperandKind::Address(name) => {
                let object = memory.object(name)?;
                Operand::Const(Type::signed(size).wrap(memory.start(object)))
            }
            OperandKind::Register(register) => self.registers.read(*register, &mut self.code),
            OperandKind::Memory(expression) => {
                let spot = self.spot(expression, operand.span, memory)?;
                self.load(&spot, size, None, memory)?
            }
            OperandKind::Label(_) => unreachable!("{UNFIT}"),
        })
    }

    fn target(&mut self, operand: &Written, memory: &mut Memory) -> Result<Target, Error> {
        match &operand.kind {
            OperandKind::Register(register) => Ok(Target::Register(*register)),
            OperandKind::Memory(expression) => {
                let spot = self.spot(expression, operand.span, memory)?;
                Ok(Target::Memory(spot))
            }
            _ => unreachable!("{UNFIT}"),
        }
    }

    fn write(
        &mut self,
        target: &Target,
        value: Operand,
        size: u32,
        memory: &Memory,
    ) -> Result<(), Error> {
        match target {
            Target::Register(register) => {
                self.registers.write(*register, value, &mut self.code);
                Ok(())
            }
            Target::Memory(spot) => self.store(spot, value, size, memory),
        }
    }
}

fn view_of(size: u32) -> View {
    match size {
        8 => View::Low,
        16 => View::Word,
        32 => View::Long,
        _ => View::Quad,
    }
}
