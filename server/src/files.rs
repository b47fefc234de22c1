//! The files of tests below a folder.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub const EXTENSION: &str = "litmus";

/// Which folders are entered.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Those behind symbolic links.
    pub links: bool,
    /// Those whose names begin with a dot.
    pub hidden: bool,
    /// Folders within folders.
    pub max_depth: usize,
}

/// Why a folder is not entered.
#[derive(Debug)]
pub enum Obstacle {
    /// A link leads back to a folder that holds it.
    Loop(PathBuf),
    TooDeep(PathBuf),
    Unreadable(PathBuf, io::Error),
}

/// Gives every `*.litmus` file to `found`, sorted, until that has enough.
pub fn walk(
    folder: &Path,
    rules: Rules,
    found: &mut dyn FnMut(Result<PathBuf, Obstacle>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    enter(folder, rules, &mut Vec::new(), found)
}

/// `ancestors` are the real paths of the folders that are open, against loops of links.
fn enter(
    folder: &Path,
    rules: Rules,
    ancestors: &mut Vec<PathBuf>,
    found: &mut dyn FnMut(Result<PathBuf, Obstacle>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    if ancestors.contains(&real) {
        return found(Err(Obstacle::Loop(folder.to_owned())));
    }
    if ancestors.len() >= rules.max_depth {
        return found(Err(Obstacle::TooDeep(folder.to_owned())));
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return found(Err(Obstacle::Unreadable(folder.to_owned(), error))),
    };
    // Sorted, because the order of a file system is no order.
    let paths: BTreeSet<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    ancestors.push(real);
    for path in paths {
        if !rules.links && path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default();
            if rules.hidden || !name.to_string_lossy().starts_with('.') {
                enter(&path, rules, ancestors, found)?;
            }
        } else if path.extension().is_some_and(|e| e == EXTENSION) {
            found(Ok(path))?;
        }
    }
    ancestors.pop();
    ControlFlow::Continue(())
}

/// The tests of a workspace: links are not followed, hidden folders not entered.
pub fn of_workspace(root: &Path, max_depth: usize, most: usize) -> Vec<PathBuf> {
    let rules = Rules {
        links: false,
        hidden: false,
        max_depth,
    };
    let mut files = Vec::new();
    // What cannot be entered has nothing to find.
    let _ = walk(root, rules, &mut |path| {
        files.extend(path.ok());
        if files.len() < most {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_sorted_and_hidden_folders_only_when_asked() {
        let root = std::env::temp_dir().join(format!("fencepost-files-{}", std::process::id()));
        for file in ["b/c.litmus", "a.litmus", ".git/x.litmus", "b/notes.txt"] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let relative = |paths: Vec<PathBuf>| -> Vec<String> {
            let paths = paths.iter().map(|p| p.strip_prefix(&root).unwrap());
            paths.map(|p| p.to_string_lossy().into_owned()).collect()
        };
        let own = of_workspace(&root, 5, 10);
        assert_eq!(relative(own), ["a.litmus", "b/c.litmus"]);
        assert_eq!(relative(of_workspace(&root, 5, 1)), ["a.litmus"]);
        assert_eq!(relative(of_workspace(&root, 1, 10)), ["a.litmus"]);
        let rules = Rules {
            links: true,
            hidden: true,
            max_depth: 5,
        };
        let mut all = Vec::new();
        let _ = walk(&root, rules, &mut |path| {
            all.extend(path.ok());
            ControlFlow::Continue(())
        });
        assert_eq!(relative(all), [".git/x.litmus", "a.litmus", "b/c.litmus"]);
        fs::remove_dir_all(root).unwrap();
    }
}
