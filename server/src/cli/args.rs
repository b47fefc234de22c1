//! The arguments of every command, and their help.

use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use fencepost_checker::lower::{DEFAULT_UNROLL, LowerOptions};
use fencepost_checker::program::Model;
use fencepost_checker::report::Options;
use fencepost_checker::{ENGINES, Engine};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Check litmus tests under SC, TSO and PSO
///
/// Without arguments: a short tour.
#[derive(Debug, Parser)]
#[command(name = "fencepost", version, styles = STYLES, after_help = "\
Examples:
  fencepost                          a short tour
  fencepost check tests/             check a folder
  fencepost witness SB.litmus        how does it come about?
  fencepost fences SB.litmus         which fences forbid it?
  fencepost example SB | fencepost check -

Exit status:
  0  everything ran and is as expected
  1  an expectation does not hold, or an assertion can fail
  2  a file could not be read, or the call is wrong
  3  something was not finished within its budget")]
pub struct Args {
    #[command(flatten)]
    pub look: LookArgs,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, ClapArgs)]
pub struct LookArgs {
    /// When to use colours (NO_COLOR is respected)
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorWhen,
    /// Use plain ASCII characters only
    #[arg(long, global = true)]
    pub ascii: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check tests: verdicts, outcomes, failed expectations
    Check(CheckArgs),
    /// Show one execution, step by step or as a graph
    Witness(WitnessArgs),
    /// Find the cheapest fences that forbid an outcome, and those not needed
    Fences(FencesArgs),
    /// Format tests in place, or say which would change
    Fmt(FmtArgs),
    /// List or print the classic shapes
    Example(ExampleArgs),
    /// Explain an error code
    Explain(ExplainArgs),
    /// Run the language server on standard input and output
    #[command(after_help = "\
Example (Neovim):
  vim.lsp.start({ name = 'fencepost', cmd = { 'fencepost', 'lsp' } })")]
    Lsp {
        /// What many clients add; there is no other way to talk to it
        #[arg(long, hide = true)]
        stdio: bool,
    },
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  fencepost check SB.litmus                      one test, in full
  fencepost check tests/ --jobs 8                a folder, a line a test
  fencepost check @all.list --model tso,pso      the tests that a list names
  fencepost check peterson.litmus --param N=3 --timeout 10s
  fencepost check tests/ --format json | jq 'select(.ok | not) | .file'

Output is in the order of input and the same in every run. So times are printed
only with --timings; without it, `time_us` in JSON is 0.")]
pub struct CheckArgs {
    /// Files, folders (searched for *.litmus), `-` (standard input), `@LIST` (a file of paths)
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// The memory models to check under: sc, tso, pso
    #[arg(
        long,
        value_name = "MODELS",
        value_delimiter = ',',
        default_value = "sc,tso,pso",
        value_parser = model
    )]
    pub model: Vec<Model>,
    #[command(flatten)]
    pub explore: ExploreArgs,
    /// How many tests run at the same time [default: the cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Print the outcomes of every test [default: when there is one test]
    #[arg(long, overrides_with = "no_outcomes")]
    pub outcomes: bool,
    /// Print verdicts only
    #[arg(long, overrides_with = "outcomes")]
    pub no_outcomes: bool,
    /// Print a witness for every condition that is reached
    #[arg(long)]
    pub witness: bool,
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: CheckFormat,
    /// Print only what is not as expected
    #[arg(long, short)]
    pub quiet: bool,
    /// No progress bar (there is one only on a terminal)
    #[arg(long)]
    pub no_progress: bool,
    /// Print how long each check took
    #[arg(long)]
    pub timings: bool,
}

/// What bounds and steers an exploration.
#[derive(Debug, ClapArgs)]
pub struct ExploreArgs {
    #[arg(long, value_name = "ENGINE", default_value = ENGINES[0].name(), value_parser = engine,
          help = engine_help())]
    pub engine: &'static Engine,
    /// Set a parameter of the test (may be repeated)
    #[arg(long, value_name = "NAME=VALUE", value_parser = param)]
    pub param: Vec<(String, i64)>,
    /// How often a loop without `max` may iterate
    #[arg(long, value_name = "N", default_value_t = DEFAULT_UNROLL,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub unroll: u32,
    /// The time for each test and model: 500ms, 10s, 2m [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Stop each test and model after so many classes [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_classes: Option<u64>,
    /// Rounds of the engine lazy [default: as many as are always enough]
    #[arg(long, value_name = "N")]
    pub rounds: Option<usize>,
    /// Timestamps of the engine lazy [default: as many as are always enough]
    #[arg(long, value_name = "N")]
    pub timestamps: Option<usize>,
}

impl ExploreArgs {
    pub fn options(&self) -> Options {
        Options {
            engine: self.engine,
            max_time: self.timeout,
            max_classes: self.max_classes,
            rounds: self.rounds,
            timestamps: self.timestamps,
            ..Options::default()
        }
    }

