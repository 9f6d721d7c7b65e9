//! Cases about the same problem.

use threadlore_language::retrieve::{Rarity, similar};
use threadlore_model::{CaseId, CaseMerged, MergeRequested, alike_terms};

use super::*;

/// A case about sound, its problem on the given line.
fn about_sound(line: usize, words: &str) -> Draft {
    Draft {
        problem: words.into(),
        ..open_draft(&[line])
    }
}

fn merged(bodies: &[Body]) -> Vec<(threadlore_model::CaseId, threadlore_model::CaseId)> {
    let merges = bodies.iter().filter_map(|body| match body {
        Body::CaseMerged(m) => Some((m.case, m.into)),
        _ => None,
    });
    merges.collect()
}

/// Two cases found in one look, and what follows from them.
fn both_found(desk: &mut Desk, drafts: [Draft; 2]) -> (Vec<Body>, Vec<Body>) {
    let all = desk.looked(4, cases(drafts));
    let is_new = |body: &Body| matches!(body, Body::CaseOpened(_) | Body::CaseSolved(_));
    let (found, follows): (Vec<Body>, Vec<Body>) = all.into_iter().partition(is_new);
    assert_eq!(found.len(), 2);
    (found, follows)
}

fn id(body: &Body) -> threadlore_model::CaseId {
    body.case().expect("about a case")
}

const WORDS: &str = "no sound after the upgrade to maverick, alsamixer shows nothing";

#[test]
fn the_same_problem_told_twice_is_merged_into_the_older_case() {
    let mut desk = Desk::given(chat());
    let drafts = [about_sound(0, WORDS), about_sound(3, WORDS)];
    let (found, follows) = both_found(&mut desk, drafts);
    let merges = merged(&follows);
    assert_eq!(merges.len(), 1, "{follows:?}");
    let both: Vec<_> = found.iter().map(id).collect();
    assert!(both.contains(&merges[0].0) && both.contains(&merges[0].1));
    let statuses: Vec<Status> = desk.state.cases.values().map(Case::status).collect();
    assert!(statuses.contains(&Status::Open) && statuses.contains(&Status::Merged));
}

#[test]
fn an_open_case_leaves_in_favour_of_the_solved_one() {
    for first_solved in [true, false] {
        let mut desk = Desk::given(chat());
        let solved = Draft {
            problem: WORDS.into(),
            ..solved_draft(0, 1)
        };
        let mut drafts = [solved, about_sound(3, WORDS)];
        if !first_solved {
            drafts.reverse();
        }
        let (found, follows) = both_found(&mut desk, drafts);
        let (open, solved): (Vec<&Body>, Vec<&Body>) = found
            .iter()
            .partition(|body| matches!(body, Body::CaseOpened(_)));
        assert_eq!(merged(&follows), [(id(open[0]), id(solved[0]))]);
    }
}

#[test]
fn other_problems_and_other_tags_stay_apart() {
    let other = Draft {
        problem: "the printer prints blank pages since yesterday".into(),
        ..about_sound(3, WORDS)
    };
    let tagged = Draft {
        tags: vec!["maverick".into()],
        ..about_sound(3, WORDS)
    };
    for draft in [other, tagged] {
        let mut desk = Desk::given(chat());
        let (_, follows) = both_found(&mut desk, [about_sound(0, WORDS), draft]);
        assert_eq!(merged(&follows), []);
    }
}

#[test]
fn nothing_is_merged_above_a_thousand() {
    let mut desk = Desk::given(chat());
    desk.params.merge_at = 1001;
    let drafts = [about_sound(0, WORDS), about_sound(3, WORDS)];
    let (_, follows) = both_found(&mut desk, drafts);
    assert_eq!(merged(&follows), []);
}

#[test]
fn what_was_merged_into_an_erased_case_stands_by_itself_again() {
    let mut desk = Desk::given(chat());
    let drafts = [about_sound(0, WORDS), about_sound(3, WORDS)];
    let (_, follows) = both_found(&mut desk, drafts);
    let (gone, stays) = merged(&follows)[0];
    let quoted = desk.state.cases[&stays].evidence[0]
        .message
        .as_uuid()
        .as_u128();
    let decided = bodies(desk.read(&redacted(u32::try_from(quoted).expect("small"))));
    assert!(
        matches!(&decided[..], [Body::CaseErased(_), Body::CaseSplit(s)] if s.case == gone),
        "{decided:?}"
    );
    assert_eq!(desk.only_case().status(), Status::Open);
}

#[test]
fn much_that_agrees_says_more_than_little() {
    let own = |text: &str| {
        let terms = alike_terms(text);
        let weighed = Rarity::of([&terms]).weigh(&terms);
        similar(&weighed, &weighed)
    };
    let word = own("Help!");
    let question = own("my card was stolen yesterday");
    let long: String = (0..100).map(|n| format!("word{n} ")).collect();
    let merged = ExtractorParams::default().merge_at as f32 / 1000.0;
    assert!(word < merged, "{word}");
    assert!(question > merged, "{question}");
    assert!((own(&long) - 1.0).abs() < 1e-5);
}

/// Two cases that no rule merges.
fn two_problems(desk: &mut Desk) -> (CaseId, CaseId) {
    let drafts = [
        about_sound(0, WORDS),
        about_sound(3, "the printer prints blank pages"),
    ];
    let (found, follows) = both_found(desk, drafts);
    assert_eq!(merged(&follows), []);
    (id(&found[0]), id(&found[1]))
}

#[test]
fn somebody_who_may_merges_two_cases_and_undoes_it() {
    let mut desk = Desk::given(chat());
    let (stays, leaves) = two_problems(&mut desk);
    let request = |case, into, minute| {
        let request = MergeRequested {
            case,
            channel: channel(),
            into,
            now: at(minute),
        };
        event(request, at(minute))
    };
    let mut asked = |case, into, minute| bodies(desk.read(&request(case, into, minute)));
    assert!(asked(leaves, None, 20).is_empty(), "it is not merged");
    assert!(asked(leaves, Some(leaves), 21).is_empty(), "into itself");
    let said = asked(leaves, Some(stays), 22);
    assert_eq!(merged(&said), [(leaves, stays)]);
    let Body::CaseMerged(event) = &said[0] else {
        panic!("a merge: {said:?}")
    };
    assert_eq!(event.comparer, CaseMerged::REQUESTED);
    assert!(asked(leaves, Some(stays), 23).is_empty(), "twice");
    assert!(
        asked(stays, Some(leaves), 24).is_empty(),
        "into one that left"
    );
    let said = asked(leaves, None, 25);
    assert!(
        matches!(&said[..], [Body::CaseSplit(split)] if split.case == leaves),
        "{said:?}"
    );
    // Of one that is not remembered the tables know how it stands.
    let gone = CaseId::from_uuid(uuid::Uuid::from_u128(99));
    assert_eq!(merged(&asked(gone, Some(stays), 26)), [(gone, stays)]);
    assert!(matches!(&asked(gone, None, 27)[..], [Body::CaseSplit(_)]));
}

#[test]
fn what_was_merged_into_a_case_follows_it() {
    let mut desk = Desk::given(chat());
    let (one, two) = two_problems(&mut desk);
    let three = CaseId::from_uuid(uuid::Uuid::from_u128(99));
    let mut merge = |case, into, minute| {
        let request = MergeRequested {
            case,
            channel: channel(),
            into: Some(into),
            now: at(minute),
        };
        merged(&bodies(desk.read(&event(request, at(minute)))))
    };
    assert_eq!(merge(two, one, 20), [(two, one)]);
    assert_eq!(merge(one, three, 21), [(one, three), (two, three)]);
}
