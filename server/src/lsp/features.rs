//! One module a surface: pure functions from a view to protocol types; and what of them a client
//! is offered.

pub mod actions;
pub mod completion;
pub mod diagnostics;
pub mod fences;
pub mod folding;
pub mod format;
pub mod hover;
pub mod inlay;
pub mod lens;
pub mod navigate;
pub mod rename;
pub mod selection;
pub mod shapes;
pub mod signature;
pub mod symbols;
pub mod tokens;

use tower_lsp::lsp_types::*;

use super::capabilities::Client;

/// The features, as `initialize` announces them.
pub fn offered(client: &Client, capabilities: &ClientCapabilities) -> ServerCapabilities {
    let text = capabilities.text_document.as_ref();
    ServerCapabilities {
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        inlay_hint_provider: text
            .and_then(|t| t.inlay_hint.as_ref())
            .map(|_| OneOf::Left(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([":", "[", "%", "~", "\\"].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(["(", ","].map(str::to_owned).to_vec()),
            ..SignatureHelpOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(if client.literal_actions {
            CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![
                    CodeActionKind::QUICKFIX,
                    CodeActionKind::REFACTOR_REWRITE,
                    CodeActionKind::SOURCE,
                ]),
                ..CodeActionOptions::default()
            })
        } else {
            CodeActionProviderCapability::Simple(true)
        }),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        rename_provider: Some(
            if text
                .and_then(|t| t.rename.as_ref()?.prepare_support)
                .unwrap_or(false)
            {
                OneOf::Right(RenameOptions {
                    prepare_provider: Some(true),
                    work_done_progress_options: WorkDoneProgressOptions::default(),
                })
            } else {
                OneOf::Left(true)
            },
        ),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: text.and_then(|t| t.semantic_tokens.as_ref()).map(|_| {
            SemanticTokensServerCapabilities::SemanticTokensOptions(SemanticTokensOptions {
                legend: tokens::legend(),
                range: Some(true),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            })
        }),
        ..ServerCapabilities::default()
    }
}
