//! The syntax tree that both dialects share: the test, its conditions, its comments.
//!
//! Plain data: no node knows its parent, every node knows its byte range
//! (`span`), and a tree exists for every text. What could not be read is an
//! `Error` node (or is missing) and has an entry in the list of errors.
//!
//! Depth is bounded: the parser refuses deep nesting
//! ([`crate::limits::MAX_NESTING`]), so a recursive walk is safe.

pub mod c;
pub mod herd;
pub mod native;
pub mod register;

use crate::dialect::Dialect;
use crate::span::Span;
pub use c::C;
pub use herd::Herd;
pub use native::Native;
pub use smol_str::SmolStr;

/// A name as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    pub name: SmolStr,
    pub span: Span,
}

/// An integer. Decimal or hexadecimal, perhaps negative; its spelling is at `span`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int {
    pub value: i64,
    pub span: Span,
}

/// One file.
#[derive(Clone, Debug)]
pub struct Test {
    pub dialect: &'static Dialect,
    /// The first word; empty when the file is.
    pub dialect_span: Span,
    /// The name; empty (with an empty span) when there is none.
    pub name: Ident,
    /// herd: `X86 n7 (nSeven)`, without the parentheses.
    pub alias: Option<Ident>,
    /// The string after the name, without its quotes; `span` has the quotes.
    pub doc: Option<Ident>,
    /// herd: the `Key=Value` lines before the init section.
    pub metadata: Vec<Metadata>,
    pub body: Body,
    /// `filter (…)`
    pub filter: Option<Filter>,
    /// `locations […]`, all of them in order.
    pub locations: Vec<Locations>,
    pub conditions: Vec<Condition>,
    /// herd: `<<…>>` blocks for another tool and, in a C test's header, text of any kind; kept
    /// as they are.
    pub blocks: Vec<Span>,
    /// Every comment in order of place.
    pub comments: Vec<Comment>,
    /// The whole text.
    pub span: Span,
}

impl Test {
    pub fn native(&self) -> Option<&Native> {
        match &self.body {
            Body::Native(native) => Some(native),
            _ => None,
        }
    }

    pub fn herd(&self) -> Option<&Herd> {
        match &self.body {
            Body::Herd(herd) => Some(herd),
            _ => None,
        }
    }

