//! The words of x86: mnemonics, what their operands are for, and what they mean.

use super::{Argument, Kind, Word, plain};
use crate::ast::herd::Width;
use crate::ast::native::FenceKind;
use crate::symbols::Access;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Mov,
    /// Move with zero extension.
    Movzx,
    /// Move with sign extension.
    Movsx,
    Lea,
    Xchg,
    Xadd,
    Cmpxchg,
    Inc,
    Dec,
    Neg,
    Not,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Sar,
    Rol,
    Cmp,
    Test,
    Jmp,
    /// A conditional jump.
    J(Cond),
    Ret,
    /// `nop`, `nopl`, `nopw`, `pause`, `endbr64`: does nothing.
    Nop,
    Mfence,
    Sfence,
    Lfence,
}

impl Op {
    /// Whether the second operand only counts, and says nothing about the size of the first.
    pub fn counts(self) -> bool {
        matches!(self, Op::Shl | Op::Shr | Op::Sar | Op::Rol)
    }
}

/// The condition of a jump, over the flags; synonyms are one (`jz` is `je`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cond {
    /// ZF
    E,
    Ne,
    /// Signed less: SF ≠ OF.
    L,
    Ge,
    Le,
    G,
    /// Unsigned below: CF.
    B,
    Ae,
    Be,
    A,
    /// SF
    S,
    Ns,
    /// OF
    O,
    No,
    /// PF
    P,
    Np,
}

/// How an instruction is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// AT&T's size suffix may follow: `movl`.
    pub sized: bool,
    /// The `lock` prefix may precede it.
    pub lockable: bool,
    /// How many of the last operands can be missing.
    pub optional: usize,
}

