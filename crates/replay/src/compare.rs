//! Two builds of one projection side by side.

use threadlore_ports::{
    CaseIndex, Cell, Digests, Generation, Generations, PortError, Positions, Projection,
};

use crate::points::{differing_points, digest_of_points};

/// What a comparison says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Same rows at the same positions.
    Equal,
    /// The builds are at different positions, so nothing can be said yet.
    Elsewhere,
    /// Rows differ.
    Different(Vec<Cell>),
}

/// Two builds side by side.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// What it says.
    pub verdict: Verdict,
    /// Their positions (those of the first).
    pub positions: Vec<Positions>,
    /// Digests of the first, per table, and of its points.
    pub first: Digests,
    /// Digests of the second.
    pub second: Digests,
}

/// Compares two builds of one projection, those of cases with their points, where
/// there is an index; at most `max` differing cells are named.
///
/// # Errors
/// What the store says.
pub async fn compare(
    generations: &dyn Generations,
    index: Option<&dyn CaseIndex>,
    (a, b): (Generation, Generation),
    partitions: u32,
    max: usize,
) -> Result<Comparison, PortError> {
    let positions = generations.positions(a, partitions).await?;
    let others = generations.positions(b, partitions).await?;
    let (mut first, mut second) = (generations.digest(a).await?, generations.digest(b).await?);
    let index = index.filter(|_| a.projection == Projection::Cases);
    if let Some(index) = index {
        for (build, digests) in [(a, &mut first), (b, &mut second)] {
            let points = digest_of_points(index, build).await?;
            digests.insert("points".to_owned(), (points.rows(), points.hex()));
        }
    }
    let verdict = if positions != others {
        Verdict::Elsewhere
    } else if first == second {
        Verdict::Equal
    } else {
        let mut cells = generations.differences(a, b, max).await?;
        if let Some(index) = index {
            let left = max.saturating_sub(cells.len());
            cells.extend(differing_points(index, (a, b), left).await?);
        }
        Verdict::Different(cells)
    };
    Ok(Comparison {
        verdict,
        positions,
        first,
        second,
    })
}
