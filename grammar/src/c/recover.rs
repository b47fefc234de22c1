//! Reads a damaged function again, statement by statement.
//!
//! As in the native dialect one bad statement costs that statement. Here a head
//! (`if (…)`) may be followed by a block or by one statement, so what is open is a stack
//! of blocks and of heads that wait for their statement.

use super::build::{CNode, FunctionHead, Head, function as make_function};
use super::nameless;
use crate::actions::ident;
use crate::ast::SmolStr;
use crate::ast::c::*;
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_ERRORS;
use crate::parser::{Failure, c_node, c_node_ending_in_semicolon};
use crate::span::Span;
use crate::token::{Token, TokenKind};

/// Always gives a function, with what could be read of it; and whether its head was whole.
pub(super) fn function(
    text: &str,
    tokens: &[Token],
    after: Option<Token>,
    unclosed: Option<Span>,
    errors: &mut Vec<Error>,
) -> (Function, bool) {
    let before = errors.len();
    let mut reader = Reader {
        text,
        tokens,
        after,
        at: 0,
        run_end: 0,
        errors,
        frames: Vec::new(),
    };
    let head = reader.function_head();
    let whole = reader.errors.len() == before;
    let body = reader.body(unclosed);
    (make_function(head, body), whole)
}

/// What is still open.
enum Frame {
    /// A block: where its brace is, and its statements so far.
    Block { open: u32, stmts: Vec<Stmt> },
    /// A head that waits for its statement.
    Head { head: Head, start: u32 },
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
    after: Option<Token>,
    at: usize,
    /// Behind the semicolon of the statement at `at`, once it was looked for.
    run_end: usize,
    errors: &'a mut Vec<Error>,
    frames: Vec<Frame>,
}

