//! The events of a case, read from the log and folded again: each with what it changed, or why it
//! changed nothing.

use std::collections::BTreeMap;

use serde::Serialize;
use threadlore_fold::{Folded, fold_case};
use threadlore_model::{
    Actor, ArchiveReason, Body, Case, CaseId, CaseMerged, EraseReason, Event, EventId, Signal,
    Topic,
};
use threadlore_node::Node;
use utoipa::ToSchema;

use super::line::{Line, named};
use crate::wording::text;

/// An event of a case.
#[derive(Debug)]
pub(super) struct Happened {
    pub(super) event: Event,
    /// Topic, partition and offset of its record.
    pub(super) place: String,
    /// The version of the case after it; `None` for an event that is about another case.
    pub(super) version: Option<i64>,
    /// Why it changed nothing; `None` where it did.
    pub(super) without_effect: Option<&'static str>,
    /// Who asked for it, where somebody did.
    by: Option<Actor>,
}

/// The same for people and machines.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CaseStep)]
pub struct Step {
    /// Channel time of the event.
    pub at: String,
    /// Its type.
    pub event: &'static str,
    /// Its id.
    pub id: String,
    /// Topic, partition and offset of its record.
    pub record: String,
    /// The version of the case after it; null for an event that is about another case.
    pub version: Option<i64>,
    /// What happened, in words.
    pub what: String,
    /// Why it changed nothing; null where it did.
    pub without_effect: Option<&'static str>,
    /// Who asked for it: `operator`, `account:NAME`, `token:NAME` or `person:ID`; null where nobody did.
    pub by: Option<String>,
}

/// Everything that happened to a case, in the order of the log.
pub(super) async fn history(node: &Node, case: &Case) -> anyhow::Result<Vec<Happened>> {
    let channel = (&case.space, &case.channel);
    let is_about = |event: &Event| is_about(&event.body, case.case);
    let ids = [case.case.as_uuid()];
    let events = node.events_about(Topic::KnowledgeCases, channel, &ids, is_about);
    let events = events.await?;
    let asked = requests(node, case).await?;
    let mut folded = None;
    let mut all = Vec::new();
    for (event, place) in events {
        let is_own = event.body.case() == Some(case.case);
        let without_effect = match is_own.then(|| fold_case(&mut folded, &event)) {
            Some(Folded::Unchanged(why)) => Some(why),
            Some(Folded::Changed) | None => None,
        };
        let cause = event.envelope.cause.as_ref();
        all.push(Happened {
            by: cause.and_then(|cause| asked.get(&cause.event).cloned()),
            place,
            version: folded.as_ref().filter(|_| is_own).map(|case| case.version),
            without_effect,
            event,
        });
    }
    Ok(all)
}

/// Who asked for changes of the case, by the requests.
async fn requests(node: &Node, case: &Case) -> anyhow::Result<BTreeMap<EventId, Actor>> {
    let channel = (&case.space, &case.channel);
    let is_about = |event: &Event| match &event.body {
        Body::CorrectionRequested(asked) => asked.case == case.case,
        Body::ArchiveRequested(asked) => asked.case == case.case,
        Body::ErasureRequested(asked) => asked.case == case.case,
        Body::MergeRequested(asked) => asked.case == case.case || asked.into == Some(case.case),
        _ => false,
    };
    let ids = [case.case.as_uuid()];
    let requests = node.events_about(Topic::KnowledgeRequests, channel, &ids, is_about);
    let envelopes = requests.await?.into_iter().map(|(event, _)| event.envelope);
    let named = envelopes.filter_map(|envelope| Some((envelope.id, envelope.actor?)));
    Ok(named.collect())
}

/// Whether an event changes the case, or merges another one into it.
fn is_about(body: &Body, case: CaseId) -> bool {
    let joins = matches!(body, Body::CaseMerged(merged) if merged.into == case);
    joins || body.case() == Some(case)
}

