//! The pages behind the codes: those of the language, and those of what a check finds.

/// What `fencepost explain CODE` prints.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    pub code: &'static str,
    pub title: &'static str,
    pub text: &'static str,
}

/// The page of a code.
pub fn page(code: &str) -> Option<Page> {
    pages().find(|page| page.code == code)
}

/// Every page: the program itself, the language, then what a check finds.
pub fn pages() -> impl Iterator<Item = Page> {
    let of_language = fencepost_grammar::codes().filter_map(of_language);
    let of_checks = OF_CHECKS.iter().copied();
    OF_RUNS.iter().copied().chain(of_language).chain(of_checks)
}

/// A page of the language starts with a line `# E0201: unknown name`.
fn of_language(code: &'static str) -> Option<Page> {
    let page = fencepost_grammar::explain(code)?;
    let (heading, text) = page.split_once('\n')?;
    let title = heading.split_once(": ").map_or(heading, |(_, title)| title);
    let text = text.trim_start_matches('\n');
    Some(Page { code, title, text })
}

const OF_RUNS: &[Page] = &[
    Page {
        code: "E0001",
        title: "the checker failed",
        text: "\
A bug of fencepost: the exploration of this test broke off. Nothing is known about
the test; the other tests of the run are not affected.

Please report it, with the file and the command. Another engine may work meanwhile:

    fencepost check FILE --engine brute
",
    },
    Page {
        code: "E0002",
        title: "a path gives no test",
        text: "\
The path does not exist, may not be read, is a folder without `*.litmus` files, is a
list (`@LIST`) without entries or one that names itself, or is a symbolic link that
leads back to a folder that holds it. The message says which.

In a list, paths are relative to the list, one a line; `#` starts a comment; a line
`@OTHER` reads another list.
",
    },
];

const OF_CHECKS: &[Page] = &[
    Page {
        code: "E0501",
        title: "an expectation does not hold",
        text: "\
An `expect` says how often the proposition of its condition holds over all complete
executions of a model: `never`, `sometimes` or `always`. The check found another word.

    exists (P0:r0 = 0 /\\ P1:r1 = 0)
    expect SC never, TSO never

The words speak of the proposition in the parentheses, whatever stands before it: for
`~exists (P)` a test that is right expects `never`.

To see an execution that makes the difference:

    fencepost witness FILE --model tso
",
    },
    Page {
        code: "E0502",
        title: "an assertion can fail",
        text: "\
Some execution makes an `assert(e)` false, or does what counts as one: divides by zero,
uses an index outside an array, follows an address that is no location's, or unlocks a
mutex that its thread does not hold.

An execution that fails an assertion stops there; it has no outcome. To see it:

    fencepost witness FILE --assertion
",
    },
    Page {
        code: "W0501",
        title: "a deadlock",
        text: "\
In some executions every thread that has not ended waits for ever: for a mutex that
nobody will unlock, or in an `await` that nothing will satisfy. Such an execution has
no outcome, so conditions say nothing about it.

To see one:

    fencepost witness FILE --deadlock
",
    },
    Page {
        code: "W0502",
        title: "cut at the loop bound",
        text: "\
Loops are explored up to a bound: `max N` on the loop, else a default. Some executions
wanted to go on; they were cut off there and have no outcome. So `never` and `always`
hold up to this bound only.

Give the loop a larger bound, `while (e) max 20 { … }`, or raise the default:

    fencepost check FILE --unroll 20

A loop that only waits is better written as `await(e);`, which needs no bound.
",
    },
    Page {
        code: "W0503",
        title: "no execution ends",
        text: "\
Every execution is blocked (a false `assume`, an `await` or a lock that waits for ever,
a loop cut at its bound) or fails an assertion. There is no outcome, and `never` and
`always` are both true of nothing.
",
    },
    Page {
        code: "W0504",
        title: "not finished",
        text: "\
The budget ran out (time, classes, memory) or the check was stopped before everything
was explored. What was reached is reachable; what was not may still be. A verdict that
this does not settle is `unknown`, never `never`.

Give it more (`--timeout 60s`, `--max-classes 10000000`) or make the test smaller, for
example with a smaller parameter (`--param N=2`).
",
    },
    Page {
        code: "I0501",
        title: "a weak outcome",
        text: "\
The condition is reachable under TSO or PSO but not under SC: it needs a store that waits
in a buffer while its thread goes on. On such a machine this is what a missing fence
looks like.

To see how it comes about:

    fencepost witness FILE
",
    },
    Page {
        code: "I0502",
        title: "a fence that is not needed",
        text: "\
Without this fence the test can do the same, under every model that was checked: the same
outcomes, no new failed assertion, no new deadlock. It can go. Of several such fences each
can go alone; whether they can go together is another question:

    fencepost fences FILE
",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_in_order() {
        let codes: Vec<&str> = pages().map(|page| page.code).collect();
        let mut sorted = codes.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(codes.len(), sorted.len());
        for code in fencepost_grammar::codes() {
            let page = page(code).expect("every code of the language has a page");
            assert!(
                !page.title.starts_with('#') && !page.text.is_empty(),
                "{code}"
            );
        }
        for page in OF_RUNS.iter().chain(OF_CHECKS) {
            assert!(page.text.ends_with('\n') && !page.title.is_empty());
            assert!(
                page.text.lines().all(|l| l.chars().count() <= 92),
                "{}",
                page.code
            );
        }
    }
}
