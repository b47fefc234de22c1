//! Cuts the tokens of a native body, or of what follows herd's table, into items.
//!
//! An item starts with a word that can stand nowhere else (`shared`, `thread`,
//! `exists`, …), so a mistake in one never reaches the next.

use crate::actions::{CondNode, Node};
use crate::ast::native::*;
use crate::ast::*;
use crate::error::{Error, ErrorKind};
use crate::limits::{MAX_ERRORS, MAX_NESTING, MAX_OPERATORS};
use crate::parser::{Failure, condition_node, native_node, native_node_ending_in, quote};
use crate::recover;
use crate::span::Span;
use crate::token::{Token, TokenKind};

/// What was lost, so that name resolution does not blame the rest for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Damage {
    /// Something at the top of the file could not be read: any name may be declared there.
    pub top: bool,
    /// Threads, by their index, with a statement that could not be read.
    pub threads: Vec<usize>,
}

/// Reads items until the tokens end; puts them into the tree.
pub(crate) struct Items<'a> {
    pub text: &'a str,
    pub tokens: &'a [Token],
    /// What can stand where an item begins, in words.
    pub expected: &'static str,
    pub test: &'a mut Test,
    pub native: &'a mut Native,
    pub errors: &'a mut Vec<Error>,
    pub damage: &'a mut Damage,
}

