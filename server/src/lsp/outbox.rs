//! What the server says on its own: notifications, questions, and alarms that it sets.
//!
//! Nothing here waits: a message goes to whoever runs the server, an answer comes back as
//! a message, and an alarm rings as one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tower_lsp::jsonrpc::{self, Id, Request, Response};
use tower_lsp::lsp_types::notification::{LogMessage, LogTrace, Notification, ShowMessage};
use tower_lsp::lsp_types::request::{self, ShowMessageRequest};
use tower_lsp::lsp_types::{
    LogMessageParams, LogTraceParams, MessageActionItem, MessageType, ShowMessageParams,
    ShowMessageRequestParams, Url,
};

use super::server::Server;
use crate::protocol::requests;

/// What runs the server: it delivers, and it knows the time.
pub trait Outside: Send + Sync {
    /// A notification, or a request whose answer goes to [`Server::answered`].
    fn send(&self, message: Request);
    /// To be given to [`Server::ring`] when the time has passed.
    fn after(&self, delay: Duration, alarm: Alarm);
    /// Messages that the client has not taken yet.
    fn backlog(&self) -> usize;
}

/// Why the server wanted to be woken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alarm {
    /// Nobody has typed for a moment, unless the document is another by now.
    Check {
        uri: Url,
        document: u64,
        version: i32,
    },
    /// A check takes long enough to be noticed.
    Noticeable { uri: Url, generation: u64 },
}

type Then = Box<dyn FnOnce(&Arc<Server>, jsonrpc::Result<Value>) + Send>;

/// Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Outbox {
    outside: Arc<dyn Outside>,
    asked: Arc<Mutex<Asked>>,
}

/// What the client has not answered yet.
#[derive(Default)]
struct Asked {
    last: i64,
    then: HashMap<Id, Then>,
    /// Refreshes that are with the client, and whether one more is wanted after them.
    refreshing: HashMap<&'static str, bool>,
}

impl Outbox {
    pub fn new(outside: Arc<dyn Outside>) -> Outbox {
        Outbox {
            outside,
            asked: Arc::default(),
        }
    }

    pub fn notify<N: Notification>(&self, params: N::Params) {
        self.outside.send(message(N::METHOD, params).finish());
    }

    pub fn status(&self, status: &requests::Status) {
        self.outside
            .send(message(requests::STATUS, status).finish());
    }

    /// Asks the client; `then` is called with the answer, if one ever comes.
    pub fn ask<R: request::Request>(
        &self,
        params: R::Params,
        then: impl FnOnce(&Arc<Server>, jsonrpc::Result<R::Result>) + Send + 'static,
    ) {
        let typed: Then = Box::new(move |server, answer| {
            let answer = answer.and_then(|json| {
                serde_json::from_value(json)
                    .map_err(|error| jsonrpc::Error::invalid_params(error.to_string()))
            });
            then(server, answer);
        });
        let id = {
            let mut asked = self.lock();
            asked.last += 1;
            let id = Id::Number(asked.last);
            asked.then.insert(id.clone(), typed);
            id
        };
        self.outside
            .send(message(R::METHOD, params).id(id).finish());
    }

    /// Lets the person choose one of some titles, however long that takes.
    pub fn choose(
        &self,
        question: impl Into<String>,
        titles: impl IntoIterator<Item = String>,
        then: impl FnOnce(&Arc<Server>, String) + Send + 'static,
    ) {
        let items = titles.into_iter().map(|title| MessageActionItem {
            title,
            properties: HashMap::new(),
        });
        let params = ShowMessageRequestParams {
            typ: MessageType::INFO,
            message: question.into(),
            actions: Some(items.collect()),
        };
        self.ask::<ShowMessageRequest>(params, |server, answer| {
            if let Ok(Some(item)) = answer {
                then(server, item.title);
            }
        });
    }

    /// Asks the client to ask again. At most one such question of a kind is with the client;
    /// what comes meanwhile is one more.
    pub fn refresh<R: request::Request<Params = (), Result = ()>>(&self) {
        match self.lock().refreshing.entry(R::METHOD) {
            Entry::Occupied(mut again) => {
                again.insert(true);
                return;
            }
            Entry::Vacant(new) => new.insert(false),
        };
        let outbox = self.clone();
        // A client that refuses gets what is new when it asks by itself.
        self.ask::<R>((), move |_, _| {
            let again = outbox.lock().refreshing.remove(R::METHOD);
            if again == Some(true) {
                outbox.refresh::<R>();
            }
        });
    }

    pub fn log(&self, typ: MessageType, message: String) {
        self.notify::<LogMessage>(LogMessageParams { typ, message });
    }

    /// Shows a line to the person.
    pub fn show(&self, message: impl Into<String>) {
        self.notify::<ShowMessage>(ShowMessageParams {
            typ: MessageType::INFO,
            message: message.into(),
        });
    }

    pub fn trace(&self, message: String) {
        self.notify::<LogTrace>(LogTraceParams {
            message,
            verbose: None,
        });
    }

    pub fn after(&self, delay: Duration, alarm: Alarm) {
        self.outside.after(delay, alarm);
    }

    pub fn backlog(&self) -> usize {
        self.outside.backlog()
    }

    /// Hands an answer to whoever asked.
    pub fn answered(&self, server: &Arc<Server>, response: Response) {
        let (id, answer) = response.into_parts();
        let then = self.lock().then.remove(&id);
        if let Some(then) = then {
            then(server, answer);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A message with its parameters; none where there are none.
fn message(method: &'static str, params: impl serde::Serialize) -> jsonrpc::RequestBuilder {
    let message = Request::build(method);
    match serde_json::to_value(params) {
        Ok(Value::Null) | Err(_) => message,
        Ok(params) => message.params(params),
    }
}
