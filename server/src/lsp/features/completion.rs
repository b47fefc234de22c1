//! Completion: keywords, instructions, names, and the classic shapes as snippets.
//!
//! Where the cursor is comes from the pieces of the text before it; while somebody types,
//! the tree has holes exactly there.

use fencepost_grammar::ast::register::register_by_name;
use fencepost_grammar::error::NameKind;
use fencepost_grammar::scan::{self, Piece, PieceKind};
use fencepost_grammar::symbols::Symbol;
use tower_lsp::lsp_types::{
    CompletionItem, CompletionItemKind, CompletionResponse, Documentation, InsertTextFormat,
    Position,
};

use super::super::view::View;
use super::{meanings, shapes};

/// Where a cursor is.
#[derive(Debug, PartialEq, Eq)]
enum Place<'t> {
    /// Nothing is written yet, or the first word is.
    Start,
    /// In a comment or a string.
    Nowhere,
    /// Native: outside of threads and conditions.
    Top,
    /// Native: in the body of the n-th thread.
    Body(u32),
    /// In a condition, a filter or a `locations` list.
    Condition,
    /// In a condition, behind `P0:`.
    RegisterOf(&'t str),
    /// Behind `expect`.
    Expect,
    /// herd: in the init section.
    Init,
    /// herd: at the start of a cell of the n-th column.
    Instruction(u32),
    /// herd: behind the mnemonic.
    Operand(u32),
}

pub fn complete(view: &View, position: Position) -> CompletionResponse {
    let offset = view.offset(position);
    let items = match place(view, offset) {
        Place::Nowhere => Vec::new(),
        Place::Start => start(view),
        Place::Top => top(view),
        Place::Body(thread) => body(view, thread),
        Place::Condition => condition(view),
        Place::RegisterOf(thread) => registers_of(view, thread),
        Place::Expect => expect(),
        Place::Init => init(view),
        Place::Instruction(_) => instructions(view),
        Place::Operand(thread) => operands(view, thread),
    };
    CompletionResponse::Array(items)
}

fn place(view: &View, offset: u32) -> Place<'_> {
    let text = view.text();
    if let Some(place) = behind_expect_comment(text, offset) {
        return place;
    }
    // The word that is being typed says nothing about where it is.
    let typed = scan::word_at(text, offset).map_or(offset, |word| word.start.min(offset));
    let mut before: Vec<Piece> = Vec::new();
    for piece in scan::pieces(text, view.parse().test.dialect) {
        if piece.span.start >= typed {
            break;
        }
        if piece.holds(offset) {
            return Place::Nowhere;
        }
        if piece.kind != PieceKind::Comment {
            before.push(piece);
        }
    }
    if before.is_empty() {
        return Place::Start;
    }
    if view.parse().test.dialect.is_herd() {
        herd_place(text, &before)
    } else {
        native_place(text, &before)
    }
}

/// herd's expectations are in a comment: `(* expect: SC never, … *)`.
fn behind_expect_comment(text: &str, offset: u32) -> Option<Place<'_>> {
    let before = text.get(..offset as usize)?;
    let open = before.rfind("(*")?;
    let inside = &before[open + 2..];
    (inside.trim_start().starts_with("expect:") && !inside.contains("*)")).then_some(Place::Expect)
}

fn native_place<'t>(text: &'t str, before: &[Piece]) -> Place<'t> {
    let mut braces = 0u32;
    let mut parens = 0u32;
    let mut threads = 0u32;
    let mut item = "";
    for piece in before {
        match piece.span.text(text) {
            "{" => braces += 1,
            "}" => braces = braces.saturating_sub(1),
            "(" | "[" => parens += 1,
            ")" | "]" => parens = parens.saturating_sub(1),
            ";" if braces == 0 && parens == 0 => item = "",
            word if braces == 0 && piece.kind == PieceKind::Word => match word {
                "thread" => {
                    threads += 1;
                    item = word;
                    parens = 0;
                }
                "exists" | "forall" | "filter" | "locations" | "expect" => {
                    item = word;
                    parens = 0;
                }
                "shared" | "mutex" | "param" | "const" => item = word,
                _ => {}
            },
            _ => {}
        }
    }
    if braces > 0 && item == "thread" {
        return Place::Body(threads.saturating_sub(1));
    }
    match item {
        "expect" => Place::Expect,
        "exists" | "forall" | "filter" | "locations" if parens > 0 => in_condition(text, before),
        _ => Place::Top,
    }
}

