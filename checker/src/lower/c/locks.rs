//! Which spinlocks are mutexes.
//!
//! A mutex is branched on by who comes next, which costs far less than trying each value
//! that a spinning exchange could read. It needs a lock that is only locked and unlocked,
//! each unlock behind a lock of its own block, and perhaps looked at. Every other spinlock
//! is a location like others, and `spin_lock` an exchange that waits for 0.

use rustc_hash::{FxHashMap, FxHashSet};

use fencepost_grammar::ast::c::{C, Expr, ExprKind, Stmt, StmtKind};
use fencepost_grammar::ast::herd::{InitTarget, InitValue};
use fencepost_grammar::ast::{Ident, SmolStr};
use fencepost_grammar::words::c::{Action, primitive};

use crate::thread::MAX_MUTEXES;

/// The parameters that name a mutex, each once.
pub fn mutexes(c: &C) -> Vec<&Ident> {
    let mut uses: FxHashMap<&SmolStr, Uses> = FxHashMap::default();
    for entry in &c.init {
        // One that starts as held or that somebody may point at is no mutex.
        if let InitTarget::Location { name, length, .. } = &entry.target {
            let zero = match &entry.value {
                None => true,
                Some(InitValue::Int(int)) => int.value == 0,
                Some(_) => false,
            };
            uses.entry(&name.name).or_default().other |= !zero || length.is_some();
        }
        if let Some(value) = &entry.value {
            addresses(value, &mut |name| {
                uses.entry(name).or_default().other = true
            });
        }
    }
    // Each mention counts; those as the argument of a lock's primitive are taken back.
    c.exprs(&mut |expr| match &expr.kind {
        ExprKind::Name(name) => uses.entry(name).or_default().mentions += 1,
        ExprKind::Call { .. } => {
            if let Some((name, action)) = spin(c, expr) {
                let uses = uses.entry(name).or_default();
                uses.mentions -= 1;
                uses.locked |= action == Action::SpinLock;
                uses.other |= action == Action::SpinTrylock;
            }
        }
        _ => {}
    });
    for function in &c.functions {
        let mut stray = |name| uses.entry(name).or_default().other = true;
        unlocks(c, &function.body.stmts, &mut stray);
    }
    let mut seen = FxHashSet::default();
    let params = c.functions.iter().flat_map(|function| &function.params);
    params
        .map(|param| &param.name)
        .filter(|name| {
            uses.get(&name.name)
                .is_some_and(|uses| uses.locked && !uses.other && uses.mentions == 0)
                && seen.insert(&name.name)
        })
        .take(MAX_MUTEXES)
        .collect()
}

#[derive(Default)]
struct Uses {
    locked: bool,
    /// As something else than a lock, or in a way that a mutex cannot be.
    other: bool,
    mentions: i64,
}

/// The lock that a call of a lock's primitive names.
fn spin<'c>(c: &C, expr: &'c Expr) -> Option<(&'c SmolStr, Action)> {
    let ExprKind::Call { function, args } = &expr.kind else {
        return None;
    };
    let (_, action) = primitive(&function.name, c.family)?;
    let is_spin = matches!(
        action,
        Action::SpinLock | Action::SpinUnlock | Action::SpinTrylock | Action::SpinIsLocked
    );
    match &args.first()?.bare().kind {
        ExprKind::Name(name) if is_spin => Some((name, action)),
        _ => None,
    }
}

/// Reports the unlocks that no lock of the same block precedes.
fn unlocks<'c>(c: &C, stmts: &'c [Stmt], stray: &mut impl FnMut(&'c SmolStr)) {
    let mut held = Vec::new();
    for stmt in stmts {
        let call = match &stmt.kind {
            StmtKind::Expr(expr) => spin(c, expr.bare()),
            _ => None,
        };
        match call {
            Some((name, Action::SpinLock)) => held.push(name),
            Some((name, Action::SpinUnlock)) => match held.iter().position(|it| *it == name) {
                Some(at) => {
                    held.remove(at);
                }
                None => stray(name),
            },
            _ => {}
        }
        match &stmt.kind {
            StmtKind::Block(block) => unlocks(c, &block.stmts, stray),
            StmtKind::If {
                then, otherwise, ..
            } => {
                unlocks(c, std::slice::from_ref(&**then), stray);
                if let Some(otherwise) = otherwise {
                    unlocks(c, std::slice::from_ref(&*otherwise.stmt), stray);
                }
            }
            StmtKind::While { body, .. } => unlocks(c, std::slice::from_ref(&**body), stray),
            _ => {}
        }
    }
}

fn addresses<'c>(value: &'c InitValue, each: &mut impl FnMut(&'c SmolStr)) {
    match value {
        InitValue::Int(_) => {}
        InitValue::Address { name, .. } => each(&name.name),
        InitValue::List { items, .. } => items.iter().for_each(|item| addresses(item, each)),
    }
}
