//! Runs many jobs on a few threads and hands the results back in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How long after Ctrl-C the running jobs are waited for: they stop within milliseconds,
/// and a person should not have to wait for one that does not.
const PATIENCE: Duration = Duration::from_millis(60);

enum Message<T> {
    Done(usize, T),
    Stop,
}

/// Ends a run early, from any thread.
pub struct Stopper<T>(Mutex<Sender<Message<T>>>);

impl<T> Stopper<T> {
    pub fn stop(&self) {
        if let Ok(sender) = self.0.lock() {
            // The run may have ended already, and then there is nothing to stop.
            let _ = sender.send(Message::Stop);
        }
    }
}

/// A run that has been prepared, so that its stopper can be given away.
pub struct Run<T> {
    sender: Sender<Message<T>>,
    receiver: Receiver<Message<T>>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// How many results were handed over.
    pub done: usize,
    pub stopped: bool,
}

impl<T: Send + 'static> Run<T> {
    pub fn new() -> Run<T> {
        let (sender, receiver) = mpsc::channel();
        Run { sender, receiver }
    }

    pub fn stopper(&self) -> Stopper<T> {
        Stopper(Mutex::new(self.sender.clone()))
    }

    /// Runs jobs `0..count` and gives each result to `take`, in order; `take` also hears
    /// how many jobs have ended. An error of it ends the run.
    pub fn run<E>(
        self,
        count: usize,
        threads: usize,
        job: impl Fn(usize) -> T + Send + Sync + 'static,
        mut take: impl FnMut(usize, Option<T>) -> Result<(), E>,
    ) -> Result<Ended, E> {
        let job = Arc::new(job);
        let next = Arc::new(AtomicUsize::new(0));
        for _ in 0..threads.min(count) {
            let (job, next, sender) = (job.clone(), next.clone(), self.sender.clone());
            thread::spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || sender.send(Message::Done(index, job(index))).is_err() {
                        break;
                    }
                }
            });
        }
        let mut waiting: BTreeMap<usize, T> = BTreeMap::new();
        let mut ended = 0;
        let mut done = 0;
        let mut deadline: Option<Instant> = None;
        while done < count {
            let wait = match deadline {
                Some(deadline) => deadline.saturating_duration_since(Instant::now()),
                None => Duration::from_millis(100),
            };
            match self.receiver.recv_timeout(wait) {
                Ok(Message::Done(index, result)) => {
                    ended += 1;
                    waiting.insert(index, result);
                    while let Some(result) = waiting.remove(&done) {
                        take(ended, Some(result))?;
                        done += 1;
                    }
                }
                Ok(Message::Stop) => {
                    // No new jobs; the running ones have been told by other means.
                    next.store(count, Ordering::Relaxed);
                    deadline.get_or_insert_with(|| Instant::now() + PATIENCE);
                }
                Err(RecvTimeoutError::Timeout) if deadline.is_some() => break,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            take(ended, None)?;
        }
        // Results behind one that never came are still worth showing.
        for result in waiting.into_values() {
            take(ended, Some(result))?;
            done += 1;
        }
        Ok(Ended {
            done,
            stopped: deadline.is_some(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        for threads in [1, 3, 8] {
            let mut seen = Vec::new();
            let ended = Run::new()
                .run(
                    50,
                    threads,
                    |index| {
                        // Later jobs end first.
                        thread::sleep(Duration::from_micros(50 * (50 - index as u64)));
                        index
                    },
                    |_, result| {
                        seen.extend(result);
                        Ok::<(), ()>(())
                    },
                )
                .unwrap();
            assert_eq!(seen, (0..50).collect::<Vec<_>>());
            assert_eq!((ended.done, ended.stopped), (50, false));
        }
    }

    #[test]
    fn a_stop_does_not_wait_for_a_job_that_does_not_end() {
        let run = Run::new();
        let stopper = run.stopper();
        let started = Instant::now();
        let ended = run
            .run(
                3,
                2,
                move |index| {
                    if index == 1 {
                        stopper.stop();
                        thread::sleep(Duration::from_secs(600));
                    }
                    index
                },
                |_, _| Ok::<(), ()>(()),
            )
            .unwrap();
        assert!(ended.stopped && ended.done < 3, "{ended:?}");
        assert!(started.elapsed() < Duration::from_secs(60));
    }
}
