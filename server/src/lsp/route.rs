//! From a message to who answers it: convert, ask, convert back.
//!
//! A notification takes effect before the next message is looked at. A request is answered
//! from a [`View`] of its moment, at once or, where that may take long, beside everything
//! else; until then it can be cancelled.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response, Result};
use tower_lsp::lsp_types::request::{RegisterCapability, WorkspaceConfiguration};
use tower_lsp::lsp_types::*;

use super::custom;
use super::features::{
    actions, completion, folding, format, hover, inlay, lens, navigate, rename, selection,
    signature, symbols, tokens,
};
use super::jobs;
use super::server::Server;
use super::view::View;
use super::{capabilities, commands, progress};
use crate::analysis::guarded;
use crate::protocol::requests::{self, DocumentParams, ExecutionParams};

/// A larger text is worked on beside what answers everybody.
const LARGE: usize = 256 << 10;

/// How far the conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    New,
    Initialized,
    ShutDown,
}

/// The conversation: its phase, and the requests that are not answered yet.
#[derive(Default)]
pub struct Requests {
    phase: Mutex<Phase>,
    open: Arc<Mutex<HashMap<Id, Answer>>>,
}

type Answer = Box<dyn FnOnce(Response) + Send>;

/// Answers one request, once. A request whose reply is dropped was about a text that is gone.
pub struct Reply {
    id: Id,
    open: Arc<Mutex<HashMap<Id, Answer>>>,
}

impl Reply {
    pub fn send<T: Serialize>(self, answer: Result<T>) {
        let json = answer.and_then(|answer| {
            serde_json::to_value(answer).map_err(|error| internal(error.to_string()))
        });
        self.finish(json);
    }

    /// Whoever was first, this or a cancel, has answered.
    fn finish(&self, answer: Result<Value>) {
        let open = self.open.lock();
        let send = open
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.id);
        if let Some(send) = send {
            send(Response::from_parts(self.id.clone(), answer));
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.finish(Err(Error {
            code: ErrorCode::ContentModified,
            message: "the text changed meanwhile".into(),
            data: None,
        }));
    }
}

fn internal(message: String) -> Error {
    Error {
        code: ErrorCode::InternalError,
        message: message.into(),
        data: None,
    }
}

impl Server {
    /// Takes a message of the client; a request is answered through `answer`, sooner or later.
    pub fn receive(
        self: &Arc<Self>,
        message: Request,
        answer: impl FnOnce(Response) + Send + 'static,
    ) {
        let (method, id, params) = message.into_parts();
        let params = params.unwrap_or_default();
        let Some(id) = id else {
            if let Err(why) = guarded(|| self.notified(&method, params)) {
                self.failed(&method, &why);
            }
            return;
        };
        let requests = &self.requests;
        let open = requests.open.clone();
        {
            let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
            if open.contains_key(&id) {
                return answer(Response::from_error(id, Error::invalid_request()));
            }
            open.insert(id.clone(), Box::new(answer));
        }
        let reply = Reply { id, open };
        let mut phase = requests
            .phase
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match (*phase, &*method) {
            (Phase::New, "initialize") => {
                let answer = read(&method, params).map(|params| self.initialize(params));
                if answer.is_ok() {
                    *phase = Phase::Initialized;
                }
                reply.send(answer);
            }
            (Phase::New, _) => reply.send::<()>(Err(Error {
                code: ErrorCode::ServerError(-32002),
                message: "Server not initialized".into(),
                data: None,
            })),
            (Phase::ShutDown, _) | (_, "initialize") => {
                reply.send::<()>(Err(Error::invalid_request()));
            }
            (Phase::Initialized, "shutdown") => {
                *phase = Phase::ShutDown;
                self.cancel(None);
                reply.send(Ok(()));
            }
            (Phase::Initialized, _) => {
                drop(phase);
                let call = Call {
                    server: self,
                    method: &method,
                    params,
                    reply,
                };
                call.route();
            }
        }
    }

