//! Names of the C dialect, and what is wrong with its calls.
//!
//! A name that is a parameter of the thread is a location; every other name is a register
//! of the thread, declared or not. So a location that was forgotten among the parameters is
//! a register that nobody writes: legal, and never meant.

use rustc_hash::{FxHashMap, FxHashSet};

use super::conditions::{self, Lookup};
use super::{Access, Builder, SymbolId};
use crate::ast::c::*;
use crate::ast::herd::{InitEntry, InitTarget, InitValue};
use crate::ast::*;
use crate::error::{Error, ErrorKind, NameKind};
use crate::nearest::nearest;
use crate::span::Span;
use crate::words::Role;
use crate::words::c::{Action, C11, KERNEL, ORDERS, RCU, memory_order, primitive};

pub(crate) fn resolve(test: &Test, body: &C, builder: &mut Builder<'_>) {
    let mut resolver = Resolver {
        builder,
        body,
        locations: FxHashMap::default(),
        threads: FxHashMap::default(),
        registers: FxHashMap::default(),
        written: FxHashSet::default(),
        params: FxHashMap::default(),
        thread: 0,
        loops: 0,
    };
    resolver.threads();
    resolver.init();
    resolver.parameters();
    for (index, function) in body.functions.iter().enumerate() {
        resolver.function(index as u32, function);
    }
    conditions::resolve(test, &mut resolver);
    resolver.forgotten();
}

struct Resolver<'b, 'a, 't> {
    builder: &'b mut Builder<'a>,
    body: &'t C,
    locations: FxHashMap<SmolStr, SymbolId>,
    /// By number: the symbol and the index of the function.
    threads: FxHashMap<u32, (SymbolId, u32)>,
    /// By thread and name.
    registers: FxHashMap<(u32, SmolStr), SymbolId>,
    /// Those that a thread assigns or declares, or the init section sets.
    written: FxHashSet<SymbolId>,
    /// The locations of the thread at hand, and whether it uses them.
    params: FxHashMap<SmolStr, (SymbolId, bool)>,
    thread: u32,
    /// How many are around the statement at hand.
    loops: u32,
}

/// Whether an expression's value is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Value,
    Nothing,
}

