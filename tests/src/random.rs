//! Random tests in every dialect, from a seed: the same seed gives the same text.

mod blanks;
mod c;
mod herd;
mod native;

pub use blanks::Blanks;

/// A small random number generator (splitmix64): no dependency, and a seed that a
/// failing test prints is enough to see the failure again.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// A native test without an error in it, with blanks as `blanks` says.
pub fn native(seed: u64, blanks: Blanks) -> String {
    let mut random = Random::new(seed);
    let tokens = native::tokens(&mut random);
    blanks::join(&mut random, &tokens, blanks, blanks::Dialect::Native)
}

/// A C test without an error in it, with blanks as `blanks` says.
pub fn c(seed: u64, blanks: Blanks) -> String {
    let mut random = Random::new(seed);
    let tokens = c::tokens(&mut random);
    blanks::join(&mut random, &tokens, blanks, blanks::Dialect::C)
}

/// A herd test without an error in it, with blanks as `blanks` says.
pub fn herd(seed: u64, blanks: Blanks) -> String {
    let mut random = Random::new(seed);
    let tokens = herd::tokens(&mut random);
    blanks::join(&mut random, &tokens, blanks, blanks::Dialect::Herd)
}
