//! Small chats in JSON lines: what windows share, and why a case counts as solved.

use futures::executor::block_on;
use serde_json::{Value, json};
use threadlore_model::{Case, MessageId, Part, Signal, Status};
use threadlore_roles::{BufferParams, ExtractorParams};

use crate::roles::{Cases, Params, as_it_came, in_one_go, message};

/// A chat; lines are numbered from 1.
#[derive(Default)]
struct Chat(Vec<Value>);

impl Chat {
    /// A message, so many minutes after the beginning; its id is its place among all
    /// lines.
    fn says(&mut self, minutes: u32, who: &str, text: &str) -> u32 {
        let id = self.0.len() as u32 + 1;
        self.0.push(json!({
            "type": "message", "id": id.to_string(), "author": who, "name": who, "text": text,
            "at": at(minutes),
        }));
        id
    }

    fn likes(&mut self, minutes: u32, who: &str, id: u32) {
        self.0.push(json!({
            "type": "reaction_added", "id": id.to_string(), "author": who, "emoji": "👍",
            "at": at(minutes),
        }));
    }

    fn files(&self) -> Vec<(String, String)> {
        let lines = self.0.iter().map(Value::to_string);
        let lines: Vec<String> = lines.collect();
        vec![("chat.jsonl".to_owned(), lines.join("\n"))]
    }

    /// The cases, the same however the chat came.
    fn cases(&self, params: &Params) -> Vec<Case> {
        let files = self.files();
        let lived = block_on(as_it_came(&files, params.clone()));
        for quick in [true, false] {
            let imported = block_on(in_one_go(&files, params.clone(), quick));
            assert_eq!(timeless(&imported), timeless(&lived), "quick: {quick}");
        }
        lived.into_values().collect()
    }
}

/// Without what differs by the length of a pause.
fn timeless(cases: &Cases) -> Vec<(Status, Option<Signal>, [Vec<MessageId>; 2])> {
    let parts = |case: &Case| [Part::Problem, Part::Solution].map(|part| of(case, part));
    let cases = cases.values();
    cases
        .map(|case| (case.status(), case.signal, parts(case)))
        .collect()
}

fn of(case: &Case, part: Part) -> Vec<MessageId> {
    let evidence = case.evidence.iter().filter(|e| e.part == part);
    evidence.map(|e| e.message).collect()
}

fn at(minutes: u32) -> String {
    let (days, hours) = (minutes / 1440, minutes / 60 % 24);
    format!("2019-05-{:02}T{hours:02}:{:02}:00Z", 1 + days, minutes % 60)
}

/// A question, forty lines about nothing, so that a window ends, then its answer.
fn answered_in_the_next_window() -> Chat {
    let mut chat = Chat::default();
    chat.says(0, "ann", "how do I mount a usb stick in the terminal?");
    for n in 0..40 {
        chat.says(
            1 + n / 10,
            ["cid", "dan"][n as usize % 2],
            "lovely weather today",
        );
    }
    chat.says(5, "bob", "ann: sudo mount /dev/sdb1 /mnt");
    chat.says(6, "ann", "bob: that worked, thanks");
    chat
}

#[test]
fn a_question_and_its_answer_in_the_next_window_are_one_case() {
    let cases = answered_in_the_next_window().cases(&Params::default());
    assert_eq!(cases.len(), 1);
    assert_eq!(of(&cases[0], Part::Problem), [message("1")]);
    assert_eq!(of(&cases[0], Part::Solution), [message("42")]);
    assert_eq!(cases[0].status(), Status::Solved);
}

#[test]
fn without_overlap_they_are_none() {
    let params = Params {
        extractor: ExtractorParams {
            window_messages: 0,
            ..ExtractorParams::default()
        },
        buffer: BufferParams::default(),
    };
    let cases = answered_in_the_next_window().cases(&params);
    let solved = cases.iter().filter(|case| case.status() == Status::Solved);
    assert_eq!(solved.count(), 0);
}

#[test]
fn a_reaction_in_history_keeps_a_case_from_expiring() {
    let mut chat = Chat::default();
    let asked = chat.says(0, "ann", "how do I mount a usb stick in the terminal?");
    chat.says(
        1,
        "bob",
        "how can I play mp3 files with totem on ubuntu 9.10?",
    );
    chat.says(60, "cid", "good morning");
    chat.likes(2 * 1440, "cid", asked);
    chat.says(
        20 * 1440,
        "dan",
        "why does my printer not print on both sides?",
    );
    chat.says(21 * 1440, "cid", "good morning");
    let cases = chat.cases(&Params::default());
    let status = |line: &str| {
        let mut cases = cases.iter();
        let case = cases.find(|case| of(case, Part::Problem) == [message(line)]);
        case.expect("a case").status()
    };
    assert_eq!(status("1"), Status::Solved, "by the reaction");
    assert_eq!(status("2"), Status::Archived);
    assert_eq!(status("5"), Status::Open);
}

/// Question and thanks.
const LANGUAGES: [(&str, &str); 4] = [
    ("how do I see which packages are installed?", "thanks"),
    (
        "подскажите, как посмотреть, какие пакеты установлены?",
        "спасибо",
    ),
    ("підкажіть, як подивитися, які пакети встановлено?", "дякую"),
    ("איך רואים אילו חבילות מותקנות במערכת?", "תודה"),
];

/// Two answers of two people; a reaction on the first, thanks for the second, and
/// then nothing about it for long.
fn two_answers((question, thanks): (&str, &str), liked: bool, thanked: bool) -> Chat {
    let mut chat = Chat::default();
    chat.says(0, "ann", question);
    let first = chat.says(1, "bob", "ann: sudo apt list --installed | less");
    if liked {
        chat.likes(1, "ann", first);
    }
    chat.says(2, "dan", "ann: dpkg --get-selections | grep install");
    if thanked {
        chat.says(3, "ann", &format!("dan: {thanks}"));
    }
    chat.says(60, "cid", "good morning");
    chat
}

#[test]
fn the_strongest_sign_says_what_solved_it_in_every_language() {
    for language in LANGUAGES {
        for (liked, thanked, expected) in [
            (true, true, (Signal::Reaction, "2")),
            (true, false, (Signal::Reaction, "2")),
            (false, true, (Signal::Thanks, "3")),
            (false, false, (Signal::ThreadEnd, "3")),
        ] {
            let cases = two_answers(language, liked, thanked).cases(&Params::default());
            let about = format!("{language:?}, liked {liked}, thanked {thanked}: {cases:?}");
            assert_eq!(cases.len(), 1, "{about}");
            assert_eq!(cases[0].signal, Some(expected.0), "{about}");
            let solution = of(&cases[0], Part::Solution);
            assert!(solution.contains(&message(expected.1)), "{about}");
        }
    }
}
