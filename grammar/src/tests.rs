//! Tests of the parsers: what a text means, and what is said about a bad one.

use std::fmt::Write;

use expect_test::{Expect, expect};

use crate::ast::herd::{Instruction, OperandKind};
use crate::ast::native::{Block, Expr, ExprKind, Place, StmtKind};
use crate::ast::{ObservableKind, Prop, PropKind, Term};
use crate::parse;

/// The errors of a text: line, column, code, message and advice.
pub(crate) fn errors(text: &str) -> String {
    let mut out = String::new();
    for error in parse(text).errors {
        let before = &text[..error.span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        let _ = write!(
            out,
            "{line}:{column} {:?} {}: {}",
            error.span.text(text),
            error.code(),
            error.message()
        );
        if let Some(help) = error.help() {
            let _ = write!(out, " ({help})");
        }
        out.push('\n');
    }
    out
}

fn check_errors(text: &str, expected: Expect) {
    expected.assert_eq(&errors(text));
}

/// An expression with all its parentheses.
fn expr(node: &Expr) -> String {
    match &node.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Place(node) => place(node),
        ExprKind::Unary { op, operand } => format!("({}{})", op.symbol(), expr(operand)),
        ExprKind::Binary { op, lhs, rhs, .. } => {
            format!("({} {} {})", expr(lhs), op.symbol(), expr(rhs))
        }
        ExprKind::Paren(inner) => expr(inner),
        ExprKind::Error => "?".to_owned(),
    }
}

fn place(node: &Place) -> String {
    match &node.index {
        Some(index) => format!("{}[{}]", node.name.name, expr(index)),
        None => node.name.name.to_string(),
    }
}

fn block(node: &Block, indent: usize, out: &mut String) {
    for stmt in &node.stmts {
        let _ = write!(out, "{:indent$}", "");
        let _ = match &stmt.kind {
            StmtKind::Assign { target, value } => {
                writeln!(out, "{} = {}", place(target), expr(value))
            }
            StmtKind::Atomic {
                target,
                op,
                place: on,
                args,
                ..
            } => {
                let target = target
                    .as_ref()
                    .map_or("_".to_owned(), |target| place(target));
                let args: Vec<_> = args.iter().map(expr).collect();
                let on = place(on);
                writeln!(out, "{target} = {} {on} {}", op.word().text, args.join(" "))
            }
            StmtKind::Fence(kind) => writeln!(out, "fence {kind:?}"),
            StmtKind::Lock(name) => writeln!(out, "lock {}", name.name),
            StmtKind::Unlock(name) => writeln!(out, "unlock {}", name.name),
            StmtKind::Assert(cond) => writeln!(out, "assert {}", expr(cond)),
            StmtKind::Assume(cond) => writeln!(out, "assume {}", expr(cond)),
            StmtKind::Await(cond) => writeln!(out, "await {}", expr(cond)),
            StmtKind::If { arms, otherwise } => {
                for arm in arms {
                    let _ = writeln!(out, "if {}", expr(&arm.cond));
                    block(&arm.body, indent + 2, out);
                    let _ = write!(out, "{:indent$}", "");
                }
                if let Some(otherwise) = otherwise {
                    let _ = writeln!(out, "else");
                    block(otherwise, indent + 2, out);
                    let _ = write!(out, "{:indent$}", "");
                }
                writeln!(out, "end")
            }
            StmtKind::While { cond, max, body } => {
                let max = max.as_ref().map_or("-".to_owned(), |max| expr(max));
                let _ = writeln!(out, "while {} max {max}", expr(cond));
                block(body, indent + 2, out);
                Ok(())
            }
            StmtKind::For {
                variable,
                from,
                to,
                body,
            } => {
                let _ = writeln!(out, "for {} in {}..{}", variable.name, expr(from), expr(to));
                block(body, indent + 2, out);
                Ok(())
            }
            StmtKind::Repeat { count, body } => {
                let _ = writeln!(out, "repeat {}", expr(count));
                block(body, indent + 2, out);
                Ok(())
            }
            StmtKind::Block(body) => {
                let _ = writeln!(out, "block");
                block(body, indent + 2, out);
                Ok(())
            }
            other => writeln!(out, "{other:?}"),
        };
    }
}

