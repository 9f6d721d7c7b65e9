//! `erase`.

use clap::Args;
use threadlore_model::SpaceId;

/// Options of `erase`.
#[derive(Debug, Args)]
pub(crate) struct Erase {
    #[command(flatten)]
    pub(crate) what: ErasureTarget,
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
    /// Only count what would be erased.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// What is erased.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ErasureTarget {
    /// The person: the platform and the platform's id of them, for example `irc:alice` or
    /// `matrix:@alice:example.org`.
    #[arg(long, value_name = "PLATFORM:NATIVE_ID", value_parser = person)]
    pub(crate) person: Option<NativePerson>,
    /// Messages that were sent more than so many days ago and that no case, memory or exchange rests on.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(crate) older_than: Option<u32>,
}

/// A person, as the platform names them.
#[derive(Debug, Clone)]
pub(crate) struct NativePerson {
    pub(crate) platform: String,
    pub(crate) native: String,
}

fn person(text: &str) -> Result<NativePerson, String> {
    match text.split_once(':') {
        Some((platform, native)) if !platform.is_empty() && !native.is_empty() => {
            Ok(NativePerson {
                platform: platform.to_owned(),
                native: native.to_owned(),
            })
        }
        _ => Err("a person is named as platform:id, for example irc:alice".to_owned()),
    }
}
