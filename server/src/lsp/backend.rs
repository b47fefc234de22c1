//! The protocol's methods: convert, ask, convert back.
//!
//! tower-lsp runs handlers concurrently and polls each for the first time in the order of
//! its message. A handler of a notification has no await; one of a request takes its view
//! before the first.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::Value;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::lsp_types::request::{RegisterCapability, WorkspaceConfiguration};
use tower_lsp::lsp_types::*;
use tower_lsp::{LanguageServer, LspService};

use super::custom;
use super::features::{
    actions, completion, folding, format, hover, inlay, lens, navigate, rename, selection,
    signature, symbols, tokens,
};
use super::server::Server;
use super::view::View;
use super::{capabilities, commands, progress};
use crate::checked::panic_message;
use crate::protocol::requests::{
    self, DocumentParams, DocumentText, ExecutionParams, Graph, Outcomes, Witness,
};

pub struct Backend {
    server: Arc<Server>,
}

/// A larger text is worked on beside the task that answers everybody.
const LARGE: usize = 256 << 10;

impl Backend {
    /// The service with all methods, those beyond the protocol's trait included.
    pub fn service(
        make: impl FnOnce(tower_lsp::Client) -> Arc<Server>,
    ) -> (LspService<Backend>, tower_lsp::ClientSocket, Arc<Server>) {
        let mut handle = None;
        let (service, socket) = LspService::build(|client| {
            let server = make(client);
            handle = Some(server.clone());
            Backend { server }
        })
        .custom_method("window/workDoneProgress/cancel", Backend::cancel_progress)
        .custom_method("$/setTrace", Backend::set_trace)
        .custom_method(requests::OUTCOMES, Backend::outcomes)
        .custom_method(requests::WITNESS, Backend::witness)
        .custom_method(requests::GRAPH, Backend::graph)
        .custom_method(requests::TEXT, Backend::text)
        .finish();
        let server = handle.unwrap_or_else(|| unreachable!("build calls its argument"));
        (service, socket, server)
    }

    /// Asks a feature about a document; `None` when it is not open.
    async fn ask<T, F>(&self, uri: &Url, feature: F) -> Result<Option<T>>
    where
        T: Send + 'static,
        F: FnOnce(&View) -> T + Send + 'static,
    {
        let Some(view) = self.server.view(uri) else {
            return Ok(None);
        };
        let guarded = move || {
            catch_unwind(AssertUnwindSafe(|| feature(&view)))
                .map_err(|payload| panic_message(payload.as_ref()))
        };
        let answer = if self.is_large(uri) {
            tokio::task::spawn_blocking(guarded)
                .await
                .unwrap_or_else(|error| Err(error.to_string()))
        } else {
            guarded()
        };
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(why) => {
                let message = format!("a request failed: {why}");
                self.server.tell(MessageType::ERROR, message.clone());
                Err(Error {
                    code: ErrorCode::InternalError,
                    message: message.into(),
                    data: None,
                })
            }
        }
    }

    /// As [`Backend::ask`], for features that may have nothing to say.
    async fn ask_for<T, F>(&self, uri: &Url, feature: F) -> Result<Option<T>>
    where
        T: Send + 'static,
        F: FnOnce(&View) -> Option<T> + Send + 'static,
    {
        Ok(self.ask(uri, feature).await?.flatten())
    }

    fn is_large(&self, uri: &Url) -> bool {
        self.server
            .lock()
            .documents
            .get(uri)
            .is_some_and(|document| document.snapshot.rope.len_bytes() > LARGE)
    }

    async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        if let Some(generation) = progress::generation(&params.token) {
            self.server.cancel_generation(generation);
        }
    }

    async fn set_trace(&self, params: SetTraceParams) {
        self.server.set_trace(params.value);
    }

    async fn outcomes(&self, params: DocumentParams) -> Result<Option<Outcomes>> {
        self.ask(&params.text_document.0.uri, custom::outcomes)
            .await
    }

    async fn witness(&self, params: ExecutionParams) -> Result<Option<Witness>> {
        let uri = params.text_document.0.uri.clone();
        self.ask_for(&uri, move |view| custom::witness(view, &params))
            .await
    }

    async fn graph(&self, params: ExecutionParams) -> Result<Option<Graph>> {
        let uri = params.text_document.0.uri.clone();
        self.ask_for(&uri, move |view| custom::graph(view, &params))
            .await
    }

    async fn text(&self, params: DocumentParams) -> Result<Option<DocumentText>> {
        self.ask(&params.text_document.0.uri, custom::text).await
    }

    /// Asks the client for its settings, beside everything else.
    fn fetch_configuration(&self) {
        let server = self.server.clone();
        self.server.runtime.spawn(async move {
            let items = vec![ConfigurationItem {
                scope_uri: None,
                section: Some("fencepost".to_owned()),
            }];
            let answer = server
                .client
                .send_request::<WorkspaceConfiguration>(ConfigurationParams { items })
                .await;
            match answer {
                Ok(values) => server.configure(values.first().unwrap_or(&Value::Null)),
                Err(error) => server.tell(
                    MessageType::WARNING,
                    format!("the client gave no settings: {error}"),
                ),
            }
        });
    }
}

