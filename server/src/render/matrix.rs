//! The outcome × model matrix.

use std::collections::BTreeMap;
use std::fmt::Write;

use fencepost_checker::model::STRONGEST;
use fencepost_checker::program::{Program, Quantifier, Value};
use fencepost_checker::report::Report;

use super::look::{Look, Role, Symbol, columns_of, pad};
use super::words;
use crate::analysis::interest;

/// What one model says of one outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    Reached,
    /// Everything was explored and it was not there.
    NotReached,
    /// Not seen, and not everything was explored.
    NotSeen,
}

/// One line: a final state, and which models reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub state: Vec<Value>,
    /// Parallel to the reports.
    pub cells: Vec<Cell>,
    /// Parallel to the program's conditions: worth a mark here.
    pub marks: Vec<bool>,
}

/// The union of all models' outcomes, sorted by state, the marked ones first.
pub fn rows(program: &Program, reports: &[&Report]) -> Vec<Row> {
    let unreached = reports.iter().map(|report| match report.complete() {
        true => Cell::NotReached,
        false => Cell::NotSeen,
    });
    let unreached: Vec<Cell> = unreached.collect();
    let mut states: BTreeMap<&[Value], Row> = BTreeMap::new();
    for (index, report) in reports.iter().enumerate() {
        for outcome in &report.outcomes {
            let row = states.entry(&outcome.state).or_insert_with(|| Row {
                state: outcome.state.clone(),
                cells: unreached.clone(),
                marks: (0..program.conditions.len())
                    .map(|c| interest::of_interest(program, c, outcome))
                    .collect(),
            });
            row.cells[index] = Cell::Reached;
        }
    }
    let mut rows: Vec<Row> = states.into_values().collect();
    rows.sort_by_key(|row| !row.marks.contains(&true));
    rows
}

/// How many rows are shown, and what shows the others.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    pub rows: usize,
    pub rest: &'static str,
}

/// The matrix as lines of text, each with its line end.
pub fn text(look: Look, program: &Program, reports: &[&Report], limit: Option<Limit>) -> String {
    let all = rows(program, reports);
    let shown = limit.map_or(all.len(), |limit| limit.rows.min(all.len()));
    let rows = &all[..shown];
    let cells_width = CELL_WIDTH * reports.len();
    let room = look
        .width
        .map(|width| width.saturating_sub(cells_width + GAP).max(MIN_STATE_WIDTH));
    let states = state_lines(look, program, rows, room);
    let heading = "outcome";
    let state_width = states
        .iter()
        .flatten()
        .map(|s| columns_of(s))
        .max()
        .unwrap_or(0)
        .max(MIN_STATE_WIDTH);

    let mut out = String::new();
    let mut line = pad(heading, state_width + GAP);
    for report in reports {
        line += &pad(report.model.name(), CELL_WIDTH);
    }
    let _ = writeln!(out, "{}", look.paint(Role::Heading, line.trim_end()));
    for (row, state) in rows.iter().zip(&states) {
        let first = state.first().map_or("", String::as_str);
        let line = format!(
            "{}{}{}",
            pad(first, state_width + GAP),
            cells_text(look, reports, row),
            look.paint(Role::Heading, &mark_text(look, program, &row.marks))
        );
        let _ = writeln!(out, "{}", line.trim_end());
        for more in state.iter().skip(1) {
            let _ = writeln!(out, "{more}");
        }
    }
    if all.is_empty() {
        let none = if reports.iter().all(|r| r.complete()) {
            "(no execution ends)"
        } else {
            "(none so far)"
        };
        let _ = writeln!(out, "{none}");
    }
    if shown < all.len() {
        let _ = writeln!(
            out,
            "{} {} more ({})",
            look.symbol(Symbol::Ellipsis),
            words::thousands((all.len() - shown) as u64),
            limit.map_or("", |limit| limit.rest)
        );
    }
    out
}

const CELL_WIDTH: usize = 7;
const GAP: usize = 3;
const MIN_STATE_WIDTH: usize = 20;

fn cells_text(look: Look, reports: &[&Report], row: &Row) -> String {
    let weak = reports.first().is_some_and(|r| r.model == STRONGEST)
        && row.cells.first() == Some(&Cell::NotReached);
    let mut text = String::new();
    for (index, cell) in row.cells.iter().enumerate() {
        let (symbol, role) = match cell {
            Cell::Reached if weak => (Symbol::Yes, Role::Weak),
            Cell::Reached => (Symbol::Yes, Role::Good),
            Cell::NotReached => (Symbol::No, Role::Faint),
            Cell::NotSeen => (Symbol::Unknown, Role::Caution),
        };
        let symbol = look.symbol(symbol);
        let last = index + 1 == row.cells.len();
        let width = if last { CELL_WIDTH - 1 } else { CELL_WIDTH };
        text += &look.paint(role, symbol);
        text += &" ".repeat(width - columns_of(symbol));
    }
    text
}

