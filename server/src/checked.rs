//! One test, read and checked: what every rendering starts from.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use fencepost_checker::engine;
use fencepost_checker::lower::{LowerOptions, lower};
use fencepost_checker::program::{Model, Program};
use fencepost_checker::report::{Options, Report};
use fencepost_grammar::Parse;
use fencepost_grammar::error::NameKind;

use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::{self, Finding, FindingKind, Standing, expectations};
use crate::place::Lines;

/// What to check and how far.
#[derive(Debug, Clone)]
pub struct Settings {
    /// From the strongest to the weakest.
    pub models: Vec<Model>,
    pub options: Options,
    /// Values for parameters; a test without such a parameter is checked as it is.
    pub lowering: LowerOptions,
    /// Whether the models run at the same time.
    pub parallel: bool,
}

#[derive(Debug, Clone)]
pub struct Checked {
    /// As the call names it.
    pub file: String,
    pub text: String,
    pub name: String,
    /// `litmus`, `X86`, `X86_64`, `unknown`.
    pub dialect: &'static str,
    /// The doc string after the name.
    pub doc: Option<String>,
    /// Errors and warnings about the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Absent when there are errors.
    pub program: Option<Program>,
    /// One for each model.
    reports: Vec<Report>,
    /// The time each model had.
    limit: Option<Duration>,
}

/// How a test went, for the exit status and the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Everything ran and is as expected.
    Fine,
    /// An expectation does not hold or an assertion can fail.
    Failed,
    /// It could not be read.
    Unreadable,
    /// A budget ran out.
    Unfinished,
}

impl Checked {
    /// A file that cannot even be opened: nothing but the reason.
    pub fn unreadable(file: String, diagnostic: Diagnostic) -> Checked {
        Checked {
            file,
            text: String::new(),
            name: String::new(),
            dialect: "unknown",
            doc: None,
            diagnostics: vec![diagnostic],
            program: None,
            reports: Vec::new(),
            limit: None,
        }
    }

