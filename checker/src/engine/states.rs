//! A set of encoded states that grows to millions in small steps and is freed at once.
//!
//! A cancel waits for the longest step, so none may touch all states: the codes lie one after
//! another in blocks, and the table is cut into shards that grow each on its own.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Words in the first block. Each has twice as many as the one before, up to `LARGEST`; a code
/// that is longer gets a block of its own.
const SMALLEST: usize = 1 << 8;
const LARGEST: usize = 1 << 16;
const SHARDS: usize = 256;

#[derive(Debug)]
pub struct StateSet {
    /// Each code after its length.
    blocks: Vec<Vec<u32>>,
    shards: Vec<HashTable<Slot>>,
    bytes: usize,
}

/// Where a code begins.
#[derive(Debug, Clone, Copy)]
struct Slot {
    block: u32,
    start: u32,
}

impl StateSet {
    pub fn new() -> StateSet {
        StateSet {
            blocks: Vec::new(),
            shards: vec![HashTable::new(); SHARDS],
            bytes: 0,
        }
    }

    /// Adds a state; false when it was there.
    pub fn insert(&mut self, code: &[u32]) -> bool {
        let hash = hash(code);
        let shard = &mut self.shards[(hash >> 32) as usize % SHARDS];
        let blocks = &self.blocks;
        if shard
            .find(hash, |slot| stored(blocks, *slot) == code)
            .is_some()
        {
            return false;
        }
        let room = self.blocks.last().map_or(0, |b| b.capacity() - b.len());
        if room <= code.len() {
            let usual = SMALLEST << self.blocks.len().min(LARGEST.ilog2() as usize);
            let words = usual.min(LARGEST).max(code.len() + 1);
            self.blocks.push(Vec::with_capacity(words));
            self.bytes += words * size_of::<u32>();
        }
        let block = self.blocks.len() - 1;
        let words = &mut self.blocks[block];
        let slot = Slot {
            block: block as u32,
            start: words.len() as u32,
        };
        words.push(code.len() as u32);
        words.extend_from_slice(code);
        let blocks = &self.blocks;
        let before = shard.capacity();
        shard.insert_unique(hash, slot, |slot| self::hash(stored(blocks, *slot)));
        self.bytes += (shard.capacity() - before) * ENTRY;
        true
    }

    /// Frees the set, a large one aside: whoever cancels does not wait for it.
    pub fn free(self) {
        const LARGE: usize = 64 << 20;
        if self.bytes > LARGE {
            // Without a thread it is freed here.
            let _ = std::thread::Builder::new().spawn(move || drop(self));
        }
    }

    /// Bytes held, about.
    pub fn memory(&self) -> usize {
        self.bytes
    }
}

/// What an entry of a table takes: itself, its tag, and its part of the empty ones.
const ENTRY: usize = (size_of::<Slot>() + 1) * 8 / 7;

fn stored(blocks: &[Vec<u32>], slot: Slot) -> &[u32] {
    let words = &blocks[slot.block as usize][slot.start as usize..];
    &words[1..=words[0] as usize]
}

fn hash(code: &[u32]) -> u64 {
    FxBuildHasher.hash_one(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    #[test]
    fn it_is_a_set_of_codes_of_any_length() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut states = StateSet::new();
        let mut reference: FxHashSet<Vec<u32>> = FxHashSet::default();
        for _ in 0..50_000 {
            let length = rng.usize(0..8);
            let code: Vec<u32> = (0..length).map(|_| rng.u32(0..4)).collect();
            assert_eq!(states.insert(&code), reference.insert(code));
        }
        for length in [LARGEST - 1, LARGEST, 2 * LARGEST] {
            let code = vec![7; length];
            assert!(states.insert(&code));
            assert!(!states.insert(&code));
        }
        assert!(!states.insert(&[]));
        assert!(states.memory() >= 4 * LARGEST * size_of::<u32>());
    }
}
