//! Points and filters in the words of the engine.

use std::collections::HashMap;

use qdrant_edge::{
    Filter as EngineFilter, OperationError, OperationResult, Payload, PointId,
    PointStructPersisted, Record, SparseVector, VectorInternal, VectorPersisted,
    VectorStructPersisted,
};
use serde_json::{Map, Value as Json, json};
use threadlore_model::{CaseId, Point, PointRow};
use threadlore_ports::{Dense, PortError};

use crate::error::unavailable;
use crate::filter::{Condition, Filter};
use crate::point::{self, Value, Vector};

/// A point to put.
pub(crate) fn point(point: &Point, dense: Option<Dense>) -> PointStructPersisted {
    let vectors = point::vectors(&point.terms, point.dense.as_deref(), dense);
    let vectors = vectors.into_iter().map(|(leg, vector)| {
        let vector = match vector {
            Vector::Sparse(terms) => VectorPersisted::Sparse(sparse(terms)),
            Vector::Dense(vector) => VectorPersisted::Dense(vector.to_vec()),
        };
        (leg.name().to_owned(), vector)
    });
    let vectors: HashMap<_, _> = vectors.collect();
    let payload = point::payload(&point.row).map(|(field, value)| (field.to_owned(), json(value)));
    PointStructPersisted {
        id: id(point.row.case),
        vector: VectorStructPersisted::Named(vectors),
        payload: Some(Payload(Map::from_iter(payload))),
    }
}

/// A vector to look for.
pub(crate) fn wanted(vector: Vector<'_>) -> VectorInternal {
    match vector {
        Vector::Sparse(terms) => VectorInternal::Sparse(sparse(terms)),
        Vector::Dense(vector) => VectorInternal::Dense(vector.to_vec()),
    }
}

fn sparse(terms: &threadlore_model::SparseVector) -> SparseVector {
    let (indices, values) = terms.terms().iter().copied().unzip();
    SparseVector { indices, values }
}

pub(crate) fn id(case: CaseId) -> PointId {
    PointId::Uuid(case.as_uuid())
}

/// The case of a point; `None` for an id that was not put by us.
pub(crate) fn case(id: PointId) -> Option<CaseId> {
    match id {
        PointId::Uuid(id) => Some(CaseId::from_uuid(id)),
        PointId::NumId(_) => None,
    }
}

/// The rows of points. A foreign point is an error: the files were changed by hand.
pub(crate) fn rows(doing: &'static str, points: Vec<Record>) -> Result<Vec<PointRow>, PortError> {
    let row = |record: Record| {
        row(&record)
            .ok_or_else(|| unavailable(doing, format!("point {} cannot be read", record.id)))
    };
    points.into_iter().map(row).collect()
}

fn row(record: &Record) -> Option<PointRow> {
    let fields = &record.payload.as_ref()?.0;
    point::row(case(record.id)?, |name| match fields.get(name)? {
        Json::String(text) => Some(Value::Text(text.clone())),
        Json::Bool(flag) => Some(Value::Flag(*flag)),
        _ => None,
    })
}

fn json(value: Value) -> Json {
    match value {
        Value::Text(text) => text.into(),
        Value::Flag(flag) => flag.into(),
    }
}

pub(crate) fn filter(filter: &Filter) -> OperationResult<EngineFilter> {
    let condition = |condition: &Condition| match condition {
        Condition::Is(field, value) => {
            json!({"key": field, "match": {"value": json(value.clone())}})
        }
        Condition::OneOf(cases) => {
            let ids: Vec<String> = cases.iter().map(ToString::to_string).collect();
            json!({"has_id": ids})
        }
    };
    let must: Vec<Json> = filter.conditions().iter().map(condition).collect();
    serde_json::from_value(json!({"must": must}))
        .map_err(|e| OperationError::validation_error(e.to_string()))
}
