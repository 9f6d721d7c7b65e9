//! The files that this process imports at the moment.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use threadlore_model::{ChannelId, SpaceId};

use crate::error::ImportedAlready;

/// Files that are being imported, and where to. The same file is imported into a channel by
/// one command at a time: two would do the work twice. Where several processes import it, that
/// is what happens, and `intake` drops the repeats.
#[derive(Debug, Default)]
pub struct Imports(Mutex<BTreeSet<Import>>);

type Import = (SpaceId, ChannelId, PathBuf);

/// An import that goes on until this is dropped.
#[derive(Debug)]
pub struct Importing<'a> {
    imports: &'a Imports,
    import: Import,
}

impl Imports {
    /// Begins to import a file, by its canonical path.
    ///
    /// # Errors
    /// When another command imports it into this channel.
    pub fn begin(
        &self,
        space: &SpaceId,
        channel: &ChannelId,
        file: &Path,
    ) -> Result<Importing<'_>, ImportedAlready> {
        let import = (space.clone(), channel.clone(), file.to_owned());
        match self.lock().insert(import.clone()) {
            true => Ok(Importing {
                imports: self,
                import,
            }),
            false => Err(ImportedAlready {
                file: file.to_owned(),
                channel: channel.clone(),
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<Import>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Importing<'_> {
    fn drop(&mut self) {
        self.imports.lock().remove(&self.import);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_imported_into_a_channel_by_one_command_at_a_time() {
        let imports = Imports::default();
        let space = SpaceId::parse("acme").expect("a space");
        let channel = |name: &str| ChannelId::parse(name).expect("a channel");
        let begin = |to: &str, file: &str| imports.begin(&space, &channel(to), Path::new(file));
        let first = begin("irc:#a", "/one").expect("the first");
        let refused = begin("irc:#a", "/one").expect_err("the second").to_string();
        assert!(
            refused.contains("/one") && refused.contains("irc:#a"),
            "{refused}"
        );
        let others = [begin("irc:#b", "/one"), begin("irc:#a", "/two")];
        assert!(others.iter().all(Result::is_ok), "{others:?}");
        drop(first);
        begin("irc:#a", "/one").expect("the first is done");
    }
}
