//! Formatting keeps the meaning of random tests, however odd their blanks.

use fencepost_tests::formatted::check_format;
use fencepost_tests::random::{self, Blanks};

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

/// With CRLF for line ends, the result is the same with CRLF for line ends.
#[test]
fn line_ends_are_kept() {
    for seed in 0..200 {
        for make in [random::native, random::herd] {
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
