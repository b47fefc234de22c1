//! Byte ranges of a text that was checked, moved along as the text is edited.

use fencepost_grammar::Span;

/// One change of a text, in bytes: what was at `start..start + removed` is now `inserted` long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit {
    pub start: u32,
    pub removed: u32,
    pub inserted: u32,
}

impl Edit {
    /// The smallest edit that makes `new` from `old`; for clients that send whole texts.
    pub fn between(old: &str, new: &str) -> Edit {
        let (a, b) = (old.as_bytes(), new.as_bytes());
        let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let suffix = a[prefix..]
            .iter()
            .rev()
            .zip(b[prefix..].iter().rev())
            .take_while(|(x, y)| x == y)
            .count();
        Edit {
            start: prefix as u32,
            removed: (a.len() - prefix - suffix) as u32,
            inserted: (b.len() - prefix - suffix) as u32,
        }
    }

    /// Where a range is after the edit; `None` when its text is gone.
    fn carry(self, span: Span) -> Option<Span> {
        let end = self.start + self.removed;
        let shift = |offset: u32| offset - self.removed + self.inserted;
        if end <= span.start && !(span.is_empty() && end == span.start && self.removed == 0) {
            Some(Span::new(shift(span.start), shift(span.end)))
        } else if self.start >= span.end {
            Some(span)
        } else if self.start <= span.start && end >= span.end {
            None
        } else if self.start <= span.start {
            Some(Span::new(self.start + self.inserted, shift(span.end)))
        } else if end <= span.end {
            Some(Span::new(span.start, shift(span.end)))
        } else {
            Some(Span::new(span.start, self.start))
        }
    }
}

/// Where each range of the checked text is now. Its size is bounded by the number of
/// ranges, not of edits.
#[derive(Debug, Clone, Default)]
pub struct Anchors {
    /// Sorted by the range in the checked text.
    moved: Vec<(Span, Option<Span>)>,
}

impl Anchors {
    pub fn new(spans: impl IntoIterator<Item = Span>) -> Anchors {
        let mut moved: Vec<_> = spans.into_iter().map(|span| (span, Some(span))).collect();
        moved.sort_unstable_by_key(|(span, _)| *span);
        moved.dedup_by_key(|(span, _)| *span);
        Anchors { moved }
    }

    pub fn edit(&mut self, edit: Edit) {
        for (_, now) in &mut self.moved {
            *now = now.and_then(|span| edit.carry(span));
        }
    }

    /// The text is again the one that was checked.
    pub fn reset(&mut self) {
        for (original, now) in &mut self.moved {
            *now = Some(*original);
        }
    }

    pub fn get(&self, span: Span) -> Option<Span> {
        let index = self
            .moved
            .binary_search_by_key(&span, |(original, _)| *original)
            .ok()?;
        self.moved[index].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranges are marked with brackets, `after` shows where the edit leaves them.
    fn check(text: &str, marked: &str, new: &str, expected: Option<&str>) {
        let start = text.find(marked).unwrap() as u32;
        let span = Span::new(start, start + marked.len() as u32);
        let mut anchors = Anchors::new([span]);
        anchors.edit(Edit::between(text, new));
        assert_eq!(anchors.get(span).map(|now| now.text(new)), expected);
        anchors.reset();
        assert_eq!(anchors.get(span), Some(span));
    }

    #[test]
    fn ranges_move_with_their_text() {
        check("x = 1; r = y;", "r = y;", "xx = 1; r = y;", Some("r = y;"));
        check("x = 1; r = y;", "x = 1;", "x = 1; r = z;", Some("x = 1;"));
        check("x = 1; r = y;", "r = y;", "x = 1; rr = y;", Some("rr = y;"));
        check("x = 1; r = y;", "r = y;", "x = 1; r = ;", Some("r = ;"));
        check("x = 1; r = y;", "r = y;", "x = 1; ", None);
        check("x = 1; r = y;", "x = 1;", "= y;", None);
        check("ab cd", "b c", "ab d", Some("b "));
        check("ab cd", "b c", "b cd", Some("b c"));
    }

    #[test]
    fn an_edit_that_overlaps_an_end_trims() {
        let span = Span::new(4, 10);
        let carry = |start, removed, inserted| {
            Edit {
                start,
                removed,
                inserted,
            }
            .carry(span)
        };
        assert_eq!(carry(2, 4, 1), Some(Span::new(3, 7)));
        assert_eq!(carry(8, 5, 3), Some(Span::new(4, 8)));
        assert_eq!(carry(4, 0, 2), Some(Span::new(6, 12)));
        assert_eq!(carry(10, 0, 2), Some(span));
        assert_eq!(carry(4, 6, 2), None);
        assert_eq!(carry(0, 0, 5), Some(Span::new(9, 15)));
    }

    #[test]
    fn equal_texts_differ_in_nothing() {
        let none = Edit::between("same", "same");
        assert_eq!((none.removed, none.inserted), (0, 0));
    }
}
