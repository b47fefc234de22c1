//! What can be wrong with a text: one flat enum with stable codes.
//!
//! `E01xx` is syntax, `E02xx` names, `E03xx` values and limits, `W…` warnings.
//! A code never changes its meaning and is never used again.

use crate::ast::SmolStr;
use crate::span::Span;

/// One finding about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub kind: ErrorKind,
    pub span: Span,
    /// Other places that matter, each with a word on why.
    pub related: Vec<Related>,
    /// What would mend it, where one edit can.
    pub fix: Option<Fix>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    pub span: Span,
    pub note: &'static str,
}

/// Replace what is at `span` by `replacement`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    pub span: Span,
    pub replacement: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

impl Error {
    pub fn new(kind: ErrorKind, span: Span) -> Self {
        Error {
            kind,
            span,
            related: Vec::new(),
            fix: None,
        }
    }

    pub fn related(mut self, span: Span, note: &'static str) -> Self {
        self.related.push(Related { span, note });
        self
    }

    /// Suggests to write `replacement` instead of what is at the error's place.
    pub fn suggest(self, replacement: Option<&str>) -> Self {
        let span = self.span;
        self.suggest_at(span, replacement)
    }

    pub fn suggest_at(mut self, span: Span, replacement: Option<&str>) -> Self {
        self.fix = replacement.map(|text| Fix {
            span,
            replacement: text.to_owned(),
        });
        self
    }

    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }

    pub fn message(&self) -> String {
        self.kind.message()
    }

    /// A line of advice, where there is one.
    pub fn help(&self) -> Option<String> {
        match &self.fix {
            Some(fix) if fix.replacement.is_empty() => Some("remove it".to_owned()),
            Some(fix) if fix.span.is_empty() => Some(format!("add `{}`", fix.replacement)),
            Some(fix) => Some(format!("did you mean `{}`?", fix.replacement)),
            None => self.kind.help().map(str::to_owned),
        }
    }
}

/// What a name was used as, or is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameKind {
    Shared,
    Array,
    Mutex,
    Param,
    Const,
    Thread,
    Register,
    /// The variable of a `for` loop or of a replicated thread.
    Index,
    Location,
    Label,
}

