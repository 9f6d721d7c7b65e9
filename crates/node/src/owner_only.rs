//! The data directory is its owner's alone: directories 0700, files 0600. One that was opened to
//! others is refused with the command that closes it.

use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::error::BadInput;

/// The permissions of everybody but the owner.
const OTHERS: u32 = 0o077;

/// From now on this process makes files that only their owner may read, libraries and
/// children included.
pub(crate) fn umask() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(OTHERS));
}

/// Makes a directory that is missing; refuses one that is another user's, and one that is
/// open to others and holds what is not ours to close.
pub(crate) fn prepare(given: &Path) -> anyhow::Result<()> {
    let shown = given.display();
    let made = DirBuilder::new().recursive(true).mode(0o700).create(given);
    made.map_err(|e| {
        BadInput(format!(
            "the data directory {shown} cannot be created ({e}): choose another with --data-dir \
             or mend its permissions"
        ))
    })?;
    let meta = fs::metadata(given).with_context(|| format!("opening {shown}"))?;
    let (owner, user) = (meta.uid(), rustix::process::geteuid().as_raw());
    if owner != user {
        return Err(BadInput(format!(
            "the data directory {shown} belongs to user {owner}, and this process runs as user \
             {user}: run it as the owner, or choose another with --data-dir"
        ))
        .into());
    }
    if !is_open(&meta) || given.join("FORMAT").exists() {
        return Ok(());
    }
    let mut entries = fs::read_dir(given).with_context(|| format!("reading {shown}"))?;
    if entries.next().is_some() {
        return Err(BadInput(format!(
            "{shown} holds other files, and other users may read it: choose a directory of its \
             own with --data-dir, or close this one (chmod -R go-rwx '{shown}')"
        ))
        .into());
    }
    close(given, &meta).with_context(|| format!("closing {shown} to other users"))
}

/// Refuses what others have rights to. For the one who holds the directory's lock.
pub(crate) fn check(dir: &Path) -> anyhow::Result<()> {
    let shown = dir.display();
    let open = open_paths(dir).with_context(|| format!("reading permissions in {shown}"))?;
    let Some(first) = open.first() else {
        return Ok(());
    };
    Err(BadInput(format!(
        "other users have rights to {} paths of the data directory, the first is {}: close \
         them (chmod -R go-rwx '{shown}')",
        open.len(),
        first.display()
    ))
    .into())
}

fn is_open(meta: &fs::Metadata) -> bool {
    meta.mode() & OTHERS != 0
}

fn close(path: &Path, meta: &fs::Metadata) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(meta.mode() & 0o7700))
}

/// Everything in a directory, and itself, to which others have rights. Links have none of
/// their own, and are not followed, as by `chmod -R`.
fn open_paths(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut open, mut next) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(path) = next.pop() {
        let meta = match fs::symlink_metadata(&path) {
            // PostgreSQL of a process that was killed may be stopping.
            Err(e) if e.kind() == ErrorKind::NotFound => continue,
            meta => meta?,
        };
        if meta.is_symlink() {
            continue;
        }
        if is_open(&meta) {
            open.push(path.clone());
        }
        if meta.is_dir() {
            let entries = match fs::read_dir(&path) {
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                next.push(entry?.path());
            }
        }
    }
    Ok(open)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("changed");
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("there").mode() & 0o777
    }

    #[test]
    fn what_was_opened_to_others_is_refused_with_the_command_that_closes_it() {
        let dir = tempfile::tempdir().expect("a directory");
        let dir = dir.path();
        prepare(dir).expect("ours");
        let records = dir.join("log/records");
        DirBuilder::new()
            .mode(0o700)
            .create(dir.join("log"))
            .expect("made");
        fs::write(&records, "1").expect("written");
        set(&records, 0o600);
        std::os::unix::fs::symlink("/etc/passwd", dir.join("link")).expect("linked");
        check(dir).expect("it is closed");
        set(&records, 0o640);
        let refused = check(dir).expect_err("opened since").to_string();
        let command = format!("chmod -R go-rwx '{}'", dir.display());
        assert!(
            refused.contains("log/records") && refused.contains(&command),
            "{refused}"
        );
        assert_eq!(mode(&records), 0o640, "nothing is changed");
        set(&records, 0o600);
        check(dir).expect("as the command leaves it");
        set(dir, 0o701);
        assert!(check(dir).is_err(), "the directory itself counts");
    }

    #[test]
    fn a_new_directory_is_the_owners_and_others_files_are_left_alone() {
        let dir = tempfile::tempdir().expect("a directory");
        let new = dir.path().join("a/b");
        prepare(&new).expect("made");
        assert_eq!((mode(&new), mode(&dir.path().join("a"))), (0o700, 0o700));
        set(&new, 0o755);
        prepare(&new).expect("empty, so it can be closed");
        assert_eq!(mode(&new), 0o700);
        fs::write(new.join("thesis.txt"), "mine").expect("written");
        prepare(&new).expect("closed, whatever is in it");
        set(&new, 0o755);
        let refused = prepare(&new)
            .expect_err("open, with other files")
            .to_string();
        assert!(refused.contains("directory of its own"), "{refused}");
        assert_eq!(mode(&new), 0o755);
    }

    #[test]
    fn the_directory_of_another_user_is_refused() {
        let dir = tempfile::tempdir().expect("a directory");
        // Root can give one away; for any other user, root's is at hand.
        let other = match rustix::process::geteuid().is_root() {
            true => {
                std::os::unix::fs::chown(dir.path(), Some(12_345), None).expect("given away");
                dir.path()
            }
            false => Path::new("/"),
        };
        let refused = prepare(other).expect_err("another's").to_string();
        assert!(refused.contains("belongs to user"), "{refused}");
    }
}
