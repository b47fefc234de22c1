//! The native dialect's tree: declarations, threads, statements, expressions.

use super::Ident;
use crate::span::Span;
pub use crate::words::native::AtomicOp;

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

impl Block {
    /// The block and all within it.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Block)) {
        visit(self);
        for stmt in &self.stmts {
            stmt.parts(&mut |part| {
                if let Part::Block(block) = part {
                    block.each(visit);
                }
            });
        }
    }

    /// As [`Block::each`], but what is within comes first.
    pub(crate) fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Block)) {
        for stmt in &mut self.stmts {
            match &mut stmt.kind {
                StmtKind::If { arms, otherwise } => {
                    let arms = arms.iter_mut().map(|arm| &mut arm.body);
                    arms.chain(otherwise).for_each(|body| body.each_mut(visit));
                }
                StmtKind::While { body, .. }
                | StmtKind::For { body, .. }
                | StmtKind::Repeat { body, .. }
                | StmtKind::Block(body) => body.each_mut(visit),
                _ => {}
            }
        }
        visit(self);
    }
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    /// With the semicolon or the closing brace.
    pub span: Span,
}

/// What a statement is made of.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// What is written or updated.
    Place(&'a Place),
    Expr(&'a Expr),
    /// The range of a block with the head that it belongs to.
    Headed(Span),
    Block(&'a Block),
}

impl Stmt {
    /// Its parts in order of place; those of the statements in its blocks are not among them.
    pub fn parts<'a>(&'a self, visit: &mut dyn FnMut(Part<'a>)) {
        match &self.kind {
            StmtKind::Assign { target, value } => {
                visit(Part::Place(target));
                visit(Part::Expr(value));
            }
            StmtKind::Atomic {
                target,
                place,
                args,
                ..
            } => {
                target.iter().for_each(|target| visit(Part::Place(target)));
                visit(Part::Place(place));
                args.iter().for_each(|arg| visit(Part::Expr(arg)));
            }
            StmtKind::Assert(expr) | StmtKind::Assume(expr) | StmtKind::Await(expr) => {
                visit(Part::Expr(expr));
            }
            StmtKind::If { arms, otherwise } => {
                for arm in arms {
                    visit(Part::Headed(arm.span));
                    visit(Part::Expr(&arm.cond));
                    visit(Part::Block(&arm.body));
                }
                if let Some(block) = otherwise {
                    visit(Part::Headed(block.span));
                    visit(Part::Block(block));
                }
            }
            StmtKind::While { cond, max, body } => {
                visit(Part::Headed(self.span));
                visit(Part::Expr(cond));
                max.iter().for_each(|max| visit(Part::Expr(max)));
                visit(Part::Block(body));
            }
            StmtKind::For { from, to, body, .. } => {
                visit(Part::Headed(self.span));
                visit(Part::Expr(from));
                visit(Part::Expr(to));
                visit(Part::Block(body));
            }
            StmtKind::Repeat { count, body } => {
                visit(Part::Headed(self.span));
                visit(Part::Expr(count));
                visit(Part::Block(body));
            }
            StmtKind::Block(body) => {
                visit(Part::Headed(self.span));
                visit(Part::Block(body));
            }
            StmtKind::Fence(_)
            | StmtKind::Lock(_)
            | StmtKind::Unlock(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Error => {}
        }
    }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FenceKind {
    /// `mfence`
    Full,
    /// `sfence`
    StoreStore,
}

impl FenceKind {
    pub const fn word(self) -> &'static str {
        match self {
            FenceKind::Full => "mfence",
            FenceKind::StoreStore => "sfence",
        }
    }
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

impl Expr {
    fn children(&self) -> impl Iterator<Item = &Expr> {
        let (first, second) = match &self.kind {
            ExprKind::Unary { operand, .. } => (Some(operand), None),
            ExprKind::Paren(inner) => (Some(inner), None),
            ExprKind::Binary { lhs, rhs, .. } => (Some(lhs), Some(rhs)),
            ExprKind::Place(place) => (place.index.as_ref(), None),
            ExprKind::Int(_) | ExprKind::Error => (None, None),
        };
        first.into_iter().chain(second).map(|child| &**child)
    }

    /// The expression and all within it.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        self.children().for_each(|child| child.each(visit));
    }

    /// What it names, from left to right; an index comes before the array.
    pub fn places<'a>(&'a self, visit: &mut dyn FnMut(&'a Place)) {
        self.children().for_each(|child| child.places(visit));
        if let ExprKind::Place(place) = &self.kind {
            visit(place);
        }
    }
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
