//! The benchmark programs with known class counts (`tests/bench/counts.tsv`).

use fencepost_checker::lower::{LowerOptions, lower};
use fencepost_checker::{Model, Program};

use crate::files::{fixture, read};

/// A program of a size, and how many classes it has under each model.
pub struct Row {
    /// Without its ending.
    pub name: String,
    pub n: i64,
    classes: [u64; 3],
}

impl Row {
    pub fn classes(&self, model: Model) -> u64 {
        self.classes[model as usize]
    }

    pub fn program(&self) -> Program {
        let text = read(&fixture(&format!("bench/{}.litmus", self.name)));
        let parsed = fencepost_grammar::parse(&text);
        assert!(
            parsed.errors.is_empty(),
            "{}: {:?}",
            self.name,
            parsed.errors
        );
        let options = LowerOptions {
            params: vec![("N".to_owned(), self.n)],
            ..LowerOptions::default()
        };
        lower(&parsed.sound().expect("a test"), &options)
            .unwrap_or_else(|errors| panic!("{}: {errors:?}", self.name))
    }
}

/// All rows, in the order of the file.
pub fn rows() -> Vec<Row> {
    let table = read(&fixture("bench/counts.tsv"));
    table
        .lines()
        .skip(1)
        .map(|line| {
            let mut fields = line.split('\t');
            let mut field = || fields.next().unwrap_or_else(|| panic!("short row: {line}"));
            let name = field().trim_end_matches(".litmus").to_owned();
            let mut number = || {
                field()
                    .parse()
                    .unwrap_or_else(|error| panic!("{line}: {error}"))
            };
            Row {
                name,
                n: number() as i64,
                classes: [number(), number(), number()],
            }
        })
        .collect()
}
