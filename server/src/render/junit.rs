//! JUnit XML: a file is a suite, its models are its cases.

use std::fmt::Write;

use fencepost_checker::report::Report;

use super::xml::escape;
use crate::analysis::{Checked, Finding, FindingKind, Severity};

/// The whole report; an error of the call itself is a suite of its own.
pub fn text(tests: &[Checked], timings: bool) -> String {
    let suites: Vec<Suite> = tests.iter().map(|test| suite(test, timings)).collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let sum = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>();
    let _ = writeln!(
        out,
        "<testsuites name=\"fencepost\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\">",
        sum(|s| s.cases.len()),
        sum(|s| s.count(Fate::is_failure)),
        sum(|s| s.count(Fate::is_error)),
    );
    for suite in &suites {
        suite.write(&mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

struct Suite<'t> {
    file: &'t str,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    time: Option<f64>,
    fate: Fate,
    /// Warnings and verdicts, for a reader of the log.
    output: String,
}

enum Fate {
    Passed,
    /// A short type, a message, the details.
    Failed(&'static str, String, String),
    Error(&'static str, String, String),
}

impl Fate {
    fn is_failure(&self) -> bool {
        matches!(self, Fate::Failed(..))
    }

    fn is_error(&self) -> bool {
        matches!(self, Fate::Error(..))
    }
}

impl Suite<'_> {
    fn count(&self, which: fn(&Fate) -> bool) -> usize {
        self.cases.iter().filter(|c| which(&c.fate)).count()
    }

    fn write(&self, out: &mut String) {
        let file = escape(self.file);
        let _ = writeln!(
            out,
            "  <testsuite name=\"{file}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\">",
            self.cases.len(),
            self.count(Fate::is_failure),
            self.count(Fate::is_error),
        );
        for case in &self.cases {
            let _ = write!(
                out,
                "    <testcase classname=\"{file}\" name=\"{}\" time=\"{:.6}\"",
                escape(&case.name),
                case.time.unwrap_or(0.0)
            );
            let (element, details) = match &case.fate {
                Fate::Passed => (None, None),
                Fate::Failed(kind, message, details) => {
                    (Some(("failure", *kind, message)), Some(details))
                }
                Fate::Error(kind, message, details) => {
                    (Some(("error", *kind, message)), Some(details))
                }
            };
            if element.is_none() && case.output.is_empty() {
                out.push_str("/>\n");
                continue;
            }
            out.push_str(">\n");
            if let (Some((name, kind, message)), Some(details)) = (element, details) {
                let _ = writeln!(
                    out,
                    "      <{name} type=\"{kind}\" message=\"{}\">{}</{name}>",
                    escape(message),
                    escape(details)
                );
            }
            if !case.output.is_empty() {
                let _ = writeln!(
                    out,
                    "      <system-out>{}</system-out>",
                    escape(&case.output)
                );
            }
            out.push_str("    </testcase>\n");
        }
        out.push_str("  </testsuite>\n");
    }
}

fn suite(test: &Checked, timings: bool) -> Suite<'_> {
    let findings = test.findings();
    let mut cases: Vec<Case> = test
        .reports()
        .iter()
        .map(|report| case(test, report, &findings, timings))
        .collect();
    if let Some(first) = test.diagnostics.iter().find(|d| d.is_error()) {
        let errors = test.diagnostics.iter().filter(|d| d.is_error());
        let details: Vec<String> = errors
            .map(|d| test.one_line(d.span.start, &d.message))
            .collect();
        cases.push(Case {
            name: "read".to_owned(),
            time: None,
            fate: Fate::Error(first.code, first.message.clone(), details.join("\n")),
            output: String::new(),
        });
    }
    Suite {
        file: &test.file,
        cases,
    }
}

fn case(test: &Checked, report: &Report, findings: &[Finding], timings: bool) -> Case {
    let own = || findings.iter().filter(|f| f.models.contains(&report.model));
    let broken: Vec<&Finding> = own()
        .filter(|f| f.kind.severity() == Severity::Error)
        .collect();
    let unfinished = own().find(|f| matches!(f.kind, FindingKind::Unfinished { .. }));
    let details = |findings: &[&Finding]| {
        let lines: Vec<String> = findings
            .iter()
            .map(|f| test.one_line(f.span.start, &f.message()))
            .collect();
        lines.join("\n")
    };
    let fate = if let Some(finding) = unfinished {
        Fate::Error(finding.kind.code(), finding.message(), details(&[finding]))
    } else if let Some(first) = broken.first() {
        Fate::Failed(first.kind.code(), first.message(), details(&broken))
    } else {
        Fate::Passed
    };
    let warnings: Vec<&Finding> = own()
        .filter(|f| {
            matches!(
                f.kind,
                FindingKind::Deadlock { .. } | FindingKind::Bound { .. } | FindingKind::NothingEnds
            )
        })
        .collect();
    Case {
        name: report.model.name().to_owned(),
        time: timings.then_some(report.time.as_secs_f64()),
        fate,
        output: details(&warnings),
    }
}
