//! Each step of verification alone, against an enumeration of all executions.
//!
//! Instances are random threads of events. Realizable ones take their sources from a random
//! execution; mutated ones change sources at random and are mostly unrealizable. The
//! enumeration knows buffers and memory and nothing else.

use std::collections::HashSet;

use fencepost_checker::bits::Bits;
use fencepost_checker::event::{Effect, EventId, Execution, INIT, NO_SOURCE};
use fencepost_checker::model::{Buffers, Model, Rules};
use fencepost_checker::verify::{Verification, Verifier};

const LOCATIONS: usize = 6;

struct Instance(Execution);

/// A state of the machine: what each thread has taken, its buffered stores, memory's writers.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    taken: Vec<usize>,
    buffers: Vec<Vec<EventId>>,
    memory: [EventId; LOCATIONS],
}

#[derive(Clone, Copy)]
enum Step {
    Take(usize),
    Flush(usize, EventId),
}

impl Instance {
    /// The threads, and one more for the observing reads.
    fn lists(&self) -> usize {
        self.0.threads.len() + 1
    }

    fn start(&self) -> State {
        State {
            taken: vec![0; self.lists()],
            buffers: vec![Vec::new(); self.lists()],
            memory: [INIT; LOCATIONS],
        }
    }

    /// Every step of the operational model, whatever the reads' sources say.
    fn steps(&self, rules: Rules, state: &State) -> Vec<Step> {
        let observers = self.0.threads.len();
        let threads_done = (0..observers)
            .all(|t| state.taken[t] == self.0.list(t).len() && state.buffers[t].is_empty());
        let mut steps = Vec::new();
        for t in 0..self.lists() {
            if let Some(&e) = self.0.list(t).get(state.taken[t]) {
                let event = &self.0.events[e as usize];
                let hidden = |w: &EventId| self.0.events[*w as usize].loc == event.loc;
                let waits = event.effect.has(Effect::DRAIN) && !state.buffers[t].is_empty()
                    || event.effect.has(Effect::READ)
                        && !rules.forwarding
                        && state.buffers[t].iter().any(hidden);
                if !waits && (t != observers || threads_done) {
                    steps.push(Step::Take(t));
                }
            }
            for (k, &w) in state.buffers[t].iter().enumerate() {
                let older = &state.buffers[t][..k];
                let free = match rules.buffers {
                    Buffers::None | Buffers::PerThread => older.is_empty(),
                    Buffers::PerLocation => older.iter().all(|&o| {
                        let (old, new) = (&self.0.events[o as usize], &self.0.events[w as usize]);
                        let between = &self.0.list(t)[old.index as usize..new.index as usize];
                        old.loc != new.loc
                            && !between
                                .iter()
                                .any(|e| self.0.events[*e as usize].effect.has(Effect::STORE_FENCE))
                    }),
                };
                if free {
                    steps.push(Step::Flush(t, w));
                }
            }
        }
        steps
    }

    /// Takes a step; gives the read that it takes and the write that this read sees.
    fn apply(&self, rules: Rules, state: &mut State, step: Step) -> Option<(EventId, EventId)> {
        match step {
            Step::Flush(t, w) => {
                state.buffers[t].retain(|b| *b != w);
                state.memory[self.0.events[w as usize].loc as usize] = w;
                None
            }
            Step::Take(t) => {
                let id = self.0.list(t)[state.taken[t]];
                state.taken[t] += 1;
                let e = &self.0.events[id as usize];
                let loc = e.loc as usize;
                let seen = e.effect.has(Effect::READ).then(|| {
                    let own = state.buffers[t]
                        .iter()
                        .rev()
                        .find(|w| self.0.events[**w as usize].loc == e.loc);
                    (id, *own.unwrap_or(&state.memory[loc]))
                });
                if e.effect.has(Effect::WRITE) {
                    if e.effect.has(Effect::DRAIN) || rules.buffers == Buffers::None {
                        state.memory[loc] = id;
                    } else {
                        state.buffers[t].push(id);
                    }
                }
                seen
            }
        }
    }

    fn finished(&self, state: &State) -> bool {
        state.buffers.iter().all(Vec::is_empty)
            && (0..self.lists()).all(|t| state.taken[t] == self.0.list(t).len())
    }

    /// Whether some execution gives every read its source, and, when `memory` is given, whose
    /// writes reach memory in that order.
    fn realizable(&self, rules: Rules, memory: Option<&[EventId]>) -> bool {
        let mut seen = HashSet::new();
        let mut work = vec![(self.start(), 0)];
        while let Some((state, written)) = work.pop() {
            if self.finished(&state) {
                return true;
            }
            if !seen.insert(state.clone()) {
                continue;
            }
            for step in self.steps(rules, &state) {
                let mut next = state.clone();
                let read = self.apply(rules, &mut next, step);
                if read.is_some_and(|(r, w)| self.0.events[r as usize].source != w) {
                    continue;
                }
                let wrote = next.memory != state.memory;
                if wrote
                    && let Some(order) = memory
                    && !next.memory.contains(&order[written])
                {
                    continue;
                }
                work.push((next, written + usize::from(wrote)));
            }
        }
        false
    }
}

