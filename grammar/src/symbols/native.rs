//! Names of the native dialect: what `shared`, `mutex`, `param` and `const` declare is
//! global, and every other name is a register of its thread.

use rustc_hash::FxHashMap;

use super::conditions::{self, Lookup};
use super::{Access, Builder, SymbolId};
use crate::ast::native::*;
use crate::ast::*;
use crate::error::{Error, ErrorKind, NameKind};
use crate::nearest::nearest;
use crate::span::Span;

pub(crate) fn resolve(test: &Test, body: &Native, builder: &mut Builder<'_>) {
    let mut resolver = Resolver {
        builder,
        globals: FxHashMap::default(),
        threads: FxHashMap::default(),
        registers: Vec::new(),
        replicated: body
            .threads
            .iter()
            .map(|thread| thread.replicas.is_some())
            .collect(),
        names: body
            .threads
            .iter()
            .map(|thread| thread.name.name.clone())
            .collect(),
        declared: u32::MAX,
    };
    resolver.declare(body);
    resolver.constants(body);
    for (index, thread) in body.threads.iter().enumerate() {
        resolver.thread(thread, index as u32);
    }
    conditions::resolve(test, &mut resolver);
    resolver.unused();
}

struct Resolver<'b, 'a> {
    builder: &'b mut Builder<'a>,
    globals: FxHashMap<SmolStr, SymbolId>,
    /// By name: the symbol and the index into the body's threads.
    threads: FxHashMap<SmolStr, (SymbolId, u32)>,
    /// Of each thread, by its index.
    registers: Vec<FxHashMap<SmolStr, SymbolId>>,
    replicated: Vec<bool>,
    names: Vec<SmolStr>,
    /// Where the declaration at hand begins; past the end behind all of them.
    declared: u32,
}

impl Resolver<'_, '_> {
    fn declare(&mut self, body: &Native) {
        for decl in &body.decls {
            for item in &decl.items {
                let kind = match decl.kind {
                    DeclKind::Shared if item.length.is_some() => NameKind::Array,
                    // `shared a = {1, 2}` has its length from its values.
                    DeclKind::Shared if matches!(item.init, Some(Init::List { .. })) => {
                        NameKind::Array
                    }
                    DeclKind::Shared => NameKind::Shared,
                    DeclKind::Mutex => NameKind::Mutex,
                    DeclKind::Param => NameKind::Param,
                    DeclKind::Const => NameKind::Const,
                };
                if let Some(&first) = self.globals.get(&item.name.name) {
                    self.builder.duplicate(&item.name, kind, first);
                    continue;
                }
                let id = self
                    .builder
                    .define(&item.name.name, kind, item.name.span, None);
                self.globals.insert(item.name.name.clone(), id);
            }
        }
        for (index, thread) in body.threads.iter().enumerate() {
            if thread.name.name.is_empty() {
                continue;
            }
            if let Some(&(first, _)) = self.threads.get(&thread.name.name) {
                self.builder
                    .duplicate(&thread.name, NameKind::Thread, first);
                continue;
            }
            let id =
                self.builder
                    .define(&thread.name.name, NameKind::Thread, thread.name.span, None);
            self.threads
                .insert(thread.name.name.clone(), (id, index as u32));
        }
    }

    /// What must be known before the test runs: lengths, initial values, numbers of threads.
    fn constants(&mut self, body: &Native) {
        for decl in &body.decls {
            for item in &decl.items {
                self.declared = item.name.span.start;
                if let Some(length) = &item.length {
                    self.constant(length);
                }
                match &item.init {
                    Some(Init::Expr(expr)) => self.constant(expr),
                    Some(Init::List { items, .. }) => {
                        for expr in items {
                            self.constant(expr);
                        }
                    }
                    None => {}
                }
            }
        }
        self.declared = u32::MAX;
        for thread in &body.threads {
            if let Some(replicas) = &thread.replicas {
                self.constant(&replicas.from);
                self.constant(&replicas.to);
            }
        }
    }