impl Resolver<'_, '_, '_> {
    fn threads(&mut self) {
        for (index, function) in self.body.functions.iter().enumerate() {
            let name = &function.name;
            if let Some(&(first, _)) = self.threads.get(&function.number) {
                self.builder.duplicate(name, NameKind::Thread, first);
                continue;
            }
            let id = self
                .builder
                .define(&name.name, NameKind::Thread, name.span, None);
            self.threads.insert(function.number, (id, index as u32));
        }
    }

    // ---- The init section ----

    fn init(&mut self) {
        let body = self.body;
        // Declarations first: an address may be used before its location's entry.
        for entry in &body.init {
            self.check_type(entry.ty.as_ref());
            if let InitTarget::Location { name, .. } = &entry.target {
                self.init_location(entry, name);
            }
        }
        for entry in &body.init {
            if let InitTarget::Register { thread, register } = &entry.target
                && let Some(thread) = self.function_of(thread)
            {
                let id = self.register(thread, &register.name, register.span, Access::Mention);
                self.written.insert(id);
            }
            if let Some(value) = &entry.value {
                self.init_value(value);
            }
        }
    }

    fn init_location(&mut self, entry: &InitEntry, name: &Ident) {
        let length = matches!(
            entry.target,
            InitTarget::Location {
                length: Some(_),
                ..
            }
        );
        let kind = if length || matches!(entry.value, Some(InitValue::List { .. })) {
            NameKind::Array
        } else {
            NameKind::Location
        };
        match self.locations.get(&name.name) {
            // `int x; x = 1;` declares and then sets it.
            Some(&first) if entry.ty.is_none() && kind == NameKind::Location => {
                self.builder.refer(first, name.span, Access::Mention);
            }
            Some(&first) => self.builder.duplicate(name, kind, first),
            None => {
                let id = self.builder.define(&name.name, kind, name.span, None);
                self.locations.insert(name.name.clone(), id);
            }
        }
    }

    fn init_value(&mut self, value: &InitValue) {
        match value {
            InitValue::Int(_) => {}
            InitValue::Address { name, .. } => {
                self.use_location(name, Access::Mention);
            }
            InitValue::List { items, .. } => {
                items.iter().for_each(|item| self.init_value(item));
            }
        }
    }

    /// The first mention of a location is its definition.
    fn use_location(&mut self, name: &Ident, access: Access) -> SymbolId {
        if let Some(&id) = self.locations.get(&name.name) {
            self.builder.refer(id, name.span, access);
            return id;
        }
        let id = self
            .builder
            .define(&name.name, NameKind::Location, name.span, None);
        self.locations.insert(name.name.clone(), id);
        id
    }

    /// Types mean nothing, but for those that are larger than a value is.
    fn check_type(&mut self, ty: Option<&Ident>) {
        if let Some(ty) = ty
            && ty.name.contains("int128")
        {
            let words = ty.name.split(' ').find(|word| word.contains("int128"));
            let name = SmolStr::new(words.unwrap_or(&ty.name));
            self.not_modelled(&name, ty.span, "values have 64 bits");
        }
    }

    fn not_modelled(&mut self, name: &SmolStr, span: Span, why: &'static str) {
        let kind = ErrorKind::NotModelled {
            name: name.clone(),
            why,
        };
        self.builder.once(Error::new(kind, span), name, None);
    }

    // ---- Functions ----

    /// All of them before any code, so that all locations are known there.
    fn parameters(&mut self) {
        let body = self.body;
        for function in &body.functions {
            for param in &function.params {
                self.check_type(Some(&param.ty));
                self.use_location(&param.name, Access::Mention);
            }
        }
    }

    fn function(&mut self, thread: u32, function: &Function) {
        self.thread = thread;
        self.params.clear();
        for param in &function.params {
            let Some(&id) = self.locations.get(&param.name.name) else {
                continue;
            };
            if self
                .params
                .insert(param.name.name.clone(), (id, false))
                .is_some()
            {
                self.builder.duplicate(&param.name, NameKind::Param, id);
            }
        }
        self.stmts(&function.body.stmts);
        let damaged = self.builder.damage.threads.contains(&(thread as usize));
        for param in &function.params {
            let used = self
                .params
                .get(&param.name.name)
                .is_none_or(|(_, used)| *used);
            if !used && !damaged {
                let kind = ErrorKind::Unused {
                    name: param.name.name.clone(),
                    kind: NameKind::Param,
                };
                self.builder.error(Error::new(kind, param.name.span));
            }
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { ty, items } => {
                self.check_type(Some(ty));
                for item in items {
                    if let Some(value) = &item.value {
                        self.expr(value, Wanted::Value);
                    }
                    self.declare(&item.name);
                }
            }
            StmtKind::Assign { target, value } => {
                // The value is read first, but a register's first mention defines it.
                self.target(target);
                self.expr(value, Wanted::Value);
            }
            StmtKind::Expr(expr) => self.expr(expr, Wanted::Nothing),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                self.expr(cond, Wanted::Value);
                self.stmt(then);
                if let Some(otherwise) = otherwise {
                    self.stmt(&otherwise.stmt);
                }
            }
            StmtKind::While { cond, body } => {
                self.expr(cond, Wanted::Value);
                self.loops += 1;
                self.stmt(body);
                self.loops -= 1;
            }
            StmtKind::Break | StmtKind::Continue if self.loops == 0 => {
                let word = match stmt.kind {
                    StmtKind::Break => "break",
                    _ => "continue",
                };
                let kind = ErrorKind::OutsideLoop { word };
                self.builder.error(Error::new(kind, stmt.span));
            }
            StmtKind::Block(block) => self.stmts(&block.stmts),
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Empty
            | StmtKind::Error => {}
        }
    }

    fn declare(&mut self, name: &Ident) {
        if let Some(&(id, _)) = self.params.get(&name.name) {
            self.builder.duplicate(name, NameKind::Register, id);
            return;
        }
        let id = self.register(self.thread, &name.name, name.span, Access::Write);
        self.written.insert(id);
    }

    /// What stands on the left of `=`.
    fn target(&mut self, target: &Expr) {
        let bare = target.bare();
        match &bare.kind {
            ExprKind::Name(name) => {
                if let Some((_, used)) = self.params.get_mut(name) {
                    *used = true;
                    let kind = ErrorKind::WrongKind {
                        name: name.clone(),
                        kind: NameKind::Param,
                        wanted: "a register or a location",
                    };
                    let fix = format!("*{name}");
                    self.builder
                        .error(Error::new(kind, bare.span).suggest(Some(&fix)));
                    return;
                }
                let id = self.register(self.thread, name, bare.span, Access::Write);
                self.written.insert(id);
            }
            ExprKind::Deref(address) => self.address(address, Access::Write),
            ExprKind::Index { array, index } => {
                self.address(array, Access::Write);
                self.expr(index, Wanted::Value);
            }
            _ => {
                self.expr(bare, Wanted::Value);
                self.wrong(bare.span, "a register or a location, as `*x`,");
            }
        }
    }

    fn wrong(&mut self, span: Span, wanted: &'static str) {
        let kind = ErrorKind::WrongExpression { wanted };
        self.builder.error(Error::new(kind, span));
    }

    /// An expression whose value is an address that is accessed.
    fn address(&mut self, expr: &Expr, access: Access) {
        let bare = expr.bare();
        match &bare.kind {
            ExprKind::Name(name) => {
                if !self.use_param(name, bare.span, access) {
                    self.register(self.thread, name, bare.span, Access::Read);
                }
            }
            ExprKind::Address(object) => self.object(object, access),
            ExprKind::Binary { lhs, rhs, .. } => {
                self.address(lhs, access);
                self.expr(rhs, Wanted::Value);
            }
            _ => self.expr(bare, Wanted::Value),
        }
    }

    /// A location itself: `*x`, `a[1]`, and `x` behind `&`.
    fn object(&mut self, expr: &Expr, access: Access) {
        let bare = expr.bare();
        match &bare.kind {
            ExprKind::Deref(address) => self.address(address, access),
            ExprKind::Index { array, index } => {
                self.address(array, access);
                self.expr(index, Wanted::Value);
            }
            ExprKind::Name(name) if self.use_param(name, bare.span, access) => {}
            _ => {
                self.expr(bare, Wanted::Value);
                self.wrong(bare.span, "a location, as `*x`,");
            }
        }
    }

    fn use_param(&mut self, name: &SmolStr, span: Span, access: Access) -> bool {
        let Some((id, used)) = self.params.get_mut(name) else {
            return false;
        };
        *used = true;
        self.builder.refer(*id, span, access);
        true
    }

    fn expr(&mut self, expr: &Expr, wanted: Wanted) {
        match &expr.kind {
            ExprKind::Int(_) => {}
            ExprKind::Name(name) => {
                if !self.use_param(name, expr.span, Access::Mention) {
                    self.register(self.thread, name, expr.span, Access::Read);
                }
            }
            ExprKind::Deref(address) => self.address(address, Access::Read),
            ExprKind::Index { array, index } => {
                self.address(array, Access::Read);
                self.expr(index, Wanted::Value);
            }
            ExprKind::Address(object) => self.object(object, Access::Mention),
            ExprKind::Unary { operand, .. } => self.expr(operand, Wanted::Value),
            ExprKind::Cast { ty, operand, .. } => {
                self.check_type(Some(ty));
                let wanted = if ty.name == "void" {
                    Wanted::Nothing
                } else {
                    wanted
                };
                self.expr(operand, wanted);
            }
            ExprKind::Paren(inner) => self.expr(inner, wanted),
            ExprKind::Binary { lhs, rhs, .. } => {
                self.expr(lhs, Wanted::Value);
                self.expr(rhs, Wanted::Value);
            }
            ExprKind::Call { function, args } => self.call(expr.span, function, args, wanted),
        }
    }

    fn call(&mut self, span: Span, function: &Ident, args: &[Expr], wanted: Wanted) {
        let Some((word, action)) = primitive(&function.name, self.body.family) else {
            self.unknown_function(function);
            args.iter().for_each(|arg| self.expr(arg, Wanted::Value));
            return;
        };
        if let Action::NotModelled(why) = action {
            self.not_modelled(&function.name, function.span, why);
        } else if args.len() != word.arguments.len() {
            let kind = ErrorKind::ArgumentCount {
                function: function.name.clone(),
                found: args.len(),
                expected: word.arguments.len(),
            };
            self.builder.error(Error::new(kind, span));
        } else if wanted == Wanted::Value && action.gives().is_none() {
            let function = function.name.clone();
            self.builder
                .error(Error::new(ErrorKind::NoValue { function }, span));
        }
        for (i, arg) in args.iter().enumerate() {
            let Some(argument) = word.arguments.get(i) else {
                self.expr(arg, Wanted::Value);
                continue;
            };
            match argument.role {
                Role::Object => self.argument_object(arg, argument.access),
                Role::Address => self.address(arg, argument.access),
                Role::Order => self.order(arg),
                Role::Value => self.expr(arg, Wanted::Value),
            }
        }
    }

    /// `READ_ONCE(x)` is legal C and never meant.
    fn argument_object(&mut self, arg: &Expr, access: Access) {
        let bare = arg.bare();
        if let ExprKind::Name(name) = &bare.kind {
            let fix = format!("*{name}");
            if !self.use_param(name, bare.span, access) {
                self.register(self.thread, name, bare.span, Access::Read);
            }
            let wanted = "a location, as `*x`,";
            let kind = ErrorKind::WrongExpression { wanted };
            let error = Error::new(kind, bare.span).suggest(Some(&fix));
            self.builder.error(error);
            return;
        }
        self.object(arg, access);
    }

    fn order(&mut self, arg: &Expr) {
        let bare = arg.bare();
        let (name, near) = match &bare.kind {
            ExprKind::Name(name) => (
                name.as_str(),
                nearest(name, ORDERS.iter().map(|word| word.text)),
            ),
            _ => ("", None),
        };
        if memory_order(name).is_none() {
            let wanted = "a memory order, as `memory_order_relaxed`,";
            let kind = ErrorKind::WrongExpression { wanted };
            let error = Error::new(kind, bare.span).suggest(near);
            self.builder.error(error);
        }
    }

    fn unknown_function(&mut self, function: &Ident) {
        // What the kernel calls so waits for others, whatever the rest of its name.
        let rcu = ["rcu_", "srcu_", "synchronize_", "call_rcu", "call_srcu"];
        if rcu.iter().any(|start| function.name.starts_with(start)) {
            return self.not_modelled(&function.name, function.span, RCU);
        }
        let kind = ErrorKind::UnknownFunction {
            found: function.name.clone(),
        };
        let near = nearest(
            &function.name,
            KERNEL.iter().chain(C11).map(|word| word.text),
        );
        let error = Error::new(kind, function.span).suggest(near);
        self.builder
            .unknown(error, &function.name, Some(self.thread));
    }

    /// A register by its name; its first mention is its definition.
    fn register(&mut self, thread: u32, name: &SmolStr, span: Span, access: Access) -> SymbolId {
        if let Some(&id) = self.registers.get(&(thread, name.clone())) {
            self.builder.refer(id, span, access);
            return id;
        }
        let id = self
            .builder
            .define(name, NameKind::Register, span, Some(thread));
        self.registers.insert((thread, name.clone()), id);
        id
    }

    /// The index of the function that a condition or the init section names.
    fn function_of(&mut self, thread: &ThreadRef) -> Option<u32> {
        let (found, name) = match &thread.kind {
            ThreadRefKind::Number(number) => (
                self.threads.get(number).copied(),
                SmolStr::from(format!("P{number}")),
            ),
            ThreadRefKind::Name { name, .. } => (None, name.name.clone()),
        };
        if let Some((id, index)) = found {
            self.builder.refer(id, thread.span, Access::Mention);
            return Some(index);
        }
        let nearest = self
            .builder
            .nearest(&name, |symbol| symbol.kind == NameKind::Thread);
        let kind = ErrorKind::UnknownThread { name: name.clone() };
        let error = Error::new(kind, thread.span).suggest(nearest);
        self.builder.unknown(error, &name, None);
        None
    }

    /// Registers that nobody writes and that are called like a location.
    fn forgotten(&mut self) {
        let mut found: Vec<(SymbolId, u32, SmolStr)> = self
            .registers
            .iter()
            .filter(|((_, name), id)| {
                !self.written.contains(id) && self.locations.contains_key(name)
            })
            .map(|((thread, name), id)| (*id, *thread, name.clone()))
            .collect();
        found.sort_unstable();
        for (id, thread, name) in found {
            let function = &self.body.functions[thread as usize];
            // A condition may name what the thread does not.
            let place = self.builder.get(id).definition;
            if !function.span.contains(place) {
                continue;
            }
            let ty = self.type_of(&name);
            let fix = if function.params.is_empty() {
                format!("{ty}{name}")
            } else {
                format!(", {ty}{name}")
            };
            let kind = ErrorKind::ForgottenParameter {
                name: name.clone(),
                thread: function.name.name.clone(),
            };
            let at = Span::at(function.params_span.end.saturating_sub(1));
            let error = Error::new(kind, place).suggest_at(at, Some(&fix));
            self.builder.unknown(error, &name, Some(thread));
        }
    }

    /// The type that another thread's parameter of that name has, with the blank that a name
    /// needs before it.
    fn type_of(&self, name: &str) -> String {
        let mut params = self.body.functions.iter().flat_map(|f| &f.params);
        let ty = params
            .find(|param| param.name.name == name && !param.ty.name.is_empty())
            .map_or("int *", |param| param.ty.name.as_str());
        let stars = ty.len() - ty.trim_end_matches([' ', '*']).len();
        let (words, stars) = ty.split_at(ty.len() - stars);
        format!("{words} {}", stars.replace(' ', ""))
    }
}

