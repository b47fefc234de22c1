//! The explored sequence of events, with the threads' states at its end.
//!
//! The sequence (τ in the papers) holds events in the order the exploration fixed them, which
//! need not be an order of execution: a read may stand before its source. `memory_order` is
//! that of one execution of it.

use crate::bits::Bits;
use crate::event::{Effect, Event, EventId, Execution, INIT, event_of};
use crate::operational::End;
use crate::program::{Instr, LocId, Place, Program, Value};
use crate::thread::{Cursor, Pending, Stop, advance, take};

pub struct Trace<'p, const W: usize> {
    pub program: &'p Program,
    pub execution: Execution,
    /// For each event, what causes it: the transitive past by program order and reads-from.
    pub past: Vec<Bits<W>>,
    /// The writes as they reach memory.
    pub memory_order: Vec<EventId>,
    /// For each location, the writes to it.
    pub writes: Vec<Bits<W>>,
    /// For each location, the last write in `memory_order`.
    pub(super) last: Vec<EventId>,
    pub(super) cursors: Vec<Cursor>,
    /// The registers of all threads, `stride` each.
    pub(super) regs: Vec<Value>,
    pub(super) stride: usize,
    /// For each event, its thread's state before it.
    pub(super) saved: Vec<Cursor>,
    pub(super) saved_regs: Vec<Value>,
    /// The locations whose final value is observed.
    observed: Vec<LocId>,
    /// For each thread, the loads that begin an `await`.
    awaits: Vec<Vec<bool>>,
    scratch: Vec<Value>,
}

/// An execution has more events than a row has bits.
#[derive(Debug, Clone, Copy)]
pub struct TooManyEvents;

impl<'p, const W: usize> Trace<'p, W> {
    pub fn new(program: &'p Program) -> Self {
        let threads = program.threads.len();
        let stride = program
            .threads
            .iter()
            .map(|t| t.regs.len())
            .max()
            .unwrap_or(0);
        let mut regs = vec![0; threads * stride];
        for (t, thread) in program.threads.iter().enumerate() {
            regs[t * stride..][..thread.regs.len()].copy_from_slice(&thread.regs);
        }
        let mut observed = Vec::new();
        for o in program.watched() {
            if let Place::Memory(loc) = o.place
                && !observed.contains(&loc)
            {
                observed.push(loc);
            }
        }
        Trace {
            program,
            execution: Execution::new(threads),
            past: Vec::new(),
            memory_order: Vec::new(),
            writes: vec![Bits::EMPTY; program.locations.len()],
            last: vec![INIT; program.locations.len()],
            cursors: vec![Cursor::default(); threads],
            regs,
            stride,
            saved: Vec::new(),
            saved_regs: Vec::new(),
            observed,
            awaits: program.threads.iter().map(await_loads).collect(),
            scratch: vec![0; stride],
        }
    }

    pub fn len(&self) -> usize {
        self.execution.events.len()
    }

    pub fn threads(&self) -> usize {
        self.cursors.len()
    }

    /// What thread `t` does next.
    #[inline]
    pub fn pending(&mut self, t: usize) -> Pending {
        let regs = &mut self.regs[t * self.stride..][..self.stride];
        advance(self.program, t as u8, &mut self.cursors[t], regs)
    }

    /// What the thread of event `id` was about to do when it did `id`.
    pub fn pending_at(&mut self, id: usize) -> Pending {
        let mut cursor = self.saved[id];
        let regs = &mut self.saved_regs[id * self.stride..][..self.stride];
        advance(
            self.program,
            self.execution.events[id].thread,
            &mut cursor,
            regs,
        )
    }

    /// The value that a read of `loc` from `source` gives.
    #[inline]
    pub fn value(&self, loc: LocId, source: EventId) -> Value {
        if source == INIT {
            self.program.locations[loc as usize].init
        } else {
            self.execution.events[source as usize].value
        }
    }

    pub fn last_write(&self, loc: LocId) -> EventId {
        self.last[loc as usize]
    }

    pub fn register(&self, thread: usize, reg: usize) -> Value {
        self.regs[thread * self.stride + reg]
    }

    /// The final state of a complete execution, parallel to what the program watches.
    pub fn final_state(&self, state: &mut Vec<Value>) {
        state.clear();
        for o in self.program.watched() {
            state.push(match o.place {
                Place::Register(t, r) => self.register(t as usize, r as usize),
                Place::Memory(loc) => {
                    let k = self.observed.iter().position(|l| *l == loc);
                    match k.and_then(|k| self.execution.observers.get(k)) {
                        Some(o) => self.value(loc, self.execution.events[*o as usize].source),
                        None => self.value(loc, self.last_write(loc)),
                    }
                }
            });
        }
    }

