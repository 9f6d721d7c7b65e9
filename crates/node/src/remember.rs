//! What the system is told to remember: from a room, and from the command line.

use std::cmp::Reverse;

use anyhow::Context as _;
use threadlore_language::wording::{Phrase, Voice};
use threadlore_language::{Secret, secret};
use threadlore_model::{
    Actor, Body, ChannelId, MemoryArchiveReason, MemoryErasureRequested, MemoryHome, MemoryId,
    MemoryRequested, MemoryTier, MessageId, PersonId, Private, SpaceId, WithdrawalReason,
    WithdrawalRequested,
};
use threadlore_ports::{CaseReader as _, Fact, PortError, Readable, Right, Scope};
use threadlore_retrieval::{CONSOLE, alike, day_of};
use threadlore_roles::{SteerCall, home_of};
use threadlore_store_postgres::{ListedMemory, MemoryFilter};

use crate::node::{Node, check_not_restoring};
use crate::outside::Outside;
use crate::steer::DAY;

/// The longest text that is remembered, in characters.
const LONGEST: usize = 500;
/// Memories that are compared with new words: the thousand of a space at most, and as many of persons.
const TOLD: u32 = 2000;
/// Memories that a room is shown at most.
const SHOWN: usize = 10;
/// The name under which memories are said on the command line.
const OPERATOR: &str = "operator";

/// Why something is not remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotRemembered {
    /// There are no words in it.
    #[error("there are no words in that")]
    Empty,
    /// It is too long.
    #[error("that is too long to remember: {LONGEST} characters at most")]
    Long,
    /// It has a secret.
    #[error("that seems to have {} in it, and I keep no secrets: what I am told I tell again", .0.name())]
    Secret(Secret),
}

impl NotRemembered {
    /// The same, as a room is told.
    fn said(self, voice: Voice<'_>) -> String {
        match self {
            Self::Empty => voice.say(Phrase::RememberEmpty {}),
            Self::Long => {
                let most = LONGEST.to_string();
                voice.say(Phrase::RememberLong { most: &most })
            }
            Self::Secret(Secret::Card) => voice.say(Phrase::RememberCard {}),
            Self::Secret(Secret::Key) => voice.say(Phrase::RememberKey {}),
        }
    }
}

/// A text as it is remembered.
///
/// # Errors
/// Why it is not.
pub fn worth_remembering(text: &str) -> Result<String, NotRemembered> {
    let kept = text.chars().filter(|c| *c == '\n' || !c.is_control());
    let kept: String = kept.take(LONGEST + 1).collect();
    if kept.chars().count() > LONGEST {
        return Err(NotRemembered::Long);
    }
    match secret(&kept) {
        Some(secret) => Err(NotRemembered::Secret(secret)),
        None if kept.trim().is_empty() => Err(NotRemembered::Empty),
        None => Ok(kept.trim().to_owned()),
    }
}

/// What somebody says to be remembered.
pub(crate) struct Wish<'a> {
    pub(crate) home: MemoryHome,
    pub(crate) channel: &'a ChannelId,
    pub(crate) person: PersonId,
    pub(crate) message: Option<MessageId>,
    pub(crate) text: &'a str,
    /// Whether a model that reads is to know it with every question.
    pub(crate) always: bool,
    /// The memory in whose place it comes.
    pub(crate) replaces: Option<MemoryId>,
    /// What it follows from: the same because of the same is remembered once.
    pub(crate) because: String,
}

/// What is to become of a memory that everybody is told. What is not said stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryChange {
    /// It is told in these words from now on.
    pub text: Option<String>,
    /// Whether a model that reads is to know it with every question.
    pub always: Option<bool>,
}

/// Why a memory is not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotChanged {
    /// It is an exchange.
    #[error("it is an exchange, which has no words of its own: correct its case")]
    Exchange,
    /// A person said it of themselves.
    #[error("somebody said that of themselves, and only they say it otherwise")]
    Theirs,
    /// It is erased.
    #[error("it is erased: its words are gone for good")]
    Erased,
    /// It is told no more.
    #[error("it is told no more: bring it back first")]
    Archived,
    /// It is told.
    #[error("it is told, so there is nothing to bring back")]
    Told,
    /// Another one has the same words.
    #[error("another memory says exactly that: forget one of the two")]
    Known,
    /// Its words are none to remember.
    #[error(transparent)]
    Words(#[from] NotRemembered),
}

