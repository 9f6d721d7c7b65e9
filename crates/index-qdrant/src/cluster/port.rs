//! The calls of the port, as requests.

use std::collections::HashSet;

use async_trait::async_trait;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use qdrant_client::qdrant::points_selector::PointsSelectorOneOf;
use qdrant_client::qdrant::{
    DeletePoints, GetPoints, PointStruct, PointsSelector, QueryBatchPoints, RetrievedPoint,
    ScoredPoint, ScrollPoints, UpsertPoints, WriteOrdering, WriteOrderingType,
};
use threadlore_model::{CaseId, Found, Leg, Point, PointRow, SpaceId};
use threadlore_ports::{CaseIndex, Dense, Generation, Opened, PortError, Query, Scope, Within};

use super::batch::Batches;
use super::failure::Failure;
use super::server::Tries;
use super::{ClusterIndex, collections, convert};
use crate::error::unavailable;
use crate::filter::{Filter, by_space};
use crate::point::vectors;

/// Most requests of one `put` under way.
const AT_ONCE: usize = 4;
/// Most points read, or removed, by one request.
const PAGE: usize = 1000;

/// One node leads, so that two changes of a point reach all nodes in one order. Another node takes
/// over while it is away.
fn ordering() -> Option<WriteOrdering> {
    Some(WriteOrdering {
        r#type: WriteOrderingType::Medium.into(),
    })
}

/// The rows of points. A foreign point is an error: another program wrote to the collection.
fn rows(doing: &'static str, points: &[RetrievedPoint]) -> Result<Vec<PointRow>, PortError> {
    let row = |point: &RetrievedPoint| {
        convert::row(point).ok_or_else(|| {
            let id = convert::case(point.id.as_ref());
            unavailable(doing, format!("point {id:?} cannot be read"))
        })
    };
    points.iter().map(row).collect()
}

fn candidate(point: &ScoredPoint) -> Option<(CaseId, f32)> {
    let case = convert::case(point.id.as_ref())?;
    (point.score > 0.0).then_some((case, point.score))
}

impl ClusterIndex {
    fn seconds(&self) -> Option<u64> {
        Some(self.options.timeout_seconds())
    }

    fn upsert(&self, build: Generation, points: Vec<PointStruct>) -> UpsertPoints {
        UpsertPoints {
            collection_name: self.name(build),
            wait: Some(true),
            points,
            ordering: ordering(),
            timeout: self.seconds(),
            ..UpsertPoints::default()
        }
    }

    fn delete(&self, build: Generation, those: &Filter) -> DeletePoints {
        let selector = PointsSelectorOneOf::Filter(convert::filter(those));
        DeletePoints {
            collection_name: self.name(build),
            wait: Some(true),
            points: Some(PointsSelector {
                points_selector_one_of: Some(selector),
            }),
            ordering: ordering(),
            timeout: self.seconds(),
            ..DeletePoints::default()
        }
    }
}

#[async_trait]
impl CaseIndex for ClusterIndex {
    async fn open(&self, build: Generation, dense: Option<Dense>) -> Result<Opened, PortError> {
        let check = || collections::check_version(&self.server);
        self.checked.get_or_try_init(check).await?;
        let _alone = self.making.lock().await;
        self.known().remove(&build);
        let name = self.name(build);
        let opened = collections::open(&self.server, &name, dense, &self.options).await?;
        self.known().insert(build, dense);
        Ok(opened)
    }

    async fn put(&self, build: Generation, points: Vec<Point>) -> Result<(), PortError> {
        let doing = "putting points";
        let dense = self.made_for((Tries::Few, doing), build).await?;
        let send = |points| async move {
            let request = self.upsert(build, points);
            self.change((doing, build), &request, |q, r| async move {
                q.upsert_points(r).await
            })
            .await
        };
        stream::iter(Batches::new(points, dense))
            .map(send)
            .buffer_unordered(AT_ONCE)
            .try_for_each(|()| async { Ok(()) })
            .await
    }

