//! Reading records: in order, without a gap, decoded or as they are.

use std::ops::Range;

use threadlore_model::{Key, Offset, TopicPartition};
use threadlore_ports::{PortError, RawRecord, Record, Undecodable};

use super::{Inner, READING};
use crate::frame;
use crate::partition::Part;

impl Inner {
    /// Reads records in order and without a gap, each decoded by `made`.
    pub(super) fn read<T>(
        &self,
        at: TopicPartition,
        (from, max): (Offset, usize),
        made: impl Fn(Offset, &[u8]) -> Result<T, PortError>,
    ) -> Result<Vec<T>, PortError> {
        let part = self.part(READING, at)?;
        let Range { start, end } = part.range();
        if from < start || from > end {
            return Err(outside(at, from, start..end));
        }
        let to = Offset(
            from.0
                .saturating_add(i64::try_from(max).unwrap_or(i64::MAX)),
        )
        .min(end);
        let mut records = Vec::new();
        for found in part.records.range(part.key(from)..part.key(to)) {
            let (key, frame) = found.into_inner().map_err(self.database(READING))?;
            let offset = Offset(from.0 + records.len() as i64);
            if *key != part.key(offset) {
                return Err(self.missing(at, part, offset));
            }
            records.push(made(offset, &frame)?);
        }
        let next = Offset(from.0 + records.len() as i64);
        if next == to {
            Ok(records)
        } else {
            Err(self.missing(at, part, next))
        }
    }

    /// Why a record that ought to be there is not.
    fn missing(&self, at: TopicPartition, part: &Part, offset: Offset) -> PortError {
        let range = part.range();
        if offset < range.start {
            // Retention dropped it while it was read.
            return outside(at, offset, range);
        }
        PortError::broken(
            READING,
            format!(
                "record {offset} of {at} is missing in {}: restore the log from a backup",
                self.dir.display()
            ),
        )
    }

    pub(super) fn raw(
        &self,
        at: TopicPartition,
        offset: Offset,
        bytes: &[u8],
    ) -> Result<RawRecord, PortError> {
        let frame = frame::unseal(at, offset, bytes, &self.keys);
        let frame = frame.as_deref().map_err(|reason| *reason);
        let frame = frame.and_then(|bytes| frame::unpack(at, offset, bytes));
        let frame = frame.map_err(|reason| {
            let dir = self.dir.display();
            let reason = format!("record {offset} of {at} in {dir}: {reason}");
            PortError::broken(READING, reason)
        })?;
        let headers = frame.headers.into_iter();
        Ok(RawRecord {
            offset,
            appended: frame.appended,
            key: frame.key.to_vec(),
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_vec()))
                .collect(),
            value: frame.value.to_vec(),
        })
    }

    pub(super) fn decode(&self, at: TopicPartition, offset: Offset, bytes: &[u8]) -> Record {
        let record = |appended, body| Record {
            at,
            offset,
            appended,
            body,
        };
        let frame = frame::unseal(at, offset, bytes, &self.keys);
        let frame = frame.as_deref().map_err(|reason| *reason);
        let frame = match frame.and_then(|bytes| frame::unpack(at, offset, bytes)) {
            Ok(frame) => frame,
            Err(reason) => {
                let bad = Undecodable {
                    reason: reason.to_owned(),
                    value: bytes.to_vec(),
                    key: None,
                    is_newer: false,
                };
                return record(frame::appended(bytes).unwrap_or_default(), Err(bad));
            }
        };
        let decoded =
            self.codec
                .decode_at(&self.topics, at, &frame.headers, frame.key, frame.value);
        let body = decoded.map_err(|reason| Undecodable {
            reason,
            is_newer: self.codec.is_newer(&frame.headers, frame.value),
            value: frame.value.to_vec(),
            key: std::str::from_utf8(frame.key)
                .ok()
                .and_then(|key| Key::parse(key).ok()),
        });
        record(frame.appended, body)
    }
}

fn outside(at: TopicPartition, from: Offset, holds: Range<Offset>) -> PortError {
    PortError::broken(
        READING,
        format!(
            "offset {from} of {at} is outside the log, which holds {} to {}",
            holds.start, holds.end
        ),
    )
}
