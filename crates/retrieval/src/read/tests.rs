use threadlore_model::{PersonId, Timestamp};
use threadlore_ports::{Tokens, ToolCall};

use super::*;
use crate::ask::tests::candidate;

const LINES: &str = "run alsamixer\nunmute Master with M";

fn said(text: &str) -> Verdict {
    Verdict::Passage {
        passage: 0,
        lines: vec![0, 1],
        text: (!text.is_empty()).then(|| text.to_owned()),
    }
}

fn reply(verdict: Verdict) -> Option<(Reply, bool)> {
    let one = candidate(1, Some(LINES), 300);
    let decision = Decision {
        verdict,
        tokens: Tokens::default(),
        asked: vec![ToolRecord {
            tool: "status".to_owned(),
            host: "status.example".to_owned(),
            answered: true,
            took_ms: 1,
        }],
    };
    reply_of(&decision, &[CaseText::new(&one, &around())], &[answered()])
}

fn status() -> ToolCall {
    ToolCall {
        tool: "status".to_owned(),
        inputs: BTreeMap::from([("service".to_owned(), "mail".to_owned())]),
    }
}

/// What a tool answered.
fn answered() -> Passage {
    Passage {
        of: PassageOf::Tool(status()),
        lines: vec!["web: up".to_owned(), "mail: down since 9:30".to_owned()],
    }
}

#[test]
fn what_a_tool_answered_is_quoted_or_said_in_words_that_it_has() {
    let of = |lines: &[usize], text: &str| {
        let said = reply(Verdict::Passage {
            passage: 1,
            lines: lines.to_vec(),
            text: (!text.is_empty()).then(|| text.to_owned()),
        });
        said.map(|(reply, composed)| match reply {
            Reply::LookedUp { text, tool, host } => {
                assert_eq!((tool.as_str(), host.as_str()), ("status", "status.example"));
                (text, composed)
            }
            other => panic!("{other:?}"),
        })
    };
    let down = "mail: down since 9:30".to_owned();
    assert_eq!(of(&[1], ""), Some((down.clone(), false)));
    let own = "The mail is down since 9:30.".to_owned();
    assert_eq!(of(&[1], &own), Some((own, true)));
    for said in [
        "The mail is down since 10:30.",
        "All admins are thieves.",
        "Mail is at evil.example.",
    ] {
        assert_eq!(of(&[1], said), Some((down.clone(), false)), "{said}");
    }
    assert_eq!(of(&[], "Mail is down."), None);
    assert_eq!(of(&[2], "Mail is down."), None);
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
    let names = ["", "Be brief.", "Be kind."].map(|text| reader_name("m/r3", text, &[]));
    let tool = Tool {
        name: "status".to_owned(),
        about: "a".to_owned(),
        inputs: BTreeMap::new(),
        host: "status.example".to_owned(),
    };
    assert!(reader_name("m/r3", "", &[tool]).starts_with("m/r3+"));
    assert_eq!(names[0], "m/r3");
    assert!(
        names[1].starts_with("m/r3+") && names[1] != names[2],
        "{names:?}"
    );
}

#[test]
fn what_was_said_around_the_answer_is_given_as_a_suggestion() {
    let of = |lines: &[usize]| Verdict::Passage {
        passage: 0,
        lines: lines.to_vec(),
        text: None,
    };
    let Some((Reply::Suggested { text, citation, .. }, false)) = reply(of(&[2])) else {
        panic!("{:?}", reply(of(&[2])))
    };
    assert_eq!(text, "on a headset press F4 first");
    let said = MessageId::from_uuid(uuid::Uuid::from_u128(72));
    assert_eq!(citation.evidence, [said]);
    // With a line of the answer it is the answer, and both are cited.
    let Some((Reply::Answered { citations, .. }, false)) = reply(of(&[0, 2])) else {
        panic!("{:?}", reply(of(&[0, 2])))
    };
    assert_eq!(citations[0].evidence.len(), 2);
    assert_eq!(reply(of(&[3])), None, "old words are not shown");
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
    )) = reply(said(text))
    else {
        panic!("{:?}", reply(said(text)))
    };
    assert_eq!((given.as_str(), citations.len()), (text, 1));
    assert_eq!(
        reply(Verdict::Nothing),
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
        let Some((Reply::Answered { text: given, .. }, false)) = reply(said(text)) else {
            panic!("{text}: {:?}", reply(said(text)))
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
            let given = reply(said(part));
            let Some((Reply::Answered { text: given, .. }, false)) = given else {
                panic!("{part}: {given:?}")
            };
            assert_eq!(given, LINES, "{part}");
        }
    }
}

#[test]
fn what_was_not_shown_is_no_reply() {
    let of = |passage, lines: &[usize]| Verdict::Passage {
        passage,
        lines: lines.to_vec(),
        text: None,
    };
    for verdict in [
        of(2, &[0]),
        of(0, &[9]),
        of(0, &[]),
        Verdict::Call(status()),
    ] {
        assert_eq!(reply(verdict.clone()), None, "{verdict:?}");
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