/// What everybody is told, and who said it, of a memory that may be changed.
fn said_to_all(memory: &ListedMemory) -> Result<(PersonId, &str), NotChanged> {
    let person = match (memory.home, memory.person) {
        (Some(MemoryHome::Bank), Some(person)) => person,
        (Some(MemoryHome::Person), _) => return Err(NotChanged::Theirs),
        _ => return Err(NotChanged::Exchange),
    };
    let text = memory
        .text
        .as_deref()
        .filter(|_| memory.erased_at.is_none());
    Ok((person, text.ok_or(NotChanged::Erased)?))
}

impl Node {
    /// Has something remembered that everybody is told who can read a channel.
    ///
    /// # Errors
    /// It is too long, or a secret; the space is being restored; what log and keystore say; the right is
    /// not granted.
    pub async fn remember(
        &self,
        (space, channel): (&SpaceId, &ChannelId),
        (text, always): (&str, bool),
        by: &Actor,
    ) -> anyhow::Result<MemoryId> {
        self.scope(space, Right::Admin)?;
        self.check_not_restoring().await?;
        let now = self.clock.now();
        let wish = Wish {
            home: MemoryHome::Bank,
            channel,
            person: self.hasher.person(space, CONSOLE, OPERATOR),
            message: None,
            text,
            always,
            replaces: None,
            because: now.as_millis().to_string(),
        };
        let remembered = self.outside().remember(space, wish, by).await?;
        Ok(remembered?)
    }

    /// Asks for other words of a memory, or for who is to know it: another memory comes in its place, which
    /// is returned. The words are no message's any more where they are others.
    ///
    /// # Errors
    /// [`NotChanged`] where it is none that may be changed, or the words are none to remember; the space is being restored; what log and keystore say; the right is not granted.
    pub async fn change_memory(
        &self,
        space: &SpaceId,
        memory: &ListedMemory,
        change: MemoryChange,
        by: &Actor,
    ) -> anyhow::Result<MemoryId> {
        self.scope(space, Right::Admin)?;
        self.check_not_restoring().await?;
        let (person, text) = said_to_all(memory)?;
        // A form sends the words that it was given with the line ends of browsers.
        let other = change.text.map(|other| other.replace("\r\n", "\n"));
        let other = other.filter(|other| other.trim() != text);
        if memory.archived.is_some() {
            return Err(NotChanged::Archived.into());
        }
        if let Some(other) = &other {
            let words = worth_remembering(other).map_err(NotChanged::from)?;
            self.check_is_new(space, &words, memory.memory).await?;
        }
        let wish = Wish {
            home: MemoryHome::Bank,
            channel: &memory.channel,
            person,
            message: memory.message.filter(|_| other.is_none()),
            text: other.as_deref().unwrap_or(text),
            always: change.always.unwrap_or(memory.always),
            replaces: Some(memory.memory),
            because: format!("{} {}", memory.memory, self.clock.now().as_millis()),
        };
        let asked = self.outside().remember(space, wish, by).await?;
        Ok(asked.map_err(NotChanged::from)?)
    }

    /// Asks that a memory which is told no more is told again, in the place of what came in its own; returns
    /// the memory that it becomes.
    ///
    /// # Errors
    /// As [`Node::change_memory`].
    pub async fn restore_memory(
        &self,
        space: &SpaceId,
        memory: &ListedMemory,
        by: &Actor,
    ) -> anyhow::Result<MemoryId> {
        self.check_not_restoring().await?;
        let (person, text) = said_to_all(memory)?;
        if memory.archived.is_none() {
            return Err(NotChanged::Told.into());
        }
        let mut replaces = memory.clone();
        while let (Some((_, MemoryArchiveReason::Replaced)), Some(next)) =
            (replaces.archived, replaces.archived_by)
        {
            let filter = MemoryFilter {
                memory: Some(next),
                limit: 1,
                ..MemoryFilter::default()
            };
            let Some(next) = self.memories(space, filter).await?.0.pop() else {
                break;
            };
            replaces = next;
        }
        self.check_is_new(space, text, replaces.memory).await?;
        let wish = Wish {
            home: MemoryHome::Bank,
            channel: &memory.channel,
            person,
            message: memory.message,
            text,
            always: memory.always,
            replaces: Some(replaces.memory).filter(|other| *other != memory.memory),
            because: format!("{} {}", memory.memory, self.clock.now().as_millis()),
        };
        let asked = self.outside().remember(space, wish, by).await?;
        Ok(asked.map_err(NotChanged::from)?)
    }

