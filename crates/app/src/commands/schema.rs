//! `threadlore schema check`: whether every version of every event reads every other.

use std::process::ExitCode;

use crate::cli::Schema;
use crate::exit::BadInput;

pub(super) fn run(command: &Schema) -> anyhow::Result<ExitCode> {
    let Schema::Check = command;
    match threadlore_schema::check() {
        Ok(report) => {
            println!(
                "{} event types, {} versions, {} pairs compared: compatible",
                report.types, report.versions, report.pairs
            );
            Ok(ExitCode::SUCCESS)
        }
        Err(problems) => {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Err(BadInput(format!("schemas are not compatible:\n{}", lines.join("\n"))).into())
        }
    }
}
