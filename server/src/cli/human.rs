//! What a person sees of a check: a test in full, or a line a test.

use std::fmt::Write;

use fencepost_checker::program::{Model, Program};
use fencepost_checker::report::Report;

use crate::analysis::{
    Checked, Diagnostic, Fate, Finding, FindingKind, Lines, Severity, Standing, interest,
};
use crate::render::look::{Symbol, columns_of, pad};
use crate::render::matrix::Limit;
use crate::render::{Look, Role, label, matrix, prop, witness, words};

use super::args::CheckArgs;
use super::errors;
use super::terminal::Terminal;

/// More outcomes than a person reads.
const ROWS: Limit = Limit {
    rows: 40,
    rest: "--outcomes shows all",
};
const VERDICT_WIDTH: usize = 12;
/// A longer path moves its own line only.
const LONGEST_PATH: usize = 72;

pub struct Human {
    look: Look,
    error_look: Look,
    models: Vec<Model>,
    /// A test in full.
    full: bool,
    /// All rows of the matrix, however many.
    all_outcomes: bool,
    witness: bool,
    quiet: bool,
    timings: bool,
    path_width: usize,
    counts: Counts,
}

/// What goes to standard output and what to standard error.
pub struct Shown {
    pub output: String,
    pub errors: String,
}

#[derive(Debug, Default)]
struct Counts {
    fine: u64,
    failed: u64,
    unreadable: u64,
    unfinished: u64,
    warnings: u64,
}

impl Human {
    pub fn new(terminal: &Terminal, args: &CheckArgs, models: &[Model], names: &[&str]) -> Human {
        let alone = names.len() == 1;
        let widest = names.iter().map(|name| columns_of(name)).max().unwrap_or(0);
        Human {
            look: terminal.look,
            error_look: terminal.error_look,
            models: models.to_vec(),
            full: args.outcomes || (alone && !args.no_outcomes),
            all_outcomes: args.outcomes,
            witness: args.witness,
            quiet: args.quiet,
            timings: args.timings,
            path_width: widest.clamp(4, LONGEST_PATH),
            counts: Counts::default(),
        }
    }

    /// The heading over the lines.
    pub fn heading(&self) -> String {
        if self.full || self.quiet {
            return String::new();
        }
        let mut line = pad("test", self.path_width + 2);
        for model in &self.models {
            line += &pad(model.name(), VERDICT_WIDTH);
        }
        format!("{}\n", self.look.paint(Role::Heading, line.trim_end()))
    }

    pub fn test(&mut self, checked: &Checked, fate: Fate) -> Shown {
        match fate {
            Fate::Fine => self.counts.fine += 1,
            Fate::Failed => self.counts.failed += 1,
            Fate::Unreadable => self.counts.unreadable += 1,
            Fate::Unfinished => self.counts.unfinished += 1,
        }
        let warnings = checked.diagnostics.iter().filter(|d| !d.is_error()).count();
        if !self.full {
            self.counts.warnings += warnings as u64;
        }
        if self.quiet && fate == Fate::Fine {
            return Shown {
                output: String::new(),
                errors: String::new(),
            };
        }
        let errors = errors::of(self.error_look, checked, self.full);
        let output = match checked.program() {
            Some(program) if self.full => self.in_full(checked, program),
            Some(program) => self.line(checked, program, fate),
            None if self.full => String::new(),
            None => self.unreadable(checked),
        };
        Shown { output, errors }
    }

    fn in_full(&self, checked: &Checked, program: &Program) -> String {
        let look = self.look;
        let reports = checked.reports();
        let findings = checked.findings();
        let mut out = String::new();
        let name = look.plain(checked.name()).into_owned();
        let _ = writeln!(
            out,
            "{} {}",
            look.paint(Role::Heading, &name),
            look.paint(Role::Faint, &format!("({})", look.plain(&checked.file)))
        );
        if let Some(doc) = checked.doc() {
            let _ = writeln!(out, "{}", look.wrap(&look.plain(doc)));
        }
        out.push('\n');
        for (index, condition) in program.conditions.iter().enumerate() {
            let source = prop::source(checked.text(), &condition.span);
            let _ = writeln!(out, "{}", look.wrap(&look.plain(&source)));
            let phrase = words::verdict_phrase(look, &reports, index);
            let standing = match checked.standing(index) {
                Some(Standing::Met) => look.paint(Role::Good, "as expected"),
                Some(Standing::Broken) => look.paint(Role::Bad, "NOT as expected"),
                Some(Standing::Open) => look.paint(Role::Caution, "not settled"),
                None => "".into(),
            };
            let line = format!("  {}  {standing}", pad(&phrase, 46));
            let _ = writeln!(out, "{}\n", line.trim_end());
        }
        let limit = (!self.all_outcomes).then_some(ROWS);
        out += &matrix::text(look, program, &reports, limit);
        let _ = writeln!(out, "{}\n", self.classes_line(&reports));
        if self.witness {
            out += &self.witnesses(checked, program, &reports);
        }
        let worth = findings
            .iter()
            .filter(|f| f.kind.severity() != Severity::Information);
        let diagnostics: Vec<Diagnostic> = worth
            .filter_map(|f| checked.diagnostic(f))
            .map(|diagnostic| Diagnostic {
                // The steps of a witness would bury the line; --witness shows them as a table.
                related: Vec::new(),
                ..diagnostic
            })
            .collect();
        out += &errors::about(look, &checked.file, checked.text(), &diagnostics);
        out
    }

