//! What people asked is listed, and each answer and silence says why.

use super::desk::{ISO, SHARE, desk};
use super::support::{Place, look_until};

const TALK: [&str; 6] = [
    "good morning everybody",
    "bob: how do I mount an iso image to read its files?",
    "bob: thanks, that works!",
    "eve: @lore thoughts?",
    SHARE,
    "eve: @lore forget me",
];

#[test]
fn a_question_says_what_became_of_it_and_why() {
    let place = desk();
    let ran = place.run_with(&["chat"], &TALK[..5]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let listed = place.json(&["answers", "list"]);
    let all = listed["questions"].as_array().expect("questions");
    let outcomes: Vec<&str> = all
        .iter()
        .map(|one| one["outcome"].as_str().expect("an outcome"))
        .collect();
    assert_eq!(outcomes, ["nothing_close", "answered", "answered"]);
    assert_eq!(listed["fitting"], 3);
    let first = &all[2];
    assert_eq!(
        first["question"],
        "how do I mount an iso image to read its files?"
    );
    assert_eq!(
        (&first["name"], &first["helped"]),
        (&"bob".into(), &1.into())
    );
    let unanswered = place.json(&["answers", "list", "--unanswered"]);
    assert_eq!(unanswered["questions"][0]["question"], SHARE);
    assert_eq!(unanswered["fitting"], 1);
    let statements = place.json(&["answers", "list", "--outcome", "statement"]);
    assert_eq!(statements["questions"][0]["question"], TALK[0]);

    // By the id of the turn and by that of the answer.
    for name in ["turn", "answer"] {
        let id = first[name].as_str().expect("an id");
        let why = place.json(&["answers", "why", &format!("threadlore:answer/{id}")]);
        assert_eq!(why["lines"][0]["name"], "bob", "{why}");
        assert_eq!(
            (&why["outcome"], &why["gate"]),
            (&"answered".into(), &"new_question".into())
        );
        let search = &why["search"];
        assert_eq!(search["wrong_at_most"], 18, "{why}");
        let best = &search["found"][0];
        assert_eq!(why["titles"][best["case"].as_str().expect("a case")], ISO);
        let text = why["answer"]["text"].as_str().expect("a text");
        assert!(text.contains("mount -o loop"), "{why}");
        assert_eq!(why["answer"]["helped"], 1);
        let events: Vec<&str> = why["events"]
            .as_array()
            .expect("events")
            .iter()
            .map(|one| one["event"].as_str().expect("a name"))
            .collect();
        let said = ["TurnConsidered", "AnswerComposed", "AnswerRated"];
        assert_eq!(events, [&said[..], &["OutcomeRecorded"]].concat());
        assert_eq!(why["answer"]["outcome"], "worked", "{why}");
    }
    let id = all[1]["turn"].as_str().expect("an id");
    let ran = place.run(&["answers", "why", id]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for part in [
        "<eve> @lore thoughts?",
        "answered: answered with the solution of a solved case",
        "the gate saw: mention",
        "read with:",
        "<bob> how do I mount an iso image",
        "answer ",
        "mount -o loop",
        "of 100 answers wrong",
        "How do I mount an iso image so that I can read",
        "found by ",
        "in the log:",
        "TurnConsidered",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }

    forgotten(&place, id);
}

/// What is forgotten is not explained either.
fn forgotten(place: &Place, id: &str) {
    let ran = place.run_with(&["chat"], &TALK[5..]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let owner = place.standalone();
    let why = || place.run(&["answers", "why", id]);
    look_until(|| why().out.contains("(erased)"));
    let ran = why();
    for gone in ["thoughts?", "searched"] {
        assert!(!ran.out.contains(gone), "{gone}: {}", ran.out);
    }
    owner.stop();
}

#[test]
fn what_nobody_could_answer_is_taught_in_the_room_and_by_a_command() {
    let place = desk();
    let brew = "how do I brew coffee on the moon with a teapot?";
    let tides = "which tides are best for sailing under the ice?";
    let told = [
        "good morning",
        &format!("bob: {brew}"),
        &format!("eve: {tides}"),
        "eve: @lore answer: nobody may teach",
        "@lore answer: take the spring tide",
        &format!("zoe: @lore {tides}"),
    ];
    let ran = place.run_with(&["chat"], &told);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.out.contains("Only an admin of this channel"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("Learned: that answers the question of "),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("<lore> zoe: take the spring tide"),
        "{}",
        ran.out
    );

    let listed = place.json(&["answers", "list", "--unanswered"]);
    let questions = listed["questions"].as_array().expect("questions");
    let open = questions.iter().find(|one| one["question"] == brew);
    let turn = open.expect("it is listed")["turn"].as_str().expect("an id");
    let empty = place.run(&["answers", "teach", turn, "--solution", " "]);
    assert_eq!(empty.code, Some(3), "{}", empty.err);
    let solution = ["--solution", "heat it with a mirror"];
    let taught = place.json(&["answers", "teach", turn, solution[0], solution[1]]);
    assert_eq!(
        (&taught["status"], &taught["problem"]),
        (&"solved".into(), &brew.into())
    );
    assert_eq!(taught["signal"], "admin");
    let asked = place.json(&["ask", brew]);
    assert_eq!(asked["answer"], "heat it with a mirror", "{asked}");
    place.verified();

    // It goes with the words of who asked.
    let ran = place.run_with(&["chat"], &["bob: @lore forget me"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let owner = place.standalone();
    look_until(|| place.json(&["ask", brew])["outcome"] == "silent");
    owner.stop();
}

#[test]
fn what_is_no_question_is_refused() {
    let place = desk();
    for (args, words) in [
        (vec!["answers", "why", "17"], "threadlore answers list"),
        (
            vec!["answers", "list", "--channel", "irc:#nowhere"],
            "there is no channel irc:#nowhere",
        ),
        (vec!["answers", "list", "--space", "nowhere"], "nowhere"),
    ] {
        let ran = place.run(&args);
        assert_eq!(ran.code, Some(3), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{args:?}: {}", ran.err);
    }
    let none = place.json(&["answers", "list"]);
    assert_eq!(none["fitting"], 0);
}
