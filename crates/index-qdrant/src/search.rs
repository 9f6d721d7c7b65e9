//! What the shard is asked.

use qdrant_edge::{
    EdgeShard, Filter, NamedQuery, OperationError, OperationResult, PointId, QueryEnum, Record,
    ScrollRequest, SearchRequest, VectorInternal, WithPayloadInterface, WithVector,
};
use serde_json::{Value, json};
use threadlore_model::{CaseId, Found, Leg, SpaceId};
use threadlore_ports::{Dense, Query, Within};

use crate::point::{case, fits, id, sparse};

/// The points of a space that are looked at.
pub(crate) fn filter(space: &SpaceId, within: &Within) -> OperationResult<Filter> {
    let is = |field: &str, value: Value| json!({"key": field, "match": {"value": value}});
    let mut must = vec![is("space", space.as_str().into())];
    if let Some(channel) = &within.channel {
        must.push(is("channel", channel.as_str().into()));
    }
    if let Some(solved) = within.solved {
        must.push(is("solved", solved.into()));
    }
    parsed(json!({"must": must}))
}

/// These points, where they are of this space.
pub(crate) fn those(space: &SpaceId, cases: &[CaseId]) -> OperationResult<Filter> {
    let ids: Vec<String> = cases.iter().map(ToString::to_string).collect();
    parsed(json!({"must": [
        {"key": "space", "match": {"value": space.as_str()}},
        {"has_id": ids},
    ]}))
}

fn parsed(filter: Value) -> OperationResult<Filter> {
    serde_json::from_value(filter).map_err(|e| OperationError::validation_error(e.to_string()))
}

/// The candidates of each leg that the query has something for.
pub(crate) fn find(
    shard: &EdgeShard,
    dense: Option<Dense>,
    filter: &Filter,
    query: &Query,
    limit: usize,
) -> OperationResult<Vec<Found<CaseId>>> {
    let mut found = Vec::new();
    for leg in Leg::ALL {
        let vector = match query.terms.leg(leg) {
            Some(terms) if terms.is_empty() => continue,
            Some(terms) => VectorInternal::Sparse(sparse(terms.terms())),
            None => match query.dense.as_ref().filter(|vector| fits(vector, dense)) {
                None => continue,
                Some(vector) => VectorInternal::Dense(vector.clone()),
            },
        };
        let points = shard.search(request(leg, vector, Some(filter), limit))?;
        let candidates = points.iter().filter_map(|p| Some((case(p.id)?, p.score)));
        let candidates = candidates.filter(|(_, score)| *score > 0.0).collect();
        found.push(Found { leg, candidates });
    }
    Ok(found)
}

fn request(
    leg: Leg,
    vector: VectorInternal,
    filter: Option<&Filter>,
    limit: usize,
) -> SearchRequest {
    SearchRequest {
        query: QueryEnum::Nearest(NamedQuery::new(vector, leg.name())),
        filter: filter.cloned(),
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
