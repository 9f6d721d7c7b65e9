//! Collections of builds: found, made, dropped, waited for.

use std::time::Duration;

use qdrant_client::qdrant::{CollectionInfo, CollectionStatus, DeleteCollection};
use threadlore_ports::{Dense, Generation, Opened, PortError};

use super::failure::{Failure, Kind};
use super::options::ClusterOptions;
use super::server::{Server, Tries};
use super::shape;
use crate::error::unavailable;

const OPENING: &str = "opening the index of cases";
const DROPPING: &str = "dropping a collection of the index";
const OPTIMISING: &str = "optimising the index of cases";
/// The oldest supported server, by major and minor number.
const OLDEST: (u32, u32) = (1, 15);
/// Time between two checks of the servers' work.
const LOOK: Duration = Duration::from_millis(500);
/// So many looks in a row that show work which no server has begun: none will.
const IDLE_LOOKS: u32 = 10;
/// How often a collection is looked for again that another process made or dropped
/// meanwhile.
const ROUNDS: usize = 5;

/// The name of a build's collection.
pub(crate) fn name(options: &ClusterOptions, build: Generation) -> String {
    format!("{}{}", options.prefix, build.schema())
}

/// # Errors
/// `Broken` when the server is too old.
pub(crate) async fn check_version(server: &Server) -> Result<(), PortError> {
    let answer = server.call(
        Tries::Few,
        &(),
        |q, ()| async move { q.health_check().await },
    );
    let found = answer.await.map_err(|f| f.error(OPENING))?.version;
    let mut numbers = found.split('.').map(str::parse);
    // A version that cannot be read is some build of a developer's.
    if let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next())
        && (major, minor) < OLDEST
    {
        let reason = format!(
            "Qdrant at {} is of version {found}: use 1.15 or newer",
            server.url()
        );
        return Err(PortError::broken(OPENING, reason));
    }
    Ok(())
}

