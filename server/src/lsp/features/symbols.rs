//! Document symbols, and the tests of the workspace by name.

use std::path::{Path, PathBuf};

use fencepost_grammar::Span;
use fencepost_grammar::ast::Test;
use fencepost_grammar::error::NameKind;
use tower_lsp::lsp_types::{
    DocumentSymbol, DocumentSymbolResponse, Location, Position, Range, SymbolInformation,
    SymbolKind, Url, WorkspaceFolder,
};

use super::super::view::View;
use crate::files;
use crate::protocol::Words;

/// Files that are looked into, and how large they may be.
const MAX_FILES: usize = 5_000;
const MAX_FILE_BYTES: u64 = 1 << 20;
const MAX_DEPTH: usize = 12;
const MAX_ANSWERS: usize = 500;

pub fn document(view: &View) -> DocumentSymbolResponse {
    let symbols: Vec<DocumentSymbol> = root(view).into_iter().collect();
    if view.client.hierarchical_symbols {
        return DocumentSymbolResponse::Nested(symbols);
    }
    let mut flat = Vec::new();
    for symbol in &symbols {
        flatten(view, symbol, None, &mut flat);
    }
    DocumentSymbolResponse::Flat(flat)
}

fn root(view: &View) -> Option<DocumentSymbol> {
    let test = &view.parse().test;
    if test.name.span.is_empty() {
        return None;
    }
    let mut children = globals(view);
    children.extend(threads(view, test));
    for condition in &test.conditions {
        let name = condition
            .name
            .as_ref()
            .map_or(condition.quantifier.name(), |name| name.name.as_str());
        let detail = condition.prop.span.text(view.text());
        children.push(symbol(
            view,
            name,
            Some(detail.split_whitespace().collect::<Vec<_>>().join(" ")),
            SymbolKind::BOOLEAN,
            condition.span,
            condition.keyword,
        ));
    }
    children.sort_by_key(|child| (child.range.start.line, child.range.start.character));
    let detail = test.doc.as_ref().map(|doc| doc.name.to_string());
    let mut root = symbol(
        view,
        &test.name.name,
        detail,
        SymbolKind::MODULE,
        test.span,
        test.name.span,
    );
    root.children = Some(children);
    Some(root)
}

fn globals(view: &View) -> Vec<DocumentSymbol> {
    let symbols = &view.parse().symbols.symbols;
    symbols
        .iter()
        .filter(|symbol| symbol.thread.is_none() && symbol.kind != NameKind::Thread)
        .map(|global| {
            let kind = match global.kind {
                NameKind::Array => SymbolKind::ARRAY,
                NameKind::Param | NameKind::Const => SymbolKind::CONSTANT,
                NameKind::Mutex => SymbolKind::OBJECT,
                _ => SymbolKind::VARIABLE,
            };
            symbol(
                view,
                &global.name,
                Some(global.kind.noun().to_owned()),
                kind,
                global.definition,
                global.definition,
            )
        })
        .collect()
}

fn threads(view: &View, test: &Test) -> Vec<DocumentSymbol> {
    test.threads()
        .into_iter()
        .enumerate()
        .map(|(index, thread)| {
            let span = thread.span;
            let replicas = thread.replicas.map_or("", |at| at.text(view.text()));
            let name = format!("{}{replicas}", thread.name.name);
            let selection = thread.name.span;
            let mut thread = symbol(view, &name, None, SymbolKind::FUNCTION, span, selection);
            let registers = view.parse().symbols.symbols.iter().filter(|register| {
                register.thread == Some(index as u32) && register.kind == NameKind::Register
            });
            let children: Vec<DocumentSymbol> = registers
                // herd's registers are spread over the table, outside the thread's own range.
                .filter(|register| span.contains(register.definition))
                .map(|register| {
                    let at = register.definition;
                    symbol(view, &register.name, None, SymbolKind::VARIABLE, at, at)
                })
                .collect();
            if !children.is_empty() {
                thread.children = Some(children);
            }
            thread
        })
        .collect()
}

fn symbol(
    view: &View,
    name: &str,
    detail: Option<String>,
    kind: SymbolKind,
    span: Span,
    selection: Span,
) -> DocumentSymbol {
    // The field is deprecated in the protocol and must be given all the same.
    #[allow(deprecated)]
    DocumentSymbol {
        name: name.to_owned(),
        detail,
        kind,
        tags: None,
        deprecated: None,
        range: view.range(span),
        selection_range: view.range(selection),
        children: None,
    }
}

