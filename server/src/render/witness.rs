//! The witness as a table: a row a step; threads, buffers and memory as columns.

use std::fmt::Write;

use fencepost_checker::forbidden;
use fencepost_checker::model::Rules;
use fencepost_checker::program::{LocationKind, Program, ThreadId};
use fencepost_checker::witness::{FlushPolicy, Witness};

use super::label;
use super::look::{Look, Role, columns_of, pad};
use super::trace::{self, Change, Moment};
use super::words;

/// `witness under TSO`, the table, and why not under SC; each line with its line end.
pub fn text(look: Look, program: &Program, source: &str, witness: &Witness) -> String {
    let mut out = String::new();
    let title = format!("witness under {}", witness.model.name());
    let _ = writeln!(out, "{}", look.paint(Role::Heading, &title));
    out += &table(look, program, source, witness);
    if let Some(cycle) = why_not(look, program, source, witness) {
        let _ = write!(out, "\n{cycle}");
    }
    out
}

/// How the shown execution was picked among those of its class, said under a table.
pub fn flush_note(witness: &Witness) -> Option<&'static str> {
    if !Rules::of(witness.model).buffer_stores() {
        return None;
    }
    Some(match witness.flushes {
        FlushPolicy::Early => "stores are flushed as early as the reads allow",
        FlushPolicy::Late => "stores are flushed as late as possible",
    })
}

/// Why a stronger model has no such execution, said under a table: a cycle of its steps.
pub fn why_not(look: Look, program: &Program, source: &str, witness: &Witness) -> Option<String> {
    let (model, cycle) = forbidden::by_stronger(program, witness)?;
    let rows: Vec<(usize, String, String, &str)> = cycle
        .iter()
        .map(|link| {
            let step = &witness.steps[link.from];
            let thread = label::thread(program, step.thread);
            let thread = look.plain(&thread).into_owned();
            let what = label::step(look, program, source, step);
            (link.from + 1, thread, what, label::edge(link.kind))
        })
        .collect();
    let thread_width = rows.iter().map(|row| columns_of(&row.1)).max()? + 2;
    let step_width = rows.iter().map(|row| columns_of(&row.2)).max()? + 3;
    let mut out = format!("{}\n", look.paint(Role::Heading, &words::not_under(model)));
    for (number, thread, what, relation) in &rows {
        let number = pad(&format!("{number:>2}"), 6);
        let thread = pad(thread, thread_width);
        let what = pad(what, step_width);
        let relation = look.paint(Role::Faint, relation);
        let _ = writeln!(out, "{number}{thread}{what}{relation}");
    }
    Some(out)
}

/// A table cell: its text, and whether the step changed what it shows, piece by piece.
struct Piece {
    text: String,
    changed: bool,
}