impl Items<'_> {
    pub fn read(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() && self.errors.len() < MAX_ERRORS {
            at = if starts_item(self.tokens, at) {
                self.item(at)
            } else {
                self.junk(at)
            };
        }
    }

    /// Tokens that belong to no item: one error, however many.
    fn junk(&mut self, at: usize) -> usize {
        let first = self.tokens[at];
        let mut end = at + 1;
        while end < self.tokens.len() && !starts_item(self.tokens, end) {
            end += 1;
        }
        let rest = &self.tokens[at..end];
        // In herd's dialects semicolons may stand between conditions.
        let loose = self.test.dialect.expects_in_comments;
        if rest.iter().all(|token| token.kind == TokenKind::Semicolon) && loose {
            return end;
        }
        let error = match first.kind {
            TokenKind::RBrace => Error::new(ErrorKind::Unopened { close: '}' }, first.span),
            // The lexer has reported it.
            TokenKind::Bad => {
                self.damage.top = true;
                return end;
            }
            _ => {
                let expected = SmolStr::new_static(self.expected);
                let found = quote(self.text, first);
                let error = Error::new(ErrorKind::Unexpected { found, expected }, first.span);
                let word = first.span.text(self.text);
                let nearest = match first.kind {
                    TokenKind::Ident => {
                        let words = self.test.dialect.words();
                        let items = words
                            .filter(|word| word.token.is_some_and(|token| token.starts_item()));
                        let items = items.map(|word| word.text).chain(["~exists"]);
                        crate::nearest::nearest(word, items)
                    }
                    TokenKind::Semicolon if rest.len() == 1 => Some(""),
                    _ => None,
                };
                error.suggest(nearest)
            }
        };
        self.errors.push(error);
        // A lone bracket or semicolon hides no declaration.
        if rest.iter().any(|token| token.kind == TokenKind::Ident) {
            self.damage.top = true;
        }
        end
    }

    fn item(&mut self, at: usize) -> usize {
        let extent = Extent::of(self.tokens, at);
        let tokens = &self.tokens[at..extent.end];
        let kind = tokens[0].kind;
        if let Some((kind, span)) = extent.refused {
            self.errors.push(Error::new(kind, span));
            self.damage.top = true;
            return extent.end;
        }
        if kind != TokenKind::Thread && !is_decl(kind) {
            return match condition_node(self.text, tokens, self.errors) {
                Ok(node) => {
                    self.accept_condition(node, tokens[0].span);
                    extent.end
                }
                Err(failure) => self.failed(at, extent.end, failure),
            };
        }
        match native_node(self.text, TokenKind::StartItem, tokens, self.errors) {
            Ok(node) => {
                self.accept(node);
                extent.end
            }
            Err(_) if kind == TokenKind::Thread => {
                let after = self.tokens.get(extent.end).copied();
                let (found, whole_head) =
                    recover::thread(self.text, tokens, after, extent.unclosed, self.errors);
                self.damage.threads.push(self.native.threads.len());
                // Perhaps it is no thread at all.
                self.damage.top |= !whole_head;
                self.native.threads.push(found);
                extent.end
            }
            Err(failure) => self.failed(at, extent.end, failure),
        }
    }

    /// A damaged item that is no thread; gives where to read on.
    fn failed(&mut self, at: usize, end: usize, failure: Failure) -> usize {
        let tokens = &self.tokens[at..end];
        let after = self.tokens.get(end).copied();
        let mut error = failure.error(self.text, tokens, after);
        // Often only the semicolon is missing, and then nothing is lost.
        if failure.at > 0 && failure.expects(";") && is_decl(tokens[0].kind) {
            let whole = &tokens[..failure.at];
            let node = native_node_ending_in(
                self.text,
                TokenKind::StartItem,
                whole,
                TokenKind::Semicolon,
                self.errors,
            );
            if let Ok(node) = node {
                self.accept(node);
                let last = whole[whole.len() - 1].span.end;
                let next = tokens
                    .get(failure.at)
                    .map_or(last, |token| token.span.start);
                let gap = Span::new(last, next).text(self.text);
                if failure.at == tokens.len() || gap.contains('\n') {
                    error.span = Span::at(last);
                    self.errors.push(error.suggest(Some(";")));
                    return at + failure.at;
                }
                // Something else is wrong: what follows on the line declares nothing.
                self.errors.push(error);
                self.damage.top = true;
                return end;
            }
        }
        // What the lexer has reported needs no second error.
        if !tokens
            .get(failure.at)
            .is_some_and(|token| token.kind == TokenKind::Bad)
        {
            if let Some(span) = unclosed_bracket(tokens) {
                error = error.related(span, "perhaps this is not closed");
            }
            self.errors.push(error);
        }
        let span = tokens[0].span.to(tokens[tokens.len() - 1].span);
        match tokens[0].kind {
            TokenKind::Shared => self.salvage(DeclKind::Shared, tokens),
            TokenKind::Mutex => self.salvage(DeclKind::Mutex, tokens),
            TokenKind::Param => self.salvage(DeclKind::Param, tokens),
            TokenKind::Const => self.salvage(DeclKind::Const, tokens),
            TokenKind::Exists
            | TokenKind::Forall
            | TokenKind::Final
            | TokenKind::Tilde
            | TokenKind::Not => {
                let (quantifier, words) = match tokens[0].kind {
                    TokenKind::Exists | TokenKind::Final => (Quantifier::Exists, 1),
                    TokenKind::Forall => (Quantifier::Forall, 1),
                    _ => (Quantifier::NotExists, 2),
                };
                let last = tokens[words.min(tokens.len()) - 1].span;
                self.test.conditions.push(Condition {
                    quantifier,
                    keyword: tokens[0].span.to(last),
                    name: None,
                    prop: Prop {
                        kind: PropKind::Error,
                        span: Span::new(last.end, span.end),
                    },
                    expect: Vec::new(),
                    with: None,
                    span,
                });
            }
            _ => {}
        }
        end
    }

    /// The names of a declaration that could not be read, so that their uses still are uses.
    fn salvage(&mut self, kind: DeclKind, tokens: &[Token]) {
        self.damage.top = true;
        let mut items = Vec::new();
        let mut braces = 0usize;
        for pair in tokens.windows(2) {
            match pair[0].kind {
                TokenKind::LBrace => braces += 1,
                TokenKind::RBrace => braces = braces.saturating_sub(1),
                _ => {}
            }
            let separator = pair[0].span == tokens[0].span || pair[0].kind == TokenKind::Comma;
            if separator && braces == 0 && pair[1].kind == TokenKind::Ident {
                let span = pair[1].span;
                items.push(Declarator {
                    name: crate::actions::ident(self.text, span.start, span.end),
                    length: None,
                    init: None,
                    span,
                });
            }
        }
        self.native.decls.push(Decl {
            kind,
            keyword: tokens[0].span,
            items,
            span: tokens[0].span.to(tokens[tokens.len() - 1].span),
        });
    }

    fn accept(&mut self, node: Node) {
        match node {
            Node::Decl(decl) => self.native.decls.push(decl),
            Node::Thread(thread) => {
                if recover::has_error(&thread.body) {
                    self.damage.threads.push(self.native.threads.len());
                }
                self.native.threads.push(*thread);
            }
            // These have other markers.
            Node::ThreadHead(_) | Node::Stmts(_) | Node::Head(_) => {}
        }
    }

    fn accept_condition(&mut self, node: CondNode, keyword: Span) {
        match node {
            CondNode::Condition(condition) => self.test.conditions.push(*condition),
            CondNode::Locations(locations) => self.test.locations.push(locations),
            CondNode::Filter(filter) => match &self.test.filter {
                Some(first) => self.errors.push(
                    Error::new(ErrorKind::DuplicateFilter, keyword)
                        .related(first.keyword, "the first filter"),
                ),
                None => self.test.filter = Some(*filter),
            },
            CondNode::Expect(expect) => match self.test.conditions.last_mut() {
                Some(condition) => condition.expect.extend(expect),
                None => self
                    .errors
                    .push(Error::new(ErrorKind::ExpectWithoutCondition, keyword)),
            },
        }
    }
}

