//! The one binary: command line and language server.

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("lsp") => fencepost::lsp::run(),
        _ => ExitCode::from(2),
    }
}
