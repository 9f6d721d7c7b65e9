use threadlore_model::{
    CaseId, ChannelId, EventId, Extraction, Hint, KnownCase, Line, MessageId, Outcome,
    PersonHasher, Signal, SpaceId, Timestamp, Window,
};

use super::extract;

/// A line: who, what, the line it answers, what the lexical rules read in it.
type Said<'a> = (&'a str, &'a str, Option<usize>, &'a str);

/// A window of lines a minute apart. In the last part of a line `?` is a
/// question, `+` works, `t` thanks, `-` fails, `r` a positive reaction, `b` a bot.
fn window(script: &[Said<'_>]) -> Window {
    let space = SpaceId::parse("s").expect("a valid space");
    let channel = ChannelId::parse("irc:c").expect("a valid channel");
    let people = PersonHasher::new(&[1; 32]);
    let lines = script
        .iter()
        .enumerate()
        .map(|(at, (name, text, _, marks))| Line {
            message: MessageId::of_native(&space, &channel, &at.to_string()),
            person: people.person(&space, "irc", name),
            name: Some((*name).to_owned()),
            text: (*text).to_owned(),
            at: Timestamp::from_millis(i64::try_from(at).expect("small") * 60_000),
            reply_to: None,
            mentions: Vec::new(),
            bot: marks.contains('b'),
            positive: u32::from(marks.contains('r')),
        });
    let hint = |marks: &str| Hint {
        question: marks.contains('?'),
        outcome: match marks {
            _ if marks.contains('+') => Some(Outcome::Works),
            _ if marks.contains('t') => Some(Outcome::Thanks),
            _ if marks.contains('-') => Some(Outcome::Fails),
            _ => None,
        },
    };
    Window {
        channel: channel.clone(),
        lines: lines.collect(),
        links: script.iter().map(|(_, _, link, _)| *link).collect(),
        hints: script.iter().map(|(_, _, _, marks)| hint(marks)).collect(),
        open: Vec::new(),
    }
}

/// The only case of a script: title, solution, signal.
fn only(found: &Extraction) -> (&str, Option<&str>, Option<Signal>) {
    assert_eq!(found.cases.len(), 1, "{found:?}");
    let case = &found.cases[0];
    (&case.title, case.solution.as_deref(), case.signal)
}

#[test]
fn thanks_after_an_instruction_solve_a_case() {
    let found = extract(&window(&[
        (
            "ann",
            "hi all, how do I mount a usb stick in the terminal?",
            None,
            "?",
        ),
        ("bob", "ann: which version?", Some(0), "?"),
        ("ann", "bob: 9.10", Some(1), ""),
        ("bob", "ann: sudo mount /dev/sdb1 /mnt", Some(2), ""),
        ("bob", "ann: np if it asks for your password", Some(3), ""),
        ("ann", "bob: that worked, thanks", Some(3), "+"),
    ]));
    assert_eq!(
        only(&found),
        (
            "How do I mount a usb stick in the terminal?",
            Some("sudo mount /dev/sdb1 /mnt"),
            Some(Signal::Thanks)
        )
    );
    let case = &found.cases[0];
    assert_eq!(case.problem_lines, [0]);
    assert_eq!(case.solution_lines, [3]);
    assert_eq!(case.other_lines, [1, 2, 4, 5]);
    assert!(case.tags.contains(&"mount".to_owned()), "{:?}", case.tags);
}

#[test]
fn a_reaction_is_stronger_than_thanks() {
    let found = extract(&window(&[
        (
            "ann",
            "my docker container cannot reach the host network, any idea?",
            None,
            "?",
        ),
        ("bob", "ann: start it with --network host", Some(0), "r"),
        (
            "cid",
            "ann: or publish the port with -p 8080:80",
            Some(0),
            "",
        ),
        ("ann", "cid: thanks", Some(2), "t"),
    ]));
    let (_, solution, signal) = only(&found);
    assert_eq!(solution, Some("start it with --network host"));
    assert_eq!(signal, Some(Signal::Reaction));
}

#[test]
fn what_failed_is_no_solution() {
    let found = extract(&window(&[
        (
            "ann",
            "my sound card is silent since the upgrade to karmic, any idea?",
            None,
            "?",
        ),
        ("bob", "ann: sudo alsa force-reload", Some(0), ""),
        ("ann", "bob: thanks", Some(1), "t"),
        ("ann", "bob: no, still does not work", Some(2), "-"),
    ]));
    let (_, solution, signal) = only(&found);
    assert_eq!((solution, signal), (None, None));
}

#[test]
fn an_instruction_after_a_failed_one_is_the_solution() {
    let found = extract(&window(&[
        (
            "ann",
            "my sound card is silent since the upgrade to karmic, any idea?",
            None,
            "?",
        ),
        ("bob", "ann: sudo alsa force-reload", Some(0), ""),
        ("ann", "bob: that did not help", Some(1), "-"),
        (
            "bob",
            "ann: open alsamixer and unmute the master channel",
            Some(2),
            "",
        ),
        ("ann", "bob: it was muted, works now", Some(3), "+"),
    ]));
    assert_eq!(
        only(&found).1,
        Some("open alsamixer and unmute the master channel")
    );
}

#[test]
fn no_case_from_chatter() {
    let scripts: &[&[Said<'_>]] = &[
        &[
            ("ann", "hello", None, ""),
            ("bob", "hi ann", Some(0), ""),
            ("ann", "thanks", Some(1), "t"),
        ],
        &[
            ("ann", "can anyone help me?", None, "?"),
            ("bob", "ann: just ask your question", Some(0), ""),
        ],
        &[
            ("ann", "who watched the game last night?", None, "?"),
            ("bob", "ann: I did, try to find it on tv", Some(0), ""),
            ("ann", "thanks", Some(1), "t"),
        ],
        &[
            (
                "helperbot",
                "how do I install packages on the server? see sudo apt-get install",
                None,
                "?b",
            ),
            ("ann", "thanks", Some(0), "t"),
        ],
        &[
            ("bob", "ann: sudo apt-get install vlc", None, ""),
            ("ann", "thanks, it works", Some(0), "+"),
        ],
    ];
    for script in scripts {
        let found = extract(&window(script));
        assert!(
            found.cases.is_empty() && found.resolved.is_empty(),
            "{found:?}"
        );
    }
}

#[test]
fn a_bot_is_no_helper() {
    let found = extract(&window(&[
        (
            "ann",
            "how can I play mp3 files with totem on ubuntu 9.10?",
            None,
            "?",
        ),
        (
            "helperbot",
            "ann: sudo apt-get install ubuntu-restricted-extras",
            Some(0),
            "b",
        ),
        ("ann", "thanks, that worked", Some(1), "+"),
    ]));
    assert_eq!(only(&found).1, None);
    assert!(!found.cases[0].other_lines.contains(&1));
}

#[test]
fn questions_back_and_pleas_for_output_solve_nothing() {
    let found = extract(&window(&[
        (
            "ann",
            "my wireless card is not found after the kernel update on my laptop",
            None,
            "",
        ),
        ("bob", "ann: what is the output of lspci?", Some(0), "?"),
        ("bob", "ann: please pastebin /var/log/syslog", Some(0), ""),
        ("ann", "thanks", Some(2), "t"),
    ]));
    assert_eq!(only(&found).1, None);
}

#[test]
fn other_languages() {
    let scripts: &[&[Said<'_>]] = &[
        &[
            (
                "оля",
                "привіт, чому не працює драйвер принтера після оновлення?",
                None,
                "?",
            ),
            (
                "ігор",
                "оля: встанови пакет cups і перезапусти сервіс",
                Some(0),
                "",
            ),
            ("оля", "дякую, працює", Some(1), "+"),
        ],
        &[
            (
                "аня",
                "подскажите, как настроить сеть на сервере без графики?",
                None,
                "?",
            ),
            (
                "иван",
                "аня: открой файл /etc/network/interfaces и добавь адрес",
                Some(0),
                "",
            ),
            ("аня", "спасибо, заработало", Some(1), "+"),
        ],
        &[
            ("דנה", "איך להתקין דרייבר מדפסת בלי אינטרנט?", None, "?"),
            (
                "רון",
                "דנה: תוריד את החבילה ותריץ sudo dpkg -i",
                Some(0),
                "",
            ),
            ("דנה", "תודה, עובד", Some(1), "+"),
        ],
        &[
            (
                "zoe",
                "bonjour, pourquoi mon serveur refuse la commande de mise à jour?",
                None,
                "?",
            ),
            (
                "luc",
                "zoe: lance sudo apt-get update puis redémarre",
                Some(0),
                "",
            ),
            ("zoe", "merci ça marche", Some(1), "+"),
        ],
    ];
    for script in scripts {
        let found = extract(&window(script));
        let (title, solution, signal) = only(&found);
        assert!(
            title.chars().next().is_some_and(|c| !c.is_lowercase()),
            "{title}"
        );
        assert!(solution.is_some_and(|solution| !solution.contains(script[0].0)));
        assert_eq!(signal, Some(Signal::Thanks));
    }
}

/// An open case whose evidence is the message at `at`.
fn open_case(window: &Window, at: usize, problem: &str) -> KnownCase {
    KnownCase {
        case: CaseId::first_carried_by(EventId::of_content("test", &["case"])),
        title: "t".to_owned(),
        problem: problem.to_owned(),
        evidence: vec![window.lines[at].message],
    }
}

#[test]
fn an_open_case_is_resolved_once_and_not_drafted_again() {
    let mut solved = window(&[
        (
            "ann",
            "how do I mount a usb stick in the terminal of ubuntu?",
            None,
            "?",
        ),
        ("bob", "ann: sudo mount /dev/sdb1 /mnt", Some(0), ""),
        ("ann", "bob: thanks", Some(1), "t"),
    ]);
    solved.open = vec![open_case(&solved, 0, "other words")];
    let found = extract(&solved);
    assert!(found.cases.is_empty());
    assert_eq!(found.resolved.len(), 1);
    assert_eq!(found.resolved[0].case, solved.open[0].case);
    assert_eq!(found.resolved[0].solution, "sudo mount /dev/sdb1 /mnt");
    assert_eq!(found.resolved[0].solution_lines, [1]);

    let mut waiting = window(&[(
        "ann",
        "how do I mount a usb stick in the terminal of ubuntu?",
        None,
        "?",
    )]);
    waiting.open = vec![open_case(&waiting, 0, "other words")];
    assert_eq!(extract(&waiting), Extraction::default());
}

#[test]
fn a_question_asked_again_is_the_same_case() {
    let question = "how do I mount a usb stick in the terminal of ubuntu?";
    let mut again = window(&[
        ("zed", "unrelated words", None, ""),
        ("ann", question, None, "?"),
    ]);
    again.open = vec![open_case(&again, 0, question)];
    assert_eq!(extract(&again), Extraction::default());
    again.open.clear();
    assert_eq!(extract(&again).cases.len(), 1);
}

#[test]
fn a_title_is_short_and_clean() {
    let long = "hello everyone, does anyone know why my wireless network card stops after some \
                minutes of downloading large files from the local server with samba mounted";
    let found = extract(&window(&[("ann", long, None, "?")]));
    let (title, _, _) = only(&found);
    assert!(
        title.chars().count() <= 80 && title.ends_with('…'),
        "{title}"
    );
    assert!(
        title.starts_with("Why my wireless network card stops"),
        "{title}"
    );
}

#[test]
fn a_window_that_does_not_fit_together_gives_nothing() {
    let mut odd = window(&[(
        "ann",
        "how do I mount a usb stick in the terminal of ubuntu?",
        None,
        "?",
    )]);
    odd.hints.clear();
    assert_eq!(extract(&odd), Extraction::default());
}

#[test]
fn hostile_text_gives_indices_in_range() {
    let texts = [
        "",
        "?",
        "a: b",
        "@",
        ":",
        "\u{0}",
        "sudo -- ~/ /",
        "\u{202e}x: how do I install the kernel package?",
        "🙂 ok",
        "|||",
    ];
    let script: Vec<Said<'_>> = (0..200)
        .map(|at| {
            let link = (at % 3 > 0).then(|| at - 1);
            (
                ["a", "b", "ab"][at % 3],
                texts[at % texts.len()],
                link,
                ["?", "t", "-", "r", "+"][at % 5],
            )
        })
        .collect();
    let found = extract(&window(&script));
    for case in &found.cases {
        let lines = case
            .problem_lines
            .iter()
            .chain(&case.solution_lines)
            .chain(&case.other_lines);
        assert!(lines.clone().all(|at| *at < script.len()));
        assert!(!case.problem_lines.is_empty());
    }
}
