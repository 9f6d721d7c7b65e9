//! How every store folds a batch: find the rows that the events touch, load them, fold in order in
//! memory, write the changed rows.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};
use threadlore_model::{Case, Event, Projection, projections};

// All row types, so that the table of tables can name any of them.
use crate::*;

/// How events are folded. It is raised whenever the same events give other rows in the same tables: then the
/// builds of the version before are another layout's.
const FOLDING: u32 = 1;

/// What the builds of a projection have in common: their tables, and how events are folded into them.
#[must_use]
pub fn layout(sql: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(FOLDING.to_be_bytes());
    hash.update(sql);
    let first = hash.finalize().into_iter().take(8);
    first.map(|byte| format!("{byte:02x}")).collect()
}

/// A row that events are folded into: a type that the table of tables names.
pub trait ProjectedRow: TableRow {
    /// The row's key: the first columns of its table.
    type Key: Key;

    /// The key of the row that the event touches; `None` where it touches none of this type.
    fn touched(event: &Event) -> Option<Self::Key>;

    /// The row's key.
    fn key(&self) -> Self::Key;

    /// Folds an event into the row that it touches.
    fn fold(row: &mut Option<Self>, event: &Event) -> Folded;

    /// Why an event of the projection's topic cannot be folded; `None` when it can.
    fn refusal(_event: &Event) -> Option<&'static str> {
        None
    }
}

/// A row that belongs to a row of another table, and is folded, written and deleted with it. Its
/// columns begin with those of its parent's key.
pub trait ChildRow: TableRow {
    /// The row that it belongs to.
    type Parent;

    /// The rows of a parent, ascending by key.
    fn of(parent: &Self::Parent) -> impl Iterator<Item = Self>;

    /// Adds the row to its parent. Rows of one parent are added ascending by key.
    fn add_to(self, parent: &mut Self::Parent);
}

/// A key: some values of columns.
pub trait Key {
    /// The values in the order of the columns.
    fn values(&self) -> Vec<Value<'_>>;
}

macro_rules! keys {
    ($($name:ident),+) => {
        impl<$($name: ColumnType),+> Key for ($($name,)+) {
            fn values(&self) -> Vec<Value<'_>> {
                #[expect(non_snake_case, reason = "each field has the name of its type")]
                let ($($name,)+) = self;
                vec![$($name.value()),+]
            }
        }
    };
}
keys!(A, B);
keys!(A, B, C);
keys!(A, B, C, D);

/// The tables of a row: its own and those of its children.
#[derive(Debug, Clone, Copy)]
pub struct RowTables {
    /// Its own.
    pub table: &'static Table,
    /// Those of its children.
    pub children: &'static [&'static Table],
}

macro_rules! rows {
    ($($(#[$doc:meta])* $projection:ident $name:literal from $topic:ident {
        $($kind:ident($row:ty $(: $($child:ident),+)?)),+
    })+) => {
        /// Names one row of a projection. An event touches at most one row of each.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "each variant is named after the row that has the key")]
        pub enum RowKey { $($($kind(<$row as ProjectedRow>::Key)),+),+ }

        impl RowKey {
            /// The table of the row.
            #[must_use]
            pub fn table(&self) -> &'static Table {
                match self { $($(Self::$kind(_) => <$row as TableRow>::TABLE),+),+ }
            }

            /// The values of the key's columns.
            #[must_use]
            pub fn values(&self) -> Vec<Value<'_>> {
                match self { $($(Self::$kind(key) => key.values()),+),+ }
            }
        }

        /// One row of a projection, with its children.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each variant is named after the row that it holds")]
        pub enum Row { $($($kind($row)),+),+ }

        impl Row {
            /// The row's key.
            #[must_use]
            pub fn key(&self) -> RowKey {
                match self { $($(Self::$kind(row) => RowKey::$kind(row.key())),+),+ }
            }

            /// Shows the values of the row in its table, then of its children in theirs.
            pub fn each(&self, mut show: impl FnMut(&'static Table, &[Value<'_>])) {
                match self { $($(Self::$kind(row) => {
                    show(<$row as TableRow>::TABLE, &row.values());
                    $($(for child in $child::of(row) {
                        show($child::TABLE, &child.values());
                    })+)?
                })+)+ }
            }

            /// The row of a table that has these values, without children.
            ///
            /// # Errors
            /// The name of a column that has no value of such a row.
            pub fn read(table: &Table, values: &[Value<'_>]) -> Result<Self, &'static str> {
                $($(if table == <$row as TableRow>::TABLE {
                    return <$row as TableRow>::read(values).map(Self::$kind);
                })+)+
                Err("of another table")
            }

            /// Adds the child that has these values in a table of children.
            ///
            /// # Errors
            /// The name of a column that has no value of such a child.
            pub fn add_child(
                &mut self,
                table: &Table,
                values: &[Value<'_>],
            ) -> Result<(), &'static str> {
                $($($($(if let (true, Self::$kind(row)) = (table == $child::TABLE, &mut *self) {
                    $child::read(values)?.add_to(row);
                    return Ok(());
                })+)?)+)+
                Err("of another table")
            }

            /// The differences between two rows of one key; one of the rows may be missing.
            #[must_use]
            pub fn differences(a: Option<&Self>, b: Option<&Self>) -> Vec<Difference> {
                let mut found = Vec::new();
                match a.or(b) {
                    None => {}
                    $($(Some(Self::$kind(_)) => {
                        fn of(row: Option<&Row>) -> Option<&$row> {
                            match row {
                                Some(Row::$kind(row)) => Some(row),
                                _ => None,
                            }
                        }
                        let (a, b) = (of(a), of(b));
                        let values = (a.map(TableRow::values), b.map(TableRow::values));
                        let (left, right) = (values.0.as_deref(), values.1.as_deref());
                        found.extend(differences(<$row as TableRow>::TABLE, left, right));
                        $($(found.extend(merge(
                            a.into_iter().flat_map(|row| $child::of(row)),
                            b.into_iter().flat_map(|row| $child::of(row)),
                        ));)+)?
                    })+)+
                }
                found
            }
        }

        /// The rows of a projection with their tables.
        #[must_use]
        pub const fn rows_of(projection: Projection) -> &'static [RowTables] {
            match projection { $(Projection::$projection => &[$(RowTables {
                table: <$row as TableRow>::TABLE,
                children: &[$($($child::TABLE),+)?],
            }),+]),+ }
        }

        /// The row of a projection that an event touches; `None` for an event that touches none,
        /// as the vector of an erased case.
        #[must_use]
        pub fn touched(projection: Projection, event: &Event) -> Option<RowKey> {
            match projection { $(Projection::$projection => None
                $(.or_else(|| <$row>::touched(event).map(RowKey::$kind)))+
            ),+ }
        }

        fn refusal_of_rows(projection: Projection, event: &Event) -> Option<&'static str> {
            match projection { $(Projection::$projection => None
                $(.or_else(|| <$row>::refusal(event)))+
            ),+ }
        }

        /// Folds an event into its row. The row is always of the key's kind, because rows are
        /// stored under their own key.
        fn fold_row(row: &mut Option<Row>, key: &RowKey, event: &Event) -> Folded {
            match key { $($(RowKey::$kind(_) => {
                let mut inner = match row.take() {
                    Some(Row::$kind(inner)) => Some(inner),
                    _ => None,
                };
                let folded = <$row>::fold(&mut inner, event);
                *row = inner.map(Row::$kind);
                folded
            })+)+ }
        }
    };
}
projections!(rows);

