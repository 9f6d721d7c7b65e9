//! How every store folds a batch: find the rows that the events touch, load them, fold in order in
//! memory, write the changed rows.

use std::collections::{BTreeMap, BTreeSet};

use threadlore_model::{
    Body, Case, CaseId, ChannelId, Event, MessageId, PersonId, Private, SpaceId, Topic,
};

use crate::digest::differences;
use crate::text::clean_emoji;
use crate::vectors::{is_vector, vector_key};
use crate::{
    ChannelRow, Difference, Digest, Folded, MessageRow, ReactionRow, TableRow, VectorRow,
    confirmation_rows, evidence_rows, fold_case, fold_channel, fold_message, fold_reaction,
    fold_vector, merge,
};

/// Names one row of a projection. Every event touches at most one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKey {
    /// A message.
    Message(SpaceId, MessageId),
    /// A reaction: message, person, emoji.
    Reaction(SpaceId, MessageId, PersonId, String),
    /// A case with its evidence and confirmations.
    Case(SpaceId, CaseId),
    /// A channel.
    Channel(SpaceId, ChannelId),
    /// A vector: case, model, source.
    Vector(SpaceId, CaseId, String, [u8; 32]),
}

/// One row of a projection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A message.
    Message(MessageRow),
    /// A reaction.
    Reaction(ReactionRow),
    /// A case with its evidence and confirmations.
    Case(Box<Case>),
    /// A channel.
    Channel(ChannelRow),
    /// A vector.
    Vector(VectorRow),
}

impl Row {
    /// The row's key.
    #[must_use]
    pub fn key(&self) -> RowKey {
        match self {
            Self::Message(r) => RowKey::Message(r.space.clone(), r.message),
            Self::Reaction(r) => {
                RowKey::Reaction(r.space.clone(), r.message, r.person, r.emoji.clone())
            }
            Self::Case(r) => RowKey::Case(r.space.clone(), r.case),
            Self::Channel(r) => RowKey::Channel(r.space.clone(), r.channel.clone()),
            Self::Vector(r) => RowKey::Vector(r.space.clone(), r.case, r.model.clone(), r.source),
        }
    }

    /// Adds the row to the digests of its tables.
    pub fn digest(&self, tables: &mut BTreeMap<&'static str, Digest>) {
        fn add<R: TableRow>(tables: &mut BTreeMap<&'static str, Digest>, row: &R) {
            tables.entry(R::TABLE).or_default().add(row);
        }
        match self {
            Self::Message(r) => add(tables, r),
            Self::Reaction(r) => add(tables, r),
            Self::Case(r) => {
                add(tables, r.as_ref());
                evidence_rows(r).for_each(|row| add(tables, &row));
                confirmation_rows(r).for_each(|row| add(tables, &row));
            }
            Self::Channel(r) => add(tables, r),
            Self::Vector(r) => add(tables, r),
        }
    }

    /// The differences between two rows of one key; one of the rows may be missing.
    #[must_use]
    pub fn differences(a: Option<&Self>, b: Option<&Self>) -> Vec<Difference> {
        macro_rules! of {
            ($kind:ident) => {
                |row: Option<&Self>| match row {
                    Some(Self::$kind(r)) => Some(r.clone()),
                    _ => None,
                }
            };
        }
        let (message, reaction, case) = (of!(Message), of!(Reaction), of!(Case));
        let (channel, vector) = (of!(Channel), of!(Vector));
        let (case_a, case_b) = (case(a), case(b));
        let mut found = differences(message(a).as_ref(), message(b).as_ref());
        found.extend(differences(reaction(a).as_ref(), reaction(b).as_ref()));
        found.extend(differences(channel(a).as_ref(), channel(b).as_ref()));
        found.extend(differences(vector(a).as_ref(), vector(b).as_ref()));
        found.extend(differences(case_a.as_deref(), case_b.as_deref()));
        found.extend(merge(
            case_a.iter().flat_map(|c| evidence_rows(c)),
            case_b.iter().flat_map(|c| evidence_rows(c)),
        ));
        found.extend(merge(
            case_a.iter().flat_map(|c| confirmation_rows(c)),
            case_b.iter().flat_map(|c| confirmation_rows(c)),
        ));
        found
    }
}

/// The row that an event touches; `None` for events of no projection, and for the
/// vector of an erased case.
#[must_use]
pub fn touched(event: &Event) -> Option<RowKey> {
    let space = event.envelope.space.clone();
    Some(match &event.body {
        Body::MessagePosted(e) => RowKey::Message(space, e.message),
        Body::MessageEdited(e) => RowKey::Message(space, e.message),
        Body::MessageRedacted(e) => RowKey::Message(space, e.message),
        Body::ReactionAdded(e) => {
            RowKey::Reaction(space, e.message, e.person, clean_emoji(&e.emoji))
        }
        Body::ReactionRemoved(e) => {
            RowKey::Reaction(space, e.message, e.person, clean_emoji(&e.emoji))
        }
        Body::ChannelConfigured(e) => RowKey::Channel(space, e.channel.clone()),
        Body::VectorComputed(e) => {
            let (model, source) = vector_key(e)?;
            RowKey::Vector(space, e.case, model, source)
        }
        body => RowKey::Case(space, body.case()?),
    })
}

