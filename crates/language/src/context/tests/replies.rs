use std::collections::BTreeSet;

use super::{Params, ask, chat, chosen, line, message, reply};
use crate::context::{Mention, Reason, select};

#[test]
fn the_anchor_of_a_reply_is_in_and_the_neighbours_are_not() {
    let lines = chat(&[
        (0, "ann", "can we drop python 3.8?"),
        (600, "eve", "lunch at noon?"),
        (601, "dan", "eve: yes, the usual place"),
    ]);
    let trigger = reply(line("trigger", 602, "bob", "@bot"), "A");
    let selection = ask(&lines, &trigger, None, &Params::default());
    assert_eq!(chosen(&lines, &selection), "A anchor");
    assert_eq!(selection.chosen[0].score, 1000);
}

#[test]
fn replies_are_followed_upwards_to_a_depth() {
    let mut lines = chat(&[
        (0, "ann", "the nightly build fails"),
        (500, "bob", "since the new compiler, I think"),
        (1000, "cid", "then we pin the old one"),
        (1500, "dan", "or we fix the warning"),
    ]);
    for (at, to) in [(1, "A"), (2, "B"), (3, "C")] {
        lines[at].reply_to = Some(message(to));
    }
    let trigger = reply(line("trigger", 1501, "eve", "@bot which one?"), "D");
    let with = |depth| Params {
        depth,
        ..Params::default()
    };
    let all = ask(&lines, &trigger, None, &with(8));
    assert_eq!(chosen(&lines, &all), "A chain, B chain, C chain, D anchor");
    let two = ask(&lines, &trigger, None, &with(2));
    let chain = two.chosen.iter().filter(|c| c.reason == Reason::Chain);
    assert_eq!(chain.count(), 2);
}

#[test]
fn replies_in_a_circle_end() {
    let mut lines = chat(&[(0, "ann", "one"), (1, "bob", "two")]);
    lines[0].reply_to = Some(message("B"));
    lines[1].reply_to = Some(message("A"));
    let trigger = reply(line("trigger", 2, "eve", "@bot"), "B");
    let selection = ask(&lines, &trigger, None, &Params::default());
    assert_eq!(chosen(&lines, &selection), "A chain, B anchor");
}

#[test]
fn an_anchor_older_than_the_log_is_a_snapshot() {
    let lines = chat(&[(5000, "eve", "lunch at noon?"), (5001, "dan", "eve: yes")]);
    let old = line(
        "old",
        0,
        "ann",
        "shall we move the archive to cold storage?",
    );
    let trigger = reply(
        line("trigger", 5002, "bob", "@bot what do you think"),
        "old",
    );
    let selection = ask(&lines, &trigger, Some(&old), &Params::default());
    assert_eq!(selection.chosen.len(), 1);
    assert_eq!(selection.chosen[0].message, old.message);
    assert_eq!(selection.chosen[0].reason, Reason::Snapshot);
    assert_eq!(selection.missing, None);
}

#[test]
fn an_anchor_that_nobody_has_is_said_to_be_missing() {
    let lines = chat(&[(0, "eve", "lunch at noon?")]);
    let trigger = reply(line("trigger", 1, "bob", "@bot"), "gone");
    let selection = ask(&lines, &trigger, None, &Params::default());
    assert_eq!(selection.missing, Some(message("gone")));
}

#[test]
fn an_anchor_far_back_brings_its_own_neighbours() {
    let mut script = vec![
        (0, "ann", "which parser do we take for the config files?"),
        (1, "bob", "ann: serde with toml, the config files are small"),
    ];
    script.extend((0..20).map(|at| (90 + at, "eve", "reindexing of the search cluster goes well")));
    let lines = chat(&script);
    let trigger = reply(line("trigger", 120, "ann", "@bot"), "B");
    let near = Params {
        look_back: 10,
        ..Params::default()
    };
    let selection = ask(&lines, &trigger, None, &near);
    assert_eq!(chosen(&lines, &selection), "A thread, B anchor");
}

#[test]
fn a_topic_root_is_no_anchor() {
    let mut lines = chat(&[
        (0, "ann", "Topic: office"),
        (500, "bob", "the printer on floor two eats paper"),
        (501, "cid", "bob: open the tray of the printer"),
    ]);
    lines[1].reply_to = Some(message("A"));
    lines[2].reply_to = Some(message("A"));
    let trigger = reply(line("trigger", 502, "bob", "@bot thoughts?"), "A");
    let roots = BTreeSet::from([message("A")]);
    let mention = Mention {
        lines: &lines,
        trigger: &trigger,
        snapshot: None,
        bot: None,
        names: &[],
        roots: &roots,
    };
    let selection = select(&mention, &Params::default());
    assert_eq!(chosen(&lines, &selection), "B thread, C mention");
    assert_eq!(selection.missing, None);
}

#[test]
fn the_budget_keeps_the_anchor_and_then_the_strongest() {
    let lines = chat(&[
        (
            0,
            "ann",
            "the login page is slow since monday, what changed in the login service?",
        ),
        (
            1,
            "bob",
            "ann: the session table of the login service lost its index",
        ),
        (
            2,
            "ann",
            "bob: then the login service needs the index again",
        ),
    ]);
    let trigger = reply(line("trigger", 3, "ann", "@bot"), "A");
    let of = |budget| {
        let params = Params {
            budget,
            ..Params::default()
        };
        ask(&lines, &trigger, None, &params)
    };
    assert_eq!(of(2000).chosen.len(), 3);
    let small = of(32);
    assert_eq!(chosen(&lines, &small), "A anchor");
    assert!(small.chosen[0].tokens <= 32);
    assert_eq!(of(50).chosen.len(), 2);
}

#[test]
fn an_anchor_larger_than_the_budget_is_cut() {
    let text = "слово ".repeat(1000);
    let lines = [line("A", 0, "ann", &text)];
    let trigger = reply(line("trigger", 1, "bob", "@bot"), "A");
    let params = Params {
        budget: 100,
        ..Params::default()
    };
    let selection = ask(&lines, &trigger, None, &params);
    let anchor = selection.chosen[0];
    assert!(anchor.tokens <= 100 && anchor.tokens > 90, "{anchor:?}");
    assert!(
        anchor.characters <= 200 && anchor.characters > 100,
        "{anchor:?}"
    );
}
