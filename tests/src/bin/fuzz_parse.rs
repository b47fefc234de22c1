//! Feeds the parser and the formatter mutated texts for as long as it is told.
//!
//! `cargo run --release -p fencepost-tests --bin fuzz_parse -- --seconds 600 [--seed N]`
//!
//! Needs only stable Rust. Prints its seed and how many inputs there were; a failure
//! prints the input, and the exit code is 1.
#![allow(clippy::print_stdout)]

use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fencepost_tests::files::{fixture, litmus_files, read};
use fencepost_tests::mutate::{Outcome, check, mutate};
use fencepost_tests::random::Random;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)?.parse::<u64>().ok()
    };
    let seconds = option("--seconds").unwrap_or(60);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seed = option("--seed").unwrap_or_else(|| now.map_or(0, |time| time.as_secs()));
    let texts: Vec<String> = ["litmus", "litmus-bad", "bench"]
        .iter()
        .flat_map(|folder| litmus_files(&fixture(folder)))
        .map(|path| read(&path))
        .collect();
    println!("seed {seed}, {} texts, {seconds} s", texts.len());
    let mut random = Random::new(seed);
    let begin = Instant::now();
    let (mut inputs, mut bytes, mut formatted, mut failures) = (0u64, 0u64, 0u64, 0u64);
    let mut slowest = Duration::ZERO;
    while begin.elapsed() < Duration::from_secs(seconds) && failures < 10 {
        let text = &texts[random.below(texts.len())];
        let other = &texts[random.below(texts.len())];
        let input = mutate(&mut random, text, other);
        let start = Instant::now();
        let outcome = catch_unwind(|| check(&input));
        slowest = slowest.max(start.elapsed());
        inputs += 1;
        bytes += input.len() as u64;
        let problem = match outcome {
            Ok(Ok(Outcome::Formatted)) => {
                formatted += 1;
                continue;
            }
            Ok(Ok(Outcome::Errors)) => continue,
            Ok(Err(problem)) => problem,
            Err(_) => "a panic".to_owned(),
        };
        failures += 1;
        println!("--- input {inputs}: {problem}\n{}", input.escape_ascii());
    }
    println!(
        "{inputs} inputs, {:.1} MB, {formatted} of them without an error and formatted, \
         {failures} failures, slowest {slowest:?}",
        bytes as f64 / 1e6
    );
    if failures == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
