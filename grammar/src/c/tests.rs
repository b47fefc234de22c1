//! What the C dialect reads, says and prints.

use expect_test::{Expect, expect};

use crate::ast::native::FenceKind;
use crate::fences::{self, NewFence};
use crate::format::format;
use crate::parse;
use crate::symbols::{Access, Symbol, Symbols};

/// Every error as `line:column "text" code: message (help)`.
fn check_errors(text: &str, expected: Expect) {
    let mut out = String::new();
    for error in parse(text).errors {
        let before = &text[..error.span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        let found = error.span.text(text);
        let help = error
            .help()
            .map_or(String::new(), |help| format!(" ({help})"));
        let (code, message) = (error.code(), error.message());
        out += &format!("{line}:{column} {found:?} {code}: {message}{help}\n");
    }
    expected.assert_eq(&out);
}

fn find<'s>(symbols: &'s Symbols, name: &str) -> Option<&'s Symbol> {
    symbols.symbols.iter().find(|symbol| symbol.name == name)
}

fn body(code: &str) -> String {
    format!("C t\n{{}}\n\nP0(int *x, int *y)\n{{\n{code}\n}}\n\nexists (x=1 /\\ y=1)\n")
}

#[test]
fn one_bad_statement_costs_that_statement() {
    let text = body(
        "\tWRITE_ONCE(*x, 1;\n\tWRITE_ONCE(*y, 1);\n\tif (r1 == ) {\n\t\tr2 = *x;\n\t}\n\tr3 = *y\n\tr4 = *x;",
    );
    check_errors(
        &text,
        expect![[r#"
            6:18 ";" E0108: found `;` where `)` or `,` would fit
            8:12 ")" E0108: found `)` where an expression would fit
            11:9 "" E0108: found `r4` where an operator, `(`, `[` or `;` would fit (add `;`)
        "#]],
    );
    let symbols = parse(&text).symbols;
    for name in ["r2", "r3", "r4", "x", "y"] {
        assert!(find(&symbols, name).is_some(), "{name} is lost");
    }
}

#[test]
fn an_else_goes_to_the_nearest_if() {
    let text = body("\tif (r1)\n\t\tif (r2)\n\t\t\t*x = 1;\n\t\telse\n\t\t\t*y = 1;");
    assert!(!parse(&text).has_errors());
    // Formatting tells what was understood.
    assert_eq!(format(&text).as_deref(), Ok(text.as_str()));
    let wrong = text.replace("\t\telse", "\telse");
    assert_eq!(format(&wrong).as_deref(), Ok(text.as_str()));
}

#[test]
fn what_is_not_modelled_is_named_and_the_rest_works() {
    let text = body(
        "\trcu_read_lock();\n\tr1 = rcu_dereference(*x);\n\trcu_read_unlock();\n\tcall_rcu(y);",
    );
    check_errors(
        &text,
        expect![[r#"
            6:2 "rcu_read_lock" E0122: `rcu_read_lock` is not modelled: read-copy-update waits for other threads' critical sections, which no machine instruction does
            8:2 "rcu_read_unlock" E0122: `rcu_read_unlock` is not modelled: read-copy-update waits for other threads' critical sections, which no machine instruction does
            9:2 "call_rcu" E0122: `call_rcu` is not modelled: read-copy-update waits for other threads' critical sections, which no machine instruction does
        "#]],
    );
    assert!(find(&parse(&text).symbols, "r1").is_some());
    let loose = text.replace("\tr1 = rcu", "r1=rcu");
    assert_eq!(format(&loose).as_deref(), Ok(text.as_str()));
}

#[test]
fn mistakes_are_told_and_mended() {
    check_errors(
        &body(
            "\tREAD_ONE(*x);\n\tr1 = READ_ONCE(x);\n\tr1 = smp_mb();\n\txchg(x);\n\ty = 1;\n\tint x;\n\tbreak;",
        ),
        expect![[r#"
            6:2 "READ_ONE" E0121: `READ_ONE` is no primitive of the kernel or of C11 (did you mean `READ_ONCE`?)
            7:17 "x" E0124: a location, as `*x`, is needed here (did you mean `*x`?)
            8:7 "smp_mb()" E0123: `smp_mb` gives no value
            9:2 "xchg(x)" E0120: `xchg` takes 2 arguments, and here are 1
            10:2 "y" E0206: `y` is a parameter, and a register or a location is needed here (did you mean `*y`?)
            11:6 "x" E0202: `x` is declared again, as a register
            12:2 "break;" E0119: `break` with no loop around it
        "#]],
    );
    check_errors(
        &body("\tatomic_store_explicit(x, 1, memory_order_releas);\n\t5 = *y;\n\tgoto out;"),
        expect![[r#"
            6:30 "memory_order_releas" E0124: a memory order, as `memory_order_relaxed`, is needed here (did you mean `memory_order_release`?)
            7:2 "5" E0124: a register or a location, as `*x`, is needed here
            8:6 "" E0108: found `out` where an operator, `(`, `[`, `;` or `=` would fit (add `;`)
        "#]],
    );
}

#[test]
fn a_forgotten_parameter_is_found_and_an_unused_one() {
    let text = "C t\n{}\n\nP0(atomic_t *x, atomic_t *y)\n{\n\tatomic_set(x, 1);\n}\n\nP1()\n{\n\tr0 = atomic_read(y);\n}\n\nexists (1:r0=1)\n";
    check_errors(
        text,
        expect![[r#"
            4:27 "y" W0202: `y`, a parameter, is never used
            11:19 "y" W0204: `y` is no parameter of P1, so here it is a register and 0, not the location (add `atomic_t *y`)
        "#]],
    );
}

#[test]
fn locations_are_global_and_registers_are_not() {
    let text = "C t\n{ x=y; 0:r1=x; }\n\nP0(int *x)\n{\n\t*r1 = READ_ONCE(*x);\n}\n\nP1(int *x)\n{\n\tr1 = xchg(x, 1);\n}\n\nexists (1:r1=y)\n";
    let parsed = parse(text);
    assert_eq!(parsed.errors, []);
    let symbols = parsed.symbols;
    let x = find(&symbols, "x").expect("a location");
    let accesses: Vec<Access> = x.references.iter().map(|it| it.access).collect();
    let (mention, read, update) = (Access::Mention, Access::Read, Access::Update);
    assert_eq!(accesses, [mention, mention, read, mention, update]);
    let registers = symbols.symbols.iter().filter(|symbol| symbol.name == "r1");
    assert_eq!(registers.count(), 2);
}

#[test]
fn a_text_is_formatted_as_the_kernel_does() {
    let text = "C t\n\"doc\"\n{ int x=1;y = x ; int* p=&y; }\nP0 (int* x,spinlock_t  *l) {\nint r0 ; // why\n r0=(intptr_t)READ_ONCE( *x )+-1*2; if(r0 ==1){ spin_lock( l );/* in */spin_unlock(l); } else if (r0) *x=-r0; else {\n}\nwhile(!r0) ;\n}\nexists(0:r0=1/\\x=0)";
    expect![[r#"
        C t
        "doc"
        { int x = 1; y=x; int *p = &y; }

        P0(int *x, spinlock_t *l)
        {
        	int r0; // why
        	r0 = (intptr_t)READ_ONCE(*x) + -1 * 2;
        	if (r0 == 1) {
        		spin_lock(l); /* in */
        		spin_unlock(l);
        	} else if (r0)
        		*x = -r0;
        	else {}
        	while (!r0)
        		;
        }

        exists (0:r0=1 /\ x=0)
    "#]]
    .assert_eq(&format(text).expect("it can be read"));
}

/// The text with a fence of the kind at every place.
fn fenced(text: &str, kind: FenceKind) -> String {
    let parsed = parse(text);
    let places = fences::places(&parsed.test);
    let new: Vec<NewFence> = places
        .into_iter()
        .map(|place| NewFence { place, kind })
        .collect();
    fences::apply(text, &fences::insert_edits(text, &parsed.test, &new))
}

#[test]
fn fences_are_the_kernels_or_c11s() {
    let text = "C t\n{}\n\nP0(int *x)\n{\n\tint r0;\n\n\tWRITE_ONCE(*x, 1); // one\n\tif (r0) {\n\t\tWRITE_ONCE(*x, 2);\n\t}\n}\n\nexists (x=1)\n";
    expect![[r#"
        C t
        {}

        P0(int *x)
        {
        	int r0;
        	smp_mb();

        	WRITE_ONCE(*x, 1); // one
        	smp_mb();
        	if (r0) {
        		smp_mb();
        		WRITE_ONCE(*x, 2);
        		smp_mb();
        	}
        	smp_mb();
        }

        exists (x=1)
    "#]]
    .assert_eq(&fenced(text, FenceKind::Full));
    let text = "C t\n{}\n\nP0(atomic_int *x)\n{\n\tatomic_store(x, 1);\n}\n\nexists (x=1)\n";
    let with = fenced(text, FenceKind::StoreStore);
    expect![[r#"
        C t
        {}

        P0(atomic_int *x)
        {
        	atomic_thread_fence(memory_order_release);
        	atomic_store(x, 1);
        	atomic_thread_fence(memory_order_release);
        }

        exists (x=1)
    "#]]
    .assert_eq(&with);
    let parsed = parse(&with);
    let written: Vec<_> = fences::written(&parsed.test)
        .iter()
        .map(|it| it.span)
        .collect();
    assert_eq!(written.len(), 2);
    let without = fences::apply(&with, &fences::remove_edits(&with, &parsed.test, &written));
    assert_eq!(without, text);
}
