//! The generated pages, and other files that are rendered from a source; with them the pages that
//! are written by hand and name tests.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use threadlore_schema::Topics;
use threadlore_schema::render::{self, Cluster};

use crate::{behaviours, chart, dashboards, dictionary, pages};

/// A page below the root of the repository, and what writes it.
type Page = (&'static str, fn() -> String);

const PAGES: [Page; 11] = [
    ("docs/settings.md", threadlore_settings::reference),
    ("docs/metrics.md", threadlore_telemetry::reference),
    ("docs/topics.md", || render::page(Topics::embedded())),
    (
        "docs/asyncapi.yaml",
        || render::asyncapi(Topics::embedded()),
    ),
    ("k8s/chart/files/topics.yaml", || {
        render::strimzi_topics(Topics::embedded(), &Cluster::default())
    }),
    ("k8s/chart/files/users.yaml", || {
        render::strimzi_users(Topics::embedded(), &Cluster::default())
    }),
    ("docs/openapi.json", threadlore_api::openapi),
    (
        "crates/store-postgres/src/sql/comments.sql",
        dictionary::comments,
    ),
    ("k8s/chart/values.schema.json", chart::values_schema),
    (
        "k8s/chart/files/dashboards/operations.json",
        dashboards::operations,
    ),
    (
        "k8s/chart/files/dashboards/community.json",
        dashboards::community,
    ),
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

/// Fails when a generated page is not what its source says now, or when a page names a
/// test that does not exist.
pub(crate) fn check() -> Result<()> {
    let mut problems = behaviours::problems(&root());
    problems.extend(pages::problems(&root()));
    let stale = stale(&root());
    if !stale.is_empty() {
        problems.push(format!(
            "{} not up to date: run `cargo xtask docs` and commit",
            stale.join(", ")
        ));
    }
    if problems.is_empty() {
        return Ok(());
    }
    bail!("{}", problems.join("\n"))
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
        assert_eq!(stale(root.path()), PAGES.map(|(path, _)| path));
        for directory in [
            "docs",
            "k8s/chart/files/dashboards",
            "crates/store-postgres/src/sql",
        ] {
            fs::create_dir_all(root.path().join(directory)).expect("a directory");
        }
        for (path, page) in PAGES {
            fs::write(root.path().join(path), page()).expect("a page");
        }
        assert!(stale(root.path()).is_empty());
        fs::write(root.path().join("docs/metrics.md"), "by hand").expect("a page");
        assert_eq!(stale(root.path()), ["docs/metrics.md"]);
    }
}