    fn constant(&mut self, expr: &Expr) {
        expr.places(&mut |place| self.constant_name(place));
    }

    fn constant_name(&mut self, place: &Place) {
        let name = &place.name;
        let known = self.globals.get(&name.name).copied();
        let Some(id) = known.filter(|&id| self.is_declared(id)) else {
            let kind = ErrorKind::UnknownName {
                name: name.name.clone(),
                thread: None,
            };
            let nearest = self.builder.nearest(&name.name, |symbol| {
                matches!(symbol.kind, NameKind::Param | NameKind::Const)
            });
            let error = Error::new(kind, name.span).suggest(nearest);
            self.builder.unknown(error, &name.name, None);
            return;
        };
        self.builder.refer(id, name.span, Access::Read);
        let symbol = self.builder.get(id);
        if !matches!(symbol.kind, NameKind::Param | NameKind::Const) {
            let kind = ErrorKind::NotConstant {
                name: name.name.clone(),
                kind: symbol.kind,
            };
            let error = Error::new(kind, name.span).related(symbol.definition, "declared here");
            self.builder.error(error);
        } else if place.index.is_some() {
            self.no_array(name, false);
        }
    }

    /// A constant's value is known only to what is declared after it.
    fn is_declared(&self, id: SymbolId) -> bool {
        let symbol = self.builder.get(id);
        let constant = matches!(symbol.kind, NameKind::Param | NameKind::Const);
        !constant || symbol.definition.start < self.declared
    }

    fn not_shared(&mut self, name: &Ident, kind: NameKind) {
        let kind = ErrorKind::WrongKind {
            name: name.name.clone(),
            kind,
            wanted: "a shared variable",
        };
        self.builder.error(Error::new(kind, name.span));
    }

    fn no_array(&mut self, name: &Ident, is_array: bool) {
        let kind = ErrorKind::ArrayMismatch {
            name: name.name.clone(),
            is_array,
        };
        self.builder
            .unknown(Error::new(kind, name.span), &name.name, None);
    }

    fn thread(&mut self, thread: &Thread, index: u32) {
        let mut body = Body {
            resolver: self,
            name: thread.name.name.clone(),
            index,
            registers: FxHashMap::default(),
            indices: Vec::new(),
            reads: Vec::new(),
            loops: 0,
        };
        if let Some(replicas) = &thread.replicas {
            body.push_index(&replicas.variable);
        }
        body.block(&thread.body);
        body.late_reads();
        let registers = body.registers;
        self.registers.push(registers);
    }

    /// Declarations that nothing uses. With any error about, the use may be what is wrong.
    fn unused(&mut self) {
        if !self.builder.errors.is_empty() {
            return;
        }
        let mut unused: Vec<SymbolId> = self
            .globals
            .values()
            .copied()
            .filter(|&id| self.builder.get(id).references.is_empty())
            .collect();
        unused.sort_unstable();
        for id in unused {
            let symbol = self.builder.get(id);
            let kind = ErrorKind::Unused {
                name: symbol.name.clone(),
                kind: symbol.kind,
            };
            let error = Error::new(kind, symbol.definition);
            self.builder.error(error);
        }
    }
}

/// The names of one thread while its statements are walked.
struct Body<'r, 'b, 'a> {
    resolver: &'r mut Resolver<'b, 'a>,
    name: SmolStr,
    index: u32,
    registers: FxHashMap<SmolStr, SymbolId>,
    /// The loops around the place at hand that have a variable, and the thread's own.
    indices: Vec<(SmolStr, SymbolId)>,
    /// Reads of names that no assignment was seen for yet.
    reads: Vec<Ident>,
    loops: usize,
}

