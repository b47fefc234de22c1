//! Lowers the body of a native thread: statements to instructions, expressions to registers.

use rustc_hash::FxHashMap;

use fencepost_grammar::ast::native::{
    AtomicOp, BinaryOp, Block, Expr, ExprKind, Place, Stmt, StmtKind,
};
use fencepost_grammar::ast::{Ident, SmolStr};
use fencepost_grammar::error::NameKind;
use fencepost_grammar::{Error, ErrorKind, Span};

use super::code::Code;
use super::constant::{self, Known};
use super::native::{Global, Globals, known};
use super::{LowerOptions, MAX_INSTRUCTIONS, MAX_ITERATIONS, UNREAD, UNRESOLVED, range, too_many};
use crate::program::{Address, Instr, LocId, Loop, Op, Operand, Pc, RegId, Thread, Value};

/// A thread's body while it is lowered.
pub struct Body<'a> {
    globals: &'a Globals,
    options: &'a LowerOptions,
    /// The variable that tells this replica from the others, and its value.
    replica: Option<(SmolStr, Value)>,
    registers: FxHashMap<SmolStr, RegId>,
    /// The variables of the `for` loops around, innermost last.
    indices: Vec<(SmolStr, RegId)>,
    /// The jumps out of the loops around, innermost last.
    loops: Vec<Exits>,
    /// Within an `await`: the one shared place it reads and the register with its value.
    waits_for: Option<RegId>,
    code: Code,
    errors: Vec<Error>,
}

#[derive(Default)]
struct Exits {
    breaks: Vec<Pc>,
    continues: Vec<Pc>,
}

const ZERO: Operand = Operand::Const(0);

impl<'a> Body<'a> {
    pub fn new(
        globals: &'a Globals,
        options: &'a LowerOptions,
        replica: Option<(SmolStr, Value)>,
        at: Span,
    ) -> Self {
        Body {
            globals,
            options,
            replica,
            registers: FxHashMap::default(),
            indices: Vec::new(),
            loops: Vec::new(),
            waits_for: None,
            code: Code::new(at),
            errors: Vec::new(),
        }
    }

    /// The thread, or all that is wrong with it.
    pub fn lower(mut self, block: &Block, name: String, at: Span) -> Result<Thread, Vec<Error>> {
        self.block(block);
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        self.code.statement(at);
        self.code.emit(Instr::Return);
        self.code.finish(name, at).map_err(|error| vec![error])
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if self.code.instrs.len() > MAX_INSTRUCTIONS {
                return; // `finish` says so.
            }
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.code.statement(stmt.span);
        if let Err(error) = self.try_stmt(stmt) {
            self.errors.push(error);
        }
    }

