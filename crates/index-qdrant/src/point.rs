//! The fields of a point. Its id is the case's, which is unique across spaces.

use threadlore_model::{CaseId, ChannelId, Leg, PointRow, SpaceId, SparseVector, Terms};
use threadlore_ports::Dense;

pub(crate) const SPACE: &str = "space";
pub(crate) const CHANNEL: &str = "channel";
pub(crate) const SOLVED: &str = "solved";
const SOURCE: &str = "source";

/// A value in a point's payload.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Flag(bool),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// The vector of one leg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Vector<'a> {
    Sparse(&'a SparseVector),
    Dense(&'a [f32]),
}

/// The vectors of a point or of a query. A leg without terms is left out: the engine
/// would count it among the points that have the leg. So is a dense vector of another
/// length than those of the collection.
pub(crate) fn vectors<'a>(
    terms: &'a Terms,
    dense: Option<&'a [f32]>,
    of: Option<Dense>,
) -> Vec<(Leg, Vector<'a>)> {
    let vector = |leg| match terms.leg(leg) {
        Some(terms) => Some(Vector::Sparse(terms)).filter(|_| !terms.is_empty()),
        None => dense.filter(|dense| fits(dense, of)).map(Vector::Dense),
    };
    let legs = Leg::ALL.into_iter();
    legs.filter_map(|leg| Some((leg, vector(leg)?))).collect()
}

/// Whether a vector has as many numbers as those of the collection.
pub(crate) fn fits(vector: &[f32], of: Option<Dense>) -> bool {
    of.is_some_and(|of| vector.len() == of.dimensions as usize)
}

/// The payload of a point.
pub(crate) fn payload(row: &PointRow) -> [(&'static str, Value); 4] {
    let source: String = row.source.iter().map(|b| format!("{b:02x}")).collect();
    [
        (SPACE, row.space.as_str().into()),
        (CHANNEL, row.channel.as_str().into()),
        (SOLVED, Value::Flag(row.solved)),
        (SOURCE, Value::Text(source)),
    ]
}

/// The row of a point; `None` when it was not put by us.
pub(crate) fn row(case: CaseId, field: impl Fn(&str) -> Option<Value>) -> Option<PointRow> {
    let text = |name| match field(name) {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    };
    let Some(Value::Flag(solved)) = field(SOLVED) else {
        return None;
    };
    Some(PointRow {
        space: SpaceId::parse(&text(SPACE)?).ok()?,
        case,
        channel: ChannelId::parse(&text(CHANNEL)?).ok()?,
        solved,
        source: source(&text(SOURCE)?)?,
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
    use threadlore_model::EventId;

    use super::*;

    #[test]
    fn a_row_comes_back_as_it_was() {
        let put = PointRow {
            space: SpaceId::parse("a").expect("valid"),
            case: CaseId::from_uuid(EventId::of_content("test", &["c"]).as_uuid()),
            channel: ChannelId::parse("irc:#a\"b\\").expect("valid"),
            solved: true,
            source: std::array::from_fn(|i| (i * 8) as u8),
        };
        let kept = payload(&put);
        let field = |name: &str| {
            let found = kept.iter().find(|(field, _)| *field == name);
            found.map(|(_, value)| value.clone())
        };
        assert_eq!(row(put.case, field), Some(put.clone()));
        for missing in [SPACE, CHANNEL, SOLVED, SOURCE] {
            let others = |name: &str| field(name).filter(|_| name != missing);
            assert_eq!(row(put.case, others), None, "{missing}");
        }
        let short = |name: &str| match name {
            SOURCE => Some("0011".into()),
            _ => field(name),
        };
        assert_eq!(row(put.case, short), None);
    }

    #[test]
    fn what_has_no_terms_or_another_length_is_left_out() {
        let terms = Terms {
            stems: SparseVector::new(vec![(7, 1.0)]),
            ..Terms::default()
        };
        let of = Some(Dense {
            model: 1,
            dimensions: 2,
        });
        let legs = |dense, of| -> Vec<Leg> {
            let vectors = vectors(&terms, dense, of);
            vectors.into_iter().map(|(leg, _)| leg).collect()
        };
        assert_eq!(legs(Some(&[1.0, 2.0]), of), [Leg::Stems, Leg::Dense]);
        assert_eq!(legs(Some(&[1.0]), of), [Leg::Stems]);
        assert_eq!(legs(Some(&[1.0, 2.0]), None), [Leg::Stems]);
        assert_eq!(legs(None, of), [Leg::Stems]);
    }
}
