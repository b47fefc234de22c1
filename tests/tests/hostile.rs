//! Hostile texts end in an error or work: no panic, no stack overflow, and no wait that grows
//! with the square of the text (which at these sizes would be minutes).

use std::fmt::Write;

use fencepost_grammar::limits::MAX_BYTES;
use fencepost_grammar::{Parse, decode, parse};
use fencepost_tests::files::{fixture, litmus_files, read};
use fencepost_tests::mutate::{check, mutate};
use fencepost_tests::random::Random;

/// On a thread with a small stack: a walk that is too deep ends the test.
fn parse_in_small_stack(text: String) -> Parse {
    std::thread::Builder::new()
        .stack_size(512 << 10)
        .spawn(move || {
            let parsed = parse(&text);
            drop(parsed.clone());
            parsed
        })
        .expect("a thread")
        .join()
        .expect("no panic")
}

fn codes(text: &str) -> Vec<&'static str> {
    let parsed = parse_in_small_stack(text.to_owned());
    parsed.errors.iter().map(|error| error.code()).collect()
}

fn native(body: &str) -> String {
    format!("litmus t\nshared x;\nthread P0 {{ {body} }}\nexists (x = 1)\n")
}

const DEEP: usize = 100_000;

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("(", ")"), ("-(", ")"), ("x[", "]")] {
        let text = native(&format!(
            "x = {}1{};",
            open.repeat(DEEP),
            close.repeat(DEEP)
        ));
        assert_eq!(codes(&text), ["E0302"], "{open}");
    }
    for open in [
        "{",
        "if (x) {",
        "while (x) {",
        "repeat 2 {",
        "for i in 0..2 {",
    ] {
        let text = native(&format!("{}{}", open.repeat(DEEP), "}".repeat(DEEP)));
        assert_eq!(codes(&text), ["E0302"], "{open}");
    }
    for operator in ["-", "~", "!", "1 + ", "1 && ", "x == "] {
        let text = native(&format!("x = {}1;", operator.repeat(DEEP)));
        assert_eq!(codes(&text), ["E0303"], "{operator}");
    }
    for (open, close, code) in [
        ("(", ")", "E0302"),
        ("~", "", "E0303"),
        ("~(", ")", "E0303"),
    ] {
        let prop = format!("{}x = 1{}", open.repeat(DEEP), close.repeat(DEEP));
        let text = format!("litmus t\nshared x;\nthread P0 {{ x = 1; }}\nexists {prop}\n");
        assert_eq!(codes(&text), [code], "{open}");
        let text = format!("X86 t\n{{ }}\n P0 ;\n MOV [x],$1 ;\nexists {prop}\n");
        assert_eq!(codes(&text), [code], "herd {open}");
    }
    // Unclosed, at the top, and in every place at once.
    for open in ["(", "[", "{", "(*", "/*", "thread P{", "if (", "\""] {
        let text = format!("litmus t\n{}", open.repeat(DEEP));
        assert!(!codes(&text).is_empty(), "{open}");
        let text = format!("X86 t\n{{ {} }}\n P0 ;\n", open.repeat(DEEP));
        assert!(!codes(&text).is_empty(), "herd {open}");
    }
}

#[test]
fn what_is_long_but_flat_works() {
    // A chain of `else if`, a long block and a long conjunction are no depth.
    let arms = "if (x == 1) { x = 2; } else ".repeat(DEEP);
    assert!(codes(&native(&format!("{arms} {{ }}"))).is_empty());
    assert!(codes(&native(&"x = 1; ".repeat(DEEP))).is_empty());
    let terms = "x = 1 /\\ ~ x = 2 \\/ ".repeat(DEEP);
    let text = format!("litmus t\nshared x;\nthread P0 {{ x = 1; }}\nexists ({terms} true)\n");
    assert!(codes(&text).is_empty());
    // Comments nest as deep as they like.
    let text = native(&format!(
        "{}{} x = 1;",
        "(*".repeat(DEEP),
        "*)".repeat(DEEP)
    ));
    assert!(codes(&text).is_empty());
}

#[test]
fn large_files_end_soon() {
    let large = format!("litmus t\n// {}", " ".repeat(50 << 20));
    assert_eq!(codes(&large), ["E0304"]);
    // The worst that is still read: every kind of thing as often as fits.
    for piece in [
        "x = 1;",
        "; ",
        "= ",
        "@ ",
        "é",
        "\0",
        "} ",
        "{ ",
        "(* *)",
        "thread ",
        "exists ",
        "\n",
        "a ",
        "shared y;",
        "expect ",
        "| ",
        "1",
        "/\\ ",
        "if (x) { } ",
        "x[1] = y[2]; ",
    ] {
        let text = format!(
            "litmus t\nshared x;\nthread P0 {{ {}",
            piece.repeat(MAX_BYTES / 8 / piece.len())
        );
        assert!(parse(&text).errors.len() < 200, "{piece}");
    }
    for piece in [
        "P0 | ",
        "; ",
        "x=1; ",
        "| ",
        "{ ",
        "MOV [x],$1 ; ",
        "MOV ",
        "\n",
        "<< ",
        "(*",
        "$ ",
        "P1 ;",
        "x\n",
    ] {
        for start in [
            "X86 t\n{ ",
            "X86 t\n{ }\n P0 ;\n ",
            "X86 t\n{ }\n P0 | P1 ;\n ",
            "X86 t\n",
        ] {
            let text = format!("{start}{}", piece.repeat(MAX_BYTES / 16 / piece.len()));
            assert!(parse(&text).errors.len() < 200, "{start} {piece}");
        }
    }
}

