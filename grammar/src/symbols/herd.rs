//! Names of herd's dialect: locations are global and need no declaration, registers
//! are those of x86, labels belong to their column.

use rustc_hash::{FxHashMap, FxHashSet};

use super::conditions::{self, Lookup};
use super::{Access, Builder, SymbolId};
use crate::ast::herd::*;
use crate::ast::native::Expr;
use crate::ast::register::{register_by_name, register_name, register_names, registers};
use crate::ast::*;
use crate::error::{Error, ErrorKind, NameKind};
use crate::nearest::nearest;
use crate::span::Span;

pub(crate) fn resolve(test: &Test, body: &Herd, builder: &mut Builder<'_>) {
    let mut resolver = Resolver {
        builder,
        locations: FxHashMap::default(),
        threads: FxHashMap::default(),
        registers: FxHashMap::default(),
        odd_registers: FxHashMap::default(),
        given: FxHashSet::default(),
        written: FxHashSet::default(),
        warned: FxHashSet::default(),
    };
    resolver.threads(body);
    resolver.init(body);
    resolver.table(body);
    conditions::resolve(test, &mut resolver);
}

struct Resolver<'b, 'a> {
    builder: &'b mut Builder<'a>,
    locations: FxHashMap<SmolStr, SymbolId>,
    /// By number: the symbol and the column.
    threads: FxHashMap<u32, (SymbolId, u32)>,
    /// By column and architectural register: `eax` and `rax` are one.
    registers: FxHashMap<(u32, Reg), SymbolId>,
    /// Registers that x86 does not have and the init section sets anyway.
    odd_registers: FxHashMap<(u32, SmolStr), SymbolId>,
    /// What the init section gives a value, and what instructions write.
    given: FxHashSet<(u32, Reg)>,
    written: FxHashSet<(u32, Reg)>,
    /// Asked for though nobody writes them, and told so.
    warned: FxHashSet<(u32, Reg)>,
}

impl Resolver<'_, '_> {
    fn threads(&mut self, body: &Herd) {
        for (column, thread) in body.threads.iter().enumerate() {
            if let Some(&(first, _)) = self.threads.get(&thread.number) {
                self.builder
                    .duplicate(&thread.name, NameKind::Thread, first);
                continue;
            }
            let id =
                self.builder
                    .define(&thread.name.name, NameKind::Thread, thread.name.span, None);
            self.threads.insert(thread.number, (id, column as u32));
        }
    }

    fn init(&mut self, body: &Herd) {
        // Declarations first: an address may be used before its location's entry.
        for entry in &body.init {
            if let InitTarget::Location { name, length, .. } = &entry.target {
                let list = matches!(entry.value, Some(InitValue::List { .. }));
                let kind = if length.is_some() || list {
                    NameKind::Array
                } else {
                    NameKind::Location
                };
                if let Some(&first) = self.locations.get(&name.name) {
                    self.builder.duplicate(name, kind, first);
                    continue;
                }
                let id = self.builder.define(&name.name, kind, name.span, None);
                self.locations.insert(name.name.clone(), id);
            }
        }
        for entry in &body.init {
            if let InitTarget::Register { thread, register } = &entry.target {
                self.init_register(thread, register);
            }
            if let Some(value) = &entry.value {
                self.init_value(value);
            }
        }
    }

    fn init_register(&mut self, thread: &ThreadRef, register: &Ident) {
        let Some(column) = self.column(thread) else {
            return;
        };
        if let Some((reg, _)) = register_by_name(&register.name) {
            self.given.insert((column, reg));
            self.use_register(column, register, Access::Mention);
            return;
        }
        let key = (column, register.name.clone());
        if self.odd_registers.contains_key(&key) {
            return;
        }
        let id = self.builder.define(
            &register.name,
            NameKind::Register,
            register.span,
            Some(column),
        );
        self.odd_registers.insert(key, id);
        let name = register.name.clone();
        let error = Error::new(ErrorKind::UnknownInitRegister { name }, register.span);
        self.builder.error(error);
    }

    fn init_value(&mut self, value: &InitValue) {
        match value {
            InitValue::Int(_) => {}
            InitValue::Address { name, .. } => self.use_location(name, Access::Mention),
            InitValue::List { items, .. } => {
                for item in items {
                    self.init_value(item);
                }
            }
        }
    }