/// The statements of a thread, and the errors.
fn check_thread(body: &str, expected: Expect) {
    let text =
        format!("litmus t\nshared x, y, a[4];\nmutex m;\nparam N = 2;\nthread P0 {{\n{body}\n}}\n");
    let parsed = parse(&text);
    let mut out = String::new();
    if let Some(native) = parsed.test.native() {
        for thread in &native.threads {
            block(&thread.body, 0, &mut out);
        }
    }
    let errors = errors(&text);
    let errors = errors.lines().filter(|line| !line.contains("W0202"));
    for error in errors {
        let _ = writeln!(out, "! {error}");
    }
    expected.assert_eq(&out);
}

fn prop(node: &Prop) -> String {
    let all = |props: &[Prop], sign: &str| {
        let props: Vec<_> = props.iter().map(prop).collect();
        format!("({})", props.join(sign))
    };
    match &node.kind {
        PropKind::True => "true".to_owned(),
        PropKind::False => "false".to_owned(),
        PropKind::And(props) => all(props, " /\\ "),
        PropKind::Or(props) => all(props, " \\/ "),
        PropKind::Not(inner) => format!("~{}", prop(inner)),
        PropKind::Paren(inner) => prop(inner),
        PropKind::Compare { lhs, op, rhs } => format!("{} {op:?} {}", term(lhs), term(rhs)),
        PropKind::Error => "?".to_owned(),
    }
}

fn term(node: &Term) -> String {
    match node {
        Term::Int(int) => int.value.to_string(),
        Term::Observable(node) => match &node.kind {
            ObservableKind::Register { thread, register } => {
                let thread = match &thread.kind {
                    crate::ast::ThreadRefKind::Number(number) => number.to_string(),
                    crate::ast::ThreadRefKind::Name { name, index } => {
                        let index = index
                            .as_ref()
                            .map_or(String::new(), |index| format!("[{}]", expr(index)));
                        format!("{}{index}", name.name)
                    }
                };
                format!("{thread}:{}", register.name)
            }
            ObservableKind::Location {
                name,
                index,
                brackets,
            } => {
                let index = index.as_ref().map(|index| format!("[{}]", expr(index)));
                let inner = format!("{}{}", name.name, index.unwrap_or_default());
                if *brackets {
                    format!("[{inner}]")
                } else {
                    inner
                }
            }
        },
    }
}

/// The conditions of a text, with their expectations, and its errors.
fn check_conditions(text: &str, expected: Expect) {
    let mut out = String::new();
    for condition in &parse(text).test.conditions {
        let name = condition
            .name
            .as_ref()
            .map(|name| format!("{:?} ", name.name));
        let _ = writeln!(
            out,
            "{:?} {}{}",
            condition.quantifier,
            name.unwrap_or_default(),
            prop(&condition.prop)
        );
        for expect in &condition.expect {
            let _ = writeln!(out, "  {:?} {:?}", expect.model, expect.frequency);
        }
        for with in condition.with.iter().flatten() {
            let _ = writeln!(out, "  with {} {:?}", with.model.name, with.quantifier);
        }
    }
    out.push_str(&errors(text));
    expected.assert_eq(&out);
}

fn instruction(node: &Instruction) -> String {
    let operands: Vec<_> = node
        .operands
        .iter()
        .map(|operand| match &operand.kind {
            OperandKind::Immediate(value) => value.to_string(),
            OperandKind::Address(name) => format!("&{}", name.name),
            OperandKind::Register(register) => format!("{:?}.{:?}", register.reg, register.view),
            OperandKind::Label(name) => name.name.to_string(),
            OperandKind::Memory(memory) => {
                let mut parts = Vec::new();
                parts.extend(memory.symbol.iter().map(|name| name.name.to_string()));
                parts.extend(memory.base.iter().map(|base| format!("{:?}", base.reg)));
                let index = memory.index.iter();
                parts.extend(index.map(|index| format!("{:?}*{}", index.reg, memory.scale)));
                parts.push(memory.displacement.to_string());
                format!("[{}]", parts.join("+"))
            }
        })
        .collect();
    let lock = if node.lock.is_some() { "lock " } else { "" };
    let width = node
        .width
        .map_or(String::new(), |width| format!(".{width:?}"));
    format!("{lock}{:?}{width} {}", node.op, operands.join(", "))
}

