//! Loads, stores and atomic updates of any size, at any place of a location or several.
//!
//! Memory is read and written by whole locations. A part is read by a load of the whole; it
//! is written by a load of the whole and a store of it with the part changed, which is the
//! same for everyone to see while no other thread writes that location. Several locations
//! are accessed one after the other, which nobody sees while no other thread writes them
//! (of a load) or touches them (of a store). What another thread could see is refused.

use fencepost_grammar::ast::SmolStr;
use fencepost_grammar::ast::herd::{Memory as Expression, Reg, Register, View};
use fencepost_grammar::{Error, ErrorKind, Span};

use super::instruction::Column;
use super::memory::{Memory, ObjectId, Type};
use super::reach::covered_elements;
use crate::lower::code::Code;
use crate::program::{Instr, Op, Operand, Pc, RegId, RmwOp, Value, WrappedOp};

/// What a memory operand names.
#[derive(Clone)]
pub struct Spot {
    address: Operand,
    /// The objects that may be there, by type.
    kinds: Vec<(Type, Vec<ObjectId>)>,
    /// The power of two that the address's distance from an object's start is a multiple of,
    /// if the registers in it are.
    step: Value,
    span: Span,
}

/// How an access meets locations of one type.
struct Fit {
    /// The address of the first location, and where in it the access starts, in bits.
    first: Operand,
    offset: Operand,
    /// How many locations it reaches at most.
    count: Value,
    ty: Type,
}

impl Fit {
    fn whole(&self, size: u32) -> bool {
        self.count == 1 && self.ty.bits == size && self.offset == ZERO
    }
}

const ZERO: Operand = Operand::Const(0);

impl Column {
    pub(super) fn spot(
        &mut self,
        expression: &Expression,
        span: Span,
        memory: &mut Memory,
    ) -> Result<Spot, Error> {
        let mut kinds: Vec<(Type, Vec<ObjectId>)> = Vec::new();
        for object in self.reach.objects(self.index, expression, memory) {
            let ty = memory.objects[object].ty;
            match kinds.iter_mut().find(|(known, _)| *known == ty) {
                Some((_, objects)) => objects.push(object),
                None => kinds.push((ty, vec![object])),
            }
        }
        let scale = expression
            .index
            .map_or(8, |_| Value::from(expression.scale.max(1)));
        let zeros = (scale | expression.displacement).trailing_zeros();
        // What was not made from an address is the address of nothing.
        let address = match kinds.is_empty() {
            true => ZERO,
            false => self.address(expression, memory)?,
        };
        if kinds.is_empty() {
            kinds.push((Type::signed(64), Vec::new()));
        }
        Ok(Spot {
            address,
            kinds,
            step: 1 << zeros.min(3),
            span,
        })
    }

    /// The size of an operand there when the instruction does not say it.
    pub(super) fn natural_size(&self, expression: &Expression, memory: &Memory) -> Option<u32> {
        let objects = self.reach.objects(self.index, expression, memory);
        let first = memory.objects[*objects.first()?].ty.bits;
        let same = |object: &ObjectId| memory.objects[*object].ty.bits == first;
        objects.iter().all(same).then_some(first)
    }

    /// `symbol + base + index * scale + displacement`
    pub(super) fn address(
        &mut self,
        m: &Expression,
        memory: &mut Memory,
    ) -> Result<Operand, Error> {
        let mut known = m.displacement;
        if let Some(symbol) = &m.symbol {
            let object = memory.object(symbol)?;
            known = known.wrapping_add(memory.start(object));
        }
        // `x(%rip)` is x.
        let base = m.base.filter(|base| base.reg != Reg::Rip);
        let mut sum = Operand::Const(known);
        if let Some(index) = m.index {
            let index = self.registers.read(index, &mut self.code);
            let scale = Operand::Const(Value::from(m.scale.max(1)));
            let scaled = match m.scale {
                0 | 1 => index,
                _ => self.code.op(Op::Mul, index, scale, None),
            };
            sum = self.add(sum, scaled);
        }
        if let Some(base) = base {
            let base = self.registers.read(base, &mut self.code);
            sum = self.add(base, sum);
        }
        // Addresses have the size of the registers in them.
        let short = |register: &Register| register.view == View::Long;
        Ok(if !self.wide {
            match sum {
                Operand::Reg(reg) if self.registers.holds_word(reg) => sum,
                _ => self.code.op(Op::Sext, sum, width(32), None),
            }
        } else if base.iter().chain(&m.index).any(short) {
            self.code.op(Op::Zext, sum, width(32), None)
        } else {
            sum
        })
    }