impl Body<'_, '_, '_> {
    fn push_index(&mut self, variable: &Ident) {
        if let Some(&first) = self.resolver.globals.get(&variable.name) {
            self.resolver
                .builder
                .duplicate(variable, NameKind::Index, first);
        }
        let id = self.resolver.builder.define(
            &variable.name,
            NameKind::Index,
            variable.span,
            Some(self.index),
        );
        self.indices.push((variable.name.clone(), id));
    }

    /// A loop's variable or a global; a register is neither.
    fn lookup(&self, name: &SmolStr) -> Option<SymbolId> {
        let index = self.indices.iter().rev().find(|(known, _)| known == name);
        index
            .map(|(_, id)| *id)
            .or_else(|| self.resolver.globals.get(name).copied())
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                self.expr(value);
                self.assign(target);
            }
            StmtKind::Atomic {
                target,
                place,
                args,
                ..
            } => {
                self.update(place);
                args.iter().for_each(|arg| self.expr(arg));
                if let Some(target) = target {
                    self.assign(target);
                }
            }
            StmtKind::Lock(mutex) | StmtKind::Unlock(mutex) => self.mutex(mutex),
            StmtKind::Assert(expr) | StmtKind::Assume(expr) | StmtKind::Await(expr) => {
                self.expr(expr);
            }
            StmtKind::If { arms, otherwise } => {
                for arm in arms {
                    self.expr(&arm.cond);
                    self.block(&arm.body);
                }
                if let Some(block) = otherwise {
                    self.block(block);
                }
            }
            StmtKind::While { cond, max, body } => {
                self.expr(cond);
                if let Some(max) = max {
                    self.expr(max);
                }
                self.looping(body);
            }
            StmtKind::For {
                variable,
                from,
                to,
                body,
            } => {
                self.expr(from);
                self.expr(to);
                self.push_index(variable);
                self.looping(body);
                self.indices.pop();
            }
            StmtKind::Repeat { count, body } => {
                self.expr(count);
                self.looping(body);
            }
            StmtKind::Break => self.in_loop("break", stmt.span),
            StmtKind::Continue => self.in_loop("continue", stmt.span),
            StmtKind::Block(block) => self.block(block),
            StmtKind::Fence(_) | StmtKind::Return | StmtKind::Error => {}
        }
    }

    fn looping(&mut self, body: &Block) {
        self.loops += 1;
        self.block(body);
        self.loops -= 1;
    }

    fn in_loop(&mut self, word: &'static str, span: Span) {
        // A damaged thread may have lost the loop's head.
        let damaged = self
            .resolver
            .builder
            .damage
            .threads
            .contains(&(self.index as usize));
        if self.loops == 0 && !damaged {
            let error = Error::new(ErrorKind::OutsideLoop { word }, span);
            self.resolver.builder.error(error);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        expr.places(&mut |place| self.read(place));
    }

    fn read(&mut self, place: &Place) {
        let name = &place.name;
        if let Some(id) = self.lookup(&name.name) {
            self.resolver.builder.refer(id, name.span, Access::Read);
            self.shape(place, id, "a value");
        } else if place.index.is_some() {
            self.unknown_array(name);
        } else if let Some(&id) = self.registers.get(&name.name) {
            self.resolver.builder.refer(id, name.span, Access::Read);
        } else {
            self.reads.push(name.clone());
        }
    }

    /// Whether the index fits the declaration, and a mutex is used as one.
    fn shape(&mut self, place: &Place, id: SymbolId, wanted: &'static str) {
        let kind = self.resolver.builder.get(id).kind;
        match (kind, place.index.is_some()) {
            (NameKind::Array, false) => self.resolver.no_array(&place.name, true),
            (NameKind::Mutex, _) => self.wrong_kind(&place.name, id, wanted),
            (NameKind::Array, true) | (_, false) => {}
            (_, true) => self.resolver.no_array(&place.name, false),
        }
    }

    fn wrong_kind(&mut self, name: &Ident, id: SymbolId, wanted: &'static str) {
        let symbol = self.resolver.builder.get(id);
        let kind = ErrorKind::WrongKind {
            name: name.name.clone(),
            kind: symbol.kind,
            wanted,
        };
        let error = Error::new(kind, name.span).related(symbol.definition, "declared here");
        self.resolver.builder.error(error);
    }

    fn assign(&mut self, place: &Place) {
        if let Some(index) = &place.index {
            self.expr(index);
        }
        let name = &place.name;
        if let Some(id) = self.lookup(&name.name) {
            self.resolver.builder.refer(id, name.span, Access::Write);
            match self.resolver.builder.get(id).kind {
                NameKind::Shared | NameKind::Array => self.shape(place, id, ""),
                _ => self.wrong_kind(name, id, "a shared variable or a register"),
            }
        } else if place.index.is_some() {
            self.unknown_array(name);
        } else if let Some(&id) = self.registers.get(&name.name) {
            self.resolver.builder.refer(id, name.span, Access::Write);
        } else {
            let id = self.resolver.builder.define(
                &name.name,
                NameKind::Register,
                name.span,
                Some(self.index),
            );
            self.registers.insert(name.name.clone(), id);
        }
    }

    fn unknown_array(&mut self, name: &Ident) {
        let nearest = self
            .resolver
            .builder
            .nearest(&name.name, |symbol| symbol.kind == NameKind::Array);
        let kind = ErrorKind::UnknownName {
            name: name.name.clone(),
            thread: None,
        };
        let error = Error::new(kind, name.span).suggest(nearest);
        self.resolver.builder.unknown(error, &name.name, None);
    }

    /// The place of an atomic operation.
    fn update(&mut self, place: &Place) {
        if let Some(index) = &place.index {
            self.expr(index);
        }
        let name = &place.name;
        match self.lookup(&name.name) {
            Some(id) => {
                self.resolver.builder.refer(id, name.span, Access::Update);
                match self.resolver.builder.get(id).kind {
                    NameKind::Shared | NameKind::Array => self.shape(place, id, ""),
                    _ => self.wrong_kind(name, id, "a shared variable"),
                }
            }
            None => self.unknown_global(name, |kind| {
                matches!(kind, NameKind::Shared | NameKind::Array)
            }),
        }
    }

    fn mutex(&mut self, name: &Ident) {
        match self.lookup(&name.name) {
            Some(id) => {
                self.resolver.builder.refer(id, name.span, Access::Update);
                if self.resolver.builder.get(id).kind != NameKind::Mutex {
                    self.wrong_kind(name, id, "a mutex");
                }
            }
            None => self.unknown_global(name, |kind| kind == NameKind::Mutex),
        }
    }

    fn unknown_global(&mut self, name: &Ident, accept: impl Fn(NameKind) -> bool) {
        let nearest = self
            .resolver
            .builder
            .nearest(&name.name, |symbol| accept(symbol.kind));
        let kind = ErrorKind::UnknownName {
            name: name.name.clone(),
            thread: None,
        };
        let error = Error::new(kind, name.span).suggest(nearest);
        self.resolver.builder.unknown(error, &name.name, None);
    }

    /// Reads that came before the first assignment, or that have none at all.
    fn late_reads(&mut self) {
        for name in std::mem::take(&mut self.reads) {
            if let Some(&id) = self.registers.get(&name.name) {
                self.resolver.builder.refer(id, name.span, Access::Read);
                continue;
            }
            let thread = Some(self.index);
            let nearest = self.resolver.builder.nearest(&name.name, |symbol| {
                symbol.thread == thread
                    || matches!(
                        symbol.kind,
                        NameKind::Shared | NameKind::Param | NameKind::Const
                    )
            });
            let kind = ErrorKind::UnknownName {
                name: name.name.clone(),
                thread: Some(self.name.clone()),
            };
            let error = Error::new(kind, name.span).suggest(nearest);
            self.resolver.builder.unknown(error, &name.name, thread);
        }
    }
}

