//! Formatting: the grammar's formatter, as edits.

use fencepost_grammar::format;
use tower_lsp::lsp_types::{Range, TextEdit};

use super::super::view::View;

/// Nothing when the text has errors: it is then left as it is.
pub fn whole(view: &View) -> Option<Vec<TextEdit>> {
    let text = view.text();
    let formatted = format::format(text).ok()?;
    Some(edits(view, format::edits(text, &formatted)))
}

/// The lines of a range, and no other.
pub fn part(view: &View, range: Range) -> Option<Vec<TextEdit>> {
    let found = format::format_range(view.text(), view.span(range)).ok()?;
    Some(edits(view, found))
}

fn edits(view: &View, found: Vec<format::Edit>) -> Vec<TextEdit> {
    found
        .into_iter()
        .map(|edit| TextEdit::new(view.range(edit.range), edit.text))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::view::fixture::unchecked;
    use super::*;

    fn apply(view: &View, edits: Vec<TextEdit>) -> String {
        let mut text = view.text().to_owned();
        for edit in edits.into_iter().rev() {
            text.replace_range(view.span(edit.range).range(), &edit.new_text);
        }
        text
    }

    const MESSY: &str =
        "X86 T\n{ x=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\nexists (1:EAX=1)\n";

    #[test]
    fn the_whole_text_becomes_what_the_formatter_says() {
        let view = unchecked(MESSY);
        let edits = whole(&view).unwrap();
        assert!(!edits.is_empty());
        assert_eq!(apply(&view, edits), format::format(MESSY).unwrap());
    }

    #[test]
    fn a_text_with_errors_is_left_alone() {
        assert_eq!(whole(&unchecked("litmus T\nthread {")), None);
    }

    #[test]
    fn a_range_leaves_other_lines_alone() {
        let text = "litmus T\nshared   x;\nthread P0 { x   = 1; }\nexists (x   = 1)\n";
        let view = unchecked(text);
        let range = view.range(fencepost_grammar::Span::new(9, 12));
        let formatted = apply(&view, part(&view, range).unwrap());
        assert!(formatted.contains("shared x;"), "{formatted}");
        assert!(formatted.contains("exists (x   = 1)"), "{formatted}");
    }
}
