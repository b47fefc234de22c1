//! Lowers the native dialect: declarations, replicated threads, the names in conditions.

use rustc_hash::FxHashMap;

use fencepost_grammar::ast::native::{DeclKind, Declarator, Expr, Init, Native, Thread};
use fencepost_grammar::ast::{Observable, ObservableKind, SmolStr, Test, ThreadRef, ThreadRefKind};
use fencepost_grammar::error::NameKind;
use fencepost_grammar::{Error, ErrorKind, Span};

use super::body::Body;
use super::condition::{self, Named, Names, Side};
use super::constant::{self, Known};
use super::{
    LowerOptions, MAX_INSTRUCTIONS, MAX_LOCATIONS, MAX_THREADS, UNREAD, UNRESOLVED, add_location,
    check_mutexes, range, too_many,
};
use crate::program::{
    LocId, Location, LocationKind, Param, Place as FinalPlace, Program, RegId, ThreadId, Value,
};

/// What a global name is.
#[derive(Clone, Copy)]
pub enum Global {
    Shared(LocId),
    Array { first: LocId, len: u16 },
    Mutex(LocId),
    Param(Value),
    Const(Value),
}

impl Global {
    pub fn kind(self) -> NameKind {
        match self {
            Global::Shared(_) => NameKind::Shared,
            Global::Array { .. } => NameKind::Array,
            Global::Mutex(_) => NameKind::Mutex,
            Global::Param(_) => NameKind::Param,
            Global::Const(_) => NameKind::Const,
        }
    }
}

pub type Globals = FxHashMap<SmolStr, Global>;

pub fn known(globals: &Globals, name: &str) -> Known {
    match globals.get(name) {
        Some(Global::Param(value) | Global::Const(value)) => Known::Value(*value),
        Some(other) => Known::Other(other.kind()),
        None => Known::Other(NameKind::Register),
    }
}

pub fn lower(
    test: &Test,
    native: &Native,
    options: &LowerOptions,
    errors: &mut Vec<Error>,
) -> Option<Program> {
    let mut program = Program {
        name: test.name.name.to_string(),
        ..Program::default()
    };
    let mut globals = Globals::default();
    for (name, _) in &options.params {
        let declared = native
            .decls
            .iter()
            .filter(|decl| decl.kind == DeclKind::Param)
            .flat_map(|decl| &decl.items)
            .any(|item| item.name.name == name.as_str());
        if !declared {
            let name = SmolStr::new(name);
            errors.push(Error::new(
                ErrorKind::UnknownParam { name },
                Span::default(),
            ));
        }
    }
    // Mutexes are the first locations.
    let declarators = |mutexes: bool| {
        native
            .decls
            .iter()
            .filter(move |decl| (decl.kind == DeclKind::Mutex) == mutexes)
            .flat_map(|decl| decl.items.iter().map(move |item| (decl.kind, item)))
    };
    for (kind, item) in declarators(true).chain(declarators(false)) {
        let declared = declare(kind, item, options, &mut globals, &mut program);
        if let Err(error) = declared {
            errors.push(error);
        }
    }
    if !errors.is_empty() {
        // What is declared wrongly would only be told again wherever it is used.
        return None;
    }
    let mut names = Declared {
        globals,
        threads: FxHashMap::default(),
    };
    for thread in &native.threads {
        let lowered = replicate(thread, options, &mut names, &mut program);
        if let Err(mut found) = lowered {
            errors.append(&mut found);
        }
    }
    if !errors.is_empty() {
        // Conditions name threads by their numbers, and one is missing.
        return None;
    }
    condition::lower(test, &mut names, &mut program, errors);
    Some(program)
}

/// What a condition can name.
struct Declared {
    globals: Globals,
    threads: FxHashMap<SmolStr, Replicas>,
}

/// The threads of one name: the first one's number, how many they are, and the index of
/// the first when they are replicas.
struct Replicas {
    first: ThreadId,
    count: u8,
    from: Option<Value>,
}

