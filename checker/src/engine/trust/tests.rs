//! No class comes twice.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use crate::collect::{Class, Watch};
use crate::engine::explore;
use crate::event::{EventId, INIT};
use crate::{Engine, LowerOptions, Model, Options, lower};

/// The classes that were shown: each event's source, by thread and number.
#[derive(Debug, Default)]
struct Shown(RefCell<FxHashSet<Vec<(u8, u16)>>>);

impl Watch for Shown {
    fn restart(&self) {
        self.0.borrow_mut().clear();
    }

    fn class(&self, class: Class<'_>) {
        let events = &class.execution.events;
        let source = |e: &EventId| match events.get(events[*e as usize].source as usize) {
            Some(source) => (source.thread, source.index),
            None => (u8::MAX, events[*e as usize].source),
        };
        let mut key = Vec::new();
        for list in class.execution.lists() {
            key.extend(list.iter().map(source));
            key.push((u8::MAX, INIT - 2));
        }
        assert!(self.0.borrow_mut().insert(key), "a class comes twice");
    }

    fn memory(&self) -> usize {
        0
    }
}

#[test]
fn no_class_comes_twice() {
    let programs = [
        ("peterson", 3),
        ("exponential_bug", 3),
        ("casrot", 8),
        ("spammer", 4),
        ("account", 4),
        ("dekker", 2),
        ("eratosthenes", 13),
        ("fib_bench", 4),
        ("pthread_datarace", 3),
    ];
    for (name, n) in programs {
        let path = format!(
            "{}/../tests/bench/{name}.litmus",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(&path).expect(&path);
        let parsed = fencepost_grammar::parse(&text);
        let options = LowerOptions {
            params: vec![("N".to_owned(), n)],
            ..LowerOptions::default()
        };
        let program = lower(&parsed.sound().expect(name), &options).expect(name);
        for model in Model::ALL {
            let shown = Shown::default();
            let engine = Engine::named("trust").expect("the engine");
            let options = Options::default();
            let report = explore(
                &program,
                model,
                (engine, engine.explorer),
                &options,
                Some(&shown),
            );
            assert!(report.complete() && report.classes > 10, "{name}");
            assert_eq!(shown.0.borrow().len() as u64, report.classes, "{name}");
        }
    }
}
