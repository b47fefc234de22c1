//! Generates the parsers from the grammars.

fn main() {
    if let Err(error) = lalrpop::Configuration::new()
        .emit_rerun_directives(true)
        .process_dir("src")
    {
        panic!("the grammars do not compile: {error}");
    }
}
