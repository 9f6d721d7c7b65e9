//! What people say of answers decides which are given: one that failed sinks, one that worked stays.

use super::desk::desk;
use super::support::{Place, look_until};

const ASK: &str = "@lore how do I mount an iso image to read its files?";

fn outcomes(place: &Place) -> String {
    let statement = "SELECT string_agg(outcome || ' ' || source || ' ' || helped || ' ' || failed, \
                     ', ' ORDER BY given_at) FROM lore.outcomes";
    place.sql(statement).expect("a row").trim().to_owned()
}

/// What is printed from the first words of the bot on.
fn said(place: &Place, lines: &[&str]) -> String {
    let ran = place.run_with(&["chat"], lines);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let (_, said) = ran
        .out
        .rsplit_once("<lore>")
        .unwrap_or_else(|| panic!("{}", ran.out));
    said.to_owned()
}

#[test]
fn an_answer_that_failed_twice_is_said_to_be_doubtful_until_it_is_corrected() {
    let place = desk();
    let ask = |who: &str| format!("{who}: {ASK}");
    let first = said(
        &place,
        &["good morning", &ask("bob"), "bob: that does not work"],
    );
    assert!(first.contains("sudo mount -o loop"), "{first}");
    // Its writer is no judge of it, and one failure is not enough.
    let second = said(&place, &[&ask("eve"), "eve: wrong, that did not help"]);
    assert!(second.starts_with(" eve: sudo mount -o loop"), "{second}");
    let third = said(&place, &[&ask("fay")]);
    assert!(
        third.contains("did not help the last 2 who asked: sudo mount -o loop"),
        "{third}"
    );

    let owner = place.standalone();
    assert_eq!(outcomes(&place), "failed asker 0 1, failed asker 0 1");
    let listed = place.json(&["answers", "list"]);
    let turn = listed["questions"][0]["turn"].as_str().expect("an id");
    let why = place.run(&["answers", "why", turn]);
    assert!(
        why.out.contains("answers from it: 0 worked, 2 failed"),
        "{}",
        why.out
    );
    let case = listed["questions"][0]["case"].as_str().expect("a case");
    let shown = place.json(&["cases", "show", case]);
    assert_eq!((&shown["worked"], &shown["failed"]), (&0.into(), &2.into()));
    // So it is told of all who asked that.
    let about = place.json(&["memory", "graph", "Why can't I mount my ISO?"]);
    let subject = &about["subject"];
    assert_eq!(
        (&subject["asked"], &subject["cases"], &subject["failed"]),
        (&3.into(), &3.into(), &2.into()),
        "{about}"
    );
    assert_eq!(subject["answered_by"][0]["link"], case, "{about}");
    let shown = place.run(&["memory", "graph", "iso", "--to", "files"]).out;
    assert!(
        shown.contains("about \"iso\": asked 3 times (3 answered from cases, 0 worked, 2 failed)"),
        "{shown}"
    );
    assert!(
        shown.contains("iso – files: 3 questions have both"),
        "{shown}"
    );
    // What outcomes change is measured on one's own questions.
    let asked = format!("{{\"question\": \"{}\", \"case\": \"{case}\"}}", &ASK[6..]);
    place.file("questions.jsonl", asked);
    let measured = place.json(&["eval", "questions.jsonl"]);
    let way = |name: &str| {
        (
            measured["ways"][name]["right"].clone(),
            measured["ways"][name]["suggested"].clone(),
        )
    };
    assert_eq!(way("no_outcomes"), (1.into(), 0.into()), "{measured}");
    assert_eq!(
        way("words"),
        (1.into(), 1.into()),
        "it is doubtful: {measured}"
    );
    owner.stop();
    // The tables are a fold of the log.
    place.verified();

    // What an admin says is another solution, which nobody has tried.
    let corrected = said(
        &place,
        &[
            &ask("gus"),
            "@lore correct: use gnome-disks, it attaches images",
        ],
    );
    assert!(corrected.contains("Corrected"), "{corrected}");
    let after = said(&place, &[&ask("hal"), "hal: thanks, that works!"]);
    assert!(after.starts_with(" hal: use gnome-disks"), "{after}");
    let owner = place.standalone();
    let shown = place.json(&["cases", "show", case]);
    assert_eq!((&shown["worked"], &shown["failed"]), (&1.into(), &0.into()));
    assert!(
        outcomes(&place).ends_with("worked asker 1 0"),
        "{}",
        outcomes(&place)
    );
    owner.stop();
    place.verified();
}

