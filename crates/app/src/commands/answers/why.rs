//! `threadlore answers why`: what became of a question, step by step, as its events and tables say it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use threadlore_model::{Body, CaseId, MessageId, Topic};
use threadlore_ports::Scope;
use threadlore_store_postgres::{KeptMessage, ListedDelivery, ListedTurn};

use super::{Call, find};
use crate::cli::OneTurn;
use crate::commands::events::events;
use crate::output::{Output, cut};
use crate::printable::counted;

/// The most candidates that are printed; `--json` has all.
const SHOWN: usize = 8;

/// Why a question was answered so.
#[derive(Debug, Serialize)]
struct Why {
    turn: String,
    channel: String,
    lines: Vec<Line>,
    outcome: &'static str,
    /// The reason in one sentence.
    because: &'static str,
    /// What the gate saw; null where it was not asked.
    gate: Option<&'static str>,
    /// Earlier messages that the question was read with.
    context: Vec<Context>,
    /// How cases were searched and chosen; null where nothing was, and when erased.
    search: Option<Value>,
    /// The titles of the cases that were found, by their ids; those that are erased have none.
    titles: BTreeMap<String, String>,
    answer: Option<Answer>,
    /// What the log says of it: each event with the place of its record.
    events: Vec<Happened>,
    at: String,
}

/// A message.
#[derive(Debug, Serialize)]
struct Line {
    at: Option<String>,
    name: Option<String>,
    text: Option<String>,
}

#[derive(Debug, Serialize)]
struct Context {
    /// Why it was chosen, such as `anchor` or `near`.
    reason: String,
    #[serde(flatten)]
    line: Line,
}

#[derive(Debug, Serialize)]
struct Answer {
    answer: String,
    composer: String,
    /// Null when erased.
    text: Option<String>,
    /// The link of the case that it rests on or points at.
    case: Option<String>,
    /// The memory that it quotes.
    memory: Option<String>,
    deliveries: Vec<Delivery>,
    /// Why it was taken back; null where it stands.
    withdrawn: Option<&'static str>,
    /// How many people say that it helped, and that it failed.
    helped: u64,
    failed: u64,
}

#[derive(Debug, Serialize)]
struct Delivery {
    /// `post` or `withdraw`.
    action: String,
    gateway: String,
    /// `delivered` or `failed`; null while it is under way.
    result: Option<String>,
    reason: Option<String>,
    at: Option<String>,
}

#[derive(Debug, Serialize)]
struct Happened {
    event: &'static str,
    id: String,
    record: String,
    /// The record that it followed from.
    decided_on: Option<String>,
    at: String,
}

pub(super) async fn run(options: &OneTurn, call: &Call<'_>) -> anyhow::Result<u8> {
    let (scope, turn) = find(options, call).await?;
    let why = why(&scope, &turn, call).await?;
    if call.json {
        call.out.json(&why)?;
    } else {
        why.print(call);
    }
    Ok(0)
}

async fn why(scope: &Scope, turn: &ListedTurn, call: &Call<'_>) -> anyhow::Result<Why> {
    let node = &call.host.node;
    let context = turn.context.iter().map(|(message, _)| *message);
    let messages: Vec<MessageId> = turn.messages.iter().copied().chain(context).collect();
    let kept = node.store.kept(scope, &messages).await?;
    let answer = turn.answer.as_ref().map(|(answer, _)| *answer);
    let channel = (scope.space(), &turn.channel);
    let events = events(node, Topic::Answers, channel, |event| match &event.body {
        Body::TurnConsidered(considered) => considered.turn == turn.turn,
        Body::AnswerComposed(composed) => composed.turn == turn.turn,
        Body::AnswerRated(rated) => rated.turn == turn.turn,
        Body::AnswerWithdrawn(withdrawn) => Some(withdrawn.answer) == answer,
        _ => false,
    });
    let events = events.await?;
    let (mut search, mut text, mut memory, mut withdrawn) = (None, None, None, None);
    for (event, _) in &events {
        match &event.body {
            Body::TurnConsidered(considered) => {
                let record = considered.record.as_ref().and_then(|record| record.text());
                search = record.and_then(|record| serde_json::from_str(record).ok());
            }
            Body::AnswerComposed(composed) => {
                text = composed.text.text().map(str::to_owned);
                memory = composed.memory.map(|memory| memory.to_string());
            }
            Body::AnswerWithdrawn(one) => withdrawn = Some(one.reason.sentence()),
            _ => {}
        }
    }
    let cases: Vec<CaseId> = found(search.as_ref()).iter().filter_map(case_of).collect();
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
        memory,
        deliveries: deliveries.into_iter().map(Delivery::of).collect(),
        withdrawn,
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
        context: context.collect(),
        search,
        titles,
        answer,
        events: happened.collect(),
        at: turn.at.to_string(),
    })
}

/// The cases of the record of a search.
fn found(search: Option<&Value>) -> &[Value] {
    let found = search.and_then(|search| search["found"].as_array());
    found.map_or(&[], Vec::as_slice)
}

