//! Lexer, grammars, syntax tree and formatter for litmus tests.
