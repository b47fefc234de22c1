//! Lowers the C dialect: the init section, the functions, the names in conditions.
//!
//! Addresses are numbers from [`FIRST_ADDRESS`] on. The elements of an array follow each
//! other, so that `a + 1` is the next one; everything else is so far apart that no sum of a
//! test's small numbers leads from one to another.

mod body;
mod locks;

use rustc_hash::FxHashMap;

use fencepost_grammar::ast::c::{C, Function};
use fencepost_grammar::ast::herd::{InitEntry, InitTarget, InitValue};
use fencepost_grammar::ast::{
    Ident, Observable, ObservableKind, SmolStr, Test, ThreadRef, ThreadRefKind,
};
use fencepost_grammar::limits::MAX_ERRORS;
use fencepost_grammar::{Error, ErrorKind, Span};

use self::body::Body;
use super::condition::{self, Named, Names, Side};
use super::{
    LowerOptions, MAX_INSTRUCTIONS, MAX_LOCATIONS, MAX_THREADS, UNRESOLVED, add_location, constant,
    range, too_many,
};
use crate::program::{
    FIRST_ADDRESS, LocId, Location, LocationKind, Place, Program, RegId, ThreadId, Value,
};

pub fn lower(
    test: &Test,
    c: &C,
    options: &LowerOptions,
    errors: &mut Vec<Error>,
) -> Option<Program> {
    for (name, _) in &options.params {
        let name = SmolStr::new(name);
        let kind = ErrorKind::UnknownParam { name };
        errors.push(Error::new(kind, Span::default()));
    }
    if let Some(excess) = c.functions.get(MAX_THREADS) {
        let found = c.functions.len();
        errors.push(too_many("threads", found, MAX_THREADS, excess.name.span));
        return None;
    }
    let mut memory = Memory::default();
    if let Err(error) = memory.declare_all(c) {
        errors.push(error);
        return None;
    }
    let mut threads = Threads {
        memory,
        bodies: Vec::new(),
    };
    for function in &c.functions {
        threads.bodies.push(Body::new(c.family, function, options));
    }
    if let Err(error) = threads.initialize(c) {
        errors.push(error);
        return None;
    }
    let Threads { memory, bodies } = &mut threads;
    for (body, function) in bodies.iter_mut().zip(&c.functions) {
        body.lower(function, memory, errors);
    }
    let mut program = Program {
        name: test.name.name.to_string(),
        ..Program::default()
    };
    condition::lower(test, &mut threads, &mut program, errors);
    // One mistake may be made in every thread.
    let mut told = Vec::new();
    errors.retain(|error| {
        let new = told.len() < MAX_ERRORS && !told.contains(&error.kind);
        if new {
            told.push(error.kind.clone());
        }
        new
    });
    if !errors.is_empty() {
        return None;
    }
    let mut instructions = 0;
    for (body, function) in threads.bodies.into_iter().zip(&c.functions) {
        match body.finish(function) {
            Ok(thread) => {
                instructions += thread.code.len();
                program.threads.push(thread);
            }
            Err(error) => errors.push(error),
        }
        if instructions > MAX_INSTRUCTIONS {
            let span = function.name.span;
            errors.push(too_many(
                "instructions",
                instructions,
                MAX_INSTRUCTIONS,
                span,
            ));
            return None;
        }
    }
    program.locations = threads.memory.locations;
    program.addresses = threads.memory.addresses;
    Some(program)
}

/// Locations that are not elements of one array are this far apart.
const SPACING: Value = 0x1_0000;

/// Every location and its address.
#[derive(Default)]
pub struct Memory {
    pub locations: Vec<Location>,
    addresses: Vec<Value>,
    names: FxHashMap<SmolStr, Stored>,
}

/// What a name stands for.
#[derive(Clone, Copy)]
struct Stored {
    first: LocId,
    /// Of an array; 0 is legal as long as nobody uses it.
    length: Option<u16>,
    address: Value,
}