impl NameKind {
    pub const fn noun(self) -> &'static str {
        match self {
            NameKind::Shared => "a shared variable",
            NameKind::Array => "a shared array",
            NameKind::Mutex => "a mutex",
            NameKind::Param => "a parameter",
            NameKind::Const => "a constant",
            NameKind::Thread => "a thread",
            NameKind::Register => "a register",
            NameKind::Index => "a loop index",
            NameKind::Location => "a location",
            NameKind::Label => "a label",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The first word is no dialect.
    UnknownDialect {
        found: SmolStr,
    },
    /// The first word is a dialect of herd's that is not read.
    UnsupportedDialect {
        found: SmolStr,
    },
    EmptyFile,
    MissingName,
    BadCharacter {
        found: char,
    },
    UnclosedComment,
    UnclosedString,
    /// A token that fits nothing here. `expected` lists what would.
    Unexpected {
        found: SmolStr,
        expected: SmolStr,
    },
    /// `{`, `(` or `[` without its partner.
    Unclosed {
        open: char,
    },
    /// `}`, `)` or `]` without its partner.
    Unopened {
        close: char,
    },
    /// A row of herd's table with another number of cells than there are threads.
    RowLength {
        found: usize,
        expected: usize,
    },
    UnknownInstruction {
        found: SmolStr,
    },
    /// An instruction with a wrong number of operands.
    OperandCount {
        instruction: SmolStr,
        found: usize,
        expected: &'static str,
    },
    /// An operand of a kind that the instruction cannot take.
    BadOperand {
        instruction: SmolStr,
        problem: &'static str,
    },
    /// A word in an `expect` clause that is neither a model nor a frequency.
    BadExpectation {
        found: SmolStr,
        expected: &'static str,
    },
    ExpectWithoutCondition,
    /// herd: no `{…}` or no table.
    MissingSection {
        section: &'static str,
    },
    DuplicateFilter,
    /// `break` or `continue` with no loop around it.
    OutsideLoop {
        word: &'static str,
    },
    /// An atomic operation with a wrong number of arguments.
    ArgumentCount {
        function: SmolStr,
        found: usize,
        expected: usize,
    },
    /// C: a call of what is no primitive.
    UnknownFunction {
        found: SmolStr,
    },
    /// C: a primitive, or a type, that is known and means nothing here.
    NotModelled {
        name: SmolStr,
        why: &'static str,
    },
    /// C: a primitive without a value where a value is needed.
    NoValue {
        function: SmolStr,
    },
    /// C: an expression of another kind than the one that fits.
    WrongExpression {
        wanted: &'static str,
    },
    TooManyErrors,

    /// A name that nothing declares and its thread never assigns.
    UnknownName {
        name: SmolStr,
        thread: Option<SmolStr>,
    },
    DuplicateName {
        name: SmolStr,
        kind: NameKind,
    },
    /// A condition about a thread that does not exist.
    UnknownThread {
        name: SmolStr,
    },
    /// A condition about a register that its thread never assigns.
    UnknownRegister {
        name: SmolStr,
        thread: SmolStr,
    },
    UnknownLocation {
        name: SmolStr,
    },
    /// A name of one kind where another is wanted.
    WrongKind {
        name: SmolStr,
        kind: NameKind,
        wanted: &'static str,
    },
    UnknownLabel {
        name: SmolStr,
    },
    /// An instruction that names a register x86 does not have.
    NoSuchRegister {
        name: SmolStr,
    },
    /// An array without an index, or an index on what is no array.
    ArrayMismatch {
        name: SmolStr,
        is_array: bool,
    },
    /// A shared variable or register where a number known beforehand is needed.
    NotConstant {
        name: SmolStr,
        kind: NameKind,
    },

    /// Does not fit 64 bits.
    NumberTooLarge,
    NestingTooDeep,
    /// One expression with more operators than anybody writes.
    ExpressionTooLong,
    FileTooLarge,
    InvalidUtf8,
    /// More threads, locations, iterations… than a check can take.
    TooMany {
        what: &'static str,
        found: u64,
        limit: u64,
    },
    /// An array with no element or with too many.
    ArrayLength {
        found: i64,
        limit: u64,
    },
    /// An array's initial values, too few or too many.
    ListLength {
        found: usize,
        expected: usize,
    },
    /// In a number that must be known beforehand.
    DivisionByZero,
    /// A condition about an element that the array does not have.
    IndexOutOfRange {
        name: SmolStr,
        index: i64,
        length: u64,
    },
    /// A parameter was set that the test does not have.
    UnknownParam {
        name: SmolStr,
    },
    /// An `await` that reads no shared location or more than one.
    AwaitLocations {
        found: usize,
    },
    /// x86: an access of bytes of a location that other threads could see to come from
    /// several stores.
    MixedSizes {
        name: SmolStr,
        /// The bytes of the location, and those that are accessed.
        size: u64,
        access: u64,
        store: bool,
    },

    /// herd's init section sets a register that x86 does not have.
    UnknownInitRegister {
        name: SmolStr,
    },
    /// A declaration that nothing uses.
    Unused {
        name: SmolStr,
        kind: NameKind,
    },
    /// C: a register that nobody writes and that is called like a location.
    ForgottenParameter {
        name: SmolStr,
        thread: SmolStr,
    },
    /// herd: a condition about a register that no instruction of its thread writes.
    UnwrittenRegister {
        name: SmolStr,
        thread: SmolStr,
    },
}

impl ErrorKind {
    /// The stable code; `fencepost explain CODE` prints its page.
    pub const fn code(&self) -> &'static str {
        match self {
            ErrorKind::UnknownDialect { .. } => "E0101",
            ErrorKind::UnsupportedDialect { .. } => "E0102",
            ErrorKind::EmptyFile => "E0103",
            ErrorKind::MissingName => "E0104",
            ErrorKind::BadCharacter { .. } => "E0105",
            ErrorKind::UnclosedComment => "E0106",
            ErrorKind::UnclosedString => "E0107",
            ErrorKind::Unexpected { .. } => "E0108",
            ErrorKind::Unclosed { .. } => "E0109",
            ErrorKind::Unopened { .. } => "E0110",
            ErrorKind::RowLength { .. } => "E0111",
            ErrorKind::UnknownInstruction { .. } => "E0112",
            ErrorKind::OperandCount { .. } => "E0113",
            ErrorKind::BadOperand { .. } => "E0114",
            ErrorKind::BadExpectation { .. } => "E0115",
            ErrorKind::ExpectWithoutCondition => "E0116",
            ErrorKind::MissingSection { .. } => "E0117",
            ErrorKind::DuplicateFilter => "E0118",
            ErrorKind::OutsideLoop { .. } => "E0119",
            ErrorKind::ArgumentCount { .. } => "E0120",
            ErrorKind::UnknownFunction { .. } => "E0121",
            ErrorKind::NotModelled { .. } => "E0122",
            ErrorKind::NoValue { .. } => "E0123",
            ErrorKind::WrongExpression { .. } => "E0124",
            ErrorKind::TooManyErrors => "E0199",
            ErrorKind::UnknownName { .. } => "E0201",
            ErrorKind::DuplicateName { .. } => "E0202",
            ErrorKind::UnknownThread { .. } => "E0203",
            ErrorKind::UnknownRegister { .. } => "E0204",
            ErrorKind::UnknownLocation { .. } => "E0205",
            ErrorKind::WrongKind { .. } => "E0206",
            ErrorKind::UnknownLabel { .. } => "E0207",
            ErrorKind::NoSuchRegister { .. } => "E0208",
            ErrorKind::ArrayMismatch { .. } => "E0209",
            ErrorKind::NotConstant { .. } => "E0210",
            ErrorKind::NumberTooLarge => "E0301",
            ErrorKind::NestingTooDeep => "E0302",
            ErrorKind::ExpressionTooLong => "E0303",
            ErrorKind::FileTooLarge => "E0304",
            ErrorKind::InvalidUtf8 => "E0305",
            ErrorKind::TooMany { .. } => "E0310",
            ErrorKind::ArrayLength { .. } => "E0311",
            ErrorKind::ListLength { .. } => "E0312",
            ErrorKind::DivisionByZero => "E0313",
            ErrorKind::IndexOutOfRange { .. } => "E0314",
            ErrorKind::UnknownParam { .. } => "E0315",
            ErrorKind::AwaitLocations { .. } => "E0316",
            ErrorKind::MixedSizes { .. } => "E0320",
            ErrorKind::UnknownInitRegister { .. } => "W0201",
            ErrorKind::Unused { .. } => "W0202",
            ErrorKind::UnwrittenRegister { .. } => "W0203",
            ErrorKind::ForgottenParameter { .. } => "W0204",
        }
    }

