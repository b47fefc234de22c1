//! The language server: converts, asks the analysis, converts back.
//!
//! `transport` reads and writes; `backend` has the protocol's methods; `server` owns the
//! state; `check` runs jobs on the pool of `jobs`; `publish` tells the client what changed;
//! `features` has one pure function a surface, from a [`view::View`] to protocol types.

use std::io::BufReader;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod anchors;
mod backend;
mod capabilities;
mod check;
mod commands;
mod custom;
mod document;
mod features;
mod insights;
mod jobs;
mod later;
mod log;
mod outbox;
mod params;
mod positions;
mod progress;
mod publish;
mod results;
mod server;
mod settings;
mod suggest;
mod transport;
mod verdicts;
mod view;

use backend::Backend;
use log::Log;
use outbox::Outbox;
use server::Server;
use transport::{Ending, Output, OutputEnd};

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
    let (outbox, messages) = Outbox::new();
    let (service, socket, server) = Backend::service(|client| {
        let handle = runtime.handle().clone();
        runtime.spawn(outbox.clone().deliver(client.clone(), messages));
        Arc::new(Server::new(client, outbox, log, handle))
    });
    publish::start(server.clone(), output.clone());
    runtime.block_on(async {
        let serving = tower_lsp::Server::new(input, OutputEnd::new(output.clone()), socket)
            .concurrency_level(CONCURRENCY)
            .serve(service);
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
