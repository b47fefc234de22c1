//! What lowering makes of small texts, seen by running them.

use fencepost_grammar::parse;

use super::{LowerOptions, lower};
use crate::engine::check;
use crate::program::{Model, Place, Program, Verdict};
use crate::report::{FailureKind, Options, Report};

fn program(text: &str) -> Program {
    let parsed = parse(text);
    assert!(!parsed.has_errors(), "{text}\n{:?}", parsed.errors);
    lower(&parsed.sound().expect(text), &LowerOptions::default())
        .unwrap_or_else(|errors| panic!("{text}\n{errors:?}"))
}

fn run(text: &str, model: Model) -> Report {
    let report = check(&program(text), model, &Options::default());
    assert_eq!(report.defect, None, "{text}");
    assert!(report.complete(), "{text}");
    report
}

/// The codes and messages of what keeps a text from being lowered.
fn errors(text: &str, options: &LowerOptions) -> Vec<String> {
    let parsed = parse(text);
    assert!(!parsed.has_errors(), "{text}\n{:?}", parsed.errors);
    lower(&parsed.sound().expect(text), options)
        .expect_err(text)
        .iter()
        .map(|error| {
            let at = error.span.text(text);
            format!("{} `{at}`: {}", error.code(), error.message())
        })
        .collect()
}

/// One thread of AT&T code from an init section; the condition must always hold.
#[track_caller]
fn x86(init: &str, code: &[&str], condition: &str) {
    x86_of("X86_64", init, code, condition);
}

#[track_caller]
fn x86_of(dialect: &str, init: &str, code: &[&str], condition: &str) {
    let rows = code.join(" ;\n");
    let text = format!("{dialect} t\n{{ {init} }}\nP0 ;\n{rows} ;\nforall ({condition})\n");
    let report = run(&text, Model::Tso);
    assert_eq!(report.classes, 1, "{text}");
    let states: Vec<_> = report.outcomes.iter().map(|o| &o.state).collect();
    assert_eq!(
        report.conditions[0].verdict,
        Verdict::Always,
        "{text}{states:?}"
    );
}

/// Whether a jump is taken after the code.
#[track_caller]
fn jumps(code: &[&str], jump: &str, taken: bool) {
    let mut all = code.to_vec();
    let jump = format!("{jump} OUT");
    all.extend([jump.as_str(), "movq $1,%rdi", "OUT:"]);
    x86("", &all, if taken { "0:rdi=0" } else { "0:rdi=1" });
}

#[test]
fn parts_of_registers_are_written_as_the_hardware_does() {
    x86("0:rax=-1;", &["movl $1,%eax"], "0:rax=1");
    x86(
        "0:rax=-1;",
        &["movl $-1,%eax"],
        "0:rax=4294967295 /\\ 0:eax=-1",
    );
    x86("0:rax=-1;", &["movw $1,%ax"], "0:rax=-65535 /\\ 0:ax=1");
    x86(
        "0:rax=-1;",
        &["movb $1,%al"],
        "0:rax=-255 /\\ 0:al=1 /\\ 0:ah=-1",
    );
    x86("0:rax=0;", &["movb $2,%ah"], "0:rax=512");
    x86("0:rax=513;", &["movb %ah,%bl"], "0:rbx=2");
    x86("0:rax=0xff;", &["movzbl %al,%ebx"], "0:rbx=255");
    x86("0:rax=0xff;", &["movsbl %al,%ebx"], "0:rbx=4294967295");
    x86("0:rax=0xff;", &["movsbq %al,%rbx"], "0:rbx=-1");
    x86_of("X86", "0:EAX=-1;", &["MOV AL,$1"], "0:EAX=-255");
    x86_of(
        "X86",
        "",
        &["MOV EAX,$0xffffffff"],
        "0:EAX=-1 /\\ 0:EAX=0xffffffff",
    );
}

