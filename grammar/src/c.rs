//! Reads herd's C dialect: the init section, then function after function.
//!
//! `(*` starts a comment outside the functions and is code within them, so what is cut
//! decides how it is read: a function starts with `P0 (` and ends with its brace, what
//! follows the last of them are conditions. A brace that is missing costs its function:
//! the next one starts on a line of its own.

mod build;
mod recover;
#[cfg(test)]
mod tests;
mod types;

pub(crate) use build::*;

use crate::ast::c::{C, ExprKind};
use crate::ast::herd::InitTarget;
use crate::ast::{Body, Ident, SmolStr, Test};
use crate::error::{Error, ErrorKind};
use crate::header::c_lines;
use crate::items::Damage;
use crate::lexer::{Lexer, Mode, span};
use crate::limits::{MAX_ERRORS, MAX_NESTING, MAX_OPERATORS};
use crate::parser::{c_node, quote};
use crate::read::herd_conditions;
use crate::span::Span;
use crate::table::number_thread;
use crate::token::{Token, TokenKind};
use crate::words::Kind;
use crate::words::c::{Family, primitive};

/// Reads what follows the test's name.
pub(crate) fn read(lexer: &mut Lexer<'_>, test: &mut Test, damage: &mut Damage) {
    c_lines(lexer, test);
    test.body = Body::C(functions(lexer, damage));
    herd_conditions(lexer, Mode::Around, test, damage);
}

/// Reads up to the conditions, before which the lexer then stands.
fn functions(lexer: &mut Lexer<'_>, damage: &mut Damage) -> C {
    let mut reader = Reader {
        lexer,
        damage,
        body: C {
            init_span: Span::default(),
            init: Vec::new(),
            functions: Vec::new(),
            family: Family::C11,
        },
        last_function: None,
    };
    reader.init();
    reader.functions();
    let mut body = reader.body;
    body.family = family(&body);
    body
}

/// Kernel's, if it calls something that only the kernel has or uses its types; C11's, if
/// the same is true of C11. A test with neither shows it by what it takes for the value.
fn family(body: &C) -> Family {
    let kernel_type = |ty: &Ident| ty.name.contains("atomic_t") || ty.name.contains("spinlock_t");
    let params = body.functions.iter().flat_map(|function| &function.params);
    let types = body.init.iter().filter_map(|entry| entry.ty.as_ref());
    if params.map(|param| &param.ty).chain(types).any(kernel_type) {
        return Family::Kernel;
    }
    let (mut kernel, mut c11, mut value_first) = (false, false, false);
    body.exprs(&mut |expr| {
        let ExprKind::Call { function, args } = &expr.kind else {
            return;
        };
        let of = |family| {
            let (word, _) = primitive(&function.name, family)?;
            match word.kind {
                Kind::Primitive(family, _) => Some(family),
                _ => None,
            }
        };
        match (of(Family::Kernel), of(Family::C11)) {
            (Some(Family::Kernel), Some(Family::C11)) => {
                let first = args.first().map(|arg| &arg.bare().kind);
                value_first |= matches!(first, Some(ExprKind::Int(_)));
            }
            (Some(Family::Kernel), _) => kernel = true,
            (Some(Family::C11), _) => c11 = true,
            (None, _) => {}
        }
    });
    match kernel || (value_first && !c11) {
        true => Family::Kernel,
        false => Family::C11,
    }
}

struct Reader<'l, 't> {
    lexer: &'l mut Lexer<'t>,
    damage: &'l mut Damage,
    body: C,
    /// Once it was looked for.
    last_function: Option<usize>,
}

/// The tokens of one function, and what is wrong with them as a whole.
struct Cut {
    tokens: Vec<Token>,
    /// Its opening brace, when nothing closes it.
    unclosed: Option<Span>,
    /// Deeper or longer than is read at all.
    refused: Option<(ErrorKind, Span)>,
}

impl Reader<'_, '_> {
    fn error(&mut self, error: Error) {
        self.damage.top = true;
        if self.lexer.errors.len() < MAX_ERRORS {
            self.lexer.errors.push(error);
        }
    }

    fn full(&self) -> bool {
        self.lexer.errors.len() >= MAX_ERRORS
    }

    // ---- The init section ----

