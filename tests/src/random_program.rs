//! Small random programs for the engines: as the checker's program and as native text.
//!
//! A [`Sketch`] is what is drawn, shrunk and printed; a seed gives the same one every time.

use std::fmt::{self, Write as _};

use fencepost_checker::program::{
    Address, Compare, Condition, FenceKind, Instr, LocId, Location, LocationKind, Loop, ObsId,
    Observable, Op, Operand, Place, Program, Prop, Quantifier, RegId, RmwOp, Term, Thread,
    ThreadId, Value,
};

use crate::random::Random;

const REGISTERS: usize = 4;
const MUTEX: LocId = 0;
/// The first location after the mutex.
const FIRST: LocId = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch {
    pub seed: u64,
    /// How many of `x`, `y`, `z` there are.
    pub locations: usize,
    pub threads: Vec<Vec<Stmt>>,
    pub observed: Vec<Place>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stmt {
    /// `x = 1;`, or with a register `x = r0 + 1;`
    Store(LocId, Option<RegId>, Value),
    Load(RegId, LocId),
    /// `r0 = v[r1 & 1];`: where it reads depends on what was read before.
    LoadAt(RegId, RegId),
    /// `v[r0] = 1;`: a failed assertion where there is no such element.
    StoreAt(RegId, Value),
    /// `while (x != 1) max 2 { }`
    Spin(LocId, Value, u32),
    Rmw(RegId, RmwOp, LocId, Value, Value),
    Fence(FenceKind),
    Lock,
    Unlock,
    /// `if (r0 == 1) { … } else { … }`
    If(RegId, Value, Vec<Stmt>, Vec<Stmt>),
    Assume(RegId, Value),
    Assert(RegId, Value),
    /// `await(x == 1);`
    Await(LocId, Value),
}

impl Sketch {
    /// Two to four threads with up to six statements, and not so many in all that the
    /// reference engine cannot finish.
    pub fn random(seed: u64) -> Sketch {
        let mut random = Random::new(seed);
        let count = 2 + random.below(3).min(random.below(3));
        let mut left = [0, 0, 12, 11, 10][count];
        Sketch::draw(seed, random, count, |random, others| {
            let most = (left - others).clamp(1, 6);
            let length = 1 + random.below(most);
            left -= length;
            length
        })
    }

    /// Two to five threads with 10 to 40 statements in all: too large for the reference engine.
    pub fn large(seed: u64) -> Sketch {
        let mut random = Random::new(seed);
        let count = 2 + random.below(4);
        let all = 10 + random.below(31).min(random.below(31));
        Sketch::draw(seed, random, count, |_, others| (all + others) / count)
    }

    /// A program of so many threads; `length` gets the number of threads that follow.
    fn draw(
        seed: u64,
        mut random: Random,
        count: usize,
        mut length: impl FnMut(&mut Random, usize) -> usize,
    ) -> Sketch {
        let locations = 1 + random.below(3);
        let style = Style {
            locks: random.one_in(3),
            waits: random.one_in(4),
            fails: random.one_in(8),
            fences: random.one_in(2),
            rmws: random.one_in(2),
            indices: random.one_in(3),
            spins: random.one_in(6),
            locations,
        };
        let threads = (0..count)
            .map(|t| {
                let length = length(&mut random, count - t - 1);
                style.block(&mut random, length, 0)
            })
            .collect();
        let mut observed = Vec::new();
        for t in 0..count as ThreadId {
            for r in 0..REGISTERS as RegId {
                if random.one_in(2) {
                    observed.push(Place::Register(t, r));
                }
            }
        }
        for loc in 0..locations as LocId {
            if random.one_in(3) {
                observed.push(Place::Memory(FIRST + loc));
            }
        }
        Sketch {
            seed,
            locations,
            threads,
            observed,
        }
    }

    pub fn program(&self) -> Program {
        let location = |name: &str, kind| Location {
            name: name.to_owned(),
            init: 0,
            kind,
            span: 0..0,
        };
        let mut locations = vec![location("m", LocationKind::Mutex)];
        locations.extend(
            (0..self.locations)
                .map(|i| location(&self.name(FIRST + i as LocId), LocationKind::Data)),
        );
        let threads = self.threads.iter().enumerate().map(|(t, block)| {
            let mut code = Vec::new();
            let mut loops = Vec::new();
            self.compile(block, &mut code, &mut loops);
            code.push(Instr::Return);
            Thread {
                name: format!("P{t}"),
                spans: (0..code.len() as u32).map(|pc| pc..pc + 1).collect(),
                code,
                // More for what a condition or an `await` computes, and for counting.
                regs: vec![0; REGISTERS + 1 + loops.len()],
                reg_names: (0..REGISTERS + 1 + loops.len())
                    .map(|r| (r < REGISTERS).then(|| format!("r{r}")))
                    .collect(),
                loops,
                span: 0..0,
            }
        });
        let observed: Vec<Observable> = self
            .observed
            .iter()
            .map(|&place| Observable {
                name: match place {
                    Place::Register(t, r) => format!("P{t}:r{r}"),
                    Place::Memory(loc) => format!("[{}]", self.name(loc)),
                },
                place,
            })
            .collect();
        // That all that is observed is 0, or not: something that is seldom the same twice.
        let zeros = (0..observed.len() as ObsId)
            .map(|left| Prop::Compare {
                left,
                op: if left % 2 == 0 {
                    Compare::Eq
                } else {
                    Compare::Ne
                },
                right: Term::Value(0),
            })
            .collect();
        Program {
            name: format!("random-{}", self.seed),
            locations,
            threads: threads.collect(),
            observed,
            conditions: vec![Condition {
                quantifier: Quantifier::Exists,
                name: None,
                prop: Prop::And(zeros),
                span: 0..0,
                expect: Vec::new(),
            }],
            ..Program::default()
        }
    }

    fn element(&self, index: RegId) -> Address {
        Address::Element {
            first: FIRST,
            len: self.locations as u16,
            index: Operand::Reg(index),
        }
    }

    /// Whether the locations are the elements of an array.
    fn indexed(&self) -> bool {
        self.threads.iter().any(|block| indexes(block))
    }

    fn name(&self, loc: LocId) -> String {
        if loc != MUTEX && self.indexed() {
            format!("v[{}]", loc - FIRST)
        } else {
            ["m", "x", "y", "z"][loc as usize].to_owned()
        }
    }

    fn compile(&self, block: &[Stmt], code: &mut Vec<Instr>, loops: &mut Vec<Loop>) {
        const TEMP: RegId = REGISTERS as RegId;
        let equal = |code: &mut Vec<Instr>, reg: RegId, value: Value| {
            code.push(Instr::Assign {
                dst: TEMP,
                op: Op::Eq,
                a: Operand::Reg(reg),
                b: Operand::Const(value),
            });
        };
        for stmt in block {
            match stmt {
                Stmt::Store(loc, None, value) => code.push(Instr::Store {
                    addr: Address::Fixed(*loc),
                    value: Operand::Const(*value),
                }),
                Stmt::Store(loc, Some(reg), value) => {
                    code.push(Instr::Assign {
                        dst: TEMP,
                        op: Op::Add,
                        a: Operand::Reg(*reg),
                        b: Operand::Const(*value),
                    });
                    code.push(Instr::Store {
                        addr: Address::Fixed(*loc),
                        value: Operand::Reg(TEMP),
                    });
                }
                Stmt::Load(dst, loc) => code.push(Instr::Load {
                    dst: *dst,
                    addr: Address::Fixed(*loc),
                }),
                Stmt::LoadAt(dst, reg) => {
                    code.push(Instr::Assign {
                        dst: TEMP,
                        op: Op::And,
                        a: Operand::Reg(*reg),
                        b: Operand::Const(1),
                    });
                    let addr = self.element(TEMP);
                    code.push(Instr::Load { dst: *dst, addr });
                }
                Stmt::StoreAt(reg, value) => code.push(Instr::Store {
                    addr: self.element(*reg),
                    value: Operand::Const(*value),
                }),
                Stmt::Spin(loc, value, bound) => {
                    let loop_id = loops.len() as u16;
                    let counter = TEMP + 1 + loop_id;
                    loops.push(Loop {
                        bound: *bound,
                        explicit: true,
                        span: 0..0,
                    });
                    let top = code.len();
                    code.push(Instr::Load {
                        dst: TEMP,
                        addr: Address::Fixed(*loc),
                    });
                    code.push(Instr::Assign {
                        dst: TEMP,
                        op: Op::Ne,
                        a: Operand::Reg(TEMP),
                        b: Operand::Const(*value),
                    });
                    code.push(Instr::JumpIfZero {
                        cond: Operand::Reg(TEMP),
                        target: top as u32 + 5,
                    });
                    code.push(Instr::Bound { counter, loop_id });
                    code.push(Instr::Jump(top as u32));
                }
                Stmt::Rmw(dst, op, loc, value, expected) => code.push(Instr::Rmw {
                    dst: *dst,
                    addr: Address::Fixed(*loc),
                    op: *op,
                    value: Operand::Const(*value),
                    expected: Operand::Const(*expected),
                }),
                Stmt::Fence(kind) => code.push(Instr::Fence(*kind)),
                Stmt::Lock => code.push(Instr::Lock(MUTEX)),
                Stmt::Unlock => code.push(Instr::Unlock(MUTEX)),
                Stmt::If(reg, value, then, otherwise) => {
                    equal(code, *reg, *value);
                    let branch = code.len();
                    code.push(Instr::Return);
                    self.compile(then, code, loops);
                    let over = code.len();
                    code.push(Instr::Return);
                    code[branch] = Instr::JumpIfZero {
                        cond: Operand::Reg(TEMP),
                        target: code.len() as u32,
                    };
                    self.compile(otherwise, code, loops);
                    code[over] = Instr::Jump(code.len() as u32);
                }
                Stmt::Assume(reg, value) => {
                    equal(code, *reg, *value);
                    code.push(Instr::Assume(Operand::Reg(TEMP)));
                }
                Stmt::Assert(reg, value) => {
                    equal(code, *reg, *value);
                    code.push(Instr::Assert(Operand::Reg(TEMP)));
                }
                Stmt::Await(loc, value) => {
                    code.push(Instr::Load {
                        dst: TEMP,
                        addr: Address::Fixed(*loc),
                    });
                    equal(code, TEMP, *value);
                    code.push(Instr::AwaitTest(Operand::Reg(TEMP)));
                }
            }
        }
    }

    /// The smallest program it can be cut down to that still fails.
    pub fn shrink(&self, fails: impl Fn(&Sketch) -> bool) -> Sketch {
        let mut best = self.clone();
        'again: loop {
            for candidate in best.smaller() {
                if fails(&candidate) {
                    best = candidate;
                    continue 'again;
                }
            }
            return best;
        }
    }

    /// Everything with one thing less.
    fn smaller(&self) -> Vec<Sketch> {
        let mut candidates = Vec::new();
        for t in 0..self.threads.len() {
            for block in smaller_blocks(&self.threads[t]) {
                let mut less = self.clone();
                less.threads[t] = block;
                candidates.push(less);
            }
        }
        for i in 0..self.observed.len() {
            let mut less = self.clone();
            less.observed.remove(i);
            candidates.push(less);
        }
        candidates
    }
}