#[test]
fn arithmetic_wraps_at_the_size_of_its_operands() {
    x86("0:rax=0x7fffffff;", &["addl $1,%eax"], "0:rax=0x80000000");
    x86("0:rax=0;", &["subl $1,%eax"], "0:rax=0xffffffff");
    x86("0:rax=0;", &["subq $1,%rax"], "0:rax=-1");
    x86("0:rax=5;", &["negq %rax"], "0:rax=-5");
    x86("0:rax=5;", &["notq %rax"], "0:rax=-6");
    x86("0:rax=12; 0:rbx=10;", &["andq %rbx,%rax"], "0:rax=8");
    x86("0:rax=12; 0:rbx=10;", &["orq %rbx,%rax"], "0:rax=14");
    x86("0:rax=12; 0:rbx=10;", &["xorq %rbx,%rax"], "0:rax=6");
    x86(
        "0:rax=3;",
        &["incq %rax", "incq %rax", "decq %rax"],
        "0:rax=4",
    );
    x86("0:rax=-8;", &["sarq $1,%rax"], "0:rax=-4");
    x86("0:rax=-8;", &["shrq $60,%rax"], "0:rax=15");
    x86("0:rax=0xc0000000;", &["shll $1,%eax"], "0:rax=0x80000000");
    x86("0:rax=1; 0:rcx=33;", &["shll %cl,%eax"], "0:rax=2");
    x86("0:rax=0x80000001;", &["roll $1,%eax"], "0:rax=3");
    x86("0:rax=0x80000001;", &["roll $32,%eax"], "0:rax=0x80000001");
    x86("0:rax=0x81; 0:rcx=9;", &["rolb %cl,%al"], "0:rax=3");
    x86("0:rax=-2;", &["rolq %rax"], "0:rax=-3");
    x86("0:rax=5;", &["rolq $64,%rax"], "0:rax=5");
    x86("int x=0x7fffffff;", &["addl $1,(x)"], "[x]=-2147483648");
    x86("uint32_t x=0;", &["subl $1,(x)"], "[x]=0xffffffff");
}

#[test]
fn flags_decide_jumps() {
    for (a, b) in [
        (1, 2),
        (2, 1),
        (1, 1),
        (-1, 1),
        (1, -1),
        (i32::MIN, 1),
        (1, i32::MIN),
    ] {
        let code = [format!("movl ${a},%eax"), format!("cmpl ${b},%eax")];
        let code: Vec<&str> = code.iter().map(String::as_str).collect();
        let (ua, ub) = (a as u32, b as u32);
        let difference = a.wrapping_sub(b);
        let overflow = a.checked_sub(b).is_none();
        let parity = (difference as u8).count_ones().is_multiple_of(2);
        for (jump, taken) in [
            ("je", a == b),
            ("jne", a != b),
            ("jl", a < b),
            ("jge", a >= b),
            ("jle", a <= b),
            ("jg", a > b),
            ("jb", ua < ub),
            ("jae", ua >= ub),
            ("jbe", ua <= ub),
            ("ja", ua > ub),
            ("js", difference < 0),
            ("jns", difference >= 0),
            ("jo", overflow),
            ("jno", !overflow),
            ("jp", parity),
            ("jnp", !parity),
        ] {
            jumps(&code, jump, taken);
        }
    }
    jumps(&["movl $0x7fffffff,%eax", "addl $1,%eax"], "jo", true);
    jumps(&["movl $0x7fffffff,%eax", "addl $1,%eax"], "jl", false);
    jumps(&["movl $-1,%eax", "addl $1,%eax"], "jb", true);
    jumps(&["movl $-1,%eax", "addl $1,%eax"], "je", true);
    jumps(&["movl $0x7fffffff,%eax", "incl %eax"], "jo", true);
    jumps(&["movl $-1,%eax", "addl $1,%eax", "incl %eax"], "jb", true);
    jumps(&["movl $4,%eax", "testl $3,%eax"], "je", true);
    jumps(&["movl $3,%eax", "shrl $1,%eax"], "jb", true);
    jumps(&["movl $1,%eax", "shll $31,%eax"], "js", true);
    // A rotation has the carry and the overflow, and leaves the other flags alone.
    let turned = ["movl $0x80000000,%eax", "cmpl %eax,%eax", "roll $1,%eax"];
    jumps(&turned, "jc", true);
    jumps(&turned, "je", true);
    jumps(&turned, "jo", true);
    jumps(&turned, "jl", true);
    jumps(&["movl $1,%eax", "roll $1,%eax"], "jc", false);
    jumps(
        &["movl $1,%eax", "cmpl $2,%eax", "roll $0,%eax"],
        "jb",
        true,
    );
    jumps(&["movl $1,%eax", "negl %eax"], "jb", true);
    jumps(&["xorl %eax,%eax"], "je", true);
}