    fn init(&mut self) {
        let start = self.lexer.pos;
        self.body.init_span = Span::at(start as u32);
        if self.lexer.peek_byte() != Some(b'{') {
            let section = "init section `{…}`";
            let place = Span::at(start as u32);
            self.error(Error::new(ErrorKind::MissingSection { section }, place));
            return;
        }
        let open = span(start, start + 1);
        self.lexer.pos += 1;
        let mut tokens = Vec::new();
        let mut list = false;
        while !self.full() {
            let new_line = self.lexer.skip_trivia(Mode::Around);
            let runaway = new_line && self.at_next();
            let token = if runaway {
                None
            } else {
                self.lexer.token(Mode::Around)
            };
            let Some(token) = token else {
                self.entry(&tokens);
                self.error(Error::new(ErrorKind::Unclosed { open: '{' }, open));
                break;
            };
            match token.kind {
                TokenKind::RBrace if !list => {
                    self.entry(&tokens);
                    break;
                }
                TokenKind::Semicolon => {
                    self.entry(&tokens);
                    tokens.clear();
                    list = false;
                    continue;
                }
                TokenKind::RBrace => list = false,
                TokenKind::LBrace => {
                    list = tokens.last().map(|token| token.kind) == Some(TokenKind::Assign);
                }
                _ => {}
            }
            tokens.push(token);
        }
        self.body.init_span = Span::new(open.start, self.lexer.pos as u32);
    }

    fn entry(&mut self, tokens: &[Token]) {
        if tokens.is_empty() || self.full() {
            return;
        }
        let text = self.lexer.text;
        match c_node(text, TokenKind::StartInit, tokens, &mut self.lexer.errors) {
            Ok(CNode::Init(mut entry)) => {
                if let InitTarget::Register { thread, .. } = &mut entry.target {
                    number_thread(thread);
                }
                self.body.init.push(*entry);
            }
            Ok(_) => {}
            Err(failure) => {
                self.damage.top = true;
                if tokens.get(failure.at).map(|token| token.kind) != Some(TokenKind::Bad) {
                    self.error(failure.error(text, tokens, None));
                }
            }
        }
    }

    // ---- Functions ----

    fn functions(&mut self) {
        while !self.full() {
            self.skip();
            if self.lexer.peek_byte().is_none() || self.at_conditions() {
                break;
            }
            if at_function(self.lexer) {
                self.function();
            } else {
                self.junk();
            }
        }
        if self.body.functions.is_empty() {
            let place = Span::at(self.lexer.pos as u32);
            let section = "thread, as `P0(int *x) { … }`";
            self.error(Error::new(ErrorKind::MissingSection { section }, place));
        }
    }

    /// Blanks and comments between functions. Behind a brace too many comes code, and its
    /// `(*x` would be a comment to the end.
    fn skip(&mut self) {
        let lexer = &mut *self.lexer;
        let before = (lexer.pos, lexer.comments.len(), lexer.errors.len());
        lexer.skip_trivia(Mode::Around);
        if lexer.errors.len() > before.2 && before.0 < self.last_function() {
            let lexer = &mut *self.lexer;
            lexer.pos = before.0;
            lexer.comments.truncate(before.1);
            lexer.errors.truncate(before.2);
            lexer.skip_trivia(Mode::Code);
        }
    }

    /// Whether the conditions start here: they have no braces, and functions have.
    fn at_conditions(&mut self) -> bool {
        let pos = self.lexer.pos;
        at_tail(self.lexer) && {
            let last = self.last_function();
            pos > last || !self.lexer.text[pos..last].contains('{')
        }
    }

    /// What is no function: one error, however much it is. It ends where a line starts
    /// as something that is known; until then it is read as code, where `(*` is no comment.
    fn junk(&mut self) {
        let mut first = None;
        let mut only_semicolons = true;
        loop {
            let errors = self.lexer.errors.len();
            let Some(token) = self.lexer.token(Mode::Code) else {
                break;
            };
            // Whatever it is, it is told about once.
            self.lexer.errors.truncate(errors);
            only_semicolons &= token.kind == TokenKind::Semicolon;
            first = first.or(Some(token));
            let new_line = self.lexer.skip_trivia(Mode::Code);
            if new_line && (self.at_next() || only_semicolons) {
                break;
            }
        }
        let Some(token) = first else { return };
        if only_semicolons {
            return;
        }
        let kind = match token.kind {
            TokenKind::RBrace => ErrorKind::Unopened { close: '}' },
            _ => ErrorKind::Unexpected {
                found: quote(self.lexer.text, token),
                expected: SmolStr::new_static("a thread, as `P0(int *x) { … }`, or a condition"),
            },
        };
        self.error(Error::new(kind, token.span));
    }

    /// Whether this line, somewhere in broken code, starts what comes next: a function, or
    /// the conditions, which are behind all functions.
    fn at_next(&mut self) -> bool {
        at_function(self.lexer) || at_tail(self.lexer) && self.lexer.pos > self.last_function()
    }

