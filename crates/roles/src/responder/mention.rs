//! What somebody gets who asked the bot by name and whose question has no answer.

use threadlore_language::wording::{Phrase, Voice};
use threadlore_model::{Answer, CitedCase, GateTag, NearCase, TurnOutcome};

/// What composed it, with its version.
const COMPOSER: &str = "mention-2";
/// Cases that are pointed at, at most.
const MOST: usize = 2;
/// The least closeness of such a case, in thousandths: a third of what an answer needs. Chosen, not
/// measured over many: in a room that knew one case, a question in other words about it had 278 and
/// one about bread 60.
const NEAR: u32 = 150;

/// What is said, and how that is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) outcome: TurnOutcome,
    pub(super) answer: Answer,
}

/// The reply to a mention: the nearest cases, named as not the answer, or one sentence that says
/// what is missing, with the addresses of documentation. `None` for other turns, and in a channel in which nothing is said.
pub(super) fn reply(
    outcome: TurnOutcome,
    nearest: &[NearCase],
    tag: GateTag,
    question: &str,
    docs: &[String],
    voice: Voice<'_>,
) -> Option<Reply> {
    let wants_none = matches!(outcome, TurnOutcome::NotConfigured | TurnOutcome::Muted);
    if tag != GateTag::Mention || wants_none {
        return None;
    }
    let nearest: Vec<&NearCase> = nearest
        .iter()
        .filter(|near| near.close >= NEAR)
        .take(MOST)
        .collect();
    let (outcome, mut text) = match nearest.as_slice() {
        [first, others @ ..] => (TurnOutcome::Pointed, pointer(first, others, voice)),
        [] => (TurnOutcome::Unknown, voice.say(missing(outcome, question))),
    };
    if !docs.is_empty() {
        let links = docs.join(" ");
        let docs = voice.say(Phrase::Documentation { links: &links });
        text.push_str(&format!("\n\n{docs}"));
    }
    let cited = nearest.iter().map(|near| CitedCase {
        case: near.case,
        close: near.close,
        version: 0,
        evidence: Vec::new(),
        authors: Vec::new(),
    });
    Some(Reply {
        outcome,
        answer: Answer {
            text,
            cited: cited.collect(),
            memory: None,
            precedent: None,
            composer: COMPOSER.to_owned(),
        },
    })
}

/// The nearest cases. The words are those of the first alone, whose key seals them.
fn pointer(first: &NearCase, others: &[&NearCase], voice: Voice<'_>) -> String {
    let nearest = voice.say(Phrase::Nearest {});
    let mut text = format!("{nearest}\n\n- {}: {}", first.title, first.link);
    for near in others {
        text.push_str(&format!("\n- {}", near.link));
    }
    text
}

fn missing(outcome: TurnOutcome, question: &str) -> Phrase<'static> {
    match outcome {
        _ if question.is_empty() => Phrase::WhichMessage {},
        TurnOutcome::NothingAnswers | TurnOutcome::SearchFailed => Phrase::CannotLook {},
        _ => Phrase::Unknown {},
    }
}

#[cfg(test)]
mod tests {
    use threadlore_language::wording::{Language, Wordings};
    use threadlore_model::{CaseId, EventId};

    use super::*;

    fn near(name: &str, close: u32) -> NearCase {
        let case = CaseId::first_carried_by(EventId::of_content("test", &[name]));
        NearCase {
            case,
            title: name.to_owned(),
            link: format!("link:{name}"),
            close,
        }
    }

    fn text(outcome: TurnOutcome, nearest: &[NearCase], question: &str) -> (TurnOutcome, String) {
        let reply = to_mention((outcome, nearest, GateTag::Mention), question, &[]);
        let reply = reply.expect("a reply");
        (reply.outcome, reply.answer.text)
    }

    fn to_mention(
        (outcome, nearest, tag): (TurnOutcome, &[NearCase], GateTag),
        question: &str,
        docs: &[String],
    ) -> Option<Reply> {
        let builtin = Wordings::default();
        let voice = builtin.voice(None, Language::of([question]));
        reply(outcome, nearest, tag, question, docs, voice)
    }

    #[test]
    fn who_asks_is_told_in_the_language_of_the_question() {
        let docs = ["https://wiki.example".to_owned()];
        let of = |question: &str, nearest: &[NearCase]| {
            let of = (TurnOutcome::NothingClose, nearest, GateTag::Mention);
            to_mention(of, question, &docs)
                .expect("a reply")
                .answer
                .text
        };
        assert_eq!(
            of("как починить звук?", &[]),
            "Об этом я пока ничего не знаю. Когда здесь это решат, буду знать.\n\n\
             Документация: https://wiki.example"
        );
        let said = of("чому не працює звук?", &[near("printer", 400)]);
        assert!(said.starts_with("Відповіді на це я не знаю."), "{said}");
        assert!(
            said.contains("- printer: link:printer\n\nДокументація: "),
            "{said}"
        );
    }

    #[test]
    fn the_two_nearest_are_named_as_not_the_answer_in_words_of_the_first_alone() {
        let three = [near("printer", 400), near("scanner", 300), near("fax", 200)];
        let (outcome, said) = text(TurnOutcome::NothingClose, &three, "how?");
        assert_eq!(outcome, TurnOutcome::Pointed);
        assert!(said.contains("may be about something else"), "{said}");
        assert!(
            said.ends_with("- printer: link:printer\n- link:scanner"),
            "{said}"
        );
        let named = GateTag::Mention;
        let reply = to_mention((TurnOutcome::NothingClose, &three, named), "how?", &[]);
        let cited = reply.expect("a reply").answer.cited;
        assert_eq!(
            cited.iter().map(|c| c.close).collect::<Vec<_>>(),
            [400, 300]
        );
        assert!(cited.iter().all(|cited| cited.evidence.is_empty()));
    }

    #[test]
    fn without_a_near_case_one_sentence_says_what_is_missing() {
        for (outcome, question, words) in [
            (TurnOutcome::NothingFound, "how?", "nothing about this yet"),
            (TurnOutcome::NothingFound, "", "which message you mean"),
            (TurnOutcome::SearchFailed, "how?", "ask again"),
            (TurnOutcome::NothingAnswers, "how?", "ask again"),
        ] {
            let (said_as, said) = text(outcome, &[], question);
            assert_eq!(said_as, TurnOutcome::Unknown);
            assert!(said.contains(words), "{said}");
        }
        // What shares no more than everyday words is not near.
        let (said_as, _) = text(TurnOutcome::NothingClose, &[near("far", 60)], "how?");
        assert_eq!(said_as, TurnOutcome::Unknown);
    }

    #[test]
    fn others_and_channels_without_an_admin_get_nothing() {
        let two = [near("printer", 400), near("scanner", 300)];
        for tag in GateTag::ALL
            .into_iter()
            .filter(|tag| *tag != GateTag::Mention)
        {
            assert_eq!(
                to_mention((TurnOutcome::NothingClose, &two, tag), "how?", &[]),
                None
            );
        }
        for outcome in [TurnOutcome::NotConfigured, TurnOutcome::Muted] {
            let docs = ["https://wiki.example".to_owned()];
            let of = (outcome, [].as_slice(), GateTag::Mention);
            assert_eq!(to_mention(of, "how?", &docs), None);
        }
    }
}
