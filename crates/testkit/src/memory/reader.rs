//! Reading cases from the store in memory: as the store on PostgreSQL, but that
//! words are compared as they are written.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use threadlore_fold::{OutcomeRow, Row};
use threadlore_model::{
    AnswerOutcome, Case, CaseId, ChannelId, ChannelSettings, MemoryArchiveReason, MemoryHome,
    MemoryTier, PersonId, Signal, Status, Timestamp,
};
use threadlore_ports::{
    CaseHit, CaseReader, CaseScore, Counts, EvidenceLine, Fact, Generation, Generations as _,
    Layer, PortError, Precedent, Projection, Readable, Scope,
};

use super::MemoryStore;

impl MemoryStore {
    /// Rows of the live build, whatever their space; none when there is no build.
    async fn live_rows(&self, projection: Projection) -> Result<Vec<Row>, PortError> {
        let built = self.generations().await?;
        if built.iter().all(|g| g.projection != projection) {
            return Ok(Vec::new());
        }
        Ok(self.rows(self.live(projection).await?))
    }

    async fn cases(&self, scope: &Scope) -> Result<Vec<Case>, PortError> {
        let rows = self.live_rows(Projection::Cases).await?;
        let case = |row| match row {
            Row::Case(case) if &case.space == scope.space() => Some(*case),
            _ => None,
        };
        Ok(rows.into_iter().filter_map(case).collect())
    }
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn words_of(case: &Case) -> BTreeSet<String> {
    let texts = [&case.title, &case.problem, &case.solution];
    let texts = texts.into_iter().flatten().chain(&case.tags);
    texts.flat_map(|text| words(text)).collect()
}

/// Channel time of the last change in the channel of a case.
fn newest(of: &Case, all: &[Case]) -> Timestamp {
    let same = all.iter().filter(|case| case.channel == of.channel);
    same.map(|case| case.changed_at).max().unwrap_or_default()
}

#[async_trait]
impl CaseReader for MemoryStore {
    async fn search(
        &self,
        scope: &Scope,
        readable: &Readable,
        query: &str,
        limit: u32,
    ) -> Result<Vec<CaseHit>, PortError> {
        let all = self.cases(scope).await?;
        let looked_at: Vec<(&Case, BTreeSet<String>)> = all
            .iter()
            .filter(|case| {
                let channels = readable.channels();
                channels.is_none_or(|all| all.contains(&case.channel))
            })
            .filter(|case| case.archived_at.is_none())
            .map(|case| (case, words_of(case)))
            .collect();
        let weights: Vec<(String, f64)> = words(query)
            .into_iter()
            .map(|word| {
                let having = looked_at.iter().filter(|(_, words)| words.contains(&word));
                let (all, having) = (looked_at.len() as f64, having.count() as f64);
                (word, (1.0 + (all - having + 0.5) / (having + 0.5)).ln())
            })
            .collect();
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let mut hits: Vec<CaseHit> = looked_at
            .iter()
            .filter_map(|(case, words)| {
                let has = |(word, weight): &(String, f64)| words.contains(word).then_some(*weight);
                let share = weights.iter().filter_map(has).sum::<f64>() / total;
                let score = (share * 1000.0).round() as u32;
                let layer = Layer::of(case, newest(case, &all))?;
                let case = (*case).clone();
                (score > 0).then_some(CaseHit { case, layer, score })
            })
            .collect();
        hits.sort_by(|a, b| {
            let order = a.layer.cmp(&b.layer).then(b.score.cmp(&a.score));
            let order = order.then(b.case.changed_at.cmp(&a.case.changed_at));
            order.then(a.case.case.cmp(&b.case.case))
        });
        let mut taken = std::collections::BTreeMap::<Layer, u32>::new();
        hits.retain(|hit| {
            let taken = taken.entry(hit.layer).or_default();
            *taken += 1;
            *taken <= limit
        });
        Ok(hits)
    }

    async fn placed(
        &self,
        scope: &Scope,
        build: Generation,
        cases: &[CaseId],
    ) -> Result<Vec<(Case, Layer)>, PortError> {
        self.lock().existing(build)?;
        let rows = self.rows(build).into_iter().filter_map(|row| match row {
            Row::Case(case) if &case.space == scope.space() => Some(*case),
            _ => None,
        });
        let all: Vec<Case> = rows.collect();
        let asked = all.iter().filter(|case| cases.contains(&case.case));
        Ok(asked
            .filter_map(|case| Some((case.clone(), Layer::of(case, newest(case, &all))?)))
            .collect())
    }

