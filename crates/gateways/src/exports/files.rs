//! The files of an export: one alone, or those of a folder or of an archive (zip, or tar, which may be
//! packed). What an archive holds is written to one file without a name, so the names in it lead nowhere.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use zip::ZipArchive;

use super::mended::MendReader;
use super::spool::{Part, PartReader, Spool};
use crate::error::ImportError;
use crate::looks::fields_of;
use crate::packed::{self, Fault, MOST};

/// Bytes of a file that are read to find out what it is.
const HEAD: u64 = 64 << 10;
/// How deep a folder is looked into: an export of Slack or Zulip needs two.
const DEPTH: usize = 3;
/// The most files of an archive that are read.
const FILES: usize = 1_000_000;
/// The most bytes of a list that is held as a whole, unpacked; a larger one is no day of a chat.
const LIST: u64 = 256 << 20;
/// How the names of files end that may be of a chat, in an archive; pictures and the like are passed over.
const ENDINGS: [&str; 3] = [".json", ".txt", ".mbox"];
/// What may stand behind the name of a file or of an archive.
const PACKED: [&str; 9] = [
    ".gz", ".tgz", ".zst", ".zip", ".tar", ".json", ".txt", ".mbox", ".log",
];

/// The files of an export, by their names in it.
pub(super) struct Files {
    pub(super) path: PathBuf,
    /// What one file that was named is called here.
    alone: Option<String>,
    files: BTreeMap<String, Source>,
    /// The folder that an archive has everything in.
    root: Option<String>,
}

enum Source {
    Path(PathBuf),
    Part(Part),
}

/// One of the files.
#[derive(Clone, Copy)]
pub(super) struct One<'a> {
    files: &'a Files,
    /// In the export, with `/` behind a folder.
    pub(super) name: &'a str,
    source: &'a Source,
}