#[test]
fn atomic_instructions_read_and_write_once() {
    x86("x=5; 0:rax=7;", &["xchgq %rax,(x)"], "0:rax=5 /\\ [x]=7");
    x86(
        "x=5; 0:rax=7;",
        &["lock xaddq %rax,(x)"],
        "0:rax=5 /\\ [x]=12",
    );
    x86("x=5; 0:rax=7;", &["xaddq %rax,(x)"], "0:rax=5 /\\ [x]=12");
    for prefix in ["", "lock "] {
        let swap = format!("{prefix}cmpxchgq %rbx,(x)");
        x86("x=5; 0:rax=5; 0:rbx=7;", &[&swap], "0:rax=5 /\\ [x]=7");
        x86("x=5; 0:rax=4; 0:rbx=7;", &[&swap], "0:rax=5 /\\ [x]=5");
        for (op, result) in [
            ("addq $3,(x)", 8),
            ("subq $3,(x)", 2),
            ("andq $3,(x)", 1),
            ("orq $3,(x)", 7),
            ("xorq $3,(x)", 6),
            ("incq (x)", 6),
            ("decq (x)", 4),
            ("negq (x)", -5),
            ("notq (x)", -6),
        ] {
            x86(
                "x=5;",
                &[&format!("{prefix}{op}")],
                &format!("[x]={result}"),
            );
        }
    }
    for prefix in ["", "lock "] {
        for (init, op, result) in [
            ("int x=0x7fffffff;", "addl $1,(x)", "-2147483648"),
            ("int x=-2147483648;", "subl $1,(x)", "2147483647"),
            ("int x=-2147483648;", "negl (x)", "-2147483648"),
            ("uint32_t x=5;", "negl (x)", "4294967291"),
            ("uint32_t x=0;", "decl (x)", "4294967295"),
            ("uint32_t x=5;", "notl (x)", "4294967290"),
            ("uint8_t x=255;", "incb (x)", "0"),
        ] {
            let condition = format!("[x]={result}");
            x86(init, &[&format!("{prefix}{op}")], &condition);
        }
    }
    // Without the prefix it is a load and a store, and another thread may come between.
    let race = |prefix: &str| {
        let text = format!(
            "X86_64 r\n{{ x=0; }}\nP0 | P1 ;\n {prefix}incq (x) | {prefix}incq (x) ;\n\
             exists ([x]=1)\n"
        );
        run(&text, Model::Sc).conditions[0].verdict
    };
    assert_eq!(race(""), Verdict::Sometimes);
    assert_eq!(race("lock "), Verdict::Never);
}

#[test]
fn addresses_are_numbers() {
    x86("0:rax=x; x=5;", &["movq (%rax),%rbx"], "0:rbx=5");
    x86("0:rax=x; x=5; y=6;", &["movq $7,(%rax)"], "[x]=7 /\\ [y]=6");
    x86(
        "x=5;",
        &["leaq x(%rip),%rax", "movq (%rax),%rbx"],
        "0:rax=x /\\ 0:rbx=5",
    );
    x86("x=5;", &["movq $x,%rax", "movq (%rax),%rbx"], "0:rbx=5");
    let array = "int t[3]={1,2,3}; 0:rax=t; 0:rbx=2;";
    x86(array, &["movl (%rax,%rbx,4),%ecx"], "0:rcx=3");
    x86(array, &["addq $4,%rax", "movl (%rax),%ecx"], "0:rcx=2");
    x86(array, &["movl $9,4(%rax)"], "t[1]=9 /\\ t[2]=3");
    x86(
        "int64_t t[2]={1,-1}; 0:rax=t[1];",
        &["movq (%rax),%rcx"],
        "0:rcx=-1",
    );
    x86_of("X86", "0:ESI=x; x=5;", &["MOV EAX,[ESI]"], "0:EAX=5");
    let wild = run(
        "X86_64 w\n{ 0:rax=3; }\nP0 ;\nmovq $1,(%rax) ;\n",
        Model::Sc,
    );
    assert_eq!(wild.failures[0].kind, FailureKind::BadAddress);
}

