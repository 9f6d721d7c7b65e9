//! Points as the engine keeps them. The id is the case's, which no two spaces share.

use std::collections::HashMap;

use qdrant_edge::{
    Payload, PointId, PointStructPersisted, SparseVector, VectorPersisted, VectorStructPersisted,
};
use serde_json::{Map, Value};
use threadlore_model::{CaseId, ChannelId, Leg, Point, PointRow, SpaceId};
use threadlore_ports::Dense;

/// A point to put. A leg without terms is left out: the engine would count it among
/// the points that have the leg.
pub(crate) fn to_engine(point: Point, dense: Option<Dense>) -> PointStructPersisted {
    let Point {
        row,
        terms,
        dense: vector,
    } = point;
    let mut vectors = HashMap::new();
    for leg in Leg::SPARSE {
        if let Some(terms) = terms.leg(leg).filter(|terms| !terms.is_empty()) {
            let vector = VectorPersisted::Sparse(sparse(terms.terms()));
            vectors.insert(leg.name().to_owned(), vector);
        }
    }
    if let Some(vector) = vector.filter(|vector| fits(vector, dense)) {
        let name = Leg::Dense.name().to_owned();
        vectors.insert(name, VectorPersisted::Dense(vector));
    }
    PointStructPersisted {
        id: id(row.case),
        vector: VectorStructPersisted::Named(vectors),
        payload: Some(payload(&row)),
    }
}

/// Whether a vector has as many dimensions as those of the collection.
pub(crate) fn fits(vector: &[f32], dense: Option<Dense>) -> bool {
    dense.is_some_and(|dense| vector.len() == dense.dimensions as usize)
}

pub(crate) fn sparse(terms: &[(u32, f32)]) -> SparseVector {
    let (indices, values) = terms.iter().copied().unzip();
    SparseVector { indices, values }
}

pub(crate) fn id(case: CaseId) -> PointId {
    PointId::Uuid(case.as_uuid())
}

fn payload(row: &PointRow) -> Payload {
    let source: String = row.source.iter().map(|b| format!("{b:02x}")).collect();
    Payload(Map::from_iter([
        ("space".to_owned(), row.space.as_str().into()),
        ("channel".to_owned(), row.channel.as_str().into()),
        ("solved".to_owned(), row.solved.into()),
        ("source".to_owned(), source.into()),
    ]))
}

/// The case of a point; `None` for an id that was not put by us.
pub(crate) fn case(id: PointId) -> Option<CaseId> {
    match id {
        PointId::Uuid(id) => Some(CaseId::from_uuid(id)),
        PointId::NumId(_) => None,
    }
}

/// The row of a point; `None` when it was not put by us.
pub(crate) fn row(id: PointId, payload: Option<&Payload>) -> Option<PointRow> {
    let fields = &payload?.0;
    let text = |field| fields.get(field).and_then(Value::as_str);
    Some(PointRow {
        space: SpaceId::parse(text("space")?).ok()?,
        case: case(id)?,
        channel: ChannelId::parse(text("channel")?).ok()?,
        solved: fields.get("solved")?.as_bool()?,
        source: source(text("source")?)?,
    })
}

fn source(hex: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if hex.len() != 64 {
        return None;
    }
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * i..2 * i + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use threadlore_model::{EventId, Terms};

    use super::*;

    #[test]
    fn a_row_comes_back_as_it_was() {
        let row_put = PointRow {
            space: SpaceId::parse("a").expect("valid"),
            case: CaseId::from_uuid(EventId::of_content("test", &["c"]).as_uuid()),
            channel: ChannelId::parse("irc:#a\"b\\").expect("valid"),
            solved: true,
            source: std::array::from_fn(|i| (i * 8) as u8),
        };
        let point = Point {
            row: row_put.clone(),
            terms: Terms::default(),
            dense: None,
        };
        let kept = to_engine(point, None);
        assert_eq!(row(kept.id, kept.payload.as_ref()), Some(row_put));
        assert_eq!(row(PointId::NumId(7), kept.payload.as_ref()), None);
    }
}
