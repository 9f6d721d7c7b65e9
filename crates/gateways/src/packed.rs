//! What is not plain text in UTF-8: packed by gzip, or in UTF-16 with its mark. It is written, as plain
//! text, to a file without a name, so that everything else sees one kind of file.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use flate2::read::MultiGzDecoder;

/// The most bytes of a packed file, unpacked: more than the chat of a large community in twenty years.
const MOST: u64 = 64 << 30;

/// The plain text of a file, where it is something else.
///
/// # Errors
/// Why it cannot be had.
pub(crate) fn plain(file: &File) -> Result<Option<File>, String> {
    let unpacked = match begins(file).map_err(|e| e.to_string())? {
        [0x1f, 0x8b, _] => {
            let (mut from, to) = (file.try_clone().map_err(|e| e.to_string())?, spool()?);
            from.rewind().map_err(|e| e.to_string())?;
            Some(unpack(BufReader::new(from), to, MOST)?)
        }
        _ => None,
    };
    let file = unpacked.as_ref().unwrap_or(file);
    match begins(file).map_err(|e| e.to_string())? {
        [0xff, 0xfe, _] => recode(file, u16::from_le_bytes).map(Some),
        [0xfe, 0xff, _] => recode(file, u16::from_be_bytes).map(Some),
        _ => Ok(unpacked),
    }
}

/// The first bytes; those that are not there are 0. The file is at its start afterwards.
fn begins(mut file: &File) -> io::Result<[u8; 3]> {
    file.rewind()?;
    let (mut bytes, mut read) = (Vec::new(), [0; 3]);
    file.take(3).read_to_end(&mut bytes)?;
    read[..bytes.len()].copy_from_slice(&bytes);
    file.rewind()?;
    Ok(read)
}

fn spool() -> Result<File, String> {
    tempfile::tempfile().map_err(|e| format!("there is no room to unpack it: {e}"))
}

fn unpack(from: impl Read, to: File, most: u64) -> Result<File, String> {
    let mut to = BufWriter::new(to);
    let from = MultiGzDecoder::new(from);
    let copied = io::copy(&mut from.take(most + 1), &mut to).and_then(|copied| {
        to.flush()?;
        Ok(copied)
    });
    match copied {
        Ok(copied) if copied > most => Err(format!("unpacked it has more than {most} bytes")),
        Ok(_) => done(to),
        Err(error) => Err(format!("it cannot be unpacked: {error}")),
    }
}

/// UTF-16 as UTF-8. Half of a pair of surrogates, and half of a unit at the end, become U+FFFD.
fn recode(file: &File, unit: fn([u8; 2]) -> u16) -> Result<File, String> {
    let mut to = BufWriter::new(spool()?);
    let failed = |e: io::Error| format!("it cannot be read as UTF-16: {e}");
    let mut bytes = BufReader::new(file).bytes();
    let mut odd = false;
    let mut error = None;
    let units = std::iter::from_fn(|| {
        let mut next = || bytes.next()?.map_err(|e| error = Some(e)).ok();
        let first = next()?;
        let second = next();
        odd = second.is_none();
        Some(unit([first, second?]))
    });
    // The mark is no text.
    for c in char::decode_utf16(units.skip(1)) {
        let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
        to.write_all(c.encode_utf8(&mut [0; 4]).as_bytes())
            .map_err(failed)?;
    }
    if let Some(error) = error {
        return Err(failed(error));
    }
    if odd {
        let last = char::REPLACEMENT_CHARACTER;
        to.write_all(last.encode_utf8(&mut [0; 4]).as_bytes())
            .map_err(failed)?;
    }
    done(to)
}

fn done(to: BufWriter<File>) -> Result<File, String> {
    let file = to.into_inner().map_err(|e| e.to_string());
    let mut file = file?;
    file.rewind().map_err(|e| e.to_string())?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        file
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(bytes).expect("packed");
        packer.finish().expect("packed")
    }

    fn read(bytes: &[u8]) -> Option<Vec<u8>> {
        let mut plain = plain(&file(bytes)).expect("can be read")?;
        let mut read = Vec::new();
        plain.read_to_end(&mut read).expect("read");
        Some(read)
    }

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(unit).collect()
    }

    #[test]
    fn everything_becomes_plain_text() {
        let text = "[10:00] <ann> привет 🎉\n";
        assert_eq!(read(text.as_bytes()), None, "it is plain");
        assert_eq!(read(b""), None);
        assert_eq!(read(b"\x1f"), None);
        let plain = Some(text.as_bytes().to_vec());
        assert_eq!(read(&packed(text.as_bytes())), plain);
        assert_eq!(read(&utf16(text, u16::to_le_bytes)), plain);
        assert_eq!(read(&utf16(text, u16::to_be_bytes)), plain);
        assert_eq!(read(&packed(&utf16(text, u16::to_le_bytes))), plain);
        // Two packed files, one behind the other, are one.
        let twice = [packed(text.as_bytes()), packed(text.as_bytes())].concat();
        assert_eq!(read(&twice), Some(text.repeat(2).into_bytes()));
        let odd = [utf16("a", u16::to_le_bytes), b"b".to_vec()].concat();
        assert_eq!(read(&odd), Some("a\u{fffd}".into()));
        let half = [utf16("a", u16::to_le_bytes), vec![0x3c, 0xd8]].concat();
        assert_eq!(read(&half), Some("a\u{fffd}".into()));
    }

    #[test]
    fn what_is_damaged_or_grows_without_end_is_refused() {
        let whole = packed(&[b'x'; 10_000]);
        let cut = plain(&file(&whole[..whole.len() - 10])).expect_err("cut off");
        assert!(cut.contains("cannot be unpacked"), "{cut}");
        let mut changed = whole.clone();
        changed[12] ^= 0xff;
        assert!(plain(&file(&changed)).is_err());
        let to = tempfile::tempfile().expect("a file");
        let large = unpack(whole.as_slice(), to, 9_999).expect_err("too large");
        assert!(large.contains("more than 9999 bytes"), "{large}");
    }
}
