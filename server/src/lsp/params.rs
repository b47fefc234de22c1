//! The parameters of a test: which values they have here, and how a lens sets others.

use std::collections::BTreeMap;
use std::sync::Arc;

use fencepost_checker::lower::lower;
use fencepost_grammar::Span;
use serde_json::Value;
use tower_lsp::jsonrpc::Error;
use tower_lsp::lsp_types::Url;

use super::jobs;
use super::route::Reply;
use super::server::Server;
use super::view::View;
use crate::analysis::param_advice;
use crate::protocol::commands::ParamAnswer;
use crate::protocol::{self, Lsp};

/// What was set for one document, for as long as the server runs.
pub type SetParams = BTreeMap<String, i64>;

/// A `param` of the text now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param<'v> {
    pub name: &'v str,
    pub span: Span,
    /// As the file has it, an expression.
    pub written: &'v str,
    /// Unknown while the test has errors.
    pub value: Option<i64>,
    /// A setting or a lens gives the value, not the file.
    pub overridden: bool,
    /// A lens gives the value.
    pub set: bool,
}

impl Param<'_> {
    /// `N = 3`, or `N = 5 (file says 3)`.
    pub fn text(&self) -> String {
        let Param { name, written, .. } = self;
        match self.value {
            Some(value) if self.overridden => format!("{name} = {value} (file says {written})"),
            Some(value) => format!("{name} = {value}"),
            None => format!("{name} = {written}"),
        }
    }

    pub fn json(&self, view: &View) -> protocol::requests::Param {
        protocol::requests::Param {
            name: self.name.to_owned(),
            value: self.value.map(Into::into),
            written: self.written.to_owned(),
            overridden: self.overridden,
            set: self.set,
            range: Lsp(view.range(self.span)),
        }
    }
}

/// Every parameter, in order of place.
pub fn all(view: &View) -> Vec<Param<'_>> {
    let program = view.snapshot.lowered().as_ref().ok();
    let declared = view.parse().test.params().into_iter();
    declared
        .map(|param| {
            let name = param.name.name.as_str();
            let given = view.snapshot.lowering.params.iter();
            let given = given.rev().find(|(set, _)| set == name);
            let lowered = program.and_then(|program| {
                let param = program.params.iter().find(|param| param.name == name)?;
                Some(param.value)
            });
            Param {
                name,
                span: param.span,
                written: param.written.text(view.text()),
                value: given.map(|(_, value)| *value).or(lowered),
                overridden: given.is_some(),
                set: view.set_params.contains_key(name),
            }
        })
        .collect()
}

pub fn find<'v>(view: &'v View, name: &str) -> Option<Param<'v>> {
    all(view).into_iter().find(|param| param.name == name)
}

/// The command of the lens. With a value it is set, with null the file's own (or the
/// settings') comes back; without any, the person is asked.
pub fn command(
    server: &Arc<Server>,
    view: View,
    name: Option<String>,
    value: Option<Value>,
    reply: Reply,
) {
    let Some(name) = name else {
        let error = Error::invalid_params("setting a parameter needs a `name`");
        return reply.send::<()>(Err(error));
    };
    let Some(param) = find(&view, &name) else {
        return reply.send::<()>(Err(Error::invalid_params(unknown(&view, &name))));
    };
    let server = server.clone();
    match value {
        None => {
            reply.send(Ok(answer(&param)));
            jobs::beside(move || let_choose(&server, &view, name));
        }
        Some(Value::Null) => {
            server.set_param(view.uri(), &name, None);
            reply.send(Ok(now(&server, view.uri(), &name)));
        }
        // With some values a test is large.
        Some(value) => jobs::beside(move || {
            let refused = match read(&value) {
                Ok(value) => match refusal(&view, &name, value) {
                    None => {
                        server.set_param(view.uri(), &name, Some(value));
                        return reply.send(Ok(now(&server, view.uri(), &name)));
                    }
                    Some(why) => why,
                },
                Err(why) => why,
            };
            reply.send::<()>(Err(Error::invalid_params(refused)));
        }),
    }
}

/// The parameter as it stands after the command.
fn now(server: &Server, uri: &Url, name: &str) -> Option<Value> {
    let view = server.view(uri)?;
    Some(answer(&find(&view, name)?))
}

fn answer(param: &Param) -> Value {
    protocol::json(&ParamAnswer {
        name: param.name.to_owned(),
        value: param.value.map(Into::into),
        text: param.text(),
    })
}

/// A number as JSON has it, or in digits where JSON's numbers end.
fn read(value: &Value) -> Result<i64, String> {
    let number = match value {
        Value::String(digits) => digits.trim().parse().ok(),
        other => other.as_i64(),
    };
    let shown = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    number.ok_or_else(|| format!("`{shown}` is no 64-bit number"))
}

fn unknown(view: &View, name: &str) -> String {
    let test = &view.parse().test;
    if test.dialect.find("param").is_none() {
        return "tests in herd's dialect have no parameters".to_owned();
    }
    let known: Vec<&str> = view.snapshot.source().params().collect();
    let advice = param_advice(name, &known);
    format!("{} has no parameter `{name}`: {advice}", test.name.name)
}

