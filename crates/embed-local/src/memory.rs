//! How much memory a process may still take.

use std::path::Path;

/// Bytes that this process may still take: what the machine has available, or what its control
/// group leaves, whichever is less. `None` where neither can be read.
pub(crate) fn available() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok();
    let machine = machine.and_then(|text| of_machine(&text));
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok();
    let group = groups.and_then(|text| {
        let path = text
            .lines()
            .find_map(|line| line.strip_prefix("0::"))?
            .to_owned();
        let within = Path::new("/sys/fs/cgroup").join(path.trim_start_matches('/'));
        let read = |name| std::fs::read_to_string(within.join(name)).ok();
        of_group(
            &read("memory.max")?,
            &read("memory.current")?,
            &read("memory.stat")?,
        )
    });
    machine.into_iter().chain(group).min()
}

/// `MemAvailable` of `/proc/meminfo`, in bytes.
fn of_machine(meminfo: &str) -> Option<u64> {
    let rest = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// What the limit of a control group leaves; cached files do not count, they give way.
fn of_group(max: &str, current: &str, stat: &str) -> Option<u64> {
    let max: u64 = max.trim().parse().ok()?; // "max" is none
    let current: u64 = current.trim().parse().ok()?;
    let files = stat.lines().find_map(|line| line.strip_prefix("file "));
    let files: u64 = files
        .and_then(|bytes| bytes.trim().parse().ok())
        .unwrap_or(0);
    Some(max.saturating_sub(current.saturating_sub(files)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_and_the_control_group_say_what_is_left() {
        let meminfo = "MemTotal:  2000 kB\nMemAvailable:    1000 kB\n";
        assert_eq!(of_machine(meminfo), Some(1_024_000));
        assert_eq!(of_machine("MemTotal: 1 kB"), None);
        assert_eq!(of_group("max\n", "5\n", ""), None);
        assert_eq!(of_group("1000\n", "700\n", "anon 1\nfile 200\n"), Some(500));
        assert_eq!(of_group("1000\n", "1200\n", "file 0\n"), Some(0));
        assert!(available().is_some());
    }
}
