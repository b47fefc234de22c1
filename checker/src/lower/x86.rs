//! Lowers herd's x86 dialect: the init section, the columns, the names in conditions.
//!
//! A location is read and written as a whole, whatever the size of the access: herd's
//! tests use one size for each. Addresses are numbers from [`FIRST_ADDRESS`] on, laid out
//! so that scaled indices reach the elements of an array.

mod flags;
mod instruction;
mod registers;

use rustc_hash::FxHashMap;

use fencepost_grammar::ast::herd::{Herd, InitEntry, InitTarget, InitValue};
use fencepost_grammar::ast::{
    Ident, Observable, ObservableKind, SmolStr, Test, ThreadRef, ThreadRefKind,
};
use fencepost_grammar::{Error, ErrorKind, Span};

use self::instruction::Column;
use super::condition::{self, Named, Names, Side};
use super::{
    LowerOptions, MAX_INSTRUCTIONS, MAX_LOCATIONS, MAX_THREADS, UNRESOLVED, add_location, constant,
    range, too_many,
};
use crate::program::{
    FIRST_ADDRESS, LocId, Location, LocationKind, Place, Program, ThreadId, Value,
};

pub fn lower(
    test: &Test,
    herd: &Herd,
    options: &LowerOptions,
    errors: &mut Vec<Error>,
) -> Option<Program> {
    for (name, _) in &options.params {
        let name = SmolStr::new(name);
        let kind = ErrorKind::UnknownParam { name };
        errors.push(Error::new(kind, Span::default()));
    }
    if herd.threads.len() > MAX_THREADS {
        let found = herd.threads.len();
        errors.push(too_many("threads", found, MAX_THREADS, herd.threads_span));
        return None;
    }
    let mut columns = Columns {
        memory: Memory::new(herd.wide),
        columns: herd
            .threads
            .iter()
            .map(|thread| Column::new(herd.wide, thread.number, options.unroll, thread.name.span))
            .collect(),
    };
    if let Err(error) = columns.initialize(herd) {
        errors.push(error);
        return None;
    }
    for (t, column) in columns.columns.iter_mut().enumerate() {
        let cells: Vec<_> = herd.column(t).collect();
        column.lower(&cells, &mut columns.memory, errors);
    }
    let mut program = Program {
        name: test.name.name.to_string(),
        ..Program::default()
    };
    condition::lower(test, &mut columns, &mut program, errors);
    if !errors.is_empty() {
        return None;
    }
    let mut instructions = 0;
    for (column, thread) in columns.columns.into_iter().zip(&herd.threads) {
        match column.finish(thread.name.span) {
            Ok(lowered) => {
                instructions += lowered.code.len();
                program.threads.push(lowered);
            }
            Err(error) => errors.push(error),
        }
        if instructions > MAX_INSTRUCTIONS {
            let span = herd.threads_span;
            errors.push(too_many(
                "instructions",
                instructions,
                MAX_INSTRUCTIONS,
                span,
            ));
            return None;
        }
    }
    program.locations = columns.memory.locations;
    program.addresses = columns.memory.addresses;
    Some(program)
}

/// A number's size in bits and whether it has a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub bits: u32,
    pub signed: bool,
}

impl Type {
    /// Of a C type as herd's init section writes it.
    fn named(name: &str) -> Type {
        let has = |word: &str| name.contains(word);
        let bits = if has("*") || has("64") || has("long") || has("intptr") {
            64
        } else if has("16") || has("short") {
            16
        } else if has("int8") || has("char") {
            8
        } else {
            32
        };
        Type {
            bits,
            signed: !name.starts_with('u') || has("*"),
        }
    }

    /// The number that such a type holds when `value` is put there.
    pub fn wrap(self, value: Value) -> Value {
        if self.bits >= 64 {
            return value;
        }
        let unused = 64 - self.bits;
        if self.signed {
            value << unused >> unused
        } else {
            value & ((1 << self.bits) - 1)
        }
    }
}

