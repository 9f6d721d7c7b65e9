//! What holds whatever is said.

use super::super::weights::Weights;
use super::super::{Linker, link, link_with, memory::KEPT, view::REACH};
use super::Chat;

/// Odd texts by few people, at odd times.
fn noise(lines: usize) -> Chat {
    noise_at(lines, |at| at * 7919 % 3000)
}

fn noise_at(lines: usize, second: impl Fn(usize) -> usize) -> Chat {
    let odd = [
        "",
        ":",
        "@",
        "!",
        "!x |",
        "a:",
        "\u{0}\u{202e}?",
        "🙂🙂",
        "^",
        "|||| > <",
        "> a",
        "\"a b\"",
        "ab, look at http://x.y/z",
        "спасибо, заработало",
        "למה זה לא עובד?",
        "لماذا؟",
        "same words again",
    ];
    let mut chat = Chat::new();
    for at in 0..lines {
        let name = ["a", "ab", "c_", "helperbot", "Оля"][at * at % 5];
        let second = i64::try_from(second(at)).expect("few");
        if at % 11 == 3 {
            chat.reply(second, name, &(at / 2).to_string(), odd[at % odd.len()]);
        } else {
            chat.say(second, name, odd[at % odd.len()]);
        }
    }
    chat
}

#[test]
fn links_point_back_whatever_the_text_and_not_too_far() {
    let chat = noise(260);
    let links = link(&chat.lines);
    assert_eq!(links.len(), chat.lines.len());
    for (at, earlier) in links.iter().enumerate() {
        let far = if chat.lines[at].reply_to.is_some() {
            at
        } else {
            REACH
        };
        assert!(earlier.is_none_or(|earlier| earlier < at && at - earlier <= far));
    }
    assert!(link(&[]).is_empty());
}

#[test]
fn a_link_stays_in_its_thread_whatever_the_text() {
    let mut chat = noise(260);
    let roots = ["0", "40", "elsewhere"].map(|root| chat.message(root));
    for (at, line) in chat.lines.iter_mut().enumerate().skip(41) {
        line.thread = roots.get(at * at % 5).copied();
    }
    let (mut inside, lines) = (0, &chat.lines);
    for (line, earlier) in lines.iter().zip(link(lines)) {
        if let Some(earlier) = earlier.filter(|_| line.reply_to.is_none()) {
            assert!(lines[earlier].is_seen_in(line.thread), "{line:?}");
            inside += usize::from(line.thread.is_some());
        }
    }
    assert!(inside > 20, "{inside}");
}

#[test]
fn a_link_does_not_depend_on_later_lines() {
    let chat = noise(150);
    let links = link(&chat.lines);
    for end in [1, 40, 149] {
        assert_eq!(link(&chat.lines[..end]), links[..end]);
    }
}

#[test]
fn a_slow_channel_is_judged_like_a_busy_one() {
    let second = |at: usize| at * 40 + at * at % 37;
    let busy = noise_at(150, second);
    let mut slow = noise_at(150, second);
    for line in &mut slow.lines {
        line.at = threadlore_model::Timestamp::from_millis(line.at.as_millis() * 1000);
    }
    assert_eq!(link(&busy.lines), link(&slow.lines));
}

#[test]
fn a_long_chat_is_read_in_bounded_memory() {
    let mut linker = Linker::default();
    let mut most = [0; 3];
    for at in 0..5 * KEPT {
        let mut chat = Chat::new();
        let text = format!("p{}: word{at} another{at}", at.saturating_sub(1));
        let line = chat.say(0, &format!("p{at}"), &text).clone();
        let choice = linker.read(&line);
        assert!(choice.answers.len() <= 60);
        linker.settle(choice, at.checked_sub(1));
        for (most, now) in most.iter_mut().zip(linker.held()) {
            *most = now.max(*most);
        }
    }
    assert_eq!(most[0], KEPT);
    assert!(most[1] <= KEPT + 2 && most[2] <= 3 * (KEPT + 1), "{most:?}");
}

#[test]
fn lines_that_leave_leave_no_trace() {
    let chat = noise(300);
    let mut lived = Linker::default();
    let links: Vec<_> = chat.lines.iter().map(|line| lived.judge(line).0).collect();
    // A name that only a line before these has is a name no more.
    for first in [0, 1, 120, 260, 300] {
        let left = || chat.lines.iter().zip(links.iter().copied()).skip(first);
        let mut anew = Linker::default();
        for (line, link) in left() {
            let hint = anew.remember(line, link);
            assert_eq!(hint, crate::hint(&line.text));
        }
        lived.remember_only(left());
        for line in &noise(340).lines[300..] {
            let (one, other) = (lived.read(line), anew.read(line));
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "from {first}");
            lived.settle(one, None);
            anew.settle(other, None);
        }
    }
}

#[test]
fn weights_are_read_as_they_are_written() {
    let text = include_str!("../weights.txt");
    let weights = Weights::parse(text).expect("the committed weights");
    assert!(!weights.start.is_empty() && !weights.answer.is_empty());
    let notes: String = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(format!("{notes}{weights}"), text);
    let chat = noise(100);
    assert_eq!(link(&chat.lines), link_with(&chat.lines, &weights));
}

#[test]
fn a_line_that_is_no_tree_is_named() {
    for wrong in [
        "start asks>0 : 1",
        "answer noise>0 : 1 2",
        "other asks>0 : 1 2",
        "start asks : 1",
    ] {
        let error = Weights::parse(&format!("# note\n{wrong}")).expect_err(wrong);
        assert!(error.contains("line 2") && error.contains(wrong), "{error}");
    }
}