fn case_of(found: &Value) -> Option<CaseId> {
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

    fn shown(&self) -> String {
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

    fn shown(&self) -> String {
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

impl Why {
    fn print(&self, call: &Call<'_>) {
        let out = call.out;
        for line in &self.lines {
            out.print(line.shown());
        }
        out.print(format_args!("  in {}, turn {}", self.channel, self.turn));
        out.print(format_args!("{}: {}", self.outcome, self.because));
        if let Some(gate) = self.gate {
            out.print(format_args!("the gate saw: {gate}"));
        }
        if !self.context.is_empty() {
            out.print("read with:");
        }
        for context in &self.context {
            out.print(format_args!(
                "  {:<8} {}",
                context.reason,
                context.line.shown()
            ));
        }
        if let Some(answer) = &self.answer {
            answer.print(out);
        }
        if let Some(search) = &self.search {
            self.print_search(search, call);
        }
        out.print("in the log:");
        for one in &self.events {
            let on = one
                .decided_on
                .as_ref()
                .map(|on| format!(", decided on {on}"));
            out.print(format_args!(
                "  {} {} {} at {}{}",
                one.at,
                one.event,
                one.id,
                one.record,
                on.unwrap_or_default()
            ));
        }
    }

    fn print_search(&self, search: &Value, call: &Call<'_>) {
        let out = call.out;
        let text = |name: &str| search[name].as_str().unwrap_or("nothing").to_owned();
        out.print(format_args!(
            "searched {}, chances by {}, at most {} of 100 answers wrong",
            text("build"),
            text("closeness"),
            search["wrong_at_most"]
        ));
        let none = Vec::new();
        let degraded = search["degraded"].as_array().unwrap_or(&none);
        if !degraded.is_empty() {
            let stages: Vec<&str> = degraded.iter().filter_map(Value::as_str).collect();
            out.print(format_args!(
                "  these did not answer: {}",
                stages.join(", ")
            ));
        }
        let mut found: Vec<&Value> = found(Some(search)).iter().collect();
        found.sort_by_key(|one| std::cmp::Reverse(one["close"].as_u64()));
        for one in found.iter().take(SHOWN) {
            let Some(case) = case_of(one) else { continue };
            let title = self.titles.get(&case.to_string());
            let legs = one["legs"].as_object().into_iter().flatten();
            let legs: Vec<String> = legs.map(|(leg, share)| format!("{leg} {share}")).collect();
            out.print(format_args!(
                "  {:>4} of 1000, close {:>4} (an answer needs 450), {:<6}  {}  {}",
                one["chance"].as_u64().unwrap_or_default(),
                one["close"].as_u64().unwrap_or_default(),
                one["layer"].as_str().unwrap_or_default(),
                call.host.node.link(case),
                cut(title.map_or("(erased)", String::as_str), 60)
            ));
            let count = |name: &str| one[name].as_u64().unwrap_or_default();
            let tried = match (count("worked"), count("failed")) {
                (0, 0) => String::new(),
                (worked, failed) => format!("; answers from it: {worked} worked, {failed} failed"),
            };
            let by = match legs.as_slice() {
                [] => "an earlier question".to_owned(),
                legs => legs.join(", "),
            };
            out.print(format_args!("      found by {by}{tried}"));
            let hundredths = |name: &str| count(name) as f64 / 100.0;
            let before = (hundredths("worked_before"), hundredths("failed_before"));
            if before != (0.0, 0.0) {
                let (worked, failed) = before;
                out.print(format_args!(
                    "      earlier questions like it, by how alike they are: {worked:.1} worked, {failed:.1} failed"
                ));
            }
        }
        if found.len() > SHOWN {
            let more = counted((found.len() - SHOWN) as u64, "case");
            out.print(format_args!("  and {more} more; --json has all"));
        }
        if let Some(memory) = search.get("repeats").and_then(|id| id.as_str()) {
            out.print(format_args!(
                "somebody asked the same before: `threadlore memory show {memory}`"
            ));
        }
        if let Some(read) = search.get("read").filter(|read| !read.is_null()) {
            let by = read["by"].as_str().unwrap_or_default();
            let count = read["read"].as_array().map_or(0, Vec::len);
            let case = read["case"].as_str().and_then(|case| case.parse().ok());
            let chosen = match case {
                Some(case) => format!("{} answers", call.host.node.link(case)),
                None => "none answers".to_owned(),
            };
            let facts = match read["facts"].as_u64() {
                Some(facts) => format!(", with {} that it was told,", counted(facts, "thing")),
                None => String::new(),
            };
            let words = match read["composed"].as_bool() {
                Some(true) => ", said in its words",
                _ => "",
            };
            out.print(format_args!(
                "read by {by} in {} ms: of {}{facts} {chosen}{words}",
                read["took_ms"],
                counted(count as u64, "case")
            ));
        }
    }
}

impl Answer {
    fn print(&self, out: &Output) {
        out.print(format_args!(
            "answer {}, composed by {}:",
            self.answer, self.composer
        ));
        let text = self.text.as_deref().unwrap_or("(erased)");
        for line in text.lines().filter(|line| !line.is_empty()) {
            out.print(format_args!("  {line}"));
        }
        if let Some(memory) = &self.memory {
            out.print(format_args!("  quotes `threadlore memory show {memory}`"));
        }
        for delivery in &self.deliveries {
            out.print(format_args!("  {}", delivery.shown()));
        }
        if let Some(reason) = self.withdrawn {
            out.print(format_args!("  taken back, because {reason}"));
        }
        if self.helped + self.failed > 0 {
            out.print(format_args!(
                "  people say of it: {} that it helped, {} that it failed",
                self.helped, self.failed
            ));
        }
    }
}
