//! The editors' word lists are those of the dialects' vocabulary. `UPDATE_EXPECT=1` rewrites them.

use std::path::PathBuf;

use fencepost_grammar::DIALECTS;
use fencepost_grammar::ast::register::register_names;
use fencepost_grammar::words::{Kind, Word, x86::Op};
use fencepost_tests::files::{fixture, read};

/// The words of all dialects that are accepted, each once, in the order of the tables.
fn words(accept: impl Fn(&Word) -> bool) -> Vec<&'static str> {
    let mut found: Vec<&str> = Vec::new();
    for word in DIALECTS.iter().flat_map(|dialect| dialect.words()) {
        if accept(word) && !found.contains(&word.text) {
            found.push(word.text);
        }
    }
    found
}

fn of_kind(kinds: &[Kind]) -> Vec<&'static str> {
    words(|word| kinds.contains(&word.kind))
}

fn is_jump(word: &Word) -> bool {
    matches!(word.kind, Kind::Instruction(Op::Jmp | Op::J(_), _))
}

/// Longest first: where an editor takes the first that fits, none hides another.
fn dialects() -> Vec<&'static str> {
    let mut words: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.word).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words
}

fn controls() -> Vec<&'static str> {
    of_kind(&[Kind::Control, Kind::Clause])
}

fn conditions() -> Vec<&'static str> {
    let herd = ["not", "final", "with"];
    let words = of_kind(&[Kind::Condition]);
    words.into_iter().filter(|w| !herd.contains(w)).collect()
}

fn atomics() -> Vec<&'static str> {
    words(|word| matches!(word.kind, Kind::Atomic(_)))
}

fn calls() -> Vec<&'static str> {
    [atomics(), of_kind(&[Kind::Call])].concat()
}

fn instructions() -> Vec<&'static str> {
    words(|word| matches!(word.kind, Kind::Instruction(..)) && !word.is_fence() && !is_jump(word))
}

/// What stands in a file between two texts, of which the first is there once.
struct List {
    before: &'static str,
    after: &'static str,
    words: String,
}

fn list(before: &'static str, after: &'static str, words: String) -> List {
    List {
        before,
        after,
        words,
    }
}

fn check(file: &str, lists: &[List]) {
    let path: PathBuf = fixture("../editors").join(file);
    let mut text = read(&path);
    let mut changed = Vec::new();
    for list in lists {
        let starts: Vec<usize> = text.match_indices(list.before).map(|(at, _)| at).collect();
        let [start] = starts[..] else {
            panic!("{file}: `{}` is there {} times", list.before, starts.len());
        };
        let start = start + list.before.len();
        let length = text[start..]
            .find(list.after)
            .unwrap_or_else(|| panic!("{file}: nothing ends `{}`", list.before));
        if text[start..start + length] != list.words {
            changed.push(list.before);
            text.replace_range(start..start + length, &list.words);
        }
    }
    if changed.is_empty() {
        return;
    }
    assert!(
        std::env::var_os("UPDATE_EXPECT").is_some(),
        "{file}: out of date behind {changed:?}; UPDATE_EXPECT=1 rewrites it"
    );
    std::fs::write(&path, text).expect("the file can be written");
}

