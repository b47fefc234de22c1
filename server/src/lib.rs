//! Both fronts of Fencepost: the language server and the command line.

mod analysis;
pub mod cli;
mod examples;
mod explain;
mod files;
mod lsp;
pub mod protocol;
mod render;
mod replace;