fn random_instance(rng: &mut fastrand::Rng) -> Instance {
    let threads = rng.usize(2..=4);
    let length = [0, 0, 5, 4, 3][threads];
    let mut execution = Execution::new(threads);
    for t in 0..threads {
        for _ in 0..rng.usize(1..=length) {
            let effect = match rng.u8(0..20) {
                0..8 => Effect::WRITE,
                8..15 => Effect::READ,
                15 => Effect::DRAIN,
                16 => Effect::STORE_FENCE,
                17 => Effect::rmw(false),
                18 => Effect::unlock(),
                _ => Effect::rmw(true),
            };
            execution.push(t, effect, rng.u16(0..3), NO_SOURCE);
        }
    }
    for loc in 0..3 {
        if rng.u8(0..4) == 0 {
            execution.push(threads, Effect::observer(), loc, NO_SOURCE);
        }
    }
    Instance(execution)
}

/// An instance of plain loads and stores: each thread's locations in program order, for a load
/// with the event it reads from. Events are numbered through.
fn instance_of(threads: &[Vec<(u16, Option<EventId>)>]) -> Instance {
    let mut execution = Execution::new(threads.len());
    for (t, thread) in threads.iter().enumerate() {
        for &(loc, source) in thread {
            let effect = source.map_or(Effect::WRITE, |_| Effect::READ);
            execution.push(t, effect, loc, source.unwrap_or(NO_SOURCE));
        }
    }
    Instance(execution)
}

/// The benchmark `spammer(4)`: each thread writes to the locations of the others and then reads
/// its own. Many writes and few reads leave much open that an attempt can choose wrong.
/// The digits of `map` tell which of four sources each thread reads from.
fn spammer(map: u16) -> Instance {
    let mut threads = Vec::new();
    for t in 0..4 {
        let others = (0..4).filter(|other| *other != t);
        let sources = others
            .clone()
            .map(|s| s * 4 + if t < s { t } else { t - 1 });
        let source = [INIT]
            .into_iter()
            .chain(sources)
            .nth(map as usize >> (2 * t) & 3);
        threads.push(others.map(|loc| (loc, None)).chain([(t, source)]).collect());
    }
    instance_of(&threads)
}

/// Gives the reads the sources they have in a random execution.
fn run_at_random(instance: &mut Instance, rules: Rules, rng: &mut fastrand::Rng) {
    let mut state = instance.start();
    loop {
        let steps = instance.steps(rules, &state);
        let Some(&step) = rng.choice(&steps) else {
            return;
        };
        if let Some((r, w)) = instance.apply(rules, &mut state, step) {
            instance.0.events[r as usize].source = w;
        }
    }
}

/// Gives some read another source of its location.
fn mutate(instance: &mut Instance, rng: &mut fastrand::Rng) {
    let reads: Vec<usize> = (0..instance.0.events.len())
        .filter(|r| instance.0.events[*r].effect.has(Effect::READ))
        .collect();
    let Some(&r) = rng.choice(&reads) else {
        return;
    };
    let mut sources = vec![INIT];
    for (w, e) in instance.0.events.iter().enumerate() {
        if w != r && e.effect.has(Effect::WRITE) && e.loc == instance.0.events[r].loc {
            sources.push(w as EventId);
        }
    }
    instance.0.events[r].source = sources[rng.usize(0..sources.len())];
}

#[derive(Default, Debug)]
struct Tally {
    realizable: u32,
    unrealizable: u32,
    closure_found: u32,
    /// By the greedy attempt, and by the one that orders each location's writes.
    guide_found: [u32; 2],
}

