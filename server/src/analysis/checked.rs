//! One test, read and checked: what every rendering starts from.

use std::sync::Arc;
use std::time::Duration;

use fencepost_checker::engine;
use fencepost_checker::lower::LowerOptions;
use fencepost_checker::program::{Model, Program};
use fencepost_checker::report::{Options, Report};
use fencepost_grammar::Dialect;

use super::{
    Diagnostic, Expectation, Finding, FindingKind, Lines, Severity, Source, Standing, expectations,
    finding, guarded,
};

/// What to check and how far.
#[derive(Debug, Clone)]
pub struct Settings {
    /// From the strongest to the weakest.
    pub models: Vec<Model>,
    pub options: Options,
    /// Values for parameters; a test without such a parameter is checked as it is.
    pub lowering: Arc<LowerOptions>,
    /// Whether the models run at the same time.
    pub parallel: bool,
}

#[derive(Debug, Clone)]
pub struct Checked {
    /// As the call names it.
    pub file: String,
    pub source: Arc<Source>,
    /// Errors and warnings about the text, and what failed.
    pub diagnostics: Vec<Diagnostic>,
    /// One for each model; none when there are errors.
    reports: Vec<Arc<Report>>,
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
            source: Arc::default(),
            diagnostics: vec![diagnostic],
            reports: Vec::new(),
            limit: None,
        }
    }

    /// A source and what its models were found to do, each of which had `limit` for it.
    pub fn new(
        file: String,
        source: Arc<Source>,
        reports: Vec<Arc<Report>>,
        limit: Option<Duration>,
    ) -> Checked {
        let errors = source.errors().into_iter();
        Checked {
            file,
            diagnostics: errors.map(Diagnostic::from).collect(),
            source,
            reports,
            limit,
        }
    }

    /// Reads a test's bytes and makes its program, without checking it.
    pub fn read(file: String, bytes: &[u8], lowering: &Arc<LowerOptions>) -> Checked {
        let read = || {
            let source = Source::decode(bytes, lowering.clone());
            Checked::new(file.clone(), Arc::new(source), Vec::new(), None)
        };
        guarded(read).unwrap_or_else(|why| Checked::unreadable(file.clone(), internal_error(&why)))
    }

    /// Reads a test's bytes and checks it under every model.
    pub fn check(file: String, bytes: &[u8], settings: &Settings) -> Checked {
        let mut checked = Checked::read(file, bytes, &settings.lowering);
        checked.limit = settings.options.max_time;
        let Some(program) = checked.program() else {
            return checked;
        };
        let explore = |model: &Model| guarded(|| engine::check(program, *model, &settings.options));
        let results: Vec<_> = if settings.parallel && settings.models.len() > 1 {
            std::thread::scope(|scope| {
                let running: Vec<_> = settings
                    .models
                    .iter()
                    .map(|model| scope.spawn(|| explore(model)))
                    .collect();
                let ended = running.into_iter().map(|thread| thread.join());
                ended
                    .map(|joined| joined.unwrap_or_else(|_| Err("a thread ended".to_owned())))
                    .collect()
            })
        } else {
            settings.models.iter().map(explore).collect()
        };
        let mut reports = Vec::new();
        for result in results {
            match result {
                Ok(report) => match &report.defect {
                    None => reports.push(Arc::new(report)),
                    Some(defect) => {
                        let error = internal_error(&defect.to_string());
                        checked.diagnostics.push(error);
                    }
                },
                Err(why) => checked.diagnostics.push(internal_error(&why)),
            }
        }
        if !checked.has_errors() {
            checked.reports = reports;
        }
        checked
    }

    pub fn text(&self) -> &str {
        self.source.text()
    }

    pub fn name(&self) -> &str {
        &self.source.parse().test.name.name
    }

    /// The doc string after the name.
    pub fn doc(&self) -> Option<&str> {
        let doc = self.source.parse().test.doc.as_ref()?;
        Some(&doc.name)
    }

    pub fn dialect(&self) -> &'static Dialect {
        self.source.parse().test.dialect
    }

    /// Absent when there are errors.
    pub fn program(&self) -> Option<&Program> {
        let program = self.source.lowered().as_ref().ok()?;
        (!self.has_errors()).then_some(program)
    }

    pub fn reports(&self) -> Vec<&Report> {
        self.reports.iter().map(|report| &**report).collect()
    }

    /// Everything the check found that somebody should know.
    pub fn findings(&self) -> Vec<Finding> {
        match self.program() {
            Some(program) => finding::findings(program, &self.reports(), self.limit),
            None => Vec::new(),
        }
    }

    /// What is said about the text and what the check found, the former first.
    pub fn all_diagnostics(&self) -> Vec<Diagnostic> {
        let findings = self.findings();
        let found = findings.iter().filter_map(|f| self.diagnostic(f));
        self.diagnostics.iter().cloned().chain(found).collect()
    }

    /// A finding with its place, its help and the steps that lead to it.
    pub fn diagnostic(&self, finding: &Finding) -> Option<Diagnostic> {
        let program = self.program()?;
        Some(finding.diagnostic(program, self.text(), &self.reports()))
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
                FindingKind::Expectation(_) | FindingKind::Failure(_)
            )
        });
        if failed { Fate::Failed } else { Fate::Fine }
    }

    /// Whether everything that the file expects was shown to hold and no assertion fails.
    pub fn ok(&self) -> bool {
        self.fate() == Fate::Fine
    }

    /// Every `expect` of the models that were checked.
    pub fn expectations(&self) -> Vec<Expectation> {
        let program = self.program();
        program.map_or_else(Vec::new, |program| expectations(program, &self.reports()))
    }

    /// How the expectations of one condition stand together.
    pub fn standing(&self, condition: usize) -> Option<Standing> {
        let all = self.expectations().into_iter();
        let own = all.filter(|e| e.condition == condition);
        Standing::of_all(own.map(|e| e.standing()))
    }

    pub fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// `file:line:column: message`
    pub fn one_line(&self, start: usize, message: &str) -> String {
        let place = Lines::of(self.text()).place(start);
        format!("{}:{}:{}: {message}", self.file, place.line, place.column)
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
