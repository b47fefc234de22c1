//! The native dialect's tree: declarations, threads, statements, expressions.

use super::Ident;
use crate::span::Span;

#[derive(Clone, Debug, Default)]
pub struct Native {
    /// In order of place; declarations and threads may be interleaved.
    pub decls: Vec<Decl>,
    pub threads: Vec<Thread>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeclKind {
    Shared,
    Mutex,
    Param,
    Const,
}

/// `shared x = 0, a[2] = {1, 2};`
#[derive(Clone, Debug)]
pub struct Decl {
    pub kind: DeclKind,
    pub keyword: Span,
    pub items: Vec<Declarator>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Declarator {
    pub name: Ident,
    /// `shared` only: the number of elements.
    pub length: Option<Expr>,
    /// `None` for a mutex, and for a shared variable that starts as 0.
    /// Present for `param` and `const` unless an error says otherwise.
    pub init: Option<Init>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Init {
    /// Of a variable; or of every element of an array.
    Expr(Expr),
    /// `{1, 2, 3, 4}`
    List { items: Vec<Expr>, span: Span },
}

#[derive(Clone, Debug)]
pub struct Thread {
    pub name: Ident,
    pub replicas: Option<Replicas>,
    pub body: Block,
    pub keyword: Span,
    pub span: Span,
}

/// `[i in 0..N]`
#[derive(Clone, Debug)]
pub struct Replicas {
    pub variable: Ident,
    pub from: Expr,
    pub to: Expr,
    pub span: Span,
}

/// `{ … }`; `span` has the braces.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    /// With the semicolon or the closing brace.
    pub span: Span,
}

/// Rare and large parts are boxed: a parser moves statements about.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `x = e;`: a store when `x` is shared, else an assignment to a register.
    Assign {
        target: Place,
        value: Expr,
    },
    /// `r = cas(x, old, new);`, or without `r =` when the old value is not wanted.
    Atomic {
        target: Option<Box<Place>>,
        op: AtomicOp,
        op_span: Span,
        place: Place,
        args: Vec<Expr>,
    },
    Fence(FenceKind),
    Lock(Ident),
    Unlock(Ident),
    Assert(Expr),
    Assume(Expr),
    Await(Expr),
    /// `if`, then any number of `else if`: one arm each, at least one.
    If {
        arms: Vec<IfArm>,
        otherwise: Option<Block>,
    },
    While {
        cond: Expr,
        max: Option<Box<Expr>>,
        body: Block,
    },
    For {
        variable: Ident,
        from: Box<Expr>,
        to: Box<Expr>,
        body: Block,
    },
    Repeat {
        count: Expr,
        body: Block,
    },
    Break,
    Continue,
    Return,
    Block(Block),
    /// Could not be read; the error list says why.
    Error,
}

#[derive(Clone, Debug)]
pub struct IfArm {
    pub cond: Expr,
    pub body: Block,
    /// From `if` to the closing brace.
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// One argument: the new value.
    Xchg,
    /// Two arguments: the expected and the new value.
    Cas,
    FetchAdd,
    FetchSub,
    FetchAnd,
    FetchOr,
    FetchXor,
}

impl AtomicOp {
    pub const fn word(self) -> &'static str {
        match self {
            AtomicOp::Xchg => "xchg",
            AtomicOp::Cas => "cas",
            AtomicOp::FetchAdd => "fetch_add",
            AtomicOp::FetchSub => "fetch_sub",
            AtomicOp::FetchAnd => "fetch_and",
            AtomicOp::FetchOr => "fetch_or",
            AtomicOp::FetchXor => "fetch_xor",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FenceKind {
    /// `mfence`
    Full,
    /// `sfence`
    StoreStore,
}

/// What can be assigned: a variable, a register, or an element of an array.
#[derive(Clone, Debug)]
pub struct Place {
    pub name: Ident,
    pub index: Option<Box<Expr>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i64),
    /// A register, a constant, or one load of a shared variable (`index: None`)
    /// or of an array's element.
    Place(Place),
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        op_span: Span,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// Parentheses as written.
    Paren(Box<Expr>),
    /// Could not be read.
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `~`
    BitNot,
    /// `!`
    Not,
}

/// In order of C's precedence, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `||`, short-circuit.
    Or,
    /// `&&`, short-circuit.
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl BinaryOp {
    /// C's precedence: a larger number binds tighter; all are left associative.
    pub const fn precedence(self) -> u8 {
        match self {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::BitOr => 3,
            BinaryOp::BitXor => 4,
            BinaryOp::BitAnd => 5,
            BinaryOp::Eq | BinaryOp::Ne => 6,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 7,
            BinaryOp::Shl | BinaryOp::Shr => 8,
            BinaryOp::Add | BinaryOp::Sub => 9,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 10,
        }
    }

    pub const fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::BitAnd => "&",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
        }
    }
}

impl UnaryOp {
    pub const fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::BitNot => "~",
            UnaryOp::Not => "!",
        }
    }
}