impl Lookup for Resolver<'_, '_, '_> {
    fn location(&mut self, name: &Ident, index: Option<&native::Expr>, _listed: bool) {
        if let Some(index) = index {
            // There are no constants that it could name.
            index.places(&mut |place| {
                let name = place.name.name.clone();
                let kind = ErrorKind::UnknownName {
                    name: name.clone(),
                    thread: None,
                };
                let error = Error::new(kind, place.span);
                self.builder.unknown(error, &name, None);
            });
        }
        self.use_location(name, Access::Mention);
    }

    fn register(&mut self, thread: &ThreadRef, register: &Ident) {
        let Some(index) = self.function_of(thread) else {
            return;
        };
        let key = (index, register.name.clone());
        let known = self
            .registers
            .get(&key)
            .is_some_and(|id| self.written.contains(id));
        Resolver::register(self, index, &register.name, register.span, Access::Mention);
        if !known {
            let name = &register.name;
            let thread = self.body.functions[index as usize].name.name.clone();
            let near = self.builder.nearest(name, |symbol| {
                symbol.kind == NameKind::Register
                    && symbol.thread == Some(index)
                    && symbol.name != *name
            });
            let kind = ErrorKind::UnwrittenRegister {
                name: name.clone(),
                thread,
            };
            let warning = Error::new(kind, register.span).suggest(near);
            self.builder.unknown(warning, name, Some(index));
        }
    }
}
