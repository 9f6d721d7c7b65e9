//! Decision runs. The log says which there are and which one is live; the builds of cases in the
//! database follow it.

use std::collections::{BTreeSet, HashSet};

use threadlore_fold::{Runs, fold_runs};
use threadlore_model::{
    DecisionRunChanged, Envelope, Event, EventId, Group, Key, Offset, Run, RunChange, SpaceId,
    Subject, Timestamp, Topic, TopicPartition,
};
use threadlore_ports::{
    EventLog, Generation, Generations, IndexSource, NewRecord, PortError, Projection, Shard, Store,
    all_partitions,
};
use threadlore_replay::first_since;
use threadlore_roles::{Extractor, Processor};

use crate::drain::Waiting;
use crate::node::Node;

/// Records and cases read at a time.
const PAGE: usize = 1000;

impl Node {
    /// The decision runs, as the log says.
    ///
    /// # Errors
    /// What the log says.
    pub async fn runs(&self) -> Result<Runs, PortError> {
        runs_of(self.log.as_ref()).await
    }

    /// Writes to the log what became of a run.
    ///
    /// # Errors
    /// `Unavailable` while a space is restored; what the log says.
    pub async fn note_run(&self, run: Run, change: RunChange) -> anyhow::Result<()> {
        self.check_not_restoring().await?;
        let (space, now) = (SpaceId::system(), self.clock.now());
        let engine = self.engine_version().to_owned();
        let names = [run.to_string(), now.as_millis().to_string()];
        let envelope = Envelope {
            id: EventId::of_content("run", &names.each_ref().map(String::as_str)),
            key: Key::of_space(&space),
            space,
            time: now,
            producer: None,
            cause: None,
            actor: None,
            traceparent: None,
        };
        let body = DecisionRunChanged {
            run,
            change,
            engine,
            now,
        };
        let event = Event {
            envelope,
            body: body.into(),
        };
        let topic = Topic::Settings;
        self.log.publish(vec![NewRecord { topic, event }]).await?;
        Ok(())
    }

    /// The newest build that shows a run, if it has one that is fed.
    ///
    /// # Errors
    /// What the store says.
    pub async fn build_of(&self, run: Run) -> Result<Option<Generation>, PortError> {
        let builds = self.store.builds().await?.into_iter();
        let mut builds = builds.filter(|listed| {
            let of_cases = listed.build.projection == Projection::Cases;
            of_cases
                && listed.run == run
                && listed.is_own
                && listed.is_fed
                && listed.until.is_none()
        });
        Ok(builds.next_back().map(|listed| listed.build))
    }

    /// Has the database follow the log: makes the builds of runs that it does not have, after it was
    /// lost; ends a switch or a drop that was cut off.
    ///
    /// # Errors
    /// What log, store, keystore and index say.
    pub async fn take_up_runs(&self) -> anyhow::Result<()> {
        if self.runs().await? == Runs::default() {
            return Ok(());
        }
        // Whoever has the turn has done this before, or is about to change them.
        let Some(_lock) = self.store.lock_builds(Projection::Cases).await? else {
            return Ok(());
        };
        let runs = self.runs().await?;
        // Makes the first build where there is none.
        let live = self.store.live(Projection::Cases).await?;
        let builds = self.store.builds().await?.into_iter();
        let own = builds.filter(|b| b.build.projection == Projection::Cases && b.is_own);
        let own = own.filter(|b| b.until.is_none());
        let there: BTreeSet<Run> = own.map(|listed| listed.run).collect();
        for run in runs.kept.keys().filter(|run| !there.contains(run)) {
            self.store.create_of_run(*run).await?;
        }
        let shown = self.store.builds().await?;
        if shown.iter().any(|b| b.build == live && b.run != runs.live)
            && let Some(build) = self.build_of(runs.live).await?
        {
            self.store.switch(build).await?;
        }
        let left = shown.into_iter().filter(|listed| {
            listed.build.projection == Projection::Cases && !runs.kept.contains_key(&listed.run)
        });
        let left: BTreeSet<Run> = left.map(|listed| listed.run).collect();
        for run in left {
            tracing::info!(%run, "dropping a decision run whose drop was cut off");
            self.store.end_run(run, self.clock.now()).await?;
            self.forget_run(run, &|_, _| ()).await?;
        }
        Ok(())
    }

