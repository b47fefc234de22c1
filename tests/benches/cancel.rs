//! How long a cancel takes to end a check: each engine, on programs that would run for long.
//!
//! `cargo bench -p fencepost-tests --bench cancel`

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fencepost_checker::lower::{LowerOptions, lower};
use fencepost_checker::{ENGINES, Engine, Model, Options, Program, check};
use fencepost_tests::counts;

/// How long a check runs before it is cancelled.
const AFTER: [u64; 4] = [50, 200, 800, 2_000];

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "milliseconds from the cancel to the end of the check\n"
    )?;
    write!(out, "{:<8} {:<20} {:<5}", "engine", "program", "model")?;
    for after in AFTER {
        write!(out, "{:>10}", format!("at {after}"))?;
    }
    writeln!(out)?;
    let mut programs = vec![("many outcomes".to_owned(), many_outcomes())];
    let rows = counts::rows().into_iter();
    programs.extend(
        rows.filter(|row| row.classes(Model::Sc) > 1_000_000)
            .map(|row| (format!("{}({})", row.name, row.n), row.program())),
    );
    for engine in &ENGINES {
        for (name, program) in &programs {
            for model in Model::ALL {
                write!(out, "{:<8} {name:<20} {:<5}", engine.name(), model.name())?;
                for after in AFTER {
                    match latency(program, model, engine, Duration::from_millis(after)) {
                        Some(latency) => write!(out, "{:>10.2}", latency.as_secs_f64() * 1e3)?,
                        None => write!(out, "{:>10}", "ended")?,
                    }
                    out.flush()?;
                }
                writeln!(out)?;
            }
        }
    }
    Ok(())
}

/// From the cancel to the report; none when the check ended before.
fn latency(
    program: &Program,
    model: Model,
    engine: &'static Engine,
    after: Duration,
) -> Option<Duration> {
    let cancel = Arc::new(AtomicBool::new(false));
    let options = Options {
        engine,
        cancel: cancel.clone(),
        ..Options::default()
    };
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let report = check(program, model, &options);
            (report.complete(), Instant::now())
        });
        std::thread::sleep(after);
        let start = Instant::now();
        cancel.store(true, Ordering::Relaxed);
        let (complete, end) = running.join().expect("the check does not panic");
        (!complete).then(|| end.saturating_duration_since(start))
    })
}

/// Each class is an outcome of its own.
fn many_outcomes() -> Program {
    let mut text = "litmus many\nshared x;\nthread W { x = 1; x = 2; x = 3; x = 4; }\n".to_owned();
    let mut registers = Vec::new();
    for i in 0..10 {
        let _ = writeln!(text, "thread R{i} {{ a = x; b = x; }}");
        registers.push(format!("R{i}:a = 1 /\\ R{i}:b = 1"));
    }
    let _ = writeln!(text, "exists ({})", registers.join(" /\\ "));
    let parse = fencepost_grammar::parse(&text);
    lower(&parse.sound().expect("a test"), &LowerOptions::default()).expect("the program is right")
}
