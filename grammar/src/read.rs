//! From a text to a tree: header, body, conditions, expectations.

use crate::actions::CondNode;
use crate::ast::herd::OperandOrder;
use crate::ast::*;
use crate::error::{Error, ErrorKind};
use crate::header::{Header, header};
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
            dialect: Dialect::Unknown,
            dialect_span: Span::default(),
            name: Ident {
                name: SmolStr::default(),
                span: Span::default(),
            },
            alias: None,
            doc: None,
            metadata: Vec::new(),
        };
        let error = Error::new(ErrorKind::FileTooLarge, Span::default());
        return (test(empty, text), vec![error], damage);
    }
    let mut lexer = Lexer::new(text);
    let header = header(&mut lexer);
    let dialect = header.dialect;
    let mut test = test(header, text);
    match dialect {
        Dialect::Unknown => return (test, lexer.errors, damage),
        Dialect::Native => native(&mut lexer, &mut test, &mut damage),
        Dialect::X86 => herd(
            &mut lexer,
            OperandOrder::DestinationFirst,
            &mut test,
            &mut damage,
        ),
        Dialect::X86_64 => herd(
            &mut lexer,
            OperandOrder::DestinationLast,
            &mut test,
            &mut damage,
        ),
    }
    let mut errors = lexer.errors;
    test.comments = lexer.comments;
    if dialect.is_herd() {
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
        alias: header.alias,
        doc: header.doc,
        metadata: header.metadata,
        body: Body::Unknown,
        filter: None,
        locations: Vec::new(),
        conditions: Vec::new(),
        blocks: Vec::new(),
        comments: Vec::new(),
        span: Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX)),
    }
}

fn native(lexer: &mut Lexer<'_>, test: &mut Test, damage: &mut Damage) {
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
    items(lexer, &tokens, test, &mut body, damage);
    test.body = Body::Native(body);
}

fn items(
    lexer: &mut Lexer<'_>,
    tokens: &[Token],
    test: &mut Test,
    native: &mut Native,
    damage: &mut Damage,
) {
    Items {
        text: lexer.text,
        tokens,
        test,
        native,
        errors: &mut lexer.errors,
        damage,
    }
    .read();
}

fn herd(lexer: &mut Lexer<'_>, order: OperandOrder, test: &mut Test, damage: &mut Damage) {
    let (body, damaged) = table(lexer, order);
    test.body = Body::Herd(body);
    damage.top |= damaged;
    let mut tokens = Vec::new();
    loop {
        lexer.skip_trivia(Mode::Herd);
        if lexer.errors.len() >= MAX_ERRORS {
            break;
        }
        if lexer.text[lexer.pos..].starts_with("<<") {
            let span = block(lexer);
            test.blocks.push(span);
            continue;
        }
        match lexer.token(Mode::Herd) {
            Some(token) => tokens.push(token),
            None => break,
        }
    }
    items(lexer, &tokens, test, &mut Native::default(), damage);
    number_threads(test);
}

/// `P0:EAX` and `0:EAX` are the same in herd's dialect.
fn number_threads(test: &mut Test) {
    for condition in &mut test.conditions {
        number_prop(&mut condition.prop);
    }
    if let Some(filter) = &mut test.filter {
        number_prop(&mut filter.prop);
    }
    for locations in &mut test.locations {
        locations.items.iter_mut().for_each(number_observable);
    }
}

fn number_prop(prop: &mut Prop) {
    match &mut prop.kind {
        PropKind::And(props) | PropKind::Or(props) => props.iter_mut().for_each(number_prop),
        PropKind::Not(inner) | PropKind::Paren(inner) => number_prop(inner),
        PropKind::Compare { lhs, rhs, .. } => {
            for term in [lhs, rhs] {
                if let Term::Observable(observable) = term {
                    number_observable(observable);
                }
            }
        }
        PropKind::True | PropKind::False | PropKind::Error => {}
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
