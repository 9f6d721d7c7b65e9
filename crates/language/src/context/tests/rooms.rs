use super::{Params, ask, chat, chosen, line};

const DAY: i64 = 24 * 60;

#[test]
fn days_between_messages_do_not_part_them() {
    let lines = chat(&[
        (0, "ann", "restaurant for the gathering?"),
        (DAY, "ann", "any thoughts?"),
        (3 * DAY - 10, "bob", "the thai place on 10th?"),
    ]);
    let trigger = line("trigger", 3 * DAY, "ann", "@bot");
    let selection = ask(&lines, &trigger, None, &Params::default());
    assert_eq!(chosen(&lines, &selection), "A thread, B thread, C thread");
    assert!(selection.generic);
}

#[test]
fn of_five_lines_three_may_be_relevant() {
    let lines = chat(&[
        (0, "ann", "which database should the billing service use?"),
        (
            1,
            "eve",
            "the coffee machine on the second floor is broken again",
        ),
        (
            2,
            "bob",
            "ann: postgres, billing needs transactions in its database",
        ),
        (
            3,
            "cid",
            "ann: or sqlite while the billing service is small",
        ),
        (
            4,
            "dan",
            "eve: I called the technician, the coffee is back tomorrow",
        ),
    ]);
    let trigger = line("trigger", 5, "ann", "@bot what do you think?");
    let selection = ask(&lines, &trigger, None, &Params::default());
    assert_eq!(chosen(&lines, &selection), "A thread, C mention, D mention");
}

#[test]
fn two_conversations_that_run_through_each_other_come_apart() {
    let lines = chat(&[
        (
            0,
            "ann",
            "hi, how do I mount a usb stick from the terminal?",
        ),
        (
            0,
            "bob",
            "my sound card is silent since the upgrade, any idea?",
        ),
        (1, "cid", "ann: sudo mount /dev/sdb1 /mnt"),
        (
            1,
            "dan",
            "bob: open alsamixer and unmute the master channel",
        ),
        (2, "ann", "cid: mount says unknown filesystem exfat"),
        (2, "bob", "dan: master is at full volume, still silent"),
        (3, "cid", "ann: then install exfat-fuse and mount it again"),
        (3, "dan", "bob: is the card muted in pavucontrol?"),
    ]);
    let of = |name: &str| {
        let trigger = line("trigger", 4, name, "@bot thoughts?");
        chosen(&lines, &ask(&lines, &trigger, None, &Params::default()))
    };
    assert_eq!(of("ann"), "A thread, C mention, E thread, G mention");
    assert_eq!(of("bob"), "B thread, D mention, F thread, H mention");
}

#[test]
fn neighbours_in_time_are_not_chosen_for_that_alone() {
    let lines = chat(&[
        (0, "ann", "does anybody know a good vet for a parrot?"),
        (1, "eve", "deploy of the search service is done"),
        (1, "eve", "the search dashboards are green"),
        (
            2,
            "bob",
            "ann: doctor Weiss near the harbour treats parrots",
        ),
    ]);
    let trigger = line("trigger", 2, "ann", "@bot ^");
    let selection = ask(&lines, &trigger, None, &Params::default());
    assert_eq!(chosen(&lines, &selection), "A thread, D mention");
}

#[test]
fn other_scripts_are_chosen_like_latin_ones() {
    let lines = chat(&[
        (0, "Оля", "не друкує мережевий принтер, що робити?"),
        (0, "דנה", "איך מתקינים את הסביבה על מחשב חדש?"),
        (1, "Петро", "Оля: перевір чергу принтера на сервері"),
        (1, "יוסי", "דנה: להריץ את סקריפט ההתקנה של הסביבה"),
        (2, "Оля", "Петро: черга порожня, принтер мовчить"),
        (2, "דנה", "יוסי: הסקריפט נופל באמצע ההתקנה"),
    ]);
    let of = |name: &str, text: &str| {
        let trigger = line("trigger", 3, name, text);
        let selection = ask(&lines, &trigger, None, &Params::default());
        assert!(selection.generic, "{text}");
        chosen(&lines, &selection)
    };
    assert_eq!(
        of("Оля", "@bot що думаєш?"),
        "A thread, C mention, E thread"
    );
    assert_eq!(of("דנה", "@bot מה דעתך?"), "B thread, D mention, F thread");
}

#[test]
fn a_question_of_its_own_after_a_closed_talk_has_no_context() {
    let lines = chat(&[
        (0, "ann", "where is the wifi password?"),
        (1, "bob", "ann: on the fridge"),
        (2, "ann", "bob: thanks, found it"),
    ]);
    let trigger = line(
        "trigger",
        2 * DAY,
        "eve",
        "@bot how do I rotate the nginx certificates?",
    );
    let selection = ask(&lines, &trigger, None, &Params::default());
    assert_eq!(chosen(&lines, &selection), "");
    assert!(!selection.generic);
}

#[test]
fn a_silent_room_has_no_context() {
    let trigger = line("trigger", 0, "ann", "@bot thoughts?");
    assert!(
        ask(&[], &trigger, None, &Params::default())
            .chosen
            .is_empty()
    );
}

#[test]
fn after_a_silence_a_new_question_does_not_answer_the_old_one() {
    let lines = chat(&[
        (0, "ann", "restaurant for the gathering?"),
        (DAY, "ann", "any thoughts?"),
        (
            3 * DAY - 10,
            "bob",
            "how do I reset the password of the build server?",
        ),
    ]);
    let trigger = line("trigger", 3 * DAY, "bob", "@bot");
    let selection = ask(&lines, &trigger, None, &Params::default());
    assert_eq!(chosen(&lines, &selection), "C thread");
}
