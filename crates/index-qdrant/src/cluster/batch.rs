//! Points in requests of a bounded size.

use std::collections::HashMap;
use std::vec;

use qdrant_client::qdrant::PointStruct;
use threadlore_model::{CaseId, Leg, Point};
use threadlore_ports::Dense;

use super::convert;

/// Most points in one request.
const MOST: usize = 256;
/// No further point is added to a request of this many bytes, as far as the size is known before
/// encoding.
const FULL: usize = 2 << 20;

/// Requests, made one by one as they are sent.
pub(crate) struct Batches {
    points: vec::IntoIter<Point>,
    dense: Option<Dense>,
}

impl Batches {
    /// Batches of points. Of several points with one id only the last is sent, because requests do
    /// not arrive in order.
    pub(crate) fn new(mut points: Vec<Point>, dense: Option<Dense>) -> Self {
        let mut last: HashMap<CaseId, usize> = HashMap::new();
        for (n, point) in points.iter().enumerate() {
            last.insert(point.row.case, n);
        }
        let mut n = 0;
        points.retain(|point| {
            n += 1;
            last.get(&point.row.case) == Some(&(n - 1))
        });
        Self {
            points: points.into_iter(),
            dense,
        }
    }
}

impl Iterator for Batches {
    type Item = Vec<PointStruct>;

    fn next(&mut self) -> Option<Vec<PointStruct>> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < MOST && bytes < FULL {
            let Some(point) = self.points.next() else {
                break;
            };
            bytes += size(&point);
            batch.push(convert::point(&point, self.dense));
        }
        (!batch.is_empty()).then_some(batch)
    }
}

/// About the bytes of a point in a request: a term is a number of up to five bytes and
/// a weight of four.
fn size(point: &Point) -> usize {
    let terms = Leg::SPARSE.iter().filter_map(|leg| point.terms.leg(*leg));
    let terms: usize = terms.map(|terms| terms.terms().len()).sum();
    let numbers = point.dense.as_ref().map_or(0, Vec::len);
    let names = point.row.space.as_str().len() + point.row.channel.as_str().len();
    300 + names + 9 * terms + 4 * numbers
}

#[cfg(test)]
mod tests {
    use threadlore_model::{SparseVector, Terms};
    use threadlore_testkit::conformance::samples;

    use super::*;

    fn point(name: &str, terms: u32) -> Point {
        let words = (0..terms).map(|term| (u32::MAX - term, 1.0)).collect();
        Point {
            row: threadlore_model::PointRow {
                space: samples::space("a"),
                case: samples::case(name),
                channel: samples::channel(),
                solved: true,
                source: [0; 32],
            },
            terms: Terms {
                words: SparseVector::new(words),
                ..Terms::default()
            },
            dense: None,
        }
    }

    #[test]
    fn a_request_has_so_many_points() {
        let points = (0..600).map(|n| point(&format!("c{n}"), 1)).collect();
        let sizes = Batches::new(points, None).map(|batch| batch.len());
        assert_eq!(sizes.collect::<Vec<_>>(), [256, 256, 88]);
        assert_eq!(Batches::new(Vec::new(), None).count(), 0);
    }

    #[test]
    fn a_request_has_so_many_bytes() {
        let large = 100_000; // 900,000 bytes
        let points = (0..7).map(|n| point(&format!("c{n}"), large)).collect();
        let sizes = Batches::new(points, None).map(|batch| batch.len());
        assert_eq!(sizes.collect::<Vec<_>>(), [3, 3, 1]);
    }

    #[test]
    fn of_one_id_the_last_point_is_taken() {
        let points = ["a", "b", "a", "c", "a"].iter().zip(1..);
        let points = points.map(|(name, terms)| point(name, terms)).collect();
        let mut batches = Batches::new(points, None);
        let batch = batches.next().expect("one");
        let ids: Vec<_> = batch.iter().map(|p| convert::case(p.id.as_ref())).collect();
        assert_eq!(ids, ["b", "c", "a"].map(|name| Some(samples::case(name))));
        assert!(batches.next().is_none());
        let [_, _, a] = batch.as_slice() else {
            panic!("three points");
        };
        assert_eq!(*a, convert::point(&point("a", 5), None));
    }
}
