//! What an `expect` says, and how it stands.

use fencepost_checker::program::{Model, Program, Verdict};
use fencepost_checker::report::{ConditionReport, Report};
use fencepost_grammar::Span;

/// What an `expect` says and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    pub condition: usize,
    pub model: Model,
    pub expected: Verdict,
    /// Absent while there is no result.
    pub found: Option<ConditionReport>,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Met,
    Broken,
    /// What was explored so far does not settle it.
    Open,
}

impl Standing {
    /// Of several together: the worst.
    pub fn of_all(all: impl IntoIterator<Item = Standing>) -> Option<Standing> {
        let rank = |standing: &Standing| match standing {
            Standing::Met => 0,
            Standing::Open => 1,
            Standing::Broken => 2,
        };
        all.into_iter().max_by_key(rank)
    }
}

impl Expectation {
    pub fn standing(&self) -> Standing {
        let Some(found) = self.found else {
            return Standing::Open;
        };
        if found.verdict == self.expected {
            return Standing::Met;
        }
        if found.verdict != Verdict::Unknown {
            return Standing::Broken;
        }
        // Unsettled, so what was seen holds everywhere or nowhere; either refutes one word.
        match self.expected {
            Verdict::Never if found.holds > 0 => Standing::Broken,
            Verdict::Always if found.holds < found.of => Standing::Broken,
            _ => Standing::Open,
        }
    }

    /// Whether it holds, as far as that is known.
    pub fn ok(&self) -> Option<bool> {
        match self.standing() {
            Standing::Met => Some(true),
            Standing::Broken => Some(false),
            Standing::Open => None,
        }
    }
}

/// Every `expect` of the models that were checked, in order of the file.
pub fn expectations(program: &Program, reports: &[&Report]) -> Vec<Expectation> {
    let mut all = Vec::new();
    for (index, condition) in program.conditions.iter().enumerate() {
        for expect in &condition.expect {
            let Some(report) = reports.iter().find(|r| r.model == expect.model) else {
                continue;
            };
            all.push(Expectation {
                condition: index,
                model: expect.model,
                expected: expect.verdict,
                found: report.conditions.get(index).copied(),
                span: Span::new(expect.span.start, expect.span.end),
            });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_refutes_a_word_before_the_end() {
        let standing = |expected, verdict, holds, of| {
            let expectation = Expectation {
                condition: 0,
                model: Model::Tso,
                expected,
                found: Some(ConditionReport { verdict, holds, of }),
                span: Span::at(0),
            };
            expectation.standing()
        };
        use Verdict::{Always, Never, Sometimes, Unknown};
        assert_eq!(standing(Never, Never, 0, 4), Standing::Met);
        assert_eq!(standing(Never, Sometimes, 1, 4), Standing::Broken);
        assert_eq!(standing(Never, Unknown, 1, 1), Standing::Broken);
        assert_eq!(standing(Never, Unknown, 0, 1), Standing::Open);
        assert_eq!(standing(Always, Unknown, 0, 1), Standing::Broken);
        assert_eq!(standing(Sometimes, Unknown, 1, 1), Standing::Open);
        use Standing::{Broken, Met, Open};
        assert_eq!(Standing::of_all([Met, Broken, Open]), Some(Broken));
        assert_eq!(Standing::of_all([Met, Open]), Some(Open));
        assert_eq!(Standing::of_all([]), None);
    }
}
