//! The progress of an import, stored with the log so that an interrupted one can go on.
//!
//! A checkpoint has the name of the file, and length and hash of the imported bytes. It is used
//! only for a file that begins with these bytes: a file that has grown goes on where it ended, and
//! one that was replaced is imported from its beginning.

use std::io::{self, BufRead, Read};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use threadlore_model::Timestamp;
use threadlore_ports::{BlobStore, PortError};

use crate::import::ImportOptions;

/// The part of a file that is durable in the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checkpoint {
    /// Path of the file.
    file: String,
    /// Bytes from its start, and their SHA-256 in hexadecimal digits.
    bytes: u64,
    sha256: String,
    /// Lines in these bytes.
    lines: u64,
    /// Whether the last of these lines had no line feed, so that the file may have grown
    /// within it.
    cut: bool,
    /// Whether these bytes were the whole file.
    finished: bool,
    /// Time of the latest event among these lines.
    last: Option<Timestamp>,
}

/// The relation of a checkpoint to the file that is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resume {
    /// There is no checkpoint, or none that can be understood.
    Start,
    /// The content differs: the file was replaced or cut.
    Replaced,
    /// The first lines are done; the file has more, or the import was broken off.
    After(u64),
    /// All lines are done; the time of their latest event.
    Done(u64, Option<Timestamp>),
}

impl Checkpoint {
    /// The name of an import's blob. It depends on the file, the target and all options that
    /// influence ids, so that a file counts as new in another channel.
    pub(crate) fn name(options: &ImportOptions, file: &str) -> String {
        let date = options
            .date
            .map(|date| date.to_string())
            .unwrap_or_default();
        let format = options.format.map_or("", |format| format.name());
        let zone = options.timezone.as_ref();
        let zone = zone.map(|zone| format!("{zone:?}")).unwrap_or_default();
        let mut hash = Sha256::new();
        for part in [
            options.target.space.as_str(),
            options.target.channel.as_str(),
            format,
            &date,
            &zone,
            file,
        ] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        format!("imports/{:x}.json", hash.finalize())
    }

    /// The checkpoint of that name, if there is one. A checkpoint that cannot be read is ignored,
    /// because reading a file twice does no harm.
    pub(crate) async fn load(blobs: &dyn BlobStore, name: &str) -> Result<Option<Self>, PortError> {
        let Some(bytes) = blobs.get(name).await? else {
            return Ok(None);
        };
        let parsed = serde_json::from_slice(&bytes).inspect_err(|error| {
            tracing::warn!(
                name, %error,
                "the checkpoint cannot be understood; the import starts from line 1"
            );
        });
        Ok(parsed.ok())
    }

    pub(crate) async fn save(&self, blobs: &dyn BlobStore, name: &str) -> Result<(), PortError> {
        let mut text = serde_json::to_vec(self).map_err(|error| PortError::Broken {
            doing: "noting how far an import came",
            reason: format!("the checkpoint {name} cannot be written as JSON"),
            source: Some(Box::new(error)),
        })?;
        text.push(b'\n');
        blobs.put(name, &text).await
    }

    /// Compares it with a file, read from its start.
    pub(crate) fn compare(&self, file: &str, reader: &mut impl BufRead) -> io::Result<Resume> {
        let mut content = Hashed::new(reader);
        let read = io::copy(&mut (&mut content).take(self.bytes), &mut io::sink())?;
        if self.file != file || read != self.bytes || content.sha256() != self.sha256 {
            return Ok(Resume::Replaced);
        }
        let has_more = !content.fill_buf()?.is_empty();
        Ok(match (self.finished, has_more) {
            (true, false) => Resume::Done(self.lines, self.last),
            (_, true) => Resume::After(self.lines - u64::from(self.cut)),
            (false, false) => Resume::After(self.lines),
        })
    }
}

/// A reader that hashes the bytes it reads.
pub(crate) struct Hashed<R> {
    reader: R,
    hash: Sha256,
    bytes: u64,
    last: Option<u8>,
}

impl<R: BufRead> Hashed<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            hash: Sha256::new(),
            bytes: 0,
            last: None,
        }
    }

    fn sha256(&self) -> String {
        format!("{:x}", self.hash.clone().finalize())
    }

    /// A checkpoint after the bytes that were read so far, which are this many lines.
    pub(crate) fn checkpoint(
        &self,
        file: &str,
        lines: u64,
        finished: bool,
        last: Option<Timestamp>,
    ) -> Checkpoint {
        Checkpoint {
            file: file.to_owned(),
            bytes: self.bytes,
            sha256: self.sha256(),
            lines,
            cut: self.last.is_some_and(|byte| byte != b'\n'),
            finished,
            last,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        self.last = bytes.last().copied().or(self.last);
    }
}

impl<R: BufRead> Read for Hashed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(into)?;
        self.add(&into[..count]);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Hashed<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        // The consumed bytes are in the buffer, so this reads nothing.
        if let Ok(buffer) = self.reader.fill_buf() {
            let used = &buffer[..count.min(buffer.len())];
            self.hash.update(used);
            self.bytes += used.len() as u64;
            self.last = used.last().copied().or(self.last);
        }
        self.reader.consume(count);
    }
}
