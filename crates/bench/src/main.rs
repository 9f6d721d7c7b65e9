//! `threadlore-bench SUITE --data DIR [--json] [--compare OLD]`: measures one part of the
//! system on real data and prints a table, or with `--json` one object. With an older result
//! it prints what changed, too.
//!
//! `threadlore-bench --result NEW --compare OLD [--json]` compares two results and measures
//! nothing.

mod answers;
mod bootstrap;
mod bulk;
mod cases;
mod compare;
mod context;
mod cost;
mod dedup;
mod embedded;
mod fresh;
mod index;
mod ingest;
mod latency;
mod learning;
mod livechat;
mod logs;
mod outcomes;
mod peak;
mod recovery;
mod replay;
mod retrieve;
mod roles;
mod search;
mod silence;
mod texts;
mod threads;
mod vectors;
mod writer;
mod year;

/// As the binary: what is measured is what runs.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clap::builder::ArgPredicate;
use compare::{Results, changes};
use serde_json::{Map, Value, json};

/// One line of a suite's result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// What was measured.
    pub(crate) name: String,
    /// Metrics by name, in the order in which they are shown.
    pub(crate) metrics: Vec<(&'static str, f64)>,
}

/// A suite: from where the data is to its rows.
type Suite = fn(&Args) -> anyhow::Result<Vec<Row>>;

/// Every suite by name.
const SUITES: &[(&str, Suite)] = &[
    ("answers", answers::run),
    ("threads", |args| threads::run(&args.data)),
    ("threads-10fold", |args| threads::folds(&args.data)),
    ("cases", |args| match &args.server {
        None => cases::run(&args.data),
        Some(server) => cases::with_model(&args.data, server),
    }),
    ("context", |args| context::run(&args.data)),
    ("context-folds", |args| context::folds(&args.data)),
    ("cost", |args| cost::run(&args.data)),
    ("ingest", ingest::run),
    ("latency", |args| latency::run(&args.data)),
    ("retrieve", retrieve::run),
    ("retrieve-locomo", retrieve::locomo),
    ("dedup", |args| dedup::run(&args.data)),
    ("dedup-merges", |args| dedup::thresholds(&args.data)),
    ("outcomes", outcomes::run),
    ("year", year::run),
    ("silence", silence::run),
    ("silence-thresholds", silence::thresholds),
    ("index", index::run),
    ("replay", replay::run),
    ("roles", roles::run),
    ("recovery", recovery::run),
    ("learning", learning::run),
];

/// Measures one part of Threadlore on real data.
#[derive(Debug, Parser)]
#[command(name = "threadlore-bench")]
struct Args {
    /// The suite: answers, threads, threads-10fold, cases, context, context-folds, cost, ingest,
    /// latency, learning, replay, roles, recovery, retrieve, retrieve-locomo, dedup, dedup-merges, outcomes, year, silence, silence-thresholds, index
    #[arg(value_parser = suite, required_unless_present = "result")]
    suite: Option<String>,
    /// The folder with the data sets
    #[arg(
        long,
        value_name = "DIR",
        required = false,
        required_unless_present = "result",
        default_value_if("result", ArgPredicate::IsPresent, Some("."))
    )]
    data: PathBuf,
    /// An older result, which is a file that --json wrote: print what changed since
    #[arg(long, value_name = "OLD")]
    compare: Option<PathBuf>,
    /// Compare this result with the older one, and measure nothing
    #[arg(
        long,
        value_name = "NEW",
        requires = "compare",
        conflicts_with = "suite"
    )]
    result: Option<PathBuf>,
    /// For `answers`: how many of a hundred answers may be wrong ones
    #[arg(long, value_name = "COUNT")]
    wrong_at_most: Option<u32>,
    /// For `index`: cases; for `learning`: cases, answers, and wishes to remember something
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    points: usize,
    /// For `replay`: events in the log; for `recovery`: messages in the log
    #[arg(long, value_name = "COUNT", default_value_t = 1_000_000)]
    events: usize,
    /// For `ingest`: only the row with so many channels, 1 or 4
    #[arg(long, value_name = "COUNT")]
    channels: Option<usize>,
    /// For `answers`: which half of questions and dialogs
    #[arg(long, value_enum, default_value = "tune")]
    half: answers::Half,
    /// For `answers`: print so many solved cases of IRC, drawn by the message that states the problem
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    drawn: usize,
    /// For `index`, and for `answers`, `retrieve`, `retrieve-locomo` and `silence`: a directory with
    /// a model, as `threadlore models pull` makes it under
    /// DATA_DIR/models; without it words alone
    #[arg(long, value_name = "DIR")]
    embedder: Option<PathBuf>,
    /// For `answers`: write what was found for each question to a file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    found: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Option<cases::Server>,
}