fn check(rules: Rules, instance: &Instance, rng: &mut fastrand::Rng, tally: &mut Tally) {
    let truth = instance.realizable(rules, None);
    let execution = &instance.0;
    let included = Bits::<1>::prefix(execution.events.len());
    let mut verifier = Verifier::<1>::with_rules(rules, LOCATIONS);
    let mut guide: Vec<EventId> = (0..execution.events.len() as EventId)
        .filter(|w| execution.events[*w as usize].effect.has(Effect::WRITE))
        .collect();
    rng.shuffle(&mut guide);
    let what = || format!("{rules:?}: {execution:?}");
    // An order that a step finds must be that of an execution.
    let holds_up = |name: &str, verified: Verification<'_>| match verified {
        Verification::Realizable(order) => {
            assert!(truth, "{name} accepts {}", what());
            assert!(
                instance.realizable(rules, Some(order)),
                "the memory order {order:?} of {name} is wrong: {}",
                what()
            );
            true
        }
        _ => false,
    };

    let closed = verifier.close(execution, included);
    assert!(closed || !truth, "closure refuses a realizable {}", what());
    if closed {
        let [greedy, ordered] = &mut tally.guide_found;
        *greedy += u32::from(holds_up("the greedy attempt", verifier.guided(&guide)));
        let found = verifier.guided_in_order(&guide);
        *ordered += u32::from(holds_up("the ordered attempt", found));
    }
    let explained = verifier.explain(execution, included);
    assert_eq!(explained.is_none(), closed, "{}", what());
    if let Some(cycle) = explained {
        for (link, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            assert_eq!(link.to, next.from, "not a cycle: {cycle:?} {}", what());
        }
    }
    let found = holds_up("the search", verifier.search(execution, included, &guide));
    assert_eq!(found, truth, "the complete search on {}", what());
    let verified = verifier.verify(execution, included, &guide);
    assert_eq!(verified.is_realizable(), truth);
    match truth {
        true => tally.realizable += 1,
        false => {
            tally.unrealizable += 1;
            tally.closure_found += u32::from(!closed);
        }
    }
}

fn check_rules(rules: Rules, seed: u64) {
    let mut tally = Tally::default();
    for i in 0..count() {
        let mut rng = fastrand::Rng::with_seed(seed + i);
        let mut instance = random_instance(&mut rng);
        run_at_random(&mut instance, rules, &mut rng);
        check(rules, &instance, &mut rng, &mut tally);
        for _ in 0..3 {
            mutate(&mut instance, &mut rng);
            check(rules, &instance, &mut rng, &mut tally);
        }
    }
    assert!(tally.realizable > 0 && tally.unrealizable > 0, "{tally:?}");
    show(rules, &format!("from seed {seed}"), &tally);
}

/// Shown with `--nocapture`: what each step settles.
fn show(rules: Rules, instances: &str, tally: &Tally) {
    let line = format!("{:?} {instances}: {tally:?}\n", rules.buffers);
    std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes()).expect("stderr");
}

/// How many instances, each also mutated three times: `FENCEPOST_INSTANCES`.
fn count() -> u64 {
    std::env::var("FENCEPOST_INSTANCES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(3_000)
}

#[test]
fn every_model_s_steps_agree_with_enumeration() {
    for (seed, model) in (1..).zip(Model::ALL) {
        check_rules(Rules::of(model), seed);
    }
}

/// No model is without forwarding, but a rule is a rule.
#[test]
fn loads_that_wait_for_own_stores_agree_with_enumeration() {
    for (seed, buffers) in (5..).zip([Buffers::PerThread, Buffers::PerLocation]) {
        let rules = Rules {
            buffers,
            forwarding: false,
            meaning: "",
        };
        check_rules(rules, seed);
    }
}

/// Of all maps of `spammer(4)` the papers' implementation finds 178 under SC.
#[test]
fn every_map_of_spammer_is_decided() {
    let mut tally = Tally::default();
    let mut rng = fastrand::Rng::with_seed(4);
    let sc = Rules::of(Model::Sc);
    for map in 0..256 {
        check(sc, &spammer(map), &mut rng, &mut tally);
    }
    show(sc, "all maps of spammer(4)", &tally);
    assert_eq!(tally.realizable, 178);
    let [greedy, ordered] = tally.guide_found;
    assert!(
        greedy < ordered,
        "the second attempt sees further: {tally:?}"
    );
}

/// A guide that misleads even the second attempt, which must leave the order as it was.
#[test]
fn a_misled_attempt_leaves_the_search_its_order() {
    let instance = instance_of(&[
        vec![(4, None), (5, None), (0, Some(13))],
        vec![(0, None), (2, None), (1, Some(14))],
        vec![(0, None), (1, None), (2, Some(15))],
        vec![(3, Some(10))],
        vec![(3, None), (5, None), (4, Some(0))],
        vec![
            (0, None),
            (1, None),
            (2, None),
            (3, None),
            (4, None),
            (5, Some(1)),
        ],
    ]);
    let guide = [16, 13, 17, 1, 7, 14, 15, 6, 11, 10, 4, 0, 3];
    let execution = &instance.0;
    let included = Bits::<1>::prefix(execution.events.len());
    let mut verifier = Verifier::<1>::new(Model::Sc, LOCATIONS);
    assert!(verifier.close(execution, included));
    let unrealizable = Verification::Unrealizable;
    assert_eq!(verifier.guided(&guide), unrealizable, "it misleads no more");
    let ordered = verifier.guided_in_order(&guide);
    assert_eq!(ordered, unrealizable, "it misleads no more");
    let Verification::Realizable(order) = verifier.verify(execution, included, &guide) else {
        panic!("the search finds no execution");
    };
    assert!(instance.realizable(Rules::of(Model::Sc), Some(order)));
}