fn herd_place<'t>(text: &'t str, before: &[Piece]) -> Place<'t> {
    let mut braces = 0u32;
    let mut seen_init = false;
    let mut conditions = false;
    let mut bars = 0u32;
    let mut rows = 0u32;
    let mut in_cell = false;
    for piece in before {
        match piece.span.text(text) {
            "{" if !seen_init => braces += 1,
            "}" if !seen_init => {
                braces = braces.saturating_sub(1);
                seen_init = braces == 0;
            }
            "exists" | "forall" | "filter" | "locations" | "final" => conditions = true,
            _ if !seen_init || conditions => {}
            // Two of them have an empty cell between.
            sign @ ("|" | "||") => {
                bars += sign.len() as u32;
                in_cell = false;
            }
            ";" => {
                bars = 0;
                rows += 1;
                in_cell = false;
            }
            // A label's colon or the `lock` prefix: the instruction is still to come.
            ":" | "lock" | "LOCK" => in_cell = false,
            _ => in_cell = true,
        }
    }
    if conditions {
        in_condition(text, before)
    } else if !seen_init {
        Place::Init
    } else if rows == 0 {
        Place::Nowhere
    } else if in_cell {
        Place::Operand(bars)
    } else {
        Place::Instruction(bars)
    }
}

/// Behind `P0:` (or `W[1]:`, or herd's `0:`) a register is wanted, else anything.
fn in_condition<'t>(text: &'t str, before: &[Piece]) -> Place<'t> {
    let word = |index: usize| {
        before
            .len()
            .checked_sub(index)
            .map_or("", |at| before[at].span.text(text))
    };
    match (word(1), word(2)) {
        (":", "]") => {
            let open = before
                .iter()
                .rposition(|piece| piece.span.text(text) == "[")
                .and_then(|at| at.checked_sub(1));
            Place::RegisterOf(open.map_or("", |at| before[at].span.text(text)))
        }
        (":", thread) => Place::RegisterOf(thread),
        _ => Place::Condition,
    }
}

fn start(view: &View) -> Vec<CompletionItem> {
    let mut items: Vec<CompletionItem> = ["litmus", "X86", "X86_64"]
        .into_iter()
        .map(keyword)
        .collect();
    items.extend(shapes::items(view.client.snippets));
    items
}

fn top(view: &View) -> Vec<CompletionItem> {
    let mut items: Vec<CompletionItem> = [
        "shared",
        "mutex",
        "param",
        "const",
        "thread",
        "exists",
        "forall",
        "filter",
        "locations",
        "expect",
    ]
    .into_iter()
    .map(keyword)
    .collect();
    items.push(snippet(
        view,
        "thread … {}",
        "thread ${1:P0} {\n  $0\n}\n",
        "a thread",
    ));
    items.push(snippet(
        view,
        "thread …[i in …] {}",
        "thread ${1:W}[${2:i} in 0..${3:N}] {\n  $0\n}\n",
        "a thread that is made several times",
    ));
    items.push(snippet(
        view,
        "expect …",
        "expect SC ${1|never,sometimes,always|}, TSO ${2|sometimes,never,always|}, PSO \
         ${3|sometimes,never,always|}",
        "what the verdicts should be",
    ));
    items.extend(names(view, None, |symbol| {
        matches!(symbol.kind, NameKind::Param | NameKind::Const)
    }));
    // Snippets mean nothing to a client that has none.
    items.retain(|item| view.client.snippets || item.kind != Some(CompletionItemKind::SNIPPET));
    items
}

