//! Reads what an operator has the bot say in place of the built-in words, what he says to a model that
//! reads, and the tools that it may ask.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use threadlore_language::wording::{Language, Wording, Wordings};
use threadlore_model::SpaceId;
use threadlore_models::{HttpTool, HttpTools, ToolSettings};
use threadlore_retrieval::Instructions;
use threadlore_settings::Settings;

use crate::engine::read_key;
use crate::error::BadInput;

const SETTING: &str = "(settings key answer.words_dir)";

/// What an operator has the bot say, and says to a model that reads.
#[derive(Default)]
pub struct OwnWords {
    /// The bot's words.
    pub wordings: Wordings,
    /// What such a model is told.
    pub instructions: Instructions,
    /// The tools of all spaces without their own, by their names.
    pub tools: BTreeMap<String, Arc<HttpTool>>,
    /// Those of spaces.
    pub tools_of: BTreeMap<SpaceId, BTreeMap<String, Arc<HttpTool>>>,
}

/// What the files of one directory replace.
struct Of<'o> {
    wording: &'o mut Wording,
    instructions: &'o mut String,
    tools: &'o mut BTreeMap<String, Arc<HttpTool>>,
}

/// The file with what a model that reads is told.
const INSTRUCTIONS: &str = "read.md";
/// The file with the tools that it may ask.
const TOOLS: &str = "tools.toml";
/// The longest of them, in characters: they are sent with every question.
const LONGEST: usize = 4000;

impl OwnWords {
    /// The built-in words, with those of the settings in their place.
    ///
    /// # Errors
    /// The directory or a file cannot be read, or is none of words; which, where and what to do.
    pub fn read(settings: &Settings) -> anyhow::Result<Self> {
        let mut own = Self::default();
        let Some(dir) = &settings.answer.words_dir else {
            return Ok(own);
        };
        let (spaces, files): (Vec<_>, Vec<_>) =
            entries(dir)?.into_iter().partition(|path| path.is_dir());
        let all = Of {
            wording: &mut own.wordings.all,
            instructions: &mut own.instructions.all,
            tools: &mut own.tools,
        };
        replace(all, &files)?;
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
            let mut wording = own.wordings.all.clone();
            let mut instructions = own.instructions.all.clone();
            let mut tools = own.tools.clone();
            let of_space = Of {
                wording: &mut wording,
                instructions: &mut instructions,
                tools: &mut tools,
            };
            replace(of_space, &entries(&path)?)?;
            own.wordings.of.insert(space.clone(), wording);
            own.instructions.of.insert(space.clone(), instructions);
            own.tools_of.insert(space, tools);
        }
        Ok(own)
    }
}