impl Row {
    /// Adds the row to the digests of its tables.
    pub fn digest(&self, tables: &mut BTreeMap<&'static str, Digest>) {
        self.each(|table, values| {
            let digest = tables.entry(table.name).or_default();
            digest.add_values(table, values);
        });
    }
}

/// All tables of a projection.
pub fn tables(projection: Projection) -> impl Iterator<Item = &'static Table> {
    let all = |row: &'static RowTables| [row.table].into_iter().chain(row.children.iter().copied());
    rows_of(projection).iter().flat_map(all)
}

/// Why an event cannot be folded into a projection; `None` when it can.
#[must_use]
pub fn refusal(projection: Projection, event: &Event) -> Option<&'static str> {
    if event.body.topic() != Some(projection.topic()) {
        Some("it is of another topic than the projection's")
    } else if event.body.is_sealed() {
        // Its text would count as erased.
        Some("a private field is still sealed")
    } else {
        refusal_of_rows(projection, event)
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

/// Rows of a projection in memory while a batch is folded.
#[derive(Debug)]
pub struct Rows {
    projection: Projection,
    rows: BTreeMap<RowKey, Row>,
    stored: BTreeSet<RowKey>,
    changed: BTreeSet<RowKey>,
}

impl Rows {
    /// Starts from the stored rows that the batch touches. A touched row that is
    /// not given does not exist.
    #[must_use]
    pub fn of(projection: Projection, stored: impl IntoIterator<Item = Row>) -> Self {
        let rows: BTreeMap<RowKey, Row> = stored.into_iter().map(|row| (row.key(), row)).collect();
        Self {
            projection,
            stored: rows.keys().cloned().collect(),
            rows,
            changed: BTreeSet::new(),
        }
    }

    /// Folds one event into the row it touches.
    pub fn fold(&mut self, event: &Event) -> Folded {
        let Some(key) = touched(self.projection, event) else {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{confirmed, opened};

    #[test]
    fn a_key_is_the_first_columns_of_its_row_and_of_its_children() {
        let mut rows = Rows::of(Projection::Cases, []);
        rows.fold(&opened(1, &[1, 2]));
        rows.fold(&confirmed(2, 1, "👍"));
        let changed = rows.into_changed();
        let row = changed[0].row.as_ref().expect("the case exists");
        let key = row.key();
        row.each(|_, values| assert!(values.starts_with(&key.values())));
    }

    #[test]
    fn a_row_is_read_back_from_its_values() {
        let mut rows = Rows::of(Projection::Cases, []);
        rows.fold(&opened(1, &[1, 2]));
        rows.fold(&confirmed(2, 1, "👍"));
        let row = rows.into_changed().remove(0).row.expect("the case exists");
        let mut back: Option<Row> = None;
        row.each(|table, values| match &mut back {
            None => back = Row::read(table, values).ok(),
            Some(back) => back.add_child(table, values).expect("a child"),
        });
        assert_eq!(back, Some(row));
        let bad = Row::read(
            rows_of(Projection::Cases)[0].table,
            &[Value::Text("acme"), Value::Null],
        );
        assert_eq!(bad, Err("case_id"));
    }

    #[test]
    fn columns_of_children_begin_with_the_key_of_their_parent() {
        for projection in Projection::ALL {
            for row in rows_of(projection) {
                for child in row.children {
                    assert!(child.columns.starts_with(row.table.key_columns()));
                }
            }
        }
    }
}
