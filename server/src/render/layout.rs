//! Where the execution graph is drawn: threads as columns, edges routed around the events.
//!
//! Between two columns runs a gutter, between two rows a gap; nodes are in neither. An
//! edge between neighbouring columns is a curve in their gutter, one within a column a
//! bow into the gutter beside it, and any other goes through lanes of its own: along a
//! gutter, across in a gap, along a gutter. So no line meets a node that is not its own.
//! Labels are put last, at the place of their line with the least around it.

use fencepost_checker::graph::{Edge, EdgeKind, EventId, EventKind, Graph};

use super::geometry::{Point, Rect, Route};

pub const CHAR_WIDTH: f64 = 7.9;
const NODE_HEIGHT: f64 = 36.0;
const NODE_PADDING: f64 = 14.0;
const MIN_NODE_WIDTH: f64 = 96.0;
/// The distance of two lines that end on the same side of a node.
const SLOT: f64 = 16.0;
const GAP: f64 = 46.0;
const LANE: f64 = 16.0;
const GUTTER: f64 = 120.0;
const MARGIN: f64 = 26.0;
const BOW: f64 = 46.0;
const STUB: f64 = 46.0;
pub const INIT_WIDTH: f64 = 34.0;
pub const TITLE_HEIGHT: f64 = 40.0;
pub const HEADING_HEIGHT: f64 = 34.0;
pub const LEGEND_HEIGHT: f64 = 46.0;
const MIN_WIDTH: f64 = 600.0;
const LABEL_WIDTH: f64 = 19.0;
const LABEL_HEIGHT: f64 = 15.0;

/// A node: an event of a thread.
#[derive(Debug, Clone)]
pub struct Node {
    pub event: EventId,
    pub rect: Rect,
}

#[derive(Debug, Clone)]
pub struct Line {
    /// One, or several between the same two events: what overwrites may also read.
    pub kinds: Vec<EdgeKind>,
    #[cfg(test)]
    pub from: EventId,
    #[cfg(test)]
    pub to: EventId,
    pub route: Route,
    /// The box of the label's text.
    pub label: Rect,
    /// The box of the small `init` that a read of an initial value comes from.
    pub init: Option<Rect>,
}

#[derive(Debug, Clone)]
pub struct Layout {
    pub width: f64,
    pub height: f64,
    /// A thread's index and the middle of its column.
    pub headings: Vec<(u8, Point)>,
    pub nodes: Vec<Node>,
    pub lines: Vec<Line>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// An edge with the sides it leaves and enters, before coordinates.
struct Plan {
    kinds: Vec<EdgeKind>,
    from: EventId,
    to: EventId,
    shape: Shape,
    /// Slots on the sides of the two nodes.
    start: usize,
    end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Down,
    /// From an initial write, on this side.
    Stub(Side),
    /// Within a column.
    Bow(Side),
    /// Between neighbouring columns; the side of the first node.
    Cross(Side),
    /// Farther: lanes in the first gutter, the gap, the second gutter.
    Far {
        side: Side,
        gap: usize,
        lanes: [usize; 3],
    },
}

/// Column and row of each event of a thread.
#[derive(Clone, Copy)]
struct Cell {
    column: usize,
    row: usize,
}

struct Planner<'g> {
    graph: &'g Graph,
    cells: Vec<Option<Cell>>,
    columns: usize,
    rows: usize,
    /// For each event, its lines on the left and on the right: (other end's height, plan, is the start).
    sides: Vec<[Vec<(usize, usize, bool)>; 2]>,
    gutter_lanes: Vec<usize>,
    gap_lanes: Vec<usize>,
    plans: Vec<Plan>,
}

