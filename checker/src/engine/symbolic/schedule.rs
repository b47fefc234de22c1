//! From an assignment to an execution: the steps of the machine, ready to be replayed.

use super::formula::Formula;
use super::order::Order;
use super::term::EventIndex;
use super::unroll::{Event, Kind};
use crate::model::Rules;
use crate::operational::{Machine, Move};
use crate::program::{LocId, Model, Program, ThreadId};

/// The execution of the assignment that was found last: events in memory order, each after
/// all that its thread does before it.
pub fn schedule(formula: &Formula<'_>, order: &Order, rules: Rules) -> Vec<Move> {
    let events = &formula.unrolled.events;
    let executed: Vec<bool> = events.iter().map(|e| formula.holds(e.guard)).collect();
    let mut memory: Vec<(usize, EventIndex)> = order
        .events
        .iter()
        .filter(|&&event| executed[event as usize])
        .map(|&event| {
            let before = order.events.iter().filter(|&&other| {
                other != event
                    && executed[other as usize]
                    && formula.circuit.solver.value(order.before(other, event))
            });
            (before.count(), event)
        })
        .collect();
    memory.sort_unstable();

    let mut next: Vec<EventIndex> = formula.unrolled.threads.iter().map(|t| t.first).collect();
    let mut moves = Vec::new();
    for (_, event) in memory {
        let at = &events[event as usize];
        issue(
            &mut next[at.thread as usize],
            event + 1,
            &executed,
            at.thread,
            &mut moves,
        );
        if at.kind == Kind::Store && rules.buffer_stores() {
            moves.push(Move::Flush {
                thread: at.thread,
                loc: place(formula, at),
            });
        }
    }
    let ends = formula.unrolled.threads.iter().skip(1).map(|t| t.first);
    for (t, end) in ends.chain([events.len() as EventIndex]).enumerate() {
        issue(&mut next[t], end, &executed, t as ThreadId, &mut moves);
    }
    moves
}

/// Takes the thread's events up to one of them.
fn issue(
    next: &mut EventIndex,
    end: EventIndex,
    executed: &[bool],
    thread: ThreadId,
    moves: &mut Vec<Move>,
) {
    while *next < end {
        if executed[*next as usize] {
            moves.push(Move::Thread(thread));
        }
        *next += 1;
    }
}

/// Where an executed event acts in that assignment.
pub fn place(formula: &Formula<'_>, event: &Event) -> LocId {
    let mut places = event.places.iter();
    let found = places.find(|(_, at)| formula.holds(*at));
    found.map_or(0, |(loc, _)| *loc)
}

/// Lets everybody go on as far as they can: the execution may have left threads that could.
/// A schedule that is not possible is left as it is, for the replay to find.
pub fn complete(program: &Program, model: Model, mut moves: Vec<Move>) -> Vec<Move> {
    let mut machine = Machine::new(program, model);
    for &step in &moves {
        if machine.step(step).is_none() {
            return moves;
        }
    }
    let mut possible = Vec::new();
    loop {
        machine.moves(&mut possible);
        match possible.first() {
            Some(&step) if machine.step(step).is_some() => moves.push(step),
            _ => return moves,
        }
    }
}