impl Lookup for Resolver<'_, '_> {
    fn location(&mut self, name: &Ident, index: Option<&Expr>, listed: bool) {
        if let Some(index) = index {
            self.constant(index);
        }
        let Some(&id) = self.globals.get(&name.name) else {
            let kind = ErrorKind::UnknownLocation {
                name: name.name.clone(),
            };
            let known = self.builder.nearest(&name.name, |symbol| {
                matches!(symbol.kind, NameKind::Shared | NameKind::Array)
            });
            // Most often the thread before a register was forgotten.
            let owner = self
                .registers
                .iter()
                .position(|registers| registers.contains_key(&name.name));
            let qualified = owner.map(|thread| {
                let brackets = if self.replicated[thread] { "[0]" } else { "" };
                format!("{}{brackets}:{}", self.names[thread], name.name)
            });
            let error = Error::new(kind, name.span).suggest(qualified.as_deref().or(known));
            self.builder.unknown(error, &name.name, None);
            return;
        };
        self.builder.refer(id, name.span, Access::Mention);
        let kind = self.builder.get(id).kind;
        match (kind, index.is_some()) {
            (NameKind::Array, false) => self.no_array(name, true),
            (NameKind::Array, true) => {}
            (NameKind::Mutex, _) => self.not_shared(name, kind),
            (NameKind::Param | NameKind::Const, false) if listed => self.not_shared(name, kind),
            (_, false) => {}
            (_, true) => self.no_array(name, false),
        }
    }

