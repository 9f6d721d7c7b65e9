//! `threadlore sql`: psql on the tables, as the role that sees one space.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use anyhow::Context;
use serde::Serialize;
use threadlore_model::SpaceId;
use threadlore_node::{Environment, postgres_search};
use threadlore_ports::{Authority, Right};
use threadlore_settings::Settings;
use threadlore_store_postgres::PostgresStore;
use tokio::signal::unix::{SignalKind, signal};

use super::access::{Access, open};
use super::check_data_directory;
use crate::cli::Sql;
use crate::exit::{FAILED, NOT_AVAILABLE};
use crate::output::Output;

/// The role that sees the rows of one space and changes nothing.
const ROLE: &str = "lore_reader";

/// How to connect, for machines.
#[derive(Debug, Serialize)]
struct Connection<'a> {
    url: &'a str,
    role: &'static str,
    space: &'a SpaceId,
}

pub(super) async fn run(
    options: Sql,
    settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<u8> {
    let out = &Output::Here;
    check_data_directory(&settings)?;
    let psql = psql(&settings, environment);
    let own = settings
        .postgres
        .url
        .as_ref()
        .map(|url| url.reveal().to_owned());
    let (url, host) = match own {
        Some(url) => (url, None),
        None => match open(&settings, environment, out).await? {
            Access::Owner(host) => (host.node.database_url().to_owned(), Some(host)),
            Access::Database(url) => (url, None),
        },
    };
    let analyst = as_analyst(&url, &options.space);
    say_if_unknown(&url, &options.space, out).await?;
    let code = if json {
        out.json(&Connection {
            url: &analyst,
            role: ROLE,
            space: &options.space,
        })?;
        0
    } else if let Some(psql) = psql {
        wait(psql, &analyst, options.args).await?
    } else {
        out.say("psql is not installed; while `threadlore standalone` runs, connect with:");
        out.print(line(&analyst));
        NOT_AVAILABLE
    };
    match host {
        Some(host) => host.stop().await.map(|()| code),
        None => Ok(code),
    }
}

/// The connection as psql is started with it, wherever that is.
fn line(url: &str) -> String {
    format!("psql '{}'", url.replace('\'', "'\\''"))
}

/// The URL of a connection that acts as the reader of one space from its start.
fn as_analyst(url: &str, space: &SpaceId) -> String {
    let options = format!(
        "-c%20role%3D{ROLE}%20-c%20lore.space%3D{}",
        percent(space.as_str())
    );
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}options={options}")
}

/// For a value within `options`: a blank in it would end it there.
fn percent(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    text.bytes()
        .map(|b| match plain(b) {
            true => char::from(b).to_string(),
            false => format!("%{b:02X}"),
        })
        .collect()
}

/// A space without rows may be a mistyped one.
async fn say_if_unknown(url: &str, space: &SpaceId, out: &Output) -> anyhow::Result<()> {
    let store = PostgresStore::connect(url, 1).await?;
    let scope = Authority::of_operator().authorise(space, Right::Read)?;
    if !store.has_space(&scope).await? {
        out.say(format_args!(
            "the space {space} has no message, case or channel, so every view is empty: --space \
             names another"
        ));
    }
    Ok(())
}

/// The path of psql: next to the server's programs, or from `PATH`.
fn psql(settings: &Settings, environment: &Environment) -> Option<PathBuf> {
    let search = postgres_search(settings, environment);
    let beside = threadlore_pg_local::Binaries::find(&search).ok();
    let beside = beside.map(|binaries| binaries.dir().to_owned());
    let mut folders = beside.into_iter().chain(environment.path());
    folders.find_map(|folder| {
        let program = folder.join("psql");
        program.is_file().then_some(program)
    })
}

/// Runs psql on this terminal to its end. Ctrl-C is for psql alone.
async fn wait(psql: PathBuf, url: &str, args: Vec<OsString>) -> anyhow::Result<u8> {
    let _not_for_us = signal(SignalKind::interrupt()).context("listening for SIGINT")?;
    let (url, shown) = (url.to_owned(), psql.display().to_string());
    let run = move || Command::new(psql).args(args).arg(url).status();
    let ended = tokio::task::spawn_blocking(run).await?;
    let ended: ExitStatus = ended.with_context(|| format!("starting {shown}"))?;
    let code = ended.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.unwrap_or(FAILED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_that_of_an_analyst() {
        let space = SpaceId::parse("acme").expect("a space");
        let url = as_analyst("postgresql:///postgres?host=%2Fd&port=5432", &space);
        assert!(
            url.ends_with("&port=5432&options=-c%20role%3Dlore_reader%20-c%20lore.space%3Dacme"),
            "{url}"
        );
        let url = as_analyst("postgres://u:p@db/x", &space);
        assert!(url.starts_with("postgres://u:p@db/x?options="), "{url}");
        assert_eq!(line("a'b"), "psql 'a'\\''b'");
    }
}
