//! What every store with [`Generations`] must do.

use threadlore_model::{
    AnswerOutcome, Event, MemoryArchiveReason, MemoryTier, MessageRedacted, Private, Rating,
    Signal, Topic, TurnOutcome,
};

use super::samples::{
    archived, at, channel, composed, computed, configured, confirmed, considered, delivered,
    dropped, erased, event, fold, forgotten, kept, learned, message, opened, posted, rated,
    reaction, remembered, said_again, solved, undelivered,
};
use threadlore_ports::{Generation, Generations, PortError, Projection, Store};

/// Runs the suite on a store without any build.
///
/// # Panics
/// When a guarantee does not hold.
pub async fn generations<S: Store + Generations>(store: &S) {
    makes_switches_and_drops(store).await;
    for (projection, events) in [
        (Projection::Messages, chat()),
        (Projection::Cases, knowledge()),
        (Projection::Memories, memories()),
        (Projection::Turns, turns()),
        (Projection::Deliveries, deliveries()),
        (Projection::Outcomes, outcomes()),
        (Projection::Channels, settings()),
        (Projection::Vectors, vectors()),
    ] {
        equal_events_give_equal_digests(store, projection, &events).await;
    }
    names_what_differs(store).await;
    refuses_what_cannot_be_folded(store).await;
}

fn chat() -> Vec<Event> {
    let redacted = MessageRedacted {
        message: message("m2"),
        channel: channel(),
        redacted_at: at(8),
    };
    vec![
        posted("a", "m1", "a\0b \"quoted\" \u{1f44d}"),
        event("a", redacted),
        posted("a", "m2", "never to be seen"),
        posted("b", "m1", "the same id in another space"),
        reaction("a", true),
        reaction("a", false),
        reaction("a", true),
    ]
}

fn knowledge() -> Vec<Event> {
    vec![
        opened("a", "c1", "no sound", 10),
        confirmed("a", "c1", "ann", 20),
        confirmed("a", "c1", "bob", 30),
        solved("a", "c2", "no network", Signal::Thanks, 40),
        solved("b", "c2", "the same id elsewhere", Signal::Reaction, 50),
        opened("a", "c3", "no hope", 60),
        archived("a", "c3", 70),
        solved("a", "c4", "taken back", Signal::Thanks, 80),
        confirmed("a", "c4", "ann", 90),
        erased("a", "c4", 100),
    ]
}

fn turns() -> Vec<Event> {
    vec![
        considered("a", "t1", TurnOutcome::Answered),
        composed("a", "t1", "c1"),
        composed("a", "t1", "c2"),
        rated("a", "t1", "ann", Some(Rating::Failed)),
        rated("a", "t1", "bob", Some(Rating::Helped)),
        rated("a", "t1", "cyd", Some(Rating::Helped)),
        rated("a", "t1", "ann", Some(Rating::Helped)),
        rated("a", "t1", "cyd", None),
        rated("a", "t9", "ann", Some(Rating::Helped)),
        considered("a", "t2", TurnOutcome::NothingClose),
        considered("a", "t2", TurnOutcome::Answered),
        composed("b", "t1", "c1"),
        considered("b", "t1", TurnOutcome::Noise),
    ]
}

fn deliveries() -> Vec<Event> {
    vec![
        delivered("a", "t1"),
        delivered("a", "t1"),
        undelivered("a", "t1"),
        delivered("b", "t1"),
    ]
}

fn memories() -> Vec<Event> {
    vec![
        remembered("a", "f1", "we deploy on Fridays"),
        remembered("a", "f2", "we deploy on a Friday"),
        said_again("a", "f1", "f2"),
        remembered("a", "f3", "my node is 7.6"),
        forgotten("a", "f3"),
        remembered("b", "f1", "the same id in another space"),
        kept("a", "t1", MemoryTier::Working),
        dropped("a", "t1", MemoryArchiveReason::Expired),
        kept("a", "t1", MemoryTier::History),
        kept("a", "t2", MemoryTier::Working),
        dropped("a", "t2", MemoryArchiveReason::Failed),
    ]
}

fn outcomes() -> Vec<Event> {
    vec![
        learned("a", "t1", AnswerOutcome::Worked),
        learned("a", "t1", AnswerOutcome::Failed),
        learned("b", "t1", AnswerOutcome::Partial),
    ]
}

fn settings() -> Vec<Event> {
    vec![
        configured("a", &["ann"]),
        configured("b", &[]),
        configured("a", &["cyd", "bob", "cyd"]),
    ]
}

