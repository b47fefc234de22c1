//! Hovers: conditions, loads, stores, fences, names, words, instructions.

use std::collections::BTreeMap;
use std::fmt::Write;

use fencepost_checker::Model;
use fencepost_checker::program::{Address, Instr, LocId, Pc, Program, ThreadId};
use fencepost_checker::reads::{Read, Reads};
use fencepost_grammar::Span;
use fencepost_grammar::ast::Condition;
use fencepost_grammar::error::NameKind;
use fencepost_grammar::scan;
use fencepost_grammar::symbols::Symbol;
use tower_lsp::lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

use super::super::insights::Insights;
use super::super::params;
use super::super::verdicts;
use super::super::view::View;
use crate::analysis::interest;
use crate::render::{Look, label, matrix, witness, words};

/// Rows of a matrix or of sources before "more" is said.
const MAX_ROWS: usize = 24;
const ROWS: matrix::Limit = matrix::Limit {
    rows: MAX_ROWS,
    rest: "the lens `Outcomes` shows all",
};

pub fn hover(view: &View, position: Position) -> Option<Hover> {
    let offset = view.offset(position);
    let mut page = Page::default();
    let mut span = None;
    if in_comment(view, offset) && !is_expectation(view, offset) {
        return None;
    }
    if let Some((id, at)) = view.parse().symbols.at(offset) {
        span = Some(at);
        name(view, view.parse().symbols.get(id), &mut page);
    }
    let word = scan::word_at(view.text(), offset)
        .filter(|_| span.is_none())
        .and_then(|at| Some((at, word_meaning(view, at)?)));
    let explain = |page: &mut Page| {
        if let Some((at, meaning)) = word {
            page.say(&format!("`{}`: {meaning}", at.text(view.text())));
        }
    };
    span = span.or(word.map(|(at, _)| at));
    if let Some(condition) = condition_at(view, offset) {
        // The results first: editors cut long hovers, and what `exists` means is soon known.
        span = span.or(Some(condition.span));
        about_condition(view, condition, &mut page);
        explain(&mut page);
        return finish(view, page, span);
    }
    explain(&mut page);
    if let Some(at) = statement(view, offset, &mut page) {
        span = span.or(Some(at));
    }
    finish(view, page, span)
}

fn finish(view: &View, page: Page, span: Option<Span>) -> Option<Hover> {
    let span = span?;
    let value = page.finish(view.client.markdown)?;
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: if view.client.markdown {
                MarkupKind::Markdown
            } else {
                MarkupKind::PlainText
            },
            value,
        }),
        range: Some(view.range(span)),
    })
}

/// Paragraphs and tables, as markdown or as plain text.
#[derive(Default)]
struct Page {
    parts: Vec<Part>,
}

enum Part {
    Sentence(String),
    Table(String),
}

impl Page {
    fn say(&mut self, sentence: &str) {
        self.parts.push(Part::Sentence(sentence.to_owned()));
    }

    fn table(&mut self, table: String) {
        self.parts.push(Part::Table(table));
    }

    fn finish(self, markdown: bool) -> Option<String> {
        let parts: Vec<String> = self
            .parts
            .into_iter()
            .map(|part| match part {
                Part::Sentence(text) if markdown => text,
                Part::Sentence(text) => text.replace('`', ""),
                Part::Table(text) if markdown => format!("```text\n{}\n```", text.trim_end()),
                Part::Table(text) => text.trim_end().to_owned(),
            })
            .collect();
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }
}

fn in_comment(view: &View, offset: u32) -> bool {
    let mut comments = view.parse().test.comments.iter();
    comments.any(|comment| comment.span.start < offset && offset < comment.span.end)
}

fn is_expectation(view: &View, offset: u32) -> bool {
    let conditions = &view.parse().test.conditions;
    conditions
        .iter()
        .flat_map(|condition| &condition.expect)
        .any(|expect| expect.span.touches(offset))
}

fn word_meaning(view: &View, at: Span) -> Option<&'static str> {
    let test = &view.parse().test;
    let text = at.text(view.text());
    let mnemonics = test.mnemonics();
    let here = mnemonics.iter().find(|(span, _)| span.contains(at));
    match here {
        Some((_, word)) => Some(word.said()),
        None if text == test.dialect.word => Some(test.dialect.meaning),
        None => test
            .dialect
            .find(text)
            .filter(|word| !word.by_place())
            .map(|word| word.said()),
    }
}

fn condition_at(view: &View, offset: u32) -> Option<&Condition> {
    let conditions = &view.parse().test.conditions;
    conditions
        .iter()
        .find(|condition| condition.span.touches(offset))
}

/// The matrix, then a witness for the strongest model that has one.
fn about_condition(view: &View, condition: &Condition, page: &mut Page) {
    page.say(&verdicts::phrase(view, condition));
    if !view.settings.surfaces.hovers() {
        return;
    }
    notes(view, page);
    let newest = view.results.newest();
    let Some(first) = newest.first() else {
        return;
    };
    let reports: Vec<_> = newest.iter().map(|checked| &*checked.report).collect();
    let mut text = matrix::text(Look::PLAIN, &first.program, &reports, Some(ROWS));
    if let Some(index) = first.condition_at(condition.span)
        && let Some((_, outcome)) = interest::first_reaching(&first.program, &reports, index)
    {
        text.push('\n');
        let shown = outcome.witness(&first.program);
        text += &witness::text(Look::PLAIN, &first.program, first.source.text(), &shown);
    }
    page.table(text);
}