impl Files {
    /// What is at a path.
    ///
    /// # Errors
    /// There is nothing, it may not be read, or it is an archive that cannot be unpacked.
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        let at = path
            .canonicalize()
            .map_err(|e| crate::files::refuse(path, e))?;
        let mut files = Self {
            path: at,
            alone: None,
            files: BTreeMap::new(),
            root: None,
        };
        if files.path.is_dir() {
            files.walk().map_err(|e| files.failed(e))?;
            return Ok(files);
        }
        if !files.path.is_file() {
            return Ok(files);
        }
        let file = File::open(&files.path).map_err(|e| crate::files::refuse(path, e))?;
        let (file, plain) = files.plain(file)?;
        let begins = head_of(&file).map_err(|e| files.failed(e))?;
        if begins.starts_with(b"PK\x03\x04") {
            files.unzip(file)?;
        } else if begins.get(257..262) == Some(b"ustar") {
            files.untar(file)?;
        } else {
            let name = files.path.file_name().unwrap_or_default();
            let name = name.to_string_lossy().into_owned();
            let source = match plain {
                true => Source::Part(Part::whole(file).map_err(|e| files.failed(e))?),
                false => Source::Path(files.path.clone()),
            };
            files.files.insert(name.clone(), source);
            files.alone = Some(name);
        }
        Ok(files)
    }

    /// A file as plain text, and whether it was something else.
    fn plain(&self, file: File) -> Result<(File, bool), ImportError> {
        match packed::plain(&file) {
            Ok(Some(plain)) => Ok((plain, true)),
            Ok(None) => Ok((file, false)),
            Err(fault) => Err(fault.of_file(self.path.display().to_string())),
        }
    }

    fn walk(&mut self) -> io::Result<()> {
        let mut folders = vec![(self.path.clone(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let path = entry?.path();
                let name = path.strip_prefix(&self.path).ok().and_then(Path::to_str);
                let Some(name) = name.map(str::to_owned) else {
                    continue;
                };
                if path.is_file() {
                    self.files.insert(name, Source::Path(path));
                } else if path.is_dir() && depth + 1 < DEPTH {
                    folders.push((path, depth + 1));
                }
            }
        }
        Ok(())
    }

    fn unzip(&mut self, file: File) -> Result<(), ImportError> {
        let unread = |e: &dyn std::fmt::Display| format!("the archive cannot be read: {e}");
        let archive = ZipArchive::new(BufReader::new(file));
        let mut archive = archive.map_err(|e| self.damaged(unread(&e)))?;
        let mut unpacked = ArchiveFiles::new().map_err(|e| self.failed(e))?;
        for index in 0..archive.len() {
            let mut file = archive
                .by_index(index)
                .map_err(|e| self.damaged(unread(&e)))?;
            let (name, is_file) = (file.name().to_owned(), file.is_file());
            if is_file {
                unpacked
                    .take(&name, &mut file)
                    .map_err(|fault| fault.of_file(self.path.display().to_string()))?;
            }
        }
        self.unpacked(unpacked)
    }

    fn untar(&mut self, mut file: File) -> Result<(), ImportError> {
        file.rewind().map_err(|e| self.failed(e))?;
        let unread = |e: io::Error| self.damaged(format!("the archive cannot be read: {e}"));
        let mut archive = tar::Archive::new(BufReader::new(file));
        let mut unpacked = ArchiveFiles::new().map_err(|e| self.failed(e))?;
        for entry in archive.entries().map_err(unread)? {
            let mut entry = entry.map_err(unread)?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            if entry.header().entry_type().is_file() {
                unpacked
                    .take(&name, &mut entry)
                    .map_err(|fault| fault.of_file(self.path.display().to_string()))?;
            }
        }
        self.unpacked(unpacked)
    }

    /// Some programs pack the folder that the export is in.
    fn unpacked(&mut self, unpacked: ArchiveFiles) -> Result<(), ImportError> {
        let file = unpacked.spool.done().map_err(|e| self.failed(e))?;
        let top = |name: &str| name.split_once('/').map(|(top, _)| top.to_owned());
        let first = unpacked.files.first().and_then(|(name, _)| top(name));
        let root = first.filter(|root| {
            let mut names = unpacked.files.iter().map(|(name, _)| name);
            names.all(|name| top(name).as_ref() == Some(root))
        });
        for (name, bytes) in unpacked.files {
            let short = match &root {
                Some(root) => name[root.len() + 1..].to_owned(),
                None => name,
            };
            self.files.insert(short, Source::Part(file.part(bytes)));
        }
        self.root = root;
        Ok(())
    }

    /// The file that was named, or the only one of an archive.
    pub(super) fn alone(&self) -> Option<One<'_>> {
        match &self.alone {
            Some(name) => self.one(name),
            None if self.path.is_file() && self.files.len() == 1 => self.all().next(),
            None => None,
        }
    }

    /// A file by its name in the export.
    pub(super) fn one(&self, name: &str) -> Option<One<'_>> {
        let (name, source) = self.files.get_key_value(name)?;
        let files = self;
        Some(One {
            files,
            name,
            source,
        })
    }

    /// All of them, in the order of their names.
    pub(super) fn all(&self) -> impl Iterator<Item = One<'_>> {
        self.files.iter().map(|(name, source)| One {
            files: self,
            name,
            source,
        })
    }

    /// The file that was named, or those of a folder or an archive that are directly in it.
    pub(super) fn top(&self) -> impl Iterator<Item = One<'_>> {
        self.all().filter(|one| !one.name.contains('/'))
    }

    /// The name of what was named, without what a program puts behind it.
    pub(super) fn title(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        match &self.root {
            Some(root) => root.clone(),
            None if self.path.is_dir() => name.to_string_lossy().into_owned(),
            None => stem(&name.to_string_lossy()).to_owned(),
        }
    }

    /// A list that belongs to the export. One that is not there has nothing in it; that of a folder of an
    /// export may be beside the folder.
    pub(super) fn list<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, ImportError> {
        if let Some(one) = self.one(name) {
            return one.list();
        }
        let beside = self.path.parent().map(|parent| parent.join(name));
        match beside.filter(|path| self.path.is_dir() && path.is_file()) {
            None => Ok(Vec::new()),
            Some(path) => One {
                files: self,
                name,
                source: &Source::Path(path),
            }
            .list(),
        }
    }

    pub(super) fn failed(&self, source: io::Error) -> ImportError {
        failed(self.path.display().to_string(), source)
    }

    pub(super) fn damaged(&self, why: String) -> ImportError {
        ImportError::Damaged {
            file: self.path.display().to_string(),
            why,
        }
    }
}

fn failed(file: String, source: io::Error) -> ImportError {
    match packed::is_full(&source) {
        true => ImportError::NoRoom { file },
        false => ImportError::Open {
            path: PathBuf::from(file),
            source,
        },
    }
}

