//! What is behind the double: one shard of Qdrant's engine for each collection.
//!
//! Less than a server: filters have `must` only, points have named vectors only, and
//! every shard number is taken for one.

use std::collections::{BTreeMap, HashMap};

use qdrant_client::qdrant as grpc;
use qdrant_client::qdrant::payload_index_params::IndexParams;
use qdrant_client::qdrant::points_selector::PointsSelectorOneOf;
use qdrant_client::qdrant::vectors::VectorsOptions;
use qdrant_client::qdrant::vectors_config::Config;
use qdrant_client::qdrant::{query, vector, vector_input};
use qdrant_edge::{
    CreateIndex, EdgeShard, FieldIndexOperations, NamedQuery, Payload, PayloadFieldSchema, PointId,
    PointInsertOperations, PointOperations, PointStructPersisted, QueryEnum, SearchRequest,
    UpdateOperation, VectorInternal, VectorPersisted, VectorStructPersisted, WithPayloadInterface,
    WithVector,
};
use serde_json::{Map, Value, json};
use tonic::Status;

use super::words::{
    Answer, changed, config, decoded, encoded, filter, id, positive, refused, retrieved, scroll,
    sparse, to_id,
};

struct Collection {
    shard: EdgeShard,
    made: grpc::CreateCollection,
    indexes: BTreeMap<String, grpc::PayloadIndexParams>,
}

/// Collections by name.
pub(crate) struct Engine {
    // Before the directory: the engine flushes what it drops.
    collections: BTreeMap<String, Collection>,
    made: usize,
    dir: tempfile::TempDir,
    /// What collections are said to be, first this, then green.
    pub(crate) statuses: Vec<grpc::CollectionStatus>,
    pub(crate) version: String,
}

impl Engine {
    pub(crate) fn new() -> Self {
        Self {
            collections: BTreeMap::new(),
            made: 0,
            dir: tempfile::tempdir().expect("a directory"),
            statuses: Vec::new(),
            version: "1.19.0".to_owned(),
        }
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.collections.keys().map(String::as_str).collect()
    }

    pub(crate) fn indexes(&self, name: &str) -> Vec<&str> {
        let indexes = &self.collections[name].indexes;
        indexes.keys().map(String::as_str).collect()
    }

    pub(crate) fn forget_index(&mut self, name: &str, field: &str) {
        let collection = self.collections.get_mut(name).expect("is there");
        collection.indexes.remove(field).expect("is there");
    }

    /// Answers one request, encoded as it is on the wire.
    pub(crate) fn answer(&mut self, path: &str, request: &[u8]) -> Answer<Vec<u8>> {
        match path {
            "/qdrant.Qdrant/HealthCheck" => encoded(Ok(grpc::HealthCheckReply {
                title: "a double".to_owned(),
                version: self.version.clone(),
                commit: None,
            })),
            "/qdrant.Collections/Get" => encoded(self.info(&decoded(request)?)),
            "/qdrant.Collections/Create" => encoded(self.create(decoded(request)?)),
            "/qdrant.Collections/Delete" => encoded(Ok(self.delete(&decoded(request)?))),
            "/qdrant.Points/CreateFieldIndex" => encoded(self.index(decoded(request)?)),
            "/qdrant.Points/Upsert" => encoded(self.upsert(decoded(request)?)),
            "/qdrant.Points/Delete" => encoded(self.remove(&decoded(request)?)),
            "/qdrant.Points/Scroll" => encoded(self.scroll(&decoded(request)?)),
            "/qdrant.Points/Get" => encoded(self.get(&decoded(request)?)),
            "/qdrant.Points/QueryBatch" => encoded(self.query(&decoded(request)?)),
            other => Err(Status::unimplemented(other)),
        }
    }

    fn collection(&self, name: &str) -> Answer<&Collection> {
        let missing = || Status::not_found(format!("Collection `{name}` doesn't exist!"));
        self.collections.get(name).ok_or_else(missing)
    }

    fn create(
        &mut self,
        made: grpc::CreateCollection,
    ) -> Answer<grpc::CollectionOperationResponse> {
        let name = made.collection_name.clone();
        if self.collections.contains_key(&name) {
            let said = format!("Collection `{name}` already exists!");
            return Err(Status::already_exists(said));
        }
        self.made += 1;
        let dir = self.dir.path().join(self.made.to_string());
        std::fs::create_dir(&dir).expect("made");
        let collection = Collection {
            shard: EdgeShard::new(&dir, config(&made)).map_err(refused)?,
            made,
            indexes: BTreeMap::new(),
        };
        self.collections.insert(name, collection);
        Ok(grpc::CollectionOperationResponse {
            result: true,
            time: 0.0,
        })
    }

