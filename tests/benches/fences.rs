//! How long fence suggestions take: the mutual exclusion algorithms, and the whole corpus.
//!
//! `cargo bench -p fencepost-tests --bench fences`

use std::io::{self, Write};
use std::time::{Duration, Instant};

use fencepost_checker::Model;
use fencepost_checker::fences::{Goal, Refusal};
use fencepost_tests::answers::suggestion;
use fencepost_tests::files::{corpus, fixture, litmus_files, read};

const ALGORITHMS: &[&str] = &["peterson-loop", "dekker-loop", "lamport-fast", "szymanski"];

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{:<16} {:<5} {:>10} {:>6} {:>5} {:>8} {:>7}",
        "program", "model", "ms", "cost", "sets", "classes", "rounds"
    )?;
    for name in ALGORITHMS {
        let path = format!("litmus/native/mutual-exclusion/{name}.litmus");
        let text = read(&fixture(&path));
        for model in [Model::Tso, Model::Pso] {
            let start = Instant::now();
            let found = suggestion(&text, Goal::Condition(0), &[model]);
            let time = milliseconds(start.elapsed());
            write!(out, "{name:<16} {:<5} {time:>10.2} ", model.name())?;
            match found {
                Ok(found) => writeln!(
                    out,
                    "{:>6} {:>5} {:>8} {:>7}",
                    found.cost.value(),
                    found.sets.len(),
                    found.proof.classes,
                    found.proof.rounds
                )?,
                Err(refusal) => writeln!(out, "{refusal:?}")?,
            }
        }
    }
    match corpus() {
        Some(corpus) => whole(&mut out, &litmus_files(&corpus)),
        None => Ok(()),
    }
}

/// Every test of the corpus under TSO and PSO, for its condition and for robustness.
fn whole(out: &mut impl Write, files: &[std::path::PathBuf]) -> io::Result<()> {
    let texts: Vec<String> = files.iter().map(|path| read(path)).collect();
    writeln!(
        out,
        "\n{:<16} {:<5} {:>10} {:>10} {:>8} {:>8} {:>8} {:>7}",
        "corpus", "model", "ms", "slowest", "fenced", "nothing", "refused", "tests"
    )?;
    for goal in [Goal::Condition(0), Goal::Robust] {
        for model in [Model::Tso, Model::Pso] {
            let (mut fenced, mut nothing, mut refused) = (0, 0, 0);
            let mut slowest = Duration::ZERO;
            let begin = Instant::now();
            for text in &texts {
                let start = Instant::now();
                match suggestion(text, goal, &[model]) {
                    Ok(found) if found.cost.halves > 0 => fenced += 1,
                    Ok(_) => nothing += 1,
                    Err(Refusal::ReachableUnderSc { .. }) => refused += 1,
                    Err(other) => writeln!(out, "{other:?}\n{text}")?,
                }
                slowest = slowest.max(start.elapsed());
            }
            let name = match goal {
                Goal::Condition(_) => "conditions",
                Goal::Robust => "robustness",
            };
            writeln!(
                out,
                "{name:<16} {:<5} {:>10.0} {:>10.2} {fenced:>8} {nothing:>8} {refused:>8} {:>7}",
                model.name(),
                milliseconds(begin.elapsed()),
                milliseconds(slowest),
                texts.len()
            )?;
        }
    }
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