    /// How thread `t` stands when nothing can go on.
    pub fn end(&mut self, t: usize) -> End {
        match self.pending(t) {
            Pending::Stopped(stop) => End::Stopped(stop, self.cursors[t].pc),
            Pending::Lock { .. } => End::WaitsForLock(self.cursors[t].pc),
            _ => End::Done,
        }
    }

    /// Takes thread `t`'s next event, which stands at the end of the sequence and of the execution.
    /// `source` is for what reads.
    pub fn push(
        &mut self,
        t: usize,
        pending: Pending,
        source: EventId,
    ) -> Result<(), TooManyEvents> {
        let id = self.reserve()?;
        let read = match pending {
            Pending::Load { loc } | Pending::Rmw { loc, .. } | Pending::Lock { loc } => {
                self.value(loc, source)
            }
            _ => 0,
        };
        self.place(id, t, pending, source, read);
        let event = self.execution.events[id];
        if event.effect.has(Effect::WRITE) {
            self.memory_order.push(id as EventId);
            self.last[event.loc as usize] = id as EventId;
        }
        self.past[id] = self.direct_past(id);
        Ok(())
    }

    /// Appends the observing read of the next observed location; false when all are there.
    pub fn push_observer(&mut self, source: Option<EventId>) -> Result<bool, TooManyEvents> {
        let Some(loc) = self.next_observed() else {
            return Ok(false);
        };
        let id = self.reserve()?;
        self.execution.events[id] = Event {
            thread: self.threads() as u8,
            effect: Effect::observer(),
            index: self.execution.observers.len() as u16,
            loc,
            source: source.unwrap_or(self.last[loc as usize]),
            value: 0,
        };
        self.execution.observers.push(id as EventId);
        self.past[id] = Bits::prefix(id);
        Ok(true)
    }

    /// The location of the next observing read, when there is one.
    pub fn next_observed(&self) -> Option<LocId> {
        self.observed.get(self.execution.observers.len()).copied()
    }

    /// Makes room for an event at the end.
    fn reserve(&mut self) -> Result<usize, TooManyEvents> {
        let id = self.execution.events.len();
        // Some places stay free, for events that are only tried: a lock that waits,
        // and what threads that wait observe at the end.
        if id + self.threads() >= Bits::<W>::CAPACITY {
            return Err(TooManyEvents);
        }
        self.execution.events.push(Event {
            thread: 0,
            effect: Effect::NONE,
            index: 0,
            loc: 0,
            source: INIT,
            value: 0,
        });
        self.past.push(Bits::EMPTY);
        self.saved.push(Cursor::default());
        self.saved_regs.resize((id + 1) * self.stride, 0);
        Ok(id)
    }

    /// Takes thread `t`'s next event as event `id`.
    fn place(&mut self, id: usize, t: usize, pending: Pending, source: EventId, read: Value) {
        let index = self.execution.threads[t].len() as u16;
        let regs = &mut self.regs[t * self.stride..][..self.stride];
        self.saved[id] = self.cursors[t];
        self.saved_regs[id * self.stride..][..self.stride].copy_from_slice(regs);
        if let Some(event) = event_of(pending, t as u8, index, source, read) {
            self.execution.events[id] = event;
            if event.effect.has(Effect::WRITE) {
                self.writes[event.loc as usize].set(id);
            }
            take(self.program, t as u8, &mut self.cursors[t], regs, read);
            self.execution.threads[t].push(id as EventId);
        }
    }

    pub(super) fn direct_past(&self, id: usize) -> Bits<W> {
        let event = &self.execution.events[id];
        let mut past = Bits::EMPTY;
        if let Some(before) = self.before_in_thread(id) {
            past |= self.past[before].with(before);
        }
        let source = event.source as usize;
        if event.effect.has(Effect::READ) && event.source != INIT {
            past |= self.past[source].with(source);
        }
        past
    }

    /// The event before `id` in its thread.
    pub fn before_in_thread(&self, id: usize) -> Option<usize> {
        let event = &self.execution.events[id];
        let before = event.index.checked_sub(1)?;
        Some(self.execution.list(event.thread as usize)[before as usize] as usize)
    }

    /// Forgets the events from position `len` on, which nothing before it depends on.
    pub fn truncate(&mut self, len: usize) {
        for id in len..self.execution.events.len() {
            let event = self.execution.events[id];
            let t = event.thread as usize;
            let index = event.index as usize;
            if event.effect.has(Effect::WRITE) {
                let writes = &mut self.writes[event.loc as usize];
                *writes = writes.without(id);
            }
            // Within a block a thread's events need not stand in program order.
            if index < self.execution.list(t).len() {
                self.execution.list_mut(t).truncate(index);
                if t < self.threads() {
                    self.cursors[t] = self.saved[id];
                    self.regs[t * self.stride..][..self.stride]
                        .copy_from_slice(&self.saved_regs[id * self.stride..][..self.stride]);
                }
            }
        }
        self.execution.events.truncate(len);
        self.past.truncate(len);
        self.saved.truncate(len);
        self.saved_regs.truncate(len * self.stride);
    }

