//! What a text may not exceed: files are hostile until shown otherwise.

/// Brackets within brackets, counted over `(`, `[` and `{`. Walks over the tree
/// recurse, so this bounds their stack.
pub const MAX_NESTING: usize = 200;

/// Operators in one expression: a chain of them is a tree as deep as it is long.
pub const MAX_OPERATORS: usize = 200;

/// Errors that one text is told about; one more says that there are others.
pub const MAX_ERRORS: usize = 100;

/// Offsets are 32 bits wide.
pub const MAX_BYTES: usize = u32::MAX as usize - 1;
