//! Two threads that access bytes in several sizes: what is not refused has exactly the
//! outcomes of a machine whose buffers and memory are made of bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fencepost_checker::program::Model;
use fencepost_checker::{LowerOptions, Options, check, lower};
use fencepost_tests::random::Random;

/// Objects: name, bytes of an element, elements.
const OBJECTS: [(&str, usize, usize); 4] = [("x", 4, 1), ("y", 2, 1), ("s", 1, 2), ("t", 2, 2)];

/// Where an object is in the memory of the machine here.
fn start(object: usize) -> usize {
    8 * object
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// An address, how many bytes, and what; a load puts it into the next register.
    Store(usize, usize, u64),
    Load(usize, usize),
    Fence,
}

type Code = Vec<Step>;

fn random_code(random: &mut Random, objects: &[usize], value: &mut u64) -> Code {
    let length = 2 + random.below(2);
    let mut step = || {
        let object = objects[random.below(objects.len())];
        let (_, each, length) = OBJECTS[object];
        let bytes = 1 << random.below(3);
        if random.one_in(6) || bytes > each * length {
            return Step::Fence;
        }
        let offset = random.below(each * length - bytes + 1);
        let address = start(object) + offset;
        if random.one_in(2) {
            return Step::Load(address, bytes);
        }
        *value += 1;
        let bits = (1 << (8 * bytes)) - 1;
        Step::Store(address, bytes, (*value * 0x0101_0101) & bits)
    };
    (0..length).map(|_| step()).collect()
}

/// The registers that loads fill, in order.
const REGISTERS: [&str; 3] = ["rax", "rbx", "rcx"];

fn cell(step: Option<&Step>, loads: &mut usize) -> String {
    let place = |address: usize| {
        let (name, ..) = OBJECTS[address / 8];
        format!("{name}+{}(%rip)", address % 8)
    };
    let suffix = |bytes: usize| match bytes {
        1 => 'b',
        2 => 'w',
        _ => 'l',
    };
    match step {
        None => String::new(),
        Some(Step::Fence) => "mfence".to_owned(),
        Some(Step::Store(address, bytes, value)) => {
            format!("mov{} ${value},{}", suffix(*bytes), place(*address))
        }
        Some(Step::Load(address, bytes)) => {
            let register = REGISTERS[*loads];
            *loads += 1;
            let name = match bytes {
                1 => format!("{}l", &register[1..2]),
                2 => register[1..].to_owned(),
                _ => format!("e{}", &register[1..]),
            };
            format!("mov{} {},%{name}", suffix(*bytes), place(*address))
        }
    }
}

fn litmus(threads: &[Code; 2]) -> String {
    let mut out = String::from(
        "X86_64 bytes\n{ uint32_t x; uint16_t y; uint8_t s[2]; uint16_t t[2]; }\n P0 | P1 ;\n",
    );
    let mut loads = [0, 0];
    for row in 0..threads.iter().map(Vec::len).max().unwrap_or(0) {
        let [a, b] = [0, 1].map(|t| cell(threads[t].get(row), &mut loads[t]));
        let _ = writeln!(out, " {a} | {b} ;");
    }
    let shown: Vec<String> = (0..2)
        .flat_map(|t| REGISTERS.map(|register| format!("{t}:{register};")))
        .collect();
    let _ = writeln!(
        out,
        "locations [{} x; y; s; t;]\nexists (true)",
        shown.join(" ")
    );
    out
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    memory: [u8; 32],
    at: [usize; 2],
    /// What waits to reach memory: address, bytes, value.
    buffers: [Vec<(usize, usize, u64)>; 2],
    loaded: [Vec<u64>; 2],
}

fn put(memory: &mut [u8; 32], (address, bytes, value): (usize, usize, u64)) {
    for i in 0..bytes {
        memory[address + i] = (value >> (8 * i)) as u8;
    }
}

/// Whether two stores have a location in common.
fn meet(a: (usize, usize, u64), b: (usize, usize, u64)) -> bool {
    let locations = |(address, bytes, _): (usize, usize, u64)| {
        let each = OBJECTS[address / 8].1;
        (address..address + bytes)
            .map(move |byte| byte / each * each)
            .collect::<BTreeSet<_>>()
    };
    !locations(a).is_disjoint(&locations(b))
}