#[test]
fn a_million_columns_work() {
    let columns = 300_000;
    let mut names = String::new();
    for column in 0..columns {
        let _ = write!(names, "{}P{column}", if column == 0 { "" } else { " | " });
    }
    let cells = "MFENCE | ".repeat(columns - 1);
    let text = format!("X86 t\n{{ }}\n {names} ;\n {cells} MOV [x],$1 ;\nexists (x=1)\n");
    let parsed = parse(&text);
    assert_eq!(parsed.errors, []);
    let herd = parsed.test.herd().expect("a table");
    assert_eq!(
        (herd.threads.len(), herd.rows[0].cells.len()),
        (columns, columns)
    );
    // A million is more than a file may hold; without the bytes for names they fit.
    let bars = "|".repeat(1_000_000);
    let text = format!("X86 t\n{{ }}\n P0 {bars} ;\n MFENCE {bars} ;\nexists (x=1)\n");
    assert!(!parse(&text).errors.is_empty());
    let text =
        format!("X86 t\n{{ }}\n P0 | P1 ;\n MFENCE {bars} ;\n {bars} MFENCE ;\nexists (0:EAX=0)\n");
    assert!(!parse(&text).errors.is_empty());
    let rows = "MFENCE | ".repeat(800_000);
    let text = format!("X86 t\n{{ }}\n P0 | P1 ;\n {rows} ;\nexists (0:EAX=0)\n");
    assert!(!parse(&text).errors.is_empty());
}

#[test]
fn a_condition_on_a_hundred_thousand_registers_nobody_writes_is_read() {
    let columns = 100_000;
    let names: Vec<String> = (0..columns).map(|column| format!("P{column}")).collect();
    let cells = vec!["MOV EAX,$1"; columns].join(" | ");
    let terms: Vec<String> = (0..columns)
        .map(|column| format!("{column}:EBX=0"))
        .collect();
    let text = format!(
        "X86 t\n{{ }}\n {} ;\n {cells} ;\nexists ({})\n",
        names.join(" | "),
        terms.join(" /\\ ")
    );
    let parsed = parse(&text);
    assert_eq!(parsed.errors[0].code(), "W0203");
    assert!(!parsed.has_errors(), "no number of warnings is an error");
}

#[test]
fn odd_bytes_end_in_an_error_with_a_place() {
    let forty = "1234567890".repeat(4);
    assert_eq!(codes(&native(&format!("x = {forty};"))), ["E0301"]);
    assert_eq!(
        codes(&format!(
            "X86 t\n{{ x={forty}; }}\n P0 ;\n MOV EAX,[x] ;\nexists (0:EAX={forty})\n"
        )),
        ["E0301", "E0301"]
    );
    assert_eq!(
        codes(&format!(
            "X86 t\n{{ }}\n P0 ;\n MOV EAX,[x] ;\nexists ({forty}:EAX=1)\n"
        )),
        ["E0301"]
    );
    let nul = parse(&native("x = 1;\0"));
    assert_eq!(nul.errors.len(), 1);
    assert_eq!(nul.errors[0].code(), "E0105");
    let (text, errors) = decode(b"litmus t\nshared x;\nthread P0 { x = \xff\xfe1; }\n");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].span.range(), 35..41);
    assert!(parse(&text).has_errors());
    assert_eq!(codes(""), ["E0103"]);
    assert_eq!(codes(" \n\t "), ["E0103"]);
    assert_eq!(codes(&native("x = 1; (* (* *)")), ["E0109", "E0106"]);
}

#[test]
fn line_ends_and_byte_order_marks_change_nothing() {
    for path in litmus_files(&fixture("litmus")) {
        let text = read(&path);
        let errors = parse(&text).errors.len();
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(
            parse(&crlf).errors.len(),
            errors,
            "{} with CRLF",
            path.display()
        );
        let marked = format!("\u{feff}{text}");
        assert_eq!(
            parse(&marked).errors.len(),
            errors,
            "{} with a BOM",
            path.display()
        );
    }
}

#[test]
fn twenty_thousand_mutations_hold() {
    let texts: Vec<String> = litmus_files(&fixture("litmus"))
        .iter()
        .map(|path| read(path))
        .collect();
    let mut random = Random::new(20_261_116);
    for round in 0..20_000 {
        let text = &texts[random.below(texts.len())];
        let other = &texts[random.below(texts.len())];
        let input = mutate(&mut random, text, other);
        if let Err(problem) = check(&input) {
            panic!("input {round}: {problem}\n{}", input.escape_ascii());
        }
    }
}
