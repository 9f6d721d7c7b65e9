//! A collection in a file: numbers in little-endian bytes, then the hash of all that is before it.
//! Whatever cannot be read to its end, or has another hash, is no snapshot.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustc_hash::FxHashMap;
use threadlore_model::{CaseId, ChannelId, PointRow, SpaceId, TERMS_VERSION};
use threadlore_ports::Dense;
use uuid::Uuid;
use xxhash_rust::xxh3::Xxh3;

use crate::collection::Collection;
use crate::postings::{Postings, SparseLeg};

/// Changes with the form.
const MAGIC: &[u8; 8] = b"LOREIX\x00\x02";
/// Read or written at once.
const BUFFER: usize = 1 << 20;
/// Longest name of a space or a channel.
const NAME_MAX: u32 = 1 << 16;

/// Writes a collection without dead points; the file has its name once it is whole.
pub(crate) fn write(collection: &Collection, path: &Path) -> io::Result<()> {
    let unfinished = path.with_extension("new");
    let written = write_to(collection, &unfinished).and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        // Best effort: what is left is written over by the next one.
        fs::remove_file(&unfinished).ok();
    }
    written
}

fn write_to(collection: &Collection, path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600);
    let mut out = HashStream::new(BufWriter::with_capacity(BUFFER, file.open(path)?));
    out.put(MAGIC)?;
    out.number(TERMS_VERSION)?;
    let dense = collection.dense;
    out.number(dense.map_or(0, |dense| dense.dimensions))?;
    out.put(&dense.map_or(0, |dense| dense.model).to_le_bytes())?;
    out.number(u32::try_from(collection.rows.len()).map_err(io::Error::other)?)?;
    for row in collection.rows.iter().flatten() {
        out.name(row.space.as_str())?;
        out.name(row.channel.as_str())?;
        out.put(row.case.as_uuid().as_bytes())?;
        out.put(&[u8::from(row.solved)])?;
        out.put(&row.source)?;
    }
    for numbers in collection.vectors.numbers.chunks(BUFFER) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        out.put(&bytes)?;
    }
    for leg in &collection.legs {
        out.number(u32::try_from(leg.terms.len()).map_err(io::Error::other)?)?;
        for (term, postings) in &leg.terms {
            out.number(*term)?;
            out.number(postings.count)?;
            out.number(postings.last)?;
            out.number(u32::try_from(postings.bytes.len()).map_err(io::Error::other)?)?;
            out.put(&postings.bytes)?;
        }
    }
    let hash = out.hash.digest128();
    let mut file = out.inner;
    file.write_all(&hash.to_le_bytes())?;
    file.into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .sync_all()
}

/// Reads a collection; `None` where the file is none of this version, or is damaged.
pub(crate) fn read(path: &Path) -> io::Result<Option<Collection>> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut input = HashStream::new(BufReader::with_capacity(BUFFER, file));
    let read = read_from(&mut input, size);
    let hash = input.hash.digest128();
    let mut rest = Vec::new();
    let whole = input.inner.read_to_end(&mut rest).is_ok() && rest == hash.to_le_bytes();
    Ok(read.filter(|_| whole))
}

fn read_from(input: &mut HashStream<BufReader<File>>, size: u64) -> Option<Collection> {
    if input.bytes(8, size)? != MAGIC || input.u32()? != TERMS_VERSION {
        return None;
    }
    let dimensions = input.u32()?;
    let model = u64::from_le_bytes(input.bytes(8, size)?.try_into().ok()?);
    let mut collection = Collection::new((dimensions > 0).then_some(Dense { model, dimensions }));
    let count = input.u32()?;
    for slot in 0..count {
        let row = PointRow {
            space: SpaceId::parse(&input.text(size)?).ok()?,
            channel: ChannelId::parse(&input.text(size)?).ok()?,
            case: CaseId::from_uuid(Uuid::from_slice(&input.bytes(16, size)?).ok()?),
            solved: input.bytes(1, size)? == [1],
            source: input.bytes(32, size)?.try_into().ok()?,
        };
        let key = (row.space.clone(), row.case);
        collection.slots.insert(key, slot);
        collection.rows.push(Some(row));
        collection.alive.push(true);
    }
    let numbers = u64::from(count) * u64::from(dimensions);
    if numbers * 2 > size {
        return None;
    }
    let numbers = usize::try_from(numbers).ok()?;
    collection.vectors.numbers.reserve_exact(numbers);
    let mut left = numbers;
    while left > 0 {
        let part = left.min(BUFFER);
        let bytes = input.bytes(part * 2, size)?;
        let pairs = bytes.chunks_exact(2);
        let pairs = pairs.map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
        collection.vectors.numbers.extend(pairs);
        left -= part;
    }
    for leg in &mut collection.legs {
        *leg = read_leg(input, size)?;
    }
    Some(collection)
}

fn read_leg(input: &mut HashStream<BufReader<File>>, size: u64) -> Option<SparseLeg> {
    let count = input.u32()?;
    if u64::from(count) * 16 > size {
        return None;
    }
    let mut terms = FxHashMap::default();
    terms.reserve(count as usize);
    for _ in 0..count {
        let term = input.u32()?;
        let postings = Postings {
            count: input.u32()?,
            last: input.u32()?,
            bytes: {
                let length = input.u32()?;
                input.bytes(length as usize, size)?
            },
        };
        terms.insert(term, postings);
    }
    Some(SparseLeg { terms })
}

/// What is read or written, with its hash so far.
struct HashStream<T> {
    inner: T,
    hash: Box<Xxh3>,
}

impl<T> HashStream<T> {
    fn new(inner: T) -> Self {
        Self {
            inner,
            hash: Box::default(),
        }
    }
}

impl<W: Write> HashStream<W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.inner.write_all(bytes)
    }

    fn number(&mut self, number: u32) -> io::Result<()> {
        self.put(&number.to_le_bytes())
    }

    fn name(&mut self, name: &str) -> io::Result<()> {
        self.number(u32::try_from(name.len()).map_err(io::Error::other)?)?;
        self.put(name.as_bytes())
    }
}

impl<R: Read> HashStream<R> {
    /// So many bytes; `None` where the file, of this size, does not have them.
    fn bytes(&mut self, count: usize, size: u64) -> Option<Vec<u8>> {
        if count as u64 > size {
            return None;
        }
        let mut bytes = vec![0; count];
        self.inner.read_exact(&mut bytes).ok()?;
        self.hash.update(&bytes);
        Some(bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        let mut bytes = [0; 4];
        self.inner.read_exact(&mut bytes).ok()?;
        self.hash.update(&bytes);
        Some(u32::from_le_bytes(bytes))
    }

    fn text(&mut self, size: u64) -> Option<String> {
        let length = self.u32().filter(|length| *length <= NAME_MAX)?;
        String::from_utf8(self.bytes(length as usize, size)?).ok()
    }
}
