//! What the test suites share: where the corpus and the fixtures are.