fn is_decl(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Shared | TokenKind::Mutex | TokenKind::Param | TokenKind::Const
    )
}

fn starts_item(tokens: &[Token], at: usize) -> bool {
    let next = tokens.get(at + 1).map(|token| token.kind);
    match tokens[at].kind {
        TokenKind::Tilde | TokenKind::Not => next == Some(TokenKind::Exists),
        kind => kind.starts_item(),
    }
}

/// How far an item goes.
struct Extent {
    /// Behind its last token.
    end: usize,
    /// A thread's opening brace that nothing closes.
    unclosed: Option<Span>,
    /// Deeper or longer than is read at all.
    refused: Option<(ErrorKind, Span)>,
}

impl Extent {
    fn of(tokens: &[Token], at: usize) -> Extent {
        let kind = tokens[at].kind;
        let thread = kind == TokenKind::Thread;
        let locations = kind == TokenKind::Locations;
        // In a proposition only negations nest; conjunctions are flat.
        let proposition = !thread && !is_decl(kind);
        let quantifier = if matches!(kind, TokenKind::Tilde | TokenKind::Not) {
            2
        } else {
            1
        };
        let mut refused = None;
        let mut unclosed = None;
        let (mut braces, mut others, mut operators) = (0usize, 0usize, 0usize);
        let mut end = at + quantifier;
        while end < tokens.len() {
            let token = tokens[end];
            if starts_item(tokens, end) && !follows_colon(tokens, end) {
                break;
            }
            end += 1;
            match token.kind {
                TokenKind::LBrace => {
                    if thread && braces == 0 {
                        unclosed = Some(token.span);
                    }
                    braces += 1;
                }
                TokenKind::RBrace if thread && braces <= 1 => {
                    unclosed = None;
                    break;
                }
                TokenKind::RBrace => braces = braces.saturating_sub(1),
                TokenKind::LParen | TokenKind::LBracket => others += 1,
                TokenKind::RParen | TokenKind::RBracket => others = others.saturating_sub(1),
                TokenKind::Semicolon if thread => others = 0,
                TokenKind::Semicolon if locations && others > 0 => {}
                TokenKind::Semicolon => {
                    let with = tokens.get(end).map(|token| token.kind) == Some(TokenKind::With)
                        || matches!(
                            tokens.get(end..end + 2),
                            Some([name, colon]) if name.kind == TokenKind::Ident
                                && colon.kind == TokenKind::Colon
                        );
                    if !(kind == TokenKind::Final && with) {
                        break;
                    }
                }
                _ => {}
            }
            operators = match token.kind {
                TokenKind::Semicolon | TokenKind::LBrace | TokenKind::RBrace | TokenKind::Comma => {
                    0
                }
                TokenKind::LParen => operators,
                TokenKind::Tilde | TokenKind::Bang | TokenKind::Not | TokenKind::Minus => {
                    operators + 1
                }
                _ if proposition => 0,
                kind if kind.is_operator() => operators + 1,
                _ => operators,
            };
            if refused.is_none() {
                if braces + others > MAX_NESTING {
                    refused = Some((ErrorKind::NestingTooDeep, token.span));
                } else if operators > MAX_OPERATORS {
                    refused = Some((ErrorKind::ExpressionTooLong, token.span));
                }
            }
        }
        Extent {
            end,
            unclosed,
            refused,
        }
    }
}

/// `tso: ~exists;` in a `with` clause starts no condition.
fn follows_colon(tokens: &[Token], at: usize) -> bool {
    let kind = |back: usize| at.checked_sub(back).map(|index| tokens[index].kind);
    kind(1) == Some(TokenKind::Colon)
        || (kind(1) == Some(TokenKind::Tilde) && kind(2) == Some(TokenKind::Colon))
}

/// The last `(` or `[` of an item that is still open at its end.
fn unclosed_bracket(tokens: &[Token]) -> Option<Span> {
    let mut open = Vec::new();
    for token in tokens {
        match token.kind {
            TokenKind::LParen | TokenKind::LBracket => open.push(token.span),
            TokenKind::RParen | TokenKind::RBracket => {
                open.pop();
            }
            _ => {}
        }
    }
    open.pop()
}