    async fn remove(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<(), PortError> {
        let doing = "removing points";
        self.made_for((Tries::Few, doing), build).await?;
        for (space, cases) in by_space(points) {
            for cases in cases.chunks(PAGE) {
                let request = self.delete(build, &Filter::those(&space, cases.to_vec()));
                self.change((doing, build), &request, |q, r| async move {
                    q.delete_points(r).await
                })
                .await?;
            }
        }
        Ok(())
    }

    async fn find(
        &self,
        build: Generation,
        scope: &Scope,
        within: &Within,
        query: &Query,
        limit: usize,
    ) -> Result<Vec<Found<CaseId>>, PortError> {
        let doing = "searching the index of cases";
        let dense = self.searched(doing, build, query).await?;
        let wanted = vectors(&query.terms, query.dense.as_deref(), dense);
        let legs: Vec<Leg> = wanted.iter().map(|(leg, _)| *leg).collect();
        let nothing = legs.is_empty() || limit == 0;
        let mut answers = Vec::new();
        if !nothing {
            let name = self.name(build);
            let filter = convert::filter(&Filter::within(scope.space(), within));
            let queries = wanted
                .into_iter()
                .map(|leg| convert::nearest(&name, leg, dense, &filter, limit as u64));
            let request = QueryBatchPoints {
                query_points: queries.collect(),
                collection_name: name,
                timeout: self.seconds(),
                ..QueryBatchPoints::default()
            };
            let answer = self.ask((Tries::Once, doing, build), &request, |q, r| async move {
                q.query_batch(r).await
            });
            answers = answer.await?.result;
            if answers.len() != legs.len() {
                let said = "another number of answers than of questions";
                return Err(Failure::passing(self.server.url(), said).error(doing));
            }
        }
        let mut answers = answers.into_iter();
        let found = legs.into_iter().map(|leg| Found {
            leg,
            candidates: answers.next().map_or_else(Vec::new, |answer| {
                answer.result.iter().filter_map(candidate).collect()
            }),
        });
        Ok(found.collect())
    }

    async fn rows(
        &self,
        build: Generation,
        after: Option<&(SpaceId, CaseId)>,
        max: usize,
    ) -> Result<Vec<PointRow>, PortError> {
        let doing = "reading rows of points";
        self.made_for((Tries::Few, doing), build).await?;
        let after = after.map(|(_, case)| *case);
        let (mut from, mut found) = (after.map(convert::id), Vec::new());
        while found.len() < max {
            // The first may be `after` itself.
            let wanted = (max - found.len()).saturating_add(1).min(PAGE);
            let request = ScrollPoints {
                collection_name: self.name(build),
                offset: from,
                limit: Some(wanted as u32),
                with_payload: Some(true.into()),
                with_vectors: Some(false.into()),
                timeout: self.seconds(),
                ..ScrollPoints::default()
            };
            let answer = self.ask((Tries::Few, doing, build), &request, |q, r| async move {
                q.scroll(r).await
            });
            let page = answer.await?;
            let mut rows = rows(doing, &page.result)?;
            rows.retain(|row| Some(row.case) != after);
            found.append(&mut rows);
            from = page.next_page_offset;
            if from.is_none() {
                break;
            }
        }
        found.truncate(max);
        Ok(found)
    }

    async fn rows_of(
        &self,
        build: Generation,
        points: &[(SpaceId, CaseId)],
    ) -> Result<Vec<PointRow>, PortError> {
        let doing = "reading rows of points";
        self.made_for((Tries::Few, doing), build).await?;
        let mut found = Vec::new();
        for points in points.chunks(PAGE) {
            let request = GetPoints {
                collection_name: self.name(build),
                ids: points.iter().map(|(_, case)| convert::id(*case)).collect(),
                with_payload: Some(true.into()),
                with_vectors: Some(false.into()),
                timeout: self.seconds(),
                ..GetPoints::default()
            };
            let answer = self.ask((Tries::Few, doing, build), &request, |q, r| async move {
                q.get_points(r).await
            });
            let asked: HashSet<_> = points.iter().map(|(space, case)| (space, *case)).collect();
            let mut rows = rows(doing, &answer.await?.result)?;
            rows.retain(|row| asked.contains(&(&row.space, row.case)));
            found.append(&mut rows);
        }
        Ok(found)
    }

    async fn optimise(&self, build: Generation) -> Result<(), PortError> {
        let doing = "optimising the index of cases";
        self.made_for((Tries::Few, doing), build).await?;
        let name = self.name(build);
        let there = collections::settle(&self.server, &name, &self.options).await?;
        if there.is_some() {
            return Ok(());
        }
        self.known().remove(&build);
        Err(collections::changed(&self.server, &name, doing))
    }

    async fn drop_build(&self, build: Generation) -> Result<(), PortError> {
        let _alone = self.making.lock().await;
        self.known().remove(&build);
        collections::drop(&self.server, &self.name(build), &self.options).await
    }
}