impl Declared {
    fn constant(&self, expr: &Expr) -> Result<Value, Error> {
        constant::evaluate(expr, &|name| known(&self.globals, name))
    }

    fn thread(&self, thread: &ThreadRef) -> Result<ThreadId, Error> {
        let ThreadRefKind::Name { name, index } = &thread.kind else {
            unreachable!("{UNRESOLVED}");
        };
        let replicas = &self.threads[&name.name];
        let (Some(index), Some(from)) = (index, replicas.from) else {
            return Ok(replicas.first);
        };
        let index = self.constant(index)?;
        match index.checked_sub(from) {
            Some(n) if (0..Value::from(replicas.count)).contains(&n) => {
                Ok(replicas.first + n as ThreadId)
            }
            _ => {
                let name = SmolStr::new(format!("{}[{index}]", name.name));
                let kind = ErrorKind::UnknownThread { name };
                Err(Error::new(kind, thread.span))
            }
        }
    }
}

impl Names for Declared {
    fn resolve(
        &mut self,
        observable: &Observable,
        _: Side,
        program: &Program,
    ) -> Result<Named, Error> {
        let (name, index) = match &observable.kind {
            ObservableKind::Register { thread, register } => {
                let t = self.thread(thread)?;
                let code = &program.threads[t as usize];
                let mut names = code.reg_names.iter();
                let reg = names
                    .position(|name| name.as_deref() == Some(register.name.as_str()))
                    .expect(UNRESOLVED);
                let name = format!("{}:{}", code.name, register.name);
                return Ok(Named::Place(FinalPlace::Register(t, reg as RegId), name));
            }
            ObservableKind::Location { name, index, .. } => (name, index),
        };
        let memory = |loc: LocId| {
            let name = format!("[{}]", program.locations[loc as usize].name);
            Ok(Named::Place(FinalPlace::Memory(loc), name))
        };
        match (self.globals[&name.name], index) {
            (Global::Shared(loc), _) => memory(loc),
            (Global::Param(value) | Global::Const(value), _) => Ok(Named::Value(value)),
            (Global::Array { first, len }, Some(index)) => {
                let i = self.constant(index)?;
                if !(0..Value::from(len)).contains(&i) {
                    let kind = ErrorKind::IndexOutOfRange {
                        name: name.name.clone(),
                        index: i,
                        length: u64::from(len),
                    };
                    return Err(Error::new(kind, index.span));
                }
                memory(first + i as LocId)
            }
            (Global::Array { .. }, None) | (Global::Mutex(_), _) => unreachable!("{UNRESOLVED}"),
        }
    }

    fn literal(&self, _: FinalPlace, value: Value) -> Value {
        value
    }
}

