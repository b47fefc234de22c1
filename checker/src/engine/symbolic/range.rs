//! The values a term can have: an interval each, so that no bit is spent on what cannot be.
//!
//! What is read comes from what is written, and that from what was read before. A chain of
//! reads-from meets each write at most once, so as many rounds as there are writes are enough,
//! whether or not the intervals have settled by then.

use super::sources::Sources;
use super::term::{EventIndex, Node, Term, Terms};
use super::unroll::Unrolled;
use crate::program::{LocId, Op, Program, Value};
use crate::report::{Budget, Completeness};
use crate::thread::apply;

/// From the least to the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub low: Value,
    pub high: Value,
}

impl Range {
    const ANY: Range = Range {
        low: Value::MIN,
        high: Value::MAX,
    };

    pub fn only(value: Value) -> Range {
        Range {
            low: value,
            high: value,
        }
    }

    pub fn has(self, value: Value) -> bool {
        (self.low..=self.high).contains(&value)
    }

    pub fn known(self) -> Option<Value> {
        (self.low == self.high).then_some(self.low)
    }

    /// Bits in two's complement, the sign included.
    pub fn width(self) -> usize {
        let bits = |value: Value| 65 - (value ^ (value >> 63)).leading_zeros() as usize;
        bits(self.low).max(bits(self.high))
    }

    pub fn join(self, other: Range) -> Range {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// All values of so many bits.
    fn of_width(width: usize) -> Range {
        let low = Value::MIN >> (64 - width);
        Range { low, high: !low }
    }

    /// The exact results, unless one wraps.
    fn exact(low: i128, high: i128) -> Range {
        match (Value::try_from(low), Value::try_from(high)) {
            (Ok(low), Ok(high)) => Range { low, high },
            _ => Range::ANY,
        }
    }

    fn magnitude(self) -> i128 {
        i128::from(self.low).abs().max(i128::from(self.high).abs())
    }

    fn bool(can_be_false: bool, can_be_true: bool) -> Range {
        Range {
            low: Value::from(!can_be_false),
            high: Value::from(can_be_true),
        }
    }
}

/// The range of every term of a program.
#[derive(Debug)]
pub struct Ranges {
    terms: Vec<Range>,
    reads: Vec<Range>,
    finals: Vec<Range>,
}

impl Ranges {
    pub fn new(
        program: &Program,
        unrolled: &Unrolled,
        sources: &Sources,
        budget: &mut Budget,
    ) -> Result<Ranges, Completeness> {
        let events = &unrolled.events;
        let writes = sources.writes().len();
        // Before the first round everything reads the initial values.
        let initial = |loc: LocId| Range::only(program.locations[loc as usize].init);
        let mut ranges = Ranges {
            terms: Vec::new(),
            reads: events
                .iter()
                .map(|event| {
                    let initials = event.places.iter().map(|(loc, _)| initial(*loc));
                    initials.reduce(Range::join).unwrap_or(Range::only(0))
                })
                .collect(),
            finals: (0..program.locations.len())
                .map(|loc| initial(loc as LocId))
                .collect(),
        };
        for _ in 0..=writes {
            if let Some(reason) = budget.interrupted() {
                return Err(reason);
            }
            ranges.terms.clear();
            ranges.extend(&unrolled.terms);
            let mut changed = false;
            for read in sources.reads() {
                let read_at = read.event as usize;
                let mut range = ranges.reads[read_at];
                for &source in &read.from {
                    range = range.join(ranges.of(events[source as usize].value));
                }
                changed |= range != ranges.reads[read_at];
                ranges.reads[read_at] = range;
            }
            for &write in sources.writes() {
                let event = &events[write as usize];
                for &(loc, at) in &event.places {
                    if ranges.of(at).has(1) {
                        let range = ranges.of(event.value);
                        let end = &mut ranges.finals[loc as usize];
                        *end = end.join(range);
                    }
                }
            }
            if !changed {
                break;
            }
        }
        ranges.terms.clear();
        ranges.extend(&unrolled.terms);
        Ok(ranges)
    }

    /// Adds the ranges of the terms that were made since.
    pub fn extend(&mut self, terms: &Terms) {
        for term in self.terms.len()..terms.len() {
            let range = match terms.node(term as Term) {
                Node::Const(value) => Range::only(value),
                Node::Read(event) => self.read(event),
                Node::Taken(_) => Range::bool(true, true),
                Node::Final(loc) => self.finals[loc as usize],
                Node::Op(op, a, b) => operate(op, self.of(a), self.of(b)),
                Node::Choose(cond, a, b) => match self.of(cond).known() {
                    Some(0) => self.of(b),
                    Some(_) => self.of(a),
                    None => self.of(a).join(self.of(b)),
                },
            };
            self.terms.push(range);
        }
    }

    pub fn of(&self, term: Term) -> Range {
        self.terms[term as usize]
    }

    /// What a location can hold.
    pub fn location(&self, loc: LocId) -> Range {
        self.finals[loc as usize]
    }