/// Lays a graph out; `labels` are the texts of the events.
pub fn layout(graph: &Graph, labels: &[String]) -> Layout {
    let mut threads: Vec<u8> = graph.events.iter().filter_map(|e| e.thread).collect();
    threads.dedup();
    let mut cells = vec![None; graph.events.len()];
    let mut rows = 0;
    for (column, thread) in threads.iter().enumerate() {
        for (row, event) in graph.thread(*thread).enumerate() {
            cells[event] = Some(Cell { column, row });
            rows = rows.max(row + 1);
        }
    }
    let mut planner = Planner {
        graph,
        cells,
        columns: threads.len(),
        rows,
        sides: vec![Default::default(); graph.events.len()],
        gutter_lanes: vec![0; threads.len() + 1],
        gap_lanes: vec![0; rows + 1],
        plans: Vec::new(),
    };
    planner.plan();
    planner.place(&threads, labels)
}

impl Planner<'_> {
    fn plan(&mut self) {
        // Lines between columns have no choice of sides, so the others choose after them.
        for pass in 0..3 {
            for edge in &self.graph.edges {
                let same = |plan: &&mut Plan| {
                    (plan.from, plan.to) == (edge.from, edge.to)
                        && edge.kind != EdgeKind::Po
                        && !plan.kinds.contains(&EdgeKind::Po)
                };
                if let Some(plan) = self.plans.iter_mut().find(same) {
                    if !plan.kinds.contains(&edge.kind) && self.cells[edge.from].is_some() {
                        plan.kinds.push(edge.kind);
                    }
                    continue;
                }
                let (from, to) = (self.cells[edge.from], self.cells[edge.to]);
                let shape = match (from, to) {
                    (Some(a), Some(b)) if a.column != b.column && pass == 0 => self.across(a, b),
                    (Some(_), Some(_)) if edge.kind == EdgeKind::Po && pass == 0 => Shape::Down,
                    (Some(a), Some(b)) if a.column == b.column && pass == 1 => {
                        if edge.kind == EdgeKind::Po {
                            continue;
                        }
                        Shape::Bow(self.free_side(&[edge.from, edge.to], a))
                    }
                    // That every location starts with its initial write needs no line.
                    (None, Some(b)) if edge.kind == EdgeKind::Rf && pass == 2 => {
                        Shape::Stub(self.free_side(&[edge.to], b))
                    }
                    _ => continue,
                };
                self.add(edge, shape);
            }
        }
        // Lines to higher nodes leave above lines to lower ones, so that they do not cross.
        for event in 0..self.sides.len() {
            for side in 0..2 {
                let mut ends = std::mem::take(&mut self.sides[event][side]);
                ends.sort();
                for (slot, (_, plan, is_start)) in ends.iter().enumerate() {
                    let plan = &mut self.plans[*plan];
                    if *is_start {
                        plan.start = slot;
                    } else {
                        plan.end = slot;
                    }
                }
                self.sides[event][side] = ends;
            }
        }
    }

    fn add(&mut self, edge: &Edge, shape: Shape) {
        let plan = self.plans.len();
        let (start, end) = match shape {
            Shape::Down => (None, None),
            Shape::Stub(side) => (None, Some(side)),
            Shape::Bow(side) => (Some(side), Some(side)),
            Shape::Cross(side) | Shape::Far { side, .. } => (Some(side), Some(side.opposite())),
        };
        let to_row = self.cells[edge.to].map_or(0, |c| c.row);
        // A stub is level with its node: lines from above are above it, the others below.
        let from_row = self.cells[edge.from].map_or(to_row, |c| c.row);
        if let Some(side) = start {
            self.sides[edge.from][side as usize].push((to_row, plan, true));
        }
        if let Some(side) = end {
            self.sides[edge.to][side as usize].push((from_row, plan, false));
        }
        self.plans.push(Plan {
            kinds: vec![edge.kind],
            from: edge.from,
            to: edge.to,
            shape,
            start: 0,
            end: 0,
        });
    }

    fn across(&mut self, a: Cell, b: Cell) -> Shape {
        let side = if a.column < b.column {
            Side::Right
        } else {
            Side::Left
        };
        if a.column.abs_diff(b.column) == 1 {
            Shape::Cross(side)
        } else {
            self.far(side, a, b)
        }
    }

    /// The outer side for the outer columns, else the side with fewer lines.
    fn free_side(&self, events: &[EventId], cell: Cell) -> Side {
        let lines = |side: Side| -> usize {
            let of_event = |e: &EventId| self.sides[*e][side as usize].len();
            events.iter().map(of_event).sum()
        };
        if cell.column == 0 && self.columns > 1 {
            Side::Left
        } else if cell.column + 1 == self.columns || lines(Side::Left) > lines(Side::Right) {
            Side::Right
        } else {
            Side::Left
        }
    }

    /// Picks the gap with the shortest way and the fewest lanes.
    fn far(&mut self, side: Side, a: Cell, b: Cell) -> Shape {
        // Gap `k` is above row `k`; the one above the first row is crowded by the headings.
        let cost = |gap: usize| {
            let distance = |row: usize| (2 * gap).abs_diff(2 * row + 1);
            let crowded = if gap == 0 { 3 } else { 0 };
            distance(a.row) + distance(b.row) + self.gap_lanes[gap] + crowded
        };
        let gap = (0..=self.rows).min_by_key(|gap| cost(*gap)).unwrap_or(0);
        let (first, second) = match side {
            Side::Right => (a.column + 1, b.column),
            Side::Left => (a.column, b.column + 1),
        };
        let take = |lanes: &mut usize| {
            *lanes += 1;
            *lanes - 1
        };
        let lanes = [
            take(&mut self.gutter_lanes[first]),
            take(&mut self.gap_lanes[gap]),
            take(&mut self.gutter_lanes[second]),
        ];
        Shape::Far { side, gap, lanes }
    }

    fn place(&self, threads: &[u8], labels: &[String]) -> Layout {
        let node_height = {
            let slots = self.sides.iter().flatten().map(Vec::len).max().unwrap_or(0);
            NODE_HEIGHT.max(SLOT * slots as f64 + 6.0)
        };
        let gap_height = |gap: usize| {
            let least = if gap == 0 || gap == self.rows {
                10.0
            } else {
                GAP
            };
            match self.gap_lanes[gap] {
                0 => least,
                lanes => least.max(lanes as f64 * LANE + 22.0),
            }
        };
        let mut row_tops = Vec::new();
        let mut gap_tops = Vec::new();
        let mut y = TITLE_HEIGHT + HEADING_HEIGHT;
        for gap in 0..=self.rows {
            gap_tops.push(y);
            y += gap_height(gap);
            row_tops.push(y);
            if gap < self.rows {
                y += node_height;
            }
        }
        let height = y + LEGEND_HEIGHT;

        let mut node_widths = vec![MIN_NODE_WIDTH; self.columns];
        for (event, cell) in self.cells.iter().enumerate() {
            if let Some(cell) = cell {
                let text = labels[event].chars().count() as f64 * CHAR_WIDTH;
                let width = &mut node_widths[cell.column];
                *width = width.max(text + 2.0 * NODE_PADDING);
            }
        }
        let gutters: Vec<f64> = (0..=self.columns).map(|g| self.gutter_width(g)).collect();
        let mut lefts = Vec::new();
        let mut gutter_lefts = Vec::new();
        let mut x = 0.0;
        for column in 0..=self.columns {
            gutter_lefts.push(x);
            x += gutters[column];
            lefts.push(x);
            if column < self.columns {
                x += node_widths[column];
            }
        }
        let shift = ((MIN_WIDTH - x) / 2.0).max(0.0);
        let width = x + 2.0 * shift;
        for left in lefts.iter_mut().chain(&mut gutter_lefts) {
            *left += shift;
        }

        let rect = |cell: Cell| Rect {
            x: lefts[cell.column],
            y: row_tops[cell.row],
            width: node_widths[cell.column],
            height: node_height,
        };
        let nodes: Vec<Node> = self
            .cells
            .iter()
            .enumerate()
            .filter_map(|(event, cell)| {
                Some(Node {
                    event,
                    rect: rect((*cell)?),
                })
            })
            .collect();
        let frame = Frame {
            rects: self.cells.iter().map(|cell| cell.map(rect)).collect(),
            slots: self
                .sides
                .iter()
                .map(|s| [s[0].len(), s[1].len()])
                .collect(),
            gutter_lefts,
            gutters,
            reserved: (0..=self.columns).map(|g| self.reserved(g)).collect(),
            gutter_lanes: &self.gutter_lanes,
            gap_tops,
            gap_heights: (0..=self.rows).map(gap_height).collect(),
            gap_lanes: &self.gap_lanes,
        };
        let mut lines: Vec<Line> = self
            .plans
            .iter()
            .filter_map(|plan| frame.line(plan, &self.cells))
            .collect();
        place_labels(&nodes, &mut lines);
        let headings = threads
            .iter()
            .enumerate()
            .map(|(column, thread)| {
                let at = Point {
                    x: lefts[column] + node_widths[column] / 2.0,
                    y: TITLE_HEIGHT + HEADING_HEIGHT - 12.0,
                };
                (*thread, at)
            })
            .collect();
        Layout {
            width,
            height,
            headings,
            nodes,
            lines,
        }
    }

    /// How much of a gutter its left and its right column need for stubs and bows.
    fn reserved(&self, gutter: usize) -> [f64; 2] {
        let mut reserved = [0.0_f64; 2];
        for plan in &self.plans {
            let (side, width) = match plan.shape {
                Shape::Stub(side) => (side, STUB + INIT_WIDTH),
                Shape::Bow(side) => (side, BOW + LABEL_WIDTH / 2.0),
                _ => continue,
            };
            let Some(cell) = self.cells[plan.to] else {
                continue;
            };
            let zone = match side {
                Side::Right if cell.column + 1 == gutter => &mut reserved[0],
                Side::Left if cell.column == gutter => &mut reserved[1],
                _ => continue,
            };
            *zone = zone.max(width);
        }
        reserved
    }

    fn gutter_width(&self, gutter: usize) -> f64 {
        let [left, right] = self.reserved(gutter);
        let lanes = self.gutter_lanes[gutter] as f64 * LANE;
        if gutter == 0 || gutter == self.columns {
            return MARGIN + left + right + lanes;
        }
        GUTTER.max(GUTTER / 2.0 + left + right + lanes)
    }
}

