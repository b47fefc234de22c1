//! Every file of the shared corpus parses without an error.

use std::path::PathBuf;

use fencepost_grammar::{Severity, parse};
use fencepost_tests::files::{corpus, corpus_c, corpus_c_files, litmus_files, read};

#[test]
fn every_corpus_file_parses() {
    let Some(corpus) = corpus() else {
        return;
    };
    let files = litmus_files(&corpus);
    assert_eq!(files.len(), 1635, "the corpus has another number of files");
    parse_all(&files);
}

#[test]
fn every_c_file_of_the_corpus_parses() {
    let Some(corpus) = corpus_c() else {
        return;
    };
    let files = corpus_c_files(&corpus);
    assert_eq!(files.len(), 2182, "the corpus has another number of files");
    parse_all(&files);
}

fn parse_all(files: &[PathBuf]) {
    let mut failures = Vec::new();
    for path in files {
        let text = read(path);
        let parsed = parse(&text);
        for error in &parsed.errors {
            if error.severity() == Severity::Error {
                let place = error.span.start as usize;
                let line = text[..place].lines().count().max(1);
                failures.push(format!(
                    "{}:{line}: {} {}",
                    path.display(),
                    error.code(),
                    error.message()
                ));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} errors:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Tests of instructions that do nothing, which ask on purpose for a register that nobody writes.
#[test]
fn registers_that_no_thread_writes_are_rare() {
    let Some(corpus) = corpus() else {
        return;
    };
    let mut found = Vec::new();
    for path in litmus_files(&corpus) {
        let errors = parse(&read(&path)).errors;
        if errors.iter().any(|error| error.code() == "W0203") {
            found.extend(
                path.file_stem()
                    .and_then(|name| Some(name.to_str()?.to_owned())),
            );
        }
    }
    assert_eq!(found, ["A000", "A003", "A004", "A005"]);
}
