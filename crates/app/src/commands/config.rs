//! `threadlore config`: the settings in force, and their reference.

use threadlore_settings::{Settings, reference};

use crate::cli::Config;
use crate::output::Output;

pub(super) fn run(command: &Config, settings: &Settings) -> anyhow::Result<u8> {
    match command {
        Config::Check => {
            settings.validate()?;
            Output::Here.say("the settings are valid");
        }
        Config::Print => Output::Here.print(settings.print()?.trim_end()),
        Config::Docs => Output::Here.print(reference().trim_end()),
    }
    Ok(0)
}
