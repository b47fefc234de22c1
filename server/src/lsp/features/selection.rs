//! Selection ranges: from the word under the cursor outwards to the whole file.

use fencepost_grammar::Span;
use fencepost_grammar::ast::native::{Block, Expr, ExprKind, Init, Place, Stmt, StmtKind};
use fencepost_grammar::ast::{Body, Herd, Native, Prop, PropKind};
use fencepost_grammar::scan;
use tower_lsp::lsp_types::{Position, SelectionRange};

use super::super::view::View;

pub fn ranges(view: &View, positions: &[Position]) -> Vec<SelectionRange> {
    positions
        .iter()
        .map(|position| one(view, *position))
        .collect()
}

fn one(view: &View, position: Position) -> SelectionRange {
    let offset = view.offset(position);
    let mut around = Around {
        offset,
        spans: Vec::new(),
    };
    around.test(view);
    if let Some(word) = scan::word_at(view.text(), offset) {
        around.add(word);
    }
    let mut spans = around.spans;
    spans.sort_by_key(|span| (std::cmp::Reverse(span.len()), span.start));
    spans.dedup();
    // What crosses another is no step outwards; nested ones remain.
    let mut chain: Vec<Span> = Vec::new();
    for span in spans {
        if chain.last().is_none_or(|outer| outer.contains(span)) {
            chain.push(span);
        }
    }
    let mut parent = None;
    for span in chain {
        parent = Some(Box::new(SelectionRange {
            range: view.range(span),
            parent,
        }));
    }
    parent.map_or_else(
        || SelectionRange {
            range: view.range(Span::at(offset)),
            parent: None,
        },
        |selection| *selection,
    )
}

/// Collects every node around a cursor.
struct Around {
    offset: u32,
    spans: Vec<Span>,
}

impl Around {
    /// Notes a node; says whether the cursor is in it.
    fn add(&mut self, span: Span) -> bool {
        let inside = span.touches(self.offset) && !span.is_empty();
        if inside {
            self.spans.push(span);
        }
        inside
    }

    fn test(&mut self, view: &View) {
        let test = &view.parse().test;
        self.add(test.span);
        for comment in &test.comments {
            self.add(comment.span);
        }
        if let Some(doc) = &test.doc {
            self.add(doc.span);
        }
        match &test.body {
            Body::Native(native) => self.native(native),
            Body::Herd(herd) => self.herd(herd),
            Body::Unknown => {}
        }
        for condition in &test.conditions {
            let all = condition
                .expect
                .iter()
                .fold(condition.span, |all, expect| all.to(expect.span));
            self.add(all);
            for expect in &condition.expect {
                self.add(expect.span);
            }
            if self.add(condition.span) {
                self.prop(&condition.prop);
            }
        }
        if let Some(filter) = &test.filter
            && self.add(filter.span)
        {
            self.prop(&filter.prop);
        }
        for locations in &test.locations {
            self.add(locations.span);
            for item in &locations.items {
                self.add(item.span);
            }
        }
    }

    fn native(&mut self, native: &Native) {
        for decl in &native.decls {
            if !self.add(decl.span) {
                continue;
            }
            for item in &decl.items {
                self.add(item.span);
                match &item.init {
                    Some(Init::Expr(expr)) => self.expr(expr),
                    Some(Init::List { span, .. }) => {
                        self.add(*span);
                    }
                    None => {}
                }
            }
        }
        for thread in &native.threads {
            if self.add(thread.span) {
                self.block(&thread.body);
            }
        }
    }

