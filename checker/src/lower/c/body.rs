//! Lowers the body of a function: statements to instructions, expressions to registers.
//!
//! A name that is a parameter is the address of its location, a number; every other name
//! is a register.

use rustc_hash::{FxHashMap, FxHashSet};

use fencepost_grammar::ast::SmolStr;
use fencepost_grammar::ast::c::{Expr, ExprKind, Function, Stmt, StmtKind};
use fencepost_grammar::ast::native::BinaryOp;
use fencepost_grammar::words::Role;
use fencepost_grammar::words::c::{
    Action, Family, Fence, Gives, MemoryOrder, Ordering, Update, memory_order, primitive,
};
use fencepost_grammar::{Error, Span};

use super::super::code::Code;
use super::super::{LowerOptions, MAX_INSTRUCTIONS, UNREAD, UNRESOLVED, constant, range, too_many};
use super::{Memory, thread_name};
use crate::program::{
    Address, FenceKind, Instr, Loop, Op, Operand, Pc, RegId, RmwOp, Thread, Value,
};

/// A function's body while it is lowered.
pub struct Body<'a> {
    pub number: u32,
    family: Family,
    options: &'a LowerOptions,
    params: FxHashSet<SmolStr>,
    registers: FxHashMap<SmolStr, RegId>,
    /// The jumps out of the loops around, innermost last.
    loops: Vec<Exits>,
    code: Code,
}

#[derive(Default)]
struct Exits {
    breaks: Vec<Pc>,
    continues: Vec<Pc>,
}

const ZERO: Operand = Operand::Const(0);
const ONE: Operand = Operand::Const(1);

impl<'a> Body<'a> {
    pub fn new(family: Family, function: &Function, options: &'a LowerOptions) -> Self {
        let params = function.params.iter();
        Body {
            number: function.number,
            family,
            options,
            params: params.map(|param| param.name.name.clone()).collect(),
            registers: FxHashMap::default(),
            loops: Vec::new(),
            code: Code::new(function.name.span),
        }
    }

    /// Gives a register its value at the start.
    pub fn initialize(&mut self, name: &SmolStr, value: Value) {
        let reg = self.register(name);
        self.code.set_initial(reg, value);
    }

    /// The register that a condition names; a parameter never changes, so it is one that
    /// nobody writes.
    pub fn observe(&mut self, name: &SmolStr, memory: &Memory) -> RegId {
        let known = self.registers.contains_key(name);
        let reg = self.register(name);
        if !known
            && self.params.contains(name)
            && let Some(address) = memory.address_of(name)
        {
            self.code.set_initial(reg, address);
        }
        reg
    }

    pub fn finish(mut self, function: &Function) -> Result<Thread, Error> {
        self.code.statement(function.name.span);
        self.code.emit(Instr::Return);
        self.code.finish(thread_name(function), function.name.span)
    }

    fn register(&mut self, name: &SmolStr) -> RegId {
        if let Some(&reg) = self.registers.get(name) {
            return reg;
        }
        let reg = self.code.register(Some(name.to_string()), 0);
        self.registers.insert(name.clone(), reg);
        reg
    }

    pub fn lower(&mut self, function: &Function, memory: &Memory, errors: &mut Vec<Error>) {
        let mut lowering = Lowering {
            body: self,
            memory,
            errors,
        };
        lowering.stmts(&function.body.stmts);
    }
}

struct Lowering<'b, 'a> {
    body: &'b mut Body<'a>,
    memory: &'b Memory,
    errors: &'b mut Vec<Error>,
}

impl Lowering<'_, '_> {
    fn code(&mut self) -> &mut Code {
        &mut self.body.code
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if self.code().instrs.len() > MAX_INSTRUCTIONS {
                return; // `finish` says so.
            }
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.code().statement(stmt.span);
        if let Err(error) = self.try_stmt(stmt) {
            self.errors.push(error);
        }
    }