    fn read(&self, event: EventIndex) -> Range {
        self.reads[event as usize]
    }
}

pub fn operate(op: Op, a: Range, b: Range) -> Range {
    if let (Some(a), Some(b)) = (a.known(), b.known()) {
        // What divides by zero is nobody's value.
        return Range::only(apply(op, a, b).unwrap_or(0));
    }
    let wide = |value: Value| i128::from(value);
    let nonnegative = a.low >= 0 && b.low >= 0;
    match op {
        Op::Mov => a,
        Op::Add => Range::exact(wide(a.low) + wide(b.low), wide(a.high) + wide(b.high)),
        Op::Sub => Range::exact(wide(a.low) - wide(b.high), wide(a.high) - wide(b.low)),
        Op::Mul => {
            let corners = [
                wide(a.low) * wide(b.low),
                wide(a.low) * wide(b.high),
                wide(a.high) * wide(b.low),
                wide(a.high) * wide(b.high),
            ];
            let low = corners.iter().copied().fold(i128::MAX, i128::min);
            let high = corners.iter().copied().fold(i128::MIN, i128::max);
            Range::exact(low, high)
        }
        Op::Div if nonnegative => Range::exact(0, wide(a.high)),
        Op::Div => Range::exact(-a.magnitude(), a.magnitude()),
        Op::Rem => {
            let most = a.magnitude().min((b.magnitude() - 1).max(0));
            let low = if a.low < 0 { -most } else { 0 };
            let high = if a.high > 0 { most } else { 0 };
            Range::exact(low, high)
        }
        Op::And if nonnegative => Range::exact(0, wide(a.high.min(b.high))),
        Op::And if a.low >= 0 => Range::exact(0, wide(a.high)),
        Op::And if b.low >= 0 => Range::exact(0, wide(b.high)),
        Op::Or | Op::Xor if nonnegative => {
            let width = a.width().max(b.width());
            Range::exact(0, wide(Range::of_width(width).high))
        }
        Op::And | Op::Or | Op::Xor => Range::of_width(a.width().max(b.width())),
        Op::Shl => match b.known() {
            Some(by) => {
                let factor = 1i128 << (by & 63);
                Range::exact(wide(a.low) * factor, wide(a.high) * factor)
            }
            None => Range::ANY,
        },
        Op::Shr => match b.known() {
            Some(by) => Range {
                low: a.low >> (by & 63),
                high: a.high >> (by & 63),
            },
            None => Range {
                low: a.low.min(0),
                high: a.high.max(-1),
            },
        },
        Op::ShrU if a.low >= 0 => operate(Op::Shr, a, b),
        Op::ShrU => match b.known() {
            Some(by) if by & 63 != 0 => Range {
                low: 0,
                high: (u64::MAX >> (by & 63)) as Value,
            },
            _ => Range::ANY,
        },
        Op::Eq => {
            let apart = a.high < b.low || b.high < a.low;
            Range::bool(true, !apart)
        }
        Op::Ne => {
            let apart = a.high < b.low || b.high < a.low;
            Range::bool(!apart, true)
        }
        Op::Lt => Range::bool(a.high >= b.low, a.low < b.high),
        Op::Le => Range::bool(a.high > b.low, a.low <= b.high),
        Op::Gt => Range::bool(a.low <= b.high, a.high > b.low),
        Op::Ge => Range::bool(a.low < b.high, a.high >= b.low),
        Op::LtU if nonnegative => operate(Op::Lt, a, b),
        Op::LtU => Range::bool(true, true),
        Op::Not => Range::bool(a != Range::only(0), a.has(0)),
        Op::Com => Range {
            low: !a.high,
            high: !a.low,
        },
        Op::Neg => Range::exact(-wide(a.high), -wide(a.low)),
        Op::Sext | Op::Zext => match b.known() {
            Some(bits @ 1..64) => {
                let range = if op == Op::Sext {
                    Range::of_width(bits as usize)
                } else {
                    Range {
                        low: 0,
                        high: Value::MAX >> (63 - bits),
                    }
                };
                if range.has(a.low) && range.has(a.high) {
                    a
                } else {
                    range
                }
            }
            Some(_) => a,
            None => Range::ANY,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: [Op; 24] = [
        Op::Mov,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Div,
        Op::Rem,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Shl,
        Op::Shr,
        Op::ShrU,
        Op::Eq,
        Op::Ne,
        Op::Lt,
        Op::Le,
        Op::Gt,
        Op::Ge,
        Op::LtU,
        Op::Not,
        Op::Com,
        Op::Neg,
        Op::Sext,
        Op::Zext,
    ];

    #[test]
    fn every_result_is_in_its_range() {
        let mut random = fastrand::Rng::with_seed(7);
        let edges = [Value::MIN, Value::MAX, -1, 0, 1, 63, 64, 1 << 40];
        let mut value = || match random.u8(..) % 4 {
            0 => edges[random.usize(..edges.len())],
            1 => random.i64(..),
            _ => random.i64(-9..10),
        };
        for _ in 0..20_000 {
            let (a, b, c, d) = (value(), value(), value(), value());
            let first = Range::only(a).join(Range::only(b));
            let second = Range::only(c).join(Range::only(d));
            for op in OPS {
                let range = operate(op, first, second);
                for x in [a, b] {
                    for y in [c, d] {
                        let Some(result) = apply(op, x, y) else {
                            continue;
                        };
                        assert!(range.has(result), "{op:?} {x} {y}: {result} in {range:?}");
                        let width = range.width();
                        assert!(Range::of_width(width).has(result), "{width} bits: {result}");
                    }
                }
            }
        }
    }
}
