//! An open document: its text, its version, and what is known about it.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use fencepost_checker::Program;
use fencepost_checker::lower::{LowerOptions, lower};
use fencepost_grammar::error::NameKind;
use fencepost_grammar::{Error, Parse};
use ropey::Rope;
use tower_lsp::lsp_types::{TextDocumentContentChangeEvent, Url};

use super::anchors::Edit;
use super::positions::{self, Encoding};
use super::results::{Chosen, ModelState, Results};

/// A text that does not change any more. It is parsed when somebody asks, once.
#[derive(Debug)]
pub struct Snapshot {
    pub uri: Url,
    pub version: i32,
    pub rope: Rope,
    /// What settings and lenses say about how a test becomes a program.
    pub lowering: Arc<LowerOptions>,
    text: OnceLock<Arc<str>>,
    parse: OnceLock<Parse>,
    lowered: OnceLock<Result<Arc<Program>, Vec<Error>>>,
}

impl Snapshot {
    pub fn new(uri: Url, version: i32, rope: Rope, lowering: Arc<LowerOptions>) -> Snapshot {
        Snapshot {
            uri,
            version,
            rope,
            lowering,
            text: OnceLock::new(),
            parse: OnceLock::new(),
            lowered: OnceLock::new(),
        }
    }

    pub fn text(&self) -> &Arc<str> {
        self.text.get_or_init(|| self.rope.to_string().into())
    }

    pub fn parse(&self) -> &Parse {
        self.parse
            .get_or_init(|| fencepost_grammar::parse(self.text()))
    }

    /// The program to check; without one, what only lowering could find wrong (nothing when
    /// the parser has said it all).
    pub fn lowered(&self) -> &Result<Arc<Program>, Vec<Error>> {
        self.lowered.get_or_init(|| {
            let sound = self.parse().sound().ok_or_else(Vec::new)?;
            lower(&sound, &self.own_lowering()).map(Arc::new)
        })
    }

    /// The settings as far as they are about this test: a parameter that it does not have
    /// may be another test's.
    pub fn own_lowering(&self) -> LowerOptions {
        let mut lowering = (*self.lowering).clone();
        let symbols = &self.parse().symbols.symbols;
        lowering.params.retain(|(name, _)| {
            symbols
                .iter()
                .any(|symbol| symbol.kind == NameKind::Param && symbol.name == name)
        });
        lowering
    }

    /// The file's name, for messages; the whole URI where there is none.
    pub fn file_name(&self) -> &str {
        self.uri
            .path_segments()
            .and_then(|mut segments| segments.next_back())
            .filter(|name| !name.is_empty())
            .unwrap_or(self.uri.as_str())
    }
}

/// A check that is under way.
#[derive(Debug)]
pub struct Running {
    pub generation: u64,
    pub cancel: Arc<AtomicBool>,
    /// Says how many models have ended; the progress display listens.
    pub ended: tokio::sync::watch::Sender<usize>,
}

#[derive(Debug)]
pub struct Document {
    /// Never used twice: a closed and reopened document is another one.
    pub id: u64,
    pub snapshot: Arc<Snapshot>,
    pub results: Arc<Results>,
    pub running: Option<Running>,
    /// Stops what is computed after the verdicts.
    pub later: Option<Arc<AtomicBool>>,
    /// The timer that checks a moment after the last edit.
    pub debounce: Option<tokio::task::AbortHandle>,
    /// The witness whose reads are shown as inlay hints.
    pub chosen: Option<Chosen>,
}

impl Document {
    pub fn new(
        id: u64,
        uri: Url,
        version: i32,
        text: &str,
        lowering: Arc<LowerOptions>,
    ) -> Document {
        Document {
            id,
            snapshot: Arc::new(Snapshot::new(uri, version, Rope::from_str(text), lowering)),
            results: Arc::default(),
            running: None,
            later: None,
            debounce: None,
            chosen: None,
        }
    }

    /// Applies the changes in order; results move along and become stale.
    pub fn change(
        &mut self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let mut rope = self.snapshot.rope.clone();
        let mut edits = Vec::with_capacity(changes.len());
        for change in changes {
            edits.push(apply(&mut rope, change, encoding));
        }
        let old = &self.snapshot;
        self.snapshot = Arc::new(Snapshot::new(
            old.uri.clone(),
            version,
            rope,
            old.lowering.clone(),
        ));
        self.stop("stopped by an edit");
        if self.results.is_empty() {
            return;
        }
        let results = Arc::make_mut(&mut self.results);
        for edit in edits {
            results.edit(edit);
        }
        results.compare(self.snapshot.text(), version);
    }

