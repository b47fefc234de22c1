//! What the rules of the native grammar and of conditions build.

use crate::ast::native::*;
use crate::ast::*;
use crate::error::{Error, ErrorKind};
use crate::span::Span;

/// What one call of the native parser gives, by the marker before its tokens.
#[derive(Debug)]
pub(crate) enum Node {
    Decl(Decl),
    Thread(Box<Thread>),
    ThreadHead(Box<ThreadHead>),
    Stmts(Vec<Stmt>),
    Head(Box<Head>),
}

/// What one call of the condition parser gives.
#[derive(Debug)]
pub(crate) enum CondNode {
    Condition(Box<Condition>),
    Locations(Locations),
    Filter(Box<Filter>),
    Expect(Vec<Expect>),
}

/// `thread W[i in 0..N]`
#[derive(Debug)]
pub(crate) struct ThreadHead {
    pub keyword: Span,
    pub name: Ident,
    pub replicas: Option<Replicas>,
}

/// What stands before a block.
#[derive(Debug)]
pub(crate) enum Head {
    If(Expr),
    ElseIf(Expr),
    Else,
    While {
        cond: Expr,
        max: Option<Box<Expr>>,
    },
    For {
        variable: Ident,
        from: Box<Expr>,
        to: Box<Expr>,
    },
    Repeat(Expr),
}

