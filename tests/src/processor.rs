//! Random programs of one x86 thread, as a litmus test and as assembly.
//!
//! They use every size, parts of registers, flags and jumps, and no flag that the
//! processor leaves undefined. Addresses stay inside of their objects, and the registers
//! that hold them are never shown: memory is elsewhere in each world.

mod instructions;

use std::fmt::Write as _;

use crate::random::Random;
use instructions::Writer;

/// A scalar or an array, in C's words.
pub struct Object {
    pub name: &'static str,
    pub bits: u32,
    pub signed: bool,
    /// Its elements; a scalar has one.
    pub values: Vec<i64>,
    array: bool,
}

impl Object {
    pub fn bytes(&self) -> usize {
        self.values.len() * self.bits as usize / 8
    }

    fn declaration(&self) -> String {
        let Object { name, bits, .. } = self;
        let sign = if self.signed { "" } else { "u" };
        let values: Vec<String> = self.values.iter().map(i64::to_string).collect();
        match self.array {
            true => {
                let length = values.len();
                let values = values.join(",");
                format!("{sign}int{bits}_t {name}[{length}]={{{values}}};")
            }
            false => format!("{sign}int{bits}_t {name}={};", values[0]),
        }
    }

    /// The numbers that its bytes are, as its type reads them.
    pub fn read(&self, bytes: &[u8]) -> Vec<i64> {
        let unused = 64 - self.bits;
        bytes[..self.bytes()]
            .chunks(self.bits as usize / 8)
            .map(|bytes| {
                let word = bytes
                    .iter()
                    .rev()
                    .fold(0, |word, b| word << 8 | u64::from(*b));
                match self.signed {
                    true => (word << unused) as i64 >> unused,
                    false => word as i64,
                }
            })
            .collect()
    }
}

pub struct Program {
    /// 64 bits or 32.
    pub wide: bool,
    /// What the registers of [`registers`] hold at first.
    values: Vec<i64>,
    pub objects: [Object; 3],
    index: i64,
    lines: Vec<String>,
}

/// The registers that programs compute with and show.
pub fn registers(wide: bool) -> &'static [&'static str] {
    match wide {
        true => &["rax", "rbx", "rcx", "rdx", "r8", "r9", "r10"],
        false => &["eax", "ebx", "ecx", "edx"],
    }
}

/// Bytes of the room of one object: none is larger, and a wild access meets no neighbour.
const ROOM: usize = 64;

/// Bytes that a program leaves behind: its registers, and a room for each object.
pub const RESULT: usize = 64 + 3 * ROOM;

impl Program {
    pub fn random(seed: u64, wide: bool) -> Program {
        let mut random = Random::new(seed);
        let objects = [("x", 1), ("y", 1), ("t", 4)].map(|(name, length)| {
            let (bits, signed) = (8 << random.below(4), random.one_in(2));
            let mut object = Object {
                name,
                bits,
                signed,
                values: Vec::new(),
                array: length > 1,
            };
            let bytes: Vec<u8> = (0..length * bits as usize / 8)
                .flat_map(|_| (number(&mut random) as u8).to_le_bytes())
                .collect();
            object.values = vec![0; length];
            object.values = object.read(&bytes);
            object
        });
        let values = registers(wide).iter().map(|_| match wide {
            true => number(&mut random),
            false => i64::from(number(&mut random) as i32),
        });
        let values = values.collect();
        let index = random.below(4) as i64;
        let lines = Writer::new(&mut random, wide, &objects, index).lines();
        Program {
            wide,
            values,
            objects,
            index,
            lines,
        }
    }

    /// The registers that hold addresses and an index.
    fn fixed(&self) -> [&'static str; 3] {
        match self.wide {
            true => ["rsi", "rdi", "rbp"],
            false => ["esi", "edi", "ebp"],
        }
    }

    pub fn litmus(&self) -> String {
        let mut out = match self.wide {
            true => "X86_64 processor\n{\n".to_owned(),
            false => "X86 processor\n{\n".to_owned(),
        };
        for object in &self.objects {
            let _ = writeln!(out, " {}", object.declaration());
        }
        for (register, value) in registers(self.wide).iter().zip(&self.values) {
            let _ = writeln!(out, " 0:{register}={value};");
        }
        let [x, t, index] = self.fixed();
        if self.wide {
            out.push_str(" 0:r11=x;\n");
        }
        let _ = writeln!(
            out,
            " 0:{x}=x; 0:{t}=t; 0:{index}={};\n}}\n P0 ;",
            self.index
        );
        for line in &self.lines {
            let _ = writeln!(out, " {line} ;");
        }
        let shown: Vec<String> = registers(self.wide)
            .iter()
            .map(|register| format!("0:{register};"))
            .collect();
        let _ = writeln!(out, "locations [{} x; y; t;]", shown.join(" "));
        out.push_str("exists (true)\n");
        out
    }