impl Happened {
    /// For people and machines.
    pub(super) fn step(&self, node: &Node, case: CaseId, lines: &[Line]) -> Step {
        Step {
            at: self.event.envelope.time.to_string(),
            event: self.event.body.type_name(),
            id: self.event.envelope.id.to_string(),
            record: self.place.clone(),
            version: self.version,
            what: self.what(node, case, lines),
            without_effect: self.without_effect,
            by: self.by.as_ref().map(Actor::to_string),
        }
    }

    fn what(&self, node: &Node, case: CaseId, lines: &[Line]) -> String {
        let who = |person| named(lines, person).map_or_else(|| text!("somebody"), str::to_owned);
        let asked = match &self.by {
            None => text!("actor-who-may"),
            Some(by @ Actor::Person(person)) => {
                named(lines, *person).map_or_else(|| actor(by), str::to_owned)
            }
            Some(by) => actor(by),
        };
        match &self.event.body {
            Body::CaseOpened(e) => text!("happened-opened", engine = e.engine.as_str()),
            Body::CaseSuggested(e) if e.suggestion.text() == Some("") => {
                text!("happened-disproved", engine = e.engine.as_str())
            }
            Body::CaseSuggested(e) => text!("happened-suggested", engine = e.engine.as_str()),
            Body::CaseSolved(_) if self.by.is_some() => {
                text!("happened-solved-by-word", who = asked)
            }
            Body::CaseSolved(e) => text!(
                "happened-solved",
                signal = meaning(e.signal),
                engine = e.engine.as_str(),
            ),
            Body::CaseConfirmed(e) => text!(
                "happened-confirmed",
                who = who(e.person),
                emoji = e.emoji.as_str(),
            ),
            Body::ConfirmationWithdrawn(e) => {
                text!(
                    "happened-withdrew",
                    who = who(e.person),
                    emoji = e.emoji.as_str()
                )
            }
            Body::CaseArchived(e) => match e.reason {
                ArchiveReason::Expired => text!("happened-expired"),
                ArchiveReason::Requested => text!("happened-archived", who = asked),
            },
            Body::CaseErased(e) => match e.reason {
                EraseReason::Redacted => text!("happened-redacted"),
                EraseReason::Edited => text!("happened-edited"),
                EraseReason::Requested => text!("happened-erased", who = asked),
            },
            Body::CaseMerged(e) if e.comparer == CaseMerged::REQUESTED => match e.case == case {
                true => text!("happened-merged", case = node.link(e.into), who = asked),
                false => text!("happened-joined", case = node.link(e.case), who = asked),
            },
            Body::CaseMerged(e) if e.case == case => text!(
                "happened-merged-alike",
                case = node.link(e.into),
                alike = e.similarity,
                by = e.comparer.as_str(),
            ),
            Body::CaseMerged(e) => text!(
                "happened-joined-alike",
                case = node.link(e.case),
                alike = e.similarity,
                by = e.comparer.as_str(),
            ),
            Body::CaseSplit(_) if self.by.is_some() => text!("happened-split-by", who = asked),
            Body::CaseSplit(_) => text!("happened-split"),
            other => other.type_name().to_owned(),
        }
    }
}

impl Step {
    /// The step for people.
    #[must_use]
    pub fn shown(&self) -> String {
        let effect = self
            .without_effect
            .map(|why| format!(" (without effect: {why})"));
        format!("{} {}{}", self.at, self.what, effect.unwrap_or_default())
    }
}

/// Who asked for a change, in words.
pub(crate) fn actor(by: &Actor) -> String {
    match by {
        Actor::Operator => text!("actor-operator"),
        Actor::Account(name) => name.clone(),
        Actor::Token(name) => text!("actor-program", name = name.as_str()),
        Actor::Person(_) => text!("actor-in-room"),
    }
}

/// A signal in words.
#[must_use]
pub fn meaning(signal: Signal) -> String {
    match signal {
        Signal::Admin => text!("signal-admin"),
        Signal::Reaction => text!("signal-reaction"),
        Signal::Thanks => text!("signal-thanks"),
        Signal::ThreadEnd => text!("signal-thread-end"),
    }
}
