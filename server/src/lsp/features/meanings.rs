//! What the words of the language and of x86 mean, in a sentence or two.

use fencepost_checker::model::{Model, Rules};
use fencepost_grammar::ast::herd::Op;

/// Keywords and verdicts.
const WORDS: &[(&str, &str)] = &[
    ("litmus", "A test in the native dialect; its name follows."),
    (
        "X86",
        "A test in herd's x86 dialect: columns of instructions.",
    ),
    (
        "X86_64",
        "A test in herd's x86 dialect: columns of instructions, 64-bit.",
    ),
    (
        "shared",
        "Locations in memory that all threads see. They start as 0 unless a value is given.",
    ),
    (
        "mutex",
        "A lock. `lock` and `unlock` of it are full fences.",
    ),
    (
        "param",
        "A number fixed before the test runs; a setting or the command line can override it.",
    ),
    ("const", "A number with a name."),
    (
        "thread",
        "Runs in parallel with the other threads, from the start. `thread W[i in 0..N]` makes several.",
    ),
    (
        "in",
        "The range of an index: from the first number up to, not including, the second.",
    ),
    ("if", "Runs a block when the condition is not 0."),
    ("else", "Runs when no condition before it held."),
    (
        "while",
        "Repeats while the condition is not 0, at most `max` times: executions that want more are cut off and counted as blocked.",
    ),
    (
        "max",
        "The bound of a loop. Without it the default bound holds.",
    ),
    (
        "for",
        "Repeats with an index that is a constant in each round.",
    ),
    ("repeat", "Repeats a fixed number of times."),
    ("break", "Leaves the loop."),
    ("continue", "Goes to the loop's next round."),
    ("return", "Ends the thread."),
    (
        "mfence",
        "A full fence: waits until all of the thread's stores are in memory. Under SC it changes nothing.",
    ),
    (
        "sfence",
        "A store-store fence: stores before it reach memory before stores after it. It matters under PSO; under TSO and SC it changes nothing.",
    ),
    (
        "lock",
        "Waits until the mutex is free, then holds it. A full fence.",
    ),
    (
        "unlock",
        "Frees the mutex. A full fence. Unlocking what the thread does not hold fails.",
    ),
    (
        "assert",
        "Fails when the condition is false; an assertion that can fail is an error with a witness.",
    ),
    (
        "assume",
        "Drops executions in which the condition is false.",
    ),
    (
        "await",
        "Waits until the condition, which reads one shared location, holds. Costs one load to explore, not a spin.",
    ),
    (
        "xchg",
        "Stores a value and gives the old one, atomically. A full fence.",
    ),
    (
        "cas",
        "Compare and swap: stores `new` if the value is `expected`; gives the old value. Atomic, and a full fence even when it fails.",
    ),
    (
        "fetch_add",
        "Adds and gives the old value, atomically. A full fence.",
    ),
    (
        "fetch_sub",
        "Subtracts and gives the old value, atomically. A full fence.",
    ),
    (
        "fetch_and",
        "Bitwise and; gives the old value, atomically. A full fence.",
    ),
    (
        "fetch_or",
        "Bitwise or; gives the old value, atomically. A full fence.",
    ),
    (
        "fetch_xor",
        "Bitwise exclusive or; gives the old value, atomically. A full fence.",
    ),
    (
        "exists",
        "Is there an execution that ends so? With `~`: is there none?",
    ),
    ("forall", "Do all executions end so?"),
    ("true", "Holds in every outcome."),
    ("false", "Holds in no outcome."),
    (
        "not",
        "herd: as `~`; `not exists` asks whether there is no such execution.",
    ),
    (
        "final",
        "herd: a condition, read as `exists`; `with` tells what each model is expected to do.",
    ),
    (
        "with",
        "herd: behind `final`, what is expected under each model: `tso: ~exists;`",
    ),
    ("filter", "Drops outcomes before conditions are judged."),
    ("locations", "Adds what the outcome list shows."),
    (
        "expect",
        "How often the condition holds, for each model: what turns a file into a regression test.",
    ),
    ("never", "In no complete execution."),
    ("sometimes", "In some complete executions, not in all."),
    ("always", "In every complete execution."),
];