    fn try_stmt(&mut self, stmt: &Stmt) -> Result<(), Error> {
        match &stmt.kind {
            StmtKind::Declare { items, .. } => {
                for item in items {
                    let dst = self.body.register(&item.name.name);
                    if let Some(value) = &item.value {
                        self.assign(dst, value)?;
                    }
                }
            }
            StmtKind::Assign { target, value } => match &target.bare().kind {
                ExprKind::Name(name) => {
                    let dst = self.body.register(name);
                    self.assign(dst, value)?;
                }
                _ => {
                    let addr = self.place(target)?;
                    let value = self.expr(value, None)?;
                    self.code().emit(Instr::Store { addr, value });
                }
            },
            StmtKind::Expr(expr) => {
                self.effect(expr)?;
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                self.code().statement(cond.span);
                let test = self.expr(cond, None)?;
                let skip = self.code().jump_if_zero(test);
                self.stmt(then);
                match otherwise {
                    Some(otherwise) => {
                        self.code().statement(cond.span);
                        let end = self.code().jump();
                        self.code().land(skip);
                        self.stmt(&otherwise.stmt);
                        self.code().land(end);
                    }
                    None => self.code().land(skip),
                }
            }
            StmtKind::While { cond, body } => self.while_loop(stmt.span, cond, body)?,
            StmtKind::Break | StmtKind::Continue => {
                let breaks = matches!(stmt.kind, StmtKind::Break);
                let jump = self.code().jump();
                let exits = self.body.loops.last_mut().expect(UNRESOLVED);
                match breaks {
                    true => exits.breaks.push(jump),
                    false => exits.continues.push(jump),
                }
            }
            StmtKind::Return => {
                self.code().emit(Instr::Return);
            }
            StmtKind::Block(block) => self.stmts(&block.stmts),
            StmtKind::Empty => {}
            StmtKind::Error => unreachable!("{UNREAD}"),
        }
        Ok(())
    }

    fn assign(&mut self, dst: RegId, value: &Expr) -> Result<(), Error> {
        let value = self.expr(value, Some(dst))?;
        if value != Operand::Reg(dst) {
            self.code().assign(dst, value);
        }
        Ok(())
    }

    fn while_loop(&mut self, span: Span, cond: &Expr, body: &Stmt) -> Result<(), Error> {
        self.code().statement(cond.span);
        let bound = self.bound(span)?;
        let top = self.code().here();
        let test = self.expr(cond, None)?;
        let skip = self.code().jump_if_zero(test);
        self.code().emit(bound);
        self.body.loops.push(Exits::default());
        self.stmt(body);
        let exits = self.body.loops.pop().unwrap_or_default();
        self.code().statement(cond.span);
        for jump in exits.continues {
            self.code().set_target(jump, top);
        }
        self.code().emit(Instr::Jump(top));
        self.code().land(skip);
        self.land(exits.breaks);
        Ok(())
    }

    /// What counts the iterations of a loop.
    fn bound(&mut self, span: Span) -> Result<Instr, Error> {
        let id = self.code().loops.len();
        let loop_id = u16::try_from(id).map_err(|_| {
            let limit = usize::from(u16::MAX);
            too_many("loops in one thread", id + 1, limit, span)
        })?;
        let bound = self.body.options.unroll;
        self.code().loops.push(Loop {
            bound,
            explicit: false,
            span: range(span),
        });
        let counter = self.code().register(None, 0);
        self.code().assign(counter, ZERO);
        Ok(Instr::Bound { counter, loop_id })
    }

    fn land(&mut self, jumps: Vec<Pc>) {
        for jump in jumps {
            self.code().land(jump);
        }
    }

    // ---- Expressions ----

    /// Evaluates what stands as a statement; what it gives is dropped.
    fn effect(&mut self, expr: &Expr) -> Result<(), Error> {
        let bare = expr.bare();
        match &bare.kind {
            ExprKind::Call { function, args } => self.call(&function.name, args, None).map(drop),
            _ => self.expr(bare, None).map(drop),
        }
    }

