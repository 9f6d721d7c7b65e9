//! A server that another process started.

use std::fs;
use std::path::Path;

use crate::server::url;

/// The URL of the server that runs in `dir`, whoever started it; `None` when none is
/// ready there.
#[must_use]
pub fn running(dir: &Path) -> Option<String> {
    let homes = fs::read_dir(dir).ok()?;
    let mut files = homes.filter_map(|home| {
        let file = home.ok()?.path().join("data/postmaster.pid");
        fs::read_to_string(file).ok()
    });
    files.find_map(|text| {
        let (pid, sockets) = ready(&text)?;
        let alive = Path::new("/proc").join(pid.to_string()).exists();
        alive.then(|| url("postgres", sockets))
    })
}

/// Process id and directory of the socket, if PostgreSQL wrote that it is ready. The file has one
/// fact per line.
fn ready(text: &str) -> Option<(u32, &str)> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let sockets = *lines.get(4)?;
    let is_ready = lines.last() == Some(&"ready") && sockets.starts_with('/');
    is_ready.then_some((lines.first()?.parse().ok()?, sockets))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_server_that_is_ready_is_found() {
        let text = |state: &str| {
            format!("4711\n/d/pg15/data\n1700000000\n5432\n/d/pg15/sock\n\n 1 2\n{state}\n")
        };
        assert_eq!(ready(&text("ready   ")), Some((4711, "/d/pg15/sock")));
        for other in [&text("starting"), "", "4711\n", "x\n\n\n\nsock\nready"] {
            assert_eq!(ready(other), None, "{other:?}");
        }
        let dir = tempfile::tempdir().expect("a directory");
        assert_eq!(running(dir.path()), None);
        let data = dir.path().join("pg15/data");
        fs::create_dir_all(&data).expect("made");
        let own = text("ready").replace("4711", &std::process::id().to_string());
        fs::write(data.join("postmaster.pid"), own).expect("written");
        let found = running(dir.path()).expect("it is ready");
        assert!(found.contains("host=/d/pg15/sock"), "{found}");
        let gone = text("ready").replace("4711", &u32::MAX.to_string());
        fs::write(data.join("postmaster.pid"), gone).expect("written");
        assert_eq!(running(dir.path()), None, "its process is gone");
    }
}
