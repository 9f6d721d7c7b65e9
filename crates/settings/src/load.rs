//! Merges defaults, file and environment, and refuses values that do not fit.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use toml::{Table, Value};

use crate::models::server;
use crate::secret::MASK;
use crate::section::{Key, Kind};
use crate::sections::{Settings, describe};
use crate::{Error, IndexEngine, LogEngine, Place};

/// The prefix of our environment variables.
const PREFIX: &str = "THREADLORE__";
/// Environment variables that other tools use too: name, section, key.
const SHARED: [(&str, &str, &str); 3] = [
    ("DATABASE_URL", "postgres", "url"),
    ("PG_BIN", "postgres", "bin"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry", "otlp_endpoint"),
];
/// Longest value repeated in a message, in characters.
const SHOWN: usize = 80;

impl Settings {
    /// The beginning of a link to a case; the case id follows it.
    #[must_use]
    pub fn link_base(&self) -> String {
        let pages = || self.api.case_pages();
        let base = self.links.base.clone().or_else(pages);
        base.unwrap_or_else(|| "threadlore:case/".to_owned())
    }

    /// Merges the defaults, the text of `threadlore.toml` (`None` where there is no file) and the
    /// environment, and validates the result. Of the environment only `DATABASE_URL`, `PG_BIN`,
    /// `OTEL_EXPORTER_OTLP_ENDPOINT` (ignored when empty) and names that start with `THREADLORE__`
    /// are read.
    ///
    /// # Errors
    /// [`Error`], for the first value that does not fit.
    pub fn load(file: Option<&str>, env: &BTreeMap<String, String>) -> Result<Self, Error> {
        let keys: Vec<Key> = describe()
            .into_iter()
            .flat_map(|section| section.keys)
            .collect();
        let mut table = Table::new();
        if let Some(text) = file {
            table = parse(text)?;
            check_table(&table, &keys)?;
        }
        for (variable, section, key) in SHARED {
            if let Some(text) = env.get(variable).filter(|text| !text.is_empty()) {
                set_from_env(
                    &mut table,
                    &keys,
                    variable,
                    &format!("{section}.{key}"),
                    text,
                )?;
            }
        }
        for (variable, text) in env {
            if let Some(name) = variable.strip_prefix(PREFIX) {
                let path = name.to_lowercase().replacen("__", ".", 1);
                set_from_env(&mut table, &keys, variable, &path, text)?;
            }
        }
        let settings: Self = table
            .try_into()
            .map_err(|error: toml::de::Error| Error::Unfit {
                problem: error.message().to_owned(),
            })?;
        settings.validate()?;
        Ok(settings)
    }

    /// The keys that must be set so that nothing is kept in the data directory. Empty where
    /// nothing is: then several processes can share the work.
    #[must_use]
    pub fn in_data_dir(&self) -> Vec<&'static str> {
        let parts = [
            (self.log.engine == LogEngine::Local, "log.engine"),
            (
                self.postgres.url.is_none() && self.postgres.url_file.is_none(),
                "postgres.url",
            ),
            (self.index.engine == IndexEngine::Local, "index.engine"),
            (
                self.keystore.url.is_none() && self.keystore.url_file.is_none(),
                "keystore.url",
            ),
            (
                self.keystore.master_key_file.is_none(),
                "keystore.master_key_file",
            ),
            (self.people.hash_key_file.is_none(), "people.hash_key_file"),
        ];
        let here = parts.into_iter().filter(|(here, _)| *here);
        here.map(|(_, key)| key).collect()
    }

    /// The settings as TOML, secrets masked.
    ///
    /// # Errors
    /// When a path is not UTF-8 and so cannot be written.
    pub fn print(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    /// Checks rules over several settings, and those that need more than a range.
    /// [`Settings::load`] calls it after checking each value.
    ///
    /// # Errors
    /// [`Error::Invalid`], which names the key.
    pub fn validate(&self) -> Result<(), Error> {
        let is_word = |name: &String| {
            let mut signs = name.chars();
            signs.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        };
        if !self.responder.names().iter().all(is_word) {
            return Err(Error::Invalid {
                key: "responder.names",
                value: self.responder.names.clone(),
                rule: "each name must be one word of letters, digits, `_` and `-`, without `@`; \
                       separate names by commas"
                    .to_owned(),
            });
        }
        let buffer = &self.buffer;
        if buffer.min_for_resolution > buffer.window_count {
            return Err(Error::Invalid {
                key: "buffer.min_for_resolution",
                value: buffer.min_for_resolution.to_string(),
                rule: format!(
                    "it must not be above `buffer.window_count` ({})",
                    buffer.window_count
                ),
            });
        }
        self.validate_stores()?;
        if let Some(url) = &self.api.public_url {
            let authority = url
                .strip_prefix("https://")
                .map(|rest| rest.trim_end_matches('/'));
            let is_plain = |rest: &str| {
                let is_part = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
                !rest.is_empty() && rest.chars().all(is_part)
            };
            if !authority.is_some_and(is_plain) {
                let rule = "it must be `https://` and a host, with a port where that is not 443, and nothing \
                            behind it"
                    .to_owned();
                return invalid("api.public_url", format!("{url:?}"), rule);
            }
        }
        let base = self.link_base();
        if base.chars().any(char::is_whitespace) {
            return Err(Error::Invalid {
                key: "links.base",
                value: format!("{base:?}"),
                rule: "a link must not contain blanks".to_owned(),
            });
        }
        self.validate_models()
    }

    /// Whether every store outside the data directory has an address.
    fn validate_stores(&self) -> Result<(), Error> {
        let is_postgres =
            |url: &str| url.starts_with("postgres://") || url.starts_with("postgresql://");
        let (postgres, keystore) = (&self.postgres, &self.keystore);
        let urls = [
            ("postgres.url", &postgres.url, &postgres.url_file),
            ("keystore.url", &keystore.url, &keystore.url_file),
        ];
        for (key, url, file) in urls {
            if url.is_some() && file.is_some() {
                let rule = format!("only one of it and `{key}_file` can be set");
                return invalid(key, MASK.to_owned(), rule);
            }
            if url.as_ref().is_some_and(|url| !is_postgres(url.reveal())) {
                let rule = "it must start with `postgres://` or `postgresql://`".to_owned();
                return invalid(key, MASK.to_owned(), rule);
            }
        }
        if keystore.second_master_key_file.is_some()
            && keystore.second_master_key_file == keystore.master_key_file
        {
            let rule = "it must be another file than `keystore.master_key_file`".to_owned();
            let value = format!("{:?}", keystore.second_master_key_file.as_ref());
            return invalid("keystore.second_master_key_file", value, rule);
        }
        if self.keystore.url.is_some() && self.keystore.url == self.postgres.url {
            let rule = "it must not be `postgres.url`: that database may be dropped and rebuilt, \
                        and without the keys the log cannot be read"
                .to_owned();
            return invalid("keystore.url", MASK.to_owned(), rule);
        }
        server(
            ["registry.url", "registry.user", "registry.password_file"],
            self.registry.url.as_deref(),
            false,
        )?;
        let index = &self.index;
        server(
            ["index.url", "index.api_key", "index.api_key_file"],
            index.url.as_deref(),
            index.api_key.is_some() && index.api_key_file.is_some(),
        )?;
        let s3 = &self.s3;
        server(
            [
                "s3.endpoint",
                "s3.secret_access_key",
                "s3.secret_access_key_file",
            ],
            s3.endpoint.as_deref(),
            s3.secret_access_key.is_some() && s3.secret_access_key_file.is_some(),
        )?;
        self.validate_provider()?;
        if index.engine == IndexEngine::Qdrant && index.url.is_none() {
            let rule = "it must be set where `index.engine` is `\"qdrant\"`".to_owned();
            return invalid("index.url", "not set".to_owned(), rule);
        }
        if self.log.engine == LogEngine::Kafka && self.kafka.bootstrap_servers.is_none() {
            let rule = "it must be set where `log.engine` is `\"kafka\"`".to_owned();
            return invalid("kafka.bootstrap_servers", "not set".to_owned(), rule);
        }
        Ok(())
    }
}

impl Settings {
    /// Whether people are sent to a provider whose answers nobody else can give.
    fn validate_provider(&self) -> Result<(), Error> {
        let oidc = &self.oidc;
        server(
            [
                "oidc.issuer",
                "oidc.client_secret",
                "oidc.client_secret_file",
            ],
            oidc.issuer.as_deref(),
            oidc.client_secret.is_some() && oidc.client_secret_file.is_some(),
        )?;
        let Some(issuer) = &oidc.issuer else {
            return Ok(());
        };
        let here = ["http://localhost", "http://127.0.0.1", "http://[::1]"];
        let is_here = |url: &str| {
            let rest = here.into_iter().find_map(|here| url.strip_prefix(here));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
        };
        if !issuer.starts_with("https://") && !is_here(issuer) {
            let rule = "it must start with `https://`, but for one on this machine".to_owned();
            return invalid("oidc.issuer", format!("{issuer:?}"), rule);
        }
        if oidc.client_id.is_none() {
            let rule = "it must be set where `oidc.issuer` is".to_owned();
            return invalid("oidc.client_id", "not set".to_owned(), rule);
        }
        Ok(())
    }
}

pub(crate) fn invalid(key: &'static str, value: String, rule: String) -> Result<(), Error> {
    Err(Error::Invalid { key, value, rule })
}

fn parse(text: &str) -> Result<Table, Error> {
    // The parser's own rendering quotes the line, which may hold a secret.
    text.parse()
        .map_err(|error: toml::de::Error| Error::Syntax {
            line: error.span().map_or(1, |span| {
                1 + text
                    .bytes()
                    .take(span.start)
                    .filter(|byte| *byte == b'\n')
                    .count()
            }),
            problem: error.message().to_owned(),
        })
}

fn check_table(table: &Table, keys: &[Key]) -> Result<(), Error> {
    for (name, value) in table {
        let is_section = keys.iter().any(|key| key.section == name);
        match value {
            Value::Table(section) if is_section => {
                for (inner, value) in section {
                    check(
                        find(&format!("{name}.{inner}"), &Place::File, keys)?,
                        value,
                        &Place::File,
                    )?;
                }
            }
            _ if is_section => {
                return Err(Error::WrongKind {
                    key: name.clone(),
                    value: shown(value),
                    expected: format!("a table that starts with the line `[{name}]`"),
                    place: Place::File,
                });
            }
            _ => check(find(name, &Place::File, keys)?, value, &Place::File)?,
        }
    }
    Ok(())
}

fn set_from_env(
    table: &mut Table,
    keys: &[Key],
    variable: &str,
    path: &str,
    text: &str,
) -> Result<(), Error> {
    let place = Place::Env(variable.to_owned());
    let key = find(path, &place, keys)?;
    // A value that does not parse stays text; the check then says what was expected.
    let value = match key.kind {
        Kind::Switch => text
            .parse()
            .map_or_else(|_| Value::from(text), Value::Boolean),
        Kind::Number => text
            .parse()
            .map_or_else(|_| Value::from(text), Value::Integer),
        Kind::Text | Kind::Path | Kind::Address | Kind::Secret | Kind::Choice(_) => {
            Value::from(text)
        }
    };
    check(key, &value, &place)?;
    if key.section.is_empty() {
        table.insert(key.name.to_owned(), value);
    } else {
        let section = table
            .entry(key.section)
            .or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(section) = section {
            section.insert(key.name.to_owned(), value);
        }
    }
    Ok(())
}

/// Whether one value is of the right kind and in range.
fn check(key: &Key, value: &Value, place: &Place) -> Result<(), Error> {
    let fits = match (key.kind, value) {
        (Kind::Switch, Value::Boolean(_)) => true,
        (Kind::Number, Value::Integer(number)) => {
            let number = u64::try_from(*number).ok();
            number.is_some_and(|number| {
                key.range
                    .as_ref()
                    .is_none_or(|range| range.contains(&number))
            })
        }
        (Kind::Address, Value::String(text)) => text.parse::<SocketAddr>().is_ok(),
        (Kind::Choice(words), Value::String(text)) => words.contains(&text.as_str()),
        (Kind::Text | Kind::Path | Kind::Secret, Value::String(text)) => {
            !text.is_empty() && !text.chars().any(char::is_control)
        }
        _ => false,
    };
    if fits {
        return Ok(());
    }
    Err(Error::WrongKind {
        key: key.path(),
        value: if key.kind == Kind::Secret {
            MASK.to_owned()
        } else {
            shown(value)
        },
        expected: match &key.range {
            Some(range) => {
                format!("a whole number from {} to {}", range.start(), range.end())
            }
            None => key.kind.name(),
        },
        place: place.clone(),
    })
}

fn find<'a>(path: &str, place: &Place, keys: &'a [Key]) -> Result<&'a Key, Error> {
    keys.iter()
        .find(|key| key.path() == path)
        .ok_or_else(|| Error::UnknownKey {
            key: path.to_owned(),
            place: place.clone(),
            advice: match nearest(path, keys) {
                Some(known) => format!("did you mean `{known}`?"),
                None => "docs/settings.md lists the keys that do".to_owned(),
            },
        })
}

/// The known key or table most like `path`, when it is close enough for a typing error.
fn nearest(path: &str, keys: &[Key]) -> Option<String> {
    let name = path.rsplit('.').next().unwrap_or(path);
    let close = |distance: usize, written: &str| distance <= 1 + written.chars().count() / 5;
    keys.iter()
        .flat_map(|key| {
            [
                (strsim::levenshtein(path, &key.path()), path, key.path()),
                (strsim::levenshtein(name, key.name), name, key.path()),
                (
                    strsim::levenshtein(path, key.section),
                    path,
                    key.section.to_owned(),
                ),
            ]
        })
        .filter(|(distance, written, known)| close(*distance, written) && !known.is_empty())
        .min_by_key(|(distance, ..)| *distance)
        .map(|(_, _, known)| known)
}

fn shown(value: &Value) -> String {
    match value {
        Value::Table(_) => "a table".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        value => {
            let text = value.to_string();
            match text.char_indices().nth(SHOWN) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}
