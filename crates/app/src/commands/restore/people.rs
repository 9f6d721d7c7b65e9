//! The key for people: an export needs the key of the installation that made it.

use std::path::Path;

use threadlore_log_local::load_or_create_secret;
use threadlore_model::PersonHasher;
use threadlore_node::people_key_file;
use threadlore_settings::Settings;

use crate::cli::Restore;
use crate::commands::archive::{Archive, people};
use crate::exit::BadInput;

/// The key with which a new installation is to begin: that of `--people-key`. `None` for an
/// installation that has its key.
///
/// # Errors
/// `BadInput` for a new installation without one, before it makes a key of its own, and for
/// a file that has another key.
pub(in crate::commands) fn key(
    options: &Restore,
    settings: &Settings,
    dir: &Path,
) -> anyhow::Result<Option<[u8; 32]>> {
    let archive = Archive::open(&dir.join(&options.from))?;
    let Some(file) = &options.people_key else {
        let is_new = !settings.in_data_dir().is_empty()
            && !settings.data_dir.join("FORMAT").exists()
            && !people_key_file(settings).exists();
        return match is_new {
            false => Ok(None),
            true => Err(BadInput(format!(
                "there is no installation in {} yet, and a new one would have another key for \
                 people than the export: name the exporting one's with --people-key FILE (there \
                 it is secrets/people.key in the data directory)",
                settings.data_dir.display()
            ))
            .into()),
        };
    };
    let path = dir.join(file);
    let shown = path.display();
    let key = load_or_create_secret(&path, false)
        .map_err(|e| anyhow::Error::new(e).context(BadInput(format!("{shown} is of no use"))))?;
    let space = &archive.manifest.space;
    if people(&PersonHasher::new(&key), space) != archive.manifest.people {
        return Err(BadInput(format!(
            "{shown} is not the key for people that this was exported with: take the exporting \
             installation's"
        ))
        .into());
    }
    Ok(Some(key))
}
