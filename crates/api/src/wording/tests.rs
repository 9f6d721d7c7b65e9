use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fluent_syntax::ast::{Expression, InlineExpression, Pattern, PatternElement};
use proptest::prelude::*;
use threadlore_language::context::Reason;
use threadlore_model::{
    AnswerOutcome, Audience, MemoryArchiveReason, MemoryTier, Mode, OutcomeSource, Rating, Status,
    TurnOutcome, WithdrawalReason,
};
use threadlore_ports::Right;
use threadlore_retrieval::Degraded;

use super::*;
use crate::questions::SETS;

/// The names of a file, those of parts with a dot, each with its blanks.
fn names(language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let words = FluentResource::try_new(file(language).to_owned());
    let words = words.map_err(|(_, errors)| errors);
    let words = words.unwrap_or_else(|errors| panic!("{}.ftl: {errors:?}", language.code()));
    let mut names = BTreeMap::new();
    let mut add = |name: String, pattern: &Pattern<&str>| {
        let mut blanks = BTreeSet::new();
        blanks_of(pattern, &mut blanks);
        let twice = names.insert(name.clone(), blanks).is_some();
        assert!(!twice, "{}.ftl has {name} twice", language.code());
    };
    for entry in words.entries() {
        match entry {
            Entry::Message(message) => {
                let name = message.id.name;
                let value = message.value.as_ref();
                add(
                    name.to_owned(),
                    value.unwrap_or_else(|| panic!("{name} says nothing")),
                );
                for part in &message.attributes {
                    add(format!("{name}.{}", part.id.name), &part.value);
                }
            }
            Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => {}
            other => panic!("{}.ftl: {other:?}", language.code()),
        }
    }
    names
}

fn blanks_of(pattern: &Pattern<&str>, blanks: &mut BTreeSet<String>) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else {
            continue;
        };
        let inline = match expression {
            Expression::Inline(inline) => inline,
            Expression::Select { selector, variants } => {
                for variant in variants {
                    blanks_of(&variant.value, blanks);
                }
                selector
            }
        };
        let InlineExpression::VariableReference { id } = inline else {
            panic!("only blanks are filled in: {inline:?}");
        };
        blanks.insert(id.name.to_owned());
    }
}

#[test]
fn every_language_has_the_same_names_with_the_same_blanks() {
    let english = names(Language::English);
    for language in Language::ALL {
        let own = names(language);
        for (name, blanks) in &english {
            let has = own.get(name);
            assert_eq!(has, Some(blanks), "{name} in {}.ftl", language.code());
        }
        for name in own.keys() {
            assert!(
                english.contains_key(name),
                "{name} in {}.ftl alone",
                language.code()
            );
        }
    }
}

fn sources(of: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(of).expect("the sources") {
        let path = entry.expect("a file").path();
        let is_test = path.ends_with("tests.rs");
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|kind| kind == "rs") && !is_test {
            into.push(path);
        }
    }
}

/// The sources of this crate, a text over several lines in one.
fn code() -> String {
    let mut paths = Vec::new();
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    sources(&all, &mut paths);
    let texts = paths
        .iter()
        .map(|path| fs::read_to_string(path).expect("a source"));
    let mut joined = String::new();
    for text in texts {
        let mut lines = text.split("\\\n");
        joined.push_str(lines.next().unwrap_or_default());
        lines.for_each(|line| joined.push_str(line.trim_start()));
    }
    joined
}

/// What is said by its name: the name, and the blanks that are filled in.
fn uses(code: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut found = Vec::new();
    for macro_name in ["say!(", "text!("] {
        for (at, _) in code.match_indices(macro_name) {
            let inside = &code[at + macro_name.len()..];
            let mut depth = 1;
            let end = inside.find(|letter| {
                depth += i32::from(letter == '(') - i32::from(letter == ')');
                depth == 0
            });
            let inside = &inside[..end.expect("a macro ends")];
            let Some(name) = inside.trim_start().strip_prefix('"') else {
                continue;
            };
            let (name, rest) = name.split_once('"').expect("a name ends");
            let mut blanks = BTreeSet::new();
            let mut depth = 0;
            let mut word = String::new();
            let mut letters = rest.chars().peekable();
            while let Some(letter) = letters.next() {
                depth += i32::from("({[".contains(letter)) - i32::from(")}]".contains(letter));
                match letter {
                    '=' if depth == 0 && letters.peek() == Some(&' ') => {
                        blanks.insert(word.trim().to_owned());
                    }
                    ',' if depth == 0 => word.clear(),
                    _ => word.push(letter),
                }
            }
            found.push((name.to_owned(), blanks));
        }
    }
    found
}

/// The names of things of which there are several.
fn several() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut add = |kind: &str, names: &[&str]| {
        all.extend(names.iter().map(|name| format!("{kind}-{name}")));
    };
    add(
        "place",
        &[
            "home",
            "questions",
            "cases",
            "graph",
            "memory",
            "channels",
            "ask",
        ],
    );
    add("outcome", &TurnOutcome::ALL.map(TurnOutcome::name));
    // What the page Ask is told.
    add("outcome", &["silent"]);
    add("set", &SETS.map(|(name, ..)| name));
    add("status", &Status::ALL.map(Status::name));
    add("worth", &AnswerOutcome::ALL.map(AnswerOutcome::name));
    add("rate", &Rating::ALL.map(Rating::name));
    add("rated", &Rating::ALL.map(Rating::name));
    add(
        "archived",
        &MemoryArchiveReason::ALL.map(MemoryArchiveReason::name),
    );
    add("audience", &Audience::ALL.map(Audience::name));
    add("mode", &Mode::ALL.map(Mode::name));
    add("right", &Right::ALL.map(Right::name));
    add("last", &["day", "week", "month", "all"]);
    let tiers = MemoryTier::ALL
        .into_iter()
        .filter(|tier| *tier != MemoryTier::MemoryBank);
    add("tier", &tiers.map(MemoryTier::name).collect::<Vec<_>>());
    let reasons = [
        Reason::Anchor,
        Reason::Snapshot,
        Reason::Chain,
        Reason::Mention,
        Reason::Thread,
        Reason::Own,
        Reason::Near,
    ];
    add("context", &reasons.map(Reason::name));
    add("part", &["problem", "solution", "suggestion", "context"]);
    all
}

