//! The command line: converts arguments, asks the checker, converts back.

mod args;
mod check;
mod errors;
mod example;
mod explain;
mod fences;
mod fmt;
mod human;
mod inputs;
mod pool;
mod progress;
mod terminal;
mod tour;
mod witness;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use terminal::Terminal;

/// How a call ended. The order is that of precedence: what is wrong with the call or a
/// file wins over what was not finished, and that over what does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Fine,
    Failed,
    Unfinished,
    Bad,
}

impl Status {
    pub fn code(self) -> u8 {
        match self {
            Status::Fine => 0,
            Status::Failed => 1,
            Status::Bad => 2,
            Status::Unfinished => 3,
        }
    }
}

/// What keeps a command from doing its work.
#[derive(Debug)]
pub enum Trouble {
    /// The call is wrong: what, and what to do.
    Call {
        what: String,
        advice: String,
    },
    Output(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Output(error)
    }
}

impl Trouble {
    fn call(what: impl Into<String>, advice: impl Into<String>) -> Trouble {
        Trouble::Call {
            what: what.into(),
            advice: advice.into(),
        }
    }
}

/// Runs the command line and says how it ended.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            // Help and version are answers; everything else is a wrong call.
            let code = if error.use_stderr() { 2 } else { 0 };
            return match error.print() {
                Ok(()) => ExitCode::from(code),
                Err(_) => ExitCode::from(2),
            };
        }
    };
    let terminal = Terminal::new(args.look.color, args.look.ascii);
    let result = match args.command {
        None => tour::run(&terminal),
        Some(Command::Check(check)) => check::run(&terminal, &check),
        Some(Command::Witness(witness)) => witness::run(&terminal, &witness),
        Some(Command::Fences(fences)) => fences::run(&terminal, &fences),
        Some(Command::Fmt(fmt)) => fmt::run(&terminal, &fmt),
        Some(Command::Example(example)) => example::run(&terminal, &example),
        Some(Command::Explain(explain)) => explain::run(&terminal, &explain),
        Some(Command::Lsp { stdio: _ }) => return crate::lsp::run(),
    };
    match result {
        Ok(status) => ExitCode::from(status.code()),
        // Whoever reads has seen enough (`| head`): that is no error of ours.
        Err(Trouble::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(Trouble::Output(error)) => complain(&terminal, &format!("cannot write: {error}"), ""),
        Err(Trouble::Call { what, advice }) => complain(&terminal, &what, &advice),
    }
}

fn complain(terminal: &Terminal, what: &str, advice: &str) -> ExitCode {
    let text = errors::call(terminal.error_look, what, advice);
    // Where not even the error can be written, the exit status has to do.
    let _ = io::stderr().write_all(text.as_bytes());
    ExitCode::from(Status::Bad.code())
}
