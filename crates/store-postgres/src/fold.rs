//! Folding a batch into the tables of a build: load the rows that it touches,
//! fold in memory, write what changed.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::PgConnection;
use threadlore_fold::{
    ChannelRow, ConfirmationRow, EvidenceRow, MessageRow, ReactionRow, Row, RowKey, Rows,
    VectorRow, refusal, touched,
};
use threadlore_model::{Case, CaseId, SpaceId};
use threadlore_ports::{FoldBatch, Generation, PortError};
use uuid::Uuid;

use crate::commit::DOING;
use crate::error::{failed, is_missing};
use crate::rows::{Stored, of};
use crate::write::write;

pub(crate) async fn fold(tx: &mut PgConnection, batch: &FoldBatch) -> Result<(), PortError> {
    let topic = batch.generation.projection.topic();
    if let Some((event, reason)) = batch
        .events
        .iter()
        .find_map(|event| Some((event, refusal(topic, event)?)))
    {
        return Err(PortError::Refused {
            doing: "folding an event",
            reason: format!("event {}: {reason}", event.envelope.id),
        });
    }
    let stored = load(tx, batch).await.map_err(|e| {
        if is_missing(&e) {
            crate::generations::missing(batch.generation)
        } else {
            failed(DOING)(e)
        }
    })?;
    let mut rows = Rows::of(stored);
    for event in batch.events.iter() {
        rows.fold(event);
    }
    write(tx, batch.generation, rows.into_changed())
        .await
        .map_err(failed(DOING))
}

/// Keys as columns, for `unnest`.
#[derive(Default)]
pub(crate) struct Keys {
    pub(crate) spaces: Vec<String>,
    pub(crate) ids: Vec<Uuid>,
    pub(crate) people: Vec<Uuid>,
    pub(crate) texts: Vec<String>,
    pub(crate) hashes: Vec<Vec<u8>>,
}

async fn load(tx: &mut PgConnection, batch: &FoldBatch) -> Result<Vec<Row>, sqlx::Error> {
    let asked = batch.events.iter().enumerate();
    let asked = asked.filter(|(at, _)| !batch.is_new.get(*at).copied().unwrap_or(false));
    let touched: BTreeSet<RowKey> = asked.filter_map(|(_, event)| touched(event)).collect();
    let mut keys: [Keys; 5] = Default::default();
    for key in touched {
        match key {
            RowKey::Message(space, id) => keys[0].push(&space, id.as_uuid()),
            RowKey::Reaction(space, id, person, emoji) => {
                keys[1].push(&space, id.as_uuid());
                keys[1].people.push(person.as_uuid());
                keys[1].texts.push(emoji);
            }
            RowKey::Case(space, id) => keys[2].push(&space, id.as_uuid()),
            RowKey::Channel(space, channel) => {
                keys[3].spaces.push(space.to_string());
                keys[3].texts.push(channel.to_string());
            }
            RowKey::Vector(space, id, model, source) => {
                keys[4].push(&space, id.as_uuid());
                keys[4].texts.push(model);
                keys[4].hashes.push(source.to_vec());
            }
        }
    }
    let [messages, reactions, cases, channels, vectors] = keys;
    let (generation, mut rows) = (batch.generation, Vec::new());
    if !messages.spaces.is_empty() {
        let found: Vec<MessageRow> = by_id(tx, generation, &messages, "message").await?;
        rows.extend(found.into_iter().map(Row::Message));
    }
    if !reactions.spaces.is_empty() {
        rows.extend(load_reactions(tx, generation, &reactions).await?);
    }
    if !cases.spaces.is_empty() {
        let found = load_cases(tx, generation, &cases).await?;
        rows.extend(found.into_iter().map(|case| Row::Case(Box::new(case))));
    }
    if !channels.spaces.is_empty() {
        rows.extend(load_channels(tx, generation, &channels).await?);
    }
    if !vectors.spaces.is_empty() {
        rows.extend(load_vectors(tx, generation, &vectors).await?);
    }
    Ok(rows)
}

impl Keys {
    pub(crate) fn push(&mut self, space: &SpaceId, id: Uuid) {
        self.spaces.push(space.to_string());
        self.ids.push(id);
    }
}

/// A select of the rows of these keys, each by the index: a plain join reads the whole table
/// where the planner knows too little of it.
fn by_key(select: &str, keys: &str, of_key: &str) -> String {
    format!("SELECT t.* FROM {keys} CROSS JOIN LATERAL ({select} WHERE {of_key} OFFSET 0) t")
}

