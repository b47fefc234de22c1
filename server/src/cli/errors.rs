//! Errors in the terminal: the source line, the range, a help line.

use codespan_reporting::diagnostic::{Diagnostic as Shown, Label, Severity as ShownSeverity};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::termcolor::{Ansi, NoColor, WriteColor};
use codespan_reporting::term::{self, Chars, Config};

use super::inputs::NOT_OPENED;
use crate::analysis::{Checked, Diagnostic, Severity};
use crate::render::{Look, Role};

/// What is wrong with a test's text; with `warnings`, also what is doubtful.
pub fn of(look: Look, checked: &Checked, warnings: bool) -> String {
    let mut text = String::new();
    let mut with_lines = Vec::new();
    for diagnostic in &checked.diagnostics {
        if diagnostic.code == NOT_OPENED {
            let what = format!("{}: {}", checked.file, diagnostic.message);
            text += &call(look, &what, diagnostic.help.as_deref().unwrap_or(""));
        } else if warnings || diagnostic.is_error() {
            with_lines.push(diagnostic.clone());
        }
    }
    text + &about(look, &checked.file, checked.text(), &with_lines)
}

/// What is said about a text, with the lines it is about.
pub fn about(look: Look, file: &str, text: &str, diagnostics: &[Diagnostic]) -> String {
    let bytes = if look.color {
        let mut colored = Ansi::new(Vec::new());
        write(&mut colored, look, file, text, diagnostics);
        colored.into_inner()
    } else {
        let mut plain = NoColor::new(Vec::new());
        write(&mut plain, look, file, text, diagnostics);
        plain.into_inner()
    };
    let shown = String::from_utf8_lossy(&bytes);
    look.plain(&shown).into_owned()
}

fn write(
    writer: &mut dyn WriteColor,
    look: Look,
    file: &str,
    text: &str,
    diagnostics: &[Diagnostic],
) {
    let config = Config {
        chars: if look.unicode {
            Chars::box_drawing()
        } else {
            Chars::ascii()
        },
        ..Config::default()
    };
    let source = SimpleFile::new(file, text);
    for diagnostic in diagnostics {
        // Writing to memory cannot fail, and the ranges are clamped to the text.
        let _ = term::emit_to_write_style(writer, &config, &source, &shown(text, diagnostic));
    }
}

fn shown(text: &str, diagnostic: &Diagnostic) -> Shown<()> {
    let severity = match diagnostic.severity {
        Severity::Error => ShownSeverity::Error,
        Severity::Warning => ShownSeverity::Warning,
        Severity::Information => ShownSeverity::Note,
    };
    let clamp = |span: &std::ops::Range<usize>| {
        let start = floor(text, span.start);
        start..floor(text, span.end).max(start)
    };
    let mut labels = vec![Label::primary((), clamp(&diagnostic.span))];
    for related in &diagnostic.related {
        labels.push(Label::secondary((), clamp(&related.span)).with_message(&related.message));
    }
    let mut shown = Shown::new(severity)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message)
        .with_labels(labels);
    if let Some(help) = &diagnostic.help {
        shown = shown.with_note(format!("help: {help}"));
    }
    shown
}

fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// What is wrong with the call itself, and what to do.
pub fn call(look: Look, what: &str, advice: &str) -> String {
    let mut text = format!("{}: {what}\n", look.paint(Role::Bad, "error"));
    if !advice.is_empty() {
        text += &format!("{}: {advice}\n", look.paint(Role::Heading, " help"));
    }
    look.plain(&text).into_owned()
}