fn body(view: &View, thread: u32) -> Vec<CompletionItem> {
    let words = [
        "if", "else", "while", "max", "for", "in", "repeat", "break", "continue", "return",
        "mfence", "sfence",
    ];
    let mut items: Vec<CompletionItem> = words.into_iter().map(keyword).collect();
    for (word, arguments) in [
        ("xchg", "${1:x}, ${2:1}"),
        ("cas", "${1:x}, ${2:0}, ${3:1}"),
        ("fetch_add", "${1:x}, ${2:1}"),
        ("fetch_sub", "${1:x}, ${2:1}"),
        ("fetch_and", "${1:x}, ${2:1}"),
        ("fetch_or", "${1:x}, ${2:1}"),
        ("fetch_xor", "${1:x}, ${2:1}"),
        ("lock", "${1:m}"),
        ("unlock", "${1:m}"),
        ("assert", "$1"),
        ("assume", "$1"),
        ("await", "$1"),
    ] {
        let mut item = keyword(word);
        item.kind = Some(CompletionItemKind::FUNCTION);
        if view.client.snippets {
            item.insert_text = Some(format!("{word}({arguments})"));
            item.insert_text_format = Some(InsertTextFormat::SNIPPET);
        }
        items.push(item);
    }
    items.extend(names(view, Some(thread), |symbol| {
        !matches!(symbol.kind, NameKind::Thread | NameKind::Label)
    }));
    items
}

fn condition(view: &View) -> Vec<CompletionItem> {
    let mut items: Vec<CompletionItem> = ["true", "false"].into_iter().map(keyword).collect();
    for symbol in &view.parse().symbols.symbols {
        match symbol.kind {
            NameKind::Register => items.extend(qualified_register(view, symbol)),
            NameKind::Label | NameKind::Index => {}
            _ if symbol.thread.is_none() => items.push(name_item(view, symbol)),
            _ => {}
        }
    }
    items
}

/// `P0:r0` as one item.
fn qualified_register(view: &View, symbol: &Symbol) -> Option<CompletionItem> {
    let thread = symbol.thread? as usize;
    let test = &view.parse().test;
    let owner = match (test.native(), test.herd()) {
        (Some(native), _) => {
            let thread = native.threads.get(thread)?;
            match thread.replicas {
                Some(_) => format!("{}[0]", thread.name.name),
                None => thread.name.name.to_string(),
            }
        }
        (_, Some(herd)) => herd.threads.get(thread)?.number.to_string(),
        _ => return None,
    };
    Some(CompletionItem {
        label: format!("{owner}:{}", spelled(view, symbol)),
        kind: Some(CompletionItemKind::VARIABLE),
        detail: Some("a register at the end".to_owned()),
        ..CompletionItem::default()
    })
}

fn registers_of(view: &View, thread: &str) -> Vec<CompletionItem> {
    let test = &view.parse().test;
    let index = match (test.native(), test.herd()) {
        (Some(native), _) => native.threads.iter().position(|t| t.name.name == thread),
        (_, Some(herd)) => {
            let number = thread.trim_start_matches(['P', 'p']).parse().ok();
            herd.threads.iter().position(|t| Some(t.number) == number)
        }
        _ => None,
    };
    let Some(index) = index else {
        return Vec::new();
    };
    view.parse()
        .symbols
        .symbols
        .iter()
        .filter(|symbol| symbol.thread == Some(index as u32) && symbol.kind == NameKind::Register)
        .map(|symbol| name_item(view, symbol))
        .collect()
}

fn expect() -> Vec<CompletionItem> {
    ["SC", "TSO", "PSO", "never", "sometimes", "always"]
        .into_iter()
        .map(|word| CompletionItem {
            kind: Some(CompletionItemKind::ENUM_MEMBER),
            ..keyword(word)
        })
        .collect()
}

