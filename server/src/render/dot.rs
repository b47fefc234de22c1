//! The execution graph in Graphviz's language, for those who have Graphviz.

use std::fmt::Write;

use fencepost_checker::graph::{EdgeKind, Graph};
use fencepost_checker::program::{Program, ThreadId};

use super::svg::letters;
use super::{Look, label};

pub fn text(program: &Program, graph: &Graph, title: &str) -> String {
    let letters = letters(graph);
    let mut out = String::from("digraph execution {\n");
    let _ = writeln!(out, "  label={};", quoted(title));
    out.push_str("  labelloc=t;\n  fontname=monospace;\n");
    out.push_str("  node [shape=box, style=rounded, fontname=monospace];\n");
    out.push_str("  edge [fontname=monospace];\n");
    for (id, event) in graph.events.iter().enumerate() {
        if event.thread.is_none() {
            let label = label::event(Look::PLAIN, program, &event.kind);
            let _ = writeln!(out, "  e{id} [label={}, style=dotted];", quoted(&label));
        }
    }
    for thread in 0..program.threads.len() as ThreadId {
        if graph.thread(thread).next().is_none() {
            continue;
        }
        let _ = writeln!(out, "  subgraph cluster_{thread} {{");
        let name = label::thread(program, thread);
        let _ = writeln!(out, "    label={};", quoted(&name));
        for id in graph.thread(thread) {
            let label = label::event(Look::PLAIN, program, &graph.events[id].kind);
            let label = format!("{}: {label}", letters[id]);
            let _ = writeln!(out, "    e{id} [label={}];", quoted(&label));
        }
        out.push_str("  }\n");
    }
    for edge in &graph.edges {
        let look = match edge.kind {
            EdgeKind::Po => "color=\"#6b7280\", weight=10",
            EdgeKind::Rf => "color=\"#b91c1c\", constraint=false",
            EdgeKind::Co => "color=\"#1d4ed8\", style=dashed, constraint=false",
            EdgeKind::Fr => "color=\"#a16207\", style=dotted, constraint=false",
        };
        let _ = writeln!(
            out,
            "  e{} -> e{} [label={}, {look}];",
            edge.from,
            edge.to,
            edge.kind.name()
        );
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