fn vectors() -> Vec<Event> {
    let mut erased = computed("a", "c9", "m/1", "of an erased case", &[9.0]);
    for (_, field) in erased.body.private_fields() {
        *field = Private::Erased;
    }
    vec![
        computed("a", "c1", "m/1", "no sound", &[0.5, -1.25, 3.0e-7]),
        computed("a", "c1", "m/1", "no sound, mute", &[1.0, 2.0, 3.0]),
        computed("a", "c1", "m/2", "no sound", &[-0.0]),
        computed("b", "c1", "m/1", "no sound", &[4.0, 5.0, 6.0]),
        erased,
        computed("a", "c1", "m/1", "no sound", &[0.5, -1.25, 3.0e-6]),
    ]
}

async fn makes_switches_and_drops<S: Store + Generations>(store: &S) {
    assert_eq!(store.generations().await.expect("lists"), []);
    let first = store
        .live(Projection::Cases)
        .await
        .expect("makes the first");
    assert_eq!(first.number, 1);
    assert_eq!(
        store.live(Projection::Cases).await.expect("finds it"),
        first
    );
    let second = store.create(Projection::Cases).await.expect("makes");
    assert_eq!(second.number, 2);
    assert_eq!(store.live(Projection::Cases).await.expect("finds"), first);
    assert_eq!(store.generations().await.expect("lists"), [first, second]);
    store.switch(second).await.expect("switches");
    assert_eq!(store.live(Projection::Cases).await.expect("finds"), second);
    refused(store.drop_generation(second).await, "it is live");
    let none = Generation {
        number: 9,
        ..second
    };
    refused(store.switch(none).await, "it does not exist");
    refused(store.drop_generation(none).await, "it does not exist");
    fold(store, first, knowledge()).await.expect("folds");
    store.drop_generation(first).await.expect("drops");
    assert_eq!(store.generations().await.expect("lists"), [second]);
    let third = store.create(Projection::Cases).await.expect("makes");
    assert_eq!(third.number, 3, "no number is given twice");
    let gone = fold(store, first, knowledge())
        .await
        .expect_err("it is gone");
    assert!(matches!(gone, PortError::Broken { .. }), "{gone}");
    assert!(store.digest(first).await.is_err());
    store.drop_generation(third).await.expect("drops");
}

fn refused(outcome: Result<(), PortError>, why: &str) {
    let error = outcome.expect_err(why);
    assert!(matches!(error, PortError::Refused { .. }), "{error}");
}

/// Digests of the suite's rows. A change here is a change of what is folded or of
/// the canonical form: every store then computes other digests than before. Where rows change
/// because folds do, and no column does, `FOLDING` of the crate `fold` is raised too.
fn digests(projection: Projection) -> Vec<(&'static str, u64, &'static str)> {
    match projection {
        Projection::Messages => vec![
            (
                "messages",
                3,
                "d3b45e47cef4fef6ed4932f99cdb9e63d6094f91d4d80d7d3207a0cbf467212d",
            ),
            (
                "reactions",
                1,
                "8a94599306e5347f8ef7cbfe24c976ceef8864912a8166370cd74609272f3c1d",
            ),
        ],
        Projection::Cases => vec![
            (
                "case_confirmations",
                2,
                "184971d9583e7b81c8046ec4be9af8f55b0f95887f5c54d83bd13aadea50f120",
            ),
            (
                "case_evidence",
                6,
                "dfc8daff2df30eb199653c67b04a293b233b45843af81e2a40093549683e7024",
            ),
            (
                "cases",
                5,
                "b1d9be43fcf2a99bb6a7e51e03f07c62d5a6ec616edf19438ef133ac37031cf3",
            ),
        ],
        Projection::Memories => vec![(
            "memories",
            6,
            "3b405e794872f95240d212740bcb14c9a260a4443cd64848efa8eab6a20667a0",
        )],
        Projection::Turns => vec![
            (
                "turn_citations",
                1,
                "a0bad89e703f125120257522db6c3781babaa91a6155817fded1bf4cdcbb7e04",
            ),
            (
                "turn_ratings",
                2,
                "a3769895fac738e7689c348fa1b61449ef520507570831c639322f74dafd76d8",
            ),
            (
                "turns",
                3,
                "860bb6e50209326cf87f00a2f4e09b7a93243b6c8bd1a421953ec69dd9064de0",
            ),
        ],
        Projection::Deliveries => vec![(
            "deliveries",
            3,
            "4f97b406c0f24bc846466c81b1773396334ec8ad4de7b2dd9ba4e46e6c34b963",
        )],
        Projection::Outcomes => vec![(
            "outcomes",
            2,
            "e7c183d7e7ef41d57edcf0ed069633e8508aebfb945b354159e4d65b3c991068",
        )],
        Projection::Channels => vec![(
            "channels",
            2,
            "d2f8142a6686637a532fdea56e9f53b609bc287c70cf733aba2e53f8efcd5c18",
        )],
        Projection::Vectors => vec![(
            "vectors",
            4,
            "901d6bbbdb330e53fd11663d3b7616f8cea5d5ed9cb4f4d3ff668b19f1d5413a",
        )],
    }
}