fn init(view: &View) -> Vec<CompletionItem> {
    let mut items: Vec<CompletionItem> = ["int", "int64_t", "uint64_t"]
        .into_iter()
        .map(keyword)
        .collect();
    items.extend(names(view, None, |symbol| {
        symbol.kind == NameKind::Location
    }));
    items
}

fn instructions(view: &View) -> Vec<CompletionItem> {
    let lower = prefers_lower_case(view);
    meanings::INSTRUCTIONS
        .iter()
        .map(|(word, meaning)| CompletionItem {
            label: if lower {
                (*word).to_owned()
            } else {
                word.to_ascii_uppercase()
            },
            kind: Some(CompletionItemKind::FUNCTION),
            documentation: Some(Documentation::String((*meaning).to_owned())),
            ..CompletionItem::default()
        })
        .collect()
}

/// As the file's other instructions are spelled.
fn prefers_lower_case(view: &View) -> bool {
    let test = &view.parse().test;
    let first = test.herd().and_then(|herd| {
        let mut cells = herd.rows.iter().flat_map(|row| &row.cells);
        cells.find_map(|cell| cell.instruction.as_ref())
    });
    first.is_some_and(|instruction| {
        let mnemonic = instruction.mnemonic.text(view.text());
        mnemonic.starts_with(|c: char| c.is_ascii_lowercase())
    })
}

fn operands(view: &View, thread: u32) -> Vec<CompletionItem> {
    let symbols = &view.parse().symbols;
    let mut items: Vec<CompletionItem> = symbols
        .visible(Some(thread))
        .filter(|symbol| symbol.kind != NameKind::Thread)
        .map(|symbol| name_item(view, symbol))
        .collect();
    let lower = prefers_lower_case(view);
    for word in ["eax", "ebx", "ecx", "edx", "rax", "rbx", "rcx", "rdx"] {
        let label = if lower {
            word.to_owned()
        } else {
            word.to_ascii_uppercase()
        };
        let known = items
            .iter()
            .any(|item| register_by_name(&item.label) == register_by_name(word));
        if !known {
            items.push(CompletionItem {
                label,
                kind: Some(CompletionItemKind::VARIABLE),
                detail: Some("a register".to_owned()),
                ..CompletionItem::default()
            });
        }
    }
    items
}

fn names(
    view: &View,
    thread: Option<u32>,
    accept: impl Fn(&Symbol) -> bool,
) -> Vec<CompletionItem> {
    let symbols = &view.parse().symbols;
    symbols
        .visible(thread)
        .filter(|symbol| accept(symbol))
        .map(|symbol| name_item(view, symbol))
        .collect()
}

/// As the text spells it: herd's registers are one name in either case.
fn spelled<'v>(view: &'v View, symbol: &'v Symbol) -> &'v str {
    let written = symbol.definition.text(view.text()).trim_start_matches('%');
    if written.eq_ignore_ascii_case(&symbol.name) {
        written
    } else {
        &symbol.name
    }
}

fn name_item(view: &View, symbol: &Symbol) -> CompletionItem {
    let kind = match symbol.kind {
        NameKind::Register => CompletionItemKind::VARIABLE,
        NameKind::Param | NameKind::Const | NameKind::Index => CompletionItemKind::CONSTANT,
        NameKind::Thread => CompletionItemKind::MODULE,
        NameKind::Label => CompletionItemKind::REFERENCE,
        _ => CompletionItemKind::FIELD,
    };
    CompletionItem {
        label: spelled(view, symbol).to_owned(),
        kind: Some(kind),
        detail: Some(symbol.kind.noun().to_owned()),
        // Names of the test come before the words of the language.
        sort_text: Some(format!("0{}", symbol.name)),
        ..CompletionItem::default()
    }
}

fn keyword(word: &str) -> CompletionItem {
    CompletionItem {
        label: word.to_owned(),
        kind: Some(CompletionItemKind::KEYWORD),
        documentation: meanings::of_word(word).map(|text| Documentation::String(text.to_owned())),
        ..CompletionItem::default()
    }
}