/// Every location and its address.
pub struct Memory {
    pub locations: Vec<Location>,
    addresses: Vec<Value>,
    types: Vec<Option<Type>>,
    /// What a location has that no type was given.
    default: Option<Type>,
    /// The first location of each name, and the length of an array.
    names: FxHashMap<SmolStr, (LocId, Option<u16>)>,
}

/// Locations are this far apart unless they are elements of one array.
const SPACING: Value = 8;

impl Memory {
    fn new(wide: bool) -> Self {
        let int = Type {
            bits: 32,
            signed: true,
        };
        Memory {
            locations: Vec::new(),
            addresses: Vec::new(),
            types: Vec::new(),
            // In 64-bit tests the instructions say how large things are.
            default: (!wide).then_some(int),
            names: FxHashMap::default(),
        }
    }

    fn declare(
        &mut self,
        name: &Ident,
        length: Option<u16>,
        ty: Option<Type>,
    ) -> Result<LocId, Error> {
        if let Some(&(loc, _)) = self.names.get(&name.name) {
            // `int x; x=1;` is one location.
            if let Some(ty) = ty {
                self.types[loc as usize] = Some(ty);
            }
            return Ok(loc);
        }
        let first = self.locations.len() as LocId;
        let end = self.addresses.last().map_or(FIRST_ADDRESS, |a| a + SPACING);
        let start = (end + SPACING - 1) / SPACING * SPACING;
        let size = ty
            .or(self.default)
            .map_or(SPACING, |ty| Value::from(ty.bits / 8));
        for i in 0..length.unwrap_or(1) {
            let location = Location {
                name: match length {
                    None => name.name.to_string(),
                    Some(_) => format!("{}[{i}]", name.name),
                },
                init: 0,
                kind: LocationKind::Data,
                span: range(name.span),
            };
            add_location(&mut self.locations, location, name.span)?;
            self.addresses.push(start + Value::from(i) * size);
            self.types.push(ty.or(self.default));
        }
        self.names.insert(name.name.clone(), (first, length));
        Ok(first)
    }

    /// The location of a name that code or a condition uses; herd declares it by its use.
    pub fn location(&mut self, name: &Ident) -> Result<LocId, Error> {
        self.declare(name, None, None)
    }

    pub fn address(&self, loc: LocId) -> Value {
        self.addresses[loc as usize]
    }

    pub fn location_at(&self, address: Value) -> Option<LocId> {
        let index = self.addresses.binary_search(&address).ok()?;
        Some(index as LocId)
    }

    pub fn type_of(&self, loc: LocId) -> Option<Type> {
        self.types[loc as usize]
    }

    fn wrap(&self, loc: LocId, value: Value) -> Value {
        self.type_of(loc).map_or(value, |ty| ty.wrap(value))
    }

