//! Numbers that are known before anything runs: parameters, constants, lengths, indices.

use fencepost_grammar::ast::SmolStr;
use fencepost_grammar::ast::native::{BinaryOp, Expr, ExprKind, UnaryOp};
use fencepost_grammar::error::NameKind;
use fencepost_grammar::{Error, ErrorKind};

use super::UNREAD;
use crate::program::{Op, Value};
use crate::thread::apply;

/// What a name stands for where a constant is needed.
pub enum Known {
    Value(Value),
    /// It is no constant but this.
    Other(NameKind),
}

/// The value of an expression of constants.
pub fn evaluate(expr: &Expr, names: &impl Fn(&str) -> Known) -> Result<Value, Error> {
    match &expr.kind {
        ExprKind::Int(value) => Ok(*value),
        ExprKind::Paren(inner) => evaluate(inner, names),
        ExprKind::Place(place) => {
            let name: &SmolStr = &place.name.name;
            match names(name) {
                Known::Value(value) => Ok(value),
                Known::Other(kind) => {
                    let name = name.clone();
                    let kind = ErrorKind::NotConstant { name, kind };
                    Err(Error::new(kind, place.span))
                }
            }
        }
        ExprKind::Unary { op, operand } => {
            let value = evaluate(operand, names)?;
            Ok(apply(unary(*op), value, 0).unwrap_or_default())
        }
        ExprKind::Binary {
            op,
            op_span,
            lhs,
            rhs,
        } => {
            let left = evaluate(lhs, names)?;
            let op = match op {
                BinaryOp::And if left == 0 => return Ok(0),
                BinaryOp::Or if left != 0 => return Ok(1),
                BinaryOp::And | BinaryOp::Or => {
                    return Ok(Value::from(evaluate(rhs, names)? != 0));
                }
                other => binary(*other),
            };
            let right = evaluate(rhs, names)?;
            apply(op, left, right).ok_or_else(|| Error::new(ErrorKind::DivisionByZero, *op_span))
        }
        ExprKind::Error => unreachable!("{UNREAD}"),
    }
}

pub fn unary(op: UnaryOp) -> Op {
    match op {
        UnaryOp::Neg => Op::Neg,
        UnaryOp::BitNot => Op::Com,
        UnaryOp::Not => Op::Not,
    }
}

/// `&&` and `||` are not operations but jumps: what is given for them is what remains
/// when both sides are 0 or 1.
pub fn binary(op: BinaryOp) -> Op {
    match op {
        BinaryOp::Or | BinaryOp::BitOr => Op::Or,
        BinaryOp::And | BinaryOp::BitAnd => Op::And,
        BinaryOp::BitXor => Op::Xor,
        BinaryOp::Eq => Op::Eq,
        BinaryOp::Ne => Op::Ne,
        BinaryOp::Lt => Op::Lt,
        BinaryOp::Le => Op::Le,
        BinaryOp::Gt => Op::Gt,
        BinaryOp::Ge => Op::Ge,
        BinaryOp::Shl => Op::Shl,
        BinaryOp::Shr => Op::Shr,
        BinaryOp::Add => Op::Add,
        BinaryOp::Sub => Op::Sub,
        BinaryOp::Mul => Op::Mul,
        BinaryOp::Div => Op::Div,
        BinaryOp::Rem => Op::Rem,
    }
}
