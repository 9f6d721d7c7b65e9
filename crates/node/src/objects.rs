//! A store of objects that speaks the S3 protocol, for exports.
//!
//! What an address names is like a directory: a few files, none of them in another. Such a file is an object
//! with the address before its name.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use futures::{StreamExt as _, TryStreamExt as _};
use object_store::aws::AmazonS3Builder;
use object_store::buffered::BufWriter;
use object_store::path::Path as Name;
use object_store::{ClientOptions, ObjectStore, ObjectStoreExt as _, RetryConfig};
use threadlore_model::Timestamp;
use threadlore_settings::S3;
use tokio::io::AsyncWriteExt as _;

use crate::engine::secret;
use crate::error::BadInput;

/// How the address of objects begins.
const SCHEME: &str = "s3://";
/// In an address, this is the time at which the export began, so each has a place of its own; of what is read, the
/// newest one's.
const TIME: &str = "{time}";
/// How often a request that failed is made again.
const RETRIES: usize = 3;

/// Objects whose names begin alike, as if they were the files of a directory.
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    before: Name,
    shown: String,
}

/// Whether a text is the address of objects, and no directory.
#[must_use]
pub fn is_objects(address: &str) -> bool {
    address.starts_with(SCHEME)
}

impl Objects {
    /// Those of an address, such as `s3://backups/acme/{time}`.
    ///
    /// # Errors
    /// `BadInput` where the address or the settings are none to use.
    pub fn at(address: &str, settings: &S3, now: Timestamp) -> anyhow::Result<Self> {
        let shown = address.replace(TIME, &compact(now));
        let rest = shown.strip_prefix(SCHEME).unwrap_or_default();
        let (bucket, before) = rest.split_once('/').unwrap_or((rest, ""));
        let before = before.trim_end_matches('/');
        if bucket.is_empty() || before.is_empty() {
            return Err(BadInput(format!(
                "{address} names no place for an export: it is `s3://BUCKET/NAME`, and `{TIME}` in it is \
                 the time"
            ))
            .into());
        }
        let before = Name::parse(before)
            .map_err(|error| BadInput(format!("{address} cannot be used: {error}")))?;
        let key = secret(
            &settings.secret_access_key,
            &settings.secret_access_key_file,
            "s3.secret_access_key_file",
        )?;
        let limit = Duration::from_secs(settings.timeout_seconds);
        let mut client = ClientOptions::new().with_timeout(limit);
        let mut store = AmazonS3Builder::new()
            .with_bucket_name(bucket)
            .with_region(&settings.region)
            .with_retry(RetryConfig {
                max_retries: RETRIES,
                retry_timeout: limit,
                ..RetryConfig::default()
            });
        if let Some(endpoint) = &settings.endpoint {
            client = client.with_allow_http(endpoint.starts_with("http://"));
            store = store.with_endpoint(endpoint.trim_end_matches('/'));
        }
        store = match (&settings.access_key_id, key) {
            (Some(id), Some(key)) => store.with_access_key_id(id).with_secret_access_key(key),
            _ => {
                return Err(BadInput(
                    "an address of objects wants a key: set `s3.access_key_id` and \
                     `s3.secret_access_key_file`"
                        .to_owned(),
                )
                .into());
            }
        };
        let store = store
            .with_client_options(client)
            .build()
            .map_err(|error| BadInput(format!("{address} cannot be used: {error}")))?;
        Ok(Self {
            store: Arc::new(store),
            before,
            shown,
        })
    }

    /// Those of an address that are whole: their last file is there. Of one with the time in it, the newest.
    ///
    /// # Errors
    /// `BadInput` where none are there, or as [`Objects::at`] has it; what the store says.
    pub async fn newest(address: &str, settings: &S3, last: &str) -> anyhow::Result<Self> {
        // Where there is a time in the address, this one is of no export.
        let found = Self::at(address, settings, Timestamp::EARLIEST)?;
        match address.contains(TIME) {
            true => found.newest_of(address, last).await,
            false => Ok(found),
        }
    }

