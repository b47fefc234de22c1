//! Points, boxes and lines of a drawing.

/// How many points stand for a curve.
const SAMPLES: usize = 48;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn centred(at: Point, width: f64, height: f64) -> Rect {
        Rect {
            x: at.x - width / 2.0,
            y: at.y - height / 2.0,
            width,
            height,
        }
    }

    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }

    pub fn contains(&self, point: Point) -> bool {
        self.x < point.x
            && point.x < self.x + self.width
            && self.y < point.y
            && point.y < self.y + self.height
    }

    pub fn centre(&self) -> Point {
        Point {
            x: self.x + self.width / 2.0,
            y: self.y + self.height / 2.0,
        }
    }
}

/// How a line runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Route {
    Straight(Point, Point),
    /// A cubic Bézier curve.
    Curve([Point; 4]),
    /// Right angles, drawn with round corners.
    Lanes(Vec<Point>),
}

impl Route {
    /// A curve that comes back to the side it left.
    pub fn is_bow(&self) -> bool {
        matches!(self, Route::Curve([start, .., end]) if start.x == end.x)
    }

    /// Points along the line at even steps of its parameter, or of its length.
    pub fn samples(&self) -> Vec<Point> {
        match self {
            Route::Straight(a, b) => (0..=SAMPLES)
                .map(|i| mix(*a, *b, i as f64 / SAMPLES as f64))
                .collect(),
            Route::Curve([a, b, c, d]) => (0..=SAMPLES)
                .map(|i| {
                    let t = i as f64 / SAMPLES as f64;
                    let (ab, bc, cd) = (mix(*a, *b, t), mix(*b, *c, t), mix(*c, *d, t));
                    mix(mix(ab, bc, t), mix(bc, cd, t), t)
                })
                .collect(),
            Route::Lanes(corners) => {
                let mut points = Vec::new();
                for pair in corners.windows(2) {
                    let length = (pair[1].x - pair[0].x).abs() + (pair[1].y - pair[0].y).abs();
                    let steps = (length / 6.0).ceil().max(1.0) as usize;
                    for i in 0..=steps {
                        points.push(mix(pair[0], pair[1], i as f64 / steps as f64));
                    }
                }
                points
            }
        }
    }
}

fn mix(a: Point, b: Point, t: f64) -> Point {
    Point {
        x: a.x + (b.x - a.x) * t,
        y: a.y + (b.y - a.y) * t,
    }
}
