//! The shape of a collection: its vectors and its payload indexes.
//!
//! The name of the dense vector contains the model that the collection was made for; there is no
//! other marker. So it works with a server of version 1.15, which does not store metadata of
//! collections yet; it is there as soon as the collection is; and the server refuses the vectors of
//! a process that still has another model.

use std::collections::{BTreeMap, HashMap};

use qdrant_client::qdrant::payload_index_params::IndexParams;
use qdrant_client::qdrant::vectors_config::Config;
use qdrant_client::qdrant::{
    BoolIndexParams, CollectionInfo, CreateCollection, CreateFieldIndexCollection, Distance,
    FieldType, KeywordIndexParams, Modifier, PayloadIndexParams, SparseVectorConfig,
    SparseVectorParams, VectorParams, VectorParamsMap, VectorsConfig,
};
use threadlore_model::Leg;
use threadlore_ports::Dense;

use super::options::ClusterOptions;
use crate::point::{CHANNEL, SOLVED, SPACE};

/// A server counts for IDF in each shard apart, and the port promises one count.
const SHARDS: u32 = 1;

/// The vector of a leg in a collection.
pub(crate) fn vector_name(leg: Leg, dense: Option<Dense>) -> String {
    match (leg, dense) {
        (Leg::Dense, Some(Dense { model, .. })) => format!("{}-{model:016x}", leg.name()),
        _ => leg.name().to_owned(),
    }
}

/// The request that makes a collection.
pub(crate) fn create(
    name: &str,
    dense: Option<Dense>,
    options: &ClusterOptions,
) -> CreateCollection {
    let sparse = Leg::SPARSE.map(|leg| {
        let params = SparseVectorParams {
            modifier: Some(Modifier::Idf.into()),
            ..SparseVectorParams::default()
        };
        (vector_name(leg, dense), params)
    });
    let vectors = dense.map(|of| {
        let params = VectorParams {
            size: u64::from(of.dimensions),
            distance: Distance::Cosine.into(),
            ..VectorParams::default()
        };
        let map = HashMap::from([(vector_name(Leg::Dense, dense), params)]);
        VectorsConfig {
            config: Some(Config::ParamsMap(VectorParamsMap { map })),
        }
    });
    CreateCollection {
        collection_name: name.to_owned(),
        vectors_config: vectors,
        sparse_vectors_config: Some(SparseVectorConfig {
            map: HashMap::from(sparse),
        }),
        shard_number: Some(SHARDS),
        replication_factor: Some(options.replication_factor),
        // Every live node has a change before it is answered, whatever this value is. A higher
        // value would refuse changes while a node is away, although points can be made again from
        // the rows.
        write_consistency_factor: Some(1),
        timeout: Some(options.timeout_seconds()),
        ..CreateCollection::default()
    }
}

/// The dense vectors that a collection was made for.
///
/// # Errors
/// The collection's vectors, when Threadlore did not make it.
pub(crate) fn made_for(info: &CollectionInfo) -> Result<Option<Dense>, String> {
    let params = info.config.as_ref().and_then(|c| c.params.as_ref());
    let mut sparse: BTreeMap<String, bool> = BTreeMap::new();
    let config = params.and_then(|p| p.sparse_vectors_config.as_ref());
    for (name, params) in config.iter().flat_map(|config| &config.map) {
        sparse.insert(name.clone(), params.modifier() == Modifier::Idf);
    }
    let ours = Leg::SPARSE.map(|leg| (leg.name().to_owned(), true));
    let config = params.and_then(|p| p.vectors_config.as_ref());
    let dense: Vec<_> = match config.and_then(|c| c.config.as_ref()) {
        Some(Config::ParamsMap(params)) => params.map.iter().collect(),
        // One without a name, which we never make.
        Some(Config::Params(_)) => return Err("a vector without a name".to_owned()),
        None => Vec::new(),
    };
    let other = || {
        let names = sparse.keys().chain(dense.iter().map(|(name, _)| *name));
        let names: Vec<&str> = names.map(String::as_str).collect();
        format!("the vectors {names:?}")
    };
    if sparse != BTreeMap::from(ours) {
        return Err(other());
    }
    match dense.as_slice() {
        [] => Ok(None),
        [(name, params)] => of_vector(name, params).map(Some).ok_or_else(other),
        _ => Err(other()),
    }
}

