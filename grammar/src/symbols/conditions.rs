//! Names in conditions, `filter` and `locations`, which both dialects share.

use crate::ast::native::Expr;
use crate::ast::*;

/// How a dialect resolves what a condition observes.
pub(super) trait Lookup {
    fn location(&mut self, name: &Ident, index: Option<&Expr>);
    fn register(&mut self, thread: &ThreadRef, register: &Ident);
}

/// Visits every observable in order of place.
pub(super) fn resolve(test: &Test, lookup: &mut impl Lookup) {
    for locations in &test.locations {
        for item in &locations.items {
            observable(item, lookup);
        }
    }
    if let Some(filter) = &test.filter {
        prop(&filter.prop, lookup);
    }
    for condition in &test.conditions {
        prop(&condition.prop, lookup);
    }
}

fn prop(node: &Prop, lookup: &mut impl Lookup) {
    match &node.kind {
        PropKind::And(props) | PropKind::Or(props) => {
            for inner in props {
                prop(inner, lookup);
            }
        }
        PropKind::Not(inner) | PropKind::Paren(inner) => prop(inner, lookup),
        PropKind::Compare { lhs, rhs, .. } => {
            for term in [lhs, rhs] {
                if let Term::Observable(node) = term {
                    observable(node, lookup);
                }
            }
        }
        PropKind::True | PropKind::False | PropKind::Error => {}
    }
}

fn observable(node: &Observable, lookup: &mut impl Lookup) {
    match &node.kind {
        ObservableKind::Register { thread, register } => lookup.register(thread, register),
        ObservableKind::Location { name, index, .. } => lookup.location(name, index.as_deref()),
    }
}
