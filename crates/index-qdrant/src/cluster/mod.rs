//! The port, on a Qdrant cluster.
//!
//! - One collection for each build, `<prefix>cases_g1`, …; its vectors show which model it was made
//!   for. Only `open` makes a collection, or drops it for another model. Every other call uses a
//!   collection that any process opened, so processes that only search need not open it.
//! - A change returns when every live node has it and searches see it. Changes go through one node
//!   at a time, so that two processes leave all nodes equal. The death of a node loses nothing while
//!   another one has the shard.
//! - One shard, because servers count the rarity of terms separately in each shard.
//! - Servers optimise collections by themselves: `optimise` waits for that, for a bounded time.
//!   Points that were replaced or removed may count in the rarity of terms until the server's own
//!   cleaning, which starts when a fifth of a segment is deleted.
//! - A request of the indexer is tried again a few times, a search never, because its caller has
//!   a fallback. Requests are bounded in points, bytes and number.
//! - A collection that another process drops or replaces is a passing fault: the indexer opens the
//!   index again, which makes it anew from the rows.
//!
//! A collection that a server cannot read is not dropped: the cluster repairs it from another node,
//! or its operator does.

mod batch;
mod collections;
mod convert;
mod failure;
mod options;
mod port;
mod server;
mod shape;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use qdrant_client::qdrant::PointsOperationResponse;
use qdrant_client::{Qdrant, QdrantError};
use threadlore_ports::{Clock, Dense, Generation, PortError, Query};
use tokio::sync::OnceCell;

use self::failure::{Failure, Kind};
pub use self::options::ClusterOptions;
use self::server::{Server, Tries};
use crate::error::not_open;
use crate::point::fits;

/// The index of cases on a cluster.
pub struct ClusterIndex {
    server: Server,
    options: ClusterOptions,
    /// The dense vectors of the collections that were used so far.
    known: Mutex<HashMap<Generation, Option<Dense>>>,
    /// Held while a collection is made or dropped.
    making: tokio::sync::Mutex<()>,
    checked: OnceCell<()>,
}

impl ClusterIndex {
    /// Nothing is sent yet: a cluster that is away fails the calls, not the start.
    ///
    /// # Errors
    /// `Broken` with the name of the option that cannot be used.
    pub fn connect(options: ClusterOptions, clock: Arc<dyn Clock>) -> Result<Self, PortError> {
        options.validate()?;
        Ok(Self {
            server: Server::new(&options, clock)?,
            options,
            known: Mutex::default(),
            making: tokio::sync::Mutex::default(),
            checked: OnceCell::new(),
        })
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Generation, Option<Dense>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self, build: Generation) -> String {
        collections::name(&self.options, build)
    }

    /// The dense vectors that the collection of a build was made for.
    ///
    /// # Errors
    /// `Refused` when there is no collection.
    async fn made_for(
        &self,
        how: (Tries, &'static str),
        build: Generation,
    ) -> Result<Option<Dense>, PortError> {
        let known = self.known().get(&build).copied();
        match known {
            Some(dense) => Ok(dense),
            None => self.look(how, build).await,
        }
    }

    /// As `made_for`, asking the server.
    async fn look(
        &self,
        how: (Tries, &'static str),
        build: Generation,
    ) -> Result<Option<Dense>, PortError> {
        let found = collections::made_for(&self.server, &self.name(build), how).await?;
        let dense = found.ok_or_else(|| not_open(how.1, build))?;
        self.known().insert(build, dense);
        Ok(dense)
    }

    /// The vectors that a query is compared with. If they differ from the query's, the collection
    /// is described again, because it may have been made anew.
    async fn searched(
        &self,
        doing: &'static str,
        build: Generation,
        query: &Query,
    ) -> Result<Option<Dense>, PortError> {
        let mine = |of: &Dense| self.options.dense.is_none_or(|mine| mine == *of);
        let how = (Tries::Once, doing);
        let dense = self.made_for(how, build).await?.filter(mine);
        match &query.dense {
            Some(vector) if !fits(vector, dense) => {
                let dense = self.look(how, build).await?;
                Ok(dense.filter(mine))
            }
            _ => Ok(dense),
        }
    }

    /// The error of a failed request. If the collection has changed, the next call describes it
    /// again.
    async fn failed(&self, failure: Failure, doing: &'static str, build: Generation) -> PortError {
        let changed = match failure.kind {
            Kind::Missing => true,
            Kind::Invalid => {
                let before = self.known().get(&build).copied();
                let how = (Tries::Once, doing);
                let now = collections::made_for(&self.server, &self.name(build), how).await;
                now.is_ok_and(|now| now != before)
            }
            _ => false,
        };
        if !changed {
            return failure.error(doing);
        }
        self.known().remove(&build);
        collections::changed(&self.server, &self.name(build), doing)
    }

    /// Sends a request, with retries.
    async fn ask<R: Clone, T, F>(
        &self,
        (tries, doing, build): (Tries, &'static str, Generation),
        request: &R,
        send: impl Fn(Qdrant, R) -> F,
    ) -> Result<T, PortError>
    where
        F: Future<Output = Result<T, QdrantError>>,
    {
        match self.server.call(tries, request, send).await {
            Ok(answer) => Ok(answer),
            Err(failure) => Err(self.failed(failure, doing, build).await),
        }
    }

    /// As `ask`, for a change of points: it returns when searches see the change.
    async fn change<R: Clone, F>(
        &self,
        (doing, build): (&'static str, Generation),
        request: &R,
        send: impl Fn(Qdrant, R) -> F,
    ) -> Result<(), PortError>
    where
        F: Future<Output = Result<PointsOperationResponse, QdrantError>>,
    {
        match self.server.change(request, send).await {
            Ok(()) => Ok(()),
            Err(failure) => Err(self.failed(failure, doing, build).await),
        }
    }
}