    fn notified(self: &Arc<Self>, method: &str, params: Value) {
        let phase = *self
            .requests
            .phase
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if phase != Phase::Initialized {
            return;
        }
        let call = Notified { method, params };
        let taken = match method {
            "$/cancelRequest" => call.take(|p: CancelParams| self.cancelled(p.id)),
            "$/setTrace" => call.take(|p: SetTraceParams| self.set_trace(p.value)),
            "window/workDoneProgress/cancel" => call.take(|p: WorkDoneProgressCancelParams| {
                if let Some(generation) = progress::generation(&p.token) {
                    self.cancel_generation(generation);
                }
            }),
            "initialized" => call.take(|_: Value| self.initialized()),
            "textDocument/didOpen" => call.take(|p: DidOpenTextDocumentParams| {
                let document = p.text_document;
                self.open(document.uri, document.version, &document.text);
            }),
            "textDocument/didChange" => call.take(|p: DidChangeTextDocumentParams| {
                let document = p.text_document;
                self.change(&document.uri, document.version, p.content_changes);
            }),
            "textDocument/didSave" => {
                call.take(|p: DidSaveTextDocumentParams| self.save(&p.text_document.uri))
            }
            "textDocument/didClose" => {
                call.take(|p: DidCloseTextDocumentParams| self.close(&p.text_document.uri))
            }
            "workspace/didChangeConfiguration" => {
                call.take(|p: DidChangeConfigurationParams| self.configuration_changed(&p.settings))
            }
            _ => Ok(()),
        };
        if let Err(error) = taken {
            self.tell(MessageType::ERROR, error.message.into_owned());
        }
    }

    /// The client has lost interest in an answer.
    fn cancelled(&self, id: NumberOrString) {
        let id = match id {
            NumberOrString::Number(number) => Id::Number(i64::from(number)),
            NumberOrString::String(text) => Id::String(text),
        };
        let open = self.requests.open.lock();
        let send = open.unwrap_or_else(PoisonError::into_inner).remove(&id);
        if let Some(send) = send {
            send(Response::from_error(id, Error::request_cancelled()));
        }
    }

    fn initialize(&self, params: InitializeParams) -> InitializeResult {
        let client = self.begin(
            &params.capabilities,
            params.initialization_options.as_ref(),
            params.trace,
            params.workspace_folders.unwrap_or_default(),
        );
        capabilities::answer(&client, &params.capabilities)
    }

    fn initialized(self: &Arc<Self>) {
        let client = self.lock().client.clone();
        if client.watch_configuration {
            let registrations = vec![Registration {
                id: "fencepost/configuration".to_owned(),
                method: "workspace/didChangeConfiguration".to_owned(),
                register_options: Some(json!({"section": "fencepost"})),
            }];
            // A client that refuses still pushes or is asked at the start.
            let params = RegistrationParams { registrations };
            self.outbox.ask::<RegisterCapability>(params, |_, _| {});
        }
        if client.configuration {
            self.fetch_configuration();
        }
    }

    fn configuration_changed(self: &Arc<Self>, settings: &Value) {
        let pull = self.lock().client.configuration;
        if pull {
            self.fetch_configuration();
        } else {
            self.configure(settings);
        }
    }

    fn fetch_configuration(&self) {
        let items = vec![ConfigurationItem {
            scope_uri: None,
            section: Some("fencepost".to_owned()),
        }];
        let params = ConfigurationParams { items };
        self.outbox
            .ask::<WorkspaceConfiguration>(params, |server, answer| match answer {
                Ok(values) => server.configure(values.first().unwrap_or(&Value::Null)),
                Err(error) => server.tell(
                    MessageType::WARNING,
                    format!("the client gave no settings: {error}"),
                ),
            });
    }

    /// A bug in one answer is a message, not the end.
    fn failed(&self, method: &str, why: &str) -> Error {
        let message = format!("{method} failed: {why}");
        self.tell(MessageType::ERROR, message.clone());
        internal(message)
    }
}

fn read<P: DeserializeOwned>(method: &str, params: Value) -> Result<P> {
    serde_json::from_value(params).map_err(|error| wrong(method, &error))
}

fn wrong(method: &str, error: &serde_json::Error) -> Error {
    Error::invalid_params(format!("{method}: {error}"))
}

/// A notification that is looked at.
struct Notified<'m> {
    method: &'m str,
    params: Value,
}

impl Notified<'_> {
    fn take<P: DeserializeOwned>(self, effect: impl FnOnce(P)) -> Result<()> {
        read(self.method, self.params).map(effect)
    }
}

/// A request on its way to its answer.
struct Call<'s> {
    server: &'s Arc<Server>,
    method: &'s str,
    params: Value,
    reply: Reply,
}

