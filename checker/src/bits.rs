//! Fixed-size sets of events: a row of an order is `W` machine words.

use std::ops::{BitAnd, BitOr, BitOrAssign};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bits<const W: usize>([u64; W]);

impl<const W: usize> Bits<W> {
    pub const EMPTY: Bits<W> = Bits([0; W]);
    pub const CAPACITY: usize = W * 64;

    /// The first `n` members.
    #[inline(always)]
    pub fn prefix(n: usize) -> Self {
        let mut b = Self::EMPTY;
        for (k, word) in b.0.iter_mut().enumerate() {
            let low = k * 64;
            if n >= low + 64 {
                *word = u64::MAX;
            } else if n > low {
                *word = (1 << (n - low)) - 1;
            }
        }
        b
    }

    #[inline(always)]
    pub fn has(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 != 0
    }

    #[inline(always)]
    pub fn set(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    #[inline(always)]
    pub fn with(mut self, i: usize) -> Self {
        self.set(i);
        self
    }

    #[inline(always)]
    pub fn without(mut self, i: usize) -> Self {
        self.0[i / 64] &= !(1 << (i % 64));
        self
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }

    #[inline(always)]
    pub fn within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    #[inline(always)]
    pub fn minus(mut self, other: Self) -> Self {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= !b;
        }
        self
    }

    /// The last member.
    #[inline(always)]
    pub fn last(&self) -> Option<usize> {
        let word = (0..W).rev().find(|k| self.0[*k] != 0)?;
        Some(word * 64 + 63 - self.0[word].leading_zeros() as usize)
    }

    /// The members, ascending.
    #[inline(always)]
    pub fn iter(self) -> Members<W> {
        Members {
            bits: self,
            word: 0,
        }
    }
}

pub struct Members<const W: usize> {
    bits: Bits<W>,
    word: usize,
}

impl<const W: usize> Iterator for Members<W> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.word < W {
            let w = self.bits.0[self.word];
            if w != 0 {
                self.bits.0[self.word] = w & (w - 1);
                return Some(self.word * 64 + w.trailing_zeros() as usize);
            }
            self.word += 1;
        }
        None
    }
}

impl<const W: usize> BitOr for Bits<W> {
    type Output = Self;
    #[inline(always)]
    fn bitor(mut self, other: Self) -> Self {
        self |= other;
        self
    }
}

impl<const W: usize> BitOrAssign for Bits<W> {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }
}

impl<const W: usize> BitAnd for Bits<W> {
    type Output = Self;
    #[inline(always)]
    fn bitand(mut self, other: Self) -> Self {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= b;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_back_in_order() {
        let mut b = Bits::<2>::EMPTY;
        for i in [0, 5, 63, 64, 127] {
            b.set(i);
        }
        assert_eq!(b.iter().collect::<Vec<_>>(), [0, 5, 63, 64, 127]);
        assert_eq!(
            b.minus(Bits::prefix(64)).iter().collect::<Vec<_>>(),
            [64, 127]
        );
        assert!(Bits::<2>::prefix(65).has(64) && !Bits::<2>::prefix(65).has(65));
        assert!(Bits::<2>::prefix(128).has(127) && Bits::<2>::prefix(0).is_empty());
    }
}
