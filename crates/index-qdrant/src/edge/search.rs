//! Searches in a shard.

use qdrant_edge::{
    EdgeShard, Filter, NamedQuery, OperationResult, PointId, QueryEnum, Record, ScrollRequest,
    SearchRequest, VectorInternal, WithPayloadInterface, WithVector,
};
use threadlore_model::{CaseId, Found, Leg};
use threadlore_ports::{Dense, Query};

use super::convert::{case, id, wanted};
use crate::point::vectors;

/// The candidates of each leg that the query has something for.
pub(crate) fn find(
    shard: &EdgeShard,
    dense: Option<Dense>,
    filter: &Filter,
    query: &Query,
    limit: usize,
) -> OperationResult<Vec<Found<CaseId>>> {
    let mut found = Vec::new();
    for (leg, vector) in vectors(&query.terms, query.dense.as_deref(), dense) {
        let points = shard.search(request(leg, wanted(vector), filter, limit))?;
        let candidates = points.iter().filter_map(|p| Some((case(p.id)?, p.score)));
        let candidates = candidates.filter(|(_, score)| *score > 0.0).collect();
        found.push(Found { leg, candidates });
    }
    Ok(found)
}

fn request(leg: Leg, vector: VectorInternal, filter: &Filter, limit: usize) -> SearchRequest {
    SearchRequest {
        query: QueryEnum::Nearest(NamedQuery::new(vector, leg.name())),
        filter: Some(filter.clone()),
        params: None,
        limit,
        offset: 0,
        with_payload: None,
        with_vector: None,
        score_threshold: None,
    }
}

/// Points ascending by id, those after one, at most `max`.
pub(crate) fn page(
    shard: &EdgeShard,
    after: Option<CaseId>,
    max: usize,
) -> OperationResult<Vec<Record>> {
    let after: Option<PointId> = after.map(id);
    let (mut points, _) = shard.scroll(ScrollRequest {
        offset: after,
        // The first may be `after` itself.
        limit: Some(max.saturating_add(1)),
        filter: None,
        with_payload: Some(WithPayloadInterface::Bool(true)),
        with_vector: WithVector::Bool(false),
        order_by: None,
    })?;
    points.retain(|point| Some(point.id) != after);
    points.truncate(max);
    Ok(points)
}
