//! Rename, with the reasons why a new name will not do.

use std::collections::HashMap;

use fencepost_grammar::error::NameKind;
use fencepost_grammar::scan;
use fencepost_grammar::symbols::Symbol;
use tower_lsp::lsp_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Position,
    PrepareRenameResponse, TextDocumentEdit, TextEdit, WorkspaceEdit,
};

use super::super::view::View;
use super::navigate;

/// The range that is renamed, or why nothing can be.
pub fn prepare(view: &View, position: Position) -> Result<PrepareRenameResponse, String> {
    let symbols = &view.parse().symbols;
    let (id, span) = symbols
        .at(view.offset(position))
        .ok_or("there is no name here that can be renamed")?;
    renameable(view, symbols.get(id))?;
    Ok(PrepareRenameResponse::RangeWithPlaceholder {
        range: view.range(span),
        placeholder: span.text(view.text()).to_owned(),
    })
}

pub fn rename(view: &View, position: Position, new_name: &str) -> Result<WorkspaceEdit, String> {
    let symbol =
        navigate::symbol_at(view, position).ok_or("there is no name here that can be renamed")?;
    renameable(view, symbol)?;
    validate(view, symbol, new_name)?;
    let edits = navigate::occurrences(symbol)
        .map(|(span, _)| TextEdit::new(view.range(span), new_name.to_owned()))
        .collect();
    Ok(workspace_edit(view, edits))
}

/// Edits of this document, tied to its version where the client can do that.
pub fn workspace_edit(view: &View, edits: Vec<TextEdit>) -> WorkspaceEdit {
    if view.client.versioned_edits {
        let text_document = OptionalVersionedTextDocumentIdentifier {
            uri: view.uri().clone(),
            version: Some(view.snapshot.version),
        };
        WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(vec![TextDocumentEdit {
                text_document,
                edits: edits.into_iter().map(OneOf::Left).collect(),
            }])),
            ..WorkspaceEdit::default()
        }
    } else {
        WorkspaceEdit::new(HashMap::from([(view.uri().clone(), edits)]))
    }
}

fn renameable(view: &View, symbol: &Symbol) -> Result<(), String> {
    let mut fixed = view.parse().test.dialect.fixed_names.iter();
    match fixed.find(|(kind, _)| *kind == symbol.kind) {
        Some((_, why)) => Err((*why).to_owned()),
        None => Ok(()),
    }
}

fn validate(view: &View, symbol: &Symbol, new_name: &str) -> Result<(), String> {
    if !scan::is_name(new_name) {
        return Err(format!(
            "`{new_name}` is no name: letters, digits and `_`, not starting with a digit"
        ));
    }
    let dialect = view.parse().test.dialect;
    if (dialect.register)(new_name).is_some() {
        return Err(format!("`{new_name}` is a register of x86"));
    }
    if dialect.reserved().any(|word| word == new_name) {
        return Err(format!("`{new_name}` is a keyword"));
    }
    let symbols = &view.parse().symbols;
    let clash = symbols.symbols.iter().find(|other| {
        other.name == new_name
            && other.definition != symbol.definition
            && (other.thread.is_none() || symbol.thread.is_none() || other.thread == symbol.thread)
    });
    match clash {
        Some(other) if other.kind != NameKind::Label || symbol.kind == NameKind::Label => {
            Err(format!(
                "`{new_name}` is {} already, in line {}",
                other.kind.noun(),
                view.line_number(other.definition.start)
            ))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::super::view::fixture::cursor;
    use super::*;

    /// The text after the rename, or the reason why there is none.
    fn check(marked: &str, new_name: &str, expected: Expect) {
        let (view, position) = cursor(marked);
        let text = match rename(&view, position, new_name) {
            Err(why) => format!("refused: {why}\n"),
            Ok(edit) => {
                let Some(DocumentChanges::Edits(documents)) = edit.document_changes else {
                    panic!("a versioned edit");
                };
                let mut text = view.text().to_owned();
                for edit in documents[0].edits.iter().rev() {
                    let OneOf::Left(edit) = edit else {
                        panic!("a plain edit");
                    };
                    text.replace_range(view.span(edit.range).range(), &edit.new_text);
                }
                text
            }
        };
        expected.assert_eq(&text);
    }

    const NATIVE: &str =
        "litmus T\nshared x$0, y;\nthread P0 { x = 1; r = y; }\nexists (P0:r = 0 /\\ x = 1)\n";

    #[test]
    fn every_use_gets_the_new_name() {
        check(
            NATIVE,
            "flag",
            expect![[r#"
                litmus T
                shared flag, y;
                thread P0 { flag = 1; r = y; }
                exists (P0:r = 0 /\ flag = 1)
            "#]],
        );
        check(
            "X86 T\n{ x=0; }\n P0          ;\n MOV [x],$1  ;\nexists (x$0=1)\n",
            "flag",
            expect![[r#"
                X86 T
                { flag=0; }
                 P0          ;
                 MOV [flag],$1  ;
                exists (flag=1)
            "#]],
        );
    }

    #[test]
    fn names_that_will_not_do_are_refused_with_a_reason() {
        check(
            NATIVE,
            "y",
            expect![[r#"
            refused: `y` is a shared variable already, in line 2
        "#]],
        );
        check(
            NATIVE,
            "r",
            expect![[r#"
            refused: `r` is a register already, in line 3
        "#]],
        );
        check(
            NATIVE,
            "thread",
            expect![[r#"
            refused: `thread` is a keyword
        "#]],
        );
        check(
            NATIVE,
            "true",
            expect![[r#"
                refused: `true` is a keyword
            "#]],
        );
        check(
            NATIVE,
            "1x",
            expect![[r#"
            refused: `1x` is no name: letters, digits and `_`, not starting with a digit
        "#]],
        );
        check(
            "X86 T\n{ x=0; }\n P0          ;\n MOV [x],$1  ;\nexists (x$0=1)\n",
            "EAX",
            expect![[r#"
                refused: `EAX` is a register of x86
            "#]],
        );
        check(
            "X86 T\n{ x=0; }\n P0          ;\n MOV [x],$1  ;\nexists (x$0=1)\n",
            "not",
            expect![[r#"
                refused: `not` is a keyword
            "#]],
        );
        check(
            "X86 T\n{ x=0; }\n P0          ;\n MOV EA$0X,[x] ;\nexists (0:EAX=1)\n",
            "EBX",
            expect![[r#"
                refused: x86's registers have the names they have
            "#]],
        );
    }

    #[test]
    fn prepare_gives_the_name_under_the_cursor() {
        let (view, position) = cursor(NATIVE);
        let Ok(PrepareRenameResponse::RangeWithPlaceholder { placeholder, .. }) =
            prepare(&view, position)
        else {
            panic!("a range");
        };
        assert_eq!(placeholder, "x");
        let (view, position) = cursor("litmus$0 T\n");
        assert!(prepare(&view, position).is_err());
    }
}