    fn delete(&mut self, request: &grpc::DeleteCollection) -> grpc::CollectionOperationResponse {
        let gone = self.collections.remove(&request.collection_name);
        grpc::CollectionOperationResponse {
            result: gone.is_some(),
            time: 0.0,
        }
    }

    fn info(
        &mut self,
        request: &grpc::GetCollectionInfoRequest,
    ) -> Answer<grpc::GetCollectionInfoResponse> {
        let collection = self.collection(&request.collection_name)?;
        let made = &collection.made;
        let points = scroll(1, None, None);
        let (points, _) = collection.shard.scroll(points).map_err(refused)?;
        let params = grpc::CollectionParams {
            shard_number: made.shard_number.unwrap_or(1),
            vectors_config: made.vectors_config.clone(),
            sparse_vectors_config: made.sparse_vectors_config.clone(),
            ..Default::default()
        };
        let schema = |params: &grpc::PayloadIndexParams| grpc::PayloadSchemaInfo {
            params: Some(params.clone()),
            ..Default::default()
        };
        let indexes = collection.indexes.iter();
        let mut info = grpc::CollectionInfo {
            config: Some(grpc::CollectionConfig {
                params: Some(params),
                ..Default::default()
            }),
            payload_schema: indexes
                .map(|(name, of)| (name.clone(), schema(of)))
                .collect(),
            // About as many, says the protocol.
            points_count: Some(points.len() as u64),
            optimizer_status: Some(grpc::OptimizerStatus {
                ok: false,
                error: "no space left".to_owned(),
            }),
            ..Default::default()
        };
        let status = if self.statuses.is_empty() {
            grpc::CollectionStatus::Green
        } else {
            self.statuses.remove(0)
        };
        info.set_status(status);
        Ok(grpc::GetCollectionInfoResponse {
            result: Some(info),
            time: 0.0,
        })
    }

    fn index(
        &mut self,
        request: grpc::CreateFieldIndexCollection,
    ) -> Answer<grpc::PointsOperationResponse> {
        self.collection(&request.collection_name)?;
        let params = request.field_index_params.expect("always sent");
        let schema = match params.index_params.as_ref().expect("always sent") {
            IndexParams::KeywordIndexParams(of) => json!({
                "type": "keyword", "is_tenant": of.is_tenant, "enable_hnsw": of.enable_hnsw,
            }),
            IndexParams::BoolIndexParams(of) => {
                json!({"type": "bool", "enable_hnsw": of.enable_hnsw})
            }
            other => return Err(Status::unimplemented(format!("{other:?}"))),
        };
        let schema = serde_json::from_value(schema).expect("a schema");
        let index = CreateIndex {
            field_name: request.field_name.parse().expect("a path"),
            field_schema: Some(PayloadFieldSchema::FieldParams(schema)),
        };
        let operation = FieldIndexOperations::CreateIndex(index);
        let collection = self.collections.get_mut(&request.collection_name);
        let collection = collection.expect("is there");
        collection.indexes.insert(request.field_name, params);
        collection
            .shard
            .update(UpdateOperation::FieldIndexOperation(operation))
            .map_err(refused)?;
        Ok(changed(request.wait))
    }

    fn upsert(&self, request: grpc::UpsertPoints) -> Answer<grpc::PointsOperationResponse> {
        let collection = self.collection(&request.collection_name)?;
        let points: Answer<Vec<_>> = request
            .points
            .into_iter()
            .map(|point| collection.point(point))
            .collect();
        let points = PointInsertOperations::PointsList(points?);
        collection.change(PointOperations::UpsertPoints(points))?;
        Ok(changed(request.wait))
    }

    fn remove(&self, request: &grpc::DeletePoints) -> Answer<grpc::PointsOperationResponse> {
        let collection = self.collection(&request.collection_name)?;
        let points = request.points.as_ref();
        let points = points.and_then(|points| points.points_selector_one_of.as_ref());
        let Some(PointsSelectorOneOf::Filter(those)) = points else {
            return Err(Status::unimplemented("points by id"));
        };
        let those = filter(those)?;
        collection.change(PointOperations::DeletePointsByFilter(those))?;
        Ok(changed(request.wait))
    }

    fn scroll(&self, request: &grpc::ScrollPoints) -> Answer<grpc::ScrollResponse> {
        let collection = self.collection(&request.collection_name)?;
        let (points, next) = collection
            .shard
            .scroll(scroll(
                positive(request.limit.map(u64::from))?,
                request.offset.as_ref().map(id).transpose()?,
                request.filter.as_ref().map(filter).transpose()?,
            ))
            .map_err(refused)?;
        Ok(grpc::ScrollResponse {
            next_page_offset: next.map(to_id),
            result: points.into_iter().map(retrieved).collect(),
            ..Default::default()
        })
    }

