//! `threadlore schema check`: whether every version of every event reads every other.

use crate::cli::Schema;
use crate::exit::BadInput;
use crate::output::Output;

pub(super) fn run(command: &Schema, json: bool) -> anyhow::Result<u8> {
    let Schema::Check = command;
    match threadlore_schema::check() {
        Ok(report) if json => {
            Output::Here.json(&serde_json::json!({
                "compatible": true,
                "types": report.types,
                "versions": report.versions,
                "pairs": report.pairs,
            }))?;
            Ok(0)
        }
        Ok(report) => {
            Output::Here.print(format_args!(
                "{} event types, {} versions, {} pairs compared: compatible",
                report.types, report.versions, report.pairs
            ));
            Ok(0)
        }
        Err(problems) => {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Err(BadInput(format!("schemas are not compatible:\n{}", lines.join("\n"))).into())
        }
    }
}
