//! Which objects each memory operand can reach, and which threads touch which locations.
//!
//! An address comes into a thread by its name and then moves from register to register and
//! through memory: what a register may hold is the same at every place of its thread. A
//! number that was not made from an object's address is the address of none.

use std::collections::BTreeSet;

use fencepost_grammar::Error;
use fencepost_grammar::ast::herd::{
    Herd, InitTarget, InitValue, Instruction, Memory as Expression, Op, Operand, OperandKind, Reg,
};
use fencepost_grammar::ast::register::register_by_name;
use fencepost_grammar::ast::{ThreadRef, ThreadRefKind};
use rustc_hash::FxHashSet;

use super::memory::{Memory, ObjectId};
use super::registers::bits;
use crate::program::{LocId, Value};

/// What may hold an address: the registers of each thread, and all memory together.
type Holder = usize;

const REGISTERS: usize = Reg::Ss as usize + 1;

pub struct Reach {
    /// By holder: the objects whose addresses it may hold, or numbers made from them.
    held: Vec<BTreeSet<ObjectId>>,
    /// By location: the threads that may touch it and those that may write it, a bit each.
    touched: Vec<u64>,
    written: Vec<u64>,
}

impl Reach {
    /// Also declares all that instructions name, and widens what has no type.
    pub fn new(herd: &Herd, memory: &mut Memory) -> Result<Self, Error> {
        let threads = herd.threads.len();
        let mut reach = Reach {
            held: vec![BTreeSet::new(); threads * REGISTERS + 1],
            touched: Vec::new(),
            written: Vec::new(),
        };
        reach.initial(herd, memory)?;
        reach.propagate(herd, memory)?;
        let mut accesses = Vec::new();
        for t in 0..threads {
            for i in instructions(herd, t) {
                for (n, operand) in i.operands.iter().enumerate() {
                    let (reads, writes) = uses(i.op, n);
                    if let OperandKind::Memory(expression) = &operand.kind
                        && (reads || writes)
                    {
                        accesses.push((t, i, expression, writes));
                    }
                }
            }
        }
        for &(t, i, expression, _) in &accesses {
            if access_bits(i) == Some(64) {
                for object in reach.objects(t, expression, memory) {
                    memory.widen(object);
                }
            }
        }
        reach.touched = vec![0; memory.locations.len()];
        reach.written = vec![0; memory.locations.len()];
        let mut marked = FxHashSet::default();
        for (t, i, expression, writes) in accesses {
            for object in reach.objects(t, expression, memory) {
                let elements = match fixed(expression) {
                    true => covered(object, expression, access_bits(i), memory),
                    false if marked.insert((t, object, writes)) => {
                        memory.objects[object].elements()
                    }
                    false => continue,
                };
                for loc in elements {
                    reach.touched[usize::from(loc)] |= 1 << t;
                    reach.written[usize::from(loc)] |= u64::from(writes) << t;
                }
            }
        }
        Ok(reach)
    }

    /// The objects that a memory operand of a thread can reach.
    pub fn objects(&self, t: usize, expression: &Expression, memory: &Memory) -> Vec<ObjectId> {
        let mut found = BTreeSet::new();
        found.extend(expression.symbol.iter().filter_map(|s| memory.known(s)));
        for register in expression.base.iter().chain(&expression.index) {
            found.extend(&self.held[holder(t, register.reg)]);
        }
        found.into_iter().collect()
    }

    /// Whether no other thread touches the location.
    pub fn alone(&self, t: usize, loc: LocId) -> bool {
        self.touched[usize::from(loc)] & !(1 << t) == 0
    }

    /// Whether no other thread writes the location.
    pub fn only_writer(&self, t: usize, loc: LocId) -> bool {
        self.written[usize::from(loc)] & !(1 << t) == 0
    }

    fn initial(&mut self, herd: &Herd, memory: &mut Memory) -> Result<(), Error> {
        for entry in &herd.init {
            let holder = match &entry.target {
                InitTarget::Location { .. } => Some(self.held.len() - 1),
                InitTarget::Register { thread, register } => register_by_name(&register.name)
                    .zip(column(herd, thread))
                    .map(|((reg, _), t)| holder(t, reg)),
            };
            let values = match &entry.value {
                Some(InitValue::List { items, .. }) => items.as_slice(),
                Some(value) => std::slice::from_ref(value),
                None => &[],
            };
            for value in values {
                if let (InitValue::Address { name, .. }, Some(holder)) = (value, holder) {
                    let object = memory.object(name)?;
                    self.held[holder].insert(object);
                }
            }
        }
        Ok(())
    }