/// `P0:r0=0  P1:r1=0`, each binding as wide in every row; on several lines where
/// `room` is too small for one.
fn state_lines(
    look: Look,
    program: &Program,
    rows: &[Row],
    room: Option<usize>,
) -> Vec<Vec<String>> {
    let bindings: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            program
                .observed
                .iter()
                .zip(&row.state)
                .map(|(o, v)| {
                    look.plain(&format!("{}={}", o.name, program.show(*v)))
                        .into_owned()
                })
                .collect()
        })
        .collect();
    let widths: Vec<usize> = (0..program.observed.len())
        .map(|column| {
            let cells = bindings.iter().map(|row| columns_of(&row[column]));
            cells.max().unwrap_or(0)
        })
        .collect();
    bindings
        .iter()
        .map(|row| {
            if row.is_empty() {
                return vec!["(nothing observed)".to_owned()];
            }
            let mut lines = vec![String::new()];
            let mut used = 0;
            for (binding, width) in row.iter().zip(&widths) {
                let full = room.is_some_and(|room| used > 0 && used + 2 + width > room);
                if full {
                    lines.push(String::new());
                    used = 0;
                }
                if let Some(line) = lines.last_mut() {
                    if used > 0 {
                        line.push_str("  ");
                        used += 2;
                    }
                    line.push_str(&pad(binding, *width));
                    used += width;
                }
            }
            for line in &mut lines {
                line.truncate(line.trim_end().len());
            }
            lines
        })
        .collect()
}

/// `← exists`, or with several conditions which of them.
fn mark_text(look: Look, program: &Program, marks: &[bool]) -> String {
    let several = program.conditions.len() > 1;
    let named: Vec<String> = program
        .conditions
        .iter()
        .enumerate()
        .filter(|(index, _)| marks[*index])
        .map(|(index, condition)| {
            let word = match condition.quantifier {
                Quantifier::Forall => "not forall",
                other => words::quantifier(other),
            };
            match &condition.name {
                Some(name) if several => format!("{word} \"{}\"", look.plain(name)),
                _ if several => format!("{word} #{index}"),
                _ => word.to_owned(),
            }
        })
        .collect();
    if named.is_empty() {
        String::new()
    } else {
        format!("{} {}", look.symbol(Symbol::Points), named.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use expect_test::{Expect, expect};
    use fencepost_checker::engine;
    use fencepost_checker::lower::{LowerOptions, lower};
    use fencepost_checker::model::Model;
    use fencepost_checker::report::{Completeness, Options};

    fn check(look: Look, name: &str, rows: Option<usize>, complete: bool, expected: Expect) {
        let text = examples::find(name).expect("there is such an example");
        let parse = fencepost_grammar::parse(text);
        let program = lower(&parse.sound().expect("a test"), &LowerOptions::default())
            .expect("examples are right");
        let options = Options::default();
        let mut reports = Model::ALL.map(|model| engine::check(&program, model, &options));
        if !complete {
            for report in &mut reports {
                report.completeness = Completeness::OutOfTime;
                let first = std::mem::take(&mut report.outcomes).into_iter().take(2);
                report.outcomes = first.collect();
            }
        }
        let reports: Vec<&Report> = reports.iter().collect();
        let rest = "--outcomes shows all";
        let limit = rows.map(|rows| Limit { rows, rest });
        expected.assert_eq(&super::text(look, &program, &reports, limit));
    }

    #[test]
    fn the_matrix_is_as_wide_as_its_states() {
        check(
            Look::PLAIN,
            "SB",
            None,
            true,
            expect![[r#"
                outcome                SC     TSO    PSO
                P0:r0=0  P1:r1=0       –      ✓      ✓     ← exists
                P0:r0=0  P1:r1=1       ✓      ✓      ✓
                P0:r0=1  P1:r1=0       ✓      ✓      ✓
                P0:r0=1  P1:r1=1       ✓      ✓      ✓
            "#]],
        );
    }

    #[test]
    fn a_narrow_terminal_gets_several_lines_a_state() {
        let look = Look {
            width: Some(44),
            ..Look::PLAIN
        };
        check(
            look,
            "RWC",
            Some(2),
            true,
            expect![[r#"
                outcome                SC     TSO    PSO
                P1:r0=1  P1:r1=0       –      ✓      ✓     ← exists
                P2:r2=0
                P1:r0=0  P1:r1=0       ✓      ✓      ✓
                P2:r2=0
                … 6 more (--outcomes shows all)
            "#]],
        );
    }

    #[test]
    fn what_was_not_finished_is_not_denied() {
        check(
            Look {
                unicode: false,
                ..Look::PLAIN
            },
            "SB",
            None,
            false,
            expect![[r#"
                outcome                SC     TSO    PSO
                P0:r0=0  P1:r1=0       ?      yes    yes   <- exists
                P0:r0=0  P1:r1=1       yes    yes    yes
                P0:r0=1  P1:r1=0       yes    ?      ?
            "#]],
        );
    }
}
