//! The format of a record in the database.
//!
//! Sealed ([`crate::inbox`]): `2` (format), checksum, append time, and the rest of the frame below,
//! sealed. Plain: `1` (format), checksum (xxh3, 8 bytes), then what it covers: append time (8), key
//! length (4), key, header count (2), each header as name length (1), name, value length (4),
//! value; the rest is the record's value. Numbers are big endian. The checksum starts from the
//! partition and offset, so that a record in a wrong place is found too.

use std::borrow::Cow;

use threadlore_model::{Offset, Timestamp, TopicPartition};
use threadlore_ports::PortError;
use xxhash_rust::xxh3::Xxh3;

use crate::inbox::InboxKeys;

const PLAIN: u8 = 1;
const SEALED: u8 = 2;
const HEADER: usize = 9;
const TIME: usize = 8;
const DAMAGED: &str = "the record is damaged in the log: its checksum does not match";

/// A record's parts, borrowed from its frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    pub(crate) appended: Timestamp,
    pub(crate) key: &'a [u8],
    pub(crate) headers: Vec<(&'a str, &'a [u8])>,
    pub(crate) value: &'a [u8],
}

/// The content of a frame without its offset and time, which are known later.
pub(crate) struct Content(Vec<u8>);

impl Content {
    /// Packs key, headers and value. `None` when a part is too long for the frame:
    /// 4 GiB for key and values, 255 bytes for names, 65,535 headers.
    pub(crate) fn pack(
        key: &[u8],
        headers: &[(impl AsRef<str>, impl AsRef<[u8]>)],
        value: &[u8],
    ) -> Option<Self> {
        let length = |bytes: &[u8]| Some(u32::try_from(bytes.len()).ok()?.to_be_bytes());
        let mut out = Vec::with_capacity(key.len() + value.len() + 64 * headers.len() + 16);
        out.extend_from_slice(&length(key)?);
        out.extend_from_slice(key);
        out.extend_from_slice(&u16::try_from(headers.len()).ok()?.to_be_bytes());
        for (name, value) in headers {
            let (name, value) = (name.as_ref(), value.as_ref());
            out.push(u8::try_from(name.len()).ok()?);
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(&length(value)?);
            out.extend_from_slice(value);
        }
        length(value)?;
        out.extend_from_slice(value);
        Some(Self(out))
    }

    /// The frame of a record in its place.
    pub(crate) fn at(&self, at: TopicPartition, offset: Offset, appended: Timestamp) -> Vec<u8> {
        framed(PLAIN, (at, offset), appended, &self.0)
    }

    /// The same, sealed.
    pub(crate) fn sealed_at(
        &self,
        at: TopicPartition,
        offset: Offset,
        appended: Timestamp,
        keys: &InboxKeys,
    ) -> Result<Vec<u8>, PortError> {
        let sealed = keys.seal(at, offset, &self.0)?;
        Ok(framed(SEALED, (at, offset), appended, &sealed))
    }
}

fn framed(
    format: u8,
    (at, offset): (TopicPartition, Offset),
    appended: Timestamp,
    content: &[u8],
) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len() + HEADER + TIME);
    out.push(format);
    out.extend_from_slice(&[0; 8]);
    out.extend_from_slice(&appended.as_millis().to_be_bytes());
    out.extend_from_slice(content);
    let sum = checksum(at, offset, &out[HEADER..]);
    out[1..HEADER].copy_from_slice(&sum.to_be_bytes());
    out
}

/// Opens a sealed frame; a plain one is returned unchanged.
pub(crate) fn unseal<'a>(
    at: TopicPartition,
    offset: Offset,
    frame: &'a [u8],
    keys: &InboxKeys,
) -> Result<Cow<'a, [u8]>, &'static str> {
    if frame.first() != Some(&SEALED) {
        return Ok(Cow::Borrowed(frame));
    }
    let covered = checked(at, offset, frame)?;
    let (time, sealed) = covered.split_first_chunk::<TIME>().ok_or(DAMAGED)?;
    let content = keys.open_record(at, offset, sealed);
    let content = content.ok_or("the record cannot be opened: its key is not in inbox.keys")?;
    let appended = Timestamp::from_millis(i64::from_be_bytes(*time));
    Ok(Cow::Owned(Content(content).at(at, offset, appended)))
}

