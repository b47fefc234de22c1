//! `fencepost fmt`: formats tests in place, or says which would change.

use std::io::{self, Write};

use crate::analysis::{Checked, Diagnostic};
use crate::render::words::counted;
use crate::replace::replace;

use super::args::FmtArgs;
use super::inputs::{self, Source};
use super::terminal::Terminal;
use super::{Status, Trouble, errors};

pub fn run(terminal: &Terminal, args: &FmtArgs) -> Result<Status, Trouble> {
    let mut status = Status::Fine;
    let mut changed = 0;
    let inputs = inputs::collect(&args.paths);
    let mut out = io::stdout().lock();
    for input in &inputs {
        let bytes = match input.read() {
            Ok(bytes) => bytes,
            Err(problem) => {
                refuse(terminal, &problem.checked(&input.name))?;
                status = status.max(Status::Bad);
                continue;
            }
        };
        let (text, invalid) = fencepost_grammar::decode(&bytes);
        let formatted = if invalid.is_empty() {
            fencepost_grammar::format::format(&text).map_err(|refusal| refusal.errors)
        } else {
            Err(invalid)
        };
        let formatted = match formatted {
            Ok(formatted) => formatted,
            Err(errors) => {
                let diagnostics: Vec<Diagnostic> = errors.iter().map(Diagnostic::from).collect();
                let shown = errors::about(terminal.error_look, &input.name, &text, &diagnostics);
                io::stderr().write_all(shown.as_bytes())?;
                let what = format!("{}: not formatted, because it has errors", input.name);
                let advice = "mend them first; the file is as it was";
                let shown = errors::call(terminal.error_look, &what, advice);
                io::stderr().write_all(shown.as_bytes())?;
                status = status.max(Status::Bad);
                continue;
            }
        };
        match &input.source {
            Source::Bytes(_) if !args.check => out.write_all(formatted.as_bytes())?,
            _ if formatted == text => {}
            Source::File(path) if !args.check => {
                if let Err(refused) = replace(path, &formatted) {
                    let what = format!("{}: cannot be written: {}", input.name, refused.what);
                    let shown = errors::call(terminal.error_look, &what, refused.advice);
                    io::stderr().write_all(shown.as_bytes())?;
                    status = status.max(Status::Bad);
                    continue;
                }
                changed += 1;
            }
            _ => {
                writeln!(out, "would change {}", terminal.look.plain(&input.name))?;
                changed += 1;
            }
        }
    }
    if args.check && changed > 0 {
        status = status.max(Status::Failed);
        let files = counted(changed, "file is", "files are");
        writeln!(out, "{files} not formatted; `fencepost fmt` formats them")?;
    } else if changed > 0 {
        writeln!(out, "formatted {}", counted(changed, "file", "files"))?;
    }
    Ok(status)
}

fn refuse(terminal: &Terminal, checked: &Checked) -> io::Result<()> {
    let shown = errors::of(terminal.error_look, checked, false);
    io::stderr().write_all(shown.as_bytes())
}