/// Why a result is not the whole truth.
fn notes(view: &View, page: &mut Page) {
    let mut told: Vec<&str> = Vec::new();
    for (_, result) in view.results.each() {
        if let Some(note) = &result.note
            && !told.contains(&note.as_str())
        {
            told.push(note);
            page.say(note);
        }
    }
    if view.results.stale() {
        let newest = view.results.newest();
        let version = newest.first().map_or(0, |checked| checked.version);
        let now = view.snapshot.version;
        page.say(&if version == now {
            "These results are stale: settings or parameters have changed since.".to_owned()
        } else {
            format!(
                "These results are stale: they are of version {version}, and the text is at \
                 version {now}."
            )
        });
    }
}

/// What a name is, and which values it can have at the end.
fn name(view: &View, symbol: &Symbol, page: &mut Page) {
    page.say(&format!("`{}`: {}", symbol.name, symbol.kind.noun()));
    if symbol.kind == NameKind::Param
        && let Some(param) = params::find(view, &symbol.name)
    {
        page.say(&format!("`{}`", param.text()));
    }
    let Some(insights) = insights(view) else {
        return;
    };
    let program = &insights.program;
    let mut rows: Vec<(Model, Vec<String>)> = Vec::new();
    for reads in insights.reads.iter().flatten() {
        let mut values: Vec<String> = values_at_end(view, insights, reads, symbol)
            .into_iter()
            .map(|value| program.show(value))
            .collect();
        values.dedup();
        if !values.is_empty() {
            rows.push((reads.model, values));
        }
    }
    if rows.is_empty() {
        return;
    }
    let all: Vec<String> = rows
        .iter()
        .map(|(model, values)| format!("{} under {}", values.join(", "), model.name()))
        .collect();
    let same = rows.iter().all(|(_, values)| *values == rows[0].1);
    let text = if same {
        let models = words::models(rows.iter().map(|(model, _)| *model));
        format!("{} under {models}", rows[0].1.join(", "))
    } else {
        all.join(" · ")
    };
    page.say(&format!("At the end: {text}"));
}

fn insights(view: &View) -> Option<&Insights> {
    if !view.settings.surfaces.hovers() {
        return None;
    }
    view.results.insights.as_deref()
}

