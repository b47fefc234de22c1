//! What runs the server here: tower-lsp reads and writes, tokio knows the time.

use std::convert::Infallible;
use std::io::BufReader;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::stream::BoxStream;
use tokio::sync::oneshot;
use tower_lsp::Loopback;
use tower_lsp::jsonrpc::{Request, Response};
use tower_service::Service;

use super::log::Log;
use super::outbox::{Alarm, Outbox, Outside};
use super::server::Server;
use super::transport::{self, Ending, Output, OutputEnd};
use super::{commands, publish};

/// Requests in flight; more than any client has, so that an edit or a cancel never waits
/// behind a slow answer.
const CONCURRENCY: usize = 1024;
/// How long the last messages may take to reach a client that has left.
const FAREWELL: Duration = Duration::from_millis(500);

/// Speaks the protocol on standard input and output until the client leaves.
pub fn run() -> ExitCode {
    let Ok(runtime) = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
    else {
        return ExitCode::FAILURE;
    };
    let log = Log::off();
    let ending = Arc::new(Ending::default());
    let (output, writer) = Output::start(std::io::stdout(), ending.clone());
    let input = transport::start_input(
        BufReader::new(std::io::stdin()),
        output.clone(),
        ending.clone(),
        log.clone(),
    );
    let (messages, sent) = unbounded();
    let (alarms, mut set) = unbounded();
    let waiting = Arc::new(AtomicUsize::new(0));
    let outside = Here {
        messages,
        waiting: waiting.clone(),
        alarms,
        output: output.clone(),
    };
    let server = Arc::new(Server::new(Outbox::new(Arc::new(outside)), log));
    publish::start(server.clone());
    let (answers, mut answered) = unbounded();
    let socket = Socket {
        messages: sent,
        waiting,
        answers,
    };
    let listening = server.clone();
    runtime.spawn(async move {
        while let Some(response) = answered.next().await {
            listening.answered(response);
        }
    });
    let waking = server.clone();
    runtime.spawn(async move {
        while let Some((delay, alarm)) = set.next().await {
            let server = waking.clone();
            tokio::spawn(async move {
                tokio::time::sleep(delay).await;
                server.ring(alarm);
            });
        }
    });
    runtime.block_on(async {
        let serving = tower_lsp::Server::new(input, OutputEnd::new(output.clone()), socket)
            .concurrency_level(CONCURRENCY)
            .serve(Messages(server.clone()));
        tokio::pin!(serving);
        tokio::select! {
            () = &mut serving => return,
            () = ending.over.notified() => {}
        }
        // What was asked before the end is still answered, if that does not take long.
        server.cancel(None);
        let _ = tokio::time::timeout(FAREWELL, serving).await;
    });
    server.stop();
    commands::remove_pages();
    let deadline = Instant::now() + FAREWELL;
    while output.backlog() > 0 && !writer.is_finished() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    // The thread that reads may wait in a read for ever; the process ends without it.
    runtime.shutdown_background();
    ExitCode::from(ending.status())
}

/// What comes in, one message after the other.
struct Messages(Arc<Server>);

impl Service<Request> for Messages {
    type Response = Option<Response>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Option<Response>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Request) -> Self::Future {
        let (sender, receiver) = oneshot::channel();
        self.0.receive(message, move |response| {
            // Nobody listens any more when the client has left.
            let _ = sender.send(response);
        });
        // Of a notification there is no answer.
        Box::pin(async { Ok(receiver.await.ok()) })
    }
}

/// Where the server's own messages go.
struct Here {
    messages: UnboundedSender<Request>,
    waiting: Arc<AtomicUsize>,
    alarms: UnboundedSender<(Duration, Alarm)>,
    output: Output,
}

impl Outside for Here {
    fn send(&self, message: Request) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        if self.messages.unbounded_send(message).is_err() {
            // The client is gone; so is everybody who would read it.
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
    }

    fn after(&self, delay: Duration, alarm: Alarm) {
        // At the end nobody is woken any more.
        let _ = self.alarms.unbounded_send((delay, alarm));
    }

    fn backlog(&self) -> usize {
        self.output.backlog() + self.waiting.load(Ordering::SeqCst)
    }
}

/// The other end of [`Here`], and the way back for the client's answers.
struct Socket {
    messages: UnboundedReceiver<Request>,
    waiting: Arc<AtomicUsize>,
    answers: UnboundedSender<Response>,
}

impl Loopback for Socket {
    type RequestStream = BoxStream<'static, Request>;
    type ResponseSink = UnboundedSender<Response>;

    fn split(self) -> (Self::RequestStream, Self::ResponseSink) {
        let waiting = self.waiting;
        let taken = self.messages.inspect(move |_| {
            waiting.fetch_sub(1, Ordering::SeqCst);
        });
        (taken.boxed(), self.answers)
    }
}
