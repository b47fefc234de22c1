//! herd's x86 dialect: the init section and the columns of instructions.
//!
//! Intel and AT&T spellings give the same tree: operands are stored
//! destination first, and [`Instruction::order`] says how they were written.

use super::{Ident, Int, ThreadRef};
use crate::span::Span;
use crate::words::Word;
pub use crate::words::x86::{Cond, Op};

#[derive(Clone, Debug, Default)]
pub struct Herd {
    /// Of 64 bits.
    pub wide: bool,
    /// The init section with its braces.
    pub init_span: Span,
    pub init: Vec<InitEntry>,
    /// The first row of the table.
    pub threads: Vec<ThreadName>,
    pub threads_span: Span,
    /// The other rows, each with exactly `threads.len()` cells unless the error list
    /// says otherwise.
    pub rows: Vec<Row>,
}

impl Herd {
    /// The cells of one column, top to bottom; a short row gives nothing.
    pub fn column(&self, thread: usize) -> impl Iterator<Item = &Cell> {
        self.rows
            .iter()
            .filter_map(move |row| row.cells.get(thread))
    }

    /// Row by row.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        let cells = self.rows.iter().flat_map(|row| &row.cells);
        cells.filter_map(|cell| cell.instruction.as_deref())
    }

    /// From the threads' names to the last row.
    pub fn table_span(&self) -> Span {
        self.rows
            .last()
            .map_or(self.threads_span, |last| self.threads_span.to(last.span))
    }
}

/// `x=0`, `int x=0`, `0:EAX=1`, `0:RSI=x`, `int64_t t[2]={1,-1}`, `[x]=0`, `uint64_t 0:rax`
#[derive(Clone, Debug)]
pub struct InitEntry {
    /// As written, `int`, `uint64_t`, `volatile int *`.
    pub ty: Option<Ident>,
    pub target: InitTarget,
    /// `None` means zero.
    pub value: Option<InitValue>,
    /// Without the semicolon.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum InitTarget {
    Location {
        name: Ident,
        length: Option<Int>,
        brackets: bool,
    },
    Register {
        thread: ThreadRef,
        register: Ident,
    },
}

#[derive(Clone, Debug)]
pub enum InitValue {
    Int(Int),
    /// The address of a location, or of an array's element (`t[1]`).
    Address {
        name: Ident,
        index: Option<Int>,
        span: Span,
    },
    /// `{1,-1}`
    List {
        items: Vec<InitValue>,
        span: Span,
    },
}

/// `P0` over a column.
#[derive(Clone, Debug)]
pub struct ThreadName {
    pub name: Ident,
    /// The number in the name; the column's when the name has none.
    pub number: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Row {
    pub cells: Vec<Cell>,
    /// With the semicolon.
    pub span: Span,
}

/// What stands between two bars; may be empty.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    pub labels: Vec<Ident>,
    /// Boxed, because most cells of a wide table are empty.
    pub instruction: Option<Box<Instruction>>,
    /// From bar to bar, without surrounding blanks; an empty place when empty.
    pub span: Span,
    /// The cell could not be read; the error list says why.
    pub error: bool,
}

#[derive(Clone, Debug)]
pub struct Instruction {
    /// The `lock` prefix.
    pub lock: Option<Span>,
    pub op: Op,
    /// The row of its mnemonic.
    pub word: &'static Word,
    /// The operand size the mnemonic's suffix names (`movl`), if it has one.
    pub width: Option<Width>,
    /// For `movzx`, `movsx` with two suffixes (`movzbl`): the source's size.
    pub source_width: Option<Width>,
    pub mnemonic: Span,
    /// Destination first, whatever the spelling.
    pub operands: Vec<Operand>,
    pub order: OperandOrder,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandOrder {
    /// Intel: the destination was written first.
    DestinationFirst,
    /// AT&T: the destination was written last.
    DestinationLast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Width {
    Byte,
    Word,
    Long,
    Quad,
}

impl Width {
    pub const fn bits(self) -> u32 {
        match self {
            Width::Byte => 8,
            Width::Word => 16,
            Width::Long => 32,
            Width::Quad => 64,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Operand {
    pub kind: OperandKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum OperandKind {
    /// `$1`, `1`, `$-0x2`
    Immediate(i64),
    /// `$x`: the address of a location.
    Address(Ident),
    /// `EAX`, `%rax`
    Register(Register),
    /// `[x]`, `(x)`, `[RAX+8]`, `8(%rax,%rbx,8)`
    Memory(Memory),
    /// Where a jump goes.
    Label(Ident),
}

/// `symbol + base + index * scale + displacement`
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// `%cs:`; has no meaning here.
    pub segment: Option<Register>,
    pub symbol: Option<Ident>,
    pub base: Option<Register>,
    pub index: Option<Register>,
    /// 1, 2, 4 or 8 (0 is herd's and means 1).
    pub scale: u8,
    pub displacement: i64,
}

/// A view of an architectural register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    pub reg: Reg,
    pub view: View,
    pub span: Span,
}

/// Which bits of the register a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// `rax`
    Quad,
    /// `eax`: writing it clears the upper half.
    Long,
    /// `ax`
    Word,
    /// `al`
    Low,
    /// `ah`
    High,
}

/// An architectural register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reg {
    Rax,
    Rbx,
    Rcx,
    Rdx,
    Rsi,
    Rdi,
    Rbp,
    Rsp,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15,
    Rip,
    Cs,
    Ds,
    Es,
    Fs,
    Gs,
    Ss,
}
