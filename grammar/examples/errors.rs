//! Prints the errors of the files it is given.
#![allow(clippy::print_stdout)]

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for error in fencepost_grammar::parse(&text).errors {
            let line = text[..error.span.start as usize].matches('\n').count() + 1;
            println!(
                "{path}:{line}:{:?}: {} {} {}",
                error.span,
                error.code(),
                error.message(),
                error
                    .help()
                    .map(|help| format!("({help})"))
                    .unwrap_or_default()
            );
        }
    }
}
