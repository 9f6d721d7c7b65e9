//! People tell the bot what an answer was worth, admins correct it, and who wants to is forgotten.

use super::desk::{ISO, PRINTER, desk};
use super::support::{Place, look_until};

const ASK: &str = "eve: @lore how do I mount an iso image to read its files?";

/// Says lines one after the other; what is printed after each.
fn says(place: &Place, lines: &[&str]) -> Vec<String> {
    let ran = place.run_with(&["chat"], lines);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let mut said = Vec::new();
    let mut rest = ran.out.as_str();
    for line in lines {
        let text = line
            .split_once(": ")
            .filter(|(name, _)| !name.contains(' '));
        let text = text.map_or(*line, |(_, text)| text);
        let (_, after) = rest
            .split_once(&format!("> {text}\n"))
            .unwrap_or_else(|| panic!("{line}: {}", ran.out));
        let end = after
            .find("\n<")
            .filter(|at| !after[*at..].starts_with("\n<lore>"));
        said.push(after[..end.unwrap_or(after.len())].to_owned());
        rest = after;
    }
    said
}

#[test]
fn an_admin_corrects_and_erases_in_the_room_and_what_was_said_is_taken_back() {
    let place = desk();
    let said = says(
        &place,
        &[
            "good morning",
            "bob: how do I mount an iso image to read its files?",
            "bob: thanks, that works!",
            "bob: @lore correct: use gnome-disks",
            "@lore correct: use gnome-disks, it attaches images",
            "bob: good to know",
        ],
    );
    assert!(said[1].contains("mount -o loop"), "{said:?}");
    assert!(
        said[2].contains("it says whether an answer helped"),
        "{said:?}"
    );
    assert!(
        said[3].contains("Only an admin of this channel"),
        "{said:?}"
    );
    assert!(said[4].contains("Corrected"), "{said:?}");
    let taken_back = "takes back what it said: the case that it came from was corrected";
    assert!(said[4..].concat().contains(taken_back), "{said:?}");

    let said = says(
        &place,
        &[
            ASK,
            "@lore docs https://wiki.example.org/iso",
            "eve: @lore how do I brew coffee on the moon with a teapot?",
            "@lore help",
            "@lore forget this",
            "eve: good night",
        ],
    );
    assert!(
        said[0].contains("gnome-disks, it attaches images"),
        "{said:?}"
    );
    assert!(!said[0].contains("mount -o loop"), "{said:?}");
    assert!(
        said[1].contains("I name https://wiki.example.org/iso"),
        "{said:?}"
    );
    assert!(
        said[2].contains("The documentation: https://wiki.example.org/iso"),
        "{said:?}"
    );
    assert!(said[3].contains("forget me"), "{said:?}");
    // It is about the last answer that quotes a case.
    assert!(said[4].contains("Forgotten"), "{said:?}");
    let taken_back = "takes back what it said: the case that it came from was erased";
    assert!(said[4..].concat().contains(taken_back), "{said:?}");

    let said = says(
        &place,
        &[ASK, "@lore mode off", "eve: @lore are you there?"],
    );
    assert!(!said[0].contains("gnome-disks"), "{said:?}");
    assert!(said[1].contains("say nothing here any more"), "{said:?}");
    assert!(said[2].contains("wants no answers"), "{said:?}");

    let owner = place.standalone();
    let one = |statement: &str| place.sql(statement).expect("a row").trim().to_owned();
    assert_eq!(
        one("SELECT string_agg(rating, ' ') FROM lore.turn_ratings"),
        "helped"
    );
    // The one who said "docs" in the room, and not the operator who set it up.
    let set_by = one("SELECT configured_by FROM lore.channels");
    assert!(set_by.starts_with("person:"), "{set_by}");
    let taken_back = "SELECT count(*) FROM lore.messages WHERE bot AND text LIKE '%iso%' \
                      AND text LIKE '%threadlore:case%'";
    look_until(|| one(taken_back) == "0");
    owner.stop();
    place.verified();
}

/// How many texts of the tables have these words.
fn texts_with(place: &Place, words: &str) -> u64 {
    let count = format!(
        "SELECT (SELECT count(*) FROM lore.messages WHERE text ILIKE '%{words}%' OR name = '{words}') \
         + (SELECT count(*) FROM lore.cases \
            WHERE concat(title, problem, solution, suggestion) ILIKE '%{words}%')"
    );
    let rows = place.sql(&count).expect("a row");
    rows.trim().parse().expect("a number")
}

#[test]
fn a_person_is_erased_with_the_cases_that_have_words_of_theirs() {
    let place = desk();
    let owner = place.standalone();
    assert_eq!(texts_with(&place, "mount -o loop"), 2);
    let counted = place.json(&["erase", "--person", "chat:bob", "--dry-run"]);
    assert_eq!(
        (&counted["messages"], &counted["cases"], &counted["dry_run"]),
        (&2.into(), &2.into(), &true.into()),
        "{counted}"
    );
    assert_eq!(texts_with(&place, "mount -o loop"), 2, "it was a dry run");
    let erased = place.run(&["erase", "--person", "chat:bob"]);
    assert_eq!(erased.code, Some(0), "{erased:?}");
    assert!(
        erased
            .out
            .contains("erased, for good: 2 messages in 1 channel, and 2 cases"),
        "{erased:?}"
    );
    for words in ["mount -o loop", "/etc/default/keyboard", "bob"] {
        // What others wrote to them is theirs.
        let others = u64::from(words == "bob");
        assert_eq!(texts_with(&place, words), others, "{words}");
    }
    let asked = place.run(&["ask", ISO]);
    assert!(!asked.out.contains("mount -o loop"), "{asked:?}");
    // Others stay.
    let asked = place.run(&["ask", PRINTER]);
    assert!(asked.out.contains("clean the print head"), "{asked:?}");
    owner.stop();
    place.verified();

    let again = place.json(&["erase", "--person", "chat:bob"]);
    assert_eq!(again["messages"], 0, "{again}");
    let nobody = place.run(&["erase", "--person", "chat:nobody"]);
    assert_eq!(nobody.code, Some(3), "{nobody:?}");
    assert!(
        nobody.err.contains("nobody named nobody on chat"),
        "{nobody:?}"
    );
    let mistyped = place.run(&["erase", "--person", "bob"]);
    assert!(
        mistyped.err.contains("for example irc:alice"),
        "{mistyped:?}"
    );
}

#[test]
fn who_asks_for_it_in_the_room_is_forgotten_and_nothing_more_of_them_is_kept() {
    let place = desk();
    let said = says(
        &place,
        &[
            "good morning",
            "zoe: I always use the zebrafish tool for that",
            "zoe: @lore forget me",
        ],
    );
    assert!(
        said[2].contains("I erase everything that you wrote"),
        "{said:?}"
    );
    let owner = place.standalone();
    look_until(|| texts_with(&place, "zebrafish") == 0);
    let told = place.run(&["chat", "--say", "zoe: zebrafish, I say"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(told.out.contains("(silent"), "{told:?}");
    assert_eq!(texts_with(&place, "zebrafish"), 0);
    owner.stop();
    place.verified();
}
