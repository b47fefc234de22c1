//! Fences in a tree: where one can be put, which are there, the tree with more or fewer.
//!
//! A [`Place`] is where a new fence goes: in the native dialect at the start of a block or
//! after a statement, in herd's dialects after a row's cell that is not empty. A fence that
//! [`insert`] puts there has the place's (empty) range, so that whoever lowers the tree can
//! tell it from those that were written. The edits of the text are made to fit it: a new
//! statement stands on its own line, indented as its neighbours, unless those share a line; a
//! new row has the bars of the row before it; comments stay where they are; in a text that was
//! formatted, what comes out is formatted.

pub(crate) mod c;
pub(crate) mod columns;
mod lines;
pub(crate) mod native;
#[cfg(test)]
mod tests;

use crate::Sound;
use crate::ast::Test;
use crate::ast::native::FenceKind;
use crate::dialect::Tree;
use crate::format::{Edit, FormatError, edits, format};
use crate::span::Span;

/// Where a fence can be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The thread as the source has it: a declaration, or a column.
    pub thread: usize,
    /// The end of what the fence follows: a statement, an opening brace, a row.
    pub at: u32,
}

/// A fence to be put at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NewFence {
    pub place: Place,
    pub kind: FenceKind,
}

/// A fence that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub thread: usize,
    pub kind: FenceKind,
    /// The statement, or the instruction without its labels.
    pub span: Span,
}

/// The name of a thread as the source has it, without the indices of its replicas.
pub fn thread_name(test: &Test, thread: usize) -> &str {
    let threads = test.threads();
    threads.get(thread).map_or("", |thread| &thread.name.name)
}

/// Every place of the test, by thread and then in order of place.
pub fn places(test: &Test) -> Vec<Place> {
    let mut places = test.body.tree().map_or_else(Vec::new, Tree::places);
    places.sort_unstable();
    places
}

/// Every `mfence` and `sfence`, by thread and then in order of place.
pub fn written(test: &Test) -> Vec<Written> {
    let mut found = test.body.tree().map_or_else(Vec::new, Tree::written);
    found.sort_unstable_by_key(|fence| (fence.thread, fence.span));
    found
}

/// The test with more fences. What is not a place of the tree is left out.
pub fn insert<'p>(sound: &Sound<'p>, fences: &[NewFence]) -> Sound<'p> {
    changed(sound, |tree| tree.insert(fences))
}

/// The test without the fences that were written at these ranges.
pub fn remove<'p>(sound: &Sound<'p>, spans: &[Span]) -> Sound<'p> {
    changed(sound, |tree| tree.remove(spans))
}

/// Fences name nothing: a sound test stays so.
fn changed<'p>(sound: &Sound<'p>, change: impl FnOnce(&mut dyn Tree)) -> Sound<'p> {
    let mut sound = sound.clone();
    if let Some(tree) = sound.test.to_mut().body.tree_mut() {
        change(tree);
    }
    sound
}

/// The edits that insert fences, in order of place. `test` is the tree of `text`.
pub fn insert_edits(text: &str, test: &Test, fences: &[NewFence]) -> Vec<Edit> {
    let tree = test.body.tree();
    let raw = tree.map(|tree| tree.insert_edits(text, test, fences));
    keep_formatted(text, raw.unwrap_or_default())
}

/// The text with fences inserted, formatted; refused where the text has errors.
pub fn fenced(text: &str, test: &Test, fences: &[NewFence]) -> Result<String, FormatError> {
    format(&apply(text, &insert_edits(text, test, fences)))
}

/// The edits that remove the fences written at these ranges, in order of place.
pub fn remove_edits(text: &str, test: &Test, spans: &[Span]) -> Vec<Edit> {
    let tree = test.body.tree();
    let raw = tree.map(|tree| tree.remove_edits(text, test, spans));
    keep_formatted(text, raw.unwrap_or_default())
}

/// The text after the edits, which are in order of place and apart.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for edit in edits {
        let range = edit.range.range();
        out.push_str(text.get(from..range.start).unwrap_or(""));
        out.push_str(&edit.text);
        from = range.end;
    }
    out.push_str(text.get(from..).unwrap_or(""));
    out
}

/// A text that was formatted stays so: its columns may have to become wider.
fn keep_formatted(text: &str, mut raw: Vec<Edit>) -> Vec<Edit> {
    raw.sort_by_key(|edit| edit.range);
    if raw.is_empty() || format(text).as_deref() != Ok(text) {
        return raw;
    }
    let changed = apply(text, &raw);
    match format(&changed) {
        Ok(formatted) if formatted != changed => edits(text, &formatted),
        _ => raw,
    }
}
