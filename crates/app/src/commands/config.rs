//! `threadlore config`: the settings in force, and their reference.

use std::process::ExitCode;

use threadlore_settings::{Settings, reference};

use crate::cli::Config;

pub(super) fn run(command: &Config, settings: &Settings) -> anyhow::Result<ExitCode> {
    match command {
        Config::Check => {
            settings.validate()?;
            eprintln!("the settings are valid");
        }
        Config::Print => print!("{}", settings.print()?),
        Config::Docs => print!("{}", reference()),
    }
    Ok(ExitCode::SUCCESS)
}
