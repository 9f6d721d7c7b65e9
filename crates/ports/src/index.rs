//! The index of cases, and the rows that it is made from.
//!
//! An index holds nothing that the rows of its build do not have: whatever
//! happens to it, it is made again from them, without the log and without a model.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use threadlore_model::{
    Case, CaseId, ChannelId, Found, Point, PointRow, SpaceId, Terms, vector_source,
};

use crate::{Clock, Generation, Observer, PortError, Scope};

/// Everything outside that the making of points uses.
#[derive(Clone)]
pub struct IndexPorts {
    /// The points.
    pub index: Arc<dyn CaseIndex>,
    /// The rows that they are made from.
    pub source: Arc<dyn IndexSource>,
    /// Time and waiting.
    pub clock: Arc<dyn Clock>,
    /// Told about the work.
    pub observer: Arc<dyn Observer>,
    /// Whose vectors points have; `None` for points without.
    pub model: Option<DenseModel>,
}

/// A model whose vectors points have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DenseModel {
    /// Its name, see [`EmbedEngine::model`](crate::EmbedEngine::model).
    pub name: String,
    /// Numbers in each vector.
    pub dimensions: u32,
}

impl DenseModel {
    /// What the index has of it.
    #[must_use]
    pub fn dense(&self) -> Dense {
        let hash = vector_source(&self.name);
        let first = hash.iter().take(8);
        Dense {
            model: first.fold(0, |all, byte| all << 8 | u64::from(*byte)),
            dimensions: self.dimensions,
        }
    }
}

/// Which points of a space are searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Within {
    /// Those of these channels only.
    pub channels: Option<BTreeSet<ChannelId>>,
    /// Solved cases only, or open ones only.
    pub solved: Option<bool>,
}

/// What is looked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// Its terms, see [`query_terms`](threadlore_model::query_terms).
    pub terms: Terms,
    /// The vector of a model; `None` leaves that leg out.
    pub dense: Option<Vec<f32>>,
}

/// Whose vectors the dense leg compares: those of two models say nothing of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dense {
    /// Names the model.
    pub model: u64,
    /// Numbers in each vector.
    pub dimensions: u32,
}

/// Whether a build had points before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opened {
    /// It was made now, and is empty.
    Made,
    /// It was there.
    Found,
}

/// Points of cases, one collection for each build of the projection of cases.
///
/// Guarantees that an implementation gives:
/// - what `put` and `remove` returned from is seen by every later `find`; what the death of
///   the process or of the machine takes is made again from the rows, which are compared
///   with the points at every start;
/// - no point of another space than the scope's is ever found, filtered here and
///   not by the caller;
/// - a sparse leg scores by the sum over the terms that query and point share of
///   query weight × point weight × IDF of the term among all points of the build that
///   have terms in that leg, ln(1 + (all − with + 0.5) / (with + 0.5)), where points
///   that were replaced or removed may count until `optimise`; the dense leg by the
///   cosine;
/// - a collection that cannot be read (damaged, or of another model's vectors) is
///   made anew by `open`, which says so.
#[async_trait]
pub trait CaseIndex: Send + Sync {
    /// Makes the collection of a build ready, with vectors of a model or without.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn open(&self, build: Generation, dense: Option<Dense>) -> Result<Opened, PortError>;

    /// Adds points, or replaces those with the same space and case. A dense vector of
    /// another length than `open` was given is left out.
    ///
    /// # Errors
    /// `Refused` when the build was not opened; `Unavailable` as the name says.
    async fn put(&self, build: Generation, points: Vec<Point>) -> Result<(), PortError>;

