//! Settings as an operator meets them: what is accepted, and what a refusal says.

use std::collections::BTreeMap;
use std::path::PathBuf;

use threadlore_settings::{Engine, Error, Settings};

/// Environment variables: name, value.
type Variables<'a> = &'a [(&'a str, &'a str)];

fn env(variables: Variables<'_>) -> BTreeMap<String, String> {
    variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn from_file(text: &str) -> Result<Settings, Error> {
    Settings::load(Some(text), &BTreeMap::new())
}

fn refusal(file: &str, variables: Variables<'_>) -> String {
    Settings::load(Some(file), &env(variables))
        .expect_err("must be refused")
        .to_string()
}

#[test]
fn nothing_given_is_the_default() {
    let loaded = Settings::load(None, &BTreeMap::new()).expect("defaults are valid");
    assert_eq!(loaded, Settings::default());
    assert_eq!(
        from_file("").expect("an empty file is valid"),
        Settings::default()
    );
}

#[test]
fn a_file_changes_only_what_it_names() {
    let loaded = from_file("data_dir = \"/srv/x\"\n[buffer]\npause_seconds = 5\n").expect("valid");
    let mut expected = Settings {
        data_dir: PathBuf::from("/srv/x"),
        ..Settings::default()
    };
    expected.buffer.pause_seconds = 5;
    assert_eq!(loaded, expected);
}

#[test]
fn the_environment_wins_over_the_file_and_our_own_name_over_a_shared_one() {
    let file = "[postgres]\nurl = \"postgres://file\"\n[log]\nfsync = true\n";
    let loaded = Settings::load(
        Some(file),
        &env(&[
            ("DATABASE_URL", "postgres://shared"),
            ("PG_BIN", "/opt/pg/bin"),
            ("THREADLORE__DATA_DIR", "/srv/y"),
            ("THREADLORE__LOG__FSYNC", "false"),
            ("THREADLORE__BATCH__MAX_RECORDS", "7"),
            ("HOME", "/root"),
        ]),
    )
    .expect("valid");
    assert_eq!(
        loaded.postgres.url.as_ref().expect("set").reveal(),
        "postgres://shared"
    );
    assert_eq!(loaded.postgres.bin, Some(PathBuf::from("/opt/pg/bin")));
    assert_eq!(loaded.data_dir, PathBuf::from("/srv/y"));
    assert!(!loaded.log.fsync);
    assert_eq!(loaded.batch.max_records, 7);

    let both = env(&[
        ("DATABASE_URL", "postgres://shared"),
        ("THREADLORE__POSTGRES__URL", "postgres://own"),
    ]);
    let loaded = Settings::load(Some(file), &both).expect("valid");
    assert_eq!(loaded.postgres.url.expect("set").reveal(), "postgres://own");
}

#[test]
fn an_address_is_printed_as_it_was_given() {
    let given = "[telemetry]\nlisten = \"[::1]:9464\"\n";
    let printed = from_file(given).expect("valid").print().expect("printed");
    assert!(printed.contains("listen = \"[::1]:9464\""), "{printed}");
    let variable = env(&[("THREADLORE__TELEMETRY__LISTEN", "127.0.0.1:1")]);
    let loaded = Settings::load(Some(given), &variable).expect("valid");
    assert_eq!(loaded.telemetry.listen, "127.0.0.1:1".parse().ok());
}

#[test]
fn an_empty_shared_variable_is_as_if_unset() {
    let loaded = Settings::load(None, &env(&[("DATABASE_URL", ""), ("PG_BIN", "")]));
    assert_eq!(loaded.expect("valid"), Settings::default());
}

#[test]
fn refusals_say_where_what_and_what_to_do() {
    let cases: &[(&str, Variables<'_>, &str)] = &[
        (
            "[buffer]\nwindow_cuont = 3\n",
            &[],
            "the settings file sets `buffer.window_cuont`, which does not exist; did you mean `buffer.window_count`?",
        ),
        (
            "[bufer]\nwindow_count = 3\n",
            &[],
            "the settings file sets `bufer`, which does not exist; did you mean `buffer`?",
        ),
        (
            "window_count = 3\n",
            &[],
            "the settings file sets `window_count`, which does not exist; did you mean `buffer.window_count`?",
        ),
        (
            "[kubernetes]\nreplicas = 3\n",
            &[],
            "the settings file sets `kubernetes`, which does not exist; docs/settings.md lists the keys that do",
        ),
        (
            "",
            &[("THREADLORE__BATCH__MAX_RECORD", "3")],
            "the environment variable THREADLORE__BATCH__MAX_RECORD sets `batch.max_record`, which does not exist; did you mean `batch.max_records`?",
        ),
        (
            "[buffer]\nwindow_count = \"many\"\n",
            &[],
            "the settings file sets `buffer.window_count` to \"many\", but it must be a whole number from 1 to 10000",
        ),
        (
            "[buffer]\nwindow_count = -1\n",
            &[],
            "the settings file sets `buffer.window_count` to -1, but it must be a whole number from 1 to 10000",
        ),
        (
            "",
            &[("THREADLORE__LOG__FSYNC", "perhaps")],
            "the environment variable THREADLORE__LOG__FSYNC sets `log.fsync` to \"perhaps\", but it must be true or false",
        ),
        (
            "log = true\n",
            &[],
            "the settings file sets `log` to true, but it must be a table that starts with the line `[log]`",
        ),
        (
            "data_dir = \"\"\n",
            &[],
            "the settings file sets `data_dir` to \"\", but it must be a path in quotes, not empty and without control characters",
        ),
        (
            "[telemetry]\nlisten = \"localhost\"\n",
            &[],
            "the settings file sets `telemetry.listen` to \"localhost\", but it must be an IP address and a port in quotes, such as \"127.0.0.1:9464\"",
        ),
        (
            "[buffer]\nmin_for_resolution = 41\n",
            &[],
            "the setting `buffer.min_for_resolution` is 41, but it must not be above `buffer.window_count` (40)",
        ),
        (
            "[links]\nbase = \"my cases/\"\n",
            &[],
            "the setting `links.base` is \"my cases/\", but a link must not contain blanks",
        ),
    ];
    for (file, variables, expected) in cases {
        assert_eq!(&refusal(file, variables), expected);
    }
}

#[test]
fn a_syntax_error_names_the_line() {
    let error = from_file("data_dir = \"x\"\n\n[buffer\n").expect_err("not TOML");
    assert!(matches!(error, Error::Syntax { line: 3, .. }), "{error}");
}

#[test]
fn a_secret_is_never_shown() {
    let good = from_file("[postgres]\nurl = \"postgres://u:hunter2@h/d\"\n").expect("valid");
    let printed = toml::to_string(&good).expect("settings serialise");
    let shown = [
        format!("{good:?}"),
        printed,
        refusal("[postgres]\nurl = \"mysql://u:hunter2@h/d\"\n", &[]),
        refusal("[postgres]\nurl = [\"postgres://u:hunter2@h/d\"]\n", &[]),
        refusal("[postgres]\nurl = \"postgres://u:hunter2@h/d\n", &[]),
        refusal("", &[("DATABASE_URL", "postgres://u:hunter2\u{7}@h/d")]),
    ];
    for text in shown {
        assert!(!text.contains("hunter2"), "{text}");
    }
}

const MODEL: &str =
    "[extractor]\nengine = \"openai\"\n[openai]\nmodel = \"m\"\nbase_url = \"http://h/v1\"\n";

#[test]
fn a_model_that_is_chosen_must_be_named() {
    let loaded = from_file(MODEL).expect("valid");
    assert_eq!(loaded.extractor.engine, Engine::OpenAi);
    let engine = "[extractor]\nengine = \"openai\"\n";
    let said = refusal(engine, &[]);
    assert!(said.contains("`openai.base_url` is not set"), "{said}");
    let said = refusal(engine, &[("THREADLORE__OPENAI__BASE_URL", "http://h/v1")]);
    assert!(said.contains("`openai.model` is not set"), "{said}");
    let said = refusal("[extractor]\nengine = \"gpt\"\n", &[]);
    let expected = "`extractor.engine` to \"gpt\", but it must be one of \"builtin\", \"openai\"";
    assert!(said.contains(expected), "{said}");
    let said = refusal("[extractor]\nengine = 3\n", &[]);
    assert!(said.contains("one of"), "{said}");
}

#[test]
fn the_place_of_a_model_is_a_plain_url() {
    for (url, words) in [
        ("h/v1", "http://"),
        ("ftp://h", "http://"),
        ("https://me:s3cret@h/v1", "`openai.api_key`"),
        ("https://h/v1?key=s3cret", "`openai.api_key`"),
        ("https://h /v1", "no blanks"),
    ] {
        let said = refusal("", &[("THREADLORE__OPENAI__BASE_URL", url)]);
        assert!(said.contains(words), "{said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
}

#[test]
fn a_model_of_vectors_that_is_chosen_must_be_described() {
    let engine = "[embedder]\nengine = \"openai\"\n";
    let mut set = Vec::new();
    for (key, name, value) in [
        ("base_url", "THREADLORE__EMBEDDER__BASE_URL", "http://h/v1"),
        ("model", "THREADLORE__EMBEDDER__MODEL", "e5"),
        ("dimensions", "THREADLORE__EMBEDDER__DIMENSIONS", "384"),
    ] {
        let said = refusal(engine, &set);
        let words = format!("`embedder.{key}` is not set");
        assert!(said.contains(&words), "{said}");
        set.push((name, value));
    }
    let loaded = Settings::load(Some(engine), &env(&set)).expect("valid");
    assert_eq!(loaded.embedder.dimensions, Some(384));
    let local = "[embedder]\nengine = \"local\"\n";
    let said = refusal(local, &[]);
    assert!(
        said.contains("where `embedder.engine` is `\"local\"`"),
        "{said}"
    );
    Settings::load(Some(local), &env(&set[1..2])).expect("a name is enough");
    let long = "x".repeat(201);
    for (name, value, words) in [
        ("THREADLORE__EMBEDDER__DIMENSIONS", "0", "1 to 8192"),
        (
            "THREADLORE__EMBEDDER__BASE_URL",
            "https://me:s3cret@h/v1",
            "`embedder.api_key`",
        ),
        ("THREADLORE__EMBEDDER__MODEL", &long, "200 bytes at most"),
        (
            "THREADLORE__EMBEDDER__ENGINE",
            "tei",
            "\"none\", \"openai\", \"local\"",
        ),
    ] {
        let said = refusal("", &[(name, value)]);
        assert!(said.contains(words), "{said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
    let key = ("THREADLORE__EMBEDDER__API_KEY", "s3cret");
    let said = refusal("[embedder]\napi_key_file = \"key\"\n", &[key]);
    assert!(
        said.contains("only one of it and `embedder.api_key_file`"),
        "{said}"
    );
    let loaded = Settings::load(None, &env(&[key])).expect("valid");
    assert!(!format!("{loaded:?}{}", loaded.print().expect("TOML")).contains("s3cret"));
}

#[test]
fn a_model_has_one_key_and_it_is_never_shown() {
    let key = ("THREADLORE__OPENAI__API_KEY", "s3cret");
    let said = refusal("[openai]\napi_key_file = \"key\"\n", &[key]);
    assert!(said.contains("only one of it and"), "{said}");
    let loaded = Settings::load(Some(MODEL), &env(&[key])).expect("valid");
    assert_eq!(
        loaded.openai.api_key.as_ref().expect("set").reveal(),
        "s3cret"
    );
    assert!(!format!("{loaded:?}").contains("s3cret"));
    assert!(!loaded.print().expect("TOML").contains("s3cret"));
}

#[test]
fn a_url_and_a_file_with_it_are_not_both_set() {
    for section in ["postgres", "keystore"] {
        let text = format!("[{section}]\nurl = \"postgres://u:hunter2@h/d\"\nurl_file = \"uri\"\n");
        let refused = Settings::load(Some(&text), &BTreeMap::new()).expect_err("both");
        let refused = refused.to_string();
        assert!(
            refused.contains(&format!("`{section}.url_file`")),
            "{refused}"
        );
        assert!(!refused.contains("hunter2"), "{refused}");
    }
}

#[test]
fn a_public_address_is_a_host_behind_tls() {
    let load = |url: &str| {
        let text = format!("[api]\npublic_url = {url:?}\n");
        Settings::load(Some(&text), &BTreeMap::new())
    };
    for (url, authority) in [
        ("https://lore.example.org", "lore.example.org"),
        ("https://lore.example.org:8443/", "lore.example.org:8443"),
    ] {
        let settings = load(url).expect("valid");
        assert_eq!(settings.api.public_authority(), Some(authority));
    }
    for url in [
        "http://lore.example.org",
        "lore.example.org",
        "https://",
        "https://lore.example.org/chat",
        "https://user@lore.example.org",
        "https://lore.example.org?x",
        "https://lore example.org",
    ] {
        let refused = load(url).expect_err(url).to_string();
        assert!(refused.contains("api.public_url"), "{refused}");
    }
}

#[test]
fn links_lead_to_the_pages_where_there_are_any() {
    let base = |text: &str| {
        let settings = Settings::load(Some(text), &BTreeMap::new());
        settings.expect("settings").link_base()
    };
    assert_eq!(base(""), "threadlore:case/");
    let public = "[api]\npublic_url = \"https://lore.example.org/\"\n";
    assert_eq!(base(public), "https://lore.example.org/case/");
    let own = format!("{public}[links]\nbase = \"https://wiki.example.org/?case=\"\n");
    assert_eq!(base(&own), "https://wiki.example.org/?case=");
}
