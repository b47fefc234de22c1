//! Classes, seconds, classes a second and peak memory of each benchmark program and model.
//!
//! `cargo bench -p fencepost-tests --bench engines -- [NAME] [--engine rf-part] [--max CLASSES]`

use std::fs;
use std::io::{self, Write};

use fencepost_checker::{ENGINES, Engine, Model, Options, check};
use fencepost_tests::counts;
use fencepost_tests::processor_time::ProcessorTime;

/// What Nidhugg, the papers' own implementation, was measured to need: program, size, model,
/// classes a second of processor time.
const REFERENCE: &[(&str, i64, Model, f64)] = &[
    ("lastzero", 10, Model::Sc, 3_328.0 / 2.5),
    ("account", 4, Model::Sc, 3_125.0 / 1.5),
    ("peterson", 3, Model::Tso, 9_251.0 / 2.9),
    ("peterson", 3, Model::Pso, 15_925.0 / 7.8),
    ("exponential_bug", 5, Model::Sc, 10_131.0 / 4.1),
    ("exponential_bug", 5, Model::Pso, 13_477.0 / 7.0),
    ("dekker", 3, Model::Tso, 18_731.0 / 6.4),
    ("fkp2013", 5, Model::Tso, 7_776.0 / 2.2),
    ("spammer", 4, Model::Tso, 256.0 / 0.08),
    ("writer_reader", 8, Model::Sc, 12_870.0 / 2.2),
];

/// A program is run again until this many seconds have passed: the system counts in ticks.
const SHORTEST: f64 = 0.2;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut engine = <&Engine>::default();
    let mut max = u64::MAX;
    let mut only = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bench" => {}
            "--engine" => {
                let name = args.next().unwrap_or_default();
                match Engine::named(&name) {
                    Some(found) => engine = found,
                    None => {
                        let known = ENGINES.each_ref().map(Engine::name).join(", ");
                        return writeln!(out, "no engine {name:?}; there are {known}");
                    }
                }
            }
            "--max" => max = args.next().and_then(|n| n.parse().ok()).unwrap_or(max),
            name => only = Some(name.to_owned()),
        }
    }
    writeln!(
        out,
        "engine {}; seconds are processor time of one core\n",
        engine.name()
    )?;
    writeln!(
        out,
        "program              model    classes   seconds    classes/s   peak MiB  reference"
    )?;
    for row in counts::rows() {
        if only
            .as_ref()
            .is_some_and(|name| !row.name.contains(name.as_str()))
        {
            continue;
        }
        let program = row.program();
        for model in Model::ALL {
            if row.classes(model) > max {
                continue;
            }
            let options = Options {
                engine,
                ..Options::default()
            };
            reset_peak_memory();
            let start = ProcessorTime::now();
            let mut report = check(&program, model, &options);
            let mut runs = 1.0;
            while start.seconds() < SHORTEST {
                report = check(&program, model, &options);
                runs += 1.0;
            }
            let seconds = start.seconds() / runs;
            let rate = report.classes as f64 / seconds;
            let count = if report.classes == row.classes(model) {
                String::new()
            } else {
                format!("  WRONG: not {}", row.classes(model))
            };
            let reference = REFERENCE
                .iter()
                .find(|r| r.0 == row.name && r.1 == row.n && r.2 == model)
                .map(|r| format!("{:.0} times", rate / r.3))
                .unwrap_or_default();
            writeln!(
                out,
                "{:<20} {:<5} {:>10} {:>9.5} {:>12.0} {:>10}  {reference}{count}",
                format!("{}({})", row.name, row.n),
                model.name(),
                report.classes,
                seconds,
                rate,
                peak_memory().unwrap_or_else(|| "–".to_owned()),
            )?;
        }
    }
    Ok(())
}

/// Linux: `5` clears the peak of the resident set.
fn reset_peak_memory() {
    // Where it cannot be cleared, the peak of the whole run is shown.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn peak_memory() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(format!("{:.1}", kib / 1024.0))
}