    fn add(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (ZERO, other) | (other, ZERO) => other,
            _ => self.code.op(Op::Add, a, b, None),
        }
    }

    /// What is there, sign-extended from the size of the access; `into` may receive it.
    pub(super) fn load(
        &mut self,
        spot: &Spot,
        size: u32,
        into: Option<RegId>,
        memory: &Memory,
    ) -> Result<Operand, Error> {
        self.by_kind(spot, memory, |column, kind| {
            let fit = column.fit(spot, kind, size, false, memory)?;
            Ok(column.load_fit(&fit, size, into, memory))
        })
    }

    /// Writes a sign-extended value.
    pub(super) fn store(
        &mut self,
        spot: &Spot,
        value: Operand,
        size: u32,
        memory: &Memory,
    ) -> Result<(), Error> {
        self.by_kind(spot, memory, |column, kind| {
            let fit = column.fit(spot, kind, size, true, memory)?;
            if fit.whole(size) {
                let value = column.held(value, fit.ty);
                let addr = memory.place(fit.first);
                column.code.emit(Instr::Store { addr, value });
            } else {
                column.store_parts(&fit, value, size, false, memory);
            }
            Ok(ZERO)
        })?;
        Ok(())
    }

    /// An atomic update with a full fence; gives the old value.
    pub(super) fn atomic(
        &mut self,
        spot: &Spot,
        op: RmwOp,
        value: Operand,
        expected: Operand,
        size: u32,
        memory: &Memory,
    ) -> Result<Operand, Error> {
        self.by_kind(spot, memory, |column, kind| {
            let fit = column.fit(spot, kind, size, true, memory)?;
            if !fit.whole(size) {
                // Nobody else writes it, so what is loaded is still there.
                let old = column.load_fit(&fit, size, None, memory);
                let new = column.updated(op, old, value, expected, size);
                column.store_parts(&fit, new, size, true, memory);
                return Ok(old);
            }
            let wrapped = |op| RmwOp::Wrapped {
                op,
                bits: size as u8,
                signed: fit.ty.signed,
            };
            let op = match op {
                _ if size == 64 => op,
                RmwOp::Add => wrapped(WrappedOp::Add),
                RmwOp::Sub => wrapped(WrappedOp::Sub),
                RmwOp::SubFrom => wrapped(WrappedOp::SubFrom),
                other => other,
            };
            let value = column.held(value, fit.ty);
            let expected = column.held(expected, fit.ty);
            let dst = column.code.temp();
            let addr = memory.place(fit.first);
            column.code.emit(Instr::Rmw {
                dst,
                addr,
                op,
                value,
                expected,
            });
            Ok(column.loaded(dst, fit.ty, None))
        })
    }

    /// Does it for the type of what the address leads to when the thread comes here.
    fn by_kind(
        &mut self,
        spot: &Spot,
        memory: &Memory,
        mut act: impl FnMut(&mut Self, (Type, &[ObjectId])) -> Result<Operand, Error>,
    ) -> Result<Operand, Error> {
        let Some(((ty, objects), others)) = spot.kinds.split_last() else {
            return Ok(ZERO);
        };
        if others.is_empty() {
            return act(self, (*ty, objects));
        }
        let result = self.code.temp();
        let mut ends = Vec::new();
        for (ty, objects) in others {
            let mut here = ZERO;
            for &object in objects {
                let start = Operand::Const(memory.start(object));
                let bytes = Operand::Const(memory.objects[object].bytes());
                let distance = self.code.op(Op::Sub, spot.address, start, None);
                let inside = self.code.op(Op::LtU, distance, bytes, None);
                here = self.code.op(Op::Or, here, inside, None);
            }
            let skip = self.code.jump_if_zero(here);
            let value = act(self, (*ty, objects))?;
            self.code.assign(result, value);
            ends.push(self.code.jump());
            self.code.land(skip);
        }
        let value = act(self, (*ty, objects))?;
        self.code.assign(result, value);
        for end in ends {
            self.code.land(end);
        }
        Ok(Operand::Reg(result))
    }

    /// Which locations the access reaches; an error when other threads could see that they
    /// are not accessed at once.
    fn fit(
        &mut self,
        spot: &Spot,
        (ty, objects): (Type, &[ObjectId]),
        size: u32,
        writes: bool,
        memory: &Memory,
    ) -> Result<Fit, Error> {
        let (bytes, each) = (Value::from(size / 8), ty.bytes());
        let reached = |object: ObjectId| {
            let object = &memory.objects[object];
            match spot.address {
                Operand::Const(address) => {
                    let offset = address.wrapping_sub(memory.address(object.first));
                    covered_elements(object.elements(), each, offset, bytes)
                }
                Operand::Reg(_) => object.elements(),
            }
        };
        let (reach, index) = (&self.reach, self.index);
        // A location on which another thread could see it.
        let hinders = |several: bool| {
            let mut locations = objects.iter().copied().flat_map(reached);
            locations.find(|&loc| match (several, writes) {
                (true, true) => !reach.alone(index, loc),
                (true, false) | (false, true) => !reach.only_writer(index, loc),
                (false, false) => false,
            })
        };
        let code = &mut self.code;
        let low = Operand::Const(each - 1);
        let high = Operand::Const(-each);
        let (first, offset, count) = match spot.address {
            Operand::Const(address) => {
                let offset = address.rem_euclid(each);
                let first = Operand::Const(address - offset);
                (
                    first,
                    Operand::Const(offset),
                    (offset + bytes + each - 1) / each,
                )
            }
            address if spot.step < bytes && hinders(true).is_none() => {
                let offset = code.op(Op::And, address, low, None);
                let first = code.op(Op::And, address, high, None);
                (first, offset, (each - 1 + bytes + each - 1) / each)
            }
            // Any other address leads nowhere.
            address if bytes >= each => (address, ZERO, bytes / each),
            address => {
                let offset = code.op(Op::And, address, low, None);
                let mut first = code.op(Op::And, address, high, None);
                if bytes > 1 {
                    let last = Operand::Const(each - bytes);
                    let beyond = code.op(Op::Gt, offset, last, None);
                    first = code.op(Op::Or, first, beyond, None);
                }
                (first, offset, 1)
            }
        };
        let whole = count == 1 && bytes == each;
        if let Some(loc) = (!whole).then(|| hinders(count > 1)).flatten() {
            return Err(Error::new(
                ErrorKind::MixedSizes {
                    name: SmolStr::new(&memory.locations[usize::from(loc)].name),
                    size: each as u64,
                    access: bytes as u64,
                    store: writes,
                },
                spot.span,
            ));
        }
        let offset = code.op(Op::Mul, offset, Operand::Const(8), None);
        Ok(Fit {
            first,
            offset,
            count,
            ty,
        })
    }

    fn load_fit(&mut self, fit: &Fit, size: u32, into: Option<RegId>, memory: &Memory) -> Operand {
        if fit.whole(size) {
            let dst = into.unwrap_or_else(|| self.code.temp());
            let addr = memory.place(fit.first);
            self.code.emit(Instr::Load { dst, addr });
            return self.loaded(dst, fit.ty, into);
        }
        let bits = width(fit.ty.bits);
        let all = self.code.temp();
        for n in 0..fit.count {
            let skip = self.unless_reached(fit, n, size);
            let dst = self.code.temp();
            let addr = memory.place(self.nth(fit, n));
            self.code.emit(Instr::Load { dst, addr });
            let bare = self.code.op(Op::Zext, Operand::Reg(dst), bits, None);
            if n == 0 {
                self.code.op(Op::ShrU, bare, fit.offset, Some(all));
            } else {
                let distance = self.distance(fit, n);
                let part = self.code.op(Op::Shl, bare, distance, None);
                self.code.op(Op::Or, Operand::Reg(all), part, Some(all));
            }
            if let Some(skip) = skip {
                self.code.land(skip);
            }
        }
        self.code.op(Op::Sext, Operand::Reg(all), width(size), into)
    }

    /// Stores each location that is reached with its part changed. The first comes last: it
    /// is always reached, so that it can be the fence of an atomic instruction.
    fn store_parts(&mut self, fit: &Fit, value: Operand, size: u32, atomic: bool, memory: &Memory) {
        let bits = width(fit.ty.bits);
        let bare = self.code.op(Op::Zext, value, width(size), None);
        let ones = self
            .code
            .op(Op::Zext, Operand::Const(-1), width(size), None);
        let all = self.code.op(Op::Zext, Operand::Const(-1), bits, None);
        for n in (0..fit.count).rev() {
            let skip = self.unless_reached(fit, n, size);
            let (op, distance) = match n {
                0 => (Op::Shl, fit.offset),
                _ => (Op::ShrU, self.distance(fit, n)),
            };
            let code = &mut self.code;
            let mask = code.op(op, ones, distance, None);
            let mask = code.op(Op::Zext, mask, bits, None);
            let part = code.op(op, bare, distance, None);
            let mut new = code.op(Op::Zext, part, bits, None);
            let addr = memory.place(self.nth(fit, n));
            let code = &mut self.code;
            if mask != all {
                let old = code.temp();
                code.emit(Instr::Load { dst: old, addr });
                let kept = code.op(Op::Com, mask, ZERO, None);
                let rest = code.op(Op::And, Operand::Reg(old), kept, None);
                new = code.op(Op::Or, rest, new, None);
            }
            let extend = if fit.ty.signed { Op::Sext } else { Op::Zext };
            let value = code.op(extend, new, bits, None);
            if atomic && n == 0 {
                let dst = code.temp();
                code.emit(Instr::Rmw {
                    dst,
                    addr,
                    op: RmwOp::Xchg,
                    value,
                    expected: ZERO,
                });
            } else {
                code.emit(Instr::Store { addr, value });
            }
            if let Some(skip) = skip {
                code.land(skip);
            }
        }
    }

    /// The address of the n-th location.
    fn nth(&mut self, fit: &Fit, n: Value) -> Operand {
        let distance = Operand::Const(n * fit.ty.bytes());
        self.add(fit.first, distance)
    }

    /// How many bits after the access's start the n-th location starts.
    fn distance(&mut self, fit: &Fit, n: Value) -> Operand {
        let start = Operand::Const(n * Value::from(fit.ty.bits));
        self.code.op(Op::Sub, start, fit.offset, None)
    }

    /// Jumps when the access does not reach the n-th location.
    fn unless_reached(&mut self, fit: &Fit, n: Value, size: u32) -> Option<Pc> {
        if n == 0 {
            return None;
        }
        let distance = self.distance(fit, n);
        match self.code.op(Op::Lt, distance, width(size), None) {
            Operand::Const(_) => None, // `count` knows it.
            reached => Some(self.code.jump_if_zero(reached)),
        }
    }

    /// What an atomic instruction makes of the old value.
    fn updated(
        &mut self,
        op: RmwOp,
        old: Operand,
        value: Operand,
        expected: Operand,
        size: u32,
    ) -> Operand {
        let code = &mut self.code;
        let new = match op {
            RmwOp::Add => code.op(Op::Add, old, value, None),
            RmwOp::Sub => code.op(Op::Sub, old, value, None),
            RmwOp::SubFrom => code.op(Op::Sub, value, old, None),
            RmwOp::And => code.op(Op::And, old, value, None),
            RmwOp::Or => code.op(Op::Or, old, value, None),
            RmwOp::Xor => code.op(Op::Xor, old, value, None),
            RmwOp::Cas => choose(code, old, expected, value),
            RmwOp::Xchg | RmwOp::Wrapped { .. } => value,
            _ => unreachable!("x86 has no such instruction"),
        };
        code.op(Op::Sext, new, width(size), None)
    }

    /// A sign-extended value as a location of the type and of that size holds it.
    fn held(&mut self, value: Operand, ty: Type) -> Operand {
        match ty.signed {
            true => value,
            false => self.code.op(Op::Zext, value, width(ty.bits), None),
        }
    }

    /// What was read of a location of the type, sign-extended.
    fn loaded(&mut self, dst: RegId, ty: Type, into: Option<RegId>) -> Operand {
        match exact(ty) {
            true => Operand::Reg(dst),
            false => self
                .code
                .op(Op::Sext, Operand::Reg(dst), width(ty.bits), into),
        }
    }
}

/// `new` when `old` is what was expected, else `old`.
pub fn choose(code: &mut Code, old: Operand, expected: Operand, new: Operand) -> Operand {
    let chosen = code.temp();
    code.assign(chosen, old);
    let equal = code.op(Op::Eq, old, expected, None);
    let differs = code.jump_if_zero(equal);
    code.assign(chosen, new);
    code.land(differs);
    Operand::Reg(chosen)
}

pub fn width(size: u32) -> Operand {
    Operand::Const(Value::from(size))
}

/// Whether memory holds such a value as instructions want it, sign-extended.
fn exact(ty: Type) -> bool {
    ty.bits == 64 || ty.signed
}
