//! Arithmetic on words of literals.
//!
//! A word is a number in two's complement, as short as its range allows: its last bit is the sign,
//! and stands for all that would follow.

use super::circuit::Circuit;
use super::range::Range;
use super::solver::Lit;
use crate::program::{Op, Value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word(Vec<Lit>);

impl Word {
    pub fn constant(value: Value) -> Word {
        let width = Range::only(value).width();
        Word(
            (0..width)
                .map(|i| Lit::constant(value >> i & 1 != 0))
                .collect(),
        )
    }

    /// 0 or 1.
    pub fn truth(lit: Lit) -> Word {
        Word(vec![lit, Lit::FALSE])
    }

    /// A word of its own for a value in the range.
    pub fn fresh(circuit: &mut Circuit, range: Range) -> Word {
        if let Some(value) = range.known() {
            return Word::constant(value);
        }
        let mut bits: Vec<Lit> = (1..range.width()).map(|_| circuit.solver.fresh()).collect();
        bits.push(if range.low >= 0 {
            Lit::FALSE
        } else if range.high < 0 {
            Lit::TRUE
        } else {
            circuit.solver.fresh()
        });
        Word(bits)
    }

    pub fn width(&self) -> usize {
        self.0.len()
    }

    pub fn bit(&self, i: usize) -> Lit {
        self.0[i.min(self.0.len() - 1)]
    }

    pub fn value(&self, circuit: &Circuit) -> Value {
        (0..64).fold(0, |value, i| {
            value | Value::from(circuit.solver.value(self.bit(i))) << i
        })
    }

    fn resized(&self, width: usize) -> Word {
        Word((0..width).map(|i| self.bit(i)).collect())
    }

    fn sign(&self) -> Lit {
        self.bit(usize::MAX)
    }
}

/// Makes the result of an operation; `range` is what is known about it.
pub fn operate(c: &mut Circuit, op: Op, a: &Word, b: &Word, range: Range) -> Word {
    if let Some(value) = range.known() {
        return Word::constant(value);
    }
    let width = range.width();
    let both = a.width().max(b.width());
    let word = match op {
        Op::Mov => a.clone(),
        Op::Add => add(c, a, b, Lit::FALSE, width),
        Op::Sub => subtract(c, a, b, width),
        Op::Neg => subtract(c, &Word::constant(0), a, width),
        Op::Mul => multiply(c, a, b, width),
        Op::Div => divide(c, a, b).0,
        Op::Rem => divide(c, a, b).1,
        Op::And => bitwise(a, b, |x, y| c.and(x, y)),
        Op::Or => bitwise(a, b, |x, y| c.or(x, y)),
        Op::Xor => bitwise(a, b, |x, y| c.xor(x, y)),
        Op::Com => Word(a.0.iter().map(|bit| !*bit).collect()),
        Op::Shl => shift_left(c, a, b, width),
        Op::Shr => shift_right(c, a, b, a.sign()),
        Op::ShrU => shift_right(c, &a.resized(64), b, Lit::FALSE),
        Op::Eq => Word::truth(equal(c, a, b)),
        Op::Ne => Word::truth(!equal(c, a, b)),
        Op::Lt => Word::truth(less(c, a, b)),
        Op::Le => Word::truth(!less(c, b, a)),
        Op::Gt => Word::truth(less(c, b, a)),
        Op::Ge => Word::truth(!less(c, a, b)),
        // Extending the sign keeps the order of unsigned numbers.
        Op::LtU => Word::truth(less_unsigned(c, &a.resized(both), &b.resized(both))),
        Op::Not => Word::truth(equal(c, a, &Word::constant(0))),
        Op::Sext | Op::Zext => extend(c, op == Op::Sext, a, b),
    };
    word.resized(width)
}

pub fn choose(c: &mut Circuit, cond: Lit, a: &Word, b: &Word, range: Range) -> Word {
    if let Some(value) = range.known() {
        return Word::constant(value);
    }
    Word(
        (0..range.width())
            .map(|i| c.choose(cond, a.bit(i), b.bit(i)))
            .collect(),
    )
}

fn bitwise(a: &Word, b: &Word, mut gate: impl FnMut(Lit, Lit) -> Lit) -> Word {
    let width = a.width().max(b.width());
    Word((0..width).map(|i| gate(a.bit(i), b.bit(i))).collect())
}

fn add(c: &mut Circuit, a: &Word, b: &Word, carry: Lit, width: usize) -> Word {
    let mut carry = carry;
    Word(
        (0..width)
            .map(|i| {
                let sum;
                (sum, carry) = c.full_add(a.bit(i), b.bit(i), carry);
                sum
            })
            .collect(),
    )
}

fn subtract(c: &mut Circuit, a: &Word, b: &Word, width: usize) -> Word {
    let complement = Word(b.0.iter().map(|bit| !*bit).collect());
    add(c, a, &complement, Lit::TRUE, width)
}

fn multiply(c: &mut Circuit, a: &Word, b: &Word, width: usize) -> Word {
    let ones = |word: &Word| (0..width).filter(|&i| word.bit(i) != Lit::FALSE).count();
    let (a, b) = if ones(a) < ones(b) { (b, a) } else { (a, b) };
    let mut sum = Word::constant(0);
    for i in 0..width {
        let by = b.bit(i);
        if by == Lit::FALSE {
            continue;
        }
        let shifted = Word(
            (0..width)
                .map(|k| {
                    if k < i {
                        Lit::FALSE
                    } else {
                        c.and(by, a.bit(k - i))
                    }
                })
                .collect(),
        );
        sum = add(c, &sum, &shifted, Lit::FALSE, width);
    }
    sum
}

/// The quotient and the remainder, rounded towards zero; anything when `b` is 0.
fn divide(c: &mut Circuit, a: &Word, b: &Word) -> (Word, Word) {
    let width = a.width().max(b.width()) + 1;
    let dividend = absolute(c, a, width);
    let divisor = absolute(c, b, width);
    let mut quotient = vec![Lit::FALSE; width];
    let mut rest = Word(vec![Lit::FALSE; width]);
    for i in (0..width).rev() {
        let mut bits = vec![dividend.bit(i)];
        bits.extend(&rest.0[..width - 1]);
        let shifted = Word(bits);
        let fits = !less_unsigned(c, &shifted, &divisor);
        let less = subtract(c, &shifted, &divisor, width);
        quotient[i] = fits;
        rest = Word(
            (0..width)
                .map(|k| c.choose(fits, less.bit(k), shifted.bit(k)))
                .collect(),
        );
    }
    let negative = c.xor(a.sign(), b.sign());
    let quotient = signed(c, &Word(quotient), negative, width);
    (quotient, signed(c, &rest, a.sign(), width))
}

fn absolute(c: &mut Circuit, word: &Word, width: usize) -> Word {
    signed(c, word, word.sign(), width)
}

/// The word, or minus the word.
fn signed(c: &mut Circuit, word: &Word, negative: Lit, width: usize) -> Word {
    let flipped = Word((0..width).map(|i| c.xor(word.bit(i), negative)).collect());
    add(c, &flipped, &Word::constant(0), negative, width)
}

/// How far at most: the low bits of the amount count.
const SHIFT_BITS: usize = 6;

fn shift_left(c: &mut Circuit, a: &Word, b: &Word, width: usize) -> Word {
    let mut word = a.resized(width);
    for stage in 0..SHIFT_BITS {
        let by = 1 << stage;
        word = Word(
            (0..width)
                .map(|i| {
                    let from = if i < by { Lit::FALSE } else { word.bit(i - by) };
                    c.choose(b.bit(stage), from, word.bit(i))
                })
                .collect(),
        );
    }
    word
}

fn shift_right(c: &mut Circuit, a: &Word, b: &Word, fill: Lit) -> Word {
    let mut word = a.clone();
    let width = a.width();
    for stage in 0..SHIFT_BITS {
        let by = 1 << stage;
        word = Word(
            (0..width)
                .map(|i| {
                    let from = if i + by < width {
                        word.bit(i + by)
                    } else {
                        fill
                    };
                    c.choose(b.bit(stage), from, word.bit(i))
                })
                .collect(),
        );
    }
    word
}

fn extend(c: &mut Circuit, sign: bool, a: &Word, b: &Word) -> Word {
    let extended = |bits: usize| {
        let mut word = a.resized(bits);
        if !sign {
            word.0.push(Lit::FALSE);
        }
        word
    };
    let mut result = a.resized(64);
    for bits in 1..64 {
        let chosen = equal(c, b, &Word::constant(bits));
        match chosen.known() {
            Some(true) => return extended(bits as usize),
            Some(false) => {}
            None => {
                let word = extended(bits as usize);
                result = Word(
                    (0..64)
                        .map(|i| c.choose(chosen, word.bit(i), result.bit(i)))
                        .collect(),
                );
            }
        }
    }
    result
}

pub fn equal(c: &mut Circuit, a: &Word, b: &Word) -> Lit {
    let width = a.width().max(b.width());
    let mut all = Lit::TRUE;
    for i in 0..width {
        let differ = c.xor(a.bit(i), b.bit(i));
        all = c.and(all, !differ);
    }
    all
}

fn less(c: &mut Circuit, a: &Word, b: &Word) -> Lit {
    let width = a.width().max(b.width());
    let below = less_unsigned(c, &a.resized(width - 1), &b.resized(width - 1));
    let differ = c.xor(a.sign(), b.sign());
    c.choose(differ, a.sign(), below)
}

/// Of words of the same width.
fn less_unsigned(c: &mut Circuit, a: &Word, b: &Word) -> Lit {
    let mut less = Lit::FALSE;
    for (&x, &y) in a.0.iter().zip(&b.0) {
        let differ = c.xor(x, y);
        less = c.choose(differ, y, less);
    }
    less
}

#[cfg(test)]
mod tests {
    use super::super::solver::{Answer, Solver};
    use super::*;
    use crate::report::Interrupt;
    use crate::thread::apply;

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

    /// What the circuit of an operation makes of two numbers that it is told later.
    fn compute(op: Op, a: Value, b: Value, [range_a, range_b, range]: [Range; 3]) -> Value {
        let mut c = Circuit::new(Solver::new(Interrupt::default(), usize::MAX, None));
        let words = [Word::fresh(&mut c, range_a), Word::fresh(&mut c, range_b)];
        let result = operate(&mut c, op, &words[0], &words[1], range);
        let mut assumptions = Vec::new();
        for (word, value) in words.iter().zip([a, b]) {
            for i in 0..64 {
                let bit = word.bit(i);
                assumptions.push(if value >> i & 1 != 0 { bit } else { !bit });
            }
        }
        assert_eq!(c.solver.solve(&assumptions), Answer::Sat, "{op:?} {a} {b}");
        result.value(&c)
    }

    #[test]
    fn circuits_compute_what_threads_do() {
        let mut random = fastrand::Rng::with_seed(3);
        let edges = [Value::MIN, Value::MAX, -1, 0, 1, 31, 63, 64];
        for round in 0..40 {
            let mut value = || match random.u8(..) % 3 {
                0 => edges[random.usize(..edges.len())],
                1 if round % 4 == 0 => random.i64(..),
                _ => random.i64(-20..20),
            };
            let (a, b, more) = (value(), value(), value());
            let range_a = Range::only(a).join(Range::only(more));
            let range_b = Range::only(b).join(Range::only(value()));
            for op in OPS {
                let Some(expected) = apply(op, a, b) else {
                    continue;
                };
                let range = super::super::range::operate(op, range_a, range_b);
                let found = compute(op, a, b, [range_a, range_b, range]);
                assert_eq!(found, expected, "{op:?} {a} {b} in {range_a:?} {range_b:?}");
            }
        }
    }
}