    fn try_stmt(&mut self, stmt: &Stmt) -> Result<(), Error> {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                if self.is_shared(&target.name) {
                    let addr = self.address(target)?;
                    let value = self.expr(value, None)?;
                    self.code.emit(Instr::Store { addr, value });
                } else {
                    let dst = self.register(&target.name.name);
                    let value = self.expr(value, Some(dst))?;
                    if value != Operand::Reg(dst) {
                        self.code.assign(dst, value);
                    }
                }
            }
            StmtKind::Atomic {
                target,
                op,
                place,
                args,
                ..
            } => self.atomic(target.as_deref(), *op, place, args)?,
            StmtKind::Fence(kind) => {
                self.code.emit(Instr::Fence(*kind));
            }
            StmtKind::Lock(name) => {
                let loc = self.mutex(name);
                self.code.emit(Instr::Lock(loc));
            }
            StmtKind::Unlock(name) => {
                let loc = self.mutex(name);
                self.code.emit(Instr::Unlock(loc));
            }
            StmtKind::Assert(cond) => {
                let cond = self.expr(cond, None)?;
                self.code.emit(Instr::Assert(cond));
            }
            StmtKind::Assume(cond) => {
                let cond = self.expr(cond, None)?;
                self.code.emit(Instr::Assume(cond));
            }
            StmtKind::Await(cond) => self.wait(cond)?,
            StmtKind::If { arms, otherwise } => {
                let mut ends = Vec::new();
                for (i, arm) in arms.iter().enumerate() {
                    self.code.statement(arm.cond.span);
                    let skips = self.unless(&arm.cond)?;
                    self.block(&arm.body);
                    if i + 1 < arms.len() || otherwise.is_some() {
                        self.code.statement(arm.cond.span);
                        ends.push(self.code.jump());
                    }
                    self.land(skips);
                }
                if let Some(block) = otherwise {
                    self.block(block);
                }
                self.land(ends);
            }
            StmtKind::While { cond, max, body } => {
                self.while_loop(stmt, cond, max.as_deref(), body)?
            }
            StmtKind::For {
                variable,
                from,
                to,
                body,
            } => self.for_loop(variable, from, to, body)?,
            StmtKind::Repeat { count, body } => {
                self.code.statement(count.span);
                let counter = self.code.register(None, 0);
                let to = self.expr(count, None)?;
                self.counted(counter, ZERO, to, count.span, body)?;
            }
            StmtKind::Break | StmtKind::Continue => {
                let jump = self.code.jump();
                let breaks = matches!(stmt.kind, StmtKind::Break);
                let exits = self.loops.last_mut().expect(UNRESOLVED);
                if breaks {
                    exits.breaks.push(jump);
                } else {
                    exits.continues.push(jump);
                }
            }
            StmtKind::Return => {
                self.code.emit(Instr::Return);
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::Error => unreachable!("{UNREAD}"),
        }
        Ok(())
    }

    fn land(&mut self, jumps: Vec<Pc>) {
        for jump in jumps {
            self.code.land(jump);
        }
    }

    fn atomic(
        &mut self,
        target: Option<&Place>,
        op: AtomicOp,
        place: &Place,
        args: &[Expr],
    ) -> Result<(), Error> {
        // The target's index is read first: loads happen from left to right.
        let stores_to = match target {
            Some(target) if self.is_shared(&target.name) => Some(self.address(target)?),
            _ => None,
        };
        let register = match target {
            Some(target) if stores_to.is_none() => Some(self.register(&target.name.name)),
            _ => None,
        };
        let addr = self.address(place)?;
        let mut values = [ZERO; 2];
        for (value, arg) in values.iter_mut().zip(args) {
            *value = self.expr(arg, None)?;
        }
        let (value, expected) = match op {
            AtomicOp::Cas => (values[1], values[0]),
            _ => (values[0], ZERO),
        };
        let dst = register.unwrap_or_else(|| self.code.temp());
        self.code.emit(Instr::Rmw {
            dst,
            addr,
            op: op.into(),
            value,
            expected,
        });
        if let Some(addr) = stores_to {
            let value = Operand::Reg(dst);
            self.code.emit(Instr::Store { addr, value });
        }
        Ok(())
    }

    /// One load, then the test of all that is said about its value.
    fn wait(&mut self, cond: &Expr) -> Result<(), Error> {
        let mut places = Vec::new();
        cond.places(&mut |place| {
            if self.is_shared(&place.name) {
                places.push(place);
            }
        });
        let Some(first) = places.first().copied() else {
            return Err(Error::new(
                ErrorKind::AwaitLocations { found: 0 },
                cond.span,
            ));
        };
        let mut distinct: Vec<&Place> = Vec::new();
        for place in &places {
            if !distinct.iter().any(|seen| same_place(seen, place)) {
                distinct.push(place);
            }
        }
        if distinct.len() > 1 {
            let found = distinct.len();
            return Err(Error::new(ErrorKind::AwaitLocations { found }, cond.span));
        }
        let addr = self.address(first)?;
        let dst = self.code.temp();
        self.code.emit(Instr::Load { dst, addr });
        self.waits_for = Some(dst);
        let cond = self.expr(cond, None);
        self.waits_for = None;
        self.code.emit(Instr::AwaitTest(cond?));
        Ok(())
    }

    fn while_loop(
        &mut self,
        stmt: &Stmt,
        cond: &Expr,
        max: Option<&Expr>,
        body: &Block,
    ) -> Result<(), Error> {
        self.code.statement(cond.span);
        let counter = self.code.register(None, 0);
        let bound = match max {
            Some(max) => {
                let value = self.constant(max)?;
                u32::try_from(value.max(0))
                    .ok()
                    .filter(|&b| u64::from(b) <= MAX_ITERATIONS)
                    .ok_or_else(|| too_many_iterations(value, max.span))?
            }
            None => self.options.unroll,
        };
        let loop_id = self.add_loop(bound, max.is_some(), stmt.span)?;
        self.code.assign(counter, ZERO);
        let top = self.code.here();
        let skips = self.unless(cond)?;
        self.code.emit(Instr::Bound { counter, loop_id });
        self.loops.push(Exits::default());
        self.block(body);
        let exits = self.loops.pop().unwrap_or_default();
        self.code.statement(cond.span);
        for jump in exits.continues {
            self.code.set_target(jump, top);
        }
        self.code.emit(Instr::Jump(top));
        self.land(skips);
        self.land(exits.breaks);
        Ok(())
    }

    fn for_loop(
        &mut self,
        variable: &Ident,
        from: &Expr,
        to: &Expr,
        body: &Block,
    ) -> Result<(), Error> {
        let header = variable.span.to(to.span);
        self.code.statement(header);
        let index = self.code.register(Some(variable.name.to_string()), 0);
        let from = self.expr(from, None)?;
        let to = self.expr(to, None)?;
        self.indices.push((variable.name.clone(), index));
        let result = self.counted(index, from, to, header, body);
        self.indices.pop();
        result
    }

    /// Runs the body with `index` from `from` up to but not including `to`.
    fn counted(
        &mut self,
        index: RegId,
        from: Operand,
        to: Operand,
        header: Span,
        body: &Block,
    ) -> Result<(), Error> {
        // Known limits are checked here; others get the bound of a loop without `max`.
        let mut bound = None;
        let mut to = to;
        if let (Operand::Const(from), Operand::Const(to)) = (from, to) {
            let times = to.saturating_sub(from).max(0);
            if times as u64 > MAX_ITERATIONS {
                return Err(too_many_iterations(times, header));
            }
            if times == 0 {
                return Ok(());
            }
        } else {
            let loop_id = self.add_loop(self.options.unroll, false, header)?;
            let counter = self.code.register(None, 0);
            self.code.assign(counter, ZERO);
            bound = Some(Instr::Bound { counter, loop_id });
            // The limit is read once, whatever the body does with its registers.
            if let Operand::Reg(_) = to {
                let limit = self.code.register(None, 0);
                self.code.assign(limit, to);
                to = Operand::Reg(limit);
            }
        }
        self.code.assign(index, from);
        let i = Operand::Reg(index);
        let mut skip = None;
        let top;
        if let Some(bound) = bound {
            let inside = self.code.op(Op::Lt, i, to, None);
            skip = Some(self.code.jump_if_zero(inside));
            top = self.code.here();
            self.code.emit(bound);
        } else {
            top = self.code.here();
        }
        self.loops.push(Exits::default());
        self.block(body);
        let exits = self.loops.pop().unwrap_or_default();
        self.land(exits.continues);
        self.code.statement(header);
        self.code.op(Op::Add, i, Operand::Const(1), Some(index));
        let over = self.code.op(Op::Ge, i, to, None);
        let back = self.code.jump_if_zero(over);
        self.code.set_target(back, top);
        if let Some(skip) = skip {
            self.code.land(skip);
        }
        self.land(exits.breaks);
        Ok(())
    }

    fn add_loop(&mut self, bound: u32, explicit: bool, span: Span) -> Result<u16, Error> {
        let id = u16::try_from(self.code.loops.len()).map_err(|_| {
            let found = self.code.loops.len() + 1;
            too_many("loops in one thread", found, usize::from(u16::MAX), span)
        })?;
        self.code.loops.push(Loop {
            bound,
            explicit,
            span: range(span),
        });
        Ok(id)
    }

    /// Evaluates a condition; the jumps that it gives are taken when it is false.
    fn unless(&mut self, cond: &Expr) -> Result<Vec<Pc>, Error> {
        match &cond.kind {
            ExprKind::Paren(inner) => self.unless(inner),
            ExprKind::Binary {
                op: BinaryOp::And,
                lhs,
                rhs,
                ..
            } => {
                let mut jumps = self.unless(lhs)?;
                jumps.extend(self.unless(rhs)?);
                Ok(jumps)
            }
            _ => {
                let value = self.expr(cond, None)?;
                Ok(vec![self.code.jump_if_zero(value)])
            }
        }
    }

    /// The value of an expression; in `dst` if that is given and something is computed.
    fn expr(&mut self, expr: &Expr, dst: Option<RegId>) -> Result<Operand, Error> {
        match &expr.kind {
            ExprKind::Int(value) => Ok(Operand::Const(*value)),
            ExprKind::Paren(inner) => self.expr(inner, dst),
            ExprKind::Place(place) => self.read(place, dst),
            ExprKind::Unary { op, operand } => {
                let value = self.expr(operand, None)?;
                Ok(self.code.op(constant::unary(*op), value, ZERO, dst))
            }
            ExprKind::Binary {
                op: op @ (BinaryOp::And | BinaryOp::Or),
                lhs,
                rhs,
                ..
            } => self.short_circuit(*op, lhs, rhs),
            ExprKind::Binary { op, lhs, rhs, .. } => {
                let a = self.expr(lhs, None)?;
                let b = self.expr(rhs, None)?;
                Ok(self.code.op(constant::binary(*op), a, b, dst))
            }
            ExprKind::Error => unreachable!("{UNREAD}"),
        }
    }

    /// The loads on the right happen only when the left does not settle it.
    fn short_circuit(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr) -> Result<Operand, Error> {
        let settles = match op {
            BinaryOp::And => 0,
            _ => 1,
        };
        let left = self.expr(lhs, None)?;
        let left = self.code.op(Op::Ne, left, ZERO, None);
        if let Operand::Const(known) = left {
            if known == settles {
                return Ok(left);
            }
            let right = self.expr(rhs, None)?;
            return Ok(self.code.op(Op::Ne, right, ZERO, None));
        }
        let result = self.code.temp();
        self.code.assign(result, left);
        let test = match op {
            BinaryOp::And => Operand::Reg(result),
            _ => self.code.op(Op::Not, Operand::Reg(result), ZERO, None),
        };
        let done = self.code.jump_if_zero(test);
        let right = self.expr(rhs, None)?;
        self.code.op(Op::Ne, right, ZERO, Some(result));
        self.code.land(done);
        Ok(Operand::Reg(result))
    }

    fn read(&mut self, place: &Place, dst: Option<RegId>) -> Result<Operand, Error> {
        let name = &place.name.name;
        if !self.is_shared(&place.name) {
            if let Some(local) = self.local(name) {
                return Ok(local);
            }
            if let Known::Value(value) = known(self.globals, name) {
                return Ok(Operand::Const(value));
            }
            return Ok(Operand::Reg(self.register(name)));
        }
        if let Some(value) = self.waits_for {
            return Ok(Operand::Reg(value));
        }
        let addr = self.address(place)?;
        let dst = dst.unwrap_or_else(|| self.code.temp());
        self.code.emit(Instr::Load { dst, addr });
        Ok(Operand::Reg(dst))
    }

    /// What a `for` around or the thread's own replication makes of a name.
    fn local(&self, name: &str) -> Option<Operand> {
        let index = self.indices.iter().rev().find(|(index, _)| index == name);
        if let Some((_, reg)) = index {
            return Some(Operand::Reg(*reg));
        }
        match &self.replica {
            Some((variable, value)) if variable == name => Some(Operand::Const(*value)),
            _ => None,
        }
    }

    fn is_shared(&self, name: &Ident) -> bool {
        self.local(&name.name).is_none()
            && matches!(
                self.globals.get(&name.name),
                Some(Global::Shared(_) | Global::Array { .. })
            )
    }

    fn address(&mut self, place: &Place) -> Result<Address, Error> {
        match (self.globals[&place.name.name], &place.index) {
            (Global::Shared(loc), _) => Ok(Address::Fixed(loc)),
            (Global::Array { first, len }, Some(index)) => {
                let index = self.expr(index, None)?;
                Ok(match index {
                    Operand::Const(i) if (0..Value::from(len)).contains(&i) => {
                        Address::Fixed(first + i as LocId)
                    }
                    _ => Address::Element { first, len, index },
                })
            }
            _ => unreachable!("{UNRESOLVED}"),
        }
    }

    /// The register of a name that is assigned, or read where nothing assigned it before.
    fn register(&mut self, name: &SmolStr) -> RegId {
        if let Some(&reg) = self.registers.get(name) {
            return reg;
        }
        let reg = self.code.register(Some(name.to_string()), 0);
        self.registers.insert(name.clone(), reg);
        reg
    }

    fn mutex(&self, name: &Ident) -> LocId {
        match self.globals[&name.name] {
            Global::Mutex(loc) => loc,
            _ => unreachable!("{UNRESOLVED}"),
        }
    }

    fn constant(&self, expr: &Expr) -> Result<Value, Error> {
        constant::evaluate(expr, &|name| match self.local(name) {
            Some(Operand::Const(value)) => Known::Value(value),
            Some(Operand::Reg(_)) => Known::Other(NameKind::Index),
            None => known(self.globals, name),
        })
    }
}