    pub fn c(&self) -> Option<&C> {
        match &self.body {
            Body::C(c) => Some(c),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Body {
    Native(Native),
    Herd(Herd),
    C(C),
    /// The dialect is not known, so nothing was read.
    Unknown,
}

/// A `Key=Value` line of herd's header.
#[derive(Clone, Debug)]
pub struct Metadata {
    pub key: Ident,
    /// To the end of the line, without surrounding blanks; may be empty.
    pub value: Ident,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentKind {
    /// `// …`, without the line end.
    Line,
    /// `/* … */`
    Block,
    /// `(* … *)`
    Herd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    pub kind: CommentKind,
    /// With its delimiters.
    pub span: Span,
}

/// `filter (…)`
#[derive(Clone, Debug)]
pub struct Filter {
    pub keyword: Span,
    pub prop: Prop,
    pub span: Span,
}

/// `locations [x; P0:r0;]`
#[derive(Clone, Debug)]
pub struct Locations {
    pub keyword: Span,
    pub items: Vec<Observable>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    Exists,
    NotExists,
    Forall,
}

/// `exists "name" (…)` and what hangs on it.
#[derive(Clone, Debug)]
pub struct Condition {
    /// `final` is read as `exists` (and `with` says how it was spelled).
    pub quantifier: Quantifier,
    /// The quantifier's word or words, `~` included.
    pub keyword: Span,
    /// The optional name, without its quotes; `span` has the quotes.
    pub name: Option<Ident>,
    pub prop: Prop,
    /// `expect` clauses after the condition, in order; both dialects.
    pub expect: Vec<Expect>,
    /// `final (…); with tso: ~exists; …`: present exactly when the keyword was `final`.
    pub with: Option<Vec<WithEntry>>,
    /// From the quantifier to the end of the proposition.
    pub span: Span,
}

/// `tso: ~exists;` in the `with` clause of a `final` condition. Nothing is judged by it.
#[derive(Clone, Debug)]
pub struct WithEntry {
    pub model: Ident,
    pub quantifier: Quantifier,
    pub span: Span,
}

/// One pair of an `expect` clause: `TSO sometimes`.
#[derive(Clone, Debug)]
pub struct Expect {
    pub model: Model,
    pub model_span: Span,
    pub frequency: Frequency,
    pub frequency_span: Span,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Model {
    Sc,
    Tso,
    Pso,
}

impl Model {
    /// From the strongest to the weakest.
    pub const ALL: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

    pub const fn name(self) -> &'static str {
        match self {
            Model::Sc => "SC",
            Model::Tso => "TSO",
            Model::Pso => "PSO",
        }
    }
}

/// How often a proposition holds over the complete executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Frequency {
    Never,
    Sometimes,
    Always,
}

/// A proposition about a final state. Conjunctions and disjunctions are flat
/// (`a /\ b /\ c` is one node of three), so that long ones are not deep ones.
#[derive(Clone, Debug)]
pub struct Prop {
    pub kind: PropKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum PropKind {
    True,
    False,
    /// Two or more.
    And(Vec<Prop>),
    /// Two or more.
    Or(Vec<Prop>),
    Not(Box<Prop>),
    /// Parentheses as written.
    Paren(Box<Prop>),
    Compare {
        lhs: Term,
        op: CompareOp,
        rhs: Term,
    },
    /// Could not be read.
    Error,
}

impl Prop {
    /// The proposition and all within it.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Prop)) {
        visit(self);
        match &self.kind {
            PropKind::And(props) | PropKind::Or(props) => {
                props.iter().for_each(|prop| prop.each(visit));
            }
            PropKind::Not(inner) | PropKind::Paren(inner) => inner.each(visit),
            PropKind::True | PropKind::False | PropKind::Compare { .. } | PropKind::Error => {}
        }
    }

    /// The sides of its comparisons, in order of place.
    pub fn terms<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        self.each(&mut |prop| {
            if let PropKind::Compare { lhs, rhs, .. } = &prop.kind {
                visit(lhs);
                visit(rhs);
            }
        });
    }

    pub(crate) fn terms_mut(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        match &mut self.kind {
            PropKind::And(props) | PropKind::Or(props) => {
                props.iter_mut().for_each(|prop| prop.terms_mut(visit));
            }
            PropKind::Not(inner) | PropKind::Paren(inner) => inner.terms_mut(visit),
            PropKind::Compare { lhs, rhs, .. } => {
                visit(lhs);
                visit(rhs);
            }
            PropKind::True | PropKind::False | PropKind::Error => {}
        }
    }
}

/// A side of a comparison.
#[derive(Clone, Debug)]
pub enum Term {
    Int(Int),
    /// On the right-hand side in herd, a bare location name is its address. In the
    /// native dialect a bare name may also be a `param` or `const`.
    Observable(Observable),
}

impl Term {
    pub const fn span(&self) -> Span {
        match self {
            Term::Int(int) => int.span,
            Term::Observable(observable) => observable.span,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Something a final state gives a value to.
#[derive(Clone, Debug)]
pub struct Observable {
    pub kind: ObservableKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ObservableKind {
    /// `P0:r0`, `W[1]:r`, herd `0:EAX` and `P0:EAX`.
    Register { thread: ThreadRef, register: Ident },
    /// `x`, `a[2]`, and with `brackets` herd's `[x]` and `[a[2]]`.
    Location {
        name: Ident,
        index: Option<Box<native::Expr>>,
        brackets: bool,
    },
}

/// A thread as a condition or herd's init section names it.
#[derive(Clone, Debug)]
pub struct ThreadRef {
    pub kind: ThreadRefKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ThreadRefKind {
    /// `P0`, `W[1]`; herd's `P0` is `Number(0)` instead.
    Name {
        name: Ident,
        index: Option<Box<native::Expr>>,
    },
    /// herd: `0` or `P0`.
    Number(u32),
}
