//! x86 instructions: mnemonics, operand order, and which operands go with what.

use crate::actions::abbreviate;
use crate::ast::herd::*;
use crate::ast::register::{register_by_name, register_names};
use crate::ast::{Ident, Int, SmolStr};
use crate::error::{Error, ErrorKind};
use crate::nearest::nearest;
use crate::span::Span;

/// What one call of the herd parser gives, by the marker before its tokens.
#[derive(Debug)]
pub(crate) enum HerdNode {
    Init(Box<InitEntry>),
    Cell(Cell),
}

/// Which spelling an operand belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Intel,
    Att,
    /// `$1`, a label.
    Either,
}

#[derive(Debug)]
pub(crate) struct Spelled {
    operand: Operand,
    style: Style,
}

pub(crate) fn spelled(kind: OperandKind, style: Style, start: u32, end: u32) -> Spelled {
    let span = Span::new(start, end);
    Spelled {
        operand: Operand { kind, span },
        style,
    }
}

pub(crate) fn register_operand(
    text: &str,
    style: Style,
    start: u32,
    end: u32,
    errors: &mut Vec<Error>,
) -> Spelled {
    let register = register(text, Span::new(start, end), errors);
    spelled(OperandKind::Register(register), style, start, end)
}

pub(crate) fn register(text: &str, span: Span, errors: &mut Vec<Error>) -> Register {
    let name = span.text(text);
    let (reg, view) = register_by_name(name).unwrap_or_else(|| {
        let bare = name.trim_start_matches('%').to_ascii_lowercase();
        let nearest = nearest(&bare, register_names()).map(|known| format!("%{known}"));
        errors.push(
            Error::new(
                ErrorKind::NoSuchRegister {
                    name: SmolStr::new(abbreviate(name)),
                },
                span,
            )
            .suggest(nearest.as_deref()),
        );
        (Reg::Rax, View::Quad)
    });
    Register { reg, view, span }
}

/// A term of Intel's `[x+RBX*8-4]`.
#[derive(Debug)]
pub(crate) enum Term {
    Symbol(Ident),
    Displacement(Int),
    Register(Register, Option<Int>),
}

/// The sum so far, and what could not be added to it.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    memory: Memory,
    problem: Option<&'static str>,
}

impl Sum {
    pub fn add(mut self, term: Term) -> Self {
        match term {
            Term::Symbol(name) if self.memory.symbol.is_none() => self.memory.symbol = Some(name),
            Term::Symbol(_) => self.problem = Some("an address has one location"),
            Term::Displacement(int) => {
                self.memory.displacement = self.memory.displacement.wrapping_add(int.value);
            }
            Term::Register(register, None) if self.memory.base.is_none() => {
                self.memory.base = Some(register);
            }
            Term::Register(register, scale) if self.memory.index.is_none() => {
                self.memory.index = Some(register);
                self.memory.scale = scale_of(scale, &mut self.problem);
            }
            Term::Register(..) => self.problem = Some("an address has two registers at most"),
        }
        self
    }

    pub fn subtract(mut self, int: Int) -> Self {
        self.memory.displacement = self.memory.displacement.wrapping_sub(int.value);
        self
    }

    pub fn finish(self, span: Span, errors: &mut Vec<Error>) -> Memory {
        report(self.problem, span, errors);
        self.memory
    }
}

fn scale_of(scale: Option<Int>, problem: &mut Option<&'static str>) -> u8 {
    match scale.map_or(1, |int| int.value) {
        // herd's files have a scale of 0, which adds the index once.
        0 | 1 => 1,
        2 => 2,
        4 => 4,
        8 => 8,
        _ => {
            *problem = Some("a scale is 1, 2, 4 or 8");
            1
        }
    }
}

fn report(problem: Option<&'static str>, span: Span, errors: &mut Vec<Error>) {
    if let Some(problem) = problem {
        let instruction = SmolStr::new_static("address");
        errors.push(Error::new(
            ErrorKind::BadOperand {
                instruction,
                problem,
            },
            span,
        ));
    }
}

pub(crate) type Displacement = (Option<Ident>, i64);

