//! Runs a schedule in the operational model, step by step: no witness is shown unreplayed.

use crate::operational::{Effect, INITIAL, Machine, Writer};
pub use crate::operational::{End, Move};
use crate::program::{Model, Place, Program, ThreadId, Value};
use crate::thread::{Pending, Stop};
use crate::witness::{Action, FlushPolicy, Source, Step, StopReason, Witness};

/// A schedule that the operational model does not confirm: the checker is wrong somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayError {
    /// The model does not allow this step of the schedule.
    NotEnabled { step: usize },
    /// Something can still move after the last step.
    Unfinished,
    /// It ends in another state than the engine said.
    WrongState,
    /// It does not end as the engine said: no such failure, no deadlock.
    WrongEnd,
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReplayError::NotEnabled { step } => {
                write!(f, "step {step} of a witness is not possible in the model")
            }
            ReplayError::Unfinished => write!(f, "a witness ends before its execution does"),
            ReplayError::WrongState => write!(f, "a witness ends in another state than claimed"),
            ReplayError::WrongEnd => write!(f, "a witness does not end as claimed"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// An execution that the operational model has confirmed.
#[derive(Debug)]
pub struct Replayed {
    pub witness: Witness,
    pub ends: Vec<End>,
    /// Whether all waiting threads wait for ever whatever is retried.
    pub awaits_read_memory: bool,
}

/// Replays a whole execution.
pub fn replay(program: &Program, model: Model, schedule: &[Move]) -> Result<Witness, ReplayError> {
    run(program, model, schedule, FlushPolicy::Early).map(|replayed| replayed.witness)
}

/// As [`replay`], with what the collector compares; `flushes` is what to say of the schedule.
pub fn run(
    program: &Program,
    model: Model,
    schedule: &[Move],
    flushes: FlushPolicy,
) -> Result<Replayed, ReplayError> {
    let mut machine = Machine::new(program, model);
    let mut steps: Vec<Step> = Vec::with_capacity(schedule.len() + 2);
    // For each thread and event of it, its step.
    let mut step_of: Vec<Vec<usize>> = vec![Vec::new(); program.threads.len()];
    for t in 0..program.threads.len() {
        push_stop(program, &machine, t as ThreadId, &mut steps);
    }
    for (number, &step) in schedule.iter().enumerate() {
        let thread = match step {
            Move::Thread(t) | Move::Flush { thread: t, .. } => t,
        };
        let refused = ReplayError::NotEnabled { step: number };
        let local = machine.threads.get(thread as usize).ok_or(refused)?;
        let pc = local.cursor.pc;
        let effect = machine.step(step).ok_or(refused)?;
        let step_of_writer = |w: Writer| step_of[w.thread as usize][w.index as usize];
        let source = |writer: Writer| match writer {
            INITIAL => Source::Initial,
            _ => Source::Step(step_of_writer(writer)),
        };
        let mut at = pc;
        let action = match effect {
            Effect::Read {
                loc,
                value,
                source: writer,
            } => Action::Read {
                loc,
                value,
                source: source(writer),
            },
            Effect::Write { loc, value } => Action::Write { loc, value },
            Effect::Flush { loc, value, store } => {
                let store = step_of_writer(store);
                at = steps[store].pc;
                Action::Flush { loc, value, store }
            }
            Effect::Rmw {
                loc,
                read,
                source: writer,
                written,
            } => Action::Rmw {
                loc,
                read,
                source: source(writer),
                written,
            },
            Effect::Fence(kind) => Action::Fence(kind),
            Effect::Lock {
                loc,
                source: writer,
            } => Action::Lock {
                loc,
                source: source(writer),
            },
            Effect::Unlock { loc } => Action::Unlock { loc },
        };
        if matches!(step, Move::Thread(_)) {
            step_of[thread as usize].push(steps.len());
        }
        steps.push(Step {
            thread,
            pc: at,
            span: program.threads[thread as usize].spans[at as usize].clone(),
            action,
        });
        if matches!(step, Move::Thread(_)) {
            push_stop(program, &machine, thread, &mut steps);
        }
    }
    if !machine.at_end() {
        return Err(ReplayError::Unfinished);
    }
    let ends: Vec<End> = machine.ends().collect();
    for (t, end) in ends.iter().enumerate() {
        if let End::WaitsForLock(pc) = *end {
            steps.push(Step {
                thread: t as ThreadId,
                pc,
                span: program.threads[t].spans[pc as usize].clone(),
                action: Action::Stop(StopReason::Lock),
            });
        }
    }
    Ok(Replayed {
        witness: Witness {
            model,
            steps,
            memory: machine.memory.iter().map(|cell| cell.value).collect(),
            registers: machine.threads.iter().map(|l| l.regs.clone()).collect(),
            flushes,
        },
        ends,
        awaits_read_memory: machine.awaits_read_memory(),
    })
}

/// The step that says that the thread will not go on, when it has just stopped.
fn push_stop(program: &Program, machine: &Machine<'_>, t: ThreadId, steps: &mut Vec<Step>) {
    let local = &machine.threads[t as usize];
    let Pending::Stopped(stop) = local.pending else {
        return;
    };
    let pc = local.cursor.pc;
    steps.push(Step {
        thread: t,
        pc,
        span: program.threads[t as usize].spans[pc as usize].clone(),
        action: Action::Stop(match stop {
            Stop::Assume => StopReason::Assume,
            Stop::Await => StopReason::Await,
            Stop::Bound(_) => StopReason::Bound,
            Stop::Failed(_) => StopReason::Failed,
        }),
    });
}

/// The final state of a witness, parallel to [`Program::observed`].
pub fn final_state<'a>(
    program: &'a Program,
    witness: &'a Witness,
) -> impl Iterator<Item = Value> + 'a {
    program
        .observed
        .iter()
        .map(|observable| match observable.place {
            Place::Register(t, r) => witness.registers[t as usize][r as usize],
            Place::Memory(loc) => witness.memory[loc as usize],
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::FenceKind;

    const X: u16 = 0;
    const Y: u16 = 1;
    const T0: Move = Move::Thread(0);
    const T1: Move = Move::Thread(1);

    fn program(text: &str) -> Program {
        let parsed = fencepost_grammar::parse(text);
        assert!(!parsed.has_errors(), "{:?}", parsed.errors);
        crate::lower(
            &parsed.sound().expect("a test"),
            &crate::LowerOptions::default(),
        )
        .expect(text)
    }

    fn flush(thread: ThreadId, loc: u16) -> Move {
        Move::Flush { thread, loc }
    }

    const MP: &str = "litmus MP\nshared x, y;\nthread P { x = 1; y = 1; }\n\
                      thread Q { r = y; s = x; }\nexists (Q:r = 1 /\\ Q:s = 0)\n";

    #[test]
    fn steps_say_what_was_read_from_where() {
        let mp = program(MP);
        let weak = [T0, T0, flush(0, Y), T1, T1, flush(0, X)];
        let witness = replay(&mp, Model::Pso, &weak).expect("possible under PSO");
        let actions: Vec<&Action> = witness.steps.iter().map(|step| &step.action).collect();
        assert_eq!(
            actions,
            [
                &Action::Write { loc: X, value: 1 },
                &Action::Write { loc: Y, value: 1 },
                &Action::Flush {
                    loc: Y,
                    value: 1,
                    store: 1
                },
                &Action::Read {
                    loc: Y,
                    value: 1,
                    source: Source::Step(1)
                },
                &Action::Read {
                    loc: X,
                    value: 0,
                    source: Source::Initial
                },
                &Action::Flush {
                    loc: X,
                    value: 1,
                    store: 0
                },
            ]
        );
        assert_eq!(witness.memory, [1, 1]);
        assert!(final_state(&mp, &witness).eq([1, 0]));
        // The flush points at its store.
        assert_eq!(witness.steps[5].span, witness.steps[0].span);
    }

    #[test]
    fn what_a_model_forbids_is_refused() {
        let mp = program(MP);
        let weak = [T0, T0, flush(0, Y), T1, T1, flush(0, X)];
        let refused = |step| Err(ReplayError::NotEnabled { step });
        assert_eq!(replay(&mp, Model::Tso, &weak), refused(2));
        assert_eq!(replay(&mp, Model::Sc, &weak), refused(2));
        assert_eq!(replay(&mp, Model::Sc, &[Move::Thread(7)]), refused(0));
        assert_eq!(replay(&mp, Model::Tso, &[flush(7, X)]), refused(0));
        assert_eq!(
            replay(&mp, Model::Pso, &weak[..5]),
            Err(ReplayError::Unfinished)
        );
        assert_eq!(replay(&mp, Model::Sc, &[T0]), Err(ReplayError::Unfinished));
    }

    #[test]
    fn fences_hold_stores_back() {
        let fenced =
            program("litmus f\nshared x, y;\nthread P { x = 1; sfence; y = 1; mfence; }\n");
        let first = [T0, T0, T0, flush(0, Y)];
        let refused = |step| Err(ReplayError::NotEnabled { step });
        assert_eq!(replay(&fenced, Model::Pso, &first), refused(3));
        assert_eq!(replay(&fenced, Model::Pso, &[T0, T0, T0, T0]), refused(3));
        let good = [T0, T0, T0, flush(0, X), flush(0, Y), T0];
        let witness = replay(&fenced, Model::Pso, &good).expect("in order");
        assert_eq!(witness.steps[5].action, Action::Fence(FenceKind::Full));
    }

    #[test]
    fn threads_that_stop_say_why() {
        let text = "litmus s\nshared x;\nmutex m;\nthread P { lock(m); assert(x == 1); }\n\
                    thread Q { lock(m); }\nthread R { await(x == 1); }\nthread S { assume(0); }\n";
        let stuck = program(text);
        let moves = [T0, Move::Thread(2), T0];
        let replayed = run(&stuck, Model::Tso, &moves, FlushPolicy::Early).expect("possible");
        let stops: Vec<(ThreadId, StopReason)> = replayed
            .witness
            .steps
            .iter()
            .filter_map(|step| match step.action {
                Action::Stop(reason) => Some((step.thread, reason)),
                _ => None,
            })
            .collect();
        let expected = [
            (3, StopReason::Assume),
            (2, StopReason::Await),
            (0, StopReason::Failed),
            (1, StopReason::Lock),
        ];
        assert_eq!(stops, expected);
        assert!(replayed.awaits_read_memory);
    }
}
