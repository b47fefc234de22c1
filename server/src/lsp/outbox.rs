//! What the server says on its own: sent by one task, in order, and never from a handler.
//!
//! A handler that awaits the client can stop the reader that would bring the answer, so
//! handlers and threads only put messages here.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tokio::sync::mpsc;
use tower_lsp::Client;
use tower_lsp::lsp_types::notification::{LogTrace, Notification};
use tower_lsp::lsp_types::{LogTraceParams, MessageType, PublishDiagnosticsParams};

use crate::protocol::{self, requests};

/// `fencepost/status`
pub enum Status {}

impl Notification for Status {
    type Params = Value;
    const METHOD: &'static str = requests::STATUS;
}

#[derive(Debug)]
pub enum Message {
    Diagnostics(PublishDiagnosticsParams),
    Status(requests::Status),
    Log(MessageType, String),
    Show(MessageType, String),
    Trace(String),
    /// Lenses and hints are to be asked for again.
    Refresh(Surfaces),
}

/// What the client can be asked to ask for again.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surfaces {
    pub lenses: bool,
    pub hints: bool,
    pub tokens: bool,
}

#[derive(Debug, Clone)]
pub struct Outbox {
    sender: mpsc::UnboundedSender<Message>,
    waiting: Arc<AtomicUsize>,
}

impl Outbox {
    pub fn new() -> (Outbox, mpsc::UnboundedReceiver<Message>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let outbox = Outbox {
            sender,
            waiting: Arc::default(),
        };
        (outbox, receiver)
    }

    pub fn send(&self, message: Message) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        if self.sender.send(message).is_err() {
            // The client is gone; so is everybody who would read it.
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Messages that are not with the client yet.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    /// Sends until the server ends.
    pub async fn deliver(self, client: Client, mut receiver: mpsc::UnboundedReceiver<Message>) {
        let waiting = self.waiting;
        // Its own sender must not keep the channel open.
        drop(self.sender);
        let refresh = Refresh::new(client.clone());
        while let Some(message) = receiver.recv().await {
            match message {
                Message::Diagnostics(params) => {
                    client
                        .publish_diagnostics(params.uri, params.diagnostics, params.version)
                        .await;
                }
                Message::Status(params) => {
                    client
                        .send_notification::<Status>(protocol::json(&params))
                        .await
                }
                Message::Log(kind, text) => client.log_message(kind, text).await,
                Message::Show(kind, text) => client.show_message(kind, text).await,
                Message::Trace(message) => {
                    client
                        .send_notification::<LogTrace>(LogTraceParams {
                            message,
                            verbose: None,
                        })
                        .await;
                }
                Message::Refresh(surfaces) => refresh.ask(surfaces),
            }
            waiting.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// At most one refresh of a kind is with the client; what comes meanwhile is one more.
struct Refresh {
    client: Client,
    lenses: Arc<AtomicUsize>,
    hints: Arc<AtomicUsize>,
    tokens: Arc<AtomicUsize>,
}

impl Refresh {
    fn new(client: Client) -> Refresh {
        Refresh {
            client,
            lenses: Arc::default(),
            hints: Arc::default(),
            tokens: Arc::default(),
        }
    }

    fn ask(&self, surfaces: Surfaces) {
        if surfaces.lenses {
            let client = self.client.clone();
            spawn(&self.lenses, move || {
                let client = client.clone();
                async move { client.code_lens_refresh().await }
            });
        }
        if surfaces.hints {
            let client = self.client.clone();
            spawn(&self.hints, move || {
                let client = client.clone();
                async move { client.inlay_hint_refresh().await }
            });
        }
        if surfaces.tokens {
            let client = self.client.clone();
            spawn(&self.tokens, move || {
                let client = client.clone();
                async move { client.semantic_tokens_refresh().await }
            });
        }
    }
}

/// Runs `ask` now, or once more after the one that is under way.
fn spawn<F, A>(wanted: &Arc<AtomicUsize>, ask: A)
where
    A: Fn() -> F + Send + 'static,
    F: Future<Output = tower_lsp::jsonrpc::Result<()>> + Send,
{
    if wanted.fetch_add(1, Ordering::SeqCst) > 0 {
        return;
    }
    let wanted = wanted.clone();
    tokio::spawn(async move {
        loop {
            let before = wanted.load(Ordering::SeqCst);
            // A client that refuses gets the new lenses when it asks by itself.
            let _ = ask().await;
            if wanted.fetch_sub(before, Ordering::SeqCst) == before {
                return;
            }
        }
    });
}
