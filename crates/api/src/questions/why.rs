//! What became of a question, step by step, as its events and tables say it.

use std::collections::BTreeMap;
use utoipa::ToSchema;

use serde::Serialize;
use serde_json::Value;
use threadlore_model::{Body, CaseId, MessageId, Topic};
use threadlore_node::Node;
use threadlore_ports::Scope;
use threadlore_store_postgres::{KeptMessage, ListedDelivery, ListedTurn};
use uuid::Uuid;

/// Why a question was answered so.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QuestionWhy)]
pub struct Why {
    /// The event that closed its turn.
    pub turn: String,
    /// Where it was asked.
    pub channel: String,
    /// Its messages.
    pub lines: Vec<Line>,
    /// What became of it, such as `answered`.
    pub outcome: &'static str,
    /// The reason in one sentence.
    pub because: &'static str,
    /// What the gate saw; null where it was not asked.
    pub gate: Option<&'static str>,
    /// The answer that its writer had a short time before to the same question.
    pub asks_again: Option<String>,
    /// Earlier messages that the question was read with.
    pub context: Vec<Context>,
    /// How cases were searched and chosen; null where nothing was, and when erased.
    #[schema(value_type = Option<Object>)]
    pub search: Option<Value>,
    /// The titles of the cases that were found, by their ids; those that are erased have none.
    pub titles: BTreeMap<String, String>,
    /// What was answered; null for silence.
    pub answer: Option<Answer>,
    /// What the log says of it: each event with the place of its record.
    pub events: Vec<Happened>,
    /// Channel time of it.
    pub at: String,
}

/// A message.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QuestionLine)]
pub struct Line {
    /// When it was sent; null where it is not kept.
    pub at: Option<String>,
    /// Who wrote it; null when erased.
    pub name: Option<String>,
    /// What it says; null when erased.
    pub text: Option<String>,
}

/// An earlier message that a question was read with.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QuestionContext)]
pub struct Context {
    /// Why it was chosen, such as `anchor` or `near`.
    pub reason: String,
    /// The message.
    #[serde(flatten)]
    pub line: Line,
}

/// An answer, as it was composed, sent and rated.
#[derive(Debug, Serialize, ToSchema)]
pub struct Answer {
    /// Its id.
    pub answer: String,
    /// What composed it, with its version.
    pub composer: String,
    /// Null when erased.
    pub text: Option<String>,
    /// The link of the case that it rests on or points at.
    pub case: Option<String>,
    /// The same case.
    #[serde(skip)]
    pub case_id: Option<CaseId>,
    /// The memory that it quotes.
    pub memory: Option<String>,
    /// What gateways did with it.
    pub deliveries: Vec<Delivery>,
    /// Why it was taken back; null where it stands.
    pub withdrawn: Option<&'static str>,
    /// What it was worth, such as `worked`; null where nothing is known of it.
    pub outcome: Option<&'static str>,
    /// Why, in one sentence.
    pub because: Option<&'static str>,
    /// How many people say that it helped.
    pub helped: u64,
    /// How many people say that it failed.
    pub failed: u64,
}

/// What a gateway did with an answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct Delivery {
    /// `post` or `withdraw`.
    pub action: String,
    /// The gateway.
    pub gateway: String,
    /// `delivered` or `failed`; null while it is under way.
    pub result: Option<String>,
    /// Why it failed.
    pub reason: Option<String>,
    /// When it had its result.
    pub at: Option<String>,
}

/// An event of the log.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LogEvent)]
pub struct Happened {
    /// Its type.
    pub event: &'static str,
    /// Its id.
    pub id: String,
    /// Topic, partition and offset of its record.
    pub record: String,
    /// The record that it followed from.
    pub decided_on: Option<String>,
    /// Channel time of it.
    pub at: String,
}

