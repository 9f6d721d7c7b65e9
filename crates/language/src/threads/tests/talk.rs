//! Plain text without reply links, in several languages.

use super::super::link;
use super::{chat, roots};

/// Two askers, two helpers, four lines each way: the conversations are the
/// lines of the first and second asker in turn.
fn comes_apart(script: &[(i64, &str, &str)]) {
    let links = link(&chat(script));
    let wanted: Vec<usize> = (0..script.len()).map(|at| at % 2).collect();
    assert_eq!(roots(&links), wanted, "{links:?} of {script:#?}");
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
        (2, "ann", "cid: thanks, that worked"),
        (2, "bob", "dan: it was muted, thanks"),
    ]);
    assert_eq!(
        link(&lines),
        [None, None, Some(0), Some(1), Some(2), Some(3)]
    );
}

#[test]
fn so_they_do_in_ukrainian() {
    comes_apart(&[
        (0, "Оля", "привіт, як змонтувати флешку з термінала?"),
        (0, "Іван", "після оновлення зник звук, що робити?"),
        (1, "Петро", "Оля: sudo mount /dev/sdb1 /mnt"),
        (1, "Ніна", "Іван: відкрий alsamixer і увімкни звук"),
        (2, "Оля", "Петро: дякую, запрацювало"),
        (2, "Іван", "Ніна: звук є, дякую"),
    ]);
}

#[test]
fn so_they_do_in_russian() {
    comes_apart(&[
        (0, "Оля", "как примонтировать флешку из терминала?"),
        (0, "Иван", "после обновления пропал звук, что делать?"),
        (1, "Пётр", "Оля, sudo mount /dev/sdb1 /mnt"),
        (1, "Нина", "Иван, открой alsamixer и включи звук"),
        (2, "Оля", "Пётр, спасибо, заработало"),
        (2, "Иван", "Нина, звук появился, спасибо"),
    ]);
}

#[test]
fn so_they_do_in_hebrew() {
    comes_apart(&[
        (0, "דנה", "איך מחברים דיסק און קי מהטרמינל?"),
        (0, "יוסי", "אין קול אחרי השדרוג, מה לעשות?"),
        (1, "רון", "דנה: sudo mount /dev/sdb1 /mnt"),
        (1, "מיכל", "יוסי: תפתח alsamixer ותדליק את הקול"),
        (2, "דנה", "רון: תודה, עובד"),
        (2, "יוסי", "מיכל: יש קול, תודה"),
    ]);
}

#[test]
fn so_they_do_in_arabic() {
    comes_apart(&[
        (0, "سارة", "كيف أركب قرص يو اس بي من الطرفية؟"),
        (0, "علي", "اختفى الصوت بعد الترقية، ما الحل؟"),
        (1, "خالد", "سارة: sudo mount /dev/sdb1 /mnt"),
        (1, "منى", "علي، افتح alsamixer وشغل الصوت"),
        (2, "سارة", "خالد: شكرا، يعمل"),
        (2, "علي", "منى: رجع الصوت، شكرا"),
    ]);
}

#[test]
fn a_bot_answers_the_command_before_it() {
    let lines = chat(&[
        (0, "ann", "where do I report a bug?"),
        (0, "bob", "!bugs | ann"),
        (
            0,
            "helperbot",
            "ann: report bugs with the command ubuntu-bug",
        ),
    ]);
    assert_eq!(link(&lines)[2], Some(1));
}

#[test]
fn a_shortened_name_still_addresses() {
    let lines = chat(&[
        (0, "television_", "the panel is gone after login"),
        (0, "eve", "does anyone use lvm here?"),
        (
            1,
            "cid",
            "Television: remove the folder .config/xfce4 and log in again",
        ),
    ]);
    assert_eq!(link(&lines)[2], Some(0));
}

#[test]
fn a_name_before_an_arabic_comma_addresses() {
    let lines = chat(&[
        (0, "علي", "اختفى الصوت بعد الترقية، ما الحل؟"),
        (0, "سارة", "كيف أركب قرص يو اس بي من الطرفية؟"),
        (0, "عمر", "كيف أفتح الطرفية؟"),
        (1, "منى", "علي، افتح alsamixer"),
    ]);
    assert_eq!(link(&lines)[3], Some(0));
}
