use super::*;

const QUESTION: &str = "how do I mount my windows disk at startup?";
const TALK: &str = "That reminds me of what we did last year when the whole team was away. ";

/// What is quoted is short, in the words and the order of the text, and says where it left
/// something out.
fn checked(text: &str, question: &str) -> String {
    let quoted = quote(text, question);
    assert!(length(&quoted) <= LONGEST, "{} characters", length(&quoted));
    let all = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = all.as_str();
    for part in quoted.split(GAP).map(str::trim).filter(|p| !p.is_empty()) {
        let part = part.split_whitespace().collect::<Vec<_>>().join(" ");
        let at = rest.find(&part);
        let at = at.unwrap_or_else(|| panic!("{part:?} is not there, or not in its order"));
        rest = &rest[at + part.len()..];
    }
    assert_eq!(
        quoted.contains(GAP),
        length(text.trim()) > LONGEST,
        "{quoted}"
    );
    quoted
}

#[test]
fn what_is_short_is_quoted_whole() {
    assert_eq!(
        quote(" edit fstab\nthen reboot ", QUESTION),
        "edit fstab\nthen reboot"
    );
    assert_eq!(quote(" \n ", QUESTION), "");
}

#[test]
fn of_a_long_text_the_lines_that_matter_are_quoted_in_their_order() {
    let text = [
        "first find out what it is called",
        &TALK.repeat(8),
        "to mount the disk at startup add a line to /etc/fstab",
        &TALK.repeat(8),
        "then type `mount -a`",
    ];
    let quoted = checked(&text.join("\n"), QUESTION);
    for line in [text[0], text[2], text[4]] {
        assert!(quoted.lines().any(|quoted| quoted == line), "{quoted}");
    }
    assert!(quoted.lines().any(|line| line.contains(GAP)), "{quoted}");
}

#[test]
fn a_long_story_with_the_words_of_the_question_does_not_displace_the_command() {
    let story = "I too wanted to mount a windows disk at startup and it was a long day. ".repeat(9);
    for text in [
        format!("{story}\nsudo ntfs-config"),
        format!("sudo ntfs-config\n{story}"),
        format!("{story} Type sudo ntfs-config. {story}"),
        format!("{TALK}{TALK}{TALK}{TALK}\nwell\nsudo ntfs-config\n{story}"),
    ] {
        let quoted = checked(&text, QUESTION);
        assert!(quoted.contains("sudo ntfs-config"), "{quoted}");
    }
}

#[test]
fn the_other_half_of_what_matters_is_quoted_with_it() {
    let text = format!(
        "{}\nTo mount the windows disk at startup open the disk tool.\nTick the box at the bottom.\n{}",
        TALK.repeat(5),
        TALK.repeat(5)
    );
    let quoted = checked(&text, QUESTION);
    assert!(
        quoted.contains("open the disk tool.\nTick the box at the bottom."),
        "{quoted}"
    );
}

#[test]
fn text_of_any_script_is_cut_between_sentences_or_words() {
    for (sentence, end) in [
        ("Mount the windows disk. ", '.'),
        ("כדי לחבר את הכונן הוסיפו שורה לקובץ. ", '.'),
        ("هل جربت إعادة تشغيل الجهاز؟ ", '؟'),
        ("先卸载磁盘然后重新启动。", '。'),
    ] {
        let quoted = checked(&sentence.repeat(60), QUESTION);
        let parts = quoted.split(GAP).map(str::trim).filter(|p| !p.is_empty());
        for part in parts {
            assert!(part.ends_with(end), "{quoted}");
        }
    }
    let words = checked(&"קובץ ".repeat(400), "איפה הקובץ?");
    assert!(
        words
            .replace(GAP, "")
            .split_whitespace()
            .all(|w| w == "קובץ")
    );
    checked(&"м".repeat(2_000), QUESTION);
    checked(&format!("a\n    {}", "м".repeat(2_000)), QUESTION);
    checked(&"🎉".repeat(2_000), QUESTION);
    checked(&"שָׁלוֹם".repeat(300), "שלום");
    checked(&"e\u{301}".repeat(2_000), QUESTION);
}

#[test]
fn lines_of_a_program_keep_their_indentation() {
    let program = "services:\n  web:\n    image: nginx\n    ports: [80]";
    let text = format!("{}\n{program}\n{}", TALK.repeat(6), TALK.repeat(6));
    let quoted = checked(&text, "which image and ports has the web service?");
    assert!(quoted.contains("  web:\n    image: nginx\n"), "{quoted}");
    checked(
        &format!("{}x\n{}", " ".repeat(5_000), TALK.repeat(9)),
        QUESTION,
    );
}

#[test]
fn a_question_without_words_has_the_beginning_and_the_end() {
    let text = format!("Begin here.\n{}\nEnd there.", TALK.repeat(12));
    for question in ["", "🎉", "how do I do it?"] {
        let quoted = checked(&text, question);
        assert!(quoted.starts_with("Begin here."), "{quoted}");
        assert!(quoted.ends_with("End there."), "{quoted}");
    }
}

#[test]
fn of_a_megabyte_the_line_that_matters_is_quoted() {
    let talk = TALK.repeat(7_000);
    let text = format!("{talk}\nmount the windows disk at startup with `mount -a`\n{talk}");
    let quoted = checked(&text, QUESTION);
    assert!(quoted.contains("with `mount -a`"), "{quoted}");
    let words = "a ".repeat(500_000);
    checked(&words, QUESTION);
    checked(&"\n".repeat(500_000).replace('\n', "x\n"), QUESTION);
}

#[test]
fn commands_paths_and_addresses_are_known() {
    for text in [
        "type `x`",
        "see https://example.org/a",
        "edit /etc/fstab",
        "it is in ~/.config",
        "with --force",
        "ls -l",
        "sudo reboot",
        "xorg.conf has it",
        "set max_connections",
    ] {
        assert!(is_exact(text), "{text}");
    }
    for text in [
        "and/or not at all -",
        "well... ok",
        "a - b",
        "e.g. this",
        ":-/",
        "-- so",
    ] {
        assert!(!is_exact(text) || text.starts_with("and/or"), "{text}");
    }
}