    fn value(&mut self, value: &InitValue) -> Result<Value, Error> {
        match value {
            InitValue::Int(int) => Ok(int.value),
            InitValue::Address { name, index, span } => {
                let first = self.location(name)?;
                let (_, length) = self.names[&name.name];
                let index = index.map_or(0, |index| index.value);
                let length = length.unwrap_or(1);
                if !(0..Value::from(length)).contains(&index) {
                    return Err(out_of_range(name, index, length, *span));
                }
                Ok(self.address(first + index as LocId))
            }
            InitValue::List { span, .. } => Err(no_array(&SmolStr::default(), *span)),
        }
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

/// The columns while they are lowered, and the memory they share.
pub struct Columns {
    memory: Memory,
    columns: Vec<Column>,
}

impl Columns {
    fn initialize(&mut self, herd: &Herd) -> Result<(), Error> {
        // All locations first: an address may be taken of one that is declared later.
        for entry in &herd.init {
            if let InitTarget::Location { name, length, .. } = &entry.target {
                let ty = entry.ty.as_ref().map(|ty| Type::named(&ty.name));
                let length = array_length(entry, length.map(|int| int.value))?;
                self.memory.declare(name, length, ty)?;
            }
        }
        for entry in &herd.init {
            match &entry.target {
                InitTarget::Location { name, .. } => self.initialize_location(name, entry)?,
                InitTarget::Register { thread, register } => {
                    let t = self.thread(thread);
                    let value = match &entry.value {
                        Some(value) => self.memory.value(value)?,
                        None => 0,
                    };
                    self.columns[t].initialize(&register.name, value);
                }
            }
        }
        Ok(())
    }

    fn initialize_location(&mut self, name: &Ident, entry: &InitEntry) -> Result<(), Error> {
        let (first, length) = self.memory.names[&name.name];
        match (&entry.value, length) {
            (None, _) => {}
            (Some(InitValue::List { items, span }), Some(length)) => {
                if items.len() != usize::from(length) {
                    return Err(Error::new(
                        ErrorKind::ListLength {
                            found: items.len(),
                            expected: usize::from(length),
                        },
                        *span,
                    ));
                }
                for (i, item) in items.iter().enumerate() {
                    let loc = first + i as LocId;
                    let value = self.memory.value(item)?;
                    self.memory.locations[loc as usize].init = self.memory.wrap(loc, value);
                }
            }
            (Some(InitValue::List { span, .. }), None) => {
                return Err(no_array(&name.name, *span));
            }
            (Some(value), length) => {
                let value = self.memory.value(value)?;
                for loc in first..first + length.unwrap_or(1) {
                    self.memory.locations[loc as usize].init = self.memory.wrap(loc, value);
                }
            }
        }
        Ok(())
    }

    fn thread(&self, thread: &ThreadRef) -> usize {
        let named = |column: &Column| match thread.kind {
            ThreadRefKind::Number(number) => column.number == number,
            ThreadRefKind::Name { .. } => false,
        };
        self.columns.iter().position(named).expect(UNRESOLVED)
    }
}

/// The length of an array, from its brackets or its list of values.
fn array_length(entry: &InitEntry, written: Option<Value>) -> Result<Option<u16>, Error> {
    let found = match (written, &entry.value) {
        (Some(length), _) => length,
        (None, Some(InitValue::List { items, .. })) => items.len() as Value,
        (None, _) => return Ok(None),
    };
    match u16::try_from(found) {
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

impl Names for Columns {
    fn resolve(
        &mut self,
        observable: &Observable,
        side: Side,
        _: &Program,
    ) -> Result<Named, Error> {
        let (name, index, brackets) = match &observable.kind {
            ObservableKind::Register { thread, register } => {
                let t = self.thread(thread);
                let (reg, name) = self.columns[t].observe(register);
                let name = format!("{}:{name}", self.columns[t].number);
                let place = Place::Register(t as ThreadId, reg);
                return Ok(Named::Place(place, name));
            }
            ObservableKind::Location {
                name,
                index,
                brackets,
            } => (name, index, *brackets),
        };
        let first = self.memory.location(name)?;
        let (_, length) = self.memory.names[&name.name];
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
        if side == Side::Right && !brackets {
            return Ok(Named::Value(self.memory.address(first + offset)));
        }
        let memory = |loc: LocId| {
            let name = format!("[{}]", self.memory.locations[loc as usize].name);
            (Place::Memory(loc), name)
        };
        match (length, index) {
            (Some(length), None) if side == Side::List => {
                Ok(Named::Places((first..first + length).map(memory).collect()))
            }
            (Some(_), None) => Err(Error::new(
                ErrorKind::ArrayMismatch {
                    name: name.name.clone(),
                    is_array: true,
                },
                observable.span,
            )),
            _ => {
                let (place, name) = memory(first + offset);
                Ok(Named::Place(place, name))
            }
        }
    }

    fn literal(&self, place: Place, value: Value) -> Value {
        match place {
            Place::Register(t, reg) => self.columns[t as usize].literal(reg, value),
            Place::Memory(loc) => self.memory.wrap(loc, value),
        }
    }
}
