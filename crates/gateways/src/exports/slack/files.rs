//! The files of an export, by their names in it. Nothing of an archive is written to a file, so the names
//! in it lead nowhere.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use serde::de::DeserializeOwned;
use zip::ZipArchive;

use super::super::At;
use super::super::mended::MendReader;
use crate::error::ImportError;

/// The most bytes of one day of one channel, unpacked; a larger one is no day of a chat.
const DAY: u64 = 256 << 20;
/// Whether a folder has a file of a day.
pub(super) fn is_days(dir: &Path) -> bool {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let name = entry.file_name();
        name.to_str().is_some_and(|name| day_of(name).is_some())
    })
}

/// `2024-05-01` of `2024-05-01.json`.
fn day_of(name: &str) -> Option<&str> {
    let day = name.strip_suffix(".json")?;
    day.parse::<jiff::civil::Date>().ok().map(|_| day)
}

/// The files of days by their folder; those of no folder are of the export itself.
pub(super) type Days = BTreeMap<Option<String>, Vec<String>>;

/// The files of an export, by their names in it.
pub(super) enum Files<'a> {
    Folder(&'a At),
    /// The archive, and the position of each file in it.
    Archive(
        &'a At,
        Box<ZipArchive<BufReader<File>>>,
        BTreeMap<String, usize>,
    ),
}

impl<'a> Files<'a> {
    pub(super) fn open(at: &'a At) -> Result<Self, ImportError> {
        if at.is_dir {
            return Ok(Self::Folder(at));
        }
        let damaged = |why: String| ImportError::Damaged {
            file: at.path.display().to_string(),
            why,
        };
        let file = File::open(&at.path).map_err(|e| at.failed(e))?;
        let archive = ZipArchive::new(BufReader::new(file));
        let archive = archive.map_err(|e| damaged(format!("the archive cannot be read: {e}")))?;
        let names = archive.file_names().map(str::to_owned);
        let names: Vec<String> = names.collect();
        // Some programs pack the folder that the export is in.
        let inner = |name: &str| {
            let lists = ["users.json", "channels.json"];
            let list = lists
                .into_iter()
                .find(|list| name.ends_with(&format!("/{list}")))?;
            Some(name[..name.len() - list.len()].to_owned())
        };
        let is_plain = |name: &String| name == "users.json" || name == "channels.json";
        let root = match names.iter().any(is_plain) {
            true => String::new(),
            false => names
                .iter()
                .find_map(|name| inner(name))
                .unwrap_or_default(),
        };
        let at_root = names.iter().filter_map(|name| {
            let short = name.strip_prefix(&root)?.to_owned();
            Some((short, archive.index_for_name(name)?))
        });
        let index: BTreeMap<String, usize> = at_root.collect();
        let files = Self::Archive(at, Box::new(archive), index);
        if files.days()?.is_empty() {
            return Err(damaged(
                "the archive is no export of Slack, which has users.json, channels.json and a folder for \
                 each channel: unpack it, and import what is in it"
                    .to_owned(),
            ));
        }
        Ok(files)
    }

    /// The files of days, those of a folder in order.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub(super) fn days(&self) -> Result<Days, ImportError> {
        let names: Vec<String> = match self {
            Self::Archive(_, _, index) => index.keys().cloned().collect(),
            Self::Folder(at) => folder_names(&at.path).map_err(|e| at.failed(e))?,
        };
        let mut days = Days::new();
        for name in names {
            let (folder, file) = match name.rsplit_once('/') {
                Some((folder, file)) => (Some(folder.to_owned()), file),
                None => (None, name.as_str()),
            };
            if day_of(file).is_some() {
                days.entry(folder).or_default().push(name);
            }
        }
        days.values_mut().for_each(|days| days.sort());
        Ok(days)
    }

    /// A file with a list; one that is not there has nothing in it.
    pub(super) fn list<T: DeserializeOwned>(&mut self, name: &str) -> Result<Vec<T>, ImportError> {
        let (at, mut bytes) = (self.at(), Vec::new());
        let file = at.path.join(name).display().to_string();
        let damaged = |why: String| ImportError::Damaged {
            file: file.clone(),
            why,
        };
        let read = |from: &mut dyn Read, bytes: &mut Vec<u8>| -> io::Result<()> {
            MendReader::new(BufReader::new(from))
                .take(DAY + 1)
                .read_to_end(bytes)?;
            Ok(())
        };
        let done = match self {
            Self::Folder(at) => {
                let inside = at.path.join(name);
                // Of a folder of days the list is beside it.
                let beside = at.path.parent().map(|parent| parent.join(name));
                let mut places = [Some(inside), beside].into_iter().flatten();
                let Some(path) = places.find(|path| path.is_file()) else {
                    return Ok(Vec::new());
                };
                File::open(path).and_then(|mut file| read(&mut file, &mut bytes))
            }
            Self::Archive(_, archive, index) => {
                let Some(position) = index.get(name) else {
                    return Ok(Vec::new());
                };
                match archive.by_index(*position) {
                    Ok(mut file) => read(&mut file, &mut bytes),
                    Err(error) => return Err(damaged(format!("it cannot be unpacked: {error}"))),
                }
            }
        };
        done.map_err(|error| damaged(format!("it cannot be read: {error}")))?;
        if bytes.len() as u64 > DAY {
            return Err(damaged(format!("it has more than {} MiB", DAY >> 20)));
        }
        serde_json::from_slice(&bytes).map_err(|error| damaged(format!("it is no list: {error}")))
    }

    fn at(&self) -> &'a At {
        match self {
            Self::Folder(at) | Self::Archive(at, ..) => at,
        }
    }
}

/// The files in a folder, and in the folders in it.
fn folder_names(dir: &Path) -> io::Result<Vec<String>> {
    let inside = |dir: &Path| {
        let entries = std::fs::read_dir(dir)?.map(|entry| Ok(entry?.path()));
        entries.collect::<io::Result<Vec<_>>>()
    };
    let name = |path: &Path| path.strip_prefix(dir).ok()?.to_str().map(str::to_owned);
    let mut names = Vec::new();
    for path in inside(dir)? {
        match path.is_dir() {
            true => names.extend(inside(&path)?.iter().filter_map(|path| name(path))),
            false => names.extend(name(&path)),
        }
    }
    Ok(names)
}
