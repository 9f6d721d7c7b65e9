//! The same chat, imported and lived.

use std::time::Duration;

use futures::executor::block_on;
use threadlore_model::{Case, MessageId, Part, Signal, Status};
use threadlore_roles::BufferParams;

use crate::roles::{Cases, Params, as_it_came, in_one_go};

/// Lines of each log that are taken.
const LINES: usize = 400;

const LOGS: [(&str, &str); 5] = [
    (
        "2008-03-01",
        include_str!("../../../app/demo/ubuntu/2008-03-01.txt"),
    ),
    (
        "2009-07-02",
        include_str!("../../../app/demo/ubuntu/2009-07-02.txt"),
    ),
    (
        "2010-05-30",
        include_str!("../../../app/demo/ubuntu/2010-05-30.txt"),
    ),
    (
        "2011-02-23",
        include_str!("../../../app/demo/ubuntu/2011-02-23.txt"),
    ),
    (
        "2014-08-14",
        include_str!("../../../app/demo/ubuntu/2014-08-14.txt"),
    ),
];

/// What a reader sees of a case.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    title: Option<String>,
    problem: Vec<MessageId>,
    solution: Vec<MessageId>,
    status: &'static str,
    signal: Option<Signal>,
}

fn seen(case: &Case) -> Seen {
    let part = |part: Part| {
        let evidence = case.evidence.iter().filter(|e| e.part == part);
        let mut messages: Vec<MessageId> = evidence.map(|e| e.message).collect();
        messages.sort();
        messages
    };
    Seen {
        title: case.title.clone(),
        problem: part(Part::Problem),
        solution: part(Part::Solution),
        status: case.status().name(),
        signal: case.signal,
    }
}

fn demo() -> Vec<(String, String)> {
    let first = |text: &str| text.lines().take(LINES).collect::<Vec<_>>().join("\n");
    let logs = LOGS.iter();
    logs.map(|(day, text)| (format!("{day}.txt"), first(text)))
        .collect()
}

/// How many of the lived cases the import has too, word for word and message for
/// message.
fn equal(lived: &Cases, imported: &Cases) -> usize {
    let mut imported: Vec<Seen> = imported.values().map(seen).collect();
    let has = |case: &Seen, imported: &mut Vec<Seen>| {
        let at = imported.iter().position(|other| other == case);
        at.map(|at| imported.swap_remove(at)).is_some()
    };
    let lived = lived.values().map(seen);
    lived.filter(|case| has(case, &mut imported)).count()
}

/// The longest time between a case's opening in one and in the other.
fn apart(lived: &Cases, imported: &Cases) -> Duration {
    let both = lived
        .iter()
        .filter_map(|(id, case)| Some((case, imported.get(id)?)));
    let apart = both.map(|(lived, imported)| {
        let (a, b) = (lived.opened_at, imported.opened_at);
        a.since(b).max(b.since(a))
    });
    apart.max().expect("cases in common")
}

fn count(cases: &Cases, status: Status) -> usize {
    cases.values().filter(|c| c.status() == status).count()
}

#[test]
fn imported_history_has_the_cases_of_lived_one() {
    block_on(async {
        let lived = as_it_came(&demo(), Params::default()).await;
        for status in [Status::Solved, Status::Open, Status::Archived] {
            println!("lived: {} {}", count(&lived, status), status.name());
            assert!(count(&lived, status) > 5, "the chat has some of each");
        }
        for quick in [true, false] {
            let imported = in_one_go(&demo(), Params::default(), quick).await;
            let equal = equal(&lived, &imported);
            let apart = apart(&lived, &imported);
            println!(
                "quick {quick}: {equal} of {} equal, {apart:?} apart",
                lived.len()
            );
            assert_eq!((equal, imported.len()), (lived.len(), lived.len()));
            // A window that a pause ends is looked at when the pause is over.
            assert!(apart <= BufferParams::default().pause, "{apart:?}");
        }
    });
}
