//! The execution graph as SVG: readable on a screen and when printed in black and white.

use std::fmt::Write;

use fencepost_checker::graph::{EdgeKind, EventKind, Graph};
use fencepost_checker::program::Program;

use super::geometry::{Point, Route};
use super::layout::{self, CHAR_WIDTH, Layout, Line};
use super::xml::escape;
use super::{Look, label};

/// The drawing, with a title above and a legend below.
pub fn text(program: &Program, source: &str, graph: &Graph, title: &str) -> String {
    let letters = letters(graph);
    let labels: Vec<String> = graph
        .events
        .iter()
        .zip(&letters)
        .map(|(event, letter)| {
            let label = label::event(Look::PLAIN, program, &event.kind);
            format!("{letter}: {label}")
        })
        .collect();
    let layout = layout::layout(graph, &labels);
    // A long title makes the drawing wider rather than being cut.
    let width = layout
        .width
        .max(title.chars().count() as f64 * CHAR_WIDTH + 48.0);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" \
         viewBox=\"{} 0 {} {}\" role=\"img\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, \
         Consolas, monospace\" font-size=\"13\">",
        number(width),
        number(layout.height),
        number((layout.width - width) / 2.0),
        number(width),
        number(layout.height)
    );
    let _ = writeln!(out, "<title>{}</title>", escape(title));
    out.push_str(DEFINITIONS);
    let _ = writeln!(
        out,
        "<rect x=\"{}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>",
        number((layout.width - width) / 2.0),
        number(width),
        number(layout.height)
    );
    let middle = layout.width / 2.0;
    let _ = writeln!(
        out,
        "<text class=\"title\" x=\"{}\" y=\"26\" text-anchor=\"middle\">{}</text>",
        number(middle),
        escape(title)
    );
    for (thread, at) in &layout.headings {
        let _ = writeln!(
            out,
            "<text class=\"thread\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            number(at.x),
            number(at.y),
            escape(&label::thread(program, *thread))
        );
    }
    for line in &layout.lines {
        draw_line(&mut out, line);
    }
    draw_nodes(&mut out, graph, source, &labels, &layout);
    for line in &layout.lines {
        draw_label(&mut out, line);
    }
    draw_legend(&mut out, &layout);
    out.push_str("</svg>\n");
    out
}

