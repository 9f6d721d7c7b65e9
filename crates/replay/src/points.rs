//! Digests of points, and where two indexes differ.

use threadlore_fold::{Digest, merge};
use threadlore_model::PointRow;
use threadlore_ports::{CaseIndex, Cell, Generation, PortError};

/// Points read at a time.
const PAGE: usize = 1000;

/// The digest of a build's points, over what they say; graph and statistics of the
/// index are no part of it.
///
/// # Errors
/// What the index says.
pub(crate) async fn digest_of_points(
    index: &dyn CaseIndex,
    build: Generation,
) -> Result<Digest, PortError> {
    let (mut digest, mut after) = (Digest::default(), None);
    loop {
        let rows = index.rows(build, after.as_ref(), PAGE).await?;
        let Some(last) = rows.last() else {
            return Ok(digest);
        };
        after = Some((last.space.clone(), last.case));
        rows.iter().for_each(|row| digest.add(row));
    }
}

/// Cells in which the points of two builds differ, at most `max`.
///
/// # Errors
/// What the index says.
pub(crate) async fn differing_points(
    index: &dyn CaseIndex,
    (a, b): (Generation, Generation),
    max: usize,
) -> Result<Vec<Cell>, PortError> {
    let (a, b) = (all(index, a).await?, all(index, b).await?);
    let found = merge(a.into_iter(), b.into_iter()).into_iter().take(max);
    Ok(found
        .map(|at| Cell {
            table: at.table.to_owned(),
            row: at.row,
            column: at.column.to_owned(),
        })
        .collect())
}

/// All points, ascending by space and case.
async fn all(index: &dyn CaseIndex, build: Generation) -> Result<Vec<PointRow>, PortError> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let rows = index.rows(build, after.as_ref(), PAGE).await?;
        let Some(last) = rows.last() else {
            found.sort_unstable();
            return Ok(found);
        };
        after = Some((last.space.clone(), last.case));
        found.extend(rows);
    }
}
