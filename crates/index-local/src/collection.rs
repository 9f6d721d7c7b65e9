//! The points of one build.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::num::TryFromIntError;
use std::ops::Bound;
use std::panic::resume_unwind;

use threadlore_model::{CaseId, Found, Leg, Point, PointRow, SpaceId};
use threadlore_ports::{Dense, Query, Within};

use crate::postings::{Slot, SparseLeg};
use crate::vectors::Vectors;

/// The points of one build, with what finds them.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Collection {
    /// Whose vectors its points have.
    pub(crate) dense: Option<Dense>,
    /// By slot; `None` where the point was replaced or removed.
    pub(crate) rows: Vec<Option<PointRow>>,
    /// Whether each of them is there.
    pub(crate) alive: Vec<bool>,
    /// The slots of the points that there are.
    pub(crate) slots: BTreeMap<(SpaceId, CaseId), Slot>,
    /// In the order of [`Leg::SPARSE`].
    pub(crate) legs: [SparseLeg; 3],
    pub(crate) vectors: Vectors,
    /// Points that were put or removed since the last snapshot.
    pub(crate) changed: usize,
}

impl Collection {
    pub(crate) fn new(dense: Option<Dense>) -> Self {
        let dimensions = dense.map_or(0, |dense| dense.dimensions as usize);
        Self {
            dense,
            vectors: Vectors::new(dimensions),
            ..Self::default()
        }
    }

    /// Adds points, or replaces those with the same space and case.
    ///
    /// # Errors
    /// There are more than slots have numbers.
    pub(crate) fn put(&mut self, points: Vec<Point>) -> Result<(), TryFromIntError> {
        let from = Slot::try_from(self.rows.len())?;
        Slot::try_from(self.rows.len() + points.len())?;
        let numbered = || (from..).zip(&points);
        let push = |leg: &mut SparseLeg, of| {
            for (slot, point) in numbered() {
                let terms = point.terms.leg(of).map(|terms| terms.terms());
                leg.push(slot, terms.unwrap_or_default());
            }
        };
        let [words, stems, grams] = &mut self.legs;
        let vectors = &mut self.vectors;
        // Most terms are grams: what they take is half of the work.
        std::thread::scope(|scope| {
            scope.spawn(|| push(grams, Leg::Grams));
            push(words, Leg::Words);
            push(stems, Leg::Stems);
            let all = points.iter();
            all.for_each(|point| vectors.push(point.dense.as_deref()));
        });
        self.changed += points.len();
        for (slot, point) in (from..).zip(points) {
            let key = (point.row.space.clone(), point.row.case);
            if let Some(old) = self.slots.insert(key, slot) {
                self.forget(old);
            }
            self.rows.push(Some(point.row));
            self.alive.push(true);
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, key: &(SpaceId, CaseId)) {
        if let Some(slot) = self.slots.remove(key) {
            self.forget(slot);
            self.changed += 1;
        }
    }

    fn forget(&mut self, slot: Slot) {
        self.rows[slot as usize] = None;
        self.alive[slot as usize] = false;
    }

    pub(crate) fn find(
        &self,
        space: &SpaceId,
        within: &Within,
        query: &Query,
        limit: usize,
    ) -> Vec<Found<CaseId>> {
        let view = View { space, within };
        let fits = |vector: &&Vec<f32>| self.vectors.fits(vector);
        let vector = query.dense.as_ref().filter(fits);
        let half = self.rows.len() / 2;
        // The vectors take most of the time: two threads take half of them each, beside the words.
        std::thread::scope(|scope| {
            let halves = vector.map(|vector| {
                [0..half, half..self.rows.len()].map(|slots| {
                    scope.spawn(move || {
                        let scores = self.vectors.cosines(vector, slots.clone());
                        best(scores.zip(&self.rows[slots]), view, limit)
                    })
                })
            });
            let mut found = Vec::new();
            for (leg, of) in self.legs.iter().zip(Leg::SPARSE) {
                let terms = query.terms.leg(of).filter(|terms| !terms.is_empty());
                if let Some(terms) = terms {
                    let mut scores = vec![0.0; self.rows.len()];
                    leg.score(terms.terms(), (&self.alive, self.slots.len()), &mut scores);
                    let best = best(scores.into_iter().zip(&self.rows), view, limit);
                    let candidates = best.sorted();
                    found.push(Found {
                        leg: of,
                        candidates,
                    });
                }
            }
            if let Some(halves) = halves {
                let mut best = Best::new(limit);
                for half in halves {
                    let half = half.join().unwrap_or_else(|panic| resume_unwind(panic));
                    half.taken
                        .into_iter()
                        .for_each(|(case, score)| best.take(case, score));
                }
                let candidates = best.sorted();
                let leg = Leg::Dense;
                found.push(Found { leg, candidates });
            }
            found
        })
    }

    /// Rows after a key, ascending by space and case.
    pub(crate) fn rows(&self, after: Option<&(SpaceId, CaseId)>, max: usize) -> Vec<PointRow> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let slots = self.slots.range((from, Bound::Unbounded));
        let rows = slots.filter_map(|(_, slot)| self.rows[*slot as usize].clone());
        rows.take(max).collect()
    }

