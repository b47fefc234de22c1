//! The thread that tells the client what changed: diagnostics, status, "ask again".
//!
//! Everybody marks a document as changed; this thread looks at its newest state. However
//! fast edits come, and however slowly the client reads, no queue grows.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tower_lsp::lsp_types::notification::PublishDiagnostics;
use tower_lsp::lsp_types::request::{CodeLensRefresh, InlayHintRefreshRequest};
use tower_lsp::lsp_types::{MessageType, PublishDiagnosticsParams, Url};

use super::custom;
use super::features::diagnostics;
use super::server::Server;
use super::view::View;
use crate::analysis::guarded;
use crate::protocol::requests::Status;

/// The documents with news.
#[derive(Debug, Default)]
pub struct Dirty {
    inner: Mutex<Inner>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    /// In order of their first mark; whether results are among the news.
    marked: Vec<(Url, bool)>,
    stopped: bool,
}

impl Dirty {
    pub fn mark(&self, uri: &Url, results: bool) {
        let mut inner = self.lock();
        match inner.marked.iter_mut().find(|(marked, _)| marked == uri) {
            Some((_, before)) => *before |= results,
            None => inner.marked.push((uri.clone(), results)),
        }
        self.wake.notify_one();
    }

    pub fn stop(&self) {
        self.lock().stopped = true;
        self.wake.notify_one();
    }

    /// Waits for news; `None` when there will be none.
    fn take(&self) -> Option<Vec<(Url, bool)>> {
        let mut inner = self.lock();
        loop {
            if inner.stopped {
                return None;
            }
            if !inner.marked.is_empty() {
                return Some(std::mem::take(&mut inner.marked));
            }
            inner = self
                .wake
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Messages the client may leave unread before news wait.
const BACKLOG: usize = 32;
const PAUSE: Duration = Duration::from_millis(2);
/// The parser walks nested syntax on this thread.
const STACK: usize = 16 << 20;

/// Starts the thread; it ends with [`Dirty::stop`].
pub fn start(server: Arc<Server>) {
    let work = move || {
        let mut publisher = Publisher {
            server,
            told: HashMap::new(),
        };
        publisher.run();
    };
    let started = thread::Builder::new()
        .name("publish".to_owned())
        .stack_size(STACK)
        .spawn(work);
    debug_assert!(started.is_ok(), "the first threads of a process can start");
}

struct Publisher {
    server: Arc<Server>,
    /// The last status of each document.
    told: HashMap<Url, Status>,
}

impl Publisher {
    fn run(&mut self) {
        while let Some(marked) = self.server.dirty.take() {
            let results = marked.iter().any(|(_, results)| *results);
            for (uri, _) in marked {
                self.wait_for_reader();
                self.publish(&uri);
            }
            if results {
                self.refresh();
            }
        }
    }

    fn wait_for_reader(&self) {
        while self.server.outbox.backlog() > BACKLOG {
            if self.server.dirty.lock().stopped {
                return;
            }
            thread::sleep(PAUSE);
        }
    }

    fn publish(&mut self, uri: &Url) {
        let outbox = &self.server.outbox;
        let Some(view) = self.server.view(uri) else {
            let none = PublishDiagnosticsParams::new(uri.clone(), Vec::new(), None);
            outbox.notify::<PublishDiagnostics>(none);
            if self.told.remove(uri).is_some() {
                outbox.status(&custom::closed(uri));
            }
            return;
        };
        match guarded(|| diagnostics::all(&view)) {
            Ok(diagnostics) => {
                let version = Some(view.snapshot.version);
                outbox.notify::<PublishDiagnostics>(PublishDiagnosticsParams::new(
                    uri.clone(),
                    diagnostics,
                    version,
                ));
                self.tell_status(&view);
            }
            Err(why) => self.server.tell(
                MessageType::ERROR,
                format!("{}: the analysis failed: {why}", view.snapshot.file_name()),
            ),
        }
    }

    fn tell_status(&mut self, view: &View) {
        if !view.client.status {
            return;
        }
        let status = custom::status(view);
        if self.told.get(view.uri()) != Some(&status) {
            self.server.outbox.status(&status);
            self.told.insert(view.uri().clone(), status);
        }
    }

    fn refresh(&self) {
        let client = self.server.lock().client.clone();
        if client.refresh_lenses {
            self.server.outbox.refresh::<CodeLensRefresh>();
        }
        if client.refresh_hints {
            self.server.outbox.refresh::<InlayHintRefreshRequest>();
        }
    }
}
