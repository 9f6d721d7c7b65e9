use threadlore_model::{
    Private, Projection, VectorComputed, source_text, vector_source, vector_text,
};

use super::*;
use crate::testing::{at, case_id, channel, event};
use crate::{Row, Rows, refusal, touched};

fn computed(text: &str, vector: &[f32]) -> VectorComputed {
    VectorComputed {
        case: case_id(),
        channel: channel(),
        model: "m/1".to_owned(),
        source: Private::open(source_text(&vector_source(text))),
        vector: Private::open(vector_text(vector)),
        now: at(5),
    }
}

fn folded(bodies: &[VectorComputed]) -> Vec<Row> {
    let mut rows = Rows::of(Projection::Vectors, []);
    for body in bodies {
        rows.fold(&event(body.clone()));
    }
    let changed = rows.into_changed().into_iter();
    changed.filter_map(|change| change.row).collect()
}

#[test]
fn each_text_and_model_has_its_row_and_the_last_vector_stands() {
    let other_model = VectorComputed {
        model: "m/2".to_owned(),
        ..computed("a", &[3.0])
    };
    let rows = folded(&[
        computed("a", &[1.0]),
        computed("b", &[2.0]),
        other_model,
        computed("a", &[4.0, 5.0]),
    ]);
    assert_eq!(rows.len(), 3);
    let again = rows.iter().find_map(|row| match row {
        Row::Vector(row) if row.model == "m/1" && row.source == vector_source("a") => {
            Some(row.vector.clone())
        }
        _ => None,
    });
    assert_eq!(again, Some(vector_bytes(&[4.0, 5.0])));
}

#[test]
fn a_repeat_changes_nothing() {
    let mut row = None;
    let event = event(computed("a", &[1.0]));
    assert_eq!(fold_vector(&mut row, &event), Folded::Changed);
    let folded = fold_vector(&mut row, &event);
    assert!(matches!(folded, Folded::Unchanged(_)));
}

#[test]
fn of_an_erased_case_no_row_is_made() {
    let erased = VectorComputed {
        source: Private::Erased,
        vector: Private::Erased,
        ..computed("a", &[1.0])
    };
    assert_eq!(touched(Projection::Vectors, &event(erased.clone())), None);
    assert_eq!(refusal(Projection::Vectors, &event(erased.clone())), None);
    assert_eq!(folded(&[erased]), []);
}

#[test]
fn what_is_no_vector_is_refused() {
    let good = computed("a", &[1.0]);
    assert_eq!(refusal(Projection::Vectors, &event(good.clone())), None);
    let no_vector = VectorComputed {
        vector: Private::open("AAAA"),
        ..good.clone()
    };
    let no_source = VectorComputed {
        source: Private::open("a"),
        ..good.clone()
    };
    let sealed = VectorComputed {
        vector: Private::Sealed(vec![1; 40]),
        ..good
    };
    for bad in [no_vector, no_source, sealed] {
        assert!(refusal(Projection::Vectors, &event(bad)).is_some());
    }
}

#[test]
fn a_model_with_a_long_name_fits_into_a_key() {
    let long = VectorComputed {
        model: "é\0".repeat(400),
        ..computed("a", &[1.0])
    };
    let (model, _) = vector_key(&long).expect("a key");
    assert!(model.len() <= 256 && !model.contains('\0'), "{model}");
}