#[test]
fn a_backward_jump_is_bounded() {
    let text = "X86_64 spin\n{ x=0; }\nP0 | P1 ;\nL: | movl $1,(x) ;\n\
                movl (x),%eax | ;\ncmpl $0,%eax | ;\nje L | ;\nexists (0:rax=1)\n";
    let report = run(text, Model::Tso);
    assert_eq!(report.bounds_hit.len(), 1);
    assert_eq!(report.bounds_hit[0].bound, super::DEFAULT_UNROLL);
    // It sees the store at one of nine looks, or gives up.
    assert_eq!((report.classes, report.blocked), (9, 1));
}

#[test]
fn outcomes_are_named_and_ordered_as_herd_does() {
    let text = "litmus names\nshared y, x, a[11];\nthread W[i in 1..3] { s = x; r = a[i]; }\n\
                thread P { r = y; }\n\
                locations [a[10]; a[2]; y; P:r; W[2]:r; W[1]:s; W[1]:r; x;]\n";
    let program = program(text);
    let names: Vec<&str> = program.observed.iter().map(|o| o.name.as_str()).collect();
    let expected = [
        "W[1]:r", "W[1]:s", "W[2]:r", "P:r", "[a[2]]", "[a[10]]", "[x]", "[y]",
    ];
    assert_eq!(names, expected);
    assert!(matches!(program.observed[2].place, Place::Register(1, _)));
}

#[test]
fn parameters_can_be_set() {
    let text = "litmus p\nparam N = 2;\nconst K = N * 2;\nthread W[i in 0..N] { r = K; }\n";
    let set = |params: &[(&str, i64)]| LowerOptions {
        params: params.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect(),
        ..LowerOptions::default()
    };
    let threads = |options: &LowerOptions| {
        let parsed = parse(text);
        lower(&parsed.sound().expect(text), options).map(|program| program.threads.len())
    };
    assert_eq!(threads(&set(&[])), Ok(2));
    assert_eq!(threads(&set(&[("N", 5)])), Ok(5));
    assert_eq!(threads(&set(&[("N", 0)])), Ok(0));
    assert_eq!(
        errors(text, &set(&[("M", 5)])),
        ["E0315 ``: the test has no parameter `M` to set"]
    );
    assert_eq!(
        errors(text, &set(&[("N", i64::MAX)])),
        ["E0310 `[i in 0..N]`: 9223372036854775807 threads: at most 64 can be checked"]
    );
}

#[test]
fn what_is_too_much_is_an_error() {
    let one = |text: &str| {
        let found = errors(&format!("litmus e\n{text}"), &LowerOptions::default());
        assert_eq!(found.len(), 1, "{found:?}");
        found.into_iter().next().unwrap_or_default()
    };
    for (text, error) in [
        (
            "shared x; thread P { repeat 1000000000 { x = 1; } }",
            "E0310 `1000000000`: 1000000000 iterations: at most 65536 can be checked",
        ),
        (
            "shared x; thread P { repeat 70000 { x = 1; } r = x; } exists (P:r = 0)",
            "E0310 `70000`: 70000 iterations: at most 65536 can be checked",
        ),
        (
            "shared x; thread P { while (x) max 100000 { r = 1; } }",
            "E0310 `100000`: 100000 iterations: at most 65536 can be checked",
        ),
        (
            "shared a[100000];",
            "E0311 `100000`: an array of 100000 elements: between 1 and 4096 are possible",
        ),
        (
            "shared a[0];",
            "E0311 `0`: an array of 0 elements: between 1 and 4096 are possible",
        ),
        (
            "shared a[0]; thread P { a[0] = 1; } exists (a[0] = 1)",
            "E0311 `0`: an array of 0 elements: between 1 and 4096 are possible",
        ),
        (
            "shared a[3] = {1, 2};",
            "E0312 `{1, 2}`: 2 initial values for an array of 3 elements",
        ),
        ("const K = 1 / 0;", "E0313 `/`: this divides by zero"),
        (
            "shared a[3]; exists (a[3] = 0)",
            "E0314 `3`: `a` has 3 elements, and none has the index 3",
        ),
    ] {
        assert_eq!(one(text), error, "{text}");
    }
    let mutexes: Vec<String> = (0..65).map(|i| format!("m{i}")).collect();
    let text = format!("mutex {};", mutexes.join(", "));
    assert_eq!(
        one(&text),
        "E0310 `m64`: 65 mutexes: at most 64 can be checked"
    );
}

