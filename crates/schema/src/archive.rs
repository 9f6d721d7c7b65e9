//! Records in a file: an Avro object container (deflated blocks), which tools of any
//! language read.

use std::io::{Read, Write};

use apache_avro::{Codec, DeflateSettings, Reader, Schema, from_value};
use serde::{Deserialize, Serialize};
use threadlore_model::{Offset, Partition, Timestamp, TopicPartition};

const SCHEMA: &str = include_str!("archive.avsc");

/// A record of the log as a file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    /// The partition it was read from.
    pub at: TopicPartition,
    /// Its place there.
    pub offset: Offset,
    /// When it was appended there.
    pub appended: Timestamp,
    /// The key.
    pub key: Vec<u8>,
    /// Headers, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The value.
    pub value: Vec<u8>,
}

/// Why a file of records cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file is no archive, it is damaged, or the disk failed.
    #[error("the file of records cannot be used")]
    Avro(#[from] Box<apache_avro::Error>),
    /// A record that is none of ours.
    #[error("record {number} of the file: {reason}")]
    Record {
        /// Counted from 1.
        number: u64,
        /// Why it cannot be used.
        reason: String,
    },
}

impl From<apache_avro::Error> for ArchiveError {
    fn from(error: apache_avro::Error) -> Self {
        Self::Avro(Box::new(error))
    }
}

#[derive(Serialize, Deserialize)]
struct Row {
    topic: String,
    partition: i32,
    offset: i64,
    appended: i64,
    #[serde(with = "serde_bytes")]
    key: Vec<u8>,
    headers: Vec<Header>,
    #[serde(with = "serde_bytes")]
    value: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    name: String,
    #[serde(with = "serde_bytes")]
    value: Vec<u8>,
}

/// The schema of the file.
///
/// # Errors
/// Never, because the schema is built in.
fn schema() -> Result<Schema, ArchiveError> {
    Ok(Schema::parse_str(SCHEMA)?)
}

/// Writes records to a file.
pub struct ArchiveWriter<W: Write> {
    rows: apache_avro::Writer<'static, W>,
}

impl<W: Write> ArchiveWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When the schema is refused.
    pub fn new(to: W) -> Result<Self, ArchiveError> {
        static SHARED: std::sync::OnceLock<Schema> = std::sync::OnceLock::new();
        let schema = match SHARED.get() {
            Some(schema) => schema,
            None => {
                let schema = schema()?;
                SHARED.get_or_init(|| schema)
            }
        };
        let codec = Codec::Deflate(DeflateSettings::default());
        Ok(Self {
            rows: apache_avro::Writer::with_codec(schema, to, codec),
        })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, record: Archived) -> Result<(), ArchiveError> {
        let headers = record.headers.into_iter();
        self.rows.append_ser(Row {
            topic: record.at.topic.name().to_owned(),
            partition: record.at.partition.0,
            offset: record.offset.0,
            appended: record.appended.as_millis(),
            key: record.key,
            headers: headers
                .map(|(name, value)| Header { name, value })
                .collect(),
            value: record.value,
        })?;
        Ok(())
    }

    /// Finishes the file, and returns the flushed writer.
    ///
    /// # Errors
    /// When the last block cannot be written.
    pub fn finish(self) -> Result<W, ArchiveError> {
        Ok(self.rows.into_inner()?)
    }
}

/// Reads the records of a file, in order. After an error, none of its records may be used.
pub struct ArchiveReader<'a, R: Read> {
    rows: Reader<'a, R>,
    number: u64,
}

impl<R: Read> ArchiveReader<'_, R> {
    /// Reads the header.
    ///
    /// # Errors
    /// When the file is no Avro object container.
    pub fn new(from: R) -> Result<Self, ArchiveError> {
        Ok(Self {
            rows: Reader::new(from)?,
            number: 0,
        })
    }

    fn record(&self, row: Row) -> Result<Archived, ArchiveError> {
        let topic = row.topic.parse().map_err(|reason| ArchiveError::Record {
            number: self.number,
            reason,
        })?;
        let headers = row.headers.into_iter();
        Ok(Archived {
            at: TopicPartition {
                topic,
                partition: Partition(row.partition),
            },
            offset: Offset(row.offset),
            appended: Timestamp::from_millis(row.appended),
            key: row.key,
            headers: headers.map(|header| (header.name, header.value)).collect(),
            value: row.value,
        })
    }
}

impl<R: Read> Iterator for ArchiveReader<'_, R> {
    type Item = Result<Archived, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.next()?;
        self.number += 1;
        let number = self.number;
        let row = row.map_err(ArchiveError::from).and_then(|value| {
            from_value::<Row>(&value).map_err(|_| ArchiveError::Record {
                number,
                reason: "it is no record of a log".to_owned(),
            })
        });
        Some(row.and_then(|row| self.record(row)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use threadlore_model::Topic;

    use super::*;

    fn record() -> impl Strategy<Value = Archived> {
        let bytes = || proptest::collection::vec(any::<u8>(), 0..40);
        let headers = proptest::collection::vec((".{0,12}", bytes()), 0..4);
        let place = (0..Topic::ALL.len(), 0..64_i32, 0..i64::MAX, any::<i64>());
        (place, bytes(), headers, bytes()).prop_map(|(place, key, headers, value)| {
            let (topic, partition, offset, appended) = place;
            let at = TopicPartition {
                topic: Topic::ALL[topic],
                partition: Partition(partition),
            };
            Archived {
                at,
                offset: Offset(offset),
                appended: Timestamp::from_millis(appended),
                key,
                headers,
                value,
            }
        })
    }

    fn file(records: &[Archived]) -> Vec<u8> {
        let mut writer = ArchiveWriter::new(Vec::new()).expect("begins");
        for record in records {
            writer.append(record.clone()).expect("appends");
        }
        writer.finish().expect("ends")
    }

    fn read(file: &[u8]) -> Result<Vec<Archived>, ArchiveError> {
        ArchiveReader::new(file)?.collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_written_is_read(records in proptest::collection::vec(record(), 0..8)) {
            prop_assert_eq!(read(&file(&records)).expect("reads"), records);
        }

        /// A file that lost its end never reads as a whole one with other records.
        #[test]
        fn a_file_that_lost_its_end_gives_what_it_has_or_an_error(
            records in proptest::collection::vec(record(), 1..8), lost in 1..400_usize,
        ) {
            let whole = file(&records);
            let cut = &whole[..whole.len().saturating_sub(lost)];
            if let Ok(some) = read(cut) {
                prop_assert!(records.starts_with(&some) && some.len() < records.len());
            }
        }
    }

    #[test]
    fn what_is_no_archive_says_so() {
        assert!(matches!(
            read(b"[10:00] <ann> hello"),
            Err(ArchiveError::Avro(_))
        ));
    }
}
