//! `workspace/executeCommand`: the commands, their argument, their answers.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;
use tower_lsp::lsp_types::Url;

use super::requests::Selector;
use super::{Model, Value, WorkspaceEdit};

pub const CHECK_NOW: &str = "fencepost.checkNow";
pub const CANCEL: &str = "fencepost.cancel";
pub const SHOW_OUTCOMES: &str = "fencepost.showOutcomes";
pub const SHOW_WITNESS: &str = "fencepost.showWitness";
pub const CHOOSE_WITNESS: &str = "fencepost.chooseWitness";
pub const SUGGEST_FENCES: &str = "fencepost.suggestFences";
pub const APPLY_FENCES: &str = "fencepost.applyFences";
pub const APPLY_EDIT: &str = "fencepost.applyEdit";
pub const SET_PARAM: &str = "fencepost.setParam";
pub const COPY_COMMAND_LINE: &str = "fencepost.copyCommandLine";

/// A command: which fields of the argument it reads, the type of its answer, what it does.
#[derive(Debug)]
pub struct Command {
    pub name: &'static str,
    pub argument: &'static str,
    pub answer: &'static str,
    pub does: &'static str,
}

pub const COMMANDS: [Command; 10] = [
    Command {
        name: CHECK_NOW,
        argument: "`uri`",
        answer: "null",
        does: "checks all models of the text as it is; answers at once, results come as they come",
    },
    Command {
        name: CANCEL,
        argument: "`uri`, or nothing: all",
        answer: "null",
        does: "stops checks",
    },
    Command {
        name: SHOW_OUTCOMES,
        argument: "`uri`",
        answer: "TextAnswer",
        does: "the outcome × model matrix: opened as a text document where `window/showDocument` \
               is supported, else shown as a message",
    },
    Command {
        name: SHOW_WITNESS,
        argument: "`uri` and which execution, as in `fencepost/witness`",
        answer: "TextAnswer",
        does: "the witness table, shown in the same way",
    },
    Command {
        name: CHOOSE_WITNESS,
        argument: "as `fencepost.showWitness`; only `uri`: to clear",
        answer: "ChosenAnswer",
        does: "chooses the witness whose reads are shown as inlay hints",
    },
    Command {
        name: SUGGEST_FENCES,
        argument: "`uri`, `condition`, `models`",
        answer: "FencesAnswer",
        does: "computes fence sets; asks which one to insert (`window/showMessageRequest`) where \
               the client can apply edits",
    },
    Command {
        name: APPLY_FENCES,
        argument: "`uri`, `condition`, `models`, `set`",
        answer: "InsertedAnswer",
        does: "applies a fence set through `workspace/applyEdit`; where there is none, a \
               `TextAnswer` says why",
    },
    Command {
        name: APPLY_EDIT,
        argument: "`edit`",
        answer: "null",
        does: "applies an edit; what code actions become for a client without code action literals",
    },
    Command {
        name: SET_PARAM,
        argument: "`uri`, `name`, `value`, `reset`",
        answer: "ParamAnswer",
        does: "gives a parameter another value in this document; see below",
    },
    Command {
        name: COPY_COMMAND_LINE,
        argument: "`uri`, and which execution, if any",
        answer: "TextAnswer",
        does: "the run of the command line that shows the same, for the client to copy",
    },
];

/// The argument of every command; each reads what it needs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct CommandArgument {
    /// A document that the client has opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub uri: Option<Url>,
    #[serde(flatten)]
    pub selector: Selector,
    /// Under which models the fences must help; without them, under all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<Vec<Model>>,
    /// An index into `sets`; without one, the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<WorkspaceEdit>,
    /// Of a parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A 64-bit number or a string of its digits. Null is a value too: the file's own.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(test, schemars(with = "Option<Value>"))]
    pub value: Option<Json>,
    /// As a null in `value`, which some clients lose on the way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reset: bool,
    /// In a lens: the parameter as the file has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// In a lens: the parameter's value; null while the test has errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<Option<Value>>,
}

fn present<'de, D: Deserializer<'de>>(json: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(json).map(Some)
}

impl CommandArgument {
    pub fn of(uri: &Url) -> CommandArgument {
        CommandArgument {
            uri: Some(uri.clone()),
            ..CommandArgument::default()
        }
    }

    /// As a lens or an action carries it.
    pub fn json(&self) -> Json {
        super::json(self)
    }
}

/// What is shown, as a text.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TextAnswer {
    pub text: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ChosenAnswer {
    /// There is such an execution.
    pub chosen: bool,
}

/// Sets of fences, each of which forbids the outcome.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct FencesAnswer {
    /// For people.
    pub text: String,
    pub sets: Vec<FenceSet>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct FenceSet {
    /// For people: ``Insert `mfence` in P0 and P1 (unreachable under TSO, PSO)``.
    pub title: String,
    pub edit: WorkspaceEdit,
}

/// The set that is inserted.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct InsertedAnswer {
    pub title: String,
}

/// A parameter as it stands after the command.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ParamAnswer {
    pub name: String,
    /// Null while the test has errors.
    pub value: Option<Value>,
    /// For people: `N = 5 (file says 3)`.
    pub text: String,
}
