//! What a step or an event is called: the test's own syntax where it is short.

use fencepost_checker::graph::{EdgeKind, EventKind};
use fencepost_checker::program::{FenceKind, Program, Span, ThreadId};
use fencepost_checker::witness::{Action, Step, StopReason};

use super::look::{Look, Symbol, columns_of};

/// Statements longer than this are named by what they do instead.
const LONGEST_STATEMENT: usize = 32;

/// A thread's name as a heading: herd's `0` is `P0`, as its column says.
pub fn thread(program: &Program, thread: ThreadId) -> String {
    match program.threads.get(usize::from(thread)) {
        Some(t) if t.name.starts_with(|c: char| c.is_ascii_digit()) => format!("P{}", t.name),
        Some(t) => t.name.clone(),
        None => format!("P{thread}"),
    }
}

/// `x = 1`, `r0 = y → 0`, `⤷ flush x=1`
pub fn step(look: Look, program: &Program, text: &str, step: &Step) -> String {
    let name = |loc: u16| program.locations[usize::from(loc)].name.as_str();
    let show = |value| program.show(value);
    let reads = look.symbol(Symbol::Reads);
    let statement = statement(program, text, step);
    let label = match &step.action {
        Action::Read { loc, value, .. } => {
            let what = statement.unwrap_or_else(|| name(*loc).to_owned());
            format!("{what} {reads} {}", show(*value))
        }
        Action::Write { loc, value } => {
            statement.unwrap_or_else(|| format!("{} = {}", name(*loc), show(*value)))
        }
        Action::Flush { loc, value, .. } => format!(
            "{} flush {}={}",
            look.symbol(Symbol::Flush),
            name(*loc),
            show(*value)
        ),
        Action::Rmw {
            loc, read, written, ..
        } => {
            let what = statement.unwrap_or_else(|| format!("rmw {}", name(*loc)));
            match written {
                Some(_) => format!("{what} {reads} {}", show(*read)),
                None => format!("{what} {reads} {} (fails)", show(*read)),
            }
        }
        Action::Fence(kind) => statement.unwrap_or_else(|| fence(*kind).to_owned()),
        Action::Lock { loc, .. } => statement.unwrap_or_else(|| format!("lock({})", name(*loc))),
        Action::Unlock { loc } => statement.unwrap_or_else(|| format!("unlock({})", name(*loc))),
        Action::Stop(reason) => stop(*reason).to_owned(),
    };
    look.plain(&label).into_owned()
}

fn stop(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Assume => "assume is false",
        StopReason::Await => "waits for ever",
        StopReason::Lock => "waits for the lock",
        StopReason::Bound => "cut at the loop bound",
        StopReason::Failed => "fails here",
    }
}

/// An edge of the graph in words, between what it leaves and what it enters.
pub fn edge(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Po => "program order",
        EdgeKind::Rf => "is read by",
        EdgeKind::Co => "overwritten by",
        EdgeKind::Fr => "reads before",
    }
}

fn fence(kind: FenceKind) -> &'static str {
    match kind {
        FenceKind::Full => "mfence",
        FenceKind::StoreStore => "sfence",
    }
}

/// The source of the step's statement, when it is one short line and this step is the
/// only event in it: of `r = x + y` each load is named by its location instead.
fn statement(program: &Program, text: &str, step: &Step) -> Option<String> {
    let thread = program.threads.get(usize::from(step.thread))?;
    let events = thread
        .code
        .iter()
        .zip(&thread.spans)
        .filter(|(instr, span)| **span == step.span && is_event(instr))
        .count();
    if events > 1 {
        return None;
    }
    let source = source(text, &step.span)?;
    let source = source.strip_suffix(';').unwrap_or(&source).trim_end();
    (!source.is_empty() && columns_of(source) <= LONGEST_STATEMENT && !source.contains('{'))
        .then(|| source.to_owned())
}

fn is_event(instr: &fencepost_checker::program::Instr) -> bool {
    use fencepost_checker::program::Instr;
    matches!(
        instr,
        Instr::Load { .. }
            | Instr::Store { .. }
            | Instr::Rmw { .. }
            | Instr::Fence(_)
            | Instr::Lock(_)
            | Instr::Unlock(_)
    )
}

/// The text of a range on one line, runs of blanks made one.
pub fn source(text: &str, span: &Span) -> Option<String> {
    let source = text.get(span.start as usize..span.end as usize)?;
    let words: Vec<&str> = source.split_whitespace().collect();
    Some(words.join(" "))
}

/// An event of the graph: `W x=1`, `R y=0`, `RMW x: 0→1`, `mfence`.
pub fn event(look: Look, program: &Program, kind: &EventKind) -> String {
    let name = |loc: u16| program.locations[usize::from(loc)].name.as_str();
    let show = |value| program.show(value);
    let label = match *kind {
        EventKind::Initial { loc, value } => format!("{}={}", name(loc), show(value)),
        EventKind::Read { loc, value } => format!("R {}={}", name(loc), show(value)),
        EventKind::Write { loc, value } => format!("W {}={}", name(loc), show(value)),
        EventKind::Rmw { loc, read, written } => match written {
            Some(written) => format!(
                "RMW {}: {}{}{}",
                name(loc),
                show(read),
                look.symbol(Symbol::Reads),
                show(written)
            ),
            None => format!("RMW {}={} fails", name(loc), show(read)),
        },
        EventKind::Fence(kind) => fence(kind).to_owned(),
        EventKind::Lock { loc } => format!("lock {}", name(loc)),
        EventKind::Unlock { loc } => format!("unlock {}", name(loc)),
    };
    look.plain(&label).into_owned()
}
