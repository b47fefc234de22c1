//! What a text may not exceed: files are hostile until shown otherwise.

/// Brackets within brackets, counted over `(`, `[` and `{`. Walks over the tree
/// recurse, so this bounds their stack.
pub const MAX_NESTING: usize = 200;

/// Operators in one expression: a chain of them is a tree as deep as it is long.
pub const MAX_OPERATORS: usize = 200;

/// Errors that one text is told about; one more says that there are others.
pub const MAX_ERRORS: usize = 100;

/// Bytes of a text. A tree takes up to fifty times the memory of its text, so this keeps
/// a hostile file from taking gigabytes; no test that somebody wrote comes near it.
pub const MAX_BYTES: usize = 8 << 20;
