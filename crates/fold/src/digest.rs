//! Digests of tables: SHA-256 of each canonical row, combined by addition modulo
//! 2^256, so that neither the order of rows nor the storage matters; and the
//! same columns compared one by one.
//!
//! A canonical row is the table's name and the values of its columns in the order of the table.

use std::cmp::Ordering;

use sha2::{Digest as _, Sha256};

use crate::{Table, TableRow, Value};

/// Digest of a table: the sum of its rows' SHA-256, modulo 2^256.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Digest {
    rows: u64,
    sum: [u8; 32],
}

impl Digest {
    /// Adds a row.
    pub fn add<R: TableRow>(&mut self, row: &R) {
        self.add_values(R::TABLE, &row.values());
    }

    /// Adds the row of a table that has these values.
    pub fn add_values(&mut self, table: &Table, values: &[Value<'_>]) {
        let mut bytes = Vec::with_capacity(256);
        Value::Text(table.name).write(&mut bytes);
        values.iter().for_each(|value| value.write(&mut bytes));
        let hash: [u8; 32] = Sha256::digest(&bytes).into();
        let mut carry = 0;
        for (byte, add) in self.sum.iter_mut().zip(hash).rev() {
            let sum = u16::from(*byte) + u16::from(add) + carry;
            *byte = (sum & 0xff) as u8;
            carry = sum >> 8;
        }
        self.rows += 1;
    }

    /// Rows added.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// The sum as 64 hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        self.sum.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A difference between two rows or two sorted tables: the row's key and the column, or `*` if the
/// whole row is missing on one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The table.
    pub table: &'static str,
    /// The key's values, joined by `/`.
    pub row: String,
    /// The column.
    pub column: &'static str,
}

/// The order of two rows of a table by their keys.
#[must_use]
pub fn by_key(table: &Table, a: &[Value<'_>], b: &[Value<'_>]) -> Ordering {
    a.iter().take(table.key).cmp(b.iter().take(table.key))
}

/// The differences between two rows of one key; one of the rows may be missing.
#[must_use]
pub fn differences(
    table: &'static Table,
    a: Option<&[Value<'_>]>,
    b: Option<&[Value<'_>]>,
) -> Vec<Difference> {
    let Some(values) = a.or(b) else {
        return Vec::new();
    };
    let key = values.iter().take(table.key);
    let row = key.map(Value::to_string).collect::<Vec<_>>().join("/");
    let at = |column| Difference {
        table: table.name,
        row: row.clone(),
        column,
    };
    match (a, b) {
        (Some(a), Some(b)) => {
            let pairs = table.columns.iter().zip(a.iter().zip(b));
            let differing = pairs.filter(|(_, (a, b))| a != b);
            differing.map(|(column, _)| at(column.name)).collect()
        }
        _ => vec![at("*")],
    }
}

/// The differences between two tables, each ascending by key.
pub fn merge<R: TableRow>(
    a: impl Iterator<Item = R>,
    b: impl Iterator<Item = R>,
) -> Vec<Difference> {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    let mut found = Vec::new();
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return found,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => by_key(R::TABLE, &a.values(), &b.values()),
        };
        let left = if order.is_le() { a.next() } else { None };
        let right = if order.is_ge() { b.next() } else { None };
        let left = left.as_ref().map(TableRow::values);
        let right = right.as_ref().map(TableRow::values);
        found.extend(differences(R::TABLE, left.as_deref(), right.as_deref()));
    }
}

#[cfg(test)]
mod tests;
