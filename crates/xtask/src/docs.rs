//! The generated pages.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// A page below the root of the repository, and what writes it.
type Page = (&'static str, fn() -> String);

const PAGES: [Page; 2] = [
    ("docs/settings.md", threadlore_settings::reference),
    ("docs/metrics.md", threadlore_telemetry::reference),
];

/// Writes every generated page.
pub(crate) fn write() -> Result<()> {
    for (path, page) in PAGES {
        let file = root().join(path);
        if let Some(directory) = file.parent() {
            fs::create_dir_all(directory)
                .with_context(|| format!("{} cannot be created", directory.display()))?;
        }
        fs::write(&file, page()).with_context(|| format!("{path} cannot be written"))?;
    }
    Ok(())
}

/// Fails when a generated page is not what its source says now.
pub(crate) fn check() -> Result<()> {
    let stale = stale(&root());
    if stale.is_empty() {
        return Ok(());
    }
    bail!(
        "{} not up to date: run `cargo xtask docs` and commit",
        stale.join(", ")
    )
}

fn stale(root: &Path) -> Vec<&'static str> {
    PAGES
        .iter()
        .filter(|(path, page)| fs::read_to_string(root.join(path)).ok() != Some(page()))
        .map(|(path, _)| *path)
        .collect()
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_or_changed_page_is_stale() {
        let root = tempfile::tempdir().expect("a directory");
        assert_eq!(stale(root.path()), ["docs/settings.md", "docs/metrics.md"]);
        fs::create_dir(root.path().join("docs")).expect("a directory");
        for (path, page) in PAGES {
            fs::write(root.path().join(path), page()).expect("a page");
        }
        assert!(stale(root.path()).is_empty());
        fs::write(root.path().join("docs/metrics.md"), "by hand").expect("a page");
        assert_eq!(stale(root.path()), ["docs/metrics.md"]);
    }
}
