//! Both fronts of Fencepost: the language server and the command line.

pub mod lsp;
pub mod render;
