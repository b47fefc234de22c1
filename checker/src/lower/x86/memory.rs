//! The memory of an x86 test: objects of C types, at addresses far from each other.
//!
//! A location is a scalar or an element of an array, and holds a number as its type does.
//! Addresses are numbers from [`FIRST_ADDRESS`] on; those of an array's elements follow
//! each other as in C, and no displacement that anyone writes leads from one object to
//! the next.

use fencepost_grammar::ast::herd::InitValue;
use fencepost_grammar::ast::{Ident, SmolStr};
use fencepost_grammar::{Error, ErrorKind, Span};
use rustc_hash::FxHashMap;

use crate::lower::{add_location, range};
use crate::program::{Address, FIRST_ADDRESS, LocId, Location, LocationKind, Operand, Value};

/// A number's size in bits and whether it has a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub bits: u32,
    pub signed: bool,
}

impl Type {
    pub const fn signed(bits: u32) -> Type {
        Type { bits, signed: true }
    }

    /// Of a C type as herd's init section writes it.
    pub fn named(name: &str, wide: bool) -> Type {
        let has = |word: &str| name.contains(word);
        let word = if wide { 64 } else { 32 };
        let bits = if has("*") || has("intptr") || has("size") {
            word
        } else if has("64") || has("long long") {
            64
        } else if has("long") {
            word
        } else if has("16") || has("short") {
            16
        } else if has("int8") || has("char") {
            8
        } else {
            32
        };
        let unsigned = has("unsigned") || has("uint") || has("uchar") || name == "size_t";
        Type {
            bits,
            signed: !unsigned || has("*"),
        }
    }

    pub fn bytes(self) -> Value {
        Value::from(self.bits / 8)
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

/// An index into [`Memory::objects`].
pub type ObjectId = usize;

/// A named scalar or array.
pub struct Object {
    pub first: LocId,
    /// Of an array.
    pub length: Option<u16>,
    pub ty: Type,
    /// Whether the type was written; else the instructions may still widen it.
    pub typed: bool,
}

impl Object {
    pub fn elements(&self) -> std::ops::Range<LocId> {
        self.first..self.first + self.length.unwrap_or(1)
    }

    pub fn bytes(&self) -> Value {
        self.ty.bytes() * Value::from(self.length.unwrap_or(1))
    }
}

/// Every location and its address.
pub struct Memory {
    wide: bool,
    pub locations: Vec<Location>,
    /// Parallel to `locations`.
    pub addresses: Vec<Value>,
    pub objects: Vec<Object>,
    names: FxHashMap<SmolStr, ObjectId>,
}

/// Objects are this far apart: more than the largest array, and than any displacement.
const SPACING: Value = 0x1_0000;

impl Memory {
    pub fn new(wide: bool) -> Self {
        Memory {
            wide,
            locations: Vec::new(),
            addresses: Vec::new(),
            objects: Vec::new(),
            names: FxHashMap::default(),
        }
    }

    pub fn declare(
        &mut self,
        name: &Ident,
        length: Option<u16>,
        ty: Option<Type>,
    ) -> Result<ObjectId, Error> {
        if let Some(&object) = self.names.get(&name.name) {
            // `int x; x=1;` is one location.
            if let Some(ty) = ty {
                self.objects[object].typed = true;
                self.set_type(object, ty);
            }
            return Ok(object);
        }
        let object = self.objects.len();
        let first = self.locations.len() as LocId;
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
            self.addresses.push(0);
        }
        // herd's default is `int`. The elements of an array without a type are as far
        // apart as the largest access needs.
        let untyped = match length {
            Some(_) if self.wide => Type::signed(64),
            _ => Type::signed(32),
        };
        self.objects.push(Object {
            first,
            length,
            ty: untyped,
            typed: ty.is_some() || !self.wide,
        });
        self.set_type(object, ty.unwrap_or(untyped));
        self.names.insert(name.name.clone(), object);
        Ok(object)
    }

    fn set_type(&mut self, id: ObjectId, ty: Type) {
        let object = &mut self.objects[id];
        object.ty = ty;
        let start = FIRST_ADDRESS + id as Value * SPACING;
        for (i, loc) in object.elements().enumerate() {
            self.addresses[usize::from(loc)] = start + i as Value * ty.bytes();
        }
    }

    /// A 64-bit test can do without types: `movq` says how large things are.
    pub fn widen(&mut self, object: ObjectId) {
        if !self.objects[object].typed {
            self.set_type(object, Type::signed(64));
        }
    }

    /// The object of a name that code or a condition uses; herd declares it by its use.
    pub fn object(&mut self, name: &Ident) -> Result<ObjectId, Error> {
        self.declare(name, None, None)
    }

    pub fn known(&self, name: &Ident) -> Option<ObjectId> {
        self.names.get(&name.name).copied()
    }

    /// The address of an object's first byte.
    pub fn start(&self, object: ObjectId) -> Value {
        self.address(self.objects[object].first)
    }

    pub fn address(&self, loc: LocId) -> Value {
        self.addresses[usize::from(loc)]
    }

    pub fn type_of(&self, loc: LocId) -> Type {
        let object = self.objects.partition_point(|object| object.first <= loc);
        self.objects[object - 1].ty
    }

    /// As instructions name the place that the operand's value is the address of.
    pub fn place(&self, address: Operand) -> Address {
        let known = match address {
            Operand::Const(known) => self.addresses.binary_search(&known).ok(),
            Operand::Reg(_) => None,
        };
        match known {
            Some(loc) => Address::Fixed(loc as LocId),
            None => Address::Pointer(address),
        }
    }

    pub fn initialize(&mut self, loc: LocId, value: Value) {
        self.locations[usize::from(loc)].init = self.type_of(loc).wrap(value);
    }

    pub fn value(&mut self, value: &InitValue) -> Result<Value, Error> {
        match value {
            InitValue::Int(int) => Ok(int.value),
            InitValue::Address { name, index, span } => {
                let object = self.object(name)?;
                let object = &self.objects[object];
                let index = index.map_or(0, |index| index.value);
                let length = object.length.unwrap_or(1);
                if !(0..Value::from(length)).contains(&index) {
                    return Err(out_of_range(name, index, length, *span));
                }
                Ok(self.address(object.first + index as LocId))
            }
            InitValue::List { span, .. } => Err(no_array(&SmolStr::default(), *span)),
        }
    }
}

pub fn out_of_range(name: &Ident, index: Value, length: u16, span: Span) -> Error {
    Error::new(
        ErrorKind::IndexOutOfRange {
            name: name.name.clone(),
            index,
            length: u64::from(length),
        },
        span,
    )
}

pub fn no_array(name: &SmolStr, span: Span) -> Error {
    Error::new(
        ErrorKind::ArrayMismatch {
            name: name.clone(),
            is_array: false,
        },
        span,
    )
}
