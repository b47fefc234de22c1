//! `fencepost fences`: the cheapest fences that forbid an outcome, and those not needed.

use std::io::{self, Write};

use fencepost_checker::fences::{self as search, Goal, Refusal, Suggestion};
use fencepost_checker::lower::{LowerOptions, lower};
use fencepost_checker::program::{Model, Program, Quantifier, Span, Verdict};
use fencepost_checker::report::Completeness;
use fencepost_grammar::Sound;
use fencepost_grammar::ast::Test;
use fencepost_grammar::fences::{NewFence, Written, fenced, insert, thread_name};

use crate::analysis::{Checked, Lines};
use crate::protocol::fences::{Fences, Proof, Unneeded};
use crate::protocol::{self, State};
use crate::render::words::counted;
use crate::render::{Look, Role, fences, json as to_json, prop, witness, words};
use crate::replace::replace;

use super::args::{FencesArgs, FencesFormat};
use super::check::read_one;
use super::inputs::Source;
use super::terminal::Terminal;
use super::{Status, Trouble, errors};

pub fn run(terminal: &Terminal, args: &FencesArgs) -> Result<Status, Trouble> {
    let explore = &args.explore;
    let (input, checked) = read_one(&args.file, &explore.param, explore.lowering())?;
    let (Some(program), Some(sound)) = (checked.program(), checked.source.parse().sound()) else {
        let shown = errors::of(terminal.error_look, &checked, true);
        io::stderr().write_all(shown.as_bytes())?;
        return Ok(Status::Bad);
    };
    let goal = goal(program, args)?;
    let mut models = args.model.clone();
    models.sort_unstable();
    models.dedup();
    let options = explore.options();
    let lowering = checked.source.own_lowering();
    let found = search::suggest(&sound, &lowering, goal, &models, &options);
    let unneeded = search::unneeded(&sound, &lowering, &models, &options);
    let job = Job {
        checked: &checked,
        program,
        sound: &sound,
        test: sound.test(),
        lowering: &lowering,
        goal,
        models: &models,
        found: &found,
        unneeded: &unneeded,
    };

    let fenced = match (&found, args.apply) {
        (Ok(suggestion), true) => Some(job.fenced(suggestion)?),
        _ => None,
    };
    let mut written = None;
    if let Some(text) = fenced.filter(|text| *text != checked.text() || is_stdin(&input.source)) {
        match &input.source {
            Source::File(path) => {
                if let Err(refused) = replace(path, &text) {
                    let what = format!("{}: cannot be written: {}", input.name, refused.what);
                    return Err(Trouble::call(what, refused.advice));
                }
                written = Some(input.name.as_str());
            }
            // Standard input goes to standard output, and the report elsewhere.
            _ => io::stdout().write_all(text.as_bytes())?,
        }
    }
    let look = if args.apply && is_stdin(&input.source) {
        terminal.error_look
    } else {
        terminal.look
    };
    let text = match args.format {
        FencesFormat::Human => look.plain(&job.human(look, written)).into_owned(),
        FencesFormat::Json => protocol::line(&job.json(written.is_some())),
    };
    if args.apply && is_stdin(&input.source) {
        io::stderr().write_all(text.as_bytes())?;
    } else {
        io::stdout().write_all(text.as_bytes())?;
    }
    let status = status_of(found.as_ref().err());
    Ok(status.max(status_of(unneeded.as_ref().err())))
}

fn is_stdin(source: &Source) -> bool {
    matches!(source, Source::Bytes(_))
}

fn status_of(refusal: Option<&Refusal>) -> Status {
    match refusal {
        None => Status::Fine,
        Some(Refusal::ReachableUnderSc { .. }) => Status::Failed,
        Some(Refusal::NotFinished { .. }) => Status::Unfinished,
        Some(Refusal::Errors(_) | Refusal::NoCondition | Refusal::Defect(_)) => Status::Bad,
    }
}

fn goal(program: &Program, args: &FencesArgs) -> Result<Goal, Trouble> {
    if args.robust {
        return Ok(Goal::Robust);
    }
    let index = args.condition.unwrap_or(0);
    if index < program.conditions.len() {
        return Ok(Goal::Condition(index));
    }
    Err(Trouble::call(
        format!("the test has no condition {index}"),
        match program.conditions.len() {
            0 => "it has none: --robust forbids every outcome that SC does not have".to_owned(),
            1 => "it has one, which is 0".to_owned(),
            many => format!("it has {many}, from 0 to {}", many - 1),
        },
    ))
}

/// A question and what was found, to be shown.
struct Job<'a> {
    checked: &'a Checked,
    program: &'a Program,
    sound: &'a Sound<'a>,
    test: &'a Test,
    lowering: &'a LowerOptions,
    goal: Goal,
    models: &'a [Model],
    found: &'a Result<Suggestion, Refusal>,
    unneeded: &'a Result<search::Unneeded, Refusal>,
}

