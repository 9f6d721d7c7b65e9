use proptest::prelude::*;

use super::*;

fn wording(language: Language, file: &str) -> Result<Wording, BadWords> {
    let mut wording = Wording::default();
    wording.replace(language, file)?;
    Ok(wording)
}

#[test]
fn every_language_has_every_phrase_with_what_is_filled_in() {
    let builtin = Wording::default();
    for language in Language::ALL {
        let words = &builtin.words[&language];
        let names: Vec<&str> = words.keys().map(String::as_str).collect();
        let mut wanted: Vec<&str> = PHRASES.iter().map(|(name, ..)| *name).collect();
        wanted.sort_unstable();
        assert_eq!(names, wanted, "{language:?}");
        for (name, _, blanks) in PHRASES {
            let text = builtin.text(language, name);
            assert_eq!(check(text, blanks), Ok(()), "{language:?} {name}");
        }
        // Each is in its language: none was left in another.
        let english = builtin.text(Language::English, "unknown");
        let same = language == Language::English;
        assert_eq!(builtin.text(language, "unknown") == english, same);
    }
}

#[test]
fn the_help_of_each_language_is_written_in_it() {
    let builtin = Wording::default();
    for language in Language::ALL {
        for (name, ..) in PHRASES {
            let text = builtin.text(language, name);
            // Phrases of one or two words need not tell.
            if text.split_whitespace().count() >= 8 {
                assert_eq!(Language::of([text]), language, "{name}: {text}");
            }
        }
    }
}

#[test]
fn a_question_is_answered_in_its_language() {
    for (text, language) in [
        ("how do I mount an ISO?", Language::English),
        ("wifi drops on fedora after the update", Language::English),
        ("Wie kann ich ein ISO einbinden?", Language::German),
        ("warum startet docker nicht mehr", Language::German),
        ("как примонтировать образ?", Language::Russian),
        (
            "не запускается docker compose up --build, что делать",
            Language::Russian,
        ),
        ("чому не працює звук?", Language::Ukrainian),
        ("як змонтувати образ диска", Language::Ukrainian),
        ("איך מעלים דיסק iso?", Language::Hebrew),
        ("не могу зайти на сайт", Language::Russian),
        ("не можу зайти на сайт", Language::Ukrainian),
        ("у мене не запускається", Language::Ukrainian),
        ("docker startet nicht", Language::German),
        // Languages that it does not speak, and none at all.
        (
            "comment monter une image du disque des autres ?",
            Language::English,
        ),
        ("¿cómo es que no arranca el servidor?", Language::English),
        ("como é que faço das imagens um disco?", Language::English),
        ("waarom start die server niet meer op?", Language::English),
        ("hur kan du starta den servern?", Language::English),
        ("sudo mount -o loop a.iso /mnt", Language::English),
        ("", Language::English),
        ("🎉 42", Language::English),
        // One name in another script changes nothing.
        ("how did Оля fix the printer?", Language::English),
        // By its script alone.
        ("спасибо", Language::Russian),
        ("грешка", Language::Russian),
    ] {
        assert_eq!(Language::of([text]), language, "{text}");
    }
}

#[test]
fn what_does_not_tell_its_language_has_that_of_earlier_lines() {
    let of = |texts: &[&str]| Language::of(texts.iter().copied());
    assert_eq!(
        of(&["mode off", "чому не працює звук?"]),
        Language::Ukrainian
    );
    assert_eq!(
        of(&["git push --force?", "как откатить коммит"]),
        Language::Russian
    );
    assert_eq!(of(&["грешка", "чому не працює"]), Language::Ukrainian);
    assert_eq!(of(&["грешка", "ok"]), Language::Russian);
    assert_eq!(
        of(&["what is the wifi?", "чому не працює"]),
        Language::English
    );
    assert_eq!(of(&[]), Language::English);
}

#[test]
fn words_of_a_file_take_the_place_of_built_in_ones() {
    let file = "# ours\nunknown = \"No idea, captain.\"\nfrom = \"\"\"\nFound at {link} \"\"\"\n";
    let ours = wording(Language::English, file).expect("a good file");
    assert_eq!(
        ours.say(Language::English, Phrase::Unknown {}),
        "No idea, captain."
    );
    let from = Phrase::From { link: "l" };
    assert_eq!(ours.say(Language::English, from), "Found at l");
    assert_eq!(ours.say(Language::German, from), "Von: l");
    let gone = Phrase::Gone {};
    let builtin = Wording::default();
    assert_eq!(
        ours.say(Language::English, gone),
        builtin.say(Language::English, gone)
    );
}

#[test]
fn what_is_printed_is_a_file_that_changes_nothing() {
    let mut builtin = Wording::default();
    for language in Language::ALL {
        let file = builtin.file(language);
        assert!(
            file.contains("# Under every answer: where it is from. {link}\nfrom = "),
            "{file}"
        );
        assert_eq!(builtin.replace(language, &file), Ok(()));
    }
    assert_eq!(builtin, Wording::default());
}

#[test]
fn a_bad_file_is_refused_with_the_line_and_replaces_nothing() {
    for (file, line, words) in [
        ("unknown = \"x\"\nunknwon = \"y\"", 2, "there is `unknown`"),
        ("xyzzy = \"y\"", 1, "`threadlore config words` prints them"),
        ("\n\nfrom = \"From\"", 3, "lacks `{link}`"),
        (
            "from = \"{link} {day}\"",
            1,
            "has `{day}`, which is not filled in",
        ),
        ("unknown = \" \"", 1, "is empty"),
        ("unknown = \"a\\u001b[2J\"", 1, "controls a terminal"),
        ("unknown = 5", 1, "no list of texts"),
        ("unknown = \"a\nb\"", 2, "no list of texts"),
        ("[table]\nunknown = \"a\"", 1, "no list of texts"),
    ] {
        let wrong = wording(Language::English, file).expect_err(file);
        assert_eq!(wrong.line, Some(line), "{file}: {wrong}");
        assert!(wrong.to_string().contains(words), "{file}: {wrong}");
    }
    let long = format!("unknown = \"{}\"", "x".repeat(1_000_000));
    let wrong = wording(Language::English, &long).expect_err("long");
    assert!(wrong.reason.contains("longer than 2000"), "{wrong}");
    let mut wording = Wording::default();
    let bad = "unknown = \"x\"\nnope = \"y\"";
    wording.replace(Language::English, bad).expect_err("bad");
    assert_eq!(wording, Wording::default());
}

proptest! {
    /// Whatever a chat says stands in the answer as it was said, and fills in nothing.
    #[test]
    fn what_is_filled_in_stays_as_it_is(text in "\\PC{0,40}|\\{link\\}|\\{text\\}|\\{\\{day\\}", day in "\\PC{0,9}|\\{text\\}") {
        let said = Wording::default().say(Language::English, Phrase::SuggestedOn { day: &day, text: &text });
        prop_assert_eq!(said, format!("On {day} somebody suggested, and nobody confirmed: {text}"));
    }

    #[test]
    fn no_file_panics(file in "\\PC{0,200}|(unknown|from|[a-z]{1,3}) = \"\\PC{0,20}\"") {
        let wrong = wording(Language::Hebrew, &file).err();
        prop_assert!(wrong.is_none_or(|wrong| !wrong.reason.is_empty()));
    }

    #[test]
    fn every_text_has_a_language(texts in proptest::collection::vec("\\PC{0,40}", 0..4)) {
        let of = Language::of(texts.iter().map(String::as_str));
        prop_assert!(Language::ALL.contains(&of));
    }
}
