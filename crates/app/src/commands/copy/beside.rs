//! Copies the keys and the blobs of a log.

use threadlore_ports::{BlobStore, Keystore};

use crate::exit::BadInput;

/// How many are copied at a time.
const BATCH: usize = 500;

/// Copies all keys. Destroyed ones are copied as destroyed, so that none is ever made again. Each
/// store wraps keys with its own master key.
pub(super) async fn keys(from: &dyn Keystore, to: &dyn Keystore) -> anyhow::Result<u64> {
    if !to.walk(None, 1).await?.is_empty() {
        return Err(BadInput(
            "the target has keys, so it is not new: start again with an empty target".to_owned(),
        )
        .into());
    }
    let (mut count, mut after) = (0, None);
    loop {
        let keys = from.walk(after.as_ref(), BATCH).await?;
        let Some((last, _)) = keys.last() else {
            return Ok(count);
        };
        (after, count) = (Some(last.clone()), count + keys.len() as u64);
        to.put(keys).await?;
    }
}

/// Copies all blobs.
pub(super) async fn blobs(from: &dyn BlobStore, to: &dyn BlobStore) -> anyhow::Result<u64> {
    let (mut count, mut after) = (0, None::<String>);
    loop {
        let names = from.names(after.as_deref(), BATCH).await?;
        for name in &names {
            if let Some(bytes) = from.get(name).await? {
                to.put(name, &bytes).await?;
                count += 1;
            }
        }
        match names.into_iter().next_back() {
            Some(last) => after = Some(last),
            None => return Ok(count),
        }
    }
}