    pub(crate) fn row(&self, key: &(SpaceId, CaseId)) -> Option<PointRow> {
        let slot = self.slots.get(key)?;
        self.rows[*slot as usize].clone()
    }

    /// Forgets the points that were replaced or removed.
    pub(crate) fn compact(&mut self) {
        if self.slots.len() == self.rows.len() {
            return;
        }
        let mut next = 0;
        let new_slot = |row: &Option<PointRow>| {
            row.as_ref().map(|_| {
                next += 1;
                next - 1
            })
        };
        let renumbered: Vec<Option<Slot>> = self.rows.iter().map(new_slot).collect();
        let legs = self.legs.iter_mut();
        legs.for_each(|leg| leg.compact(&renumbered));
        self.vectors = self.vectors.compacted(&renumbered);
        self.rows.retain(Option::is_some);
        self.alive.retain(|alive| *alive);
        for slot in self.slots.values_mut() {
            *slot = renumbered[*slot as usize].unwrap_or(*slot);
        }
    }
}

/// The best candidates that a search may see; those above 0.
fn best<'a>(
    scored: impl Iterator<Item = (f32, &'a Option<PointRow>)>,
    view: View<'_>,
    limit: usize,
) -> Best {
    let mut best = Best::new(limit);
    for (score, row) in scored {
        if best.may_take(score)
            && let Some(row) = row.as_ref().filter(|row| view.has(row))
        {
            best.take(row.case, score);
        }
    }
    best
}

/// What a search may see.
#[derive(Clone, Copy)]
struct View<'a> {
    space: &'a SpaceId,
    within: &'a Within,
}

impl View<'_> {
    fn has(self, row: &PointRow) -> bool {
        row.space == *self.space
            && self.within.solved.is_none_or(|solved| solved == row.solved)
            && self
                .within
                .channels
                .as_ref()
                .is_none_or(|all| all.contains(&row.channel))
    }
}

/// The best so many candidates of those that were taken.
struct Best {
    limit: usize,
    /// What has less is not among them.
    least: f32,
    /// At most twice as many as the limit.
    taken: Vec<(CaseId, f32)>,
}

impl Best {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            least: 0.0,
            taken: Vec::new(),
        }
    }

    fn may_take(&self, score: f32) -> bool {
        score > 0.0 && score >= self.least
    }

    fn take(&mut self, case: CaseId, score: f32) {
        self.taken.push((case, score));
        if self.taken.len() >= self.limit.saturating_mul(2).max(1) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.limit > 0 && self.limit < self.taken.len() {
            let (_, last, _) = self.taken.select_nth_unstable_by(self.limit - 1, order);
            self.least = last.1;
        }
        self.taken.truncate(self.limit);
    }

    fn sorted(mut self) -> Vec<(CaseId, f32)> {
        self.cut();
        self.taken.sort_unstable_by(order);
        self.taken
    }
}

/// The higher score first; of equal ones the lower id.
fn order(a: &(CaseId, f32), b: &(CaseId, f32)) -> Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}