    /// Where the last line is that starts as a function does.
    fn last_function(&mut self) -> usize {
        if let Some(known) = self.last_function {
            return known;
        }
        let mut lexer = Lexer::new(self.lexer.text);
        let mut last = 0;
        for (start, _) in lexer.text.match_indices('\n') {
            let rest = &lexer.text[start..];
            lexer.pos = start + rest.len() - rest.trim_ascii_start().len();
            if at_function(&lexer) {
                last = lexer.pos;
            }
        }
        self.last_function = Some(last);
        last
    }

    fn function(&mut self) {
        let mut cut = self.cut();
        if let Some((kind, place)) = cut.refused {
            self.error(Error::new(kind, place));
            return;
        }
        let text = self.lexer.text;
        types::tag(text, &mut cut.tokens);
        let tokens = cut.tokens.as_slice();
        let errors = &mut self.lexer.errors;
        let before = errors.len();
        let index = self.body.functions.len();
        match c_node(text, TokenKind::StartItem, tokens, errors) {
            Ok(CNode::Function(function)) => {
                if errors.len() > before {
                    self.damage.threads.push(index);
                }
                self.body.functions.push(*function);
            }
            _ => {
                let after = self.following();
                let errors = &mut self.lexer.errors;
                let (function, whole_head) =
                    recover::function(text, tokens, after, cut.unclosed, errors);
                self.damage.threads.push(index);
                self.damage.top |= !whole_head;
                self.body.functions.push(function);
            }
        }
    }

    /// The tokens from the function's name to the brace that closes it; without one, to a
    /// line that starts as a function or a condition does.
    fn cut(&mut self) -> Cut {
        let mut cut = Cut {
            tokens: Vec::new(),
            unclosed: None,
            refused: None,
        };
        let mut depth = Depth::default();
        loop {
            let new_line = self.lexer.skip_trivia(Mode::Code);
            if new_line && !cut.tokens.is_empty() {
                if self.at_next() {
                    return cut;
                }
                if depth.braces == 0 && !depth.in_brackets() && self.at_comment() {
                    // Behind a head without a body.
                    return cut;
                }
            }
            if self.full() {
                return cut;
            }
            let Some(token) = self.lexer.token(Mode::Code) else {
                return cut;
            };
            cut.tokens.push(token);
            depth.enter(token.kind);
            if cut.refused.is_none()
                && let Some(kind) = depth.excess()
            {
                cut.refused = Some((kind, token.span));
            }
            match token.kind {
                TokenKind::LBrace if depth.braces == 1 => cut.unclosed = Some(token.span),
                TokenKind::RBrace if depth.braces == 0 => {
                    cut.unclosed = None;
                    return cut;
                }
                _ => {}
            }
        }
    }

    /// What comes after the function; nothing is consumed.
    fn following(&mut self) -> Option<Token> {
        let lexer = &mut *self.lexer;
        let before = (lexer.pos, lexer.comments.len(), lexer.errors.len());
        lexer.skip_trivia(Mode::Around);
        let token = lexer.token(Mode::Around);
        lexer.pos = before.0;
        lexer.comments.truncate(before.1);
        lexer.errors.truncate(before.2);
        token
    }

    fn at_comment(&self) -> bool {
        self.lexer.text[self.lexer.pos..].starts_with("(*")
    }
}

/// How deep a function's tokens nest: by brackets, by statements that hold others without
/// braces, and by operators in one expression.
#[derive(Default)]
struct Depth {
    braces: usize,
    others: usize,
    /// Heads (`if (…)`, `else`) since the last statement ended, for each open brace.
    heads: Vec<usize>,
    /// Their sum.
    all_heads: usize,
    operators: usize,
    /// A statement has ended: only an `else` goes on with it.
    ended: bool,
    last: Option<TokenKind>,
}