#[derive(Debug)]
pub(crate) enum Base {
    Register(Register),
    Symbol(Ident),
}

pub(crate) fn att_memory(
    displacement: Option<Displacement>,
    base: Option<Base>,
    index: Option<Register>,
    scale: Option<Int>,
    errors: &mut Vec<Error>,
) -> Memory {
    let (symbol, displacement) = displacement.unwrap_or((None, 0));
    let mut memory = Memory {
        symbol,
        displacement,
        index,
        ..Memory::default()
    };
    let mut problem = None;
    if index.is_some() {
        memory.scale = scale_of(scale, &mut problem);
    }
    let mut place = index.map_or(Span::default(), |index| index.span);
    match base {
        Some(Base::Register(register)) => memory.base = Some(register),
        Some(Base::Symbol(name)) if memory.symbol.is_none() => memory.symbol = Some(name),
        Some(Base::Symbol(name)) => {
            place = name.span;
            problem = Some("an address has one location");
        }
        None => {}
    }
    report(problem, place, errors);
    memory
}

pub(crate) fn cell(
    labels: Vec<Ident>,
    instruction: Option<Option<Box<Instruction>>>,
    span: Span,
) -> Cell {
    Cell {
        labels,
        error: matches!(instruction, Some(None)),
        instruction: instruction.flatten(),
        span,
    }
}

/// Knows the mnemonic, sorts the operands, and checks them. `None` after an error.
pub(crate) fn build(
    lock: Option<Span>,
    mnemonic: Ident,
    operands: Vec<Spelled>,
    default_order: OperandOrder,
    span: Span,
    errors: &mut Vec<Error>,
) -> Option<Box<Instruction>> {
    let Some((op, width, source_width)) = mnemonic_by_name(&mnemonic.name) else {
        let lower = mnemonic.name.to_ascii_lowercase();
        let nearest = nearest(&lower, MNEMONICS.iter().map(|(name, _, _)| *name));
        errors.push(
            Error::new(
                ErrorKind::UnknownInstruction {
                    found: SmolStr::new(abbreviate(&mnemonic.name)),
                },
                mnemonic.span,
            )
            .suggest(nearest),
        );
        return None;
    };
    let has = |style| operands.iter().any(|operand| operand.style == style);
    let order = match (has(Style::Att), has(Style::Intel)) {
        (true, false) => OperandOrder::DestinationLast,
        (false, true) => OperandOrder::DestinationFirst,
        _ => default_order,
    };
    let mut operands: Vec<Operand> = operands
        .into_iter()
        .map(|spelled| spelled.operand)
        .collect();
    if order == OperandOrder::DestinationLast {
        operands.reverse();
    }
    let instruction = Instruction {
        lock,
        op,
        width,
        source_width,
        mnemonic: mnemonic.span,
        operands,
        order,
        span,
    };
    let problem = check(&instruction, &mnemonic.name);
    match problem {
        Some((kind, span)) => {
            errors.push(Error::new(kind, span));
            None
        }
        None => Some(Box::new(instruction)),
    }
}

