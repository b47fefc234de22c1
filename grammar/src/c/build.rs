//! What the rules of the C grammar build.

use crate::actions;
use crate::ast::c::*;
use crate::ast::herd::{InitEntry, InitValue};
use crate::ast::native::BinaryOp;
use crate::ast::{Ident, Int, SmolStr};
use crate::error::{Error, ErrorKind};
use crate::span::Span;

/// What one call of the C parser gives, by the marker before its tokens.
#[derive(Debug)]
pub(crate) enum CNode {
    Init(Box<InitEntry>),
    Function(Box<Function>),
    FunctionHead(Box<FunctionHead>),
    Stmts(Vec<Stmt>),
    Head(Head),
}

/// `P0(int *x)`
#[derive(Debug)]
pub(crate) struct FunctionHead {
    pub name: Ident,
    pub params: Vec<Param>,
    pub params_span: Span,
}

/// What stands before a statement.
#[derive(Debug)]
pub(crate) enum Head {
    If(Box<Expr>),
    Else,
    While(Box<Expr>),
}

pub(crate) fn function(head: FunctionHead, body: Block) -> Function {
    let digits = head.name.name.strip_prefix('P').unwrap_or_default();
    Function {
        // The reader looked for `P` and digits; more digits than a number has are no thread.
        number: digits.parse().unwrap_or(u32::MAX),
        span: head.name.span.to(body.span),
        name: head.name,
        params: head.params,
        params_span: head.params_span,
        body,
    }
}

pub(crate) fn if_else(
    cond: Box<Expr>,
    then: Box<Stmt>,
    keyword: Span,
    stmt: Box<Stmt>,
) -> StmtKind {
    StmtKind::If {
        cond,
        then,
        otherwise: Some(Otherwise { keyword, stmt }),
    }
}

pub(crate) fn stmt(kind: StmtKind, start: u32, end: u32) -> Box<Stmt> {
    Box::new(Stmt {
        kind,
        span: Span::new(start, end),
    })
}

/// An expression as a statement.
pub(crate) fn alone(expr: Box<Expr>) -> StmtKind {
    match &expr.kind {
        ExprKind::Name(name) => match name.as_str() {
            "break" => StmtKind::Break,
            "continue" => StmtKind::Continue,
            "return" => StmtKind::Return,
            _ => StmtKind::Expr(expr),
        },
        _ => StmtKind::Expr(expr),
    }
}

pub(crate) fn expr(kind: ExprKind, start: u32, end: u32) -> Box<Expr> {
    Box::new(Expr {
        kind,
        span: Span::new(start, end),
    })
}

pub(crate) fn binary(lhs: Expr, op: BinaryOp, op_span: Span, rhs: Expr) -> Expr {
    Expr {
        span: lhs.span.to(rhs.span),
        kind: ExprKind::Binary {
            op,
            op_span,
            lhs: Box::new(lhs),
            rhs: Box::new(rhs),
        },
    }
}

/// `P0(void)` has none.
pub(crate) fn no_params(ty: Ident, errors: &mut Vec<Error>) -> Vec<Param> {
    if ty.name != "void" {
        errors.push(Error::new(
            ErrorKind::Unexpected {
                found: SmolStr::from(format!("`{}` alone", actions::abbreviate(&ty.name))),
                expected: SmolStr::new_static("a type and the name of a location"),
            },
            ty.span,
        ));
    }
    Vec::new()
}

/// `ATOMIC_INIT(0)`
pub(crate) fn initialiser(name: Ident, value: Int, errors: &mut Vec<Error>) -> InitValue {
    if name.name != "ATOMIC_INIT" {
        errors.push(
            Error::new(
                ErrorKind::Unexpected {
                    found: SmolStr::from(format!("`{}`", actions::abbreviate(&name.name))),
                    expected: SmolStr::new_static("`ATOMIC_INIT`"),
                },
                name.span,
            )
            .suggest(Some("ATOMIC_INIT")),
        );
    }
    InitValue::Int(value)
}

/// As in the other dialects, and with C's suffixes (`1UL`).
pub(crate) fn int(text: &str, span: Span, errors: &mut Vec<Error>) -> Int {
    let digits = span.text(text);
    let hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    let suffix = digits
        .bytes()
        .rev()
        .take_while(|byte| matches!(byte, b'u' | b'U' | b'l' | b'L'))
        .count();
    let length = digits.len()
        - if hexadecimal && digits.len() - suffix <= 2 {
            0
        } else {
            suffix
        };
    let value = actions::int(
        text,
        Span::new(span.start, span.start + length as u32),
        errors,
    )
    .value;
    Int { value, span }
}
