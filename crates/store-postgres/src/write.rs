//! Writing folded rows: many new ones by COPY, others by one statement per table over arrays.

use sqlx::PgConnection;
use threadlore_fold::{
    Change, ChannelRow, ConfirmationRow, EvidenceRow, MessageRow, ReactionRow, Row, RowKey,
    VectorRow, confirmation_rows, evidence_rows, part_name, signal_name,
};
use threadlore_model::Case;
use threadlore_ports::{Generation, Projection};

use crate::copy::{Copied, copy};
use crate::erasure::{lock_vectors, without_erased};
use crate::fold::Keys;
use crate::rows::of;
use crate::types::{Moment, array_literal};

/// From so many new rows of a table on they are copied: for a few the round trips cost more.
const COPY_FROM: usize = 32;

/// Rows of one table.
struct Split<R> {
    /// Not in the table yet, and many.
    new: Vec<R>,
    /// All others.
    others: Vec<R>,
}

impl<R> Split<R> {
    /// Of rows that say whether they are new.
    fn of(rows: Vec<(R, bool)>) -> Self {
        let copies = rows.iter().filter(|(_, is_new)| *is_new).count() >= COPY_FROM;
        let (mut new, mut others) = (Vec::new(), Vec::new());
        for (row, is_new) in rows {
            match copies && is_new {
                true => new.push(row),
                false => others.push(row),
            }
        }
        Self { new, others }
    }
}

pub(crate) async fn write(
    tx: &mut PgConnection,
    generation: Generation,
    changes: Vec<Change>,
) -> Result<(), sqlx::Error> {
    let (mut messages, mut reactions, mut cases, mut channels, mut vectors, mut gone) = (
        Vec::new(),
        Vec::new(),
        Vec::new(),
        Vec::new(),
        Vec::new(),
        Keys::default(),
    );
    for Change { key, row, is_new } in changes {
        match (key, row) {
            (_, Some(Row::Message(row))) => messages.push((row, is_new)),
            (_, Some(Row::Reaction(row))) => reactions.push((row, is_new)),
            (_, Some(Row::Case(row))) => cases.push((*row, is_new)),
            (_, Some(Row::Channel(row))) => channels.push(row),
            (_, Some(Row::Vector(row))) => vectors.push((row, is_new)),
            (RowKey::Reaction(space, message, person, emoji), None) => {
                gone.push(&space, message.as_uuid());
                gone.people.push(person.as_uuid());
                gone.texts.push(emoji);
            }
            // Only reactions ever go.
            (_, None) => {}
        }
    }
    let is_erased = |(case, _): &&(Case, bool)| case.erased_at.is_some();
    let erased = keys_of(cases.iter().filter(is_erased).map(|(case, _)| case));
    // Before any row is written: a writer of vectors that is waited for may need these.
    let with_vectors = if erased.spaces.is_empty() {
        Vec::new()
    } else {
        lock_vectors(tx).await?
    };
    let messages = Split::of(messages);
    copy(tx, generation, Copied::of::<MessageRow>(&messages.new)).await?;
    if !messages.others.is_empty() {
        write_messages(tx, generation, &messages.others).await?;
    }
    let reactions = Split::of(reactions);
    copy(tx, generation, Copied::of::<ReactionRow>(&reactions.new)).await?;
    if !reactions.others.is_empty() {
        write_reactions(tx, generation, &reactions.others).await?;
    }
    if !gone.spaces.is_empty() {
        delete_reactions(tx, generation, &gone).await?;
    }
    // All at once and ascending, as the cases of vectors are marked: so the two writers cannot
    // deadlock.
    let marked = keys_of(cases.iter().map(|(case, _)| case));
    let cases = Split::of(cases);
    if !cases.new.is_empty() {
        copy_cases(tx, generation, &cases.new).await?;
    }
    if !cases.others.is_empty() {
        write_cases(tx, generation, &cases.others).await?;
    }
    if !marked.spaces.is_empty() {
        mark(tx, generation, &marked).await?;
    }
    for build in with_vectors {
        delete_of_cases(tx, build, "vectors", &erased).await?;
    }
    if !channels.is_empty() {
        write_channels(tx, generation, &channels).await?;
    }
    if !vectors.is_empty() {
        let vectors = Split::of(without_erased(tx, generation, vectors).await?);
        copy(tx, generation, Copied::of::<VectorRow>(&vectors.new)).await?;
        if !vectors.others.is_empty() {
            write_vectors(tx, generation, &vectors.others).await?;
        }
        let all = vectors.new.iter().chain(&vectors.others);
        mark_everywhere(tx, generation, all).await?;
    }
    Ok(())
}

