//! The command line as its users meet it: the real binary, what it prints and how it ends.

mod bad_calls;
mod colors;
mod determinism;
mod exit_status;
mod formats;
mod help;
mod interrupt;
mod many_tests;
mod readme;
mod snapshots;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a call printed and how it ended.
pub struct Answer {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// The project's folder, where the tests run, so that paths in output are short.
pub fn project() -> PathBuf {
    let server = Path::new(env!("CARGO_MANIFEST_DIR"));
    server
        .parent()
        .expect("the crate is in the project")
        .to_owned()
}

/// The binary, in an environment that does not depend on who runs the tests.
pub fn fencepost(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command
        .args(args)
        .current_dir(project())
        .env_remove("LC_ALL")
        .env_remove("LC_CTYPE")
        .env_remove("NO_COLOR")
        .env_remove("COLUMNS")
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::null());
    command
}

pub fn run(args: &[&str]) -> Answer {
    answer(fencepost(args))
}

pub fn answer(mut command: Command) -> Answer {
    let output = command.output().expect("the binary runs");
    Answer {
        status: output.status.code().expect("it ends by itself"),
        out: String::from_utf8(output.stdout).expect("output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("errors are UTF-8"),
    }
}

pub fn run_with_input(args: &[&str], input: &[u8]) -> Answer {
    let mut command = fencepost(args);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    stdin.write_all(input).expect("it reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    Answer {
        status: output.status.code().expect("it ends by itself"),
        out: String::from_utf8(output.stdout).expect("output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("errors are UTF-8"),
    }
}

/// An empty folder of this name, away from the project.
pub fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("an old folder can be removed");
    }
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// A path as an argument.
pub fn arg(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

pub const SB: &str = "tests/litmus/native/SB.litmus";