type Shape = (&'static [Argument], usize, bool);

const WRITTEN: Argument = Argument::new("destination", "", Access::Write);
const UPDATED: Argument = Argument::new("destination", "", Access::Update);
const SOURCE: Argument = Argument::new("source", "", Access::Read);
const COUNT: Argument = Argument::new("count", "", Access::Read);
const LABEL: Argument = Argument::new("label", "", Access::Read);

const NONE: Shape = (&[], 0, false);
const MOVE: Shape = (&[WRITTEN, SOURCE], 0, false);
const SWAP: Shape = (&[UPDATED, UPDATED], 0, true);
const UPDATE: Shape = (&[UPDATED, SOURCE], 0, true);
const ONE: Shape = (&[UPDATED], 0, true);
const SHIFT: Shape = (&[UPDATED, COUNT], 1, false);
const COMPARE: Shape = (&[SOURCE, SOURCE], 0, false);
const JUMP: Shape = (&[LABEL], 0, false);
const RETURN: Shape = (&[SOURCE], 1, false);
const HINT: Shape = (&[SOURCE, SOURCE], 2, false);

const fn row(
    text: &'static str,
    op: Op,
    (arguments, optional, lockable): Shape,
    sized: bool,
    meaning: &'static str,
) -> Word {
    let form = Form {
        sized,
        lockable,
        optional,
    };
    Word {
        arguments,
        ..plain(text, Kind::Instruction(op, form), meaning)
    }
}

/// The mnemonics; common ones first.
pub static MNEMONICS: &[Word] = ROWS;

#[rustfmt::skip]
const ROWS: &[Word] = &[
    row("mov", Op::Mov, MOVE, true, "Moves a value: a load when it reads memory, a store when it writes memory. Plain: stores are buffered."),
    row("mfence", Op::Mfence, NONE, false, "A full fence: waits until all of the thread's stores are in memory."),
    row("xchg", Op::Xchg, SWAP, true, "Swaps. With memory it is atomic and a full fence, with or without `lock`."),
    row("movabs", Op::Mov, MOVE, true, ""),
    row("movzx", Op::Movzx, MOVE, false, "Moves a narrower value, the upper bits zero."),
    row("movsx", Op::Movsx, MOVE, false, "Moves a narrower value, the upper bits its sign."),
    row("movsxd", Op::Movsx, MOVE, false, ""),
    row("lea", Op::Lea, MOVE, true, "Computes an address; touches no memory."),
    row("xadd", Op::Xadd, SWAP, true, "Adds and gives the old value. Atomic only with `lock`, which makes it a full fence."),
    row("cmpxchg", Op::Cmpxchg, UPDATE, true, "Stores the source if the destination equals `eax`/`rax`, else loads it there. Atomic only with `lock`, which makes it a full fence."),
    row("inc", Op::Inc, ONE, true, "Adds 1. On memory it is a load and a store; atomic only with `lock`."),
    row("dec", Op::Dec, ONE, true, "Subtracts 1. On memory it is a load and a store; atomic only with `lock`."),
    row("neg", Op::Neg, ONE, true, "Negates. On memory it is a load and a store; atomic only with `lock`."),
    row("not", Op::Not, ONE, true, "Inverts all bits. On memory it is a load and a store; atomic only with `lock`."),
    row("add", Op::Add, UPDATE, true, "Adds. On memory it is a load and a store; atomic only with `lock`."),
    row("sub", Op::Sub, UPDATE, true, "Subtracts. On memory it is a load and a store; atomic only with `lock`."),
    row("and", Op::And, UPDATE, true, "Bitwise and. On memory it is a load and a store; atomic only with `lock`."),
    row("or", Op::Or, UPDATE, true, "Bitwise or. On memory it is a load and a store; atomic only with `lock`."),
    row("xor", Op::Xor, UPDATE, true, "Bitwise exclusive or. On memory it is a load and a store; atomic only with `lock`."),
    row("shl", Op::Shl, SHIFT, true, "Shifts left."),
    row("sal", Op::Shl, SHIFT, true, ""),
    row("shr", Op::Shr, SHIFT, true, "Shifts right, filling with zeros."),
    row("sar", Op::Sar, SHIFT, true, "Shifts right, filling with the sign."),
    row("rol", Op::Rol, SHIFT, true, "Rotates left: the bits that leave come in again on the right."),
    row("cmp", Op::Cmp, COMPARE, true, "Compares and sets the flags; writes nothing."),
    row("test", Op::Test, COMPARE, true, "Bitwise and that only sets the flags."),
    row("jmp", Op::Jmp, JUMP, false, "Jumps to a label of this thread."),
    row("je", Op::J(Cond::E), JUMP, false, "Jumps when the flags say so."),
    row("jz", Op::J(Cond::E), JUMP, false, ""),
    row("jne", Op::J(Cond::Ne), JUMP, false, ""),
    row("jnz", Op::J(Cond::Ne), JUMP, false, ""),
    row("jl", Op::J(Cond::L), JUMP, false, ""),
    row("jnge", Op::J(Cond::L), JUMP, false, ""),
    row("jge", Op::J(Cond::Ge), JUMP, false, ""),
    row("jnl", Op::J(Cond::Ge), JUMP, false, ""),
    row("jle", Op::J(Cond::Le), JUMP, false, ""),
    row("jng", Op::J(Cond::Le), JUMP, false, ""),
    row("jg", Op::J(Cond::G), JUMP, false, ""),
    row("jnle", Op::J(Cond::G), JUMP, false, ""),
    row("jb", Op::J(Cond::B), JUMP, false, ""),
    row("jc", Op::J(Cond::B), JUMP, false, ""),
    row("jnae", Op::J(Cond::B), JUMP, false, ""),
    row("jae", Op::J(Cond::Ae), JUMP, false, ""),
    row("jnb", Op::J(Cond::Ae), JUMP, false, ""),
    row("jnc", Op::J(Cond::Ae), JUMP, false, ""),
    row("jbe", Op::J(Cond::Be), JUMP, false, ""),
    row("jna", Op::J(Cond::Be), JUMP, false, ""),
    row("ja", Op::J(Cond::A), JUMP, false, ""),
    row("jnbe", Op::J(Cond::A), JUMP, false, ""),
    row("js", Op::J(Cond::S), JUMP, false, ""),
    row("jns", Op::J(Cond::Ns), JUMP, false, ""),
    row("jo", Op::J(Cond::O), JUMP, false, ""),
    row("jno", Op::J(Cond::No), JUMP, false, ""),
    row("jp", Op::J(Cond::P), JUMP, false, ""),
    row("jpe", Op::J(Cond::P), JUMP, false, ""),
    row("jnp", Op::J(Cond::Np), JUMP, false, ""),
    row("jpo", Op::J(Cond::Np), JUMP, false, ""),
    row("ret", Op::Ret, RETURN, true, "Ends the thread."),
    row("nop", Op::Nop, HINT, true, "Does nothing."),
    row("pause", Op::Nop, HINT, false, ""),
    row("endbr64", Op::Nop, HINT, false, ""),
    row("endbr32", Op::Nop, HINT, false, ""),
    row("sfence", Op::Sfence, NONE, false, "A store-store fence: on x86's plain stores it changes nothing, since they stay in order; it matters under PSO."),
    row("lfence", Op::Lfence, NONE, false, "Orders loads, which x86 keeps in order anyway: changes nothing here."),
    // Hints and cache control: nothing that these models relax.
    row("prefetcht0", Op::Nop, HINT, false, ""),
    row("prefetcht1", Op::Nop, HINT, false, ""),
    row("prefetcht2", Op::Nop, HINT, false, ""),
    row("prefetchnta", Op::Nop, HINT, false, ""),
    row("prefetchw", Op::Nop, HINT, false, ""),
    row("clflush", Op::Nop, HINT, false, ""),
    row("clflushopt", Op::Nop, HINT, false, ""),
];

/// What stands before an instruction.
pub static PREFIXES: &[Word] = &[plain(
    "lock",
    Kind::Lock,
    "Makes the instruction atomic and a full fence.",
)];

/// What an instruction means, whatever its spelling; all conditional jumps mean one.
pub fn meaning(op: Op) -> &'static str {
    let same = |word: &&Word| match word.kind {
        Kind::Instruction(other, _) => {
            std::mem::discriminant(&other) == std::mem::discriminant(&op)
        }
        _ => false,
    };
    let mut words = MNEMONICS.iter().filter(same);
    words
        .find(|word| !word.meaning.is_empty())
        .map_or("", |word| word.meaning)
}

