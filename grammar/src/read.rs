//! From a text to a tree: header, body, conditions, expectations.

use crate::actions::CondNode;
use crate::ast::herd::OperandOrder;
use crate::ast::*;
use crate::dialect::UNKNOWN;
use crate::error::{Error, ErrorKind};
use crate::header::{Header, alias, doc, header, herd_lines};
use crate::items::{Damage, Items};
use crate::lexer::{Lexer, Mode, span};
use crate::limits::{MAX_BYTES, MAX_ERRORS};
use crate::parser::condition_node;
use crate::span::Span;
use crate::table::{block, number_thread, table};
use crate::token::{Token, TokenKind};

pub(crate) fn read(text: &str) -> (Test, Vec<Error>, Damage) {
    let mut damage = Damage::default();
    if text.len() > MAX_BYTES {
        let empty = Header {
            dialect: &UNKNOWN,
            dialect_span: Span::default(),
            name: Ident {
                name: SmolStr::default(),
                span: Span::default(),
            },
        };
        let error = Error::new(ErrorKind::FileTooLarge, Span::default());
        return (test(empty, text), vec![error], damage);
    }
    let mut lexer = Lexer::new(text);
    let header = header(&mut lexer);
    let dialect = header.dialect;
    let mut test = test(header, text);
    if *dialect == UNKNOWN {
        return (test, lexer.errors, damage);
    }
    (dialect.read)(&mut lexer, &mut test, &mut damage);
    let mut errors = lexer.errors;
    test.comments = lexer.comments;
    if dialect.expects_in_comments {
        expect_comments(text, &mut test, &mut errors);
    }
    if errors.len() >= MAX_ERRORS {
        errors.truncate(MAX_ERRORS);
        let place = errors.iter().map(|error| error.span.end).max().unwrap_or(0);
        errors.push(Error::new(ErrorKind::TooManyErrors, Span::at(place)));
        damage.top = true;
    }
    (test, errors, damage)
}

fn test(header: Header, text: &str) -> Test {
    Test {
        dialect: header.dialect,
        dialect_span: header.dialect_span,
        name: header.name,
        alias: None,
        doc: None,
        metadata: Vec::new(),
        body: Body::Unknown,
        filter: None,
        locations: Vec::new(),
        conditions: Vec::new(),
        blocks: Vec::new(),
        comments: Vec::new(),
        span: Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX)),
    }
}

pub(crate) fn native(lexer: &mut Lexer<'_>, test: &mut Test, damage: &mut Damage) {
    lexer.skip_trivia(Mode::Native);
    doc(lexer, test);
    let mut tokens = Vec::with_capacity((lexer.text.len() - lexer.pos) / 3);
    loop {
        lexer.skip_trivia(Mode::Native);
        // Beyond so many errors nothing is read: the rest would only add to them.
        if lexer.errors.len() >= MAX_ERRORS {
            break;
        }
        match lexer.token(Mode::Native) {
            Some(token) => tokens.push(token),
            None => break,
        }
    }
    let mut body = Native::default();
    let expected = "a declaration, a thread or a condition";
    items(lexer, &tokens, expected, test, &mut body, damage);
    test.body = Body::Native(body);
}

fn items(
    lexer: &mut Lexer<'_>,
    tokens: &[Token],
    expected: &'static str,
    test: &mut Test,
    native: &mut Native,
    damage: &mut Damage,
) {
    Items {
        text: lexer.text,
        tokens,
        expected,
        test,
        native,
        errors: &mut lexer.errors,
        damage,
    }
    .read();
}

pub(crate) fn herd(
    lexer: &mut Lexer<'_>,
    order: OperandOrder,
    test: &mut Test,
    damage: &mut Damage,
) {
    test.alias = alias(lexer);
    herd_lines(lexer, test);
    let (mut body, damaged) = table(lexer, order);
    body.wide = order == OperandOrder::DestinationLast;
    test.body = Body::Herd(body);
    damage.top |= damaged;
    herd_conditions(lexer, Mode::Herd, test, damage);
}

/// What follows the code in every dialect of herd's: `locations`, `filter`, conditions.
pub(crate) fn herd_conditions(
    lexer: &mut Lexer<'_>,
    mode: Mode,
    test: &mut Test,
    damage: &mut Damage,
) {
    let mut tokens = Vec::new();
    loop {
        lexer.skip_trivia(mode);
        if lexer.errors.len() >= MAX_ERRORS {
            break;
        }
        if lexer.text[lexer.pos..].starts_with("<<") {
            let span = block(lexer);
            test.blocks.push(span);
            continue;
        }
        match lexer.token(mode) {
            Some(token) => tokens.push(token),
            None => break,
        }
    }
    let expected = "a condition, `locations` or `filter`";
    items(
        lexer,
        &tokens,
        expected,
        test,
        &mut Native::default(),
        damage,
    );
    number_threads(test);
}

/// `P0:EAX` and `0:EAX` are the same in herd's dialect.
fn number_threads(test: &mut Test) {
    let props = test
        .conditions
        .iter_mut()
        .map(|condition| &mut condition.prop);
    for prop in props.chain(test.filter.iter_mut().map(|filter| &mut filter.prop)) {
        prop.terms_mut(&mut |term| {
            if let Term::Observable(observable) = term {
                number_observable(observable);
            }
        });
    }
    for locations in &mut test.locations {
        locations.items.iter_mut().for_each(number_observable);
    }
}

fn number_observable(observable: &mut Observable) {
    if let ObservableKind::Register { thread, .. } = &mut observable.kind {
        number_thread(thread);
    }
}

/// `(* expect: SC never, TSO sometimes *)`: in a comment, so that herd reads the file.
/// Belongs to the condition before it, or to the first when there is none before.
fn expect_comments(text: &str, test: &mut Test, errors: &mut Vec<Error>) {
    for comment in &test.comments {
        if comment.kind != CommentKind::Herd {
            continue;
        }
        let whole = comment.span.text(text);
        let inner = whole.strip_prefix("(*").unwrap_or(whole);
        let inner = inner.strip_suffix("*)").unwrap_or(inner);
        let Some(rest) = inner.trim_start().strip_prefix("expect") else {
            continue;
        };
        let Some(rest) = rest.trim_start().strip_prefix(':') else {
            continue;
        };
        // Everything up to the comment's end is read as if it were the text's end.
        let end = comment.span.start as usize + 2 + inner.len();
        let mut lexer = Lexer::new(&text[..end]);
        lexer.pos = end - rest.len();
        let keyword = span(comment.span.start as usize + 2, lexer.pos);
        let mut tokens = vec![Token {
            kind: TokenKind::Expect,
            span: keyword,
        }];
        loop {
            lexer.skip_trivia(Mode::Herd);
            match lexer.token(Mode::Herd) {
                Some(token) if lexer.errors.is_empty() => tokens.push(token),
                _ => break,
            }
        }
        errors.append(&mut lexer.errors);
        let expect = match condition_node(text, &tokens, errors) {
            Ok(CondNode::Expect(expect)) => expect,
            Ok(_) => continue,
            Err(failure) => {
                errors.push(failure.error(text, &tokens, None));
                continue;
            }
        };
        let before = test
            .conditions
            .partition_point(|condition| condition.span.start < comment.span.start);
        match test.conditions.get_mut(before.saturating_sub(1)) {
            Some(condition) => condition.expect.extend(expect),
            None => errors.push(Error::new(ErrorKind::ExpectWithoutCondition, keyword)),
        }
    }
}
