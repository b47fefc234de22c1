//! herd's C dialect: the init section and one function for each thread.
//!
//! Types are kept as written and mean nothing here: `int *p` may hold an address or a
//! number. What a call does is in [`crate::words::c`].

use super::herd::InitEntry;
use super::native::{BinaryOp, UnaryOp};
use super::{Ident, SmolStr};
use crate::span::Span;
use crate::words::c::Family;

#[derive(Clone, Debug)]
pub struct C {
    /// The init section with its braces.
    pub init_span: Span,
    pub init: Vec<InitEntry>,
    pub functions: Vec<Function>,
    /// Whose primitives the test uses, where both have one of the same name.
    pub family: Family,
}

/// `P0(int *x, int *y) { … }`
#[derive(Clone, Debug)]
pub struct Function {
    pub name: Ident,
    /// The number in the name.
    pub number: u32,
    pub params: Vec<Param>,
    /// With the parentheses.
    pub params_span: Span,
    pub body: Block,
    pub span: Span,
}

/// `int *x`
#[derive(Clone, Debug)]
pub struct Param {
    /// The words and stars before the name, one blank between them.
    pub ty: Ident,
    pub name: Ident,
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

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `int r1 = 0, *r2;`
    Declare {
        ty: Ident,
        items: Vec<Declarator>,
    },
    /// `r1 = e;`, `*x = e;`
    Assign {
        target: Box<Expr>,
        value: Box<Expr>,
    },
    /// `smp_mb();`, `(void) e;`
    Expr(Box<Expr>),
    If {
        cond: Box<Expr>,
        then: Box<Stmt>,
        otherwise: Option<Otherwise>,
    },
    While {
        cond: Box<Expr>,
        body: Box<Stmt>,
    },
    Break,
    Continue,
    Return,
    Block(Block),
    /// `;`
    Empty,
    /// Could not be read; the error list says why.
    Error,
}

/// `else …`
#[derive(Clone, Debug)]
pub struct Otherwise {
    pub keyword: Span,
    pub stmt: Box<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Declarator {
    pub name: Ident,
    pub value: Option<Expr>,
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
    /// A register, or the address of the location that a parameter names.
    Name(SmolStr),
    /// `*e`: what is at an address.
    Deref(Box<Expr>),
    /// `&e`: the address of what `e` names.
    Address(Box<Expr>),
    /// `a[e]`
    Index {
        array: Box<Expr>,
        index: Box<Expr>,
    },
    Call {
        function: Ident,
        args: Vec<Expr>,
    },
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
    /// `(intptr_t) e`
    Cast {
        ty: Ident,
        /// The parenthesis behind the type.
        close: Span,
        operand: Box<Expr>,
    },
    /// Parentheses as written.
    Paren(Box<Expr>),
}

impl Expr {
    /// Without the parentheses and casts around it, which mean nothing.
    pub fn bare(&self) -> &Expr {
        let mut expr = self;
        while let ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } = &expr.kind {
            expr = inner;
        }
        expr
    }
}

impl Block {
    /// Calls `each` on the block and all within it.
    pub fn each<'b>(&'b self, each: &mut impl FnMut(&'b Block)) {
        each(self);
        for stmt in &self.stmts {
            stmt.walk(&mut |stmt| {
                if let StmtKind::Block(block) = &stmt.kind {
                    each(block);
                }
            });
        }
    }

    /// The same, to change them.
    pub fn each_mut(&mut self, each: &mut impl FnMut(&mut Block)) {
        each(self);
        for stmt in &mut self.stmts {
            stmt.each_block_mut(each);
        }
    }
}

impl Stmt {
    fn each_block_mut(&mut self, each: &mut impl FnMut(&mut Block)) {
        match &mut self.kind {
            StmtKind::Block(block) => block.each_mut(each),
            StmtKind::While { body, .. } => body.each_block_mut(each),
            StmtKind::If {
                then, otherwise, ..
            } => {
                then.each_block_mut(each);
                if let Some(otherwise) = otherwise {
                    otherwise.stmt.each_block_mut(each);
                }
            }
            _ => {}
        }
    }

    /// Calls `each` on the statement and all within it, in order of place.
    pub fn walk<'s>(&'s self, each: &mut impl FnMut(&'s Stmt)) {
        each(self);
        match &self.kind {
            StmtKind::If {
                then, otherwise, ..
            } => {
                then.walk(each);
                if let Some(otherwise) = otherwise {
                    otherwise.stmt.walk(each);
                }
            }
            StmtKind::While { body, .. } => body.walk(each),
            StmtKind::Block(block) => block.stmts.iter().for_each(|stmt| stmt.walk(each)),
            _ => {}
        }
    }
}

impl C {
    /// Calls `each` on every expression, those within others included, from the outside in.
    pub fn exprs<'c>(&'c self, each: &mut impl FnMut(&'c Expr)) {
        for function in &self.functions {
            for stmt in &function.body.stmts {
                stmt.walk(&mut |stmt| stmt.exprs(each));
            }
        }
    }
}

impl Stmt {
    /// The same for the expressions of one statement, without those of statements in it.
    pub fn exprs<'s>(&'s self, each: &mut impl FnMut(&'s Expr)) {
        match &self.kind {
            StmtKind::Declare { items, .. } => {
                let values = items.iter().filter_map(|item| item.value.as_ref());
                values.for_each(|value| value.walk(each));
            }
            StmtKind::Assign { target, value } => {
                target.walk(each);
                value.walk(each);
            }
            StmtKind::Expr(expr) => expr.walk(each),
            StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => cond.walk(each),
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Block(_)
            | StmtKind::Empty
            | StmtKind::Error => {}
        }
    }
}

impl Expr {
    /// Calls `each` on the expression and all within it, from the outside in.
    pub fn walk<'e>(&'e self, each: &mut impl FnMut(&'e Expr)) {
        each(self);
        match &self.kind {
            ExprKind::Int(_) | ExprKind::Name(_) => {}
            ExprKind::Deref(inner) | ExprKind::Address(inner) | ExprKind::Paren(inner) => {
                inner.walk(each);
            }
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => operand.walk(each),
            ExprKind::Index { array, index } => {
                array.walk(each);
                index.walk(each);
            }
            ExprKind::Call { args, .. } => args.iter().for_each(|arg| arg.walk(each)),
            ExprKind::Binary { lhs, rhs, .. } => {
                lhs.walk(each);
                rhs.walk(each);
            }
        }
    }
}