    fn get(&self, request: &grpc::GetPoints) -> Answer<grpc::GetResponse> {
        let collection = self.collection(&request.collection_name)?;
        let ids: Answer<Vec<PointId>> = request.ids.iter().map(id).collect();
        let payload = Some(WithPayloadInterface::Bool(true));
        let found = collection
            .shard
            .retrieve(&ids?, payload, Some(WithVector::Bool(false)))
            .map_err(refused)?;
        Ok(grpc::GetResponse {
            result: found.into_iter().map(retrieved).collect(),
            ..Default::default()
        })
    }

    fn query(&self, request: &grpc::QueryBatchPoints) -> Answer<grpc::QueryBatchResponse> {
        let collection = self.collection(&request.collection_name)?;
        let queries = request.query_points.iter();
        let result: Answer<Vec<_>> = queries.map(|query| collection.nearest(query)).collect();
        Ok(grpc::QueryBatchResponse {
            result: result?,
            ..Default::default()
        })
    }
}

impl Collection {
    fn change(&self, operation: PointOperations) -> Answer<()> {
        let operation = UpdateOperation::PointOperation(operation);
        self.shard.update(operation).map_err(refused)
    }

    /// How many numbers a named vector has; `None` for a sparse one.
    fn length(&self, name: &str) -> Answer<Option<u64>> {
        let sparse = self.made.sparse_vectors_config.as_ref();
        if sparse.is_some_and(|config| config.map.contains_key(name)) {
            return Ok(None);
        }
        let dense = match self
            .made
            .vectors_config
            .as_ref()
            .and_then(|c| c.config.as_ref())
        {
            Some(Config::ParamsMap(map)) => map.map.get(name),
            _ => None,
        };
        let unknown = || {
            let said = format!("Wrong input: Not existing vector name error: {name}");
            Status::invalid_argument(said)
        };
        dense.map(|params| Some(params.size)).ok_or_else(unknown)
    }

    fn fits(&self, name: &str, length: Option<u64>) -> Answer<()> {
        let expected = self.length(name)?;
        if expected == length {
            return Ok(());
        }
        Err(Status::invalid_argument(format!(
            "Wrong input: Vector dimension error: expected dim: {expected:?}, got {length:?}"
        )))
    }

    fn point(&self, point: grpc::PointStruct) -> Answer<PointStructPersisted> {
        let vectors = point.vectors.and_then(|vectors| vectors.vectors_options);
        let Some(VectorsOptions::Vectors(named)) = vectors else {
            return Err(Status::unimplemented("vectors without names"));
        };
        let mut vectors = HashMap::new();
        for (name, vector) in named.vectors {
            let (length, vector) = match vector.vector {
                Some(vector::Vector::Dense(of)) => {
                    (Some(of.data.len() as u64), VectorPersisted::Dense(of.data))
                }
                Some(vector::Vector::Sparse(of)) => (None, VectorPersisted::Sparse(sparse(&of))),
                other => return Err(Status::unimplemented(format!("{other:?}"))),
            };
            self.fits(&name, length)?;
            vectors.insert(name, vector);
        }
        let payload = point.payload.into_iter();
        let payload = payload.map(|(field, value)| (field, Value::from(value)));
        Ok(PointStructPersisted {
            id: id(&point.id.ok_or_else(|| Status::invalid_argument("no id"))?)?,
            vector: VectorStructPersisted::Named(vectors),
            payload: Some(Payload(Map::from_iter(payload))),
        })
    }

    fn nearest(&self, query: &grpc::QueryPoints) -> Answer<grpc::BatchResult> {
        let variant = query
            .query
            .as_ref()
            .and_then(|query| query.variant.as_ref());
        let Some(query::Variant::Nearest(input)) = variant else {
            return Err(Status::unimplemented("another query"));
        };
        let (length, vector) = match input.variant.as_ref() {
            Some(vector_input::Variant::Dense(of)) => {
                let length = of.data.len() as u64;
                (Some(length), VectorInternal::Dense(of.data.clone()))
            }
            Some(vector_input::Variant::Sparse(of)) => (None, VectorInternal::Sparse(sparse(of))),
            _ => return Err(Status::unimplemented("another vector")),
        };
        self.fits(query.using(), length)?;
        let found = self.shard.search(SearchRequest {
            query: QueryEnum::Nearest(NamedQuery::new(vector, query.using())),
            filter: query.filter.as_ref().map(filter).transpose()?,
            params: None,
            limit: positive(query.limit)?,
            offset: 0,
            with_payload: None,
            with_vector: None,
            score_threshold: None,
        });
        let scored = |point: qdrant_edge::ScoredPoint| grpc::ScoredPoint {
            id: Some(to_id(point.id)),
            score: point.score,
            ..Default::default()
        };
        Ok(grpc::BatchResult {
            result: found.map_err(refused)?.into_iter().map(scored).collect(),
        })
    }
}
