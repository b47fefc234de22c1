//! What a request sees: one text, the results so far, the settings; none of it changes.

use std::sync::Arc;

use fencepost_grammar::{Parse, Span};
use tower_lsp::lsp_types::{Location, Position, Range, Url};

use super::capabilities::Client;
use super::document::Snapshot;
use super::params::SetParams;
use super::positions;
use super::results::{Chosen, Results};
use super::settings::Settings;

#[derive(Debug, Clone)]
pub struct View {
    pub snapshot: Arc<Snapshot>,
    pub results: Arc<Results>,
    pub chosen: Option<Chosen>,
    /// What lenses have set; `snapshot` has it among its options.
    pub set_params: Arc<SetParams>,
    pub settings: Arc<Settings>,
    pub client: Arc<Client>,
}

impl View {
    pub fn uri(&self) -> &Url {
        &self.snapshot.uri
    }

    pub fn text(&self) -> &str {
        self.snapshot.text()
    }

    pub fn parse(&self) -> &Parse {
        self.snapshot.parse()
    }

    /// The byte under a cursor.
    pub fn offset(&self, position: Position) -> u32 {
        positions::offset(&self.snapshot.rope, position, self.client.encoding) as u32
    }

    pub fn position(&self, offset: u32) -> Position {
        positions::position(&self.snapshot.rope, offset as usize, self.client.encoding)
    }

    pub fn range(&self, span: Span) -> Range {
        positions::range(&self.snapshot.rope, span, self.client.encoding)
    }

    pub fn span(&self, range: Range) -> Span {
        positions::span(&self.snapshot.rope, range, self.client.encoding)
    }

    pub fn location(&self, span: Span) -> Location {
        Location::new(self.uri().clone(), self.range(span))
    }

    /// The end of the line that a byte is on.
    pub fn end_of_line(&self, offset: u32) -> u32 {
        positions::end_of_line(&self.snapshot.rope, offset as usize) as u32
    }

    /// The number of a line as people count.
    pub fn line_number(&self, offset: u32) -> u32 {
        self.position(offset).line + 1
    }
}

#[cfg(test)]
pub mod fixture {
    //! Views of inline texts, checked on the spot.

    use fencepost_checker::{Model, Options};
    use ropey::Rope;

    use super::super::results::{Found, state_of};
    use super::*;

    /// A text with `$0` where the cursor is.
    pub fn cursor(marked: &str) -> (View, Position) {
        let offset = marked.find("$0").expect("the fixture has a cursor");
        let text = marked.replacen("$0", "", 1);
        let view = unchecked(&text);
        let position = view.position(offset as u32);
        (view, position)
    }

    pub fn unchecked(text: &str) -> View {
        let uri = Url::parse("file:///t.litmus").unwrap();
        let client = Client {
            snippets: true,
            markdown: true,
            related_information: true,
            unnecessary_tag: true,
            literal_actions: true,
            hierarchical_symbols: true,
            versioned_edits: true,
            ..Client::default()
        };
        View {
            snapshot: Arc::new(Snapshot::new(uri, 1, Rope::from_str(text), Arc::default())),
            results: Arc::default(),
            chosen: None,
            set_params: Arc::default(),
            settings: Arc::default(),
            client: Arc::new(client),
        }
    }

    /// As [`unchecked`], then all models are run to their end.
    pub fn checked(text: &str) -> View {
        let mut view = unchecked(text);
        let program = view
            .snapshot
            .lowered()
            .clone()
            .expect("the fixture is a test");
        let results = Arc::make_mut(&mut view.results);
        for model in Model::ALL {
            let report = fencepost_checker::check(&program, model, &Options::default());
            let slot = results.model_mut(model);
            slot.state = state_of(&report);
            slot.checked = Some(Found::new(
                view.snapshot.source().clone(),
                1,
                program.clone(),
                report,
            ));
        }
        view
    }

    /// The text with the ranges drawn under it, one line of marks for each line that has some.
    pub fn draw(view: &View, ranges: impl IntoIterator<Item = Range>) -> String {
        let mut spans: Vec<Span> = ranges.into_iter().map(|range| view.span(range)).collect();
        spans.sort_unstable();
        let mut out = String::new();
        let mut start = 0u32;
        for line in view.text().split_inclusive('\n') {
            let end = start + line.len() as u32;
            out += line.trim_end_matches('\n');
            out.push('\n');
            let mut marks = String::new();
            for span in spans
                .iter()
                .filter(|s| s.start >= start && (s.start < end || s.is_empty() && s.start == end))
            {
                let column = view.text()[start as usize..span.start as usize]
                    .chars()
                    .count();
                let width = view.text()[span.start as usize..span.end.min(end) as usize]
                    .trim_end_matches('\n')
                    .chars()
                    .count();
                while marks.chars().count() < column {
                    marks.push(' ');
                }
                marks += &"^".repeat(width.max(1));
            }
            if !marks.is_empty() {
                out += &marks;
                out.push('\n');
            }
            start = end;
        }
        out
    }
}
