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
        let (old_blanks, old_solid) = run(old, from);
        let (new_blanks, new_solid) = run(new, to);
        if old[from..old_blanks] != new[to..new_blanks] {
            edits.push(Edit {
                range: Span::new(from as u32, old_blanks as u32),
                text: new[to..new_blanks].to_owned(),
            });
        }
        // Solid runs can end at different places: `a=b` against `a = b`.
        let common = (old_solid - old_blanks).min(new_solid - new_blanks);
        if old.as_bytes()[old_blanks..old_blanks + common]
            != new.as_bytes()[new_blanks..new_blanks + common]
        {
            return None;
        }
        if common == 0 {
            let ended = old_blanks == old.len() && new_blanks == new.len();
            return ended.then_some(edits);
        }
        (from, to) = (old_blanks + common, new_blanks + common);
    }
}

/// Where the blanks from `at` on end, and where what follows them ends.
fn run(text: &str, at: usize) -> (usize, usize) {
    let bytes = &text.as_bytes()[at..];
    let blanks = bytes
        .iter()
        .position(|byte| !byte.is_ascii_whitespace())
        .unwrap_or(bytes.len());
    let solid = bytes[blanks..]
        .iter()
        .position(|byte| byte.is_ascii_whitespace())
        .unwrap_or(bytes.len() - blanks);
    (at + blanks, at + blanks + solid)
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