/// The instructions of a single column, and the errors.
fn check_cells(dialect: &str, cells: &[&str], expected: Expect) {
    let rows: String = cells.iter().map(|cell| format!(" {cell} ;\n")).collect();
    let text = format!("{dialect} t\n{{ }}\n P0 ;\n{rows}exists (0:EAX=0)\n");
    let parsed = parse(&text);
    let mut out = String::new();
    if let Some(herd) = parsed.test.herd() {
        for cell in herd.column(0) {
            for label in &cell.labels {
                let _ = write!(out, "{}: ", label.name);
            }
            let node = cell.instruction.as_deref();
            let node = node.map_or(if cell.error { "?" } else { "-" }.to_owned(), instruction);
            let _ = writeln!(out, "{}", node.trim_end());
        }
    }
    for error in errors(&text).lines() {
        let _ = writeln!(out, "! {error}");
    }
    expected.assert_eq(&out);
}

#[test]
fn operators_bind_as_in_c() {
    check_thread(
        "r = 1 + 2 * 3 - 4 << 1 < 5 == 6 & 7 ^ 8 | 9 && 1 || 0;
         r = 1 - 2 - 3; r = 8 / 4 % 3 * 2; r = 1 << 2 >> 3;
         r = -x + !y * ~r; r = - - 1; r = !(x == 1) || y != 2 && x <= 3;
         r = (1 + 2) * 3; r = 0x10 + -9223372036854775808;
         r = a[x + 1] > y; r = x >= y ^ x <= y;",
        expect![[r#"
            r = ((((((((((1 + (2 * 3)) - 4) << 1) < 5) == 6) & 7) ^ 8) | 9) && 1) || 0)
            r = ((1 - 2) - 3)
            r = (((8 / 4) % 3) * 2)
            r = ((1 << 2) >> 3)
            r = ((-x) + ((!y) * (~r)))
            r = (-(-1))
            r = ((!(x == 1)) || ((y != 2) && (x <= 3)))
            r = ((1 + 2) * 3)
            r = (16 + (--9223372036854775808))
            r = (a[(x + 1)] > y)
            r = ((x >= y) ^ (x <= y))
        "#]],
    );
}

#[test]
fn every_statement_is_read() {
    check_thread(
        "x = 1; a[r] = x; r = xchg(x, 1); fetch_add(a[1], 2); r = cas(x, 0, 1);
         r = fetch_sub(x, 1); r = fetch_and(x, 1); r = fetch_or(x, 1); r = fetch_xor(x, 1);
         mfence; sfence; lock(m); unlock(m); assert(r == 1); assume(x); await(x == 1);
         if (x) { y = 1; } else if (y) { y = 2; } else { y = 3; }
         while (x) max N { break; } while (x) { continue; }
         for i in 0..N { a[i] = i; } repeat 3 { x = x + 1; } { return; }",
        expect![[r#"
            x = 1
            a[r] = x
            r = xchg x 1
            _ = fetch_add a[1] 2
            r = cas x 0 1
            r = fetch_sub x 1
            r = fetch_and x 1
            r = fetch_or x 1
            r = fetch_xor x 1
            fence Full
            fence StoreStore
            lock m
            unlock m
            assert (r == 1)
            assume x
            await (x == 1)
            if x
              y = 1
            if y
              y = 2
            else
              y = 3
            end
            while x max N
              Break
            while x max -
              Continue
            for i in 0..N
              a[i] = i
            repeat 3
              x = (x + 1)
            block
              Return
        "#]],
    );
}

#[test]
fn a_bad_statement_costs_itself() {
    check_thread(
        "x = 1; y = = 2; r = x;",
        expect![[r#"
        x = 1
        Error
        r = x
        ! 6:12 "=" E0108: found `=` where an expression would fit
    "#]],
    );
    check_thread(
        "x = 1\nr = x;",
        expect![[r#"
            x = 1
            r = x
            ! 6:6 "" E0108: found `r` where an operator or `;` would fit (add `;`)
        "#]],
    );
    check_thread(
        "if (x == ) { y = 1; } r = x;",
        expect![[r#"
        Error
        block
          y = 1
        r = x
        ! 6:10 ")" E0108: found `)` where an expression would fit
    "#]],
    );
    check_thread(
        "while x { y = 1; } r = x;",
        expect![[r#"
        Error
        block
          y = 1
        r = x
        ! 6:7 "x" E0108: found `x` where `(` would fit
    "#]],
    );
    check_thread(
        "if (x) y = 1; } r = x;",
        expect![[r#"
        if x
          y = 1
        end
        ! 6:7 "" E0108: found `y` where `{` would fit (add ` {`)
        ! 6:17 "r" E0108: found `r` where a declaration, a thread or a condition would fit
    "#]],
    );
    check_thread(
        "else { y = 1; } r = x;",
        expect![[r#"
        block
          y = 1
        r = x
        ! 6:1 "else" E0108: found `else` without its `if` where a statement would fit
    "#]],
    );
    check_thread(
        "r = cas(x, 1); s = xchg(x); t = x;",
        expect![[r#"
        Error
        Error
        t = x
        ! 6:5 "cas(x, 1)" E0120: `cas` takes 3 arguments, and here are 2
        ! 6:20 "xchg(x)" E0120: `xchg` takes 2 arguments, and here are 1
    "#]],
    );
    check_thread(
        "r = x @ y; s = y;",
        expect![[r#"
        r = x
        s = y
        ! 6:7 "@" E0105: the character `@` means nothing here
    "#]],
    );
    check_thread(
        "x + 1; mfence mfence; r = x;",
        expect![[r#"
            Error
            fence Full
            fence Full
            r = x
            ! 6:3 "+" E0108: found `+` where `[` or `=` would fit
            ! 6:14 "" E0108: found `mfence` where `;` would fit (add `;`)
        "#]],
    );
}

#[test]
fn bad_items_cost_themselves() {
    check_errors(
        "litmus t\nshared x = , y;\nthread P0 { x = 1; r = y; }\nexists (P0:r = 0)\n",
        expect![[r#"
            2:12 "," E0108: found `,` where an expression or `{` would fit
        "#]],
    );
    check_errors(
        "litmus t\nshraed x;\nthread P0 { x = 1; }\nexists (x = 1)\n",
        expect![[r#"
            2:1 "shraed" E0108: found `shraed` where a declaration, a thread or a condition would fit (did you mean `shared`?)
        "#]],
    );
    check_errors(
        "litmus t\nshared x\nthread P0 { x = 1; }\nexists (x = )\nexists (x = 1\n",
        expect![[r#"
            2:9 "" E0108: found `thread` where `[`, `,`, `;` or `=` would fit (add `;`)
            4:13 ")" E0108: found `)` where a name, a number, `[` or `-` would fit
            5:14 "" E0108: found the end where `)` would fit
        "#]],
    );
    check_errors(
        "litmus t\nshared x;\nthread P0 {\n  x = 1;\n\nthread P1 { x = 2; } }\nexists (x = 1)\n",
        expect![[r#"
            3:11 "{" E0109: this `{` is never closed
            6:22 "}" E0110: this `}` closes nothing
        "#]],
    );
    check_errors(
        "litmus t\nshared x;\nthread { x = 1; }\nthread P1 { x = 2; };\nexists (x = 1)\n",
        expect![[r#"
            3:7 "" E0108: found `{` where a name would fit
            4:21 ";" E0108: found `;` where a declaration, a thread or a condition would fit (remove it)
        "#]],
    );
}

#[test]
fn the_first_word_is_the_dialect() {
    check_errors(
        "RISCV SB\n{}\n",
        expect![[r#"
            1:1 "RISCV" E0102: herd's RISCV dialect is not supported yet: a file starts with `litmus`, `X86`, `X86_64` or `C`
        "#]],
    );
    check_errors(
        "Litmus SB\n",
        expect![[r#"
            1:1 "Litmus" E0101: `Litmus` is no dialect: a file starts with `litmus`, `X86`, `X86_64` or `C` (did you mean `litmus`?)
        "#]],
    );
    check_errors(
        "AArch64 SB\n{}\n",
        expect![[r#"
            1:1 "AArch64" E0101: `AArch64` is no dialect: a file starts with `litmus`, `X86`, `X86_64` or `C`
        "#]],
    );
    check_errors(
        "",
        expect![[r#"
            1:1 "" E0103: the file is empty: a test starts with `litmus`, `X86`, `X86_64` or `C`
        "#]],
    );
    check_errors(
        "litmus\nshared x;\n",
        expect![[r#"
        1:7 "" E0104: the test has no name (write a name after the dialect, on the same line)
    "#]],
    );
}

#[test]
fn conditions_of_the_native_dialect() {
    check_conditions(
        "litmus t\nshared x, a[2];\nparam N = 1;\nthread P0 { r = x; a[0] = 1; }\nthread W[i in 0..2] { r = x; x = i; }
exists \"both\" (P0:r = 0 /\\ W[1]:r == N \\/ ~(x != 1) /\\ a[1] >= -2)
expect SC never, TSO sometimes
expect PSO always;
~exists (true && !false || x < 1)
forall x <= 0x10
",
        expect![[r#"
            Exists "both" ((P0:r Eq 0 /\ W[1]:r Eq N) \/ (~x Ne 1 /\ a[1] Ge -2))
              Sc Never
              Tso Sometimes
              Pso Always
            NotExists ((true /\ ~false) \/ x Lt 1)
            Forall x Le 16
        "#]],
    );
    check_conditions(
        "litmus t\nshared x;\nthread P0 { x = 1; }\nexists (x = 1)\nexpect ARM never, TSO soemtimes\n",
        expect![[r#"
            Exists x Eq 1
            5:8 "ARM" E0115: found `ARM` where `SC`, `TSO` or `PSO` would fit
            5:23 "soemtimes" E0115: found `soemtimes` where `never`, `sometimes` or `always` would fit (did you mean `sometimes`?)
        "#]],
    );
}

#[test]
fn conditions_of_herds_dialect() {
    check_conditions(
        "X86 t\n{ }\n P0 | P1 ;\n MOV EAX,[x] | MOV [y],$1 ;
exists (not (P0:EAX = 1 /\\ [y]=0x1)) (* expect: SC never *)
~ exists 0:EAX=x \\/ y=-1;
(* expect: TSO always, PSO sometimes *)
final (x=0);
with
tso: ~exists;
default: exists;
",
        expect![[r#"
            Exists ~(0:EAX Eq 1 /\ [y] Eq 1)
              Sc Never
            NotExists (0:EAX Eq x \/ y Eq -1)
              Tso Always
              Pso Sometimes
            Exists x Eq 0
              with tso NotExists
              with default Exists
        "#]],
    );
    check_conditions(
        "X86 t\n{ }\n P0 ;\n MOV EAX,[x] ;\nexists (0:EAX=0)\n(* expect: SC mostly *)\n(* expect it *)\n",
        expect![[r#"
            Exists 0:EAX Eq 0
            6:15 "mostly" E0115: found `mostly` where `never`, `sometimes` or `always` would fit
        "#]],
    );
}

#[test]
fn instructions_of_both_spellings() {
    check_cells(
        "X86",
        &[
            "MOV [x],$1",
            "mov [x], 1",
            "MOV EAX,[x]",
            "XCHG [x],EAX",
            "xchg EAX,[x]",
            "MFENCE",
            "LOCK INC [x]",
            "add EAX,$-0x10",
            "MOV EAX,[EBX+ECX*4-8]",
            "lock cmpxchg [x],ECX",
            "L0: dec EAX",
            "jne L0",
            "cmp EAX,$1",
            "lea EAX,[x+4]",
            "MOV AL,[x]",
        ],
        expect![[r#"
            Mov [x+0], 1
            Mov [x+0], 1
            Mov Rax.Long, [x+0]
            Xchg [x+0], Rax.Long
            Xchg Rax.Long, [x+0]
            Mfence
            lock Inc [x+0]
            Add Rax.Long, -16
            Mov Rax.Long, [Rbx+Rcx*4+-8]
            lock Cmpxchg [x+0], Rcx.Long
            L0: Dec Rax.Long
            J(Ne) L0
            Cmp Rax.Long, 1
            Lea Rax.Long, [x+4]
            Mov Rax.Low, [x+0]
        "#]],
    );
    check_cells(
        "X86_64",
        &[
            "movq $1,(x)",
            "movl (x),%eax",
            "cmp $1,%eax",
            "shl 2,%eax",
            "xchgl (y),%eax",
            "movq 0(%rax,%rbx,8),%rcx",
            "NOPL %cs:0(%rax,%eax,0)",
            "lock xaddq %rax,(x)",
            "movzbl (x),%eax",
            "movq $x,%rdi",
            "movl x(%rip),%eax",
            "endbr64",
            "ret",
            "L1: L2:",
            "jmp L1",
            "movq %r10,8(%rsp)",
            "mov eax,[x]",
            "movabsq $0xffffffffffffffff,%rax",
        ],
        expect![[r#"
            Mov.Quad [x+0], 1
            Mov.Long Rax.Long, [x+0]
            Cmp Rax.Long, 1
            Shl Rax.Long, 2
            Xchg.Long Rax.Long, [y+0]
            Mov.Quad Rcx.Quad, [Rax+Rbx*8+0]
            Nop.Long [Rax+Rax*1+0]
            lock Xadd.Quad [x+0], Rax.Quad
            Movzx.Long Rax.Long, [x+0]
            Mov.Quad Rdi.Quad, &x
            Mov.Long Rax.Long, [x+Rip+0]
            Nop
            Ret
            L1: L2: -
            Jmp L1
            Mov.Quad [Rsp+8], R10.Quad
            Mov Rax.Long, [x+0]
            Mov.Quad Rax.Quad, -1
        "#]],
    );
}

#[test]
fn bad_cells_cost_themselves() {
    check_cells(
        "X86",
        &[
            "MOV [x],[y]",
            "MOV EAX",
            "STORE [x],$1",
            "MOV $1,EAX",
            "MOV EAX,x",
            "jmp [x]",
            "LOCK MOV [x],$1",
            "MOV EAX,[EAX*3]",
            "MOV [x],$",
            "MOV EAX [x]",
            "jmp L9",
            "MOV EAX,[x]",
        ],
        expect![[r#"
            ?
            ?
            ?
            ?
            ?
            ?
            ?
            Mov Rax.Long, [Rax*1+0]
            ?
            ?
            Jmp L9
            Mov Rax.Long, [x+0]
            ! 4:2 "MOV [x],[y]" E0114: `MOV`: one of two operands must be a register or a number
            ! 5:2 "MOV EAX" E0113: `MOV` takes two operands, and here are 1
            ! 6:2 "STORE" E0112: `STORE` is no instruction
            ! 7:6 "$1" E0114: `MOV`: a number cannot be written to
            ! 8:10 "x" E0114: `MOV`: a location is written `[x]` or `(x)`
            ! 9:6 "[x]" E0114: `jmp`: a jump goes to a label
            ! 10:2 "LOCK" E0114: `MOV`: `lock` goes with an instruction that updates memory
            ! 11:10 "[EAX*3]" E0114: `address`: a scale is 1, 2, 4 or 8
            ! 12:11 "" E0108: found the end where a name, a number or `-` would fit
            ! 13:10 "[" E0108: found `[` where `,` would fit
        "#]],
    );
    check_errors(
        "X86 t\n{ x=0; y= }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] ;\n | | MFENCE ;\nexists (0:EAX=0)\n",
        expect![[r#"
            2:10 "" E0108: found the end where a name, a number, `{` or `-` would fit
            5:2 "MOV EAX,[y] ;" E0111: this row has 1 cell, the table has 2 threads (an empty cell still needs its `|`)
            6:2 "| | MFENCE ;" E0111: this row has 3 cells, the table has 2 threads (an empty cell still needs its `|`)
        "#]],
    );
}

#[test]
fn headers_of_herds_dialect() {
    let text = "(* first *) X86 x86/n7 (nSeven) \"a doc\"\nCycle=Fre PodWR (x) {y}\nAlign=\n{ int x=0; int64_t t[2]={1,-1}; 0:EAX=t; P1:EBX=2; [z]=3 }\n P0 | P1 ;\n MFENCE | MFENCE ;\nlocations [x; 0:EAX]\nfilter (x=0)\nforall true\n<<\nshow 0\n>>\n";
    let parsed = parse(text);
    assert_eq!(parsed.errors, []);
    let test = &parsed.test;
    assert_eq!(test.name.name, "x86/n7");
    assert_eq!(
        test.alias.as_ref().map(|alias| alias.name.as_str()),
        Some("nSeven")
    );
    assert_eq!(
        test.doc.as_ref().map(|doc| doc.name.as_str()),
        Some("a doc")
    );
    let metadata: Vec<_> = test
        .metadata
        .iter()
        .map(|line| (line.key.name.as_str(), line.value.name.as_str()))
        .collect();
    assert_eq!(metadata, [("Cycle", "Fre PodWR (x) {y}"), ("Align", "")]);
    assert_eq!(test.herd().map(|herd| herd.init.len()), Some(5));
    assert_eq!(test.locations[0].items.len(), 2);
    assert!(test.filter.is_some());
    assert_eq!(test.blocks[0].text(text), "<<\nshow 0\n>>");
    assert_eq!(test.comments[0].span.text(text), "(* first *)");
}
