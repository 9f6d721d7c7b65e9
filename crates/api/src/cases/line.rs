//! The messages that a case comes from, with the reactions on them.

use serde::Serialize;
use threadlore_model::{Case, CaseId, MessageId, Part, PersonId};
use threadlore_node::Node;
use threadlore_ports::Scope;
use threadlore_store_postgres::CaseLine;
use utoipa::ToSchema;

/// A message of a case.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = CaseLine)]
pub struct Line {
    /// Its part in the case.
    #[schema(value_type = String)]
    pub part: Part,
    /// When; null until its post has arrived.
    pub at: Option<String>,
    /// The writer's name; null when erased.
    pub name: Option<String>,
    /// The text; null when erased or redacted.
    pub text: Option<String>,
    /// The message.
    #[schema(value_type = String)]
    pub message: MessageId,
    /// The id that the platform gave it; null until its post has arrived.
    pub native_id: Option<String>,
    /// Who wrote it.
    #[schema(value_type = Option<String>)]
    pub person: Option<PersonId>,
    /// The message that it replies to, where the platform says so.
    #[schema(value_type = Option<String>)]
    pub reply_to: Option<MessageId>,
    /// The reactions on it that stand.
    pub reactions: Vec<Reaction>,
    /// The case merged into this one that brought the message; null for its own.
    #[schema(value_type = Option<String>)]
    pub merged_from: Option<CaseId>,
}

/// A reaction on a message.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Reaction {
    /// With what.
    pub emoji: String,
    /// Who.
    #[schema(value_type = String)]
    pub person: PersonId,
    /// The name, where the person wrote in the conversation.
    pub name: Option<String>,
    /// When.
    pub at: String,
}

/// The messages of a case and of those merged into it.
pub(crate) async fn lines(node: &Node, scope: &Scope, case: &Case) -> anyhow::Result<Vec<Line>> {
    let lines = node.store.lines_of(scope, case.case).await?;
    let ids: Vec<MessageId> = lines.iter().map(|line| line.message).collect();
    let reactions = node.store.reactions_on(scope, &ids).await?;
    let name_of = |person| name_of(&lines, person);
    let on = |message: MessageId| {
        let reactions = reactions.iter().filter(move |one| one.message == message);
        let reactions = reactions.map(|one| Reaction {
            emoji: one.emoji.clone(),
            person: one.person,
            name: name_of(one.person),
            at: one.at.to_string(),
        });
        reactions.collect()
    };
    let line = |line: &CaseLine| Line {
        part: line.part,
        at: line.sent_at.map(|at| at.to_string()),
        name: line.name.clone(),
        text: line.text.clone(),
        message: line.message,
        native_id: line.native_id.clone(),
        person: line.person,
        reply_to: line.reply_to,
        reactions: on(line.message),
        merged_from: (line.case != case.case).then_some(line.case),
    };
    Ok(lines.iter().map(line).collect())
}

fn name_of(lines: &[CaseLine], person: PersonId) -> Option<String> {
    let of_person = lines.iter().filter(|line| line.person == Some(person));
    of_person.filter_map(|line| line.name.clone()).next_back()
}

/// The name of a person who wrote in a conversation; others have none here.
pub(super) fn named(lines: &[Line], person: PersonId) -> Option<&str> {
    let of_person = lines.iter().filter(|line| line.person == Some(person));
    of_person
        .filter_map(|line| line.name.as_deref())
        .next_back()
}

impl Line {
    /// The line for people, without its part.
    #[must_use]
    pub fn shown(&self) -> String {
        let at = self.at.as_deref().unwrap_or("(not arrived yet)");
        let name = self.name.as_deref().unwrap_or("somebody");
        let text = self.text.as_deref().unwrap_or("(erased)");
        let reactions = self.reactions.iter().map(|one| {
            let name = one.name.as_deref().unwrap_or("somebody");
            format!("  [{} {name}]", one.emoji)
        });
        let reactions: String = reactions.collect();
        let text = text.lines().collect::<Vec<_>>().join("\n      ");
        format!("{at} <{name}> {text}{reactions}")
    }

    /// The part for people.
    #[must_use]
    pub const fn part_shown(&self) -> &'static str {
        part_shown(self.part)
    }
}

/// A part for people.
pub(crate) const fn part_shown(part: Part) -> &'static str {
    match part {
        Part::Problem => "problem",
        Part::Solution => "solution",
        Part::Suggestion => "suggestion",
        Part::Context => "context",
    }
}
