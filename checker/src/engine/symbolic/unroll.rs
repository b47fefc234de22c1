//! Unrolls a program: every event its threads can come to, with the condition under which they do.
//!
//! A thread is run on terms. Where it branches on what it read, both ways are followed, and where
//! they meet again they become one. Loops end at their bounds, whose counters stay numbers. What is
//! made here knows no memory model: a read's value is a term of its own.

use std::collections::BTreeMap;

use super::flow::{Flow, Path};
use super::term::{EventIndex, Node, ONE, Term, Terms, ZERO};
use crate::program::{
    Address, FenceKind, Instr, LocId, Op, Operand, Pc, Place, Program, RegId, RmwOp, Thread,
    ThreadId, Value, WrappedOp,
};
use crate::report::{Budget, Completeness, FailureKind};
use crate::thread::Stop;

#[derive(Debug)]
pub struct Unrolled {
    pub terms: Terms,
    /// Thread by thread; of two events of one execution the earlier comes first.
    pub events: Vec<Event>,
    pub stops: Vec<StopPoint>,
    pub threads: Vec<End>,
    /// What each observable holds in the end, parallel to [`Program::observed`].
    pub observed: Vec<Term>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Load,
    Store,
    Rmw,
    Lock,
    Unlock,
    Fence(FenceKind),
}

impl Kind {
    pub fn reads(self) -> bool {
        matches!(self, Kind::Load | Kind::Rmw | Kind::Lock)
    }

    pub fn is_fence(self) -> bool {
        matches!(self, Kind::Fence(_))
    }
}

#[derive(Debug)]
pub struct Event {
    pub thread: ThreadId,
    pub pc: Pc,
    pub kind: Kind,
    /// Whether it is executed.
    pub guard: Term,
    /// Whether it is executed and writes.
    pub writes: Term,
    /// What it reads, for those that do.
    pub read: Term,
    /// What it writes.
    pub value: Term,
    /// Where it may act, and whether it does: exactly one when it is executed.
    pub places: Vec<(LocId, Term)>,
}

impl Event {
    /// Whether it acts on the location.
    pub fn at(&self, loc: LocId) -> Term {
        let found = self.places.iter().find(|(place, _)| *place == loc);
        found.map_or(ZERO, |(_, at)| *at)
    }

    /// Its location, when that depends on nothing.
    pub fn fixed(&self) -> Option<LocId> {
        match self.places[..] {
            [(loc, ONE)] => Some(loc),
            _ => None,
        }
    }
}

/// A point at which a thread may stop for good.
#[derive(Debug)]
pub struct StopPoint {
    pub thread: ThreadId,
    pub pc: Pc,
    pub why: Why,
    /// Whether it does.
    pub guard: Term,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    Stopped(Stop),
    /// The condition of an `await` is false; one of these loads was its last before, the latest
    /// of those that are executed.
    Await(Vec<EventIndex>),
    /// The lock is not taken.
    Lock(EventIndex),
}

/// How a thread ends.
#[derive(Debug)]
pub struct End {
    /// Its events are those from here on.
    pub first: EventIndex,
    /// Whether it comes to its end.
    pub done: Term,
}

/// Steps of all threads together; a program with more is not unrolled.
const MAX_STEPS: usize = 1 << 19;

pub fn unroll(program: &Program, budget: &mut Budget) -> Result<Unrolled, Completeness> {
    let mut unrolled = Unrolled {
        terms: Terms::new(),
        events: Vec::new(),
        stops: Vec::new(),
        threads: Vec::new(),
        observed: Vec::new(),
    };
    let mut steps = 0;
    let mut finals = Vec::new();
    for (t, thread) in program.threads.iter().enumerate() {
        let t = t as ThreadId;
        let observed = program.observed.iter().filter_map(|o| match o.place {
            Place::Register(of, reg) if of == t => Some(reg),
            _ => None,
        });
        let flow = Flow::new(thread, observed).ok_or(Completeness::TooManyEvents)?;
        let first = unrolled.events.len() as EventIndex;
        let mut unroller = Unroller {
            program,
            thread,
            t,
            flow,
            out: &mut unrolled,
            open: BTreeMap::new(),
        };
        let end = unroller.run(&mut steps, budget)?;
        let done = end.as_ref().map_or(ZERO, |end| end.guard);
        unrolled.threads.push(End { first, done });
        finals.push(end);
    }
    for observable in &program.observed {
        let term = match observable.place {
            Place::Register(t, reg) => match &finals[t as usize] {
                Some(end) => end.regs[reg as usize],
                None => ZERO,
            },
            Place::Memory(loc) => unrolled.terms.intern(Node::Final(loc)),
        };
        unrolled.observed.push(term);
    }
    Ok(unrolled)
}

