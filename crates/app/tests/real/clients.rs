//! Clients in other languages that are generated from the document of the HTTP API: every operation is
//! called by them, with the types that the document says.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use threadlore_testkit::not_run;

use super::api::{Served, unanswered};
use super::desk::{DESK, desk};
use super::interop::{packages, run};
use super::model::a_failed_look;
use super::support::Ran;

/// The operations of the document.
const OPERATIONS: usize = 51;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document() -> String {
    root().join("docs/openapi.json").display().to_string()
}

/// The desk, with a question that nobody could answer, and a window at which a model failed; a token for it, and one
/// for the installation.
fn served() -> (Served, String, String) {
    let place = desk();
    a_failed_look(&place, "default");
    unanswered(&place);
    let served = Served::on(place, &[]);
    let token = served.token("default", "ingest,ask,read,admin");
    let system = served.token("system", "admin");
    let text = |token: &Value| token["token"].as_str().expect("a token").to_owned();
    let (token, system) = (text(&token), text(&system));
    (served, token, system)
}

#[test]
fn a_client_in_python_calls_every_operation() {
    let Some(packages) = packages() else { return };
    let (served, token, system) = served();
    let arguments = [&document(), &served.base, &token, "default", DESK, &system];
    let told = run(&packages, "client.py", &arguments);
    assert_eq!(told[0]["missing"], json!([]), "{}", told[0]);
    all_of(&told[0]);
}

#[test]
fn a_client_in_typescript_calls_every_operation() {
    let Some(tools) = tools() else { return };
    let tools = Path::new(&tools);
    let made = tempfile::tempdir_in(tools).expect("a directory");
    let scripts = root().join("tests/interop/typescript");
    for name in ["client.ts", "tsconfig.json", "package.json"] {
        std::fs::copy(scripts.join(name), made.path().join(name)).expect("copied");
    }
    let program = |name: &str, arguments: &[&str]| {
        let mut command = Command::new(tools.join("node_modules/.bin").join(name));
        ended(command.args(arguments).current_dir(made.path()))
    };
    program("openapi-typescript", &[&document(), "-o", "lore.d.ts"]);
    program("tsc", &["-p", "."]);
    let (served, token, system) = served();
    let mut node = Command::new("node");
    node.args(["client.js", &served.base, &token, "default", DESK, &system]);
    let told = ended(node.current_dir(made.path()));
    all_of(&serde_json::from_str(&told).expect("JSON"));
}

fn all_of(told: &Value) {
    let called = told["called"].as_array().expect("a list");
    let mut called: Vec<&str> = called.iter().filter_map(Value::as_str).collect();
    called.sort_unstable();
    called.dedup();
    assert_eq!(called.len(), OPERATIONS, "{called:?}");
}

fn ended(command: &mut Command) -> String {
    let ran = Ran::of(command.output().expect("it starts"));
    assert_eq!(ran.code, Some(0), "{command:?}: {}{}", ran.out, ran.err);
    ran.out
}

/// Where the tools of TypeScript are; `./dev test` puts them there.
#[expect(
    clippy::disallowed_methods,
    reason = "as ./dev sets it; it is not a setting of what is tested"
)]
pub(crate) fn tools() -> Option<OsString> {
    let found = std::env::var_os("THREADLORE_TYPESCRIPT");
    if found.is_none() {
        not_run(
            "THREADLORE_TYPESCRIPT names no packages of Node; `./dev test --all` installs them",
        );
    }
    found
}