    /// The value of an expression; in `dst` if that is given and something is computed.
    fn expr(&mut self, expr: &Expr, dst: Option<RegId>) -> Result<Operand, Error> {
        match &expr.kind {
            ExprKind::Int(value) => Ok(Operand::Const(*value)),
            ExprKind::Name(name) => Ok(self.name(name)),
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => self.expr(inner, dst),
            ExprKind::Deref(_) | ExprKind::Index { .. } => {
                let addr = self.place(expr)?;
                Ok(self.load(addr, dst))
            }
            ExprKind::Address(object) => self.address_of(object),
            ExprKind::Unary { op, operand } => {
                let value = self.expr(operand, None)?;
                Ok(self.code().op(constant::unary(*op), value, ZERO, dst))
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
                Ok(self.code().op(constant::binary(*op), a, b, dst))
            }
            ExprKind::Call { function, args } => {
                let value = self.call(&function.name, args, dst)?;
                Ok(value.expect(UNRESOLVED))
            }
        }
    }

    fn name(&mut self, name: &SmolStr) -> Operand {
        if self.body.params.contains(name)
            && let Some(address) = self.memory.address_of(name)
        {
            return Operand::Const(address);
        }
        Operand::Reg(self.body.register(name))
    }

    /// The loads on the right happen only when the left does not settle it.
    fn short_circuit(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr) -> Result<Operand, Error> {
        let settles = match op {
            BinaryOp::And => 0,
            _ => 1,
        };
        let left = self.expr(lhs, None)?;
        let left = self.code().op(Op::Ne, left, ZERO, None);
        if let Operand::Const(known) = left {
            if known == settles {
                return Ok(left);
            }
            let right = self.expr(rhs, None)?;
            return Ok(self.code().op(Op::Ne, right, ZERO, None));
        }
        let result = self.code().temp();
        self.code().assign(result, left);
        let test = match op {
            BinaryOp::And => Operand::Reg(result),
            _ => self.code().op(Op::Not, Operand::Reg(result), ZERO, None),
        };
        let done = self.code().jump_if_zero(test);
        let right = self.expr(rhs, None)?;
        self.code().op(Op::Ne, right, ZERO, Some(result));
        self.code().land(done);
        Ok(Operand::Reg(result))
    }

    /// What `*e` and `a[e]` name.
    fn place(&mut self, expr: &Expr) -> Result<Address, Error> {
        let bare = expr.bare();
        let address = match &bare.kind {
            ExprKind::Deref(address) => return self.address(address),
            ExprKind::Index { .. } => self.address_of(bare)?,
            _ => unreachable!("{UNRESOLVED}"),
        };
        self.pointer(address, bare.span)
    }

    /// The place that an address leads to.
    fn address(&mut self, expr: &Expr) -> Result<Address, Error> {
        let address = self.expr(expr, None)?;
        self.pointer(address, expr.span)
    }

    fn pointer(&self, address: Operand, span: Span) -> Result<Address, Error> {
        match address {
            Operand::Reg(_) => Ok(Address::Pointer(address)),
            Operand::Const(value) => match self.memory.location_at(value) {
                Some(loc) => Ok(Address::Fixed(loc)),
                None => Err(self.memory.no_location(value, span)),
            },
        }
    }

    /// The value of `&object`.
    fn address_of(&mut self, object: &Expr) -> Result<Operand, Error> {
        let bare = object.bare();
        match &bare.kind {
            ExprKind::Deref(address) => self.expr(address, None),
            ExprKind::Index { array, index } => {
                let array = self.expr(array, None)?;
                let index = self.expr(index, None)?;
                Ok(self.code().op(Op::Add, array, index, None))
            }
            ExprKind::Name(name) if self.body.params.contains(name) => Ok(self.name(name)),
            _ => unreachable!("{UNRESOLVED}"),
        }
    }

