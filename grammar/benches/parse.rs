//! Prints how fast texts are parsed, in MB/s: `cargo bench -p fencepost-grammar`.
//!
//! A table and no assertion: a number of a busy machine is no failure.
#![allow(clippy::print_stdout)]

use std::fmt::Write;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fencepost_grammar::parse;

fn main() {
    println!(
        "{:<32} {:>7} {:>7} {:>9} {:>9} {:>9}",
        "", "files", "KB", "best ms", "MB/s", "median"
    );
    let native = native_file(1 << 20);
    assert!(
        parse(&native).errors.is_empty(),
        "the generated file is bad"
    );
    measure("native, one file of 1 MB", &[native]);
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let mut files = Vec::new();
    collect(&corpus, &mut files);
    if files.is_empty() {
        println!("*** SKIPPED: the corpus is not at {}", corpus.display());
        return;
    }
    files.sort();
    let texts: Vec<String> = files
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .collect();
    measure("the whole corpus, in memory", &texts);
}

/// Parses all texts again and again for a second or two; prints the best round and the
/// median.
fn measure(name: &str, texts: &[String]) {
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut rounds = Vec::new();
    let begin = Instant::now();
    while rounds.len() < 10 || begin.elapsed() < Duration::from_secs(2) {
        let mut round = Duration::ZERO;
        for batch in texts.chunks(16) {
            let mut trees = Vec::with_capacity(batch.len());
            let before = clock(begin);
            for text in batch {
                trees.push(parse(black_box(text)));
            }
            round += clock(begin) - before;
            // What takes the trees apart again is not parsing.
            black_box(trees);
        }
        rounds.push(round);
    }
    rounds.sort();
    let rate = |round: Duration| bytes as f64 / 1e6 / round.as_secs_f64();
    println!(
        "{name:<32} {:>7} {:>7.0} {:>9.2} {:>9.1} {:>9.1}",
        texts.len(),
        bytes as f64 / 1e3,
        rounds[0].as_secs_f64() * 1e3,
        rate(rounds[0]),
        rate(rounds[rounds.len() / 2])
    );
}

/// The time this thread was on a processor, where the system tells; else wall time.
fn clock(begin: Instant) -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = statistics
        .as_deref()
        .and_then(|line| line.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| begin.elapsed(), Duration::from_nanos)
}

/// Threads like those people write: stores, loads, fences, branches, loops, comments.
fn native_file(bytes: usize) -> String {
    let mut text = String::from(
        "litmus generated\n\"a large file\"\n\nshared x = 0, y = 0, flag, data[8] = 0;\nmutex m;\nparam N = 3;\nconst LAST = N * 2 + 1;\n",
    );
    let mut thread = 0;
    while text.len() < bytes {
        let _ = write!(
            text,
            "
// Thread {thread} publishes, then reads what the others did.
thread P{thread} {{
  x = {thread};
  flag = 1;
  mfence;
  first = y;
  second = x + first * 2;
  if (first == 0 && second >= LAST) {{
    data[first & 7] = second + 1;
  }} else {{
    old = cas(flag, 1, {thread});
    assert(old != 0 || first < N);
  }}
  lock(m);
  for i in 0..N {{
    data[i] = data[i] + 1;
  }}
  unlock(m);
  while (flag != 0) max 2 {{
    sum = sum + x; /* spin */
  }}
  sum = fetch_add(y, 0x10);
}}
"
        );
        thread += 1;
    }
    text.push_str("\nexists \"both miss\" (P0:first = 0 /\\ P1:first = 0)\nexpect SC never, TSO sometimes, PSO sometimes\n");
    text
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "litmus")
        {
            files.push(path);
        }
    }
}
