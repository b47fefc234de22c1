//! Selection ranges: from the word under the cursor outwards to the whole file.

use fencepost_grammar::Span;
use fencepost_grammar::scan;
use tower_lsp::lsp_types::{Position, SelectionRange};

use super::super::view::View;

pub fn ranges(view: &View, positions: &[Position]) -> Vec<SelectionRange> {
    positions
        .iter()
        .map(|position| one(view, *position))
        .collect()
}

fn one(view: &View, position: Position) -> SelectionRange {
    let offset = view.offset(position);
    let mut spans = Vec::new();
    let mut add = |span: Span| {
        if span.touches(offset) && !span.is_empty() {
            spans.push(span);
        }
    };
    let test = &view.parse().test;
    test.nodes(&mut |node| add(node.span));
    test.comments.iter().for_each(|comment| add(comment.span));
    scan::word_at(view.text(), offset).into_iter().for_each(add);
    spans.sort_by_key(|span| (std::cmp::Reverse(span.len()), span.start));
    spans.dedup();
    // What crosses another is no step outwards; nested ones remain.
    let mut chain: Vec<Span> = Vec::new();
    for span in spans {
        if chain.last().is_none_or(|outer| outer.contains(span)) {
            chain.push(span);
        }
    }
    let mut parent = None;
    for span in chain {
        parent = Some(Box::new(SelectionRange {
            range: view.range(span),
            parent,
        }));
    }
    parent.map_or_else(
        || SelectionRange {
            range: view.range(Span::at(offset)),
            parent: None,
        },
        |selection| *selection,
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::view::fixture::cursor;
    use super::*;

    fn chain(marked: &str) -> Vec<String> {
        let (view, position) = cursor(marked);
        let mut texts = Vec::new();
        let mut next = Some(one(&view, position));
        while let Some(selection) = next {
            texts.push(view.span(selection.range).text(view.text()).to_owned());
            next = selection.parent.map(|parent| *parent);
        }
        // The whole file is always last.
        assert_eq!(texts.pop().as_deref(), Some(view.text()));
        texts
    }

    #[test]
    fn selection_grows_by_the_tree() {
        assert_eq!(
            chain("litmus T\nshared x, y;\nthread P0 { r = x + y$0; }\nexists (x = 1)\n"),
            [
                "y",
                "x + y",
                "r = x + y;",
                "{ r = x + y; }",
                "thread P0 { r = x + y; }"
            ]
        );
        assert_eq!(
            chain("litmus T\nshared x, y;\nthread P0 { r = x; }\nexists (P0:r$0 = 1 /\\ x = 1)\n"),
            [
                "r",
                "P0:r",
                "P0:r = 1",
                "P0:r = 1 /\\ x = 1",
                "(P0:r = 1 /\\ x = 1)",
                "exists (P0:r = 1 /\\ x = 1)"
            ]
        );
    }

    #[test]
    fn selection_grows_by_herd_cells() {
        assert_eq!(
            chain(
                "X86 T\n{ x=0; }\n P0         | P1          ;\n MOV [$0x],$1 | MOV EAX,[x] ;\nexists (x=1)\n"
            ),
            [
                "x",
                "[x]",
                "MOV [x],$1",
                "MOV [x],$1 | MOV EAX,[x] ;",
                "P0         | P1          ;\n MOV [x],$1 | MOV EAX,[x] ;",
            ]
        );
    }
}