    fn block(&mut self, block: &Block) {
        if self.add(block.span) {
            for stmt in &block.stmts {
                self.stmt(stmt);
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if !self.add(stmt.span) {
            return;
        }
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                self.place(target);
                self.expr(value);
            }
            StmtKind::Atomic {
                target,
                place,
                args,
                ..
            } => {
                if let Some(target) = target {
                    self.place(target);
                }
                self.place(place);
                for arg in args {
                    self.expr(arg);
                }
            }
            StmtKind::Assert(expr) | StmtKind::Assume(expr) | StmtKind::Await(expr) => {
                self.expr(expr);
            }
            StmtKind::If { arms, otherwise } => {
                for arm in arms {
                    if self.add(arm.span) {
                        self.expr(&arm.cond);
                        self.block(&arm.body);
                    }
                }
                if let Some(otherwise) = otherwise {
                    self.block(otherwise);
                }
            }
            StmtKind::While { cond, max, body } => {
                self.expr(cond);
                if let Some(max) = max {
                    self.expr(max);
                }
                self.block(body);
            }
            StmtKind::For { from, to, body, .. } => {
                self.expr(from);
                self.expr(to);
                self.block(body);
            }
            StmtKind::Repeat { count, body } => {
                self.expr(count);
                self.block(body);
            }
            StmtKind::Block(body) => self.block(body),
            StmtKind::Fence(_)
            | StmtKind::Lock(_)
            | StmtKind::Unlock(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Error => {}
        }
    }

    fn place(&mut self, place: &Place) {
        if self.add(place.span)
            && let Some(index) = &place.index
        {
            self.expr(index);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if !self.add(expr.span) {
            return;
        }
        match &expr.kind {
            ExprKind::Place(place) => self.place(place),
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::Binary { lhs, rhs, .. } => {
                self.expr(lhs);
                self.expr(rhs);
            }
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Int(_) | ExprKind::Error => {}
        }
    }

    fn prop(&mut self, prop: &Prop) {
        if !self.add(prop.span) {
            return;
        }
        match &prop.kind {
            PropKind::And(parts) | PropKind::Or(parts) => {
                for part in parts {
                    self.prop(part);
                }
            }
            PropKind::Not(inner) | PropKind::Paren(inner) => self.prop(inner),
            PropKind::Compare { lhs, rhs, .. } => {
                self.add(lhs.span());
                self.add(rhs.span());
            }
            PropKind::True | PropKind::False | PropKind::Error => {}
        }
    }

    fn herd(&mut self, herd: &Herd) {
        self.add(herd.init_span);
        for entry in &herd.init {
            self.add(entry.span);
        }
        if let Some(last) = herd.rows.last() {
            self.add(herd.threads_span.to(last.span));
        }
        for row in &herd.rows {
            if !self.add(row.span) {
                continue;
            }
            for cell in &row.cells {
                self.add(cell.span);
                if let Some(instruction) = &cell.instruction {
                    self.add(instruction.span);
                    for operand in &instruction.operands {
                        self.add(operand.span);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::view::fixture::cursor;
    use super::*;

    fn chain(marked: &str) -> Vec<String> {
        let (view, position) = cursor(marked);
        let mut texts = Vec::new();
        let mut next = Some(one(&view, position));
        while let Some(selection) = next {
            texts.push(view.span(selection.range).text(view.text()).to_owned());
            next = selection.parent.map(|parent| *parent);
        }
        // The whole file is always last.
        assert_eq!(texts.pop().as_deref(), Some(view.text()));
        texts
    }

    #[test]
    fn selection_grows_by_the_tree() {
        assert_eq!(
            chain("litmus T\nshared x, y;\nthread P0 { r = x + y$0; }\nexists (x = 1)\n"),
            [
                "y",
                "x + y",
                "r = x + y;",
                "{ r = x + y; }",
                "thread P0 { r = x + y; }"
            ]
        );
        assert_eq!(
            chain("litmus T\nshared x, y;\nthread P0 { r = x; }\nexists (P0:r$0 = 1 /\\ x = 1)\n"),
            [
                "r",
                "P0:r",
                "P0:r = 1",
                "P0:r = 1 /\\ x = 1",
                "(P0:r = 1 /\\ x = 1)",
                "exists (P0:r = 1 /\\ x = 1)"
            ]
        );
    }

    #[test]
    fn selection_grows_by_herd_cells() {
        assert_eq!(
            chain(
                "X86 T\n{ x=0; }\n P0         | P1          ;\n MOV [$0x],$1 | MOV EAX,[x] ;\nexists (x=1)\n"
            ),
            [
                "x",
                "[x]",
                "MOV [x],$1",
                "MOV [x],$1 | MOV EAX,[x] ;",
                "P0         | P1          ;\n MOV [x],$1 | MOV EAX,[x] ;",
            ]
        );
    }
}
