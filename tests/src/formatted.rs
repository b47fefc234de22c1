//! What a formatted text must be, whatever it was before.

use crate::shape::{first_difference, shape};
use fencepost_grammar::format::{Edit, edits, format};
use fencepost_grammar::{Test, parse};

/// Formats a text and says what is wrong with the result, if something is: it reads
/// as the same tree, has the same comments, formatting it again changes nothing, and
/// the edits lead to it.
pub fn check_format(text: &str) -> Result<String, String> {
    let before = parse(text);
    let once = format(text).map_err(|error| format!("refused: {error}"))?;
    let after = parse(&once);
    if after.has_errors() {
        let error = format(&once).map_or_else(|error| error.to_string(), |_| String::new());
        return Err(format!("formatted, it cannot be read: {error}\n{once}"));
    }
    if let Some((old, new)) = first_difference(&shape(&before.test), &shape(&after.test)) {
        return Err(format!("another tree: {old}\nbecame {new}\n{once}"));
    }
    let (old, new) = (comments(text, &before.test), comments(&once, &after.test));
    if old != new {
        return Err(format!("other comments: {old:?} became {new:?}\n{once}"));
    }
    match format(&once) {
        Ok(twice) if twice == once => {}
        Ok(twice) => return Err(format!("not stable:\n{once}\n--- then\n{twice}")),
        Err(error) => return Err(format!("refused the second time: {error}\n{once}")),
    }
    let edits = edits(text, &once);
    let edited = apply(text, &edits);
    if edited != once {
        return Err(format!("the edits lead elsewhere: {edits:?}\n{edited}"));
    }
    Ok(once)
}

/// The texts of all comments, in order; blanks at the end of a line do not count.
fn comments(text: &str, test: &Test) -> Vec<String> {
    test.comments
        .iter()
        .map(|comment| comment.span.text(text).replace("\r\n", "\n"))
        .map(|comment| comment.trim_end().to_owned())
        .collect()
}

/// The text with edits applied, which are in order of place and do not overlap.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(&text[at..edit.range.start as usize]);
        out.push_str(&edit.text);
        at = edit.range.end as usize;
    }
    out.push_str(&text[at..]);
    out
}