    /// Lets addresses move along the instructions until nothing new arrives.
    fn propagate(&mut self, herd: &Herd, memory: &mut Memory) -> Result<(), Error> {
        let shared = self.held.len() - 1;
        let mut moves: FxHashSet<(Holder, Holder)> = FxHashSet::default();
        for t in 0..herd.threads.len() {
            let place = |operand: &Operand| match &operand.kind {
                OperandKind::Register(register) => Some(holder(t, register.reg)),
                OperandKind::Memory(_) => Some(shared),
                _ => None,
            };
            for i in instructions(herd, t) {
                let mut flow = |from: Option<Holder>, to: Option<Holder>| {
                    moves.extend(from.zip(to).filter(|(from, to)| from != to));
                };
                let target = i.operands.first().and_then(place);
                for operand in &i.operands {
                    let name = match &operand.kind {
                        OperandKind::Memory(expression) => &expression.symbol,
                        OperandKind::Address(name) => &Some(name.clone()),
                        _ => &None,
                    };
                    let Some(name) = name else { continue };
                    let object = memory.object(name)?;
                    let address =
                        i.op == Op::Lea || matches!(operand.kind, OperandKind::Address(_));
                    if let (true, Some(target)) = (address, target) {
                        self.held[target].insert(object);
                    }
                }
                let source = i.operands.get(1);
                match (i.op, source.map(|source| &source.kind)) {
                    (Op::Lea, Some(OperandKind::Memory(expression))) => {
                        for register in expression.base.iter().chain(&expression.index) {
                            flow(Some(holder(t, register.reg)), target);
                        }
                    }
                    (Op::Cmp | Op::Test | Op::Nop, _) => {}
                    _ => flow(source.and_then(place), target),
                }
                match i.op {
                    Op::Xchg | Op::Xadd => flow(target, source.and_then(place)),
                    Op::Cmpxchg => flow(target, Some(holder(t, Reg::Rax))),
                    _ => {}
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &(from, to) in &moves {
                let new: Vec<_> = self.held[from]
                    .difference(&self.held[to])
                    .copied()
                    .collect();
                changed |= !new.is_empty();
                self.held[to].extend(new);
            }
        }
        Ok(())
    }
}

/// The column of a thread that the init section names.
fn column(herd: &Herd, thread: &ThreadRef) -> Option<usize> {
    let ThreadRefKind::Number(number) = thread.kind else {
        return None;
    };
    herd.threads.iter().position(|t| t.number == number)
}

fn holder(t: usize, reg: Reg) -> Holder {
    t * REGISTERS + reg as usize
}

fn instructions(herd: &Herd, t: usize) -> impl Iterator<Item = &Instruction> {
    herd.column(t)
        .filter_map(|cell| cell.instruction.as_deref())
}

/// Whether an instruction reads and writes its n-th operand.
fn uses(op: Op, n: usize) -> (bool, bool) {
    match op {
        Op::Lea | Op::Nop | Op::Jmp | Op::J(_) | Op::Ret => (false, false),
        Op::Cmp | Op::Test => (true, false),
        Op::Mov | Op::Movzx | Op::Movsx => (n == 1, n == 0),
        Op::Xchg => (true, true),
        _ => (true, n == 0),
    }
}

/// The size of a memory operand in bits, where the instruction says it.
fn access_bits(i: &Instruction) -> Option<u32> {
    match i.op {
        Op::Movzx | Op::Movsx => i.source_width.map(|width| width.bits()),
        _ => written_bits(i),
    }
}

/// The size of the operands in bits, from the suffix or a register.
pub fn written_bits(i: &Instruction) -> Option<u32> {
    if let Some(width) = i.width {
        return Some(width.bits());
    }
    // The count of a shift says nothing about what is shifted.
    let sized = if i.op.counts() { 1 } else { i.operands.len() };
    i.operands
        .iter()
        .take(sized)
        .find_map(|operand| match &operand.kind {
            OperandKind::Register(register) => Some(bits(register.view)),
            _ => None,
        })
}

/// Whether the address does not depend on the run.
fn fixed(expression: &Expression) -> bool {
    expression.index.is_none() && expression.base.is_none_or(|base| base.reg == Reg::Rip)
}

/// The elements of the object that an access at a fixed address covers.
fn covered(
    object: ObjectId,
    expression: &Expression,
    bits: Option<u32>,
    memory: &Memory,
) -> std::ops::Range<LocId> {
    let object = &memory.objects[object];
    let bytes = bits.map_or(object.ty.bytes(), |bits| Value::from(bits / 8));
    covered_elements(
        object.elements(),
        object.ty.bytes(),
        expression.displacement,
        bytes,
    )
}

/// The elements, each of `size` bytes, that `bytes` bytes from `offset` on lie in.
pub fn covered_elements(
    elements: std::ops::Range<LocId>,
    size: Value,
    offset: Value,
    bytes: Value,
) -> std::ops::Range<LocId> {
    let length = Value::from(elements.end - elements.start);
    let first = offset.div_euclid(size).clamp(0, length);
    let end = offset
        .saturating_add(bytes - 1)
        .div_euclid(size)
        .saturating_add(1);
    let end = end.clamp(first, length);
    elements.start + first as LocId..elements.start + end as LocId
}