    /// Other settings or parameters hold for lowering and checking.
    pub fn reconfigure(&mut self, lowering: Arc<LowerOptions>) {
        let old = &self.snapshot;
        self.snapshot = Arc::new(Snapshot::new(
            old.uri.clone(),
            old.version,
            old.rope.clone(),
            lowering,
        ));
        self.stop("stopped by a change of the settings");
        Arc::make_mut(&mut self.results).outdate();
    }

    /// Ends the check that is under way, if there is one.
    pub fn stop(&mut self, why: &str) {
        if let Some(timer) = self.debounce.take() {
            timer.abort();
        }
        if let Some(later) = self.later.take() {
            later.store(true, Ordering::SeqCst);
            if let Some(insights) = &mut Arc::make_mut(&mut self.results).insights {
                // What was asked will not be answered.
                Arc::make_mut(insights).pending = 0;
            }
        }
        if let Some(running) = self.running.take() {
            running.cancel.store(true, Ordering::SeqCst);
            let results = Arc::make_mut(&mut self.results);
            for model in &mut results.models {
                if model.state == ModelState::Checking {
                    model.state = ModelState::Cancelled;
                    model.note = Some(why.to_owned());
                }
            }
        }
    }
}

/// Applies one change to the text and says what it was in bytes.
fn apply(rope: &mut Rope, change: TextDocumentContentChangeEvent, encoding: Encoding) -> Edit {
    let Some(range) = change.range else {
        let edit = Edit::between(&rope.to_string(), &change.text);
        *rope = Rope::from_str(&change.text);
        return edit;
    };
    let a = positions::char_at(rope, range.start, encoding);
    let b = positions::char_at(rope, range.end, encoding);
    let (from, to) = (a.min(b), a.max(b));
    let start = rope.char_to_byte(from);
    let removed = rope.char_to_byte(to) - start;
    rope.remove(from..to);
    rope.insert(from, &change.text);
    Edit {
        start: start as u32,
        removed: removed as u32,
        inserted: change.text.len() as u32,
    }
}

#[cfg(test)]
mod tests {
    use tower_lsp::lsp_types::{Position, Range};

    use super::*;

    fn document(text: &str) -> Document {
        Document::new(
            1,
            Url::parse("untitled:t").unwrap(),
            1,
            text,
            Arc::default(),
        )
    }

    fn replace(from: (u32, u32), to: (u32, u32), text: &str) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent {
            range: Some(Range::new(
                Position::new(from.0, from.1),
                Position::new(to.0, to.1),
            )),
            range_length: None,
            text: text.to_owned(),
        }
    }

    #[test]
    fn changes_of_one_notification_apply_in_order() {
        let mut document = document("one\ntwo\n");
        document.change(
            2,
            vec![
                replace((0, 0), (0, 3), "1"),
                replace((0, 1), (1, 0), " "),
                replace((0, 99), (0, 99), "!"),
            ],
            Encoding::Utf16,
        );
        assert_eq!(&**document.snapshot.text(), "1 two!\n");
        assert_eq!(document.snapshot.version, 2);
    }

    #[test]
    fn a_whole_text_replaces_everything() {
        let mut document = document("old");
        document.change(
            3,
            vec![TextDocumentContentChangeEvent {
                range: None,
                range_length: None,
                text: "new\u{1F512}".to_owned(),
            }],
            Encoding::Utf8,
        );
        assert_eq!(&**document.snapshot.text(), "new\u{1F512}");
    }

    #[test]
    fn a_file_has_a_name_and_a_bare_uri_is_its_own() {
        let name = |uri: &str| {
            Snapshot::new(Url::parse(uri).unwrap(), 0, Rope::new(), Arc::default())
                .file_name()
                .to_owned()
        };
        assert_eq!(name("file:///a/SB.litmus"), "SB.litmus");
        assert_eq!(name("untitled:Untitled-1"), "untitled:Untitled-1");
    }
}
