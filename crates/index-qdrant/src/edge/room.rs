//! Free space on the disk.
//!
//! The engine maps its files into memory. When the disk is full, no call fails; instead the system
//! ends the process (SIGBUS).

use std::path::Path;

use threadlore_ports::PortError;

use crate::error::unavailable;

/// The free bytes that are needed to open or change a shard. Segments and the engine's log grow by
/// megabytes at a time, and others write to the same disk.
const LEAST: u64 = 64 << 20;

/// Refuses if less than that is free.
pub(crate) fn check(doing: &'static str, dir: &Path) -> Result<(), PortError> {
    // If this fails, the engine itself reports what is wrong with the directory.
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