    /// Reads a test's bytes and makes its program, without checking it.
    pub fn read(file: String, bytes: Vec<u8>, lowering: &LowerOptions) -> Checked {
        let read = || Checked::read_unguarded(file.clone(), &bytes, lowering);
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(checked) => checked,
            Err(panic) => Checked::unreadable(file, internal_error(&panic_message(&*panic))),
        }
    }

    fn read_unguarded(file: String, bytes: &[u8], lowering: &LowerOptions) -> Checked {
        let (text, invalid) = fencepost_grammar::decode(bytes);
        let parse = fencepost_grammar::parse(&text);
        let mut diagnostics: Vec<Diagnostic> = parse.errors.iter().map(Diagnostic::from).collect();
        let mut program = None;
        if !invalid.is_empty() {
            // What follows from the replaced bytes is noise.
            diagnostics = invalid.iter().map(Diagnostic::from).collect();
        } else if let Some(sound) = parse.sound() {
            match lower(&sound, &own_params(&parse, lowering)) {
                Ok(lowered) => program = Some(lowered),
                Err(errors) => diagnostics.extend(errors.iter().map(Diagnostic::from)),
            }
        }
        Checked {
            file,
            name: parse.test.name.name.to_string(),
            dialect: parse.test.dialect.word,
            doc: parse.test.doc.as_ref().map(|doc| doc.name.to_string()),
            text,
            diagnostics,
            program,
            reports: Vec::new(),
            limit: None,
        }
    }

    /// Reads a test's bytes and checks it under every model.
    pub fn check(file: String, bytes: Vec<u8>, settings: &Settings) -> Checked {
        let mut checked = Checked::read(file, bytes, &settings.lowering);
        checked.limit = settings.options.max_time;
        let Some(program) = &checked.program else {
            return checked;
        };
        let explore = |model: &Model| {
            catch_unwind(AssertUnwindSafe(|| {
                engine::check(program, *model, &settings.options)
            }))
        };
        let results: Vec<_> = if settings.parallel && settings.models.len() > 1 {
            std::thread::scope(|scope| {
                let running: Vec<_> = settings
                    .models
                    .iter()
                    .map(|model| scope.spawn(|| explore(model)))
                    .collect();
                running
                    .into_iter()
                    .map(|thread| thread.join().and_then(|result| result))
                    .collect()
            })
        } else {
            settings.models.iter().map(explore).collect()
        };
        for result in results {
            match result {
                Ok(report) => match report.defect {
                    None => checked.reports.push(report),
                    Some(defect) => checked
                        .diagnostics
                        .push(internal_error(&defect.to_string())),
                },
                Err(panic) => checked
                    .diagnostics
                    .push(internal_error(&panic_message(&*panic))),
            }
        }
        if checked.diagnostics.iter().any(Diagnostic::is_error) {
            checked.program = None;
            checked.reports.clear();
        }
        checked
    }

    pub fn reports(&self) -> Vec<&Report> {
        self.reports.iter().collect()
    }

    /// Everything the check found that somebody should know.
    pub fn findings(&self) -> Vec<Finding> {
        match &self.program {
            Some(program) => finding::findings(program, &self.reports(), self.limit),
            None => Vec::new(),
        }
    }

    /// What is said about the text and what the check found, the former first.
    pub fn all_diagnostics(&self) -> Vec<Diagnostic> {
        let mut all = self.diagnostics.clone();
        if let Some(program) = &self.program {
            let reports = self.reports();
            let findings = self.findings();
            all.extend(
                findings
                    .iter()
                    .map(|f| f.diagnostic(program, &self.text, &reports)),
            );
        }
        all
    }

    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    pub fn fate(&self) -> Fate {
        if self.has_errors() {
            return Fate::Unreadable;
        }
        if self.reports.iter().any(|r| !r.complete()) {
            return Fate::Unfinished;
        }
        let failed = self.findings().iter().any(|f| {
            matches!(
                f.kind,
                FindingKind::Expectation { .. } | FindingKind::Failure(_)
            )
        });
        if failed { Fate::Failed } else { Fate::Fine }
    }

    /// Whether everything that the file expects was shown to hold and no assertion fails.
    pub fn ok(&self) -> bool {
        self.fate() == Fate::Fine
    }

    /// Whether the file expects anything of the models that were checked.
    pub fn has_expectations(&self) -> bool {
        self.program
            .as_ref()
            .is_some_and(|p| !expectations(p, &self.reports()).is_empty())
    }

    /// Of the expectations of one condition, how many there are and whether all are met.
    pub fn standing(&self, condition: usize) -> Option<Standing> {
        let program = self.program.as_ref()?;
        let all: Vec<Standing> = expectations(program, &self.reports())
            .iter()
            .filter(|e| e.condition == condition)
            .map(|e| e.standing())
            .collect();
        if all.contains(&Standing::Broken) {
            Some(Standing::Broken)
        } else if all.contains(&Standing::Open) {
            Some(Standing::Open)
        } else {
            all.first().copied()
        }
    }

    pub fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// `file:line:column: message`
    pub fn one_line(&self, diagnostic: &Diagnostic) -> String {
        let place = Lines::of(&self.text).place(diagnostic.span.start);
        format!(
            "{}:{}:{}: {}",
            self.file, place.line, place.column, diagnostic.message
        )
    }

    /// `file:line:column: message` of a finding.
    pub fn finding_line(&self, finding: &Finding) -> String {
        let place = Lines::of(&self.text).place(finding.span.start);
        format!(
            "{}:{}:{}: {}",
            self.file,
            place.line,
            place.column,
            finding.message()
        )
    }
}

/// The overrides that this test has parameters for: a run over many tests sets them where
/// they exist (that at least one has them is looked at before).
fn own_params(parse: &Parse, lowering: &LowerOptions) -> LowerOptions {
    let mut own = lowering.clone();
    own.params.retain(|(name, _)| has_param(parse, name));
    own
}

pub fn has_param(parse: &Parse, name: &str) -> bool {
    params(parse).any(|param| param == name)
}

/// The names of the test's parameters.
pub fn params(parse: &Parse) -> impl Iterator<Item = &str> {
    let symbols = parse.symbols.symbols.iter();
    symbols
        .filter(|symbol| symbol.kind == NameKind::Param)
        .map(|symbol| symbol.name.as_str())
}

/// What to do about a parameter that is not among those there are.
pub fn param_advice(name: &str, known: &[&str]) -> String {
    match fencepost_grammar::nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "declare it in the test, for example `param N = 3;`".to_owned(),
        None => format!("there are {}", known.join(", ")),
    }
}

/// A bug in the checker is a message about one test, not the end of the run.
fn internal_error(what: &str) -> Diagnostic {
    Diagnostic {
        code: "E0001",
        severity: Severity::Error,
        message: format!("the checker failed: {what}"),
        span: 0..0,
        related: Vec::new(),
        help: Some("this is a bug of fencepost: please report it with the file".to_owned()),
    }
}

/// What a caught panic says.
pub fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "it gave no reason".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caught_panic_says_what_it_was() {
        for panic in [
            catch_unwind(|| panic!("out of luck")),
            catch_unwind(|| panic!("{} of luck", "out")),
        ] {
            let panic = panic.expect_err("it panics");
            assert_eq!(panic_message(&*panic), "out of luck");
        }
    }
}