async fn equal_events_give_equal_digests<S: Store + Generations>(
    store: &S,
    projection: Projection,
    events: &[Event],
) {
    let whole = store.create(projection).await.expect("makes");
    let parts = store.create(projection).await.expect("makes");
    let empty = store.digest(parts).await.expect("digests");
    assert!(empty.values().all(|(rows, _)| *rows == 0));
    fold(store, whole, events.to_vec()).await.expect("folds");
    for one in events {
        fold(store, parts, vec![one.clone()]).await.expect("folds");
    }
    let (a, b) = (store.digest(whole).await, store.digest(parts).await);
    let (a, b) = (a.expect("digests"), b.expect("digests"));
    assert_eq!(a, b);
    let found: Vec<_> = a
        .iter()
        .map(|(table, (rows, hex))| (table.as_str(), *rows, hex.as_str()))
        .collect();
    assert_eq!(found, digests(projection), "{projection:?}");
    assert_eq!(
        store.differences(whole, parts, 9).await.expect("compares"),
        []
    );
    let positions = Generations::positions(store, whole, 3)
        .await
        .expect("reads");
    let read_to = |n: usize| positions[n].get(&projection.topic()).map(|offset| offset.0);
    assert_eq!((positions.len(), read_to(0)), (3, None));
    assert_eq!(read_to(1), i64::try_from(events.len()).ok());
}

async fn names_what_differs<S: Store + Generations>(store: &S) {
    let a = store.create(Projection::Cases).await.expect("makes");
    let b = store.create(Projection::Cases).await.expect("makes");
    fold(store, a, knowledge()).await.expect("folds");
    let mut other = knowledge();
    other[3] = solved("a", "c2", "another problem", Signal::Thanks, 40);
    other.remove(2);
    fold(store, b, other).await.expect("folds");
    let found = store.differences(a, b, 99).await.expect("compares");
    let mut cells: Vec<_> = found
        .iter()
        .map(|cell| (cell.table.as_str(), cell.column.as_str()))
        .collect();
    cells.sort_unstable();
    assert_eq!(
        cells,
        [
            ("case_confirmations", "*"),
            ("cases", "changed_at"),
            ("cases", "problem"),
            ("cases", "title"),
            ("cases", "version"),
        ]
    );
    assert!(found.iter().all(|cell| cell.row.starts_with("a/")));
    let few = store.differences(a, b, 2).await.expect("compares");
    assert_eq!(few.len(), 2);
    assert_ne!(
        store.digest(a).await.expect("digests"),
        store.digest(b).await.expect("digests")
    );
}

async fn refuses_what_cannot_be_folded<S: Store + Generations>(store: &S) {
    let build = store.create(Projection::Messages).await.expect("makes");
    let mut sealed = posted("a", "m1", "text");
    for (_, field) in sealed.body.private_fields() {
        *field = Private::Sealed(vec![1; 40]);
    }
    for event in [sealed, opened("a", "c1", "of another topic", 1)] {
        let events = vec![posted("a", "m5", "goes with it"), event];
        refused(fold(store, build, events).await, "it cannot be folded");
    }
    let digest = store.digest(build).await.expect("digests");
    assert!(digest.values().all(|(rows, _)| *rows == 0));
    let positions = Generations::positions(store, build, 2)
        .await
        .expect("reads");
    assert_eq!(positions[1].get(&Topic::ChatEvents), None);
    let build = store.create(Projection::Vectors).await.expect("makes");
    for n in 0..2 {
        let mut broken = computed("a", "c1", "m/1", "no sound", &[1.0]);
        let mut fields = broken.body.private_fields();
        *fields[n].1 = Private::open("neither a source nor a vector");
        refused(fold(store, build, vec![broken]).await, "it cannot be read");
    }
}
