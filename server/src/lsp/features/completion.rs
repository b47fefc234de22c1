//! Completion: keywords, instructions, names, and the classic shapes as snippets.
//!
//! Where the cursor is comes from the pieces of the text before it; while somebody types,
//! the tree has holes exactly there.

use fencepost_grammar::DIALECTS;
use fencepost_grammar::dialect::Context;
use fencepost_grammar::error::NameKind;
use fencepost_grammar::scan;
use fencepost_grammar::symbols::Symbol;
use fencepost_grammar::words::c::Action;
use fencepost_grammar::words::{Kind, Word};
use tower_lsp::lsp_types::{
    CompletionItem, CompletionItemKind, CompletionResponse, Documentation, InsertTextFormat,
    Position,
};

use super::super::view::View;
use super::shapes;

pub fn complete(view: &View, position: Position) -> CompletionResponse {
    let dialect = view.parse().test.dialect;
    let items = match scan::context(view.text(), dialect, view.offset(position)) {
        None => start(view),
        Some(Context::Nowhere) => Vec::new(),
        Some(Context::Top) => top(view),
        Some(Context::Body(thread)) => body(view, thread),
        Some(Context::Condition) => condition(view),
        Some(Context::RegisterOf(thread)) => registers_of(view, thread),
        Some(Context::Expect) => words(view, |kind| matches!(kind, Kind::Model | Kind::Verdict)),
        Some(Context::Init) => init(view),
        Some(Context::Instruction(_)) => words(view, |kind| matches!(kind, Kind::Instruction(..))),
        Some(Context::Operand(thread)) => operands(view, thread),
    };
    CompletionResponse::Array(items)
}

/// The words of the dialect that fit; of several spellings the common one.
fn words(view: &View, fits: impl Fn(Kind) -> bool) -> Vec<CompletionItem> {
    let test = &view.parse().test;
    // Of two words that are spelled alike, the one that this test means.
    let meant = |word: &Word| test.word(word.text).is_none_or(|it| it.kind == word.kind);
    test.dialect
        .words()
        .filter(|word| fits(word.kind) && !word.meaning.is_empty() && meant(word))
        .map(|word| word_item(view, word))
        .collect()
}

fn word_item(view: &View, word: &Word) -> CompletionItem {
    let mut item = keyword(word.text, word.meaning);
    match word.kind {
        Kind::Model | Kind::Verdict => item.kind = Some(CompletionItemKind::ENUM_MEMBER),
        Kind::Instruction(..) => {
            item.kind = Some(CompletionItemKind::FUNCTION);
            item.label = in_case(view, word.text);
        }
        _ if word.is_call() => {
            item.kind = Some(CompletionItemKind::FUNCTION);
            if view.client.snippets {
                item.insert_text = Some(call(word));
                item.insert_text_format = Some(InsertTextFormat::SNIPPET);
            }
        }
        _ => {}
    }
    item
}

/// `cas(${1:x}, ${2:0}, ${3:1})`
fn call(word: &Word) -> String {
    let arguments = word.arguments.iter().zip(1..);
    let arguments = arguments.map(|(argument, number)| match argument.sample {
        "" => format!("${number}"),
        sample => format!("${{{number}:{sample}}}"),
    });
    format!(
        "{}({})",
        word.text,
        arguments.collect::<Vec<_>>().join(", ")
    )
}

fn start(view: &View) -> Vec<CompletionItem> {
    let dialects = DIALECTS.iter();
    let mut items: Vec<CompletionItem> = dialects
        .map(|dialect| keyword(dialect.word, dialect.meaning))
        .collect();
    items.extend(shapes::items(view.client.snippets));
    items
}

