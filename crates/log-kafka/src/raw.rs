//! Records before they are decoded.

use rdkafka::Message;
use rdkafka::message::{BorrowedMessage, Headers};
use threadlore_model::{Key, Offset, Timestamp, TopicPartition};
use threadlore_ports::{RawRecord, Record, Undecodable};
use threadlore_schema::{Codec, Topics};

use crate::registry::Readable;

/// The bytes of a record, and its place in the log.
pub(crate) struct Raw {
    pub(crate) offset: Offset,
    appended: Timestamp,
    headers: Vec<(String, Vec<u8>)>,
    key: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

impl Raw {
    pub(crate) fn of(message: &BorrowedMessage<'_>) -> Self {
        let headers = message.headers().map(|headers| {
            let headers = headers.iter();
            let headers = headers.map(|header| {
                let value = header.value.unwrap_or_default();
                (header.key.to_owned(), value.to_vec())
            });
            headers.collect()
        });
        let appended = message.timestamp().to_millis().unwrap_or_default();
        Self {
            offset: Offset(message.offset()),
            appended: Timestamp::from_millis(appended),
            headers: headers.unwrap_or_default(),
            key: message.key().unwrap_or_default().to_vec(),
            value: message.payload().unwrap_or_default().to_vec(),
        }
    }

    /// The record without decoding.
    pub(crate) fn untouched(self, now: Timestamp) -> RawRecord {
        RawRecord {
            offset: self.offset,
            appended: self.appended.min(now),
            key: self.key,
            headers: self.headers,
            value: self.value,
        }
    }

    /// Decodes the record. With a registry, it decodes the value that the registry resolved.
    pub(crate) fn decode(
        self,
        at: TopicPartition,
        readable: Option<Result<Readable, String>>,
        (codec, topics): (&Codec, &Topics),
        now: Timestamp,
    ) -> Record {
        let headers: Vec<(&str, &[u8])> = self
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_slice()))
            .collect();
        let (codec, value) = match &readable {
            Some(Ok(readable)) => (&readable.codec, readable.value.as_slice()),
            None | Some(Err(_)) => (codec, self.value.as_slice()),
        };
        let decoded = match &readable {
            Some(Err(reason)) => Err(reason.clone()),
            None | Some(Ok(_)) => codec.decode_at(topics, at, &headers, &self.key, value),
        };
        let is_newer = decoded.is_err() && codec.is_newer(&headers, value);
        let body = decoded.map_err(|reason| Undecodable {
            reason,
            is_newer,
            key: std::str::from_utf8(&self.key)
                .ok()
                .and_then(|key| Key::parse(key).ok()),
            value: self.value,
        });
        Record {
            at,
            offset: self.offset,
            // The producer's clock may be ahead; a record cannot arrive later than now.
            appended: self.appended.min(now),
            body,
        }
    }
}