impl Memory {
    /// What parameters and the init section name: spinlocks first, then arrays and the rest
    /// in the order of the text.
    fn declare_all(&mut self, c: &C) -> Result<(), Error> {
        for name in locks::mutexes(c) {
            self.declare(name, None, LocationKind::Mutex)?;
        }
        for entry in &c.init {
            if let InitTarget::Location { name, length, .. } = &entry.target {
                let length = array_length(entry, length.map(|int| int.value))?;
                self.declare(name, length, LocationKind::Data)?;
            }
        }
        for param in c.functions.iter().flat_map(|function| &function.params) {
            self.declare(&param.name, None, LocationKind::Data)?;
        }
        Ok(())
    }

    fn declare(
        &mut self,
        name: &Ident,
        length: Option<u16>,
        kind: LocationKind,
    ) -> Result<LocId, Error> {
        if let Some(stored) = self.names.get(&name.name) {
            return Ok(stored.first);
        }
        let first = self.locations.len() as LocId;
        let address = FIRST_ADDRESS + self.names.len() as Value * SPACING;
        for i in 0..length.unwrap_or(1) {
            let location = Location {
                name: match length {
                    None => name.name.to_string(),
                    Some(_) => format!("{}[{i}]", name.name),
                },
                init: 0,
                kind,
                span: range(name.span),
            };
            add_location(&mut self.locations, location, name.span)?;
            self.addresses.push(address + Value::from(i));
        }
        let stored = Stored {
            first,
            length,
            address,
        };
        self.names.insert(name.name.clone(), stored);
        Ok(first)
    }

    /// The location of a name; what nobody declared is declared by its use.
    fn location(&mut self, name: &Ident) -> Result<LocId, Error> {
        self.declare(name, None, LocationKind::Data)
    }

    /// The address of what a parameter names.
    pub fn address_of(&self, name: &str) -> Option<Value> {
        self.names.get(name).map(|stored| stored.address)
    }

    pub fn location_at(&self, address: Value) -> Option<LocId> {
        let index = self.addresses.binary_search(&address).ok()?;
        Some(index as LocId)
    }

    /// Why a number is no address: it may be beyond what a name stands for.
    pub fn no_location(&self, address: Value, span: Span) -> Error {
        let near = |stored: &Stored| (address - stored.address).abs() < SPACING / 2;
        let beyond = self.names.iter().find(|(_, stored)| near(stored));
        let kind = match beyond {
            Some((name, stored)) => ErrorKind::IndexOutOfRange {
                name: name.clone(),
                index: address - stored.address,
                length: u64::from(stored.length.unwrap_or(1)),
            },
            None => ErrorKind::WrongExpression {
                wanted: "the address of a location",
            },
        };
        Error::new(kind, span)
    }

    pub fn is_mutex(&self, loc: LocId) -> bool {
        self.locations[loc as usize].kind == LocationKind::Mutex
    }

    fn value(&mut self, value: &InitValue) -> Result<Value, Error> {
        match value {
            InitValue::Int(int) => Ok(int.value),
            InitValue::Address { name, index, span } => {
                self.location(name)?;
                let stored = self.names[&name.name];
                let index = index.map_or(0, |index| index.value);
                let length = stored.length.unwrap_or(1);
                if !(0..Value::from(length)).contains(&index) {
                    return Err(out_of_range(name, index, length, *span));
                }
                Ok(stored.address + index)
            }
            InitValue::List { span, .. } => Err(no_array(&SmolStr::default(), *span)),
        }
    }

    fn initialize(&mut self, name: &Ident, entry: &InitEntry) -> Result<(), Error> {
        let Stored { first, length, .. } = self.names[&name.name];
        match (&entry.value, length) {
            (None, _) => {}
            (Some(InitValue::List { items, span }), Some(length)) => {
                if items.len() != usize::from(length) {
                    let kind = ErrorKind::ListLength {
                        found: items.len(),
                        expected: usize::from(length),
                    };
                    return Err(Error::new(kind, *span));
                }
                for (i, item) in items.iter().enumerate() {
                    let value = self.value(item)?;
                    self.locations[usize::from(first) + i].init = value;
                }
            }
            (Some(InitValue::List { span, .. }), None) => {
                return Err(no_array(&name.name, *span));
            }
            (Some(value), length) => {
                let value = self.value(value)?;
                for loc in first..first + length.unwrap_or(1) {
                    self.locations[loc as usize].init = value;
                }
            }
        }
        Ok(())
    }
}

