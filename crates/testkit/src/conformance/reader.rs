//! What every reader of cases must do.

use std::collections::{BTreeMap, BTreeSet};

use threadlore_model::{
    AnswerOutcome, Audience, Body, ChannelId, ChannelSettings, MemoryArchiveReason, MemoryTier,
    MessageRedacted, Mode, Part, Signal, TurnOutcome,
};

use super::samples::{
    about_herself, archived, at, case, channel, configured, confirmed, considered, dropped, event,
    exchange, fold, forgotten, kept, learned, merged, message, opened, person, posted, remembered,
    said_again, solved, space,
};
use threadlore_ports::{
    Authority, CaseReader, Counts, Generations, Layer, Precedent, Projection, Readable, Right,
    Scope, Store,
};

/// Later than 72 hours after what the suite says happened early.
const LATE: i64 = 1_000_000;

/// Runs the suite on a store without any build.
///
/// # Panics
/// When a guarantee does not hold.
pub async fn reader<S: Store + Generations + CaseReader>(store: &S) {
    finds_nothing_before_anything_is_built(store).await;
    fill(store).await;
    finds_by_words_in_layers(store).await;
    takes_any_question(store).await;
    shows_evidence_in_order(store).await;
    puts_the_best_first(store).await;
    shows_one_space_only(store).await;
    tells_what_was_told_where_it_may(store).await;
    says_what_was_asked_before(store).await;
    reads_the_live_build(store).await;
}

fn scope(name: &str) -> Scope {
    let space = space(name);
    let authority = Authority::of_grants(vec![(space.clone(), Right::Read)]);
    authority.authorise(&space, Right::Read).expect("granted")
}

async fn finds_nothing_before_anything_is_built<S: CaseReader>(store: &S) {
    let scope = scope("a");
    assert_eq!(
        store
            .search(&scope, &Readable::all(), "sound", 3)
            .await
            .expect("searches"),
        []
    );
    assert_eq!(store.evidence(&scope, case("c1")).await.expect("reads"), []);
    assert_eq!(store.best(&scope, 3).await.expect("reads"), []);
    assert!(store.configured(&scope).await.expect("reads").is_empty());
    assert_eq!(
        store.counts(&scope).await.expect("counts"),
        Counts::default()
    );
}

async fn fill<S: Store + Generations>(store: &S) {
    let redacted = MessageRedacted {
        message: message("m2"),
        channel: channel(),
        redacted_at: at(8),
    };
    let chat = vec![
        posted("a", "m1", "no sound at all"),
        posted("a", "m2", "install it again"),
        event("a", redacted),
        posted("b", "m1", "text of another space"),
    ];
    let knowledge = vec![
        solved("a", "thanked", "sound card crackles", Signal::Thanks, 10),
        solved("a", "weak", "sound mixer mute", Signal::ThreadEnd, 20),
        solved(
            "a",
            "confirmed",
            "sound driver missing",
            Signal::ThreadEnd,
            30,
        ),
        confirmed("a", "confirmed", "ann", 40),
        solved("a", "fresh", "sound after suspend", Signal::Reaction, LATE),
        opened("a", "open", "sound over bluetooth", LATE - 1),
        opened("a", "expired", "sound of silence", 50),
        archived("a", "expired", 60),
        opened("a", "twin", "sound crackles", 70),
        merged("a", "twin", "thanked", 80),
        solved("b", "thanked", "sound card crackles", Signal::Thanks, 10),
    ];
    let told = vec![
        remembered("a", "f1", "we deploy on Fridays"),
        remembered("a", "f2", "we deploy on a Friday"),
        said_again("a", "f1", "f2"),
        remembered("a", "f3", "the wiki is down"),
        forgotten("a", "f3"),
        about_herself("a", "f4", "my node is 7.6"),
        remembered("b", "f1", "told in another space"),
        kept("a", "alone", MemoryTier::Working),
        kept("a", "about", MemoryTier::Patterns),
        kept("a", "gone", MemoryTier::History),
        dropped("a", "gone", MemoryArchiveReason::Expired),
        kept("b", "alone", MemoryTier::Working),
    ];
    // One was understood with the lines before it.
    let mut alone = considered("a", "alone", TurnOutcome::Answered);
    if let Body::TurnConsidered(considered) = &mut alone.body {
        considered.context.clear();
    }
    let mut gone = considered("a", "gone", TurnOutcome::Answered);
    if let Body::TurnConsidered(considered) = &mut gone.body {
        considered.context.clear();
    }
    let turns = vec![
        alone,
        gone,
        considered("a", "about", TurnOutcome::Answered),
        considered("a", "unkept", TurnOutcome::Answered),
    ];
    let worth = vec![
        learned("a", "alone", AnswerOutcome::Worked),
        learned("a", "about", AnswerOutcome::Worked),
        learned("a", "gone", AnswerOutcome::Worked),
        learned("a", "unkept", AnswerOutcome::Worked),
        learned("b", "alone", AnswerOutcome::Failed),
    ];
    for (projection, events) in [
        (Projection::Messages, chat),
        (Projection::Memories, told),
        (Projection::Turns, turns),
        (Projection::Outcomes, worth),
        (Projection::Cases, knowledge),
        (Projection::Channels, vec![configured("a", &["ann", "bob"])]),
    ] {
        let live = store.live(projection).await.expect("makes");
        fold(store, live, events).await.expect("folds");
    }
}

