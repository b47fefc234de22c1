//! The one binary: command line and language server.

use std::process::ExitCode;

fn main() -> ExitCode {
    fencepost::cli::run(std::env::args_os())
}
