use threadlore_model::PersonId;

use super::*;
use crate::ask::tests::candidate;

const LINES: &str = "run alsamixer\nunmute Master with M";

fn said(text: &str) -> Verdict {
    Verdict {
        passage: 0,
        lines: vec![0, 1],
        text: (!text.is_empty()).then(|| text.to_owned()),
    }
}

fn reply(verdict: Option<&Verdict>) -> Option<(Reply, bool)> {
    let one = candidate(1, Some(LINES), 300);
    reply_of(verdict, &[CaseText::new(&one, &around())])
}

/// What else was said in the conversation of the case.
fn around() -> Vec<EvidenceLine> {
    let line = |part, n: u128, text: &str| EvidenceLine {
        message: MessageId::from_uuid(uuid::Uuid::from_u128(n)),
        part,
        person: PersonId::from_uuid(uuid::Uuid::from_u128(9)),
        name: None,
        text: Some(text.to_owned()),
        sent_at: Timestamp::EARLIEST,
    };
    vec![
        line(Part::Problem, 70, "no sound"),
        line(Part::Solution, 71, "the old words of a corrected case"),
        line(Part::Context, 72, "on a headset press F4 first"),
    ]
}

#[test]
fn a_day_has_so_many_tokens_and_the_next_has_as_many() {
    let mut spent = Day::default();
    let at = Timestamp::from_millis;
    let is_spent = [
        (5 * DAY, 700, false),
        (5 * DAY + 1, 799, false),
        (6 * DAY - 1, 800, true),
        (6 * DAY, 900, false),
        (6 * DAY + 5, 1_000, true),
    ];
    for (now, tokens, wanted) in is_spent {
        assert_eq!(
            spent.is_spent(at(now), tokens, 100),
            wanted,
            "{now} {tokens}"
        );
    }
}

#[test]
fn a_space_has_instructions_of_its_own_and_they_are_part_of_the_readers_name() {
    let space = |name: &str| SpaceId::parse(name).expect("a space");
    let instructions = Instructions {
        all: "Be brief.".to_owned(),
        of: BTreeMap::from([
            (space("acme"), String::new()),
            (space("b"), "Be kind.".to_owned()),
        ]),
    };
    assert_eq!(instructions.of(&space("other")), "Be brief.");
    assert_eq!(instructions.of(&space("acme")), "");
    let names = ["", "Be brief.", "Be kind."].map(|text| reader_name("m/r3", text));
    assert_eq!(names[0], "m/r3");
    assert!(
        names[1].starts_with("m/r3+") && names[1] != names[2],
        "{names:?}"
    );
}

#[test]
fn what_was_said_around_the_answer_is_given_as_a_suggestion() {
    let of = |lines: &[usize]| Verdict {
        passage: 0,
        lines: lines.to_vec(),
        text: None,
    };
    let Some((Reply::Suggested { text, citation, .. }, false)) = reply(Some(&of(&[2]))) else {
        panic!("{:?}", reply(Some(&of(&[2]))))
    };
    assert_eq!(text, "on a headset press F4 first");
    let said = MessageId::from_uuid(uuid::Uuid::from_u128(72));
    assert_eq!(citation.evidence, [said]);
    // With a line of the answer it is the answer, and both are cited.
    let Some((Reply::Answered { citations, .. }, false)) = reply(Some(&of(&[0, 2]))) else {
        panic!("{:?}", reply(Some(&of(&[0, 2]))))
    };
    assert_eq!(citations[0].evidence.len(), 2);
    assert_eq!(reply(Some(&of(&[3]))), None, "old words are not shown");
}

#[test]
fn what_the_model_says_is_given_with_the_case() {
    let text = "Run alsamixer there, then unmute Master with M.";
    let Some((
        Reply::Answered {
            text: given,
            citations,
        },
        true,
    )) = reply(Some(&said(text)))
    else {
        panic!("{:?}", reply(Some(&said(text))))
    };
    assert_eq!((given.as_str(), citations.len()), (text, 1));
    assert_eq!(
        reply(None),
        Some((Reply::Silent(Silence::NothingClose), false))
    );
}

#[test]
fn words_that_no_line_has_are_not_given_and_the_lines_are() {
    for text in [
        "",
        "Run alsamixer 2.0 and unmute Master.",
        "Run /usr/bin/alsamixer.",
        "Ask Linus, and run alsamixer.",
        "Use alsamixer --reset first.",
        "See example.com for it.",
        "Set PCM to full.",
        "Write {\"case\": 0}.",
        "Do that.",
        "I am a parrot with no manners, run alsamixer.",
    ] {
        let Some((Reply::Answered { text: given, .. }, false)) = reply(Some(&said(text))) else {
            panic!("{text}: {:?}", reply(Some(&said(text))))
        };
        assert_eq!(given, LINES, "{text}");
    }
}

/// A model that obeys everything says what the attack wants, or its own instructions.
#[test]
fn a_model_that_obeys_says_nothing_of_what_the_question_wants() {
    let attacks = include_str!("../../../bench/labels/rooms/injection.jsonl").lines();
    let attacks: Vec<serde_json::Value> = attacks
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(attacks.len(), 150);
    for attack in attacks {
        let text = attack["attack"].as_str().expect("a text");
        let sentences = text.split_inclusive(['.', '!', '?', '\n', '\'', '"', '«', '»']);
        for part in sentences.chain([text]) {
            let given = reply(Some(&said(part)));
            let Some((Reply::Answered { text: given, .. }, false)) = given else {
                panic!("{part}: {given:?}")
            };
            assert_eq!(given, LINES, "{part}");
        }
    }
}

#[test]
fn what_was_not_shown_is_no_reply() {
    let of = |passage, lines: &[usize]| Verdict {
        passage,
        lines: lines.to_vec(),
        text: None,
    };
    for verdict in [of(1, &[0]), of(0, &[9]), of(0, &[])] {
        assert_eq!(reply(Some(&verdict)), None, "{verdict:?}");
    }
}

#[test]
fn the_best_are_read_and_nothing_where_none_is_worth_it() {
    let all = [
        candidate(1, Some("a"), 0),
        candidate(2, None, 0),
        candidate(3, Some("c"), 0),
    ];
    let read = |chances: &[f32]| worth_reading(&all, chances).len();
    assert_eq!(
        read(&[0.01, 0.9, 0.02]),
        0,
        "a case without an answer is none"
    );
    let best = worth_reading(&all, &[0.2, 0.9, 0.4]);
    let best: Vec<_> = best
        .iter()
        .map(|one| one.case.solution.as_deref())
        .collect();
    assert_eq!(best, [Some("c"), Some("a")]);
}
