//! What standard output and standard error can show.

use std::io::{self, IsTerminal};

use crate::render::Look;

use super::args::ColorWhen;

#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    pub look: Look,
    pub error_look: Look,
    /// Whether standard error is a terminal: progress is shown there.
    pub interactive: bool,
}

impl Terminal {
    pub fn new(color: ColorWhen, ascii: bool) -> Terminal {
        let unicode = !ascii && speaks_unicode(|name| std::env::var(name).ok());
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let look = |is_terminal: bool| Look {
            color: match color {
                ColorWhen::Always => true,
                ColorWhen::Never => false,
                ColorWhen::Auto => is_terminal && !no_color && !dumb,
            },
            unicode,
            width: is_terminal.then(terminal_width).flatten(),
        };
        let error = io::stderr().is_terminal();
        Terminal {
            look: look(io::stdout().is_terminal()),
            error_look: look(error),
            interactive: error && !dumb,
        }
    }
}

fn terminal_width() -> Option<usize> {
    let (terminal_size::Width(width), _) = terminal_size::terminal_size()?;
    Some(usize::from(width).max(20))
}

/// Whether the locale is a Unicode one; the first variable that is set decides.
fn speaks_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    if cfg!(windows) {
        return true;
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable)
        .find(|value| !value.is_empty());
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_decides() {
        let with = |set: &'static [(&str, &str)]| {
            speaks_unicode(move |name| {
                let found = set.iter().find(|(variable, _)| *variable == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(with(&[("LANG", "en_GB.UTF-8")]));
        assert!(with(&[("LC_ALL", ""), ("LANG", "C.utf8")]));
        assert!(!with(&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]));
        assert!(!with(&[]));
    }
}
