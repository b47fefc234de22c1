//! Replaces a file's text, at once or not at all.
//!
//! The new text is written beside the file and renamed over it. A symbolic link stays one:
//! what it leads to is replaced. Permissions and owner are kept; what cannot be kept (the
//! owner, the other names of a file with hard links) or may not be written is a refusal.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Why a file is as it was, and what to do about it.
#[derive(Debug)]
pub struct NotReplaced {
    pub what: String,
    pub advice: &'static str,
}

impl From<io::Error> for NotReplaced {
    fn from(error: io::Error) -> NotReplaced {
        NotReplaced {
            what: error.to_string(),
            advice: "look at its permissions",
        }
    }
}

pub fn replace(path: &Path, text: &str) -> Result<(), NotReplaced> {
    let path = fs::canonicalize(path)?;
    let before = fs::metadata(&path)?;
    if !before.is_file() {
        return Err(NotReplaced {
            what: "it is no regular file".to_owned(),
            advice: "name a file, or `-` for standard input",
        });
    }
    if names(&before) > 1 {
        return Err(NotReplaced {
            what: "it has other names (hard links), which would keep the old text".to_owned(),
            advice: "copy it to a file of its own first",
        });
    }
    if before.permissions().readonly() {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied).into());
    }
    // Whoever may write the folder but not the file may not replace it either.
    File::options().write(true).open(&path)?;
    let temporary = beside(&path);
    let written = write(&temporary, &before, text).and_then(|()| fs::rename(&temporary, &path));
    if let Err(error) = written {
        // What is left of it helps nobody; the error that counts is the first.
        let _ = fs::remove_file(&temporary);
        return Err(error.into());
    }
    if let Some(folder) = path.parent().filter(|_| cfg!(unix)) {
        // The text is there; only after a power cut might it be the old one again.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

fn write(temporary: &Path, before: &Metadata, text: &str) -> io::Result<()> {
    let mut file = File::create_new(temporary)?;
    file.write_all(text.as_bytes())?;
    keep_owner(&file, before)?;
    file.set_permissions(before.permissions())?;
    file.sync_all()
}

#[cfg(unix)]
fn names(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}

#[cfg(unix)]
fn keep_owner(file: &File, before: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let now = file.metadata()?;
    if (now.uid(), now.gid()) == (before.uid(), before.gid()) {
        return Ok(());
    }
    fchown(file, Some(before.uid()), Some(before.gid()))
        .map_err(|error| io::Error::new(error.kind(), format!("its owner is another: {error}")))
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let name = format!("fencepost-replace-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a"), "old").unwrap();
        folder
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        let folder = folder("links");
        let (file, link) = (folder.join("a"), folder.join("b"));
        set_mode(&file, 0o640);
        symlink("a", &link).unwrap();
        replace(&link, "new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing is left");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_may_not_be_written_or_has_other_names_is_refused() {
        let folder = folder("refused");
        let file = folder.join("a");
        set_mode(&file, 0o444);
        assert!(replace(&file, "new").is_err());
        set_mode(&file, 0o644);
        fs::hard_link(&file, folder.join("b")).unwrap();
        let refused = replace(&file, "new").unwrap_err();
        assert!(refused.what.contains("hard links"), "{refused:?}");
        assert!(replace(&folder, "new").is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing is left");
        fs::remove_dir_all(folder).unwrap();
    }
}