    fn table(&mut self, body: &Herd) {
        // Row by row, so that the first use in the text is the definition; labels
        // before all, because jumps go forward too.
        let mut labels: FxHashMap<(u32, SmolStr), SymbolId> = FxHashMap::default();
        for row in &body.rows {
            for (column, cell) in row.cells.iter().enumerate() {
                for label in &cell.labels {
                    let key = (column as u32, label.name.clone());
                    if let Some(&first) = labels.get(&key) {
                        self.builder.duplicate(label, NameKind::Label, first);
                        continue;
                    }
                    let id = self.builder.define(
                        &label.name,
                        NameKind::Label,
                        label.span,
                        Some(column as u32),
                    );
                    labels.insert(key, id);
                }
            }
        }
        for row in &body.rows {
            for (column, cell) in row.cells.iter().enumerate() {
                if let Some(instruction) = &cell.instruction {
                    self.instruction(instruction, column as u32, &labels);
                }
            }
        }
    }

    fn instruction(
        &mut self,
        instruction: &Instruction,
        column: u32,
        labels: &FxHashMap<(u32, SmolStr), SymbolId>,
    ) {
        for (position, operand) in instruction.operands.iter().enumerate() {
            let access = instruction.word.arguments[position].access;
            match &operand.kind {
                OperandKind::Immediate(_) => {}
                OperandKind::Address(name) => self.use_location(name, Access::Mention),
                OperandKind::Register(register) => {
                    self.architectural(column, *register, access);
                }
                OperandKind::Memory(memory) => {
                    if let Some(symbol) = &memory.symbol {
                        self.use_location(symbol, access);
                    }
                    for register in [memory.base, memory.index].into_iter().flatten() {
                        self.architectural(column, register, Access::Read);
                    }
                }
                OperandKind::Label(name) => self.jump(name, column, labels),
            }
        }
        if instruction.op == Op::Cmpxchg {
            // What it finds in memory goes there, which the text does not say.
            self.written.insert((column, Reg::Rax));
        }
    }

    fn jump(&mut self, name: &Ident, column: u32, labels: &FxHashMap<(u32, SmolStr), SymbolId>) {
        match labels.get(&(column, name.name.clone())) {
            Some(&id) => self.builder.refer(id, name.span, Access::Read),
            None => {
                let kind = ErrorKind::UnknownLabel {
                    name: name.name.clone(),
                };
                let nearest = self.builder.nearest(&name.name, |symbol| {
                    symbol.kind == NameKind::Label && symbol.thread == Some(column)
                });
                let error = Error::new(kind, name.span).suggest(nearest);
                self.builder.unknown(error, &name.name, Some(column));
            }
        }
    }

    fn use_location(&mut self, name: &Ident, access: Access) {
        match self.locations.get(&name.name) {
            Some(&id) => self.builder.refer(id, name.span, access),
            None => {
                let id = self
                    .builder
                    .define(&name.name, NameKind::Location, name.span, None);
                self.locations.insert(name.name.clone(), id);
            }
        }
    }

    fn architectural(&mut self, column: u32, register: Register, access: Access) {
        let name = register_name(register.reg, register.view).unwrap_or_default();
        if matches!(access, Access::Write | Access::Update) {
            self.written.insert((column, register.reg));
        }
        self.register_symbol(column, register.reg, name, register.span, access);
    }

    fn use_register(&mut self, column: u32, register: &Ident, access: Access) {
        if let Some((reg, _)) = register_by_name(&register.name) {
            self.register_symbol(column, reg, &register.name, register.span, access);
        }
    }

    fn register_symbol(&mut self, column: u32, reg: Reg, name: &str, span: Span, access: Access) {
        match self.registers.get(&(column, reg)) {
            Some(&id) => self.builder.refer(id, span, access),
            None => {
                let name = SmolStr::new(name);
                let id = self
                    .builder
                    .define(&name, NameKind::Register, span, Some(column));
                self.registers.insert((column, reg), id);
            }
        }
    }

