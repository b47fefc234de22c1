//! From a text to what is to be said about it: parse, program, reports, findings.
//!
//! Terminal and editor both only convert from here, so they cannot disagree.

pub mod interest;

mod checked;
mod diagnostic;
mod expectation;
mod finding;
mod place;
mod source;

pub use checked::{Checked, Fate, Settings};
pub use diagnostic::{Diagnostic, Related, Severity};
pub use expectation::{Expectation, Standing, expectations};
pub use finding::{Finding, FindingKind};
pub use place::Lines;
pub use source::{Source, param_advice};

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does the work; a bug in it is a message, not the end of everything else.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "it gave no reason".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caught_panic_says_what_it_was() {
        let luck = "luck";
        assert_eq!(
            guarded(|| -> () { panic!("out of luck") }),
            Err("out of luck".to_owned())
        );
        assert_eq!(
            guarded(|| -> () { panic!("out of {luck}") }),
            Err("out of luck".to_owned())
        );
        assert_eq!(guarded(|| 1), Ok(1));
    }
}