fn check(instruction: &Instruction, name: &SmolStr) -> Option<(ErrorKind, Span)> {
    let operands = &instruction.operands;
    let bad = |problem, span| {
        let instruction = name.clone();
        Some((
            ErrorKind::BadOperand {
                instruction,
                problem,
            },
            span,
        ))
    };
    let (least, most, words) = arity(instruction.op);
    if !(least..=most).contains(&operands.len()) {
        return Some((
            ErrorKind::OperandCount {
                instruction: name.clone(),
                found: operands.len(),
                expected: words,
            },
            instruction.span,
        ));
    }
    let jump = matches!(instruction.op, Op::Jmp | Op::J(_));
    for (position, operand) in operands.iter().enumerate() {
        match (&operand.kind, jump) {
            (OperandKind::Label(_), true) => {}
            (_, true) => return bad("a jump goes to a label", operand.span),
            (OperandKind::Label(_), false) => {
                return bad("a location is written `[x]` or `(x)`", operand.span);
            }
            (OperandKind::Immediate(_) | OperandKind::Address(_), false)
                if position == 0 && writes_first(instruction.op) =>
            {
                return bad("a number cannot be written to", operand.span);
            }
            _ => {}
        }
    }
    let memory = |operand: &Operand| matches!(operand.kind, OperandKind::Memory(_));
    if operands.len() == 2 && operands.iter().all(memory) {
        return bad(
            "one of two operands must be a register or a number",
            instruction.span,
        );
    }
    let register = |operand: &Operand| matches!(operand.kind, OperandKind::Register(_));
    match (instruction.op, operands.as_slice()) {
        (Op::Xchg, [first, second]) if !register(first) && !register(second) => {
            return bad("one of the operands must be a register", instruction.span);
        }
        (Op::Xadd | Op::Cmpxchg, [_, source]) if !register(source) => {
            return bad("the source must be a register", source.span);
        }
        (Op::Lea, [target, source]) if !register(target) || !memory(source) => {
            return bad("loads an address into a register", instruction.span);
        }
        _ => {}
    }
    if let Some(lock) = instruction.lock {
        let lockable = matches!(
            instruction.op,
            Op::Xchg
                | Op::Xadd
                | Op::Cmpxchg
                | Op::Inc
                | Op::Dec
                | Op::Neg
                | Op::Not
                | Op::Add
                | Op::Sub
                | Op::And
                | Op::Or
                | Op::Xor
        );
        // `xchg` with its memory operand second is the same instruction.
        let destination = operands.first().is_some_and(memory);
        let swapped = instruction.op == Op::Xchg && operands.iter().any(memory);
        if !lockable || !(destination || swapped) {
            return bad("`lock` goes with an instruction that updates memory", lock);
        }
    }
    None
}

fn arity(op: Op) -> (usize, usize, &'static str) {
    match op {
        Op::Mfence | Op::Sfence | Op::Lfence => (0, 0, "no operands"),
        Op::Ret => (0, 1, "at most one operand"),
        Op::Nop => (0, 2, "at most two operands"),
        Op::Inc | Op::Dec | Op::Neg | Op::Not | Op::Jmp | Op::J(_) => (1, 1, "one operand"),
        Op::Shl | Op::Shr | Op::Sar => (1, 2, "one or two operands"),
        _ => (2, 2, "two operands"),
    }
}

fn writes_first(op: Op) -> bool {
    !matches!(op, Op::Cmp | Op::Test | Op::Nop | Op::Ret)
}

type Mnemonic = (Op, Option<Width>, Option<Width>);

/// `movl`, `MOVQ`, `xchg`, `movzbl`
pub(crate) fn mnemonic_by_name(name: &str) -> Option<Mnemonic> {
    let mut lower = [0u8; 12];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name.as_bytes());
    lower.make_ascii_lowercase();
    let exact = |word: &[u8]| {
        let key = pack(word);
        let at = KEYS.iter().position(|known| *known == key)?;
        Some(MNEMONICS[at])
    };
    if let Some((_, op, _)) = exact(lower) {
        return Some((op, None, None));
    }
    if let Some(op) = extending_move(lower) {
        return Some(op);
    }
    let (suffix, stem) = lower.split_last()?;
    let width = width_of(*suffix)?;
    match exact(stem) {
        Some((_, op, true)) => Some((op, Some(width), None)),
        _ => None,
    }
}

/// A word of up to twelve letters as one number, for quick comparison.
const fn pack(word: &[u8]) -> u128 {
    let mut key = 0;
    let mut at = 0;
    while at < word.len() {
        key = key << 8 | word[at] as u128;
        at += 1;
    }
    key
}

/// The names of [`MNEMONICS`], packed.
const KEYS: [u128; MNEMONICS.len()] = {
    let mut keys = [0; MNEMONICS.len()];
    let mut at = 0;
    while at < keys.len() {
        keys[at] = pack(MNEMONICS[at].0.as_bytes());
        at += 1;
    }
    keys
};

