//! The data dictionary as comments of the database, so that tools of analysts show what a column means.

use crate::docs::root;

/// Where it is written.
const PAGE: &str = "docs/data-dictionary.md";

/// A statement for each view and column of the dictionary, those of a view behind a line with its name.
pub(crate) fn comments() -> String {
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    statements(&page)
}

fn statements(page: &str) -> String {
    let mut made = "-- Made from docs/data-dictionary.md by `cargo xtask docs`.\n".to_owned();
    for section in page.split("\n## ").skip(1) {
        let (heading, rest) = section.split_once('\n').unwrap_or((section, ""));
        // One that describes tables in another way has no columns first.
        if !rest.contains("\n| column |") {
            continue;
        }
        for view in names(heading, "lore.") {
            made.push_str(&format!("-- lore.{view}\n"));
            let first = rest.trim_start().lines().next().unwrap_or_default();
            let about = quoted(&plain(first));
            made.push_str(&format!("COMMENT ON VIEW lore.{view} IS {about};\n"));
            for row in rest.lines().filter(|line| line.starts_with("| `")) {
                let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
                let [columns, _, null, meaning, ..] = cells[..] else {
                    continue;
                };
                let null = match null.strip_prefix("never") {
                    Some("") => String::new(),
                    Some(but) => format!(" ({})", plain(but.trim_start_matches([';', ' ']))),
                    None => format!(" (null: {})", plain(null)),
                };
                let meaning = quoted(&format!("{}{null}", plain(meaning)));
                for column in columns.split(", ").map(|name| name.trim_matches('`')) {
                    made.push_str(&format!(
                        "COMMENT ON COLUMN lore.{view}.{column} IS {meaning};\n"
                    ));
                }
            }
        }
    }
    made
}

/// The words of a heading that begin so.
fn names<'a>(heading: &'a str, begins: &str) -> Vec<&'a str> {
    let words = heading.split([' ', ',']);
    words.filter_map(|word| word.strip_prefix(begins)).collect()
}

/// Text without the marks of Markdown: of a link its words.
fn plain(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (words, label) = before.rsplit_once('[').unwrap_or((before, ""));
        shown.push_str(words);
        shown.push_str(label);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    shown.push_str(rest);
    shown.replace("**", "").replace('`', "").trim().to_owned()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_and_columns_become_statements() {
        let page = "# D\n\n## Reading\n\ntext\n\n## lore.a and lore.b\n\nOne **row** per [x](y.md), it\'s.\n\n\
                    | column | type | null when | meaning | set by |\n|---|---|---|---|---|\n\
                    | `space`, `id` | text | never | the key | X |\n\
                    | `at` | time | not `yet` | when | X |\n\n## lore.live\n\n| table | column |\n|---|---|\n| `x` | `y` |\n";
        let made = statements(page);
        assert!(
            made.contains("COMMENT ON VIEW lore.a IS 'One row per x, it''s.';"),
            "{made}"
        );
        assert!(made.contains("-- lore.b\nCOMMENT ON VIEW lore.b"), "{made}");
        assert!(
            made.contains("COMMENT ON COLUMN lore.b.id IS 'the key';"),
            "{made}"
        );
        assert!(
            made.contains("COMMENT ON COLUMN lore.a.at IS 'when (null: not yet)';"),
            "{made}"
        );
        assert!(!made.contains("live"), "{made}");
    }
}
