//! The words of the pages, in every language that the bot speaks.
//!
//! Each language has a file of [Fluent](https://projectfluent.org) with a message for every name. [`say!`] writes a
//! message where a page is rendered, in the language of [`within`]. The HTTP API and the command line have no such
//! language, so they are in English.

use std::collections::HashMap;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentError, FluentResource};
use fluent_syntax::ast::Entry;
use maud::{Markup, PreEscaped, html};
use threadlore_language::wording::Language;

tokio::task_local! {
    /// The language of who looks at the page that this task renders.
    static LANGUAGE: Language;
}

/// Answers a request in a language.
pub(crate) async fn within<T>(language: Language, answer: impl Future<Output = T>) -> T {
    LANGUAGE.scope(language, answer).await
}

/// The language of the page that is rendered; English outside of pages.
pub(crate) fn language() -> Language {
    LANGUAGE.try_with(|language| *language).unwrap_or_default()
}

/// A language as those who speak it call it.
pub(crate) const fn own_name(language: Language) -> &'static str {
    match language {
        Language::English => "English",
        Language::German => "Deutsch",
        Language::Russian => "Русский",
        Language::Ukrainian => "Українська",
        Language::Hebrew => "עברית",
    }
}

/// The direction that a language is written in, as HTML has it.
pub(crate) const fn direction(language: Language) -> &'static str {
    match language {
        Language::Hebrew => "rtl",
        _ => "ltr",
    }
}

/// The language that a browser wants most among those that there are words in (`Accept-Language`, RFC 9110).
pub(crate) fn wanted(header: &str) -> Option<Language> {
    let mut best: Option<(f32, Language)> = None;
    for range in header.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let code = parts.next().and_then(|tag| tag.split('-').next());
        let Some(language) = code.and_then(of_code) else {
            continue;
        };
        let weight = parts.find_map(|part| part.strip_prefix("q="));
        let weight = weight.map_or(1.0, |weight| weight.parse().unwrap_or(0.0));
        if weight > best.map_or(0.0, |(most, _)| most) {
            best = Some((weight, language));
        }
    }
    best.map(|(_, language)| language)
}

/// The language with a code of ISO 639-1.
pub(crate) fn of_code(code: &str) -> Option<Language> {
    let mut all = Language::ALL.into_iter();
    all.find(|language| code.eq_ignore_ascii_case(language.code()))
}

const fn file(language: Language) -> &'static str {
    match language {
        Language::English => include_str!("wording/en.ftl"),
        Language::German => include_str!("wording/de.ftl"),
        Language::Russian => include_str!("wording/ru.ftl"),
        Language::Ukrainian => include_str!("wording/uk.ftl"),
        Language::Hebrew => include_str!("wording/he.ftl"),
    }
}

type Bundle = FluentBundle<FluentResource>;

/// The words of each language, in the order of [`Language::ALL`].
static BUNDLES: LazyLock<[Bundle; 5]> = LazyLock::new(|| Language::ALL.map(bundle));

/// A part of a file that cannot be parsed is left out. A test parses every file.
fn bundle(language: Language) -> Bundle {
    let tag = language.code().parse();
    let mut bundle = Bundle::new_concurrent(tag.into_iter().collect());
    // A blank of text is rendered in a `bdi`, which isolates its direction.
    bundle.set_use_isolating(false);
    let words = FluentResource::try_new(file(language).to_owned());
    bundle.add_resource_overriding(words.unwrap_or_else(|(words, _)| words));
    bundle
}

/// The value of a blank.
pub(crate) enum Blank {
    /// A count, which decides the form of its noun.
    Number(i64),
    /// Text that may be in any language.
    Text(String),
    /// A part of the page.
    Shown(Markup),
}

impl From<Markup> for Blank {
    fn from(shown: Markup) -> Self {
        Self::Shown(shown)
    }
}

