//! The one owner of the state: documents, settings, what the client can do.
//!
//! Everything here is synchronous. Notifications change the state under one short lock with
//! no await in between, so they take effect in the order they came; requests take a
//! [`View`] and work on that; checks return as events and are dropped when what they
//! belong to is gone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fencepost_checker::lower::LowerOptions;
use serde_json::Value;
use tower_lsp::jsonrpc::Response;
use tower_lsp::lsp_types::request::SemanticTokensRefresh;
use tower_lsp::lsp_types::{
    ClientCapabilities, MessageType, TextDocumentContentChangeEvent, TraceValue, Url,
    WorkspaceFolder,
};

use super::capabilities::Client;
use super::document::Document;
use super::jobs::Pool;
use super::log::{Level, Log};
use super::outbox::{Alarm, Outbox};
use super::params::SetParams;
use super::publish::Dirty;
use super::results::Chosen;
use super::route::Requests;
use super::settings::{Run, Settings};
use super::view::View;

/// Injected faults, for tests of how the server bears them.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    /// The model whose check panics.
    pub panic: Option<String>,
}

pub struct Server {
    state: Mutex<State>,
    pub pool: Pool,
    pub dirty: Dirty,
    pub outbox: Outbox,
    pub log: Log,
    pub requests: Requests,
}

#[derive(Default)]
pub struct State {
    pub documents: HashMap<Url, Document>,
    pub settings: Arc<Settings>,
    pub lowering: Arc<LowerOptions>,
    pub client: Arc<Client>,
    pub faults: Faults,
    pub folders: Vec<WorkspaceFolder>,
    /// What lenses have set; a document that is closed and opened again finds it there.
    set_params: HashMap<Url, Arc<SetParams>>,
    /// What `initialize` gave; configuration lies on top of it.
    base: Settings,
    trace: TraceValue,
    last_number: u64,
}

impl State {
    /// A number that was never used before.
    pub fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// The settings with what was set for this document on top.
    fn lowering_of(&self, uri: &Url) -> Arc<LowerOptions> {
        match self.set_params.get(uri) {
            Some(set) => Arc::new(with_params(&self.lowering, set)),
            None => self.lowering.clone(),
        }
    }

    pub fn view(&self, uri: &Url) -> Option<View> {
        let document = self.documents.get(uri)?;
        Some(View {
            snapshot: document.snapshot.clone(),
            results: document.results.clone(),
            chosen: document.chosen.clone(),
            set_params: self.set_params.get(uri).cloned().unwrap_or_default(),
            settings: self.settings.clone(),
            client: self.client.clone(),
        })
    }
}