/// Whether a text for a row is still sealed. Such an event must not be folded, because its text
/// would count as erased.
#[must_use]
fn is_sealed(event: &Event) -> bool {
    let sealed = |field: &Private| matches!(field, Private::Sealed(_));
    match &event.body {
        Body::MessagePosted(e) => sealed(&e.text) || e.author_name.as_ref().is_some_and(sealed),
        Body::MessageEdited(e) => sealed(&e.text),
        Body::VectorComputed(e) => sealed(&e.source) || sealed(&e.vector),
        Body::CaseOpened(e) => sealed(&e.title) || sealed(&e.problem) || e.tags.iter().any(sealed),
        Body::CaseSolved(e) => {
            [&e.title, &e.problem, &e.solution].into_iter().any(sealed) || e.tags.iter().any(sealed)
        }
        _ => false,
    }
}

/// Why an event cannot be folded into the projection of `topic`; `None` when it can.
#[must_use]
pub fn refusal(topic: Topic, event: &Event) -> Option<&'static str> {
    if event.body.topic() != Some(topic) {
        Some("it is of another topic than the projection's")
    } else if is_sealed(event) {
        Some("a private field is still sealed")
    } else if matches!(&event.body, Body::VectorComputed(e) if !is_vector(e)) {
        Some("its source or its vector cannot be read")
    } else {
        None
    }
}

/// A row that a batch changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The row's key.
    pub key: RowKey,
    /// The row as it is now; `None` where it is gone.
    pub row: Option<Row>,
    /// Whether there was no such row before the batch.
    pub is_new: bool,
}

/// Rows in memory while a batch is folded.
#[derive(Debug, Default)]
pub struct Rows {
    rows: BTreeMap<RowKey, Row>,
    stored: BTreeSet<RowKey>,
    changed: BTreeSet<RowKey>,
}

impl Rows {
    /// Starts from the stored rows that the batch touches. A touched row that is
    /// not given does not exist.
    #[must_use]
    pub fn of(stored: impl IntoIterator<Item = Row>) -> Self {
        let rows: BTreeMap<RowKey, Row> = stored.into_iter().map(|row| (row.key(), row)).collect();
        Self {
            stored: rows.keys().cloned().collect(),
            rows,
            changed: BTreeSet::new(),
        }
    }

    /// Folds one event into the row it touches.
    pub fn fold(&mut self, event: &Event) -> Folded {
        let Some(key) = touched(event) else {
            return Folded::Unchanged("the event is of no row");
        };
        let mut row = self.rows.remove(&key);
        let folded = fold_row(&mut row, &key, event);
        if let Some(row) = row {
            self.rows.insert(key.clone(), row);
        }
        if folded == Folded::Changed {
            self.changed.insert(key);
        }
        folded
    }

    /// What changed, ascending by key. A row that came and went within the batch is no change.
    #[must_use]
    pub fn into_changed(mut self) -> Vec<Change> {
        let changed = std::mem::take(&mut self.changed).into_iter();
        let changes = changed.map(|key| Change {
            row: self.rows.remove(&key),
            is_new: !self.stored.contains(&key),
            key,
        });
        let changes = changes.filter(|change| change.row.is_some() || !change.is_new);
        changes.collect()
    }
}

/// Folds an event into its row. The row is always of the key's kind, because rows are stored under
/// their own key.
fn fold_row(row: &mut Option<Row>, key: &RowKey, event: &Event) -> Folded {
    macro_rules! fold_as {
        ($kind:ident, $fold:ident, $open:expr, $close:expr) => {{
            let mut inner = match row.take() {
                Some(Row::$kind(inner)) => Some($open(inner)),
                _ => None,
            };
            let folded = $fold(&mut inner, event);
            *row = inner.map(|inner| Row::$kind($close(inner)));
            folded
        }};
    }
    match key {
        RowKey::Message(..) => fold_as!(Message, fold_message, |r| r, |r| r),
        RowKey::Reaction(..) => fold_as!(Reaction, fold_reaction, |r| r, |r| r),
        RowKey::Case(..) => fold_as!(Case, fold_case, |r: Box<Case>| *r, Box::new),
        RowKey::Channel(..) => fold_as!(Channel, fold_channel, |r| r, |r| r),
        RowKey::Vector(..) => fold_as!(Vector, fold_vector, |r| r, |r| r),
    }
}