    /// Appends a block: its first event, then what it needs, each as (thread, source) with the
    /// value it reads. The first may follow the others in its thread, so it is run last.
    pub fn append_block(
        &mut self,
        block: &[(u8, EventId)],
        reads: &[Value],
    ) -> Result<(), TooManyEvents> {
        if let [(t, source)] = *block
            && t as usize == self.threads()
        {
            self.push_observer(Some(source))?;
            return Ok(());
        }
        let start = self.execution.events.len();
        for _ in block {
            self.reserve()?;
        }
        for k in (1..block.len()).chain([0]) {
            let (t, source) = block[k];
            let t = t as usize;
            let pending = self.pending(t);
            debug_assert!(
                !matches!(pending, Pending::Done | Pending::Stopped(_)),
                "a block repeats events that happened"
            );
            self.place(start + k, t, pending, source, reads[k]);
        }
        // Sources may stand later in the block: iterate until the pasts are stable.
        loop {
            let mut changed = false;
            for id in start..self.execution.events.len() {
                let past = self.direct_past(id);
                changed |= past != self.past[id];
                self.past[id] = past;
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// Sets the memory order, after the events were changed.
    pub fn set_memory_order(&mut self, order: &[EventId]) {
        self.memory_order.clear();
        self.memory_order.extend_from_slice(order);
        self.last.fill(INIT);
        for &w in order {
            self.last[self.execution.events[w as usize].loc as usize] = w;
        }
    }

    /// Extends to a maximal execution: each store goes to memory at once, each read sees memory.
    pub fn extend(&mut self) -> Result<(), TooManyEvents> {
        loop {
            let mut progress = false;
            let mut postponed = None;
            for t in 0..self.threads() {
                loop {
                    let pending = self.pending(t);
                    let source = match pending {
                        Pending::Done | Pending::Stopped(_) => break,
                        Pending::Lock { loc } => {
                            let source = self.last_write(loc);
                            if self.value(loc, source) != 0 {
                                break;
                            }
                            source
                        }
                        Pending::Load { loc } => {
                            let source = self.last_write(loc);
                            if self.would_stop(t, self.value(loc, source)) {
                                postponed = postponed.or(Some((t, pending, source)));
                                break;
                            }
                            source
                        }
                        Pending::Rmw { loc, .. } => self.last_write(loc),
                        _ => INIT,
                    };
                    self.push(t, pending, source)?;
                    progress = true;
                }
            }
            if progress {
                continue;
            }
            // Only when nothing else can go on does an `await` read what stops it.
            match postponed {
                Some((t, pending, source)) => self.push(t, pending, source)?,
                None => return Ok(()),
            }
        }
    }

    /// Extends until every thread stands at a read or can do nothing more.
    pub fn extend_to_reads(&mut self) -> Result<(), TooManyEvents> {
        for t in 0..self.threads() {
            loop {
                let pending = self.pending(t);
                match pending {
                    Pending::Store { .. } | Pending::Fence(_) | Pending::Unlock { .. } => {
                        self.push(t, pending, INIT)?;
                    }
                    _ => break,
                }
            }
        }
        Ok(())
    }

    /// Whether thread `t` stands at the load of an `await` that `value` does not satisfy.
    fn would_stop(&mut self, t: usize, value: Value) -> bool {
        let mut cursor = self.cursors[t];
        if !self.awaits[t][cursor.pc as usize] {
            return false;
        }
        self.scratch
            .copy_from_slice(&self.regs[t * self.stride..][..self.stride]);
        take(self.program, t as u8, &mut cursor, &mut self.scratch, value);
        advance(self.program, t as u8, &mut cursor, &mut self.scratch)
            == Pending::Stopped(Stop::Await)
    }
}

/// Which loads of a thread belong to an `await`: those with its test before the next event.
fn await_loads(thread: &crate::program::Thread) -> Vec<bool> {
    let mut found = vec![false; thread.code.len()];
    for (pc, instr) in thread.code.iter().enumerate() {
        if matches!(instr, Instr::Load { .. }) {
            found[pc] = thread.code[pc + 1..]
                .iter()
                .take_while(|i| {
                    !matches!(
                        i,
                        Instr::Load { .. }
                            | Instr::Store { .. }
                            | Instr::Rmw { .. }
                            | Instr::Fence(_)
                            | Instr::Lock(_)
                            | Instr::Unlock(_)
                            | Instr::Return
                    )
                })
                .any(|i| matches!(i, Instr::AwaitTest(_)));
        }
    }
    found
}