impl Reader<'_> {
    fn function_head(&mut self) -> FunctionHead {
        let end = self.find(|kind| {
            matches!(
                kind,
                TokenKind::LBrace | TokenKind::RBrace | TokenKind::Semicolon
            )
        });
        let run = &self.tokens[..end];
        let node = c_node(self.text, TokenKind::StartThreadHead, run, self.errors);
        let has_brace = self.kind(end) == Some(TokenKind::LBrace);
        let head = match node {
            Ok(CNode::FunctionHead(head)) => {
                self.at = end;
                Some(*head)
            }
            Ok(_) => None,
            Err(failure) => self.head_before(run, failure, has_brace, end),
        };
        let head = head.unwrap_or_else(|| self.salvaged_head(end));
        let open = match self.tokens.get(self.at) {
            Some(token) if token.kind == TokenKind::LBrace => {
                self.at += 1;
                token.span.start
            }
            _ => {
                self.missing_brace(self.at);
                self.end_before(self.at)
            }
        };
        self.frames.push(Frame::Block {
            open,
            stmts: Vec::new(),
        });
        head
    }

    /// The head may be whole and its `{` missing; else it is broken.
    fn head_before(
        &mut self,
        run: &[Token],
        failure: Failure,
        has_brace: bool,
        end: usize,
    ) -> Option<FunctionHead> {
        if !has_brace
            && let Ok(CNode::FunctionHead(head)) = c_node(
                self.text,
                TokenKind::StartThreadHead,
                &run[..failure.at],
                self.errors,
            )
        {
            self.at = failure.at;
            return Some(*head);
        }
        let after = self.tokens.get(end).copied().or(self.after);
        self.report(&failure, run, after);
        self.at = end;
        None
    }

    /// The parameters of a head that could not be read, so that they are no registers: the
    /// names before a comma or the closing parenthesis.
    fn salvaged_head(&self, end: usize) -> FunctionHead {
        let run = &self.tokens[..end];
        let mut params = Vec::new();
        for pair in run.windows(2) {
            let last = matches!(pair[1].kind, TokenKind::Comma | TokenKind::RParen);
            if last && pair[0].kind == TokenKind::Ident {
                let span = pair[0].span;
                params.push(Param {
                    ty: nameless(Span::at(span.start)),
                    name: ident(self.text, span.start, span.end),
                    span,
                });
            }
        }
        let start = run.get(1).map_or(0, |token| token.span.start);
        let name = run.first().map_or(Span::at(0), |token| token.span);
        FunctionHead {
            name: ident(self.text, name.start, name.end),
            params,
            params_span: Span::new(start, self.end_before(end)),
        }
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// Where the token before `at` ends.
    fn end_before(&self, at: usize) -> u32 {
        at.checked_sub(1)
            .and_then(|before| self.tokens.get(before))
            .map_or(0, |token| token.span.end)
    }

    fn missing_brace(&mut self, at: usize) {
        let found = match self.tokens.get(at).copied().or(self.after) {
            Some(token) => crate::parser::quote(self.text, token),
            None => SmolStr::new_static("the end"),
        };
        let place = Span::at(self.end_before(at));
        let expected = SmolStr::new_static("`{`");
        if self.errors.len() < MAX_ERRORS {
            let error = Error::new(ErrorKind::Unexpected { found, expected }, place);
            self.errors.push(error.suggest(Some(" {")));
        }
    }

    fn report(&mut self, failure: &Failure, run: &[Token], after: Option<Token>) {
        // The lexer has reported a bad character already.
        let bad = run
            .get(failure.at)
            .is_some_and(|token| token.kind == TokenKind::Bad);
        if !bad && self.errors.len() < MAX_ERRORS {
            self.errors.push(failure.error(self.text, run, after));
        }
    }

    /// The first token from here on that `stop` takes; the end if there is none.
    fn find(&self, stop: impl Fn(TokenKind) -> bool) -> usize {
        let found = self.tokens[self.at..]
            .iter()
            .position(|token| stop(token.kind));
        found.map_or(self.tokens.len(), |offset| self.at + offset)
    }

    fn body(&mut self, unclosed: Option<Span>) -> Block {
        while let Some(token) = self.tokens.get(self.at).copied() {
            if self.errors.len() >= MAX_ERRORS {
                break;
            }
            match token.kind {
                TokenKind::RBrace => {
                    self.at += 1;
                    let blocks = |frame: &&Frame| matches!(frame, Frame::Block { .. });
                    if self.frames.iter().filter(blocks).count() == 1 {
                        break;
                    }
                    self.close(token.span.end);
                }
                TokenKind::LBrace => {
                    self.at += 1;
                    self.frames.push(Frame::Block {
                        open: token.span.start,
                        stmts: Vec::new(),
                    });
                }
                TokenKind::If | TokenKind::Else | TokenKind::While => {
                    self.head(token);
                }
                _ => self.simple(),
            }
        }
        if let Some(open) = unclosed
            && self.errors.len() < MAX_ERRORS
        {
            self.errors
                .push(Error::new(ErrorKind::Unclosed { open: '{' }, open));
        }
        let end = self.end_before(self.at);
        loop {
            self.drop_heads(end);
            match self.frames.pop() {
                Some(Frame::Block { open, stmts }) => {
                    let span = Span::new(open.min(end), end);
                    let block = Block { stmts, span };
                    if self.frames.is_empty() {
                        return block;
                    }
                    self.push(Stmt {
                        kind: StmtKind::Block(block),
                        span,
                    });
                }
                _ => return Block::default(),
            }
        }
    }

    /// Ends the innermost block: it is a statement.
    fn close(&mut self, end: u32) {
        self.drop_heads(end);
        if let Some(Frame::Block { open, stmts }) = self.frames.pop() {
            let span = Span::new(open, end);
            self.push(Stmt {
                kind: StmtKind::Block(Block { stmts, span }),
                span,
            });
        }
    }

    /// A block ends, and heads in it still wait: what they should hold is missing.
    fn drop_heads(&mut self, end: u32) {
        while let Some(Frame::Head { start, .. }) = self.frames.last() {
            let span = Span::new(*start, end);
            self.frames.pop();
            if let Some(Frame::Block { stmts, .. }) = self.frames.last_mut() {
                stmts.push(Stmt {
                    kind: StmtKind::Error,
                    span,
                });
            }
        }
    }

    /// A statement is whole: it goes to the head that waits for it, or into its block.
    fn push(&mut self, mut stmt: Stmt) {
        while let Some(Frame::Head { head, start }) = self
            .frames
            .pop_if(|frame| matches!(frame, Frame::Head { .. }))
        {
            let span = Span::new(start, stmt.span.end);
            let body = Box::new(stmt);
            let kind = match head {
                Head::If(cond) => StmtKind::If {
                    cond,
                    then: body,
                    otherwise: None,
                },
                Head::While(cond) => StmtKind::While { cond, body },
                Head::Else => {
                    let keyword = Span::new(start, start + "else".len() as u32);
                    self.attach(Otherwise {
                        keyword,
                        stmt: body,
                    });
                    return;
                }
            };
            stmt = Stmt { kind, span };
        }
        if let Some(Frame::Block { stmts, .. }) = self.frames.last_mut() {
            stmts.push(stmt);
        }
    }

    /// Gives the statement behind an `else` to the `if` that was read last.
    fn attach(&mut self, branch: Otherwise) {
        let end = branch.stmt.span.end;
        if let Some(Frame::Block { stmts, .. }) = self.frames.last_mut()
            && let Some(last) = stmts.last_mut()
            && let Some(otherwise) = open_if(last, end)
        {
            *otherwise = Some(branch);
        } else if let Some(Frame::Block { stmts, .. }) = self.frames.last_mut() {
            stmts.push(*branch.stmt);
        }
    }

    /// `if (…)` and its like.
    fn head(&mut self, first: Token) {
        let begin = self.at;
        let end = match first.kind {
            TokenKind::Else => begin + 1,
            _ => self.end_of_condition(begin + 1),
        };
        let run = &self.tokens[begin..end];
        let head = match c_node(self.text, TokenKind::StartStmtHead, run, self.errors) {
            Ok(CNode::Head(head)) => head,
            Ok(_) => return self.at = end,
            Err(failure) => {
                let after = self.tokens.get(end).copied().or(self.after);
                self.report(&failure, run, after);
                self.at = end;
                // What it would hold is kept, as a statement of its own.
                self.push(Stmt {
                    kind: StmtKind::Error,
                    span: first.span.to(run[run.len() - 1].span),
                });
                return;
            }
        };
        self.at = end;
        if let Head::Else = head {
            let attaches = match self.frames.last_mut() {
                Some(Frame::Block { stmts, .. }) => stmts
                    .last_mut()
                    .is_some_and(|last| open_if(last, first.span.end).is_some()),
                _ => false,
            };
            if !attaches {
                if self.errors.len() < MAX_ERRORS {
                    let found = SmolStr::new_static("`else` without its `if`");
                    let expected = SmolStr::new_static("a statement");
                    self.errors.push(Error::new(
                        ErrorKind::Unexpected { found, expected },
                        first.span,
                    ));
                }
                return;
            }
        }
        self.frames.push(Frame::Head {
            head,
            start: first.span.start,
        });
    }

    /// Behind the parenthesis that closes the one at `at`; where the statement ends when
    /// there is none.
    fn end_of_condition(&self, at: usize) -> usize {
        let mut depth = 0usize;
        for (offset, token) in self.tokens[at..].iter().enumerate() {
            match token.kind {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 1 => return at + offset + 1,
                TokenKind::RParen => depth = depth.saturating_sub(1),
                TokenKind::Semicolon | TokenKind::LBrace | TokenKind::RBrace => {
                    return at + offset;
                }
                _ if depth == 0 => return at + offset,
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// A statement that ends in a semicolon.
    fn simple(&mut self) {
        if self.run_end <= self.at {
            let stop = self.find(|kind| {
                matches!(
                    kind,
                    TokenKind::LBrace | TokenKind::RBrace | TokenKind::Semicolon
                )
            });
            let semicolon = self.kind(stop) == Some(TokenKind::Semicolon);
            self.run_end = if semicolon { stop + 1 } else { stop };
        }
        let begin = self.at;
        let run = &self.tokens[begin..self.run_end];
        let after = self.tokens.get(self.run_end).copied().or(self.after);
        let failure = match c_node(self.text, TokenKind::StartStmt, run, self.errors) {
            Ok(CNode::Stmts(stmts)) => {
                self.at = self.run_end;
                stmts.into_iter().for_each(|stmt| self.push(stmt));
                return;
            }
            Ok(_) => return self.at = self.run_end,
            Err(failure) => failure,
        };
        // Often only the semicolon is missing, and then nothing is lost.
        if failure.at > 0 && failure.expects(";") {
            let whole = &run[..failure.at];
            let node =
                c_node_ending_in_semicolon(self.text, TokenKind::StartStmt, whole, self.errors);
            if let Ok(CNode::Stmts(stmts)) = node {
                let end = whole[whole.len() - 1].span.end;
                let bad = run
                    .get(failure.at)
                    .is_some_and(|token| token.kind == TokenKind::Bad);
                if !bad && self.errors.len() < MAX_ERRORS {
                    let mut error = failure.error(self.text, run, after);
                    error.span = Span::at(end);
                    self.errors.push(error.suggest(Some(";")));
                }
                self.at = begin + failure.at;
                stmts.into_iter().for_each(|stmt| self.push(stmt));
                // What cannot start a statement is left of this one.
                if self.at < self.run_end && !self.starts_statement(self.at) {
                    self.at = self.resume_after(self.at);
                }
                return;
            }
        }
        self.report(&failure, run, after);
        self.at = self.resume_after(begin);
        let span = self.tokens[begin].span.to(self.tokens[self.at - 1].span);
        self.push(Stmt {
            kind: StmtKind::Error,
            span,
        });
    }

    fn starts_statement(&self, at: usize) -> bool {
        match self.kind(at) {
            Some(TokenKind::Ident) => {
                matches!(
                    self.kind(at + 1),
                    Some(TokenKind::Assign | TokenKind::LParen | TokenKind::LBracket)
                )
            }
            Some(kind) => matches!(
                kind,
                TokenKind::If
                    | TokenKind::Else
                    | TokenKind::While
                    | TokenKind::Type
                    | TokenKind::Star
                    | TokenKind::LBrace
                    | TokenKind::RBrace
            ),
            None => false,
        }
    }

    /// Where to read on after a bad statement: behind its semicolon, or at a
    /// line within it that starts like another statement.
    fn resume_after(&self, begin: usize) -> usize {
        for at in begin + 1..self.run_end {
            let gap = Span::new(self.tokens[at - 1].span.end, self.tokens[at].span.start);
            if gap.text(self.text).contains('\n') && self.starts_statement(at) {
                return at;
            }
        }
        self.run_end.max(begin + 1)
    }
}

/// The place for an `else` in a statement that ends in an `if` without one, the innermost;
/// all around it then ends at `end`.
fn open_if(stmt: &mut Stmt, end: u32) -> Option<&mut Option<Otherwise>> {
    if !has_open_if(stmt) {
        return None;
    }
    stmt.span.end = stmt.span.end.max(end);
    match &mut stmt.kind {
        StmtKind::If {
            then,
            otherwise: otherwise @ None,
            ..
        } => match has_open_if(then) {
            true => open_if(then, end),
            false => Some(otherwise),
        },
        StmtKind::If {
            otherwise: Some(branch),
            ..
        } => open_if(&mut branch.stmt, end),
        StmtKind::While { body, .. } => open_if(body, end),
        _ => None,
    }
}

fn has_open_if(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::If {
            otherwise: None, ..
        } => true,
        StmtKind::If {
            otherwise: Some(branch),
            ..
        } => has_open_if(&branch.stmt),
        StmtKind::While { body, .. } => has_open_if(body),
        _ => false,
    }
}