/// What a directory has, in the order of its names.
fn entries(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
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

/// Replaces what files say: words by one that is named after a language. Other files are left alone.
fn replace(of: Of<'_>, files: &[PathBuf]) -> anyhow::Result<()> {
    let Of {
        wording,
        instructions,
        tools,
    } = of;
    for path in files {
        let shown = path.display();
        if path.file_name().is_some_and(|name| name == TOOLS) {
            tools.extend(declared(path)?);
            if tools.len() <= HttpTools::MOST {
                continue;
            }
            let most = HttpTools::MOST;
            return Err(BadInput(format!(
                "{shown}: a space has at most {most} tools, which go with every question {SETTING}"
            ))
            .into());
        }
        if path.file_name().is_some_and(|name| name == INSTRUCTIONS) {
            text_of(path)?.trim().clone_into(instructions);
            let is_control = |c: char| c != '\n' && c != '\t' && c.is_control();
            let wrong = match instructions.as_str() {
                text if text.chars().count() > LONGEST => {
                    format!("is longer than {LONGEST} characters, which go with every question")
                }
                text if text.contains(is_control) => "has a control character".to_owned(),
                _ => continue,
            };
            return Err(BadInput(format!("{shown} {wrong} {SETTING}")).into());
        }
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let stem = path.file_stem().unwrap_or_default();
        let language = Language::ALL.into_iter().find(|one| stem == one.code());
        let language = language.with_context(|| {
            let codes = Language::ALL.map(Language::code).join(".toml, ");
            BadInput(format!("{shown} is none of {codes}.toml {SETTING}"))
        })?;
        wording
            .replace(language, &text_of(path)?)
            .map_err(|wrong| BadInput(format!("{shown}: {wrong} {SETTING}")))?;
    }
    Ok(())
}

/// The tools that a file declares, by their names.
fn declared(path: &Path) -> anyhow::Result<Vec<(String, Arc<HttpTool>)>> {
    let shown = path.display();
    let text = text_of(path)?;
    let declared: BTreeMap<String, ToolSettings> = toml::from_str(&text).map_err(|e| {
        let line = e
            .span()
            .map_or(1, |at| 1 + text[..at.start].matches('\n').count());
        BadInput(format!("{shown}: line {line}: {} {SETTING}", e.message()))
    })?;
    let made = declared.into_iter().map(|(name, declared)| {
        let of = format!("{name}.token_file in {shown}");
        let token = declared.token_file.as_ref();
        let token = token.map(|file| read_key(file, &of)).transpose()?;
        let tool = HttpTool::new(&name, declared, token.as_deref());
        let tool = tool
            .map_err(|wrong| BadInput(format!("{shown}: the tool `{name}`: {wrong} {SETTING}")))?;
        Ok((name, Arc::new(tool)))
    });
    made.collect()
}

fn text_of(path: &Path) -> Result<String, BadInput> {
    fs::read_to_string(path).map_err(|e| {
        let shown = path.display();
        let what = match e.kind() {
            ErrorKind::InvalidData => "is no UTF-8".to_owned(),
            _ => format!("cannot be read: {e}"),
        };
        BadInput(format!("{shown} {what} {SETTING}"))
    })
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
        fs::write(at("read.md"), "Be brief.\n").expect("written");
        let tool = |name: &str| format!("[{name}]\nabout = \"a\"\nurl = \"https://a.example/\"\n");
        fs::write(at("tools.toml"), tool("status") + &tool("orders")).expect("written");
        fs::write(at("acme/tools.toml"), tool("status") + &tool("stock")).expect("written");
        let own = OwnWords::read(&settings).expect("good files");
        let (acme, other) = (SpaceId::parse("acme"), SpaceId::parse("other"));
        let of = |space: &SpaceId, language, phrase: Phrase<'_>| {
            own.wordings.voice(Some(space), language).say(phrase)
        };
        let (acme, other) = (acme.expect("a space"), other.expect("a space"));
        let names = |tools: &BTreeMap<String, Arc<HttpTool>>| {
            tools.keys().cloned().collect::<Vec<String>>().join(" ")
        };
        assert_eq!(names(&own.tools), "orders status");
        assert_eq!(names(&own.tools_of[&acme]), "orders status stock");
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
            |settings: &Settings| format!("{:#}", OwnWords::read(settings).err().expect("refused"));
        let tool = |n| format!("[t{n}]\nabout = \"a\"\nurl = \"https://a.example/\"\n");
        let many: String = (0..17).map(tool).collect();
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
            ("read.md", b"\x1b[2J", "has a control character"),
            ("read.md", &[b'x'; 4001], "longer than 4000 characters"),
            ("ru.toml", b"unknown = \"\xff\"", "is no UTF-8"),
            (
                "tools.toml",
                b"\n[a]\nurll = 1",
                "tools.toml: line 3: unknown field `urll`",
            ),
            ("tools.toml", b"[a]\nabout = \"a\"", "missing field `url`"),
            (
                "acme/tools.toml",
                b"[a]\nabout = \"a\"\nurl = \"http://127.0.0.1/\"",
                "tools.toml: the tool `a`: `url` has a private address",
            ),
            (
                "tools.toml",
                b"[a]\nabout = \"a\"\nurl = \"https://a.example/\"\ntoken_file = \"/none\"",
                "the key cannot be read from /none (settings key a.token_file in ",
            ),
            ("tools.toml", many.as_bytes(), "at most 16 tools"),
            ("a b/en.toml", b"", "is named as no space is"),
        ] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a directory")).expect("made");
            fs::write(&path, text).expect("written");
            let told = refused(&settings);
            assert!(told.contains(words), "{told}");
            assert!(told.contains("settings key"), "{told}");
            match path.parent() {
                Some(parent) if parent != dir.path() => fs::remove_dir_all(parent),
                _ => fs::remove_file(&path),
            }
            .expect("removed");
        }
    }
}
