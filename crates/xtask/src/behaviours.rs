//! The pages of behaviours and of attacks: each line of a table names tests, and they exist.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path};

/// The pages.
const PAGES: [&str; 2] = ["docs/behaviours.md", "docs/security.md"];

/// How the line under the names of a table's columns begins.
const RULE: &str = "|---|---|";

/// The problems of the pages, a sentence each.
pub(crate) fn problems(root: &Path) -> Vec<String> {
    let problems = |name| match fs::read_to_string(root.join(name)) {
        Ok(page) => problems_of(root, name, &page),
        Err(error) => vec![format!("{name} cannot be read ({error}): restore it")],
    };
    PAGES.into_iter().flat_map(problems).collect()
}

fn problems_of(root: &Path, name: &str, page: &str) -> Vec<String> {
    let (mut found, mut rows, mut in_table) = (Vec::new(), 0, false);
    for (line, number) in page.lines().zip(1..) {
        if line.is_empty() {
            in_table = false;
        } else if in_table {
            rows += 1;
            let problems = problems_of_row(root, line).into_iter();
            found.extend(problems.map(|problem| format!("{name}:{number}: {problem}")));
        } else {
            in_table = line.starts_with(RULE);
        }
    }
    if rows == 0 {
        found.push(format!(
            "{name} names no test: write a table with the columns `what it does` and `test`"
        ));
    }
    found
}

fn problems_of_row(root: &Path, line: &str) -> Vec<String> {
    let Some(tests) = tests_of(line) else {
        return vec![
            "this line names no test: write it as | behaviour | `file :: test` |, \
             several tests with commas between them"
                .to_owned(),
        ];
    };
    let tests = tests.into_iter();
    tests
        .filter_map(|(file, test)| problem_of_test(root, file, test))
        .collect()
}

/// The tests of a row, as file and function. `None` where the line has another form.
fn tests_of(line: &str) -> Option<Vec<(&str, &str)>> {
    let (behaviour, tests) = line
        .strip_prefix("| ")?
        .strip_suffix(" |")?
        .rsplit_once(" | ")?;
    if behaviour.trim().is_empty() {
        return None;
    }
    tests.split(", ").map(test_of).collect()
}

fn test_of(text: &str) -> Option<(&str, &str)> {
    let (file, test) = text
        .strip_prefix('`')?
        .strip_suffix('`')?
        .split_once(" :: ")?;
    let is_below_root = |part| matches!(part, Component::Normal(_));
    let is_file = file.ends_with(".rs") && Path::new(file).components().all(is_below_root);
    let is_name = !test.is_empty() && test.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_file && is_name).then_some((file, test))
}

/// A test inside a macro such as `proptest!` counts: any function of that name does.
fn problem_of_test(root: &Path, file: &str, test: &str) -> Option<String> {
    let text = match fs::read_to_string(root.join(file)) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Some(format!(
                "the file {file} does not exist: name the file that has the test now"
            ));
        }
        Err(error) => {
            return Some(format!(
                "{file} cannot be read ({error}): mend it, or name the file that has the test"
            ));
        }
    };
    (!text.contains(&format!("fn {test}("))).then(|| {
        format!(
            "{file} has no test `{test}`: name the test that holds this behaviour, or remove the \
             line if the behaviour is gone"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTS: &str = "
#[test]
fn a_plain_test() {}

proptest! {
    #[test]
    fn a_law(n in 0..9) {}
}
";

    fn problems_with(rows: &str) -> Vec<String> {
        let root = tempfile::tempdir().expect("a directory");
        fs::create_dir(root.path().join("tests")).expect("a directory");
        fs::write(root.path().join("tests/some.rs"), TESTS).expect("a file");
        let page = format!("# Title\n\n| what it does | test |\n{RULE}\n{rows}\n\nMore | text.\n");
        problems_of(root.path(), PAGES[0], &page)
    }

    #[test]
    fn tests_that_exist_are_no_problem() {
        let rows = "| It works. | `tests/some.rs :: a_plain_test` |\n\
                    | It always does. | `tests/some.rs :: a_law`, `tests/some.rs :: a_plain_test` |";
        assert_eq!(problems_with(rows), Vec::<String>::new());
    }

    #[test]
    fn a_missing_file_is_named_with_its_line() {
        let rows = "| It works. | `tests/some.rs :: a_law` |\n\
                    | It goes. | `tests/gone.rs :: a_law` |";
        assert_eq!(
            problems_with(rows),
            [
                "docs/behaviours.md:6: the file tests/gone.rs does not exist: \
              name the file that has the test now"
            ]
        );
    }

    #[test]
    fn a_missing_test_is_named_with_its_line() {
        let rows = "| It works. | `tests/some.rs :: a_plain`, `tests/some.rs :: plain_test` |";
        let found = problems_with(rows);
        assert_eq!(
            found.len(),
            2,
            "a part of a name is another name: {found:?}"
        );
        assert_eq!(
            found[0],
            "docs/behaviours.md:5: tests/some.rs has no test `a_plain`: name the test that holds \
             this behaviour, or remove the line if the behaviour is gone"
        );
    }

    #[test]
    fn a_line_of_another_form_is_named() {
        for row in [
            "It works. | `tests/some.rs :: a_law` |",
            "| It works. | tests/some.rs :: a_law |",
            "| It works. | `tests/some.rs::a_law` |",
            "| It works. | `tests/some.rs :: a_law` `tests/some.rs :: a_plain_test` |",
            "| It works. | `tests/some.rs :: a_law` | more |",
            "| It works. | `../some.rs :: a_law` |",
            "| It works. | `tests/some.py :: a_law` |",
            "| It works. | `tests/some.rs :: ` |",
            "|  | `tests/some.rs :: a_law` |",
            "| It works. |",
        ] {
            let found = problems_with(row);
            assert_eq!(found.len(), 1, "{row}: {found:?}");
            assert!(
                found[0].starts_with("docs/behaviours.md:5: this line names no test: write it as"),
                "{row}: {found:?}"
            );
        }
    }

    #[test]
    fn a_page_without_tests_is_a_problem() {
        let root = tempfile::tempdir().expect("a directory");
        assert!(problems_of(root.path(), PAGES[0], "# Title\n")[0].contains("names no test"));
        assert!(problems(root.path())[0].starts_with("docs/behaviours.md cannot be read"));
    }
}