#[test]
fn an_await_is_one_load_whatever_it_says() {
    let text = "litmus a\nshared x;\nthread P { await(x == 1 || x == 2); }\n\
                thread Q { x = 1; }\nthread R { x = 2; }\n";
    let report = run(text, Model::Tso);
    // It reads the initial value and waits, or one of the two stores.
    assert_eq!((report.classes, report.blocked), (2, 1));
    assert_eq!(report.deadlocks, 0);
    let never = "litmus a\nshared x;\nthread P { await(x == 1); }\n";
    assert_eq!(run(never, Model::Tso).deadlocks, 1);
}

#[test]
fn short_circuits_skip_loads() {
    let loads = |expr: &str| {
        let text = format!("litmus s\nshared x, y;\nthread P {{ r = {expr}; }}\n");
        let report = run(&text, Model::Sc);
        report.outcomes[0].witness(&program(&text)).steps.len()
    };
    assert_eq!(loads("x && y"), 1);
    assert_eq!(loads("x || y"), 2);
    assert_eq!(loads("!x && y"), 2);
    assert_eq!(loads("0 && x"), 0);
    assert_eq!(loads("1 && x"), 1);
    assert_eq!(loads("x * y + x"), 3);
}

#[test]
fn loops_break_continue_and_nest() {
    let always = |body: &str, condition: &str| {
        let text =
            format!("litmus l\nshared x = 3;\nthread P {{ {body} }}\nforall ({condition})\n");
        let report = run(&text, Model::Pso);
        assert_eq!(report.classes, 1, "{text}");
        assert_eq!(report.conditions[0].verdict, Verdict::Always, "{text}");
    };
    always(
        "s = 0; for i in 0..3 { for j in 0..i { s = s + 10 * i + j; } }",
        "P:s = 51",
    );
    always("s = 0; for i in 0..x { s = s + i; }", "P:s = 3");
    always(
        "s = 0; repeat 3 { repeat 2 { s = s + 1; if (s == 3) { break; } } }",
        "P:s = 5",
    );
    always(
        "s = 0; while (s < 5) { s = s + 1; if (s == 2) { continue; } }",
        "P:s = 5",
    );
    always("s = 0; for i in 3..1 { s = 1; }", "P:s = 0");
    always(
        "s = 1; for i in 0..3 { if (i == 1) { return; } s = i + 7; }",
        "P:s = 7",
    );
    always("s = 0; for i in -2..2 { s = s + i; }", "P:s = -2");
}

#[test]
fn maxima_and_minima_are_signed() {
    let text = "litmus t\nshared x = -5;\nthread P { a = fetch_max(x, -7); b = fetch_max(x, 2); \
                c = fetch_min(x, 3); d = fetch_min(x, -1); }\n\
                forall (P:a = -5 /\\ P:b = -5 /\\ P:c = 2 /\\ P:d = 2 /\\ x = -1)\n";
    let report = run(text, Model::Pso);
    assert_eq!(report.conditions[0].verdict, Verdict::Always);
}

#[test]
fn a_loop_without_a_number_is_cut_at_the_default() {
    let text =
        "litmus c\nshared x;\nthread P { for i in 0..x { r = i; } }\nthread Q { x = 100; }\n";
    let report = run(text, Model::Sc);
    assert_eq!((report.classes, report.blocked), (1, 1));
    assert_eq!(report.bounds_hit.len(), 1);
    assert!(!report.bounds_hit[0].explicit);
}
