//! What pages say of the tree: paths that exist, and limits as the code has them.
//!
//! A limit in a page is followed by a comment that names its constant:
//! `32<!-- crates/app/src/admin/server.rs MOST -->`.

use std::fs;
use std::path::{Path, PathBuf};

/// Directories whose paths are checked where a page names them in backticks.
const ROOTS: &[&str] = &[
    "crates/",
    "k8s/",
    "docs/",
    "migrations/",
    "schemas/",
    "tests/",
    "tools/",
];

/// What is wrong with the pages, a sentence each.
pub(crate) fn problems(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for page in pages(root) {
        let shown = page.strip_prefix(root).unwrap_or(&page).display();
        let text = match fs::read_to_string(&page) {
            Ok(text) => text,
            Err(error) => {
                found.push(format!("{shown} cannot be read ({error}): restore it"));
                continue;
            }
        };
        for (line, number) in text.lines().zip(1..) {
            let problems = missing_paths(root, line)
                .into_iter()
                .chain(wrong_limits(root, line));
            found.extend(problems.map(|problem| format!("{shown}:{number}: {problem}")));
        }
    }
    found
}

/// The Markdown files of the root, of `docs`, and of directories that explain themselves.
fn pages(root: &Path) -> Vec<PathBuf> {
    let dirs = [
        "",
        "docs",
        "docs/adr",
        "schemas",
        "migrations",
        "tests/interop",
    ];
    let mut pages: Vec<PathBuf> = dirs
        .iter()
        .filter_map(|dir| fs::read_dir(root.join(dir)).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    pages.sort();
    pages
}

fn missing_paths(root: &Path, line: &str) -> Vec<String> {
    // Every second part is between backticks.
    let quoted = line.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|text| {
        ROOTS.iter().any(|start| text.starts_with(start))
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'))
    });
    paths
        .filter(|path| !root.join(path).exists())
        .map(|path| format!("there is no {path}: name where it is now"))
        .collect()
}

fn wrong_limits(root: &Path, line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("<!-- ") {
        let Some((constant, next)) = after.split_once(" -->") else {
            break;
        };
        rest = next;
        let Some((file, name)) = constant.split_once(' ').filter(|(f, _)| f.ends_with(".rs"))
        else {
            continue;
        };
        let said = before
            .rsplit(|c: char| !c.is_ascii_digit() && c != ',')
            .next();
        let said = said.unwrap_or_default().replace(',', "");
        match value(root, file, name) {
            Some(value) if value == said => {}
            Some(value) => found.push(format!("it says {said}, and {name} of {file} is {value}")),
            None => found.push(format!("{file} has no constant {name} with a number")),
        }
    }
    found
}

/// The digits of a constant.
fn value(root: &Path, file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(root.join(file)).ok()?;
    let start = format!("const {name}: ");
    let line = text.lines().find(|line| line.contains(&start))?;
    let (_, value) = line.split_once(" = ")?;
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    let is_number = value
        .trim_end_matches(';')
        .chars()
        .all(|c| c.is_ascii_digit() || c == '_');
    is_number.then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems_with(line: &str) -> Vec<String> {
        let root = tempfile::tempdir().expect("a directory");
        fs::create_dir_all(root.path().join("crates/a")).expect("a directory");
        fs::write(
            root.path().join("crates/a/b.rs"),
            "/// At most.\nconst MOST: usize = 1_024;\nconst FOR: Duration = Duration::from_secs(5);\n",
        )
        .expect("a file");
        fs::write(
            root.path().join("README.md"),
            format!("# Title\n\n{line}\n"),
        )
        .expect("a page");
        problems(root.path())
    }

    #[test]
    fn a_path_that_is_not_there_is_named_with_its_line() {
        let line = "`crates/a/b.rs`, `crates/a/gone.rs`, `crates/NAME/src`, `docs/*.md`";
        let said = ["crates/a/gone.rs", "crates/NAME/src"]
            .map(|path| format!("README.md:3: there is no {path}: name where it is now"));
        assert_eq!(problems_with(line), said);
    }

    #[test]
    fn a_limit_is_the_one_of_the_code() {
        let right =
            "up to 1,024<!-- crates/a/b.rs MOST --> of them, and 1024<!-- crates/a/b.rs MOST -->";
        assert_eq!(problems_with(right), Vec::<String>::new());
        let wrong = "up to 8<!-- crates/a/b.rs MOST --> of them";
        assert_eq!(
            problems_with(wrong),
            ["README.md:3: it says 8, and MOST of crates/a/b.rs is 1024"]
        );
        for gone in [
            "5<!-- crates/a/b.rs FOR -->",
            "5<!-- crates/a/b.rs GONE -->",
        ] {
            assert!(problems_with(gone)[0].contains("has no constant"), "{gone}");
        }
        assert_eq!(
            problems_with("<!-- a plain comment -->"),
            Vec::<String>::new()
        );
    }
}