    /// `3 · 4 · 4 classes under SC, TSO, PSO`
    fn classes_line(&self, reports: &[&Report]) -> String {
        let dot = format!(" {} ", self.look.symbol(Symbol::Dot));
        let counts: Vec<String> = reports
            .iter()
            .map(|r| match (r.engine.counts(), r.outcomes_complete) {
                (true, _) => words::thousands(r.classes),
                (false, true) => "uncounted".to_owned(),
                (false, false) => "uncounted (not every outcome shown)".to_owned(),
            })
            .collect();
        let mut line = format!(
            "{} classes under {}",
            counts.join(&dot),
            words::models(reports.iter().map(|r| r.model))
        );
        let counting = reports.iter().filter(|r| r.engine.counts());
        let blocked: u64 = counting.map(|r| r.blocked).sum();
        if blocked > 0 {
            let counts: Vec<String> = reports
                .iter()
                .map(|r| words::thousands(r.blocked))
                .collect();
            let _ = write!(line, "; {} more do not end", counts.join(&dot));
        }
        if self.timings {
            let micro = if self.look.unicode { "µs" } else { "us" };
            let times: Vec<String> = reports
                .iter()
                .map(|r| format!("{} {micro}", words::thousands(r.time.as_micros() as u64)))
                .collect();
            let _ = write!(line, "; in {}", times.join(&dot));
        }
        self.look.paint(Role::Faint, &line).into_owned()
    }

    /// One witness for each condition that is reached, or for what failed.
    fn witnesses(&self, checked: &Checked, program: &Program, reports: &[&Report]) -> String {
        let look = self.look;
        let mut out = String::new();
        for index in 0..program.conditions.len() {
            if let Some((_, outcome)) = interest::first_reaching(program, reports, index) {
                out += &witness::text(look, program, checked.text(), &outcome.witness(program));
                out.push('\n');
            }
        }
        let failing = reports
            .iter()
            .find_map(|r| r.failures.first().map(|f| &f.witness));
        let deadlock = reports.iter().find_map(|r| r.deadlock.as_ref());
        for shown in failing.into_iter().chain(deadlock) {
            out += &witness::text(look, program, checked.text(), shown);
            out.push('\n');
        }
        out
    }

