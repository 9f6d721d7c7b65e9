//! Reading cases, only inside a scope.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use async_trait::async_trait;
use threadlore_model::{
    Audience, Case, CaseId, ChannelId, ChannelSettings, MemoryHome, MemoryId, MessageId, Part,
    PersonId, Status, Timestamp,
};

use crate::{Generation, PortError, Scope};

/// A case counts as recently solved for this long before the channel's last change.
pub const RECENT: Duration = Duration::from_secs(72 * 3600);

/// Where retrieval looks, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// Solved cases.
    Solved,
    /// Cases solved so recently that their evidence may still be in the window.
    RecentlySolved,
    /// Open cases.
    Open,
}

impl Layer {
    /// The layer's name in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::RecentlySolved => "recently_solved",
            Self::Open => "open",
        }
    }

    /// Where a case is, whose channel changed last at `newest`; `None` for one that
    /// left the live set, or is solved without a word of how.
    #[must_use]
    pub fn of(case: &Case, newest: Timestamp) -> Option<Self> {
        match (case.status(), case.solved_at) {
            (Status::Archived | Status::Merged | Status::Erased, _) => None,
            (Status::Open, _) => Some(Self::Open),
            (Status::Solved, Some(at)) if at >= newest.minus(RECENT) => Some(Self::RecentlySolved),
            (Status::Solved, _) => case.solution.is_some().then_some(Self::Solved),
        }
    }
}

/// The channels of a space whose cases may be shown in a place: everybody there can read them.
///
/// It is made of the channels' audiences and of nothing else, so that a search cannot look further
/// than the place allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable(Option<BTreeSet<ChannelId>>);

impl Readable {
    /// All channels: for who may read the whole space, such as its operator.
    #[must_use]
    pub const fn all() -> Self {
        Self(None)
    }

    /// In a channel: its own cases, and those of channels with an audience at least as wide that
    /// is not the channel's members alone. A channel that is not configured is for its members.
    #[must_use]
    pub fn in_channel(
        channel: &ChannelId,
        configured: &BTreeMap<ChannelId, ChannelSettings>,
    ) -> Self {
        let here = configured.get(channel).map(|own| own.audience);
        let here = here.unwrap_or_default();
        let others = configured
            .iter()
            .filter(|(_, other)| other.audience != Audience::Members && other.audience <= here);
        let others = others.map(|(other, _)| other.clone());
        Self(Some(others.chain([channel.clone()]).collect()))
    }

    /// The channels; `None` for all of the space.
    #[must_use]
    pub const fn channels(&self) -> Option<&BTreeSet<ChannelId>> {
        self.0.as_ref()
    }
}

/// A case that fits a query.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseHit {
    /// The case.
    pub case: Case,
    /// Where it was found.
    pub layer: Layer,
    /// Share of the query's distinct words that the case has, weighted, 0 to 1000 thousandths.
    pub score: u32,
}

/// What answers with the words of a case were worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CaseScore {
    /// How many worked.
    pub worked: u32,
    /// How many failed.
    pub failed: u32,
}

/// An earlier question with a case that answered it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Precedent {
    /// The case.
    pub case: CaseId,
    /// The version of the case whose words were given.
    pub version: i64,
    /// The channel where it was asked.
    pub channel: ChannelId,
    /// The exchange that it is one of.
    pub memory: MemoryId,
    /// The question, in the words of who asked.
    pub text: String,
    /// Whether the answer worked; else it failed.
    pub worked: bool,
}

/// One evidence message as readers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceLine {
    /// The message.
    pub message: MessageId,
    /// Its part in the case.
    pub part: Part,
    /// Who wrote it.
    pub person: PersonId,
    /// The writer's name, unless erased or unknown.
    pub name: Option<String>,
    /// The text, unless erased or redacted.
    pub text: Option<String>,
    /// When.
    pub sent_at: Timestamp,
}

/// A memory that is told: something that a person said to be remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The memory.
    pub memory: MemoryId,
    /// Whom it is about.
    pub home: MemoryHome,
    /// The channel where it was said.
    pub channel: ChannelId,
    /// Who said it.
    pub person: PersonId,
    /// Their name; `None` where it is unknown or erased, and for what was said on the command line.
    pub name: Option<String>,
    /// What they said.
    pub text: String,
    /// Whether a model that reads is to know it with every question.
    pub always: bool,
    /// When.
    pub said_at: Timestamp,
}

/// How much there is in a space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages.
    pub messages: u64,
    /// Cases, archived ones included.
    pub cases: u64,
    /// Solved cases, archived ones not included.
    pub solved: u64,
    /// Open cases.
    pub open: u64,
}

