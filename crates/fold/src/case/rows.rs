//! A case as rows of tables: its own, and a child row for each of its evidence and confirmations.

use threadlore_model::{
    Case, CaseId, Confirmation, Event, Evidence, MessageId, Part, PersonId, SpaceId,
};

use super::fold_case;
use crate::table::table;
use crate::{ChildRow, Folded, ProjectedRow};

table!(
    Case: "cases",
    key [space, case = "case_id"],
    columns [
        channel, version, worded_in, title, problem, solution, suggestion, tags, signal, closing_emoji, engine, opened_at,
        solved_at, archived_at, changed_at, erased_at, merged_into,
    ],
    without [evidence, confirmations]
);

impl ProjectedRow for Box<Case> {
    type Key = (SpaceId, CaseId);

    fn touched(event: &Event) -> Option<Self::Key> {
        Some((event.envelope.space.clone(), event.body.case()?))
    }

    fn key(&self) -> Self::Key {
        (self.space.clone(), self.case)
    }

    fn fold(row: &mut Option<Self>, event: &Event) -> Folded {
        let mut case = row.take().map(|case| *case);
        let folded = fold_case(&mut case, event);
        *row = case.map(Self::new);
        folded
    }
}

/// A message that a case comes from, as a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceRow {
    /// The tenant.
    pub space: SpaceId,
    /// The case.
    pub case: CaseId,
    /// Its place among the case's evidence, from 0.
    pub position: i64,
    /// The message.
    pub message: MessageId,
    /// Its part in the case.
    pub part: Part,
    /// The revision of its words.
    pub revision: i64,
}

table!(
    EvidenceRow: "case_evidence",
    key [space, case = "case_id", position],
    columns [message, part, revision]
);

impl ChildRow for EvidenceRow {
    type Parent = Case;

    fn of(case: &Case) -> impl Iterator<Item = Self> {
        let numbered = (0..).zip(&case.evidence);
        numbered.map(|(position, evidence)| Self {
            space: case.space.clone(),
            case: case.case,
            position,
            message: evidence.message,
            part: evidence.part,
            revision: evidence.revision,
        })
    }

    fn add_to(self, case: &mut Case) {
        case.evidence.push(Evidence {
            message: self.message,
            part: self.part,
            revision: self.revision,
        });
    }
}

/// A confirmation of a case, as a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmationRow {
    /// The tenant.
    pub space: SpaceId,
    /// The case.
    pub case: CaseId,
    /// The message reacted to.
    pub message: MessageId,
    /// The person who reacted.
    pub person: PersonId,
    /// The emoji of the reaction.
    pub emoji: String,
}

table!(
    ConfirmationRow: "case_confirmations",
    key [space, case = "case_id", message, person, emoji],
    columns []
);

impl ChildRow for ConfirmationRow {
    type Parent = Case;

    fn of(case: &Case) -> impl Iterator<Item = Self> {
        case.confirmations.iter().map(|one| Self {
            space: case.space.clone(),
            case: case.case,
            message: one.message,
            person: one.person,
            emoji: one.emoji.clone(),
        })
    }

    fn add_to(self, case: &mut Case) {
        case.confirmations.insert(Confirmation {
            message: self.message,
            person: self.person,
            emoji: self.emoji,
        });
    }
}