async fn by_id<R: Stored>(
    tx: &mut PgConnection,
    generation: Generation,
    keys: &Keys,
    column: &'static str,
) -> Result<Vec<R>, sqlx::Error> {
    let statement = by_key(
        R::SELECT,
        "unnest($1::text[], $2::uuid[]) AS k (k_space, k_id)",
        &format!("t.space = k.k_space AND t.{column} = k.k_id"),
    );
    sqlx::query(&of(&statement, generation))
        .bind(&keys.spaces)
        .bind(&keys.ids)
        .fetch_all(tx)
        .await?
        .iter()
        .map(R::read)
        .collect()
}

async fn load_reactions(
    tx: &mut PgConnection,
    generation: Generation,
    keys: &Keys,
) -> Result<Vec<Row>, sqlx::Error> {
    let statement = by_key(
        ReactionRow::SELECT,
        "unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[]) \
         AS k (k_space, k_message, k_person, k_emoji)",
        "t.space = k.k_space AND t.message = k.k_message \
         AND t.person = k.k_person AND t.emoji = k.k_emoji",
    );
    sqlx::query(&of(&statement, generation))
        .bind(&keys.spaces)
        .bind(&keys.ids)
        .bind(&keys.people)
        .bind(&keys.texts)
        .fetch_all(tx)
        .await?
        .iter()
        .map(|row| ReactionRow::read(row).map(Row::Reaction))
        .collect()
}

async fn load_channels(
    tx: &mut PgConnection,
    generation: Generation,
    keys: &Keys,
) -> Result<Vec<Row>, sqlx::Error> {
    let statement = by_key(
        ChannelRow::SELECT,
        "unnest($1::text[], $2::text[]) AS k (k_space, k_channel)",
        "t.space = k.k_space AND t.channel = k.k_channel",
    );
    sqlx::query(&of(&statement, generation))
        .bind(&keys.spaces)
        .bind(&keys.texts)
        .fetch_all(tx)
        .await?
        .iter()
        .map(|row| ChannelRow::read(row).map(Row::Channel))
        .collect()
}

async fn load_vectors(
    tx: &mut PgConnection,
    generation: Generation,
    keys: &Keys,
) -> Result<Vec<Row>, sqlx::Error> {
    let statement = by_key(
        VectorRow::SELECT,
        "unnest($1::text[], $2::uuid[], $3::text[], $4::bytea[]) \
         AS k (k_space, k_case, k_model, k_source)",
        "t.space = k.k_space AND t.case_id = k.k_case \
         AND t.model = k.k_model AND t.source = k.k_source",
    );
    sqlx::query(&of(&statement, generation))
        .bind(&keys.spaces)
        .bind(&keys.ids)
        .bind(&keys.texts)
        .bind(&keys.hashes)
        .fetch_all(tx)
        .await?
        .iter()
        .map(|row| VectorRow::read(row).map(Row::Vector))
        .collect()
}

/// Cases of all spaces with their evidence and confirmations, ascending by space and id.
pub(crate) async fn load_cases(
    tx: &mut PgConnection,
    generation: Generation,
    keys: &Keys,
) -> Result<Vec<Case>, sqlx::Error> {
    let cases: Vec<Case> = by_id(tx, generation, keys, "case_id").await?;
    let evidence: Vec<EvidenceRow> = by_id(tx, generation, keys, "case_id").await?;
    let confirmations: Vec<ConfirmationRow> = by_id(tx, generation, keys, "case_id").await?;
    Ok(whole(cases, evidence, confirmations))
}

/// Cases by id, for readers; in no particular order.
pub(crate) async fn cases_of(
    tx: &mut PgConnection,
    generation: Generation,
    space: &SpaceId,
    ids: &[CaseId],
) -> Result<Vec<Case>, sqlx::Error> {
    let mut keys = Keys::default();
    ids.iter().for_each(|id| keys.push(space, id.as_uuid()));
    load_cases(tx, generation, &keys).await
}

/// Cases with their rows of evidence and confirmations.
fn whole(
    cases: Vec<Case>,
    mut evidence: Vec<EvidenceRow>,
    confirmations: Vec<ConfirmationRow>,
) -> Vec<Case> {
    evidence.sort_by_key(|row| row.position);
    let mut cases: BTreeMap<_, _> = cases
        .into_iter()
        .map(|case| ((case.space.clone(), case.case), case))
        .collect();
    for row in evidence {
        if let Some(case) = cases.get_mut(&(row.space, row.case)) {
            case.evidence.push(row.evidence);
        }
    }
    for row in confirmations {
        if let Some(case) = cases.get_mut(&(row.space, row.case)) {
            case.confirmations.insert(row.confirmation);
        }
    }
    cases.into_values().collect()
}