/// Every final state of the machine: what loads gave, and memory.
fn machine(threads: &[Code; 2], model: Model) -> BTreeSet<([Vec<u64>; 2], [u8; 32])> {
    let first = State {
        memory: [0; 32],
        at: [0, 0],
        buffers: [Vec::new(), Vec::new()],
        loaded: [Vec::new(), Vec::new()],
    };
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = vec![first];
    let mut ends = BTreeSet::new();
    while let Some(state) = open.pop() {
        let mut next = Vec::new();
        for (t, code) in threads.iter().enumerate() {
            let buffer = &state.buffers[t];
            for (i, store) in buffer.iter().enumerate() {
                let may = match model {
                    Model::Pso => !buffer[..i].iter().any(|older| meet(*older, *store)),
                    _ => i == 0,
                };
                if may {
                    let mut after = state.clone();
                    put(&mut after.memory, after.buffers[t].remove(i));
                    next.push(after);
                }
            }
            let mut after = state.clone();
            after.at[t] += 1;
            match code.get(state.at[t]) {
                Some(Step::Store(address, bytes, value)) => {
                    let store = (*address, *bytes, *value);
                    match model {
                        Model::Sc => put(&mut after.memory, store),
                        _ => after.buffers[t].push(store),
                    }
                }
                Some(Step::Load(address, bytes)) => {
                    let mut view = state.memory;
                    buffer.iter().for_each(|store| put(&mut view, *store));
                    let word = (0..*bytes)
                        .rev()
                        .fold(0, |word, i| word << 8 | u64::from(view[address + i]));
                    after.loaded[t].push(word);
                }
                Some(Step::Fence) if buffer.is_empty() => {}
                _ => continue,
            }
            next.push(after);
        }
        if next.is_empty() {
            ends.insert((state.loaded.clone(), state.memory));
        }
        open.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
    }
    ends
}

/// A final state of the machine, by the names that outcomes have.
fn named((loaded, memory): &([Vec<u64>; 2], [u8; 32])) -> BTreeMap<String, i64> {
    let mut state = BTreeMap::new();
    for (t, loaded) in loaded.iter().enumerate() {
        for (i, register) in REGISTERS.iter().enumerate() {
            let value = loaded.get(i).copied().unwrap_or(0);
            state.insert(format!("{t}:{register}"), value as i64);
        }
    }
    for (object, (name, each, length)) in OBJECTS.into_iter().enumerate() {
        for n in 0..length {
            let at = start(object) + n * each;
            let bytes = memory[at..at + each].iter().rev();
            let value = bytes.fold(0, |word, byte| word << 8 | i64::from(*byte));
            match length {
                1 => state.insert(format!("[{name}]"), value),
                _ => state.insert(format!("[{name}[{n}]]"), value),
            };
        }
    }
    state
}

#[test]
fn what_is_not_refused_has_the_outcomes_of_bytes() {
    let (mut refused, mut mixed) = (0, 0);
    let count = 3000;
    for seed in 0..count {
        let mut random = Random::new(seed);
        let objects: Vec<usize> = (0..2).map(|_| random.below(OBJECTS.len())).collect();
        let mut value = 0;
        let threads = [(); 2].map(|()| random_code(&mut random, &objects, &mut value));
        let text = litmus(&threads);
        let parse = fencepost_grammar::parse(&text);
        assert!(!parse.has_errors(), "{text}\n{:?}", parse.errors);
        let program = match lower(&parse.sound().expect("a test"), &LowerOptions::default()) {
            Ok(program) => program,
            Err(errors) => {
                assert!(
                    errors.iter().all(|error| error.code() == "E0320"),
                    "{errors:?}"
                );
                refused += 1;
                continue;
            }
        };
        let whole = |step: &Step| match step {
            Step::Store(address, bytes, _) | Step::Load(address, bytes) => {
                *bytes == OBJECTS[address / 8].1
            }
            Step::Fence => true,
        };
        mixed += usize::from(!threads.iter().flatten().all(whole));
        for model in Model::ALL {
            let report = check(&program, model, &Options::default());
            assert!(report.complete() && report.failures.is_empty(), "{text}");
            let names = program.observed.iter().map(|o| o.name.clone());
            let found: BTreeSet<BTreeMap<String, i64>> = report
                .outcomes
                .iter()
                .map(|outcome| names.clone().zip(outcome.state.iter().copied()).collect())
                .collect();
            let expected: BTreeSet<_> = machine(&threads, model).iter().map(named).collect();
            assert_eq!(found, expected, "seed {seed} {}\n{text}", model.name());
        }
    }
    assert!(
        mixed > 500,
        "only {mixed} of {count} mix sizes; {refused} are refused"
    );
}