fn out_of_range(name: &Ident, index: Value, length: u16, span: Span) -> Error {
    Error::new(
        ErrorKind::IndexOutOfRange {
            name: name.name.clone(),
            index,
            length: u64::from(length),
        },
        span,
    )
}

fn no_array(name: &SmolStr, span: Span) -> Error {
    Error::new(
        ErrorKind::ArrayMismatch {
            name: name.clone(),
            is_array: false,
        },
        span,
    )
}

/// The length of an array, from its brackets or its list of values.
fn array_length(entry: &InitEntry, written: Option<Value>) -> Result<Option<u16>, Error> {
    let found = match (written, &entry.value) {
        (Some(length), _) => length,
        (None, Some(InitValue::List { items, .. })) => items.len() as Value,
        (None, _) => return Ok(None),
    };
    match u16::try_from(found) {
        Ok(0) if entry.value.is_none() => Ok(Some(0)),
        Ok(length) if length > 0 && usize::from(length) <= MAX_LOCATIONS => Ok(Some(length)),
        _ => Err(Error::new(
            ErrorKind::ArrayLength {
                found,
                limit: MAX_LOCATIONS as u64,
            },
            entry.span,
        )),
    }
}

/// The functions while they are lowered, and the memory they share.
struct Threads<'a> {
    memory: Memory,
    bodies: Vec<Body<'a>>,
}

impl Threads<'_> {
    fn initialize(&mut self, c: &C) -> Result<(), Error> {
        for entry in &c.init {
            match &entry.target {
                InitTarget::Location { name, .. } => self.memory.initialize(name, entry)?,
                InitTarget::Register { thread, register } => {
                    let t = self.thread(thread);
                    let value = match &entry.value {
                        Some(value) => self.memory.value(value)?,
                        None => 0,
                    };
                    self.bodies[t].initialize(&register.name, value);
                }
            }
        }
        Ok(())
    }

    fn thread(&self, thread: &ThreadRef) -> usize {
        let named = |body: &Body<'_>| match thread.kind {
            ThreadRefKind::Number(number) => body.number == number,
            ThreadRefKind::Name { .. } => false,
        };
        self.bodies.iter().position(named).expect(UNRESOLVED)
    }

    fn register(&mut self, t: usize, name: &Ident) -> (Place, String) {
        let body = &mut self.bodies[t];
        let shown = format!("{}:{}", body.number, name.name);
        let reg: RegId = body.observe(&name.name, &self.memory);
        (Place::Register(t as ThreadId, reg), shown)
    }
}

impl Names for Threads<'_> {
    fn resolve(
        &mut self,
        observable: &Observable,
        side: Side,
        _: &Program,
    ) -> Result<Named, Error> {
        let (name, index, brackets) = match &observable.kind {
            ObservableKind::Register { thread, register } => {
                let t = self.thread(thread);
                let (place, name) = self.register(t, register);
                return Ok(Named::Place(place, name));
            }
            ObservableKind::Location {
                name,
                index,
                brackets,
            } => (name, index, *brackets),
        };
        let first = self.memory.location(name)?;
        let Stored {
            length, address, ..
        } = self.memory.names[&name.name];
        let offset = match index {
            None => 0,
            Some(index) => {
                let value = constant::evaluate(index, &|_| unreachable!("{UNRESOLVED}"))?;
                let length = length.ok_or_else(|| no_array(&name.name, index.span))?;
                if !(0..Value::from(length)).contains(&value) {
                    return Err(out_of_range(name, value, length, index.span));
                }
                value as LocId
            }
        };
        if side == Side::Right && !brackets && index.is_none() {
            return Ok(Named::Value(address));
        }
        if length == Some(0) && side != Side::List {
            return Err(out_of_range(name, 0, 0, observable.span));
        }
        let memory = |loc: LocId| {
            let name = format!("[{}]", self.memory.locations[loc as usize].name);
            (Place::Memory(loc), name)
        };
        match (length, index) {
            (Some(length), None) if side == Side::List => {
                Ok(Named::Places((first..first + length).map(memory).collect()))
            }
            _ => {
                let (place, name) = memory(first + offset);
                Ok(Named::Place(place, name))
            }
        }
    }

    fn literal(&self, _: Place, value: Value) -> Value {
        value
    }
}

/// A thread's name as outcomes show it.
fn thread_name(function: &Function) -> String {
    function.number.to_string()
}
