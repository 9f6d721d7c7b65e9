//! `threadlore user`: people who sign in to the pages with a name and a password. It works on the file of
//! accounts alone, whether or not a process runs.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use serde_json::json;
use threadlore_api::{
    ListedAccount, PasswordChange, accounts, new_password, put_account, remove_account,
};
use threadlore_node::{BadInput, accounts_file};
use threadlore_ports::Right;
use threadlore_settings::Settings;

use crate::cli::{User, UserAdd, UserPassword};
use crate::output::Output;

/// The most bytes that are read of a password.
const LONGEST: u64 = 2_000;

pub(super) fn run(command: &User, settings: &Settings, json: bool) -> anyhow::Result<u8> {
    let out = &Output::Here;
    let path = accounts_file(settings).context(BadInput(
        "no file is named for accounts: with the log and the tables elsewhere there is no data directory to \
         keep one; set `api.accounts_file`"
            .to_owned(),
    ))?;
    match command {
        User::Add(add) => {
            let is_known = accounts(&path)?.iter().any(|one| one.name == add.name);
            // Who has a password keeps it.
            let password = match (add.password_stdin, is_known || add.no_password) {
                (false, true) => None,
                (from_stdin, _) => Some(password(from_stdin)?),
            };
            put(&path, add, password.as_ref())?;
            let may = add.may.iter().map(|right| right.name());
            let may: Vec<&str> = may.collect();
            let spaces: Vec<String> = add.space.iter().map(ToString::to_string).collect();
            said(out, json, &add.name, password.as_ref(), || {
                format!(
                    "{} may {} in {}",
                    add.name,
                    may.join(", "),
                    spaces.join(", ")
                )
            })
        }
        User::Password(UserPassword {
            name,
            password_stdin,
        }) => {
            if !accounts(&path)?.iter().any(|one| one.name == *name) {
                return Err(BadInput(format!(
                    "there is no account {name}; `threadlore user list` has them"
                ))
                .into());
            }
            let password = password(*password_stdin)?;
            put_account(&path, name, PasswordChange::To(&password.text), (&[], &[]))?;
            said(out, json, name, Some(&password), || {
                format!("{name} has another password; who is signed in with the old one is out")
            })
        }
        User::Remove { name } => {
            remove_account(&path, name)?;
            match json {
                true => out.json(&json!({ "removed": name }))?,
                false => out.say(format_args!("{name} cannot sign in any more, and is out")),
            }
            Ok(0)
        }
        User::List => list(&accounts(&path)?, out, json),
    }
}

/// A password, and whether it was made here.
struct Password {
    text: String,
    is_new: bool,
}

fn password(from_stdin: bool) -> anyhow::Result<Password> {
    if !from_stdin {
        let text = new_password()?;
        return Ok(Password { text, is_new: true });
    }
    let mut text = String::new();
    let read = std::io::stdin()
        .lock()
        .take(LONGEST)
        .read_to_string(&mut text);
    read.context(BadInput(
        "the password cannot be read from standard input as UTF-8".to_owned(),
    ))?;
    Ok(Password {
        text: text.trim_end_matches(['\r', '\n']).to_owned(),
        is_new: false,
    })
}

fn put(path: &Path, add: &UserAdd, password: Option<&Password>) -> anyhow::Result<()> {
    if add.may.contains(&Right::Ingest) {
        return Err(BadInput(
            "pages send no messages, so `ingest` is for tokens (`threadlore token create`)"
                .to_owned(),
        )
        .into());
    }
    let password = match password {
        _ if add.no_password => PasswordChange::Away,
        None => PasswordChange::None,
        Some(password) => PasswordChange::To(&password.text),
    };
    put_account(path, &add.name, password, (&add.space, &add.may))
}

/// What was done; a password that was made is printed, once.
fn said(
    out: &Output,
    json: bool,
    name: &str,
    password: Option<&Password>,
    done: impl FnOnce() -> String,
) -> anyhow::Result<u8> {
    let new = password
        .filter(|one| one.is_new)
        .map(|one| one.text.as_str());
    if json {
        out.json(&json!({ "name": name, "password": new }))?;
        return Ok(0);
    }
    match new {
        Some(text) => {
            out.say(format_args!(
                "{}; the password, which is shown once:",
                done()
            ));
            out.print(text);
        }
        None => out.say(done()),
    }
    Ok(0)
}

fn list(accounts: &[ListedAccount], out: &Output, json: bool) -> anyhow::Result<u8> {
    if json {
        out.json(&json!({ "accounts": accounts }))?;
        return Ok(0);
    }
    if accounts.is_empty() {
        out.say("nobody has an account: `threadlore user add NAME`");
    }
    for one in accounts {
        let may = one.may.iter();
        let may: Vec<String> = may
            .map(|(space, may)| format!("{} in {space}", may.join(", ")))
            .collect();
        let how = if one.password { "" } else { " (no password)" };
        out.print(format_args!("{}{how}: {}", one.name, may.join("; ")));
    }
    Ok(0)
}
