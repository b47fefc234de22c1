//! `fencepost` without arguments: what it does, on one small test.

use std::io::{self, Write};
use std::sync::Arc;

use fencepost_checker::engine;
use fencepost_checker::fences::{self as search, Goal};
use fencepost_checker::lower::LowerOptions;
use fencepost_checker::program::{Model, Program};
use fencepost_checker::report::{Options, Report};

use crate::analysis::{Checked, interest};
use crate::examples;
use crate::render::{Look, Role, fences, matrix, witness, words};

use super::terminal::Terminal;
use super::{Status, Trouble};

pub fn run(terminal: &Terminal) -> Result<Status, Trouble> {
    let look = terminal.look;
    let mut out = String::new();
    let mut say = |text: &str| {
        out.push_str(look.plain(text).trim_end());
        out.push('\n');
    };
    let (plain, program) = load("SB")?;
    let text = plain.text();
    let reports = check_all(&program);
    let refs: Vec<&Report> = reports.iter().collect();
    say(&heading(
        look,
        "Fencepost checks litmus tests under SC, TSO and PSO. Here is one, store buffering:",
    ));
    say("");
    for line in code_lines(text) {
        say(&format!("    {line}"));
    }
    say("");
    say(&heading(look, "What can happen"));
    say("");
    say(matrix::text(look, &program, &refs, None).trim_end());
    say("");
    say(&format!(
        "The condition holds {}.",
        words::verdict_phrase(look, &refs, 0)
    ));
    if let Some((report, outcome)) = interest::first_reaching(&program, &refs, 0) {
        say("");
        say(&heading(
            look,
            &format!("How it comes about under {}", report.model.name()),
        ));
        say("");
        say(witness::table(look, &program, text, &outcome.witness(&program)).trim_end());
    }
    say("");
    say(&heading(look, "What helps"));
    say("");
    for line in fences_that_help(look, text)? {
        say(&line);
    }
    say("");
    say("Less does not:");
    say("");
    for name in ["SB+mfence+po", "SB+sfences"] {
        let (_, program) = load(name)?;
        let reports = check_all(&program);
        let refs: Vec<&Report> = reports.iter().collect();
        say(&format!(
            "  {name:<15}{}",
            words::verdict_phrase(look, &refs, 0)
        ));
    }
    say("");
    say(&heading(look, "Where to go from here"));
    say("");
    say("  fencepost example                 more shapes: MP, IRIW, 2+2W, locks, loops, …");
    say("  fencepost example MP > MP.litmus");
    say("  fencepost check MP.litmus         verdicts, outcomes, expectations");
    say("  fencepost witness MP.litmus       one execution, step by step; --format svg draws it");
    say("  fencepost fences MP.litmus        the cheapest fences; --apply writes them");
    say("  fencepost check --help            models, budgets, JSON, SARIF, JUnit");
    say("");
    say("In the editor: `fencepost lsp` is a language server; the folder editors/ of the");
    say("project has what VS Code, Neovim, Vim, Emacs and Helix need to start it.");
    io::stdout().write_all(out.as_bytes())?;
    Ok(Status::Fine)
}

fn heading(look: Look, text: &str) -> String {
    look.paint(Role::Heading, text).into_owned()
}

/// The cheapest sets of fences, and how many lines of reasoning stand behind them.
fn fences_that_help(look: Look, text: &str) -> Result<Vec<String>, Trouble> {
    let parse = fencepost_grammar::parse(text);
    let test = parse.sound().ok_or_else(no_fences)?;
    let models = [Model::Tso, Model::Pso];
    let options = Options::default();
    let lowering = LowerOptions::default();
    let goal = Goal::Condition(0);
    let found = search::suggest(&test, &lowering, goal, &models, &options);
    let found = found.map_err(|_| no_fences())?;
    let mut lines: Vec<String> = found
        .sets
        .iter()
        .map(|set| {
            format!(
                "  {}: unreachable under {}",
                look.paint(Role::Good, &fences::summary(test.test(), set)),
                words::models(found.models.iter().copied())
            )
        })
        .collect();
    lines.push(format!(
        "  It costs {}, and nothing cheaper does it.",
        words::counted(
            u64::from(found.cost.halves / 2),
            "full fence",
            "full fences"
        )
    ));
    Ok(lines)
}

fn load(name: &str) -> Result<(Checked, Program), Trouble> {
    let missing = || {
        Trouble::call(
            format!("the built-in example {name} cannot be read"),
            "this is a bug of fencepost: please report it",
        )
    };
    let text = examples::find(name).ok_or_else(missing)?;
    let checked = Checked::read(name.to_owned(), text.as_bytes(), &Arc::default());
    let program = checked.program().cloned().ok_or_else(missing)?;
    Ok((checked, program))
}

fn check_all(program: &Program) -> Vec<Report> {
    let options = Options::default();
    Model::ALL
        .iter()
        .map(|model| engine::check(program, *model, &options))
        .collect()
}

fn no_fences() -> Trouble {
    Trouble::call(
        "no fences were found for the built-in example SB",
        "this is a bug of fencepost: please report it",
    )
}

/// The test without its documentation, which the reader is looking at.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut blank = false;
    text.lines().filter(move |line| {
        // One blank line of several is enough when something was left out between them.
        let skipped = line.starts_with('"') || (blank && line.is_empty());
        if !skipped {
            blank = line.is_empty();
        }
        !skipped
    })
}