fn values_at_end(view: &View, insights: &Insights, reads: &Reads, symbol: &Symbol) -> Vec<i64> {
    let program = &insights.program;
    match symbol.kind {
        NameKind::Register => {
            let Some(thread) = symbol.thread else {
                return Vec::new();
            };
            reads
                .registers
                .iter()
                .filter(|(t, r, _)| {
                    let owner = &program.threads[usize::from(*t)];
                    belongs(view, program, *t, thread)
                        && owner.reg_names[usize::from(*r)]
                            .as_deref()
                            .is_some_and(|name| name.eq_ignore_ascii_case(&symbol.name))
                })
                .map(|(_, _, value)| *value)
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .collect()
        }
        NameKind::Shared | NameKind::Location => reads
            .memory
            .iter()
            .filter(|(loc, _)| program.locations[usize::from(*loc)].name == symbol.name)
            .map(|(_, value)| *value)
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether a thread of the program comes from the n-th thread of the text.
fn belongs(view: &View, program: &Program, thread: ThreadId, wanted: u32) -> bool {
    let name = &program.threads[usize::from(thread)].name;
    let base = name.split('[').next().unwrap_or(name);
    let threads = view.parse().test.threads();
    threads
        .get(wanted as usize)
        .is_some_and(|owner| owner.shown == base)
}

/// What the load, store or fence under the cursor does; gives its range.
fn statement(view: &View, offset: u32, page: &mut Page) -> Option<Span> {
    let insights = insights(view)?;
    let (span, sites) = sites_at(insights, offset)?;
    let program = &insights.program;
    let named = view
        .parse()
        .symbols
        .at(offset)
        .map(|(id, _)| view.parse().symbols.get(id))
        .filter(|symbol| {
            matches!(
                symbol.kind,
                NameKind::Shared | NameKind::Array | NameKind::Location | NameKind::Mutex
            )
        });
    let wanted = |thread: ThreadId, pc: Pc| {
        let instr = &program.threads[usize::from(thread)].code[pc as usize];
        named.is_none_or(|symbol| touches_location(program, instr, &symbol.name))
    };
    let mut loads = Vec::new();
    let mut stores = Vec::new();
    for &(thread, pc) in sites.iter().filter(|(t, pc)| wanted(*t, *pc)) {
        match program.threads[usize::from(thread)].code[pc as usize] {
            Instr::Load { .. } => loads.push((thread, pc)),
            Instr::Store { .. } => stores.push((thread, pc)),
            Instr::Rmw { .. } => {
                loads.push((thread, pc));
                stores.push((thread, pc));
            }
            _ => {}
        }
    }
    if !loads.is_empty() {
        sources(view, insights, &loads, page);
    }
    if !stores.is_empty() {
        readers(view, insights, &stores, page);
    }
    let stale = insights.stale && !(loads.is_empty() && stores.is_empty());
    if stale {
        page.say(&format!("This is {}.", insights.staleness()));
    }
    if let Some((_, text)) = super::fences::about(insights, offset) {
        page.say(&text);
    }
    Some(span)
}

/// The smallest statement or cell around the cursor, and its instructions in all threads.
fn sites_at(insights: &Insights, offset: u32) -> Option<(Span, Vec<(ThreadId, Pc)>)> {
    let mut best: Option<(Span, Vec<(ThreadId, Pc)>)> = None;
    for (t, thread) in insights.program.threads.iter().enumerate() {
        for (pc, span) in thread.spans.iter().enumerate() {
            let Some(now) = insights.now(span).filter(|now| now.touches(offset)) else {
                continue;
            };
            let site = (t as ThreadId, pc as Pc);
            match &mut best {
                Some((at, sites)) if *at == now => sites.push(site),
                Some((at, _)) if at.len() <= now.len() => {}
                _ => best = Some((now, vec![site])),
            }
        }
    }
    best
}

fn touches_location(program: &Program, instr: &Instr, name: &str) -> bool {
    let base = |loc: LocId| {
        let full = &program.locations[usize::from(loc)].name;
        full == name || full.split('[').next() == Some(name)
    };
    let addr = match instr {
        Instr::Load { addr, .. } | Instr::Store { addr, .. } | Instr::Rmw { addr, .. } => addr,
        Instr::Lock(loc) | Instr::Unlock(loc) => return base(*loc),
        _ => return false,
    };
    match addr {
        Address::Fixed(loc) => base(*loc),
        Address::Element { first, .. } => base(*first),
        Address::Pointer(_) => true,
    }
}

/// Every write that the loads can read from, and under which models.
fn sources(view: &View, insights: &Insights, loads: &[(ThreadId, Pc)], page: &mut Page) {
    let describe = |read: &Read| {
        let program = &insights.program;
        let from = match read.source {
            Some(site) => site_text(view, insights, site),
            None => "initial value".to_owned(),
        };
        let location = &program.locations[usize::from(read.loc)].name;
        format!("{location} = {} ({from})", program.show(read.value))
    };
    let table = table(insights, "can read", |reads| {
        loads
            .iter()
            .flat_map(|(thread, pc)| reads.of(*thread, *pc))
            .map(describe)
            .collect()
    });
    page.table(table);
}

/// Who can see what the stores write.
fn readers(view: &View, insights: &Insights, stores: &[(ThreadId, Pc)], page: &mut Page) {
    let table = table(insights, "can be seen by", |reads| {
        stores
            .iter()
            .flat_map(|site| reads.seen_by(*site))
            .map(|read| site_text(view, insights, (read.thread, read.pc)))
            .collect()
    });
    page.table(table);
}

/// `P1, line 13: y = 1`
fn site_text(view: &View, insights: &Insights, (thread, pc): (ThreadId, Pc)) -> String {
    let program = &insights.program;
    let span = &program.threads[usize::from(thread)].spans[pc as usize];
    let name = label::thread(program, thread);
    let source = label::source(&insights.text, span).unwrap_or_default();
    let source = source.split('{').next().unwrap_or_default();
    let source = source.trim_end_matches(';').trim_end();
    match insights.now(span) {
        Some(now) => format!("{name}, line {}: {source}", view.line_number(now.start)),
        None => format!("{name}: {source}"),
    }
}

/// Rows against models, as in the matrix of outcomes.
fn table(insights: &Insights, heading: &str, rows_of: impl Fn(&Reads) -> Vec<String>) -> String {
    let known: Vec<&Reads> = insights
        .reads
        .iter()
        .flatten()
        .map(|reads| &**reads)
        .collect();
    let mut rows: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    for (index, reads) in known.iter().enumerate() {
        for row in rows_of(reads) {
            rows.entry(row).or_insert_with(|| vec![false; known.len()])[index] = true;
        }
    }
    let width = rows
        .keys()
        .map(|row| row.chars().count())
        .chain([heading.len()])
        .max()
        .unwrap_or(0)
        + 3;
    let mut text = format!("{heading:<width$}");
    for reads in &known {
        let _ = write!(text, "{:<6}", reads.model.name());
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    for (row, cells) in rows.iter().take(MAX_ROWS) {
        let mut line = format!("{row:<width$}");
        for (seen, reads) in cells.iter().zip(&known) {
            let complete = reads.completeness == fencepost_checker::Completeness::Complete;
            line += match (seen, complete) {
                (true, _) => "✓     ",
                (false, true) => "–     ",
                (false, false) => "?     ",
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    if rows.is_empty() {
        text += "(nothing)\n";
    }
    if rows.len() > MAX_ROWS {
        let _ = writeln!(text, "… {} more", rows.len() - MAX_ROWS);
    }
    text
}
