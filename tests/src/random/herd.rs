//! Random tests in herd's x86 dialect, Intel or AT&T.

use super::Random;
use super::blanks::Token;

const INTEL: [&str; 10] = [
    "MOV [x],$1",
    "MOV EAX,[y]",
    "mov EBX, [x]",
    "MFENCE",
    "SFENCE",
    "XCHG [x],EAX",
    "MOV EAX,$2",
    "INC [y]",
    "",
    "",
];
const ATT: [&str; 12] = [
    "movq $1,(x)",
    "movq (y),%rax",
    "movl (x), %ebx",
    "mfence",
    "lfence",
    "lock xaddq %rax,(x)",
    "lock cmpxchgq %rbx,(y)",
    "xchgq %rax,(x)",
    "cmp $1,%rax",
    "nop",
    "",
    "",
];

pub(super) fn tokens(random: &mut Random) -> Vec<Token> {
    let att = random.one_in(2);
    let mut out = vec![Token::new(if att { "X86_64" } else { "X86" })];
    let name = random.pick(&["SB", "2+2W+mfence+po", "n7", "iwp2.3.a/amd4"]);
    out.push(Token::line(name));
    if random.one_in(2) {
        out.push(Token::line("\"Fre PodWR; a | sentence\""));
    }
    for line in ["Cycle=Rfe PodRR  Fre", "Relax=", "Generator=us (version 1)"] {
        if random.one_in(3) {
            out.push(Token::line(line));
        }
    }
    let put = |out: &mut Vec<Token>, text: &str| out.extend(text.split(' ').map(Token::new));
    put(&mut out, "{");
    let register = if att { "rax" } else { "EAX" };
    for (at, entry) in ["x = 0", "int y = 1", "uint64_t z", "t [ 2 ] = { 1 , - 1 }"]
        .into_iter()
        .enumerate()
    {
        // The conditions name the first two.
        if at < 2 || random.one_in(2) {
            put(&mut out, entry);
            put(&mut out, ";");
        }
    }
    if random.one_in(2) {
        put(&mut out, "0 :");
        put(&mut out, register);
        put(&mut out, "= 0x10 ;");
    }
    put(&mut out, "}");

    let threads = 1 + random.below(4);
    let row = |out: &mut Vec<Token>, cells: Vec<String>| {
        for (at, cell) in cells.into_iter().enumerate() {
            if at > 0 {
                out.push(Token::new("|"));
            }
            if !cell.is_empty() {
                out.push(Token::new(cell));
            }
        }
        out.push(Token::new(";"));
    };
    row(&mut out, (0..threads).map(|n| format!("P{n}")).collect());
    for _ in 0..1 + random.below(5) {
        let cells = (0..threads)
            .map(|_| {
                let from: &[&str] = if att { &ATT } else { &INTEL };
                random.pick(from).to_owned()
            })
            .collect();
        row(&mut out, cells);
    }

    if random.one_in(3) {
        put(&mut out, "locations [ x ; y ; ]");
    }
    if random.one_in(4) {
        put(&mut out, "filter ( x = 1 )");
    }
    let quantifier = random.pick(&["exists", "~ exists", "forall"]);
    put(&mut out, quantifier);
    put(&mut out, "(");
    prop(random, &mut out, register, 3);
    put(&mut out, ")");
    out
}

fn prop(random: &mut Random, out: &mut Vec<Token>, register: &str, depth: usize) {
    let mut put = |text: &str| out.extend(text.split(' ').map(Token::new));
    if depth == 0 || random.one_in(3) {
        match random.below(3) {
            0 => put("[ x ]"),
            1 => put("y"),
            _ => {
                put("0 :");
                put(register);
            }
        }
        put("=");
        let value = random.pick(&["0", "1", "- 1", "0x2"]);
        put(value);
        return;
    }
    match random.below(5) {
        0 => {
            put("~ (");
            prop(random, out, register, depth - 1);
            out.push(Token::new(")"));
        }
        1 => {
            put("(");
            prop(random, out, register, depth - 1);
            out.push(Token::new(")"));
        }
        _ => {
            let op = random.pick(&["/\\", "\\/"]);
            for at in 0..2 + random.below(2) {
                if at > 0 {
                    out.push(Token::new(op));
                }
                prop(random, out, register, depth - 1);
            }
        }
    }
}
