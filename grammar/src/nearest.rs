//! Did you mean: the known name nearest to a mistyped one.

/// The candidate with the smallest edit distance, if that is small for the
/// length of the word; the first of several. Case counts for less than a letter.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    // A longer word is no typing mistake, and distance is quadratic.
    if word.is_empty() || word.len() > MAX_LENGTH {
        return None;
    }
    let limit = 2 * match word.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        // Each letter more or less costs one, so far-off lengths need no table.
        let far = candidate.len().abs_diff(word.len()) > limit / 2;
        if candidate.is_empty() || candidate.len() > MAX_LENGTH || candidate == word || far {
            continue;
        }
        let distance = distance(word, candidate);
        // At least one letter must be right.
        let hopeless = distance >= 2 * candidate.chars().count().max(word.chars().count());
        if distance <= limit && !hopeless && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

const MAX_LENGTH: usize = 64;

/// Twice the number of insertions, deletions, replacements and swaps of
/// neighbours; a letter in the other case costs half.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut before_last = vec![0; to.len() + 1];
    let mut last: Vec<usize> = (0..=to.len()).map(|column| 2 * column).collect();
    let mut previous = None;
    for (row, letter) in from.chars().enumerate() {
        let mut current = vec![2 * (row + 1)];
        for (column, &other) in to.iter().enumerate() {
            let replace = if letter == other {
                0
            } else if letter.eq_ignore_ascii_case(&other) {
                1
            } else {
                2
            };
            let mut cost = (last[column] + replace)
                .min(last[column + 1] + 2)
                .min(current[column] + 2);
            if column > 0 && Some(other) == previous && letter == to[column - 1] {
                cost = cost.min(before_last[column - 1] + 2);
            }
            current.push(cost);
        }
        before_last = std::mem::replace(&mut last, current);
        previous = Some(letter);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, candidates: &[&str], expected: Option<&str>) {
        assert_eq!(
            nearest(word, candidates.iter().copied()),
            expected,
            "{word}"
        );
    }

    #[test]
    fn finds_what_was_meant() {
        check(
            "somtimes",
            &["never", "sometimes", "always"],
            Some("sometimes"),
        );
        check("flga", &["flag", "data"], Some("flag"));
        check("X", &["y", "x"], Some("x"));
        check("r10", &["r0", "r1"], Some("r0"));
    }

    #[test]
    fn keeps_silent_when_nothing_is_near() {
        check("counter", &["x", "y"], None);
        check("a", &["b"], None);
        check("", &["b"], None);
        check(&"a".repeat(1000), &["a"], None);
    }
}
