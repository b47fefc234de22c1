//! Formatting large and hostile texts: the result is right and not much larger.

use fencepost_tests::formatted::check_format;

fn check_large(what: &str, text: &str, largest: usize) {
    let formatted = check_format(text).unwrap_or_else(|error| {
        let start: String = error.chars().take(400).collect();
        panic!("{what}: {start}")
    });
    assert!(
        formatted.len() <= largest,
        "{what}: {} bytes became {}",
        text.len(),
        formatted.len()
    );
}

fn herd(rows: &str) -> String {
    format!("X86 A\n{{ x=0; }}\n P0|P1;\n{rows}exists (x=1)\n")
}

#[test]
fn many_statements() {
    let text = format!(
        "litmus A\nshared x,y;\nthread P{{\n{}}}\nexists (x=1)",
        "x=1;r = y; if(x==1){y=2;} // why\n".repeat(20_000)
    );
    check_large("statements", &text, 3 * text.len());
}

#[test]
fn many_rows() {
    let text = herd(&" MOV [x],$1|MOV EAX,[x];\n".repeat(20_000));
    check_large("rows", &text, 2 * text.len());
}

/// One wide cell over many narrow ones would be padded to gigabytes.
#[test]
fn padding_is_bounded() {
    let narrow = "|;".repeat(100_000);
    let text = herd(&format!("MOV EAX,[x] (* {} *)|;\n{narrow}", "a".repeat(70)));
    check_large("many narrow cells", &text, 4 << 20);
    let text = herd(&format!("(* {} *)|;\n{narrow}", "a".repeat(1 << 20)));
    check_large("a cell wider than a line", &text, 4 << 20);
}

/// So would blocks within blocks.
#[test]
fn indentation_is_bounded() {
    let depth = 150;
    let text = format!(
        "litmus A\nshared x;\nthread P {{ {}{}{} }}\nexists (x=1)\n",
        "{".repeat(depth),
        "x=1;".repeat(20_000),
        "}".repeat(depth)
    );
    check_large("deep blocks", &text, 30 * text.len());
}

#[test]
fn many_comments() {
    let text = format!(
        "litmus A\nshared x;\nthread P {{ x=1; {} x=\n{}2; }}\nexists (x=1)\n",
        "/* c */\n".repeat(50_000),
        "// c\n".repeat(50_000)
    );
    check_large("comments", &text, 3 * text.len());
}

#[test]
fn many_columns() {
    let columns = 100_000;
    let names: Vec<String> = (0..columns).map(|n| format!("P{n}")).collect();
    let text = format!(
        "X86 A\n{{ x=0; }}\n{};\n{};\nexists (x=0)\n",
        names.join("|"),
        "|".repeat(columns - 1)
    );
    check_large("columns", &text, 4 * text.len());
}

#[test]
fn a_long_condition() {
    let text = herd(&format!("nop|nop;\nlocations [{}]\n", "x;".repeat(50_000)));
    check_large("locations", &text, 3 * text.len());
}
