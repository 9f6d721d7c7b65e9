//! Room on the disk.
//!
//! The engine reads and writes its files through memory. Where the disk is full then, no
//! call fails: the system ends the process (SIGBUS).

use std::path::Path;

use threadlore_ports::PortError;

use crate::error::unavailable;

/// Bytes without which nothing is opened or changed: segments and the engine's log grow by
/// megabytes at a time, and others write to the same disk.
const LEAST: u64 = 64 << 20;

/// Refuses where less than that is left.
pub(crate) fn check(doing: &'static str, dir: &Path) -> Result<(), PortError> {
    // Where it cannot be told, the engine says what is wrong with the directory.
    let Ok(disk) = rustix::fs::statvfs(dir) else {
        return Ok(());
    };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if free >= LEAST {
        return Ok(());
    }
    let (free, least, dir) = (free >> 20, LEAST >> 20, dir.display());
    let reason = format!("the disk of {dir} has {free} MB left and {least} are needed: free some");
    Err(unavailable(doing, reason))
}
