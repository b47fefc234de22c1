//! Lowers conditions, `filter`, `locations` and `expect`, and finds what an outcome shows.

use rustc_hash::FxHashMap;

use fencepost_grammar::Error;
use fencepost_grammar::ast::{self, Frequency, PropKind, Test};

use super::{UNREAD, range};
use crate::program::{
    Compare, Condition, Expect, ObsId, Observable, Place, Program, Prop, Term, Value, Verdict,
};

/// What the names in a condition mean: each dialect knows for itself.
pub trait Names {
    /// On the right of a comparison herd's bare location is its address.
    fn resolve(
        &mut self,
        observable: &ast::Observable,
        side: Side,
        program: &Program,
    ) -> Result<Named, Error>;

    /// How the place holds the number that is written beside it.
    fn literal(&self, place: Place, value: Value) -> Value;
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
    /// In a `locations` list.
    List,
}

/// What a name in a condition is.
pub enum Named {
    Value(Value),
    /// With its name in outcomes.
    Place(Place, String),
    /// Only a list may name several at once (a whole array).
    Places(Vec<(Place, String)>),
}

/// Fills in the program's conditions, its filter, and what is observed.
pub fn lower(test: &Test, names: &mut impl Names, program: &mut Program, errors: &mut Vec<Error>) {
    let mut lowering = Lowering {
        names,
        program,
        found: Vec::new(),
        ids: FxHashMap::default(),
    };
    let mut conditions = Vec::new();
    for condition in &test.conditions {
        match lowering.prop(&condition.prop) {
            Ok(prop) => conditions.push(Condition {
                quantifier: condition.quantifier,
                name: condition.name.as_ref().map(|name| name.name.to_string()),
                prop,
                span: range(condition.span),
                expect: condition.expect.iter().map(expect).collect(),
            }),
            Err(error) => errors.push(error),
        }
    }
    for item in test.locations.iter().flat_map(|list| &list.items) {
        match lowering.names.resolve(item, Side::List, lowering.program) {
            Ok(Named::Place(place, name)) => {
                lowering.observe(place, name);
            }
            Ok(Named::Places(places)) => {
                for (place, name) in places {
                    lowering.observe(place, name);
                }
            }
            Ok(Named::Value(_)) => {}
            Err(error) => errors.push(error),
        }
    }

    // Last, so that what the filter alone names comes last.
    let shown = lowering.found.len();
    let mut filter = None;
    if let Some(written) = &test.filter {
        match lowering.prop(&written.prop) {
            Ok(prop) => filter = Some(prop),
            Err(error) => errors.push(error),
        }
    }

    // Registers by thread and name, then memory by name, as herd prints them.
    let found = lowering.found;
    let mut sorted: Vec<ObsId> = (0..found.len()).collect();
    sorted.sort_by_key(|&id| {
        let (place, name) = &found[id];
        let (kind, thread, name, loc) = match *place {
            Place::Register(t, _) => (0, t, name.as_str(), 0),
            // The elements of an array in their order.
            Place::Memory(loc) => (1, 0, name.split('[').nth(1).unwrap_or(name), loc),
        };
        (id >= shown, kind, thread, name, loc)
    });
    let mut new_id = vec![0; found.len()];
    for (new, &old) in sorted.iter().enumerate() {
        new_id[old] = new;
    }
    for prop in conditions
        .iter_mut()
        .map(|c| &mut c.prop)
        .chain(&mut filter)
    {
        renumber(prop, &new_id);
    }
    program.observed = sorted
        .iter()
        .map(|&id| Observable {
            name: found[id].1.clone(),
            place: found[id].0,
        })
        .collect();
    program.filtered = program.observed.split_off(shown);
    program.conditions = conditions;
    program.filter = filter;
}

struct Lowering<'a, N> {
    names: &'a mut N,
    program: &'a Program,
    /// What is observed, numbered as found.
    found: Vec<(Place, String)>,
    ids: FxHashMap<Place, ObsId>,
}

