//! Semantic tokens: what each word is, from the table of symbols where it knows.

use fencepost_grammar::Span;
use fencepost_grammar::error::NameKind;
use fencepost_grammar::scan::{self, Piece, PieceKind};
use fencepost_grammar::words::{Kind, Word};
use tower_lsp::lsp_types::{
    Range, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens,
    SemanticTokensLegend,
};

use super::super::view::View;

const TYPES: [SemanticTokenType; 12] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::NUMBER,
    SemanticTokenType::STRING,
    SemanticTokenType::COMMENT,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::CLASS,
    SemanticTokenType::MACRO,
];

const KEYWORD: u32 = 0;
const NUMBER: u32 = 1;
const STRING: u32 = 2;
const COMMENT: u32 = 3;
/// A register.
const VARIABLE: u32 = 4;
/// A shared location.
const PROPERTY: u32 = 5;
const PARAMETER: u32 = 6;
/// A thread.
const NAMESPACE: u32 = 7;
/// An instruction or an atomic operation.
const FUNCTION: u32 = 8;
/// A model or a verdict.
const ENUM_MEMBER: u32 = 9;
/// The test's name.
const CLASS: u32 = 10;
/// A fence: what people look for.
const MACRO: u32 = 11;

const MODIFIERS: [SemanticTokenModifier; 3] = [
    SemanticTokenModifier::DECLARATION,
    SemanticTokenModifier::READONLY,
    SemanticTokenModifier::MODIFICATION,
];
const DECLARATION: u32 = 1;
const READONLY: u32 = 2;
const MODIFICATION: u32 = 4;

pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TYPES.to_vec(),
        token_modifiers: MODIFIERS.to_vec(),
    }
}

pub fn tokens(view: &View, range: Option<Range>) -> SemanticTokens {
    let mut encoder = Encoder::default();
    if view.settings.surfaces.semantic_tokens() {
        let wanted = range.map(|range| view.span(range));
        let classify = Classifier::new(view);
        for piece in scan::pieces(view.text(), view.parse().test.dialect) {
            if wanted.is_some_and(|w| piece.span.end < w.start || piece.span.start > w.end) {
                continue;
            }
            if let Some((kind, modifiers)) = classify.piece(piece) {
                encoder.push(view, piece.span, kind, modifiers);
            }
        }
    }
    SemanticTokens {
        result_id: None,
        data: encoder.data,
    }
}

struct Classifier<'v> {
    view: &'v View,
    name: Span,
    mnemonics: Vec<(Span, &'static Word)>,
    /// Where a model and a verdict are written: words in herd's comments too.
    expectations: Vec<Span>,
}