const DEFINITIONS: &str = r##"<style>
.title{font-weight:bold;fill:#111827}
.thread{font-weight:bold;fill:#374151}
.event text{fill:#111827}
.event rect{stroke:#374151;stroke-width:1.2}
.write rect{fill:#eef2f7}
.read rect{fill:#ffffff}
.rmw rect{fill:#fdf3e1}
.fence rect,.lock rect{fill:#ffffff;stroke-dasharray:3 2}
.edge{fill:none}
.po{stroke:#6b7280;stroke-width:1.3}
.rf{stroke:#b91c1c;stroke-width:1.9}
.co{stroke:#1d4ed8;stroke-width:1.7;stroke-dasharray:8 4}
.fr{stroke:#a16207;stroke-width:1.9;stroke-dasharray:2 3}
.label{font-size:12px;font-weight:bold}
.label.po{font-weight:normal}
text.po{fill:#6b7280;stroke:none}
text.rf{fill:#b91c1c;stroke:none}
text.co{fill:#1d4ed8;stroke:none}
text.fr{fill:#a16207;stroke:none}
.init rect{fill:#ffffff;stroke:#9ca3af}
.init text{fill:#6b7280;font-size:11px}
.note{fill:#6b7280;font-size:11px}
</style>
<defs>
<marker id="arrow-po" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L9 5L0 9z" fill="#6b7280"/></marker>
<marker id="arrow-rf" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L9 5L0 9z" fill="#b91c1c"/></marker>
<marker id="arrow-co" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L9 5L0 9z" fill="#1d4ed8"/></marker>
<marker id="arrow-fr" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L9 5L0 9z" fill="#a16207"/></marker>
</defs>
"##;

/// `a`, `b`, … `z`, `aa`, …, in order of the events; initial writes have none.
pub fn letters(graph: &Graph) -> Vec<String> {
    let mut next = 0;
    graph
        .events
        .iter()
        .map(|event| {
            if !layout::is_drawn(&event.kind) {
                return String::new();
            }
            next += 1;
            let mut number = next;
            let mut name = Vec::new();
            while number > 0 {
                number -= 1;
                name.push(b'a' + (number % 26) as u8);
                number /= 26;
            }
            name.iter().rev().map(|b| char::from(*b)).collect()
        })
        .collect()
}

fn draw_nodes(out: &mut String, graph: &Graph, source: &str, labels: &[String], layout: &Layout) {
    for node in &layout.nodes {
        let event = &graph.events[node.event];
        let class = match event.kind {
            EventKind::Initial { .. } => "initial",
            EventKind::Read { .. } => "read",
            EventKind::Write { .. } => "write",
            EventKind::Rmw { .. } => "rmw",
            EventKind::Fence(_) => "fence",
            EventKind::Lock { .. } | EventKind::Unlock { .. } => "lock",
        };
        let step = event.step.map_or(String::new(), |s| s.to_string());
        let rect = node.rect;
        let _ = write!(out, "<g class=\"event {class}\" data-step=\"{step}\">");
        if let Some(statement) = label::source(source, &event.span) {
            let _ = write!(out, "<title>{}</title>", escape(&statement));
        }
        let _ = write!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
            number(rect.x),
            number(rect.y),
            number(rect.width),
            number(rect.height)
        );
        let centre = rect.centre();
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text></g>",
            number(centre.x),
            number(centre.y + 4.5),
            escape(&labels[node.event])
        );
    }
}

fn draw_line(out: &mut String, line: &Line) {
    let kind = line.style();
    let path = match &line.route {
        Route::Straight(a, b) => format!("M{} L{}", point(*a), point(*b)),
        Route::Curve([a, b, c, d]) => {
            format!("M{} C{} {} {}", point(*a), point(*b), point(*c), point(*d))
        }
        Route::Lanes(corners) => rounded(corners),
    };
    let _ = writeln!(
        out,
        "<path class=\"edge {kind}\" d=\"{path}\" marker-end=\"url(#arrow-{kind})\"/>"
    );
    if let Some(init) = line.init {
        let _ = writeln!(
            out,
            "<g class=\"init\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"9\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">init</text></g>",
            number(init.x),
            number(init.y),
            number(init.width),
            number(init.height),
            number(init.centre().x),
            number(init.centre().y + 3.8)
        );
    }
}

/// The label on a white ground, so that lines below it do not run through the letters.
fn draw_label(out: &mut String, line: &Line) {
    let kind = line.style();
    let rect = line.label;
    let _ = writeln!(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\
         <text class=\"label {kind}\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        number(rect.x),
        number(rect.y),
        number(rect.width),
        number(rect.height),
        number(rect.centre().x),
        number(rect.centre().y + 4.0),
        line.text()
    );
}

fn draw_legend(out: &mut String, layout: &Layout) {
    let y = layout.height - 20.0;
    let entry = 138.0;
    let mut x = layout.width / 2.0 - entry * 2.0 + 10.0;
    for kind in EdgeKind::ALL {
        let word = label::edge(kind);
        let _ = writeln!(
            out,
            "<path class=\"edge {0}\" d=\"M{1} {2} h22\"/>\
             <text class=\"note\" x=\"{3}\" y=\"{4}\">{word}</text>",
            kind.name(),
            number(x),
            number(y - 4.0),
            number(x + 27.0),
            number(y)
        );
        x += entry;
    }
}

/// Right angles with the corners rounded off.
fn rounded(corners: &[Point]) -> String {
    const RADIUS: f64 = 8.0;
    let Some((first, rest)) = corners.split_first() else {
        return String::new();
    };
    let mut path = format!("M{}", point(*first));
    for (index, corner) in rest.iter().enumerate() {
        let Some(next) = rest.get(index + 1) else {
            let _ = write!(path, " L{}", point(*corner));
            break;
        };
        let previous = corners[index];
        let before = toward(*corner, previous, RADIUS);
        let after = toward(*corner, *next, RADIUS);
        let _ = write!(
            path,
            " L{} Q{} {}",
            point(before),
            point(*corner),
            point(after)
        );
    }
    path
}

/// The point on the way from `from` to `to`, at most half way.
fn toward(from: Point, to: Point, distance: f64) -> Point {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let length = dx.hypot(dy);
    if length == 0.0 {
        return from;
    }
    let part = (distance / length).min(0.5);
    Point {
        x: from.x + dx * part,
        y: from.y + dy * part,
    }
}

fn point(point: Point) -> String {
    format!("{} {}", number(point.x), number(point.y))
}

/// One decimal at most: the same bytes everywhere.
fn number(number: f64) -> String {
    let tenths = (number * 10.0).round() as i64;
    if tenths % 10 == 0 {
        (tenths / 10).to_string()
    } else {
        let sign = if tenths < 0 { "-" } else { "" };
        let tenths = tenths.abs();
        format!("{sign}{}.{}", tenths / 10, tenths % 10)
    }
}
