use std::collections::BTreeMap;

use super::{Digest, Value, merge};
use crate::testing::{confirmed, opened, solved};
use threadlore_model::Projection;

use crate::{ChildRow as _, EvidenceRow, Row, Rows};

fn row(events: &[threadlore_model::Event]) -> Row {
    let mut rows = Rows::of(Projection::Cases, []);
    for event in events {
        rows.fold(event);
    }
    let mut changed = rows.into_changed();
    changed.remove(0).row.expect("the case exists")
}

fn digest(rows: &[&Row]) -> BTreeMap<&'static str, Digest> {
    let mut tables = BTreeMap::new();
    rows.iter().for_each(|row| row.digest(&mut tables));
    tables
}

#[test]
fn digests_do_not_depend_on_order_and_see_every_table() {
    let (a, b) = (
        row(&[opened(1, &[1, 2]), confirmed(2, 1, "👍")]),
        row(&[solved(9, &[3])]),
    );
    assert_eq!(digest(&[&a, &b]), digest(&[&b, &a]));
    let tables = digest(&[&a, &b]);
    assert_eq!(tables["cases"].rows(), 2);
    assert_eq!(tables["case_evidence"].rows(), 3);
    assert_eq!(tables["case_confirmations"].rows(), 1);
    assert_ne!(digest(&[&a]), digest(&[&b]));
    assert_eq!(tables["cases"].hex().len(), 64);
}

#[test]
fn addition_carries_and_wraps() {
    let mut all = Digest {
        rows: 0,
        sum: [0xff; 32],
    };
    let mut zero = Digest::default();
    let Row::Case(case) = row(&[opened(1, &[1])]) else {
        panic!("a case");
    };
    all.add(&case);
    zero.add(&case);
    // Adding 2^256 - 1 is subtracting one.
    let mut expected = zero.sum;
    for byte in expected.iter_mut().rev() {
        let (less, borrow) = byte.overflowing_sub(1);
        *byte = less;
        if !borrow {
            break;
        }
    }
    assert_eq!(all.sum, expected);
}

#[test]
fn values_of_different_shape_read_differently() {
    let bytes = |values: &[Value<'_>]| {
        let mut out = Vec::new();
        values.iter().for_each(|v| v.write(&mut out));
        out
    };
    assert_ne!(
        bytes(&[Value::Text("ab"), Value::Text("c")]),
        bytes(&[Value::Text("a"), Value::Text("bc")])
    );
    assert_ne!(bytes(&[Value::Null]), bytes(&[Value::Text("")]));
    assert_ne!(bytes(&[Value::Int(1)]), bytes(&[Value::Time(1)]));
}

#[test]
fn differences_name_table_row_and_column() {
    let a = row(&[opened(1, &[1, 2])]);
    let Row::Case(mut altered) = a.clone() else {
        panic!("a case");
    };
    altered.title = Some("another".into());
    altered.evidence.pop();
    let found = Row::differences(Some(&a), Some(&Row::Case(altered)));
    let found: Vec<_> = found.iter().map(|d| (d.table, d.column)).collect();
    assert_eq!(found, [("cases", "title"), ("case_evidence", "*")]);
    assert!(Row::differences(Some(&a), Some(&a)).is_empty());
    assert_eq!(Row::differences(None, Some(&a)).len(), 3);
}

#[test]
fn merging_finds_rows_that_only_one_side_has() {
    let (Row::Case(a), Row::Case(b)) = (row(&[opened(1, &[1, 2, 3])]), row(&[opened(1, &[1, 9])]))
    else {
        panic!("cases");
    };
    let found = merge(EvidenceRow::of(&a), EvidenceRow::of(&b));
    let found: Vec<_> = found.iter().map(|d| d.column).collect();
    assert_eq!(found, ["message", "*"]);
}
