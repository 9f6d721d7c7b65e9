//! What pages and the HTTP API work with: the process, a space of it, and what can be changed there.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use threadlore_model::{
    Actor, Case, CaseId, ChannelId, EventId, MemoryId, MemoryTier, MessageId, Signal, SpaceId,
    Status,
};
use threadlore_node::{
    CaseChange, Host, Lesson, MemoryChange, Node, NotChanged, NotRemembered, worth_remembering,
};
use threadlore_ports::{Authority, Right, Scope};
use threadlore_store_postgres::{ChannelSummary, ListedMemory, ListedTurn, MemoryFilter, TurnName};

use crate::access::{Access, Visitor, runs_installation};
use crate::graph::{Graph, Graphs, Which};
use crate::imports::Uploads;
use crate::provider::Provider;
use crate::questions;
use crate::refused::Refused;
use crate::replays::Replays;
use crate::wording::text;
use crate::words::{DEFAULT_SPACE, MOST, worth_saying};

/// Time between two looks for what was asked of the log.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// So long is waited for what was asked of the log.
const PATIENCE: Duration = Duration::from_secs(10);

/// A process as its server sees it: nothing before it runs, and nothing once it stops.
#[derive(Clone, Default)]
pub(crate) struct Site {
    open: Arc<RwLock<Option<Open>>>,
    /// What a proxy with TLS serves it as, `host` or `host:port`; `None` where there is none.
    pub(crate) public: Option<Arc<str>>,
    graphs: Arc<Graphs>,
    pub(crate) uploads: Arc<Uploads>,
    pub(crate) replays: Arc<Replays>,
}

/// What is served.
#[derive(Clone)]
pub(crate) struct Open {
    pub(crate) host: Arc<Host>,
    pub(crate) access: Arc<Access>,
    /// Where people may sign in too.
    pub(crate) provider: Option<Arc<Provider>>,
}

impl Site {
    /// Nothing yet, behind a proxy that is known by this authority.
    pub(crate) fn behind(public: Option<&str>) -> Self {
        Self {
            public: public.map(Arc::from),
            ..Self::default()
        }
    }

    pub(crate) fn set(&self, to: Option<Open>) {
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = to;
    }

    pub(crate) fn known(&self) -> Option<Open> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.clone()
    }

    /// The process, while it runs.
    pub(crate) fn open(&self) -> Result<Open, Refused> {
        self.known().ok_or(Refused::NotYet)
    }

    /// The process, for who looks after the whole installation.
    pub(crate) fn installation(&self, visitor: &Visitor) -> Result<Open, Refused> {
        match runs_installation(&visitor.authority) {
            true => self.open(),
            false => Err(Refused::Forbidden(
                "This is about the whole installation: it needs the right `admin` in the space `system`.",
            )),
        }
    }

    /// A space of it, for whom it is shown to. Whoever has no right at all in a space learns nothing of
    /// it, not even that it is there.
    pub(crate) async fn enter(
        &self,
        visitor: &Visitor,
        name: &str,
        right: Right,
    ) -> Result<Visit, Refused> {
        let visit = self.begun(visitor, name, right)?;
        let (store, space) = (&visit.node().store, visit.space());
        let is_always = space.as_str() == DEFAULT_SPACE || *space == SpaceId::system();
        if !is_always && !store.has_space(&visit.scope).await? {
            return Err(no_space(name));
        }
        Ok(visit)
    }

    /// The same, of a space in which there may be nothing yet.
    pub(crate) fn begun(
        &self,
        visitor: &Visitor,
        name: &str,
        right: Right,
    ) -> Result<Visit, Refused> {
        let Visitor { by, authority } = visitor;
        let Open { host, .. } = self.open()?;
        let space = SpaceId::parse(name).map_err(|_| no_space(name))?;
        let may = |right: &Right| authority.authorise(&space, *right).is_ok();
        if !Right::ALL.iter().any(may) {
            return Err(no_space(name));
        }
        let Ok(scope) = authority.authorise(&space, right) else {
            return Err(Refused::Lacks(right));
        };
        Ok(Visit {
            host,
            scope,
            authority: authority.clone(),
            by: by.clone(),
            graphs: Arc::clone(&self.graphs),
            uploads: Arc::clone(&self.uploads),
        })
    }
}

