//! Tracing output.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;

use crate::Error;

/// The prefix of our own targets.
const OURS: &str = "threadlore";
/// The filter for other crates. Some of their warnings are left out. The connection pool warns when
/// the server closes a connection, which the user of the connection reports too. sqlx warns of
/// slow statements with their whole text; `threadlore_fold_seconds` measures batches instead.
const OTHERS: &str = "warn,sqlx_core::pool=error,sqlx::query=error";

/// Sends tracing output to standard error: text for people, or one JSON object per line. `level`
/// is either a level (`info`), which applies to our own crates while others write warnings and
/// errors only, or a filter that is used unchanged (`info,threadlore_runtime=debug`).
///
/// # Errors
/// [`Error::Level`] when `level` cannot be read, [`Error::AlreadySet`] on a
/// second call in one process.
pub fn init(level: &str, json: bool) -> Result<(), Error> {
    let builder = fmt()
        .with_env_filter(filter(level)?)
        .with_ansi(stderr().is_terminal())
        .with_writer(stderr);
    let set = if json {
        builder.json().try_init()
    } else {
        builder.try_init()
    };
    set.map_err(|_| Error::AlreadySet)
}

fn filter(level: &str) -> Result<EnvFilter, Error> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    let refused = |source| Error::Level {
        level: level.to_owned(),
        source,
    };
    let is_level = LEVELS.iter().any(|known| known.eq_ignore_ascii_case(level));
    // A misspelt level would count as the name of a target, and silence everything else.
    if !is_level && !level.contains(['=', ',']) {
        return Err(refused(None));
    }
    // At `info`, libraries write lines that only their developers can use.
    let directives = match level.to_ascii_lowercase().as_str() {
        own @ ("info" | "debug" | "trace") => format!("{OTHERS},{OURS}={own}"),
        _ => level.to_owned(),
    };
    EnvFilter::builder()
        .parse(directives)
        .map_err(|source| refused(Some(source)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_filters_are_accepted_and_misspelt_levels_refused() {
        for good in [
            "info",
            "WARN",
            "off",
            "info,threadlore_runtime=debug",
            "threadlore_app=trace",
        ] {
            filter(good).expect(good);
        }
        for bad in ["", "inof", "verbose", "threadlore=loud"] {
            let error = filter(bad).expect_err(bad).to_string();
            assert!(
                error.contains(&format!("`telemetry.level` is {bad:?}")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_plain_level_is_for_our_own_crates() {
        for (level, directives) in [
            (
                "info",
                "sqlx_core::pool=error,sqlx::query=error,threadlore=info,warn",
            ),
            (
                "DEBUG",
                "sqlx_core::pool=error,sqlx::query=error,threadlore=debug,warn",
            ),
            ("error", "error"),
            ("info,fjall=info", "fjall=info,info"),
        ] {
            assert_eq!(filter(level).expect(level).to_string(), directives);
        }
    }

    #[test]
    fn a_second_set_up_is_refused() {
        init("off", true).expect("the first call in this process");
        assert!(matches!(init("off", false), Err(Error::AlreadySet)));
    }
}
