//! Instructions one after the other, such that both worlds can run them.

use super::{Object, number, registers};
use crate::random::Random;

/// Flags that the processor may set as it likes.
#[derive(Clone, Copy, Default)]
struct Undefined {
    carry: bool,
    overflow: bool,
}

pub struct Writer<'a> {
    random: &'a mut Random,
    wide: bool,
    objects: &'a [Object; 3],
    /// What the index register holds.
    index: i64,
    lines: Vec<String>,
    undefined: Undefined,
    /// Where jumps lead that are not yet behind us: the label, how many instructions are
    /// left before it, and the flags where the jump is.
    open: Vec<(usize, usize, Undefined)>,
    labels: usize,
    /// The object whose address is in `%r11`.
    pointed: usize,
}

/// An operand, and whether a prefix for the newer registers cannot stand beside it.
struct Place {
    text: String,
    high: bool,
    new: bool,
    memory: bool,
}

const SUFFIXES: [char; 4] = ['b', 'w', 'l', 'q'];

impl<'a> Writer<'a> {
    pub fn new(random: &'a mut Random, wide: bool, objects: &'a [Object; 3], index: i64) -> Self {
        Writer {
            random,
            wide,
            objects,
            index,
            lines: Vec::new(),
            undefined: Undefined::default(),
            open: Vec::new(),
            labels: 0,
            pointed: 0,
        }
    }

    pub fn lines(mut self) -> Vec<String> {
        let count = 4 + self.random.below(12);
        for _ in 0..count {
            self.instruction();
            self.close(false);
        }
        self.close(true);
        self.lines
    }

    /// Puts the labels that are due.
    fn close(&mut self, all: bool) {
        for (label, left, undefined) in std::mem::take(&mut self.open) {
            if all || left == 0 {
                self.lines.push(format!("OUT{label}:"));
                self.undefined.carry |= undefined.carry;
                self.undefined.overflow |= undefined.overflow;
            } else {
                self.open.push((label, left - 1, undefined));
            }
        }
    }

    /// The size of an operand, as the exponent of its bytes.
    fn size(&mut self) -> usize {
        self.random.below(if self.wide { 4 } else { 3 })
    }

    fn register(&mut self, size: usize) -> Place {
        let n = self.random.below(registers(self.wide).len());
        let high = size == 0 && n < 4 && self.random.one_in(3);
        self.part(n, size, high)
    }

    fn part(&self, n: usize, size: usize, high: bool) -> Place {
        const NAMES: [&str; 4] = ["a", "b", "c", "d"];
        let text = match NAMES.get(n) {
            Some(name) => match size {
                0 if high => format!("%{name}h"),
                0 => format!("%{name}l"),
                1 => format!("%{name}x"),
                2 => format!("%e{name}x"),
                _ => format!("%r{name}x"),
            },
            None => format!("%r{}{}", n + 4, ["b", "w", "d", ""][size]),
        };
        Place {
            text,
            high,
            new: n >= 4 || size == 3,
            memory: false,
        }
    }

    /// A memory operand that stays inside of its object.
    fn memory(&mut self, size: usize) -> Option<Place> {
        let bytes = 1_i64 << size;
        let moved = self.wide && self.random.one_in(4);
        let object = match moved {
            true => self.pointed,
            false => self.random.below(3),
        };
        let room = self.objects[object].bytes() as i64 - bytes;
        if room < 0 {
            return None;
        }
        let name = self.objects[object].name;
        let offset = self.random.below(room as usize + 1) as i64;
        let (x, t, index) = match self.wide {
            true => ("%rsi", "%rdi", "%rbp"),
            false => ("%esi", "%edi", "%ebp"),
        };
        let base = match name {
            "x" => x,
            _ => t,
        };
        let text = match self.random.below(4) {
            _ if moved => format!("{offset}(%r11)"),
            0 if name != "t" => format!("({name})"),
            1 if self.wide => format!("{name}+{offset}(%rip)"),
            2 if name != "y" => {
                let scale = 1 << self.random.below(4);
                let rest = offset - self.index * scale;
                format!("{rest}({base},{index},{scale})")
            }
            _ if name == "y" => "(y)".to_owned(),
            _ => format!("{offset}({base})"),
        };
        Some(Place {
            text,
            high: false,
            new: moved,
            memory: true,
        })
    }