    /// One line a test, or a condition where there are several; then what is wrong.
    fn line(&self, checked: &Checked, program: &Program, fate: Fate) -> String {
        let look = self.look;
        let reports = checked.reports();
        let findings = checked.findings();
        let path = look.plain(&checked.file).into_owned();
        let status = self.status(checked, fate, &findings);
        let mut out = String::new();
        if let [_] = program.conditions.as_slice() {
            let line = format!(
                "{}{}{status}",
                self.first_column(&path),
                self.verdicts(&reports, 0)
            );
            let _ = writeln!(out, "{}", line.trim_end());
        } else {
            let cells: String = if program.conditions.is_empty() {
                self.outcome_counts(&reports)
            } else {
                " ".repeat(VERDICT_WIDTH * reports.len())
            };
            let line = format!("{}{cells}{status}", self.first_column(&path));
            let _ = writeln!(out, "{}", line.trim_end());
            for (index, condition) in program.conditions.iter().enumerate() {
                let source = prop::source(checked.text(), &condition.span);
                let source = look.cut(&look.plain(&source), self.path_width.max(12) - 2);
                let line = format!(
                    "  {}{}",
                    pad(&source, self.path_width.max(12)),
                    self.verdicts(&reports, index)
                );
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
        for finding in &findings {
            if matches!(finding.kind.severity(), Severity::Error | Severity::Warning) {
                self.finding(&mut out, checked, finding);
            }
        }
        if self.witness {
            for line in self.witnesses(checked, program, &reports).lines() {
                let _ = writeln!(out, "{}", format!("    {line}").trim_end());
            }
        }
        out
    }

    fn finding(&self, out: &mut String, checked: &Checked, finding: &Finding) {
        let look = self.look;
        let role = match finding.kind.severity() {
            Severity::Error => Role::Bad,
            _ => Role::Caution,
        };
        let place = Lines::of(checked.text()).place(finding.span.start);
        let message = look.plain(&finding.message()).into_owned();
        let _ = write!(
            out,
            "    {}: {}",
            look.paint(role, &format!("line {}", place.line)),
            message
        );
        let start = finding.span.start as u32..finding.span.end as u32;
        if let FindingKind::Failure(_) = finding.kind
            && let Some(source) = label::source(checked.text(), &start)
        {
            let _ = write!(out, ": {}", look.cut(&look.plain(&source), 40));
        }
        out.push('\n');
    }

    /// The text, padded to the verdicts; a longer one moves them.
    fn first_column(&self, text: &str) -> String {
        format!("{}  ", pad(text, self.path_width))
    }

    fn verdicts(&self, reports: &[&Report], condition: usize) -> String {
        let mut cells = String::new();
        for report in reports {
            let verdict = report.conditions.get(condition).map(|c| c.verdict);
            let word = verdict.map_or("", |v| v.name());
            cells += &pad(word, VERDICT_WIDTH);
        }
        cells
    }

    /// A test without a condition: how many outcomes each model has.
    fn outcome_counts(&self, reports: &[&Report]) -> String {
        let mut cells = String::new();
        for report in reports {
            let count = words::counted(report.outcomes.len() as u64, "outcome", "outcomes");
            cells += &pad(&count, VERDICT_WIDTH);
        }
        cells
    }

    fn status(&self, checked: &Checked, fate: Fate, findings: &[Finding]) -> String {
        let look = self.look;
        let word = match fate {
            Fate::Fine if !checked.expectations().is_empty() => look.paint(Role::Good, "ok"),
            Fate::Fine => "".into(),
            Fate::Failed => look.paint(Role::Bad, "FAILED"),
            Fate::Unfinished => look.paint(Role::Caution, "not finished"),
            Fate::Unreadable => look.paint(Role::Bad, "not read"),
        };
        let mut status = word.into_owned();
        for (wanted, note) in [
            ("W0501", "deadlock"),
            ("W0502", "cut at a loop bound"),
            ("W0503", "nothing ends"),
        ] {
            if findings.iter().any(|f| f.kind.code() == wanted) {
                if !status.is_empty() {
                    status += ", ";
                }
                status += &look.paint(Role::Caution, note);
            }
        }
        status
    }

    fn unreadable(&self, checked: &Checked) -> String {
        let look = self.look;
        let errors = checked.diagnostics.iter().filter(|d| d.is_error()).count();
        format!(
            "{}{}{}\n",
            self.first_column(&look.plain(&checked.file)),
            pad("", VERDICT_WIDTH * self.models.len()),
            look.paint(
                Role::Bad,
                &format!(
                    "not read: {}",
                    words::counted(errors as u64, "error", "errors")
                )
            )
        )
    }

    /// The last line of a run over several tests.
    pub fn summary(&self, total: usize) -> String {
        if total < 2 || self.quiet {
            return String::new();
        }
        let look = self.look;
        let counts = &self.counts;
        let mut parts = Vec::new();
        let mut part = |count: u64, word: &str, role: Role| {
            if count > 0 {
                let text = format!("{} {word}", words::thousands(count));
                parts.push(look.paint(role, &text).into_owned());
            }
        };
        part(counts.fine, "fine", Role::Good);
        part(counts.failed, "failed", Role::Bad);
        part(counts.unfinished, "not finished", Role::Caution);
        part(counts.unreadable, "not read", Role::Bad);
        let done = counts.fine + counts.failed + counts.unfinished + counts.unreadable;
        let mut line = format!(
            "{}: {}",
            words::counted(done, "test", "tests"),
            parts.join(", ")
        );
        if counts.warnings > 0 {
            let warnings = words::counted(counts.warnings, "warning", "warnings");
            let _ = write!(line, " ({warnings}; check a file alone to see them)");
        }
        format!("\n{line}\n")
    }
}