/// What a random program is made of.
struct Style {
    locks: bool,
    waits: bool,
    fails: bool,
    fences: bool,
    rmws: bool,
    indices: bool,
    spins: bool,
    locations: usize,
}

impl Style {
    fn block(&self, random: &mut Random, length: usize, depth: usize) -> Vec<Stmt> {
        let mut block = Vec::new();
        // Most locks are released.
        if self.locks && length >= 3 && random.one_in(2) {
            block.push(Stmt::Lock);
            block.extend(self.block(random, length - 2, depth));
            if !random.one_in(6) {
                block.push(Stmt::Unlock);
            }
            return block;
        }
        while block.len() < length {
            let left = length - block.len();
            block.push(self.stmt(random, left, depth));
        }
        block
    }

    fn stmt(&self, random: &mut Random, left: usize, depth: usize) -> Stmt {
        let loc = FIRST + random.below(self.locations) as LocId;
        let reg = random.below(REGISTERS) as RegId;
        let value = random.below(3) as Value;
        match random.below(24) {
            6 | 13 if self.indices && self.locations > 1 => {
                Stmt::LoadAt(reg, random.below(REGISTERS) as RegId)
            }
            14 if self.indices => Stmt::StoreAt(reg, value.max(1)),
            15 if self.spins => Stmt::Spin(loc, value.max(1), 1 + random.below(2) as u32),
            0..7 => Stmt::Load(reg, loc),
            7..13 => {
                let from = random.one_in(4).then_some(reg);
                Stmt::Store(loc, from, value.max(1))
            }
            13..16 if self.rmws => {
                let op = [
                    RmwOp::Xchg,
                    RmwOp::Cas,
                    RmwOp::Cas,
                    RmwOp::Add,
                    RmwOp::Or,
                    RmwOp::Xor,
                    RmwOp::And,
                    RmwOp::Sub,
                    RmwOp::Max,
                    RmwOp::Min,
                ][random.below(10)];
                Stmt::Rmw(reg, op, loc, 1 + value, random.below(2) as Value)
            }
            16..19 if self.fences => Stmt::Fence(if random.one_in(2) {
                FenceKind::Full
            } else {
                FenceKind::StoreStore
            }),
            19 if self.waits => match random.below(3) {
                0 => Stmt::Assume(reg, value.min(1)),
                _ => Stmt::Await(loc, value.max(1)),
            },
            20 if self.fails => Stmt::Assert(reg, value.min(1)),
            21 if self.locks && random.one_in(4) => {
                if random.one_in(2) {
                    Stmt::Lock
                } else {
                    Stmt::Unlock
                }
            }
            22.. if depth == 0 && left >= 2 => {
                let length = 1 + random.below(2);
                let then = self.block(random, length, 1);
                let otherwise = if random.one_in(2) {
                    self.block(random, 1, 1)
                } else {
                    Vec::new()
                };
                Stmt::If(reg, value.min(1), then, otherwise)
            }
            n if n % 2 == 0 => Stmt::Load(reg, loc),
            _ => Stmt::Store(loc, None, 1 + value),
        }
    }
}

