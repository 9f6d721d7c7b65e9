//! How much memory the process takes.

use std::fs;

use anyhow::Context;

/// Kilobytes that the process has at the start, and from then on at most.
pub(crate) struct Peak {
    before: f64,
}

impl Peak {
    /// Begins to measure.
    pub(crate) fn start() -> anyhow::Result<Self> {
        // Forgets the peak until now (proc_pid_clear_refs(5)).
        fs::write("/proc/self/clear_refs", "5").context("resetting the peak of memory")?;
        let before = status("VmRSS:")?;
        Ok(Self { before })
    }

    /// Megabytes more than at the start, at most.
    pub(crate) fn mb(&self) -> anyhow::Result<f64> {
        Ok((status("VmHWM:")? - self.before) / 1024.0)
    }
}

/// A number of kilobytes of `/proc/self/status`.
fn status(name: &str) -> anyhow::Result<f64> {
    let status = fs::read_to_string("/proc/self/status").context("reading /proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    let number = number.and_then(|number| number.parse().ok());
    number.with_context(|| format!("no {name} in /proc/self/status"))
}