impl Server {
    pub fn new(outbox: Outbox, log: Log) -> Server {
        Server {
            state: Mutex::default(),
            pool: Pool::new(),
            dirty: Dirty::default(),
            outbox,
            log,
            requests: Requests::default(),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        // A panic under the lock leaves documents whole: each change is one assignment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn view(&self, uri: &Url) -> Option<View> {
        self.lock().view(uri)
    }

    /// Views of all open documents, in a stable order.
    pub fn views(&self) -> Vec<View> {
        let state = self.lock();
        let mut uris: Vec<&Url> = state.documents.keys().collect();
        uris.sort_unstable();
        uris.into_iter().filter_map(|uri| state.view(uri)).collect()
    }

    /// What `initialize` says. Gives the client as the server understands it.
    pub fn begin(
        &self,
        capabilities: &ClientCapabilities,
        options: Option<&Value>,
        trace: Option<TraceValue>,
        folders: Vec<WorkspaceFolder>,
    ) -> Arc<Client> {
        let mut settings = Settings::default();
        let mut problems = options.map_or_else(Vec::new, |json| {
            let mut json = json.clone();
            if let Some(object) = json.as_object_mut() {
                object.remove("faults");
            }
            settings.apply(&json)
        });
        self.log.configure(settings.log_level);
        if let Some(path) = &settings.log_file {
            problems.extend(self.log.open(path).err());
        }
        self.log.write(
            Level::Info,
            &format!("fencepost {}", env!("CARGO_PKG_VERSION")),
        );
        let client = Arc::new(Client::new(capabilities));
        {
            let mut state = self.lock();
            state.client = client.clone();
            state.lowering = Arc::new(lowering(&settings));
            state.base = settings.clone();
            state.trace = trace.unwrap_or_default();
            state.folders = folders;
            state.faults = faults(options);
            self.pool.resize(threads(&settings));
            state.settings = Arc::new(settings);
        }
        self.complain(problems);
        client
    }

    pub fn open(self: &Arc<Self>, uri: Url, version: i32, text: &str) {
        let mut state = self.lock();
        let id = state.number();
        let lowering = state.lowering_of(&uri);
        let document = Document::new(id, uri.clone(), version, text, lowering);
        if let Some(mut before) = state.documents.insert(uri.clone(), document) {
            before.stop("opened again");
        }
        if state.settings.run != Run::Manual {
            self.begin_check(&mut state, &uri);
        }
        self.dirty.mark(&uri, false);
    }

    pub fn change(
        self: &Arc<Self>,
        uri: &Url,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) {
        let mut state = self.lock();
        let encoding = state.client.encoding;
        let settings = state.settings.clone();
        let Some(document) = state.documents.get_mut(uri) else {
            drop(state);
            self.log.write(
                Level::Error,
                &format!("an edit of {uri}, which is not open"),
            );
            return;
        };
        document.change(version, changes, encoding);
        if settings.run == Run::OnType {
            let alarm = Alarm::Check {
                uri: uri.clone(),
                document: document.id,
                version,
            };
            self.outbox.after(settings.debounce, alarm);
        }
        self.dirty.mark(uri, false);
    }

    /// The time that an alarm was set for has come.
    pub fn ring(self: &Arc<Self>, alarm: Alarm) {
        match alarm {
            Alarm::Check {
                uri,
                document,
                version,
            } => self.check_if_unchanged(&uri, document, version),
            Alarm::Noticeable { uri, generation } => self.show_progress(uri, generation),
        }
    }

    /// Hands an answer of the client to whoever asked.
    pub fn answered(self: &Arc<Self>, response: Response) {
        self.outbox.answered(self, response);
    }

    fn check_if_unchanged(self: &Arc<Self>, uri: &Url, id: u64, version: i32) {
        let mut state = self.lock();
        let unchanged = state
            .documents
            .get(uri)
            .is_some_and(|document| document.id == id && document.snapshot.version == version);
        if unchanged {
            self.begin_check(&mut state, uri);
        }
    }

    pub fn save(self: &Arc<Self>, uri: &Url) {
        let mut state = self.lock();
        if state.settings.run != Run::Manual {
            self.begin_check(&mut state, uri);
        }
    }

    pub fn close(&self, uri: &Url) {
        let mut state = self.lock();
        if let Some(mut document) = state.documents.remove(uri) {
            document.stop("closed");
        }
        self.dirty.mark(uri, true);
    }

    /// Stops the checks of a document, or of all.
    pub fn cancel(&self, uri: Option<&Url>) {
        let mut state = self.lock();
        for (key, document) in &mut state.documents {
            if uri.is_none_or(|uri| uri == key) {
                document.stop("stopped");
                self.dirty.mark(key, true);
            }
        }
    }

    /// Stops the check with this number, if it is still under way.
    pub fn cancel_generation(&self, generation: u64) {
        let mut state = self.lock();
        for (uri, document) in &mut state.documents {
            if document
                .running
                .as_ref()
                .is_some_and(|running| running.generation == generation)
            {
                document.stop("stopped");
                self.dirty.mark(uri, true);
            }
        }
    }

    /// Chooses the execution that inlay hints follow; `None` chooses none.
    pub fn choose(&self, uri: &Url, chosen: Option<Chosen>) {
        if let Some(document) = self.lock().documents.get_mut(uri) {
            document.chosen = chosen;
        }
        self.dirty.mark(uri, true);
    }

    /// Gives a parameter of a document another value, or its own again, and checks with it.
    pub fn set_param(self: &Arc<Self>, uri: &Url, name: &str, value: Option<i64>) {
        let mut state = self.lock();
        let set = Arc::make_mut(state.set_params.entry(uri.clone()).or_default());
        match value {
            Some(value) => set.insert(name.to_owned(), value),
            None => set.remove(name),
        };
        if set.is_empty() {
            state.set_params.remove(uri);
        }
        let lowering = state.lowering_of(uri);
        if let Some(document) = state.documents.get_mut(uri) {
            document.reconfigure(lowering);
            // Whoever turns a knob wants to see what it does, whatever `check.run` says.
            self.begin_check(&mut state, uri);
        }
    }

    /// Settings as they come from `workspace/configuration` or its push.
    pub fn configure(self: &Arc<Self>, json: &Value) {
        let mut state = self.lock();
        let mut settings = state.base.clone();
        let problems = settings.apply(json);
        // A workspace does not choose where the server writes.
        settings.log_file = state.base.log_file.clone();
        let same_checks = settings.same_checks(&state.settings);
        let run = settings.run;
        self.log.configure(settings.log_level);
        self.pool.resize(threads(&settings));
        state.lowering = Arc::new(lowering(&settings));
        state.settings = Arc::new(settings);
        let uris: Vec<Url> = state.documents.keys().cloned().collect();
        for uri in uris {
            if !same_checks {
                let lowering = state.lowering_of(&uri);
                if let Some(document) = state.documents.get_mut(&uri) {
                    document.reconfigure(lowering);
                }
                if run != Run::Manual {
                    self.begin_check(&mut state, &uri);
                }
            }
            self.dirty.mark(&uri, true);
        }
        let tokens = state.client.refresh_tokens;
        drop(state);
        if tokens {
            self.outbox.refresh::<SemanticTokensRefresh>();
        }
        self.complain(problems);
    }

    pub fn set_trace(&self, trace: TraceValue) {
        self.lock().trace = trace;
    }

    /// A line for whoever set the trace setting, and for the log file.
    pub fn trace(&self, state: &State, message: impl Fn() -> String) {
        self.log.write_with(Level::Debug, &message);
        if state.trace != TraceValue::Off {
            self.outbox.trace(message());
        }
    }

    /// Tells the client's log window, as far as the log level goes.
    pub fn tell(&self, kind: MessageType, message: String) {
        let level = if kind == MessageType::ERROR {
            Level::Error
        } else {
            Level::Info
        };
        self.log.write(level, &message);
        if level <= self.log.level() {
            self.outbox.log(kind, message);
        }
    }

    fn complain(&self, problems: Vec<String>) {
        for problem in problems {
            self.tell(MessageType::WARNING, problem);
        }
    }

    /// Ends all work; nothing is started any more.
    pub fn stop(&self) {
        self.pool.stop();
        for document in self.lock().documents.values_mut() {
            document.stop("the server ends");
        }
        self.dirty.stop();
    }
}

fn threads(settings: &Settings) -> usize {
    match settings.threads {
        0 => Pool::default_threads(),
        n => n,
    }
}

/// Options with parameters set on top.
pub fn with_params(lowering: &LowerOptions, set: &SetParams) -> LowerOptions {
    let mut lowering = lowering.clone();
    lowering.params.retain(|(name, _)| !set.contains_key(name));
    let set = set.iter().map(|(name, value)| (name.clone(), *value));
    lowering.params.extend(set);
    lowering
}

fn lowering(settings: &Settings) -> LowerOptions {
    let mut options = LowerOptions {
        params: settings
            .params
            .iter()
            .map(|(name, value)| (name.clone(), *value))
            .collect(),
        ..LowerOptions::default()
    };
    if let Some(unroll) = settings.unroll {
        options.unroll = unroll;
    }
    options
}

/// Only a build with debug assertions can be asked to fail.
fn faults(options: Option<&Value>) -> Faults {
    let panic = options
        .filter(|_| cfg!(debug_assertions))
        .and_then(|options| options.get("faults")?.get("panic")?.as_str())
        .map(str::to_owned);
    Faults { panic }
}