/// AT&T's `movzbl`, `movslq`: from the first size to the second.
fn extending_move(word: &[u8]) -> Option<Mnemonic> {
    let (op, sizes) = match word {
        [b'm', b'o', b'v', b'z', sizes @ ..] => (Op::Movzx, sizes),
        [b'm', b'o', b'v', b's', sizes @ ..] => (Op::Movsx, sizes),
        _ => return None,
    };
    let [from, to] = sizes else { return None };
    let (from, to) = (width_of(*from)?, width_of(*to)?);
    (from < to).then_some((op, Some(to), Some(from)))
}

fn width_of(suffix: u8) -> Option<Width> {
    match suffix {
        b'b' => Some(Width::Byte),
        b'w' => Some(Width::Word),
        b'l' => Some(Width::Long),
        b'q' => Some(Width::Quad),
        _ => None,
    }
}

/// The mnemonics, and whether AT&T's size suffix may follow; common ones first.
pub(crate) const MNEMONICS: [(&str, Op, bool); 70] = [
    ("mov", Op::Mov, true),
    ("mfence", Op::Mfence, false),
    ("xchg", Op::Xchg, true),
    ("movabs", Op::Mov, true),
    ("movzx", Op::Movzx, false),
    ("movsx", Op::Movsx, false),
    ("movsxd", Op::Movsx, false),
    ("lea", Op::Lea, true),
    ("xadd", Op::Xadd, true),
    ("cmpxchg", Op::Cmpxchg, true),
    ("inc", Op::Inc, true),
    ("dec", Op::Dec, true),
    ("neg", Op::Neg, true),
    ("not", Op::Not, true),
    ("add", Op::Add, true),
    ("sub", Op::Sub, true),
    ("and", Op::And, true),
    ("or", Op::Or, true),
    ("xor", Op::Xor, true),
    ("shl", Op::Shl, true),
    ("sal", Op::Shl, true),
    ("shr", Op::Shr, true),
    ("sar", Op::Sar, true),
    ("cmp", Op::Cmp, true),
    ("test", Op::Test, true),
    ("jmp", Op::Jmp, false),
    ("je", Op::J(Cond::E), false),
    ("jz", Op::J(Cond::E), false),
    ("jne", Op::J(Cond::Ne), false),
    ("jnz", Op::J(Cond::Ne), false),
    ("jl", Op::J(Cond::L), false),
    ("jnge", Op::J(Cond::L), false),
    ("jge", Op::J(Cond::Ge), false),
    ("jnl", Op::J(Cond::Ge), false),
    ("jle", Op::J(Cond::Le), false),
    ("jng", Op::J(Cond::Le), false),
    ("jg", Op::J(Cond::G), false),
    ("jnle", Op::J(Cond::G), false),
    ("jb", Op::J(Cond::B), false),
    ("jc", Op::J(Cond::B), false),
    ("jnae", Op::J(Cond::B), false),
    ("jae", Op::J(Cond::Ae), false),
    ("jnb", Op::J(Cond::Ae), false),
    ("jnc", Op::J(Cond::Ae), false),
    ("jbe", Op::J(Cond::Be), false),
    ("jna", Op::J(Cond::Be), false),
    ("ja", Op::J(Cond::A), false),
    ("jnbe", Op::J(Cond::A), false),
    ("js", Op::J(Cond::S), false),
    ("jns", Op::J(Cond::Ns), false),
    ("jo", Op::J(Cond::O), false),
    ("jno", Op::J(Cond::No), false),
    ("jp", Op::J(Cond::P), false),
    ("jpe", Op::J(Cond::P), false),
    ("jnp", Op::J(Cond::Np), false),
    ("jpo", Op::J(Cond::Np), false),
    ("ret", Op::Ret, true),
    ("nop", Op::Nop, true),
    ("pause", Op::Nop, false),
    ("endbr64", Op::Nop, false),
    ("endbr32", Op::Nop, false),
    ("sfence", Op::Sfence, false),
    ("lfence", Op::Lfence, false),
    // Hints and cache control: nothing that these models relax.
    ("prefetcht0", Op::Nop, false),
    ("prefetcht1", Op::Nop, false),
    ("prefetcht2", Op::Nop, false),
    ("prefetchnta", Op::Nop, false),
    ("prefetchw", Op::Nop, false),
    ("clflush", Op::Nop, false),
    ("clflushopt", Op::Nop, false),
];
