//! How PostgreSQL's programs are started: not as root, and never outliving us.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Error;
use crate::error::tail;

/// Run after the death signal is set. A parent that died before that would
/// leave an orphan, so the shell compares its parent with the one we were.
const IF_PARENT_LIVES: &str = r#"[ "$PPID" = "$0" ] || exit 99; exec "$@""#;

/// A command for `program` that
/// - gets SIGKILL when the **thread** that spawned it ends,
/// - runs as uid 1000 of a user namespace of its own when we are root (its
///   files stay root's), because PostgreSQL refuses uid 0,
/// - keeps our child's process id, since each helper replaces itself,
/// - is in a process group of its own, so that Ctrl-C ends us first,
/// - speaks English, so that its messages can be recognised.
///
/// The death signal is set last: entering a user namespace clears it.
pub(crate) fn bound_to_us(program: &Path) -> Command {
    let mut command;
    if uid() == 0 {
        command = Command::new("unshare");
        command.args(["--user", "--map-user=1000", "--map-group=1000"]);
        command.args(["--", "setpriv"]);
    } else {
        command = Command::new("setpriv");
    }
    command
        .args(["--pdeathsig", "KILL", "--", "sh", "-c", IF_PARENT_LIVES])
        .arg(std::process::id().to_string())
        .arg(program)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .process_group(0);
    command
}

/// Tries the helpers, and as the server's user whether `dir` can be written:
/// without root's rights a parent directory may be closed to it.
pub(crate) fn preflight(dir: &Path) -> Result<(), Error> {
    let output = bound_to_us(Path::new("test"))
        .arg("-w")
        .arg(dir)
        .output()
        .map_err(|e| Error::Launcher {
            detail: e.to_string(),
        })?;
    match output.status.code() {
        Some(0) => Ok(()),
        Some(1) if output.stderr.is_empty() => Err(Error::NoPermission {
            path: dir.to_owned(),
            uid: uid(),
        }),
        _ => Err(Error::Launcher {
            detail: tail(&String::from_utf8_lossy(&output.stderr)),
        }),
    }
}

/// Sends `signal` (`INT`: fast shutdown) to a child that was not yet waited for.
pub(crate) fn signal(pid: u32, signal: &str) -> bool {
    Command::new("sh")
        .args(["-c", r#"kill -"$0" "$1""#, signal, &pid.to_string()])
        .status()
        .is_ok_and(|status| status.success())
}

/// Our effective user id. Read from the kernel, as std has no call for it; 0
/// when `/proc` cannot be read, which the next step then reports.
pub(crate) fn uid() -> u32 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|text| {
            let ids = text.lines().find_map(|l| l.strip_prefix("Uid:"))?;
            ids.split_whitespace().nth(1)?.parse().ok()
        })
        .unwrap_or(0)
}
