//! What can be wrong with settings, each in one sentence.

use std::fmt;

/// Where a value was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The settings file.
    File,
    /// The environment variable of this name.
    Env(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("the settings file"),
            Self::Env(name) => write!(f, "the environment variable {name}"),
        }
    }
}

/// Settings that cannot be used. The operator must correct them; a retry does not help. No
/// message shows a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is not TOML.
    #[error("the settings file is not valid TOML at line {line}: {problem}; correct that line")]
    Syntax {
        /// Line in the file, from 1.
        line: usize,
        /// The parser's message.
        problem: String,
    },
    /// There is no such table or key.
    #[error("{place} sets `{key}`, which does not exist; {advice}")]
    UnknownKey {
        /// `section.key` as it was written.
        key: String,
        /// Where it was found.
        place: Place,
        /// The nearest known key, or where to look.
        advice: String,
    },
    /// The value is of another kind or out of range.
    #[error("{place} sets `{key}` to {value}, but it must be {expected}")]
    WrongKind {
        /// `section.key`.
        key: String,
        /// The value as it was written; masked when it is a secret.
        value: String,
        /// What the value must be.
        expected: String,
        /// Where it was found.
        place: Place,
    },
    /// The value is of the right kind but cannot be used.
    #[error("the setting `{key}` is {value}, but {rule}")]
    Invalid {
        /// `section.key`.
        key: &'static str,
        /// The value; masked when it is a secret.
        value: String,
        /// The rule that the value breaks.
        rule: String,
    },
    /// Every value fits, and yet the settings cannot be built: a defect of this crate.
    #[error("the settings cannot be put together: {problem}; please report this")]
    Unfit {
        /// The deserialiser's message.
        problem: String,
    },
}
