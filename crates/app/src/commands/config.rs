//! `threadlore config`: the settings in force, and their reference.

use threadlore_node::OwnWords;
use threadlore_settings::{Settings, reference, sections};

use crate::cli::Config;
use crate::output::Output;

pub(super) fn run(command: &Config, settings: &Settings, json: bool) -> anyhow::Result<u8> {
    let out = &Output::Here;
    match command {
        Config::Check => {
            settings.validate()?;
            OwnWords::read(settings)?;
            match json {
                true => out.json(&serde_json::json!({ "valid": true }))?,
                false => out.say("the settings are valid"),
            }
        }
        Config::Print if json => out.json(settings)?,
        Config::Print => out.print(settings.print()?.trim_end()),
        Config::Docs if json => {
            out.json(&serde_json::json!({ "sections": sections(settings)? }))?
        }
        Config::Docs => out.print(reference().trim_end()),
        Config::Words { language, space } => {
            let wordings = OwnWords::read(settings)?.wordings;
            let words = wordings.of(space.as_ref());
            match json {
                true => out.json(&serde_json::json!({ "words": words.words(*language) }))?,
                false => out.print(words.file(*language).trim_end()),
            }
        }
    }
    Ok(0)
}