fn snippet(view: &View, label: &str, text: &str, detail: &str) -> CompletionItem {
    CompletionItem {
        label: label.to_owned(),
        kind: Some(CompletionItemKind::SNIPPET),
        detail: Some(detail.to_owned()),
        insert_text: view.client.snippets.then(|| text.to_owned()),
        insert_text_format: view.client.snippets.then_some(InsertTextFormat::SNIPPET),
        ..CompletionItem::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::view::fixture::cursor;
    use super::*;

    fn labels(marked: &str) -> Vec<String> {
        let (view, position) = cursor(marked);
        let CompletionResponse::Array(items) = complete(&view, position) else {
            panic!("an array");
        };
        items.into_iter().map(|item| item.label).collect()
    }

    fn has(marked: &str, wanted: &[&str], unwanted: &[&str]) {
        let labels = labels(marked);
        for word in wanted {
            assert!(
                labels.contains(&(*word).to_owned()),
                "no {word} in {labels:?}"
            );
        }
        for word in unwanted {
            assert!(
                !labels.contains(&(*word).to_owned()),
                "{word} in {labels:?}"
            );
        }
    }

    #[test]
    fn an_empty_file_gets_dialects_and_shapes() {
        has(
            "$0",
            &["litmus", "X86", "SB", "MP", "LB", "IRIW", "2+2W"],
            &["mfence"],
        );
        has("lit$0", &["litmus", "SB (x86)"], &[]);
    }

    const NATIVE: &str = "litmus T\nshared x, y;\nmutex m;\nthread P0 { r0 = y; }\nthread P1 { ";

    #[test]
    fn a_body_gets_statements_and_its_own_registers() {
        has(
            &format!("{NATIVE}s = x; $0"),
            &["mfence", "cas", "x", "m", "s"],
            &["r0", "shared"],
        );
        has(&format!("{NATIVE}xc$0"), &["xchg"], &["exists"]);
        has(
            &format!("{NATIVE}s = x; }}\n$0"),
            &["exists", "thread"],
            &["mfence"],
        );
    }

    #[test]
    fn a_condition_gets_observables() {
        let text = format!("{NATIVE}s = x; }}\nexists (");
        has(&format!("{text}$0"), &["P0:r0", "P1:s", "x"], &["mfence"]);
        has(&format!("{text}P0:$0"), &["r0"], &["s", "x"]);
        has(
            &format!("{text}P1:s = 0)\nexpect SC $0"),
            &["never", "TSO"],
            &["x"],
        );
    }

    const HERD: &str =
        "X86 T\n{ x=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV EAX,[x] ;\n";

    #[test]
    fn herd_cells_get_instructions_then_operands() {
        has(
            &format!("{HERD} M$0"),
            &["MFENCE", "MOV", "XCHG"],
            &["EAX", "mfence"],
        );
        has(
            &format!("{HERD} MFENCE | MOV $0"),
            &["EAX", "x", "EBX"],
            &["MFENCE"],
        );
        has(&format!("{HERD} || MO$0"), &["MOV"], &["EAX"]);
        has(&format!("{HERD}exists (1:$0"), &["EAX"], &["x"]);
        has(&format!("{HERD}exists ($0"), &["1:EAX", "x"], &["MOV"]);
        has(
            &format!("{HERD}exists (x=1)\n(* expect: TSO $0"),
            &["sometimes"],
            &["x"],
        );
    }

    #[test]
    fn comments_and_strings_get_nothing() {
        has("litmus T\n// sh$0", &[], &["shared"]);
        has("litmus T\n\"sh$0\"", &[], &["shared"]);
        has("litmus T\n\"sh$0", &[], &["shared"]);
        // An open string ends with its line.
        has("litmus T\n\"open\nsh$0", &["shared"], &[]);
    }
}