    fn load(&mut self, addr: Address, dst: Option<RegId>) -> Operand {
        let dst = dst.unwrap_or_else(|| self.code().temp());
        self.code().emit(Instr::Load { dst, addr });
        Operand::Reg(dst)
    }

    // ---- Calls ----

    /// What a call gives, if it gives something.
    fn call(
        &mut self,
        name: &str,
        args: &[Expr],
        dst: Option<RegId>,
    ) -> Result<Option<Operand>, Error> {
        let (word, action) = primitive(name, self.body.family).expect(UNRESOLVED);
        let mut arguments = Arguments::default();
        for (arg, argument) in args.iter().zip(word.arguments) {
            match argument.role {
                Role::Object => arguments.places.push(self.place(arg)?),
                Role::Address => arguments.places.push(self.address(arg)?),
                Role::Value => arguments.values.push(self.expr(arg, None)?),
                Role::Order => {
                    if let ExprKind::Name(order) = &arg.bare().kind {
                        arguments.order = arguments.order.or(memory_order(order));
                    }
                }
            }
        }
        Ok(self.primitive(action, &arguments, dst))
    }

    fn primitive(
        &mut self,
        action: Action,
        args: &Arguments,
        dst: Option<RegId>,
    ) -> Option<Operand> {
        match action {
            Action::Load => Some(self.load(args.places[0], dst)),
            Action::Store(ordering) => self.store(ordering, args),
            Action::OrderedStore => self.store(args.order().store(), args),
            Action::Fence(fence) => self.fence(fence),
            Action::OrderedFence => self.fence(args.order().fence()),
            Action::Update(update, gives) => self.update(update, gives, args, dst),
            Action::Cmpxchg => {
                let dst = dst.unwrap_or_else(|| self.code().temp());
                self.code().emit(Instr::Rmw {
                    dst,
                    addr: args.places[0],
                    op: RmwOp::Cas,
                    value: args.values[1],
                    expected: args.values[0],
                });
                Some(Operand::Reg(dst))
            }
            Action::CompareExchange => Some(self.compare_exchange(args)),
            Action::AddUnless => {
                let (value, unless) = (args.values[0], args.values[1]);
                Some(self.add_unless(args.places[0], value, unless))
            }
            // A lock that is held is 1, so this takes it unless it is held.
            Action::SpinTrylock => Some(self.add_unless(args.places[0], ONE, ONE)),
            Action::SpinLock => self.spin_lock(args.places[0]),
            Action::SpinUnlock => {
                self.code().emit(Instr::Fence(FenceKind::StoreStore));
                let addr = args.places[0];
                self.code().emit(Instr::Store { addr, value: ZERO });
                None
            }
            Action::SpinIsLocked => {
                let value = self.load(args.places[0], None);
                Some(self.code().op(Op::Ne, value, ZERO, dst))
            }
            Action::NotModelled(_) => unreachable!("{UNRESOLVED}"),
        }
    }

    fn store(&mut self, ordering: Ordering, args: &Arguments) -> Option<Operand> {
        let (addr, value) = (args.places[0], args.values[0]);
        match ordering {
            Ordering::Plain => {
                self.code().emit(Instr::Store { addr, value });
            }
            Ordering::Release => {
                self.code().emit(Instr::Fence(FenceKind::StoreStore));
                self.code().emit(Instr::Store { addr, value });
            }
            Ordering::ThenFull => {
                self.code().emit(Instr::Store { addr, value });
                self.code().emit(Instr::Fence(FenceKind::Full));
            }
            Ordering::Locked => {
                self.rmw(addr, RmwOp::Xchg, value, ZERO);
            }
        }
        None
    }

    fn fence(&mut self, fence: Fence) -> Option<Operand> {
        let kind = match fence {
            Fence::Full => FenceKind::Full,
            Fence::StoreStore => FenceKind::StoreStore,
            Fence::Nothing => return None,
        };
        self.code().emit(Instr::Fence(kind));
        None
    }

