//! The point of a case in the index: a pure function of the case's row.

use sha2::{Digest as _, Sha256};
use threadlore_model::{Case, Point, PointRow, Status, TERMS_VERSION, document_terms};

use crate::table::table;
use threadlore_model::text_of_case;

/// The point of a case as it is now. `None` for a case that cannot be found: it is archived,
/// merged or erased, or has no words.
#[must_use]
pub fn point_of(case: &Case) -> Option<Point> {
    let solved = match case.status() {
        Status::Solved => true,
        Status::Open => false,
        Status::Archived | Status::Merged | Status::Erased => return None,
    };
    let text = text_of_case(case)?;
    let row = PointRow {
        space: case.space.clone(),
        case: case.case,
        channel: case.channel.clone(),
        solved,
        source: source(&text),
    };
    Some(Point {
        row,
        terms: document_terms(&text),
        dense: None,
    })
}

/// The hash of the text and of the version of the terms that the vectors are made with.
fn source(text: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(TERMS_VERSION.to_be_bytes());
    hash.update(text);
    hash.finalize().into()
}

/// Gives a point the vector that a model made of its text. The point's source then depends on the
/// model, so that it differs from a point without the vector and from one of another model.
pub fn add_vector(point: &mut Point, model: &str, vector: Vec<f32>) {
    let mut hash = Sha256::new();
    hash.update(point.row.source);
    hash.update(model);
    point.row.source = hash.finalize().into();
    point.dense = Some(vector);
}

table!(PointRow: "points", key [space, case = "case_id"], columns [channel, solved, source]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold_case;
    use crate::testing::{opened, solved};

    fn folded(event: &threadlore_model::Event) -> Case {
        let mut case = None;
        fold_case(&mut case, event);
        case.expect("the event opens it")
    }

    fn open_case() -> Case {
        folded(&opened(1, &[1]))
    }

    fn solved_case() -> Case {
        folded(&solved(1, &[1]))
    }

    #[test]
    fn a_live_case_has_a_point() {
        let open = point_of(&open_case()).expect("live");
        assert!(!open.row.solved);
        assert!(!open.terms.is_empty());
        let solved = point_of(&solved_case()).expect("live");
        assert!(solved.row.solved);
        assert_ne!(
            open.row.source, solved.row.source,
            "the solution is new text"
        );
    }

    #[test]
    fn what_changes_no_word_changes_no_source() {
        let (before, mut case) = (point_of(&solved_case()), solved_case());
        case.version += 1;
        case.evidence.clear();
        assert_eq!(before, point_of(&case));
    }

    #[test]
    fn a_vector_is_said_with_its_model() {
        let without = point_of(&solved_case()).expect("live");
        let of_model = |model| {
            let mut point = without.clone();
            add_vector(&mut point, model, vec![1.0]);
            point
        };
        assert_eq!(of_model("m/1"), of_model("m/1"));
        assert_ne!(of_model("m/1").row, of_model("m/2").row);
        assert_ne!(of_model("m/1").row, without.row);
    }

    #[test]
    fn what_left_the_live_set_has_none() {
        let mut archived = solved_case();
        archived.archived_at = Some(archived.changed_at);
        assert_eq!(point_of(&archived), None);
        let mut merged = solved_case();
        merged.merged_into = Some(merged.case);
        assert_eq!(point_of(&merged), None);
        let mut erased = solved_case();
        erased.erased_at = Some(erased.changed_at);
        assert_eq!(point_of(&erased), None);
    }
}