fn smaller_blocks(block: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut blocks = Vec::new();
    for i in 0..block.len() {
        let with = |middle: &[Stmt]| [&block[..i], middle, &block[i + 1..]].concat();
        blocks.push(with(&[]));
        if let Stmt::If(reg, value, then, otherwise) = &block[i] {
            blocks.push(with(then));
            blocks.push(with(otherwise));
            for less in smaller_blocks(then) {
                blocks.push(with(&[Stmt::If(*reg, *value, less, otherwise.clone())]));
            }
            for less in smaller_blocks(otherwise) {
                blocks.push(with(&[Stmt::If(*reg, *value, then.clone(), less)]));
            }
        }
    }
    blocks
}

fn indexes(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::LoadAt(..) | Stmt::StoreAt(..) => true,
        Stmt::If(_, _, then, otherwise) => indexes(then) || indexes(otherwise),
        _ => false,
    })
}

/// Native text, ready to be pasted into a file.
impl fmt::Display for Sketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "litmus random-{}\n", self.seed)?;
        if self.indexed() {
            writeln!(f, "shared v[{}];", self.locations)?;
        } else {
            writeln!(
                f,
                "shared {};",
                ["x", "y", "z"][..self.locations].join(", ")
            )?;
        }
        let mut text = String::new();
        for (t, block) in self.threads.iter().enumerate() {
            writeln!(text, "\nthread P{t} {{")?;
            // Every register that is observed has to be assigned somewhere.
            for r in 0..REGISTERS {
                if self
                    .observed
                    .contains(&Place::Register(t as ThreadId, r as RegId))
                    || reads(block, r as RegId)
                {
                    writeln!(text, "  r{r} = 0;")?;
                }
            }
            self.show(block, 1, &mut text)?;
            writeln!(text, "}}")?;
        }
        if text.contains("lock(m)") {
            writeln!(f, "mutex m;")?;
        }
        f.write_str(&text)?;
        let observed: String = self
            .observed
            .iter()
            .fold(String::new(), |mut list, &place| {
                let name = match place {
                    Place::Memory(loc) => self.name(loc),
                    Place::Register(t, r) => format!("P{t}:r{r}"),
                };
                let _ = write!(list, " {name};");
                list
            });
        if !observed.is_empty() {
            writeln!(f, "\nlocations [{}]", observed.trim())?;
        }
        Ok(())
    }
}

