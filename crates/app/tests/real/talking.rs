//! People talk in a channel, and the bot answers or is silent.

use serde_json::Value;

use super::desk::{DESK, ISO, SHARE, WIFI, desk};
use super::support::Place;

/// What is said, and what the bot prints about it.
const TALK: [(&str, &str); 7] = [
    ("good morning everybody", "(silent: nothing is asked"),
    (
        "bob: how do I mount an iso image to read its files?",
        "<lore> bob: sudo mount -o loop",
    ),
    (
        "ann: bob: how was the weekend?",
        "(silent: nothing is asked",
    ),
    (
        "eve: how do I mount an iso image to read its files?",
        "(silent: the same answer was given",
    ),
    ("eve: @lore thoughts?", "<lore> eve: sudo mount -o loop"),
    ("cid: 😂😂", "(silent: nothing in it could be answered)"),
    (
        "cid: why does my wifi card vanish after suspend?",
        "<lore> cid: A case about this is open",
    ),
];

fn lines() -> Vec<&'static str> {
    let last = SHARE;
    TALK.iter().map(|(line, _)| *line).chain([last]).collect()
}

fn outcomes(place: &Place) -> Vec<String> {
    let owner = place.standalone();
    let rows = place.sql(
        "SELECT outcome || ' ' || (SELECT count(*) FROM lore.turn_citations c WHERE c.turn = t.turn) \
         FROM lore.turns t ORDER BY considered_at",
    );
    owner.stop();
    let rows = rows.expect("rows");
    rows.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn a_room_hears_what_is_known_and_nothing_else() {
    let place = desk();
    let ran = place.run_with(&["chat"], &lines());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err
            .contains("you is the admin of the new channel console:room"),
        "{}",
        ran.err
    );
    let mut shown = ran.out.lines();
    for (line, expected) in TALK {
        let text = line.split_once(": ").map_or(line, |(_, text)| text);
        let said = shown.find(|shown| shown.ends_with(text));
        assert!(said.is_some(), "{line}: {}", ran.out);
        let next = shown.next().unwrap_or_default().trim();
        assert!(next.starts_with(expected), "{line}: {next}");
    }
    assert!(
        ran.out
            .trim_end()
            .ends_with("(silent: no case is close enough to the question)")
    );
    assert!(ran.out.contains("From: threadlore:case/"), "{}", ran.out);
    let expected = [
        "statement 0",
        "answered 1",
        "statement 0",
        "repeated 0",
        "answered 1",
        "noise 0",
        "tracked 1",
        "nothing_close 0",
    ];
    assert_eq!(outcomes(&place), expected);
    // The answers are in the log alone; what the tables have of them is a fold of it.
    let before = place.verified();
    let again = place.run_with(&["chat"], &["good night"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(!again.err.contains("is the admin"), "{}", again.err);
    assert!(
        again.out.contains("(silent: nothing is asked"),
        "{}",
        again.out
    );
    drop(before);
    place.verified();
}

#[test]
fn what_is_said_is_for_machines_too() {
    let place = desk();
    let ran = place.run_with(&["--json", "chat"], &[ISO, "good morning"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let said: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(said.len(), 2, "{}", ran.out);
    assert_eq!(
        (&said[0]["outcome"], &said[0]["to"]),
        (&"answered".into(), &"you".into())
    );
    assert!(
        said[0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("mount -o loop"))
    );
    assert_eq!(said[1]["outcome"], "statement");
}

#[test]
fn in_a_channel_of_a_platform_it_speaks_once_there_is_an_admin() {
    let place = desk();
    let refused = place.run_with(&["chat", "--channel", DESK], &[WIFI]);
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(
        refused
            .err
            .contains("threadlore channel set --channel chat:desk --admin"),
        "{}",
        refused.err
    );
    let set = place.run(&["channel", "set", "--channel", DESK, "--admin", "ann"]);
    assert_eq!(set.code, Some(0), "{}", set.err);
    let ran = place.run_with(&["chat", "--channel", DESK, "--as", "zoe"], &[ISO]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.out.contains("<lore> zoe: sudo mount -o loop"),
        "{}",
        ran.out
    );
}

/// A room of newcomers: a problem, its answer and the thanks, then others with the same problem.
const HELPED: [&str; 6] = [
    "anna: my laptop wont suspend when i close the lid",
    "ben: anna: set HandleLidSwitch=suspend in /etc/systemd/logind.conf and restart logind",
    "anna: thanks ben, that works!",
    "dora: my laptop does not suspend when I close the lid, what can I do?",
    "carl: closing the lid does not put my notebook to sleep, any idea?",
    "carl: @lore thoughts?",
];

#[test]
fn a_room_that_was_just_helped_knows_it() {
    // Nothing is there before: talking is the first thing that a newcomer tries.
    let place = Place::new();
    let ran = place.run_with(&["chat"], &HELPED);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let reply = |to: &str| {
        let mut lines = ran
            .out
            .lines()
            .skip_while(|line| !line.contains(to))
            .skip(1);
        lines.next().unwrap_or_default().trim().to_owned()
    };
    let dora = reply("does not suspend when I close the lid, what can I do?");
    assert!(
        dora.starts_with("<lore> dora: set HandleLidSwitch=suspend"),
        "{}",
        ran.out
    );
    // Whatever the bot makes of carl's words, who asks it by name gets something.
    let thoughts = reply("@lore thoughts?");
    assert!(thoughts.starts_with("<lore> carl: "), "{}", ran.out);
    let listed = place.json(&["cases", "list"]);
    let cases = listed["cases"].as_array().expect("a list");
    assert_eq!(cases.len(), 1, "{listed}");
    assert_eq!(cases[0]["status"], "solved", "{listed}");
}

#[test]
fn who_asks_by_name_in_a_room_that_knows_nothing_is_told_so() {
    let place = Place::new();
    let asked = "how do I mount an iso image?";
    let ran = place.run_with(&["chat"], &["@lore", &format!("@lore {asked}"), asked]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let said = [
        "which message you mean",
        "nothing about this yet",
        "(silent: ",
    ];
    let mut rest = ran.out.as_str();
    for words in said {
        let at = rest
            .find(words)
            .unwrap_or_else(|| panic!("{words}: {}", ran.out));
        rest = &rest[at..];
    }
}

#[test]
fn beside_a_process_that_runs_people_talk_by_way_of_it() {
    let place = desk();
    let owner = place.standalone();
    let ran = place.run_with(&["chat", "--as", "zoe"], &[ISO, "bob: good morning"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err.contains("by way of the process that runs"),
        "{}",
        ran.err
    );
    assert!(
        ran.out.contains("<lore> zoe: sudo mount -o loop"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("<bob> good morning"), "{}", ran.out);
    let said = place.run(&[
        "chat",
        "--as",
        "zoe",
        "--say",
        WIFI,
        "--say=-x is no option",
    ]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("<zoe> -x is no option"), "{}", said.out);
    owner.stop();
}

/// The bot says its own words in the language of whoever it says them to, and as its operator wants.
#[test]
fn people_are_answered_in_their_language_and_in_the_operators_words() {
    let place = desk();
    // A channel of its own for each talk: it has so many answers in a minute.
    let talk = |channel: &str, lines: &[&str]| {
        let ran = place.run_with(&["chat", "--channel", channel], lines);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out
    };
    let said = talk(
        "console:tongues",
        &[
            "@lore помощь",
            "ann: @lore как починить принтер после обновления?",
            "bob: @lore чому не працює принтер?",
            "cid: @lore warum druckt der Drucker nicht?",
            "dan: @lore למה המדפסת לא עובדת?",
            "@lore запомни, что мой сервер называется альфа",
        ],
    );
    for words in [
        "Спрашивайте меня обо всём",
        "ann: Об этом я пока ничего не знаю.",
        "bob: Про це я поки нічого не знаю.",
        "cid: Darüber weiß ich noch nichts.",
        "dan: עדיין לא ידוע לי על זה כלום.",
        "Это я запомню и скажу только вам.",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // A case is quoted in its own words, and where it is from is said in those of who asks.
    let said = talk(
        "console:cases",
        &["eve: @lore как сделать mount an iso image to read its files?"],
    );
    assert!(said.contains("sudo mount -o loop"), "{said}");
    assert!(said.contains("Отсюда: threadlore:case/"), "{said}");
    place.file("words/en.toml", "unknown = \"No idea, captain.\"");
    place.file("words/default/ru.toml", "unknown = \"Понятия не имею.\"");
    place.file("threadlore.toml", "[answer]\nwords_dir = \"words\"\n");
    let said = talk(
        "console:ours",
        &[
            "ann: @lore why is the kettle cold?",
            "bob: @lore почему чайник холодный?",
        ],
    );
    assert!(said.contains("ann: No idea, captain."), "{said}");
    assert!(said.contains("bob: Понятия не имею."), "{said}");
    let printed = place.run(&["config", "words", "ru", "--space", "default"]);
    assert!(
        printed.out.contains("unknown = \"Понятия не имею.\""),
        "{}",
        printed.out
    );
    place.file("words/en.toml", "unknwon = \"x\"");
    for command in [["config", "check"].as_slice(), &["chat"]] {
        let refused = place.run_with(command, &[]);
        assert_eq!(refused.code, Some(3), "{}", refused.err);
        assert!(
            refused
                .err
                .contains("words/en.toml: line 1: `unknwon` is the name of no phrase"),
            "{}",
            refused.err
        );
    }
}