    /// An atomic update; the register with the old value.
    fn rmw(&mut self, addr: Address, op: RmwOp, value: Operand, expected: Operand) -> Operand {
        let dst = self.code().temp();
        self.code().emit(Instr::Rmw {
            dst,
            addr,
            op,
            value,
            expected,
        });
        Operand::Reg(dst)
    }

    fn update(
        &mut self,
        update: Update,
        gives: Gives,
        args: &Arguments,
        dst: Option<RegId>,
    ) -> Option<Operand> {
        let addr = args.places[0];
        let value = args.values.first().copied().unwrap_or(ONE);
        let value = match update {
            Update::AndNot => self.code().op(Op::Com, value, ZERO, None),
            _ => value,
        };
        let (op, local) = match update {
            Update::Exchange => (RmwOp::Xchg, Op::Mov),
            Update::Add => (RmwOp::Add, Op::Add),
            Update::Sub => (RmwOp::Sub, Op::Sub),
            Update::And | Update::AndNot => (RmwOp::And, Op::And),
            Update::Or => (RmwOp::Or, Op::Or),
            Update::Xor => (RmwOp::Xor, Op::Xor),
        };
        if gives == Gives::Old
            && let Some(dst) = dst
        {
            self.code().emit(Instr::Rmw {
                dst,
                addr,
                op,
                value,
                expected: ZERO,
            });
            return Some(Operand::Reg(dst));
        }
        let old = self.rmw(addr, op, value, ZERO);
        let new = |lowering: &mut Self, dst| match update {
            Update::Exchange => value,
            _ => lowering.code().op(local, old, value, dst),
        };
        match gives {
            Gives::Nothing => None,
            Gives::Old => Some(old),
            Gives::New => Some(new(self, dst)),
            Gives::NewIsZero => {
                let new = new(self, None);
                Some(self.code().op(Op::Eq, new, ZERO, dst))
            }
            Gives::NewIsNegative => {
                let new = new(self, None);
                Some(self.code().op(Op::Lt, new, ZERO, dst))
            }
        }
    }

    /// 1 when it added, 0 when it only read.
    fn add_unless(&mut self, addr: Address, value: Operand, unless: Operand) -> Operand {
        let old = self.rmw(addr, RmwOp::AddUnless, value, unless);
        self.code().op(Op::Ne, old, unless, None)
    }

    /// C11's: what is expected is in memory, and what is found goes there.
    fn compare_exchange(&mut self, args: &Arguments) -> Operand {
        let (addr, expected_at) = (args.places[0], args.places[1]);
        let new = args.values[0];
        let expected = self.load(expected_at, None);
        let old = self.rmw(addr, RmwOp::Cas, new, expected);
        let done = self.code().op(Op::Eq, old, expected, None);
        let failed = self.code().op(Op::Not, done, ZERO, None);
        let skip = self.code().jump_if_zero(failed);
        self.code().emit(Instr::Store {
            addr: expected_at,
            value: old,
        });
        self.code().land(skip);
        done
    }

    fn spin_lock(&mut self, addr: Address) -> Option<Operand> {
        match addr {
            Address::Fixed(loc) if self.memory.is_mutex(loc) => {
                self.code().emit(Instr::Lock(loc));
            }
            _ => {
                let old = self.rmw(addr, RmwOp::Cas, ONE, ZERO);
                let free = self.code().op(Op::Eq, old, ZERO, None);
                self.code().emit(Instr::AwaitTest(free));
            }
        }
        None
    }
}

/// The arguments of a call, by kind and in their order; name resolution has counted them.
#[derive(Default)]
struct Arguments {
    places: Vec<Address>,
    values: Vec<Operand>,
    order: Option<MemoryOrder>,
}

impl Arguments {
    fn order(&self) -> MemoryOrder {
        self.order.expect(UNRESOLVED)
    }
}
