//! What an analyst finds in the tables.

use serde_json::Value;

use super::desk::desk;
use super::interop::{packages, run};

/// The page with questions and their SQL.
const PAGE: &str = include_str!("../../../../docs/analysis.md");

/// As the sign-in of an analyst begins.
const ANALYST: &str = "SET lore.space = 'default'; SET ROLE lore_reader; SET timezone = 'UTC'; ";

/// The statements of the page, each with its heading.
fn questions() -> Vec<(&'static str, &'static str)> {
    let parts = PAGE.split("\n## ").skip(1);
    let question = |part: &'static str| {
        let heading = part.lines().next()?;
        let (_, sql) = part.split_once("```sql\n")?;
        let (sql, _) = sql.split_once("```")?;
        Some((heading, sql))
    };
    parts.filter_map(question).collect()
}

#[test]
fn the_questions_of_the_page_are_answered_and_equal_the_report() {
    let place = desk();
    let lines = [
        "good morning",
        "bob: @lore how do I brew coffee on the moon?",
        "eve: @lore how do I mount an iso image?",
        "eve: thanks, that works!",
    ];
    let ran = place.run_with(&["chat"], &lines);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // The week of what was imported, from Monday on, and that of now.
    let weeks = ["2024-05-06T00:00:00Z", "2024-05-13T00:00:00Z"];
    let reports: Vec<Value> = weeks
        .iter()
        .map(|until| place.json(&["report", "--until", until]))
        .collect();
    place.with_database(|sql| {
        let asked = questions();
        assert_eq!(asked.len(), 12);
        for (heading, statement) in asked {
            let rows = sql(&format!("{ANALYST}{statement}"));
            assert!(!rows.is_empty(), "{heading}");
        }
        for (starts, report) in ["2024-04-29", "2024-05-06"].into_iter().zip(&reports) {
            for (column, name) in [
                ("messages", "messages"),
                ("people", "people"),
                ("asked", "asked"),
                ("answered", "answered"),
                ("answered_by_person", "answered_by_person"),
                ("unanswered", "unanswered"),
                ("worked", "worked"),
                ("failed", "failed"),
                ("model_tokens", "model_tokens"),
                ("cases_opened", "cases_opened"),
                ("cases_solved", "cases_solved"),
            ] {
                let shown = sql(&format!(
                    "{ANALYST}SELECT coalesce(max({column}), 0) FROM lore.weekly WHERE starts = '{starts}'"
                ));
                assert_eq!(shown, report[name]["now"].to_string(), "{starts} {column}: {report}");
            }
            let median = sql(&format!(
                "{ANALYST}SELECT coalesce(max(seconds_to_solution)::text, 'null') FROM lore.weekly \
                 WHERE starts = '{starts}'"
            ));
            assert_eq!(median, report["median_seconds_to_solution"].to_string(), "{starts}");
        }
        let totals = sql(&format!(
            "{ANALYST}SELECT sum(asked), sum(answered), sum(unanswered), sum(worked), sum(messages) FROM lore.monthly"
        ));
        assert_eq!(totals, "2|1|1|1|12");
        let found = sql(&format!(
            "{ANALYST}SELECT title, answers, people, worked, failed FROM lore.asked_cases"
        ));
        assert_eq!(found, "How do I mount an iso image so that I can read its files?|1|1|1|0");
        let open = sql(&format!("{ANALYST}SELECT name, outcome, question FROM lore.unanswered"));
        assert_eq!(open, "bob|unknown|@lore how do I brew coffee on the moon?");
    });
}

#[test]
fn tables_are_written_whole_or_not_at_all() {
    let place = desk();
    let listed = |dir: &str| {
        let files = std::fs::read_dir(place.path().join(dir)).expect("a directory");
        let names = files.map(|file| file.expect("a file").file_name().into_string());
        let mut names: Vec<String> = names.map(|name| name.expect("UTF-8")).collect();
        names.sort();
        names
    };
    let told = place.json(&["export", "--tables", "--format", "csv", "tables"]);
    assert_eq!(told["tables"]["messages"], 8, "{told}");
    let tables = told["tables"].as_object().expect("tables");
    let names: Vec<String> = tables.keys().map(|name| format!("{name}.csv")).collect();
    assert_eq!(listed("tables"), names);
    let text = std::fs::read_to_string(place.path().join("tables/weekly.csv")).expect("text");
    let row = text.lines().nth(1).expect("a week");
    assert!(row.starts_with("default,2024-04-29,8,0,6,0,"), "{text}");
    let parquet = place.json(&["export", "--tables", "parquet"]);
    assert_eq!(parquet["tables"], told["tables"]);
    for (args, words) in [
        (&["export", "--tables", "tables"][..], "is not empty"),
        (
            &["export", "--tables", "--space", "typo", "typo"],
            "the space typo has no records here",
        ),
        (&["export", "--tables", "/proc/x"], "creating /proc/x"),
    ] {
        let ran = place.run(args);
        assert!(matches!(ran.code, Some(1 | 3)), "{args:?}: {ran:?}");
        assert!(ran.err.contains(words), "{args:?}: {ran:?}");
    }
    assert!(!place.path().join("typo").exists());
    assert!(!place.path().join("typo.part").exists());
}

/// Both have the same answers, with the types of the dictionary.
#[test]
fn duckdb_and_pandas_read_the_tables() {
    let Some(packages) = packages() else { return };
    let place = desk();
    place.json(&["export", "--tables", "parquet"]);
    place.json(&["export", "--tables", "--format", "csv", "csv"]);
    let dirs = ["parquet", "csv"].map(|dir| place.path().join(dir).display().to_string());
    let told = run(
        &packages,
        "analyst.py",
        &dirs.each_ref().map(String::as_str),
    );
    let told = &told[0];
    assert_eq!(told["same"], true, "{told}");
    assert_eq!(told["messages"], 8, "{told}");
    assert_eq!(
        told["weeks"],
        serde_json::json!([["2024-04-29", 8, 0]]),
        "{told}"
    );
    for (column, kind) in [
        ("messages.text", "VARCHAR"),
        ("messages.bot", "BOOLEAN"),
        ("messages.sent_at", "TIMESTAMP WITH TIME ZONE"),
        ("messages.mentions", "VARCHAR[]"),
        ("cases.version", "BIGINT"),
        ("weekly.starts", "DATE"),
    ] {
        assert_eq!(told["types"][column], kind, "{column}");
    }
}
