//! Programs of one thread give what this machine's processor gives.
//!
//! Random programs with every size of access, parts of registers, flags and jumps are
//! assembled and run in a child process, many in one; then the checker runs each. Where
//! there is no assembler, or the machine is no x86-64, the test says loudly that it tested
//! nothing.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use fencepost_checker::program::Model;
use fencepost_checker::{LowerOptions, Options, check, lower};
use fencepost_tests::processor::{Program, RESULT, assembly};

/// How many programs, half of them of 32 bits; `FENCEPOST_PROCESSOR_PROGRAMS` sets another.
const PROGRAMS: usize = 600;
/// So many are assembled together.
const BATCH: usize = 600;

/// Runs a tool; what it says on standard output.
fn run(tool: &Path, arguments: &[&Path]) -> Result<Vec<u8>, String> {
    let output = Command::new(tool)
        .args(arguments)
        .output()
        .map_err(|error| format!("cannot run {}: {error}", tool.display()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: String = said.chars().take(2000).collect();
    Err(format!("{}: {}\n{said}", tool.display(), output.status))
}

/// Whether programs can be assembled and run here.
fn possible() -> bool {
    let tool = |name: &str| run(Path::new(name), &[Path::new("--version")]).is_ok();
    let runs = cfg!(all(target_arch = "x86_64", target_os = "linux"));
    if runs && tool("as") && tool("ld") {
        return true;
    }
    // Not `eprintln!`: the test harness would swallow it.
    let _ = writeln!(
        std::io::stderr(),
        "\n*** SKIPPED: no x86-64 Linux with `as` and `ld`; this test has tested nothing ***\n"
    );
    false
}

/// What the processor makes of the programs.
fn processor(programs: &[Program], name: &str) -> Vec<Vec<i64>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |end: &str| folder.join(format!("{name}.{end}"));
    let (source, object, binary) = (file("s"), file("o"), file("bin"));
    std::fs::write(&source, assembly(programs)).expect("the target folder is writable");
    let done = run(Path::new("as"), &[&source, Path::new("-o"), &object])
        .and_then(|_| run(Path::new("ld"), &[&object, Path::new("-o"), &binary]))
        .and_then(|_| run(&binary, &[]))
        .unwrap_or_else(|error| panic!("{error}\n{} is left there", source.display()));
    assert_eq!(done.len(), programs.len() * RESULT);
    for file in [source, object, binary] {
        let _ = std::fs::remove_file(file);
    }
    let results = programs.iter().zip(done.chunks(RESULT));
    results
        .map(|(program, result)| program.shown(result))
        .collect()
}

/// What the checker makes of it; the names of what it shows, and their values.
fn checker(text: &str, model: Model) -> Result<(Vec<String>, Vec<i64>), String> {
    let parse = fencepost_grammar::parse(text);
    if parse.has_errors() {
        return Err(format!("does not parse: {:?}", parse.errors));
    }
    let program = lower(&parse.sound().expect("a test"), &LowerOptions::default())
        .map_err(|errors| format!("refused: {errors:?}"))?;
    let report = check(&program, model, &Options::default());
    if !report.complete() || !report.failures.is_empty() || report.outcomes.len() != 1 {
        return Err(format!(
            "{} outcomes, failures {:?}",
            report.outcomes.len(),
            report.failures
        ));
    }
    report
        .confirm(&program)
        .map_err(|defect| defect.to_string())?;
    let names = program.observed.iter().map(|o| o.name.clone()).collect();
    Ok((names, report.outcomes[0].state.clone()))
}

/// The names in the order in which the processor's results are.
fn names(program: &Program) -> Vec<String> {
    let mut names: Vec<String> = fencepost_tests::processor::registers(program.wide)
        .iter()
        .map(|register| match program.wide {
            true => format!("0:{register}"),
            false => format!("0:{}", register.to_uppercase()),
        })
        .collect();
    for object in &program.objects {
        match object.values.len() {
            1 => names.push(format!("[{}]", object.name)),
            length => names.extend((0..length).map(|i| format!("[{}[{i}]]", object.name))),
        }
    }
    names
}

#[test]
fn one_thread_does_what_the_processor_does() {
    if !possible() {
        return;
    }
    let count = match std::env::var("FENCEPOST_PROCESSOR_PROGRAMS") {
        Ok(count) => count.parse().expect("a number of programs"),
        Err(_) => PROGRAMS,
    };
    let mut wrong = String::new();
    for start in (0..count).step_by(BATCH) {
        let seeds = start..count.min(start + BATCH);
        let programs: Vec<Program> = seeds
            .clone()
            .map(|seed| Program::random(seed as u64, seed % 2 == 0))
            .collect();
        let results = processor(&programs, &format!("processor-{start}"));
        for ((seed, program), expected) in seeds.zip(&programs).zip(results) {
            let text = program.litmus();
            let model = Model::ALL[seed % 3];
            let problem = match checker(&text, model) {
                Err(problem) => problem,
                Ok((found_names, found)) => {
                    let at = |name: &String| found_names.iter().position(|n| n == name);
                    let differing: Vec<String> = names(program)
                        .iter()
                        .zip(&expected)
                        .filter_map(|(name, expected)| {
                            let found = at(name).map(|at| found[at]);
                            (found != Some(*expected))
                                .then(|| format!("{name}: {found:?}, the processor {expected}"))
                        })
                        .collect();
                    if differing.is_empty() {
                        continue;
                    }
                    differing.join("\n")
                }
            };
            let _ = writeln!(wrong, "seed {seed}: {problem}\n{text}");
        }
    }
    let wrong_count = wrong
        .lines()
        .filter(|line| line.starts_with("seed "))
        .count();
    let shown: String = wrong.chars().take(6000).collect();
    assert!(wrong.is_empty(), "{wrong_count} of {count} differ\n{shown}");
}