/// Whether the block reads the register.
fn reads(block: &[Stmt], reg: RegId) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Store(_, from, _) => *from == Some(reg),
        Stmt::If(r, _, then, otherwise) => *r == reg || reads(then, reg) || reads(otherwise, reg),
        Stmt::Assume(r, _) | Stmt::Assert(r, _) => *r == reg,
        Stmt::LoadAt(_, r) | Stmt::StoreAt(r, _) => *r == reg,
        _ => false,
    })
}

impl Sketch {
    fn show(&self, block: &[Stmt], depth: usize, text: &mut String) -> fmt::Result {
        let indent = "  ".repeat(depth);
        for stmt in block {
            text.push_str(&indent);
            match stmt {
                Stmt::Store(loc, None, value) => {
                    writeln!(text, "{} = {value};", self.name(*loc))?;
                }
                Stmt::Store(loc, Some(reg), value) => {
                    writeln!(text, "{} = r{reg} + {value};", self.name(*loc))?;
                }
                Stmt::Load(reg, loc) => writeln!(text, "r{reg} = {};", self.name(*loc))?,
                Stmt::LoadAt(reg, index) => writeln!(text, "r{reg} = v[r{index} & 1];")?,
                Stmt::StoreAt(index, value) => writeln!(text, "v[r{index}] = {value};")?,
                Stmt::Spin(loc, value, bound) => {
                    let loc = self.name(*loc);
                    writeln!(text, "while ({loc} != {value}) max {bound} {{\n{indent}}}")?;
                }
                Stmt::Rmw(reg, op, loc, value, expected) => {
                    let loc = self.name(*loc);
                    let call = match op {
                        RmwOp::Cas => format!("cas({loc}, {expected}, {value})"),
                        RmwOp::Xchg => format!("xchg({loc}, {value})"),
                        RmwOp::Add => format!("fetch_add({loc}, {value})"),
                        RmwOp::Sub => format!("fetch_sub({loc}, {value})"),
                        RmwOp::AddUnless | RmwOp::SubFrom | RmwOp::Wrapped { .. } => {
                            unreachable!("the native dialect does not have it")
                        }
                        RmwOp::And => format!("fetch_and({loc}, {value})"),
                        RmwOp::Or => format!("fetch_or({loc}, {value})"),
                        RmwOp::Xor => format!("fetch_xor({loc}, {value})"),
                        RmwOp::Max => format!("fetch_max({loc}, {value})"),
                        RmwOp::Min => format!("fetch_min({loc}, {value})"),
                    };
                    writeln!(text, "r{reg} = {call};")?;
                }
                Stmt::Fence(FenceKind::Full) => writeln!(text, "mfence;")?,
                Stmt::Fence(FenceKind::StoreStore) => writeln!(text, "sfence;")?,
                Stmt::Lock => writeln!(text, "lock(m);")?,
                Stmt::Unlock => writeln!(text, "unlock(m);")?,
                Stmt::If(reg, value, then, otherwise) => {
                    writeln!(text, "if (r{reg} == {value}) {{")?;
                    self.show(then, depth + 1, text)?;
                    if !otherwise.is_empty() {
                        writeln!(text, "{indent}}} else {{")?;
                        self.show(otherwise, depth + 1, text)?;
                    }
                    writeln!(text, "{indent}}}")?;
                }
                Stmt::Assume(reg, value) => writeln!(text, "assume(r{reg} == {value});")?,
                Stmt::Assert(reg, value) => writeln!(text, "assert(r{reg} == {value});")?,
                Stmt::Await(loc, value) => {
                    writeln!(text, "await({} == {value});", self.name(*loc))?;
                }
            }
        }
        Ok(())
    }
}
