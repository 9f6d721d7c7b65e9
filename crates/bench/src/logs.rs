//! Logs of a folder with data sets.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use threadlore_gateways::{LogFile, files};

/// The IRC logs (`*.txt`, but no labels) of a folder and of the folders in it,
/// in order of their names, which begin with their days. Of a folder that holds
/// `irc`, that one is taken.
pub(crate) fn find(data: &Path) -> anyhow::Result<Vec<LogFile>> {
    let irc = data.join("irc");
    let root = if irc.is_dir() { &irc } else { data };
    let mut paths = Vec::new();
    for path in entries(root)? {
        if path.is_dir() {
            paths.extend(entries(&path)?);
        } else {
            paths.push(path);
        }
    }
    paths.retain(|path| path.is_file() && is_log(path));
    paths.sort_by(|a, b| (a.file_name(), a).cmp(&(b.file_name(), b)));
    ensure!(
        !paths.is_empty(),
        "{} has no IRC logs (*.txt); give a folder with some",
        root.display()
    );
    let mut logs = Vec::new();
    for path in paths {
        logs.extend(files(&path)?);
    }
    Ok(logs)
}

fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    fs::read_dir(folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect()
}

fn is_log(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.ends_with(".txt") && !name.ends_with(".annotation.txt"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_come_in_order_of_their_days_and_without_labels() {
        let dir = tempfile::tempdir().expect("a directory");
        let put = |name: &str| {
            let path = dir.path().join("irc").join(name);
            let parent = path.parent().expect("a parent");
            fs::create_dir_all(parent).expect("makes");
            fs::write(path, "[00:01] <a> b\n").expect("writes");
        };
        for name in [
            "dev/2009-01-01.ascii.txt",
            "dev/2009-01-01.annotation.txt",
            "train/2008-01-01.txt",
            "LICENSE",
        ] {
            put(name);
        }
        let logs = find(dir.path()).expect("logs");
        let names: Vec<_> = logs.iter().map(|log| log.path.file_name()).collect();
        let expected = ["2008-01-01.txt", "2009-01-01.ascii.txt"];
        assert_eq!(names, expected.map(|name| Some(name.as_ref())));
    }
}
