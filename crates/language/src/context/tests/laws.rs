//! What holds whatever is said.

use proptest::prelude::*;
use threadlore_model::Line;

use super::{Params, ask, line, message};
use crate::context::{Reason, Selection};

const TEXTS: &[&str] = &[
    "",
    "any thoughts?",
    "ann: try the other port",
    "the printer on floor two is silent",
    "bob: is the printer on?",
    "принтер мовчить, що робити?",
    "\u{202e}🙂🙂 ??",
    "thanks, it works",
    "how do I mount the usb stick?",
    "@bot",
];

fn line_of(at: usize) -> impl Strategy<Value = Line> {
    let reply = prop::option::weighted(0.2, 0..40_usize);
    (0..TEXTS.len(), 0..4_usize, 0..5000_i64, reply).prop_map(move |(text, who, minute, reply)| {
        let name = ["ann", "bob", "Оля", "bot"][who];
        let mut line = line(&at.to_string(), minute, name, TEXTS[text]);
        line.reply_to = reply.map(|to| message(&to.to_string()));
        line
    })
}

/// A channel in the order of its times, and a trigger after it.
fn rooms() -> impl Strategy<Value = (Vec<Line>, Line)> {
    let lines = (0..30_usize).prop_flat_map(|count| (0..count).map(line_of).collect::<Vec<_>>());
    (lines, line_of(99)).prop_map(|(mut lines, mut trigger)| {
        lines.sort_by_key(|line| line.at);
        trigger.at = lines.last().map_or(trigger.at, |last| last.at);
        (lines, trigger)
    })
}

fn params() -> impl Strategy<Value = Params> {
    (0..4_usize, 1..40_usize, 0..200_usize, 1..12_usize).prop_map(
        |(depth, look_back, budget, most)| Params {
            depth,
            look_back,
            budget,
            most,
            ..Params::default()
        },
    )
}

fn places(lines: &[Line], selection: &Selection) -> Vec<Option<usize>> {
    let place = |id| lines.iter().position(|line| line.message == id);
    selection.chosen.iter().map(|c| place(c.message)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_result_is_a_subset_in_time_order((lines, trigger) in rooms(), params in params()) {
        let selection = ask(&lines, &trigger, None, &params);
        let places = places(&lines, &selection);
        prop_assert!(places.iter().all(Option::is_some));
        prop_assert!(places.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn it_fits_and_the_anchor_is_in((lines, trigger) in rooms(), params in params()) {
        let selection = ask(&lines, &trigger, None, &params);
        let tokens: usize = selection.chosen.iter().map(|c| c.tokens).sum();
        prop_assert!(tokens <= params.budget.max(32));
        prop_assert!(selection.chosen.len() <= params.most);
        prop_assert!(selection.chosen.iter().all(|c| c.score <= 1000));
        let anchor = lines.iter().find(|line| Some(line.message) == trigger.reply_to);
        let has = |line: &Line| selection.chosen.iter().any(|c| c.message == line.message && c.reason == Reason::Anchor);
        prop_assert!(anchor.is_none_or(has));
    }

    #[test]
    fn the_same_input_gives_the_same_result((lines, trigger) in rooms(), params in params()) {
        prop_assert_eq!(ask(&lines, &trigger, None, &params), ask(&lines, &trigger, None, &params));
    }

    #[test]
    fn what_is_said_later_changes_nothing((lines, trigger) in rooms(), params in params(), texts in prop::collection::vec(0..TEXTS.len(), 0..20)) {
        let before = ask(&lines, &trigger, None, &params);
        let mut more = lines.clone();
        more.push(trigger.clone());
        let minute = trigger.at.as_millis() / 60_000;
        for (at, text) in texts.iter().enumerate() {
            let mut later = line(&format!("later{at}"), minute + at as i64, "bob", TEXTS[*text]);
            later.reply_to = Some(trigger.message);
            more.push(later);
        }
        prop_assert_eq!(before, ask(&more, &trigger, None, &params));
    }
}
