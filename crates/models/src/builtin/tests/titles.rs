//! Titles.

use super::*;

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
fn a_title_begins_where_its_sentence_does() {
    let titles = [
        (
            "anybody know of good documentation for init scripts on ubuntu?",
            "Good documentation for init scripts on ubuntu?",
        ),
        (
            "can you help me on how to integrate xcode server and the tests?",
            "How to integrate xcode server and the tests?",
        ),
        (
            "is there a command to end a program (e.g. so that it saves its files)?",
            "Is there a command to end a program (e.g. so that it saves its files)?",
        ),
        (
            "of all the kernel modules which one drives the wireless card?",
            "Of all the kernel modules which one drives the wireless card?",
        ),
    ];
    for (question, title) in titles {
        let found = extract(&window(&[
            ("ann", question, None, "?"),
            ("bob", "ann: the wiki has all of it", Some(0), ""),
        ]));
        assert_eq!(only(&found).0, title);
    }
}
