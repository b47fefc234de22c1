//! Formatting keeps the meaning of random tests, however odd their blanks.

use fencepost_grammar::format::{format, format_range};
use fencepost_grammar::{Span, parse};
use fencepost_tests::files::{fixture, litmus_files, read};
use fencepost_tests::formatted::{apply, check_format};
use fencepost_tests::random::{self, Blanks, Random};
use fencepost_tests::shape::{first_difference, shape};

/// `FENCEPOST_SEED=17` starts elsewhere, `FENCEPOST_CASES=100000` goes on longer.
fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(value) => value
            .parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {value}")),
        Err(_) => default,
    }
}

fn check_random(make: fn(u64, Blanks) -> String) {
    let first = setting("FENCEPOST_SEED", 0);
    for seed in first..first + setting("FENCEPOST_CASES", 1000) {
        for blanks in [Blanks::Single, Blanks::Wild, Blanks::Comments] {
            let text = make(seed, blanks);
            if let Err(error) = check_format(&text) {
                panic!("FENCEPOST_SEED={seed}, {blanks:?}: {error}\n--- of\n{text}");
            }
        }
    }
}

#[test]
fn native_tests() {
    check_random(random::native);
}

#[test]
fn herd_tests() {
    check_random(random::herd);
}

#[test]
fn c_tests() {
    check_random(random::c);
}

/// With CRLF for line ends, the result is the same with CRLF for line ends.
#[test]
fn line_ends_are_kept() {
    for seed in 0..200 {
        for make in [random::native, random::herd, random::c] {
            let text = make(seed, Blanks::Comments);
            if !text.contains('\n') {
                continue;
            }
            let plain = check_format(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let crlf = check_format(&text.replace('\n', "\r\n"))
                .unwrap_or_else(|error| panic!("seed {seed} with CRLF: {error}"));
            assert_eq!(crlf, plain.replace('\n', "\r\n"), "seed {seed}");
        }
    }
}

/// What a mutation puts in.
const SNIPPETS: [&str; 16] = [
    " ",
    "\n",
    "\n\n\n",
    "\t",
    "(* c *)",
    "(* c\n d *)",
    "/* c */",
    "// c\n",
    ";",
    ",",
    "-",
    "~",
    "(",
    ")",
    "\u{feff}",
    "é",
];

/// Our own tests with a few random changes: of those that can still be read, all are
/// formatted well. This reaches what no generator thinks of.
#[test]
fn mutated_tests() {
    let files: Vec<String> = ["litmus", "bench"]
        .iter()
        .flat_map(|folder| litmus_files(&fixture(folder)))
        .map(|file| read(&file))
        .collect();
    let first = setting("FENCEPOST_SEED", 0);
    let cases = 20 * setting("FENCEPOST_CASES", 1000);
    let mut readable = 0;
    for seed in first..first + cases {
        let mut random = Random::new(seed);
        let mut text = files[random.below(files.len())].clone();
        for _ in 0..1 + random.below(4) {
            mutate(&mut random, &mut text);
        }
        if parse(&text).has_errors() {
            continue;
        }
        readable += 1;
        if let Err(error) = check_format(&text) {
            panic!("FENCEPOST_SEED={seed}: {error}\n--- of\n{text}");
        }
    }
    assert!(
        readable * 10 > cases,
        "only {readable} of {cases} are readable"
    );
}

fn mutate(random: &mut Random, text: &mut String) {
    let place = |random: &mut Random| {
        let mut at = random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let at = place(random);
    match random.below(6) {
        0 => {
            let end = (at + 1 + random.below(3)).min(text.len());
            if text.is_char_boundary(end) {
                text.replace_range(at..end, "");
            }
        }
        1 => {
            let other = place(random);
            let piece = text[at.min(other)..at.max(other)].to_owned();
            if piece.len() < 200 {
                text.insert_str(at, &piece);
            }
        }
        _ => text.insert_str(at, random.pick(&SNIPPETS)),
    }
}

/// Formatting a few lines keeps the tree and the other lines, and formatting all lines
/// is formatting.
#[test]
fn ranges_of_lines() {
    for seed in 0..500 {
        for make in [random::native, random::herd, random::c] {
            let text = make(seed, Blanks::Comments);
            let whole = Span::new(0, text.len() as u32);
            let edited = |range: Span| {
                let edits = format_range(&text, range)
                    .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                apply(&text, &edits)
            };
            assert_eq!(Ok(edited(whole)), format(&text), "seed {seed}");

            let mut random = Random::new(seed);
            let from = random.below(text.len());
            let to = from + random.below(text.len() - from);
            let some = edited(Span::new(from as u32, to as u32));
            let lines_before = text[..from].rfind('\n').unwrap_or(0);
            assert!(
                some.starts_with(text[..lines_before].trim_end()),
                "seed {seed}: {some}"
            );
            let old = shape(&parse(&text).test);
            let new = shape(&parse(&some).test);
            assert_eq!(first_difference(&old, &new), None, "seed {seed}: {some}");
        }
    }
}
