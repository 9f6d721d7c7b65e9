//! Points, filters and queries in the words of the protocol.

use std::collections::HashMap;

use qdrant_client::qdrant::condition::ConditionOneOf;
use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::vectors::VectorsOptions;
use qdrant_client::qdrant::{
    self as grpc, DenseVector, FieldCondition, HasIdCondition, Match, NamedVectors, PointId,
    PointStruct, RepeatedStrings, RetrievedPoint, SparseVector, Vectors, query, vector,
    vector_input,
};
use threadlore_model::{CaseId, Leg, Point, PointRow};
use threadlore_ports::Dense;

use super::shape::vector_name;
use crate::filter::{Condition, Filter};
use crate::point::{self, Value, Vector};

/// A point to put.
pub(crate) fn point(point: &Point, dense: Option<Dense>) -> PointStruct {
    let vectors = point::vectors(&point.terms, point.dense.as_deref(), dense);
    let vectors = vectors.into_iter().map(|(leg, one)| {
        let one = match one {
            Vector::Sparse(terms) => vector::Vector::Sparse(sparse(terms)),
            Vector::Dense(numbers) => vector::Vector::Dense(to_dense(numbers)),
        };
        let vector = grpc::Vector {
            vector: Some(one),
            ..grpc::Vector::default()
        };
        (vector_name(leg, dense), vector)
    });
    let vectors: HashMap<_, _> = vectors.collect();
    let payload = point::payload(&point.row).into_iter();
    PointStruct {
        id: Some(id(point.row.case)),
        payload: payload
            .map(|(field, value)| (field.to_owned(), to_value(value)))
            .collect(),
        vectors: Some(Vectors {
            vectors_options: Some(VectorsOptions::Vectors(NamedVectors { vectors })),
        }),
    }
}

/// The candidates of one leg.
pub(crate) fn nearest(
    collection: &str,
    (leg, vector): (Leg, Vector<'_>),
    dense: Option<Dense>,
    filter: &grpc::Filter,
    limit: u64,
) -> grpc::QueryPoints {
    let variant = match vector {
        Vector::Sparse(terms) => vector_input::Variant::Sparse(sparse(terms)),
        Vector::Dense(numbers) => vector_input::Variant::Dense(to_dense(numbers)),
    };
    let input = grpc::VectorInput {
        variant: Some(variant),
    };
    grpc::QueryPoints {
        collection_name: collection.to_owned(),
        query: Some(grpc::Query {
            variant: Some(query::Variant::Nearest(input)),
        }),
        using: Some(vector_name(leg, dense)),
        filter: Some(filter.clone()),
        limit: Some(limit),
        with_payload: Some(false.into()),
        with_vectors: Some(false.into()),
        ..grpc::QueryPoints::default()
    }
}

fn sparse(terms: &threadlore_model::SparseVector) -> SparseVector {
    let (indices, values) = terms.terms().iter().copied().unzip();
    SparseVector { values, indices }
}

fn to_dense(numbers: &[f32]) -> DenseVector {
    DenseVector {
        data: numbers.to_vec(),
    }
}

pub(crate) fn id(case: CaseId) -> PointId {
    case.as_uuid().into()
}

/// The case of a point; `None` for an id that was not put by us.
pub(crate) fn case(id: Option<&PointId>) -> Option<CaseId> {
    match id?.point_id_options.as_ref()? {
        PointIdOptions::Uuid(id) => id.parse().ok(),
        PointIdOptions::Num(_) => None,
    }
}

/// The row of a point; `None` when it was not put by us.
pub(crate) fn row(found: &RetrievedPoint) -> Option<PointRow> {
    let case = case(found.id.as_ref())?;
    point::row(case, |name| {
        match found.payload.get(name)?.kind.as_ref()? {
            Kind::StringValue(text) => Some(Value::Text(text.clone())),
            Kind::BoolValue(flag) => Some(Value::Flag(*flag)),
            _ => None,
        }
    })
}

fn to_value(value: Value) -> grpc::Value {
    match value {
        Value::Text(text) => text.into(),
        Value::Flag(flag) => flag.into(),
    }
}

pub(crate) fn filter(filter: &Filter) -> grpc::Filter {
    let condition = |condition: &Condition| {
        let one = match condition {
            Condition::Is(field, value) => ConditionOneOf::Field(is(field, value)),
            Condition::AnyOf(field, values) => {
                let strings = values.clone();
                let values = MatchValue::Keywords(RepeatedStrings { strings });
                ConditionOneOf::Field(matches(field, values))
            }
            Condition::OneOf(cases) => ConditionOneOf::HasId(HasIdCondition {
                has_id: cases.iter().copied().map(id).collect(),
            }),
        };
        grpc::Condition {
            condition_one_of: Some(one),
        }
    };
    grpc::Filter {
        must: filter.conditions().iter().map(condition).collect(),
        ..grpc::Filter::default()
    }
}

fn is(field: &str, value: &Value) -> FieldCondition {
    let value = match value {
        Value::Text(text) => MatchValue::Keyword(text.clone()),
        Value::Flag(flag) => MatchValue::Boolean(*flag),
    };
    matches(field, value)
}

fn matches(field: &str, value: MatchValue) -> FieldCondition {
    FieldCondition {
        key: field.to_owned(),
        r#match: Some(Match {
            match_value: Some(value),
        }),
        ..FieldCondition::default()
    }
}
