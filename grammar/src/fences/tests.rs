//! Fences put into texts of both dialects, and taken out again.

use super::*;
use crate::format::format;
use crate::parse;

/// Inserts fences behind lines (from 1) of threads and compares the text; reading it
/// gives what inserting into the tree gives.
fn check_insert(text: &str, fences: &[(usize, usize, FenceKind)], expected: &str) {
    let parsed = parse(text);
    let sound = parsed.sound().expect("a test");
    let all = places(&parsed.test);
    let set: Vec<NewFence> = fences
        .iter()
        .map(|&(thread, line, kind)| {
            let here = |place: &&Place| {
                place.thread == thread
                    && 1 + text[..place.at as usize].matches('\n').count() == line
            };
            let place = *all.iter().rfind(here).expect("there is such a place");
            NewFence { place, kind }
        })
        .collect();
    let found = apply(text, &insert_edits(text, &parsed.test, &set));
    assert_eq!(found, expected);
    let again = parse(&found);
    assert!(!again.has_errors(), "{:?}\n{found}", again.errors);
    assert_eq!(again.test.comments.len(), parsed.test.comments.len());
    let kinds = |test: &Test| -> Vec<(usize, FenceKind)> {
        let written = written(test).into_iter();
        written.map(|fence| (fence.thread, fence.kind)).collect()
    };
    assert_eq!(kinds(&again.test), kinds(insert(&sound, &set).test()));
    let whole = fenced(text, &parsed.test, &set).expect("it can be read");
    assert_eq!(format(&whole).as_deref(), Ok(whole.as_str()));
}

/// Removes every fence and compares the text.
fn check_remove(text: &str, expected: &str) {
    let parsed = parse(text);
    let spans: Vec<Span> = written(&parsed.test).iter().map(|f| f.span).collect();
    assert!(!spans.is_empty());
    let sound = parsed.sound().expect("a test");
    assert!(written(remove(&sound, &spans).test()).is_empty());
    let found = apply(text, &remove_edits(text, &parsed.test, &spans));
    assert_eq!(found, expected);
    let again = parse(&found);
    assert!(!again.has_errors(), "{:?}\n{found}", again.errors);
    assert!(written(&again.test).is_empty());
}

use FenceKind::{Full, StoreStore};

#[test]
fn a_statement_has_a_line_of_its_own() {
    check_insert(
        "litmus T\n\nshared x, y;\n\nthread P0 {\n  x = 1; // one\n  r = y;\n}\n",
        &[(0, 6, Full)],
        "litmus T\n\nshared x, y;\n\nthread P0 {\n  x = 1; // one\n  mfence;\n  r = y;\n}\n",
    );
}

#[test]
fn statements_on_one_line_get_it_there() {
    check_insert(
        "litmus T\nshared x, y;\nthread P0 {\n  x = 1; r = y;\n}\n",
        &[(0, 3, Full)],
        "litmus T\nshared x, y;\nthread P0 {\n  mfence;\n  x = 1; r = y;\n}\n",
    );
    let text = "litmus T\nshared x, y;\nthread P0 { x = 1; r = y; }\n";
    let parsed = parse(text);
    let place = places(&parsed.test)[1];
    let kind = StoreStore;
    let edits = insert_edits(text, &parsed.test, &[NewFence { place, kind }]);
    assert_eq!(
        apply(text, &edits),
        "litmus T\nshared x, y;\nthread P0 { x = 1; sfence; r = y; }\n"
    );
}

#[test]
fn blocks_have_places_at_their_start() {
    check_insert(
        "litmus T\r\n\r\nshared x;\r\n\r\nthread P0 {\r\n  repeat 2 {\r\n    x = 1;\r\n  }\r\n}\r\n",
        &[(0, 6, StoreStore)],
        "litmus T\r\n\r\nshared x;\r\n\r\nthread P0 {\r\n  repeat 2 {\r\n    sfence;\r\n    x = 1;\r\n  }\r\n}\r\n",
    );
    let text = "litmus T\nshared x;\nthread P0 {\n  repeat 2 {}\n  x = 1;\n}\n";
    let parsed = parse(text);
    let place = places(&parsed.test)[1];
    let edits = insert_edits(text, &parsed.test, &[NewFence { place, kind: Full }]);
    assert_eq!(
        apply(text, &edits),
        "litmus T\nshared x;\nthread P0 {\n  repeat 2 { mfence;}\n  x = 1;\n}\n"
    );
}

#[test]
fn a_row_is_aligned_with_the_one_before() {
    check_insert(
        "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0)\n",
        &[(0, 4, Full), (1, 4, Full)],
        "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MFENCE      | MFENCE      ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0)\n",
    );
    check_insert(
        "X86_64 SB\n{ x=0; y=0; }\n P0              | P1              ;\n movq $1,(x)     | movq $1,(y) (* | *) ; (* first *)\n movq (y),%rax   | movq (x),%rax   ;\nexists (0:rax=0)\n",
        &[(1, 4, StoreStore)],
        "X86_64 SB\n{ x=0; y=0; }\n P0              | P1              ;\n movq $1,(x)     | movq $1,(y) (* | *) ; (* first *)\n                 | sfence              ;\n movq (y),%rax   | movq (x),%rax   ;\nexists (0:rax=0)\n",
    );
}

#[test]
fn columns_become_wider_in_a_formatted_table() {
    check_insert(
        "X86 T\n{ x=0; }\n P0  | P1         ;\n NOP | MOV [x],$1 ;\n NOP | MOV [x],$2 ;\nexists (x=1)\n",
        &[(0, 4, Full)],
        "X86 T\n{ x=0; }\n P0     | P1         ;\n NOP    | MOV [x],$1 ;\n MFENCE |            ;\n NOP    | MOV [x],$2 ;\nexists (x=1)\n",
    );
}

#[test]
fn fences_in_different_rows_have_rows_of_their_own() {
    check_insert(
        "X86 T\n{ x=0; }\nP0 | P1 ;\nMOV [x],$1 | MOV [x],$1 ;\nMOV [x],$2 | MOV [x],$2 ;\nMOV [x],$3 | MOV [x],$3 ;\nexists (x=1)\n",
        &[(0, 4, Full), (1, 5, StoreStore)],
        "X86 T\n{ x=0; }\nP0 | P1 ;\nMOV [x],$1 | MOV [x],$1 ;\nMFENCE     |            ;\nMOV [x],$2 | MOV [x],$2 ;\n           | SFENCE     ;\nMOV [x],$3 | MOV [x],$3 ;\nexists (x=1)\n",
    );
}

#[test]
fn removing_leaves_comments_and_other_cells() {
    check_remove(
        "litmus T\n\nshared x, y;\n\nthread P0 {\n  x = 1;\n  mfence;\n  sfence; // why\n  r = y;\n}\n",
        "litmus T\n\nshared x, y;\n\nthread P0 {\n  x = 1;\n  // why\n  r = y;\n}\n",
    );
    check_remove(
        "X86 T\n{ x=0; }\n P0         | P1         ;\n MOV [x],$1 | MFENCE     ;\n MFENCE     |            ;\n MOV [x],$2 | MOV [x],$2 ;\nexists (x=1)\n",
        "X86 T\n{ x=0; }\n P0         | P1         ;\n MOV [x],$1 |            ;\n MOV [x],$2 | MOV [x],$2 ;\nexists (x=1)\n",
    );
}