    async fn scores(
        &self,
        scope: &Scope,
        worded_in: &[(CaseId, i64)],
    ) -> Result<BTreeMap<CaseId, CaseScore>, PortError> {
        let mut scores = BTreeMap::<CaseId, CaseScore>::new();
        for row in self.live_rows(Projection::Outcomes).await? {
            let Row::Outcome(row) = row else { continue };
            let mut asked = worded_in.iter();
            let counts =
                asked.any(|(case, version)| *case == row.case_id && row.case_version >= *version);
            if !counts || &row.space != scope.space() {
                continue;
            }
            let score = scores.entry(row.case_id).or_default();
            match row.outcome {
                AnswerOutcome::Worked => score.worked += 1,
                AnswerOutcome::Failed => score.failed += 1,
                AnswerOutcome::Partial | AnswerOutcome::Unknown => {}
            }
        }
        Ok(scores)
    }

    async fn evidence(&self, scope: &Scope, case: CaseId) -> Result<Vec<EvidenceLine>, PortError> {
        let cases = self.cases(scope).await?;
        let messages = self.live_rows(Projection::Messages).await?;
        let merged = cases.iter().filter(|c| c.merged_into == Some(case));
        let mut all: Vec<&Case> = cases.iter().filter(|c| c.case == case).collect();
        let own = all.len();
        all.extend(merged);
        all[own..].sort_by_key(|c| c.case);
        let evidence = all.into_iter().flat_map(|c| &c.evidence);
        Ok(evidence
            .filter_map(|one| {
                let row = messages.iter().find_map(|row| match row {
                    Row::Message(row)
                        if row.message == one.message && &row.space == scope.space() =>
                    {
                        Some(row)
                    }
                    _ => None,
                })?;
                Some(EvidenceLine {
                    message: one.message,
                    part: one.part,
                    person: row.person?,
                    name: row.name.clone(),
                    text: row.text.clone(),
                    sent_at: row.sent_at?,
                })
            })
            .collect())
    }

    async fn best(&self, scope: &Scope, limit: u32) -> Result<Vec<Case>, PortError> {
        let mut cases = self.cases(scope).await?;
        cases.retain(|case| case.archived_at.is_none());
        let strength = |signal: Option<Signal>| (signal.is_none(), signal);
        cases.sort_by(|a, b| {
            let solved = |case: &Case| case.status() == Status::Solved;
            let order = solved(b).cmp(&solved(a));
            let order = order.then(b.confirmations.len().cmp(&a.confirmations.len()));
            let order = order.then(strength(a.signal).cmp(&strength(b.signal)));
            let order = order.then(b.evidence.len().cmp(&a.evidence.len()));
            let order = order.then(b.changed_at.cmp(&a.changed_at));
            order.then(a.case.cmp(&b.case))
        });
        cases.truncate(limit as usize);
        Ok(cases)
    }

    async fn precedents(
        &self,
        scope: &Scope,
        readable: &Readable,
        limit: u32,
    ) -> Result<Vec<Precedent>, PortError> {
        let mut texts = BTreeMap::new();
        for row in self.live_rows(Projection::Messages).await? {
            if let Row::Message(row) = row {
                texts.insert((row.space, row.message), row.text);
            }
        }
        let mut questions = BTreeMap::new();
        for row in self.live_rows(Projection::Turns).await? {
            let Row::Turn(row) = row else { continue };
            let lines = row.messages.iter();
            let lines = lines.filter_map(|message| texts.get(&(row.space.clone(), *message)));
            let lines: Vec<&str> = lines.filter_map(|text| text.as_deref()).collect();
            if row.context.is_empty() && !lines.is_empty() {
                questions.insert((row.space, row.turn), lines.join("\n"));
            }
        }
        let channels = readable.channels();
        let may_read = |channel: &ChannelId| channels.is_none_or(|all| all.contains(channel));
        let mut kept = BTreeSet::new();
        let mut patterns = Vec::new();
        for row in self.live_rows(Projection::Memories).await? {
            let Row::Memory(row) = row else { continue };
            let why = row.archive_reason;
            if &row.space != scope.space()
                || why.is_some_and(|why| why != MemoryArchiveReason::Failed)
            {
                continue;
            }
            kept.insert(row.memory);
            if row.tier == MemoryTier::Patterns && why.is_none() && may_read(&row.channel) {
                patterns.push((std::cmp::Reverse(row.score), row.memory));
            }
        }
        patterns.sort_unstable();
        patterns.truncate(limit as usize);
        let mut patterns: BTreeSet<_> = patterns.into_iter().map(|(_, memory)| memory).collect();
        let mut known = Vec::new();
        for row in self.live_rows(Projection::Outcomes).await? {
            let Row::Outcome(row) = row else { continue };
            let worked = match row.outcome {
                AnswerOutcome::Worked => true,
                AnswerOutcome::Failed => false,
                AnswerOutcome::Partial | AnswerOutcome::Unknown => continue,
            };
            let is_kept = kept.contains(&row.memory);
            if &row.space == scope.space() && may_read(&row.channel) && is_kept {
                known.push((row, worked));
            }
        }
        known.sort_by_key(|(row, _)| (std::cmp::Reverse(row.recorded_at), row.answer));
        let mut left = limit;
        known.retain(|(row, worked)| {
            let is_latest = left > 0;
            left = left.saturating_sub(1);
            let is_of_pattern = *worked && patterns.remove(&row.memory);
            is_latest || is_of_pattern
        });
        let precedent = |(row, worked): (OutcomeRow, bool)| {
            Some(Precedent {
                case: row.case_id,
                version: row.case_version,
                channel: row.channel.clone(),
                memory: row.memory,
                text: questions.get(&(row.space, row.turn))?.clone(),
                worked,
            })
        };
        Ok(known.into_iter().filter_map(precedent).collect())
    }