fn flatten(
    view: &View,
    symbol: &DocumentSymbol,
    container: Option<&str>,
    flat: &mut Vec<SymbolInformation>,
) {
    let location = Location::new(view.uri().clone(), symbol.range);
    flat.push(information(&symbol.name, symbol.kind, location, container));
    for child in symbol.children.iter().flatten() {
        flatten(view, child, Some(&symbol.name), flat);
    }
}

fn information(
    name: &str,
    kind: SymbolKind,
    location: Location,
    container: Option<&str>,
) -> SymbolInformation {
    #[allow(deprecated)]
    SymbolInformation {
        name: name.to_owned(),
        kind,
        tags: None,
        deprecated: None,
        location,
        container_name: container.map(str::to_owned),
    }
}

/// The tests whose name fits: open documents first, then the files of the workspace.
pub fn workspace(
    views: &[View],
    folders: &[WorkspaceFolder],
    query: &str,
) -> Vec<SymbolInformation> {
    let mut found = Vec::new();
    for view in views {
        let name = &view.parse().test.name;
        if !name.name.is_empty() && fits(&name.name, query) {
            let location = view.location(name.span);
            found.push(information(&name.name, SymbolKind::MODULE, location, None));
        }
    }
    let open: Vec<PathBuf> = views
        .iter()
        .filter_map(|view| view.uri().to_file_path().ok())
        .collect();
    for folder in folders {
        let Ok(root) = folder.uri.to_file_path() else {
            continue;
        };
        for path in files::of_workspace(&root, MAX_DEPTH, MAX_FILES) {
            if found.len() >= MAX_ANSWERS {
                return found;
            }
            if open.contains(&path) {
                continue;
            }
            if let Some((name, uri, line)) = test_name(&path)
                && fits(&name, query)
            {
                let start = Position::new(line, 0);
                let location = Location::new(uri, Range::new(start, start));
                found.push(information(&name, SymbolKind::MODULE, location, None));
            }
        }
    }
    found
}

/// Every letter of the query, in order, whatever its case.
fn fits(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query
        .chars()
        .flat_map(char::to_lowercase)
        .all(|wanted| letters.any(|letter| letter == wanted))
}

/// The second word of the first line that has two: the dialect, then the name.
fn test_name(path: &Path) -> Option<(String, Url, u32)> {
    if std::fs::metadata(path).ok()?.len() > MAX_FILE_BYTES {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    let test = fencepost_grammar::parse(&text).test;
    if test.name.name.is_empty() {
        return None;
    }
    let before = text.get(..test.name.span.start as usize)?;
    let line = before.matches('\n').count() as u32;
    let uri = Url::from_file_path(path).ok()?;
    Some((test.name.name.to_string(), uri, line))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::super::view::fixture::unchecked;
    use super::*;

    fn check(text: &str, expected: Expect) {
        fn print(symbol: &DocumentSymbol, depth: usize, out: &mut String) {
            let detail = symbol.detail.as_deref().unwrap_or("");
            let line = symbol.selection_range.start.line;
            *out += &format!("{}{} {line} {detail}", "  ".repeat(depth), symbol.name);
            out.truncate(out.trim_end().len());
            out.push('\n');
            for child in symbol.children.iter().flatten() {
                print(child, depth + 1, out);
            }
        }
        let DocumentSymbolResponse::Nested(symbols) = document(&unchecked(text)) else {
            panic!("nested symbols");
        };
        let mut out = String::new();
        for symbol in &symbols {
            print(symbol, 0, &mut out);
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn native_symbols() {
        check(
            "litmus SB\n\"doc\"\nshared x, a[2];\nmutex m;\nparam N = 2;\nthread W[i in 0..N] { r = x; }\nexists \"both\" (x = 0)\n",
            expect![[r#"
                SB 0 doc
                  x 2 a shared variable
                  a 2 a shared array
                  m 3 a mutex
                  N 4 a parameter
                  W[i in 0..N] 5
                    r 5
                  both 6 (x = 0)
            "#]],
        );
    }

    #[test]
    fn herd_symbols() {
        check(
            "X86 SB\n{ x=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV EAX,[x] ;\n~exists (1:EAX=1)\n",
            expect![[r#"
                SB 0
                  x 1 a location
                  P0 2
                  P1 2
                  ~exists 4 (1:EAX=1)
            "#]],
        );
    }

    #[test]
    fn workspace_names_fit_by_their_letters() {
        assert!(fits("SB+mfences", "sbmf"));
        assert!(fits("SB", ""));
        assert!(!fits("SB", "bs"));
        let view = unchecked("litmus SB+x\nshared x;\n");
        let found = workspace(&[view], &[], "b+");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "SB+x");
    }
}
