//! The log: a file when one is asked for, and the client's log window; never standard output.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

pub use crate::protocol::settings::Level;

/// Cheap to clone; all clones write to one place.
#[derive(Debug, Clone)]
pub struct Log {
    inner: Arc<Mutex<Inner>>,
    start: Instant,
}

#[derive(Debug)]
struct Inner {
    level: Level,
    file: Option<File>,
}

impl Log {
    pub fn off() -> Log {
        Log {
            inner: Arc::new(Mutex::new(Inner {
                level: Level::Off,
                file: None,
            })),
            start: Instant::now(),
        }
    }

    pub fn configure(&self, level: Level) {
        self.lock().level = level;
    }

    /// Adds a file; says why it cannot.
    pub fn open(&self, path: &Path) -> Result<(), String> {
        let file = File::options()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|error| {
                format!("the log file {} cannot be opened: {error}", path.display())
            })?;
        self.lock().file = Some(file);
        Ok(())
    }

    pub fn level(&self) -> Level {
        self.lock().level
    }

    pub fn write(&self, level: Level, message: &str) {
        self.write_with(level, || message.to_owned());
    }

    /// As [`Log::write`]; the message is made only when somebody reads it.
    pub fn write_with(&self, level: Level, message: impl FnOnce() -> String) {
        let mut inner = self.lock();
        if level == Level::Off || level > inner.level {
            return;
        }
        if let Some(file) = &mut inner.file {
            let seconds = self.start.elapsed().as_secs_f64();
            // A full disk must not stop the server; there is nowhere else to say so.
            let _ = writeln!(file, "[{seconds:10.4}] {level:?} {}", message());
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_asked_for_reaches_the_file() {
        let path = std::env::temp_dir().join(format!("fencepost-log-{}", std::process::id()));
        let log = Log::off();
        log.open(&path).unwrap();
        log.write(Level::Error, "nobody asked");
        log.configure(Level::Info);
        log.write(Level::Info, "told");
        log.write(Level::Debug, "too much");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(text.contains("told"), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(log.open(Path::new("/no/such/folder/log")).is_err());
    }
}
