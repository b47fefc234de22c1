//! The program a checker runs: threads of small instructions over registers and locations.
//!
//! Lowering (`lower`) makes it from the syntax tree; every instruction keeps the
//! byte range it came from, so that all the checker says points back at text.

pub use crate::rmw::{RmwOp, WrappedOp};
pub use fencepost_grammar::ast::native::FenceKind;
pub use fencepost_grammar::ast::{CompareOp as Compare, Model, Quantifier};

/// Values are 64-bit signed integers that wrap.
pub type Value = i64;

/// A byte range of the source text.
pub type Span = std::ops::Range<u32>;

pub type RegId = u16;
pub type LocId = u16;
pub type ThreadId = u8;
/// An index into a thread's code.
pub type Pc = u32;
/// An index into [`Program::watched`].
pub type ObsId = usize;

#[derive(Debug, Clone, Default)]
pub struct Program {
    pub name: String,
    /// Every shared location, mutexes first (at most [`crate::thread::MAX_MUTEXES`]);
    /// the elements of an array are locations that follow each other.
    pub locations: Vec<Location>,
    pub threads: Vec<Thread>,
    /// What an outcome shows: all that a condition or a `locations` list names.
    pub observed: Vec<Observable>,
    /// What the filter alone names; its numbers follow those of `observed`.
    pub filtered: Vec<Observable>,
    pub filter: Option<Prop>,
    pub conditions: Vec<Condition>,
    pub params: Vec<Param>,
    /// The address of each location, ascending; empty when registers cannot hold addresses.
    pub addresses: Vec<Value>,
}

#[derive(Debug, Clone)]
pub struct Location {
    /// As the source spells it: `x`, `a[2]`.
    pub name: String,
    pub init: Value,
    pub kind: LocationKind,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationKind {
    Data,
    /// 0 is free, 1 is held.
    Mutex,
}

#[derive(Debug, Clone)]
pub struct Param {
    pub name: String,
    pub value: Value,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub struct Thread {
    /// As conditions spell it: `P0`, `W[1]`, herd's `0`.
    pub name: String,
    pub code: Vec<Instr>,
    /// The statement or herd cell each instruction comes from, parallel to `code`.
    pub spans: Vec<Span>,
    /// Initial values of the registers; its length is their number.
    pub regs: Vec<Value>,
    /// The source name of each register; compiler temporaries have none.
    pub reg_names: Vec<Option<String>>,
    /// The loops, indexed by [`Instr::Bound`].
    pub loops: Vec<Loop>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub struct Loop {
    pub bound: u32,
    /// Whether the source gives the bound (`max N`) or the default applies.
    pub explicit: bool,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    Const(Value),
    Reg(RegId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    Fixed(LocId),
    /// Element `index` of the array at `first`; outside it, a failed assertion.
    Element {
        first: LocId,
        len: u16,
        index: Operand,
    },
    /// The operand's value is one of [`Program::addresses`]; any other is a failed assertion.
    Pointer(Operand),
}

/// One step of a thread. Those that touch memory, fence or block are events; the rest is local.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instr {
    Load {
        dst: RegId,
        addr: Address,
    },
    Store {
        addr: Address,
        value: Operand,
    },
    /// Atomic, and a full fence. `dst` gets the old value.
    Rmw {
        dst: RegId,
        addr: Address,
        op: RmwOp,
        value: Operand,
        /// The value `Cas` compares with; unused by the others.
        expected: Operand,
    },
    /// See [`crate::model::fence`] for what each does.
    Fence(FenceKind),
    Lock(LocId),
    Unlock(LocId),

    Assign {
        dst: RegId,
        op: Op,
        a: Operand,
        b: Operand,
    },
    Jump(Pc),
    /// Jumps when the operand is zero.
    JumpIfZero {
        cond: Operand,
        target: Pc,
    },
    /// Counts one more iteration in `counter`; cuts the execution when it exceeds the loop's bound.
    Bound {
        counter: RegId,
        loop_id: u16,
    },
    Assert(Operand),
    Assume(Operand),
    /// Follows the load of an `await` and the evaluation of its condition:
    /// when it is zero the thread waits for ever (as `Assume`, but it may be a deadlock).
    AwaitTest(Operand),
    /// The thread has ended.
    Return,
}

/// Local operations; comparisons give 0 or 1; `Div` and `Rem` by zero fail an assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// `a`
    Mov,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    /// Arithmetic.
    Shr,
    /// Logical.
    ShrU,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Unsigned `a < b`.
    LtU,
    /// `a == 0`
    Not,
    /// `~a`
    Com,
    Neg,
    /// The low `b` bits of `a`, sign extended.
    Sext,
    /// The low `b` bits of `a`, zero extended.
    Zext,
}

#[derive(Debug, Clone)]
pub struct Observable {
    /// As outcomes show it: `0:EAX`, `P0:r0`, `W[1]:r`, `[x]`, `[a[2]]`.
    pub name: String,
    pub place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    Register(ThreadId, RegId),
    /// The final value in memory.
    Memory(LocId),
}

#[derive(Debug, Clone)]
pub struct Condition {
    pub quantifier: Quantifier,
    pub name: Option<String>,
    pub prop: Prop,
    /// From the quantifier to the end of the proposition.
    pub span: Span,
    pub expect: Vec<Expect>,
}

#[derive(Debug, Clone)]
pub struct Expect {
    pub model: Model,
    pub verdict: Verdict,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum Prop {
    True,
    False,
    And(Vec<Prop>),
    Or(Vec<Prop>),
    Not(Box<Prop>),
    Compare {
        left: ObsId,
        op: Compare,
        right: Term,
    },
}

#[derive(Debug, Clone, Copy)]
pub enum Term {
    Value(Value),
    Observed(ObsId),
}

/// How often a condition's proposition holds over the complete executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    Never,
    Sometimes,
    Always,
    /// The exploration is not finished and what it has seen does not settle it.
    Unknown,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Never => "never",
            Verdict::Sometimes => "sometimes",
            Verdict::Always => "always",
            Verdict::Unknown => "unknown",
        }
    }
}