/// The cases of one channel.
fn only(channel: &ChannelId) -> Readable {
    Readable::in_channel(channel, &BTreeMap::new())
}

async fn finds_by_words_in_layers<S: CaseReader>(store: &S) {
    let scope = scope("a");
    let hits = store
        .search(&scope, &only(&channel()), "sound crackles", 9)
        .await;
    let hits = hits.expect("searches");
    let places: Vec<_> = hits.iter().map(|hit| (hit.layer, hit.case.case)).collect();
    assert_eq!(places[0], (Layer::Solved, case("thanked")));
    assert_eq!(hits[0].score, 1000, "it has every word");
    let layer = |wanted| places.iter().filter(|(layer, _)| *layer == wanted).count();
    assert_eq!(layer(Layer::Solved), 3);
    assert_eq!(
        places[3..],
        [
            (Layer::RecentlySolved, case("fresh")),
            (Layer::Open, case("open")),
        ]
    );
    assert!(
        hits[1..].iter().all(|hit| (1..500).contains(&hit.score)),
        "a common word is little"
    );
    assert_eq!(hits[0].case.evidence.len(), 2, "a case comes whole");

    let few = store
        .search(&scope, &Readable::all(), "sound", 1)
        .await
        .expect("searches");
    assert_eq!(few.len(), 3, "at most one per layer");
    let other = ChannelId::parse("irc:#other").expect("valid");
    let none = store.search(&scope, &only(&other), "sound", 9).await;
    assert_eq!(none.expect("searches"), []);
    assert_eq!(
        store
            .search(&scope, &Readable::all(), "zebra", 9)
            .await
            .expect("searches"),
        []
    );
}

async fn takes_any_question<S: CaseReader>(store: &S) {
    let long = "sound crackles ".repeat(20_000);
    let word = "x".repeat(5000);
    for question in [
        "",
        " ",
        "\0",
        "'",
        "\\",
        "' | !sound & (",
        "sound:*",
        "<-> & !!",
        "%_",
        "\u{202e}\u{1f44d}",
        &long,
        &word,
        "it's a \\ 'sound' \"crackles\"",
    ] {
        let found = store
            .search(&scope("a"), &Readable::all(), question, 3)
            .await;
        let found = found.expect("no question is refused");
        assert_eq!(
            found.is_empty(),
            !question.contains("sound"),
            "{question:.40}"
        );
    }
}

async fn shows_evidence_in_order<S: CaseReader>(store: &S) {
    let lines = store
        .evidence(&scope("a"), case("thanked"))
        .await
        .expect("reads");
    let shown: Vec<_> = lines
        .iter()
        .map(|line| (line.message, line.part, line.text.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            (message("m1"), Part::Problem, Some("no sound at all")),
            (message("m2"), Part::Solution, None),
            (message("m1"), Part::Problem, Some("no sound at all")),
        ],
        "its own, then that of the case that was merged into it"
    );
    assert_eq!(lines[0].person, person("ann"));
    assert_eq!(lines[0].sent_at, at(1_000_000_000));
    let settings = ChannelSettings {
        admins: BTreeSet::from([person("ann"), person("bob")]),
        audience: Audience::Space,
        mode: Mode::Mentions,
        docs: vec!["https://wiki.example.org".to_owned()],
        published: true,
    };
    let configured = store.configured(&scope("a")).await.expect("reads");
    assert_eq!(configured, BTreeMap::from([(channel(), settings)]));
}

async fn puts_the_best_first<S: CaseReader>(store: &S) {
    let best = store.best(&scope("a"), 9).await.expect("reads");
    let names: Vec<_> = best.iter().map(|found| found.case).collect();
    let order = ["confirmed", "fresh", "thanked", "weak", "open"];
    assert_eq!(names, order.map(case));
    assert_eq!(store.best(&scope("a"), 2).await.expect("reads").len(), 2);
    let counts = store.counts(&scope("a")).await.expect("counts");
    let expected = Counts {
        messages: 2,
        cases: 7,
        solved: 4,
        open: 1,
    };
    assert_eq!(counts, expected);
}

