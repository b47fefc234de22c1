//! From paths to tests: files, folders, `-`, and `@LIST` files.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::analysis::{Checked, Diagnostic, Severity};
use crate::files::{self, EXTENSION, Obstacle, Rules};

/// The code of a path that gives no text: there is no line to show.
pub const NOT_OPENED: &str = "E0002";

/// One test of the call, in order.
#[derive(Debug, Clone)]
pub struct Input {
    /// As messages name it.
    pub name: String,
    pub source: Source,
}

#[derive(Debug, Clone)]
pub enum Source {
    File(PathBuf),
    /// Standard input, read already.
    Bytes(Vec<u8>),
    /// It cannot be had.
    Problem(Problem),
}

/// Why a path gives no test, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub what: String,
    pub advice: String,
}

/// Lists within lists; a cycle is found before, this is against a very long chain.
const MAX_LISTS: usize = 100;
/// Folders within folders.
const MAX_DEPTH: usize = 200;

/// All tests that the paths name. What cannot be had is among them as a problem.
pub fn collect(paths: &[String]) -> Vec<Input> {
    let mut collector = Collector::default();
    for path in paths {
        collector.add(path, None);
    }
    collector.inputs
}

#[derive(Default)]
struct Collector {
    inputs: Vec<Input>,
    stdin_taken: bool,
    /// The lists that are open, outermost first.
    lists: Vec<PathBuf>,
}

impl Collector {
    /// `base` is the folder that a list's entries are relative to.
    fn add(&mut self, path: &str, base: Option<&Path>) {
        if path == "-" && base.is_none() {
            self.add_stdin();
        } else if let Some(list) = path.strip_prefix('@') {
            self.add_list(&located(list, base));
        } else {
            self.add_path(&located(path, base));
        }
    }

    fn add_stdin(&mut self) {
        if self.stdin_taken {
            return self.problem("-", "standard input can be read only once", "name `-` once");
        }
        self.stdin_taken = true;
        let mut bytes = Vec::new();
        match io::stdin().lock().read_to_end(&mut bytes) {
            Ok(_) => self.inputs.push(Input {
                name: "-".to_owned(),
                source: Source::Bytes(bytes),
            }),
            Err(error) => self.problem(
                "-",
                format!("standard input cannot be read: {error}"),
                "pipe a test into it, or name a file",
            ),
        }
    }

    fn add_path(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                let before = self.inputs.len();
                self.add_folder(path);
                if self.inputs.len() == before {
                    self.problem(
                        &shown(path),
                        "the folder has no tests",
                        format!(
                            "tests are files that end in `.{EXTENSION}`; name others one by one"
                        ),
                    );
                }
            }
            Ok(_) => self.inputs.push(Input {
                name: shown(path),
                source: Source::File(path.to_owned()),
            }),
            Err(error) => self.inputs.push(Input {
                name: shown(path),
                source: Source::Problem(open_problem(path, &error)),
            }),
        }
    }

    fn add_folder(&mut self, folder: &Path) {
        let rules = Rules {
            links: true,
            hidden: true,
            max_depth: MAX_DEPTH,
        };
        // The walk ends by itself.
        let _ = files::walk(folder, rules, &mut |found| {
            match found {
                Ok(path) => self.inputs.push(Input {
                    name: shown(&path),
                    source: Source::File(path),
                }),
                Err(Obstacle::Loop(folder)) => self.problem(
                    &shown(&folder),
                    "this symbolic link leads back to a folder that holds it, so it was not followed",
                    "remove the link, or name the folders to check one by one",
                ),
                Err(Obstacle::TooDeep(folder)) => self.problem(
                    &shown(&folder),
                    format!("more than {MAX_DEPTH} folders within folders"),
                    "name the inner folder itself",
                ),
                Err(Obstacle::Unreadable(folder, error)) => self.problem(
                    &shown(&folder),
                    format!("the folder cannot be read: {error}"),
                    "look at its permissions (`ls -ld`)",
                ),
            }
            ControlFlow::Continue(())
        });
    }

    fn add_list(&mut self, list: &Path) {
        let name = format!("@{}", shown(list));
        let real = fs::canonicalize(list).unwrap_or_else(|_| list.to_owned());
        if self.lists.contains(&real) || self.lists.len() >= MAX_LISTS {
            return self.problem(
                &name,
                "this list names itself, directly or through other lists",
                "remove one of the `@` lines",
            );
        }
        let text = match fs::read(list) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                return self.inputs.push(Input {
                    name,
                    source: Source::Problem(open_problem(list, &error)),
                });
            }
        };
        let base = list.parent().unwrap_or(Path::new(""));
        let before = self.inputs.len();
        self.lists.push(real);
        for line in text.lines() {
            let entry = line.split('#').next().unwrap_or("").trim();
            if !entry.is_empty() {
                self.add(entry, Some(base));
            }
        }
        self.lists.pop();
        if self.inputs.len() == before {
            self.problem(
                &name,
                "the list names no tests",
                "write one path a line, relative to the list",
            );
        }
    }

    fn problem(&mut self, name: &str, what: impl Into<String>, advice: impl Into<String>) {
        self.inputs.push(Input {
            name: name.to_owned(),
            source: Source::Problem(Problem {
                what: what.into(),
                advice: advice.into(),
            }),
        });
    }
}

impl Input {
    /// The bytes of the test.
    pub fn read(&self) -> Result<Vec<u8>, Problem> {
        match &self.source {
            Source::File(path) => fs::read(path).map_err(|error| open_problem(path, &error)),
            Source::Bytes(bytes) => Ok(bytes.clone()),
            Source::Problem(problem) => Err(problem.clone()),
        }
    }
}

impl Problem {
    /// The test that could not be had, with the reason as its one error.
    pub fn checked(self, name: &str) -> Checked {
        let diagnostic = Diagnostic {
            code: NOT_OPENED,
            severity: Severity::Error,
            message: self.what,
            span: 0..0,
            related: Vec::new(),
            help: Some(self.advice),
        };
        Checked::unreadable(name.to_owned(), diagnostic)
    }
}

fn located(path: &str, base: Option<&Path>) -> PathBuf {
    match base {
        Some(base) => base.join(path),
        None => PathBuf::from(path),
    }
}

/// Why a file cannot be opened, with the nearest name that is there.
fn open_problem(path: &Path, error: &io::Error) -> Problem {
    let (what, advice) = match error.kind() {
        io::ErrorKind::NotFound => (
            "there is no such file".to_owned(),
            match neighbour(path) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "look at the path; a folder is searched for tests".to_owned(),
            },
        ),
        io::ErrorKind::PermissionDenied => (
            "the file may not be read".to_owned(),
            "look at its permissions (`ls -l`)".to_owned(),
        ),
        _ => (
            format!("the file cannot be read: {error}"),
            "look at the path".to_owned(),
        ),
    };
    Problem { what, advice }
}

fn neighbour(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let names: BTreeSet<String> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let near = fencepost_grammar::nearest(wanted, names.iter().map(String::as_str))?;
    Some(shown(&path.with_file_name(near)))
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