    /// Removes points; those that are not there are no error.
    ///
    /// # Errors
    /// As [`CaseIndex::put`].
    async fn remove(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<(), PortError>;

    /// For each leg of the query that has anything, at most `limit` candidates, best
    /// first.
    ///
    /// # Errors
    /// As [`CaseIndex::put`].
    async fn find(
        &self,
        build: Generation,
        scope: &Scope,
        within: &Within,
        query: &Query,
        limit: usize,
    ) -> Result<Vec<Found<CaseId>>, PortError>;

    /// Rows of points of all spaces, in an order of its own that does not change:
    /// those after `after`, at most `max`, for digests and the check for drift. Fewer
    /// than `max` are the last.
    ///
    /// # Errors
    /// As [`CaseIndex::put`].
    async fn rows(
        &self,
        build: Generation,
        after: Option<&(SpaceId, CaseId)>,
        max: usize,
    ) -> Result<Vec<PointRow>, PortError>;

    /// Rows of these points, in any order; those that are not there are left out.
    ///
    /// # Errors
    /// As [`CaseIndex::put`].
    async fn rows_of(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<Vec<PointRow>, PortError>;

    /// Puts a collection in the form in which searching is fast; for after many
    /// changes. It may take minutes.
    ///
    /// # Errors
    /// As [`CaseIndex::put`].
    async fn optimise(&self, build: Generation) -> Result<(), PortError>;

    /// Drops the collection of a build; one that is not there is no error.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn drop_build(&self, build: Generation) -> Result<(), PortError>;
}

/// A case whose point is not as its row.
#[derive(Debug, Clone, PartialEq)]
pub struct Unindexed {
    /// The tenant and the case.
    pub key: (SpaceId, CaseId),
    /// The row; `None` where there is none yet.
    pub case: Option<Case>,
    /// Another one with every change.
    pub mark: i64,
}

/// What a model made of one text of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseVector {
    /// The tenant and the case.
    pub key: (SpaceId, CaseId),
    /// Which text: the vector counts while the case has this one, see
    /// [`vector_source`].
    pub source: [u8; 32],
    /// The vector.
    pub vector: Vec<f32>,
}

/// The rows of a build from which its points are made. A fold marks the cases that it
/// changes, and those whose vectors it takes, in its own transaction, so that no change
/// is missed.
#[async_trait]
pub trait IndexSource: Send + Sync {
    /// Cases that are marked, at most `max`.
    ///
    /// # Errors
    /// `Broken` when there is no such build.
    async fn unindexed(&self, build: Generation, max: usize) -> Result<Vec<Unindexed>, PortError>;

    /// Takes the marks away: the points are as these rows were. What was marked again
    /// meanwhile stays marked.
    ///
    /// # Errors
    /// As [`IndexSource::unindexed`].
    async fn indexed(&self, build: Generation, cases: &[Unindexed]) -> Result<(), PortError>;

    /// Marks these cases.
    ///
    /// # Errors
    /// As [`IndexSource::unindexed`].
    async fn mark(&self, build: Generation, cases: &[(SpaceId, CaseId)]) -> Result<(), PortError>;

    /// Vectors of one model for these cases, of any text that they ever had, in any
    /// order; from the live build of vectors.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn vectors(
        &self,
        model: &str,
        cases: &[(SpaceId, CaseId)],
    ) -> Result<Vec<CaseVector>, PortError>;

    /// How many cases are marked.
    ///
    /// # Errors
    /// As [`IndexSource::unindexed`].
    async fn waiting(&self, build: Generation) -> Result<u64, PortError>;

    /// Cases of all spaces ascending by space and case, those after `after`, at most
    /// `max`.
    ///
    /// # Errors
    /// As [`IndexSource::unindexed`].
    async fn cases_after(
        &self,
        build: Generation,
        after: Option<&(SpaceId, CaseId)>,
        max: usize,
    ) -> Result<Vec<Case>, PortError>;

    /// These cases, in any order; those that are not there are left out.
    ///
    /// # Errors
    /// As [`IndexSource::unindexed`].
    async fn cases_of(
        &self,
        build: Generation,
        cases: &[(SpaceId, CaseId)],
    ) -> Result<Vec<Case>, PortError>;
}