    fn place(&mut self, size: usize) -> Place {
        let memory = match self.random.one_in(2) {
            true => self.memory(size),
            false => None,
        };
        match memory {
            Some(place) => place,
            None => self.register(size),
        }
    }

    fn immediate(&mut self, size: usize) -> String {
        let value = number(self.random);
        let value = match size {
            0 => i64::from(value as i8),
            1 => i64::from(value as i16),
            _ => i64::from(value as i32),
        };
        format!("${value}")
    }

    /// A register that can stand beside the place.
    fn beside(&mut self, place: &Place, size: usize) -> Place {
        loop {
            let register = self.register(size);
            if !(place.high && register.new || place.new && register.high) {
                return register;
            }
        }
    }

    fn instruction(&mut self) {
        let size = self.size();
        let suffix = SUFFIXES[size];
        let defined = Undefined::default();
        match self.random.below(22) {
            0..=3 => {
                let (target, source) = self.two(size);
                self.lines
                    .push(format!("mov{suffix} {source},{}", target.text));
            }
            4..=6 => {
                let op = self.random.pick(&["add", "sub", "and", "or", "xor"]);
                let (target, source) = self.two(size);
                let lock = self.lock(&target);
                self.lines
                    .push(format!("{lock}{op}{suffix} {source},{}", target.text));
                self.undefined = defined;
            }
            7 => {
                let op = self.random.pick(&["inc", "dec", "neg", "not"]);
                let target = self.place(size);
                let lock = self.lock(&target);
                self.lines
                    .push(format!("{lock}{op}{suffix} {}", target.text));
                match op {
                    "neg" => self.undefined = defined,
                    "not" => {}
                    _ => self.undefined.overflow = false,
                }
            }
            8..=9 => {
                let op = self.random.pick(&["cmp", "test"]);
                let (target, source) = self.two(size);
                // `test` has no form that reads memory second.
                if op == "test" && source.starts_with(|c| c != '%' && c != '$') {
                    return;
                }
                self.lines
                    .push(format!("{op}{suffix} {source},{}", target.text));
                self.undefined = defined;
            }
            10..=11 => self.shift(size),
            12 => self.extend(),
            13 => self.lea(),
            14 => {
                let place = self.place(size);
                let register = self.beside(&place, size);
                let lock = if place.memory && self.random.one_in(3) {
                    "lock "
                } else {
                    ""
                };
                self.lines.push(format!(
                    "{lock}xchg{suffix} {},{}",
                    register.text, place.text
                ));
            }
            15..=16 => {
                let op = self.random.pick(&["xadd", "cmpxchg"]);
                let place = self.place(size);
                let register = self.beside(&place, size);
                let lock = self.lock(&place);
                self.lines.push(format!(
                    "{lock}{op}{suffix} {},{}",
                    register.text, place.text
                ));
                self.undefined = defined;
            }
            17..=19 => self.jump(),
            20 => self.point(),
            _ => self.repeat(),
        }
    }

    /// Lets `%r11` point at another object, on every path.
    fn point(&mut self) {
        if self.wide && self.open.is_empty() {
            self.pointed = 2 - self.pointed;
            let from = if self.pointed == 0 { "%rsi" } else { "%rdi" };
            self.lines.push(format!("movq {from},%r11"));
        }
    }

