//! Tokens: a kind and a byte range, nothing owned.

use crate::span::Span;
use crate::words::native::AtomicOp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// What LALRPOP reads: where, what, up to where.
pub(crate) type Spanned = (u32, TokenKind, u32);

/// Why the lexer would stop a parser. It never does: a bad character is a token.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Never {}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TokenKind {
    // Markers that stand before the tokens and say what to parse: one grammar
    // with several entries, where several `pub` rules would multiply its tables.
    StartItem,
    StartThreadHead,
    StartStmt,
    StartStmtHead,
    StartInit,
    StartCell,

    Ident,
    Int,
    Str,
    /// A character that no token starts with; the error is already reported.
    Bad,

    // Brackets and separators.
    LParen,
    RParen,
    LBrace,
    RBrace,
    LBracket,
    RBracket,
    Comma,
    Semicolon,
    Colon,
    DotDot,
    Bar,
    Dollar,

    // Operators.
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Amp,
    Caret,
    Tilde,
    Bang,
    Shl,
    Shr,
    Assign,
    EqEq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    AndAnd,
    OrOr,
    /// `/\`
    Wedge,
    /// `\/`
    Vee,

    // Words of the native dialect.
    Shared,
    Mutex,
    Param,
    Const,
    Thread,
    In,
    Mfence,
    Sfence,
    Lock,
    Unlock,
    Assert,
    Assume,
    Await,
    If,
    Else,
    While,
    Max,
    For,
    Repeat,
    Break,
    Continue,
    Return,
    Atomic(AtomicOp),
    Expect,

    // Words of conditions.
    Exists,
    Forall,
    Locations,
    Filter,
    True,
    False,
    /// herd only.
    Not,
    Final,
    With,

    // herd's cells.
    /// `EAX`
    Register,
    /// `%eax`
    PercentRegister,
    /// The `lock` prefix.
    LockPrefix,

    /// C: a word of a type, as the reader found it.
    Type,
}

impl TokenKind {
    /// Starts something at the top of a native file or after herd's table.
    pub const fn starts_item(self) -> bool {
        matches!(
            self,
            TokenKind::Shared
                | TokenKind::Mutex
                | TokenKind::Param
                | TokenKind::Const
                | TokenKind::Thread
                | TokenKind::Exists
                | TokenKind::Forall
                | TokenKind::Final
                | TokenKind::Locations
                | TokenKind::Filter
                | TokenKind::Expect
        )
    }

    /// Makes an expression one node deeper.
    pub const fn is_operator(self) -> bool {
        matches!(
            self,
            TokenKind::Plus
                | TokenKind::Minus
                | TokenKind::Star
                | TokenKind::Slash
                | TokenKind::Percent
                | TokenKind::Amp
                | TokenKind::Bar
                | TokenKind::Caret
                | TokenKind::Tilde
                | TokenKind::Bang
                | TokenKind::Not
                | TokenKind::Shl
                | TokenKind::Shr
                | TokenKind::EqEq
                | TokenKind::Ne
                | TokenKind::Lt
                | TokenKind::Le
                | TokenKind::Gt
                | TokenKind::Ge
                | TokenKind::AndAnd
                | TokenKind::OrOr
        )
    }
}