    /// A function that leaves its results at `results_N`.
    pub fn assembly(&self, n: usize) -> String {
        let mut out = format!("p_{n}:\n");
        let [x, t, index] = ["rsi", "rdi", "rbp"];
        for (register, value) in registers(true).iter().zip(&self.values) {
            let _ = writeln!(out, " movabsq ${value},%{register}");
        }
        let _ = writeln!(
            out,
            " movabsq $x_{n},%{x}\n movq %{x},%r11\n movabsq $t_{n},%{t}"
        );
        let _ = writeln!(out, " movq ${},%{index}\n pushq $2\n popfq", self.index);
        for line in &self.lines {
            let line = line
                .replace("OUT", &format!(".Lout_{n}_"))
                .replace("(x)", &format!("(x_{n})"))
                .replace("(y)", &format!("(y_{n})"))
                .replace("y+", &format!("y_{n}+"))
                .replace("x+", &format!("x_{n}+"))
                .replace("t+", &format!("t_{n}+"));
            let _ = writeln!(out, " {line}");
        }
        for (i, register) in registers(self.wide).iter().enumerate() {
            let _ = writeln!(out, " mov %{register},results_{n}+{}", 8 * i);
        }
        let _ = writeln!(out, " ret\n.data\nresults_{n}: .zero 64");
        for object in &self.objects {
            let Object { name, bits, .. } = object;
            let directive = match bits {
                8 => ".byte",
                16 => ".2byte",
                32 => ".4byte",
                _ => ".8byte",
            };
            let values: Vec<String> = object.values.iter().map(i64::to_string).collect();
            let rest = ROOM - object.bytes();
            let values = values.join(",");
            let _ = writeln!(out, "{name}_{n}: {directive} {values}\n .zero {rest}");
        }
        out.push_str(".text\n");
        out
    }

    /// What a run of the function shows: the registers, then the elements of the objects.
    pub fn shown(&self, result: &[u8]) -> Vec<i64> {
        let mut shown: Vec<i64> = result
            .chunks(8)
            .take(registers(self.wide).len())
            .map(|word| {
                let word = word
                    .iter()
                    .rev()
                    .fold(0, |word, b| word << 8 | i64::from(*b));
                if self.wide {
                    word
                } else {
                    i64::from(word as i32)
                }
            })
            .collect();
        for (i, object) in self.objects.iter().enumerate() {
            shown.extend(object.read(&result[64 + i * ROOM..]));
        }
        shown
    }
}

/// A whole program that runs all functions and writes what they leave behind.
pub fn assembly(programs: &[Program]) -> String {
    let mut out = String::from(".text\n.globl _start\n_start:\n");
    for n in 0..programs.len() {
        let _ = writeln!(out, " call p_{n}");
    }
    let bytes = programs.len() * RESULT;
    let _ = writeln!(
        out,
        " movq $results_0,%rsi\n movq ${bytes},%rdx\n\
         .Lwrite:\n movl $1,%eax\n movl $1,%edi\n syscall\n testq %rax,%rax\n jle .Lexit\n \
         addq %rax,%rsi\n subq %rax,%rdx\n jne .Lwrite\n\
         .Lexit:\n movl $60,%eax\n xorl %edi,%edi\n syscall"
    );
    for (n, program) in programs.iter().enumerate() {
        out.push_str(&program.assembly(n));
    }
    out
}

/// A number near where sizes and signs end, or any.
pub(crate) fn number(random: &mut Random) -> i64 {
    const EDGES: [i64; 12] = [
        0,
        1,
        2,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0xffff,
        0x7fff_ffff,
        0xffff_ffff,
        i64::MAX,
        0x0102_0304_0506_0708,
    ];
    match random.below(4) {
        0 => random.bits() as i64,
        1 => -EDGES[random.below(EDGES.len())],
        2 => EDGES[random.below(EDGES.len())],
        _ => random.below(200) as i64 - 100,
    }
}
