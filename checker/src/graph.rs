//! The execution graph of a witness: its events, and po, rf, co and fr between them.
//!
//! Words as in the literature: `po` is program order (shown between neighbours),
//! `rf` goes from a write to a read of it, `co` is the order in which the writes of
//! one location reach memory (shown between neighbours), and `fr` goes from a read
//! to the first write that overwrites what it read.

use crate::model::Rules;
use crate::program::{FenceKind, LocId, Program, Span, ThreadId, Value};
use crate::witness::{Action, Source, Witness};

/// An index into [`Graph::events`].
pub type EventId = usize;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// The initial writes that are read or overwritten first, by location; then every
    /// thread's events, thread by thread, in program order.
    pub events: Vec<Event>,
    /// Grouped by kind: po, rf, co, fr; in each, by the events they leave.
    pub edges: Vec<Edge>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// None for an initial write.
    pub thread: Option<ThreadId>,
    /// The step of the witness; none for an initial write.
    pub step: Option<usize>,
    pub span: Span,
    pub kind: EventKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    Initial {
        loc: LocId,
        value: Value,
    },
    Read {
        loc: LocId,
        value: Value,
    },
    Write {
        loc: LocId,
        value: Value,
    },
    /// `written` is absent when a `cas` fails.
    Rmw {
        loc: LocId,
        read: Value,
        written: Option<Value>,
    },
    Fence(FenceKind),
    Lock {
        loc: LocId,
    },
    Unlock {
        loc: LocId,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EdgeKind {
    Po,
    Rf,
    Co,
    Fr,
}

impl EdgeKind {
    pub const ALL: [EdgeKind; 4] = [EdgeKind::Po, EdgeKind::Rf, EdgeKind::Co, EdgeKind::Fr];

    pub fn name(self) -> &'static str {
        match self {
            EdgeKind::Po => "po",
            EdgeKind::Rf => "rf",
            EdgeKind::Co => "co",
            EdgeKind::Fr => "fr",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    pub kind: EdgeKind,
    pub from: EventId,
    pub to: EventId,
}

impl Edge {
    fn new(kind: EdgeKind, from: EventId, to: EventId) -> Edge {
        Edge { kind, from, to }
    }
}

impl Graph {
    pub fn of(program: &Program, witness: &Witness) -> Graph {
        let memory_orders = memory_orders(program, witness);
        let mut events = initial_events(program, witness, &memory_orders);
        let initial_count = events.len();
        let mut event_of_step = vec![None; witness.steps.len()];
        for thread in 0..program.threads.len() {
            for (index, step) in witness.steps.iter().enumerate() {
                if usize::from(step.thread) != thread {
                    continue;
                }
                if let Some(kind) = event_kind(&step.action) {
                    event_of_step[index] = Some(events.len());
                    events.push(Event {
                        thread: Some(step.thread),
                        step: Some(index),
                        span: step.span.clone(),
                        kind,
                    });
                }
            }
        }

        let initial_of = |loc: LocId| {
            events[..initial_count].iter().position(
                |e| matches!(e.kind, EventKind::Initial { loc: other, .. } if other == loc),
            )
        };
        let mut edges = Vec::new();
        for (to, pair) in events.windows(2).enumerate() {
            if pair[0].thread.is_some() && pair[0].thread == pair[1].thread {
                edges.push(Edge::new(EdgeKind::Po, to, to + 1));
            }
        }
        let mut from_reads = Vec::new();
        for (index, step) in witness.steps.iter().enumerate() {
            let Some((loc, source)) = read_of(&step.action) else {
                continue;
            };
            let write = match source {
                Source::Initial => initial_of(loc),
                Source::Step(store) => event_of_step.get(store).copied().flatten(),
            };
            let (Some(from), Some(to)) = (write, event_of_step[index]) else {
                continue;
            };
            edges.push(Edge::new(EdgeKind::Rf, from, to));
            let order = &memory_orders[usize::from(loc)];
            let successor = match source {
                Source::Initial => order.first(),
                Source::Step(store) => order
                    .iter()
                    .position(|&s| s == store)
                    .and_then(|p| order.get(p + 1)),
            };
            // An RMW's own write follows what it read: that is atomicity, not a from-read.
            if let Some(&overwriter) = successor
                && overwriter != index
                && let Some(target) = event_of_step[overwriter]
            {
                from_reads.push(Edge::new(EdgeKind::Fr, to, target));
            }
        }
        for (loc, order) in memory_orders.iter().enumerate() {
            let first = order.first().and_then(|&s| event_of_step[s]);
            if let (Some(from), Some(to)) = (initial_of(loc as LocId), first) {
                edges.push(Edge::new(EdgeKind::Co, from, to));
            }
            for pair in order.windows(2) {
                if let (Some(from), Some(to)) = (event_of_step[pair[0]], event_of_step[pair[1]]) {
                    edges.push(Edge::new(EdgeKind::Co, from, to));
                }
            }
        }
        edges.append(&mut from_reads);
        edges.sort_by_key(|e| (e.kind, e.from, e.to));
        Graph { events, edges }
    }

    /// A thread's events in program order.
    pub fn thread(&self, thread: ThreadId) -> impl Iterator<Item = EventId> + '_ {
        (0..self.events.len()).filter(move |&e| self.events[e].thread == Some(thread))
    }
}

/// For each location, the steps whose writes reached memory, in that order.
pub(crate) fn memory_orders(program: &Program, witness: &Witness) -> Vec<Vec<usize>> {
    let buffered = Rules::of(witness.model).buffer_stores();
    let mut orders = vec![Vec::new(); program.locations.len()];
    for (index, step) in witness.steps.iter().enumerate() {
        let reached = match step.action {
            Action::Write { loc, .. } if !buffered => Some((loc, index)),
            Action::Flush { loc, store, .. } => Some((loc, store)),
            Action::Rmw {
                loc,
                written: Some(_),
                ..
            }
            | Action::Lock { loc, .. }
            | Action::Unlock { loc } => Some((loc, index)),
            _ => None,
        };
        if let Some((loc, store)) = reached {
            orders[usize::from(loc)].push(store);
        }
    }
    orders
}

/// The initial writes of the locations that somebody reads or writes.
fn initial_events(program: &Program, witness: &Witness, orders: &[Vec<usize>]) -> Vec<Event> {
    let mut touched: Vec<bool> = orders.iter().map(|order| !order.is_empty()).collect();
    for step in &witness.steps {
        if let Some((loc, Source::Initial)) = read_of(&step.action) {
            touched[usize::from(loc)] = true;
        }
    }
    program
        .locations
        .iter()
        .enumerate()
        .filter(|(loc, _)| touched[*loc])
        .map(|(loc, location)| Event {
            thread: None,
            step: None,
            span: location.span.clone(),
            kind: EventKind::Initial {
                loc: loc as LocId,
                value: location.init,
            },
        })
        .collect()
}

fn read_of(action: &Action) -> Option<(LocId, Source)> {
    match *action {
        Action::Read { loc, source, .. }
        | Action::Rmw { loc, source, .. }
        | Action::Lock { loc, source } => Some((loc, source)),
        _ => None,
    }
}

/// A flush is no event of its own (it is where its store stands in `co`), nor is a stop.
fn event_kind(action: &Action) -> Option<EventKind> {
    Some(match *action {
        Action::Read { loc, value, .. } => EventKind::Read { loc, value },
        Action::Write { loc, value } => EventKind::Write { loc, value },
        Action::Rmw {
            loc, read, written, ..
        } => EventKind::Rmw { loc, read, written },
        Action::Fence(kind) => EventKind::Fence(kind),
        Action::Lock { loc, .. } => EventKind::Lock { loc },
        Action::Unlock { loc } => EventKind::Unlock { loc },
        Action::Flush { .. } | Action::Stop(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use crate::replay::{Move, replay};

    const P: Move = Move::Thread(0);
    const Q: Move = Move::Thread(1);

    fn graph(text: &str, model: Model, schedule: &[Move]) -> Graph {
        let parse = fencepost_grammar::parse(text);
        assert!(!parse.has_errors(), "{:?}", parse.errors);
        let program =
            crate::lower(&parse.sound().expect(text), &crate::LowerOptions::default()).expect(text);
        let witness = replay(&program, model, schedule).expect("the schedule is one");
        Graph::of(&program, &witness)
    }

    fn edges(graph: &Graph, kind: EdgeKind) -> Vec<(EventId, EventId)> {
        let edges = graph.edges.iter().filter(|e| e.kind == kind);
        edges.map(|e| (e.from, e.to)).collect()
    }

    #[test]
    fn store_buffering_has_a_cycle_of_po_and_fr() {
        let text =
            "litmus SB\nshared x, y;\nthread P { x = 1; a = y; }\nthread Q { y = 1; b = x; }\n";
        let flushes = [0, 1].map(|t| Move::Flush {
            thread: t,
            loc: t.into(),
        });
        let graph = graph(
            text,
            Model::Tso,
            &[[P, P, Q, Q].as_slice(), &flushes].concat(),
        );
        // 0, 1: initial x and y; 2, 3: P; 4, 5: Q.
        assert_eq!(edges(&graph, EdgeKind::Po), [(2, 3), (4, 5)]);
        assert_eq!(edges(&graph, EdgeKind::Rf), [(0, 5), (1, 3)]);
        assert_eq!(edges(&graph, EdgeKind::Co), [(0, 2), (1, 4)]);
        assert_eq!(edges(&graph, EdgeKind::Fr), [(3, 4), (5, 2)]);
    }

    #[test]
    fn coherence_follows_the_flushes_not_the_stores() {
        let text = "litmus co\nshared x;\nthread P { x = 1; }\nthread Q { x = 2; }\n";
        let flush = |thread| Move::Flush { thread, loc: 0 };
        let graph = graph(text, Model::Tso, &[P, Q, flush(1), flush(0)]);
        // 0: initial x; 1: P's store; 2: Q's.
        assert_eq!(edges(&graph, EdgeKind::Co), [(0, 2), (2, 1)]);
    }

    #[test]
    fn an_rmw_has_no_from_read_to_itself() {
        let text = "litmus rmw\nshared x;\nthread P { a = fetch_add(x, 1); }\n\
                    thread Q { b = fetch_add(x, 1); }\n";
        let graph = graph(text, Model::Sc, &[P, Q]);
        assert_eq!(edges(&graph, EdgeKind::Rf), [(0, 1), (1, 2)]);
        assert_eq!(edges(&graph, EdgeKind::Co), [(0, 1), (1, 2)]);
        assert_eq!(edges(&graph, EdgeKind::Fr), []);
    }
}
