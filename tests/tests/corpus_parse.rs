//! Every file of the shared corpus parses without an error.

use fencepost_grammar::{Severity, parse};
use fencepost_tests::files::{corpus, litmus_files, read};

#[test]
fn every_corpus_file_parses() {
    let Some(corpus) = corpus() else {
        return;
    };
    let files = litmus_files(&corpus);
    assert_eq!(files.len(), 1635, "the corpus has another number of files");
    let mut failures = Vec::new();
    for path in &files {
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
