//! Folding: threads and blocks, herd's table and init section, runs of comments.

use fencepost_grammar::Span;
use fencepost_grammar::dialect::Fold;
use tower_lsp::lsp_types::{FoldingRange, FoldingRangeKind};

use super::super::view::View;

pub fn ranges(view: &View) -> Vec<FoldingRange> {
    let mut ranges = Vec::new();
    view.parse().test.nodes(&mut |node| match node.fold {
        Fold::No => {}
        Fold::Whole => add(view, node.span, false, None, &mut ranges),
        Fold::AboveLast => add(view, node.span, true, None, &mut ranges),
    });
    comments(view, &mut ranges);
    ranges.sort_by_key(|range| (range.start_line, range.end_line));
    ranges.dedup_by_key(|range| range.start_line);
    ranges
}

fn comments(view: &View, ranges: &mut Vec<FoldingRange>) {
    let mut run: Option<Span> = None;
    for comment in &view.parse().test.comments {
        run = Some(match run {
            Some(before) if adjacent(view, before, comment.span) => before.to(comment.span),
            Some(before) => {
                add(view, before, false, Some(FoldingRangeKind::Comment), ranges);
                comment.span
            }
            None => comment.span,
        });
    }
    if let Some(run) = run {
        add(view, run, false, Some(FoldingRangeKind::Comment), ranges);
    }
}

/// Only blanks and at most one line end between them.
fn adjacent(view: &View, before: Span, after: Span) -> bool {
    let between = Span::new(before.end, after.start.max(before.end)).text(view.text());
    between.trim().is_empty() && between.matches('\n').count() <= 1
}

fn add(
    view: &View,
    span: Span,
    keep_last_line: bool,
    kind: Option<FoldingRangeKind>,
    ranges: &mut Vec<FoldingRange>,
) {
    let range = view.range(span);
    let end_line = if keep_last_line {
        range.end.line.saturating_sub(1)
    } else {
        range.end.line
    };
    if end_line > range.start.line {
        ranges.push(FoldingRange {
            start_line: range.start.line,
            end_line,
            kind,
            ..FoldingRange::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::view::fixture::unchecked;
    use super::*;

    fn lines(text: &str) -> Vec<(u32, u32)> {
        ranges(&unchecked(text))
            .iter()
            .map(|range| (range.start_line, range.end_line))
            .collect()
    }

    #[test]
    fn threads_and_loops_fold_above_their_closing_brace() {
        let text = "litmus T\nshared x;\nthread P0 {\n  while (x == 0) {\n    r = x;\n  }\n  r = 1;\n}\nexists (x = 0)\n";
        assert_eq!(lines(text), [(2, 6), (3, 4)]);
    }

    #[test]
    fn herd_tables_and_init_sections_fold() {
        let text =
            "X86 T\n{\nx=0;\n}\n P0          ;\n MOV [x],$1  ;\n MOV EAX,[x] ;\nexists (x=1)\n";
        assert_eq!(lines(text), [(1, 3), (4, 6)]);
    }

    #[test]
    fn a_run_of_comments_folds_as_one() {
        let text =
            "litmus T\n// a\n// b\n\n// c\nshared x;\nthread P0 { x = 1; }\nexists (x = 1)\n";
        assert_eq!(lines(text), [(1, 2)]);
    }
}
