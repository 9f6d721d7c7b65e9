//! What made a case solved, as its events say it, with the lines and reactions that they rest on.

use serde::Serialize;
use threadlore_language::{is_positive_emoji, outcome};
use threadlore_model::{
    Body, Case, CaseConfirmed, CaseSolved, Confirmation, Outcome, Part, PersonId, Signal, Status,
};
use threadlore_node::Node;
use threadlore_ports::Scope;
use utoipa::ToSchema;

use crate::wording::text;

use super::history::{Happened, history, meaning};
use super::line::{Line, Reaction, lines, named};

/// Why a case has its status.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CaseWhy)]
pub struct Why {
    /// Its id.
    pub case: String,
    /// Its link.
    pub link: String,
    /// How it stands.
    pub status: &'static str,
    /// Null when erased.
    pub title: Option<String>,
    /// The reason in one sentence.
    pub because: String,
    /// What counted for it, in the order of the log.
    pub signals: Vec<CaseSignal>,
}

/// One event that made the case solved, or a person's confirmation.
#[derive(Debug, Serialize, ToSchema)]
pub struct CaseSignal {
    /// What kind of signal it is.
    #[schema(value_type = String)]
    pub signal: Signal,
    /// What it is, in words.
    pub what: String,
    /// Channel time of the event.
    pub at: String,
    /// The event that decided it.
    pub event: String,
    /// Topic, partition and offset of its record.
    pub record: String,
    /// The record that it followed from.
    pub decided_on: Option<String>,
    /// The engine and version whose rules decided it; null for a confirmation, which is the
    /// person's own.
    pub rules: Option<String>,
    /// Who reacted; null for other signals.
    #[schema(value_type = Option<String>)]
    pub person: Option<PersonId>,
    /// With what; null for other signals.
    pub emoji: Option<String>,
    /// Whether it counts now: a reaction may have been withdrawn, and a later decision replaces an
    /// earlier one.
    pub counts: bool,
    /// The lines that it rests on.
    pub lines: Vec<SignalLine>,
    /// What the event does not say.
    pub note: Option<&'static str>,
}

/// A line that a signal rests on.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignalLine {
    /// `solution`, `reacted to`, `thanks`, `report`, or `asker` for other words of the asker that
    /// show that it helped.
    pub is: &'static str,
    /// The line.
    #[serde(flatten)]
    pub line: Line,
}

impl SignalLine {
    fn on(is: &'static str, line: &Line) -> Self {
        let line = line.clone();
        Self { is, line }
    }
}

/// Why a case has its status.
///
/// # Errors
/// What log, tables and keystore say.
pub async fn why(node: &Node, scope: &Scope, case: &Case) -> anyhow::Result<Why> {
    let lines = lines(node, scope, case).await?;
    let happened = history(node, case).await?;
    let signals = signals(case, &happened, &lines);
    let merged = case.merged_into.map(|into| node.link(into));
    Ok(Why {
        case: case.case.to_string(),
        link: node.link(case.case),
        status: case.status().name(),
        title: case.title.clone(),
        because: because(case, merged.as_deref()),
        signals,
    })
}

fn because(case: &Case, merged: Option<&str>) -> String {
    match (case.status(), case.signal) {
        (Status::Solved, Some(signal)) => text!("why-solved", signal = meaning(signal)),
        (Status::Solved, None) => text!("why-confirmed"),
        (Status::Open, _) if case.suggestion.is_some() => {
            text!("why-suggested")
        }
        (Status::Open, _) => text!("why-open"),
        (Status::Archived, _) => {
            text!("why-archived")
        }
        (Status::Merged, _) => match merged {
            Some(case) => text!("why-merged", case = case),
            None => text!("why-merged-somewhere"),
        },
        (Status::Erased, _) => {
            text!("why-erased")
        }
    }
}

