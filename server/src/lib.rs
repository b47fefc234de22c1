//! Both fronts of Fencepost: the language server and the command line.

pub mod checked;
pub mod cli;
pub mod diagnostic;
pub mod examples;
pub mod explain;
pub mod finding;
pub mod lsp;
pub mod place;
pub mod protocol;
pub mod render;