fn too_many_iterations(found: Value, span: Span) -> Error {
    Error::new(
        ErrorKind::TooMany {
            what: "iterations",
            found: found as u64,
            limit: MAX_ITERATIONS,
        },
        span,
    )
}

/// Whether two places are written the same, blanks and parentheses aside.
fn same_place(a: &Place, b: &Place) -> bool {
    a.name.name == b.name.name
        && match (&a.index, &b.index) {
            (Some(a), Some(b)) => same_expr(a, b),
            (None, None) => true,
            _ => false,
        }
}

fn same_expr(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Paren(a), _) => same_expr(a, b),
        (_, ExprKind::Paren(b)) => same_expr(a, b),
        (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
        (ExprKind::Place(a), ExprKind::Place(b)) => same_place(a, b),
        (
            ExprKind::Unary { op, operand },
            ExprKind::Unary {
                op: other,
                operand: other_operand,
            },
        ) => op == other && same_expr(operand, other_operand),
        (
            ExprKind::Binary { op, lhs, rhs, .. },
            ExprKind::Binary {
                op: other,
                lhs: other_lhs,
                rhs: other_rhs,
                ..
            },
        ) => op == other && same_expr(lhs, other_lhs) && same_expr(rhs, other_rhs),
        _ => false,
    }
}
