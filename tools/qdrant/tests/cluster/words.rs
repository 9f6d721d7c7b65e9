//! The words of the protocol in those of the engine, and back.

use prost::Message;
use qdrant_client::qdrant as grpc;
use qdrant_client::qdrant::condition::ConditionOneOf;
use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::vectors_config::Config;
use qdrant_edge::{
    Distance, EdgeConfig, EdgeSparseVectorParams, EdgeVectorParams, Filter, Modifier, PointId,
    Record, ScrollRequest, SparseVector, WalOptions, WithPayloadInterface, WithVector,
};
use serde_json::{Value, json};
use tonic::Status;

/// What a server says to a request.
pub(crate) type Answer<T> = Result<T, Status>;

pub(crate) fn config(made: &grpc::CreateCollection) -> EdgeConfig {
    let mut builder = EdgeConfig::builder().wal_options(WalOptions {
        segment_capacity: 1 << 20,
        ..WalOptions::default()
    });
    let sparse = made
        .sparse_vectors_config
        .iter()
        .flat_map(|config| &config.map);
    for (name, params) in sparse {
        let mut sparse = EdgeSparseVectorParams::builder();
        if params.modifier() == grpc::Modifier::Idf {
            sparse = sparse.modifier(Modifier::Idf);
        }
        builder = builder.sparse_vector(name, sparse.build());
    }
    if let Some(Config::ParamsMap(dense)) =
        made.vectors_config.as_ref().and_then(|c| c.config.as_ref())
    {
        for (name, params) in &dense.map {
            assert_eq!(
                params.distance(),
                grpc::Distance::Cosine,
                "the double knows no other"
            );
            let params = EdgeVectorParams::builder(params.size as usize, Distance::Cosine);
            builder = builder.vector(name, params.build());
        }
    }
    builder.build()
}

pub(crate) fn filter(filter: &grpc::Filter) -> Answer<Filter> {
    let only_must = grpc::Filter {
        must: filter.must.clone(),
        ..Default::default()
    };
    if *filter != only_must {
        return Err(Status::unimplemented("conditions other than must"));
    }
    let must: Answer<Vec<Value>> = filter.must.iter().map(condition).collect();
    serde_json::from_value(json!({"must": must?})).map_err(refused)
}

pub(crate) fn condition(condition: &grpc::Condition) -> Answer<Value> {
    match condition.condition_one_of.as_ref() {
        Some(ConditionOneOf::Field(field)) => {
            let value = field.r#match.as_ref().and_then(|m| m.match_value.as_ref());
            let matches = match value {
                Some(MatchValue::Keyword(text)) => json!({"value": text}),
                Some(MatchValue::Keywords(texts)) => json!({"any": texts.strings}),
                Some(MatchValue::Boolean(flag)) => json!({"value": flag}),
                other => return Err(Status::unimplemented(format!("{other:?}"))),
            };
            Ok(json!({"key": field.key, "match": matches}))
        }
        Some(ConditionOneOf::HasId(of)) => {
            let ids: Answer<Vec<_>> = of.has_id.iter().map(id).collect();
            let ids: Vec<String> = ids?.iter().map(ToString::to_string).collect();
            Ok(json!({"has_id": ids}))
        }
        other => Err(Status::unimplemented(format!("{other:?}"))),
    }
}

pub(crate) fn sparse(vector: &grpc::SparseVector) -> SparseVector {
    SparseVector {
        indices: vector.indices.clone(),
        values: vector.values.clone(),
    }
}

pub(crate) fn id(id: &grpc::PointId) -> Answer<PointId> {
    match id.point_id_options.as_ref() {
        Some(PointIdOptions::Num(id)) => Ok(PointId::NumId(*id)),
        Some(PointIdOptions::Uuid(id)) => id.parse().map(PointId::Uuid).map_err(refused),
        None => Err(Status::invalid_argument("no id")),
    }
}

pub(crate) fn to_id(id: PointId) -> grpc::PointId {
    match id {
        PointId::NumId(id) => id.into(),
        PointId::Uuid(id) => id.to_string().into(),
    }
}

pub(crate) fn scroll(
    limit: usize,
    offset: Option<PointId>,
    filter: Option<Filter>,
) -> ScrollRequest {
    ScrollRequest {
        offset,
        limit: Some(limit),
        filter,
        with_payload: Some(WithPayloadInterface::Bool(true)),
        with_vector: WithVector::Bool(false),
        order_by: None,
    }
}

pub(crate) fn retrieved(record: Record) -> grpc::RetrievedPoint {
    let payload = record.payload.unwrap_or_default().0.into_iter();
    grpc::RetrievedPoint {
        id: Some(to_id(record.id)),
        payload: payload
            .map(|(field, value)| (field, value.into()))
            .collect(),
        ..Default::default()
    }
}

/// As servers do, which take no limit of 0.
pub(crate) fn positive(limit: Option<u64>) -> Answer<usize> {
    match limit {
        Some(0) => Err(Status::invalid_argument(
            "limit: 0 is not in the range from 1",
        )),
        limit => Ok(limit.unwrap_or(10) as usize),
    }
}

/// Without `wait` a server answers before searches see the change.
pub(crate) fn changed(wait: Option<bool>) -> grpc::PointsOperationResponse {
    let mut result = grpc::UpdateResult::default();
    result.set_status(if wait == Some(true) {
        grpc::UpdateStatus::Completed
    } else {
        grpc::UpdateStatus::Acknowledged
    });
    grpc::PointsOperationResponse {
        result: Some(result),
        ..Default::default()
    }
}

pub(crate) fn refused(error: impl std::fmt::Display) -> Status {
    Status::invalid_argument(error.to_string())
}

pub(crate) fn decoded<T: Message + Default>(request: &[u8]) -> Answer<T> {
    T::decode(request).map_err(refused)
}

pub(crate) fn encoded<T: Message>(answer: Answer<T>) -> Answer<Vec<u8>> {
    answer.map(|answer| answer.encode_to_vec())
}