fn signals(case: &Case, happened: &[Happened], lines: &[Line]) -> Vec<CaseSignal> {
    let effective = happened.iter().filter(|one| one.without_effect.is_none());
    // What was merged into it has its own reasons.
    let own = lines.iter().filter(|line| line.merged_from.is_none());
    let own: Vec<&Line> = own.collect();
    let mut solved = effective.clone();
    let last = solved.rfind(|one| matches!(one.event.body, Body::CaseSolved(_)));
    let counted = |one: &Happened| match &one.event.body {
        Body::CaseSolved(solved) => {
            let is_last = last.is_some_and(|last| last.place == one.place);
            Some(by_rules(
                one,
                solved,
                is_last && case.signal.is_some(),
                &own,
            ))
        }
        Body::CaseConfirmed(confirmed) if confirmed.case == case.case => {
            Some(by_person(one, confirmed, case, lines))
        }
        _ => None,
    };
    effective.filter_map(counted).collect()
}

/// What an engine's rules decided.
fn by_rules(one: &Happened, solved: &CaseSolved, counts: bool, own: &[&Line]) -> CaseSignal {
    let is_sign = |line: &Line| Some(line.message) == solved.signal_message;
    let solution = own.iter().filter(|line| line.part == Part::Solution);
    let mut rests: Vec<SignalLine> = solution
        .map(|line| match solved.signal {
            Signal::Reaction if is_sign(line) => SignalLine::on("reacted to", line),
            _ => SignalLine::on("solution", line),
        })
        .collect();
    let sign = own.iter().find(|line| is_sign(line));
    let note = match (solved.signal, sign) {
        (Signal::Admin, Some(_)) => None,
        (Signal::Admin, None) => Some("no message of this channel says so"),
        (Signal::Reaction, Some(line)) if line.reactions.iter().any(is_positive) => None,
        (Signal::Reaction, _) => Some("the reaction does not stand any more"),
        (Signal::Thanks, Some(line)) => {
            rests.push(SignalLine::on(reading(line), line));
            None
        }
        (Signal::Thanks, None) => Some("the message that says so is not in the case any more"),
        (Signal::ThreadEnd, _) => Some("nobody said that it helped: it is the weakest signal"),
    };
    CaseSignal {
        signal: solved.signal,
        what: meaning(solved.signal),
        rules: Some(solved.engine.clone()),
        person: None,
        emoji: None,
        counts,
        lines: rests,
        note,
        ..CaseSignal::at(one, solved.signal)
    }
}

/// What a person confirmed.
fn by_person(one: &Happened, confirmed: &CaseConfirmed, case: &Case, lines: &[Line]) -> CaseSignal {
    let name = named(lines, confirmed.person);
    let name = name.map_or_else(|| text!("somebody"), str::to_owned);
    let stands = case.confirmations.contains(&Confirmation {
        message: confirmed.message,
        person: confirmed.person,
        emoji: confirmed.emoji.clone(),
    });
    let line = lines
        .iter()
        .filter(|line| line.message == confirmed.message);
    CaseSignal {
        what: text!("why-reacted", who = name, emoji = confirmed.emoji.as_str()),
        person: Some(confirmed.person),
        emoji: Some(confirmed.emoji.clone()),
        counts: stands,
        lines: line
            .map(|line| SignalLine::on("reacted to", line))
            .collect(),
        note: (!stands).then_some("the reaction does not stand any more"),
        ..CaseSignal::at(one, Signal::Reaction)
    }
}

impl CaseSignal {
    /// When and by which event; the caller says the rest.
    fn at(one: &Happened, signal: Signal) -> Self {
        let cause = one.event.envelope.cause.as_ref();
        Self {
            signal,
            what: String::new(),
            at: one.event.envelope.time.to_string(),
            event: one.event.envelope.id.to_string(),
            record: one.place.clone(),
            decided_on: cause.map(|cause| format!("{}/{}", cause.at, cause.offset)),
            rules: None,
            person: None,
            emoji: None,
            counts: false,
            lines: Vec::new(),
            note: None,
        }
    }
}

fn is_positive(reaction: &Reaction) -> bool {
    is_positive_emoji(&reaction.emoji)
}

/// What the line of an asker says that shows that the solution helped.
fn reading(line: &Line) -> &'static str {
    match line.text.as_deref().and_then(outcome) {
        Some(Outcome::Works) => "report",
        Some(Outcome::Thanks) => "thanks",
        // Such as somebody who comes back hours later and has no complaint.
        _ => "asker",
    }
}
