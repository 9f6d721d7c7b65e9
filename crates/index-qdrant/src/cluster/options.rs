//! The address of a cluster, and how it is used.

use std::fmt;
use std::time::Duration;

use threadlore_ports::{Dense, PortError};

const DOING: &str = "reading the settings of the index";
/// The server accepts names of 255 bytes; the rest is for the name of the build.
const LONGEST_PREFIX: usize = 200;

/// How a cluster is reached, and how collections are made there.
#[derive(Clone, PartialEq, Eq)]
pub struct ClusterOptions {
    /// `http://host:6334` or `https://host:6334`: the port of gRPC, not that of REST.
    pub url: String,
    /// Sent with every request. It can be read on the way unless the URL is `https`.
    pub api_key: Option<String>,
    /// Begins the name of every collection, so that several installations share a
    /// cluster.
    pub prefix: String,
    /// Longest wait for the answer to one request. The client connects anew and asks a
    /// second time when the first one got none, so a search may take twice as long; the
    /// requests of the indexer are sent a few times more.
    pub timeout: Duration,
    /// The model whose vectors this process searches with. The dense leg is left out in a
    /// collection of another model. `None` if there is no model, or if the process itself opens the
    /// collections.
    pub dense: Option<Dense>,
    /// How many nodes keep each point, for collections that are made from now on.
    pub replication_factor: u32,
    /// Longest wait of `optimise` for the servers.
    pub optimise_wait: Duration,
}

impl ClusterOptions {
    /// Of a cluster without an API key; every collection on one node.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            api_key: None,
            prefix: "threadlore_".to_owned(),
            timeout: Duration::from_secs(5),
            dense: None,
            replication_factor: 1,
            optimise_wait: Duration::from_secs(300),
        }
    }

    /// # Errors
    /// `Broken` with the name of the option that cannot be used.
    pub(crate) fn validate(&self) -> Result<(), PortError> {
        let wrong = |reason: String| Err(PortError::broken(DOING, reason));
        let scheme = ["http://", "https://"];
        let Some(rest) = scheme.iter().find_map(|s| self.url.strip_prefix(s)) else {
            return wrong("url: write http://HOST:6334 or https://HOST:6334".to_owned());
        };
        // Errors show the URL, so it must not hold a secret.
        if rest.is_empty() || rest.contains(['@', '?', '#', ' ']) {
            return wrong(
                "url: write a host and a port and nothing else; a key belongs in api_key"
                    .to_owned(),
            );
        }
        // The client would show it in an error.
        let printable = |key: &String| !key.is_empty() && key.bytes().all(|b| b.is_ascii_graphic());
        if !self.api_key.as_ref().is_none_or(printable) {
            return wrong(
                "api_key: it is empty or has a character that no header takes; look for a \
                 line break at its end"
                    .to_owned(),
            );
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !self.prefix.chars().all(plain) || self.prefix.len() > LONGEST_PREFIX {
            return wrong(format!(
                "prefix {:?}: at most {LONGEST_PREFIX} letters, digits, _ and -",
                self.prefix
            ));
        }
        for (name, value) in [
            ("timeout", self.timeout),
            ("optimise_wait", self.optimise_wait),
        ] {
            if value.is_zero() {
                return wrong(format!("{name}: it must be longer than nothing"));
            }
        }
        if self.replication_factor == 0 {
            return wrong("replication_factor: each point is on one node at least".to_owned());
        }
        Ok(())
    }

    /// The server accepts whole seconds only.
    pub(crate) fn timeout_seconds(&self) -> u64 {
        self.timeout.as_millis().div_ceil(1000) as u64
    }
}

impl fmt::Debug for ClusterOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterOptions")
            .field("url", &self.url)
            .field("api_key", &self.api_key.as_ref().map(|_| "***"))
            .field("prefix", &self.prefix)
            .field("timeout", &self.timeout)
            .field("dense", &self.dense)
            .field("replication_factor", &self.replication_factor)
            .field("optimise_wait", &self.optimise_wait)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> ClusterOptions {
        ClusterOptions {
            api_key: Some("secret".to_owned()),
            ..ClusterOptions::new("https://qdrant.example:6334")
        }
    }

    #[test]
    fn the_key_is_not_shown() {
        let shown = format!("{:?}", good());
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        good().validate().expect("can be used");
        let text = str::to_owned;
        for (name, options) in [
            (
                "url",
                ClusterOptions {
                    url: text("qdrant:6334"),
                    ..good()
                },
            ),
            (
                "url",
                ClusterOptions {
                    url: text("http://"),
                    ..good()
                },
            ),
            (
                "url",
                ClusterOptions {
                    url: text("http://me:secret@host"),
                    ..good()
                },
            ),
            (
                "api_key",
                ClusterOptions {
                    api_key: Some(text("secret\n")),
                    ..good()
                },
            ),
            (
                "api_key",
                ClusterOptions {
                    api_key: Some(String::new()),
                    ..good()
                },
            ),
            (
                "prefix",
                ClusterOptions {
                    prefix: text("a/b"),
                    ..good()
                },
            ),
            (
                "prefix",
                ClusterOptions {
                    prefix: "a".repeat(201),
                    ..good()
                },
            ),
            (
                "timeout",
                ClusterOptions {
                    timeout: Duration::ZERO,
                    ..good()
                },
            ),
            (
                "optimise_wait",
                ClusterOptions {
                    optimise_wait: Duration::ZERO,
                    ..good()
                },
            ),
            (
                "replication_factor",
                ClusterOptions {
                    replication_factor: 0,
                    ..good()
                },
            ),
        ] {
            let error = options.validate().expect_err(name);
            assert!(matches!(error, PortError::Broken { .. }), "{error}");
            let error = error.to_string();
            assert!(error.contains(name), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