impl Job<'_> {
    /// The text with the best set, formatted.
    fn fenced(&self, suggestion: &Suggestion) -> Result<String, Trouble> {
        let text = self.checked.text();
        let Some(set) = suggestion.sets.first().filter(|set| !set.is_empty()) else {
            return Ok(text.to_owned());
        };
        let formatted = fenced(text, self.test, set).ok();
        // The text must mean what was checked.
        let meant = lower(&insert(self.sound, set), self.lowering).ok();
        let means = |text: &String| {
            let parse = fencepost_grammar::parse(text);
            let again = lower(&parse.sound()?, self.lowering).ok()?;
            let meant = meant.as_ref()?;
            let same = again.threads.len() == meant.threads.len()
                && again
                    .threads
                    .iter()
                    .zip(&meant.threads)
                    .all(|(a, b)| a.code == b.code);
            same.then_some(())
        };
        match formatted.filter(|text| means(text).is_some()) {
            Some(text) => Ok(text),
            None => Err(Trouble::call(
                "the fences could not be put into the text",
                "this is a bug of fencepost: please report it with the file; it is as it was",
            )),
        }
    }

    fn model_names(&self) -> String {
        words::models(self.models.iter().copied())
    }

    /// What should not be, as the source has it.
    fn wanted(&self) -> String {
        match self.goal {
            Goal::Robust => "outcomes that SC does not have".to_owned(),
            Goal::Condition(n) => {
                let condition = &self.program.conditions[n];
                let source = prop::source(self.checked.text(), &condition.span);
                match condition.quantifier {
                    Quantifier::Forall => format!("what breaks `{source}`"),
                    _ => format!("`{source}`"),
                }
            }
        }
    }

    fn human(&self, look: Look, written: Option<&str>) -> String {
        let mut text = format!("{}\n", look.paint(Role::Heading, self.checked.name()));
        match self.found {
            Ok(suggestion) => text += &self.sets(look, suggestion),
            Err(refusal) => text += &self.refusal(look, refusal),
        }
        if let Some(file) = written {
            text += &format!("\nwritten to {file}\n");
            text += &self.broken_expectations();
        }
        text += &self.not_needed();
        text
    }

    fn sets(&self, look: Look, suggestion: &Suggestion) -> String {
        let (wanted, models) = (self.wanted(), self.model_names());
        if suggestion.cost.halves == 0 {
            return format!("{wanted}: unreachable under {models} as it is; no fence is needed\n");
        }
        let count = suggestion.sets.len() as u64;
        let mut text = format!(
            "{wanted}: unreachable under {models} with {}, cost {} (mfence 1, sfence 0.5)\n",
            match (count, suggestion.more) {
                (1, false) => "one optimal set of fences".to_owned(),
                (_, false) => format!("each of {count} optimal sets of fences"),
                (_, true) => format!("each of these {count} optimal sets of fences, and more"),
            },
            fences::cost(suggestion.cost),
        );
        let lines = Lines::of(self.checked.text());
        for (number, set) in suggestion.sets.iter().enumerate() {
            text += &format!("\n{:>3}. {}\n", number + 1, fences::summary(self.test, set));
            for fence in set {
                text += &self.fence_line(look, &lines, fence);
            }
        }
        let proof = &suggestion.proof;
        let kept = counted(
            proof.classes,
            "class of executions has",
            "classes of executions have",
        );
        let tried = counted(proof.rounds, "set was", "sets were");
        let note = format!("{kept} to go; {tried} tried, and nothing cheaper suffices");
        text += &format!("\n{}\n", look.paint(Role::Faint, &note));
        text
    }

    fn fence_line(&self, look: Look, lines: &Lines<'_>, fence: &NewFence) -> String {
        let line = fences::after_line(lines, fence);
        let thread = thread_name(self.test, fence.place.thread);
        let source = self
            .checked
            .text()
            .lines()
            .nth(line - 1)
            .unwrap_or("")
            .trim();
        format!(
            "     {} in {thread} after line {line}: {}\n",
            look.paint(Role::Changed, fences::kind(fence.kind)),
            look.paint(Role::Faint, source),
        )
    }

    fn refusal(&self, look: Look, refusal: &Refusal) -> String {
        match refusal {
            Refusal::ReachableUnderSc { state, witness: w } => {
                let state = words::state_text(self.program, state);
                let table = witness::table(look, self.program, self.checked.text(), w);
                let wanted = self.wanted();
                format!(
                    "{wanted}: no fence helps, it is reachable under SC\n\n\
                     witness under SC: {state}\n\n{table}"
                )
            }
            other => format!("{}\n", refusal_text(other)),
        }
    }

    fn not_needed(&self) -> String {
        let models = self.model_names();
        match self.unneeded {
            Ok(found) => {
                let lines = Lines::of(self.checked.text());
                let mut text = String::new();
                for fence in &found.alone {
                    let line = lines.place(fence.span.start as usize).line;
                    text += &format!(
                        "\n{}:{line}: this `{}` is not needed under {models}",
                        self.checked.file,
                        fences::kind(fence.kind),
                    );
                    if !found.together.contains(fence) {
                        text += ", as long as the others stay";
                    }
                }
                if !text.is_empty() {
                    text.push('\n');
                }
                text
            }
            Err(refusal) => match (self.found, refusal) {
                // Said already.
                (Err(Refusal::NotFinished { .. }), Refusal::NotFinished { .. }) => String::new(),
                _ => format!("\nwhich fences are not needed: {}\n", refusal_text(refusal)),
            },
        }
    }

    /// A file that expects what the fences now forbid would fail its next check.
    fn broken_expectations(&self) -> String {
        let Goal::Condition(n) = self.goal else {
            return String::new();
        };
        let condition = &self.program.conditions[n];
        let now = match condition.quantifier {
            Quantifier::Forall => Verdict::Always,
            _ => Verdict::Never,
        };
        let broken: Vec<Model> = condition
            .expect
            .iter()
            .filter(|e| self.models.contains(&e.model) && e.verdict != now)
            .map(|e| e.model)
            .collect();
        if broken.is_empty() {
            return String::new();
        }
        format!(
            "its `expect` for {} was about the test without them: it is now `{}`\n",
            words::models(broken),
            now.name(),
        )
    }

    fn json(&self, applied: bool) -> Fences {
        let lines = Lines::of(self.checked.text());
        let names: Vec<&str> = self.models.iter().map(|m| m.name()).collect();
        let found = self.found.as_ref().ok();
        let set = |set: &Vec<NewFence>| {
            let fences = set.iter().map(|f| fences::new_fence(self.test, &lines, f));
            fences.collect()
        };
        let sets = found.map_or(&[][..], |found| &found.sets);
        let written = |all: &[Written]| {
            let fences = all.iter().map(|f| fences::written(self.test, &lines, f));
            fences.collect()
        };
        let (outcome, witness) = match self.found {
            Err(Refusal::ReachableUnderSc { state, witness }) => (Some(state), Some(witness)),
            _ => (None, None),
        };
        let place = |at: &Span| protocol::Span::of(&lines, at.start as usize, at.end as usize);
        Fences {
            file: self.checked.file.clone(),
            name: self.checked.name().to_owned(),
            model: names.join(","),
            condition: match self.goal {
                Goal::Condition(n) => Some(n),
                Goal::Robust => None,
            },
            robust: self.goal == Goal::Robust,
            cost: found.and_then(|found| fences::cost_number(found.cost)),
            sets: sets.iter().map(set).collect(),
            more: found.map(|found| found.more),
            proof: found.map(|found| Proof {
                classes: found.proof.classes,
                rounds: found.proof.rounds,
            }),
            refusal: self.found.as_ref().err().map(refusal_text),
            outcome: outcome.map(|state| State::of(self.program, state)),
            witness: witness
                .map(|found| to_json::witness(self.program, self.checked.text(), found, place)),
            unneeded: self.unneeded.as_ref().ok().map(|found| Unneeded {
                alone: written(&found.alone),
                together: written(&found.together),
            }),
            applied,
        }
    }
}

