//! People with a name and a password: a file that the operator keeps, with what each may in which space.
//!
//! It is read again whenever it was changed, so that who is taken out of it is out at once. Passwords are
//! kept as Argon2id makes them.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::Context as _;
use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use threadlore_model::SpaceId;
use threadlore_node::BadInput;
use threadlore_ports::{Authority, Right};

/// The most bytes of a file of accounts.
const LARGEST: u64 = 4_000_000;
/// The longest name, in characters.
const LONGEST_NAME: usize = 100;
/// The shortest password, in bytes.
pub(crate) const SHORTEST: usize = 10;
/// The shortest, and the longest.
const PASSWORD: std::ops::RangeInclusive<usize> = SHORTEST..=1_000;
/// Bytes of the mark of a password.
const MARK: usize = 9;

/// A person who may sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    /// The name of the account.
    pub(crate) name: String,
    /// Another one with each password: sessions of an old one end.
    pub(crate) mark: String,
    /// The rights in each space.
    pub(crate) may: BTreeMap<SpaceId, Vec<Right>>,
}

impl Person {
    /// What the person may.
    pub(crate) fn authority(&self) -> Authority {
        let grants = self.may.iter().flat_map(|(space, rights)| {
            let rights = rights.iter();
            rights.map(|right| (space.clone(), *right))
        });
        Authority::of_grants(grants.collect())
    }
}

/// An account as it stands in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Account {
    /// The password, as Argon2id makes it; none where somebody signs in at the provider alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password: Option<String>,
    /// The rights in each space.
    may: BTreeMap<String, Vec<Right>>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    accounts: BTreeMap<String, Account>,
}

/// An account as it is listed.
#[derive(Debug, Serialize)]
pub struct ListedAccount {
    /// The name.
    pub name: String,
    /// Whether there is a password for it.
    pub password: bool,
    /// The names of its rights in each space.
    pub may: BTreeMap<SpaceId, Vec<&'static str>>,
}

/// People by the names of their accounts, each with the hash of the password, if there is one.
type People = BTreeMap<String, (Person, Option<String>)>;
/// When a file was changed, which one it is, and how long.
type Changed = (SystemTime, u64, u64);

/// The accounts of an installation.
#[derive(Debug)]
pub(crate) struct Accounts {
    /// The file; none where the installation can have none.
    path: Option<PathBuf>,
    /// What it had when it was read last, and when it had been changed then.
    known: Mutex<(Option<Changed>, Arc<People>)>,
}

impl Accounts {
    pub(crate) fn at(path: Option<PathBuf>) -> Self {
        Self {
            path,
            known: Mutex::default(),
        }
    }

    /// Whether anybody has one with a password.
    pub(crate) fn any(&self) -> bool {
        let people = self.people();
        people.values().any(|(_, hash)| hash.is_some())
    }

    /// The person with this name, and whether there is a password for it.
    pub(crate) fn named(&self, name: &str) -> Option<(Person, bool)> {
        let people = self.people();
        let (person, hash) = people.get(name)?;
        Some((person.clone(), hash.is_some()))
    }

    /// The person of a session that was begun with this password.
    pub(crate) fn person(&self, name: &str, mark: &str) -> Option<Person> {
        let people = self.people();
        let (person, _) = people.get(name)?;
        (person.mark == mark).then(|| person.clone())
    }

    /// The person with a name and a password. Takes some hundredths of a second of a processor, whether or
    /// not there is such a name.
    pub(crate) fn check(&self, name: &str, password: &str) -> Option<Person> {
        let people = self.people();
        let found = people.get(name);
        // Nobody's, so that who is not there takes as long.
        let hash = found.and_then(|(_, hash)| hash.as_deref());
        let hash = hash.unwrap_or(NOBODY);
        let hash = PasswordHash::new(hash).ok()?;
        let is_right = Argon2::default()
            .verify_password(password.as_bytes(), &hash)
            .is_ok();
        let (person, _) = found.filter(|_| is_right && PASSWORD.contains(&password.len()))?;
        Some(person.clone())
    }