    fn register(&mut self, thread: &ThreadRef, register: &Ident) {
        let (name, index) = match &thread.kind {
            ThreadRefKind::Name { name, index } => (name, index),
            // herd's habit: threads have names here.
            ThreadRefKind::Number(number) => {
                let named = self.names.get(*number as usize).map(|name| name.as_str());
                let name = SmolStr::from(number.to_string());
                let kind = ErrorKind::UnknownThread { name: name.clone() };
                let error = Error::new(kind, thread.span).suggest(named);
                self.builder.unknown(error, &name, None);
                return;
            }
        };
        if let Some(index) = index {
            self.constant(index);
        }
        let Some(&(id, number)) = self.threads.get(&name.name) else {
            let kind = ErrorKind::UnknownThread {
                name: name.name.clone(),
            };
            let nearest = self
                .builder
                .nearest(&name.name, |symbol| symbol.kind == NameKind::Thread);
            let error = Error::new(kind, name.span).suggest(nearest);
            self.builder.unknown(error, &name.name, None);
            return;
        };
        self.builder.refer(id, name.span, Access::Mention);
        let replicated = self.replicated[number as usize];
        if replicated != index.is_some() {
            // `W:r` when there are `W[0]`, `W[1]`, …, or `P0[1]:r` when there is one `P0`.
            let kind = ErrorKind::UnknownThread {
                name: if replicated {
                    name.name.clone()
                } else {
                    SmolStr::from(format!("{}[…]", name.name))
                },
            };
            let instead = if replicated {
                format!("{}[0]", name.name)
            } else {
                name.name.to_string()
            };
            let error = Error::new(kind, thread.span).suggest(Some(&instead));
            self.builder.unknown(error, &name.name, Some(number));
        }
        let registers = &self.registers[number as usize];
        match registers.get(&register.name) {
            Some(&id) => self.builder.refer(id, register.span, Access::Mention),
            None => {
                let kind = ErrorKind::UnknownRegister {
                    name: register.name.clone(),
                    thread: name.name.clone(),
                };
                let nearest = nearest(&register.name, registers.keys().map(|name| name.as_str()));
                let error = Error::new(kind, register.span).suggest(nearest);
                self.builder.unknown(error, &register.name, Some(number));
            }
        }
    }
}