async fn shows_one_space_only<S: CaseReader>(store: &S) {
    let hits = store
        .search(&scope("b"), &Readable::all(), "sound", 9)
        .await
        .expect("searches");
    assert_eq!(hits.len(), 1);
    assert!(hits.iter().all(|hit| hit.case.space == space("b")));
    assert_eq!(hits[0].score, 1000, "other spaces do not weigh on words");
    let lines = store
        .evidence(&scope("b"), case("thanked"))
        .await
        .expect("reads");
    let texts: Vec<_> = lines.iter().map(|line| line.text.as_deref()).collect();
    assert_eq!(texts, [Some("text of another space")]);
    assert_eq!(
        store
            .evidence(&scope("b"), case("weak"))
            .await
            .expect("reads"),
        []
    );
    let elsewhere = store.configured(&scope("b")).await.expect("reads");
    assert!(elsewhere.is_empty());
    assert_eq!(store.best(&scope("b"), 9).await.expect("reads").len(), 1);
    assert_eq!(
        store.counts(&scope("c")).await.expect("counts"),
        Counts::default()
    );
}

async fn tells_what_was_told_where_it_may<S: CaseReader>(store: &S) {
    let told = async |readable: &Readable, of: Option<&str>| -> Vec<String> {
        let facts = store.facts(&scope("a"), readable, of.map(person)).await;
        let facts = facts.expect("reads").into_iter();
        facts.map(|fact| fact.text).collect()
    };
    let all = Readable::all();
    let (bank, own) = ("we deploy on a Friday", "my node is 7.6");
    assert_eq!(told(&all, None).await, [bank]);
    assert_eq!(told(&all, Some("ann")).await, [own]);
    assert_eq!(told(&all, Some("bob")).await, Vec::<String>::new());
    assert_eq!(told(&only(&channel()), Some("ann")).await, [own]);
    assert_eq!(told(&only(&channel()), None).await, [bank]);
    let other = ChannelId::parse("irc:#other").expect("a channel");
    assert_eq!(told(&only(&other), Some("ann")).await, Vec::<String>::new());
    let facts = store.facts(&scope("a"), &all, None).await.expect("reads");
    assert_eq!(facts[0].name.as_deref(), Some("Ann \"the\" \\ {x}"));
}

async fn says_what_was_asked_before<S: Store + Generations + CaseReader>(store: &S) {
    let asked = async |space: &str, readable: &Readable, limit: u32| {
        let precedents = store.precedents(&scope(space), readable, limit).await;
        precedents.expect("reads")
    };
    let all = Readable::all();
    let known = Precedent {
        case: case("c1"),
        version: 2,
        channel: channel(),
        memory: exchange("alone"),
        text: "no sound at all".to_owned(),
        worked: true,
    };
    assert_eq!(asked("a", &all, 9).await, [known]);
    assert_eq!(asked("a", &all, 0).await, []);
    let elsewhere = ChannelId::parse("irc:#other").expect("a channel");
    assert_eq!(asked("a", &only(&elsewhere), 9).await, []);
    // What failed for it is known when its exchange is kept no more because of that.
    let live = store.live(Projection::Memories).await.expect("is there");
    let failed = dropped("a", "gone", MemoryArchiveReason::Failed);
    let back = kept("a", "gone", MemoryTier::History);
    let read_to = async || store.read_to().await.expect("reads");
    let before = read_to().await;
    assert_eq!(read_to().await, before);
    fold(store, live, vec![back, failed]).await.expect("folds");
    assert_ne!(read_to().await, before);
    let both = asked("a", &all, 9).await;
    assert_eq!(both.len(), 2, "{both:?}");
    assert_eq!(asked("b", &all, 9).await, [], "its turn is not known");
    // What worked again and again is known however many came after it.
    let [last] = asked("a", &all, 1).await.try_into().expect("one");
    let is_other = |turn: &&&str| exchange(turn) != last.memory;
    let other = ["alone", "gone"].iter().find(is_other).expect("of two");
    let pattern = kept("a", other, MemoryTier::Patterns);
    let no_more = dropped("a", "about", MemoryArchiveReason::Expired);
    fold(store, live, vec![pattern, no_more])
        .await
        .expect("folds");
    let both = asked("a", &all, 1).await;
    let memories: Vec<_> = both.iter().map(|one| one.memory).collect();
    assert_eq!(memories, [last.memory, exchange(other)]);
    assert_eq!(asked("a", &only(&elsewhere), 1).await, []);
    assert_eq!(asked("a", &all, 9).await.len(), 2, "none is known twice");
}

async fn reads_the_live_build<S: Store + Generations + CaseReader>(store: &S) {
    let old = store.live(Projection::Cases).await.expect("finds");
    let new = store.create(Projection::Cases).await.expect("makes");
    let only = solved("a", "only", "sound in another build", Signal::Thanks, 10);
    fold(store, new, vec![only]).await.expect("folds");
    assert_eq!(store.best(&scope("a"), 9).await.expect("reads").len(), 5);
    store.switch(new).await.expect("switches");
    let hits = store
        .search(&scope("a"), &Readable::all(), "sound", 9)
        .await
        .expect("searches");
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].case.case, case("only"));
    store.switch(old).await.expect("switches back");
    assert_eq!(store.best(&scope("a"), 9).await.expect("reads").len(), 5);
}