    /// A loop that counts `%r12` down.
    fn repeat(&mut self) {
        if !self.wide {
            return;
        }
        let label = self.labels;
        self.labels += 1;
        let count = 1 + self.random.below(3);
        self.lines.push(format!("movl ${count},%r12d"));
        self.lines.push(format!("OUT{label}:"));
        for _ in 0..1 + self.random.below(2) {
            let size = self.size();
            let suffix = SUFFIXES[size];
            let op = self.random.pick(&["mov", "add", "sub", "xor"]);
            let (target, source) = self.two(size);
            self.lines
                .push(format!("{op}{suffix} {source},{}", target.text));
        }
        self.lines.push("decl %r12d".to_owned());
        self.lines.push(format!("jne OUT{label}"));
        self.undefined.overflow = false;
    }

    /// A target, and a source that may be a number or memory.
    fn two(&mut self, size: usize) -> (Place, String) {
        let target = self.place(size);
        let source = match self.random.below(3) {
            0 => self.immediate(size),
            1 if !target.memory && !target.high => match self.memory(size) {
                Some(memory) => memory.text,
                None => self.immediate(size),
            },
            _ => self.beside(&target, size).text,
        };
        (target, source)
    }

    fn lock(&mut self, place: &Place) -> &'static str {
        if place.memory && self.random.one_in(3) {
            "lock "
        } else {
            ""
        }
    }

    fn shift(&mut self, size: usize) {
        let op = self.random.pick(&["shl", "shr", "sar", "rol"]);
        let target = self.place(size);
        let suffix = SUFFIXES[size];
        if self.random.one_in(3) {
            self.lines.push(format!("{op}{suffix} %cl,{}", target.text));
            self.undefined = Undefined {
                carry: true,
                overflow: true,
            };
            return;
        }
        let written = self.random.below(40);
        let count = written % if size == 3 { 64 } else { 32 };
        self.lines
            .push(format!("{op}{suffix} ${written},{}", target.text));
        if count > 0 {
            self.undefined = Undefined {
                carry: ["shl", "shr"].contains(&op) && count >= 8 << size,
                overflow: count > 1,
            };
        }
    }

    fn extend(&mut self) {
        let op = self.random.pick(&["movz", "movs"]);
        let to = 1 + self.random.below(if self.wide { 3 } else { 2 });
        let from = self.random.below(to);
        // There is no `movzlq`: every 32-bit move is that.
        if op == "movz" && from == 2 {
            return;
        }
        let source = self.place(from);
        // `%ah` stands beside no prefix, which every 64-bit register needs.
        if source.high && to == 3 {
            return;
        }
        let target = self.beside(&source, to);
        let (from, to) = (SUFFIXES[from], SUFFIXES[to]);
        self.lines
            .push(format!("{op}{from}{to} {},{}", source.text, target.text));
    }

    /// Of registers that hold numbers: the addresses of objects are elsewhere in each world.
    fn lea(&mut self) {
        let word = if self.wide { 3 } else { 2 };
        let size = 1 + self.random.below(word);
        let target = self.register(size).text;
        let short = self.wide && self.random.one_in(4);
        let word = if short { 2 } else { word };
        let (base, index) = (self.register(word).text, self.register(word).text);
        let (scale, displacement) = (1 << self.random.below(4), number(self.random) as i32);
        let suffix = SUFFIXES[size];
        self.lines.push(match self.random.one_in(3) {
            true => format!("lea{suffix} {displacement}({base}),{target}"),
            false => format!("lea{suffix} {displacement}({base},{index},{scale}),{target}"),
        });
    }

    fn jump(&mut self) {
        const CARRY: [&str; 4] = ["jb", "jae", "jbe", "ja"];
        const OVERFLOW: [&str; 6] = ["jl", "jge", "jle", "jg", "jo", "jno"];
        let mut jumps = vec!["je", "jne", "js", "jns", "jp", "jnp"];
        if !self.undefined.carry {
            jumps.extend(CARRY);
        }
        if !self.undefined.overflow {
            jumps.extend(OVERFLOW);
        }
        let jump = self.random.pick(&jumps);
        let label = self.labels;
        self.labels += 1;
        self.lines.push(format!("{jump} OUT{label}"));
        self.open
            .push((label, self.random.below(4), self.undefined));
    }
}
