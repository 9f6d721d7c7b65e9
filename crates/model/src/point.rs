//! A case as a point of the index: what it is found by, and what a search gives back.

use crate::{CaseId, ChannelId, Leg, SpaceId, Terms};

/// What a point says besides its vectors. Digests of an index are over these; the
/// vectors follow from the source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointRow {
    /// The tenant.
    pub space: SpaceId,
    /// The case; the point's id.
    pub case: CaseId,
    /// The channel it was found in.
    pub channel: ChannelId,
    /// Whether it is solved; a point is of an open case otherwise.
    pub solved: bool,
    /// SHA-256 of what the vectors were made from and how.
    pub source: [u8; 32],
}

/// A point with its vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// What it says.
    pub row: PointRow,
    /// The sparse vectors.
    pub terms: Terms,
    /// The vector of a model; `None` where there is none, or not yet.
    pub dense: Option<Vec<f32>>,
}

/// What one leg of a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<T> {
    /// By which leg.
    pub leg: Leg,
    /// Candidates with the leg's own scores, in any order. Those that are not
    /// above 0 do not count.
    pub candidates: Vec<(T, f32)>,
}
