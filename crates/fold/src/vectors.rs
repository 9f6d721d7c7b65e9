//! The fold of vectors, from `vectors`: a vector per case, model and text.

use threadlore_model::{
    Body, CaseId, Event, SpaceId, Timestamp, VectorComputed, parse_source, parse_vector,
    vector_bytes,
};

use crate::table::table;
use crate::text::{clean_model, clean_time};
use crate::{Folded, ProjectedRow};

/// The vector that a model made of a text of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorRow {
    /// The tenant.
    pub space: SpaceId,
    /// The case.
    pub case: CaseId,
    /// The model with its version.
    pub model: String,
    /// Which text: its SHA-256.
    pub source: [u8; 32],
    /// The vector, see [`vector_bytes`].
    pub vector: Vec<u8>,
    /// When it was computed.
    pub computed_at: Timestamp,
}

table!(
    VectorRow: "vectors",
    key [space, case = "case_id", model, source],
    columns [vector, computed_at]
);

impl ProjectedRow for VectorRow {
    type Key = (SpaceId, CaseId, String, [u8; 32]);

    fn touched(event: &Event) -> Option<Self::Key> {
        let Body::VectorComputed(e) = &event.body else {
            return None;
        };
        let (model, source) = vector_key(e)?;
        Some((event.envelope.space.clone(), e.case, model, source))
    }

    fn key(&self) -> Self::Key {
        (
            self.space.clone(),
            self.case,
            self.model.clone(),
            self.source,
        )
    }

    fn fold(row: &mut Option<Self>, event: &Event) -> Folded {
        fold_vector(row, event)
    }

    fn refusal(event: &Event) -> Option<&'static str> {
        match &event.body {
            Body::VectorComputed(e) if !is_vector(e) => {
                Some("its source or its vector cannot be read")
            }
            _ => None,
        }
    }
}

/// The model and the source, which distinguish the vectors of a case. `None` if the case was erased
/// or the source is not valid.
fn vector_key(event: &VectorComputed) -> Option<(String, [u8; 32])> {
    let source = parse_source(event.source.text()?)?;
    Some((clean_model(&event.model), source))
}

/// Whether the event's open fields hold a valid source and a valid vector.
fn is_vector(event: &VectorComputed) -> bool {
    let source = event.source.text().map(parse_source);
    let vector = event.vector.text().map(parse_vector);
    source != Some(None) && vector != Some(None)
}

/// Folds an event into the vector it is about; others change nothing. An erased case gets no row.
/// If a vector was computed again, the last one counts.
pub fn fold_vector(row: &mut Option<VectorRow>, event: &Event) -> Folded {
    let Body::VectorComputed(computed) = &event.body else {
        return Folded::Unchanged("the event is not about a vector");
    };
    let vector = computed.vector.text().and_then(parse_vector);
    let (Some((model, source)), Some(vector)) = (vector_key(computed), vector) else {
        return Folded::Unchanged("the vector is erased");
    };
    let next = VectorRow {
        space: event.envelope.space.clone(),
        case: computed.case,
        model,
        source,
        vector: vector_bytes(&vector),
        computed_at: clean_time(computed.now),
    };
    if row.as_ref() == Some(&next) {
        return Folded::Unchanged("the vector is known");
    }
    *row = Some(next);
    Folded::Changed
}

#[cfg(test)]
mod tests;
