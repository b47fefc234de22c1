//! Hostile texts in C end in an error or work, as those of the other dialects do; and so do
//! all files of the corpus with one token changed.

use fencepost_grammar::limits::MAX_BYTES;
use fencepost_grammar::{Parse, parse};
use fencepost_tests::files::{corpus_c, corpus_c_files, read};
use fencepost_tests::mutate::check;
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

fn codes(text: String) -> Vec<&'static str> {
    let parsed = parse_in_small_stack(text);
    parsed.errors.iter().map(|error| error.code()).collect()
}

fn c(body: &str) -> String {
    format!("C t\n{{}}\n\nP0(int *x)\n{{\n\t{body}\n}}\n\nexists (x=1)\n")
}

const DEEP: usize = 100_000;

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("(", ")"), ("-(", ")"), ("x[", "]"), ("READ_ONCE(", ")")] {
        let nested = format!("*x = {}1{};", open.repeat(DEEP), close.repeat(DEEP));
        assert!(["E0302", "E0303"].contains(&codes(c(&nested))[0]), "{open}");
    }
    for (open, close) in [
        ("{", "}"),
        ("if (x) {", "}"),
        ("while (x) {", "}"),
        ("if (x) ", ""),
        ("while (x) ", ""),
        ("if (x) ; else ", ""),
        ("if (x) { } else ", ""),
        ("{ if (x) if (x) if (x) ", "}"),
    ] {
        let nested = format!("{};{}", open.repeat(DEEP), close.repeat(DEEP));
        assert_eq!(codes(c(&nested))[0], "E0302", "{open}");
    }
    for operator in [
        "-", "~", "!", "*", "&", "1 + ", "1 && ", "x == ", "(int)", "(int *)",
    ] {
        let long = format!("*x = {}1;", operator.repeat(DEEP));
        assert_eq!(codes(c(&long))[0], "E0303", "{operator}");
    }
    let long = format!("*x = x{};", "[1]".repeat(DEEP));
    assert_eq!(codes(c(&long))[0], "E0303");
    for open in ["(", "[", "{", "(*", "/*", "P0(", "if (", "\"", "P0 /*\n"] {
        for start in ["C t\n", "C t\n{ ", "C t\n{}\n", "C t\n{}\nP0(int *x)\n{ "] {
            let text = format!("{start}{}", open.repeat(DEEP));
            assert!(!codes(text).is_empty(), "{start} {open}");
        }
    }
}

#[test]
fn large_files_end_soon() {
    assert!(codes(c(&"*x = 1; ".repeat(DEEP))).is_empty());
    for piece in [
        "WRITE_ONCE(*x, 1);",
        "; ",
        "= ",
        "@ ",
        "é",
        "} ",
        "{ ",
        "(* *)",
        "(*",
        "/* */",
        "P0(int *x) {",
        "\nP0(",
        "\nP0 /*",
        "\nexists ",
        "\n~",
        "exists\n",
        "int r0;",
        "int *",
        "if (x) ",
        "if (x) ; else ; ",
        "f(",
        "x=y; ",
        "\n",
        "\"",
    ] {
        for start in ["C t\n", "C t\n{ ", "C t\n{}\n", "C t\n{}\nP0(int *x)\n{ "] {
            let text = format!("{start}{}", piece.repeat(MAX_BYTES / 16 / piece.len()));
            assert!(parse(&text).errors.len() < 200, "{start} {piece}");
        }
    }
}

/// One token of each file of the corpus after the other, changed in one way.
#[test]
fn token_mutations_of_the_corpus_hold() {
    const TOKENS: [&str; 16] = [
        "", "{", "}", "(", ")", ";", ",", "*", "=", "17", "x", "if", "else", "exists", "P1(", "@",
    ];
    let Some(corpus) = corpus_c() else { return };
    let mut random = Random::new(7);
    for path in corpus_c_files(&corpus) {
        let text = read(&path);
        let cuts: Vec<usize> = text
            .char_indices()
            .map(|(at, _)| at)
            .filter(|&at| {
                let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
                let bytes = text.as_bytes();
                at == 0 || !(word(bytes[at - 1]) && word(bytes[at]))
            })
            .chain([text.len()])
            .collect();
        for _ in 0..40 {
            let at = random.below(cuts.len() - 1);
            let (start, end) = (cuts[at], cuts[at + 1]);
            let token = random.pick(&TOKENS);
            let mutation = [&text[..start], token, &text[end..]].concat();
            if let Err(problem) = check(mutation.as_bytes()) {
                panic!("{}: {problem}\n{mutation}", path.display());
            }
        }
    }
}