/// A mnemonic as it was written: its row, the operands' size and, of a move that extends, the
/// source's, where suffixes say them.
pub(crate) struct Mnemonic {
    pub word: &'static Word,
    pub op: Op,
    pub width: Option<Width>,
    pub source_width: Option<Width>,
}

/// `movl`, `MOVQ`, `xchg`, `movzbl`
pub(crate) fn mnemonic_by_name(name: &str) -> Option<Mnemonic> {
    let mut lower = [0u8; 12];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name.as_bytes());
    lower.make_ascii_lowercase();
    if let Some(known) = find(lower) {
        return Some(known);
    }
    if let Some(known) = extending_move(lower) {
        return Some(known);
    }
    let (suffix, stem) = lower.split_last()?;
    let width = Some(width_of(*suffix)?);
    let known = find(stem)?;
    match known.word.kind {
        Kind::Instruction(_, form) if form.sized => Some(Mnemonic { width, ..known }),
        _ => None,
    }
}

/// The instruction that is such a fence.
pub(crate) fn fence(kind: FenceKind) -> Mnemonic {
    find(kind.word().as_bytes()).expect("every fence has a row")
}

fn find(word: &[u8]) -> Option<Mnemonic> {
    let key = pack(word);
    let at = KEYS.iter().position(|known| *known == key)?;
    let word = &MNEMONICS[at];
    match word.kind {
        Kind::Instruction(op, _) => Some(Mnemonic {
            word,
            op,
            width: None,
            source_width: None,
        }),
        _ => None,
    }
}

/// A word of up to twelve letters as one number, for quick comparison.
const fn pack(word: &[u8]) -> u128 {
    let mut key = 0;
    let mut at = 0;
    while at < word.len() {
        key = key << 8 | word[at] as u128;
        at += 1;
    }
    key
}

/// The names of [`MNEMONICS`], packed.
const KEYS: [u128; ROWS.len()] = {
    let mut keys = [0; ROWS.len()];
    let mut at = 0;
    while at < keys.len() {
        keys[at] = pack(ROWS[at].text.as_bytes());
        at += 1;
    }
    keys
};

/// AT&T's `movzbl`, `movslq`: from the first size to the second.
fn extending_move(word: &[u8]) -> Option<Mnemonic> {
    let (known, sizes) = match word {
        [b'm', b'o', b'v', b'z', sizes @ ..] => (find(b"movzx"), sizes),
        [b'm', b'o', b'v', b's', sizes @ ..] => (find(b"movsx"), sizes),
        _ => return None,
    };
    let [from, to] = sizes else { return None };
    let (from, to) = (width_of(*from)?, width_of(*to)?);
    (from < to).then_some(Mnemonic {
        width: Some(to),
        source_width: Some(from),
        ..known?
    })
}

fn width_of(suffix: u8) -> Option<Width> {
    match suffix {
        b'b' => Some(Width::Byte),
        b'w' => Some(Width::Word),
        b'l' => Some(Width::Long),
        b'q' => Some(Width::Quad),
        _ => None,
    }
}