/// The bytes that the checksum of a frame covers, if the checksum matches.
fn checked(at: TopicPartition, offset: Offset, frame: &[u8]) -> Result<&[u8], &'static str> {
    let (_, rest) = frame.split_first().ok_or(DAMAGED)?;
    let (sum, covered) = rest.split_first_chunk::<8>().ok_or(DAMAGED)?;
    match u64::from_be_bytes(*sum) == checksum(at, offset, covered) {
        true => Ok(covered),
        false => Err(DAMAGED),
    }
}

fn checksum(at: TopicPartition, offset: Offset, covered: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(at.topic.name().as_bytes());
    hash.update(&at.partition.0.to_be_bytes());
    hash.update(&offset.0.to_be_bytes());
    hash.update(covered);
    hash.digest()
}

/// The append time of a frame, without looking at the rest.
pub(crate) fn appended(frame: &[u8]) -> Option<Timestamp> {
    let (time, _) = frame.get(HEADER..)?.split_first_chunk::<8>()?;
    Some(Timestamp::from_millis(i64::from_be_bytes(*time)))
}

/// Decodes a frame.
pub(crate) fn unpack(
    at: TopicPartition,
    offset: Offset,
    frame: &[u8],
) -> Result<Frame<'_>, &'static str> {
    if frame.first() != Some(&PLAIN) {
        return Err(DAMAGED);
    }
    let covered = checked(at, offset, frame)?;
    parts(covered).ok_or("the record is damaged in the log: its parts do not fit its length")
}

fn parts(covered: &[u8]) -> Option<Frame<'_>> {
    let mut rest = covered;
    let appended = i64::from_be_bytes(number(&mut rest)?);
    let key = long(&mut rest)?;
    let count = u16::from_be_bytes(number(&mut rest)?);
    let mut headers = Vec::new();
    for _ in 0..count {
        let [length] = number(&mut rest)?;
        let name = std::str::from_utf8(take(&mut rest, usize::from(length))?).ok()?;
        headers.push((name, long(&mut rest)?));
    }
    Some(Frame {
        appended: Timestamp::from_millis(appended),
        key,
        headers,
        value: rest,
    })
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

fn number<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    take(rest, N)?.try_into().ok()
}

fn long<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = u32::from_be_bytes(number(rest)?);
    take(rest, usize::try_from(length).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadlore_model::{Partition, Topic};

    const AT: TopicPartition = TopicPartition {
        topic: Topic::ChatEvents,
        partition: Partition(3),
    };

    fn frame() -> Vec<u8> {
        let headers = [("a", b"1".to_vec()), ("long-name", Vec::new())];
        let content = Content::pack(b"key", &headers, b"value").expect("short");
        content.at(AT, Offset(7), Timestamp::from_millis(-5))
    }

    #[test]
    fn a_frame_comes_back() {
        let bytes = frame();
        let expected = Frame {
            appended: Timestamp::from_millis(-5),
            key: b"key",
            headers: vec![("a", b"1"), ("long-name", b"")],
            value: b"value",
        };
        assert_eq!(unpack(AT, Offset(7), &bytes), Ok(expected));
        assert_eq!(appended(&bytes), Some(Timestamp::from_millis(-5)));
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_found() {
        let bytes = frame();
        for i in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[i] ^= 0x40;
            assert!(unpack(AT, Offset(7), &changed).is_err(), "byte {i}");
            assert!(unpack(AT, Offset(7), &bytes[..i]).is_err(), "cut {i}");
        }
        assert!(unpack(AT, Offset(8), &bytes).is_err());
        let other = TopicPartition {
            partition: Partition(2),
            ..AT
        };
        assert!(unpack(other, Offset(7), &bytes).is_err());
    }
}
