//! What the bot says in its own words, in the language of whoever it says it to.
//!
//! The words of each language stand in a file. An operator, or a space, may replace any of them: that
//! is how the bot gets a tone, or a language of its own. Everything else that it says are the chat's
//! words.

mod language;

use std::collections::BTreeMap;
use std::fmt;

use threadlore_model::SpaceId;

pub use language::Language;

/// Declares the phrases: their names in files, and what is filled in.
macro_rules! phrases {
    ($($(#[doc = $doc:literal])+ $name:ident $key:literal { $($blank:ident),* })+) => {
        /// Something that the bot says.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Phrase<'a> {
            $($(#[doc = $doc])+ $name {
                $(#[doc = concat!("What stands for `{", stringify!($blank), "}`.")] $blank: &'a str),*
            },)+
        }

        /// The phrases: name, what it is said for, and what is filled in.
        pub const PHRASES: &[(&str, &str, &[&str])] = &[
            $(($key, concat!($($doc),+), &[$(stringify!($blank)),*]),)+
        ];

        impl<'a> Phrase<'a> {
            /// The name in files, and what is filled in.
            fn parts(self) -> (&'static str, Vec<(&'static str, &'a str)>) {
                match self {
                    $(Self::$name { $($blank),* } => ($key, vec![$((stringify!($blank), $blank)),*]),)+
                }
            }
        }
    };
}

phrases! {
    /// Under every answer: where it is from.
    From "from" { link }
    /// Under an answer that a tool gave: which, and the host that answered.
    LookedUp "looked_up" { source }
    /// What somebody suggested on a day and nobody confirmed.
    SuggestedOn "suggested_on" { day, text }
    /// The same, of a day that is not known.
    Suggested "suggested" { text }
    /// A solution that failed for others since; `failed` is how many.
    Doubtful "doubtful" { failed, text }
    /// After it: a case whose answers worked.
    Instead "instead" { link }
    /// The problem is known, and nobody solved it yet.
    Tracked "tracked" {}
    /// Above the nearest cases, of which none answers.
    Nearest "nearest" {}
    /// Nothing is known about it.
    Unknown "unknown" {}
    /// A mention that is about no message.
    WhichMessage "which_message" {}
    /// The search does not work now.
    CannotLook "cannot_look" {}
    /// Addresses of documentation, after one of these.
    Documentation "documentation" { links }
    /// What who asks said about himself.
    YouTold "you_told" { day, text }
    /// What a named person said for everybody.
    TheyTold "they_told" { name, day, text }
    /// The same, where the name is not known.
    WasTold "was_told" { day, text }
    /// What can be said to it.
    Help "help" {}
    /// An instruction that could not be carried out now.
    NotNow "not_now" {}
    /// Somebody is forgotten.
    ForgottenYou "forgotten_you" {}
    /// An instruction of admins, given by somebody else.
    NotAdmin "not_admin" {}
    /// An answer was taught.
    Learned "learned" {}
    /// The same, to the question of an hour and minute (UTC).
    LearnedOf "learned_of" { minute }
    /// It is not clear which answer an instruction is about.
    WhichAnswer "which_answer" {}
    /// It is not clear which question an answer is taught to.
    WhichQuestion "which_question" {}
    /// The case is of another channel, whose admins alone can change it.
    Elsewhere "elsewhere" {}
    /// What an instruction is about is erased.
    Gone "gone" {}
    /// A case was corrected.
    Corrected "corrected" {}
    /// A case is erased.
    ForgottenCase "forgotten_case" {}
    /// No addresses of documentation are named any more.
    NoDocs "no_docs" {}
    /// These are, from now on.
    Docs "docs" { links }
    /// It answers questions from now on.
    ModeQuestions "mode_questions" {}
    /// It answers who names it.
    ModeMentions "mode_mentions" {}
    /// It says nothing any more.
    ModeOff "mode_off" {}
    /// Something is remembered for the person alone.
    RememberedYours "remembered_yours" {}
    /// Something is remembered for everybody.
    RememberedAll "remembered_all" {}
    /// Only an admin can have something remembered for everybody.
    RememberAdmin "remember_admin" {}
    /// There are no words to remember.
    RememberEmpty "remember_empty" {}
    /// They are too many; `most` is how many characters may be.
    RememberLong "remember_long" { most }
    /// There is the number of a card in them.
    RememberCard "remember_card" {}
    /// There is a key or a token in them.
    RememberKey "remember_key" {}
    /// Above what is remembered of who asks.
    YouToldAll "you_told_all" {}
    /// Above what is remembered for everybody.
    WasToldAll "was_told_all" {}
    /// After some of these: how many others there are.
    More "more" { count }
    /// Under these: how one is forgotten.
    HowToForget "how_to_forget" {}
    /// Nothing is remembered of who asks.
    NothingOfYou "nothing_of_you" {}
    /// Nothing is remembered for everybody.
    NothingOfAll "nothing_of_all" {}
    /// What is to be forgotten is gone already.
    ForgottenBefore "forgotten_before" {}
    /// Nothing is remembered in the words that are to be forgotten.
    NothingLikeIt "nothing_like_it" {}
    /// Only an admin and who said it can have it forgotten.
    ForgetAdmin "forget_admin" {}
    /// It is forgotten.
    ForgottenFact "forgotten_fact" {}
}

/// What is wrong with a file of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadWords {
    /// The line, from 1 on, where it is known.
    pub line: Option<usize>,
    /// What is wrong, and what to do.
    pub reason: String,
}

impl fmt::Display for BadWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.reason)
    }
}