    async fn newest_of(self, address: &str, last: &str) -> anyhow::Result<Self> {
        let address = address.trim_end_matches('/');
        let place = address.strip_prefix(SCHEME).unwrap_or_default();
        let (_, place) = place.split_once('/').unwrap_or_default();
        let before = place.split(TIME).next().unwrap_or_default();
        let directory = before.rsplit_once('/').map(|(name, _)| Name::parse(name));
        let directory = directory.transpose()?;
        let listed: Vec<_> = self
            .store
            .list(directory.as_ref())
            .try_collect()
            .await
            .with_context(|| format!("looking for exports at {address}"))?;
        let times = listed.iter().filter_map(|one| {
            let there = one.location.as_ref();
            let time = there.strip_prefix(before)?.get(..COMPACT)?;
            let is_time = time.bytes().all(|sign| sign.is_ascii_alphanumeric());
            let whole = format!("{}/{last}", place.replace(TIME, time));
            (is_time && there == whole).then_some(time)
        });
        let time = times.max().ok_or_else(|| {
            let what = format!("no export is at {address}: nothing there has a file {last} in it");
            BadInput(what)
        })?;
        Ok(Self {
            before: Name::parse(place.replace(TIME, time))?,
            shown: address.replace(TIME, time),
            store: self.store,
        })
    }