    /// Makes what an ended run decided unreadable: destroys the key of every case, deletes the
    /// vectors of the cases, and drops the builds that show them. Returns how many cases there were.
    ///
    /// # Errors
    /// What log, keystore, store and index say.
    pub(crate) async fn forget_run(
        &self,
        run: Run,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> anyhow::Result<u64> {
        let mut forgotten = HashSet::new();
        let ends = self.ends(&[Topic::KnowledgeCases]).await?;
        let mut read = 0;
        for (at, end) in &ends.0 {
            let mut next = Offset(0);
            while next < *end {
                let records = self.log.read(*at, next, PAGE).await?;
                let Some(last) = records.last() else { break };
                next = last.offset.next();
                read += records.len() as u64;
                let events = records.into_iter().filter_map(|record| record.body.ok());
                let cases = events.filter_map(|event| {
                    let producer = event.envelope.producer.as_ref()?;
                    let case = event.body.case()?;
                    (Run::of(producer) == run).then(|| (event.envelope.space.clone(), case))
                });
                let cases: Vec<_> = cases
                    .filter(|case| forgotten.insert(case.clone()))
                    .collect();
                let subjects = cases.iter().cloned();
                let subjects = subjects.map(|(space, case)| Subject::Case(space, case));
                self.vault.destroy(&subjects.collect::<Vec<_>>()).await?;
                progress(read, ends.records());
            }
        }
        for listed in self.store.builds().await? {
            if listed.build.projection == Projection::Cases && listed.run == run {
                self.store.drop_generation(listed.build).await?;
                self.index.drop_build(listed.build).await?;
            }
        }
        // Last: from now on no vector of them can be read that is not written yet.
        let cases: Vec<_> = forgotten.into_iter().collect();
        for cases in cases.chunks(PAGE) {
            self.store.delete_vectors(cases).await?;
        }
        Ok(cases.len() as u64)
    }
}

/// Where partitions ended when something was waited for.
#[derive(Debug, Clone)]
pub struct Ends(Vec<(TopicPartition, Offset)>);

impl Ends {
    /// Records up to there, of all partitions.
    #[must_use]
    pub fn records(&self) -> u64 {
        let records = self.0.iter().map(|(_, end)| end.0.unsigned_abs());
        records.sum()
    }
}

impl Node {
    /// Where topics end now.
    async fn ends(&self, topics: &[Topic]) -> Result<Ends, PortError> {
        let mut ends = Vec::new();
        for topic in topics {
            for at in all_partitions(self.log.as_ref(), *topic) {
                ends.push((at, self.log.range(at).await?.end));
            }
        }
        Ok(Ends(ends))
    }

    /// Where the inputs of those who decide end now.
    ///
    /// # Errors
    /// What the log says.
    pub async fn decided_until(&self) -> Result<Ends, PortError> {
        self.ends(Extractor::INPUTS).await
    }

    /// Records that were there when a run was begun and that it has not decided on yet.
    ///
    /// # Errors
    /// What log and store say.
    pub async fn history_left(&self, run: Run, begun: Timestamp) -> Result<u64, PortError> {
        let mut history = self.decided_until().await?;
        for (at, end) in &mut history.0 {
            *end = first_since(self.log.as_ref(), *at, *end, begun).await?;
        }
        self.undecided(&run.group(), &history).await
    }

    /// Records up to there that a group has not decided on: those that it has not taken, and in each
    /// partition those from the first one on of which a call is not answered.
    async fn undecided(&self, group: &Group, ends: &Ends) -> Result<u64, PortError> {
        let store: &dyn Store = self.store.as_ref();
        let mut left = 0;
        for (at, end) in &ends.0 {
            let shard = shard(group, *at);
            let positions = store.positions(&shard).await?;
            let taken = positions.get(&at.topic).copied().unwrap_or(Offset(0));
            let effects = store.effects(&shard).await?;
            let asked = effects.iter().filter(|effect| effect.cause.at == *at);
            let asked = asked.map(|effect| effect.cause.offset).min();
            let next = asked.map_or(taken, |asked| asked.min(taken));
            left += u64::try_from(end.0 - next.0).unwrap_or(0);
        }
        Ok(left)
    }

    /// Whether a group has events to publish, in how many partitions.
    async fn unpublished(&self, group: &Group, ends: &Ends) -> Result<u64, PortError> {
        let mut left = 0;
        for (at, _) in &ends.0 {
            let outbox = self.store.outbox(&shard(group, *at), 0, 1).await?;
            left += outbox.len() as u64;
        }
        Ok(left)
    }

    /// What is left until a run has decided on everything up to there, and readers of its build would
    /// find it: records to decide on, then events to publish and to fold, vectors to compute, points to
    /// make.
    ///
    /// # Errors
    /// What log and store say.
    pub async fn left_of(
        &self,
        (run, build): (Run, Generation),
        until: &Ends,
    ) -> Result<Waiting, PortError> {
        let group = run.group();
        let mut left = Waiting {
            records: self.undecided(&group, until).await?,
            others: 0,
        };
        if left == Waiting::default() {
            left.others = self.unpublished(&group, until).await?;
        }
        if left == Waiting::default() {
            let cases = self.ends(&[Topic::KnowledgeCases]).await?;
            left.others = self.undecided(&build.group(), &cases).await?;
            if let Some(embedder) = &self.embedder {
                let group = Group::of_embedder(embedder.model());
                left.others += self.undecided(&group, &cases).await?;
                left.others += self.unpublished(&group, &cases).await?;
            }
        }
        if left == Waiting::default() {
            let vectors = self.ends(&[Topic::Vectors]).await?;
            let live = self.store.live(Projection::Vectors).await?;
            left.others = self.undecided(&live.group(), &vectors).await?;
        }
        if left == Waiting::default() {
            left.others = IndexSource::waiting(self.store.as_ref(), build).await?;
        }
        Ok(left)
    }
}

fn shard(group: &Group, at: TopicPartition) -> Shard {
    Shard {
        group: group.clone(),
        partition: at.partition,
    }
}

async fn runs_of(log: &dyn EventLog) -> Result<Runs, PortError> {
    let mut runs = Runs::default();
    for at in all_partitions(log, Topic::Settings) {
        let mut next = log.range(at).await?.start;
        loop {
            let records = log.read(at, next, PAGE).await?;
            let Some(last) = records.last() else { break };
            next = last.offset.next();
            for event in records.into_iter().filter_map(|record| record.body.ok()) {
                fold_runs(&mut runs, &event);
            }
        }
    }
    Ok(runs)
}
