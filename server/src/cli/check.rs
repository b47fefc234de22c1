//! `fencepost check`: reads tests, checks them, prints what was found.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use fencepost_checker::lower::LowerOptions;
use fencepost_checker::report::Completeness;

use crate::analysis::{Checked, Fate, Settings, Source, param_advice};
use crate::protocol;
use crate::render::words::counted;
use crate::render::{herd, json, junit, sarif};

use super::args::{CheckArgs, CheckFormat};
use super::human::Human;
use super::inputs::{self, Input};
use super::pool::Run;
use super::progress::Progress;
use super::terminal::Terminal;
use super::{Status, Trouble, errors};

pub fn run(terminal: &Terminal, args: &CheckArgs) -> Result<Status, Trouble> {
    let inputs = inputs::collect(&args.paths);
    know_params(&inputs, &args.explore.param)?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or(cores, usize::from);
    let mut models = args.model.clone();
    models.sort();
    models.dedup();
    let settings = Settings {
        models,
        options: args.explore.options(),
        lowering: Arc::new(args.explore.lowering()),
        parallel: inputs.len() < jobs,
    };

    let run = Run::new();
    let stopper = run.stopper();
    let cancel = settings.options.cancel.clone();
    // Without a handler Ctrl-C still ends the process, only without a summary.
    let _ = ctrlc::set_handler(move || {
        cancel.store(true, Ordering::Relaxed);
        stopper.stop();
    });

    let total = inputs.len();
    let mut progress = Progress::new(
        terminal.interactive && !args.no_progress,
        terminal.error_look.unicode,
        total,
    );
    let mut printer = Printer::new(terminal, args, &settings, &inputs);
    printer.start()?;
    let shared = Arc::new((inputs, settings));
    let ended = run.run(
        total,
        jobs,
        move |index| {
            let (inputs, settings) = &*shared;
            check(&inputs[index], settings)
        },
        |ended, result| {
            match result {
                Some(checked) => {
                    progress.clear();
                    printer.take(checked)?;
                }
                None => progress.show(ended),
            }
            Ok::<(), io::Error>(())
        },
    )?;
    progress.clear();
    printer.finish(total, ended.stopped)?;
    Ok(if ended.stopped {
        printer.status.max(Status::Unfinished)
    } else {
        printer.status
    })
}

fn check(input: &Input, settings: &Settings) -> Checked {
    match input.read() {
        Ok(bytes) => Checked::check(input.name.clone(), &bytes, settings),
        Err(problem) => problem.checked(&input.name),
    }
}

/// Reads the one test that a command is about.
pub fn read_one(
    file: &str,
    params: &[(String, i64)],
    lowering: LowerOptions,
) -> Result<(Input, Checked), Trouble> {
    let inputs = inputs::collect(&[file.to_owned()]);
    let [input]: [Input; 1] = inputs
        .try_into()
        .map_err(|_| Trouble::call(format!("`{file}` is more than one test"), "name one file"))?;
    know_params(std::slice::from_ref(&input), params)?;
    let checked = match input.read() {
        Ok(bytes) => Checked::read(input.name.clone(), &bytes, &Arc::new(lowering)),
        Err(problem) => problem.checked(&input.name),
    };
    Ok((input, checked))
}

/// A parameter that no test has is a mistake of the call.
fn know_params(inputs: &[Input], params: &[(String, i64)]) -> Result<(), Trouble> {
    if params.is_empty() {
        return Ok(());
    }
    let mut known: Vec<String> = Vec::new();
    for input in inputs {
        // What cannot be read is reported when it is checked.
        if let Ok(bytes) = input.read() {
            let source = Source::decode(&bytes, Arc::default());
            known.extend(source.params().map(str::to_owned));
        }
    }
    known.sort();
    known.dedup();
    for (name, _) in params {
        if known.contains(name) {
            continue;
        }
        let what = match inputs {
            [one] => format!("`{}` has no parameter `{name}`", one.name),
            _ => format!("no test has a parameter `{name}`"),
        };
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        return Err(Trouble::call(what, param_advice(name, &known)));
    }
    Ok(())
}

/// Prints results as they come, in the format that was asked for.
struct Printer<'a> {
    args: &'a CheckArgs,
    terminal: &'a Terminal,
    out: BufWriter<io::Stdout>,
    human: Human,
    /// Of formats that are one document.
    kept: Vec<Checked>,
    /// How many tests ran to their end or their budget.
    done: usize,
    status: Status,
}

impl<'a> Printer<'a> {
    fn new(
        terminal: &'a Terminal,
        args: &'a CheckArgs,
        settings: &Settings,
        inputs: &[Input],
    ) -> Printer<'a> {
        let names: Vec<&str> = inputs.iter().map(|i| i.name.as_str()).collect();
        Printer {
            args,
            terminal,
            out: BufWriter::new(io::stdout()),
            human: Human::new(terminal, args, &settings.models, &names),
            kept: Vec::new(),
            done: 0,
            status: Status::Fine,
        }
    }

    fn start(&mut self) -> io::Result<()> {
        if self.args.format == CheckFormat::Human {
            self.out.write_all(self.human.heading().as_bytes())?;
        }
        Ok(())
    }

    fn take(&mut self, checked: Checked) -> io::Result<()> {
        let fate = checked.fate();
        let reports = checked.reports();
        if reports
            .iter()
            .all(|r| r.completeness != Completeness::Cancelled)
        {
            self.done += 1;
        }
        self.status = self.status.max(match fate {
            Fate::Fine => Status::Fine,
            Fate::Failed => Status::Failed,
            Fate::Unreadable => Status::Bad,
            Fate::Unfinished => Status::Unfinished,
        });
        if self.args.quiet && fate == Fate::Fine && self.args.format != CheckFormat::Human {
            return Ok(());
        }
        match self.args.format {
            CheckFormat::Human => {
                let shown = self.human.test(&checked, fate);
                self.out.write_all(shown.output.as_bytes())?;
                self.out.flush()?;
                io::stderr().write_all(shown.errors.as_bytes())?;
            }
            CheckFormat::Herd => {
                if let Some(program) = checked.program() {
                    let reports = checked.reports();
                    for report in &reports {
                        let text = herd::text(program, report, checked.limit(), reports.len() > 1);
                        self.out.write_all(text.as_bytes())?;
                    }
                }
                self.out.flush()?;
                let shown = errors::of(self.terminal.error_look, &checked, true);
                io::stderr().write_all(shown.as_bytes())?;
            }
            CheckFormat::Json => {
                let line = protocol::line(&json::test(&checked, self.args.timings));
                self.out.write_all(line.as_bytes())?;
                self.out.flush()?;
            }
            CheckFormat::Sarif | CheckFormat::Junit => self.kept.push(checked),
        }
        Ok(())
    }

    /// `stopped` is whether somebody ended the run before its time.
    fn finish(&mut self, total: usize, stopped: bool) -> io::Result<()> {
        match self.args.format {
            CheckFormat::Human => {
                let summary = self.human.summary(total);
                self.out.write_all(summary.as_bytes())?;
            }
            CheckFormat::Sarif => {
                let log = sarif::log(&self.kept);
                writeln!(self.out, "{log:#}")?;
            }
            CheckFormat::Junit => {
                let text = junit::text(&self.kept, self.args.timings);
                self.out.write_all(text.as_bytes())?;
            }
            CheckFormat::Herd | CheckFormat::Json => {}
        }
        self.out.flush()?;
        if stopped {
            let total = counted(total as u64, "test", "tests");
            writeln!(io::stderr(), "stopped: {} of {total} done", self.done)?;
        }
        Ok(())
    }
}
