//! Tests of name resolution.
