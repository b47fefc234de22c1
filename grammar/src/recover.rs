//! Reads a damaged thread again, statement by statement.
//!
//! One bad statement costs that statement: its neighbours are parsed with the
//! grammar's own rules, and blocks are matched here by their braces. Each token
//! is looked at a bounded number of times.

use crate::actions::{Head, Node, ThreadHead, ident, looping, thread as make_thread};
use crate::ast::native::*;
use crate::ast::{Ident, SmolStr};
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_ERRORS;
use crate::parser::{Failure, native_node, native_node_ending_in};
use crate::span::Span;
use crate::token::{Token, TokenKind};

/// Always gives a thread, with what could be read of it; and whether its head was whole.
pub(crate) fn thread(
    text: &str,
    tokens: &[Token],
    after: Option<Token>,
    unclosed: Option<Span>,
    errors: &mut Vec<Error>,
) -> (Thread, bool) {
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
    let head = reader.thread_head();
    let whole = reader.errors.len() == before && !head.name.name.is_empty();
    let body = reader.body(unclosed);
    (make_thread(*head, body), whole)
}

/// Whether a statement of the block could not be read.
pub(crate) fn has_error(block: &Block) -> bool {
    let mut found = false;
    let unread = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Error);
    block.each(&mut |block| found |= block.stmts.iter().any(unread));
    found
}

/// A block that is still open.
struct Frame {
    /// `None` for a plain block, also when its head could not be read.
    head: Option<Head>,
    start: u32,
    open: u32,
    stmts: Vec<Stmt>,
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
    fn thread_head(&mut self) -> Box<ThreadHead> {
        let end = self.find(|kind| {
            matches!(
                kind,
                TokenKind::LBrace | TokenKind::RBrace | TokenKind::Semicolon
            )
        });
        let run = &self.tokens[..end];
        let node = native_node(self.text, TokenKind::StartThreadHead, run, self.errors);
        let head = match node {
            Ok(Node::ThreadHead(head)) => {
                self.at = end;
                Some(head)
            }
            Ok(_) => None,
            Err(failure) => self.thread_head_before(run, failure, end),
        };
        let head = head.unwrap_or_else(|| {
            let name = run.iter().find(|token| token.kind == TokenKind::Ident);
            let place = Span::at(run.first().map_or(0, |token| token.span.end));
            Box::new(ThreadHead {
                keyword: run.first().map_or(place, |token| token.span),
                name: match name {
                    Some(token) => ident(self.text, token.span.start, token.span.end),
                    None => Ident {
                        name: SmolStr::default(),
                        span: place,
                    },
                },
                replicas: None,
            })
        });
        let open = match self.tokens.get(self.at) {
            Some(token) if token.kind == TokenKind::LBrace => {
                self.at += 1;
                token.span.start
            }
            _ => self.tokens[self.at - 1].span.end,
        };
        self.frames.push(Frame {
            head: None,
            start: open,
            open,
            stmts: Vec::new(),
        });
        head
    }

    /// The head may be whole and its `{` missing; else it is broken.
    fn thread_head_before(
        &mut self,
        run: &[Token],
        failure: Failure,
        end: usize,
    ) -> Option<Box<ThreadHead>> {
        let whole = &run[..failure.at];
        if failure.at >= 2
            && let Ok(Node::ThreadHead(head)) =
                native_node(self.text, TokenKind::StartThreadHead, whole, self.errors)
            && self.tokens.get(end).map(|token| token.kind) != Some(TokenKind::LBrace)
        {
            self.missing_brace(failure.at);
            self.at = failure.at;
            return Some(head);
        }
        let after = self.tokens.get(end).copied().or(self.after);
        self.report(&failure, run, after);
        self.at = end.max(1);
        // With neither a head nor a brace, what follows is no thread's body.
        let braces = self
            .tokens
            .iter()
            .any(|token| token.kind == TokenKind::LBrace);
        if !braces {
            self.at = self.tokens.len();
        }
        None
    }