pub fn table(look: Look, program: &Program, source: &str, witness: &Witness) -> String {
    let moments = trace::moments(program, witness);
    let buffered = Rules::of(witness.model).buffer_stores();
    let threads: Vec<ThreadId> = (0..program.threads.len() as ThreadId)
        .filter(|t| program.threads.len() <= 8 || witness.steps.iter().any(|s| s.thread == *t))
        .collect();
    let names: Vec<String> = threads
        .iter()
        .map(|t| look.plain(&label::thread(program, *t)).into_owned())
        .collect();
    let labels: Vec<String> = witness
        .steps
        .iter()
        .map(|step| label::step(look, program, source, step))
        .collect();
    let locations = trace::shown_locations(program, witness);
    let buffers: Vec<Vec<Piece>> = moments
        .iter()
        .map(|m| buffer_pieces(look, program, &threads, m))
        .collect();
    let memory: Vec<Vec<Piece>> = moments
        .iter()
        .map(|m| memory_pieces(look, program, &locations, m))
        .collect();

    let wide = |pieces: &[Piece], gap: usize| {
        let text: usize = pieces.iter().map(|p| columns_of(&p.text)).sum();
        text + gap * pieces.len().saturating_sub(1)
    };
    let buffer_width = buffers.iter().map(|b| wide(b, 2)).max().unwrap_or(0);
    let buffer_width = buffer_width.max("buffers".len()).max(16) + 3;
    let memory_width = memory.iter().map(|m| wide(m, 1)).max().unwrap_or(0);
    let step_width = 6;
    let thread_widths: Vec<usize> = threads
        .iter()
        .enumerate()
        .map(|(column, thread)| {
            let of_thread = witness.steps.iter().zip(&labels);
            let widest = of_thread
                .filter(|(step, _)| step.thread == *thread)
                .map(|(_, label)| columns_of(label))
                .max()
                .unwrap_or(0);
            widest.max(columns_of(&names[column])) + 3
        })
        .collect();
    let total = step_width
        + thread_widths.iter().sum::<usize>()
        + if buffered { buffer_width } else { 0 }
        + memory_width;
    // Where the terminal is too narrow for a column a thread, one column names the thread.
    let narrow = look.width.is_some_and(|width| total > width);
    let name_width = names.iter().map(|n| columns_of(n)).max().unwrap_or(0) + 2;
    let label_width = labels.iter().map(|l| columns_of(l)).max().unwrap_or(0) + 3;

    let mut out = String::new();
    let mut heading = pad("step", step_width);
    if narrow {
        heading += &pad("", name_width + label_width);
    } else {
        for (name, width) in names.iter().zip(&thread_widths) {
            heading += &pad(name, *width);
        }
    }
    if buffered {
        heading += &pad("buffers", buffer_width);
    }
    heading += "memory";
    let _ = writeln!(out, "{}", look.paint(Role::Heading, heading.trim_end()));
    for (index, step) in witness.steps.iter().enumerate() {
        let mut line = pad(&format!("{:>2}", index + 1), step_width);
        if narrow {
            let column = threads.iter().position(|t| *t == step.thread).unwrap_or(0);
            line += &pad(&names[column], name_width);
            line += &pad(&labels[index], label_width);
        } else {
            for (thread, width) in threads.iter().zip(&thread_widths) {
                let own = *thread == step.thread;
                line += &pad(if own { &labels[index] } else { "" }, *width);
            }
        }
        if buffered {
            line += &joined(look, &buffers[index], "  ");
            line += &" ".repeat(buffer_width - wide(&buffers[index], 2));
        }
        line += &joined(look, &memory[index], " ");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn joined(look: Look, pieces: &[Piece], gap: &str) -> String {
    let painted: Vec<String> = pieces
        .iter()
        .map(|piece| {
            if piece.changed {
                look.paint(Role::Changed, &piece.text).into_owned()
            } else {
                piece.text.clone()
            }
        })
        .collect();
    painted.join(gap)
}

/// `P0: x=1 y=1`, one piece a thread that has something buffered.
fn buffer_pieces(
    look: Look,
    program: &Program,
    threads: &[ThreadId],
    moment: &Moment,
) -> Vec<Piece> {
    threads
        .iter()
        .filter_map(|thread| {
            let buffer = &moment.buffers[usize::from(*thread)];
            if buffer.is_empty() {
                return None;
            }
            let stores: Vec<String> = buffer
                .iter()
                .map(|b| {
                    let name = &program.locations[usize::from(b.loc)].name;
                    format!("{name}={}", program.show(b.value))
                })
                .collect();
            let text = format!("{}: {}", label::thread(program, *thread), stores.join(" "));
            Some(Piece {
                text: look.plain(&text).into_owned(),
                changed: moment
                    .changed
                    .iter()
                    .any(|c| matches!(c, Change::Buffer(t, _) if t == thread)),
            })
        })
        .collect()
}

fn memory_pieces(
    look: Look,
    program: &Program,
    locations: &[fencepost_checker::program::LocId],
    moment: &Moment,
) -> Vec<Piece> {
    locations
        .iter()
        .map(|loc| {
            let location = &program.locations[usize::from(*loc)];
            let value = moment.memory[usize::from(*loc)];
            let value = match location.kind {
                LocationKind::Mutex if value == 0 => "free".to_owned(),
                LocationKind::Mutex => "held".to_owned(),
                LocationKind::Data => program.show(value),
            };
            let text = format!("{}={value}", location.name);
            Piece {
                text: look.plain(&text).into_owned(),
                changed: moment.changed.contains(&Change::Memory(*loc)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use expect_test::{Expect, expect};
    use fencepost_checker::engine;
    use fencepost_checker::lower::{LowerOptions, lower};
    use fencepost_checker::model::Model;
    use fencepost_checker::report::Options;

    fn check(look: Look, name: &str, model: Model, outcome: usize, expected: Expect) {
        let text = examples::find(name).expect("there is such an example");
        let parse = fencepost_grammar::parse(text);
        let program = lower(&parse.sound().expect("a test"), &LowerOptions::default())
            .expect("examples are right");
        let report = engine::check(&program, model, &Options::default());
        let witness = report.outcomes[outcome].witness(&program);
        expected.assert_eq(&super::text(look, &program, text, &witness));
    }

    #[test]
    fn buffers_hold_stores_until_they_are_flushed() {
        check(
            Look::PLAIN,
            "SB",
            Model::Tso,
            0,
            expect![[r#"
                witness under TSO
                step  P0            P1            buffers            memory
                 1    x = 1                       P0: x=1            x=0 y=0
                 2    r0 = y → 0                  P0: x=1            x=0 y=0
                 3                  y = 1         P0: x=1  P1: y=1   x=0 y=0
                 4                  ⤷ flush y=1   P0: x=1            x=0 y=1
                 5                  r1 = x → 0    P0: x=1            x=0 y=1
                 6    ⤷ flush x=1                                    x=1 y=1

                not under SC: a cycle, each before the next
                 1    P0  x = 1        program order
                 2    P0  r0 = y → 0   reads before
                 3    P1  y = 1        program order
                 5    P1  r1 = x → 0   reads before
            "#]],
        );
    }

    #[test]
    fn sequential_consistency_has_no_buffers() {
        check(
            Look::PLAIN,
            "SB",
            Model::Sc,
            0,
            expect![[r#"
            witness under SC
            step  P0           P1           memory
             1    x = 1                     x=1 y=0
             2    r0 = y → 0                x=1 y=0
             3                 y = 1        x=1 y=1
             4                 r1 = x → 1   x=1 y=1
        "#]],
        );
    }

    #[test]
    fn a_narrow_terminal_gets_one_column_for_all_threads() {
        let look = Look {
            width: Some(56),
            ..Look::PLAIN
        };
        check(
            look,
            "SB",
            Model::Tso,
            0,
            expect![[r#"
                witness under TSO
                step                    buffers            memory
                 1    P0  x = 1         P0: x=1            x=0 y=0
                 2    P0  r0 = y → 0    P0: x=1            x=0 y=0
                 3    P1  y = 1         P0: x=1  P1: y=1   x=0 y=0
                 4    P1  ⤷ flush y=1   P0: x=1            x=0 y=1
                 5    P1  r1 = x → 0    P0: x=1            x=0 y=1
                 6    P0  ⤷ flush x=1                      x=1 y=1

                not under SC: a cycle, each before the next
                 1    P0  x = 1        program order
                 2    P0  r0 = y → 0   reads before
                 3    P1  y = 1        program order
                 5    P1  r1 = x → 0   reads before
            "#]],
        );
    }

    #[test]
    fn what_changed_is_marked_in_colour() {
        let look = Look {
            color: true,
            ..Look::PLAIN
        };
        check(
            look,
            "SB",
            Model::Pso,
            0,
            expect![[r#"
                [1mwitness under PSO[0m
                [1mstep  P0            P1            buffers            memory[0m
                 1    x = 1                       [1;36mP0: x=1[0m            x=0 y=0
                 2    r0 = y → 0                  P0: x=1            x=0 y=0
                 3                  y = 1         P0: x=1  [1;36mP1: y=1[0m   x=0 y=0
                 4                  ⤷ flush y=1   P0: x=1            x=0 [1;36my=1[0m
                 5                  r1 = x → 0    P0: x=1            x=0 y=1
                 6    ⤷ flush x=1                                    [1;36mx=1[0m y=1

                [1mnot under SC: a cycle, each before the next[0m
                 1    P0  x = 1        [2mprogram order[0m
                 2    P0  r0 = y → 0   [2mreads before[0m
                 3    P1  y = 1        [2mprogram order[0m
                 5    P1  r1 = x → 0   [2mreads before[0m
            "#]],
        );
    }

    #[test]
    fn mutexes_are_free_or_held() {
        check(
            Look::PLAIN,
            "MP+lock",
            Model::Tso,
            0,
            expect![[r#"
            witness under TSO
            step  P0            P1           buffers            memory
             1                  lock(m)                         m=held x=0 y=0
             2                  r0 = y → 0                      m=held x=0 y=0
             3                  r1 = x → 0                      m=held x=0 y=0
             4                  unlock(m)                       m=free x=0 y=0
             5    lock(m)                                       m=held x=0 y=0
             6    x = 1                      P0: x=1            m=held x=0 y=0
             7    ⤷ flush x=1                                   m=held x=1 y=0
             8    y = 1                      P0: y=1            m=held x=1 y=0
             9    ⤷ flush y=1                                   m=held x=1 y=1
            10    unlock(m)                                     m=free x=1 y=1
        "#]],
        );
    }
}
