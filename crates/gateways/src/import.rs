//! From a file to `chat.inbox`, in batches, with checkpoints.
//!
//! A batch is durable in the log before its checkpoint says so. After a break
//! the file is read again from its start, because ordinals of equal lines count
//! from there, but nothing is appended up to the checkpoint. At worst one batch
//! is appended twice, with equal ids.

use std::io::{self, BufRead, Read, Seek};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use threadlore_model::{Event, Timestamp, Topic};
use threadlore_ports::{BlobStore, EventLog, NewRecord, PortError};

use crate::checkpoint::{Checkpoint, Hashed, Resume};
use crate::error::ImportError;
use crate::format::{ChatFile, Format, Parser};
use crate::looks::looks_like;
use crate::parsed::Parsed;
use crate::source::{Position, Source};
use crate::summary::{Summary, base};
use crate::target::Target;

/// Events appended together at most.
const BATCH: usize = 500;
/// The most bytes of lines in one append, unless one line has more.
const BATCH_BYTES: u64 = 4 << 20;
/// How many bytes are read to detect the format.
const HEAD: u64 = 64 << 10;
/// Lines between two reports of progress at most.
const REPORT: u64 = 1000;

/// The target of an import, and how files are read.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// Space, channel and bots.
    pub target: Target,
    /// The format; `None` to find it out.
    pub format: Option<Format>,
    /// Day of an IRC log's first line; `None` to take it from the file's name.
    pub date: Option<Date>,
    /// The zone of moments that are written without one; `None` refuses them.
    pub timezone: Option<TimeZone>,
    /// Append everything again, whatever was done before; `intake` drops repeats.
    pub again: bool,
}

/// A file to import.
#[derive(Debug)]
pub struct Input<R> {
    /// Its path, for messages, for the date, and to know it again.
    pub name: String,
    /// Its size in bytes, for the progress.
    pub size: u64,
    /// Its content, from the start.
    pub reader: R,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes and lines read.
    pub read: Position,
    /// Size of the file in bytes.
    pub size: u64,
    /// Events appended.
    pub events: u64,
}

/// Imports one file into one channel. `now` is the wall clock. `input.reader` is read with blocking
/// calls, so poll the future on a thread where that does no harm. It can be dropped at any point;
/// the same import then goes on from there.
///
/// # Errors
/// When the format or the day is not known, and when reading, appending or storing the checkpoint
/// fails. Lines that cannot be imported are counted instead.
pub async fn import<R: BufRead + Seek + Send>(
    log: &dyn EventLog,
    blobs: &dyn BlobStore,
    now: Timestamp,
    options: &ImportOptions,
    input: Input<R>,
    mut on_progress: impl FnMut(Progress) + Send,
) -> Result<Summary, ImportError> {
    let Input {
        name: file,
        size,
        mut reader,
    } = input;
    let head = head(&mut reader).map_err(|source| unread(&file, source))?;
    let name = Checkpoint::name(options, &file);
    let parser = parser(options, &file, &head, &mut reader)?;
    let unread = |source| unread(&file, source);
    let broken = |source| ImportError::Checkpoint {
        file: file.clone(),
        name: name.clone(),
        source,
    };
    let mut resume = Resume::Start;
    if !options.again
        && let Some(checkpoint) = Checkpoint::load(blobs, &name).await.map_err(&broken)?
    {
        reader.rewind().map_err(unread)?;
        resume = checkpoint.compare(&file, &mut reader).map_err(unread)?;
    }
    let mut summary = Summary::default();
    let done = match resume {
        Resume::Start => 0,
        Resume::Replaced => {
            summary.replaced.push(file.clone());
            0
        }
        Resume::After(lines) => lines,
        Resume::Done(lines, last) => {
            summary.add_earlier(lines);
            summary.last = last;
            return Ok(summary);
        }
    };
    reader.rewind().map_err(unread)?;
    let mut source = Source::new(Hashed::new(reader), parser, now);
    let mut batch = Batch::default();
    let mut durable = done;
    let mut events = 0;
    loop {
        let start = source.position().bytes;
        let item = source
            .next()
            .transpose()
            .map_err(|source| ImportError::Read {
                file: file.clone(),
                line: durable,
                source,
            })?;
        let read = source.position();
        let finished = item.is_none();
        if let Some(item) = item {
            summary.date(&item);
            if item.line <= done {
                summary.add_earlier(1);
            } else {
                summary.add(&file, &item);
                if let Parsed::Event(event) = item.parsed {
                    batch.push(*event, read.bytes - start);
                }
            }
        }
        if finished || batch.is_full() {
            events += batch.records.len() as u64;
            batch
                .append(log)
                .await
                .map_err(|source| ImportError::Append {
                    file: file.clone(),
                    line: durable,
                    source,
                })?;
            durable = read.lines;
            // A file without any usable line is not done, so that it is refused again next time.
            if !summary.took_nothing() {
                let hashed = source.reader();
                let checkpoint = hashed.checkpoint(&file, durable, finished, summary.last);
                checkpoint.save(blobs, &name).await.map_err(&broken)?;
            }
        }
        if finished || read.lines.is_multiple_of(REPORT) {
            on_progress(Progress { read, size, events });
        }
        if finished {
            close(&mut summary, &source, &file, &head);
            return Ok(summary);
        }
    }
}

