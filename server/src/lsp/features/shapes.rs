//! The classic shapes as whole-file snippets, from the tests of this repository.

use tower_lsp::lsp_types::{CompletionItem, CompletionItemKind, InsertTextFormat};

macro_rules! shape {
    ($folder:literal, $name:literal, $suffix:literal) => {
        (
            concat!($name, $suffix),
            include_str!(concat!(
                "../../../../tests/litmus/",
                $folder,
                "/",
                $name,
                ".litmus"
            )),
        )
    };
}

const SHAPES: [(&str, &str); 22] = [
    shape!("native", "SB", ""),
    shape!("native", "MP", ""),
    shape!("native", "LB", ""),
    shape!("native", "IRIW", ""),
    shape!("native", "2+2W", ""),
    shape!("native", "R", ""),
    shape!("native", "S", ""),
    shape!("native", "WRC", ""),
    shape!("native", "RWC", ""),
    shape!("native", "ISA2", ""),
    shape!("native", "CoRR", ""),
    shape!("native", "3.SB", ""),
    shape!("native", "n6", ""),
    shape!("herd", "SB", " (x86)"),
    shape!("herd", "MP", " (x86)"),
    shape!("herd", "LB", " (x86)"),
    shape!("herd", "IRIW", " (x86)"),
    shape!("herd", "2+2W", " (x86)"),
    shape!("herd", "R", " (x86)"),
    shape!("herd", "S", " (x86)"),
    shape!("herd", "CoRR", " (x86)"),
    shape!("herd", "n6", " (x86)"),
];

/// With snippets the test's name is selected; without, the text goes in as it is.
pub fn items(snippets: bool) -> Vec<CompletionItem> {
    SHAPES
        .iter()
        .map(|(name, text)| CompletionItem {
            label: (*name).to_owned(),
            kind: Some(CompletionItemKind::SNIPPET),
            detail: text
                .lines()
                .nth(1)
                .map(|line| line.trim_matches('"').to_owned()),
            insert_text: Some(if snippets {
                snippet(text)
            } else {
                (*text).to_owned()
            }),
            insert_text_format: snippets.then_some(InsertTextFormat::SNIPPET),
            filter_text: Some(format!("{} {name}", first_word(text))),
            ..CompletionItem::default()
        })
        .collect()
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

fn snippet(text: &str) -> String {
    let escaped = text
        .replace('\\', r"\\")
        .replace('$', r"\$")
        .replace('}', r"\}");
    let Some((head, rest)) = escaped.split_once('\n') else {
        return escaped;
    };
    match head.split_once(' ') {
        Some((dialect, name)) => format!("{dialect} ${{1:{name}}}\n{rest}"),
        None => escaped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_a_test_without_errors() {
        for (name, text) in SHAPES {
            let parse = fencepost_grammar::parse(text);
            assert!(!parse.has_errors(), "{name}: {:?}", parse.errors);
        }
    }

    #[test]
    fn what_means_something_in_a_snippet_is_escaped() {
        let text = snippet("X86 SB\n{ x=0; }\n MOV [x],$1 ;\nexists (a /\\ b)");
        assert_eq!(
            text,
            "X86 ${1:SB}\n{ x=0; \\}\n MOV [x],\\$1 ;\nexists (a /\\\\ b)"
        );
    }
}
