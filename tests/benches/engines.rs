//! Classes, classes a second and peak memory of each benchmark program and model, of `rf` and
//! `trust` side by side.
//!
//! `cargo bench -p fencepost-tests --bench engines -- [NAME] [--engine rf-part] [--max CLASSES]`

use std::fs;
use std::io::{self, Write};

use fencepost_checker::{ENGINES, Engine, Model, Options, Program, check};
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
    let mut engines: Vec<&'static Engine> = ["rf", "trust"]
        .into_iter()
        .filter_map(Engine::named)
        .collect();
    let mut max = u64::MAX;
    let mut only = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bench" => {}
            "--engine" => {
                let name = args.next().unwrap_or_default();
                match Engine::named(&name) {
                    Some(found) => engines = vec![found],
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
    write!(
        out,
        "classes a second of processor time of one core\n\n{:<20} model    classes",
        "program"
    )?;
    for engine in &engines {
        write!(out, " {:>12}   peak MiB", engine.name())?;
    }
    writeln!(out, "  ratio  reference")?;
    let mut ratios = Vec::new();
    for row in counts::rows() {
        if only
            .as_ref()
            .is_some_and(|name| !row.name.contains(name.as_str()))
        {
            continue;
        }
        let program = row.program();
        for model in Model::ALL {
            let classes = row.classes(model);
            if classes > max {
                continue;
            }
            let name = format!("{}({})", row.name, row.n);
            write!(out, "{name:<20} {:<5} {classes:>10}", model.name())?;
            let mut rates = Vec::new();
            let mut wrong = String::new();
            for &engine in &engines {
                reset_peak_memory();
                let (found, rate) = measure(&program, model, engine);
                rates.push(rate);
                let peak = peak_memory().unwrap_or_else(|| "–".to_owned());
                write!(out, " {rate:>12.0} {peak:>10}")?;
                if found != classes {
                    wrong = format!("  WRONG: {} finds {found}", engine.name());
                }
            }
            let best = rates.last().copied().unwrap_or(0.0);
            let ratio = best / rates[0];
            ratios.push(ratio);
            let reference = REFERENCE
                .iter()
                .find(|r| r.0 == row.name && r.1 == row.n && r.2 == model)
                .map(|r| format!("{:.0} times", best / r.3))
                .unwrap_or_default();
            writeln!(out, " {ratio:>6.2}  {reference}{wrong}")?;
        }
    }
    let mean = ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64;
    let lowest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    writeln!(
        out,
        "\ngeometric mean {:.2}, lowest {lowest:.2}",
        mean.exp()
    )
}

/// The classes an engine finds, and how many in a second.
fn measure(program: &Program, model: Model, engine: &'static Engine) -> (u64, f64) {
    let options = Options {
        engine,
        ..Options::default()
    };
    let start = ProcessorTime::now();
    let mut runs = 0.0;
    loop {
        let report = check(program, model, &options);
        runs += 1.0;
        let seconds = start.seconds();
        if seconds >= SHORTEST {
            return (report.classes, report.classes as f64 * runs / seconds);
        }
    }
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
