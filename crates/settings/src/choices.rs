//! Settings that are one of a few words.

use serde::{Deserialize, Serialize};

use crate::section::{Kind, Value};

/// Declares a setting that is one of a few words, in lower case in the file.
macro_rules! choice {
    (
        $(#[doc = $about:literal])+
        $enum:ident { $( $(#[doc = $doc:literal])+ $variant:ident = $word:literal, )+ }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $enum {
            $( $(#[doc = $doc])+ #[serde(rename = $word)] $variant, )+
        }

        impl $enum {
            /// As it is written in the file.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $word, )+ }
            }
        }

        impl Value for $enum {
            const KIND: Kind = Kind::Choice(&[$($word),+]);
            fn show(&self) -> String {
                format!("{:?}", self.name())
            }
        }
    };
}

choice! {
    /// Where the log is kept.
    LogEngine {
        /// In the data directory, for one process.
        Local = "local",
        /// On a cluster.
        Kafka = "kafka",
    }
}

choice! {
    /// How records are compressed.
    Compression {
        /// Fast, with less compression.
        Lz4 = "lz4",
        /// Smaller records for more processor time.
        Zstd = "zstd",
        /// No compression.
        None = "none",
    }
}

choice! {
    /// Where the index of cases is kept.
    IndexEngine {
        /// Qdrant's engine in this process, in the data directory.
        Local = "local",
        /// A cluster.
        Qdrant = "qdrant",
    }
}

choice! {
    /// The engine that finds cases in a window.
    Engine {
        /// The built-in rules.
        Builtin = "builtin",
        /// A chat model behind OpenAI's protocol.
        OpenAi = "openai",
    }
}

choice! {
    /// What reads the cases that were found for a question.
    AnswerReader {
        /// Nothing: rules choose one, and quote it.
        None = "none",
        /// The chat model of the table `openai`.
        OpenAi = "openai",
    }
}

choice! {
    /// The model that makes vectors of cases.
    EmbedderEngine {
        /// No model: there are no vectors.
        None = "none",
        /// A model behind OpenAI's protocol.
        OpenAi = "openai",
        /// A model in this process.
        Local = "local",
    }
}

choice! {
    /// What a provider of OpenID Connect calls people, as accounts are named here.
    OidcClaim {
        /// Their e-mail address, where the provider has verified it.
        Email = "email",
        /// Their name at the provider.
        PreferredUsername = "preferred_username",
    }
}

choice! {
    /// The model that reads a question and a case together.
    RerankerEngine {
        /// No model.
        None = "none",
        /// A server that takes `documents`, as Cohere, Jina, vLLM, llama.cpp and Infinity do.
        Documents = "documents",
        /// A server that takes `texts`, as Text Embeddings Inference does.
        Texts = "texts",
    }
}

choice! {
    /// How the texts of answers are written in what the webhook gateway sends.
    WebhookFormat {
        /// Markdown, in one piece.
        Markdown = "markdown",
        /// Text without markup, in one piece.
        Plain = "plain",
        /// HTML of Telegram's Bot API, split as Telegram needs it.
        Telegram = "telegram",
        /// Slack's mrkdwn, split as Slack needs it.
        Slack = "slack",
        /// Discord's Markdown, split as Discord needs it.
        Discord = "discord",
    }
}