/// A name without what says how it is packed and what it is.
pub(super) fn stem(name: &str) -> &str {
    let mut stem = name;
    while let Some(shorter) = PACKED.iter().find_map(|ending| stem.strip_suffix(ending)) {
        stem = shorter;
    }
    stem
}

impl<'a> One<'a> {
    fn part(self) -> Result<Part, ImportError> {
        match self.source {
            Source::Part(part) => Ok(part.clone()),
            Source::Path(path) => {
                let file = File::open(path).map_err(|e| crate::files::refuse(path, e))?;
                let file = match packed::plain(&file) {
                    Ok(plain) => plain.unwrap_or(file),
                    Err(fault) => return Err(fault.of_file(self.shown())),
                };
                Part::whole(file).map_err(|e| self.files.failed(e))
            }
        }
    }

    /// From its start, as plain text.
    pub(super) fn reader(self) -> Result<BufReader<PartReader>, ImportError> {
        let part = self.part()?;
        Ok(BufReader::with_capacity(1 << 16, part.reader()))
    }

    /// As JSON that a parser reads.
    pub(super) fn json(self) -> Result<impl Read + use<'a>, ImportError> {
        Ok(MendReader::new(self.reader()?))
    }

    /// Its first bytes; of what cannot be read there are none.
    pub(super) fn head(self) -> Vec<u8> {
        let mut head = Vec::new();
        if let Ok(part) = self.part() {
            let read = part.reader().take(HEAD).read_to_end(&mut head);
            read.unwrap_or_default();
        }
        head
    }

    /// Whether it is one JSON object with these fields among its first ones.
    pub(super) fn has_fields(self, wanted: &[&str]) -> bool {
        let fields = fields_of(&self.head());
        wanted
            .iter()
            .all(|field| fields.iter().any(|one| one == field))
    }

    /// As one list.
    fn list<T: DeserializeOwned>(self) -> Result<Vec<T>, ImportError> {
        let mut bytes = Vec::new();
        let read = self.json()?.take(LIST + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.damaged(format!("it cannot be read: {error}")))?;
        if bytes.len() as u64 > LIST {
            return Err(self.damaged(format!("it has more than {} MiB", LIST >> 20)));
        }
        let list = serde_json::from_slice(&bytes);
        list.map_err(|error| self.damaged(format!("it is no list: {error}")))
    }

    pub(super) fn failed(self, source: io::Error) -> ImportError {
        failed(self.shown(), source)
    }

    pub(super) fn damaged(self, why: String) -> ImportError {
        ImportError::Damaged {
            file: self.shown(),
            why,
        }
    }

    /// What a parser says of it.
    pub(super) fn no_json(self, error: &serde_json::Error) -> ImportError {
        self.damaged(match error.classify() {
            serde_json::error::Category::Eof => {
                format!("it is cut off at line {}", error.line())
            }
            _ => format!("it is no JSON there: {error}"),
        })
    }

    fn shown(self) -> String {
        match (self.source, &self.files.alone) {
            (Source::Path(path), _) => path.display().to_string(),
            (_, Some(_)) => self.files.path.display().to_string(),
            (Source::Part(_), None) => format!("{}/{}", self.files.path.display(), self.name),
        }
    }
}

/// What was unpacked of an archive.
struct ArchiveFiles {
    spool: Spool,
    files: Vec<(String, std::ops::Range<u64>)>,
}

impl ArchiveFiles {
    fn new() -> io::Result<Self> {
        Ok(Self {
            spool: Spool::new()?,
            files: Vec::new(),
        })
    }

    fn take(&mut self, name: &str, from: &mut dyn Read) -> Result<(), Fault> {
        // What Apple's archiver adds is beside what it is about.
        if name.starts_with("__MACOSX/") || !ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            return Ok(());
        }
        if self.files.len() == FILES {
            return Err(format!("the archive has more than {FILES} files").into());
        }
        let left = MOST.saturating_sub(self.spool.written());
        let copied = io::copy(&mut from.take(left + 1), &mut self.spool);
        let copied = copied.map_err(|error| match packed::is_full(&error) {
            true => Fault::NoRoom,
            false => format!("{name} in it cannot be unpacked: {error}").into(),
        })?;
        if copied > left {
            return Err(format!("unpacked it has more than {MOST} bytes").into());
        }
        let name = name.trim_start_matches("./").to_owned();
        self.files.push((name, self.spool.since_last()));
        Ok(())
    }
}

fn head_of(mut file: &File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.rewind()?;
    file.take(512).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(head)
}