/// One column of many rows.
pub(crate) fn column<'a, R, T>(rows: &'a [R], value: impl FnMut(&'a R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

async fn write_messages(
    tx: &mut PgConnection,
    generation: Generation,
    rows: &[MessageRow],
) -> Result<(), sqlx::Error> {
    let statement = "INSERT INTO {schema}.messages (space, message, channel, person, native_id, \
            name, text, bot, reply_to, mentions, sent_at, revision, edited_at, redacted_at) \
         SELECT space, message, channel, person, native_id, name, text, bot, reply_to, \
            mentions::uuid[], sent_at, revision, edited_at, redacted_at \
         FROM unnest($1::text[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], \
            $7::text[], $8::boolean[], $9::uuid[], $10::text[], $11::timestamptz[], \
            $12::bigint[], $13::timestamptz[], $14::timestamptz[]) \
         AS n (space, message, channel, person, native_id, name, text, bot, reply_to, mentions, \
            sent_at, revision, edited_at, redacted_at) \
         ON CONFLICT (space, message) DO UPDATE SET channel = excluded.channel, \
            person = excluded.person, native_id = excluded.native_id, name = excluded.name, \
            text = excluded.text, bot = excluded.bot, reply_to = excluded.reply_to, \
            mentions = excluded.mentions, sent_at = excluded.sent_at, \
            revision = excluded.revision, edited_at = excluded.edited_at, \
            redacted_at = excluded.redacted_at";
    sqlx::query(&of(statement, generation))
        .bind(column(rows, |r| r.space.as_str()))
        .bind(column(rows, |r| r.message.as_uuid()))
        .bind(column(rows, |r| r.channel.as_str()))
        .bind(column(rows, |r| r.person.map(|p| p.as_uuid())))
        .bind(column(rows, |r| r.native_id.as_deref()))
        .bind(column(rows, |r| r.name.as_deref()))
        .bind(column(rows, |r| r.text.as_deref()))
        .bind(column(rows, |r| r.bot))
        .bind(column(rows, |r| r.reply_to.map(|m| m.as_uuid())))
        .bind(column(rows, |r| array_literal(&r.mentions)))
        .bind(column(rows, |r| r.sent_at.map(Moment)))
        .bind(column(rows, |r| r.revision))
        .bind(column(rows, |r| r.edited_at.map(Moment)))
        .bind(column(rows, |r| r.redacted_at.map(Moment)))
        .execute(tx)
        .await?;
    Ok(())
}

async fn write_reactions(
    tx: &mut PgConnection,
    generation: Generation,
    rows: &[ReactionRow],
) -> Result<(), sqlx::Error> {
    let statement = "INSERT INTO {schema}.reactions (space, message, person, emoji, channel, at) \
         SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], \
            $6::timestamptz[]) \
         ON CONFLICT (space, message, person, emoji) \
         DO UPDATE SET channel = excluded.channel, at = excluded.at";
    sqlx::query(&of(statement, generation))
        .bind(column(rows, |r| r.space.as_str()))
        .bind(column(rows, |r| r.message.as_uuid()))
        .bind(column(rows, |r| r.person.as_uuid()))
        .bind(column(rows, |r| r.emoji.as_str()))
        .bind(column(rows, |r| r.channel.as_str()))
        .bind(column(rows, |r| Moment(r.at)))
        .execute(tx)
        .await?;
    Ok(())
}

async fn delete_reactions(
    tx: &mut PgConnection,
    generation: Generation,
    keys: &Keys,
) -> Result<(), sqlx::Error> {
    let statement = "DELETE FROM {schema}.reactions t \
         USING unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[]) \
            AS k (k_space, k_message, k_person, k_emoji) \
         WHERE t.space = k.k_space AND t.message = k.k_message \
         AND t.person = k.k_person AND t.emoji = k.k_emoji";
    sqlx::query(&of(statement, generation))
        .bind(&keys.spaces)
        .bind(&keys.ids)
        .bind(&keys.people)
        .bind(&keys.texts)
        .execute(tx)
        .await?;
    Ok(())
}

async fn write_channels(
    tx: &mut PgConnection,
    generation: Generation,
    rows: &[ChannelRow],
) -> Result<(), sqlx::Error> {
    let statement = "INSERT INTO {schema}.channels (space, channel, admins, configured_at) \
         SELECT space, channel, admins::uuid[], configured_at \
         FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) \
            AS n (space, channel, admins, configured_at) \
         ON CONFLICT (space, channel) \
         DO UPDATE SET admins = excluded.admins, configured_at = excluded.configured_at";
    sqlx::query(&of(statement, generation))
        .bind(column(rows, |r| r.space.as_str()))
        .bind(column(rows, |r| r.channel.as_str()))
        .bind(column(rows, |r| array_literal(&r.admins)))
        .bind(column(rows, |r| Moment(r.configured_at)))
        .execute(tx)
        .await?;
    Ok(())
}

async fn write_vectors(
    tx: &mut PgConnection,
    generation: Generation,
    rows: &[VectorRow],
) -> Result<(), sqlx::Error> {
    let statement = "INSERT INTO {schema}.vectors \
            (space, case_id, model, source, vector, computed_at) \
         SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::bytea[], $5::bytea[], \
            $6::timestamptz[]) \
         ON CONFLICT (space, case_id, model, source) \
         DO UPDATE SET vector = excluded.vector, computed_at = excluded.computed_at";
    sqlx::query(&of(statement, generation))
        .bind(column(rows, |r| r.space.as_str()))
        .bind(column(rows, |r| r.case.as_uuid()))
        .bind(column(rows, |r| r.model.as_str()))
        .bind(column(rows, |r| r.source.as_slice()))
        .bind(column(rows, |r| r.vector.as_slice()))
        .bind(column(rows, |r| Moment(r.computed_at)))
        .execute(&mut *tx)
        .await?;
    Ok(())
}

/// Marks the cases of vectors in every build of cases, if these vectors are the live
/// ones, whose points are made of them. No build is dropped meanwhile.
async fn mark_everywhere(
    tx: &mut PgConnection,
    vectors: Generation,
    rows: impl Iterator<Item = &VectorRow>,
) -> Result<(), sqlx::Error> {
    let statement = "SELECT g.number FROM lore.generations g \
         JOIN lore.live l ON l.projection = 'vectors' AND l.generation = $1::bigint \
         WHERE g.projection = 'cases' ORDER BY g.number FOR SHARE OF g";
    let builds: Vec<i32> = sqlx::query_scalar(statement)
        .bind(i64::from(vectors.number))
        .fetch_all(&mut *tx)
        .await?;
    let mut cases: Vec<_> = rows.map(|r| (&r.space, r.case)).collect();
    cases.sort_unstable();
    cases.dedup();
    let mut keys = Keys::default();
    for (space, case) in cases {
        keys.push(space, case.as_uuid());
    }
    for number in builds {
        let build = Generation {
            projection: Projection::Cases,
            number: number.unsigned_abs(),
        };
        mark(tx, build, &keys).await?;
    }
    Ok(())
}

/// Adds new cases with their evidence and confirmations.
async fn copy_cases(
    tx: &mut PgConnection,
    generation: Generation,
    rows: &[Case],
) -> Result<(), sqlx::Error> {
    let evidence = Copied::of::<EvidenceRow>(rows.iter().flat_map(evidence_rows));
    let confirmations = rows.iter().flat_map(confirmation_rows);
    let confirmations = Copied::of::<ConfirmationRow>(confirmations);
    for copied in [Copied::of::<Case>(rows), evidence, confirmations] {
        copy(tx, generation, copied).await?;
    }
    Ok(())
}

async fn write_cases(
    tx: &mut PgConnection,
    generation: Generation,
    rows: &[Case],
) -> Result<(), sqlx::Error> {
    let statement = "INSERT INTO {schema}.cases (space, case_id, channel, version, title, \
            problem, solution, tags, signal, closing_emoji, engine, opened_at, solved_at, \
            archived_at, changed_at, erased_at, merged_into) \
         SELECT space, case_id, channel, version, title, problem, solution, tags::text[], signal, \
            closing_emoji, engine, opened_at, solved_at, archived_at, changed_at, \
            erased_at, merged_into \
         FROM unnest($1::text[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::text[], \
            $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::timestamptz[], \
            $13::timestamptz[], $14::timestamptz[], $15::timestamptz[], \
            $16::timestamptz[], $17::uuid[]) \
         AS n (space, case_id, channel, version, title, problem, solution, tags, signal, \
            closing_emoji, engine, opened_at, solved_at, archived_at, changed_at, \
            erased_at, merged_into) \
         ON CONFLICT (space, case_id) DO UPDATE SET channel = excluded.channel, \
            version = excluded.version, title = excluded.title, problem = excluded.problem, \
            solution = excluded.solution, tags = excluded.tags, signal = excluded.signal, \
            closing_emoji = excluded.closing_emoji, engine = excluded.engine, \
            opened_at = excluded.opened_at, solved_at = excluded.solved_at, \
            archived_at = excluded.archived_at, changed_at = excluded.changed_at, \
            erased_at = excluded.erased_at, merged_into = excluded.merged_into";
    sqlx::query(&of(statement, generation))
        .bind(column(rows, |r| r.space.as_str()))
        .bind(column(rows, |r| r.case.as_uuid()))
        .bind(column(rows, |r| r.channel.as_str()))
        .bind(column(rows, |r| r.version))
        .bind(column(rows, |r| r.title.as_deref()))
        .bind(column(rows, |r| r.problem.as_deref()))
        .bind(column(rows, |r| r.solution.as_deref()))
        .bind(column(rows, |r| array_literal(&r.tags)))
        .bind(column(rows, |r| r.signal.map(signal_name)))
        .bind(column(rows, |r| r.closing_emoji.as_deref()))
        .bind(column(rows, |r| r.engine.as_str()))
        .bind(column(rows, |r| Moment(r.opened_at)))
        .bind(column(rows, |r| r.solved_at.map(Moment)))
        .bind(column(rows, |r| r.archived_at.map(Moment)))
        .bind(column(rows, |r| Moment(r.changed_at)))
        .bind(column(rows, |r| r.erased_at.map(Moment)))
        .bind(column(rows, |r| r.merged_into.map(|id| id.as_uuid())))
        .execute(&mut *tx)
        .await?;
    write_evidence(tx, generation, rows).await?;
    write_confirmations(tx, generation, rows).await
}

/// Marks cases whose points are to be made again.
pub(crate) async fn mark(
    tx: &mut PgConnection,
    build: Generation,
    cases: &Keys,
) -> Result<(), sqlx::Error> {
    let statement = "INSERT INTO {schema}.unindexed (space, case_id) \
         SELECT * FROM unnest($1::text[], $2::uuid[]) \
         ON CONFLICT (space, case_id) DO UPDATE SET mark = excluded.mark";
    sqlx::query(&of(statement, build))
        .bind(&cases.spaces)
        .bind(&cases.ids)
        .execute(tx)
        .await?;
    Ok(())
}

fn keys_of<'a>(cases: impl IntoIterator<Item = &'a Case>) -> Keys {
    let mut keys = Keys::default();
    for case in cases {
        keys.push(&case.space, case.case.as_uuid());
    }
    keys
}