#[test]
fn what_the_code_says_is_there_and_nothing_else() {
    let (english, code) = (names(Language::English), code());
    let mut said: BTreeSet<String> = several();
    for name in &said {
        assert!(english.contains_key(name), "{name} is not in en.ftl");
    }
    for (name, blanks) in uses(&code) {
        assert_eq!(english.get(&name), Some(&blanks), "`{name}` in the code");
        said.insert(name);
    }
    let mut sentences: BTreeSet<&str> = BTreeSet::new();
    sentences.extend(TurnOutcome::ALL.map(TurnOutcome::sentence));
    sentences.extend(OutcomeSource::ALL.map(OutcomeSource::sentence));
    sentences.extend(WithdrawalReason::ALL.map(WithdrawalReason::sentence));
    let degraded = [
        Degraded::Model,
        Degraded::Gate,
        Degraded::Remark,
        Degraded::Rewrite,
        Degraded::Reranker,
        Degraded::Reader,
        Degraded::Tool,
        Degraded::Budget,
        Degraded::Index,
        Degraded::Tables,
    ];
    sentences.extend(degraded.map(Degraded::sentence));
    for sentence in sentences {
        let name = SENTENCES.get(sentence);
        said.insert(
            name.unwrap_or_else(|| panic!("en.ftl does not know “{sentence}”"))
                .clone(),
        );
    }
    let none = FluentArgs::new();
    for name in english.keys().filter(|name| !said.contains(*name)) {
        let sentence = in_language(Language::English, name, &none);
        let sentence = sentence.unwrap_or_else(|_| panic!("nobody says {name}"));
        assert!(
            code.contains(&format!("\"{sentence}\"")),
            "nobody says {name}: {sentence}"
        );
    }
}

async fn in_hebrew<T>(of: impl FnOnce() -> T) -> T {
    within(Language::Hebrew, async { of() }).await
}

#[tokio::test]
async fn words_are_those_of_the_page_and_english_outside_of_one() {
    assert_eq!(text!("somebody"), "somebody");
    assert_eq!(say!("messages", count = 1_u32).into_string(), "1 message");
    assert_eq!(text!("messages", count = 12_345_u64), "12345 messages");
    assert_eq!(in_hebrew(|| text!("somebody")).await, "מישהו");
    let two = in_hebrew(|| say!("messages", count = 2_u32)).await;
    assert_eq!(two.into_string(), "שתי הודעות");
    for (count, expect) in [
        (1_u32, "1 случай"),
        (3, "3 случая"),
        (5, "5 случаев"),
        (21, "21 случай"),
        (112, "112 случаев"),
    ] {
        let shown = within(Language::Russian, async { text!("cases", count = count) });
        assert_eq!(shown.await, expect);
    }
}

#[tokio::test]
async fn a_sentence_of_another_crate_is_found_by_its_words() {
    let sentence = TurnOutcome::TooLate.sentence();
    assert_eq!(translated(sentence).into_string(), sentence);
    let shown = in_hebrew(|| translated(sentence)).await.into_string();
    assert_eq!(shown, "זה נאמר לפני זמן רב מדי");
    // Of what nobody knows the words in Hebrew, English is better than nothing.
    let unknown = in_hebrew(|| translated("use `--force` & see")).await;
    assert_eq!(unknown.into_string(), "use <code>--force</code> &amp; see");
}

#[test]
fn a_browser_gets_the_language_that_it_wants_most() {
    for (header, expect) in [
        ("ru", Some(Language::Russian)),
        ("uk-UA,uk;q=0.9,en;q=0.8", Some(Language::Ukrainian)),
        (
            "fr-FR, fr;q=0.9, de;q=0.5, he;q=0.7",
            Some(Language::Hebrew),
        ),
        ("HE-il", Some(Language::Hebrew)),
        ("en;q=0.5,de;q=0.5", Some(Language::English)),
        ("de;q=0", None),
        ("de;q=nonsense", None),
        ("fr, *", None),
        ("", None),
        (",;,;q=,", None),
    ] {
        assert_eq!(wanted(header), expect, "{header}");
    }
}

proptest! {
    #[test]
    fn nothing_in_a_blank_is_more_than_text(
        hostile in "\\PC{0,20}[<>&\"'`{}$\u{E000}\u{E001}]{1,4}\\PC{0,20}",
        at in 0..Language::ALL.len(),
    ) {
        let shown = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let shown = shown.block_on(within(Language::ALL[at], async {
            say!("happened-confirmed", who = hostile.as_str(), emoji = "👍")
        }));
        let written = html! { bdi { (hostile) } }.into_string();
        let shown = shown.into_string();
        prop_assert_eq!(shown.matches(&written).count(), 1, "{}", shown);
        let rest = shown.replacen(&written, "", 1).replacen("<bdi>👍</bdi>", "", 1);
        prop_assert!(!rest.contains(['<', '>', '&', '"']), "{}", rest);
    }
}