fn top(view: &View) -> Vec<CompletionItem> {
    let mut items = words(view, |kind| {
        matches!(
            kind,
            Kind::Declaration | Kind::Thread | Kind::Condition | Kind::Expect
        )
    });
    let verdicts = "SC ${1|never,sometimes,always|}, TSO ${2|sometimes,never,always|}, PSO \
                    ${3|sometimes,never,always|}";
    let expect = "what the verdicts should be";
    if view.parse().test.dialect.expects_in_comments {
        let thread = "P${1:0}(int *${2:x}, int *${3:y})\n{\n\t$0\n}\n";
        items.push(snippet(view, "P0(…) {}", thread, "a thread"));
        let text = format!("(* expect: {verdicts} *)");
        items.push(snippet(view, "(* expect: … *)", &text, expect));
    } else {
        let thread = "thread ${1:P0} {\n  $0\n}\n";
        items.push(snippet(view, "thread … {}", thread, "a thread"));
        items.push(snippet(
            view,
            "thread …[i in …] {}",
            "thread ${1:W}[${2:i} in 0..${3:N}] {\n  $0\n}\n",
            "a thread that is made several times",
        ));
        let text = format!("expect {verdicts}");
        items.push(snippet(view, "expect …", &text, expect));
    }
    items.extend(names(view, None, |symbol| {
        matches!(symbol.kind, NameKind::Param | NameKind::Const)
    }));
    // Snippets mean nothing to a client that has none.
    items.retain(|item| view.client.snippets || item.kind != Some(CompletionItemKind::SNIPPET));
    items
}

fn body(view: &View, thread: u32) -> Vec<CompletionItem> {
    let mut items = words(view, |kind| {
        matches!(
            kind,
            Kind::Control
                | Kind::Clause
                | Kind::Fence
                | Kind::Atomic(_)
                | Kind::Call
                | Kind::Type
                | Kind::Primitive(..)
                | Kind::Order(_)
        ) && !matches!(kind, Kind::Primitive(_, Action::NotModelled(_)))
    });
    items.extend(names(view, Some(thread), |symbol| {
        !matches!(symbol.kind, NameKind::Thread | NameKind::Label)
    }));
    items
}

fn condition(view: &View) -> Vec<CompletionItem> {
    let mut items = words(view, |kind| kind == Kind::Boolean);
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
    let threads = view.parse().test.threads();
    let owner = threads.get(symbol.thread? as usize)?;
    let index = owner.replicas.map_or("", |_| "[0]");
    Some(CompletionItem {
        label: format!("{}{index}:{}", owner.shown, spelled(view, symbol)),
        kind: Some(CompletionItemKind::VARIABLE),
        detail: Some("a register at the end".to_owned()),
        ..CompletionItem::default()
    })
}

fn registers_of(view: &View, thread: &str) -> Vec<CompletionItem> {
    let threads = view.parse().test.threads();
    let mut threads = threads.iter();
    let Some(index) = threads.position(|t| t.name.name == thread || t.shown == thread) else {
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

fn init(view: &View) -> Vec<CompletionItem> {
    let mut items = words(view, |kind| kind == Kind::Type);
    items.extend(names(view, None, |symbol| {
        symbol.kind == NameKind::Location
    }));
    items
}

/// As the file's other instructions are spelled.
fn in_case(view: &View, word: &str) -> String {
    let mnemonics = view.parse().test.mnemonics();
    let lower = mnemonics.first().is_some_and(|(at, _)| {
        let mnemonic = at.text(view.text());
        mnemonic.starts_with(|c: char| c.is_ascii_lowercase())
    });
    if lower {
        word.to_owned()
    } else {
        word.to_ascii_uppercase()
    }
}

fn operands(view: &View, thread: u32) -> Vec<CompletionItem> {
    let mut items = names(view, Some(thread), |symbol| symbol.kind != NameKind::Thread);
    let dialect = view.parse().test.dialect;
    for word in dialect.registers {
        let known = items
            .iter()
            .any(|item| (dialect.register)(&item.label) == Some(word));
        if !known {
            items.push(CompletionItem {
                label: in_case(view, word),
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

fn keyword(word: &str, meaning: &str) -> CompletionItem {
    CompletionItem {
        label: word.to_owned(),
        kind: Some(CompletionItemKind::KEYWORD),
        documentation: Some(Documentation::String(meaning.to_owned())),
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
