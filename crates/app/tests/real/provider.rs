//! Signing in to the pages at a real provider of OpenID Connect, in a browser.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use super::clients::tools;
use super::desk::desk;
use super::interop::{packages, run};
use super::pages::installed_browser;
use super::support::Ran;

/// An account without a password.
const NAME: &str = "anna@example.org";

#[test]
fn who_has_an_account_signs_in_at_the_provider() {
    let (Some(browser), Some(packages), Some(tools)) = (installed_browser(), packages(), tools())
    else {
        return;
    };
    let made = tempfile::tempdir_in(Path::new(&tools)).expect("a directory");
    let script = "tests/interop/typescript/provider.mjs";
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(script);
    std::fs::copy(script, made.path().join("provider.mjs")).expect("copied");
    // It ends with its standard input.
    let mut node = Command::new("node")
        .arg("provider.mjs")
        .current_dir(made.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("node starts");
    let mut issuer = String::new();
    // Its later output is not read, but a closed pipe would end it.
    let mut printed = BufReader::new(node.stdout.take().expect("piped"));
    printed.read_line(&mut issuer).expect("a line");
    let place = desk();
    let secret = place.file("secret", "the-secret-of-the-test\n");
    let mut up = place.command(&["up", "--listen", "127.0.0.1:0"]);
    up.env("THREADLORE__OIDC__ISSUER", issuer.trim())
        .env("THREADLORE__OIDC__CLIENT_ID", "threadlore")
        .env("THREADLORE__OIDC__CLIENT_SECRET_FILE", secret);
    let mut owner = place.start(&mut up);
    assert!(owner.wait_for("sign-in?link="), "{}", owner.said());
    // Nobody needs the link: the provider says who she is.
    let added = place.run(&["user", "add", NAME]);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let listed = place.run(&["user", "list"]);
    assert!(listed.out.contains("no password yet"), "{}", listed.out);
    let said = owner.said();
    let link = said
        .split_whitespace()
        .find(|word| word.contains("/sign-in?link="));
    let (entrance, _) = link.and_then(|link| link.split_once('?')).expect("a link");
    let arguments = [
        "--entrance",
        entrance,
        "--name",
        NAME,
        "--browser",
        &browser,
    ];
    let told = &run(&packages, "provider.py", &arguments)[0];
    for (what, words) in [
        (
            "nobody@example.org",
            "There is no account nobody@example.org here",
        ),
        (
            "unverified@example.org",
            "gave no name that can be used here",
        ),
        ("cancelled", "did not let you in"),
        ("astray", "was not started in this browser"),
    ] {
        let said = told[what].as_str().expect("text");
        assert!(said.contains(words), "{what}: {said}");
    }
    drop(node.stdin.take());
    drop(printed);
    assert!(node.wait().expect("it ended").success());
    // Without the provider nobody is let in, and it is said.
    let base = entrance.trim_end_matches("/sign-in");
    let alone = reqwest::blocking::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .expect("a client");
    let answer = alone.get(format!("{base}/sign-in/provider")).send();
    let answer = answer.expect("an answer");
    assert_eq!(answer.status(), 502);
    assert!(answer.text().expect("text").contains("did not answer"));
    owner.stop();
}

#[test]
fn settings_of_a_provider_that_cannot_be_used_are_named() {
    let place = desk();
    let with = |settings: &[(&str, &str)]| {
        let mut up = place.command(&["up", "--listen", "127.0.0.1:0"]);
        up.envs(settings.iter().copied());
        let ran = Ran::of(up.output().expect("it starts"));
        assert_eq!(ran.code, Some(3), "{}", ran.err);
        ran.err
    };
    let issuer = "THREADLORE__OIDC__ISSUER";
    let client = ("THREADLORE__OIDC__CLIENT_ID", "threadlore");
    let said = with(&[(issuer, "http://id.example.org"), client]);
    assert!(
        said.contains("oidc.issuer") && said.contains("`https://`"),
        "{said}"
    );
    assert!(with(&[(issuer, "http://localhost.example.org"), client]).contains("`https://`"));
    assert!(with(&[(issuer, "https://id.example.org")]).contains("oidc.client_id"));
    let no_file = ("THREADLORE__OIDC__CLIENT_SECRET_FILE", "/nowhere");
    let said = with(&[(issuer, "https://id.example.org"), client, no_file]);
    assert!(said.contains("oidc.client_secret_file"), "{said}");
}
