//! Formatting keeps the meaning of every file there is: the corpus and our own.

use fencepost_tests::files::{corpus, corpus_c, corpus_c_files, fixture, litmus_files, read};
use fencepost_tests::formatted::check_format;
use std::path::PathBuf;

fn check_all(files: &[PathBuf]) {
    let failures: Vec<String> = files
        .iter()
        .filter_map(|file| {
            let error = check_format(&read(file)).err()?;
            Some(format!("{}: {error}", file.display()))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} files:\n{}",
        failures.len(),
        files.len(),
        failures.join("\n")
    );
}

#[test]
fn every_corpus_file_keeps_its_tree() {
    let Some(corpus) = corpus() else { return };
    let files = litmus_files(&corpus);
    assert_eq!(files.len(), 1635, "files in the corpus");
    check_all(&files);
}

#[test]
fn every_c_file_of_the_corpus_keeps_its_tree() {
    let Some(corpus) = corpus_c() else { return };
    let files = corpus_c_files(&corpus);
    assert_eq!(files.len(), 2182, "files in the corpus");
    check_all(&files);
}

/// With `UPDATE_EXPECT=1` they are afterwards.
#[test]
fn our_own_files_are_formatted_already() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    for folder in ["litmus", "bench"] {
        let files = litmus_files(&fixture(folder));
        assert!(!files.is_empty(), "no files in {folder}");
        check_all(&files);
        for file in files {
            let text = read(&file);
            let formatted = check_format(&text).expect("checked above");
            if update && formatted != text {
                std::fs::write(&file, formatted)
                    .unwrap_or_else(|error| panic!("cannot write {}: {error}", file.display()));
                continue;
            }
            assert_eq!(formatted, text, "{} is not formatted", file.display());
        }
    }
}
