//! Values and sizes of x86: what a location of bytes holds, and what is refused.

use fencepost_checker::program::{Model, Verdict};
use fencepost_checker::report::FailureKind;
use fencepost_checker::{LowerOptions, Options, Report, check, lower};

fn run(text: &str, model: Model) -> Report {
    let parse = fencepost_grammar::parse(text);
    assert!(!parse.has_errors(), "{text}\n{:?}", parse.errors);
    let program = lower(&parse.sound().expect("a test"), &LowerOptions::default())
        .unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    let report = check(&program, model, &Options::default());
    assert!(report.complete(), "{text}");
    assert_eq!(report.confirm(&program), Ok(()), "{text}");
    report
}

fn verdicts(text: &str) -> [Verdict; 3] {
    Model::ALL.map(|model| run(text, model).conditions[0].verdict)
}

fn one_thread(dialect: &str, init: &str, code: &[&str], condition: &str) -> String {
    let rows = code.join(" ;\n ");
    format!("{dialect} t\n{{ {init} }}\n P0 ;\n {rows} ;\nforall ({condition})\n")
}

/// The condition holds whatever the model.
#[track_caller]
fn always(dialect: &str, init: &str, code: &[&str], condition: &str) {
    let text = one_thread(dialect, init, code, condition);
    assert_eq!(verdicts(&text), [Verdict::Always; 3], "{text}");
}

/// The one error that refuses a test: the text it is at, and what it says.
#[track_caller]
fn refused(text: &str) -> String {
    let parse = fencepost_grammar::parse(text);
    assert!(!parse.has_errors(), "{text}\n{:?}", parse.errors);
    let errors = lower(&parse.sound().expect("a test"), &LowerOptions::default()).expect_err(text);
    assert_eq!(errors.len(), 1, "{text}\n{errors:?}");
    assert!(errors[0].kind.help().is_some());
    let at = errors[0].span.text(text);
    format!("{} `{at}`: {}", errors[0].code(), errors[0].message())
}

#[test]
fn a_store_changes_its_own_bytes() {
    for init in ["x=0x0102;", "int x=0x0102;", "uint64_t x=0x0102;"] {
        always("X86_64", init, &["movb $3,(x)"], "[x]=0x103");
    }
    always("X86", "x=0x0102;", &["movb $3,(x)"], "[x]=0x103");
    always(
        "X86_64",
        "int x=-1; 0:rsi=x;",
        &["movb $0,2(%rsi)", "movw (%rsi),%ax"],
        "[x]=0xff00ffff /\\ 0:rax=0xffff",
    );
    always(
        "X86_64",
        "int t[2]={1,2}; 0:rsi=t;",
        &["movq (%rsi),%rax", "movl $0xabcd,2(%rsi)"],
        "0:rax=0x200000001 /\\ t[0]=0xabcd0001 /\\ t[1]=0",
    );
    always(
        "X86_64",
        "uint16_t x=0xffff; 0:rsi=x;",
        &["lock incb 1(%rsi)", "xchgb %al,(x)"],
        "[x]=0 /\\ 0:rax=255",
    );
}

#[test]
fn a_location_without_a_type_is_as_large_as_its_accesses() {
    always("X86_64", "x=-1;", &["movl $1,(x)"], "[x]=1");
    always(
        "X86_64",
        "x=-1;",
        &["movl $1,(x)", "movq (x),%rax"],
        "[x]=0xffffffff00000001 /\\ 0:rax=-4294967295",
    );
    always(
        "X86_64",
        "x=0x100000005;",
        &["movl (x),%eax"],
        "0:rax=5 /\\ [x]=0x100000005",
    );
    always("X86_64", "", &["movl $-1,(x)"], "[x]=0xffffffff /\\ [x]=-1");
}

#[test]
fn a_type_is_kept_through_a_register() {
    let text = "X86_64 t\n{ uint8_t t[2]={1,1}; 0:rsi=t; }\n P0 ;\n movb $-2,1(%rsi) ;\n\
                forall (t[1]=-2 \\/ t[1]=254)\n";
    assert_eq!(verdicts(text), [Verdict::Always; 3]);
    assert_eq!(run(text, Model::Sc).outcomes[0].state, [254]);
    for prefix in ["", "lock "] {
        always(
            "X86_64",
            "uint8_t x=254; 0:rsi=x; 0:rax=254; 0:rbx=7;",
            &[&format!("{prefix}cmpxchgb %bl,(%rsi)")],
            "[x]=7 /\\ 0:rax=254",
        );
    }
    // One register, objects of several types.
    always(
        "X86_64",
        "uint8_t x=200; int64_t y=-1; 0:rsi=x; 0:rdi=y;",
        &["movsbl (%rsi),%eax", "movq %rdi,%rsi", "movb $1,(%rsi)"],
        "0:eax=-56 /\\ [y]=-255 /\\ [x]=200",
    );
}

#[test]
fn addresses_of_32_bits_wrap_at_32_bits() {
    let max = "0:EAX=0x7fffffff;";
    always("X86", max, &["LEA EBX,[EAX+1]"], "0:EBX=-2147483648");
    let code = [
        "LEA EBX,[EAX+1]",
        "CMP EBX,$0",
        "JL OUT",
        "MOV ECX,$1",
        "OUT:",
    ];
    always("X86", max, &code, "0:ECX=0");
    always(
        "X86_64",
        "0:rax=-1;",
        &["leaq 2(%eax),%rbx", "leal 2(%rax),%ecx"],
        "0:rbx=1 /\\ 0:rcx=1",
    );
}