/// Coordinates of everything that lines run along.
struct Frame<'p> {
    rects: Vec<Option<Rect>>,
    slots: Vec<[usize; 2]>,
    gutter_lefts: Vec<f64>,
    gutters: Vec<f64>,
    reserved: Vec<[f64; 2]>,
    gutter_lanes: &'p [usize],
    gap_tops: Vec<f64>,
    gap_heights: Vec<f64>,
    gap_lanes: &'p [usize],
}

impl Frame<'_> {
    /// Where a slot on a node's side is.
    fn anchor(&self, event: EventId, side: Side, slot: usize) -> Option<Point> {
        let rect = self.rects[event]?;
        let count = self.slots[event][side as usize];
        let offset = (slot as f64 - (count as f64 - 1.0) / 2.0) * SLOT;
        Some(Point {
            x: match side {
                Side::Left => rect.x,
                Side::Right => rect.x + rect.width,
            },
            y: rect.centre().y + offset,
        })
    }

    /// Lanes run in the middle of what stubs and bows leave of the gutter.
    fn lane_x(&self, gutter: usize, lane: usize) -> f64 {
        let count = self.gutter_lanes[gutter] as f64;
        let [left, right] = self.reserved[gutter];
        let middle = self.gutter_lefts[gutter] + (self.gutters[gutter] + left - right) / 2.0;
        middle + (lane as f64 - (count - 1.0) / 2.0) * LANE
    }

    fn line(&self, plan: &Plan, cells: &[Option<Cell>]) -> Option<Line> {
        let mut init = None;
        let route = match plan.shape {
            Shape::Down => {
                let (a, b) = (self.rects[plan.from]?, self.rects[plan.to]?);
                let x = a.centre().x;
                Route::Straight(
                    Point {
                        x,
                        y: a.y + a.height,
                    },
                    Point { x, y: b.y },
                )
            }
            Shape::Stub(side) => {
                let end = self.anchor(plan.to, side, plan.end)?;
                let away = side.sign();
                let start = Point {
                    x: end.x + away * STUB,
                    y: end.y,
                };
                let middle = Point {
                    x: start.x + away * INIT_WIDTH / 2.0,
                    y: start.y,
                };
                init = Some(Rect::centred(middle, INIT_WIDTH, 18.0));
                Route::Straight(start, end)
            }
            Shape::Bow(side) => {
                let start = self.anchor(plan.from, side, plan.start)?;
                let end = self.anchor(plan.to, side, plan.end)?;
                let bow = side.sign() * BOW * 4.0 / 3.0;
                Route::Curve([
                    start,
                    Point {
                        x: start.x + bow,
                        y: start.y,
                    },
                    Point {
                        x: end.x + bow,
                        y: end.y,
                    },
                    end,
                ])
            }
            Shape::Cross(side) => {
                let start = self.anchor(plan.from, side, plan.start)?;
                let end = self.anchor(plan.to, side.opposite(), plan.end)?;
                let bend = (end.x - start.x) * 0.45;
                Route::Curve([
                    start,
                    Point {
                        x: start.x + bend,
                        y: start.y,
                    },
                    Point {
                        x: end.x - bend,
                        y: end.y,
                    },
                    end,
                ])
            }
            Shape::Far { side, gap, lanes } => {
                let start = self.anchor(plan.from, side, plan.start)?;
                let end = self.anchor(plan.to, side.opposite(), plan.end)?;
                let (a, b) = (cells[plan.from]?, cells[plan.to]?);
                let (first, second) = match side {
                    Side::Right => (a.column + 1, b.column),
                    Side::Left => (a.column, b.column + 1),
                };
                let x1 = self.lane_x(first, lanes[0]);
                let x2 = self.lane_x(second, lanes[2]);
                let count = self.gap_lanes[gap] as f64;
                let y = self.gap_tops[gap]
                    + self.gap_heights[gap] / 2.0
                    + (lanes[1] as f64 - (count - 1.0) / 2.0) * LANE;
                Route::Lanes(vec![
                    start,
                    Point { x: x1, y: start.y },
                    Point { x: x1, y },
                    Point { x: x2, y },
                    Point { x: x2, y: end.y },
                    end,
                ])
            }
        };
        Some(Line {
            kinds: plan.kinds.clone(),
            #[cfg(test)]
            from: plan.from,
            #[cfg(test)]
            to: plan.to,
            route,
            label: Rect::centred(Point { x: 0.0, y: 0.0 }, 0.0, 0.0),
            init,
        })
    }
}

