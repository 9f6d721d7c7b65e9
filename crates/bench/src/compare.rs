//! What changed between two results of a suite.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use serde_json::{Map, Value, json};

use crate::{Row, rounded};

/// A result of a suite, as `--json` prints it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Results {
    suite: String,
    rows: Vec<(String, Vec<(String, f64)>)>,
}

/// One metric of one row, before and now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Change {
    row: String,
    metric: String,
    old: Option<f64>,
    new: Option<f64>,
}

impl Results {
    /// What a suite just measured.
    pub(crate) fn of(suite: &str, rows: &[Row]) -> Self {
        let metrics = |row: &Row| {
            let metrics = row.metrics.iter();
            metrics
                .map(|(metric, value)| ((*metric).to_owned(), rounded(*value)))
                .collect()
        };
        Self {
            suite: suite.to_owned(),
            rows: rows
                .iter()
                .map(|row| (row.name.clone(), metrics(row)))
                .collect(),
        }
    }

    /// What a file says that holds the output of `threadlore-bench SUITE --json`.
    ///
    /// # Errors
    /// When it cannot be read, or holds something else.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("reading the result {}", path.display()))?;
        Self::parse(&text).with_context(|| {
            let path = path.display();
            format!("{path} holds no result; write one with `threadlore-bench SUITE --json`")
        })
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let value: Value = serde_json::from_str(text)?;
        let suite = value.get("suite").and_then(Value::as_str);
        let rows = value.get("rows").and_then(Value::as_array);
        Ok(Self {
            suite: suite.context("it names no suite")?.to_owned(),
            rows: rows
                .context("it has no rows")?
                .iter()
                .map(row)
                .collect::<anyhow::Result<_>>()?,
        })
    }

    /// The suite.
    pub(crate) fn suite(&self) -> &str {
        &self.suite
    }

    fn value(&self, row: &str, metric: &str) -> Option<f64> {
        let (_, metrics) = self.rows.iter().find(|(name, _)| name == row)?;
        let (_, value) = metrics.iter().find(|(name, _)| name == metric)?;
        Some(*value)
    }

    fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.rows.iter().flat_map(|(row, metrics)| {
            let metrics = metrics.iter();
            metrics.map(move |(metric, _)| (row.as_str(), metric.as_str()))
        })
    }
}

fn row(value: &Value) -> anyhow::Result<(String, Vec<(String, f64)>)> {
    let object: &Map<String, Value> = value.as_object().context("a row is no object")?;
    let name = object.get("name").and_then(Value::as_str);
    let name = name.context("a row has no name")?.to_owned();
    let mut metrics = Vec::new();
    for (metric, value) in object.iter().filter(|(metric, _)| *metric != "name") {
        let Some(value) = value.as_f64() else {
            bail!("{metric} of the row {name:?} is no number");
        };
        metrics.push((metric.clone(), value));
    }
    Ok((name, metrics))
}

/// Every metric of every row that one of the two results has.
///
/// # Errors
/// When they are of different suites.
pub(crate) fn changes(old: &Results, new: &Results) -> anyhow::Result<Vec<Change>> {
    ensure!(
        old.suite == new.suite,
        "the older result is one of the suite `{}`, and the newer one of `{}`",
        old.suite,
        new.suite
    );
    let gone = old
        .names()
        .filter(|(row, metric)| new.value(row, metric).is_none());
    Ok(new
        .names()
        .chain(gone)
        .map(|(row, metric)| Change {
            row: row.to_owned(),
            metric: metric.to_owned(),
            old: old.value(row, metric),
            new: new.value(row, metric),
        })
        .collect())
}

impl Change {
    /// New by old, where both are known and there is one.
    fn ratio(&self) -> Option<f64> {
        let (old, new) = (self.old?, self.new?);
        let ratio = if old == new { 1.0 } else { new / old };
        ratio.is_finite().then_some(ratio)
    }
}

