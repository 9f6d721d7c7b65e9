//! Cases in the tables, against the log and what people sent.

use std::collections::{BTreeMap, BTreeSet};

use threadlore_model::{
    Body, Case, CaseId, ChannelId, Confirmation, MessageId, Part, Signal, SpaceId, Status,
    Timestamp, Topic,
};

use super::{Taken, Violation};
use crate::sim::world::World;

/// Cases keep to their space and channel, no message solves two, and none quotes
/// what was redacted.
pub(super) fn evidence(world: &World, cases: &[&Case], found: &mut Vec<Violation>) {
    let messages = &world.workload.expected.messages;
    let mut solved: BTreeMap<MessageId, CaseId> = BTreeMap::new();
    for case in cases {
        for evidence in &case.evidence {
            let place = messages.get(&evidence.message).map(|(s, c, _)| (s, c));
            if place != Some((&case.space, &case.channel)) {
                let what = format!("case {} of {} has {place:?}", case.case, case.space);
                found.push(Violation::new("spaces and channels never mix", what));
            }
            let text = messages.get(&evidence.message).map(|(_, _, text)| text);
            if evidence.part != Part::Context && text == Some(&None) {
                let what = format!("case {} quotes {}", case.case, evidence.message);
                found.push(Violation::new("no case quotes a redacted message", what));
            }
            if is_solved(case)
                && let Some(other) = solved.insert(evidence.message, case.case)
            {
                let what = format!(
                    "message {} is evidence of solved cases {other} and {}",
                    evidence.message, case.case
                );
                found.push(Violation::new("nothing is decided twice", what));
            }
        }
    }
}

fn is_solved(case: &Case) -> bool {
    case.status() == Status::Solved
}

/// What the checker itself knows of a case; it does not use the fold.
#[derive(Default)]
struct Model {
    version: i64,
    solved: Option<Signal>,
    archived: Option<Timestamp>,
    erased: bool,
    merged: Option<CaseId>,
    confirmations: BTreeSet<Confirmation>,
}

/// Every row is what the log says of its case, and every event of the log counts once.
pub(super) fn versions(taken: &Taken, cases: &[&Case], found: &mut Vec<Violation>) {
    let mut models: BTreeMap<(SpaceId, ChannelId, CaseId), Model> = BTreeMap::new();
    for event in taken.of(Topic::KnowledgeCases) {
        let (case, Some(channel)) = (event.body.case(), event.body.channel()) else {
            continue;
        };
        let Some(case) = case else { continue };
        let key = (event.envelope.space.clone(), channel.clone(), case);
        models.entry(key).or_default().apply(&event.body);
    }
    models.retain(|_, model| model.version > 0);
    let rows: BTreeMap<_, _> = cases
        .iter()
        .map(|case| ((case.space.clone(), case.channel.clone(), case.case), *case))
        .collect();
    for (key, model) in &models {
        let row = rows.get(key).map(|case| (case.version, case.status()));
        let status = match model {
            Model { erased: true, .. } => Status::Erased,
            Model {
                merged: Some(_), ..
            } => Status::Merged,
            Model {
                archived: Some(_), ..
            } => Status::Archived,
            Model {
                solved,
                confirmations,
                ..
            } if solved.is_some() || !confirmations.is_empty() => Status::Solved,
            _ => Status::Open,
        };
        if row != Some((model.version, status)) {
            let what = format!(
                "case {}: the row says {row:?}, the log version {} and {status:?}",
                key.2, model.version
            );
            found.push(Violation::new(
                "a row is what the log says of its case",
                what,
            ));
        }
    }
    if models.len() != rows.len() {
        let what = format!("{} rows for {} cases", rows.len(), models.len());
        found.push(Violation::new(
            "a row is what the log says of its case",
            what,
        ));
    }
}

impl Model {
    fn apply(&mut self, body: &Body) {
        let changed = match body {
            _ if self.erased => false,
            Body::CaseErased(_) if self.version > 0 => {
                self.erased = true;
                true
            }
            Body::CaseOpened(_) => self.version == 0,
            Body::CaseSuggested(_) => {
                let open = self.solved.is_none() && self.merged.is_none();
                self.archived = self.archived.filter(|_| !open);
                open
            }
            Body::CaseSolved(e) => {
                (self.solved, self.archived, self.merged) = (Some(e.signal), None, None);
                true
            }
            Body::CaseConfirmed(e) if self.version > 0 => {
                let new = self.confirmations.insert(Confirmation {
                    message: e.message,
                    person: e.person,
                    emoji: e.emoji.clone(),
                });
                // What was confirmed by then had not expired.
                self.archived = self.archived.filter(|at| !new || *at <= e.now);
                new
            }
            Body::ConfirmationWithdrawn(e) => {
                let known = self.confirmations.remove(&Confirmation {
                    message: e.message,
                    person: e.person,
                    emoji: e.emoji.clone(),
                });
                if known && self.confirmations.is_empty() && self.solved == Some(Signal::Reaction) {
                    self.solved = None;
                }
                known
            }
            Body::CaseArchived(e) if self.version > 0 && self.archived.is_none() => {
                self.archived = Some(e.now);
                true
            }
            Body::CaseMerged(e) if self.version > 0 && self.archived.is_none() => {
                let other = e.into != e.case && self.merged != Some(e.into);
                self.merged = if other { Some(e.into) } else { self.merged };
                other
            }
            Body::CaseSplit(_) => self.merged.take().is_some(),
            _ => false,
        };
        self.version += i64::from(changed);
    }
}