    /// Refuses words that another memory already has, except the one that is replaced: the promoter would drop the
    /// request as a repeat, and nothing would happen.
    async fn check_is_new(
        &self,
        space: &SpaceId,
        words: &str,
        replaces: MemoryId,
    ) -> anyhow::Result<()> {
        let told = MemoryFilter {
            tier: Some(MemoryTier::MemoryBank),
            limit: TOLD,
            ..MemoryFilter::default()
        };
        let (told, _) = self.memories(space, told).await?;
        let is_same = |one: &ListedMemory| {
            let is_told = one.home == Some(MemoryHome::Bank) && one.memory != replaces;
            is_told && one.text.as_deref() == Some(words)
        };
        match told.iter().any(is_same) {
            true => Err(NotChanged::Known.into()),
            false => Ok(()),
        }
    }

    /// Memories of a space, first what somebody said, the newest first, then the exchanges of which most
    /// answers worked, and how many there are in all.
    ///
    /// # Errors
    /// The database cannot be reached; the right is not granted.
    pub async fn memories(
        &self,
        space: &SpaceId,
        filter: MemoryFilter<'_>,
    ) -> anyhow::Result<(Vec<ListedMemory>, u64)> {
        let scope = self.scope(space, Right::Admin)?;
        Ok(self.store.memories(&scope, filter).await?)
    }

    /// Asks for the erasure of a memory that somebody said, and takes the answers back that quote it.
    ///
    /// # Errors
    /// It is an exchange; the space is being restored; what log, tables and keystore say; the right is not granted.
    pub async fn forget_memory(
        &self,
        space: &SpaceId,
        memory: &ListedMemory,
        by: &Actor,
    ) -> anyhow::Result<()> {
        let scope = self.scope(space, Right::Admin)?;
        self.check_not_restoring().await?;
        let said = memory.home.zip(memory.person);
        let (home, person) = said.context("an exchange has no words of its own to forget")?;
        let named = (home, person, memory.memory);
        let outside = self.outside();
        Ok(outside.forget_memories(&scope, &[named], by).await?)
    }
}

impl Outside {
    /// Asks the owner of memories for one.
    pub(crate) async fn remember(
        &self,
        space: &SpaceId,
        wish: Wish<'_>,
        by: &Actor,
    ) -> Result<Result<MemoryId, NotRemembered>, PortError> {
        let text = match worth_remembering(wish.text) {
            Ok(text) => text,
            Err(reason) => return Ok(Err(reason)),
        };
        let now = self.clock.now();
        let home = wish.home.key(space, wish.person);
        let memory = MemoryId::of_request(&home, &wish.because);
        let request = MemoryRequested {
            memory,
            home: wish.home,
            channel: wish.channel.clone(),
            person: wish.person,
            message: wish.message,
            text: Private::open(text),
            always: wish.always,
            replaces: wish.replaces,
            now,
        };
        let request = (Body::from(request), wish.because);
        self.request(space, vec![request], (now, Some(by))).await?;
        Ok(Ok(memory))
    }

    /// Asks for the erasure of memories, and takes the answers back that quote them.
    pub(crate) async fn forget_memories(
        &self,
        scope: &Scope,
        memories: &[(MemoryHome, PersonId, MemoryId)],
        by: &Actor,
    ) -> Result<(), PortError> {
        let now = self.clock.now();
        let erasures = memories.iter().map(|(home, person, memory)| {
            let erasure = MemoryErasureRequested {
                home: *home,
                person: *person,
                memory: Some(*memory),
                now,
            };
            (Body::from(erasure), memory.to_string())
        });
        let ids: Vec<MemoryId> = memories.iter().map(|(.., memory)| *memory).collect();
        let answers = self.store.answers_quoting(scope, &ids, now.minus(DAY));
        let withdrawals = answers.await?.into_iter().map(|(channel, answer)| {
            let withdrawal = WithdrawalRequested {
                channel,
                answer,
                reason: WithdrawalReason::MemoryErased,
                now,
            };
            (withdrawal.into(), answer.to_string())
        });
        let requests = erasures.chain(withdrawals).collect();
        self.request(scope.space(), requests, (now, Some(by))).await
    }