fn no_space(name: &str) -> Refused {
    Refused::NotThere(text!("refused-no-space", name = name))
}

/// A look into a space.
pub(crate) struct Visit {
    host: Arc<Host>,
    pub(crate) scope: Scope,
    authority: Authority,
    /// Who looks, or asks for a change.
    pub(crate) by: Actor,
    graphs: Arc<Graphs>,
    /// The chats that people uploaded.
    pub(crate) uploads: Arc<Uploads>,
}

impl Visit {
    pub(crate) fn node(&self) -> &Node {
        &self.host.node
    }

    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    pub(crate) fn space(&self) -> &SpaceId {
        self.scope.space()
    }

    /// What who looks here may do anywhere.
    pub(crate) fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Whether rights here can be given to others: some, and only those that who gives them has.
    pub(crate) fn may_give(&self, rights: &[Right]) -> Result<(), Refused> {
        if rights.is_empty() {
            return Err(Refused::Bad(text!("refused-no-rights")));
        }
        let lacking = rights.iter().find(|right| !self.may(**right));
        lacking.map_or(Ok(()), |right| Err(Refused::Lacks(*right)))
    }

    /// Whether something may be done here.
    pub(crate) fn may(&self, right: Right) -> bool {
        self.authority.authorise(self.space(), right).is_ok()
    }

    /// Whether who looks here looks after the whole installation too.
    pub(crate) fn runs_installation(&self) -> bool {
        runs_installation(&self.authority)
    }

    /// What people ask about here.
    pub(crate) async fn graph(&self, which: Which<'_>) -> anyhow::Result<Graph> {
        self.graphs.graph(self.node(), &self.scope, which).await
    }

    /// Waits until what was asked of the log has happened: `None` where that takes longer.
    pub(crate) async fn until<T, F>(&self, look: impl Fn() -> F) -> Result<Option<T>, Refused>
    where
        F: Future<Output = Result<Option<T>, Refused>>,
    {
        let clock = &self.node().clock;
        let started = clock.now();
        loop {
            if let Some(found) = look().await? {
                return Ok(Some(found));
            }
            if clock.now().since(started) > PATIENCE {
                return Ok(None);
            }
            clock.sleep(LOOK_AGAIN).await;
        }
    }

    /// The case with an id.
    pub(crate) async fn case(&self, case: &str) -> Result<Case, Refused> {
        let unknown = || Refused::NotThere("There is no such case in this space.".to_owned());
        let id: CaseId = case.parse().map_err(|_| unknown())?;
        let found = self.node().store.case(&self.scope, id).await?;
        found.ok_or_else(unknown)
    }

    /// A case that somebody names in a form, by its id or its link.
    pub(crate) async fn other_case(&self, name: &str) -> Result<Case, Refused> {
        let id = name.trim().rsplit(['/', ':']).next().unwrap_or_default();
        self.case(id).await.map_err(|refused| match refused {
            Refused::NotThere(_) => Refused::Bad(
                "There is no such case in this space: name it by its link or its id.".to_owned(),
            ),
            other => other,
        })
    }

    /// The question with an id.
    pub(crate) async fn turn(&self, turn: &str) -> Result<ListedTurn, Refused> {
        let unknown = || Refused::NotThere("There is no such question in this space.".to_owned());
        let id: EventId = turn.parse().map_err(|_| unknown())?;
        let found = questions::find(self.node(), &self.scope, &TurnName::Turn(id)).await?;
        found.map(|(turn, _)| turn).ok_or_else(unknown)
    }

    /// A channel by its name; `None` for none.
    pub(crate) fn named_channel(name: &str) -> Result<Option<ChannelId>, Refused> {
        if name.is_empty() {
            return Ok(None);
        }
        let unknown = |_| Refused::NotThere(text!("refused-no-channel", name = name));
        Ok(Some(ChannelId::parse(name).map_err(unknown)?))
    }

