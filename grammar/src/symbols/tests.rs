//! Tests of name resolution.

use std::fmt::Write;

use expect_test::{Expect, expect};

use crate::parse;
use crate::tests::errors;

/// Every symbol with its definition and uses, and the errors. `$0` marks a cursor, and
/// then only the symbol there is shown.
fn check(fixture: &str, expected: Expect) {
    let cursor = fixture.find("$0");
    let text = fixture.replacen("$0", "", 1);
    let parsed = parse(&text);
    let place = |offset: u32| {
        let before = &text[..offset as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        format!("{line}:{column}")
    };
    let at = cursor.map(|cursor| parsed.symbols.at(cursor as u32));
    let mut out = String::new();
    for (index, symbol) in parsed.symbols.symbols.iter().enumerate() {
        if at.is_some_and(|at| at.is_none_or(|(id, _)| id.0 as usize != index)) {
            continue;
        }
        let thread = symbol
            .thread
            .map_or(String::new(), |thread| format!("{thread}:"));
        let _ = write!(
            out,
            "{thread}{} {:?} {}",
            symbol.name,
            symbol.kind,
            place(symbol.definition.start)
        );
        for reference in &symbol.references {
            let _ = write!(
                out,
                " {:?}@{}",
                reference.access,
                place(reference.span.start)
            );
        }
        out.push('\n');
    }
    out.push_str(&errors(&text));
    expected.assert_eq(&out);
}

#[test]
fn native_names() {
    check(
        "litmus t
shared x, a[2];
mutex m;
param N = 2;
const K = N * 2;
thread P0 {
  lock(m);
  r = s + a[K - 4];
  s = xchg(x, r);
  for i in 0..N { a[i] = i; }
  unlock(m);
}
thread W[i in 0..N] { r = x + i; }
locations [x; P0:s;]
exists (P0:r = 0 /\\ W[1]:r = K)
",
        expect![[r#"
            x Shared 2:8 Update@9:12 Read@13:27 Mention@14:12
            a Array 2:11 Read@8:11 Write@10:19
            m Mutex 3:7 Update@7:8 Update@11:10
            N Param 4:7 Read@5:11 Read@10:15 Read@13:18
            K Const 5:7 Read@8:13 Mention@15:30
            P0 Thread 6:8 Mention@14:15 Mention@15:9
            W Thread 13:8 Mention@15:21
            0:r Register 8:3 Read@9:15 Mention@15:12
            0:s Register 9:3 Read@8:7 Mention@14:18
            0:i Index 10:7 Read@10:21 Read@10:26
            1:i Index 13:10 Read@13:31
            1:r Register 13:23 Mention@15:26
        "#]],
    );
}

#[test]
fn the_symbol_under_the_cursor() {
    let text = "litmus t\nshared x, y;\nthread P0 { x = 1; r0 = $0y; }\nthread P1 { r0 = x; }\nexists (P0:r0 = 0 /\\ y = 0 /\\ P1:r0 = 0)\n";
    check(
        text,
        expect![[r#"
        y Shared 2:11 Read@3:25 Mention@5:22
    "#]],
    );
    let text = "litmus t\nshared x, y;\nthread P0 { x = 1; r0 = y; }\nthread P1 { r0$0 = x; }\nexists (P0:r0 = 0 /\\ P1:r0 = 0 /\\ y = 0)\n";
    check(
        text,
        expect![[r#"
        1:r0 Register 4:13 Mention@5:25
    "#]],
    );
}

#[test]
fn mistyped_names() {
    check(
        "litmus t
shared flag, data[2];
mutex mtx;
param COUNT = 2;
thread Writer { data[0] = 1; flag = 1; lock(mtx); unlock(mtx); }
thread Reader { first = flga; second = dta[0]; lock(mx); fetch_add(flagg, 1); x = COUTN; }
exists (Reader:frist = 1 /\\ Raeder:second = 0 /\\ falg = 1 /\\ first = 1 /\\ 0:r = 1)
",
        expect![[r#"
            flag Shared 2:8 Write@5:30
            data Array 2:14 Write@5:17
            mtx Mutex 3:7 Update@5:45 Update@5:58
            COUNT Param 4:7
            Writer Thread 5:8
            Reader Thread 6:8 Mention@7:9
            1:first Register 6:17
            1:second Register 6:31
            1:x Register 6:79
            6:25 "flga" E0201: thread Reader reads register `flga` but never assigns it (did you mean `flag`?)
            6:40 "dta" E0201: nothing declares `dta` (did you mean `data`?)
            6:53 "mx" E0201: nothing declares `mx` (did you mean `mtx`?)
            6:68 "flagg" E0201: nothing declares `flagg` (did you mean `flag`?)
            6:83 "COUTN" E0201: thread Reader reads register `COUTN` but never assigns it (did you mean `COUNT`?)
            7:16 "frist" E0204: thread Reader has no register `frist` (did you mean `first`?)
            7:29 "Raeder" E0203: there is no thread `Raeder` (did you mean `Reader`?)
            7:50 "falg" E0205: there is no location `falg` (did you mean `flag`?)
            7:62 "first" E0205: there is no location `first` (did you mean `Reader:first`?)
            7:75 "0" E0203: there is no thread `0` (did you mean `Writer`?)
        "#]],
    );
}

#[test]
fn names_of_the_wrong_kind() {
    check(
        "litmus t
shared x, a[x];
mutex m;
param N = 2;
thread P0 { N = 1; m = 2; a = 3; x[1] = 4; lock(x); r = m; xchg(N, 1); break; for N in 0..2 { } }
thread P0 { for i in 0..2 { i = 1; } r = i; }
thread W[i in 0..r] { i = 2; continue; }
exists (m = 0 /\\ a = 1 /\\ x[1] = 2 /\\ W:r = 1 /\\ P0[1]:r = 2)
",
        expect![[r#"
            x Shared 2:8 Read@2:13 Write@5:34 Update@5:49 Mention@8:27
            a Array 2:11 Write@5:27 Mention@8:18
            m Mutex 3:7 Write@5:20 Read@5:57 Mention@8:9
            N Param 4:7 Write@5:13 Update@5:65
            P0 Thread 5:8 Mention@8:50
            W Thread 7:8 Mention@8:39
            0:r Register 5:53 Mention@8:56
            0:N Index 5:83
            1:i Index 6:17 Write@6:29
            1:r Register 6:38
            2:i Index 7:10 Write@7:23
            2:13 "x" E0210: `x` is a shared variable, and a constant is needed here (numbers, `param`, `const` and a replicated thread's index are constants)
            5:13 "N" E0206: `N` is a parameter, and a shared variable or a register is needed here
            5:20 "m" E0206: `m` is a mutex, and a shared variable or a register is needed here
            5:27 "a" E0209: `a` is an array and needs an index
            5:34 "x" E0209: `x` is no array and takes no index
            5:49 "x" E0206: `x` is a shared variable, and a mutex is needed here
            5:57 "m" E0206: `m` is a mutex, and a value is needed here
            5:65 "N" E0206: `N` is a parameter, and a shared variable is needed here
            5:72 "break;" E0119: `break` with no loop around it
            5:83 "N" E0202: `N` is declared again, as a loop index
            6:8 "P0" E0202: `P0` is declared again, as a thread
            6:29 "i" E0206: `i` is a loop index, and a shared variable or a register is needed here
            6:42 "i" E0201: thread P0 reads register `i` but never assigns it (assign it first, or declare it with `shared`)
            7:18 "r" E0201: nothing declares `r`
            7:23 "i" E0206: `i` is a loop index, and a shared variable or a register is needed here
            7:30 "continue;" E0119: `continue` with no loop around it
            8:9 "m" E0206: `m` is a mutex, and a shared variable is needed here
            8:39 "W" E0203: there is no thread `W` (did you mean `W[0]`?)
            8:41 "r" E0204: thread W has no register `r`
            8:50 "P0[1]" E0203: there is no thread `P0[…]` (did you mean `P0`?)
        "#]],
    );
}

#[test]
fn herd_names() {
    check(
        "X86_64 t
{ x=0; 0:rsi=x; uint64_t 1:rax; 0:foo=1; 2:rax=1; }
 P0              | P1            ;
 movl $1,(%rsi)  | movl (x),%eax ;
 L0:             | cmpl $1,%eax  ;
 movl (y),%ebx   | jne L0        ;
exists (0:rbx=0 /\\ 1:eax=1 /\\ x=y /\\ z=1 /\\ 0:foo=1 /\\ 0:bar=1 /\\ 3:rax=0)
",
        expect![[r#"
            P0 Thread 3:2 Mention@2:8 Mention@2:33 Mention@7:9 Mention@7:45 Mention@7:56
            P1 Thread 3:20 Mention@2:26 Mention@7:20
            x Location 2:3 Mention@2:14 Read@4:26 Mention@7:31
            0:rsi Register 2:10 Read@4:11
            1:rax Register 2:28 Write@4:29 Read@5:28 Mention@7:22
            0:foo Register 2:35 Mention@7:47
            0:L0 Label 5:2
            0:ebx Register 6:11 Mention@7:11
            y Location 6:8 Mention@7:33
            2:35 "foo" W0201: x86 has no register `foo`: no instruction can read it
            2:42 "2" E0203: there is no thread `P2` (did you mean `P0`?)
            6:24 "L0" E0207: this thread has no label `L0`
            7:38 "z" E0205: there is no location `z`
            7:58 "bar" E0208: x86 has no register `bar` (did you mean `rax`?)
            7:67 "3" E0203: there is no thread `P3` (did you mean `P0`?)
        "#]],
    );
}

#[test]
fn registers_that_a_herd_condition_asks_for_in_vain() {
    check(
        "X86_64 t
{ x=0; 0:rdi=1; uint64_t 0:rsi; }
 P0                    | P1           | P2           ;
 movb (x),%cl          | xadd %r8,%r9 | MOV EAX,[x]  ;
 lock cmpxchg %rdx,(x) | cmp %r10,%r8 |              ;
locations [0:rax; 0:ECX; 0:rdi; 0:rsi; 1:r9b; 1:r8;]
filter (0:RDX=0 \\/ 1:r10=1)
exists (0:dx=1 /\\ 1:rbx=0 /\\ 2:RDI=0)
",
        expect![[r#"
            P0 Thread 3:2 Mention@2:8 Mention@2:26 Mention@6:12 Mention@6:19 Mention@6:26 Mention@6:33 Mention@7:9 Mention@8:9
            P1 Thread 3:26 Mention@6:40 Mention@6:47 Mention@7:20 Mention@8:19
            P2 Thread 3:41 Mention@8:30
            x Location 2:3 Read@4:8 Read@4:50 Update@5:21
            0:rdi Register 2:10 Mention@6:28
            0:rsi Register 2:28 Mention@6:35
            0:cl Register 4:11 Mention@6:21
            1:r9 Register 4:35 Mention@6:42
            1:r8 Register 4:31 Read@5:35 Mention@6:49
            2:eax Register 4:45
            0:rdx Register 5:15 Mention@7:11 Mention@8:11
            1:r10 Register 5:30 Mention@7:22
            0:rax Register 6:14
            1:rbx Register 8:21
            2:RDI Register 8:32
            7:11 "RDX" W0203: thread P0 never writes `RDX`, so it is 0 in every outcome (did you mean `RAX`?)
            7:22 "r10" W0203: thread P1 never writes `r10`, so it is 0 in every outcome (did you mean `r8`?)
            8:21 "rbx" W0203: thread P1 never writes `rbx`, so it is 0 in every outcome (did you mean `r8`?)
            8:32 "RDI" W0203: thread P2 never writes `RDI`, so it is 0 in every outcome (did you mean `RAX`?)
        "#]],
    );
}

#[test]
fn a_cell_that_cannot_be_read_may_write_any_register() {
    let errors = |cell: &str| {
        let text = format!("X86 t\n{{ }}\n P0 ;\n {cell} ;\nexists (0:EAX=1)\n");
        let parsed = crate::parse(&text);
        let codes = parsed.errors.iter().map(|error| error.code());
        codes.collect::<Vec<_>>()
    };
    assert_eq!(errors("MOV EBX,$1"), ["W0203"]);
    assert_eq!(errors("MOV ,$1"), ["E0108"]);
}
