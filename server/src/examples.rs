//! The classic shapes that the binary carries: the project's own tests.

macro_rules! example {
    ($name:literal, $file:literal) => {
        (
            $name,
            include_str!(concat!("../../tests/litmus/native/", $file, ".litmus")),
        )
    };
}

/// A name and the file's text, in the order in which they are worth reading.
pub const EXAMPLES: &[(&str, &str)] = &[
    example!("SB", "SB"),
    example!("SB+mfences", "SB+mfences"),
    example!("SB+mfence+po", "SB+mfence+po"),
    example!("SB+sfences", "SB+sfences"),
    example!("SB+xchgs", "SB+xchgs"),
    example!("SB+rfis", "SB+rfis"),
    example!("3.SB", "3.SB"),
    example!("MP", "MP"),
    example!("MP+sfence+po", "MP+sfence+po"),
    example!("MP+await", "MP+await"),
    example!("MP+lock", "MP+lock"),
    example!("MP+spin", "MP+spin"),
    example!("LB", "LB"),
    example!("LB+data", "LB+data"),
    example!("S", "S"),
    example!("S+sfence+po", "S+sfence+po"),
    example!("R", "R"),
    example!("R+sfence+mfence", "R+sfence+mfence"),
    example!("2+2W", "2+2W"),
    example!("2+2W+sfences", "2+2W+sfences"),
    example!("IRIW", "IRIW"),
    example!("IRIW+mfences", "IRIW+mfences"),
    example!("WRC", "WRC"),
    example!("RWC", "RWC"),
    example!("RWC+mfence", "RWC+mfence"),
    example!("ISA2", "ISA2"),
    example!("ISA2+sfence", "ISA2+sfence"),
    example!("CoRR", "CoRR"),
    example!("CoWW", "CoWW"),
    example!("CoRW1", "CoRW1"),
    example!("CoRW2", "CoRW2"),
    example!("CoWR", "CoWR"),
    example!("n4", "n4"),
    example!("n5", "n5"),
    example!("n6", "n6"),
    example!("peterson", "mutual-exclusion/peterson"),
    example!("peterson+mfence", "mutual-exclusion/peterson+mfence"),
    example!("spinlock", "rmw/spinlock"),
    example!("ticket-lock", "rmw/ticket-lock"),
    example!("cas-increment", "rmw/cas-increment"),
    example!("lock-counter", "locks/lock-counter"),
    example!("deadlock-abba", "locks/deadlock-abba"),
    example!("seqlock", "publish/seqlock"),
    example!("ring", "publish/ring"),
    example!("arrays", "language/arrays"),
    example!("loops", "language/loops"),
    example!("assertion", "language/assertion"),
];

/// The text of a shape; case does not count.
pub fn find(name: &str) -> Option<&'static str> {
    let exact = EXAMPLES.iter().find(|(known, _)| *known == name);
    let found = exact.or_else(|| {
        EXAMPLES
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
    });
    found.map(|(_, text)| *text)
}

/// The sentence that says what a test shows.
pub fn doc(text: &str) -> String {
    let parse = fencepost_grammar::parse(text);
    parse
        .test
        .doc
        .map(|doc| doc.name.to_string())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_right_and_says_what_it_shows() {
        for (name, text) in EXAMPLES {
            let parse = fencepost_grammar::parse(text);
            assert!(!parse.has_errors(), "{name}: {:?}", parse.errors);
            assert_eq!(parse.test.name.name, *name);
            assert!(!doc(text).is_empty(), "{name} has no sentence");
        }
    }
}