impl From<&str> for Blank {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Blank {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

macro_rules! number {
    ($($of:ty),*) => { $(
        impl From<$of> for Blank {
            fn from(count: $of) -> Self {
                Self::Number(i64::try_from(count).unwrap_or(i64::MAX))
            }
        }
    )* };
}
number!(u32, u64, usize, i64);

/// Writes words of the page: `say!("questions", count = 5)`.
macro_rules! say {
    ($name:literal $(, $blank:ident = $of:expr)* $(,)?) => {
        $crate::wording::said($name, vec![$((stringify!($blank), $crate::wording::Blank::from($of))),*])
    };
}
pub(crate) use say;

/// The same where there can be no elements: `text!("somebody")`.
macro_rules! text {
    ($name:literal $(, $blank:ident = $of:expr)* $(,)?) => {
        $crate::wording::plain($name, vec![$((stringify!($blank), $crate::wording::Blank::from($of))),*])
    };
}
pub(crate) use text;

/// The words with a name as text, with their blanks filled in.
pub(crate) fn plain(name: &str, blanks: Vec<(&'static str, Blank)>) -> String {
    let mut filled = FluentArgs::with_capacity(blanks.len());
    for (blank, of) in blanks {
        match of {
            Blank::Number(count) => filled.set(blank, count),
            Blank::Text(text) => filled.set(blank, text),
            Blank::Shown(markup) => filled.set(blank, markup.into_string()),
        }
    }
    worded(language(), name, &filled)
}

/// The first placeholder of a blank while a sentence of the page is put together: a character for private use, which
/// no message has.
const FIRST: char = '\u{E000}';

/// The words with a name as a part of the page, with their blanks filled in; what stands in backticks is code.
pub(crate) fn said(name: &str, blanks: Vec<(&'static str, Blank)>) -> Markup {
    let mut filled = FluentArgs::with_capacity(blanks.len());
    let mut shown: Vec<(char, Markup)> = Vec::new();
    for ((blank, of), letter) in blanks.into_iter().zip(FIRST..) {
        let markup = match of {
            Blank::Number(count) => {
                filled.set(blank, count);
                continue;
            }
            Blank::Text(text) => html! { bdi { (text) } },
            Blank::Shown(markup) => markup,
        };
        filled.set(blank, letter.to_string());
        shown.push((letter, markup));
    }
    let sentence = with_code(&worded(language(), name, &filled)).into_string();
    let mut page = String::with_capacity(sentence.len());
    for letter in sentence.chars() {
        match shown.iter().find(|(stands, _)| *stands == letter) {
            Some((_, markup)) => page.push_str(&markup.0),
            None => page.push(letter),
        }
    }
    PreEscaped(page)
}

/// A sentence; what stands in backticks is code.
fn with_code(sentence: &str) -> Markup {
    html! {
        @for (i, part) in sentence.split('`').enumerate() {
            @if i % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// The name of each sentence of English that has no blanks.
static SENTENCES: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let english = FluentResource::try_new(file(Language::English).to_owned());
    let english = english.unwrap_or_else(|(words, _)| words);
    let mut names = Vec::new();
    for entry in english.entries() {
        let Entry::Message(message) = entry else {
            continue;
        };
        names.push(message.id.name.to_owned());
        let parts = message.attributes.iter();
        names.extend(parts.map(|part| format!("{}.{}", message.id.name, part.id.name)));
    }
    let none = FluentArgs::new();
    let sentence = |name: String| Some((in_language(Language::English, &name, &none).ok()?, name));
    names.into_iter().filter_map(sentence).collect()
});

/// The translation of an English sentence, such as one of another crate; the sentence itself where there is none.
pub(crate) fn translated(english: &str) -> Markup {
    let name = match language() {
        Language::English => None,
        _ => SENTENCES.get(english),
    };
    name.map_or_else(|| with_code(english), |name| said(name, Vec::new()))
}

/// What one of several things is called, such as `outcome-answered`.
pub(crate) fn called(kind: &str, name: &str) -> Markup {
    said(&format!("{kind}-{name}"), Vec::new())
}

/// The sentence with a name, or its part after a dot; in English where the language has none, and else the name.
fn worded(language: Language, name: &str, filled: &FluentArgs<'_>) -> String {
    for language in [language, Language::English] {
        match in_language(language, name, filled) {
            Ok(sentence) => return sentence,
            Err(errors) => {
                debug_assert!(false, "{name} in {}: {errors:?}", language.code());
            }
        }
    }
    name.to_owned()
}

fn in_language(
    language: Language,
    name: &str,
    filled: &FluentArgs<'_>,
) -> Result<String, Vec<FluentError>> {
    let at = Language::ALL.iter().position(|one| *one == language);
    let bundle = &BUNDLES[at.unwrap_or_default()];
    let (message, part) = name
        .split_once('.')
        .map_or((name, None), |(m, p)| (m, Some(p)));
    let message = bundle.get_message(message).ok_or_else(Vec::new)?;
    let pattern = match part {
        None => message.value(),
        Some(part) => message.get_attribute(part).map(|part| part.value()),
    };
    let mut errors = Vec::new();
    let sentence = bundle.format_pattern(pattern.ok_or_else(Vec::new)?, Some(filled), &mut errors);
    match errors.is_empty() {
        true => Ok(sentence.into_owned()),
        false => Err(errors),
    }
}

#[cfg(test)]
mod tests;