fn of_vector(name: &str, params: &VectorParams) -> Option<Dense> {
    let model = name.strip_prefix(Leg::Dense.name())?.strip_prefix('-')?;
    let dense = Dense {
        model: u64::from_str_radix(model, 16).ok()?,
        dimensions: u32::try_from(params.size).ok()?,
    };
    let same = name == vector_name(Leg::Dense, Some(dense));
    (same && params.distance() == Distance::Cosine).then_some(dense)
}

/// The requests that add missing payload indexes to a collection. Graph links for each value are
/// built for the space only: every search filters by it, and links for more fields multiply the
/// time of the build.
pub(crate) fn missing_indexes(
    name: &str,
    info: &CollectionInfo,
    seconds: u64,
) -> Vec<CreateFieldIndexCollection> {
    let space = IndexParams::KeywordIndexParams(KeywordIndexParams {
        is_tenant: Some(true),
        ..KeywordIndexParams::default()
    });
    let channel = IndexParams::KeywordIndexParams(KeywordIndexParams {
        enable_hnsw: Some(false),
        ..KeywordIndexParams::default()
    });
    let solved = IndexParams::BoolIndexParams(BoolIndexParams {
        enable_hnsw: Some(false),
        ..BoolIndexParams::default()
    });
    let indexes = [
        (SPACE, FieldType::Keyword, space),
        (CHANNEL, FieldType::Keyword, channel),
        (SOLVED, FieldType::Bool, solved),
    ];
    let missing = indexes
        .into_iter()
        .filter(|(field, _, _)| !info.payload_schema.contains_key(*field));
    missing
        .map(|(field, kind, params)| CreateFieldIndexCollection {
            collection_name: name.to_owned(),
            wait: Some(true),
            field_name: field.to_owned(),
            field_type: Some(kind.into()),
            field_index_params: Some(PayloadIndexParams {
                index_params: Some(params),
            }),
            timeout: Some(seconds),
            ..CreateFieldIndexCollection::default()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use qdrant_client::qdrant::{CollectionConfig, CollectionParams};

    use super::*;

    /// A collection as a server tells of one that was made so.
    fn told(made: CreateCollection) -> CollectionInfo {
        let params = CollectionParams {
            vectors_config: made.vectors_config,
            sparse_vectors_config: made.sparse_vectors_config,
            ..CollectionParams::default()
        };
        CollectionInfo {
            config: Some(CollectionConfig {
                params: Some(params),
                ..CollectionConfig::default()
            }),
            ..CollectionInfo::default()
        }
    }

    fn made(dense: Option<Dense>) -> CreateCollection {
        create("c", dense, &ClusterOptions::new("http://host:6334"))
    }

    #[test]
    fn a_collection_tells_what_it_was_made_for() {
        for (model, dimensions) in [(0, 1), (7, 384), (u64::MAX, u32::MAX)] {
            let dense = Some(Dense { model, dimensions });
            assert_eq!(made_for(&told(made(dense))), Ok(dense));
        }
        assert_eq!(made_for(&told(made(None))), Ok(None));
    }

    #[test]
    fn a_collection_of_others_is_known() {
        let dense = Some(Dense {
            model: 7,
            dimensions: 2,
        });
        let changes: [fn(&mut CreateCollection); 5] = [
            |made| made.sparse_vectors_config = None,
            |made| {
                let sparse = made.sparse_vectors_config.as_mut().expect("is there");
                sparse
                    .map
                    .insert("more".to_owned(), SparseVectorParams::default());
            },
            |made| {
                let sparse = made.sparse_vectors_config.as_mut().expect("is there");
                sparse
                    .map
                    .insert("words".to_owned(), SparseVectorParams::default());
            },
            |made| {
                let one = Config::Params(VectorParams::default());
                made.vectors_config = Some(VectorsConfig { config: Some(one) });
            },
            |made| {
                let params = VectorParams {
                    size: 2,
                    distance: Distance::Cosine.into(),
                    ..VectorParams::default()
                };
                let map = HashMap::from([("dense".to_owned(), params)]);
                let config = Some(Config::ParamsMap(VectorParamsMap { map }));
                made.vectors_config = Some(VectorsConfig { config });
            },
        ];
        for (n, change) in changes.into_iter().enumerate() {
            let mut made = made(dense);
            change(&mut made);
            assert!(made_for(&told(made)).is_err(), "change {n}");
        }
        assert!(made_for(&CollectionInfo::default()).is_err());
    }
}