/// A side of a comparison.
enum Operand {
    Value(Value),
    Place(Place, ObsId),
}

impl<N: Names> Lowering<'_, N> {
    fn prop(&mut self, prop: &ast::Prop) -> Result<Prop, Error> {
        Ok(match &prop.kind {
            PropKind::True => Prop::True,
            PropKind::False => Prop::False,
            PropKind::And(props) => Prop::And(self.props(props)?),
            PropKind::Or(props) => Prop::Or(self.props(props)?),
            PropKind::Not(inner) => Prop::Not(Box::new(self.prop(inner)?)),
            PropKind::Paren(inner) => self.prop(inner)?,
            PropKind::Compare { lhs, op, rhs } => {
                let left = self.term(lhs, Side::Left)?;
                let right = self.term(rhs, Side::Right)?;
                self.compare(left, *op, right)
            }
            PropKind::Error => unreachable!("{UNREAD}"),
        })
    }

    fn props(&mut self, props: &[ast::Prop]) -> Result<Vec<Prop>, Error> {
        props.iter().map(|prop| self.prop(prop)).collect()
    }

    fn term(&mut self, term: &ast::Term, side: Side) -> Result<Operand, Error> {
        match term {
            ast::Term::Int(int) => Ok(Operand::Value(int.value)),
            ast::Term::Observable(observable) => {
                match self.names.resolve(observable, side, self.program)? {
                    Named::Value(value) => Ok(Operand::Value(value)),
                    Named::Place(place, name) => {
                        Ok(Operand::Place(place, self.observe(place, name)))
                    }
                    Named::Places(_) => unreachable!("only a list names several places at once"),
                }
            }
        }
    }

    fn compare(&self, left: Operand, op: Compare, right: Operand) -> Prop {
        match (left, right) {
            (Operand::Value(a), Operand::Value(b)) => {
                let state = [a];
                let holds = Prop::Compare {
                    left: 0,
                    op,
                    right: Term::Value(b),
                }
                .holds(&state);
                if holds { Prop::True } else { Prop::False }
            }
            (Operand::Place(place, left), Operand::Value(value)) => Prop::Compare {
                left,
                op,
                right: Term::Value(self.names.literal(place, value)),
            },
            (Operand::Value(value), Operand::Place(place, right)) => Prop::Compare {
                left: right,
                op: turned(op),
                right: Term::Value(self.names.literal(place, value)),
            },
            (Operand::Place(_, left), Operand::Place(_, right)) => Prop::Compare {
                left,
                op,
                right: Term::Observed(right),
            },
        }
    }

    fn observe(&mut self, place: Place, name: String) -> ObsId {
        *self.ids.entry(place).or_insert_with(|| {
            self.found.push((place, name));
            self.found.len() - 1
        })
    }
}

fn renumber(prop: &mut Prop, new_id: &[ObsId]) {
    match prop {
        Prop::True | Prop::False => {}
        Prop::And(props) | Prop::Or(props) => {
            for prop in props {
                renumber(prop, new_id);
            }
        }
        Prop::Not(inner) => renumber(inner, new_id),
        Prop::Compare { left, right, .. } => {
            *left = new_id[*left];
            if let Term::Observed(id) = right {
                *id = new_id[*id];
            }
        }
    }
}

/// The comparison with its sides exchanged.
fn turned(op: Compare) -> Compare {
    match op {
        Compare::Eq | Compare::Ne => op,
        Compare::Lt => Compare::Gt,
        Compare::Le => Compare::Ge,
        Compare::Gt => Compare::Lt,
        Compare::Ge => Compare::Le,
    }
}

fn expect(written: &ast::Expect) -> Expect {
    Expect {
        model: written.model,
        verdict: match written.frequency {
            Frequency::Never => Verdict::Never,
            Frequency::Sometimes => Verdict::Sometimes,
            Frequency::Always => Verdict::Always,
        },
        span: range(written.span),
    }
}