    /// A channel in which something was said, or which is set up.
    pub(crate) async fn channel(&self, name: &str) -> Result<ChannelSummary, Refused> {
        let unknown = || Refused::NotThere(text!("refused-no-channel", name = name));
        let channel = ChannelId::parse(name).map_err(|_| unknown())?;
        let store = &self.node().store;
        let found = store.channels(&self.scope, Some(&channel)).await?;
        found.into_iter().next().ok_or_else(unknown)
    }

    /// A message, by its id.
    pub(crate) async fn message(&self, message: &str) -> Result<MessageId, Refused> {
        let unknown = || Refused::NotThere("There is no such message in this space.".to_owned());
        let id: MessageId = message.parse().map_err(|_| unknown())?;
        let kept = self.node().store.kept(&self.scope, &[id]).await?;
        kept.contains_key(&id).then_some(id).ok_or_else(unknown)
    }

    /// Gives a case another solution; the case afterwards, `None` where that takes longer.
    pub(crate) async fn correct(
        &self,
        case: &Case,
        solution: &str,
    ) -> Result<Option<Case>, Refused> {
        let solution = worth_saying(solution)?;
        if case.status() == Status::Erased {
            return Err(Refused::Bad(
                "This case is erased: its texts are gone for good, so there is nothing to correct."
                    .to_owned(),
            ));
        }
        let change = CaseChange::Solution(solution.clone(), None);
        let is_done = |case: &Case| {
            case.signal == Some(Signal::Admin) && case.solution.as_ref() == Some(&solution)
        };
        self.changed(case, change, is_done).await
    }

    /// Archives a case, so that no answer uses it any more; the case afterwards, `None` where that takes longer.
    pub(crate) async fn archive(&self, case: &Case) -> Result<Option<Case>, Refused> {
        let is_done = |case: &Case| case.archived_at.is_some();
        self.changed(case, CaseChange::Archive, is_done).await
    }

    /// Merges a case into another one; the case afterwards, `None` where that takes longer.
    pub(crate) async fn merge(&self, case: &Case, into: &Case) -> Result<Option<Case>, Refused> {
        let is_done = |case: &Case| case.merged_into == Some(into.case);
        if is_done(case) {
            return Ok(Some(case.clone()));
        }
        let change = CaseChange::merge(case, into)?;
        self.changed(case, change, is_done).await
    }

    /// Has a merged case stand by itself again; the case afterwards, `None` where that takes longer.
    pub(crate) async fn split(&self, case: &Case) -> Result<Option<Case>, Refused> {
        let is_done = |case: &Case| case.merged_into.is_none();
        self.changed(case, CaseChange::split(case)?, is_done).await
    }

    /// Erases a case; the case afterwards, `None` where that takes longer.
    pub(crate) async fn erase(&self, case: &Case) -> Result<Option<Case>, Refused> {
        let is_done = |case: &Case| case.status() == Status::Erased;
        self.changed(case, CaseChange::Erasure, is_done).await
    }

    async fn changed(
        &self,
        case: &Case,
        change: CaseChange,
        is_done: impl Fn(&Case) -> bool,
    ) -> Result<Option<Case>, Refused> {
        if is_done(case) {
            return Ok(Some(case.clone()));
        }
        self.node().request(case, change, &self.by).await?;
        let look = async || {
            let known = self.node().store.case(&self.scope, case.case).await?;
            Ok(known.filter(&is_done))
        };
        self.until(look).await
    }

    /// Gives a question the answer that memory had not. The same lesson because of the same is taken
    /// once. The id of the case that has it, and the case, `None` where that takes longer.
    pub(crate) async fn teach(
        &self,
        turn: &ListedTurn,
        solution: &str,
        because: String,
    ) -> Result<(CaseId, Option<Case>), Refused> {
        let solution = worth_saying(solution)?;
        let lesson = Lesson::of_turn(turn, solution, None, because);
        let Some(id) = self.node().teach(self.space(), &lesson, &self.by).await? else {
            return Err(Refused::Bad(
                "The words of this question are erased, so nobody can be told what it asked."
                    .to_owned(),
            ));
        };
        let look = async || {
            let known = self.node().store.case(&self.scope, id).await?;
            Ok(known.filter(|case| {
                case.signal == Some(Signal::Admin)
                    && case.solution.as_ref() == Some(&lesson.solution)
            }))
        };
        Ok((id, self.until(look).await?))
    }

