//! `fencepost example`: the classic shapes, from the project's own tests.

use std::io::{self, Write};

use crate::examples::{self, EXAMPLES};
use crate::render::look::{columns_of, pad};

use super::args::ExampleArgs;
use super::terminal::Terminal;
use super::{Status, Trouble};

pub fn run(terminal: &Terminal, args: &ExampleArgs) -> Result<Status, Trouble> {
    let mut out = io::stdout().lock();
    let Some(name) = &args.name else {
        let names = EXAMPLES.iter().map(|(name, _)| columns_of(name));
        let width = names.max().unwrap_or(0) + 2;
        for (name, text) in EXAMPLES {
            let doc = examples::doc(text);
            let line = format!("{}{}", pad(name, width), terminal.look.plain(&doc));
            let line = match terminal.look.width {
                Some(width) => terminal.look.cut(&line, width),
                None => line,
            };
            writeln!(out, "{}", line.trim_end())?;
        }
        return Ok(Status::Fine);
    };
    match examples::find(name) {
        Some(text) => {
            out.write_all(text.as_bytes())?;
            Ok(Status::Fine)
        }
        None => {
            let names = EXAMPLES.iter().map(|(name, _)| *name);
            let advice = match fencepost_grammar::nearest(name, names) {
                Some(near) => format!("did you mean `{near}`? `fencepost example` lists all"),
                None => "`fencepost example` lists all".to_owned(),
            };
            Err(Trouble::call(
                format!("there is no example `{name}`"),
                advice,
            ))
        }
    }
}