/// The words of one language.
type Words = BTreeMap<String, String>;

/// The bot's words in all of its languages; the built-in ones, some of them replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    words: BTreeMap<Language, Words>,
}

/// The longest phrase of a file, in characters.
const LONGEST: usize = 2000;

impl Default for Wording {
    fn default() -> Self {
        let words = Language::ALL.map(|language| {
            // The files are checked by a test.
            let words = toml::from_str(language.builtin()).unwrap_or_default();
            (language, words)
        });
        Self {
            words: words.into(),
        }
    }
}

impl Wording {
    /// Replaces words of a language by those of a file: TOML, `name = "text"`, of which any may be left
    /// out.
    ///
    /// # Errors
    /// It is no such file; a name is none of [`PHRASES`]; a text is empty or too long, or lacks something that
    /// is filled in, or has something that is not. Then nothing is replaced.
    pub fn replace(&mut self, language: Language, file: &str) -> Result<(), BadWords> {
        let line_of = |at: usize| {
            file.get(..at)
                .map(|before| before.matches('\n').count() + 1)
        };
        let read: BTreeMap<toml::Spanned<String>, toml::Spanned<String>> = toml::from_str(file)
            .map_err(|e| BadWords {
                line: e.span().and_then(|span| line_of(span.start)),
                reason: format!(
                    "this is no list of texts such as `unknown = \"…\"`: {}",
                    e.message()
                ),
            })?;
        for (name, text) in &read {
            let bad = |reason: String| BadWords {
                line: line_of(name.span().start),
                reason,
            };
            let name = name.get_ref().as_str();
            let Some((_, _, blanks)) = PHRASES.iter().find(|(key, ..)| *key == name) else {
                let near = PHRASES.iter().map(|(key, ..)| *key);
                let near = near.filter(|key| key.starts_with(name.get(..3).unwrap_or(name)));
                let near: Vec<&str> = near.collect();
                return Err(bad(match near.as_slice() {
                    [] => format!(
                        "`{name}` is the name of no phrase; `threadlore config words` prints them"
                    ),
                    near => format!(
                        "`{name}` is the name of no phrase; there is `{}`",
                        near.join("`, `")
                    ),
                }));
            };
            check(text.get_ref(), blanks).map_err(|wrong| bad(format!("`{name}` {wrong}")))?;
        }
        let words = self.words.entry(language).or_default();
        for (name, text) in read {
            words.insert(name.into_inner(), text.into_inner().trim().to_owned());
        }
        Ok(())
    }

