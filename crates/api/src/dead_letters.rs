//! Dead letters: records that a role could not process, and calls that failed for good.

use std::fmt::Write as _;

use serde::Serialize;
use threadlore_node::{
    BadInput, DeadLetterFilter, DeadLetterPlace, DeadLetterSource, Letter, Node, Redrive,
    RedriveRefusal, WhichDeadLetters,
};
use utoipa::ToSchema;

use crate::refused::Refused;
use crate::site::Visit;

/// A dead letter, as a line of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeadLetterLine {
    /// Its address: topic, partition and offset, such as `chat.inbox.dlq/3/17`.
    pub letter: String,
    /// When the record was dead-lettered.
    pub at: String,
    /// Its space; `system` for what could not be read.
    pub space: String,
    /// The role that could not process it.
    pub role: String,
    /// The address of the source record.
    pub source: String,
    /// Why it could not be processed.
    pub reason: String,
    /// How many bytes of the record's value the dead letter holds.
    pub bytes: usize,
    /// The address of the event that redrove it; null where nothing has.
    pub redriven: Option<String>,
}

/// Some dead letters.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeadLetterList {
    /// The newest first.
    pub letters: Vec<DeadLetterLine>,
    /// The last of these letters, where older ones follow: what `after` has to say to list those.
    pub next: Option<String>,
}

/// All that is known of a dead letter. It has no text of the record unless that was asked for.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeadLetterDetails {
    /// What a list has of it.
    #[serde(flatten)]
    pub line: DeadLetterLine,
    /// The id of its event.
    pub id: String,
    /// The key of the record.
    pub key: String,
    /// What has become of the source record.
    pub source_is: String,
    /// The source record's event, if it could be read.
    pub cause: Option<String>,
    /// The kind of the record's value, without any of its content.
    pub value_is: String,
    /// The record's value, where it was asked for: as text if it is text, else in hexadecimal digits. It may hold
    /// text and names of people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// What became of dead letters that were tried again.
#[derive(Debug, Serialize, ToSchema)]
pub struct RedriveResult {
    /// An event was added for so many.
    pub redriven: u64,
    /// So many were redriven before; nothing was added.
    pub already: u64,
    /// So many cannot be redriven.
    pub refused: u64,
    /// The first twenty of those.
    pub first_refused: Vec<LetterRefusal>,
    /// Whether nothing was done, because only a forecast was asked for.
    pub dry_run: bool,
}

/// Why a dead letter cannot be redriven.
#[derive(Debug, Serialize, ToSchema)]
pub struct LetterRefusal {
    /// Its address.
    pub letter: String,
    /// Why, and what to do instead.
    pub reason: String,
}

impl DeadLetterLine {
    fn of(letter: &Letter, redriven: Option<DeadLetterPlace>) -> Self {
        let Letter {
            place,
            envelope,
            dead,
        } = letter;
        Self {
            letter: place.to_string(),
            at: dead.now.to_string(),
            space: envelope.space.to_string(),
            role: dead.role.clone(),
            source: letter.source().to_string(),
            reason: dead.reason.clone(),
            bytes: dead.value.len(),
            redriven: redriven.map(|place| place.to_string()),
        }
    }
}

impl RedriveResult {
    /// What a redrive did, or would do.
    #[must_use]
    pub fn of(done: Redrive, dry_run: bool) -> Self {
        let refused = |RedriveRefusal { letter, reason }| LetterRefusal {
            letter: DeadLetterPlace::to_string(&letter),
            reason,
        };
        Self {
            redriven: done.redriven,
            already: done.already,
            refused: done.refused,
            first_refused: done.first_refused.into_iter().map(refused).collect(),
            dry_run,
        }
    }
}

/// The dead letters that a filter lets through.
///
/// # Errors
/// There is no letter `after`; what the log says.
pub async fn list(node: &Node, filter: &DeadLetterFilter<'_>) -> anyhow::Result<DeadLetterList> {
    let (found, more) = node.letters(filter).await?;
    let last = found.last().filter(|_| more);
    Ok(DeadLetterList {
        next: last.map(|(letter, _)| letter.place.to_string()),
        letters: found
            .iter()
            .map(|(letter, redriven)| DeadLetterLine::of(letter, *redriven))
            .collect(),
    })
}

/// All that is known of the dead letter at an address, with the record's value if it is wanted.
///
/// # Errors
/// There is none; what the log says.
pub async fn details(
    node: &Node,
    place: DeadLetterPlace,
    with_value: bool,
) -> anyhow::Result<DeadLetterDetails> {
    let (letter, source, redriven) = node.letter(place).await?;
    Ok(details_of((&letter, &source, redriven), with_value))
}

fn details_of(
    (letter, source, redriven): (&Letter, &DeadLetterSource, Option<DeadLetterPlace>),
    with_value: bool,
) -> DeadLetterDetails {
    let value = &letter.dead.value;
    let cause = letter.envelope.cause.as_ref();
    DeadLetterDetails {
        line: DeadLetterLine::of(letter, redriven),
        id: letter.envelope.id.to_string(),
        key: letter.envelope.key.to_string(),
        source_is: source.to_string(),
        cause: cause.map(|cause| cause.event.to_string()),
        value_is: letter.value_kind(),
        value: with_value.then(|| readable(value)),
    }
}

/// Tries one dead letter again; it may have been tried before.
///
/// # Errors
/// Why it cannot be.
pub(crate) async fn redrive_one(node: &Node, place: DeadLetterPlace) -> Result<(), Refused> {
    let done = node
        .redrive(&WhichDeadLetters::These(vec![place]), false)
        .await?;
    match done.first_refused.into_iter().next() {
        None => Ok(()),
        Some(RedriveRefusal { reason, .. }) => {
            Err(Refused::Bad(format!("It cannot be redriven: {reason}.")))
        }
    }
}

/// The address of a dead letter, as somebody names it.
pub(crate) fn place(name: &str) -> Result<DeadLetterPlace, Refused> {
    name.parse().map_err(|_| unknown())
}

/// Why there is nothing to show of a dead letter.
pub(crate) fn unknown() -> Refused {
    Refused::NotThere("There is no such dead letter in this space.".to_owned())
}

impl Visit {
    /// All that is known of a dead letter of this space, with the record's value if it is wanted.
    pub(crate) async fn letter(
        &self,
        name: &str,
        with_value: bool,
    ) -> Result<(DeadLetterPlace, DeadLetterDetails), Refused> {
        let place = place(name)?;
        let found = details(self.node(), place, with_value).await;
        let found = found.map_err(|error| match error.is::<BadInput>() {
            true => unknown(),
            false => error.into(),
        })?;
        let is_here = found.line.space == self.space().as_str();
        is_here.then_some((place, found)).ok_or_else(unknown)
    }
}

/// A value for display: as text if it is text, else in hexadecimal digits.
fn readable(value: &[u8]) -> String {
    let text = std::str::from_utf8(value).ok();
    let plain = |text: &&str| {
        !text
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t')
    };
    text.filter(plain).map_or_else(
        || {
            value.iter().fold(String::new(), |mut digits, byte| {
                // Writing to a string does not fail.
                write!(digits, "{byte:02x}").unwrap_or_default();
                digits
            })
        },
        str::to_owned,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_text_where_it_can_be() {
        assert_eq!(readable("päper\n".as_bytes()), "päper\n");
        assert_eq!(readable(b"\xc3\x01\0"), "c30100");
    }
}
