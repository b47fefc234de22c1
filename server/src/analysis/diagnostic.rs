//! What is said about a place of a text, whoever says it and wherever it is shown.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
    Information,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// `fencepost explain CODE` prints its page.
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    /// Bytes of the text.
    pub span: Range<usize>,
    pub related: Vec<Related>,
    pub help: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    pub span: Range<usize>,
    pub message: String,
}

impl Diagnostic {
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl From<&fencepost_grammar::Error> for Diagnostic {
    fn from(error: &fencepost_grammar::Error) -> Diagnostic {
        Diagnostic {
            code: error.code(),
            severity: match error.severity() {
                fencepost_grammar::Severity::Error => Severity::Error,
                fencepost_grammar::Severity::Warning => Severity::Warning,
            },
            message: error.message(),
            span: error.span.range(),
            related: error
                .related
                .iter()
                .map(|related| Related {
                    span: related.span.range(),
                    message: related.note.to_owned(),
                })
                .collect(),
            help: error.help(),
        }
    }
}
