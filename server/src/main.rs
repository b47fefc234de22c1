//! The one binary: command line and language server.

fn main() {}
