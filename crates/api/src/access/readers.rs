//! Who reads the pages for everybody and asks there: a browser with a number that we gave it.

use std::time::Duration;

use threadlore_model::Timestamp;

use super::{Access, Purpose};

/// How long a browser keeps its number.
pub(crate) const READER_LASTS: Duration = Duration::from_secs(30 * 24 * 3600);

impl Access {
    /// The number of a new reader, signed: who makes up another one could be anybody, an admin too.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub(crate) fn reader(&self, now: Timestamp) -> anyhow::Result<String> {
        self.signed(Purpose::Reader, now.plus(READER_LASTS))
    }

    /// The number of a reader; `None` where it is not of ours, or too old.
    pub(crate) fn reader_of<'a>(&self, signed: &'a str, now: Timestamp) -> Option<&'a str> {
        self.valid_until(Purpose::Reader, signed, now)?;
        signed.split('.').nth(1)
    }

    /// Counts a question of a reader, and says whether it is taken: ten of a minute are, and sixty of all readers.
    pub(crate) fn count_question(&self, reader: &str) -> bool {
        self.questions.count_of(reader).is_ok()
    }
}
