//! The index of cases in memory: every point is compared.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use threadlore_model::{CaseId, Found, Leg, Point, PointRow, SpaceId, SparseVector};
use threadlore_ports::{CaseIndex, Dense, Generation, Opened, PortError, Query, Scope, Within};

/// A [`CaseIndex`] in memory.
#[derive(Debug, Default)]
pub struct MemoryIndex {
    builds: Mutex<BTreeMap<Generation, Build>>,
}

#[derive(Debug)]
struct Build {
    dense: Option<Dense>,
    points: BTreeMap<(SpaceId, CaseId), Point>,
}

impl MemoryIndex {
    fn with<T>(
        &self,
        build: Generation,
        doing: &'static str,
        work: impl FnOnce(&mut Build) -> T,
    ) -> Result<T, PortError> {
        let mut builds = self.builds.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = builds.get_mut(&build) else {
            return Err(PortError::Refused {
                doing,
                reason: format!("the index of {build} is not open: open it first"),
            });
        };
        Ok(work(open))
    }
}

impl Build {
    fn fits(&self, vector: &[f32]) -> bool {
        self.dense
            .is_some_and(|dense| vector.len() == dense.dimensions as usize)
    }

    fn rarity(&self, leg: Leg, term: u32) -> f32 {
        let terms = self
            .points
            .values()
            .filter_map(|point| point.terms.leg(leg));
        let (mut all, mut with) = (0.0, 0.0);
        for terms in terms.filter(|terms| !terms.is_empty()) {
            all += 1.0;
            if terms.terms().iter().any(|(has, _)| *has == term) {
                with += 1.0;
            }
        }
        ((all - with + 0.5_f32) / (with + 0.5)).ln_1p()
    }

    /// The query's terms, each weight times how rare it is.
    fn weighed(&self, leg: Leg, terms: &SparseVector) -> BTreeMap<u32, f32> {
        let terms = terms.terms().iter();
        terms
            .map(|(term, weight)| (*term, weight * self.rarity(leg, *term)))
            .collect()
    }

    fn find(&self, space: &SpaceId, within: &Within, query: &Query) -> Vec<Found<CaseId>> {
        let seen: Vec<&Point> = self
            .points
            .values()
            .filter(|point| {
                let row = &point.row;
                &row.space == space
                    && within
                        .channels
                        .as_ref()
                        .is_none_or(|all| all.contains(&row.channel))
                    && within.solved.is_none_or(|solved| solved == row.solved)
            })
            .collect();
        let mut found = Vec::new();
        for leg in Leg::SPARSE {
            let Some(terms) = query.terms.leg(leg).filter(|terms| !terms.is_empty()) else {
                continue;
            };
            let weighed = self.weighed(leg, terms);
            let score = |point: &Point| point.terms.leg(leg).map(|has| product(&weighed, has));
            found.push(candidates(leg, &seen, score));
        }
        if let Some(vector) = query.dense.as_ref().filter(|vector| self.fits(vector)) {
            let score = |point: &Point| point.dense.as_ref().map(|has| cosine(vector, has));
            found.push(candidates(Leg::Dense, &seen, score));
        }
        found
    }
}

/// Best first, those above 0.
fn candidates(leg: Leg, points: &[&Point], score: impl Fn(&Point) -> Option<f32>) -> Found<CaseId> {
    let scored = |point: &&Point| Some((point.row.case, score(point)?));
    let mut candidates: Vec<_> = points.iter().filter_map(scored).collect();
    candidates.retain(|(_, score)| *score > 0.0);
    candidates.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Found { leg, candidates }
}

fn product(query: &BTreeMap<u32, f32>, point: &SparseVector) -> f32 {
    let terms = point.terms().iter();
    terms
        .filter_map(|(term, weight)| Some(query.get(term)? * weight))
        .sum()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 {
        dot(a, b) / lengths
    } else {
        0.0
    }
}

#[async_trait]
impl CaseIndex for MemoryIndex {
    async fn open(&self, build: Generation, dense: Option<Dense>) -> Result<Opened, PortError> {
        let mut builds = self.builds.lock().unwrap_or_else(PoisonError::into_inner);
        if builds.get(&build).is_some_and(|open| open.dense == dense) {
            return Ok(Opened::Found);
        }
        let points = BTreeMap::new();
        builds.insert(build, Build { dense, points });
        Ok(Opened::Made)
    }

    async fn put(&self, build: Generation, points: Vec<Point>) -> Result<(), PortError> {
        self.with(build, "putting points", |open| {
            for mut point in points {
                point.dense = point.dense.filter(|vector| open.fits(vector));
                let key = (point.row.space.clone(), point.row.case);
                open.points.insert(key, point);
            }
        })
    }

    async fn remove(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<(), PortError> {
        self.with(build, "removing points", |open| {
            for key in points {
                open.points.remove(key);
            }
        })
    }

    async fn find(
        &self,
        build: Generation,
        scope: &Scope,
        within: &Within,
        query: &Query,
        limit: usize,
    ) -> Result<Vec<Found<CaseId>>, PortError> {
        self.with(build, "searching the index of cases", |open| {
            let mut found = open.find(scope.space(), within, query);
            for leg in &mut found {
                leg.candidates.truncate(limit);
            }
            found
        })
    }

    async fn rows(
        &self,
        build: Generation,
        after: Option<&(SpaceId, CaseId)>,
        max: usize,
    ) -> Result<Vec<PointRow>, PortError> {
        self.with(build, "reading rows of points", |open| {
            let rows = open.points.iter();
            rows.filter(|(key, _)| after.is_none_or(|after| *key > after))
                .take(max)
                .map(|(_, point)| point.row.clone())
                .collect()
        })
    }

    async fn rows_of(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<Vec<PointRow>, PortError> {
        self.with(build, "reading rows of points", |open| {
            let row = |key: &(SpaceId, CaseId)| Some(open.points.get(key)?.row.clone());
            points.iter().filter_map(row).collect()
        })
    }

    async fn optimise(&self, build: Generation) -> Result<(), PortError> {
        self.with(build, "optimising the index of cases", |_| ())
    }

    async fn drop_build(&self, build: Generation) -> Result<(), PortError> {
        let mut builds = self.builds.lock().unwrap_or_else(PoisonError::into_inner);
        builds.remove(&build);
        Ok(())
    }
}
