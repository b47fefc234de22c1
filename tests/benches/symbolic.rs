//! Programs with many classes and simple questions: `rf` and `sat` side by side.
//!
//! `cargo bench -p fencepost-tests --bench symbolic -- [NAME] [--time SECONDS]`

use std::io::{self, Write};
use std::time::Duration;

use fencepost_checker::{Engine, LowerOptions, Model, Options, Program, check, lower};
use fencepost_tests::processor_time::ProcessorTime;

/// A program, its parameter and the model.
struct Row {
    name: &'static str,
    text: String,
    n: i64,
    model: Model,
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut only = None;
    let mut limit = 15;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bench" => {}
            "--time" => limit = args.next().and_then(|n| n.parse().ok()).unwrap_or(limit),
            name => only = Some(name.to_owned()),
        }
    }
    writeln!(
        out,
        "processor seconds of one core; at most {limit} s each\n"
    )?;
    writeln!(
        out,
        "program                        model   rf (classes)                sat       answer"
    )?;
    for row in rows() {
        let name = format!("{} {}", row.name, row.n);
        if only.as_ref().is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let program = program(&row);
        let run = |engine: &str| {
            let options = Options {
                engine: Engine::named(engine).unwrap_or_default(),
                max_time: Some(Duration::from_secs(limit)),
                list_outcomes: 0,
                ..Options::default()
            };
            let start = ProcessorTime::now();
            let report = check(&program, row.model, &options);
            (start.seconds(), report)
        };
        let (rf, explored) = run("rf");
        let (sat, asked) = run("sat");
        let over = if explored.complete() { "" } else { "over " };
        let rf = format!("{over}{rf:.3} ({})", explored.classes);
        let mut answer: Vec<&str> = asked.conditions.iter().map(|c| c.verdict.name()).collect();
        if !asked.failures.is_empty() {
            answer.push("fails");
        }
        if !asked.complete() {
            answer.push("not finished");
        }
        if asked.defect.is_some() {
            answer.push("DEFECT");
        }
        let same = explored.conditions.iter().zip(&asked.conditions);
        let same = same.into_iter().all(|(a, b)| a.verdict == b.verdict)
            && explored.failures.is_empty() == asked.failures.is_empty();
        if explored.complete() && asked.complete() && !same {
            answer.push("DIFFERS");
        }
        writeln!(
            out,
            "{name:<30} {:<5} {rf:>26} {sat:>9.3}   {}",
            row.model.name(),
            answer.join(", ")
        )?;
        out.flush()?;
    }
    Ok(())
}

fn program(row: &Row) -> Program {
    let parsed = fencepost_grammar::parse(&row.text);
    assert!(!parsed.has_errors(), "{}: {:?}", row.name, parsed.errors);
    let options = LowerOptions {
        params: vec![("N".to_owned(), row.n)],
        ..LowerOptions::default()
    };
    lower(&parsed.sound().expect("a test"), &options)
        .unwrap_or_else(|errors| panic!("{}: {errors:?}", row.name))
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |name, n, model, text: String| {
        rows.push(Row {
            name,
            text,
            n,
            model,
        });
    };
    for n in 5..=8 {
        add("fib safe", n, Model::Tso, fibonacci(n));
    }
    add("3 x N increments, x = 1", 3, Model::Tso, increments(3, 1));
    add("4 x N increments, x = 2", 5, Model::Tso, increments(4, 2));
    for n in [2, 4, 10] {
        add("peterson with fences", n, Model::Tso, peterson());
    }
    add("spammer, all 0", 6, Model::Sc, spammer(6));
    add("spammer, all 0", 10, Model::Tso, spammer(10));
    add("account, m = 1000", 6, Model::Tso, account());
    add("4 x N fetch_add", 3, Model::Tso, fetch_adds());
    rows
}

/// Neither number passes what the two threads can come to together.
fn fibonacci(n: i64) -> String {
    let (mut most, mut next) = (1, 1);
    for _ in 0..2 * n + 1 {
        (most, next) = (next, most + next);
    }
    format!(
        "litmus fib\nparam N = 5;\nshared i = 1, j = 1;\n\
         thread A {{ repeat N {{ p = i; q = j; i = p + q; }} }}\n\
         thread B {{ repeat N {{ p = j; q = i; j = p + q; }} }}\n\
         exists (i > {most} \\/ j > {most})\n"
    )
}

fn increments(threads: usize, value: i64) -> String {
    format!(
        "litmus increments\nparam N = 3;\nshared x;\n\
         thread T[i in 0..{threads}] {{ repeat N {{ r = x; x = r + 1; }} }}\n\
         exists (x = {value})\n"
    )
}

/// Each thread looks once and gives up; whoever is inside checks that it is alone.
fn peterson() -> String {
    "litmus peterson\nparam N = 2;\nshared flag[2], turn, inside;\n\
     thread P[me in 0..2] { repeat N {\n\
       flag[me] = 1; turn = 1 - me; mfence;\n\
       if (flag[1 - me] == 1 && turn == 1 - me) { return; }\n\
       inside = me + 1; assert(inside == me + 1);\n\
       mfence; flag[me] = 0;\n\
     } }\nexists (inside = 0)\n"
        .to_owned()
}

fn spammer(n: i64) -> String {
    let zeros: Vec<String> = (0..n).map(|i| format!("T[{i}]:r = 0")).collect();
    format!(
        "litmus spammer\nparam N = 4;\nshared x[N];\n\
         thread T[i in 0..N] {{ for j in 0..N {{ if (j != i) {{ x[j] = i + 1; }} }} r = x[i]; }}\n\
         exists ({})\n",
        zeros.join(" /\\ ")
    )
}

fn account() -> String {
    "litmus account\nparam N = 4;\nshared m = 1000;\n\
     thread D[i in 0..N] { t = m; m = t + 100; }\nthread W { t = m; m = t - 10; }\n\
     exists (m = 1000)\n"
        .to_owned()
}

fn fetch_adds() -> String {
    "litmus adds\nparam N = 3;\nshared x;\n\
     thread T[i in 0..4] { repeat N { r = fetch_add(x, 1); } }\nexists (x = 12)\n"
        .to_owned()
}