impl Prop {
    /// Whether it holds of a final state (parallel to [`Program::watched`]; a condition needs
    /// what is observed alone).
    pub fn holds(&self, state: &[Value]) -> bool {
        match self {
            Prop::True => true,
            Prop::False => false,
            Prop::And(ps) => ps.iter().all(|p| p.holds(state)),
            Prop::Or(ps) => ps.iter().any(|p| p.holds(state)),
            Prop::Not(p) => !p.holds(state),
            Prop::Compare { left, op, right } => {
                let l = state[*left];
                let r = match right {
                    Term::Value(v) => *v,
                    Term::Observed(o) => state[*o],
                };
                match op {
                    Compare::Eq => l == r,
                    Compare::Ne => l != r,
                    Compare::Lt => l < r,
                    Compare::Le => l <= r,
                    Compare::Gt => l > r,
                    Compare::Ge => l >= r,
                }
            }
        }
    }
}

/// Where the addresses of locations start: far from the small numbers that tests store,
/// and such that they fit a 32-bit register.
pub const FIRST_ADDRESS: Value = 0x5ea5_0000;

impl Program {
    /// What a final state has values for: what outcomes show, then what only the filter needs.
    pub fn watched(&self) -> impl Iterator<Item = &Observable> {
        self.observed.iter().chain(&self.filtered)
    }

    /// Whether something other than its locks and unlocks can act on a mutex there.
    pub fn may_be_mutex(&self, addr: Address) -> bool {
        let is_mutex = |loc: LocId| {
            let location = self.locations.get(loc as usize);
            location.is_some_and(|location| location.kind == LocationKind::Mutex)
        };
        match addr {
            Address::Fixed(loc) => is_mutex(loc),
            // An array is of data.
            Address::Element { .. } => false,
            // Mutexes come first.
            Address::Pointer(_) => is_mutex(0),
        }
    }

    /// The location a pointer value refers to.
    pub fn location_at(&self, address: Value) -> Option<LocId> {
        let index = self.addresses.binary_search(&address).ok()?;
        Some(index as LocId)
    }

    /// A value as people read it: a number, or the name of the location it points at.
    pub fn show(&self, value: Value) -> String {
        match self.location_at(value) {
            Some(loc) => self.locations[loc as usize].name.clone(),
            None => value.to_string(),
        }
    }
}