/// The server's description of a collection; `None` when there is none.
async fn info(
    server: &Server,
    name: &str,
    tries: Tries,
) -> Result<Option<CollectionInfo>, Failure> {
    let name = name.to_owned();
    let answer = server.call(tries, &name, |q, name| async move {
        q.collection_info(name).await
    });
    match answer.await {
        Ok(answer) => Ok(answer.result),
        Err(failure) if failure.kind == Kind::Missing => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// The dense vectors that a collection was made for; `None` when there is no collection.
///
/// # Errors
/// `Broken` when Threadlore did not make the collection.
pub(crate) async fn made_for(
    server: &Server,
    name: &str,
    (tries, doing): (Tries, &'static str),
) -> Result<Option<Option<Dense>>, PortError> {
    let info = info(server, name, tries)
        .await
        .map_err(|f| f.error(doing))?;
    let made_for = |info| shape::made_for(&info).map_err(|has| foreign(server, name, doing, &has));
    info.map(made_for).transpose()
}

fn foreign(server: &Server, name: &str, doing: &'static str, has: &str) -> PortError {
    let reason = format!(
        "the collection {name} at {} was not made by Threadlore, it has {has}: choose another \
         prefix, or drop it by hand",
        server.url()
    );
    PortError::broken(doing, reason)
}

/// Makes a collection ready; one of another model is made anew.
pub(crate) async fn open(
    server: &Server,
    name: &str,
    dense: Option<Dense>,
    options: &ClusterOptions,
) -> Result<Opened, PortError> {
    let mut opened = Opened::Found;
    for _ in 0..ROUNDS {
        let found = info(server, name, Tries::Few)
            .await
            .map_err(|f| f.error(OPENING))?;
        let Some(found) = found else {
            if make(server, name, dense, options).await? {
                opened = Opened::Made;
            }
            continue;
        };
        let made_for = shape::made_for(&found);
        let made_for = made_for.map_err(|has| foreign(server, name, OPENING, &has))?;
        if made_for == dense {
            let added = add_indexes(server, name, &found, options).await?;
            if added && found.points_count() == 0 {
                // The process that made it was interrupted and did not report it.
                opened = Opened::Made;
            }
            return Ok(opened);
        }
        tracing::warn!(
            collection = name,
            found = ?made_for,
            wanted = ?dense,
            "the index is of another model and is made anew from the rows"
        );
        delete(server, name, options, OPENING).await?;
    }
    let said = format!("the collection {name} is made and dropped by another process");
    Err(Failure::passing(server.url(), &said).error(OPENING))
}

/// Whether it was made here, and not by another process meanwhile.
async fn make(
    server: &Server,
    name: &str,
    dense: Option<Dense>,
    options: &ClusterOptions,
) -> Result<bool, PortError> {
    let request = shape::create(name, dense, options);
    let answer = server.call(Tries::Once, &request, |q, r| async move {
        q.create_collection(r).await
    });
    match answer.await {
        Ok(answer) if answer.result => Ok(true),
        Ok(_) => {
            let failure = Failure::passing(server.url(), "the collection was not made");
            Err(failure.error(OPENING))
        }
        Err(failure) if failure.kind == Kind::Exists => Ok(false),
        Err(failure) => Err(failure.error(OPENING)),
    }
}

/// Whether any was missing.
async fn add_indexes(
    server: &Server,
    name: &str,
    found: &CollectionInfo,
    options: &ClusterOptions,
) -> Result<bool, PortError> {
    let missing = shape::missing_indexes(name, found, options.timeout_seconds());
    let any = !missing.is_empty();
    for request in missing {
        let answer = server.change(
            &request,
            |q, r| async move { q.create_field_index(r).await },
        );
        answer.await.map_err(|f| f.error(OPENING))?;
    }
    Ok(any)
}

/// Drops a collection of ours; a missing one is no error.
pub(crate) async fn drop(
    server: &Server,
    name: &str,
    options: &ClusterOptions,
) -> Result<(), PortError> {
    match made_for(server, name, (Tries::Few, DROPPING)).await? {
        None => Ok(()),
        Some(_) => delete(server, name, options, DROPPING).await,
    }
}

async fn delete(
    server: &Server,
    name: &str,
    options: &ClusterOptions,
    doing: &'static str,
) -> Result<(), PortError> {
    let request = DeleteCollection {
        collection_name: name.to_owned(),
        timeout: Some(options.timeout_seconds()),
    };
    let answer = server.call(Tries::Few, &request, |q, r| async move {
        q.delete_collection(r).await
    });
    match answer.await {
        Err(failure) if failure.kind != Kind::Missing => Err(failure.error(doing)),
        // The server answers `false` if the collection was gone already.
        _ => Ok(()),
    }
}

/// Waits until the servers have put a collection in order; a bounded time, and
/// searching works meanwhile. `None` when there is no such collection.
pub(crate) async fn settle(
    server: &Server,
    name: &str,
    options: &ClusterOptions,
) -> Result<Option<()>, PortError> {
    let looks = options.optimise_wait.as_millis() / LOOK.as_millis();
    let mut idle = 0;
    for _ in 0..=looks {
        let found = info(server, name, Tries::Few)
            .await
            .map_err(|f| f.error(OPTIMISING))?;
        let Some(found) = found else {
            return Ok(None);
        };
        match found.status() {
            CollectionStatus::Green => return Ok(Some(())),
            CollectionStatus::Red => {
                let said = found.optimizer_status.unwrap_or_default().error;
                let said = format!(
                    "the collection {name} is red: look into the log of the server. {said}"
                );
                let failure = Failure::passing(server.url(), &said);
                return Err(failure.error(OPTIMISING));
            }
            CollectionStatus::Grey => idle += 1,
            _ => idle = 0,
        }
        if idle >= IDLE_LOOKS {
            break;
        }
        server.clock().sleep(LOOK).await;
    }
    tracing::info!(
        collection = name,
        "the servers have not put the index in order yet; they go on by themselves"
    );
    Ok(Some(()))
}

/// The collection was there, and is not, or is another one.
pub(crate) fn changed(server: &Server, name: &str, doing: &'static str) -> PortError {
    let said = format!(
        "Qdrant at {}: the collection {name} was dropped or made anew by somebody else; it is \
         filled again when the index is next opened",
        server.url()
    );
    unavailable(doing, said)
}
