//! Fences put into every test of the corpus whose condition only buffers make reachable.

use std::collections::HashMap;
use std::path::Path;

use fencepost_checker::fences::Goal;
use fencepost_checker::lower::{LowerOptions, lower};
use fencepost_checker::program::{Quantifier, Verdict};
use fencepost_checker::report::Options;
use fencepost_checker::{Model, check};
use fencepost_grammar::fences::fenced;
use fencepost_grammar::format::format;
use fencepost_grammar::parse;
use fencepost_tests::answers::suggestion;
use fencepost_tests::files::{corpus, corpus_c, read};

#[test]
fn fenced_tests_forbid_their_condition() {
    if let Some(corpus) = corpus() {
        fence_all(&corpus, 900);
    }
}

#[test]
fn fenced_c_tests_forbid_their_condition() {
    if let Some(corpus) = corpus_c() {
        fence_all(&corpus, 400);
    }
}

fn fence_all(corpus: &Path, least: usize) {
    let table = read(&corpus.join("verdicts.tsv"));
    let mut lines = table.lines();
    let header: HashMap<&str, usize> = lines
        .next()
        .unwrap_or("")
        .split('\t')
        .enumerate()
        .map(|(i, name)| (name, i))
        .collect();
    let column = |name: &str| {
        let known = || panic!("verdicts.tsv has no column {name}: {header:?}");
        header.get(name).copied().unwrap_or_else(known)
    };
    let (file, quantifier) = (column("file"), column("quantifier"));
    let observations = [column("sc"), column("tso"), column("pso")];
    let mut tests = 0;
    let mut failures = Vec::new();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let wanted = match fields[quantifier] {
            "forall" => "Always",
            _ => "Never",
        };
        let [sc, tso, pso] = observations.map(|c| fields[c] == wanted);
        if !sc || tso && pso {
            continue;
        }
        tests += 1;
        let text = read(&corpus.join(fields[file]));
        let mut asked = vec![vec![Model::Tso, Model::Pso]];
        if !tso {
            asked.push(vec![Model::Tso]);
        }
        for models in asked {
            if let Err(reason) = fence(&text, &models) {
                failures.push(format!("{} {models:?}: {reason}", fields[file]));
            }
        }
    }
    assert!(tests > least, "only {tests} tests have a weak condition");
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn fence(text: &str, models: &[Model]) -> Result<(), String> {
    let parsed = parse(text);
    let suggestion = suggestion(text, Goal::Condition(0), models)
        .map_err(|refusal| format!("refused: {refusal:?}"))?;
    if suggestion.more || suggestion.cost.halves == 0 {
        return Err(format!("{suggestion:?}"));
    }
    for set in &suggestion.sets {
        let new = fenced(text, &parsed.test, set).map_err(|error| error.to_string())?;
        let again = parse(&new);
        if again.has_errors() {
            return Err(format!("{:?}\n{new}", again.errors));
        }
        if format(&new).as_deref() != Ok(new.as_str()) {
            return Err(format!("does not format to itself:\n{new}"));
        }
        let comments = |test: &fencepost_grammar::Test, text: &str| -> Vec<String> {
            let comments = test.comments.iter();
            comments.map(|c| c.span.text(text).to_owned()).collect()
        };
        if comments(&parsed.test, text) != comments(&again.test, &new) {
            return Err(format!("comments are lost:\n{new}"));
        }
        let program = lower(&again.sound().expect("a test"), &LowerOptions::default())
            .map_err(|errors| format!("{errors:?}\n{new}"))?;
        for &model in models {
            let report = check(&program, model, &Options::default());
            let wanted = match program.conditions[0].quantifier {
                Quantifier::Forall => Verdict::Always,
                _ => Verdict::Never,
            };
            if !report.complete() || report.conditions[0].verdict != wanted {
                return Err(format!(
                    "{:?} under {model:?}\n{new}",
                    report.conditions[0].verdict
                ));
            }
        }
    }
    Ok(())
}
