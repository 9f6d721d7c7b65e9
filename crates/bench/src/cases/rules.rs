//! Who judges a dialog: the built-in engine, and two rules of a few lines that
//! say what the figures are worth.

use threadlore_language::{hint, is_question, link, outcome};
use threadlore_model::{ChannelId, Extraction, Line, Outcome, Window};
use threadlore_models::Builtin;

use super::Verdict;

/// The built-in engine, on the window that the extractor would give it.
pub(crate) fn builtin(lines: &[Line]) -> Verdict {
    window(lines).map_or_else(Verdict::default, |window| {
        said(Builtin::default().cases(&window))
    })
}

/// The window of a dialog.
pub(crate) fn window(lines: &[Line]) -> Option<Window> {
    Some(Window {
        channel: ChannelId::new("livechat", "dialog").ok()?,
        lines: lines.to_vec(),
        links: link(lines),
        hints: lines.iter().map(|line| hint(&line.text)).collect(),
        open: Vec::new(),
    })
}

/// What an engine's findings say of the dialog.
pub(crate) fn said(found: Extraction) -> Verdict {
    Verdict {
        case: !found.cases.is_empty(),
        solution: found
            .cases
            .into_iter()
            .flat_map(|case| case.solution_lines)
            .collect(),
    }
}

/// Every dialog is a case, and everything that others than its first writer say
/// after its first question solves it.
pub(crate) fn always_yes(lines: &[Line]) -> Verdict {
    let asked = lines.iter().position(|line| is_question(&line.text));
    let after = asked.unwrap_or(0);
    Verdict {
        case: true,
        solution: replies(lines).filter(|at| *at > after).collect(),
    }
}

/// A case has a question mark, "how", "error" or "can't"; it is solved by the
/// last reply before the first writer's thanks, else by the longest reply.
pub(crate) fn keywords(lines: &[Line]) -> Verdict {
    let case = lines.iter().any(|line| {
        let text = line.text.to_lowercase();
        text.contains('?') || ["how", "error", "can't"].iter().any(|w| text.contains(w))
    });
    let thanks = lines.iter().position(|line| {
        line.person == lines[0].person && outcome(&line.text) == Some(Outcome::Thanks)
    });
    let before = |thanks: usize| replies(lines).take_while(|at| *at < thanks).last();
    let longest = || replies(lines).max_by_key(|at| (lines[*at].text.chars().count(), *at));
    let solution = thanks.and_then(before).or_else(longest);
    Verdict {
        case,
        solution: solution.filter(|_| case).into_iter().collect(),
    }
}

/// Messages of others than the first writer.
fn replies(lines: &[Line]) -> impl Iterator<Item = usize> {
    let reply = |at: &usize| lines[*at].person != lines[0].person;
    (0..lines.len()).filter(reply)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadlore_model::{MessageId, PersonHasher, SpaceId, Timestamp};

    fn dialog(said: &[(&str, &str)]) -> Vec<Line> {
        let space = SpaceId::parse("s").expect("a space");
        let channel = ChannelId::new("x", "c").expect("a channel");
        let line = |(at, (nick, text)): (usize, &(&str, &str))| Line {
            message: MessageId::of_native(&space, &channel, &at.to_string()),
            person: PersonHasher::new(&[0; 32]).person(&space, "x", nick),
            name: Some((*nick).to_owned()),
            text: (*text).to_owned(),
            at: Timestamp::from_millis(at as i64 * 60_000),
            reply_to: None,
            thread: None,
            mentions: Vec::new(),
            bot: false,
            positive: 0,
        };
        said.iter().enumerate().map(line).collect()
    }

    fn yes(solution: &[usize]) -> Verdict {
        Verdict {
            case: true,
            solution: solution.iter().copied().collect(),
        }
    }

    const SOLVED: &[(&str, &str)] = &[
        ("ann", "hello"),
        ("bob", "hi"),
        ("ann", "how do I mount a usb stick in the terminal?"),
        ("bob", "ann: sudo mount /dev/sdb1 /mnt"),
        ("ann", "bob: thanks"),
        (
            "bob",
            "you are very welcome, come back at any time you like",
        ),
    ];

    #[test]
    fn each_judge_says_what_it_should() {
        let lines = dialog(SOLVED);
        assert_eq!(builtin(&lines), yes(&[3]));
        assert_eq!(always_yes(&lines), yes(&[3, 5]));
        assert_eq!(keywords(&lines), yes(&[3]));
    }

    #[test]
    fn questions_and_thanks_in_other_languages_are_read() {
        let talks = [
            (
                "подскажите, как настроить сеть на сервере?",
                "аня: открой /etc/network/interfaces и добавь адрес",
                "спасибо, заработало",
            ),
            (
                "привіт, чому не працює драйвер принтера?",
                "аня: встанови пакет cups і перезапусти сервіс",
                "дякую, працює",
            ),
            (
                "איך מתקינים דרייבר של מדפסת בלי אינטרנט?",
                "аня: תוריד את החבילה ותריץ sudo dpkg -i",
                "תודה, עובד",
            ),
            (
                "كيف أضبط الطابعة بدون برنامج إضافي؟",
                "аня: افتح لوحة الإعدادات ثم اختر الجهاز من القائمة",
                "شكرا، يعمل الآن",
            ),
            (
                "hola, ¿cómo puedo cambiar el puerto del servidor?",
                "аня: edita el archivo /etc/app.conf y reinicia",
                "gracias, ya funciona",
            ),
            (
                "hallo, wie kann ich den Treiber der Grafikkarte wechseln",
                "аня: installiere das Paket nvidia-driver-390 neu",
                "danke, es geht jetzt",
            ),
        ];
        for (question, answer, thanks) in talks {
            let lines = dialog(&[("аня", question), ("bo", answer), ("аня", thanks)]);
            assert_eq!(builtin(&lines), yes(&[1]), "{question}");
            assert!(is_question(question), "{question}");
            assert!(
                threadlore_language::resolution(thanks).is_some(),
                "{thanks}"
            );
        }
    }

    #[test]
    fn without_thanks_the_longest_reply_is_taken() {
        let lines = dialog(&[("ann", "why?"), ("bob", "because it is so"), ("bob", "ok")]);
        assert_eq!(keywords(&lines), yes(&[1]));
    }

    #[test]
    fn chatter_is_no_case() {
        let lines = dialog(&[("ann", "good morning"), ("bob", "morning, ann")]);
        assert_eq!(builtin(&lines), Verdict::default());
        assert_eq!(keywords(&lines), Verdict::default());
    }
}
