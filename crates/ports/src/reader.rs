//! Reading cases, only inside a scope.

use std::time::Duration;

use async_trait::async_trait;
use threadlore_model::{Case, CaseId, ChannelId, MessageId, Part, PersonId, Status, Timestamp};

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
        channel: Option<&ChannelId>,
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

    /// Active admins of a channel; empty when it is not configured.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn admins(&self, scope: &Scope, channel: &ChannelId) -> Result<Vec<PersonId>, PortError>;

    /// How much there is in the space.
    ///
    /// # Errors
    /// `Unavailable` as the name says.
    async fn counts(&self, scope: &Scope) -> Result<Counts, PortError>;
}