    pub const fn severity(&self) -> Severity {
        match self {
            ErrorKind::UnknownInitRegister { .. }
            | ErrorKind::Unused { .. }
            | ErrorKind::UnwrittenRegister { .. }
            | ErrorKind::ForgottenParameter { .. } => Severity::Warning,
            _ => Severity::Error,
        }
    }

    pub fn message(&self) -> String {
        match self {
            ErrorKind::UnknownDialect { found } => {
                format!(
                    "`{found}` is no dialect: a file starts with `litmus`, `X86`, `X86_64` or `C`"
                )
            }
            ErrorKind::UnsupportedDialect { found } => format!(
                "herd's {found} dialect is not supported yet: a file starts \
                 with `litmus`, `X86`, `X86_64` or `C`"
            ),
            ErrorKind::EmptyFile => {
                "the file is empty: a test starts with `litmus`, `X86`, `X86_64` or `C`".to_owned()
            }
            ErrorKind::MissingName => "the test has no name".to_owned(),
            ErrorKind::BadCharacter { found } => {
                format!(
                    "the character `{}` means nothing here",
                    found.escape_default()
                )
            }
            ErrorKind::UnclosedComment => "this comment is never closed".to_owned(),
            ErrorKind::UnclosedString => "this string is never closed".to_owned(),
            ErrorKind::Unexpected { found, expected } if expected.is_empty() => {
                format!("found {found}, which fits nothing here")
            }
            ErrorKind::Unexpected { found, expected } => {
                format!("found {found} where {expected} would fit")
            }
            ErrorKind::Unclosed { open } => format!("this `{open}` is never closed"),
            ErrorKind::Unopened { close } => format!("this `{close}` closes nothing"),
            ErrorKind::RowLength { found, expected } => {
                format!(
                    "this row has {}, the table has {}",
                    cells(*found),
                    threads(*expected)
                )
            }
            ErrorKind::UnknownInstruction { found } => format!("`{found}` is no instruction"),
            ErrorKind::OperandCount {
                instruction,
                found,
                expected,
            } => {
                format!("`{instruction}` takes {expected}, and here are {found}")
            }
            ErrorKind::BadOperand {
                instruction,
                problem,
            } => format!("`{instruction}`: {problem}"),
            ErrorKind::BadExpectation { found, expected } => {
                format!("found {found} where {expected} would fit")
            }
            ErrorKind::ExpectWithoutCondition => "this expectation follows no condition".to_owned(),
            ErrorKind::MissingSection { section } => format!("the test has no {section}"),
            ErrorKind::DuplicateFilter => "a test has one filter, and this is another".to_owned(),
            ErrorKind::OutsideLoop { word } => format!("`{word}` with no loop around it"),
            ErrorKind::ArgumentCount {
                function,
                found,
                expected,
            } => {
                let arguments = if *expected == 1 {
                    "argument"
                } else {
                    "arguments"
                };
                format!("`{function}` takes {expected} {arguments}, and here are {found}")
            }
            ErrorKind::UnknownFunction { found } => {
                format!("`{found}` is no primitive of the kernel or of C11")
            }
            ErrorKind::NotModelled { name, why } => {
                format!("`{name}` is not modelled: {why}")
            }
            ErrorKind::NoValue { function } => format!("`{function}` gives no value"),
            ErrorKind::WrongExpression { wanted } => format!("{wanted} is needed here"),
            ErrorKind::TooManyErrors => "there are more errors than are shown".to_owned(),
            ErrorKind::UnknownName {
                name,
                thread: Some(thread),
            } => {
                format!("thread {thread} reads register `{name}` but never assigns it")
            }
            ErrorKind::UnknownName { name, thread: None } => {
                format!("nothing declares `{name}`")
            }
            ErrorKind::DuplicateName { name, kind } => {
                format!("`{name}` is declared again, as {}", kind.noun())
            }
            ErrorKind::UnknownThread { name } => format!("there is no thread `{name}`"),
            ErrorKind::UnknownRegister { name, thread } => {
                format!("thread {thread} has no register `{name}`")
            }
            ErrorKind::UnknownLocation { name } => format!("there is no location `{name}`"),
            ErrorKind::WrongKind { name, kind, wanted } => {
                format!("`{name}` is {}, and {wanted} is needed here", kind.noun())
            }
            ErrorKind::UnknownLabel { name } => format!("this thread has no label `{name}`"),
            ErrorKind::NoSuchRegister { name } => format!("x86 has no register `{name}`"),
            ErrorKind::ArrayMismatch {
                name,
                is_array: true,
            } => {
                format!("`{name}` is an array and needs an index")
            }
            ErrorKind::ArrayMismatch {
                name,
                is_array: false,
            } => {
                format!("`{name}` is no array and takes no index")
            }
            ErrorKind::NotConstant { name, kind } => {
                format!("`{name}` is {}, and a constant is needed here", kind.noun())
            }
            ErrorKind::NumberTooLarge => "this number does not fit 64 bits".to_owned(),
            ErrorKind::NestingTooDeep => {
                format!("nested more than {} deep", crate::limits::MAX_NESTING)
            }
            ErrorKind::ExpressionTooLong => {
                format!(
                    "more than {} operators in one expression",
                    crate::limits::MAX_OPERATORS
                )
            }
            ErrorKind::FileTooLarge => format!(
                "the file has more than {} MiB",
                crate::limits::MAX_BYTES >> 20
            ),
            ErrorKind::InvalidUtf8 => "these bytes are not UTF-8".to_owned(),
            ErrorKind::TooMany { what, found, limit } => {
                format!("{found} {what}: at most {limit} can be checked")
            }
            ErrorKind::ArrayLength { found, limit } => {
                format!("an array of {found} elements: between 1 and {limit} are possible")
            }
            ErrorKind::ListLength { found, expected } => {
                format!("{found} initial values for an array of {expected} elements")
            }
            ErrorKind::DivisionByZero => "this divides by zero".to_owned(),
            ErrorKind::IndexOutOfRange {
                name,
                index,
                length,
            } => {
                let elements = if *length == 1 { "element" } else { "elements" };
                format!("`{name}` has {length} {elements}, and none has the index {index}")
            }
            ErrorKind::UnknownParam { name } => {
                format!("the test has no parameter `{name}` to set")
            }
            ErrorKind::AwaitLocations { found: 0 } => {
                "this `await` reads no shared location, so nothing can end the wait".to_owned()
            }
            ErrorKind::AwaitLocations { found } => {
                format!("an `await` reads one shared location, and this one reads {found}")
            }
            ErrorKind::MixedSizes {
                name,
                size,
                access,
                store,
            } => {
                let verb = if *store { "stores" } else { "loads" };
                let bytes = if *access == 1 { "byte" } else { "bytes" };
                let others = match (store, access < size) {
                    (true, false) => "other threads use that",
                    _ => "other threads store to that",
                };
                format!(
                    "this {verb} {access} {bytes} at `{name}`, which has {size}, and {others} too: \
                     one load could read from several stores"
                )
            }
            ErrorKind::UnknownInitRegister { name } => {
                format!("x86 has no register `{name}`: no instruction can read it")
            }
            ErrorKind::Unused { name, kind } => {
                format!("`{name}`, {}, is never used", kind.noun())
            }
            ErrorKind::ForgottenParameter { name, thread } => {
                format!(
                    "`{name}` is no parameter of {thread}, so here it is a register and 0, \
                     not the location"
                )
            }
            ErrorKind::UnwrittenRegister { name, thread } => {
                format!("thread {thread} never writes `{name}`, so it is 0 in every outcome")
            }
        }
    }

