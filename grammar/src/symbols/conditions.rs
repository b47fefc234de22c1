//! Names in conditions, `filter` and `locations`, which both dialects share.

use crate::ast::native::Expr;
use crate::ast::*;

/// How a dialect resolves what a condition observes.
pub(super) trait Lookup {
    /// `listed`: in `locations`, where only what is in memory can stand.
    fn location(&mut self, name: &Ident, index: Option<&Expr>, listed: bool);
    fn register(&mut self, thread: &ThreadRef, register: &Ident);
}

/// Visits every observable in order of place.
pub(super) fn resolve(test: &Test, lookup: &mut impl Lookup) {
    for locations in &test.locations {
        for item in &locations.items {
            observable(item, true, lookup);
        }
    }
    let filter = test.filter.iter().map(|filter| &filter.prop);
    let conditions = test.conditions.iter().map(|condition| &condition.prop);
    for prop in filter.chain(conditions) {
        prop.terms(&mut |term| {
            if let Term::Observable(node) = term {
                observable(node, false, lookup);
            }
        });
    }
}

fn observable(node: &Observable, listed: bool, lookup: &mut impl Lookup) {
    match &node.kind {
        ObservableKind::Register { thread, register } => lookup.register(thread, register),
        ObservableKind::Location { name, index, .. } => {
            lookup.location(name, index.as_deref(), listed);
        }
    }
}