/// `cas(x, 0, 1)`
#[derive(Debug)]
pub(crate) struct Call {
    pub op: AtomicOp,
    pub op_span: Span,
    pub place: Place,
    pub args: Vec<Expr>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connective {
    And,
    Or,
}

pub(crate) fn ident(text: &str, start: u32, end: u32) -> Ident {
    let span = Span::new(start, end);
    Ident {
        name: SmolStr::new(span.text(text)),
        span,
    }
}

/// `int` and then `*`: one blank between the words, whatever was written there. Types
/// mean nothing here, so of an absurdly long one the rest is dropped: copying the name
/// for each word would take quadratic time.
pub(crate) fn longer_type(ty: Ident, word: &str, end: u32) -> Ident {
    const MAX_LENGTH: usize = 200;
    let name = if ty.name.len() < MAX_LENGTH {
        SmolStr::from(format!("{} {word}", ty.name))
    } else {
        ty.name
    };
    Ident {
        name,
        span: Span::new(ty.span.start, end),
    }
}

/// A string without its quotes; the closing one may be missing.
pub(crate) fn quoted(text: &str, span: Span) -> Ident {
    let inner = span.text(text);
    let inner = inner.strip_prefix('"').unwrap_or(inner);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    Ident {
        name: SmolStr::new(inner),
        span,
    }
}

/// Reads decimal and hexadecimal digits. What fits 64 unsigned bits wraps, as
/// herd's does; in decimal only up to 2^63, which is what a minus can stand before.
pub(crate) fn int(text: &str, span: Span, errors: &mut Vec<Error>) -> Int {
    let digits = span.text(text);
    let hexadecimal = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"));
    let (radix, digits) = match hexadecimal {
        Some(digits) => (16, digits),
        None => (10, digits),
    };
    let well_formed =
        !digits.is_empty() && digits.bytes().all(|byte| (byte as char).is_digit(radix));
    if !well_formed {
        errors.push(Error::new(
            ErrorKind::Unexpected {
                found: SmolStr::from(format!("`{}`", abbreviate(span.text(text)))),
                expected: SmolStr::new("a number"),
            },
            span,
        ));
        return Int { value: 0, span };
    }
    match u64::from_str_radix(digits, radix) {
        Ok(value) => Int {
            value: value as i64,
            span,
        },
        Err(_) => {
            errors.push(Error::new(ErrorKind::NumberTooLarge, span));
            Int { value: 0, span }
        }
    }
}

/// The beginning of a long spelling, for a message.
pub(crate) fn abbreviate(text: &str) -> &str {
    match text.char_indices().nth(40) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

pub(crate) fn negate(int: Int, start: u32) -> Int {
    Int {
        value: int.value.wrapping_neg(),
        span: Span::new(start, int.span.end),
    }
}

pub(crate) fn thread(head: ThreadHead, body: Block) -> Thread {
    Thread {
        span: head.keyword.to(body.span),
        name: head.name,
        replicas: head.replicas,
        body,
        keyword: head.keyword,
    }
}

// Boxed as the grammar has them: it moves its largest symbol about.
#[allow(clippy::vec_box)]
pub(crate) fn decl(
    kind: DeclKind,
    items: Vec<Box<Declarator>>,
    start: u32,
    keyword_end: u32,
    end: u32,
) -> Decl {
    Decl {
        kind,
        keyword: Span::new(start, keyword_end),
        items: items.into_iter().map(|item| *item).collect(),
        span: Span::new(start, end),
    }
}

pub(crate) fn push(mut stmts: Vec<Stmt>, kind: StmtKind, start: u32, end: u32) -> Vec<Stmt> {
    stmts.push(Stmt {
        kind,
        span: Span::new(start, end),
    });
    stmts
}

pub(crate) fn looping(head: Head, body: Block, span: Span) -> StmtKind {
    match head {
        Head::While { cond, max } => StmtKind::While { cond, max, body },
        Head::For { variable, from, to } => StmtKind::For {
            variable,
            from,
            to,
            body,
        },
        Head::Repeat(count) => StmtKind::Repeat { count, body },
        Head::If(cond) | Head::ElseIf(cond) => StmtKind::If {
            arms: vec![IfArm { cond, body, span }],
            otherwise: None,
        },
        Head::Else => StmtKind::Block(body),
    }
}

pub(crate) fn atomic(target: Option<Box<Place>>, call: Call, errors: &mut Vec<Error>) -> StmtKind {
    let word = call.op.word();
    let expected = word.arguments.len();
    if call.args.len() + 1 != expected {
        errors.push(Error::new(
            ErrorKind::ArgumentCount {
                function: SmolStr::new_static(word.text),
                found: call.args.len() + 1,
                expected,
            },
            call.span,
        ));
        return StmtKind::Error;
    }
    StmtKind::Atomic {
        target,
        op: call.op,
        op_span: call.op_span,
        place: call.place,
        args: call.args,
    }
}

/// Makes a tree of `first op operand op operand …` with `combine`: tighter operators
/// first, all from the left. The number of operators is bounded by the caller.
pub(crate) fn fold<E>(
    first: E,
    rest: Vec<(BinaryOp, Span, E)>,
    combine: fn(E, BinaryOp, Span, E) -> E,
) -> E {
    // An operand waits with the operator that stands before it until an operator
    // that binds no tighter follows.
    let mut waiting: Vec<(E, BinaryOp, Span)> = Vec::new();
    let mut current = first;
    for (op, op_span, operand) in rest {
        while let Some((lhs, pending, pending_span)) =
            waiting.pop_if(|(_, pending, _)| pending.precedence() >= op.precedence())
        {
            current = combine(lhs, pending, pending_span, current);
        }
        waiting.push((current, op, op_span));
        current = operand;
    }
    while let Some((lhs, op, op_span)) = waiting.pop() {
        current = combine(lhs, op, op_span, current);
    }
    current
}

pub(crate) fn binary(lhs: Expr, op: BinaryOp, op_span: Span, rhs: Expr) -> Expr {
    Expr {
        span: lhs.span.to(rhs.span),
        kind: ExprKind::Binary {
            op,
            op_span,
            lhs: Box::new(lhs),
            rhs: Box::new(rhs),
        },
    }
}

pub(crate) fn prop(kind: PropKind, start: u32, end: u32) -> Box<Prop> {
    Box::new(Prop {
        kind,
        span: Span::new(start, end),
    })
}

/// `/\` binds tighter than `\/`; both become flat lists.
pub(crate) fn join(first: Prop, rest: Vec<(Connective, Box<Prop>)>) -> Box<Prop> {
    let mut alternatives = Vec::new();
    let mut conjuncts = vec![first];
    for (connective, prop) in rest {
        if connective == Connective::Or {
            alternatives.push(flat(std::mem::take(&mut conjuncts), PropKind::And));
        }
        conjuncts.push(*prop);
    }
    alternatives.push(flat(conjuncts, PropKind::And));
    Box::new(flat(alternatives, PropKind::Or))
}

fn flat(mut props: Vec<Prop>, kind: fn(Vec<Prop>) -> PropKind) -> Prop {
    let span = match (props.first(), props.last()) {
        (Some(first), Some(last)) => first.span.to(last.span),
        _ => Span::default(),
    };
    match props.pop() {
        Some(only) if props.is_empty() => only,
        Some(last) => {
            props.push(last);
            Prop {
                kind: kind(props),
                span,
            }
        }
        None => Prop {
            kind: PropKind::Error,
            span,
        },
    }
}

pub(crate) fn location(place: Place, brackets: bool) -> Observable {
    Observable {
        span: place.span,
        kind: ObservableKind::Location {
            name: place.name,
            index: place.index,
            brackets,
        },
    }
}

pub(crate) fn bracketed(place: Place, span: Span) -> Observable {
    Observable {
        span,
        ..location(place, true)
    }
}

pub(crate) fn numbered_thread(int: Int, errors: &mut Vec<Error>) -> ThreadRef {
    let number = u32::try_from(int.value).unwrap_or_else(|_| {
        errors.push(Error::new(ErrorKind::NumberTooLarge, int.span));
        u32::MAX
    });
    ThreadRef {
        kind: ThreadRefKind::Number(number),
        span: int.span,
    }
}

/// A thread by its name; the herd reader turns `P0` into a number afterwards.
pub(crate) fn named_thread(place: Place) -> ThreadRef {
    ThreadRef {
        span: place.span,
        kind: ThreadRefKind::Name {
            name: place.name,
            index: place.index,
        },
    }
}

pub(crate) fn named_expr(name: Ident) -> Expr {
    Expr {
        span: name.span,
        kind: ExprKind::Place(Place {
            span: name.span,
            name,
            index: None,
        }),
    }
}

pub(crate) fn expect(model: Ident, frequency: Ident, errors: &mut Vec<Error>) -> Option<Expect> {
    let models = Model::ALL.map(|model| (model.name(), model));
    const FREQUENCIES: [(&str, Frequency); 3] = [
        ("never", Frequency::Never),
        ("sometimes", Frequency::Sometimes),
        ("always", Frequency::Always),
    ];
    let known_model = word(&model, &models, "`SC`, `TSO` or `PSO`", errors);
    let known_frequency = word(
        &frequency,
        &FREQUENCIES,
        "`never`, `sometimes` or `always`",
        errors,
    );
    Some(Expect {
        model: known_model?,
        model_span: model.span,
        frequency: known_frequency?,
        frequency_span: frequency.span,
        span: model.span.to(frequency.span),
    })
}

fn word<T: Copy>(
    ident: &Ident,
    words: &[(&str, T)],
    expected: &'static str,
    errors: &mut Vec<Error>,
) -> Option<T> {
    let known = words
        .iter()
        .find(|(word, _)| word.eq_ignore_ascii_case(&ident.name));
    if known.is_none() {
        let nearest = crate::nearest::nearest(&ident.name, words.iter().map(|(word, _)| *word));
        let found = SmolStr::from(format!("`{}`", abbreviate(&ident.name)));
        errors.push(
            Error::new(ErrorKind::BadExpectation { found, expected }, ident.span).suggest(nearest),
        );
    }
    known.map(|(_, value)| *value)
}