/// A line for each change.
pub(crate) fn as_table(changes: &[Change]) -> String {
    let width = |of: fn(&Change) -> &str, least: usize| {
        let widths = changes.iter().map(|change| of(change).len());
        widths.chain([least]).max().unwrap_or(least)
    };
    let rows = width(|change| &change.row, "row".len());
    let metrics = width(|change| &change.metric, "metric".len());
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| rounded(v).to_string());
    let mut out = format!(
        "{:rows$}  {:metrics$}  {:>12}  {:>12}  {:>8}",
        "row", "metric", "old", "new", "ratio"
    );
    for change in changes {
        out.push_str(&format!(
            "\n{:rows$}  {:metrics$}  {:>12}  {:>12}  {:>8}",
            change.row,
            change.metric,
            number(change.old),
            number(change.new),
            number(change.ratio())
        ));
    }
    out
}

/// An object for each change.
pub(crate) fn as_json(changes: &[Change]) -> Value {
    let changes = changes.iter().map(|change| {
        json!({
            "name": change.row,
            "metric": change.metric,
            "old": change.old,
            "new": change.new,
            "ratio": change.ratio().map(rounded),
        })
    });
    Value::Array(changes.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(text: &str) -> Results {
        Results::parse(text).expect("a result")
    }

    fn old() -> Results {
        result(r#"{"suite": "ingest", "rows": [{"name": "a", "rate": 10, "zero": 0, "gone": 1}]}"#)
    }

    #[test]
    fn every_metric_is_compared() {
        // given
        let new = result(
            r#"{"suite": "ingest", "rows": [
                {"name": "a", "rate": 15, "zero": 0}, {"name": "b", "rate": 3}]}"#,
        );
        // when
        let changes = changes(&old(), &new).expect("one suite");
        // then
        let table = as_table(&changes);
        let lines: Vec<Vec<&str>> = table
            .lines()
            .map(|l| l.split_whitespace().collect())
            .collect();
        assert_eq!(
            lines,
            [
                ["row", "metric", "old", "new", "ratio"],
                ["a", "rate", "10", "15", "1.5"],
                ["a", "zero", "0", "0", "1"],
                ["b", "rate", "-", "3", "-"],
                ["a", "gone", "1", "-", "-"],
            ]
        );
        let first = &as_json(&changes)[0];
        let wanted = json!({"name": "a", "metric": "rate", "old": 10.0, "new": 15.0, "ratio": 1.5});
        assert_eq!(*first, wanted);
    }

    #[test]
    fn what_a_suite_prints_can_be_compared_with_it() {
        let rows = [Row {
            name: "a".to_owned(),
            metrics: vec![("rate", 10.004), ("share", 0.333_33)],
        }];
        let printed = crate::as_json("ingest", &rows).to_string();
        let compared = changes(&result(&printed), &Results::of("ingest", &rows));
        let compared = compared.expect("one suite");
        assert!(
            compared.iter().all(|change| change.old == change.new),
            "{compared:?}"
        );
    }

    #[test]
    fn results_of_two_suites_are_not_compared() {
        let new = result(r#"{"suite": "replay", "rows": []}"#);
        let error = changes(&old(), &new).expect_err("two suites");
        assert!(error.to_string().contains("`ingest`") && error.to_string().contains("`replay`"));
    }

    #[test]
    fn a_file_that_is_missing_or_no_result_is_named() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("old.json");
        let said = |path: &Path| format!("{:#}", Results::read(path).expect_err("no result"));
        assert!(said(&path).contains("old.json"), "{}", said(&path));
        for (text, why) in [
            ("not JSON", "expected"),
            ("{}", "names no suite"),
            (r#"{"suite": "ingest"}"#, "has no rows"),
            (r#"{"suite": "ingest", "rows": [{}]}"#, "has no name"),
            (
                r#"{"suite": "ingest", "rows": [{"name": "a", "rate": "x"}]}"#,
                "rate of the row \"a\" is no number",
            ),
        ] {
            fs::write(&path, text).expect("written");
            let said = said(&path);
            assert!(
                said.contains("old.json holds no result") && said.contains(why),
                "{said}"
            );
        }
    }
}
