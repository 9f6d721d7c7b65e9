//! A file without a name that chats are written to, one after the other, and parts of it as readers.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use crate::packed::is_full;

/// While chats are written.
pub(super) struct Spool {
    file: BufWriter<File>,
    written: u64,
    last: u64,
    full: bool,
}

/// Afterwards.
pub(super) struct SpoolFile(Arc<File>);

/// A part of it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    file: Arc<File>,
    bytes: Range<u64>,
}

/// Reads a part.
pub(super) struct PartReader {
    file: Arc<File>,
    bytes: Range<u64>,
    at: u64,
}

impl Spool {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            file: BufWriter::with_capacity(1 << 18, tempfile::tempfile()?),
            written: 0,
            last: 0,
            full: false,
        })
    }

    /// The bytes since this was asked before.
    pub(super) fn since_last(&mut self) -> Range<u64> {
        let start = std::mem::replace(&mut self.last, self.written);
        start..self.written
    }

    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Whether something could not be written because the disk is full. What goes through a parser
    /// comes out of it as an error of the text.
    pub(super) const fn is_full(&self) -> bool {
        self.full
    }

    /// Writes bytes again that were written before.
    pub(super) fn again(&mut self, bytes: &Range<u64>) -> io::Result<()> {
        let size = usize::try_from(bytes.end - bytes.start).map_err(io::Error::other)?;
        let mut copy = vec![0; size];
        self.file.get_ref().read_exact_at(&mut copy, bytes.start)?;
        self.write_all(&copy)
    }

    /// The bytes since then are of no chat.
    pub(super) fn forget_since_last(&mut self) {
        self.last = self.written;
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    pub(super) fn done(self) -> io::Result<SpoolFile> {
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        Ok(SpoolFile(Arc::new(file)))
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        let written = written.inspect_err(|error| self.full |= is_full(error))?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl SpoolFile {
    pub(super) fn part(&self, bytes: Range<u64>) -> Part {
        let file = Arc::clone(&self.0);
        Part { file, bytes }
    }
}

impl Part {
    /// All of a file.
    pub(super) fn whole(file: File) -> io::Result<Self> {
        let size = file.metadata()?.len();
        let file = Arc::new(file);
        Ok(Self {
            file,
            bytes: 0..size,
        })
    }

    pub(super) fn size(&self) -> u64 {
        self.bytes.end - self.bytes.start
    }

    pub(super) fn reader(&self) -> PartReader {
        PartReader {
            file: Arc::clone(&self.file),
            bytes: self.bytes.clone(),
            at: 0,
        }
    }
}

impl Read for PartReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let size = self.bytes.end - self.bytes.start;
        let left = usize::try_from(size.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let wanted = left.min(into.len());
        let read = self
            .file
            .read_at(&mut into[..wanted], self.bytes.start + self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for PartReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let size = self.bytes.end - self.bytes.start;
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_read_alone_and_from_anywhere_in_it() {
        let mut spool = Spool::new().expect("a file");
        let parts: Vec<Range<u64>> = ["one", "", "three"]
            .map(|text| {
                spool.write_all(text.as_bytes()).expect("written");
                spool.since_last()
            })
            .to_vec();
        spool.flush().expect("flushed");
        let written = spool.done().expect("done");
        let texts = parts.into_iter().map(|bytes| {
            let mut text = String::new();
            let part = written.part(bytes);
            assert_eq!(
                part.size(),
                part.reader().read_to_string(&mut text).expect("read") as u64
            );
            text
        });
        let texts: Vec<String> = texts.collect();
        assert_eq!(texts, ["one", "", "three"]);
        let mut reader = written.part(3..8).reader();
        reader.seek(SeekFrom::End(-2)).expect("there");
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("read");
        assert_eq!(text, "ee");
        assert!(reader.seek(SeekFrom::Current(-9)).is_err());
        assert_eq!(reader.seek(SeekFrom::Start(99)).expect("behind it"), 99);
        assert_eq!(reader.read(&mut [0; 4]).expect("nothing"), 0);
    }
}