impl<'v> Classifier<'v> {
    fn new(view: &'v View) -> Classifier<'v> {
        let test = &view.parse().test;
        let expectations = test
            .conditions
            .iter()
            .flat_map(|condition| &condition.expect)
            .flat_map(|expect| [expect.model_span, expect.frequency_span])
            .collect();
        Classifier {
            view,
            name: test.name.span,
            mnemonics: test.mnemonics(),
            expectations,
        }
    }

    fn piece(&self, piece: Piece) -> Option<(u32, u32)> {
        match piece.kind {
            PieceKind::Comment => Some((COMMENT, 0)),
            PieceKind::String => Some((STRING, 0)),
            PieceKind::Number => Some((NUMBER, 0)),
            PieceKind::Mark => None,
            PieceKind::Word => self.word(piece.span),
        }
    }

    fn word(&self, span: Span) -> Option<(u32, u32)> {
        let text = span.text(self.view.text());
        if self.name.contains(span) {
            return Some((CLASS, DECLARATION));
        }
        if self.expectations.contains(&span) {
            return Some((ENUM_MEMBER, 0));
        }
        let symbols = &self.view.parse().symbols;
        if let Some((id, at)) = symbols.at(span.start)
            && at.contains(span)
        {
            let symbol = symbols.get(id);
            let mut modifiers = 0;
            if symbol.definition == at {
                modifiers |= DECLARATION;
            }
            let access = symbol.references.iter().find(|r| r.span == at);
            if access.is_some_and(|r| r.access == fencepost_grammar::symbols::Access::Write) {
                modifiers |= MODIFICATION;
            }
            return Some(match symbol.kind {
                NameKind::Register => (VARIABLE, modifiers),
                NameKind::Shared | NameKind::Array | NameKind::Location => (PROPERTY, modifiers),
                NameKind::Mutex => (PROPERTY, modifiers),
                NameKind::Param | NameKind::Const => (PARAMETER, modifiers | READONLY),
                NameKind::Index => (PARAMETER, modifiers | READONLY),
                NameKind::Thread => (NAMESPACE, modifiers),
                NameKind::Label => (FUNCTION, modifiers),
            });
        }
        let dialect = self.view.parse().test.dialect;
        let word = match self.mnemonics.binary_search_by_key(&span, |(at, _)| *at) {
            Ok(index) => Some(self.mnemonics[index].1),
            Err(_) => dialect
                .find(text)
                .filter(|word| word.is_reserved() || word.kind == Kind::Type),
        };
        let Some(word) = word else {
            return if text == dialect.word {
                Some((KEYWORD, 0))
            } else {
                (dialect.register)(text).map(|_| (VARIABLE, 0))
            };
        };
        Some(match word.kind {
            _ if word.is_fence() => (MACRO, 0),
            Kind::Atomic(_)
            | Kind::Call
            | Kind::Instruction(..)
            | Kind::Lock
            | Kind::Primitive(..) => (FUNCTION, 0),
            Kind::Boolean | Kind::Order(_) => (ENUM_MEMBER, 0),
            _ => (KEYWORD, 0),
        })
    }
}

/// The protocol's form: each token relative to the one before it.
#[derive(Default)]
struct Encoder {
    data: Vec<SemanticToken>,
    line: u32,
    start: u32,
}

impl Encoder {
    /// A token that spans lines becomes one a line: not every client takes others.
    fn push(&mut self, view: &View, span: Span, kind: u32, modifiers: u32) {
        let text = span.text(view.text());
        let mut start = span.start;
        for line in text.split_inclusive('\n') {
            let own = line.trim_end_matches(['\n', '\r']);
            if !own.is_empty() {
                let at = view.position(start);
                let delta_line = at.line - self.line;
                self.data.push(SemanticToken {
                    delta_line,
                    delta_start: if delta_line == 0 {
                        at.character - self.start
                    } else {
                        at.character
                    },
                    length: view.client.encoding.len(own),
                    token_type: kind,
                    token_modifiers_bitset: modifiers,
                });
                self.line = at.line;
                self.start = at.character;
            }
            start += line.len() as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::super::view::fixture::unchecked;
    use super::*;

    fn check(text: &str, expected: Expect) {
        let view = unchecked(text);
        let mut out = String::new();
        let (mut line, mut start) = (0, 0);
        for token in tokens(&view, None).data {
            if token.delta_line > 0 {
                start = 0;
            }
            line += token.delta_line;
            start += token.delta_start;
            let line_text: Vec<u16> = text
                .lines()
                .nth(line as usize)
                .unwrap()
                .encode_utf16()
                .collect();
            let word =
                String::from_utf16(&line_text[start as usize..(start + token.length) as usize])
                    .unwrap();
            let types = TYPES;
            let kind = types[token.token_type as usize].as_str();
            let modifiers = match token.token_modifiers_bitset {
                0 => String::new(),
                bits => format!(" {bits:03b}"),
            };
            out += &format!("{line}:{start} {word} {kind}{modifiers}\n");
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn native_words_have_their_kinds() {
        check(
            "litmus T\nshared x;\nthread P0 { x = 1; mfence; r = x; } // 🔒\nexists (P0:r = 1)\nexpect SC never\n",
            expect![[r#"
                0:0 litmus keyword
                0:7 T class 001
                1:0 shared keyword
                1:7 x property 001
                2:0 thread keyword
                2:7 P0 namespace 001
                2:12 x property 100
                2:16 1 number
                2:19 mfence macro
                2:27 r variable 001
                2:31 x property
                2:36 // 🔒 comment
                3:0 exists keyword
                3:8 P0 namespace
                3:11 r variable
                3:15 1 number
                4:0 expect keyword
                4:7 SC enumMember
                4:10 never enumMember
            "#]],
        );
    }

    #[test]
    fn herd_words_have_their_kinds() {
        check(
            "X86 T\n{ x=0; }\n P0          ;\n MOV [x],$1  ;\n MFENCE      ;\n MOV EAX,[x] ;\nexists (0:EAX=1)\n",
            expect![[r#"
                0:0 X86 keyword
                0:4 T class 001
                1:2 x property 001
                1:4 0 number
                2:1 P0 namespace 001
                3:1 MOV function
                3:6 x property 100
                3:10 1 number
                4:1 MFENCE macro
                5:1 MOV function
                5:5 EAX variable 001
                5:10 x property
                6:0 exists keyword
                6:8 0 number
                6:10 EAX variable
                6:14 1 number
            "#]],
        );
    }

    #[test]
    fn a_comment_over_lines_is_a_token_a_line() {
        check(
            "(* one\r\n   two *)\r\nlitmus T\n",
            expect![[r#"
                0:0 (* one comment
                1:0    two *) comment
                2:0 litmus keyword
                2:7 T class 001
            "#]],
        );
    }
}
