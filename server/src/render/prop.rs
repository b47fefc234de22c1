//! A condition in words: as the file writes it, or in herd's normal form.

use fencepost_checker::program::{Compare, Condition, Program, Prop, Span, Term};

use super::label;
use super::words;

/// The condition as the file writes it, on one line.
pub fn source(text: &str, span: &Span) -> String {
    label::source(text, span).unwrap_or_default()
}

/// `exists (0:EAX=0 /\ 1:EAX=0)`, as herd7 prints it.
pub fn herd(program: &Program, condition: &Condition) -> String {
    format!(
        "{} ({})",
        words::quantifier(condition.quantifier),
        prop(program, &condition.prop, Level::Or)
    )
}

/// How tightly the surroundings bind: what is looser needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
}

fn prop(program: &Program, it: &Prop, around: Level) -> String {
    let (own, text) = match it {
        Prop::True => (Level::Not, "true".to_owned()),
        Prop::False => (Level::Not, "false".to_owned()),
        Prop::And(parts) => (Level::And, join(program, parts, " /\\ ", Level::And)),
        Prop::Or(parts) => (Level::Or, join(program, parts, " \\/ ", Level::Or)),
        Prop::Not(inner) => {
            let inner = prop(program, inner, Level::Or);
            (Level::Not, format!("not ({inner})"))
        }
        Prop::Compare { left, op, right } => {
            let left = &program.observed[*left].name;
            let right = match right {
                Term::Value(value) => program.show(*value),
                Term::Observed(other) => program.observed[*other].name.clone(),
            };
            (Level::Not, format!("{left}{}{right}", compare(*op)))
        }
    };
    if own < around {
        format!("({text})")
    } else {
        text
    }
}

fn join(program: &Program, parts: &[Prop], with: &str, level: Level) -> String {
    let parts: Vec<String> = parts.iter().map(|p| prop(program, p, level)).collect();
    parts.join(with)
}

fn compare(op: Compare) -> &'static str {
    match op {
        Compare::Eq => "=",
        Compare::Ne => "!=",
        Compare::Lt => "<",
        Compare::Le => "<=",
        Compare::Gt => ">",
        Compare::Ge => ">=",
    }
}
