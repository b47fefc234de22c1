//! Lowers herd's x86 dialect: the init section, the columns, the names in conditions.
//!
//! A location is bytes, and an instruction reads and writes as many of them as it says:
//! `memory` knows where they are, `reach` who touches them, `access` how to get at them.

mod access;
mod flags;
mod instruction;
mod memory;
mod reach;
mod registers;

use std::rc::Rc;

use fencepost_grammar::ast::herd::{Herd, InitEntry, InitTarget, InitValue};
use fencepost_grammar::ast::{
    Ident, Observable, ObservableKind, SmolStr, Test, ThreadRef, ThreadRefKind,
};
use fencepost_grammar::{Error, ErrorKind, Span};

use self::instruction::Column;
use self::memory::{Memory, Type, no_array, out_of_range};
use self::reach::Reach;
use super::condition::{self, Named, Names, Side};
use super::{
    LowerOptions, MAX_INSTRUCTIONS, MAX_LOCATIONS, MAX_THREADS, UNRESOLVED, constant, too_many,
};
use crate::program::{LocId, Place, Program, ThreadId, Value};

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
    let mut columns = match Columns::new(herd, options.unroll) {
        Ok(columns) => columns,
        Err(error) => {
            errors.push(error);
            return None;
        }
    };
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

/// The columns while they are lowered, and the memory they share.
pub struct Columns {
    memory: Memory,
    columns: Vec<Column>,
}

impl Columns {
    fn new(herd: &Herd, unroll: u32) -> Result<Self, Error> {
        let mut memory = Memory::new(herd.wide);
        // All locations first: an address may be taken of one that is declared later.
        for entry in &herd.init {
            if let InitTarget::Location { name, length, .. } = &entry.target {
                let ty = entry.ty.as_ref();
                let ty = ty.map(|ty| Type::named(&ty.name, herd.wide));
                let length = array_length(entry, length.map(|int| int.value))?;
                let object = memory.declare(name, length, ty)?;
                if let Some(InitValue::Int(int)) = &entry.value
                    && i32::try_from(int.value).is_err()
                {
                    memory.widen(object);
                }
            }
        }
        let reach = Rc::new(Reach::new(herd, &mut memory)?);
        let columns = herd.threads.iter().enumerate().map(|(index, thread)| {
            let (number, at) = (thread.number, thread.name.span);
            Column::new(herd.wide, index, number, Rc::clone(&reach), unroll, at)
        });
        let mut columns = Columns {
            columns: columns.collect(),
            memory,
        };
        columns.initialize(herd)?;
        Ok(columns)
    }

    fn initialize(&mut self, herd: &Herd) -> Result<(), Error> {
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
        let object = self.memory.object(name)?;
        let object = &self.memory.objects[object];
        let (first, length) = (object.first, object.length);
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
                    self.memory.initialize(loc, value);
                }
            }
            (Some(InitValue::List { span, .. }), None) => {
                return Err(no_array(&name.name, *span));
            }
            (Some(value), length) => {
                let value = self.memory.value(value)?;
                for loc in first..first + length.unwrap_or(1) {
                    self.memory.initialize(loc, value);
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
        let object = self.memory.object(name)?;
        let object = &self.memory.objects[object];
        let (first, length) = (object.first, object.length);
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
            Place::Memory(loc) => self.memory.type_of(loc).wrap(value),
        }
    }
}