/// A name that a suite has.
fn suite(name: &str) -> Result<String, String> {
    let mut names = SUITES.iter().map(|(name, _)| *name);
    if names.any(|known| known == name) {
        return Ok(name.to_owned());
    }
    let names: Vec<&str> = SUITES.iter().map(|(name, _)| *name).collect();
    Err(format!(
        "there is no such suite; choose one of: {}",
        names.join(", ")
    ))
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(io::stderr(), "threadlore-bench: {error:#}").unwrap_or_default();
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> anyhow::Result<()> {
    // An older result that is none is said before hours of measuring.
    let old = args.compare.as_deref().map(Results::read).transpose()?;
    if let (Some(new), Some(old)) = (&args.result, &old) {
        let new = Results::read(new)?;
        let changes = changes(old, &new)?;
        return print(if args.json {
            json!({"suite": new.suite(), "changes": compare::as_json(&changes)}).to_string()
        } else {
            compare::as_table(&changes)
        });
    }
    let wanted = args.suite.as_deref().unwrap_or_default();
    let Some((name, suite)) = SUITES.iter().find(|(name, _)| *name == wanted) else {
        anyhow::bail!("there is no suite {wanted:?}");
    };
    if args.server.is_some() && *name != "cases" {
        anyhow::bail!("--openai is for the suite `cases`");
    }
    if let Some(old) = old.as_ref().filter(|old| old.suite() != *name) {
        anyhow::bail!("the older result is one of the suite `{}`", old.suite());
    }
    let rows = suite(args)?;
    let changes = old.map(|old| changes(&old, &Results::of(name, &rows)));
    let changes = changes.transpose()?;
    if args.json {
        let mut result = as_json(name, &rows);
        if let Some(changes) = &changes {
            result["changes"] = compare::as_json(changes);
        }
        return print(result.to_string());
    }
    print(as_table(&rows))?;
    match changes {
        Some(changes) => print(format!("\n{}", compare::as_table(&changes))),
        None => Ok(()),
    }
}

fn print(text: String) -> anyhow::Result<()> {
    writeln!(io::stdout().lock(), "{text}")?;
    Ok(())
}

fn as_json(suite: &str, rows: &[Row]) -> Value {
    let row = |row: &Row| {
        let mut object = Map::new();
        object.insert("name".to_owned(), json!(row.name));
        for (metric, value) in &row.metrics {
            object.insert((*metric).to_owned(), json!(rounded(*value)));
        }
        Value::Object(object)
    };
    json!({"suite": suite, "rows": rows.iter().map(row).collect::<Vec<_>>()})
}

/// Two decimals, or four below 1, where ratios are.
fn rounded(value: f64) -> f64 {
    let scale = if value.abs() < 1.0 { 10_000.0 } else { 100.0 };
    (value * scale).round() / scale
}

/// Rows that have the same metrics stand under one line with their names.
fn as_table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let names = |row: &Row| {
        row.metrics
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
    };
    let mut lines = Vec::new();
    for part in rows.chunk_by(|a, b| names(a) == names(b)) {
        let mut head = " ".repeat(width);
        for name in part.first().map(names).unwrap_or_default() {
            let width = name.len().max(10);
            head.push_str(&format!("  {name:>width$}"));
        }
        lines.push(head);
        for row in part {
            let mut line = format!("{:width$}", row.name);
            for (metric, value) in &row.metrics {
                let width = metric.len().max(10);
                line.push_str(&format!("  {:>width$}", rounded(*value)));
            }
            lines.push(line);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_suite_is_a_usage_error_that_names_the_suites() {
        let parsed = Args::try_parse_from(["bench", "nonsense", "--data", "d"]);
        let refused = parsed.expect_err("no such suite");
        assert_eq!(refused.exit_code(), 2);
        let said = refused.to_string();
        assert!(
            said.contains("'nonsense'") && said.contains("threads"),
            "{said}"
        );
        for (name, _) in SUITES {
            let parsed = Args::try_parse_from(["bench", name, "--data", "d"]);
            assert_eq!(parsed.expect("a suite").suite.as_deref(), Some(*name));
        }
    }

    #[test]
    fn a_model_is_named_with_its_server_or_not_at_all() {
        let parsed = |more: &[&str]| {
            let plain = ["bench", "cases", "--data", "d"];
            Args::try_parse_from(plain.iter().chain(more))
        };
        assert!(parsed(&[]).expect("all that is needed").server.is_none());
        let server = ["--openai", "http://127.0.0.1:1/v1", "--model", "m"];
        assert!(parsed(&server).expect("both").server.is_some());
        assert!(parsed(&server[..2]).is_err() && parsed(&server[2..]).is_err());
    }

    #[test]
    fn two_results_are_compared_without_a_suite() {
        let parsed = |args: &[&str]| Args::try_parse_from(["bench"].iter().chain(args));
        assert!(parsed(&["--result", "new.json", "--compare", "old.json"]).is_ok());
        let with_suite = ["threads", "--data", "d", "--compare", "old.json"];
        assert!(parsed(&with_suite).is_ok());
        for refused in [
            &["--compare", "old.json"][..],
            &["--result", "new.json"],
            &["threads"],
            &["--data", "d"],
        ] {
            assert!(parsed(refused).is_err(), "{refused:?}");
        }
    }

    #[test]
    fn a_row_becomes_one_object_with_its_metrics() {
        let rows = [Row {
            name: "builtin".to_owned(),
            metrics: vec![("vi", 90.126)],
        }];
        let value = as_json("threads", &rows);
        let expected = serde_json::json!({
            "suite": "threads",
            "rows": [{"name": "builtin", "vi": 90.13}],
        });
        assert_eq!(value, expected);
    }
}
