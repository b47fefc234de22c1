//! Go to definition, references and highlights, all from the table of symbols.

use fencepost_grammar::Span;
use fencepost_grammar::symbols::{Access, Symbol};
use tower_lsp::lsp_types::{
    DocumentHighlight, DocumentHighlightKind, GotoDefinitionResponse, Location, Position,
};

use super::super::view::View;

pub fn definition(view: &View, position: Position) -> Option<GotoDefinitionResponse> {
    let symbol = symbol_at(view, position)?;
    let location = view.location(symbol.definition);
    Some(GotoDefinitionResponse::Scalar(location))
}

pub fn references(view: &View, position: Position, with_definition: bool) -> Option<Vec<Location>> {
    let symbol = symbol_at(view, position)?;
    let spans = occurrences(symbol).filter(|(span, _)| {
        // A register is defined where it is first used: that use is a reference too.
        with_definition || *span != symbol.definition
    });
    Some(spans.map(|(span, _)| view.location(span)).collect())
}

pub fn highlights(view: &View, position: Position) -> Option<Vec<DocumentHighlight>> {
    let symbol = symbol_at(view, position)?;
    let highlights = occurrences(symbol)
        .map(|(span, access)| DocumentHighlight {
            range: view.range(span),
            kind: Some(match access {
                Access::Write | Access::Update => DocumentHighlightKind::WRITE,
                Access::Read => DocumentHighlightKind::READ,
                Access::Mention => DocumentHighlightKind::TEXT,
            }),
        })
        .collect();
    Some(highlights)
}

pub fn symbol_at(view: &View, position: Position) -> Option<&Symbol> {
    let symbols = &view.parse().symbols;
    let (id, _) = symbols.at(view.offset(position))?;
    Some(symbols.get(id))
}

/// Every place of a symbol once, in order; its definition counts as a write.
pub fn occurrences(symbol: &Symbol) -> impl Iterator<Item = (Span, Access)> + '_ {
    let mut all: Vec<(Span, Access)> = symbol
        .references
        .iter()
        .map(|reference| (reference.span, reference.access))
        .collect();
    if !all.iter().any(|(span, _)| *span == symbol.definition) {
        all.push((symbol.definition, Access::Write));
    }
    all.sort_by_key(|(span, _)| *span);
    all.dedup_by_key(|(span, _)| *span);
    all.into_iter()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::super::view::fixture::{cursor, draw};
    use super::*;

    fn check_references(marked: &str, expected: Expect) {
        let (view, position) = cursor(marked);
        let found = references(&view, position, true).unwrap_or_default();
        expected.assert_eq(&draw(&view, found.into_iter().map(|l| l.range)));
    }

    #[test]
    fn a_shared_variable_is_found_everywhere() {
        check_references(
            "litmus T\nshared x, y;\nthread P0 { x$0 = 1; r = y; }\nthread P1 { r = x; }\nexists (P1:r = 1 /\\ x = 1)\n",
            expect![[r#"
                litmus T
                shared x, y;
                       ^
                thread P0 { x = 1; r = y; }
                            ^
                thread P1 { r = x; }
                                ^
                exists (P1:r = 1 /\ x = 1)
                                    ^
            "#]],
        );
    }

    #[test]
    fn a_register_belongs_to_its_thread() {
        check_references(
            "litmus T\nshared x, y;\nthread P0 { x = 1; r = y; }\nthread P1 { r = x; }\nexists (P1:r$0 = 1 /\\ P0:r = 1)\n",
            expect![[r#"
                litmus T
                shared x, y;
                thread P0 { x = 1; r = y; }
                thread P1 { r = x; }
                            ^
                exists (P1:r = 1 /\ P0:r = 1)
                           ^
            "#]],
        );
    }

    #[test]
    fn herd_locations_and_registers_are_found() {
        check_references(
            "X86 T\n{ x=0; }\n P0          | P1          ;\n MOV [x$0],$1  | MOV EAX,[x] ;\nexists (1:EAX=1 /\\ x=1)\n",
            expect![[r#"
                X86 T
                { x=0; }
                  ^
                 P0          | P1          ;
                 MOV [x],$1  | MOV EAX,[x] ;
                      ^                 ^
                exists (1:EAX=1 /\ x=1)
                                   ^
            "#]],
        );
    }

    #[test]
    fn definition_of_a_use_is_its_declaration() {
        let (view, position) =
            cursor("litmus T\nshared x;\nthread P0 { r = x$0; }\nexists (P0:r = 0)\n");
        let Some(GotoDefinitionResponse::Scalar(location)) = definition(&view, position) else {
            panic!("one definition");
        };
        expect![[r#"
            litmus T
            shared x;
                   ^
            thread P0 { r = x; }
            exists (P0:r = 0)
        "#]]
        .assert_eq(&draw(&view, [location.range]));
    }

    #[test]
    fn highlights_tell_reads_from_writes() {
        let (view, position) =
            cursor("litmus T\nshared x$0;\nthread P0 { x = 1; r = x; }\nexists (x = 1)\n");
        let kinds: Vec<_> = highlights(&view, position)
            .unwrap()
            .into_iter()
            .map(|highlight| highlight.kind.unwrap())
            .collect();
        assert_eq!(
            kinds,
            [
                DocumentHighlightKind::WRITE,
                DocumentHighlightKind::WRITE,
                DocumentHighlightKind::READ,
                DocumentHighlightKind::TEXT,
            ]
        );
    }

    #[test]
    fn nothing_is_under_a_keyword() {
        let (view, position) = cursor("litmus T\nsha$0red x;\nthread P0 { x = 1; }\n");
        assert!(definition(&view, position).is_none());
        assert!(references(&view, position, true).is_none());
    }
}
