//! `threadlore-bench SUITE --data DIR [--json]`: measures one part of the
//! system on real data and prints a table, or with `--json` one object.

mod bootstrap;
mod bulk;
mod cases;
mod context;
mod cost;
mod dedup;
mod index;
mod ingest;
mod logs;
mod replay;
mod retrieve;
mod search;
mod silence;
mod texts;
mod threads;
mod vectors;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
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
    ("threads", |args| threads::run(&args.data)),
    ("threads-10fold", |args| threads::folds(&args.data)),
    ("cases", |args| match &args.server {
        None => cases::run(&args.data),
        Some(server) => cases::with_model(&args.data, server),
    }),
    ("context", |args| context::run(&args.data)),
    ("context-folds", |args| context::folds(&args.data)),
    ("cost", |args| cost::run(&args.data)),
    ("ingest", |args| ingest::run(&args.data)),
    ("retrieve", |args| retrieve::run(&args.data)),
    ("retrieve-locomo", |args| retrieve::locomo(&args.data)),
    ("dedup", |args| dedup::run(&args.data)),
    ("dedup-merges", |args| dedup::thresholds(&args.data)),
    ("silence", silence::run),
    ("silence-thresholds", silence::thresholds),
    ("index", index::run),
    ("replay", replay::run),
];

/// Measures one part of Threadlore on real data.
#[derive(Debug, Parser)]
#[command(name = "threadlore-bench")]
struct Args {
    /// The suite: threads, threads-10fold, cases, context, context-folds, cost, ingest,
    /// replay, retrieve, retrieve-locomo, dedup, dedup-merges, silence, silence-thresholds, index
    #[arg(value_parser = suite)]
    suite: String,
    /// The folder with the data sets
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// For `index`, and if there are some for `silence`: texts with their vectors, see
    /// docs/bench.md
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,
    /// For `silence` with --vectors: the cosine from which on a text is close by its vector
    /// alone, in thousandths
    #[arg(long, value_name = "THOUSANDTHS", requires = "vectors")]
    close_at: Option<u32>,
    /// For `index`: cases
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    points: usize,
    /// For `replay`: events in the log
    #[arg(long, value_name = "COUNT", default_value_t = 1_000_000)]
    events: usize,
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
    let Some((name, suite)) = SUITES.iter().find(|(name, _)| *name == args.suite) else {
        anyhow::bail!("there is no suite {:?}", args.suite);
    };
    if args.server.is_some() && *name != "cases" {
        anyhow::bail!("--openai is for the suite `cases`");
    }
    let rows = suite(args)?;
    let text = if args.json {
        as_json(name, &rows).to_string()
    } else {
        as_table(&rows)
    };
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

fn as_table(rows: &[Row]) -> String {
    let metrics = rows.first().map_or(&[][..], |row| &row.metrics);
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut out = " ".repeat(width);
    for (metric, _) in metrics {
        let width = metric.len().max(10);
        out.push_str(&format!("  {metric:>width$}"));
    }
    for row in rows {
        out.push_str(&format!("\n{:width$}", row.name));
        for (metric, value) in &row.metrics {
            let width = metric.len().max(10);
            out.push_str(&format!("  {:>width$}", rounded(*value)));
        }
    }
    out
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
            assert_eq!(parsed.expect("a suite").suite, *name);
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