impl Call<'_> {
    fn route(self) {
        match self.method {
            "textDocument/hover" => self
                .ask(|v, p: HoverParams| hover::hover(v, p.text_document_position_params.position)),
            "textDocument/codeLens" => self.ask(|v, _: CodeLensParams| lens::lenses(v)),
            "textDocument/inlayHint" => self.ask(|v, p: InlayHintParams| inlay::hints(v, p.range)),
            "textDocument/codeAction" => self.ask(|v, p: CodeActionParams| actions::actions(v, &p)),
            "textDocument/completion" => self.ask(|v, p: CompletionParams| {
                completion::complete(v, p.text_document_position.position)
            }),
            "textDocument/signatureHelp" => self.ask(|v, p: SignatureHelpParams| {
                signature::help(v, p.text_document_position_params.position)
            }),
            "textDocument/definition" => self.ask(|v, p: GotoDefinitionParams| {
                navigate::definition(v, p.text_document_position_params.position)
            }),
            "textDocument/references" => self.ask(|v, p: ReferenceParams| {
                let with_definition = p.context.include_declaration;
                navigate::references(v, p.text_document_position.position, with_definition)
            }),
            "textDocument/documentHighlight" => self.ask(|v, p: DocumentHighlightParams| {
                navigate::highlights(v, p.text_document_position_params.position)
            }),
            "textDocument/prepareRename" => self.try_ask(|v, p: TextDocumentPositionParams| {
                rename::prepare(v, p.position).map_err(Error::invalid_params)
            }),
            "textDocument/rename" => self.try_ask(|v, p: RenameParams| {
                let at = p.text_document_position.position;
                rename::rename(v, at, &p.new_name).map_err(Error::invalid_params)
            }),
            "textDocument/documentSymbol" => {
                self.ask(|v, _: DocumentSymbolParams| symbols::document(v))
            }
            "textDocument/foldingRange" => self.ask(|v, _: FoldingRangeParams| folding::ranges(v)),
            "textDocument/selectionRange" => {
                self.ask(|v, p: SelectionRangeParams| selection::ranges(v, &p.positions))
            }
            "textDocument/semanticTokens/full" => {
                self.ask(|v, _: SemanticTokensParams| tokens::tokens(v, None))
            }
            "textDocument/semanticTokens/range" => {
                self.ask(|v, p: SemanticTokensRangeParams| tokens::tokens(v, Some(p.range)))
            }
            "textDocument/formatting" => {
                self.ask(|v, _: DocumentFormattingParams| format::whole(v))
            }
            "textDocument/rangeFormatting" => {
                self.ask(|v, p: DocumentRangeFormattingParams| format::part(v, p.range))
            }
            requests::OUTCOMES => self.ask(|v, _: Value| custom::outcomes(v)),
            requests::WITNESS => self.ask(|v, p: ExecutionParams| custom::witness(v, &p)),
            requests::GRAPH => self.ask(|v, p: ExecutionParams| custom::graph(v, &p)),
            requests::TEXT => self.ask(|v, _: Value| custom::text(v)),
            "workspace/symbol" => {
                let views = self.server.views();
                let folders = self.server.lock().folders.clone();
                self.answer(true, move |p: WorkspaceSymbolParams| {
                    Ok(symbols::workspace(&views, &folders, &p.query))
                });
            }
            "workspace/executeCommand" => match read(self.method, self.params) {
                Ok(params) => commands::execute(self.server, params, self.reply),
                Err(error) => self.reply.send::<()>(Err(error)),
            },
            _ => self.reply.send::<()>(Err(Error {
                code: ErrorCode::MethodNotFound,
                message: "Method not found".into(),
                data: Some(Value::from(self.method)),
            })),
        }
    }

    /// Asks a feature about a document; one that is not open has no answer.
    fn ask<P: DeserializeOwned, T: Serialize>(
        self,
        feature: impl FnOnce(&View, P) -> T + Send + 'static,
    ) {
        self.try_ask(|view, params| Ok(feature(view, params)));
    }

    fn try_ask<P: DeserializeOwned, T: Serialize>(
        self,
        feature: impl FnOnce(&View, P) -> Result<T> + Send + 'static,
    ) {
        let about = DocumentParams::deserialize(&self.params).map_err(|e| wrong(self.method, &e));
        match about.map(|about| self.server.view(&about.text_document.0.uri)) {
            Ok(Some(view)) => {
                let large = view.snapshot.rope.len_bytes() > LARGE;
                self.answer(large, move |params| feature(&view, params).map(Some));
            }
            // Wrong parameters are wrong for every document.
            Ok(None) => self.answer(false, |_: P| Ok(None::<T>)),
            Err(error) => self.reply.send::<()>(Err(error)),
        }
    }

    /// Works the answer out, here or beside everything else.
    fn answer<P: DeserializeOwned, T: Serialize>(
        self,
        beside: bool,
        work: impl FnOnce(P) -> Result<T> + Send + 'static,
    ) {
        let Call {
            server,
            method,
            params,
            reply,
        } = self;
        let (server, method) = (server.clone(), method.to_owned());
        let work = move || {
            let answer = read(&method, params);
            let done = guarded(|| work(answer?));
            reply.send(done.unwrap_or_else(|why| Err(server.failed(&method, &why))));
        };
        if beside { jobs::beside(work) } else { work() }
    }
}
