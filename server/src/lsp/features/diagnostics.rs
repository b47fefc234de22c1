//! Diagnostics: what is wrong with the text now, then what checks have found.
//!
//! Results of an older text stay, marked and moved along; they never hide an error of the
//! text now, which comes first.

use std::ops;

use fencepost_grammar::{Error, Severity, Span};
use tower_lsp::lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, NumberOrString,
};

use super::super::results::Found;
use super::super::view::View;
use crate::analysis::{self, FindingKind};

const SOURCE: &str = "fencepost";
/// Of a long witness, the steps that are linked.
const STEPS_LINKED: usize = 50;

pub fn all(view: &View) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = view
        .parse()
        .errors
        .iter()
        .map(|error| from_error(view, error))
        .collect();
    if let Err(errors) = view.snapshot.lowered() {
        all.extend(errors.iter().map(|error| from_error(view, error)));
    }
    all.extend(from_checks(view));
    all.extend(super::fences::unneeded(view));
    all
}

fn from_error(view: &View, error: &Error) -> Diagnostic {
    let related = error
        .related
        .iter()
        .map(|related| DiagnosticRelatedInformation {
            location: view.location(related.span),
            message: related.note.to_owned(),
        })
        .collect();
    let severity = match error.severity() {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
    };
    let mut message = error.message();
    if let Some(help) = error.help() {
        message = format!("{message}\n{help}");
    }
    let unused = matches!(error.kind, fencepost_grammar::ErrorKind::Unused { .. });
    Diagnostic {
        tags: (unused && view.client.unnecessary_tag).then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..make(view, error.span, severity, error.code(), message, related)
    }
}

/// The findings of the newest results; those of one text are judged together.
fn from_checks(view: &View) -> Vec<Diagnostic> {
    let newest = view.results.newest();
    let Some(first) = newest.first() else {
        return Vec::new();
    };
    let Some(test) = view.results.test(view.settings.timeout) else {
        return Vec::new();
    };
    test.findings()
        .iter()
        .filter(|found| {
            !matches!(found.kind, FindingKind::WeakOutcome { .. })
                || view.settings.surfaces.weak_outcomes()
        })
        .filter_map(|found| {
            let diagnostic = test.diagnostic(found)?;
            from_finding(view, first, &diagnostic)
        })
        .collect()
}

fn from_finding(view: &View, checked: &Found, found: &analysis::Diagnostic) -> Option<Diagnostic> {
    let now = |span: &ops::Range<usize>| checked.now(&(span.start as u32..span.end as u32));
    let span = now(&found.span)?;
    let severity = match found.severity {
        analysis::Severity::Error => DiagnosticSeverity::ERROR,
        analysis::Severity::Warning => DiagnosticSeverity::WARNING,
        analysis::Severity::Information => DiagnosticSeverity::INFORMATION,
    };
    let related = found
        .related
        .iter()
        .take(STEPS_LINKED)
        .filter_map(|related| {
            Some(DiagnosticRelatedInformation {
                location: view.location(now(&related.span)?),
                message: related.message.clone(),
            })
        })
        .collect();
    let mut message = found.message.clone();
    if let Some(overridden) = checked.overridden() {
        message = format!("{message} ({overridden})");
    }
    if checked.stale {
        message = format!("{message} ({})", checked.staleness());
    }
    Some(make(view, span, severity, found.code, message, related))
}

pub fn make(
    view: &View,
    span: Span,
    severity: DiagnosticSeverity,
    code: &str,
    message: String,
    related: Vec<DiagnosticRelatedInformation>,
) -> Diagnostic {
    Diagnostic {
        range: view.range(span),
        severity: Some(severity),
        code: Some(NumberOrString::String(code.to_owned())),
        source: Some(SOURCE.to_owned()),
        message,
        related_information: (view.client.related_information && !related.is_empty())
            .then_some(related),
        ..Diagnostic::default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::view::fixture::{checked, draw, unchecked};
    use super::*;

    const SB: &str = "litmus SB\nshared x, y;\nthread P0 { x = 1; r0 = y; }\nthread P1 { y = 1; r1 = x; }\nexists (P0:r0 = 0 /\\ P1:r1 = 0)\n";

    #[test]
    fn a_weak_outcome_is_information_with_a_switch() {
        let mut view = checked(SB);
        let found = all(&view);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].severity, Some(DiagnosticSeverity::INFORMATION));
        expect_test::expect![[r#"
            litmus SB
            shared x, y;
            thread P0 { x = 1; r0 = y; }
            thread P1 { y = 1; r1 = x; }
            exists (P0:r0 = 0 /\ P1:r1 = 0)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        "#]]
        .assert_eq(&draw(&view, [found[0].range]));
        Arc::make_mut(&mut view.settings).surfaces.weak_outcomes = false;
        assert!(all(&view).is_empty());
    }

    #[test]
    fn what_only_lowering_finds_is_an_error_at_once() {
        let view =
            unchecked("litmus T\nshared x;\nthread W[i in 0..100000] { x = 1; }\nexists (x = 1)\n");
        assert!(!view.parse().has_errors());
        let found = all(&view);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].severity, Some(DiagnosticSeverity::ERROR));
    }

    #[test]
    fn a_name_that_is_wrong_says_what_was_meant() {
        let view =
            unchecked("litmus T\nshared flag;\nthread P0 { flag = 1; }\nexists (flagg = 1)\n");
        let found = all(&view);
        assert!(
            found[0].message.contains("did you mean `flag`"),
            "{found:?}"
        );
    }
}
