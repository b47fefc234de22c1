//! A small pool of threads for checks, apart from the runtime that answers the client.
//!
//! One document never holds all threads: a test that runs until its budget ends must not
//! keep the next file's verdicts waiting.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Exploration recurses on nothing deep, but lowering walks nested syntax.
const STACK: usize = 16 << 20;

/// One piece of work.
pub struct Job {
    /// Whose work it is: jobs of one owner share a limit.
    pub owner: u64,
    /// Smaller is sooner.
    pub priority: u8,
    /// A job whose flag is set before it starts is dropped.
    pub cancel: Arc<AtomicBool>,
    pub run: Box<dyn FnOnce() + Send>,
}

#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<Job>,
    running: HashMap<u64, usize>,
    threads: usize,
    stopped: bool,
}

impl Pool {
    /// With no thread yet: [`Pool::resize`] starts them.
    pub fn new() -> Pool {
        Pool {
            shared: Arc::new(Shared {
                queue: Mutex::default(),
                wake: Condvar::new(),
            }),
        }
    }

    /// As many threads as the machine has cores, but two at least, so that one long check
    /// leaves room, and eight at most.
    pub fn default_threads() -> usize {
        thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 8))
    }

    /// Starts threads up to `threads`; fewer than there are changes nothing.
    pub fn resize(&self, threads: usize) {
        let mut queue = self.lock();
        while queue.threads < threads && !queue.stopped {
            let shared = self.shared.clone();
            let name = format!("check-{}", queue.threads);
            let started = thread::Builder::new()
                .name(name)
                .stack_size(STACK)
                .spawn(move || work(&shared));
            if started.is_err() {
                return;
            }
            queue.threads += 1;
        }
    }

    pub fn push(&self, job: Job) {
        let mut queue = self.lock();
        if !queue.stopped {
            // Equal priorities keep their order.
            let at = queue
                .waiting
                .partition_point(|other| other.priority <= job.priority);
            queue.waiting.insert(at, job);
            self.shared.wake.notify_all();
        }
    }

    /// Drops what waits and takes nothing more. Running jobs end by their own flags.
    pub fn stop(&self) {
        let mut queue = self.lock();
        queue.stopped = true;
        queue.waiting.clear();
        self.shared.wake.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        lock(&self.shared)
    }
}

impl Default for Pool {
    fn default() -> Self {
        Pool::new()
    }
}

/// Work that somebody waits for, on a thread of its own: it must not queue behind checks.
pub fn beside(work: impl FnOnce() + Send + 'static) {
    let started = thread::Builder::new().stack_size(STACK).spawn(work);
    debug_assert!(started.is_ok(), "a thread more can start");
}

fn lock(shared: &Shared) -> MutexGuard<'_, Queue> {
    shared.queue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Queue {
    /// The first job whose owner has a thread to spare.
    fn take(&mut self) -> Option<Job> {
        self.waiting
            .retain(|job| !job.cancel.load(Ordering::Relaxed));
        let limit = self.threads.saturating_sub(1).max(1);
        let at = self
            .waiting
            .iter()
            .position(|job| self.running.get(&job.owner).copied().unwrap_or(0) < limit)?;
        let job = self.waiting.remove(at);
        *self.running.entry(job.owner).or_default() += 1;
        Some(job)
    }

    fn done(&mut self, owner: u64) {
        if let Some(count) = self.running.get_mut(&owner) {
            *count -= 1;
            if *count == 0 {
                self.running.remove(&owner);
            }
        }
    }
}

fn work(shared: &Shared) {
    let mut queue = lock(shared);
    loop {
        if queue.stopped {
            return;
        }
        let Some(job) = queue.take() else {
            queue = shared
                .wake
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        drop(queue);
        let owner = job.owner;
        // What a check reports about its own panic is its own business; this one keeps the
        // thread alive whatever the job is.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job.run));
        queue = lock(shared);
        queue.done(owner);
        shared.wake.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const SOON: Duration = Duration::from_secs(10);

    fn job(owner: u64, priority: u8, run: impl FnOnce() + Send + 'static) -> Job {
        Job {
            owner,
            priority,
            cancel: Arc::default(),
            run: Box::new(run),
        }
    }

    #[test]
    fn cheap_jobs_come_first_and_cancelled_ones_never() {
        let pool = Pool::new();
        let (sender, receiver) = mpsc::channel();
        let send = |n: u8| {
            let sender = sender.clone();
            move || sender.send(n).unwrap()
        };
        pool.push(job(1, 2, send(2)));
        pool.push(job(2, 1, send(1)));
        pool.push(Job {
            cancel: Arc::new(AtomicBool::new(true)),
            ..job(3, 0, send(0))
        });
        pool.push(job(4, 3, send(3)));
        pool.resize(1);
        let order: Vec<u8> = (0..3)
            .map(|_| receiver.recv_timeout(SOON).unwrap())
            .collect();
        assert_eq!(order, [1, 2, 3]);
        pool.stop();
    }

    #[test]
    fn one_owner_leaves_a_thread_for_others_and_a_panic_costs_no_thread() {
        let pool = Pool::new();
        pool.resize(2);
        let (sender, receiver) = mpsc::channel();
        let (hold, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        for _ in 0..2 {
            let held = held.clone();
            pool.push(job(1, 0, move || {
                let _ = held.lock().unwrap().recv_timeout(SOON);
            }));
        }
        pool.push(job(2, 9, || panic!("injected by a test")));
        pool.push(job(2, 9, move || sender.send(()).unwrap()));
        receiver
            .recv_timeout(SOON)
            .expect("the other owner's job runs while the first owner's hold on");
        drop(hold);
        pool.stop();
    }
}