fn declare(
    kind: DeclKind,
    item: &Declarator,
    options: &LowerOptions,
    globals: &mut Globals,
    program: &mut Program,
) -> Result<(), Error> {
    let span = item.name.span;
    let name = &item.name.name;
    let evaluate = |expr: &Expr| constant::evaluate(expr, &|name| known(globals, name));
    let location = |name: String, init: Value, kind: LocationKind| Location {
        name,
        init,
        kind,
        span: range(span),
    };
    let global = match kind {
        DeclKind::Mutex => {
            check_mutexes(program.locations.len() + 1, span)?;
            let mutex = location(name.to_string(), 0, LocationKind::Mutex);
            Global::Mutex(add_location(&mut program.locations, mutex, span)?)
        }
        DeclKind::Param => {
            let set = options
                .params
                .iter()
                .rev()
                .find(|(set, _)| set.as_str() == name.as_str());
            let value = match (set, &item.init) {
                (Some((_, value)), _) => *value,
                (None, Some(Init::Expr(expr))) => evaluate(expr)?,
                (None, _) => unreachable!("{UNREAD}"),
            };
            program.params.push(Param {
                name: name.to_string(),
                value,
                span: range(span),
            });
            Global::Param(value)
        }
        DeclKind::Const => match &item.init {
            Some(Init::Expr(expr)) => Global::Const(evaluate(expr)?),
            _ => unreachable!("{UNREAD}"),
        },
        DeclKind::Shared => {
            let initial = |count: usize| match &item.init {
                None => Ok(vec![0; count]),
                Some(Init::Expr(expr)) => Ok(vec![evaluate(expr)?; count]),
                Some(Init::List { items, span }) if items.len() != count => Err(Error::new(
                    ErrorKind::ListLength {
                        found: items.len(),
                        expected: count,
                    },
                    *span,
                )),
                Some(Init::List { items, .. }) => items.iter().map(&evaluate).collect(),
            };
            match &item.length {
                None => {
                    let init = match &item.init {
                        // A list is for arrays.
                        Some(Init::List { .. }) => {
                            return Err(Error::new(
                                ErrorKind::ArrayMismatch {
                                    name: name.clone(),
                                    is_array: false,
                                },
                                item.span,
                            ));
                        }
                        _ => initial(1)?[0],
                    };
                    let shared = location(name.to_string(), init, LocationKind::Data);
                    Global::Shared(add_location(&mut program.locations, shared, span)?)
                }
                Some(length) => {
                    let found = evaluate(length)?;
                    let Some(len) = u16::try_from(found)
                        .ok()
                        .filter(|&len| len > 0 && usize::from(len) <= MAX_LOCATIONS)
                    else {
                        return Err(Error::new(
                            ErrorKind::ArrayLength {
                                found,
                                limit: MAX_LOCATIONS as u64,
                            },
                            length.span,
                        ));
                    };
                    let first = program.locations.len() as LocId;
                    for (i, init) in initial(usize::from(len))?.into_iter().enumerate() {
                        let element = location(format!("{name}[{i}]"), init, LocationKind::Data);
                        add_location(&mut program.locations, element, span)?;
                    }
                    Global::Array { first, len }
                }
            }
        }
    };
    globals.insert(name.clone(), global);
    Ok(())
}

/// Lowers a thread once for each of its replicas.
fn replicate(
    thread: &Thread,
    options: &LowerOptions,
    names: &mut Declared,
    program: &mut Program,
) -> Result<(), Vec<Error>> {
    let (indices, from) = match &thread.replicas {
        None => (0..1, None),
        Some(replicas) => {
            let from = names.constant(&replicas.from).map_err(|e| vec![e])?;
            let to = names.constant(&replicas.to).map_err(|e| vec![e])?;
            (from..to, Some(from))
        }
    };
    let before = program.threads.len();
    let count = indices.end.saturating_sub(indices.start).max(0) as u64;
    let total = count.saturating_add(before as u64);
    if total > MAX_THREADS as u64 {
        let span = thread
            .replicas
            .as_ref()
            .map_or(thread.name.span, |r| r.span);
        return Err(vec![Error::new(
            ErrorKind::TooMany {
                what: "threads",
                found: total,
                limit: MAX_THREADS as u64,
            },
            span,
        )]);
    }
    names.threads.insert(
        thread.name.name.clone(),
        Replicas {
            first: before as ThreadId,
            count: count as u8,
            from,
        },
    );
    for index in indices {
        let name = match from {
            None => thread.name.name.to_string(),
            Some(_) => format!("{}[{index}]", thread.name.name),
        };
        let replica = thread
            .replicas
            .as_ref()
            .map(|r| (r.variable.name.clone(), index));
        let at = thread.name.span;
        let body = Body::new(&names.globals, options, replica, at);
        // Where one replica has errors, the others have the same.
        program.threads.push(body.lower(&thread.body, name, at)?);
        let instructions: usize = program.threads.iter().map(|t| t.code.len()).sum();
        if instructions > MAX_INSTRUCTIONS {
            return Err(vec![too_many(
                "instructions",
                instructions,
                MAX_INSTRUCTIONS,
                thread.name.span,
            )]);
        }
    }
    Ok(())
}