#[test]
fn the_init_section_sets_parts_of_registers() {
    always("X86_64", "0:ah=5;", &["nop"], "0:rax=0x500");
    always("X86_64", "0:bl=0x1ff;", &["nop"], "0:rbx=0xff");
    always(
        "X86_64",
        "0:rax=-1; 0:ah=5; 0:al=1;",
        &["nop"],
        "0:rax=0xffffffffffff0501",
    );
    always(
        "X86",
        "0:EAX=-1; 0:AX=0x12345;",
        &["NOP"],
        "0:EAX=0xffff2345",
    );
}

#[test]
fn what_is_past_an_object_is_no_location() {
    for code in [
        "movq 8(%rax),%rbx",
        "movq $1,-8(%rax)",
        "movq x+8(%rip),%rbx",
    ] {
        let text = one_thread(
            "X86_64",
            "uint64_t w=1; uint64_t x=2; uint64_t y=3; 0:rax=x;",
            &[code],
            "true",
        );
        for model in Model::ALL {
            let report = run(&text, model);
            let kinds: Vec<_> = report.failures.iter().map(|f| f.kind).collect();
            assert_eq!(kinds, [FailureKind::BadAddress], "{text}");
        }
    }
}

#[test]
fn a_failing_cmpxchg_without_lock_writes_the_old_value_back() {
    let text = |prefix: &str| {
        format!(
            "X86_64 c\n{{ x=1; 0:rax=5; 0:rbx=7; }}\n P0 | P1 ;\n \
             {prefix}cmpxchgq %rbx,(x) | movq $2,(x) ;\nexists ([x]=1)\n"
        )
    };
    assert_eq!(verdicts(&text("")), [Verdict::Sometimes; 3]);
    assert_eq!(verdicts(&text("lock ")), [Verdict::Never; 3]);
}

#[test]
fn an_update_of_memory_keeps_its_address() {
    always(
        "X86_64",
        "int64_t x=5; int64_t y; 0:rax=x; 0:rbx=x;",
        &["xaddq %rax,(%rax)", "subq %rbx,(x)"],
        "[x]=5 /\\ 0:rax=5",
    );
}

/// Parts are exact while one thread writes: the others see its stores one after the other.
#[test]
fn parts_of_what_one_thread_writes_are_seen_in_its_order() {
    let text = |condition: &str| {
        format!(
            "X86_64 p\n{{ int x=0; }}\n P0 | P1 ;\n movb $1,(x) | movl (x),%eax ;\n \
             movw $0x202,(x) | movzbl x+1(%rip),%ebx ;\nexists ({condition})\n"
        )
    };
    for (condition, verdict) in [
        ("1:rax=1 /\\ 1:rbx=2", Verdict::Sometimes),
        ("1:rax=0x202 /\\ 1:rbx=2", Verdict::Sometimes),
        ("1:rax=0x202 /\\ 1:rbx=0", Verdict::Never),
        ("1:rax=0x201 \\/ 1:rax=2 \\/ 1:rax=0x200", Verdict::Never),
        ("~([x]=0x202)", Verdict::Never),
    ] {
        assert_eq!(verdicts(&text(condition)), [verdict; 3], "{condition}");
    }
    // Store buffering with bytes: as with whole locations.
    let text = "X86_64 SB\n{ int x=0; int y=0; }\n P0 | P1 ;\n movb $1,(x) | movb $1,(y) ;\n \
                movb (y),%al | movl (x),%eax ;\nexists (0:rax=0 /\\ 1:rax=0)\n";
    let [sc, tso, pso] = verdicts(text);
    assert_eq!(
        [sc, tso, pso],
        [Verdict::Never, Verdict::Sometimes, Verdict::Sometimes]
    );
}

#[test]
fn bytes_of_several_stores_are_refused() {
    let two = |init: &str, p0: &str, p1: &str| {
        format!("X86_64 m\n{{ {init} }}\n P0 | P1 ;\n {p0} | {p1} ;\nexists (true)\n")
    };
    for (init, p0, p1, error) in [
        (
            "int x=0;",
            "movb $1,(x)",
            "movl $2,(x)",
            "E0320 `(x)`: this stores 1 byte at `x`, which has 4, and other threads store to \
             that too: one load could read from several stores",
        ),
        (
            "int t[2]; 0:rsi=t;",
            "movq (%rsi),%rax",
            "movl $2,t+4(%rip)",
            "E0320 `(%rsi)`: this loads 8 bytes at `t[1]`, which has 4, and other threads \
             store to that too: one load could read from several stores",
        ),
        (
            "int t[2];",
            "movq $1,(t)",
            "movl t+4(%rip),%eax",
            "E0320 `(t)`: this stores 8 bytes at `t[1]`, which has 4, and other threads use \
             that too: one load could read from several stores",
        ),
        (
            "uint64_t x;",
            "lock incl (x)",
            "xchgq %rax,(x)",
            "E0320 `(x)`: this stores 4 bytes at `x`, which has 8, and other threads store to \
             that too: one load could read from several stores",
        ),
    ] {
        assert_eq!(refused(&two(init, p0, p1)), error);
    }
    // Elsewhere, or only to read, other threads do not hinder.
    for (init, p0, p1) in [
        ("int x; int y;", "movb $1,(x)", "movl $2,(y)"),
        ("int x;", "movb $1,(x)", "movl (x),%eax"),
        ("int t[4];", "movq $1,(t)", "movl $1,t+8(%rip)"),
        (
            "uint64_t x; uint64_t y; 0:rsi=x; 1:rsi=y;",
            "movb $1,(%rsi)",
            "movb $1,(%rsi)",
        ),
    ] {
        run(&two(init, p0, p1), Model::Pso);
    }
}
