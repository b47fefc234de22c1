//! x86 registers: a 64-bit (or 32-bit) word each, and the parts of it that have names.
//!
//! Within instructions a value of `n` bits is kept sign-extended to 64: equality and both
//! orders of such numbers are those of the `n`-bit ones.

use fencepost_grammar::Span;
use fencepost_grammar::ast::herd::{Reg, Register, View};
use fencepost_grammar::ast::register::{register_by_name, register_name};
use fencepost_grammar::ast::{Ident, SmolStr};
use rustc_hash::FxHashMap;

use super::memory::Type;
use crate::lower::UNRESOLVED;
use crate::lower::code::Code;
use crate::program::{Op, Operand, RegId, Value};

pub struct Registers {
    wide: bool,
    words: FxHashMap<Reg, RegId>,
    /// What the init section sets although x86 has no such register.
    unknown: FxHashMap<SmolStr, RegId>,
    /// Parts of registers that conditions name: computed when the thread ends.
    observed: Vec<(Register, RegId)>,
}

impl Registers {
    pub fn new(wide: bool) -> Self {
        Registers {
            wide,
            words: FxHashMap::default(),
            unknown: FxHashMap::default(),
            observed: Vec::new(),
        }
    }

    /// The part of a register that is all of it here.
    fn whole(&self) -> View {
        if self.wide { View::Quad } else { View::Long }
    }

    pub fn is_whole(&self, register: Register) -> bool {
        register.view == self.whole() || segment(register.reg)
    }

    /// The register that holds the word.
    pub fn word(&mut self, reg: Reg, code: &mut Code) -> RegId {
        let name = self.name(reg, self.whole());
        *self
            .words
            .entry(reg)
            .or_insert_with(|| code.register(Some(name), 0))
    }

    /// Whether it is the word of a register rather than an intermediate result.
    pub fn holds_word(&self, reg: RegId) -> bool {
        self.words.values().any(|word| *word == reg)
    }

    /// As herd spells it in this dialect.
    fn name(&self, reg: Reg, view: View) -> String {
        let view = if segment(reg) { View::Word } else { view };
        let name = register_name(reg, view).unwrap_or_default();
        if self.wide {
            name.to_owned()
        } else {
            name.to_ascii_uppercase()
        }
    }

    pub fn initialize(&mut self, name: &SmolStr, value: Value, code: &mut Code) {
        match register_by_name(name) {
            Some((reg, view)) => {
                let word = self.word(reg, code);
                let register = Register {
                    reg,
                    view,
                    span: Span::default(),
                };
                let value = match part_of(view) {
                    _ if self.is_whole(register) => value,
                    Some((mask, shift)) => (code.initial(word) & !mask) | (value << shift & mask),
                    None => value & 0xffff_ffff,
                };
                let value = if self.wide { value } else { LONG.wrap(value) };
                code.set_initial(word, value);
            }
            None => {
                let reg = code.register(Some(name.to_string()), value);
                self.unknown.insert(name.clone(), reg);
            }
        }
    }

    /// The value of a part, sign-extended.
    pub fn read(&mut self, register: Register, code: &mut Code) -> Operand {
        let word = Operand::Reg(self.word(register.reg, code));
        if self.is_whole(register) {
            return word;
        }
        let word = match register.view {
            View::High => code.op(Op::ShrU, word, Operand::Const(8), None),
            _ => word,
        };
        let bits = Operand::Const(Value::from(bits(register.view)));
        code.op(Op::Sext, word, bits, None)
    }

    /// Writes a sign-extended value to a part: 32-bit writes clear what is above them.
    pub fn write(&mut self, register: Register, value: Operand, code: &mut Code) {
        let word = self.word(register.reg, code);
        if self.is_whole(register) {
            if value != Operand::Reg(word) {
                code.assign(word, value);
            }
            return;
        }
        let width = Operand::Const(Value::from(bits(register.view)));
        let Some((mask, shift)) = part_of(register.view) else {
            code.op(Op::Zext, value, width, Some(word));
            return;
        };
        let part = code.op(Op::Zext, value, width, None);
        let part = code.op(Op::Shl, part, Operand::Const(shift), None);
        let rest = code.op(Op::And, Operand::Reg(word), Operand::Const(!mask), None);
        code.op(Op::Or, rest, part, Some(word));
    }

    /// The register whose final value a condition means, and its name in outcomes.
    pub fn observe(&mut self, name: &Ident, code: &mut Code) -> (RegId, String) {
        if let Some(&reg) = self.unknown.get(&name.name) {
            return (reg, name.name.to_string());
        }
        let (reg, view) = register_by_name(&name.name).expect(UNRESOLVED);
        let register = Register {
            reg,
            view,
            span: name.span,
        };
        let shown = self.name(reg, view);
        if self.is_whole(register) || (!self.wide && view == View::Quad) {
            return (self.word(reg, code), shown);
        }
        let known = self
            .observed
            .iter()
            .find(|(other, _)| other.reg == reg && other.view == view);
        let part = match known {
            Some((_, part)) => *part,
            None => {
                let part = code.register(Some(shown.clone()), 0);
                self.observed.push((register, part));
                part
            }
        };
        (part, shown)
    }

    /// Computes the parts that conditions name.
    pub fn finish(&mut self, code: &mut Code) {
        for (register, part) in std::mem::take(&mut self.observed) {
            let value = self.read(register, code);
            code.assign(part, value);
        }
    }

    /// How the register holds a number that a condition compares it with.
    pub fn literal(&self, reg: RegId, value: Value) -> Value {
        match self.observed.iter().find(|(_, part)| *part == reg) {
            Some((register, _)) => Type {
                bits: bits(register.view),
                signed: true,
            }
            .wrap(value),
            None if self.wide => value,
            None => LONG.wrap(value),
        }
    }
}

const LONG: Type = Type {
    bits: 32,
    signed: true,
};

/// The bits of a register that a part is, when writing it leaves the others alone.
fn part_of(view: View) -> Option<(Value, Value)> {
    match view {
        View::Quad | View::Long => None,
        View::Word => Some((0xffff, 0)),
        View::Low => Some((0xff, 0)),
        View::High => Some((0xff00, 8)),
    }
}

pub fn bits(view: View) -> u32 {
    match view {
        View::Quad => 64,
        View::Long => 32,
        View::Word => 16,
        View::Low | View::High => 8,
    }
}

fn segment(reg: Reg) -> bool {
    matches!(
        reg,
        Reg::Cs | Reg::Ds | Reg::Es | Reg::Fs | Reg::Gs | Reg::Ss
    )
}
