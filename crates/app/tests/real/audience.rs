//! Where an answer may come from, and where the bot speaks.

use serde_json::Value;

use super::support::Place;

const LOG: &str = "\
[10:00] <anna> my laptop wont suspend when i close the lid
[10:01] <ben> anna: set HandleLidSwitch=suspend in /etc/systemd/logind.conf and restart logind
[10:02] <anna> thanks ben, that works!
";
const QUESTION: &str = "my laptop does not suspend when I close the lid, what can I do?";

fn set(place: &Place, channel: &str, options: &[&str]) -> Value {
    place.json(&[&["channel", "set", "--channel", channel], options].concat())
}

fn asked_in(place: &Place, channel: &str) -> String {
    let told = place.json(&["ask", QUESTION, "--channel", channel]);
    told["outcome"].as_str().expect("an outcome").to_owned()
}

#[test]
fn a_channel_is_answered_from_those_that_everybody_in_it_can_read() {
    let place = Place::new();
    let log = place.file("2020-01-02.txt", LOG);
    let log = log.to_str().expect("UTF-8");
    place.json(&["import", log, "--channel", "irc:#help"]);
    for channel in ["irc:#help", "irc:#help-linux"] {
        let set = set(&place, channel, &["--admin", "anna"]);
        assert_eq!(
            (&set["audience"], &set["mode"]),
            (&"members".into(), &"questions".into()),
            "{set}"
        );
    }
    // What is said among the members of a channel stays there.
    assert_eq!(asked_in(&place, "irc:#help"), "answered");
    assert_eq!(asked_in(&place, "irc:#help-linux"), "silent");
    set(&place, "irc:#help", &["--audience", "space"]);
    assert_eq!(asked_in(&place, "irc:#help-linux"), "answered");
    // Everybody can read the other one now, and not everybody this one.
    set(&place, "irc:#help-linux", &["--audience", "public"]);
    assert_eq!(asked_in(&place, "irc:#help-linux"), "silent");
    set(&place, "irc:#help", &["--audience", "public"]);
    assert_eq!(asked_in(&place, "irc:#help-linux"), "answered");

    // Only what is named is changed, and a channel that wants no answers gets none.
    let off = set(&place, "irc:#help-linux", &["--mode", "off"]);
    assert_eq!(
        (&off["audience"], &off["mode"], &off["answers"]),
        (&"public".into(), &"off".into(), &false.into()),
        "{off}"
    );
    assert_eq!(off["admins"].as_array().map(Vec::len), Some(1), "{off}");
    let told = place.run(&["ask", QUESTION, "--channel", "irc:#help-linux"]);
    assert!(told.out.contains("wants no answers"), "{}", told.out);
    set(&place, "irc:#help-linux", &["--mode", "mentions"]);
    assert_eq!(asked_in(&place, "irc:#help-linux"), "answered");
    let shown = place.run(&["channel", "show"]).out;
    assert!(
        shown.contains("irc:#help-linux  0 messages, 1 admin, audience public, answers mentions"),
        "{shown}"
    );
    place.verified();
}

#[test]
fn a_room_that_wants_only_mentions_hears_the_bot_only_when_it_is_named() {
    let place = Place::new();
    let channel = ["--channel", "console:quiet"];
    let say = |line: &str| {
        let said = place.run(&[&["chat", "--say", line], &channel[..]].concat());
        assert_eq!(said.code, Some(0), "{}", said.err);
        said.out
    };
    let told = say("anna: is anybody here?");
    assert!(!told.contains("wants no answers"), "{told}");
    set(&place, "console:quiet", &["--mode", "mentions"]);
    let told = say("carl: how do I make suspend on lid close work?");
    assert!(told.contains("wants no answers"), "{told}");
    let told = say("carl: @lore how do I make suspend on lid close work?");
    assert!(told.contains("I know"), "{told}");
    set(&place, "console:quiet", &["--mode", "off"]);
    let told = say("carl: @lore how do I make suspend on lid close work?");
    assert!(told.contains("wants no answers"), "{told}");
}