    /// A condition asks for a register that has one value in all executions. One warning
    /// a register: further mentions are listed with the first.
    fn never_written(&mut self, thread: &ThreadRef, key: (u32, Reg), register: &Ident, view: View) {
        let first = self.warned.insert(key);
        let (column, reg) = key;
        let kind = ErrorKind::UnwrittenRegister {
            name: register.name.clone(),
            thread: thread_name(thread),
        };
        let meant = first.then(|| self.written_instead(column, register, view));
        let warning = Error::new(kind, register.span).suggest(meant.flatten().as_deref());
        let whole = register_name(reg, View::Quad).unwrap_or(&register.name);
        let whole = SmolStr::new(whole);
        self.builder.unknown(warning, &whole, Some(column));
    }

    /// Of the registers that the thread writes, the only one or the one most like this,
    /// spelled as this is: `eax` for `ebx`, `RAX` for `RBX`.
    fn written_instead(&self, column: u32, register: &Ident, view: View) -> Option<String> {
        let names: Vec<&str> = registers()
            .filter(|&reg| self.written.contains(&(column, reg)))
            .filter_map(|reg| register_name(reg, view))
            .collect();
        let lower = register.name.to_ascii_lowercase();
        let meant = match names[..] {
            [only] => Some(only),
            _ => nearest(&lower, names.iter().copied()),
        };
        meant.map(|name| in_case_of(&register.name, name))
    }

    /// The column of a thread that a condition or the init section names.
    fn column(&mut self, thread: &ThreadRef) -> Option<u32> {
        let found = match &thread.kind {
            ThreadRefKind::Number(number) => self.threads.get(number).copied(),
            ThreadRefKind::Name { .. } => None,
        };
        if let Some((id, column)) = found {
            self.builder.refer(id, thread.span, Access::Mention);
            return Some(column);
        }
        let name = thread_name(thread);
        let nearest = self
            .builder
            .nearest(&name, |symbol| symbol.kind == NameKind::Thread);
        let kind = ErrorKind::UnknownThread { name: name.clone() };
        let error = Error::new(kind, thread.span).suggest(nearest);
        self.builder.unknown(error, &name, None);
        None
    }
}

fn thread_name(thread: &ThreadRef) -> SmolStr {
    match &thread.kind {
        ThreadRefKind::Number(number) => SmolStr::from(format!("P{number}")),
        ThreadRefKind::Name { name, .. } => name.name.clone(),
    }
}

/// A register's name in the case of another.
fn in_case_of(written: &str, name: &str) -> String {
    if written.bytes().all(|byte| !byte.is_ascii_lowercase()) {
        name.to_ascii_uppercase()
    } else {
        name.to_owned()
    }
}

impl Lookup for Resolver<'_, '_> {
    fn location(&mut self, name: &Ident, index: Option<&Expr>, _listed: bool) {
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
        if let Some(&id) = self.locations.get(&name.name) {
            self.builder.refer(id, name.span, Access::Mention);
            return;
        }
        let kind = ErrorKind::UnknownLocation {
            name: name.name.clone(),
        };
        let nearest = self.builder.nearest(&name.name, |symbol| {
            matches!(symbol.kind, NameKind::Location | NameKind::Array)
        });
        let error = Error::new(kind, name.span).suggest(nearest);
        self.builder.unknown(error, &name.name, None);
    }

    fn register(&mut self, thread: &ThreadRef, register: &Ident) {
        let Some(column) = self.column(thread) else {
            return;
        };
        // A register that no instruction touches keeps its initial value, so
        // every register of x86 can be observed.
        if let Some((reg, view)) = register_by_name(&register.name) {
            self.use_register(column, register, Access::Mention);
            let key = (column, reg);
            if !self.written.contains(&key) && !self.given.contains(&key) {
                self.never_written(thread, key, register, view);
            }
            return;
        }
        let key = (column, register.name.clone());
        if let Some(&id) = self.odd_registers.get(&key) {
            self.builder.refer(id, register.span, Access::Mention);
            return;
        }
        let lower = register.name.to_ascii_lowercase();
        let known = nearest(&lower, register_names()).map(|name| in_case_of(&register.name, name));
        let kind = ErrorKind::NoSuchRegister {
            name: register.name.clone(),
        };
        let error = Error::new(kind, register.span).suggest(known.as_deref());
        self.builder.unknown(error, &register.name, Some(column));
    }
}