    /// A phrase in a language.
    #[must_use]
    pub fn say(&self, language: Language, phrase: Phrase<'_>) -> String {
        let (name, blanks) = phrase.parts();
        filled(self.text(language, name), &blanks)
    }

    /// The words of a language as a file, in which each phrase has what it is said for.
    #[must_use]
    pub fn file(&self, language: Language) -> String {
        let phrases = PHRASES.iter().map(|(name, about, blanks)| {
            let blanks = blanks.iter().map(|blank| format!(" {{{blank}}}"));
            let text = toml::Value::from(self.text(language, name));
            format!("#{about}{}\n{name} = {text}\n", blanks.collect::<String>())
        });
        phrases.collect::<Vec<_>>().join("\n")
    }

    /// All phrases of a language by their names, as they stand in a file.
    #[must_use]
    pub fn words(&self, language: Language) -> BTreeMap<&str, &str> {
        let phrases = PHRASES.iter().map(|(name, ..)| *name);
        phrases
            .map(|name| (name, self.text(language, name)))
            .collect()
    }

    fn text(&self, language: Language, name: &str) -> &str {
        let words = self.words.get(&language);
        let text = words.and_then(|words| words.get(name));
        text.map_or("", String::as_str)
    }
}

/// The words of an installation, and those of spaces that have some of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wordings {
    /// Those of all other spaces.
    pub all: Wording,
    /// Those of a space, in place of the others.
    pub of: BTreeMap<SpaceId, Wording>,
}

impl Wordings {
    /// What is said in a space to somebody who speaks a language.
    #[must_use]
    pub fn voice(&self, space: Option<&SpaceId>, language: Language) -> Voice<'_> {
        Voice {
            wording: self.of(space),
            language,
        }
    }

    /// The words of a space.
    #[must_use]
    pub fn of(&self, space: Option<&SpaceId>) -> &Wording {
        let of_space = space.and_then(|space| self.of.get(space));
        of_space.unwrap_or(&self.all)
    }
}

/// The words of a space in one language.
#[derive(Debug, Clone, Copy)]
pub struct Voice<'w> {
    wording: &'w Wording,
    language: Language,
}

impl Voice<'_> {
    /// A phrase.
    #[must_use]
    pub fn say(&self, phrase: Phrase<'_>) -> String {
        self.wording.say(self.language, phrase)
    }
}

/// What is wrong with the text of a phrase.
fn check(text: &str, blanks: &[&str]) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("is empty: leave it out to have the built-in words".to_owned());
    }
    if text.chars().count() > LONGEST {
        return Err(format!("is longer than {LONGEST} characters"));
    }
    if text.chars().any(|c| c != '\n' && c.is_control()) {
        return Err("has a character that controls a terminal".to_owned());
    }
    for blank in blanks {
        if !text.contains(&format!("{{{blank}}}")) {
            return Err(format!("lacks `{{{blank}}}`, which is filled in"));
        }
    }
    let others = text.split('{').skip(1);
    for other in others.filter_map(|rest| rest.split_once('}')) {
        if !blanks.contains(&other.0) {
            return Err(format!(
                "has `{{{}}}`, which is not filled in there",
                other.0
            ));
        }
    }
    Ok(())
}

/// A text with its blanks filled in, each once; what is filled in is not looked at again.
fn filled(text: &str, blanks: &[(&str, &str)]) -> String {
    let mut said = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        said.push_str(before);
        let blank = after.split_once('}').and_then(|(name, after)| {
            let blank = blanks.iter().find(|(blank, _)| *blank == name)?;
            Some((blank.1, after))
        });
        match blank {
            Some((value, after)) => {
                said.push_str(value);
                rest = after;
            }
            None => {
                said.push('{');
                rest = after;
            }
        }
    }
    said + rest
}

#[cfg(test)]
mod tests;