/// Why this was answered so.
///
/// # Errors
/// What log, tables and keystore say.
pub async fn why(node: &Node, scope: &Scope, turn: &ListedTurn) -> anyhow::Result<Why> {
    let context = turn.context.iter().map(|(message, _)| *message);
    let messages: Vec<MessageId> = turn.messages.iter().copied().chain(context).collect();
    let kept = node.store.kept(scope, &messages).await?;
    let answer = turn.answer.as_ref().map(|(answer, _)| *answer);
    let channel = (scope.space(), &turn.channel);
    let ids: Vec<Uuid> = [turn.turn.as_uuid()]
        .into_iter()
        .chain(answer.map(|answer| answer.as_uuid()))
        .collect();
    let events_of = node.events_about(Topic::Answers, channel, &ids, |event| match &event.body {
        Body::TurnConsidered(considered) => considered.turn == turn.turn,
        Body::AnswerComposed(composed) => composed.turn == turn.turn,
        Body::AnswerRated(rated) => rated.turn == turn.turn,
        Body::AnswerWithdrawn(withdrawn) => Some(withdrawn.answer) == answer,
        _ => false,
    });
    let outcomes = node.events_about(Topic::Outcomes, channel, &ids, |event| match &event.body {
        Body::OutcomeRecorded(recorded) => Some(recorded.answer) == answer,
        _ => false,
    });
    let (mut events, outcomes) = (events_of.await?, outcomes.await?);
    events.extend(outcomes);
    let (mut search, mut text, mut memory, mut withdrawn) = (None, None, None, None);
    let (mut asks_again, mut worth) = (None, None);
    for (event, _) in &events {
        match &event.body {
            Body::TurnConsidered(considered) => {
                asks_again = considered.asks_again.map(|answer| answer.to_string());
                let record = considered.record.as_ref().and_then(|record| record.text());
                search = record.and_then(|record| serde_json::from_str(record).ok());
            }
            Body::AnswerComposed(composed) => {
                text = composed.text.text().map(str::to_owned);
                memory = composed.memory.map(|memory| memory.to_string());
            }
            Body::AnswerWithdrawn(one) => withdrawn = Some(one.reason.sentence()),
            Body::OutcomeRecorded(one) => worth = Some((one.outcome.name(), one.source.sentence())),
            _ => {}
        }
    }
    let cases: Vec<CaseId> = candidates(search.as_ref())
        .iter()
        .filter_map(case_of)
        .collect();
    let cases = node.store.cases_of(scope, &cases).await?;
    let titles = cases.into_iter();
    let titles = titles.filter_map(|case| Some((case.case.to_string(), case.title?)));
    let titles: BTreeMap<String, String> = titles.collect();
    let deliveries = match answer {
        Some(answer) => node.store.deliveries_of(scope, answer).await?,
        None => Vec::new(),
    };
    let answer = turn.answer.as_ref().map(|(answer, composer)| Answer {
        answer: answer.to_string(),
        composer: composer.clone(),
        text,
        case: turn.case.map(|case| node.link(case)),
        case_id: turn.case,
        memory,
        deliveries: deliveries.into_iter().map(Delivery::of).collect(),
        withdrawn,
        outcome: worth.map(|(outcome, _)| outcome),
        because: worth.map(|(_, because)| because),
        helped: turn.rated.0,
        failed: turn.rated.1,
    });
    let line = |message: &MessageId| Line::of(kept.get(message));
    let context = turn.context.iter().map(|(message, reason)| Context {
        reason: reason.clone(),
        line: line(message),
    });
    let happened = events.iter().map(|(event, record)| Happened {
        event: event.body.type_name(),
        id: event.envelope.id.to_string(),
        record: record.clone(),
        decided_on: (event.envelope.cause.as_ref())
            .map(|cause| format!("{}/{}", cause.at, cause.offset)),
        at: event.envelope.time.to_string(),
    });
    Ok(Why {
        turn: turn.turn.to_string(),
        channel: turn.channel.to_string(),
        lines: turn.messages.iter().map(line).collect(),
        outcome: turn.outcome.name(),
        because: turn.outcome.sentence(),
        gate: turn.tag.map(|tag| tag.name()),
        asks_again,
        context: context.collect(),
        search,
        titles,
        answer,
        events: happened.collect(),
        at: turn.at.to_string(),
    })
}

/// The cases of the record of a search.
#[must_use]
pub fn candidates(search: Option<&Value>) -> &[Value] {
    let found = search.and_then(|search| search["found"].as_array());
    found.map_or(&[], Vec::as_slice)
}

/// The case of a candidate.
#[must_use]
pub fn case_of(found: &Value) -> Option<CaseId> {
    found["case"].as_str()?.parse().ok()
}

impl Line {
    fn of(kept: Option<&KeptMessage>) -> Self {
        Self {
            at: kept.map(|line| line.sent_at.to_string()),
            name: kept.and_then(|line| line.name.clone()),
            text: kept.and_then(|line| line.text.clone()),
        }
    }

    /// The line for people.
    #[must_use]
    pub fn shown(&self) -> String {
        let at = self.at.as_deref().unwrap_or("(not kept)");
        let name = self.name.as_deref().unwrap_or("somebody");
        let text = self.text.as_deref().unwrap_or("(erased)");
        format!(
            "{at} <{name}> {}",
            text.lines().collect::<Vec<_>>().join("\n      ")
        )
    }
}

impl Delivery {
    fn of(listed: ListedDelivery) -> Self {
        let ListedDelivery {
            action,
            gateway,
            result,
            reason,
            ended_at,
        } = listed;
        Self {
            action,
            gateway,
            result,
            reason,
            at: ended_at.map(|at| at.to_string()),
        }
    }

    /// The delivery for people.
    #[must_use]
    pub fn shown(&self) -> String {
        let what = match self.action.as_str() {
            "withdraw" => "taken back",
            _ => "posted",
        };
        let at = self.at.as_deref().unwrap_or_default();
        match (self.result.as_deref(), &self.reason) {
            (None, _) => format!("is being {what} by {}", self.gateway),
            (Some("delivered"), _) => format!("{what} by {} at {at}", self.gateway),
            (Some(_), reason) => format!(
                "could not be {what} by {} at {at}: {}",
                self.gateway,
                reason.as_deref().unwrap_or("no reason is known")
            ),
        }
    }
}
