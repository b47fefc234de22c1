//! `fencepost explain`: the page behind an error code.

use std::io::{self, Write};

use crate::explain;
use crate::render::Role;

use super::args::ExplainArgs;
use super::terminal::Terminal;
use super::{Status, Trouble};

pub fn run(terminal: &Terminal, args: &ExplainArgs) -> Result<Status, Trouble> {
    let look = terminal.look;
    let mut out = io::stdout().lock();
    let Some(code) = &args.code else {
        for page in explain::pages() {
            writeln!(
                out,
                "{}  {}",
                look.paint(Role::Heading, page.code),
                look.plain(page.title)
            )?;
        }
        return Ok(Status::Fine);
    };
    let wanted = code.trim().to_ascii_uppercase();
    match explain::page(&wanted) {
        Some(page) => {
            let heading = format!("{}: {}", page.code, page.title);
            let heading = look.plain(&heading).into_owned();
            writeln!(out, "{}\n", look.paint(Role::Heading, &heading))?;
            writeln!(out, "{}", look.plain(page.text.trim_end()))?;
            Ok(Status::Fine)
        }
        None => {
            let codes = explain::pages().map(|page| page.code);
            let codes: Vec<&str> = codes.collect();
            let advice = match fencepost_grammar::nearest(&wanted, codes.iter().copied()) {
                Some(near) => format!("did you mean `{near}`? `fencepost explain` lists all"),
                None => "`fencepost explain` lists all".to_owned(),
            };
            Err(Trouble::call(format!("there is no code `{code}`"), advice))
        }
    }
}
