//! Programs that are dense in what random ones seldom have: fences in every place, locks, waiting.

use fencepost_checker::program::{FenceKind, LocId, Place, RegId, RmwOp, ThreadId, Value};

use crate::random::Random;
use crate::random_program::{Sketch, Stmt};

const X: LocId = 1;
const Y: LocId = 2;
const Z: LocId = 3;

/// A read of a location, or a write of a value to it.
#[derive(Clone, Copy)]
enum Access {
    R(LocId),
    W(LocId, Value),
}

use Access::{R, W};

/// The classic shapes with two and three threads.
const SHAPES: &[&[&[Access]]] = &[
    // SB, MP, LB, S, R, 2+2W
    &[&[W(X, 1), R(Y)], &[W(Y, 1), R(X)]],
    &[&[W(X, 1), W(Y, 1)], &[R(Y), R(X)]],
    &[&[R(X), W(Y, 1)], &[R(Y), W(X, 1)]],
    &[&[W(X, 2), W(Y, 1)], &[R(Y), W(X, 1)]],
    &[&[W(X, 1), W(Y, 1)], &[W(Y, 2), R(X)]],
    &[&[W(X, 1), W(Y, 2)], &[W(Y, 1), W(X, 2)]],
    // The same location: CoWW with CoRR, and own stores read back.
    &[&[W(X, 1), W(X, 2)], &[R(X), R(X)]],
    &[&[W(X, 1), R(X)], &[W(X, 2), R(X)]],
    // WRC, RWC, ISA2, W+RWC, 3.SB, 3.2W, Z6.0, Z6.3, WWC
    &[&[W(X, 1)], &[R(X), W(Y, 1)], &[R(Y), R(X)]],
    &[&[W(X, 1)], &[R(X), R(Y)], &[W(Y, 1), R(X)]],
    &[&[W(X, 1), W(Y, 1)], &[R(Y), W(Z, 1)], &[R(Z), R(X)]],
    &[&[W(X, 1), W(Y, 1)], &[R(Y), R(Z)], &[W(Z, 1), R(X)]],
    &[&[W(X, 1), R(Y)], &[W(Y, 1), R(Z)], &[W(Z, 1), R(X)]],
    &[
        &[W(X, 2), W(Y, 1)],
        &[W(Y, 2), W(Z, 1)],
        &[W(Z, 2), W(X, 1)],
    ],
    &[&[W(X, 1), W(Y, 1)], &[R(Y), W(Z, 1)], &[W(Z, 2), R(X)]],
    &[&[W(X, 1), W(Y, 1)], &[W(Y, 2), W(Z, 1)], &[R(Z), R(X)]],
    &[&[W(X, 2)], &[R(X), W(Y, 1)], &[R(Y), W(X, 1)]],
    // Three accesses a thread: a store may be held back by what is between.
    &[&[W(X, 1), W(Y, 1), R(Z)], &[W(Z, 1), R(Y), R(X)]],
    &[&[W(X, 1), R(X), R(Y)], &[W(Y, 1), R(Y), R(X)]],
];

/// Every shape with no fence, an `sfence` or an `mfence` in each gap.
pub fn shapes() -> Vec<Sketch> {
    let mut sketches = Vec::new();
    for shape in SHAPES {
        let gaps: usize = shape.iter().map(|thread| thread.len() - 1).sum();
        for placement in 0..3usize.pow(gaps as u32) {
            let mut fences = placement;
            let mut observed = Vec::new();
            let threads = shape.iter().enumerate().map(|(t, accesses)| {
                let mut block = Vec::new();
                for (i, access) in accesses.iter().enumerate() {
                    if i > 0 {
                        match fences % 3 {
                            1 => block.push(Stmt::Fence(FenceKind::StoreStore)),
                            2 => block.push(Stmt::Fence(FenceKind::Full)),
                            _ => {}
                        }
                        fences /= 3;
                    }
                    match *access {
                        R(loc) => {
                            block.push(Stmt::Load(i as RegId, loc));
                            observed.push(Place::Register(t as ThreadId, i as RegId));
                        }
                        W(loc, value) => block.push(Stmt::Store(loc, None, value)),
                    }
                }
                block
            });
            let threads = threads.collect();
            observed.extend([X, Y, Z].map(Place::Memory));
            sketches.push(Sketch {
                seed: sketches.len() as u64,
                locations: 3,
                threads,
                observed,
            });
        }
    }
    sketches
}

