//! The vocabulary: every word of a dialect is one row, with all that anyone needs to know of it.
//!
//! Lexer, parser, formatter, name resolution and lowering take from a row what they need, and
//! so do completion, signature help, hovers, semantic tokens and the editors' word lists. What
//! all dialects have (conditions, models, verdicts) stands here; [`native`], [`x86`] and [`c`]
//! have the rest.

/// A table of reserved words, and the function that knows what each is to the parser.
macro_rules! words {
    ($table:ident, $find:ident, $($text:literal: $kind:expr, $token:expr, $arguments:expr, $meaning:literal;)*) => {
        pub static $table: &[Word] = &[$(Word {
            text: $text,
            kind: $kind,
            arguments: $arguments,
            meaning: $meaning,
            token: Some($token),
        }),*];

        pub(crate) fn $find(word: &str) -> Option<TokenKind> {
            Some(match word {
                $($text => $token,)*
                _ => return None,
            })
        }
    };
}

pub mod c;
pub mod native;
pub mod x86;

use crate::symbols::Access;
use crate::token::TokenKind;
use c::{Action, Family, MemoryOrder};
use native::AtomicOp;
use x86::{Form, Op};

/// A word and what it is, takes, accesses and means.
#[derive(Debug)]
pub struct Word {
    /// Mnemonics are in lower case, and taken in either.
    pub text: &'static str,
    pub kind: Kind,
    /// What a call or an instruction is given, destination first.
    pub arguments: &'static [Argument],
    /// In a sentence or two. Empty: another spelling of a word that has a meaning.
    pub meaning: &'static str,
    /// What it is to the parser; none when it can be a name too.
    pub(crate) token: Option<TokenKind>,
}

/// What sort of word it is: where it fits, and how it is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `shared`
    Declaration,
    /// `thread`
    Thread,
    /// Begins a statement: `while`
    Control,
    /// Goes on with one: `else`
    Clause,
    Fence,
    /// A statement with arguments: `lock(m);`
    Call,
    Atomic(AtomicOp),
    /// `exists`
    Condition,
    /// `expect`
    Expect,
    /// `true`
    Boolean,
    /// `TSO`
    Model,
    /// `never`
    Verdict,
    /// `int`
    Type,
    /// x86's prefix.
    Lock,
    Instruction(Op, Form),
    /// C: what is called.
    Primitive(Family, Action),
    /// `memory_order_relaxed`
    Order(MemoryOrder),
}

/// What a call or an instruction is given.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    pub name: &'static str,
    /// What is offered in its place until something better is typed.
    pub sample: &'static str,
    pub access: Access,
    pub role: Role,
}

/// How C passes an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Value,
    /// The location itself: `*x`.
    Object,
    /// Its address: `x`.
    Address,
    /// `memory_order_release`
    Order,
}

impl Argument {
    pub(crate) const fn new(name: &'static str, sample: &'static str, access: Access) -> Argument {
        Argument {
            name,
            sample,
            access,
            role: Role::Value,
        }
    }

    const fn role(self, role: Role) -> Argument {
        Argument { role, ..self }
    }
}

impl Word {
    /// Whether it cannot be a name.
    pub const fn is_reserved(&self) -> bool {
        self.token.is_some()
    }

    /// What it says of itself, whatever its spelling.
    pub fn said(&self) -> &'static str {
        match self.kind {
            Kind::Instruction(op, _) => x86::meaning(op),
            _ => self.meaning,
        }
    }

    /// Whether its arguments stand in parentheses.
    pub const fn is_call(&self) -> bool {
        matches!(
            self.kind,
            Kind::Call | Kind::Atomic(_) | Kind::Primitive(..)
        )
    }

    /// What a call's value is, when it has one.
    pub const fn gives(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Atomic(_) => Some("old value"),
            Kind::Primitive(_, action) => action.gives(),
            _ => None,
        }
    }

    /// Whether it is what it is only in its place, and else perhaps a name.
    pub const fn by_place(&self) -> bool {
        matches!(
            self.kind,
            Kind::Instruction(..) | Kind::Lock | Kind::Primitive(..) | Kind::Order(_)
        )
    }

    /// What people look for: `mfence`, in either dialect.
    pub const fn is_fence(&self) -> bool {
        matches!(
            self.kind,
            Kind::Fence
                | Kind::Instruction(Op::Mfence | Op::Sfence | Op::Lfence, _)
                | Kind::Primitive(_, Action::Fence(_) | Action::OrderedFence)
        )
    }
}

const fn plain(text: &'static str, kind: Kind, meaning: &'static str) -> Word {
    Word {
        text,
        kind,
        arguments: &[],
        meaning,
        token: None,
    }
}

// Of the conditions of every dialect.
words! {
    CONDITIONS, condition_token,
    "exists": Kind::Condition, TokenKind::Exists, &[],
        "Is there an execution that ends so? With `~`: is there none?";
    "forall": Kind::Condition, TokenKind::Forall, &[], "Do all executions end so?";
    "filter": Kind::Condition, TokenKind::Filter, &[], "Drops outcomes before conditions are judged.";
    "locations": Kind::Condition, TokenKind::Locations, &[], "Adds what the outcome list shows.";
    "true": Kind::Boolean, TokenKind::True, &[], "Holds in every outcome.";
    "false": Kind::Boolean, TokenKind::False, &[], "Holds in no outcome.";
}

// Of the conditions of herd's dialects alone.
words! {
    HERD, herd_token,
    "not": Kind::Condition, TokenKind::Not, &[],
        "herd: as `~`; `not exists` asks whether there is no such execution.";
    "final": Kind::Condition, TokenKind::Final, &[],
        "herd: a condition, read as `exists`; `with` tells what each model is expected to do.";
    "with": Kind::Condition, TokenKind::With, &[],
        "herd: behind `final`, what is expected under each model: `tso: ~exists;`";
}

/// What expectations are made of, in every dialect.
pub static EXPECTATIONS: &[Word] = &[
    plain(
        "SC",
        Kind::Model,
        "Sequential consistency: a store is in memory at once. Every execution is an interleaving of the threads.",
    ),
    plain(
        "TSO",
        Kind::Model,
        "Total store order (x86): stores wait in one FIFO buffer a thread; a load sees the thread's own newest buffered store, else memory. A load can overtake earlier stores to other locations.",
    ),
    plain(
        "PSO",
        Kind::Model,
        "Partial store order: stores wait in one FIFO buffer a thread and location. Besides what TSO allows, stores to different locations can reach memory in another order.",
    ),
    plain("never", Kind::Verdict, "In no complete execution."),
    plain(
        "sometimes",
        Kind::Verdict,
        "In some complete executions, not in all.",
    ),
    plain("always", Kind::Verdict, "In every complete execution."),
];

/// The types that herd's init sections mostly have; others are read as well.
pub static TYPES: &[Word] = &[
    plain("int", Kind::Type, "A signed number of 32 bits."),
    plain("int32_t", Kind::Type, ""),
    plain("int64_t", Kind::Type, "A signed number of 64 bits."),
    plain("uint32_t", Kind::Type, ""),
    plain("uint64_t", Kind::Type, "An unsigned number of 64 bits."),
];