/// What an import of a file would take if nothing of it was taken before: it is read, and nothing else is
/// done.
///
/// # Errors
/// When the format or the day is not known, and when reading fails.
pub fn survey<R: BufRead + Seek + Send>(
    now: Timestamp,
    options: &ImportOptions,
    input: Input<R>,
) -> Result<Summary, ImportError> {
    let Input {
        name: file,
        mut reader,
        ..
    } = input;
    let unread = |source| unread(&file, source);
    let head = head(&mut reader).map_err(unread)?;
    let parser = parser(options, &file, &head, &mut reader)?;
    reader.rewind().map_err(unread)?;
    let mut source = Source::new(reader, parser, now);
    let mut summary = Summary::default();
    while let Some(item) = source.next().transpose().map_err(unread)? {
        summary.date(&item);
        summary.add(&file, &item);
    }
    close(&mut summary, &source, &file, &head);
    Ok(summary)
}

/// What a file as a whole says, once it was read to its end.
fn close<R: BufRead>(summary: &mut Summary, source: &Source<R>, file: &str, head: &[u8]) {
    summary.clocks.extend(source.clock_note(base(file)));
    if summary.took_nothing() {
        let why = summary.why_nothing(&looks_like(head));
        summary.pass_over(file, why);
    }
}

/// Events that are appended together.
#[derive(Default)]
struct Batch {
    records: Vec<NewRecord>,
    /// Bytes of the events' lines.
    bytes: u64,
}

impl Batch {
    fn push(&mut self, event: Event, bytes: u64) {
        let topic = Topic::ChatInbox;
        self.records.push(NewRecord { topic, event });
        self.bytes += bytes;
    }

    fn is_full(&self) -> bool {
        self.records.len() >= BATCH || self.bytes >= BATCH_BYTES
    }

    async fn append(&mut self, log: &dyn EventLog) -> Result<(), PortError> {
        let Self { records, .. } = std::mem::take(self);
        if records.is_empty() {
            return Ok(());
        }
        log.publish(records).await
    }
}

fn head(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

/// What reads the lines of a file, by the options, the name and the beginning of the file. The
/// position in the file changes.
fn parser(
    options: &ImportOptions,
    file: &str,
    head: &[u8],
    reader: &mut (impl BufRead + Seek),
) -> Result<Box<dyn Parser>, ImportError> {
    // A file of nothing but blanks is of every format, and of no day.
    let is_blank = (head.len() as u64) < HEAD && head.trim_ascii().is_empty();
    let format = match is_blank {
        true => Some(Format::JsonLines),
        false => options.format.or_else(|| Format::detect(file, head)),
    };
    let format = format.ok_or_else(|| ImportError::UnknownFormat {
        file: file.to_owned(),
        looks: looks_like(head),
    })?;
    reader.rewind().map_err(|source| unread(file, source))?;
    format.parser(ChatFile {
        name: file,
        options,
        head,
        content: reader,
    })
}

/// Nothing of a file could be read.
fn unread(file: &str, source: io::Error) -> ImportError {
    let file = file.to_owned();
    ImportError::Read {
        file,
        line: 0,
        source,
    }
}

#[cfg(test)]
mod tests;
