//! The processor time of a thread: what a measurement is worth where other things run.

use std::fs;
use std::time::Instant;

/// The time this thread has run; the wall clock where the system does not tell.
pub struct ProcessorTime {
    nanoseconds: Option<u64>,
    wall: Instant,
}

impl ProcessorTime {
    pub fn now() -> Self {
        let schedstat = fs::read_to_string("/proc/thread-self/schedstat").ok();
        ProcessorTime {
            nanoseconds: schedstat.and_then(|s| s.split(' ').next()?.parse().ok()),
            wall: Instant::now(),
        }
    }

    pub fn seconds(&self) -> f64 {
        match (self.nanoseconds, Self::now().nanoseconds) {
            (Some(start), Some(end)) if end > start => (end - start) as f64 / 1e9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}