#[tower_lsp::async_trait]
impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let client = self.server.initialize(
            &params.capabilities,
            params.initialization_options.as_ref(),
            params.trace,
            params.workspace_folders.unwrap_or_default(),
        );
        Ok(capabilities::answer(&client, &params.capabilities))
    }

    async fn initialized(&self, _: InitializedParams) {
        let client = self.server.lock().client.clone();
        if client.watch_configuration {
            let server = self.server.clone();
            self.server.runtime.spawn(async move {
                let registrations = vec![Registration {
                    id: "fencepost/configuration".to_owned(),
                    method: "workspace/didChangeConfiguration".to_owned(),
                    register_options: Some(serde_json::json!({"section": "fencepost"})),
                }];
                // A client that refuses still pushes or is asked at the start.
                let _ = server
                    .client
                    .send_request::<RegisterCapability>(RegistrationParams { registrations })
                    .await;
            });
        }
        if client.configuration {
            self.fetch_configuration();
        }
    }

    async fn shutdown(&self) -> Result<()> {
        self.server.cancel(None);
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        self.server
            .open(document.uri, document.version, &document.text);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let document = params.text_document;
        self.server
            .change(&document.uri, document.version, params.content_changes);
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.server.save(&params.text_document.uri);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.server.close(&params.text_document.uri);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        let pull = self.server.lock().client.configuration;
        if pull {
            self.fetch_configuration();
        } else {
            self.server.configure(&params.settings);
        }
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let at = params.text_document_position_params;
        self.ask_for(&at.text_document.uri, move |view| {
            hover::hover(view, at.position)
        })
        .await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.ask(&params.text_document.uri, lens::lenses).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        self.ask(&params.text_document.uri, move |view| {
            inlay::hints(view, params.range)
        })
        .await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let uri = params.text_document.uri.clone();
        self.ask(&uri, move |view| actions::actions(view, &params))
            .await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let at = params.text_document_position;
        self.ask(&at.text_document.uri, move |view| {
            completion::complete(view, at.position)
        })
        .await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        let at = params.text_document_position_params;
        self.ask_for(&at.text_document.uri, move |view| {
            signature::help(view, at.position)
        })
        .await
    }

    async fn goto_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        self.ask_for(&at.text_document.uri, move |view| {
            navigate::definition(view, at.position)
        })
        .await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let at = params.text_document_position;
        let with_definition = params.context.include_declaration;
        self.ask_for(&at.text_document.uri, move |view| {
            navigate::references(view, at.position, with_definition)
        })
        .await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        let at = params.text_document_position_params;
        self.ask_for(&at.text_document.uri, move |view| {
            navigate::highlights(view, at.position)
        })
        .await
    }

    async fn prepare_rename(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>> {
        let answer = self
            .ask(&params.text_document.uri, move |view| {
                rename::prepare(view, params.position)
            })
            .await?;
        answer.transpose().map_err(Error::invalid_params)
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        let at = params.text_document_position;
        let answer = self
            .ask(&at.text_document.uri, move |view| {
                rename::rename(view, at.position, &params.new_name)
            })
            .await?;
        answer.transpose().map_err(Error::invalid_params)
    }

    async fn document_symbol(
        &self,
        params: DocumentSymbolParams,
    ) -> Result<Option<DocumentSymbolResponse>> {
        self.ask(&params.text_document.uri, symbols::document).await
    }

    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Result<Option<Vec<SymbolInformation>>> {
        let views = self.server.views();
        let folders = self.server.lock().folders.clone();
        let found = tokio::task::spawn_blocking(move || {
            symbols::workspace(&views, &folders, &params.query)
        })
        .await;
        found.map(Some).map_err(|_| Error::internal_error())
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        self.ask(&params.text_document.uri, folding::ranges).await
    }

    async fn selection_range(
        &self,
        params: SelectionRangeParams,
    ) -> Result<Option<Vec<SelectionRange>>> {
        self.ask(&params.text_document.uri, move |view| {
            selection::ranges(view, &params.positions)
        })
        .await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        self.ask(&params.text_document.uri, |view| {
            SemanticTokensResult::Tokens(tokens::tokens(view, None))
        })
        .await
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        self.ask(&params.text_document.uri, move |view| {
            SemanticTokensRangeResult::Tokens(tokens::tokens(view, Some(params.range)))
        })
        .await
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        self.ask_for(&params.text_document.uri, format::whole).await
    }

    async fn range_formatting(
        &self,
        params: DocumentRangeFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>> {
        self.ask_for(&params.text_document.uri, move |view| {
            format::part(view, params.range)
        })
        .await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        commands::execute(&self.server, params).await
    }
}