    /// What is remembered where it is asked, of the person who asks and of the space.
    async fn facts(&self, scope: &Scope, call: &SteerCall) -> Result<Vec<Fact>, PortError> {
        let readable = match call.channel.platform() {
            CONSOLE => Readable::all(),
            _ => Readable::in_channel(&call.channel, &self.store.configured(scope).await?),
        };
        let mut facts = self
            .store
            .facts(scope, &readable, Some(call.person))
            .await?;
        facts.extend(self.store.facts(scope, &readable, None).await?);
        facts.sort_by_key(|fact| (Reverse(fact.said_at), fact.memory));
        Ok(facts)
    }

    /// Has remembered what was said in a room, and says so, or why not.
    pub(crate) async fn remember_said(
        &self,
        scope: &Scope,
        (call, text): (&SteerCall, &str),
        is_admin: bool,
    ) -> Result<Result<String, String>, PortError> {
        let voice = self.voice(scope.space(), call);
        let home = home_of(text);
        if home == MemoryHome::Bank && !is_admin {
            return Ok(Err(voice.say(Phrase::RememberAdmin {})));
        }
        check_not_restoring(&self.store).await?;
        let wish = Wish {
            home,
            channel: &call.channel,
            person: call.person,
            message: Some(call.message),
            text,
            always: false,
            replaces: None,
            because: call.message.to_string(),
        };
        let by = Actor::Person(call.person);
        let remembered = self.remember(scope.space(), wish, &by).await?;
        Ok(match (remembered, home) {
            (Ok(_), MemoryHome::Person) => Ok(voice.say(Phrase::RememberedYours {})),
            (Ok(_), MemoryHome::Bank) => Ok(voice.say(Phrase::RememberedAll {})),
            (Err(reason), _) => Err(reason.said(voice)),
        })
    }

    /// What is remembered, as a room is told.
    pub(crate) async fn tell(
        &self,
        scope: &Scope,
        call: &SteerCall,
        home: MemoryHome,
    ) -> Result<String, PortError> {
        let voice = self.voice(scope.space(), call);
        let facts = self.facts(scope, call).await?;
        let of_home: Vec<&Fact> = facts.iter().filter(|fact| fact.home == home).collect();
        if of_home.is_empty() {
            return Ok(voice.say(match home {
                MemoryHome::Person => Phrase::NothingOfYou {},
                MemoryHome::Bank => Phrase::NothingOfAll {},
            }));
        }
        let line = |fact: &&Fact| {
            format!(
                "- {} ({})",
                fact.text.replace('\n', " "),
                day_of(fact.said_at)
            )
        };
        let lines: Vec<String> = of_home.iter().take(SHOWN).map(line).collect();
        let more = match of_home.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => {
                let count = more.to_string();
                format!("\n{}", voice.say(Phrase::More { count: &count }))
            }
        };
        let head = voice.say(match home {
            MemoryHome::Person => Phrase::YouToldAll {},
            MemoryHome::Bank => Phrase::WasToldAll {},
        });
        let foot = voice.say(Phrase::HowToForget {});
        Ok(format!("{head}\n{}{more}\n\n{foot}", lines.join("\n")))
    }

    /// Has forgotten what was said in nearly these words, or what an answer tells.
    pub(crate) async fn forget_fact(
        &self,
        scope: &Scope,
        (call, text): (&SteerCall, Option<&str>),
        is_admin: bool,
    ) -> Result<Result<String, String>, PortError> {
        check_not_restoring(&self.store).await?;
        let voice = self.voice(scope.space(), call);
        let facts = self.facts(scope, call).await?;
        let found = match text {
            None => facts.iter().find(|fact| Some(fact.memory) == call.memory),
            Some(text) => alike(&facts, text),
        };
        let Some(fact) = found else {
            return Ok(Err(voice.say(match text {
                None => Phrase::ForgottenBefore {},
                Some(_) => Phrase::NothingLikeIt {},
            })));
        };
        let is_own = fact.person == call.person;
        if fact.home == MemoryHome::Bank && !is_own && !is_admin {
            return Ok(Err(voice.say(Phrase::ForgetAdmin {})));
        }
        let named = (fact.home, fact.person, fact.memory);
        let by = Actor::Person(call.person);
        self.forget_memories(scope, &[named], &by).await?;
        Ok(Ok(voice.say(Phrase::ForgottenFact {})))
    }
}

#[cfg(test)]
mod tests;
