//! x86 instructions: mnemonics, operand order, and which operands go with what.

use crate::actions::abbreviate;
use crate::ast::herd::*;
use crate::ast::register::{register_by_name, register_names};
use crate::ast::{Ident, Int, SmolStr};
use crate::error::{Error, ErrorKind};
use crate::nearest::nearest;
use crate::span::Span;
use crate::symbols::Access;
use crate::words::Kind;
use crate::words::x86::{MNEMONICS, mnemonic_by_name};

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
    let Some(known) = mnemonic_by_name(&mnemonic.name) else {
        let lower = mnemonic.name.to_ascii_lowercase();
        let nearest = nearest(&lower, MNEMONICS.iter().map(|word| word.text));
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
        op: known.op,
        word: known.word,
        width: known.width,
        source_width: known.source_width,
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
    let most = instruction.word.arguments.len();
    let (optional, lockable) = match instruction.word.kind {
        Kind::Instruction(_, form) => (form.optional, form.lockable),
        _ => (0, false),
    };
    if !(most - optional..=most).contains(&operands.len()) {
        return Some((
            ErrorKind::OperandCount {
                instruction: name.clone(),
                found: operands.len(),
                expected: match (most, optional) {
                    (0, _) => "no operands",
                    (1, 0) => "one operand",
                    (1, _) => "at most one operand",
                    (_, 0) => "two operands",
                    (_, 1) => "one or two operands",
                    _ => "at most two operands",
                },
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
                if instruction.word.arguments[position].access != Access::Read =>
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
        (Op::Movzx | Op::Movsx, [_, source]) if !register(source) && !memory(source) => {
            return bad("the source must be a register or memory", source.span);
        }
        (Op::Lea, [target, source]) if !register(target) || !memory(source) => {
            return bad("loads an address into a register", instruction.span);
        }
        _ => {}
    }
    if let Some(lock) = instruction.lock {
        // `xchg` with its memory operand second is the same instruction.
        let destination = operands.first().is_some_and(memory);
        let swapped = instruction.op == Op::Xchg && operands.iter().any(memory);
        if !lockable || !(destination || swapped) {
            return bad("`lock` goes with an instruction that updates memory", lock);
        }
    }
    None
}
