//! Where the fixtures and the shared corpus are.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder or file below `tests/`.
pub fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The corpus of tests with known answers, which is not part of this project. `None`
/// where it is not there, and then standard error says so: a test that is skipped for
/// it is not silent about it.
pub fn corpus() -> Option<PathBuf> {
    answered("../../shared/corpus")
}

/// The same of tests in C.
pub fn corpus_c() -> Option<PathBuf> {
    answered("../../shared/corpus-c")
}

/// The C tests that have an answer, which are all but the odd ones and those of RISC-V.
pub fn corpus_c_files(corpus: &Path) -> Vec<PathBuf> {
    let folders = ["lkmm", "c11", "probes"];
    let files = folders.map(|folder| litmus_files(&corpus.join(folder)));
    files.concat()
}

fn answered(folder: &str) -> Option<PathBuf> {
    let path = fixture(folder);
    if path.join("verdicts.tsv").is_file() {
        return Some(path);
    }
    // Not `eprintln!`: the test harness would swallow it.
    let _ = writeln!(
        std::io::stderr(),
        "\n*** SKIPPED: the corpus is not at {}; this test has tested nothing ***\n",
        path.display()
    );
    None
}

/// Every `*.litmus` file below a folder, sorted. Panics when the folder cannot be
/// read: a fixture that is missing is a failure.
pub fn litmus_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("cannot list {}: {error}", folder.display()));
        for entry in entries {
            let path = entry
                .unwrap_or_else(|error| panic!("cannot list {}: {error}", folder.display()))
                .path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "litmus") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The text of a file, as it is.
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}
