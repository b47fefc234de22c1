//! The shape of a thread's code: its loops, the order its unrolled steps come in, and which
//! registers still matter where.

use crate::program::{Address, Instr, Operand, Pc, RegId, Thread};

/// Where an unrolled step stands: (loop head, iteration) of each loop around, outermost
/// first, then the pc. In lexicographic order a step comes after all that lead to it.
pub type Path = Vec<u32>;

#[derive(Debug)]
pub struct Flow {
    /// The loops, by head: the code from the head to the last jump back to it. Of two, one is
    /// within the other or they are apart.
    loops: Vec<(Pc, Pc)>,
    /// The registers whose value can still matter at each pc: a row of bits, one pc after the
    /// other, and one more for the end.
    live: Vec<u64>,
    row: usize,
    /// The registers that count the iterations of loops.
    counters: Vec<RegId>,
}

/// Rows of live registers may take this many words; a thread with more is not unrolled.
const MAX_LIVE_WORDS: usize = 1 << 23;

impl Flow {
    /// None when the thread is too long for it. `observed` are the registers that matter at
    /// the end.
    pub fn new(thread: &Thread, observed: impl Iterator<Item = RegId>) -> Option<Flow> {
        let row = thread.regs.len().div_ceil(64);
        let length = thread.code.len() + 1;
        if row * length > MAX_LIVE_WORDS {
            return None;
        }
        let mut flow = Flow {
            loops: loops(&thread.code),
            live: vec![0; row * length],
            row,
            counters: thread.code.iter().filter_map(counter).collect(),
        };
        flow.counters.sort_unstable();
        flow.counters.dedup();
        let end = thread.code.len() * row;
        for reg in observed {
            flow.live[end + reg as usize / 64] |= 1 << (reg % 64);
        }
        while flow.spread(&thread.code) {}
        Some(flow)
    }

    /// The step at `to` that follows the one at `from`, which stands at `path`.
    pub fn next(&self, path: &[u32], from: Pc, to: Pc) -> Path {
        let mut next = Path::with_capacity(path.len());
        for (depth, &(head, _)) in self.around(to).enumerate() {
            let known = path.get(2 * depth..2 * depth + 2).filter(|_| {
                // The pc itself is the path's last.
                2 * depth + 2 < path.len() && path[2 * depth] == head
            });
            let iteration = match known {
                Some(known) if to == head && to <= from => known[1] + 1,
                Some(known) => known[1],
                None => 0,
            };
            next.extend([head, iteration]);
        }
        next.push(to);
        next
    }

    fn around(&self, pc: Pc) -> impl Iterator<Item = &(Pc, Pc)> {
        self.loops
            .iter()
            .filter(move |(head, last)| (*head..=*last).contains(&pc))
    }

    pub fn is_live(&self, pc: Pc, reg: RegId) -> bool {
        self.live[pc as usize * self.row + reg as usize / 64] >> (reg % 64) & 1 != 0
    }

    /// The counters that matter at a pc.
    pub fn counters(&self, pc: Pc) -> impl Iterator<Item = RegId> {
        self.counters
            .iter()
            .copied()
            .filter(move |&reg| self.is_live(pc, reg))
    }

    /// One pass of the usual dataflow, from the end; whether it changed anything.
    fn spread(&mut self, code: &[Instr]) -> bool {
        let mut changed = false;
        let mut live = vec![0; self.row];
        for (pc, instr) in code.iter().enumerate().rev() {
            live.fill(0);
            for next in successors(instr, pc as Pc, code.len()) {
                let at = next as usize * self.row;
                for (word, more) in live.iter_mut().zip(&self.live[at..]) {
                    *word |= more;
                }
            }
            let (reads, writes) = registers(instr);
            if let Some(reg) = writes {
                live[reg as usize / 64] &= !(1 << (reg % 64));
            }
            for reg in reads.into_iter().flatten() {
                live[reg as usize / 64] |= 1 << (reg % 64);
            }
            let own = &mut self.live[pc * self.row..(pc + 1) * self.row];
            if own != live {
                own.copy_from_slice(&live);
                changed = true;
            }
        }
        changed
    }
}

fn counter(instr: &Instr) -> Option<RegId> {
    match instr {
        Instr::Bound { counter, .. } => Some(*counter),
        _ => None,
    }
}

/// Every stretch of code that is jumped back over; those that overlap are made to nest.
fn loops(code: &[Instr]) -> Vec<(Pc, Pc)> {
    let mut loops: Vec<(Pc, Pc)> = Vec::new();
    for (pc, instr) in code.iter().enumerate() {
        let pc = pc as Pc;
        let (Instr::Jump(target) | Instr::JumpIfZero { target, .. }) = *instr else {
            continue;
        };
        if target > pc {
            continue;
        }
        match loops.binary_search_by_key(&target, |l| l.0) {
            Ok(at) => loops[at].1 = pc,
            Err(at) => loops.insert(at, (target, pc)),
        }
    }
    // From the last to the first: what a loop takes in is final by then.
    for i in (0..loops.len()).rev() {
        for j in i + 1..loops.len() {
            if loops[j].0 <= loops[i].1 {
                loops[i].1 = loops[i].1.max(loops[j].1);
            }
        }
    }
    loops
}

/// Where a step can lead; the end is one past the code.
fn successors(instr: &Instr, pc: Pc, end: usize) -> impl Iterator<Item = Pc> {
    let (one, other) = match *instr {
        Instr::Jump(target) => (target, None),
        Instr::JumpIfZero { target, .. } => (pc + 1, Some(target)),
        Instr::Return => (end as Pc, None),
        _ => (pc + 1, None),
    };
    [Some(one), other].into_iter().flatten()
}

/// The registers an instruction reads and the one it writes.
fn registers(instr: &Instr) -> ([Option<RegId>; 3], Option<RegId>) {
    let reg = |operand: Operand| match operand {
        Operand::Reg(reg) => Some(reg),
        Operand::Const(_) => None,
    };
    let index = |addr: Address| match addr {
        Address::Fixed(_) => None,
        Address::Element { index, .. } => reg(index),
        Address::Pointer(pointer) => reg(pointer),
    };
    match *instr {
        Instr::Load { dst, addr } => ([index(addr), None, None], Some(dst)),
        Instr::Store { addr, value } => ([index(addr), reg(value), None], None),
        Instr::Rmw {
            dst,
            addr,
            value,
            expected,
            ..
        } => ([index(addr), reg(value), reg(expected)], Some(dst)),
        Instr::Assign { dst, a, b, .. } => ([reg(a), reg(b), None], Some(dst)),
        Instr::Bound { counter, .. } => ([Some(counter), None, None], Some(counter)),
        Instr::JumpIfZero { cond, .. }
        | Instr::Assert(cond)
        | Instr::Assume(cond)
        | Instr::AwaitTest(cond) => ([reg(cond), None, None], None),
        Instr::Fence(_) | Instr::Lock(_) | Instr::Unlock(_) | Instr::Jump(_) | Instr::Return => {
            ([None; 3], None)
        }
    }
}