impl Side {
    fn opposite(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }

    fn sign(self) -> f64 {
        match self {
            Side::Left => -1.0,
            Side::Right => 1.0,
        }
    }
}

/// Puts every label on its line where it meets no node, no other label and few lines.
fn place_labels(nodes: &[Node], lines: &mut [Line]) {
    let paths: Vec<Vec<Point>> = lines.iter().map(|line| line.route.samples()).collect();
    let mut placed: Vec<Rect> = lines.iter().filter_map(|line| line.init).collect();
    for index in 0..lines.len() {
        let path = &paths[index];
        let width = LABEL_WIDTH * lines[index].kinds.len() as f64;
        let last = path.len().saturating_sub(1).max(1) as f64;
        // Near its start a label of two crossing lines cannot be taken for the other's.
        let preferred = match lines[index].route {
            Route::Straight(..) => 0.5,
            Route::Curve(..) if lines[index].route.is_bow() => 0.5,
            Route::Curve(..) => 0.3,
            Route::Lanes(_) => 0.5,
        };
        let mut best: Option<(f64, Rect)> = None;
        for (step, point) in path.iter().enumerate() {
            let t = step as f64 / last;
            if !(0.12..=0.88).contains(&t) {
                continue;
            }
            let rect = Rect::centred(*point, width, LABEL_HEIGHT);
            let around = Rect::centred(*point, width + 10.0, LABEL_HEIGHT + 8.0);
            let nodes_met = nodes.iter().filter(|n| n.rect.overlaps(&rect)).count();
            let labels_met = placed.iter().filter(|l| l.overlaps(&rect)).count();
            let labels_near = placed.iter().filter(|l| l.overlaps(&around)).count();
            let lines_met = paths
                .iter()
                .enumerate()
                .filter(|(other, path)| *other != index && path.iter().any(|p| around.contains(*p)))
                .count();
            let cost = 1000.0 * (nodes_met + labels_met) as f64
                + 20.0 * lines_met as f64
                + 15.0 * labels_near as f64
                + 10.0 * (t - preferred).abs();
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, rect));
            }
        }
        if let Some((_, rect)) = best {
            lines[index].label = rect;
            placed.push(rect);
        }
    }
}