/// A thread at one of its steps, on all paths that lead there.
#[derive(Debug)]
struct State {
    guard: Term,
    /// The registers; of those that do not matter any more, 0.
    regs: Vec<Term>,
    /// The mutexes it may hold, and whether it does.
    held: Vec<(LocId, Term)>,
    last_reads: Vec<EventIndex>,
}

/// States are one only when the counters of the loops around are equal numbers.
type Key = (Path, Vec<Value>);

struct Unroller<'a> {
    program: &'a Program,
    thread: &'a Thread,
    t: ThreadId,
    flow: Flow,
    out: &'a mut Unrolled,
    open: BTreeMap<Key, State>,
}

impl Unroller<'_> {
    fn run(
        &mut self,
        steps: &mut usize,
        budget: &mut Budget,
    ) -> Result<Option<State>, Completeness> {
        let regs = self.thread.regs.clone();
        let state = State {
            guard: ONE,
            regs: regs.iter().map(|&v| self.out.terms.constant(v)).collect(),
            held: Vec::new(),
            last_reads: Vec::new(),
        };
        let start = self.flow.next(&[], 0, 0);
        self.push(start, state);
        while let Some(((path, _), state)) = self.open.pop_first() {
            *steps += 1;
            if *steps > MAX_STEPS || self.out.terms.len() > MAX_TERMS {
                return Err(Completeness::TooManyEvents);
            }
            if let Some(reason) = budget.poll(0, self.out.terms.len() * TERM_BYTES) {
                return Err(reason);
            }
            let pc = path.last().copied().unwrap_or_default();
            if pc as usize >= self.thread.code.len() {
                return Ok(Some(state));
            }
            self.step(&path, pc, state)?;
        }
        Ok(None)
    }

    fn push(&mut self, path: Path, mut state: State) {
        if state.guard == ZERO {
            return;
        }
        let pc = path.last().copied().unwrap_or_default();
        for (reg, value) in state.regs.iter_mut().enumerate() {
            if !self.flow.is_live(pc, reg as RegId) {
                *value = ZERO;
            }
        }
        let terms = &mut self.out.terms;
        let counts = self
            .flow
            .counters(pc)
            .map(|reg| terms.known(state.regs[reg as usize]).unwrap_or(-1))
            .collect();
        let key = (path, counts);
        let Some(other) = self.open.remove(&key) else {
            self.open.insert(key, state);
            return;
        };
        let (guard, second) = terms.meet(state.guard, other.guard);
        for (value, &before) in state.regs.iter_mut().zip(&other.regs) {
            *value = terms.choose(second, *value, before);
        }
        let mut held = state.held;
        for &(loc, _) in &other.held {
            if !held.iter().any(|(mutex, _)| *mutex == loc) {
                held.push((loc, ZERO));
            }
        }
        for (loc, is_held) in &mut held {
            let before = holds(&other.held, *loc);
            *is_held = terms.choose(second, *is_held, before);
        }
        state.last_reads.extend(other.last_reads);
        state.last_reads.sort_unstable();
        state.last_reads.dedup();
        state.guard = guard;
        state.held = held;
        self.open.insert(key, state);
    }

    fn go(&mut self, path: &[u32], to: Pc, state: State) {
        let from = path.last().copied().unwrap_or_default();
        let next = self.flow.next(path, from, to);
        self.push(next, state);
    }

    /// The thread stops where the condition holds, and goes on where it does not.
    fn stop_if(&mut self, cond: Term, why: Why, pc: Pc, state: &mut State) {
        let terms = &mut self.out.terms;
        let guard = terms.and(state.guard, cond);
        let not = terms.not(cond);
        state.guard = terms.and(state.guard, not);
        if guard != ZERO {
            self.out.stops.push(StopPoint {
                thread: self.t,
                pc,
                why,
                guard,
            });
        }
    }

    fn step(&mut self, path: &[u32], pc: Pc, mut state: State) -> Result<(), Completeness> {
        let failed = |kind| Why::Stopped(Stop::Failed(kind));
        let mut to = pc + 1;
        match self.thread.code[pc as usize] {
            Instr::Load { dst, addr } => {
                let places = self.places(addr, pc, &mut state);
                let event = self.event(Kind::Load, pc, places, &state);
                state.regs[dst as usize] = self.out.events[event as usize].read;
                state.last_reads = vec![event];
            }
            Instr::Store { addr, value } => {
                let places = self.places(addr, pc, &mut state);
                let event = self.event(Kind::Store, pc, places, &state);
                let value = self.value(value, &state);
                self.out.events[event as usize].value = value;
            }
            Instr::Rmw {
                dst,
                addr,
                op,
                value,
                expected,
            } => {
                let places = self.places(addr, pc, &mut state);
                let event = self.event(Kind::Rmw, pc, places, &state);
                let value = self.value(value, &state);
                let expected = self.value(expected, &state);
                let read = self.out.events[event as usize].read;
                let (writes, value) = self.modify(op, read, value, expected);
                let event_mut = &mut self.out.events[event as usize];
                event_mut.value = value;
                event_mut.writes = self.out.terms.and(state.guard, writes);
                state.regs[dst as usize] = read;
                state.last_reads = vec![event];
            }
            Instr::Fence(kind) => {
                self.event(Kind::Fence(kind), pc, Vec::new(), &state);
            }
            Instr::Lock(loc) => {
                let event = self.out.events.len() as EventIndex;
                let taken = self.out.terms.intern(Node::Taken(event));
                let waits = self.out.terms.not(taken);
                self.stop_if(waits, Why::Lock(event), pc, &mut state);
                self.event(Kind::Lock, pc, vec![(loc, ONE)], &state);
                self.out.events[event as usize].value = ONE;
                state.held.retain(|(mutex, _)| *mutex != loc);
                state.held.push((loc, ONE));
            }
            Instr::Unlock(loc) => {
                let held = holds(&state.held, loc);
                let not_held = self.out.terms.not(held);
                let why = failed(FailureKind::UnlockNotHeld);
                self.stop_if(not_held, why, pc, &mut state);
                self.event(Kind::Unlock, pc, vec![(loc, ONE)], &state);
                state.held.retain(|(mutex, _)| *mutex != loc);
            }
            Instr::Assign { dst, op, a, b } => {
                let (a, b) = (self.value(a, &state), self.value(b, &state));
                if matches!(op, Op::Div | Op::Rem) {
                    let zero = self.out.terms.op(Op::Eq, b, ZERO);
                    self.stop_if(zero, failed(FailureKind::DivisionByZero), pc, &mut state);
                }
                state.regs[dst as usize] = self.out.terms.op(op, a, b);
            }
            Instr::Jump(target) => to = target,
            Instr::JumpIfZero { cond, target } => {
                let cond = self.value(cond, &state);
                let holds = self.out.terms.truth(cond);
                let not = self.out.terms.not(holds);
                let jumps = State {
                    guard: self.out.terms.and(state.guard, not),
                    regs: state.regs.clone(),
                    held: state.held.clone(),
                    last_reads: state.last_reads.clone(),
                };
                self.go(path, target, jumps);
                state.guard = self.out.terms.and(state.guard, holds);
            }
            Instr::Bound { counter, loop_id } => {
                let terms = &mut self.out.terms;
                // Only numbers are ever assigned to a counter, and states meet only when
                // their counters are equal.
                let Some(count) = terms.known(state.regs[counter as usize]) else {
                    return Err(Completeness::TooManyEvents);
                };
                state.regs[counter as usize] = terms.constant(count + 1);
                let bound = self.thread.loops[loop_id as usize].bound;
                let over = Term::from(count + 1 > Value::from(bound));
                let why = Why::Stopped(Stop::Bound(Some(loop_id)));
                self.stop_if(over, why, pc, &mut state);
            }
            Instr::Assert(cond) => {
                let fails = self.is_false(cond, &state);
                self.stop_if(fails, failed(FailureKind::Assertion), pc, &mut state);
            }
            Instr::Assume(cond) => {
                let fails = self.is_false(cond, &state);
                self.stop_if(fails, Why::Stopped(Stop::Assume), pc, &mut state);
            }
            Instr::AwaitTest(cond) => {
                let fails = self.is_false(cond, &state);
                let why = Why::Await(state.last_reads.clone());
                self.stop_if(fails, why, pc, &mut state);
            }
            Instr::Return => to = self.thread.code.len() as Pc,
        }
        self.go(path, to, state);
        Ok(())
    }

    fn value(&mut self, operand: Operand, state: &State) -> Term {
        match operand {
            Operand::Const(value) => self.out.terms.constant(value),
            Operand::Reg(reg) => state.regs[reg as usize],
        }
    }

    fn is_false(&mut self, cond: Operand, state: &State) -> Term {
        let cond = self.value(cond, state);
        self.out.terms.op(Op::Not, cond, ZERO)
    }

    /// The locations an address can be; elsewhere the thread fails.
    fn places(&mut self, addr: Address, pc: Pc, state: &mut State) -> Vec<(LocId, Term)> {
        let (pointer, locations, kind): (_, Vec<(LocId, Value)>, _) = match addr {
            Address::Fixed(loc) => return vec![(loc, ONE)],
            Address::Element { first, len, index } => (
                index,
                (0..len).map(|i| (first + i, Value::from(i))).collect(),
                FailureKind::IndexOutOfBounds,
            ),
            Address::Pointer(pointer) => (
                pointer,
                (0..).zip(self.program.addresses.iter().copied()).collect(),
                FailureKind::BadAddress,
            ),
        };
        let pointer = self.value(pointer, state);
        let mut places = Vec::new();
        for (loc, address) in locations {
            let terms = &mut self.out.terms;
            let address = terms.constant(address);
            let at = terms.op(Op::Eq, pointer, address);
            if at != ZERO {
                places.push((loc, at));
            }
        }
        let terms = &mut self.out.terms;
        let somewhere = terms.any(places.iter().map(|(_, at)| *at));
        let nowhere = terms.not(somewhere);
        self.stop_if(nowhere, Why::Stopped(Stop::Failed(kind)), pc, state);
        places
    }

    /// Whether an RMW writes, and what.
    fn modify(&mut self, op: RmwOp, old: Term, value: Term, expected: Term) -> (Term, Term) {
        let terms = &mut self.out.terms;
        let new = match op {
            RmwOp::Xchg => value,
            RmwOp::Cas => return (terms.op(Op::Eq, old, expected), value),
            RmwOp::Add => terms.op(Op::Add, old, value),
            RmwOp::Sub => terms.op(Op::Sub, old, value),
            RmwOp::SubFrom => terms.op(Op::Sub, value, old),
            RmwOp::And => terms.op(Op::And, old, value),
            RmwOp::Or => terms.op(Op::Or, old, value),
            RmwOp::Xor => terms.op(Op::Xor, old, value),
            RmwOp::Max => {
                let less = terms.op(Op::Lt, old, value);
                terms.choose(less, value, old)
            }
            RmwOp::Min => {
                let less = terms.op(Op::Lt, old, value);
                terms.choose(less, old, value)
            }
            RmwOp::AddUnless => unreachable!("programs with it are refused"),
            RmwOp::Wrapped { op, bits, signed } => {
                let wide = match op {
                    WrappedOp::Add => terms.op(Op::Add, old, value),
                    WrappedOp::Sub => terms.op(Op::Sub, old, value),
                    WrappedOp::SubFrom => terms.op(Op::Sub, value, old),
                };
                let bits = terms.constant(Value::from(bits));
                terms.op(if signed { Op::Sext } else { Op::Zext }, wide, bits)
            }
        };
        (ONE, new)
    }

    fn event(
        &mut self,
        kind: Kind,
        pc: Pc,
        places: Vec<(LocId, Term)>,
        state: &State,
    ) -> EventIndex {
        let event = self.out.events.len() as EventIndex;
        let read = if kind.reads() {
            self.out.terms.intern(Node::Read(event))
        } else {
            ZERO
        };
        let writes = match kind {
            Kind::Load | Kind::Fence(_) => ZERO,
            Kind::Store | Kind::Rmw | Kind::Lock | Kind::Unlock => state.guard,
        };
        self.out.events.push(Event {
            thread: self.t,
            pc,
            kind,
            guard: state.guard,
            writes,
            read,
            value: ZERO,
            places,
        });
        event
    }
}

fn holds(held: &[(LocId, Term)], loc: LocId) -> Term {
    let found = held.iter().find(|(mutex, _)| *mutex == loc);
    found.map_or(ZERO, |(_, held)| *held)
}

/// About what a term costs.
const TERM_BYTES: usize = 64;
const MAX_TERMS: usize = 1 << 24;
