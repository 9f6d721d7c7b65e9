//! Runs that decide the same history, each for itself.

use threadlore_model::{CaseId, MessageId, Run};

use super::*;

/// Cases that a run knows of, and the messages that they come from, as an engine is shown them.
fn shown(run: u32) -> Vec<(CaseId, Vec<MessageId>)> {
    let mut desk = Desk::given(chat());
    desk.params.run = Run::new(run);
    let weather = Draft {
        title: "bad weather".into(),
        problem: "when does the rain end?".into(),
        tags: vec!["rain".into()],
        ..open_draft(&[3])
    };
    let found = desk.looked(4, cases([open_draft(&[0]), weather]));
    assert_eq!(found.len(), 2, "{found:?}");
    desk.read(&posted(5, 4, "hello"));
    let open = desk.asked(5).open.into_iter();
    open.map(|known| (known.case, known.evidence)).collect()
}

#[test]
fn a_run_makes_cases_of_its_own_and_shows_them_in_one_order() {
    let first = shown(1);
    for run in 2..20 {
        for ((ours, from), (theirs, same)) in first.iter().zip(shown(run)) {
            assert_ne!(*ours, theirs);
            assert_eq!(*from, same);
        }
    }
}
