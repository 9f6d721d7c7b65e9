//! Reads the words that an operator has the bot say in place of the built-in ones.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context as _;
use threadlore_language::wording::{Language, Wording, Wordings};
use threadlore_model::SpaceId;
use threadlore_settings::Settings;

use crate::error::BadInput;

const SETTING: &str = "(settings key answer.words_dir)";

/// The built-in words, with those of the settings in their place.
///
/// # Errors
/// The directory or a file cannot be read, or is none of words; which, where and what to do.
pub fn wordings(settings: &Settings) -> anyhow::Result<Wordings> {
    let mut all = Wordings::default();
    let Some(dir) = &settings.answer.words_dir else {
        return Ok(all);
    };
    let mut spaces = Vec::new();
    for path in entries(dir)? {
        if path.is_dir() {
            spaces.push(path);
        } else {
            replace(&mut all.all, &path)?;
        }
    }
    for path in spaces {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // What Kubernetes keeps beside mounted files.
        if name.starts_with("..") {
            continue;
        }
        let space = SpaceId::parse(&name).map_err(|e| {
            let shown = path.display();
            BadInput(format!("{shown} is named as no space is: {e} {SETTING}"))
        })?;
        let mut of_space = all.all.clone();
        for path in entries(&path)? {
            replace(&mut of_space, &path)?;
        }
        all.of.insert(space, of_space);
    }
    Ok(all)
}

/// What a directory has, in the order of its names.
fn entries(dir: &Path) -> anyhow::Result<Vec<std::path::PathBuf>> {
    let cannot = || {
        BadInput(format!(
            "words cannot be read from {} {SETTING}",
            dir.display()
        ))
    };
    let entries = fs::read_dir(dir).with_context(cannot)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<_> = paths.collect::<Result<_, _>>().with_context(cannot)?;
    paths.sort();
    Ok(paths)
}

/// Replaces words by those of a file that is named after a language. What is no TOML is left alone.
fn replace(wording: &mut Wording, path: &Path) -> anyhow::Result<()> {
    if path.extension().is_none_or(|end| end != "toml") {
        return Ok(());
    }
    let (shown, stem) = (path.display(), path.file_stem().unwrap_or_default());
    let language = Language::ALL.into_iter().find(|one| stem == one.code());
    let language = language.with_context(|| {
        let codes = Language::ALL.map(Language::code).join(".toml, ");
        BadInput(format!("{shown} is none of {codes}.toml {SETTING}"))
    })?;
    let text = fs::read_to_string(path).map_err(|e| {
        let what = match e.kind() {
            ErrorKind::InvalidData => "is no UTF-8".to_owned(),
            _ => format!("cannot be read: {e}"),
        };
        BadInput(format!("{shown} {what} {SETTING}"))
    })?;
    wording
        .replace(language, &text)
        .map_err(|wrong| BadInput(format!("{shown}: {wrong} {SETTING}")).into())
}

#[cfg(test)]
mod tests {
    use threadlore_language::wording::Phrase;

    use super::*;

    #[test]
    fn words_of_the_operator_and_of_a_space_take_the_place_of_built_in_ones() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        let mut settings = Settings::default();
        settings.answer.words_dir = Some(dir.path().to_owned());
        fs::create_dir_all(at("acme")).expect("made");
        fs::create_dir_all(at("..2026_11_28")).expect("made");
        fs::write(at("README"), "not words").expect("written");
        fs::write(at("en.toml"), "unknown = \"No idea.\"\ngone = \"Gone.\"").expect("written");
        fs::write(at("acme/en.toml"), "unknown = \"Beats us.\"").expect("written");
        let read = wordings(&settings).expect("good files");
        let (acme, other) = (SpaceId::parse("acme"), SpaceId::parse("other"));
        let of = |space: &SpaceId, language, phrase: Phrase<'_>| {
            read.voice(Some(space), language).say(phrase)
        };
        let (acme, other) = (acme.expect("a space"), other.expect("a space"));
        let unknown = Phrase::Unknown {};
        assert_eq!(of(&acme, Language::English, unknown), "Beats us.");
        assert_eq!(of(&acme, Language::English, Phrase::Gone {}), "Gone.");
        assert_eq!(of(&other, Language::English, unknown), "No idea.");
        assert!(of(&acme, Language::German, unknown).starts_with("Darüber"));
    }

    #[test]
    fn a_bad_file_is_refused_with_its_name_and_what_to_do() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut settings = Settings::default();
        let refused =
            |settings: &Settings| format!("{:#}", wordings(settings).expect_err("refused"));
        settings.answer.words_dir = Some(dir.path().join("none"));
        assert!(refused(&settings).contains("none (settings key answer.words_dir)"));
        settings.answer.words_dir = Some(dir.path().to_owned());
        for (name, text, words) in [
            (
                "en.toml",
                b"unknwon = \"x\"".as_slice(),
                "en.toml: line 1: `unknwon`",
            ),
            ("fr.toml", b"unknown = \"x\"", "none of en.toml, de.toml"),
            ("ru.toml", b"unknown = \"\xff\"", "is no UTF-8"),
            ("a b/en.toml", b"", "is named as no space is"),
        ] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a directory")).expect("made");
            fs::write(&path, text).expect("written");
            let told = refused(&settings);
            assert!(told.contains(words), "{told}");
            assert!(told.contains("answer.words_dir"), "{told}");
            match path.parent() {
                Some(parent) if parent != dir.path() => fs::remove_dir_all(parent),
                _ => fs::remove_file(&path),
            }
            .expect("removed");
        }
    }
}
