//! What to change in a text to get its formatted form: its blanks.

use crate::span::Span;

/// Replace what is at `range` by `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub range: Span,
    pub text: String,
}

/// The smallest edits that turn `old` into `new`, in order of place, when the two
/// differ in blanks only, as a text and its formatted form do: one for each run of
/// blanks that changes. For other texts, one edit for all between their common
/// start and their common end.
pub fn edits(old: &str, new: &str) -> Vec<Edit> {
    blank_edits(old, new).unwrap_or_else(|| one_edit(old, new))
}

/// Whether two texts are the same but for their blanks.
pub(super) fn same_but_blanks(old: &str, new: &str) -> bool {
    let solid = |text: &str| {
        text.bytes()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect::<Vec<u8>>()
    };
    solid(old) == solid(new)
}

fn blank_edits(old: &str, new: &str) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let (mut from, mut to) = (0, 0);
    loop {
        let (old_end, new_end) = (after_blanks(old, from), after_blanks(new, to));
        if old[from..old_end] != new[to..new_end] {
            edits.push(Edit {
                range: Span::new(from as u32, old_end as u32),
                text: new[to..new_end].to_owned(),
            });
        }
        // As far as both go on without a blank: `a=b` against `a = b` goes on to `a`.
        let common = old.as_bytes()[old_end..]
            .iter()
            .zip(&new.as_bytes()[new_end..])
            .take_while(|(a, b)| a == b && !a.is_ascii_whitespace())
            .count();
        if common == 0 {
            let ended = old_end == old.len() && new_end == new.len();
            return ended.then_some(edits);
        }
        (from, to) = (old_end + common, new_end + common);
        if !old.is_char_boundary(from) {
            return None;
        }
    }
}

/// Where the blanks from `at` on end.
fn after_blanks(text: &str, at: usize) -> usize {
    let blanks = text.as_bytes()[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace());
    at + blanks.count()
}

fn one_edit(old: &str, new: &str) -> Vec<Edit> {
    let mut start = old
        .bytes()
        .zip(new.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    while !old.is_char_boundary(start) {
        start -= 1;
    }
    let longest = old.len().min(new.len()) - start;
    let mut end = old
        .bytes()
        .rev()
        .zip(new.bytes().rev())
        .take(longest)
        .take_while(|(a, b)| a == b)
        .count();
    while !old.is_char_boundary(old.len() - end) {
        end -= 1;
    }
    if start + end == old.len() && old.len() == new.len() {
        return Vec::new();
    }
    vec![Edit {
        range: Span::new(start as u32, (old.len() - end) as u32),
        text: new[start..new.len() - end].to_owned(),
    }]
}