/// The instructions that are offered, in lower case.
pub const INSTRUCTIONS: [(&str, &str); 28] = [
    (
        "mov",
        "Moves a value: a load when it reads memory, a store when it writes memory. Plain: stores are buffered.",
    ),
    ("movzx", "Moves a narrower value, the upper bits zero."),
    ("movsx", "Moves a narrower value, the upper bits its sign."),
    ("lea", "Computes an address; touches no memory."),
    (
        "xchg",
        "Swaps. With memory it is atomic and a full fence, with or without `lock`.",
    ),
    (
        "xadd",
        "Adds and gives the old value. Atomic only with `lock`, which makes it a full fence.",
    ),
    (
        "cmpxchg",
        "Stores the source if the destination equals `eax`/`rax`, else loads it there. Atomic only with `lock`, which makes it a full fence.",
    ),
    (
        "inc",
        "Adds 1. On memory it is a load and a store; atomic only with `lock`.",
    ),
    (
        "dec",
        "Subtracts 1. On memory it is a load and a store; atomic only with `lock`.",
    ),
    (
        "neg",
        "Negates. On memory it is a load and a store; atomic only with `lock`.",
    ),
    (
        "not",
        "Inverts all bits. On memory it is a load and a store; atomic only with `lock`.",
    ),
    (
        "add",
        "Adds. On memory it is a load and a store; atomic only with `lock`.",
    ),
    (
        "sub",
        "Subtracts. On memory it is a load and a store; atomic only with `lock`.",
    ),
    (
        "and",
        "Bitwise and. On memory it is a load and a store; atomic only with `lock`.",
    ),
    (
        "or",
        "Bitwise or. On memory it is a load and a store; atomic only with `lock`.",
    ),
    (
        "xor",
        "Bitwise exclusive or. On memory it is a load and a store; atomic only with `lock`.",
    ),
    ("shl", "Shifts left."),
    ("shr", "Shifts right, filling with zeros."),
    ("sar", "Shifts right, filling with the sign."),
    ("cmp", "Compares and sets the flags; writes nothing."),
    ("test", "Bitwise and that only sets the flags."),
    ("jmp", "Jumps to a label of this thread."),
    ("je", "Jumps when the flags say so."),
    ("ret", "Ends the thread."),
    ("nop", "Does nothing."),
    (
        "mfence",
        "A full fence: waits until all of the thread's stores are in memory.",
    ),
    (
        "sfence",
        "A store-store fence: on x86's plain stores it changes nothing, since they stay in order; it matters under PSO.",
    ),
    (
        "lfence",
        "Orders loads, which x86 keeps in order anyway: changes nothing here.",
    ),
];

pub fn of_word(word: &str) -> Option<&'static str> {
    let models = Model::ALL.map(|model| (model.name(), Rules::of(model).meaning));
    WORDS
        .iter()
        .chain(&models)
        .find(|(known, _)| *known == word)
        .map(|(_, meaning)| *meaning)
}

pub fn of_instruction(op: Op) -> &'static str {
    let word = match op {
        Op::Mov => "mov",
        Op::Movzx => "movzx",
        Op::Movsx => "movsx",
        Op::Lea => "lea",
        Op::Xchg => "xchg",
        Op::Xadd => "xadd",
        Op::Cmpxchg => "cmpxchg",
        Op::Inc => "inc",
        Op::Dec => "dec",
        Op::Neg => "neg",
        Op::Not => "not",
        Op::Add => "add",
        Op::Sub => "sub",
        Op::And => "and",
        Op::Or => "or",
        Op::Xor => "xor",
        Op::Shl => "shl",
        Op::Shr => "shr",
        Op::Sar => "sar",
        Op::Cmp => "cmp",
        Op::Test => "test",
        Op::Jmp => "jmp",
        Op::J(_) => "je",
        Op::Ret => "ret",
        Op::Nop => "nop",
        Op::Mfence => "mfence",
        Op::Sfence => "sfence",
        Op::Lfence => "lfence",
    };
    INSTRUCTIONS
        .iter()
        .find(|(known, _)| *known == word)
        .map_or("", |(_, meaning)| meaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_grammar::ast::Dialect;
    use fencepost_grammar::scan::reserved_words;

    #[test]
    fn every_keyword_has_a_meaning() {
        let reserved = [Dialect::Native, Dialect::X86].map(reserved_words).concat();
        for word in reserved.into_iter().chain(["litmus"]) {
            assert!(of_word(word).is_some(), "{word}");
        }
        assert!(!of_instruction(Op::Lfence).is_empty());
    }
}
