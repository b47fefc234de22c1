//! What the client can do, and what the server therefore offers.
//!
//! Capabilities decide, never the client's name.

use serde_json::Value;
use tower_lsp::lsp_types::{self as lsp, *};

use super::features;
use super::positions::Encoding;
use crate::protocol::commands::COMMANDS;
use crate::protocol::{self, requests};

/// What the client said it can use.
#[derive(Debug, Clone, Default)]
pub struct Client {
    pub encoding: Encoding,
    pub snippets: bool,
    pub markdown: bool,
    pub related_information: bool,
    pub unnecessary_tag: bool,
    pub literal_actions: bool,
    pub hierarchical_symbols: bool,
    pub versioned_edits: bool,
    pub progress: bool,
    pub show_document: bool,
    pub apply_edit: bool,
    pub configuration: bool,
    pub watch_configuration: bool,
    pub refresh_lenses: bool,
    pub refresh_hints: bool,
    pub refresh_tokens: bool,
    /// Commands that the client runs itself.
    pub commands: Vec<String>,
    pub status: bool,
}

impl Client {
    pub fn new(capabilities: &ClientCapabilities) -> Client {
        let json = serde_json::to_value(capabilities).unwrap_or_default();
        let has = |pointer: &str| json.pointer(pointer).is_some();
        let can = |pointer: &str| json.pointer(pointer) == Some(&Value::Bool(true));
        let lists = |pointer: &str, wanted: Value| {
            let list = json.pointer(pointer).and_then(Value::as_array);
            list.is_some_and(|list| list.contains(&wanted))
        };
        let general = capabilities.general.as_ref();
        let own = capabilities
            .experimental
            .as_ref()
            .and_then(|experimental| experimental.get("fencepost"));
        let own: requests::ClientCapabilities = own
            .and_then(|own| serde_json::from_value(own.clone()).ok())
            .unwrap_or_default();
        Client {
            encoding: Encoding::negotiate(
                general.and_then(|general| general.position_encodings.as_deref()),
            ),
            snippets: can("/textDocument/completion/completionItem/snippetSupport"),
            markdown: lists("/textDocument/hover/contentFormat", "markdown".into()),
            related_information: can("/textDocument/publishDiagnostics/relatedInformation"),
            unnecessary_tag: lists(
                "/textDocument/publishDiagnostics/tagSupport/valueSet",
                protocol::json(&DiagnosticTag::UNNECESSARY),
            ),
            literal_actions: has("/textDocument/codeAction/codeActionLiteralSupport"),
            hierarchical_symbols: can(
                "/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport",
            ),
            versioned_edits: can("/workspace/workspaceEdit/documentChanges"),
            progress: can("/window/workDoneProgress"),
            show_document: can("/window/showDocument/support"),
            apply_edit: can("/workspace/applyEdit"),
            configuration: can("/workspace/configuration"),
            watch_configuration: can("/workspace/didChangeConfiguration/dynamicRegistration"),
            refresh_lenses: can("/workspace/codeLens/refreshSupport"),
            refresh_hints: can("/workspace/inlayHint/refreshSupport"),
            refresh_tokens: can("/workspace/semanticTokens/refreshSupport"),
            commands: own.commands,
            status: own.status,
        }
    }

    pub fn runs(&self, command: &str) -> bool {
        self.commands.iter().any(|own| own == command)
    }
}

/// What `initialize` answers.
pub fn answer(client: &Client, offered: &ClientCapabilities) -> InitializeResult {
    InitializeResult {
        capabilities: server(client, offered),
        server_info: Some(ServerInfo {
            name: "fencepost".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    }
}

fn server(client: &Client, offered: &ClientCapabilities) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(false),
                })),
                ..TextDocumentSyncOptions::default()
            },
        )),
        execute_command_provider: Some(ExecuteCommandOptions {
            // A client that runs a command itself must not get it registered a second time.
            commands: COMMANDS
                .iter()
                .filter(|command| !client.runs(command.name))
                .map(|command| command.name.to_owned())
                .collect(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(lsp::WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(lsp::OneOf::Left(false)),
            }),
            file_operations: None,
        }),
        experimental: Some(experimental()),
        ..features::offered(client, offered)
    }
}

fn experimental() -> Value {
    let fencepost = requests::ServerCapabilities {
        protocol: 1,
        requests: requests::REQUESTS.iter().map(|r| r.method).collect(),
        status: true,
    };
    protocol::json(&protocol::Map(vec![("fencepost", fencepost)]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(json: Value) -> ClientCapabilities {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn a_client_that_says_nothing_gets_the_plain_protocol() {
        let offered = parse(json!({}));
        let client = Client::new(&offered);
        assert_eq!(client.encoding, Encoding::Utf16);
        assert!(!client.snippets && !client.progress && !client.status);
        let answer = server(&client, &offered);
        assert_eq!(answer.inlay_hint_provider, None);
        assert_eq!(answer.semantic_tokens_provider, None);
        assert_eq!(answer.rename_provider, Some(OneOf::Left(true)));
        let commands = answer.execute_command_provider.unwrap().commands;
        assert_eq!(commands.len(), COMMANDS.len());
    }

    #[test]
    fn what_the_client_can_do_is_used() {
        let offered = parse(json!({
            "general": {"positionEncodings": ["utf-8"]},
            "textDocument": {"inlayHint": {}, "completion":
                {"completionItem": {"snippetSupport": true}}},
            "experimental": {"fencepost":
                {"status": true, "commands": ["fencepost.showWitness"]}},
        }));
        let client = Client::new(&offered);
        assert!(client.snippets && client.status && client.runs("fencepost.showWitness"));
        let answer = server(&client, &offered);
        assert_eq!(answer.position_encoding, Some(PositionEncodingKind::UTF8));
        assert!(answer.inlay_hint_provider.is_some());
        let commands = answer.execute_command_provider.unwrap().commands;
        assert!(!commands.contains(&"fencepost.showWitness".to_owned()));
    }
}