    pub fn lowering(&self) -> LowerOptions {
        LowerOptions {
            params: self.param.clone(),
            unroll: self.unroll,
        }
    }
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  fencepost witness SB.litmus
  fencepost witness SB.litmus --model tso --outcome '0:EAX=0;1:EAX=0'
  fencepost witness SB.litmus --format svg > SB.svg
  fencepost witness SB.litmus --format dot | dot -Tpdf > SB.pdf")]
pub struct WitnessArgs {
    /// The test, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// sc, tso or pso [default: the strongest that has such an execution]
    #[arg(long, value_name = "MODEL", value_parser = model)]
    pub model: Option<Model>,
    /// How it ends: bindings joined by `;`, as outcomes show them
    #[arg(long, value_name = "STATE", conflicts_with_all = ["condition", "assertion", "deadlock"])]
    pub outcome: Option<String>,
    /// The condition it satisfies (or, of a `forall`, breaks), counted from 0
    #[arg(long, value_name = "N", conflicts_with_all = ["assertion", "deadlock"])]
    pub condition: Option<usize>,
    /// One that fails an assertion
    #[arg(long, conflicts_with = "deadlock")]
    pub assertion: bool,
    /// One that ends in a deadlock
    #[arg(long)]
    pub deadlock: bool,
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: WitnessFormat,
    #[command(flatten)]
    pub explore: ExploreArgs,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  fencepost fences SB.litmus
  fencepost fences peterson.litmus --model tso --apply
  fencepost fences SB.litmus --robust --format json

A full fence (mfence) costs 1, a store-store fence (sfence) 0.5. All sets of the least
cost are shown, best first. When the condition is reachable under SC no fence helps:
the witness is shown and the exit status is 1.")]
pub struct FencesArgs {
    /// The test, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// The models under which the fences must suffice, all of them
    #[arg(
        long,
        value_name = "MODELS",
        value_delimiter = ',',
        default_value = "tso,pso",
        value_parser = model
    )]
    pub model: Vec<Model>,
    /// The condition that should be unreachable (or, a `forall`, hold), counted from 0 [default: 0]
    #[arg(long, value_name = "N", conflicts_with = "robust")]
    pub condition: Option<usize>,
    /// Forbid every outcome that SC does not have
    #[arg(long)]
    pub robust: bool,
    /// Write the best set into the file, and format it
    #[arg(long)]
    pub apply: bool,
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: FencesFormat,
    #[command(flatten)]
    pub explore: ExploreArgs,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  fencepost fmt tests/
  fencepost fmt --check tests/
  fencepost fmt - < SB.litmus")]
pub struct FmtArgs {
    /// Files, folders (searched for *.litmus), `-` (standard input to standard output), `@LIST`
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// Change nothing; name the files that would change, and exit with 1 if there are any
    #[arg(long)]
    pub check: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  fencepost example
  fencepost example MP > MP.litmus")]
pub struct ExampleArgs {
    /// The shape to print; without it, all are listed
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  fencepost explain E0201
  fencepost explain")]
pub struct ExplainArgs {
    /// The code; without it, all are listed
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    Human,
    /// What herd7 prints, less time and hash
    Herd,
    /// An object a line, one for each test
    Json,
    /// SARIF 2.1.0
    Sarif,
    Junit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FencesFormat {
    Human,
    /// One object
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WitnessFormat {
    Human,
    Json,
    /// The execution graph, for Graphviz
    Dot,
    /// The execution graph, drawn
    Svg,
}

fn engine_help() -> String {
    let mut help = "The engine that explores:".to_owned();
    for engine in &ENGINES {
        help += &format!("\n- {}: {}", engine.name(), engine.summary());
    }
    help
}

fn engine(text: &str) -> Result<&'static Engine, String> {
    named("engine", text, ENGINES.each_ref().map(|e| (e.name(), e)))
}

fn model(text: &str) -> Result<Model, String> {
    named("model", text, Model::ALL.map(|m| (m.name(), m)))
}

/// One of a few by its name, whatever the case; else says which there are.
fn named<T: Copy, const N: usize>(
    what: &str,
    text: &str,
    all: [(&'static str, T); N],
) -> Result<T, String> {
    let found = all.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    if let Some((_, found)) = found {
        return Ok(*found);
    }
    let names = all.map(|(name, _)| name.to_ascii_lowercase());
    let known = names.join(", ");
    let lower = text.to_ascii_lowercase();
    Err(
        match fencepost_grammar::nearest(&lower, names.iter().map(String::as_str)) {
            Some(near) => format!("no such {what}; did you mean `{near}`? There are {known}"),
            None => format!("no such {what}; there are {known}"),
        },
    )
}

fn param(text: &str) -> Result<(String, i64), String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err("write it as NAME=VALUE, for example N=3".to_owned());
    };
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() {
        return Err("the name is missing: write it as NAME=VALUE, for example N=3".to_owned());
    }
    match value.parse() {
        Ok(value) => Ok((name.to_owned(), value)),
        Err(_) => Err(format!(
            "`{value}` is no 64-bit number: write it as NAME=VALUE, for example N=3"
        )),
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "write a number and a unit: 500ms, 10s, 2m".to_owned();
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit.trim() {
        "ms" => number / 1000.0,
        "s" | "" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(wrong()),
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        Ok(_) => Err("no time at all: leave the option out for no limit".to_owned()),
        Err(_) => Err("that is too long".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("3"), Ok(Duration::from_secs(3)));
        assert!(duration("soon").is_err());
        assert!(duration("0s").is_err());
        assert!(duration("99999999999999999999999s").is_err());
    }

    #[test]
    fn parameters_are_pairs() {
        assert_eq!(param("N=5"), Ok(("N".to_owned(), 5)));
        assert_eq!(param("N=-1"), Ok(("N".to_owned(), -1)));
        assert!(param("N").is_err());
        assert!(param("=3").is_err());
        assert!(param("N=many").is_err());
    }
}