    /// Has something remembered that everybody is told who can read a channel.
    pub(crate) async fn remember(
        &self,
        (text, always): (&str, bool),
        channel: &str,
    ) -> Result<Option<ListedMemory>, Refused> {
        let refused =
            |reason: NotRemembered| Refused::Bad(format!("It is not remembered: {reason}."));
        let text = worth_remembering(&worth_saying(text)?).map_err(refused)?;
        let node = self.node();
        let id = self.channel(channel).await?.channel;
        let memory = node
            .remember((self.space(), &id), (&text, always), &self.by)
            .await?;
        // The owner takes the same words once: then the list has them already.
        let look = async || {
            let of_bank = MemoryFilter {
                tier: Some(MemoryTier::MemoryBank),
                limit: MOST,
                ..MemoryFilter::default()
            };
            let (found, _) = node.memories(self.space(), of_bank).await?;
            let is_it =
                |one: &ListedMemory| one.memory == memory || one.text.as_ref() == Some(&text);
            Ok(found.into_iter().find(is_it))
        };
        self.until(look).await
    }

    /// Has everybody told something in other words, or a model know it with every question; the memory that
    /// has it from now on, `None` where that takes longer.
    pub(crate) async fn change_memory(
        &self,
        memory: &str,
        change: MemoryChange,
    ) -> Result<Option<ListedMemory>, Refused> {
        let memory = self.memory(memory).await?;
        let asked = self
            .node()
            .change_memory(self.space(), &memory, change, &self.by)
            .await;
        self.comes(asked).await
    }

    /// Has everybody told again what is told no more; the memory that has it from now on, `None` where that
    /// takes longer.
    pub(crate) async fn restore_memory(
        &self,
        memory: &str,
    ) -> Result<Option<ListedMemory>, Refused> {
        let memory = self.memory(memory).await?;
        let asked = self
            .node()
            .restore_memory(self.space(), &memory, &self.by)
            .await;
        self.comes(asked).await
    }

    /// A memory that was asked for, once it is there.
    async fn comes(
        &self,
        asked: anyhow::Result<MemoryId>,
    ) -> Result<Option<ListedMemory>, Refused> {
        let memory = asked.map_err(|error| match error.downcast_ref::<NotChanged>() {
            Some(reason) => Refused::Bad(format!("Nothing is changed: {reason}.")),
            None => error.into(),
        })?;
        self.until(async || self.find_memory(memory).await).await
    }

    async fn find_memory(&self, memory: MemoryId) -> Result<Option<ListedMemory>, Refused> {
        let filter = MemoryFilter {
            memory: Some(memory),
            limit: 1,
            ..MemoryFilter::default()
        };
        let (found, _) = self.node().memories(self.space(), filter).await?;
        Ok(found.into_iter().next())
    }

    /// A memory by its id, also one that is told no more.
    pub(crate) async fn memory(&self, memory: &str) -> Result<ListedMemory, Refused> {
        let unknown = || Refused::NotThere("Nothing is remembered under that id.".to_owned());
        let id: MemoryId = memory.parse().map_err(|_| unknown())?;
        self.find_memory(id).await?.ok_or_else(unknown)
    }

    /// Erases what somebody had remembered.
    pub(crate) async fn forget(&self, memory: &str) -> Result<Option<ListedMemory>, Refused> {
        let memory = self.memory(memory).await?;
        if memory.exchange.is_some() {
            return Err(Refused::Bad(
                "An exchange has no words of its own to forget: erase its case, or have its question deleted."
                    .to_owned(),
            ));
        }
        if memory.erased_at.is_some() {
            return Ok(Some(memory));
        }
        let node = self.node();
        node.forget_memory(self.space(), &memory, &self.by).await?;
        let id = memory.memory;
        let is_gone = async || {
            let found = self.find_memory(id).await?;
            Ok(found.filter(|one| one.erased_at.is_some()))
        };
        self.until(is_gone).await
    }
}