    /// Gives an account another password.
    pub(crate) fn change_password(&self, name: &str, password: &str) -> anyhow::Result<()> {
        let path = self.path.as_ref().context("there are no accounts")?;
        put_account(path, name, PasswordChange::To(password), (&[], &[]))
    }

    /// What the file has now. One that cannot be used lets nobody in, and is said in the log.
    fn people(&self) -> Arc<People> {
        let Some(path) = &self.path else {
            return Arc::default();
        };
        let meta = fs::metadata(path).ok();
        let changed = meta.and_then(|meta| Some((meta.modified().ok()?, meta.ino(), meta.len())));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if changed.is_none() || known.0 != changed {
            let people = read(path).map(people).unwrap_or_else(|error| {
                let error = format!("{error:#}");
                tracing::error!(error, "nobody with a password is let in");
                People::new()
            });
            *known = (changed, Arc::new(people));
        }
        Arc::clone(&known.1)
    }
}

/// A hash of no password that anybody can send, as long to check as every other.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5bm9ib2R5bm9ib2R5$\
                      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn people(file: File) -> People {
    let accounts = file.accounts.into_iter();
    let people = accounts.map(|(name, account)| {
        let may = account.may.into_iter();
        let may = may.filter_map(|(space, may)| Some((SpaceId::parse(&space).ok()?, may)));
        let hash = Sha256::digest(account.password.as_deref().unwrap_or_default());
        let person = Person {
            name: name.clone(),
            mark: URL_SAFE_NO_PAD.encode(&hash[..MARK]),
            may: may.collect(),
        };
        (name, (person, account.password))
    });
    people.collect()
}

/// The file, as it is on disk: empty where there is none.
fn read(path: &Path) -> anyhow::Result<File> {
    let shown = path.display();
    let of = "(settings key api.accounts_file)";
    match fs::metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(File::default()),
        Ok(meta) if meta.len() > LARGEST => {
            return Err(BadInput(format!("{shown} has more than {LARGEST} bytes {of}")).into());
        }
        _ => {}
    }
    let text = fs::read_to_string(path)
        .with_context(|| BadInput(format!("accounts cannot be read from {shown} {of}")))?;
    let file: File = toml::from_str(&text).map_err(|e| {
        // Its message could quote a hash.
        let line = e.span().and_then(|span| text.get(..span.start));
        let line = line.map_or(0, |before| before.matches('\n').count() + 1);
        BadInput(format!(
            "{shown} is no file of accounts: look at line {line} {of}"
        ))
    })?;
    for (name, account) in &file.accounts {
        check_name(name)?;
        for space in account.may.keys() {
            SpaceId::parse(space).map_err(|e| {
                BadInput(format!(
                    "{shown}: `{name}` may something in no space: {e} {of}"
                ))
            })?;
        }
        let Some(password) = &account.password else {
            continue;
        };
        PasswordHash::new(password).map_err(|_| {
            BadInput(format!(
                "{shown}: the password of `{name}` is no hash of Argon2 {of}"
            ))
        })?;
    }
    Ok(file)
}

fn check_name(name: &str) -> Result<(), BadInput> {
    let is_sign = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-@+".contains(c);
    match !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_sign) {
        true => Ok(()),
        false => Err(BadInput(format!(
            "{name:?} is no name of an account: it has up to {LONGEST_NAME} of a-z, 0-9, `.`, `_`, `-`, `+` and `@`"
        ))),
    }
}