    /// The address, without blanks to fill in.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.shown
    }

    /// The names of the files there.
    async fn names(&self) -> anyhow::Result<Vec<String>> {
        let reading = || format!("reading what is at {}", self.shown);
        let listed: Vec<_> = self
            .store
            .list(Some(&self.before))
            .try_collect()
            .await
            .with_context(reading)?;
        let mut names = Vec::new();
        for one in listed {
            let mut parts = one
                .location
                .prefix_match(&self.before)
                .with_context(reading)?;
            let name = parts.next().map(|part| part.as_ref().to_owned());
            let is_plain = |name: &String| {
                let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
                name.chars().all(is_sign) && !name.starts_with('.')
            };
            match name.filter(is_plain).filter(|_| parts.next().is_none()) {
                Some(name) => names.push(name),
                None => {
                    return Err(BadInput(format!(
                        "{} is no export: {} is there",
                        self.shown, one.location
                    ))
                    .into());
                }
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Whether something can be written there.
    ///
    /// # Errors
    /// `BadInput` where something is there; what the store says.
    pub async fn check_free(&self) -> anyhow::Result<()> {
        match self.names().await?.first() {
            None => Ok(()),
            Some(name) => Err(BadInput(format!(
                "{} is not empty, {name} is there: name another place, or one with `{TIME}` in it",
                self.shown
            ))
            .into()),
        }
    }

    /// Writes the files of a directory there, one of them as the last one: once it is there all are.
    ///
    /// # Errors
    /// What the file system and the store say.
    pub async fn put(&self, from: &Path, last: Option<&str>) -> anyhow::Result<()> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(from)? {
            let name = entry?.file_name();
            names.push(
                name.to_str()
                    .context("a file whose name is no text")?
                    .to_owned(),
            );
        }
        names.sort_unstable_by_key(|name| (Some(name.as_str()) == last, name.clone()));
        for name in names {
            let to = self.before.clone().join(name.as_str());
            let mut writer = BufWriter::new(self.store.clone(), to);
            let written = async {
                let mut file = tokio::fs::File::open(from.join(&name)).await?;
                tokio::io::copy(&mut file, &mut writer).await?;
                writer.shutdown().await
            };
            written
                .await
                .with_context(|| format!("writing {}/{name}", self.shown))?;
        }
        Ok(())
    }

    /// Reads the files there into a directory.
    ///
    /// # Errors
    /// `BadInput` where there are none; what the file system and the store say.
    pub async fn get(&self, to: &Path) -> anyhow::Result<()> {
        let names = self.names().await?;
        if names.is_empty() {
            return Err(BadInput(format!("nothing is at {}", self.shown)).into());
        }
        for name in names {
            let read = async {
                let found = self
                    .store
                    .get(&self.before.clone().join(name.as_str()))
                    .await?;
                let mut stream = found.into_stream();
                let mut file = tokio::fs::File::create(to.join(&name)).await?;
                while let Some(bytes) = stream.next().await {
                    file.write_all(&bytes?).await?;
                }
                file.flush().await?;
                anyhow::Ok(())
            };
            read.await
                .with_context(|| format!("reading {}/{name}", self.shown))?;
        }
        Ok(())
    }
}

/// Signs of a moment in an address.
const COMPACT: usize = "20261128T230512Z".len();

/// A moment without signs that an address cannot have: `20261128T230512Z`.
fn compact(at: Timestamp) -> String {
    let at = at.to_string();
    let at = at
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end_matches('Z');
    let kept = at.chars().filter(|c| c.is_ascii_alphanumeric());
    format!("{}Z", kept.collect::<String>())
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;
    use threadlore_settings::Secret;

    use super::*;

    fn objects() -> Objects {
        Objects {
            store: Arc::new(InMemory::new()),
            before: Name::from("acme/one"),
            shown: "s3://backups/acme/one".to_owned(),
        }
    }

    async fn put(objects: &Objects, name: &str) {
        let at = Name::from(name);
        objects.store.put(&at, "x".into()).await.expect("writes");
    }

    #[tokio::test]
    async fn files_come_back_as_they_were() {
        let (from, to) = (
            tempfile::tempdir().expect("a"),
            tempfile::tempdir().expect("b"),
        );
        // More than a part of what is sent at once.
        let long = vec![7_u8; 11 * 1024 * 1024];
        std::fs::write(from.path().join("records.avro"), &long).expect("writes");
        std::fs::write(from.path().join("manifest.json"), "{}").expect("writes");
        let objects = objects();
        objects.check_free().await.expect("nothing is there");
        objects
            .put(from.path(), Some("manifest.json"))
            .await
            .expect("writes");
        let taken = objects.check_free().await.expect_err("something is there");
        assert!(
            taken
                .to_string()
                .contains("is not empty, manifest.json is there"),
            "{taken}"
        );
        objects.get(to.path()).await.expect("reads");
        let read = |name: &str| std::fs::read(to.path().join(name)).expect("a file");
        assert_eq!(
            (read("records.avro"), read("manifest.json")),
            (long, b"{}".to_vec())
        );
    }

    #[tokio::test]
    async fn what_is_no_export_is_not_read() {
        let to = tempfile::tempdir().expect("a directory");
        let none = objects().get(to.path()).await.expect_err("nothing");
        assert!(
            none.to_string()
                .contains("nothing is at s3://backups/acme/one"),
            "{none}"
        );
        for name in [
            "acme/one/deep/manifest.json",
            "acme/one/.bashrc",
            "acme/one/a b",
        ] {
            let objects = objects();
            put(&objects, name).await;
            let refused = objects.get(to.path()).await.expect_err(name);
            assert!(refused.to_string().contains("is no export"), "{refused}");
        }
        assert_eq!(std::fs::read_dir(to.path()).expect("it").count(), 0);
    }

    #[tokio::test]
    async fn of_exports_with_a_time_the_newest_whole_one_is_read() {
        let newest = async |address: &str, names: &[&str]| {
            let objects = objects();
            for name in names {
                put(&objects, name).await;
            }
            let found = objects.newest_of(address, "manifest.json").await;
            found.map(|found| (found.shown, found.before.to_string()))
        };
        let found = newest(
            "s3://backups/acme/{time}/x/",
            &[
                "acme/20261127T031700Z/x/manifest.json",
                "acme/20261128T031700Z/x/manifest.json",
                "acme/20261128T031700Z/x/records.avro",
                // Cut off; of another place; no time; not of this bucket's exports at all.
                "acme/20261129T031700Z/x/records.avro",
                "acme/20261130T031700Z/y/manifest.json",
                "acme/20261130T031700Z/x/deep/manifest.json",
                "acme/latest/x/manifest.json",
                "acme/äöüäöüäö/x/manifest.json",
                "acme-two/20261231T031700Z/x/manifest.json",
            ],
        );
        let expected = "acme/20261128T031700Z/x".to_owned();
        let found = found.await.expect("one");
        assert_eq!(found, (format!("s3://backups/{expected}"), expected));
        let names = ["20261127T031700Z/manifest.json"];
        let found = newest("s3://backups/{time}", &names).await.expect("one");
        assert_eq!(found.0, "s3://backups/20261127T031700Z");
        let none = newest("s3://backups/b/{time}", &names).await;
        let none = none.expect_err("none").to_string();
        assert!(
            none.contains("no export is at s3://backups/b/{time}"),
            "{none}"
        );
    }

    #[test]
    fn an_address_names_a_bucket_and_a_place_in_it() {
        let now = Timestamp::from_millis(1_700_000_000_000);
        let settings = S3 {
            access_key_id: Some("lore".to_owned()),
            secret_access_key: Some(Secret::new("secret")),
            ..S3::default()
        };
        let at = |address| Objects::at(address, &settings, now).map(|all| all.shown);
        assert_eq!(
            at("s3://backups/acme/{time}/").expect("a place"),
            "s3://backups/acme/20231114T221320Z/"
        );
        for wrong in ["s3://", "s3://backups", "s3://backups/", "s3://b/../c"] {
            assert!(at(wrong).is_err(), "{wrong}");
        }
        let bare = Objects::at("s3://b/c", &S3::default(), now);
        let said = bare.map(|all| all.shown).expect_err("no key").to_string();
        assert!(said.contains("s3.access_key_id"), "{said}");
    }
}
