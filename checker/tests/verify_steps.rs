//! Each step of verification alone, against an enumeration of all executions.
//!
//! Instances are random threads of events. Realizable ones take their sources from a random
//! execution; mutated ones change sources at random and are mostly unrealizable. The
//! enumeration knows buffers and memory and nothing else.

use std::collections::HashSet;

use fencepost_checker::bits::Bits;
use fencepost_checker::event::{Effect, Event, EventId, INIT, NO_SOURCE};
use fencepost_checker::program::Model;
use fencepost_checker::verify::{MemoryModel, Pso, Sc, Tso, Verifier};

const LOCATIONS: usize = 6;

struct Instance {
    events: Vec<Event>,
    /// The last list is the observing reads.
    lists: Vec<Vec<EventId>>,
}

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
    fn start(&self) -> State {
        State {
            taken: vec![0; self.lists.len()],
            buffers: vec![Vec::new(); self.lists.len()],
            memory: [INIT; LOCATIONS],
        }
    }

    /// Every step of the operational model, whatever the reads' sources say.
    fn steps(&self, model: Model, state: &State) -> Vec<Step> {
        let observers = self.lists.len() - 1;
        let threads_done = (0..observers)
            .all(|t| state.taken[t] == self.lists[t].len() && state.buffers[t].is_empty());
        let mut steps = Vec::new();
        for t in 0..self.lists.len() {
            if let Some(&e) = self.lists[t].get(state.taken[t]) {
                let drains = self.events[e as usize].effect.has(Effect::DRAIN);
                let waits = drains && !state.buffers[t].is_empty();
                if !waits && (t != observers || threads_done) {
                    steps.push(Step::Take(t));
                }
            }
            for (k, &w) in state.buffers[t].iter().enumerate() {
                let older = &state.buffers[t][..k];
                let free = match model {
                    Model::Sc | Model::Tso => older.is_empty(),
                    Model::Pso => older.iter().all(|&o| {
                        let (old, new) = (&self.events[o as usize], &self.events[w as usize]);
                        let between = &self.lists[t][old.index as usize..new.index as usize];
                        old.loc != new.loc
                            && !between
                                .iter()
                                .any(|e| self.events[*e as usize].effect.has(Effect::STORE_FENCE))
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
    fn apply(&self, model: Model, state: &mut State, step: Step) -> Option<(EventId, EventId)> {
        match step {
            Step::Flush(t, w) => {
                state.buffers[t].retain(|b| *b != w);
                state.memory[self.events[w as usize].loc as usize] = w;
                None
            }
            Step::Take(t) => {
                let id = self.lists[t][state.taken[t]];
                state.taken[t] += 1;
                let e = &self.events[id as usize];
                let loc = e.loc as usize;
                let seen = e.effect.has(Effect::READ).then(|| {
                    let own = state.buffers[t]
                        .iter()
                        .rev()
                        .find(|w| self.events[**w as usize].loc == e.loc);
                    (id, *own.unwrap_or(&state.memory[loc]))
                });
                if e.effect.has(Effect::WRITE) {
                    if e.effect.has(Effect::DRAIN) || model == Model::Sc {
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
            && (0..self.lists.len()).all(|t| state.taken[t] == self.lists[t].len())
    }

    /// Whether some execution gives every read its source, and, when `memory` is given, whose
    /// writes reach memory in that order.
    fn realizable(&self, model: Model, memory: Option<&[EventId]>) -> bool {
        let mut seen = HashSet::new();
        let mut work = vec![(self.start(), 0)];
        while let Some((state, written)) = work.pop() {
            if self.finished(&state) {
                return true;
            }
            if !seen.insert(state.clone()) {
                continue;
            }
            for step in self.steps(model, &state) {
                let mut next = state.clone();
                let read = self.apply(model, &mut next, step);
                if read.is_some_and(|(r, w)| self.events[r as usize].source != w) {
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
    let mut events = Vec::new();
    let mut lists = vec![Vec::new(); threads + 1];
    for (t, list) in lists.iter_mut().enumerate().take(threads) {
        for index in 0..rng.usize(1..=length) {
            let effect = match rng.u8(0..20) {
                0..8 => Effect::WRITE,
                8..15 => Effect::READ,
                15 => Effect::DRAIN,
                16 => Effect::STORE_FENCE,
                17 => Effect::READ.and(Effect::DRAIN).and(Effect::RMW),
                18 => Effect::WRITE.and(Effect::DRAIN),
                _ => Effect::READ
                    .and(Effect::DRAIN)
                    .and(Effect::RMW)
                    .and(Effect::WRITE),
            };
            list.push(events.len() as EventId);
            events.push(Event {
                thread: t as u8,
                effect,
                index: index as u16,
                loc: rng.u16(0..3),
                source: NO_SOURCE,
                value: 0,
            });
        }
    }
    for loc in 0..3 {
        if rng.u8(0..4) == 0 {
            let index = lists[threads].len() as u16;
            lists[threads].push(events.len() as EventId);
            events.push(Event {
                thread: threads as u8,
                effect: Effect::READ.and(Effect::OBSERVE),
                index,
                loc,
                source: NO_SOURCE,
                value: 0,
            });
        }
    }
    Instance { events, lists }
}

/// An instance of plain loads and stores: each thread's locations in program order, for a load
/// with the event it reads from. Events are numbered through.
fn instance_of(threads: &[Vec<(u16, Option<EventId>)>]) -> Instance {
    let mut events = Vec::new();
    let mut lists = vec![Vec::new(); threads.len() + 1];
    for (t, thread) in threads.iter().enumerate() {
        for (index, &(loc, source)) in thread.iter().enumerate() {
            lists[t].push(events.len() as EventId);
            events.push(Event {
                thread: t as u8,
                effect: source.map_or(Effect::WRITE, |_| Effect::READ),
                index: index as u16,
                loc,
                source: source.unwrap_or(NO_SOURCE),
                value: 0,
            });
        }
    }
    Instance { events, lists }
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
fn run_at_random(instance: &mut Instance, model: Model, rng: &mut fastrand::Rng) {
    let mut state = instance.start();
    loop {
        let steps = instance.steps(model, &state);
        let Some(&step) = rng.choice(&steps) else {
            return;
        };
        if let Some((r, w)) = instance.apply(model, &mut state, step) {
            instance.events[r as usize].source = w;
        }
    }
}

/// Gives some read another source of its location.
fn mutate(instance: &mut Instance, rng: &mut fastrand::Rng) {
    let reads: Vec<usize> = (0..instance.events.len())
        .filter(|r| instance.events[*r].effect.has(Effect::READ))
        .collect();
    let Some(&r) = rng.choice(&reads) else {
        return;
    };
    let mut sources = vec![INIT];
    for (w, e) in instance.events.iter().enumerate() {
        if w != r && e.effect.has(Effect::WRITE) && e.loc == instance.events[r].loc {
            sources.push(w as EventId);
        }
    }
    instance.events[r].source = sources[rng.usize(0..sources.len())];
}

#[derive(Default, Debug)]
struct Tally {
    realizable: u32,
    unrealizable: u32,
    closure_found: u32,
    /// By the greedy attempt, and by the one that orders each location's writes.
    guide_found: [u32; 2],
}

fn check<M: MemoryModel>(instance: &Instance, rng: &mut fastrand::Rng, tally: &mut Tally) {
    let truth = instance.realizable(M::MODEL, None);
    let included = Bits::<1>::prefix(instance.events.len());
    let mut verifier = Verifier::<M, 1>::new(LOCATIONS);
    let mut guide: Vec<EventId> = (0..instance.events.len() as EventId)
        .filter(|w| instance.events[*w as usize].effect.has(Effect::WRITE))
        .collect();
    rng.shuffle(&mut guide);
    let (events, lists) = (&instance.events, &instance.lists);
    let what = || format!("{:?}: {events:?} {lists:?}", M::MODEL);

    let closed = verifier.close(events, lists, included);
    assert!(closed || !truth, "closure refuses a realizable {}", what());
    let attempts = [
        (
            "greedy",
            Verifier::<M, 1>::guided as fn(&mut _, &[EventId]) -> bool,
        ),
        ("ordered", Verifier::<M, 1>::guided_in_order),
    ];
    for (found, (name, attempt)) in tally.guide_found.iter_mut().zip(attempts) {
        if closed && attempt(&mut verifier, &guide) {
            assert!(truth, "the {name} guided attempt accepts {}", what());
            assert!(
                instance.realizable(M::MODEL, Some(&verifier.witness)),
                "the {name} guided attempt's memory order {:?} is wrong: {}",
                verifier.witness,
                what()
            );
            *found += 1;
        }
    }
    let explained = verifier.explain(events, lists, included);
    assert_eq!(explained.is_none(), closed, "{}", what());
    if let Some(cycle) = explained {
        for (link, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            assert_eq!(link.to, next.from, "not a cycle: {cycle:?} {}", what());
        }
    }
    let found = verifier.search(events, lists, included, &guide);
    assert_eq!(found, truth, "the complete search on {}", what());
    if found {
        assert!(
            instance.realizable(M::MODEL, Some(&verifier.witness)),
            "the search's memory order {:?} is wrong: {}",
            verifier.witness,
            what()
        );
    }
    assert_eq!(verifier.verify(events, lists, included, &guide), truth);
    match truth {
        true => tally.realizable += 1,
        false => {
            tally.unrealizable += 1;
            tally.closure_found += u32::from(!closed);
        }
    }
}

fn check_model<M: MemoryModel>(seed: u64, count: u64) {
    let mut tally = Tally::default();
    for i in 0..count {
        let mut rng = fastrand::Rng::with_seed(seed + i);
        let mut instance = random_instance(&mut rng);
        run_at_random(&mut instance, M::MODEL, &mut rng);
        check::<M>(&instance, &mut rng, &mut tally);
        for _ in 0..3 {
            mutate(&mut instance, &mut rng);
            check::<M>(&instance, &mut rng, &mut tally);
        }
    }
    assert!(tally.realizable > 0 && tally.unrealizable > 0, "{tally:?}");
    show::<M>(&format!("from seed {seed}"), &tally);
}

/// Shown with `--nocapture`: what each step settles.
fn show<M: MemoryModel>(instances: &str, tally: &Tally) {
    let line = format!("{:?} {instances}: {tally:?}\n", M::MODEL);
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
fn sc_steps_agree_with_enumeration() {
    check_model::<Sc>(1, count());
}

#[test]
fn tso_steps_agree_with_enumeration() {
    check_model::<Tso>(2, count());
}

#[test]
fn pso_steps_agree_with_enumeration() {
    check_model::<Pso>(3, count());
}

/// Of all maps of `spammer(4)` the papers' implementation finds 178 under SC.
#[test]
fn every_map_of_spammer_is_decided() {
    let mut tally = Tally::default();
    let mut rng = fastrand::Rng::with_seed(4);
    for map in 0..256 {
        check::<Sc>(&spammer(map), &mut rng, &mut tally);
    }
    show::<Sc>("all maps of spammer(4)", &tally);
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
    let (events, lists) = (&instance.events, &instance.lists);
    let included = Bits::<1>::prefix(events.len());
    let mut verifier = Verifier::<Sc, 1>::new(LOCATIONS);
    assert!(verifier.close(events, lists, included));
    assert!(!verifier.guided(&guide), "the guide misleads no more");
    assert!(
        !verifier.guided_in_order(&guide),
        "the guide misleads no more"
    );
    assert!(verifier.verify(events, lists, included, &guide));
    assert!(instance.realizable(Model::Sc, Some(&verifier.witness)));
}
