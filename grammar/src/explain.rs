//! The explanation page of each code: `fencepost explain E0108`.
//!
//! A page is a file of its own, with an example that is wrong and one that is
//! right; the tests below run both through the parser.

/// The page of a code, in Markdown; `None` when there is no such code.
pub fn explain(code: &str) -> Option<&'static str> {
    let (_, page) = PAGES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(code))?;
    Some(page)
}

/// Every code that has a page, in order.
pub fn codes() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(code, _)| *code)
}

macro_rules! pages {
    ($($code:literal,)*) => {
        &[$(($code, include_str!(concat!("explain/", $code, ".md"))),)*]
    };
}

const PAGES: &[(&str, &str)] = pages![
    "E0101", "E0102", "E0103", "E0104", "E0105", "E0106", "E0107", "E0108", "E0109", "E0110",
    "E0111", "E0112", "E0113", "E0114", "E0115", "E0116", "E0117", "E0118", "E0119", "E0120",
    "E0121", "E0122", "E0123", "E0124", "E0199", "E0201", "E0202", "E0203", "E0204", "E0205",
    "E0206", "E0207", "E0208", "E0209", "E0210", "E0301", "E0302", "E0303", "E0304", "E0305",
    "E0310", "E0311", "E0312", "E0313", "E0314", "E0315", "E0316", "E0320", "W0201", "W0202",
    "W0203", "W0204",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// What lowering finds out, not the parser.
    const FOUND_LATER: [&str; 7] = [
        "E0310", "E0311", "E0312", "E0313", "E0314", "E0316", "E0320",
    ];

    /// The code block below a heading, and what it is said to be.
    fn example(page: &str, heading: &str) -> Option<(String, String)> {
        let (_, rest) = page.split_once(&format!("## {heading}\n\n```"))?;
        let (language, rest) = rest.split_once('\n')?;
        let (code, _) = rest.split_once("\n```")?;
        Some((language.to_owned(), format!("{code}\n")))
    }

    #[test]
    fn every_code_has_a_page() {
        let source = include_str!("error.rs");
        let written: Vec<&str> = source
            .split("=> \"")
            .skip(1)
            .filter_map(|rest| rest.get(..5))
            .filter(|code| {
                code.starts_with(['E', 'W']) && code[1..].bytes().all(|b| b.is_ascii_digit())
            })
            .collect();
        assert!(
            written.len() > 40,
            "the codes are spelled in another way now"
        );
        let missing: Vec<_> = written
            .iter()
            .filter(|code| explain(code).is_none())
            .collect();
        assert!(missing.is_empty(), "no page for {missing:?}");
        let unknown: Vec<_> = codes().filter(|code| !written.contains(code)).collect();
        assert!(unknown.is_empty(), "a page for no code: {unknown:?}");
    }

    #[test]
    fn wrong_examples_are_wrong_and_right_ones_are_right() {
        for code in codes() {
            let page = explain(code).unwrap_or_default();
            assert!(page.starts_with(&format!("# {code}: ")), "{code}: no title");
            let (language, wrong) = example(page, "Wrong").expect(code);
            let found: Vec<_> = parse(&wrong)
                .errors
                .iter()
                .map(|error| error.code())
                .collect();
            if FOUND_LATER.contains(&code) {
                assert!(found.is_empty(), "{code}: the parser finds {found:?}");
            } else if language == "litmus" {
                assert!(found.contains(&code), "{code}: found {found:?}");
            }
            let (_, right) = example(page, "Right").expect(code);
            let errors = parse(&right).errors;
            assert!(errors.is_empty(), "{code}: {errors:?}");
        }
    }

    #[test]
    fn codes_are_found_in_either_case() {
        assert!(explain("e0108").is_some());
        assert_eq!(explain("E9999"), None);
    }
}
