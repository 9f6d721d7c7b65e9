//! Secrets in files of their own.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use threadlore_ports::PortError;

use crate::error::io;
use crate::files;

const DOING: &str = "loading a secret";

/// The 32 bytes of a secret file (64 hex digits), made from the operating
/// system's randomness when it is missing and `create` is set. The file is
/// readable by its owner only.
///
/// The caller passes `create = false` once data exists that needs the secret: a
/// new one would not fit it.
///
/// # Errors
/// `Broken` when it is missing and must not be made, is damaged, or can be read
/// by everybody.
pub fn load_or_create_secret(path: &Path, create: bool) -> Result<[u8; 32], PortError> {
    let shown = path.display();
    let found = files::read(path).map_err(|e| io(DOING, path, e))?;
    match found {
        Some(text) => {
            refuse_public(path)?;
            parse(&text).ok_or_else(|| {
                PortError::broken(
                    DOING,
                    format!("{shown} does not hold 64 hex digits: restore it from a backup"),
                )
            })
        }
        None if create => make(path),
        None => Err(PortError::broken(
            DOING,
            format!(
                "{shown} is missing, and there is data that needs it: restore it from a backup"
            ),
        )),
    }
}

fn make(path: &Path) -> Result<[u8; 32], PortError> {
    let secret = random_32(DOING)?;
    save_secret(path, &secret)?;
    Ok(secret)
}

/// Writes a secret to its file, readable by its owner only.
///
/// # Errors
/// `Broken` when it cannot be written.
pub fn save_secret(path: &Path, secret: &[u8; 32]) -> Result<(), PortError> {
    let text = format!("{}\n", hex(secret));
    // `parent` of a bare name is empty.
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    files::put(path, dir.unwrap_or(Path::new(".")), text.as_bytes()).map_err(|e| io(DOING, path, e))
}

fn parse(text: &[u8]) -> Option<[u8; 32]> {
    parse_hex(std::str::from_utf8(text).ok()?.trim())
}

/// 64 hexadecimal digits.
pub(crate) fn hex(secret: &[u8; 32]) -> String {
    secret.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        write!(text, "{byte:02x}").unwrap_or_default();
        text
    })
}

/// The bytes of 64 hexadecimal digits.
pub(crate) fn parse_hex(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let mut secret = [0; 32];
    for (byte, digits) in secret.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(secret)
}

#[cfg(unix)]
fn refuse_public(path: &Path) -> Result<(), PortError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).map_err(|e| io(DOING, path, e))?;
    if mode.permissions().mode() & 0o007 == 0 {
        return Ok(());
    }
    let shown = path.display();
    Err(PortError::broken(
        DOING,
        format!("everybody can read {shown}: run chmod 600 {shown}"),
    ))
}

#[cfg(not(unix))]
fn refuse_public(_: &Path) -> Result<(), PortError> {
    Ok(())
}

/// Keys are the one thing that is drawn from the operating system's randomness.
pub(crate) fn random_32(doing: &'static str) -> Result<[u8; 32], PortError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| PortError::Unavailable {
        doing,
        what: "the operating system's randomness",
        source: None,
    })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_stays_the_same_and_is_the_owners_only() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("master");
        let made = load_or_create_secret(&path, true).expect("made");
        assert_eq!(load_or_create_secret(&path, false).expect("loaded"), made);
        let other = dir.path().join("other");
        assert_ne!(load_or_create_secret(&other, true).expect("made"), made);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |p| fs::metadata(p).expect("there").permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o600);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("changed");
            let said = load_or_create_secret(&path, true).expect_err("refused");
            assert!(said.to_string().contains("chmod 600"), "{said}");
        }
    }

    #[test]
    fn a_missing_or_damaged_secret_is_never_replaced() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("master");
        let said = load_or_create_secret(&path, false).expect_err("refused");
        assert!(said.to_string().contains("is missing"), "{said}");
        for bad in ["", "zz", &"g".repeat(64), &"a".repeat(63)] {
            files::put(&path, dir.path(), bad.as_bytes()).expect("written");
            let said = load_or_create_secret(&path, true).expect_err("refused");
            assert!(said.to_string().contains("64 hex digits"), "{said}");
        }
    }
}