impl Depth {
    fn enter(&mut self, kind: TokenKind) {
        if std::mem::take(&mut self.ended) && kind != TokenKind::Else {
            self.set_heads(0);
        }
        match kind {
            TokenKind::LBrace => {
                self.braces += 1;
                self.others = 0;
                self.heads.push(0);
            }
            TokenKind::RBrace => {
                self.braces = self.braces.saturating_sub(1);
                self.others = 0;
                self.all_heads -= self.heads.pop().unwrap_or(0);
                self.ended = true;
            }
            TokenKind::LParen | TokenKind::LBracket => self.others += 1,
            TokenKind::RParen | TokenKind::RBracket => self.others = self.others.saturating_sub(1),
            TokenKind::Semicolon => {
                self.others = 0;
                self.ended = true;
            }
            TokenKind::If | TokenKind::Else | TokenKind::While => {
                let heads = self.heads.last().map_or(0, |heads| heads + 1);
                self.set_heads(heads);
            }
            _ => {}
        }
        // A cast stands before its operand, an index behind its array, without an operator.
        let applied = match self.last.replace(kind) {
            Some(TokenKind::RParen) => {
                matches!(kind, TokenKind::LParen | TokenKind::Ident | TokenKind::Int)
            }
            Some(TokenKind::RBracket) => kind == TokenKind::LBracket,
            _ => false,
        };
        self.operators = match kind {
            TokenKind::Semicolon | TokenKind::LBrace | TokenKind::RBrace => 0,
            kind if kind.is_operator() || applied => self.operators + 1,
            _ => self.operators,
        };
    }

    fn set_heads(&mut self, count: usize) {
        if let Some(heads) = self.heads.last_mut() {
            self.all_heads = self.all_heads - *heads + count;
            *heads = count;
        }
    }

    fn in_brackets(&self) -> bool {
        self.others > 0
    }

    fn excess(&self) -> Option<ErrorKind> {
        if self.braces + self.others + self.all_heads > MAX_NESTING {
            Some(ErrorKind::NestingTooDeep)
        } else if self.operators > MAX_OPERATORS {
            Some(ErrorKind::ExpressionTooLong)
        } else {
            None
        }
    }
}

/// How a text is cut, from its beginning on: functions otherwise than what surrounds them.
/// For what must work without a tree.
#[derive(Clone, Copy)]
pub(crate) struct Modal {
    mode: Mode,
    /// In a function: its open braces.
    braces: u32,
}

impl Modal {
    pub fn new() -> Modal {
        Modal {
            mode: Mode::Around,
            braces: 0,
        }
    }

    /// Skips blanks and comments; gives how to read the token that follows.
    pub fn skip(&mut self, lexer: &mut Lexer<'_>) -> Mode {
        let new_line = lexer.skip_trivia(self.mode);
        if self.mode == Mode::Code && new_line && (at_function(lexer) || at_tail(lexer)) {
            *self = Modal::new();
        }
        if self.mode == Mode::Around && at_function(lexer) {
            self.mode = Mode::Code;
        }
        self.mode
    }

    /// A token was read.
    pub fn read(&mut self, token: TokenKind) {
        match token {
            TokenKind::LBrace if self.mode == Mode::Code => self.braces += 1,
            TokenKind::RBrace if self.mode == Mode::Code => {
                self.braces = self.braces.saturating_sub(1);
                if self.braces == 0 {
                    self.mode = Mode::Around;
                }
            }
            _ => {}
        }
    }
}

/// Whether a function starts here: `P0 (`.
pub(crate) fn at_function(lexer: &Lexer<'_>) -> bool {
    let Some(rest) = lexer.text[lexer.pos..].strip_prefix('P') else {
        return false;
    };
    let parameters = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    parameters.len() < rest.len() && without_comments(parameters).starts_with('(')
}

/// The same outside of functions, where herd's comments are comments.
fn behind_comments(mut text: &str) -> &str {
    loop {
        text = without_comments(text);
        if !text.starts_with("(*") {
            return text;
        }
        text = text.find("*)").map_or("", |end| &text[end + 2..]);
    }
}

/// What follows blanks and C's comments, unless those are long.
fn without_comments(text: &str) -> &str {
    const MAX_LENGTH: usize = 4096;
    let mut text = &text[..text.floor_char_boundary(MAX_LENGTH)];
    loop {
        text = text.trim_ascii_start();
        let end = match text.as_bytes() {
            [b'/', b'/', ..] => text.find('\n'),
            [b'/', b'*', ..] => text[2..].find("*/").map(|at| at + 4),
            _ => return text,
        };
        text = end.map_or("", |end| &text[end..]);
    }
}

/// Whether a condition, `locations` or `filter` starts here.
fn at_tail(lexer: &Lexer<'_>) -> bool {
    let rest = &lexer.text[lexer.pos..];
    let word_end = rest
        .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .unwrap_or(rest.len());
    match &rest[..word_end] {
        "exists" | "forall" | "final" | "filter" | "locations" => true,
        "not" => behind_comments(&rest[word_end..]).starts_with("exists"),
        "" => rest
            .strip_prefix('~')
            .is_some_and(|rest| behind_comments(rest).starts_with("exists")),
        _ => false,
    }
}

/// The name of an empty place.
pub(crate) fn nameless(place: Span) -> Ident {
    Ident {
        name: SmolStr::default(),
        span: place,
    }
}