    /// Advice that holds for the kind whatever the place.
    pub const fn help(&self) -> Option<&'static str> {
        match self {
            ErrorKind::MissingName => Some("write a name after the dialect, on the same line"),
            ErrorKind::UnclosedComment => Some("`(*` comments nest: each needs its own `*)`"),
            ErrorKind::ExpectWithoutCondition => {
                Some("write it after an `exists`, `~exists` or `forall` condition")
            }
            ErrorKind::RowLength { .. } => Some("an empty cell still needs its `|`"),
            ErrorKind::UnknownName {
                thread: Some(_), ..
            } => Some("assign it first, or declare it with `shared`"),
            ErrorKind::NumberTooLarge => Some("values are 64-bit signed integers"),
            ErrorKind::AwaitLocations { .. } => {
                Some("wait for one location after the other, or loop with `while`")
            }
            ErrorKind::MixedSizes { .. } => Some(
                "access it in its own size everywhere (`uint8_t x;` in `{…}` makes it a byte), \
                 or let only this thread store to it",
            ),
            ErrorKind::UnwrittenRegister { .. } => {
                Some("ask for a register that the thread writes, or give this one a value in `{…}`")
            }
            ErrorKind::NotConstant { .. } => {
                Some("numbers, `param`, `const` and a replicated thread's index are constants")
            }
            _ => None,
        }
    }
}

fn cells(count: usize) -> String {
    if count == 1 {
        "1 cell".to_owned()
    } else {
        format!("{count} cells")
    }
}

fn threads(count: usize) -> String {
    if count == 1 {
        "1 thread".to_owned()
    } else {
        format!("{count} threads")
    }
}
