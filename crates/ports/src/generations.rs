//! Generations: complete builds of a projection, side by side. One is live.

use std::collections::BTreeMap;
use std::fmt;

use async_trait::async_trait;
use threadlore_model::{Group, Projection};

use crate::{PortError, Positions};

/// One build of a projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Generation {
    /// Of what.
    pub projection: Projection,
    /// Counts from 1.
    pub number: u32,
}

impl Generation {
    /// The group that feeds it.
    #[must_use]
    pub fn group(self) -> Group {
        Group::of_generation(self.projection.name(), self.number)
    }

    /// The database schema that holds its tables, for example `cases_g2`.
    #[must_use]
    pub fn schema(self) -> String {
        format!("{}_g{}", self.projection.name(), self.number)
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} g{}", self.projection.name(), self.number)
    }
}

/// Per table: number of rows and digest (64 hex digits).
pub type Digests = BTreeMap<String, (u64, String)>;

/// Where two builds differ: a table, a row's key, and the column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The table.
    pub table: String,
    /// The row's key.
    pub row: String,
    /// The column, or `*` where the whole row is missing on one side.
    pub column: String,
}

/// Builds of projections.
///
/// Guarantees: creating, switching and dropping are atomic; exactly one
/// generation of each projection is live once any is; digests are over
/// canonical rows as folded (see `threadlore-fold`), not over storage.
#[async_trait]
pub trait Generations: Send + Sync {
    /// All builds that exist, ascending.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn generations(&self) -> Result<Vec<Generation>, PortError>;

    /// The live build; created as generation 1 when there is none.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn live(&self, projection: Projection) -> Result<Generation, PortError>;

    /// Makes an empty build with the next number. It is quick to fill: what only readers need
    /// is made by [`Generations::build_indexes`].
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn create(&self, projection: Projection) -> Result<Generation, PortError>;

    /// Makes the indexes of a build that readers want; those that are there stay.
    ///
    /// # Errors
    /// `Broken` when there is no such build; `Unavailable` as the name says.
    async fn build_indexes(&self, generation: Generation) -> Result<(), PortError>;

    /// Makes a build the live one: one pointer row.
    ///
    /// # Errors
    /// `Refused` when it does not exist.
    async fn switch(&self, to: Generation) -> Result<(), PortError>;

    /// Drops a build that is not live.
    ///
    /// # Errors
    /// `Refused` when it is live or does not exist.
    async fn drop_generation(&self, generation: Generation) -> Result<(), PortError>;

    /// Positions up to which the build is folded, per partition.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn positions(
        &self,
        generation: Generation,
        partitions: u32,
    ) -> Result<Vec<Positions>, PortError>;

    /// Row counts and digests of the build's tables.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn digest(&self, generation: Generation) -> Result<Digests, PortError>;

    /// Cells in which two builds of one projection differ, at most `max`.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn differences(
        &self,
        a: Generation,
        b: Generation,
        max: usize,
    ) -> Result<Vec<Cell>, PortError>;
}