#[test]
fn textmate_has_every_word() {
    let any = |words: Vec<&str>| words.join("|");
    let others = conditions().into_iter().filter(|word| *word != "exists");
    let items = [conditions(), of_kind(&[Kind::Thread, Kind::Declaration])];
    check(
        "vscode/syntaxes/litmus.tmLanguage.json",
        &[
            list(
                r#""end": "(?=[~(){};]|\\b(?:"#,
                r")\\b|//",
                any(items.concat()),
            ),
            list(
                r#""support.constant.model.litmus", "match": "\\b(?:"#,
                ")",
                any(of_kind(&[Kind::Model])),
            ),
            list(
                r#""constant.language.verdict.litmus", "match": "\\b(?:"#,
                ")",
                any(of_kind(&[Kind::Verdict])),
            ),
            list(
                r#""keyword.control.condition.litmus", "match": "\\b(?:"#,
                ")",
                any(others.collect()),
            ),
            list(
                r#""constant.language.boolean.litmus", "match": "\\b(?:"#,
                ")",
                any(of_kind(&[Kind::Boolean])),
            ),
            list(
                r#""storage.type.litmus", "match": "\\b(?:"#,
                ")",
                any(of_kind(&[Kind::Declaration])),
            ),
            list(
                r#""keyword.control.litmus", "match": "\\b(?:"#,
                ")",
                any(controls()),
            ),
            list(
                r#""keyword.control.fence.litmus", "match": "\\b(?:"#,
                ")",
                any(of_kind(&[Kind::Fence])),
            ),
            list(
                "\"support.function.atomic.litmus\",\n          \"match\": \"\\\\b(?:",
                r")\\b(?=",
                any(atomics()),
            ),
            list(
                r#""support.function.litmus", "match": "\\b(?:"#,
                ")",
                any(of_kind(&[Kind::Call])),
            ),
            list(
                r#""keyword.control.fence.litmus", "match": "(?i)\\b(?:"#,
                ")",
                any(words(Word::is_fence)),
            ),
            list(
                "{\n          \"match\": \"(?i)\\\\b(",
                r")\\b",
                any(words(is_jump)),
            ),
            list(r"(?i)\\b(?:mov[sz][bwl]|", ")[bwlq]?", any(instructions())),
            list(
                r#""match": "(?i)(?<![\\w%])%?(?:"#,
                ")",
                any(register_names().collect()),
            ),
        ],
    );
}

#[test]
fn vim_has_every_word() {
    let spaced = |words: Vec<&str>| words.join(" ");
    let any = |words: Vec<&str>| words.join(r"\|");
    check(
        "vim/syntax/litmus.vim",
        &[
            list(r"'^\s*\zs\%(", r"\)\ze", any(dialects())),
            list(
                "syntax keyword litmusCondition ",
                "\n",
                spaced(conditions()),
            ),
            list(
                "syntax keyword litmusModel ",
                "\n",
                spaced(of_kind(&[Kind::Model])),
            ),
            list(
                "syntax keyword litmusVerdict ",
                "\n",
                spaced([of_kind(&[Kind::Verdict]), of_kind(&[Kind::Boolean])].concat()),
            ),
            list(
                "syntax keyword litmusStorage ",
                "\n",
                spaced(of_kind(&[Kind::Declaration])),
            ),
            list("syntax keyword litmusControl ", "\n", spaced(controls())),
            list("syntax keyword litmusCall ", "\n", spaced(calls())),
            list(r"litmusFence '\c\<\%(", r"\)\>", any(words(Word::is_fence))),
            list(
                r"litmusInstruction '\c\<\%(mov[sz][bwl]\|",
                r"\)[bwlq]\=",
                any(instructions()),
            ),
            list(r"litmusControl '\c\<\%(", r"\)\ze", any(words(is_jump))),
            list(
                r"litmusCpuRegister '\c%\=\<\%(",
                r"\)\>",
                any(register_names().collect()),
            ),
        ],
    );
}

#[test]
fn emacs_has_every_word() {
    let quoted = |words: Vec<&str>| format!("\"{}\"", words.join("\" \""));
    check(
        "emacs/litmus-mode.el",
        &[
            list(r#"("^\\s-*\\("#, r"\\)\\s-", dialects().join(r"\\|")),
            list(
                ";; Conditions.\n    (,(regexp-opt '(",
                ")",
                quoted([conditions(), of_kind(&[Kind::Expect])].concat()),
            ),
            list(
                ";; Models.\n    (,(regexp-opt '(",
                ")",
                quoted(of_kind(&[Kind::Model])),
            ),
            list(
                ";; Verdicts.\n    (,(regexp-opt '(",
                ")",
                quoted([of_kind(&[Kind::Verdict]), of_kind(&[Kind::Boolean])].concat()),
            ),
            list(
                ";; Declarations.\n    (,(regexp-opt '(",
                ")",
                quoted(of_kind(&[Kind::Declaration])),
            ),
            list(
                ";; Statements.\n    (,(regexp-opt '(",
                ")",
                quoted(controls()),
            ),
            list(";; Calls.\n    (,(regexp-opt '(", ")", quoted(calls())),
            list(
                ";; Fences.\n    (,(regexp-opt '(",
                ")",
                quoted(
                    words(Word::is_fence)
                        .iter()
                        .flat_map(|word| [(*word).to_owned(), word.to_uppercase()])
                        .collect::<Vec<String>>()
                        .iter()
                        .map(String::as_str)
                        .collect(),
                ),
            ),
        ],
    );
}
