//! Builds of another version: this one feeds only those whose tables and folds are its own, and starts only
//! where they are live.
//!
//! Whoever changes the version makes its builds from the log beside those of the other, and switches to
//! them; the others stay, so that going back is quick.

use futures::FutureExt as _;
use futures::future::ready;
use threadlore_model::Run;
use threadlore_ports::{Generation, Generations, Projection};
use threadlore_replay::{ends, fill, fill_points};
use threadlore_store_postgres::{AdvisoryLock, Listed};

use crate::error::{Busy, OtherVersion};
use crate::node::Node;

/// Says how far a build is made: its events that are folded, and all.
pub(crate) type Progress<'a> = &'a (dyn Fn(Generation, u64, u64) + Send + Sync);

impl Node {
    /// Live builds that another version made.
    pub(crate) async fn foreign(&self) -> anyhow::Result<Vec<Listed>> {
        let mut foreign = Vec::new();
        for listed in self.store.builds().await? {
            if !listed.is_own && self.store.live(listed.build.projection).await? == listed.build {
                foreign.push(listed);
            }
        }
        Ok(foreign)
    }

    /// Refuses to work on builds that another version made.
    pub(crate) async fn check_builds(&self) -> anyhow::Result<()> {
        let foreign = self.foreign().await?;
        let names = foreign.iter().map(|listed| listed.build.to_string());
        let names: Vec<String> = names.collect();
        match names.is_empty() {
            true => Ok(()),
            false => Err(OtherVersion(names.join(", ")).into()),
        }
    }

    /// Makes a build of this version of each projection whose live one another version made, or takes the
    /// one that it made earlier, brings it up to the end of the log, and switches to it. What is cut off goes
    /// on with the next call. Returns the builds that are live from now on.
    ///
    /// # Errors
    /// [`Busy`] while another process works on the builds; what log, store and index say.
    pub(crate) async fn make_own_builds(
        &self,
        progress: Progress<'_>,
    ) -> anyhow::Result<Vec<Generation>> {
        let mut builds = Vec::new();
        for foreign in self.foreign().await? {
            let projection = foreign.build.projection;
            let _turn = self.turn(projection).await?;
            let build = self.own_build(projection, foreign.run).await?;
            self.fill_own(build, progress).await?;
            builds.push(build);
        }
        // All at once as far as can be: whoever starts in between finds some of either version. Points of
        // cases have the vectors of the live build in them, so these go first.
        let (first, rest): (Vec<Generation>, Vec<Generation>) = builds
            .iter()
            .partition(|build| build.projection == Projection::Vectors);
        for build in first {
            self.put_live(build).await?;
        }
        for build in &rest {
            fill_points(*build, &self.index_ports()).await?;
        }
        for build in &rest {
            let _turn = self.turn(build.projection).await?;
            self.fill_own(*build, progress).await?;
        }
        for build in rest {
            self.put_live(build).await?;
        }
        Ok(builds)
    }

    /// The builds of a projection, while no other process changes them. One at a time, as each takes a
    /// connection of its own.
    async fn turn(&self, projection: Projection) -> anyhow::Result<AdvisoryLock> {
        let lock = self.store.lock_builds(projection).await?;
        Ok(lock.ok_or(Busy(projection))?)
    }

    /// Brings a build up to where the log ends now.
    async fn fill_own(&self, build: Generation, progress: Progress<'_>) -> anyhow::Result<()> {
        let ends = ends(self.log.as_ref(), build.projection, None).await?;
        let never = || ready(Ok(false)).boxed();
        fill(
            &self.fold_ports(),
            self.generations(),
            (build, &ends),
            self.replay_resources(),
            &never,
            &|done, total| progress(build, done, total),
        )
        .await?;
        Ok(())
    }

    async fn put_live(&self, build: Generation) -> anyhow::Result<()> {
        let _turn = self.turn(build.projection).await?;
        self.store.feed(build, true).await?;
        self.store.end_replay(build.projection).await?;
        Ok(self.store.switch(build).await?)
    }

    /// A build of this version to fill: the one that was being filled, the newest that there is, or a new
    /// one. It is held back until it is filled.
    async fn own_build(&self, projection: Projection, run: Run) -> anyhow::Result<Generation> {
        let builds = self.store.builds().await?.into_iter();
        let own = builds.filter(|b| {
            b.build.projection == projection && b.is_own && b.until.is_none() && b.run == run
        });
        let own: Vec<Generation> = own.map(|listed| listed.build).collect();
        let under_way = self.store.replay(projection).await?;
        if let Some(under_way) = &under_way {
            if own.contains(&under_way.build) && self.store.has_tables(under_way.build).await? {
                return Ok(under_way.build);
            }
            // One of another version: that one begins it anew.
            self.store.end_replay(projection).await?;
        }
        for build in own.into_iter().rev() {
            if self.store.has_tables(build).await? {
                self.store.feed(build, false).await?;
                self.store.begin_replay(build, None).await?;
                return Ok(build);
            }
        }
        let build = self.store.create(projection).await?;
        self.store.begin_replay(build, None).await?;
        Ok(build)
    }
}