#[test]
fn what_works_again_and_again_is_a_pattern() {
    let place = desk();
    let thanked = |who: &str| {
        let asks = format!("{who}: {ASK}");
        let thanks = format!("{who}: thanks, that works!");
        said(&place, &[&asks, &thanks])
    };
    let kept = |tier: &str| {
        let owner = place.standalone();
        let listed = || place.json(&["memory", "list", "--tier", tier]);
        look_until(|| listed()["fitting"] == 1);
        let first = listed()["memories"][0].clone();
        owner.stop();
        first
    };
    thanked("bob");
    let first = kept("working");
    assert_eq!(first["exchange"]["score"], 800, "{first}");
    thanked("eve");
    assert_eq!(kept("history")["memory"], first["memory"]);
    thanked("fay");
    let pattern = kept("patterns");
    assert_eq!(pattern["memory"], first["memory"]);
    assert_eq!(pattern["exchange"]["worked"], 3, "{pattern}");
    assert_eq!(pattern["exchange"]["until"], serde_json::Value::Null);
    let text = pattern["text"].as_str().expect("a question");
    assert!(text.contains("mount an iso image"), "{text}");

    let owner = place.standalone();
    let id = first["memory"].as_str().expect("an id");
    let shown = place.run(&["memory", "show", id]);
    assert!(shown.out.contains("worked 3 of 3"), "{}", shown.out);
    assert!(
        shown.out.contains("kept in patterns for ever"),
        "{}",
        shown.out
    );
    let listed = place.json(&["answers", "list"]);
    let turn = listed["questions"][0]["turn"].as_str().expect("an id");
    let why = place.run(&["answers", "why", turn]);
    let again = format!("somebody asked the same before: `threadlore memory show {id}`");
    assert!(why.out.contains(&again), "{}", why.out);
    let forgot = place.run(&["memory", "forget", id]);
    assert_eq!(forgot.code, Some(3), "{}", forgot.err);
    assert!(forgot.err.contains("is an exchange"), "{}", forgot.err);
    owner.stop();
    place.verified();
}

/// Most people say nothing of an answer that did not help: they ask again.
#[test]
fn who_asks_the_same_again_is_not_given_the_same_answer_as_if_nothing_were() {
    let place = desk();
    let again = "@lore so how can I mount an iso image and read its files?";
    let second = said(&place, &[&format!("bob: {ASK}"), &format!("bob: {again}")]);
    assert!(!second.contains("sudo mount -o loop"), "{second}");
    assert!(second.contains("How do I mount an iso image"), "{second}");
    let other = said(&place, &[&format!("eve: {again}")]);
    assert!(other.starts_with(" eve: sudo mount -o loop"), "{other}");
    let owner = place.standalone();
    assert_eq!(outcomes(&place), "failed asked_again 0 0");
    let statement =
        "SELECT count(*) FROM lore.turns a JOIN lore.turns b ON a.asks_again = b.answer";
    assert_eq!(place.sql(statement).expect("a row").trim(), "1");
    let turn = "SELECT answer FROM lore.turns WHERE answer IN (SELECT asks_again FROM lore.turns)";
    let turn = place.sql(turn).expect("a row");
    let why = place.run(&["answers", "why", turn.trim()]);
    let said = "failed: who asked asks the same again, and says nothing of it";
    assert!(why.out.contains(said), "{}", why.out);
    owner.stop();
    place.verified();
}
