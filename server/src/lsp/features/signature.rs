//! Signature help for atomics and other calls.

use fencepost_grammar::Dialect;
use fencepost_grammar::scan::{self, PieceKind};
use fencepost_grammar::words::Word;
use tower_lsp::lsp_types::{
    Documentation, ParameterInformation, ParameterLabel, Position, SignatureHelp,
    SignatureInformation,
};

use super::super::view::View;

pub fn help(view: &View, position: Position) -> Option<SignatureHelp> {
    let dialect = view.parse().test.dialect;
    let offset = view.offset(position);
    let (word, argument) = call_around(view.text(), dialect, offset)?;
    let call = view.parse().test.word(word).filter(|word| word.is_call())?;
    Some(signature(call, argument))
}

/// The call whose parentheses the offset is in, and the number of the argument.
fn call_around<'t>(text: &'t str, dialect: &Dialect, offset: u32) -> Option<(&'t str, u32)> {
    // Open parentheses: the word before each, and the commas since.
    let mut open: Vec<(&str, u32)> = Vec::new();
    let mut last_word = "";
    for piece in scan::pieces(text, dialect) {
        if piece.span.start >= offset {
            break;
        }
        let content = piece.span.text(text);
        match (piece.kind, content) {
            _ if piece.holds(offset) => return None,
            (PieceKind::Comment, _) => continue,
            (PieceKind::Mark, "(") => open.push((last_word, 0)),
            (PieceKind::Mark, ")") => {
                open.pop();
            }
            (PieceKind::Mark, ",") => {
                if let Some((_, commas)) = open.last_mut() {
                    *commas += 1;
                }
            }
            (PieceKind::Mark, ";" | "{" | "}") => open.clear(),
            _ => {}
        }
        last_word = if piece.kind == PieceKind::Word {
            content
        } else {
            ""
        };
    }
    open.pop()
}

fn signature(call: &Word, argument: u32) -> SignatureHelp {
    let mut label = format!("{}(", call.text);
    let mut parameters = Vec::new();
    for (index, parameter) in call.arguments.iter().enumerate() {
        if index > 0 {
            label += ", ";
        }
        // All of it is ASCII: bytes are the protocol's units.
        let start = label.len() as u32;
        label += parameter.name;
        parameters.push(ParameterInformation {
            label: ParameterLabel::LabelOffsets([start, label.len() as u32]),
            documentation: None,
        });
    }
    label.push(')');
    if let Some(value) = call.gives().filter(|value| !value.is_empty()) {
        label += " → ";
        label += value;
    }
    let last = call.arguments.len().saturating_sub(1) as u32;
    SignatureHelp {
        signatures: vec![SignatureInformation {
            label,
            documentation: Some(Documentation::String(call.meaning.to_owned())),
            parameters: Some(parameters),
            active_parameter: Some(argument.min(last)),
        }],
        active_signature: Some(0),
        active_parameter: Some(argument.min(last)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::view::fixture::cursor;
    use super::*;

    fn check(statement: &str) -> Option<(String, u32)> {
        let text = format!("litmus T\nshared x;\nthread P0 {{ {statement} }}\n");
        let (view, position) = cursor(&text);
        let help = help(&view, position)?;
        Some((help.signatures[0].label.clone(), help.active_parameter?))
    }

    #[test]
    fn the_argument_under_the_cursor_is_active() {
        let cas = "cas(location, expected, new) → old value".to_owned();
        assert_eq!(check("r = cas($0"), Some((cas.clone(), 0)));
        assert_eq!(check("r = cas(x, (0 + 1), $0);"), Some((cas.clone(), 2)));
        assert_eq!(check("r = cas(x, $00, 1);"), Some((cas, 1)));
        assert_eq!(check("lock($0"), Some(("lock(mutex)".to_owned(), 0)));
    }

    #[test]
    fn outside_of_calls_there_is_none() {
        assert_eq!(check("r = cas(x, 0, 1)$0;"), None);
        assert_eq!(check("if ($0x) {"), None);
        assert_eq!(check("r = cas(x; $0"), None);
        assert_eq!(check("/* cas($0 */"), None);
    }
}
