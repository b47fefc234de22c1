//! Fences in words and as JSON: which, where, what for.

use fencepost_checker::fences::Cost;
use fencepost_grammar::ast::Test;
use fencepost_grammar::ast::native::FenceKind;
use fencepost_grammar::fences::{NewFence, Written, thread_name};
use serde_json::Number;

use crate::analysis::Lines;
use crate::protocol::{Named, fences as protocol};

pub fn kind(kind: FenceKind) -> &'static str {
    match kind {
        FenceKind::Full => "mfence",
        FenceKind::StoreStore => "sfence",
    }
}

/// `` `sfence` in P0 and `mfence` in P1 ``
pub fn summary(test: &Test, set: &[NewFence]) -> String {
    // For each kind, the threads with how many of it they get, in order.
    let mut kinds: Vec<(FenceKind, Vec<(&str, usize)>)> = Vec::new();
    for fence in set {
        let name = thread_name(test, fence.place.thread);
        let threads = match kinds.iter_mut().find(|(kind, _)| *kind == fence.kind) {
            Some((_, threads)) => threads,
            None => {
                kinds.push((fence.kind, Vec::new()));
                match kinds.last_mut() {
                    Some((_, threads)) => threads,
                    None => continue,
                }
            }
        };
        match threads.iter_mut().find(|(thread, _)| *thread == name) {
            Some((_, count)) => *count += 1,
            None => threads.push((name, 1)),
        }
    }
    let parts: Vec<String> = kinds
        .iter()
        .map(|(of, threads)| {
            let places: Vec<String> = threads
                .iter()
                .map(|(name, count)| match count {
                    1 => (*name).to_owned(),
                    many => format!("{name} ({many} times)"),
                })
                .collect();
            format!("`{}` in {}", kind(*of), listed(&places))
        })
        .collect();
    listed(&parts)
}

/// `a`, `a and b`, `a, b and c`
fn listed(parts: &[String]) -> String {
    match parts {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [many @ .., last] => format!("{} and {last}", many.join(", ")),
    }
}

/// `2`, `0.5`, in full fences.
pub fn cost(cost: Cost) -> String {
    cost.value().to_string()
}

/// The same as a number.
pub fn cost_number(cost: Cost) -> Option<Number> {
    if cost.halves.is_multiple_of(2) {
        Some((cost.halves / 2).into())
    } else {
        Number::from_f64(cost.value())
    }
}

/// The line that a new fence follows, from 1.
pub fn after_line(lines: &Lines<'_>, fence: &NewFence) -> usize {
    lines.place(fence.place.at as usize).line
}

pub fn new_fence(test: &Test, lines: &Lines<'_>, fence: &NewFence) -> protocol::NewFence {
    protocol::NewFence {
        thread: thread_name(test, fence.place.thread).to_owned(),
        after_line: after_line(lines, fence),
        kind: Named(fence.kind),
    }
}

/// A fence that is there.
pub fn written(test: &Test, lines: &Lines<'_>, fence: &Written) -> protocol::WrittenFence {
    protocol::WrittenFence {
        thread: thread_name(test, fence.thread).to_owned(),
        line: lines.place(fence.span.start as usize).line,
        kind: Named(fence.kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_grammar::fences::Place;

    fn check(set: &[(usize, FenceKind)], expected: &str) {
        let parse = fencepost_grammar::parse("litmus T\nthread P0 { }\nthread P1 { }\n");
        let fence = |(thread, kind): &(usize, FenceKind)| NewFence {
            place: Place {
                thread: *thread,
                at: 0,
            },
            kind: *kind,
        };
        let set: Vec<NewFence> = set.iter().map(fence).collect();
        assert_eq!(summary(&parse.test, &set), expected);
    }

    #[test]
    fn sets_are_summed_up() {
        use FenceKind::{Full, StoreStore};
        check(&[(0, Full), (1, Full)], "`mfence` in P0 and P1");
        check(
            &[(0, StoreStore), (1, Full)],
            "`sfence` in P0 and `mfence` in P1",
        );
        check(&[(0, Full), (0, Full)], "`mfence` in P0 (2 times)");
        check(&[], "nothing");
    }
}
