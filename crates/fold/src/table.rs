//! Tables as lists of columns. [`table!`] is the one place that spells the columns of a row type:
//! digests, comparisons, SELECT lists, inserts and updates are made of its list. The DDL in
//! `crates/store-postgres/src/sql` names them once more, with what only a database knows.

use crate::{ColumnType, Kind, Value};

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
}

/// A table of a projection.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// How many of the columns, from the first on, are the primary key.
    pub key: usize,
    /// All columns, always in this order.
    pub columns: &'static [Column],
}

impl Table {
    /// The columns of the primary key.
    #[must_use]
    pub fn key_columns(&self) -> &'static [Column] {
        &self.columns[..self.key]
    }
}

/// A row of one table.
pub trait TableRow: Sized {
    /// The table.
    const TABLE: &'static Table;

    /// The values of its columns, in the table's order.
    fn values(&self) -> Vec<Value<'_>>;

    /// The row of these values.
    ///
    /// # Errors
    /// The name of the first column whose value is missing or of no row.
    fn read(values: &[Value<'_>]) -> Result<Self, &'static str>;
}

impl<R: TableRow> TableRow for Box<R> {
    const TABLE: &'static Table = R::TABLE;
    fn values(&self) -> Vec<Value<'_>> {
        (**self).values()
    }
    fn read(values: &[Value<'_>]) -> Result<Self, &'static str> {
        R::read(values).map(Self::new)
    }
}

/// Implements [`TableRow`]: the columns of the key, then the others. A column is a field of the
/// row type, with the same name unless one is given (`case = "case_id"`). Fields after `without`
/// are read from child tables, and are empty at first.
macro_rules! table {
    (
        $row:ident: $table:literal,
        key [$($key:ident $(= $key_name:literal)?),+ $(,)?],
        columns [$($field:ident $(= $name:literal)?),* $(,)?]
        $(, without [$($rest:ident),+])?
    ) => {
        impl $crate::TableRow for $row {
            const TABLE: &'static $crate::Table = &$crate::Table {
                name: $table,
                key: [$(stringify!($key)),+].len(),
                columns: &[
                    $($crate::table::column(
                        $crate::table::name_of!($key $($key_name)?), |row: &Self| &row.$key
                    ),)+
                    $($crate::table::column(
                        $crate::table::name_of!($field $($name)?), |row: &Self| &row.$field
                    ),)*
                ],
            };

            fn values(&self) -> Vec<$crate::Value<'_>> {
                vec![
                    $($crate::ColumnType::value(&self.$key),)+
                    $($crate::ColumnType::value(&self.$field),)*
                ]
            }

            fn read(values: &[$crate::Value<'_>]) -> Result<Self, &'static str> {
                let mut values = values.iter();
                Ok(Self {
                    $($key: $crate::table::next(
                        &mut values, $crate::table::name_of!($key $($key_name)?)
                    )?,)+
                    $($field: $crate::table::next(
                        &mut values, $crate::table::name_of!($field $($name)?)
                    )?,)*
                    $($($rest: Default::default(),)+)?
                })
            }
        }
    };
}

macro_rules! name_of {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}

pub(crate) use {name_of, table};

/// A column of the type that a field has.
pub(crate) const fn column<R, T: ColumnType>(name: &'static str, _field: fn(&R) -> &T) -> Column {
    Column {
        name,
        kind: T::KIND,
    }
}

/// The next field of a row.
pub(crate) fn next<'a, 'b: 'a, T: ColumnType>(
    values: &mut impl Iterator<Item = &'a Value<'b>>,
    field: &'static str,
) -> Result<T, &'static str> {
    values.next().and_then(T::read).ok_or(field)
}
