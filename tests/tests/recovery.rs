//! From every file under `tests/litmus`: each token deleted, doubled, and replaced.
//!
//! Never a panic, never more than a handful of errors, and the threads that the change
//! did not touch are still in the tree with all their registers or instructions.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

use fencepost_grammar::ast::c::{self, ExprKind, Function};
use fencepost_grammar::ast::herd::{Herd, OperandKind};
use fencepost_grammar::ast::native::{Block, Stmt, StmtKind, Thread};
use fencepost_grammar::{Test, parse};
use fencepost_tests::files::{fixture, litmus_files, read};

const MAX_ERRORS: usize = 5;

/// What a token is replaced by: of each kind one, those that open and close things first.
const REPLACEMENTS: [&str; 12] = [
    "{",
    "}",
    "(",
    ")",
    ";",
    "|",
    "=",
    "17",
    "unheard_of",
    "thread",
    "exists",
    "@",
];

#[test]
fn one_bad_token_costs_its_statement_or_cell() {
    let files = litmus_files(&fixture("litmus"));
    assert!(!files.is_empty(), "there are no files");
    let mut failures = String::new();
    let mut inputs = 0usize;
    let mut count = 0usize;
    for path in &files {
        let text = read(path);
        let original = parse(&text).test;
        for token in tokens(&text) {
            // Without its dialect a file means nothing.
            if token.start == original.dialect_span.start as usize {
                continue;
            }
            for mutation in mutations(&text, &token) {
                inputs += 1;
                if let Err(problem) = check(&original, &text, &token, &mutation) {
                    count += 1;
                    if count <= 40 {
                        let line = text[..token.start].matches('\n').count() + 1;
                        let _ = writeln!(
                            failures,
                            "{}:{line}: {:?} as {:?}: {problem}",
                            path.display(),
                            &text[token.clone()],
                            mutation[token.start..].chars().take(12).collect::<String>(),
                        );
                    }
                }
            }
        }
    }
    assert!(count == 0, "{count} of {inputs} inputs:\n{failures}");
    assert!(inputs > 10_000, "only {inputs} inputs");
}

fn mutations(text: &str, token: &Range<usize>) -> Vec<String> {
    let with = |middle: &str| [&text[..token.start], middle, &text[token.end..]].concat();
    let word = &text[token.clone()];
    let mut all = vec![with(""), with(&format!("{word} {word}"))];
    all.extend(
        REPLACEMENTS
            .iter()
            .filter(|other| **other != word)
            .map(|other| with(other)),
    );
    all
}

/// Cuts a text into words, numbers, strings and single signs; comments are left out. Made
/// without the lexer's help: it is what is tested.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        // In a C test `(*x` is code; the comments in ours have a blank.
        let code = text.starts_with("C ") && !rest.starts_with("(* ");
        let comment_end = if rest.starts_with("(*") && !code {
            Some(nested_comment(rest))
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else if rest.starts_with("//") {
            rest.find('\n')
        } else {
            None
        };
        if let Some(end) = comment_end {
            at += end;
            continue;
        }
        let start = at;
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        at += if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        } else if bytes[at] == b'"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if word(&bytes[at]) {
            bytes[at..].iter().take_while(|byte| word(byte)).count()
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        tokens.push(start..at);
    }
    tokens
}

/// The length of the `(* … *)` comment that a text starts with; these nest.
fn nested_comment(text: &str) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"(*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*)") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}

fn check(original: &Test, text: &str, token: &Range<usize>, mutation: &str) -> Result<(), String> {
    let parsed = parse(mutation);
    if parsed.errors.len() > MAX_ERRORS {
        let codes: Vec<_> = parsed.errors.iter().map(|error| error.message()).collect();
        return Err(format!("{} errors: {codes:?}", codes.len()));
    }
    if let (Some(before), Some(after)) = (original.native(), parsed.test.native()) {
        return native(&before.threads, &after.threads, token);
    }
    if let (Some(before), Some(after)) = (original.herd(), parsed.test.herd()) {
        return herd(before, after, text, token);
    }
    if let (Some(before), Some(after)) = (original.c(), parsed.test.c()) {
        return functions(&before.functions, &after.functions, token);
    }
    Err("the dialect is lost".to_owned())
}

fn functions(before: &[Function], after: &[Function], token: &Range<usize>) -> Result<(), String> {
    for function in before {
        let span = function.span.range();
        if span.start <= token.start && token.end <= span.end {
            continue;
        }
        let name = &function.name.name;
        let Some(found) = after.iter().find(|other| other.name.name == *name) else {
            return Err(format!("function {name} is lost"));
        };
        let lost: Vec<_> = calls(function).difference(&calls(found)).cloned().collect();
        if !lost.is_empty() {
            return Err(format!("function {name} lost {lost:?}"));
        }
    }
    Ok(())
}