fn refusal_text(refusal: &Refusal) -> String {
    match refusal {
        Refusal::ReachableUnderSc { .. } => "no fence helps: it is reachable under SC".to_owned(),
        Refusal::NotFinished {
            model,
            completeness,
            classes,
            reachable,
        } => {
            let why = match completeness {
                Completeness::OutOfTime => "the time is over",
                Completeness::OutOfClasses => "the limit of classes is reached",
                Completeness::OutOfMemory => "the memory limit is reached",
                Completeness::TooManyEvents => "an execution has more events than can be held",
                Completeness::OutOfRounds => "the rounds are used up",
                Completeness::NotEncoded => "the engine does not know an operation of the test",
                Completeness::Cancelled => "it was stopped",
                Completeness::Complete => "it ended early",
            };
            let seen = if *reachable {
                "; what should not be is reachable"
            } else {
                ""
            };
            format!(
                "not finished under {}: {} so far, {why}{seen}",
                model.name(),
                counted(*classes, "class", "classes"),
            )
        }
        Refusal::Errors(errors) => match errors.first() {
            Some(error) => error.message().to_string(),
            None => "the test cannot be checked".to_owned(),
        },
        Refusal::NoCondition => "the test has no such condition".to_owned(),
        Refusal::Defect(defect) => format!(
            "the checker contradicts itself ({defect:?}): this is a bug of fencepost, \
             please report it with the file"
        ),
    }
}
