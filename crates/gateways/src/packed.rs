//! What is not plain text in UTF-8: packed by gzip or zstd, alone in a zip archive, or in UTF-16 with its mark. It is written, as plain
//! text, to a file without a name, so that everything else sees one kind of file.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use flate2::read::MultiGzDecoder;
use zip::ZipArchive;
use zstd::Decoder;

use crate::error::ImportError;

/// The most bytes of a packed file, unpacked: more than the chat of a large community in twenty years.
pub(crate) const MOST: u64 = 64 << 30;

/// The plain text of a file, where it is something else.
///
/// # Errors
/// Why it cannot be had.
pub(crate) fn plain(file: &File) -> Result<Option<File>, Fault> {
    let from = || -> Result<_, Fault> {
        let mut from = file.try_clone().map_err(Fault::of)?;
        from.rewind().map_err(Fault::of)?;
        Ok(BufReader::new(from))
    };
    let unpacked = match begins(file).map_err(Fault::of)? {
        [0x1f, 0x8b, ..] => Some(unpack(MultiGzDecoder::new(from()?), spool()?, MOST)?),
        [0x28, 0xb5, 0x2f, 0xfd] => {
            let decoder = Decoder::with_buffer(from()?).map_err(Fault::of)?;
            Some(unpack(decoder, spool()?, MOST)?)
        }
        [b'P', b'K', 3, 4] => {
            let unread =
                |e: zip::result::ZipError| Fault::from(format!("the archive cannot be read: {e}"));
            let mut archive = ZipArchive::new(from()?).map_err(unread)?;
            match only_file(&archive) {
                Some(index) => {
                    let file = archive.by_index(index).map_err(unread)?;
                    Some(unpack(file, spool()?, MOST)?)
                }
                None => None,
            }
        }
        _ => None,
    };
    let file = unpacked.as_ref().unwrap_or(file);
    match begins(file).map_err(Fault::of)? {
        [0xff, 0xfe, ..] => recode(file, u16::from_le_bytes).map(Some),
        [0xfe, 0xff, ..] => recode(file, u16::from_be_bytes).map(Some),
        _ => Ok(unpacked),
    }
}

/// The first bytes; those that are not there are 0. The file is at its start afterwards.
fn begins(mut file: &File) -> io::Result<[u8; 4]> {
    file.rewind()?;
    let (mut bytes, mut read) = (Vec::new(), [0; 4]);
    file.take(4).read_to_end(&mut bytes)?;
    read[..bytes.len()].copy_from_slice(&bytes);
    file.rewind()?;
    Ok(read)
}

/// Why a file is not there as plain text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// What is wrong with it.
    Damaged(String),
    /// There is no room to unpack it.
    NoRoom,
}

impl From<String> for Fault {
    fn from(why: String) -> Self {
        Self::Damaged(why)
    }
}

impl Fault {
    /// Of an error while it is unpacked.
    pub(crate) fn of(error: io::Error) -> Self {
        match is_full(&error) {
            true => Self::NoRoom,
            false => Self::Damaged(format!("it cannot be unpacked: {error}")),
        }
    }

    /// The same, of a file.
    pub(crate) fn of_file(self, file: String) -> ImportError {
        match self {
            Self::Damaged(why) => ImportError::Damaged { file, why },
            Self::NoRoom => ImportError::NoRoom { file },
        }
    }
}

/// Whether a disk is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// The position of the file of an archive that has no other one.
fn only_file<R: Read + Seek>(archive: &ZipArchive<R>) -> Option<usize> {
    // What Apple's archiver adds is beside what it is about.
    let is_file = |name: &&str| !name.ends_with('/') && !name.starts_with("__MACOSX/");
    let mut names = archive.file_names().filter(is_file);
    let only = names.next()?;
    match names.next() {
        None => archive.index_for_name(only),
        Some(_) => None,
    }
}

fn spool() -> Result<File, Fault> {
    tempfile::tempfile().map_err(Fault::of)
}

fn unpack(from: impl Read, to: File, most: u64) -> Result<File, Fault> {
    let mut to = BufWriter::new(to);
    let copied = io::copy(&mut from.take(most + 1), &mut to).and_then(|copied| {
        to.flush()?;
        Ok(copied)
    });
    match copied {
        Ok(copied) if copied > most => {
            Err(format!("unpacked it has more than {most} bytes").into())
        }
        Ok(_) => done(to),
        Err(error) => Err(Fault::of(error)),
    }
}

/// UTF-16 as UTF-8. Half of a pair of surrogates, and half of a unit at the end, become U+FFFD.
fn recode(file: &File, unit: fn([u8; 2]) -> u16) -> Result<File, Fault> {
    let mut to = BufWriter::new(spool()?);
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
            .map_err(Fault::of)?;
    }
    if let Some(error) = error {
        return Err(Fault::of(error));
    }
    if odd {
        let last = char::REPLACEMENT_CHARACTER;
        to.write_all(last.encode_utf8(&mut [0; 4]).as_bytes())
            .map_err(Fault::of)?;
    }
    done(to)
}

fn done(to: BufWriter<File>) -> Result<File, Fault> {
    let file = to.into_inner().map_err(|e| Fault::of(e.into_error()));
    let mut file = file?;
    file.rewind().map_err(Fault::of)?;
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

    fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, text) in files {
            let options = zip::write::SimpleFileOptions::default();
            zip.start_file(*name, options).expect("begun");
            zip.write_all(text.as_bytes()).expect("written");
        }
        zip.finish().expect("finished").into_inner()
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
    fn a_full_disk_is_no_fault_of_the_file() {
        let full = Fault::of(io::ErrorKind::StorageFull.into());
        let told = full.of_file("x.zip".to_owned());
        assert!(!told.is_about_content(), "others are not taken without it");
        assert!(told.to_string().contains("TMPDIR"), "{told}");
        let cut = Fault::of(io::ErrorKind::UnexpectedEof.into());
        assert!(cut.of_file("x.zip".to_owned()).is_about_content());
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
        let by_zstd = zstd::encode_all(text.as_bytes(), 1).expect("packed");
        assert_eq!(read(&by_zstd), plain);
        assert_eq!(read(&zipped(&[("a.log", text)])), plain);
        assert_eq!(
            read(&zipped(&[
                ("x/", ""),
                ("x/a.log", text),
                ("__MACOSX/a", "x")
            ])),
            plain
        );
        assert_eq!(
            read(&zipped(&[("a.log", text), ("b.log", text)])),
            None,
            "which one?"
        );
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
        let cut = cut.of_file(String::new()).to_string();
        assert!(cut.contains("cannot be unpacked"), "{cut}");
        let mut changed = whole.clone();
        changed[12] ^= 0xff;
        assert!(plain(&file(&changed)).is_err());
        let to = tempfile::tempfile().expect("a file");
        let large =
            unpack(MultiGzDecoder::new(whole.as_slice()), to, 9_999).expect_err("too large");
        let large = large.of_file(String::new()).to_string();
        assert!(large.contains("more than 9999 bytes"), "{large}");
    }
}