    async fn read_to(&self) -> Result<String, PortError> {
        let mut stand = String::new();
        for projection in [Projection::Outcomes, Projection::Memories] {
            let rows = self.live_rows(projection).await?;
            stand.push_str(&format!("{rows:?}"));
        }
        Ok(stand)
    }

    async fn facts(
        &self,
        scope: &Scope,
        readable: &Readable,
        of: Option<PersonId>,
    ) -> Result<Vec<Fact>, PortError> {
        let mut names = BTreeMap::new();
        for row in self.live_rows(Projection::Messages).await? {
            if let Row::Message(row) = row {
                names.insert((row.space, row.message), row.name);
            }
        }
        let mut facts = Vec::new();
        for row in self.live_rows(Projection::Memories).await? {
            let Row::Memory(row) = row else { continue };
            let channels = readable.channels();
            let is_told = &row.space == scope.space()
                && channels.is_none_or(|all| all.contains(&row.channel))
                && match of {
                    None => row.home == Some(MemoryHome::Bank),
                    Some(of) => row.home == Some(MemoryHome::Person) && row.person == Some(of),
                }
                && row.archived_at.is_none()
                && row.erased_at.is_none();
            let text = row.text.filter(|_| is_told);
            let (Some(text), Some(home), Some(person)) = (text, row.home, row.person) else {
                continue;
            };
            let name = row
                .message
                .and_then(|message| names.get(&(row.space, message)));
            facts.push(Fact {
                memory: row.memory,
                home,
                channel: row.channel,
                person,
                name: name.cloned().flatten(),
                text,
                always: row.always,
                said_at: row.said_at,
            });
        }
        facts.sort_by_key(|fact| (std::cmp::Reverse(fact.said_at), fact.memory));
        Ok(facts)
    }

    async fn configured(
        &self,
        scope: &Scope,
    ) -> Result<BTreeMap<ChannelId, ChannelSettings>, PortError> {
        let rows = self.live_rows(Projection::Channels).await?.into_iter();
        let settings = |row: Row| match row {
            Row::Channel(row) if &row.space == scope.space() => Some((
                row.channel,
                ChannelSettings {
                    admins: row.admins.into_iter().collect(),
                    audience: row.audience,
                    mode: row.mode,
                    docs: row.docs,
                    published: row.published,
                },
            )),
            _ => None,
        };
        Ok(rows.filter_map(settings).collect())
    }

    async fn counts(&self, scope: &Scope) -> Result<Counts, PortError> {
        let cases = self.cases(scope).await?;
        let messages = self.live_rows(Projection::Messages).await?;
        let posted = |row: &&Row| match row {
            Row::Message(row) => &row.space == scope.space() && row.native_id.is_some(),
            _ => false,
        };
        let with = |status| cases.iter().filter(|case| case.status() == status).count() as u64;
        Ok(Counts {
            messages: messages.iter().filter(posted).count() as u64,
            cases: cases.len() as u64,
            solved: with(Status::Solved),
            open: with(Status::Open),
        })
    }
}