impl Line {
    /// What it is labelled with, and the kind that gives it its colour.
    pub fn text(&self) -> String {
        let names: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        names.join(" ")
    }

    pub fn style(&self) -> &'static str {
        self.kinds.first().map_or("po", |kind| kind.name())
    }
}

/// Whether an event draws something of its own: initial writes are drawn at their reads.
pub fn is_drawn(kind: &EventKind) -> bool {
    !matches!(kind, EventKind::Initial { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::EXAMPLES;
    use crate::render::{Look, label};
    use fencepost_checker::Model;
    use fencepost_checker::lower::{LowerOptions, lower};

    /// Of every example, every model and every outcome.
    fn for_every_graph(mut look_at: impl FnMut(&str, &Graph, &Layout)) {
        for (name, text) in EXAMPLES {
            let parse = fencepost_grammar::parse(text);
            let program = lower(&parse.sound().expect("a test"), &LowerOptions::default())
                .expect("examples are right");
            let report =
                fencepost_checker::engine::check(&program, Model::Pso, &Default::default());
            for outcome in report.outcomes.iter().take(8) {
                let graph = Graph::of(&program, &outcome.witness(&program));
                let labels: Vec<String> = graph
                    .events
                    .iter()
                    .map(|e| label::event(Look::PLAIN, &program, &e.kind))
                    .collect();
                look_at(name, &graph, &layout(&graph, &labels));
            }
        }
    }

    #[test]
    fn no_line_runs_through_a_node_of_others() {
        for_every_graph(|name, _, layout| {
            for line in &layout.lines {
                for point in line.route.samples() {
                    for node in &layout.nodes {
                        let own = node.event == line.from || node.event == line.to;
                        assert!(
                            own || !node.rect.contains(point),
                            "{name}: {line:?} through {node:?}"
                        );
                    }
                }
            }
        });
    }

    #[test]
    fn labels_meet_no_node_and_no_label() {
        let mut lines = 0;
        let mut met = 0;
        for_every_graph(|name, _, layout| {
            for (index, line) in layout.lines.iter().enumerate() {
                lines += 1;
                for node in &layout.nodes {
                    assert!(
                        !node.rect.overlaps(&line.label),
                        "{name}: the label of {line:?} on {node:?}"
                    );
                }
                let others = layout.lines[..index].iter();
                met += others.filter(|o| o.label.overlaps(&line.label)).count();
            }
        });
        // Between the same two rows of a narrow gutter there may be more lines than room.
        assert!(met * 100 <= lines, "{met} of {lines} labels meet another");
    }

    #[test]
    fn everything_is_on_the_page() {
        for_every_graph(|name, _, layout| {
            let page = Rect {
                x: 0.0,
                y: 0.0,
                width: layout.width,
                height: layout.height,
            };
            for line in &layout.lines {
                for point in line.route.samples() {
                    assert!(page.contains(point), "{name}: {line:?}");
                }
            }
        });
    }

    #[test]
    fn every_edge_between_threads_is_drawn() {
        for_every_graph(|name, graph, layout| {
            for edge in &graph.edges {
                let initial_co =
                    graph.events[edge.from].thread.is_none() && edge.kind == EdgeKind::Co;
                let drawn = layout.lines.iter().any(|line| {
                    line.from == edge.from && line.to == edge.to && line.kinds.contains(&edge.kind)
                });
                assert!(drawn || initial_co, "{name}: {edge:?}");
            }
        });
    }
}
