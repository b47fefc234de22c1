//! Prints pieces in lines: the part of formatting that both dialects share.

use super::pieces::{Kind, Piece, Pieces};
use crate::ast::CommentKind;

/// What happens to blank lines before a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blank {
    /// One of those that were written stays.
    Keep,
    Drop,
    /// There is one, written or not.
    Force,
}

/// A place where the tree wants a new line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Break {
    /// Where the piece starts that begins the line.
    pub at: u32,
    /// Its indentation in columns.
    pub indent: u32,
    /// That of comments on lines of their own just before it.
    pub comment_indent: u32,
    pub blank: Blank,
}

impl Break {
    pub fn line(at: u32, indent: u32) -> Self {
        Break {
            at,
            indent,
            comment_indent: indent,
            blank: Blank::Keep,
        }
    }
}

/// What a dialect says about the pieces within a line.
pub(super) trait Rules {
    /// Whether a line end beside something opaque stays: a header's lines.
    const KEEPS_OPAQUE_LINES: bool;
    /// Whether eight columns of indentation are a tab.
    const TABS: bool = false;
    /// The next piece starts here.
    fn reach(&mut self, _at: u32) {}
    /// Whether a blank stands between two neighbours.
    fn apart(&self, before: &str, after: &str) -> bool;
    /// Whether a line end that was written between two neighbours stays.
    fn keeps_line_end(&self, before: &str, after: &str) -> bool;
    /// Whether blank lines after this piece are dropped.
    fn opens(&self, piece: &str) -> bool;
    /// A line begins that is indented so.
    fn begin_line(&mut self, indent: u32);
    /// A piece was printed.
    fn printed(&mut self, piece: &str);
    /// The indentation of a line that continues the one begun last.
    fn continuation(&self) -> u32;
}

/// What was printed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    /// Nothing of this run, so that a line end is due (unless the text is empty).
    Nothing,
    Code,
    /// A comment behind code.
    Beside,
    /// A comment that began its line.
    Own,
}

pub(super) struct Printer<'a, R> {
    text: &'a str,
    out: String,
    pub rules: R,
}

impl<'a, R: Rules> Printer<'a, R> {
    pub fn new(text: &'a str, rules: R) -> Self {
        let mut out = String::with_capacity(text.len() + text.len() / 8);
        if text.starts_with('\u{feff}') {
            out.push('\u{feff}');
        }
        Printer { text, out, rules }
    }

    pub fn out(&mut self) -> &mut String {
        &mut self.out
    }

    pub fn finish(mut self) -> String {
        if !self.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    fn is_empty(&self) -> bool {
        self.out.is_empty() || self.out == "\u{feff}"
    }

    pub fn new_line(&mut self, indent: u32, blank: bool) {
        if !self.is_empty() {
            self.out.push('\n');
            if blank {
                self.out.push('\n');
            }
        }
        self.indent(indent);
        self.rules.begin_line(indent);
    }

    fn indent(&mut self, indent: u32) {
        let (tabs, spaces) = match R::TABS {
            true => (indent / 8, indent % 8),
            false => (0, indent),
        };
        self.out.extend(std::iter::repeat_n('\t', tabs as usize));
        self.out.extend(std::iter::repeat_n(' ', spaces as usize));
    }

    /// Prints `pieces`; `breaks` is sorted by place.
    pub fn run(&mut self, mut pieces: Pieces<'a>, breaks: &[Break]) {
        let mut breaks = breaks.iter().peekable();
        let mut last = Last::Nothing;
        // The last piece that is no comment, and whether the last one is `// …`.
        let mut code: Option<Piece> = None;
        let mut line_comment = false;
        // Where the next piece that is no comment starts, once looked up.
        let mut ahead: Option<u32> = None;
        let mut gap_has_own = false;
        while let Some(piece) = pieces.next() {
            let start = piece.span.start;
            while breaks.next_if(|next| next.at < start).is_some() {}
            let opened = last == Last::Code
                && code.is_some_and(|code| self.rules.opens(code.text(self.text)));
            if let Kind::Comment(kind) = piece.kind {
                if piece.line_ends == 0 && !(last == Last::Nothing && self.is_empty()) {
                    self.out.push(' ');
                    if last != Last::Own {
                        last = Last::Beside;
                    }
                } else {
                    if ahead.is_none_or(|ahead| ahead < start) {
                        ahead = Some(next_code(&pieces));
                    }
                    self.own_line_comment(&piece, ahead, breaks.peek(), opened, gap_has_own);
                    gap_has_own = true;
                    last = Last::Own;
                }
                line_comment = kind == CommentKind::Line;
                let text = piece.text(self.text);
                self.out.push_str(if line_comment {
                    text.trim_ascii_end()
                } else {
                    text
                });
                continue;
            }
            self.rules.reach(start);
            let written = piece.text(self.text);
            let before = code.map_or("", |code| code.text(self.text));
            let opaque =
                piece.kind == Kind::Opaque || code.is_some_and(|code| code.kind == Kind::Opaque);
            let due = breaks.next_if(|next| next.at == start);
            if let Some(due) = due {
                let closes = due.comment_indent != due.indent;
                if last == Last::Own && piece.line_ends == 0 && !line_comment && !closes {
                    // `/* why */ x = 1;`: the comment has begun the line.
                    self.out.push(' ');
                } else {
                    let blank = match due.blank {
                        Blank::Force => !gap_has_own || piece.line_ends > 1,
                        Blank::Keep => piece.line_ends > 1 && !opened,
                        Blank::Drop => false,
                    };
                    self.new_line(due.indent, blank);
                }
            } else if line_comment
                || last == Last::Nothing
                || last == Last::Own && piece.line_ends > 0
            {
                let indent = match last {
                    Last::Nothing => 0,
                    _ => self.rules.continuation(),
                };
                self.continue_line(indent);
            } else if piece.line_ends > 0
                && (opaque && R::KEEPS_OPAQUE_LINES || self.rules.keeps_line_end(before, written))
            {
                let indent = self.rules.continuation();
                self.continue_line(indent);
            } else {
                let apart = match last {
                    Last::Code if !opaque => self.rules.apart(before, written),
                    _ => !matches!(written, ";" | "," | ")" | "]"),
                };
                if apart {
                    self.out.push(' ');
                }
            }
            // A header's line may end in blanks.
            self.out.push_str(written.trim_ascii_end());
            self.rules.printed(written);
            last = Last::Code;
            code = Some(piece);
            line_comment = false;
            gap_has_own = false;
        }
    }

    /// Starts the line of a comment that stood on its own.
    fn own_line_comment(
        &mut self,
        comment: &Piece,
        ahead: Option<u32>,
        next: Option<&&Break>,
        opened: bool,
        gap_has_own: bool,
    ) {
        let next = next.filter(|next| Some(next.at) == ahead);
        let written = comment.line_ends > 1 && !opened;
        match next {
            Some(next) => {
                let force = next.blank == Blank::Force && !gap_has_own;
                self.new_line(next.comment_indent, written || force);
            }
            None if ahead == Some(u32::MAX) => self.new_line(0, written),
            None => {
                let indent = self.rules.continuation();
                self.continue_line(indent);
            }
        }
    }

    fn continue_line(&mut self, indent: u32) {
        if !self.is_empty() {
            self.out.push('\n');
        }
        self.indent(indent);
    }
}

/// Where the next piece that is no comment starts; `u32::MAX` when there is none.
fn next_code(pieces: &Pieces<'_>) -> u32 {
    pieces
        .clone()
        .find(|piece| !piece.is_comment())
        .map_or(u32::MAX, |piece| piece.span.start)
}