/// Deletes the rows of cases in one table of a build; does nothing without cases.
async fn delete_of_cases(
    tx: &mut PgConnection,
    build: Generation,
    table: &str,
    cases: &Keys,
) -> Result<(), sqlx::Error> {
    if cases.spaces.is_empty() {
        return Ok(());
    }
    let statement = format!(
        "DELETE FROM {{schema}}.{table} t \
         USING unnest($1::text[], $2::uuid[]) AS k (k_space, k_id) \
         WHERE t.space = k.k_space AND t.case_id = k.k_id"
    );
    sqlx::query(&of(&statement, build))
        .bind(&cases.spaces)
        .bind(&cases.ids)
        .execute(tx)
        .await?;
    Ok(())
}

async fn write_evidence(
    tx: &mut PgConnection,
    generation: Generation,
    cases: &[Case],
) -> Result<(), sqlx::Error> {
    let erased = keys_of(cases.iter().filter(|case| case.erased_at.is_some()));
    delete_of_cases(tx, generation, "case_evidence", &erased).await?;
    // Otherwise evidence is only added to, at the end; a part may be raised.
    let rows: Vec<EvidenceRow> = cases.iter().flat_map(evidence_rows).collect();
    let statement = "INSERT INTO {schema}.case_evidence AS t \
             (space, case_id, position, message, part, revision) \
         SELECT * FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::uuid[], $5::text[], \
             $6::bigint[]) \
         ON CONFLICT (space, case_id, position) DO UPDATE SET \
             part = excluded.part, revision = excluded.revision \
         WHERE (t.part, t.revision) <> (excluded.part, excluded.revision)";
    sqlx::query(&of(statement, generation))
        .bind(column(&rows, |r| r.space.as_str()))
        .bind(column(&rows, |r| r.case.as_uuid()))
        .bind(column(&rows, |r| r.position))
        .bind(column(&rows, |r| r.evidence.message.as_uuid()))
        .bind(column(&rows, |r| part_name(r.evidence.part)))
        .bind(column(&rows, |r| r.evidence.revision))
        .execute(tx)
        .await?;
    Ok(())
}

async fn write_confirmations(
    tx: &mut PgConnection,
    generation: Generation,
    cases: &[Case],
) -> Result<(), sqlx::Error> {
    delete_of_cases(tx, generation, "case_confirmations", &keys_of(cases)).await?;
    let rows: Vec<ConfirmationRow> = cases.iter().flat_map(confirmation_rows).collect();
    let statement = "INSERT INTO {schema}.case_confirmations \
            (space, case_id, message, person, emoji) \
         SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[])";
    sqlx::query(&of(statement, generation))
        .bind(column(&rows, |r| r.space.as_str()))
        .bind(column(&rows, |r| r.case.as_uuid()))
        .bind(column(&rows, |r| r.confirmation.message.as_uuid()))
        .bind(column(&rows, |r| r.confirmation.person.as_uuid()))
        .bind(column(&rows, |r| r.confirmation.emoji.as_str()))
        .execute(tx)
        .await?;
    Ok(())
}