/// Why a test cannot be checked with this value. What was wrong with it before is no reason.
fn refusal(view: &View, name: &str, value: i64) -> Option<String> {
    let parse = view.parse();
    let sound = parse.sound()?;
    let mut lowering = view.snapshot.own_lowering();
    // The last one counts.
    lowering.params.push((name.to_owned(), value));
    let errors = lower(&sound, &lowering).err()?;
    if view.snapshot.lowered().as_ref().err() == Some(&errors) {
        return None;
    }
    let first = errors.first()?;
    Some(format!("with {name} = {value}: {}", first.message()))
}

/// Offers values near the one it has, to a client without a place to type one. Beside
/// everything else: the answer may take as long as a person does.
fn let_choose(server: &Server, view: &View, name: String) {
    let Some((question, choices)) = choices(view, &name) else {
        return;
    };
    let uri = view.uri().clone();
    let titles: Vec<String> = choices.iter().map(|(title, _)| title.clone()).collect();
    server
        .outbox
        .choose(question, titles, move |server, chosen| {
            if let Some((_, value)) = choices.iter().find(|(title, _)| *title == chosen) {
                server.set_param(&uri, &name, *value);
            }
        });
}

/// What is shown, and the value it stands for.
type Choice = (String, Option<i64>);

/// The question, and the values that the test can be checked with.
fn choices(view: &View, name: &str) -> Option<(String, Vec<Choice>)> {
    let param = find(view, name)?;
    let value = param.value.unwrap_or_default();
    let near = [
        value.checked_sub(1),
        value.checked_add(1),
        value.checked_mul(2),
    ];
    let mut choices: Vec<Choice> = Vec::new();
    for near in near.into_iter().flatten() {
        let title = near.to_string();
        let known = near == value || choices.iter().any(|(before, _)| *before == title);
        if !known && refusal(view, name, near).is_none() {
            choices.push((title, Some(near)));
        }
    }
    if param.set {
        choices.push((format!("{}, as the file says", param.written), None));
    }
    Some((format!("{}: which value instead?", param.text()), choices))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::view::fixture::unchecked;
    use super::*;

    const TEST: &str = "litmus T\nshared x;\nparam N = 3, M = N * 2;\nthread W[i in 0..N] { x = M; }\nexists (x = 1)\n";

    fn view(set: &[(&str, i64)]) -> View {
        let mut view = unchecked(TEST);
        let set: SetParams = set.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
        view.set_params = Arc::new(set);
        let snapshot = &view.snapshot;
        let lowering = super::super::server::with_params(&snapshot.lowering, &view.set_params);
        view.snapshot = Arc::new(super::super::document::Snapshot::new(
            snapshot.uri.clone(),
            1,
            snapshot.rope.clone(),
            Arc::new(lowering),
        ));
        view
    }

    fn texts(view: &View) -> Vec<String> {
        all(view).iter().map(Param::text).collect()
    }

    #[test]
    fn what_is_set_reaches_what_is_computed_from_it() {
        assert_eq!(texts(&view(&[])), ["N = 3", "M = 6"]);
        assert_eq!(texts(&view(&[("N", 5)])), ["N = 5 (file says 3)", "M = 10"]);
        assert_eq!(
            texts(&view(&[("M", 1), ("K", 1)])),
            ["N = 3", "M = 1 (file says N * 2)"]
        );
        // What cannot be checked has no value to tell, except the one that was set.
        assert_eq!(
            texts(&view(&[("N", 1000)])),
            ["N = 1000 (file says 3)", "M = N * 2"]
        );
    }

    #[test]
    fn values_that_cannot_be_checked_are_refused() {
        let view = view(&[]);
        assert_eq!(refusal(&view, "N", 4), None);
        expect_test::expect![[r#"
            Some(
                "with N = 1000: 1000 threads: at most 64 can be checked",
            )
        "#]]
        .assert_debug_eq(&refusal(&view, "N", 1000));
        assert_eq!(
            unknown(&view, "K"),
            "T has no parameter `K`: there are N, M"
        );
        assert_eq!(read(&json!(-3)), Ok(-3));
        assert_eq!(read(&json!(" 9223372036854775807 ")), Ok(i64::MAX));
        for wrong in [json!("five"), json!(2.5), json!([1]), json!("")] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_near_the_one_it_has_are_offered() {
        let titles = |view: &View| {
            let (question, choices) = choices(view, "N").expect("a parameter");
            let titles: Vec<String> = choices.into_iter().map(|(title, _)| title).collect();
            format!("{question} {}", titles.join(" | "))
        };
        assert_eq!(titles(&view(&[])), "N = 3: which value instead? 2 | 4 | 6");
        assert_eq!(
            titles(&view(&[("N", 60)])),
            "N = 60 (file says 3): which value instead? 59 | 61 | 3, as the file says"
        );
    }
}