/// Every name that a function uses: what it calls, its registers and its parameters.
fn calls(function: &Function) -> BTreeSet<String> {
    let params = function.params.iter();
    let mut names: BTreeSet<String> = params.map(|param| param.name.name.to_string()).collect();
    for stmt in &function.body.stmts {
        stmt.walk(&mut |stmt| {
            if let c::StmtKind::Declare { items, .. } = &stmt.kind {
                names.extend(items.iter().map(|item| item.name.name.to_string()));
            }
            stmt.exprs(&mut |expr| match &expr.kind {
                ExprKind::Name(name) => drop(names.insert(name.to_string())),
                ExprKind::Call { function, .. } => drop(names.insert(function.name.to_string())),
                _ => {}
            });
        });
    }
    names
}

fn native(before: &[Thread], after: &[Thread], token: &Range<usize>) -> Result<(), String> {
    for thread in before {
        let span = thread.span.range();
        if span.start <= token.start && token.end <= span.end {
            continue;
        }
        let name = &thread.name.name;
        let Some(found) = after.iter().find(|other| other.name.name == *name) else {
            return Err(format!("thread {name} is lost"));
        };
        let lost: Vec<_> = assigned(&thread.body)
            .difference(&assigned(&found.body))
            .cloned()
            .collect();
        if !lost.is_empty() {
            return Err(format!("thread {name} lost {lost:?}"));
        }
    }
    Ok(())
}

/// Every name that a block assigns or updates.
fn assigned(block: &Block) -> BTreeSet<String> {
    fn visit(stmts: &[Stmt], names: &mut BTreeSet<String>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Assign { target, .. } => {
                    names.insert(target.name.name.to_string());
                }
                StmtKind::Atomic { target, place, .. } => {
                    names.extend(target.iter().map(|target| target.name.name.to_string()));
                    names.insert(place.name.name.to_string());
                }
                StmtKind::If { arms, otherwise } => {
                    arms.iter().for_each(|arm| visit(&arm.body.stmts, names));
                    if let Some(block) = otherwise {
                        visit(&block.stmts, names);
                    }
                }
                StmtKind::While { body, .. }
                | StmtKind::For { body, .. }
                | StmtKind::Repeat { body, .. }
                | StmtKind::Block(body) => visit(&body.stmts, names),
                _ => {}
            }
        }
    }
    let mut names = BTreeSet::new();
    visit(&block.stmts, &mut names);
    names
}

fn herd(before: &Herd, after: &Herd, text: &str, token: &Range<usize>) -> Result<(), String> {
    let touched = touched_columns(before, text, token);
    let all = (0..before.threads.len()).all(|column| touched.contains(&column));
    if after.threads.len() < before.threads.len() && !all {
        return Err(format!("{} threads", after.threads.len()));
    }
    for column in 0..before.threads.len() {
        if touched.contains(&column) {
            continue;
        }
        let lost: Vec<_> = used(before, column)
            .difference(&used(after, column))
            .cloned()
            .collect();
        if !lost.is_empty() {
            return Err(format!("column {column} lost {lost:?}"));
        }
    }
    Ok(())
}

/// The columns that a token of the table belongs to: its own, and for a bar or a
/// semicolon also that of the next cell.
fn touched_columns(herd: &Herd, text: &str, token: &Range<usize>) -> Vec<usize> {
    let rows = herd
        .rows
        .iter()
        .map(|row| row.span)
        .chain([herd.threads_span]);
    for row in rows {
        let row = row.range();
        if row.start <= token.start && token.end <= row.end {
            let column = text[row.start..token.start].matches('|').count();
            return match &text[token.clone()] {
                "|" => vec![column, column + 1],
                ";" => vec![column, 0],
                _ => vec![column],
            };
        }
    }
    Vec::new()
}

/// The instructions of a column: what each does to what.
fn used(herd: &Herd, column: usize) -> BTreeSet<String> {
    herd.column(column)
        .filter_map(|cell| cell.instruction.as_deref())
        .map(|instruction| {
            let operands: Vec<String> = instruction
                .operands
                .iter()
                .map(|operand| match &operand.kind {
                    OperandKind::Register(register) => format!("{:?}", register.reg),
                    OperandKind::Memory(memory) => {
                        let symbol = memory.symbol.as_ref().map(|name| name.name.clone());
                        format!("{symbol:?}")
                    }
                    OperandKind::Label(name) | OperandKind::Address(name) => name.name.to_string(),
                    OperandKind::Immediate(value) => value.to_string(),
                })
                .collect();
            format!("{:?} {}", instruction.op, operands.join(","))
        })
        .collect()
}
