//! The words for verdicts, counts and budgets: one vocabulary for editor and terminal.

use std::time::Duration;

use fencepost_checker::program::{Model, Program, Quantifier, Value, Verdict};
use fencepost_checker::report::{Completeness, FailureKind, Report};

use super::look::{Look, Symbol};

/// `sometimes under TSO, PSO · never under SC`, the weakest claim first.
pub fn verdict_phrase(look: Look, reports: &[&Report], condition: usize) -> String {
    let judged = reports.iter().filter_map(|report| {
        let judged = report.conditions.get(condition)?;
        Some((report.model, judged.verdict))
    });
    verdicts(judged).join(&format!(" {} ", look.symbol(Symbol::Dot)))
}

/// `sometimes under TSO, PSO`, `never under SC`
pub fn verdicts(judged: impl Iterator<Item = (Model, Verdict)> + Clone) -> Vec<String> {
    let all = [
        Verdict::Sometimes,
        Verdict::Always,
        Verdict::Never,
        Verdict::Unknown,
    ];
    let told = all.into_iter().filter_map(|verdict| {
        let under = models(judged.clone().filter(|j| j.1 == verdict).map(|j| j.0));
        let word = match verdict {
            Verdict::Unknown => "not finished",
            settled => settled.name(),
        };
        (!under.is_empty()).then(|| format!("{word} under {under}"))
    });
    told.collect()
}

/// Why and where a check stopped: `not finished under PSO: 1,204 classes in 2 s; …`.
/// `None` when it is complete.
pub fn unfinished_phrase(
    look: Look,
    program: &Program,
    report: &Report,
    limit: Option<Duration>,
) -> Option<String> {
    let classes = if report.engine.counts() {
        counted(report.classes, "class", "classes")
    } else {
        "not every question answered".to_owned()
    };
    let why = match report.completeness {
        Completeness::Complete => return None,
        Completeness::OutOfTime => match limit {
            Some(limit) => format!("{classes} in {}", duration(limit)),
            None => format!("{classes} in {}", duration(report.time)),
        },
        Completeness::OutOfClasses => format!("stopped after {classes}, the limit"),
        Completeness::OutOfMemory => format!("{classes}, then the memory limit"),
        Completeness::TooManyEvents => {
            format!("{classes}, then an execution with more events than can be held")
        }
        Completeness::OutOfRounds => "more rounds or timestamps could find more".to_owned(),
        Completeness::NotEncoded => {
            "this engine does not know an operation of the test; `--engine trust` does".to_owned()
        }
        Completeness::Cancelled => format!("{classes}, then it was stopped"),
    };
    let seen = match report.outcomes.len() {
        0 => "nothing reachable so far".to_owned(),
        many => {
            const SHOWN: usize = 3;
            let mut states: Vec<String> = report
                .outcomes
                .iter()
                .take(SHOWN)
                .map(|o| state_text(program, &o.state))
                .collect();
            if many > SHOWN {
                states.push(format!("{} more", many - SHOWN));
            }
            format!("reachable so far: {}", states.join("; "))
        }
    };
    let seen = look.plain(&seen).into_owned();
    Some(format!(
        "not finished under {}: {why}; {seen}",
        report.model.name()
    ))
}

/// `P0:r0=0 P1:r1=0`
pub fn state_text(program: &Program, state: &[Value]) -> String {
    let bindings: Vec<String> = program
        .observed
        .iter()
        .zip(state)
        .map(|(o, v)| format!("{}={}", o.name, program.show(*v)))
        .collect();
    if bindings.is_empty() {
        "(nothing observed)".to_owned()
    } else {
        bindings.join(" ")
    }
}

pub fn quantifier(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    }
}

pub fn failure(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Assertion => "this assertion can fail",
        FailureKind::DivisionByZero => "this can divide by zero",
        FailureKind::IndexOutOfBounds => "this index can be out of bounds",
        FailureKind::BadAddress => "this address can be one of no location",
        FailureKind::UnlockNotHeld => "this can unlock a mutex that the thread does not hold",
    }
}

/// What an execution that fails does.
pub fn failing(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Assertion => "fails an assertion",
        FailureKind::DivisionByZero => "divides by zero",
        FailureKind::IndexOutOfBounds => "uses an index out of bounds",
        FailureKind::BadAddress => "follows an address of no location",
        FailureKind::UnlockNotHeld => "unlocks a mutex it does not hold",
    }
}

/// Heads the cycle that tells why a model has no such execution.
pub fn not_under(model: Model) -> String {
    format!("not under {}: a cycle, each before the next", model.name())
}

/// `SC, TSO`
pub fn models(models: impl IntoIterator<Item = Model>) -> String {
    let names: Vec<&str> = models.into_iter().map(Model::name).collect();
    names.join(", ")
}

/// `1 class`, `1,204 classes`
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        thousands(count),
        if count == 1 { one } else { many }
    )
}

/// `1,204`
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `2 s`, `1.5 s`, `250 ms`
pub fn duration(duration: Duration) -> String {
    let millis = duration.as_millis();
    if millis < 1000 {
        return format!("{millis} ms");
    }
    let tenths = (millis + 50) / 100;
    if tenths.is_multiple_of(10) {
        format!("{} s", tenths / 10)
    } else {
        format!("{}.{} s", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1204), "1,204");
        assert_eq!(thousands(1_000_000), "1,000,000");
        assert_eq!(counted(1, "class", "classes"), "1 class");
    }

    #[test]
    fn durations_are_short() {
        assert_eq!(duration(Duration::from_millis(2000)), "2 s");
        assert_eq!(duration(Duration::from_millis(1540)), "1.5 s");
        assert_eq!(duration(Duration::from_millis(250)), "250 ms");
    }
}
