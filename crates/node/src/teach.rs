//! The answer to a question that memory had none to: it becomes the solution of the case about it, or
//! of a new one.

use threadlore_language::retrieve::telling_words;
use threadlore_model::{
    Actor, Body, CaseId, ChannelId, CorrectionRequested, EventId, MessageId, Private, SpaceId,
};
use threadlore_ports::{PortError, Right, Scope};
use threadlore_roles::without_names;
use threadlore_store_postgres::ListedTurn;

use crate::node::Node;
use crate::outside::Outside;
use crate::requests::{CaseChange, asked};

/// The longest title, in characters.
const TITLE: usize = 100;
/// So many telling words make a question that can be understood without the lines before it.
const TELLING: usize = 2;

/// A question that is to have an answer.
#[derive(Debug, Clone)]
pub struct Lesson {
    /// Its channel.
    pub channel: ChannelId,
    /// The messages that ask it.
    pub messages: Vec<MessageId>,
    /// Earlier messages that it was read with.
    pub context: Vec<MessageId>,
    /// The answer.
    pub solution: String,
    /// The message of the same channel that says it, if one does.
    pub says: Option<MessageId>,
    /// What it follows from: the same lesson because of the same is published once.
    pub because: String,
}

impl Lesson {
    /// The answer to a turn.
    #[must_use]
    pub fn of_turn(
        turn: &ListedTurn,
        solution: String,
        says: Option<MessageId>,
        because: String,
    ) -> Self {
        Self {
            channel: turn.channel.clone(),
            messages: turn.messages.clone(),
            context: turn.context.iter().map(|(message, _)| *message).collect(),
            solution,
            says,
            because,
        }
    }
}

impl Node {
    /// Asks the owner of cases for one with this answer; `None` where the words of the question are
    /// not kept.
    ///
    /// # Errors
    /// The space is being restored; what log, tables and keystore say; the right is not granted.
    pub async fn teach(
        &self,
        space: &SpaceId,
        lesson: &Lesson,
        by: &Actor,
    ) -> anyhow::Result<Option<CaseId>> {
        let scope = self.scope(space, Right::Admin)?;
        self.check_not_restoring().await?;
        Ok(self.outside().teach(&scope, lesson, by).await?)
    }
}

impl Outside {
    /// See [`Node::teach`].
    pub(crate) async fn teach(
        &self,
        scope: &Scope,
        lesson: &Lesson,
        by: &Actor,
    ) -> Result<Option<CaseId>, PortError> {
        let (space, now) = (scope.space(), self.clock.now());
        let all: Vec<MessageId> = lesson
            .context
            .iter()
            .chain(&lesson.messages)
            .copied()
            .collect();
        let kept = self.store.kept(scope, &all).await?;
        // What the bot said asks nothing.
        let text = |messages: &[MessageId]| {
            let lines = messages.iter().filter_map(|id| kept.get(id));
            let lines = lines.filter(|line| !line.bot);
            let lines = lines.filter_map(|line| line.text.as_deref());
            let lines = lines.map(|line| without_names(line, &self.names));
            lines.collect::<Vec<String>>().join("\n").trim().to_owned()
        };
        let own = text(&lesson.messages);
        // "@lore thoughts?" is about the lines before it.
        let is_whole = lesson.context.is_empty() || telling_words(&own).count() >= TELLING;
        let (messages, problem) = match is_whole {
            true => (lesson.messages.clone(), own),
            false => {
                let people = all
                    .iter()
                    .filter(|id| kept.get(id).is_some_and(|one| !one.bot));
                (people.copied().collect(), text(&all))
            }
        };
        if problem.is_empty() {
            return Ok(None);
        }
        let known = match self.store.case_about(scope, &messages).await? {
            Some(case) => self.store.case(scope, case).await?,
            None => None,
        };
        let known = known.filter(|case| case.channel == lesson.channel);
        let (case, request): (CaseId, Body) = match &known {
            Some(case) => {
                let change = CaseChange::Solution(lesson.solution.clone(), lesson.says);
                (case.case, asked(case, change, now))
            }
            None => {
                let ids: Vec<String> = messages.iter().map(ToString::to_string).collect();
                let about: Vec<&str> = ids.iter().map(String::as_str).collect();
                let case = CaseId::from_uuid(EventId::of_content("taught", &about).as_uuid());
                let title = problem.lines().next().unwrap_or_default();
                let request = CorrectionRequested {
                    case,
                    channel: lesson.channel.clone(),
                    title: Private::open(title.chars().take(TITLE).collect::<String>()),
                    problem: Private::open(problem),
                    solution: Private::open(lesson.solution.clone()),
                    tags: Vec::new(),
                    message: lesson.says,
                    asked: messages,
                    now,
                };
                (case, request.into())
            }
        };
        let request = (request, lesson.because.clone());
        self.request(space, vec![request], (now, Some(by))).await?;
        Ok(Some(case))
    }
}