/// Lets nobody else change the file until it is dropped.
fn locked(path: &Path) -> anyhow::Result<fs::File> {
    let open = || {
        let beside = path.with_extension("lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(beside)?;
        file.lock()?;
        Ok::<_, std::io::Error>(file)
    };
    open().with_context(|| cannot_write(path))
}

fn cannot_write(path: &Path) -> BadInput {
    BadInput(format!(
        "accounts cannot be written to {} (settings key api.accounts_file): its directory has to be there and \
         ours; the first start of threadlore makes that of the data directory",
        path.display()
    ))
}

/// Replaces the file by another, whole or not at all.
fn write(path: &Path, file: &File) -> anyhow::Result<()> {
    let head = "# People who may sign in to the pages. `threadlore user` keeps this file.\n\n";
    let text = format!("{head}{}", toml::to_string(file)?);
    let temporary = path.with_extension("tmp");
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&temporary)
        .and_then(|mut to| to.write_all(text.as_bytes()).and_then(|()| to.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    written.with_context(|| cannot_write(path))
}

/// A password that nobody guesses.
///
/// # Errors
/// The system gives no random bytes.
pub fn new_password() -> anyhow::Result<String> {
    Ok(URL_SAFE_NO_PAD.encode(crate::access::random()?))
}

fn hashed(password: &str) -> anyhow::Result<String> {
    if !PASSWORD.contains(&password.len()) {
        let (least, most) = (PASSWORD.start(), PASSWORD.end());
        return Err(BadInput(format!("a password has {least} to {most} bytes")).into());
    }
    let salt = SaltString::encode_b64(&crate::access::random()?)
        .map_err(|e| anyhow::anyhow!("making a salt: {e}"))?;
    let hash = Argon2::default()
        .hash_password(password.as_bytes(), &salt)
        .map_err(|e| anyhow::anyhow!("hashing a password: {e}"))?;
    Ok(hash.to_string())
}

/// What becomes of the password of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordChange<'a> {
    /// It stays, of an account that is there.
    None,
    /// It is this one.
    To(&'a str),
    /// There is none: the person signs in at the provider alone.
    Away,
}

/// Gives somebody an account with rights in spaces, or an account other rights there. Rights in other spaces,
/// and a password that is not given anew, stay.
///
/// # Errors
/// The name or the password cannot be used; the file cannot be read or written.
pub fn put_account(
    path: &Path,
    name: &str,
    password: PasswordChange<'_>,
    (spaces, may): (&[SpaceId], &[Right]),
) -> anyhow::Result<()> {
    check_name(name)?;
    let _locked = locked(path)?;
    let mut file = read(path)?;
    let known = file.accounts.remove(name);
    let (old, known) = known.map(|one| (one.password, one.may)).unzip();
    let password = match (password, old) {
        (PasswordChange::To(password), _) => Some(hashed(password)?),
        (PasswordChange::Away, _) => None,
        (PasswordChange::None, Some(old)) => old,
        (PasswordChange::None, None) => {
            return Err(BadInput(format!("there is no account {name}")).into());
        }
    };
    let mut account = Account {
        password,
        may: known.unwrap_or_default(),
    };
    for space in spaces {
        account.may.insert(space.to_string(), may.to_vec());
    }
    file.accounts.insert(name.to_owned(), account);
    write(path, &file)
}

/// Takes somebody's account away: they are out with their next request.
///
/// # Errors
/// There is no such account; the file cannot be read or written.
pub fn remove_account(path: &Path, name: &str) -> anyhow::Result<()> {
    let _locked = locked(path)?;
    let mut file = read(path)?;
    if file.accounts.remove(name).is_none() {
        return Err(BadInput(format!(
            "there is no account {name}; `threadlore user list` has them"
        ))
        .into());
    }
    write(path, &file)
}

/// The accounts, by their names.
///
/// # Errors
/// The file cannot be read, or is none.
pub fn accounts(path: &Path) -> anyhow::Result<Vec<ListedAccount>> {
    let people = people(read(path)?).into_values();
    let listed = people.map(|(person, hash)| ListedAccount {
        name: person.name,
        password: hash.is_some(),
        may: person
            .may
            .into_iter()
            .map(|(space, may)| (space, may.into_iter().map(Right::name).collect()))
            .collect(),
    });
    Ok(listed.collect())
}

#[cfg(test)]
mod tests;
