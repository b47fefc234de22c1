//! A progress bar on standard error, only where that is a terminal.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::render::words::thousands;

/// Short runs need none.
const DELAY: Duration = Duration::from_millis(250);
const INTERVAL: Duration = Duration::from_millis(80);
const BAR: usize = 24;

pub struct Progress {
    enabled: bool,
    unicode: bool,
    total: usize,
    started: Instant,
    drawn: Option<Instant>,
}

impl Progress {
    pub fn new(enabled: bool, unicode: bool, total: usize) -> Progress {
        Progress {
            enabled: enabled && total > 1,
            unicode,
            total,
            started: Instant::now(),
            drawn: None,
        }
    }

    pub fn show(&mut self, done: usize) {
        let now = Instant::now();
        let due = match self.drawn {
            None => now >= self.started + DELAY,
            Some(last) => now >= last + INTERVAL,
        };
        if !self.enabled || !due {
            return;
        }
        self.drawn = Some(now);
        let line = bar(self.unicode, done, self.total);
        // A bar that cannot be drawn is no reason to stop.
        let _ = write!(io::stderr(), "\r{line}\x1b[K");
    }

    /// Takes the bar away, before something else is written.
    pub fn clear(&self) {
        if self.drawn.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn bar(unicode: bool, done: usize, total: usize) -> String {
    let filled = BAR * done / total.max(1);
    let (full, empty) = if unicode { ("█", "░") } else { ("#", ".") };
    format!(
        "{}{} {} of {} tests",
        full.repeat(filled),
        empty.repeat(BAR - filled),
        thousands(done as u64),
        thousands(total as u64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills() {
        assert_eq!(bar(false, 0, 4), "........................ 0 of 4 tests");
        assert_eq!(
            bar(false, 1000, 2000),
            "############............ 1,000 of 2,000 tests"
        );
        assert_eq!(bar(true, 4, 4), "████████████████████████ 4 of 4 tests");
    }
}
