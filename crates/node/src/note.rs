//! What people say of themselves without telling the bot to remember it: a model finds it. And what goes
//! with a deleted message.

use threadlore_model::{Actor, MemoryHome, MemoryId, Mode, SpaceId};
use threadlore_ports::{CaseReader as _, PortError, Right};
use threadlore_roles::{NoteCall, UnsayCall, home_of};
use threadlore_telemetry::catalogue::STEP;

use crate::node::check_not_restoring;
use crate::outside::Outside;
use crate::remember::Wish;

impl Outside {
    /// Has forgotten what a deleted message told the bot to remember, if it told it that: it would be
    /// one of two memories, by whom it was about.
    pub(crate) async fn unsay(&self, space: &SpaceId, call: &UnsayCall) -> Result<(), PortError> {
        check_not_restoring(&self.store).await?;
        let scope = self.scope(space, Right::Admin)?;
        let because = call.message.to_string();
        let person = match call.person {
            Some(person) => Some(person),
            None => {
                let kept = self.store.kept(&scope, &[call.message]).await?;
                kept.get(&call.message).map(|message| message.person)
            }
        };
        // It may not be in the tables yet.
        let named = person.map_or(Vec::new(), |person| {
            let named = MemoryHome::ALL.map(|home| {
                let memory = MemoryId::of_request(&home.key(space, person), &because);
                (home, person, memory)
            });
            named.to_vec()
        });
        // And what was brought back, which has another id.
        let others = self.store.memories_of_message(&scope, call.message).await?;
        let others = others.into_iter().filter(|one| !named.contains(one));
        let all: Vec<_> = named.iter().copied().chain(others).collect();
        let Some((_, person, _)) = all.first() else {
            return Ok(());
        };
        let by = Actor::Person(*person);
        self.forget_memories(&scope, &all, &by).await
    }

    /// Has remembered what a model finds that a person says of themselves, where the bot may speak.
    pub(crate) async fn note(&self, space: &SpaceId, call: &NoteCall) -> Result<(), PortError> {
        let scope = self.scope(space, Right::Admin)?;
        let configured = self.store.configured(&scope).await?;
        let own = configured.get(&call.channel);
        let may_speak = own.is_some_and(|own| !own.admins.is_empty() && own.mode != Mode::Off);
        if !may_speak {
            return Ok(());
        }
        check_not_restoring(&self.store).await?;
        let retrieval = &self.memory.retrieval;
        let started = self.clock.now();
        let found = retrieval.facts_of_writer(space, &call.text).await;
        let seconds = self.clock.now().since(started).as_secs_f64();
        let result = if found.is_some() { "ok" } else { "degraded" };
        self.metrics.record(&STEP, &["note", result], seconds);
        let found = found.unwrap_or_default();
        let is_of_self = |text: &&String| home_of(text) == MemoryHome::Person;
        let of_self: Vec<&str> = found
            .iter()
            .filter(is_of_self)
            .map(String::as_str)
            .collect();
        if of_self.is_empty() {
            return Ok(());
        }
        let wish = Wish {
            home: MemoryHome::Person,
            channel: &call.channel,
            person: call.person,
            message: Some(call.message),
            text: &of_self.join("; "),
            always: false,
            replaces: None,
            because: call.message.to_string(),
        };
        let by = Actor::Person(call.person);
        // What seems to have a secret in it is not kept, and nobody is told.
        self.remember(space, wish, &by).await?.ok();
        Ok(())
    }
}