/// Two or three threads of loads and stores with a fence at every other place, some of them
/// in branches that are not always taken.
pub fn fences(seed: u64) -> Sketch {
    let mut random = Random::new(seed);
    let locations = 2 + random.below(2);
    let count = 2 + random.below(2);
    let threads = (0..count).map(|_| {
        let mut block = Vec::new();
        for i in 0..4 - count / 3 {
            let loc = X + random.below(locations) as LocId;
            let reg = random.below(4) as RegId;
            if i > 0 {
                let fence = Stmt::Fence(if random.one_in(2) {
                    FenceKind::Full
                } else {
                    FenceKind::StoreStore
                });
                match random.below(4) {
                    0 => block.push(fence),
                    1 => {
                        let taken = random.below(2) as Value;
                        block.push(Stmt::If(reg, taken, vec![fence], Vec::new()));
                    }
                    2 => {
                        let access = Stmt::Load(reg, X + random.below(locations) as LocId);
                        block.push(Stmt::If(reg, 1, vec![fence, access], Vec::new()));
                    }
                    _ => {}
                }
            }
            block.push(match random.below(5) {
                0 | 1 => Stmt::Load(reg, loc),
                2 if random.one_in(2) => Stmt::Rmw(reg, RmwOp::Cas, loc, 2, 1),
                _ => Stmt::Store(loc, None, 1 + random.below(2) as Value),
            });
        }
        block
    });
    let threads: Vec<Vec<Stmt>> = threads.collect();
    observing(seed, locations, threads)
}

/// Two or three threads that take a mutex, sometimes twice, sometimes for ever, and waits.
pub fn locks(seed: u64) -> Sketch {
    let mut random = Random::new(seed);
    let locations = 1 + random.below(2);
    let count = 2 + random.below(2);
    let threads = (0..count).map(|_| {
        let mut block = Vec::new();
        for _ in 0..1 + random.below(2) {
            let mut access = || {
                let loc = X + random.below(locations) as LocId;
                let reg = random.below(4) as RegId;
                match random.below(7) {
                    0..3 => Stmt::Load(reg, loc),
                    3..6 => Stmt::Store(loc, None, 1 + random.below(2) as Value),
                    _ => Stmt::Await(loc, 1),
                }
            };
            let mut section = vec![Stmt::Lock, access()];
            let after = access();
            match random.below(6) {
                0 => {}
                1 => section.push(Stmt::If(
                    random.below(4) as RegId,
                    0,
                    vec![Stmt::Unlock],
                    Vec::new(),
                )),
                _ => section.push(Stmt::Unlock),
            }
            if random.one_in(4) {
                section = vec![Stmt::If(random.below(4) as RegId, 0, section, Vec::new())];
            }
            block.append(&mut section);
            if random.one_in(3) {
                block.push(after);
            }
        }
        block
    });
    let threads: Vec<Vec<Stmt>> = threads.collect();
    observing(seed, locations, threads)
}

fn observing(seed: u64, locations: usize, threads: Vec<Vec<Stmt>>) -> Sketch {
    let registers =
        (0..threads.len() as ThreadId).flat_map(|t| (0..4).map(move |r| Place::Register(t, r)));
    let memory = (0..locations as LocId).map(|loc| Place::Memory(X + loc));
    Sketch {
        seed,
        locations,
        observed: registers.chain(memory).collect(),
        threads,
    }
}