    fn missing_brace(&mut self, at: usize) {
        let found = match self.tokens.get(at).copied().or(self.after) {
            Some(token) => crate::parser::quote(self.text, token),
            None => SmolStr::new_static("the end"),
        };
        let place = Span::at(self.tokens[at - 1].span.end);
        let expected = SmolStr::new_static("`{`");
        self.errors
            .push(Error::new(ErrorKind::Unexpected { found, expected }, place).suggest(Some(" {")));
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
                    if self.frames.len() == 1 {
                        break;
                    }
                    self.close(token.span.end);
                }
                TokenKind::LBrace => {
                    self.at += 1;
                    self.frames.push(Frame {
                        head: None,
                        start: token.span.start,
                        open: token.span.start,
                        stmts: Vec::new(),
                    });
                }
                TokenKind::If
                | TokenKind::Else
                | TokenKind::While
                | TokenKind::For
                | TokenKind::Repeat => self.head(token),
                _ => self.simple(),
            }
        }
        if let Some(open) = unclosed {
            self.errors
                .push(Error::new(ErrorKind::Unclosed { open: '{' }, open));
        }
        let end = self.tokens[self.at - 1].span.end;
        while self.frames.len() > 1 {
            self.close(end);
        }
        let frame = self.frames.pop();
        frame.map_or_else(Block::default, |frame| Block {
            stmts: frame.stmts,
            span: Span::new(frame.open, end),
        })
    }

    fn push(&mut self, stmt: Stmt) {
        if let Some(frame) = self.frames.last_mut() {
            frame.stmts.push(stmt);
        }
    }

    /// Ends the innermost block and makes a statement of it and its head.
    fn close(&mut self, end: u32) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let body = Block {
            stmts: frame.stmts,
            span: Span::new(frame.open, end),
        };
        let span = Span::new(frame.start, end);
        let previous = self
            .frames
            .last_mut()
            .and_then(|frame| frame.stmts.last_mut());
        match (frame.head, previous) {
            (
                Some(Head::Else),
                Some(Stmt {
                    kind: StmtKind::If { otherwise, .. },
                    span: whole,
                }),
            ) if otherwise.is_none() => {
                *otherwise = Some(body);
                whole.end = end;
            }
            (
                Some(Head::ElseIf(cond)),
                Some(Stmt {
                    kind: StmtKind::If { arms, otherwise },
                    span: whole,
                }),
            ) if otherwise.is_none() => {
                arms.push(IfArm { cond, body, span });
                whole.end = end;
            }
            (Some(head), _) => self.push(Stmt {
                kind: looping(head, body, span),
                span,
            }),
            (None, _) => self.push(Stmt {
                kind: StmtKind::Block(body),
                span,
            }),
        }
    }

    /// `if (…)` and its like, up to the brace.
    fn head(&mut self, first: Token) {
        let begin = self.at;
        let end = self.find(|kind| {
            matches!(
                kind,
                TokenKind::LBrace | TokenKind::RBrace | TokenKind::Semicolon
            )
        });
        let has_brace = self.tokens.get(end).map(|token| token.kind) == Some(TokenKind::LBrace);
        let run = &self.tokens[begin..end];
        let mut resume = end;
        let head = match native_node(self.text, TokenKind::StartStmtHead, run, self.errors) {
            Ok(Node::Head(head)) if has_brace => Some(*head),
            Ok(Node::Head(head)) => {
                self.missing_brace(end);
                Some(*head)
            }
            Ok(_) => None,
            Err(failure) => {
                let whole = &run[..failure.at];
                let node = native_node(self.text, TokenKind::StartStmtHead, whole, self.errors);
                match node {
                    Ok(Node::Head(head)) if !has_brace => {
                        self.missing_brace(begin + failure.at);
                        resume = begin + failure.at;
                        Some(*head)
                    }
                    _ => {
                        let after = self.tokens.get(end).copied().or(self.after);
                        self.report(&failure, run, after);
                        None
                    }
                }
            }
        };
        self.at = resume;
        if head.is_none() && !has_brace {
            // Without its brace nothing says what the statement holds.
            if self.tokens.get(self.at).map(|token| token.kind) == Some(TokenKind::Semicolon) {
                self.at += 1;
            }
            let span = first.span.to(self.tokens[self.at - 1].span);
            self.push(Stmt {
                kind: StmtKind::Error,
                span,
            });
            return;
        }
        if let Some(Head::Else | Head::ElseIf(_)) = head {
            let previous = self.frames.last().and_then(|frame| frame.stmts.last());
            let attaches = matches!(
                previous.map(|stmt| &stmt.kind),
                Some(StmtKind::If {
                    otherwise: None,
                    ..
                })
            );
            if !attaches && self.errors.len() < MAX_ERRORS {
                let found = SmolStr::new_static("`else` without its `if`");
                let expected = SmolStr::new_static("a statement");
                self.errors.push(Error::new(
                    ErrorKind::Unexpected { found, expected },
                    first.span,
                ));
            }
        }
        let open = match self.tokens.get(self.at) {
            Some(token) if resume == end && has_brace => {
                self.at += 1;
                token.span.start
            }
            _ => self.tokens[self.at - 1].span.end,
        };
        if head.is_none() {
            self.push(Stmt {
                kind: StmtKind::Error,
                span: first.span.to(run[run.len() - 1].span),
            });
        }
        self.frames.push(Frame {
            start: if head.is_some() {
                first.span.start
            } else {
                open
            },
            head,
            open,
            stmts: Vec::new(),
        });
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
            let semicolon =
                self.tokens.get(stop).map(|token| token.kind) == Some(TokenKind::Semicolon);
            self.run_end = if semicolon { stop + 1 } else { stop };
        }
        let begin = self.at;
        let run = &self.tokens[begin..self.run_end];
        let after = self.tokens.get(self.run_end).copied().or(self.after);
        let failure = match native_node(self.text, TokenKind::StartStmt, run, self.errors) {
            Ok(Node::Stmts(stmts)) => {
                self.at = self.run_end;
                stmts.into_iter().for_each(|stmt| self.push(stmt));
                return;
            }
            Ok(_) => {
                self.at = self.run_end;
                return;
            }
            Err(failure) => failure,
        };
        // Often only the semicolon is missing, and then nothing is lost.
        if failure.at > 0 && failure.expects(";") {
            let whole = &run[..failure.at];
            let node = native_node_ending_in(
                self.text,
                TokenKind::StartStmt,
                whole,
                TokenKind::Semicolon,
                self.errors,
            );
            if let Ok(Node::Stmts(stmts)) = node {
                let end = whole[whole.len() - 1].span.end;
                let bad = run
                    .get(failure.at)
                    .is_some_and(|token| token.kind == TokenKind::Bad);
                if !bad {
                    let mut error = failure.error(self.text, run, after);
                    error.span = Span::at(end);
                    self.errors.push(error.suggest(Some(";")));
                }
                stmts.into_iter().for_each(|stmt| self.push(stmt));
                self.at = begin + failure.at;
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
        let Some(token) = self.tokens.get(at) else {
            return false;
        };
        match token.kind {
            TokenKind::Ident => matches!(
                self.tokens.get(at + 1).map(|token| token.kind),
                Some(TokenKind::Assign | TokenKind::LBracket)
            ),
            kind => matches!(
                kind,
                TokenKind::Mfence
                    | TokenKind::Sfence
                    | TokenKind::Lock
                    | TokenKind::Unlock
                    | TokenKind::Assert
                    | TokenKind::Assume
                    | TokenKind::Await
                    | TokenKind::If
                    | TokenKind::Else
                    | TokenKind::While
                    | TokenKind::For
                    | TokenKind::Repeat
                    | TokenKind::Break
                    | TokenKind::Continue
                    | TokenKind::Return
                    | TokenKind::LBrace
                    | TokenKind::RBrace
            ),
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
