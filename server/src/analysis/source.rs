//! A text and what follows from it: parsed and lowered when somebody asks, once.

use std::sync::{Arc, OnceLock};

use fencepost_checker::Program;
use fencepost_checker::lower::{LowerOptions, lower};
use fencepost_grammar::error::NameKind;
use fencepost_grammar::{Error, Parse};

#[derive(Debug, Default)]
pub struct Source {
    text: Arc<str>,
    /// What of the bytes was no text.
    invalid: Vec<Error>,
    /// How the test is to become a program; among the parameters may be other tests'.
    lowering: Arc<LowerOptions>,
    parse: OnceLock<Parse>,
    lowered: OnceLock<Result<Arc<Program>, Vec<Error>>>,
}

impl Source {
    pub fn new(text: impl Into<Arc<str>>, lowering: Arc<LowerOptions>) -> Source {
        Source {
            text: text.into(),
            lowering,
            ..Source::default()
        }
    }

    /// From the bytes of a file.
    pub fn decode(bytes: &[u8], lowering: Arc<LowerOptions>) -> Source {
        let (text, invalid) = fencepost_grammar::decode(bytes);
        Source {
            invalid,
            ..Source::new(text, lowering)
        }
    }

    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    pub fn parse(&self) -> &Parse {
        self.parse
            .get_or_init(|| fencepost_grammar::parse(&self.text))
    }

    /// The program to check; without one, what only lowering could find wrong (nothing when
    /// the parser has said it all).
    pub fn lowered(&self) -> &Result<Arc<Program>, Vec<Error>> {
        self.lowered.get_or_init(|| {
            let sound = self.parse().sound().filter(|_| self.invalid.is_empty());
            lower(&sound.ok_or_else(Vec::new)?, &self.own_lowering()).map(Arc::new)
        })
    }

    /// Everything that is wrong with the text, or doubtful.
    pub fn errors(&self) -> Vec<&Error> {
        if !self.invalid.is_empty() {
            // What follows from the replaced bytes is noise.
            return self.invalid.iter().collect();
        }
        let lowering = self.lowered().as_ref().err().into_iter().flatten();
        self.parse().errors.iter().chain(lowering).collect()
    }

    /// The names of the test's parameters.
    pub fn params(&self) -> impl Iterator<Item = &str> {
        let symbols = self.parse().symbols.symbols.iter();
        symbols
            .filter(|symbol| symbol.kind == NameKind::Param)
            .map(|symbol| symbol.name.as_str())
    }

    /// The options as far as they are about this test: a run over many tests sets a
    /// parameter where there is one of that name.
    pub fn own_lowering(&self) -> LowerOptions {
        let mut own = (*self.lowering).clone();
        own.params
            .retain(|(name, _)| self.params().any(|param| param == name));
        own
    }
}

/// What to do about a parameter that is not among those there are.
pub fn param_advice(name: &str, known: &[&str]) -> String {
    match fencepost_grammar::nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "declare it in the test, for example `param N = 3;`".to_owned(),
        None => format!("there are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_parameters_are_set() {
        let lowering = LowerOptions {
            params: vec![("N".to_owned(), 5), ("M".to_owned(), 1)],
            ..LowerOptions::default()
        };
        let text = "litmus T\nshared x;\nparam N = 3;\nthread P { x = N; }\n";
        let source = Source::new(text, Arc::new(lowering));
        assert_eq!(source.params().collect::<Vec<_>>(), ["N"]);
        assert_eq!(source.own_lowering().params, [("N".to_owned(), 5)]);
    }

    #[test]
    fn bytes_that_are_no_text_are_all_that_is_said() {
        let source = Source::decode(b"litmus T\xff\nnonsense", Arc::default());
        assert_eq!(source.errors().len(), 1);
        assert!(source.lowered().is_err());
    }
}
