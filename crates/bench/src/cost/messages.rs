//! The first messages of each log of a folder.

use std::fs;
use std::path::Path;

use anyhow::Context;

/// A log: its name, which has its day, and its first lines.
pub(super) struct Log {
    pub(super) name: String,
    pub(super) lines: String,
}

/// The logs in the order of their names, each cut after so many messages; lines of
/// the system do not count.
///
/// # Errors
/// When they cannot be read.
pub(super) fn logs(folder: &Path, most: usize) -> anyhow::Result<Vec<Log>> {
    let logs = threadlore_gateways::files(folder)?.into_iter();
    let names = logs.map(|log| log.path.display().to_string());
    let names = names.filter(|name| !name.ends_with(".annotation.txt"));
    let read = |name: String| {
        let bytes = fs::read(&name).with_context(|| format!("cannot read {name}"))?;
        let lines = first(&String::from_utf8_lossy(&bytes), most);
        Ok(Log { name, lines })
    };
    names.map(read).collect()
}

fn first(text: &str, most: usize) -> String {
    let (mut out, mut messages) = (String::new(), 0);
    for line in text.lines() {
        messages += usize::from(!line.contains("==="));
        if messages > most {
            break;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_system_do_not_count() {
        let text = "=== a joined\n[00:01] <a> one\n=== b joined\n[00:02] <b> two\n[00:03] <a> x\n";
        assert_eq!(first(text, 2), text[..text.len() - 14]);
        assert_eq!(first(text, 100), text);
    }
}
