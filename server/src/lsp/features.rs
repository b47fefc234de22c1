//! One module a surface: pure functions from a view to protocol types.

pub mod actions;
pub mod completion;
pub mod diagnostics;
pub mod fences;
pub mod folding;
pub mod format;
pub mod hover;
pub mod inlay;
pub mod lens;
pub mod navigate;
pub mod rename;
pub mod selection;
pub mod shapes;
pub mod signature;
pub mod symbols;
pub mod tokens;