/// Reads the live generation of the projections.
///
/// Guarantees: no row of another space than the scope's is ever returned, by row
/// security of the store as well as by the query; the live generation is looked
/// up once per call.
#[async_trait]
pub trait CaseReader: Send + Sync {
    /// Cases that fit a query, at most `limit` per layer, best first.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn search(
        &self,
        scope: &Scope,
        readable: &Readable,
        query: &str,
        limit: u32,
    ) -> Result<Vec<CaseHit>, PortError>;

    /// These cases of a build, each with its layer, in any order. Those that are in
    /// none, or not in the space, are left out.
    ///
    /// # Errors
    /// `Broken` when there is no such build; `Unavailable` as the name says.
    async fn placed(
        &self,
        scope: &Scope,
        build: Generation,
        cases: &[CaseId],
    ) -> Result<Vec<(Case, Layer)>, PortError>;

    /// What answers with the words of these cases were worth, of each those with the words of this
    /// version or a later one; cases of whose answers nothing is known are left out.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn scores(
        &self,
        scope: &Scope,
        worded_in: &[(CaseId, i64)],
    ) -> Result<BTreeMap<CaseId, CaseScore>, PortError>;

    /// Evidence of a case with its texts, in the order of the case.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn evidence(&self, scope: &Scope, case: CaseId) -> Result<Vec<EvidenceLine>, PortError>;

    /// Cases of the space, solved ones with the most confirmations and the
    /// strongest signal first, at most `limit`.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn best(&self, scope: &Scope, limit: u32) -> Result<Vec<Case>, PortError>;

    /// Earlier questions whose answers worked or failed, those known last first; of those that were
    /// asked in these channels, were understood without the lines before them, and whose exchange is
    /// kept, or was archived because it failed: the last `limit`, and of the `limit` best patterns the
    /// last one each that worked, however long ago.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn precedents(
        &self,
        scope: &Scope,
        readable: &Readable,
        limit: u32,
    ) -> Result<Vec<Precedent>, PortError>;

    /// How far the live builds of outcomes and memories have read the log: while it is the same, [`precedents`](Self::precedents)
    /// and [`facts`](Self::facts) say the same, but for messages that were edited, deleted or erased since.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn read_to(&self) -> Result<String, PortError>;

    /// What is told of a person, or without one of the space, where these channels may be read: the newest
    /// first. Only the person is told what is about them.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn facts(
        &self,
        scope: &Scope,
        readable: &Readable,
        of: Option<PersonId>,
    ) -> Result<Vec<Fact>, PortError>;

    /// The configured channels of the space.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn configured(
        &self,
        scope: &Scope,
    ) -> Result<BTreeMap<ChannelId, ChannelSettings>, PortError>;

    /// How much there is in the space.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn counts(&self, scope: &Scope) -> Result<Counts, PortError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(name: &str) -> ChannelId {
        ChannelId::parse(&format!("irc:#{name}")).expect("a channel")
    }

    /// Channels with each audience, two of each.
    fn configured() -> BTreeMap<ChannelId, ChannelSettings> {
        let named = Audience::ALL
            .into_iter()
            .flat_map(|audience| [1, 2].map(|n| (format!("{}{n}", audience.name()), audience)));
        let settings = |audience| ChannelSettings {
            audience,
            ..ChannelSettings::default()
        };
        named
            .map(|(name, audience)| (channel(&name), settings(audience)))
            .collect()
    }

    fn readable_in(name: &str) -> Vec<String> {
        let readable = Readable::in_channel(&channel(name), &configured());
        let channels = readable.channels().expect("not all").iter();
        channels.map(|one| one.native()[1..].to_owned()).collect()
    }

    #[test]
    fn what_everybody_in_a_place_can_read_may_be_shown_there_and_nothing_else() {
        assert_eq!(readable_in("public1"), ["public1", "public2"]);
        let all_of_space = ["public1", "public2", "space1", "space2"];
        assert_eq!(readable_in("space1"), all_of_space);
        let own = ["members1", "public1", "public2", "space1", "space2"];
        assert_eq!(readable_in("members1"), own);
        // One that nobody configured is for its members.
        let unknown = ["public1", "public2", "space1", "space2", "unknown"];
        assert_eq!(readable_in("unknown"), unknown);
        assert_eq!(Readable::all().channels(), None);
    }

    /// A law: whatever is shown in a place, everybody there could read where it was said.
    #[test]
    fn nothing_is_shown_to_anybody_who_could_not_read_it() {
        // Who can read a channel: a stranger, a member of the space, a member of the channel.
        let can_read = |audience: Audience, reader: Audience| reader >= audience;
        for (here, own) in configured() {
            let readable = Readable::in_channel(&here, &configured());
            for there in readable.channels().expect("not all") {
                let audience = configured()[there].audience;
                for reader in Audience::ALL {
                    let is_here = can_read(own.audience, reader);
                    let is_member_there = audience == Audience::Members && *there != here;
                    assert!(!is_member_there, "{there} in {here}");
                    assert!(!is_here || can_read(audience, reader), "{there} in {here}");
                }
            }
        }
    }
}
